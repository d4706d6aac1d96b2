# SPDX-License-Identifier: GPL-3.0-or-later
"""The world and its models, unlit."""

import bpy

op = bpy.context.active_operator

op.split = "none"
op.displacements = "each"
op.brushes = False
op.leafs = False
op.lightmaps = "none"
op.bump_lightmaps = False
op.prop_light = False
op.entities = False
op.static_props = "none"
op.level_of_detail = 0
op.fade = False
op.detail_props = False
op.worldlights = False
