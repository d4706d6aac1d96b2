# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights: what lamps look like in Blender, of entities and of those that the compiler left."""
