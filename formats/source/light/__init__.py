# SPDX-License-Identifier: GPL-3.0-or-later
"""Light: lightmaps and their luxels, ambient light, its colours, and which faces need theirs anew."""
