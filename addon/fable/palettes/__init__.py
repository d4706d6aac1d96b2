# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordered lists of a level: themes, atmospheres and sounds."""
