# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a map has, hidden parts too."""

import bpy

op = bpy.context.active_operator

op.split = "none"
op.displacements = "each"
op.brushes = True
op.leafs = True
op.lightmaps = "hdr"
op.bump_lightmaps = True
op.prop_light = True
op.entities = True
op.static_props = "models"
op.level_of_detail = 0
op.fade = False
op.detail_props = True
op.worldlights = True
