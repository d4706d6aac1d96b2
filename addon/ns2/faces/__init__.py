# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a level: mesh objects of polygons, edges and vertices."""
