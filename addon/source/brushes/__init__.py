# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes, the solids that collide: meshes for reference, which an export as VMF is made of."""
