# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of the world and of brush models: polygons of meshes, and back with what was moved, mapped or textured."""
