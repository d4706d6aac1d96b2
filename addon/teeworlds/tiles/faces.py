# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a tile layer's mesh: which tile each of them is, and tiles written into them.

What a face is can be told by its attributes and by its UVs; `formats.teeworlds.tile_faces` has the rule, and shader,
export and the tools here go by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ....formats import teeworlds
from ....formats.arrays import Array, Indices, Int32s, Integers, Reals
from ....formats.teeworlds import tile_faces
from ....formats.teeworlds import tiles as tile_geometry
from ....formats.teeworlds.tile_faces import TILE_FIELDS, UV_TILE, TileError, TileFaces
from ...scene import attributes
from ...scene.fates import aspects
from ...scene.geometry import meshes, quads
from ...scene.kept import identity, originals
from ...scene.reports import SceneError
from .. import layout
from ..structure.parts import tile_kind
from .build import source

_TO_MAP = np.eye(4)[:2] * ((1.0,), (-1.0,))
"""Blender's axes to the map's, y down."""

NO_QUADS = "faces don't have four corners, as tiles do"


@dataclass(frozen=True)
class ShownTiles:
    """Which tile each face of a layer is."""

    cells: Int32s
    """[n, 2]: column and row that the face's middle is in."""
    values: dict[str, Int32s]
    """[n] by attribute, see TILE_FIELDS. The index is -1 where only the UVs tell it and show no whole tile."""


def read(
    layer: bpy.types.Object,
    kind: str,
    depsgraph: bpy.types.Depsgraph | None = None,
    matrix: Reals | None = None,
    token: int | None = None,
) -> TileFaces:
    """The faces of a layer of this kind (name of the TileKind), as `meshes.read` reads them.

    matrix: [4, 4], from the object to where the cells are counted; None for the object's own space. token: of the ids
    that are records; None for none. Raises TileError for faces without four corners, SceneError for attributes that
    hold no whole numbers.
    """
    names = (*TILE_FIELDS[kind].attributes, UV_TILE)
    data = meshes.read(layer, depsgraph, names)
    odd = np.flatnonzero(data.face_sizes != 4)
    if len(odd):
        raise TileError(f"{len(odd)} {NO_QUADS}", odd)
    points = _to_map(data.positions, _TO_MAP if matrix is None else matrix[:2] * ((1.0,), (-1.0,)))
    in_order = len(data.corner_verts) == len(points) and (np.diff(data.corner_verts) == 1).all()
    uvs = data.uv(layout.UV)
    found = {
        name: attributes.whole_numbers(layer, name, *data.attributes[name]) for name in names if name in data.attributes
    }
    made = found.pop(UV_TILE, None)
    return TileFaces(
        corners=(points if in_order else points[data.corner_verts]).reshape(-1, 4, 2),
        uvs=None if uvs is None else uvs.reshape(-1, 4, 2),
        ids=np.zeros(len(data.face_starts), np.int32) if token is None else data.ids("FACE", token),
        attributes=found,
        uv_tile=made,
    )


def _to_map(positions: Reals, to_map: Reals) -> Reals:
    """Points [n, 3] in map axes [n, 2]: of the positions' precision where only y is turned round, else float64."""
    if (to_map == _TO_MAP).all():
        return positions[:, :2] * np.array((1, -1), positions.dtype)
    points = np.empty((len(positions), 2))
    for axis in range(2):
        points[:, axis] = to_map[axis, 3]
        for channel in range(3):
            if to_map[axis, channel]:
                points[:, axis] += positions[:, channel] * to_map[axis, channel]
    return points


def shown(layer: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None) -> ShownTiles:
    """Which tile each face of a tile layer's mesh is, in any mode. depsgraph: for layers with modifiers.

    Raises SceneError for what isn't a mesh of tiles.
    """
    kind = _kind(layer)
    original, token = _original(layer)
    try:
        faces = read(layer, kind, depsgraph, token=token)
    except TileError as error:
        raise SceneError(f"{layer.name}: {error.message}", [layer]) from error
    _, corners = tile_geometry.locate(faces.corners, tile_faces.SNAP)
    stored = None if original is None else tile_faces.stored_values(faces, kind, original)
    values, unreadable = tile_faces.decide(faces, corners, kind, stored)
    values["index"][unreadable] = -1
    return ShownTiles(np.floor(faces.corners.mean(axis=1)).astype(np.int32), values)


def _original(layer: bpy.types.Object) -> tuple[tile_faces.Tiles | None, int | None]:
    """The records that the faces of a layer without UV_TILE came from, and the token of their ids; None, None else."""
    mark = identity.stamped(layer)
    if mark is None or not isinstance(layer.data, bpy.types.Mesh) or UV_TILE in layer.data.attributes:
        return None, None
    for level in originals.levels():
        info = originals.describe(level)
        if info is not None and info.token == mark.token and layer.name in level.all_objects:
            original = originals.find(level)
            layers = list(layout.numbered_layers(teeworlds.read(original.data))) if original is not None else []
            layer_record = layers[mark.record][3] if 0 <= mark.record < len(layers) else None
            if isinstance(layer_record, teeworlds.TileLayer):
                return source(layer_record).tiles, layout.element_token(info.token, mark.record)
    return None, None


def paint(layer: bpy.types.Object, faces: Integers, **values: Integers | int) -> None:
    """Make faces of a tile layer's mesh these tiles: attributes, UVs and UV_TILE, so that all of them agree.

    faces: int [k]. values: by attribute, one for all or [k]; what isn't given stays. Raises SceneError for layers that
    aren't meshes of tiles, or are in edit mode.
    """
    if not isinstance(layer.data, bpy.types.Mesh) or layer.data.is_editmode:
        raise SceneError(f"{layer.name}: tiles are painted in object mode", [layer])
    if UV_TILE not in layer.data.attributes:  # of a version that had none
        settle(layer)
    _paint(layer, layer.data, np.asarray(faces, np.intp), values)


def _paint(
    layer: bpy.types.Object,
    mesh: bpy.types.Mesh,
    faces: Indices,
    values: Mapping[str, Integers | int],
) -> None:
    kind = _kind(layer)
    some, corners = _some(layer, mesh, kind, faces)
    told, unreadable = tile_faces.decide(some, corners, kind)
    told["index"] = np.where(unreadable, some.attributes.get("index", np.int32(0)), told["index"])
    told |= {name: np.broadcast_to(value, len(faces)).astype(np.int32) for name, value in values.items()}
    uvs = tile_geometry.corner_uvs(told["index"], told.get("flags", told["index"] & 0))
    uvs = np.take_along_axis(uvs, np.maximum(corners, 0)[..., None].astype(np.intp), axis=1)
    told[UV_TILE] = np.where((corners < 0).any(axis=1), 0, tile_faces.made_for(kind, told)).astype(np.int32)
    for name, value in told.items():
        stored = attributes.read(mesh, name, "FACE")
        new = np.zeros(len(mesh.polygons), np.int32) if stored is None else stored.astype(np.int32)
        new[faces] = value
        attributes.write(mesh, name, "FACE", "INT", new)
    layer_uvs = attributes.read(mesh, layout.UV, "CORNER")
    if layer_uvs is not None:
        layer_uvs.reshape(-1, 4, 2)[faces] = uvs
        attributes.write(mesh, layout.UV, "CORNER", "FLOAT2", layer_uvs)
    mesh.update_tag()


def _some(
    layer: bpy.types.Object, mesh: bpy.types.Mesh, kind: str, faces: Indices
) -> tuple[TileFaces, npt.NDArray[np.int8]]:
    """Some of a layer's faces, and the corners of the cells that their corners sit at."""
    positions, corner_verts = attributes.read(mesh, "position"), attributes.read(mesh, ".corner_vert")
    if positions is None or corner_verts is None or not quads.are_quads(mesh):
        raise SceneError(f"{layer.name}: not all of its faces have four corners", [layer])
    points = _to_map(positions[corner_verts.reshape(-1, 4)[faces].reshape(-1)], _TO_MAP).reshape(-1, 4, 2)
    uvs, nothing = attributes.read(mesh, layout.UV, "CORNER"), np.zeros(len(faces), np.int32)
    found: dict[str, Int32s] = {}
    for name in (*TILE_FIELDS[kind].attributes, UV_TILE):
        stored = attributes.read(mesh, name, "FACE")
        if stored is not None:
            found[name] = stored[faces].astype(np.int32)
    made = found.pop(UV_TILE, None)
    some = TileFaces(points, None if uvs is None else uvs.reshape(-1, 4, 2)[faces], nothing, found, made)
    return some, tile_geometry.locate(points, tile_faces.SNAP)[1]


def settle(layer: bpy.types.Object) -> None:
    """Bring attributes, UVs and UV_TILE of all faces of a tile layer's mesh in line with what they show.

    Faces whose UVs show no whole tile stay as they are. Raises SceneError as `paint` does.
    """
    if not isinstance(layer.data, bpy.types.Mesh) or layer.data.is_editmode:
        raise SceneError(f"{layer.name}: tiles are settled in object mode", [layer])
    tiles = shown(layer)
    faces = np.flatnonzero(tiles.values["index"] >= 0)
    _paint(layer, layer.data, faces, {name: values[faces] for name, values in tiles.values.items()})


def tiles_are_ours(layer: bpy.types.ID) -> bool:
    """Whether UV_TILE of all faces of a tile layer is what painting and stamping make of their attributes, or 0."""
    kind = tile_kind(layer) if isinstance(layer, bpy.types.Object) else None
    if kind is None:
        return False
    with aspects.readable_data(layer) as mesh:
        told = {
            name: attributes.read(mesh, name, "FACE") if isinstance(mesh, bpy.types.Mesh) else None
            for name in (*TILE_FIELDS[kind].attributes, UV_TILE)
        }
    known = {name: values.astype(np.int32) for name, values in told.items() if values is not None}
    if len(known) < len(told):
        return False
    return bool(((known[UV_TILE] == tile_faces.made_for(kind, known)) | (known[UV_TILE] == 0)).all())


def follow(layer: bpy.types.Object) -> int:
    """Give those faces of a tile layer's mesh whose attributes say something else than their UVs were made for the UVs
    of that; returns how many. What an export writes stays the same.

    Air stays as it is: whatever its UVs are, it is no tile. So do faces that fill no cell, and layers that aren't
    meshes of tiles, are in edit mode or linked.
    """
    mesh, kind = layer.data, tile_kind(layer)
    if kind is None or layer.get(layout.STORAGE) != layout.MESH:
        return 0
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode or mesh.library:
        return 0
    told: dict[str, Array] = {}
    for name in (*TILE_FIELDS[kind].attributes, UV_TILE):
        values = attributes.read(mesh, name, "FACE")
        if values is None or values.dtype != np.int32:
            return 0
        told[name] = values
    stale = np.flatnonzero((tile_faces.made_for(kind, told) != told[UV_TILE]) & (told["index"] > 0))
    if len(stale):
        try:
            stale = stale[(_some(layer, mesh, kind, stale)[1] >= 0).all(axis=1)]
        except SceneError:  # faces without four corners: an export names them
            return 0
    if len(stale):
        _paint(layer, mesh, stale, {})
    return len(stale)


def _kind(layer: bpy.types.Object) -> str:
    kind = tile_kind(layer)
    if kind is None or layer.get(layout.STORAGE) != layout.MESH:
        raise SceneError(f"{layer.name} isn't a layer of tiles with a face a tile", [layer])
    return kind
