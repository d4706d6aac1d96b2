# SPDX-License-Identifier: GPL-3.0-or-later
"""Tile layers: meshes of tiles, or planes that show an image of them."""
