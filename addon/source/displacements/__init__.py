# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements: meshes of their triangles, and back with what was sculpted and painted."""
