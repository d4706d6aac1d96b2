# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's map (`.wld`): its levels at their places, and those that were moved back into its text.

The face is a form of levels that is opened and written: see the four functions.
"""

from .build import import_form
from .collect import choose, export_form
from .maps import ENDING, check

__all__ = ["ENDING", "check", "choose", "export_form", "import_form"]
