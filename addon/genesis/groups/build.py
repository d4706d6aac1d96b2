# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of a `.3dt` as collections."""

from __future__ import annotations

import bpy

from ....formats.genesis.editor_level import Level3dt
from ...scene.fields import properties
from ...scene.names import showable
from .. import layout
from ..context import ImportContext


def build_groups(importing: ImportContext, level: Level3dt) -> dict[int, bpy.types.Collection]:
    """Make a collection for each group; returns them by the groups' ids."""
    groups: dict[int, bpy.types.Collection] = {}
    for record, group in enumerate(level.groups):
        made = importing.collection_of(f"Group: {showable(group.name)}", layout.GROUP, record)
        red, green, blue = group.color
        written = layout.GroupProperties(group.name, bool(group.visible), bool(group.locked), (red, green, blue))
        properties.write(made, written)
        groups.setdefault(group.group_id, made)
    importing.report.count("groups", len(level.groups))
    return groups
