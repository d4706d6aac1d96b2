# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's map (`.wld`) with its levels at their places."""
