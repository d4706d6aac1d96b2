# SPDX-License-Identifier: GPL-3.0-or-later
"""Genesis3D levels in Blender: `game` declares them, `layout` says what lives where in a scene, `importer` and
`exporter` are the two ways.
"""
