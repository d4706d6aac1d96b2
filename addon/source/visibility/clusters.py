# SPDX-License-Identifier: GPL-3.0-or-later
"""The clusters of visibility as boxes: where the compiler cut the map into rooms."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.source.tree import sight
from ...scene.geometry import transforms
from .. import layout
from ..context import ImportContext
from ..props.boxes import boxes


def build_mesh(importing: ImportContext) -> bpy.types.Mesh | None:
    """A mesh with a box around the leafs of each cluster; None for a map without any. Raises FormatError."""
    clusters, mins, maxs = sight.cluster_boxes(importing.level)
    if not len(clusters):
        return None
    own = np.repeat(clusters + 1, 6).astype(np.int32)
    importing.report.count("clusters", len(clusters))
    return boxes("Clusters", mins, maxs, {layout.CLUSTER: ("FACE", "INT", own)}, importing.report)


def place(importing: ImportContext, mesh: bpy.types.Mesh) -> None:
    """Make the object of the mesh."""
    obj = importing.object_of("Clusters", layout.CLUSTERS, 0, mesh, (importing.group(layout.LEAF_HOME),))
    obj.display_type = "WIRE"
    obj.hide_render = True
    transforms.remember(obj)
