# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of a level's objects as one: arrays with Spark's axes, and the records that their elements are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.ns2.records import MASK_WORDS
from ...scene import meshes, transforms
from ...scene.attributes import Domain
from ...scene.meshes import MeshData
from ...scene.reports import SceneError
from .. import layout
from .other_levels import Stranger

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint32]

SHARP_EDGE, SHARP_FACE = "sharp_edge", "sharp_face"
"""Blender's own attributes."""
_ROUNDING = 8 * float(np.finfo(np.float32).eps)
"""Of coordinates and of where the object is."""
_LAYERS = tuple(f"{layout.LAYERS}{word}" for word in range(MASK_WORDS))
_NAMES = (
    *_LAYERS,
    layout.VERTEX_GROUP,
    layout.EDGE_GROUP,
    layout.FACE_GROUP,
    layout.MAPPING_GROUP,
    layout.VERTEX_ID,
    layout.VERTEX_CHECK,
    layout.BRIDGE,
    SHARP_EDGE,
    SHARP_FACE,
)


@dataclass(slots=True, eq=False)
class SceneMesh:
    """All geometry of a level: of n vertices, e edges, p polygons with c corners, whatever objects they are in.

    `positions` float32[n, 3] (Spark's axes, below the level's root); `rounding` float64[n]: metres that they may be off
    where an object's transform undoes what was done to its mesh (a new origin); `vertices` int[n] and `faces` int[p]:
    the records that they are, -1 where they are new; `edges` int[e, 2]: vertices; `smooth`, `bridges` bool[e]; `starts`
    int[p + 1], `corners`, `sides` int[c]: of each corner its vertex and the edge to the next one; `uvs` float32[c, 2]
    (v upwards), NaN where an object has none; `materials` int[p]: into `palette`; `layers` uint32[p, 8]: words of the
    mask; `vertex_groups`, `edge_groups`, `face_groups`, `mapping_groups`: ids, NO_GROUP for none; `owners` int[p]: the
    object of each polygon; `firsts` int[objects + 1]: the first polygon of each.
    """

    objects: list[bpy.types.Object]
    positions: NDArray[np.float32]
    rounding: NDArray[np.float64]
    vertices: Ints
    vertex_groups: Words
    edges: Ints
    smooth: Bools
    bridges: Bools
    edge_groups: Words
    starts: Ints
    corners: Ints
    sides: Ints
    uvs: NDArray[np.float32]
    faces: Ints
    materials: Ints
    layers: Words
    face_groups: Words
    mapping_groups: Words
    firsts: Ints
    palette: list[bpy.types.Material | None]

    @property
    def polygons(self) -> Ints:
        """The polygon of each corner, int[c]."""
        return np.repeat(np.arange(len(self.faces)), np.diff(self.starts))

    @property
    def following(self) -> Ints:
        """The next corner of each corner's polygon, int[c]."""
        after = np.arange(1, len(self.corners) + 1)
        after[self.starts[1:] - 1] = self.starts[:-1]
        return after

    def refuse(self, message: str, polygons: Ints) -> NoReturn:
        """Raise SceneError about polygons, which get selected. message: {} is for how many."""
        count = f"{len(polygons)} face{'s' if len(polygons) != 1 else ''}"
        owners = np.searchsorted(self.firsts, polygons, side="right") - 1
        objects = [self.objects[number] for number in np.unique(owners).tolist()]
        named = ", ".join(obj.name for obj in objects[:5])
        places = {}
        for number in np.unique(owners).tolist():
            obj, first = self.objects[number], self.firsts[number]
            mesh: Any = obj.data
            # What modifiers made can't be selected.
            if isinstance(mesh, bpy.types.Mesh) and len(mesh.polygons) == self.firsts[number + 1] - first:
                places[obj] = polygons[owners == number] - first
        raise SceneError(f"{named}: {message.format(count)}", objects, faces=places)


def read(
    objects: Sequence[bpy.types.Object],
    root: bpy.types.Object | None,
    token: int | None,
    depsgraph: bpy.types.Depsgraph | None,
    strangers: Sequence[Stranger] = (),
) -> SceneMesh:
    """Read the meshes of objects, with their modifiers and transforms. token: the level's, None where no id counts.

    depsgraph: as `evaluated.shown` gives it, where objects need evaluation. strangers: other levels, whose faces may
    have come here. Raises SceneError for what isn't finite.
    """
    if not objects:
        return empty()
    palette: dict[bpy.types.Material | None, int] = {}
    parts = [_read(obj, root, token, depsgraph, palette, strangers) for obj in objects]
    points = _begins([len(part.positions) for part in parts])
    edges = _begins([len(part.edges) for part in parts])
    corners = _begins([len(part.corners) for part in parts])
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in SceneMesh.__slots__
        if name not in ("objects", "palette", "firsts", "starts", "edges", "corners", "sides")
    }
    return SceneMesh(
        list(objects),
        edges=np.concatenate([part.edges + at for part, at in zip(parts, points, strict=False)]),
        corners=np.concatenate([part.corners + at for part, at in zip(parts, points, strict=False)]),
        sides=np.concatenate([part.sides + at for part, at in zip(parts, edges, strict=False)]),
        starts=np.concatenate(
            [*(part.starts[:-1] + at for part, at in zip(parts, corners, strict=False)), corners[-1:]]
        ),
        firsts=_begins([len(part.faces) for part in parts]),
        palette=list(palette),
        **joined,
    )


def empty() -> SceneMesh:
    """No geometry."""
    return _arrays(MeshData(np.zeros((0, 3), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int32)), None, {})


def _begins(sizes: list[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.intp), np.cumsum(np.array(sizes, np.intp))])


def _read(
    obj: bpy.types.Object,
    root: bpy.types.Object | None,
    token: int | None,
    depsgraph: bpy.types.Depsgraph | None,
    palette: dict[bpy.types.Material | None, int],
    strangers: Sequence[Stranger],
) -> SceneMesh:
    data = meshes.read(obj, depsgraph, _NAMES, edges=True)
    for name in _NAMES:
        values = data.attribute(name)
        if values is not None and (values.ndim != 1 or values.dtype not in (np.int32, np.bool_)):
            raise SceneError(f"{obj.name}: attribute {name} must hold one whole number an element", [obj])
    part = _arrays(data, token, palette)
    for stranger in strangers:
        stranger.adopt(part, data)
    matrix = transforms.seen(obj, root, depsgraph)
    if not np.array_equal(matrix, np.eye(4)):
        points = data.positions.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        with np.errstate(over="ignore"):
            part.positions = layout.from_blender(points.astype(np.float32))
        part.rounding = _ROUNDING * (np.abs(data.positions).max(axis=1) + np.abs(matrix[:3, 3]).max())
        if np.linalg.det(matrix[:3, :3]) < 0:
            _turn(part)
    if not np.isfinite(part.positions).all():
        bad = np.flatnonzero(~np.isfinite(part.positions).all(axis=1))
        raise SceneError(f"{obj.name}: {len(bad)} vertices are nowhere (not finite)", [obj], points={obj: bad})
    part.objects = [obj]
    return part


def _turn(part: SceneMesh) -> None:
    """Let polygons run the other way round, from the same first corner: mirrored ones show the side that they did."""
    starts, sizes = part.starts[:-1], np.diff(part.starts)
    begin, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    place = np.arange(len(part.corners)) - begin
    corners = begin + (size - place) % size
    part.sides = part.sides[begin + size - 1 - place]
    part.corners, part.uvs = part.corners[corners], part.uvs[corners]


def _arrays(data: MeshData, token: int | None, palette: dict[bpy.types.Material | None, int]) -> SceneMesh:
    count, edge_count = len(data.face_starts), len(data.edges)
    corners, sides = data.corner_verts.astype(np.intp), data.corner_edges.astype(np.intp)
    starts = np.append(data.face_starts, len(corners)).astype(np.intp)
    sharp = _flags(data, SHARP_EDGE, "EDGE", edge_count)
    sharp[sides[np.repeat(_flags(data, SHARP_FACE, "FACE", count), np.diff(starts))]] = True
    uvs = data.uv(layout.UV)
    uvs = data.uv() if uvs is None else uvs
    numbers = [palette.setdefault(each and each.original, len(palette)) for each in data.materials or [None]]
    slots = data.material_index.clip(0, len(numbers) - 1)
    zeros = np.zeros(count, np.int32)
    layers = [data.attribute(name, "FACE") for name in _LAYERS]
    return SceneMesh(
        [],
        layout.from_blender(data.positions),
        np.zeros(len(data.positions)),
        _none(data.positions) if token is None else layout.vertex_ids(data, token).astype(np.intp) - 1,
        _groups(data, layout.VERTEX_GROUP, "POINT", len(data.positions)),
        data.edges.astype(np.intp),
        ~sharp,
        _flags(data, layout.BRIDGE, "EDGE", edge_count),
        _groups(data, layout.EDGE_GROUP, "EDGE", edge_count),
        starts,
        corners,
        sides,
        np.full((len(corners), 2), np.nan, np.float32) if uvs is None else uvs,
        _none(data.face_starts) if token is None else data.ids("FACE", token).astype(np.intp) - 1,
        np.array(numbers, np.intp)[slots],
        np.stack([zeros if each is None else each for each in layers], axis=1).astype(np.int32).view(np.uint32),
        _groups(data, layout.FACE_GROUP, "FACE", count),
        _groups(data, layout.MAPPING_GROUP, "FACE", count),
        _begins([count]),
        list(palette),
    )


def _none(elements: NDArray[Any]) -> Ints:
    """No records."""
    return np.full(len(elements), -1, np.intp)


def _flags(data: MeshData, name: str, domain: Domain, count: int) -> Bools:
    found = data.attribute(name, domain)
    return np.zeros(count, np.bool_) if found is None else found.astype(np.bool_)


def _groups(data: MeshData, name: str, domain: Domain, count: int) -> Words:
    found = data.attribute(name, domain)
    return layout.group_ids(np.zeros(count, np.int32) if found is None else found.astype(np.int32))
