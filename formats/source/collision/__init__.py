# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of vphysics: the lumps that hold them, what they are made of, and made anew of convex hulls."""
