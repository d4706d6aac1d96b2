# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry that came from another level of the .blend: what its layers and groups are in this one.

Attributes of faces, edges and vertices name layers and groups by their numbers, which mean others in another level.
Elements that are records of another level are known by their ids, wherever they were moved or joined to: they are in
the layers and the groups of the same names here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Array, Bools, Indices, Int32s, Records
from ....formats.binary import FormatError
from ....formats.ns2.editing import TEXTURE, EditedMesh
from ....formats.ns2.editing.edited import Words
from ....formats.ns2.records import MASK_WORDS, NO_GROUP
from ...scene.geometry.meshes import MeshData
from ...scene.kept import originals
from ...scene.reports import SceneError
from .. import layout
from ..layers import lists


@dataclass(slots=True)
class OtherLevel:
    """Another level of the .blend, as a level sees it."""

    name: str
    token: int
    layers: Mapping[int, int]
    """For the ids of its layers those of the same names here."""
    groups: Mapping[int, int]
    """For the ids of its groups those of the same names here."""
    records: Callable[[], Records | None]
    """Gives the faces of its file: FACE records; None where that is lost."""
    lost: int = 0
    """How many of its faces that came here are in layers or groups that aren't here."""

    def adopt(self, part: EditedMesh, data: MeshData, faces: Bools, vertices: Bools) -> None:
        """Renumber the layers and groups of those elements of one mesh that are this level's.

        data: the mesh as read. faces (bool[p]), vertices (bool[n]): those of no level so far; this one's are taken out.
        """
        ids = data.ids("FACE", self.token)
        own = np.flatnonzero(faces & (ids > 0))
        faces[own] = False
        self._lay(part, own, ids[own])
        masks, groups = part.layers[own], part.face_groups[own]
        part.layers[own], part.face_groups[own] = self._layers(masks), self._groups(groups)
        less = (_bits(part.layers[own]) < _bits(masks)) | (part.face_groups[own] == NO_GROUP) & (groups != NO_GROUP)
        self.lost += len(np.unique(ids[own[less]]))
        points = vertices & (layout.vertex_ids(data, self.token) > 0)
        vertices[points] = False
        part.vertex_groups[points] = self._groups(part.vertex_groups[points])
        edges = points[part.edges].all(axis=1)
        part.edge_groups[edges] = self._groups(part.edge_groups[edges])

    def _lay(self, part: EditedMesh, own: Array, ids: Int32s) -> None:
        """Let polygons say how their textures lay: as of the faces of these ids."""
        records = self.records() if len(own) else None
        if records is None:
            return
        known = ids <= len(records)
        for column, (name, place) in enumerate(TEXTURE):
            values = records[name].reshape(len(records), -1)[:, place]
            part.textures[own[known], column] = np.nan_to_num(values[ids[known] - 1], posinf=0, neginf=0)

    def _layers(self, masks: Words) -> Words:
        result = np.zeros_like(masks)
        for old, new in self.layers.items():
            result[:, new // 32] |= (masks[:, old // 32] >> np.uint32(old % 32) & np.uint32(1)) << np.uint32(new % 32)
        return result

    def _groups(self, ids: Words) -> Words:
        result = np.full_like(ids, NO_GROUP)
        for old, new in self.groups.items():
            result[ids == old] = new
        return result


@dataclass(frozen=True, slots=True)
class OtherLevels:
    """All levels of the .blend but one."""

    own: int | None
    """The token of that one."""
    levels: list[OtherLevel]

    @classmethod
    def of(cls, collection: bpy.types.Collection) -> OtherLevels:
        """All others than this level."""
        info = originals.describe(collection)
        own = None if info is None else int(info.token)
        found = []
        for other in bpy.data.collections:
            info = originals.describe(other)
            if info is not None and info.format == layout.FORMAT and info.token != own:
                numbers = [_same_names(other, collection, kind) for kind in ("layers", "groups")]
                below = {old: new for old, new in numbers[0].items() if max(old, new) < 32 * MASK_WORDS}
                found.append(OtherLevel(other.name, info.token, below, numbers[1], _records_of(other)))
        return cls(own, found)

    def adopt(self, part: EditedMesh, data: MeshData) -> None:
        """Renumber the layers and groups of the elements of one mesh that came from other levels. data: as read.

        An element is of one level only, and first of all of the own one: a check has 25 bits, so that of the elements
        of a large level, asked for in hundreds of others, some pass by chance.
        """
        if not self.levels:
            return
        faces = np.ones(len(data.face_starts), np.bool_)
        vertices = np.ones(len(data.positions), np.bool_)
        if self.own is not None:
            faces, vertices = data.ids("FACE", self.own) == 0, layout.vertex_ids(data, self.own) == 0
        for level in self.levels:
            level.adopt(part, data, faces, vertices)


def _same_names(other: bpy.types.Collection, collection: bpy.types.Collection, kind: lists.Kind) -> dict[int, int]:
    """For the ids of another level's layers or groups those of the same names of this one."""
    here = {item.name: lists.unsigned(item.number) for item in reversed(lists.entries(collection, kind))}
    there = lists.entries(other, kind)
    return {lists.unsigned(item.number): here[item.name] for item in there if item.name in here}


def _records_of(other: bpy.types.Collection) -> Callable[[], Records | None]:
    """What gives the faces of another level's file, which is read when they are first asked for."""

    @cache
    def records() -> Records | None:
        try:
            original = originals.find(other)
            return None if original is None else ns2.read(original.data).mesh.faces.records
        except (SceneError, FormatError):
            return None

    return records


def _bits(masks: Words) -> Indices:
    """How many layers each mask [n, 8] has, int[n]."""
    return np.asarray(np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), axis=1).sum(axis=1, dtype=np.intp))
