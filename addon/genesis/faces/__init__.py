# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of brushes: meshes of all of them, how textures lie on them, and back."""
