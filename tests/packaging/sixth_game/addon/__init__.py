# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny levels in Blender: an empty a gem."""
