# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting on the terrain and on the game map."""
