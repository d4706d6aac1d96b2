# SPDX-License-Identifier: GPL-3.0-or-later
"""Which face is which: surfaces that were edited, sides of brushes and displacements beside the faces of a map."""
