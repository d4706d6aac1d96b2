# SPDX-License-Identifier: GPL-3.0-or-later
"""Mapping groups: textures that run on across several faces, as on one plane."""
