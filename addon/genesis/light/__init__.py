# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights: which classes of entities are some, and how Blender shows them."""
