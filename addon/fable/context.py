# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from ...formats import fable
from ..scene import level
from .settings import ImportSettings

ImportContext = level.ImportContext[fable.Level, ImportSettings]
"""One import of a level."""
