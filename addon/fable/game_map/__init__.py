# SPDX-License-Identifier: GPL-3.0-or-later
"""The game map as a mesh: atmospheres and sounds of 4 x 4 height cells."""
