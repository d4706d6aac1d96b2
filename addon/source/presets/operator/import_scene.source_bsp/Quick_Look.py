# SPDX-License-Identifier: GPL-3.0-or-later
"""What a map looks like, with boxes for props and without entities."""

import bpy

op = bpy.context.active_operator

op.split = "none"
op.displacements = "joined"
op.brushes = False
op.leafs = False
op.lightmaps = "hdr"
op.bump_lightmaps = False
op.prop_light = False
op.entities = False
op.static_props = "boxes"
op.level_of_detail = 3
op.fade = False
op.detail_props = False
op.worldlights = False
