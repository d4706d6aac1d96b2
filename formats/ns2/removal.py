# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers and groups that go or get another number: what is in them follows (ns2.md §2, §3).

The lists of layers and groups themselves stay as they are, and what is in none of these stays bit for bit.
"""

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from .faces import FaceLayers
from .level import Level
from .objects import no_group
from .records import MASK_WORDS, NO_GROUP
from .triangles import GeometryGroups, GroupTable


def move_layers(level: Level, moves: Mapping[int, int | None]) -> None:
    """Give layers other ids in the masks of objects and faces, and in the editor's settings; None: nothing is in them.

    Ids that no mask has a bit for are ignored.
    """
    moves = {old: new for old, new in moves.items() if 0 <= old < 32 * MASK_WORDS and old != new}
    if not moves:
        return
    for entity in level.entities:
        if entity.layers is not None:
            mask = _moved(entity.layers, moves)
            if mask != entity.layers:
                entity.layers = mask if mask or level.version <= 4 else None
    settings = level.pathing
    if settings is not None and _moved(settings.layers, moves) != settings.layers:
        settings.layers = _moved(settings.layers, moves)
        level.editor_settings = level.editor_settings  # the block was changed in place: now it is written
    _move_faces(level, moves)


def drop_groups(level: Level, groups: Collection[int]) -> None:
    """Take objects, vertices, edges and faces out of groups."""
    if not groups:
        return
    for entity in level.entities:
        if entity.group in groups:
            entity.group = no_group(level.version)
    mesh = level.mesh
    tables = mesh.geometry_groups
    gone = np.array(sorted(groups), np.uint32)
    if not any(np.isin(table.ids, gone).any() for table in (tables.vertices, tables.edges, tables.faces)):
        return
    counted = ((tables.vertices, mesh.vertices), (tables.edges, mesh.edges), (tables.faces, mesh.faces))
    mesh.geometry_groups = GeometryGroups(*(_without(table, len(elements), gone) for table, elements in counted))


def _move_faces(level: Level, moves: Mapping[int, int | None]) -> None:
    old = level.mesh.face_layers
    masks = old.masks.copy()
    words = MASK_WORDS if masks.shape[1] == MASK_WORDS else 1  # of version 4 only the first of the two can be a mask
    for layer in moves:
        if layer < 32 * words:
            masks[:, layer // 32] &= ~_bit(layer)
    for layer, new in moves.items():
        if new is not None and max(layer, new) < 32 * words:
            masks[old.members(layer), new // 32] |= _bit(new)
    if not np.array_equal(masks, old.masks):
        has = np.where((masks == old.masks).all(axis=1), old.has, masks.any(axis=1) | (words == 1))
        level.mesh.face_layers = FaceLayers(has, masks)


def _bit(layer: int) -> np.uint32:
    return np.uint32(1 << layer % 32)


def _without(table: GroupTable, count: int, gone: npt.NDArray[np.uint32]) -> GroupTable:
    if not np.isin(table.ids, gone).any():
        return table
    groups = table.assignment(count)
    return GroupTable.of(np.where(np.isin(groups, gone), np.uint32(NO_GROUP), groups))


def _moved(mask: int, moves: Mapping[int, int | None]) -> int:
    result = mask
    for old in moves:
        result &= ~(1 << old)
    for old, new in moves.items():
        if new is not None and mask >> old & 1:
            result |= 1 << new
    return result
