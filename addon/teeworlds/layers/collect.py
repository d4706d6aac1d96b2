# SPDX-License-Identifier: GPL-3.0-or-later
"""One tile layer's object laid over its record: tiles from the mesh or the index images, colour, automapper, names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import bpy
import numpy as np
import numpy.typing as npt

from ....formats.binary import FormatError
from ....formats.teeworlds import TILE_RECORDS, Automapper, Layer, TileLayer
from ....formats.teeworlds import tile_faces as tile_reader
from ....formats.teeworlds.tile_faces import TILE_FIELDS, TileError, TileFaces, Tiles
from ....formats.teeworlds.tile_layers import refuse_too_large
from ...scene import images, meshes, properties
from ...scene.reports import SceneError
from .. import layout
from ..layout import TileLayerProperties
from ..structure.collect import kind_of

Matrix = npt.NDArray[np.float64]
Kind = TypeVar("Kind", bound=layout.LayerProperties)
COLOR_LIMIT = 255


@dataclass(frozen=True, slots=True)
class LayerScene:
    """A layer's object as an export sees it.

    `matrix`: float64 [4, 4], relative to its group's root. `ids_token`: the token of its elements' ids, None where none
    of them is a record's. `depsgraph`: holds the object if it must be evaluated.
    """

    object: bpy.types.Object
    matrix: Matrix
    ids_token: int | None
    depsgraph: bpy.types.Depsgraph | None


def read_properties(obj: bpy.types.Object, cls: type[Kind]) -> tuple[Kind, frozenset[str]]:
    """The properties of a layer's object, and which were edited. Raises SceneError for values that don't fit."""
    try:
        return properties.read(obj, cls)
    except ValueError as error:
        raise SceneError(str(error), [obj]) from error


def write_common(layer: Layer, values: layout.LayerProperties, changed: frozenset[str]) -> None:
    """Name and detail flag, where they were edited. Raises FormatError for a name that is too long."""
    if "layer_name" in changed:
        layer.name = values.layer_name
    if "detail" in changed:
        layer.detail = values.detail


def write_tile_layer(scene: LayerScene, layer: TileLayer, values: TileLayerProperties, changed: frozenset[str]) -> None:
    """Everything of a tile layer that the object alone tells, that is all but its image and its envelope.

    Raises SceneError, with the faces at fault, or FormatError.
    """
    obj = scene.object
    write_common(layer, values, changed)
    _write_color(obj, layer)
    _write_automapper(layer, values, changed)
    if obj.get(layout.STORAGE) == layout.KEPT:
        if (values.width, values.height) != (layer.width, layer.height):
            raise SceneError(f"{obj.name}: its tiles can't be read, so it can't get another size", [obj])
        return
    shape = (values.height, values.width)
    refuse_too_large(values.width, values.height, TILE_RECORDS[layer.tile_kind])
    kind = layer.tile_kind.name or "TILES"
    if obj.get(layout.STORAGE) == layout.PLANE:
        _write_painted(scene, kind, layer, shape)
        return
    try:
        tiles = tile_reader.read_tiles(_faces(scene, kind), kind, _tiles_of(layer), shape)
    except TileError as error:
        faces = {} if meshes.needs_evaluation(obj) else {obj: error.faces}
        raise SceneError(f"{obj.name}: {error.message}", [obj], faces) from error
    layer.set_tiles(tiles)


def _tiles_of(layer: TileLayer) -> Tiles:
    """The records that the layer was drawn from; none where they can't be read, or there are none yet."""
    try:
        return layer.tiles()
    except FormatError:
        return np.zeros((0, 0), TILE_RECORDS[layer.tile_kind])


def _faces(scene: LayerScene, kind: str) -> TileFaces:
    """What the mesh holds, in map axes (y down)."""
    obj, names = scene.object, TILE_FIELDS[kind].attributes
    data = meshes.read(obj, scene.depsgraph, names)
    odd = np.flatnonzero(data.face_sizes != 4)
    if len(odd):
        raise TileError(f"{len(odd)} faces don't have four corners, as tiles do", odd)
    to_map = scene.matrix[:2] * ((1.0,), (-1.0,))
    points = np.empty((len(data.positions), 2))
    for axis in range(2):
        points[:, axis] = to_map[axis, 3]
        for channel in range(3):
            if to_map[axis, channel]:
                points[:, axis] += data.positions[:, channel] * to_map[axis, channel]
    uvs = data.uv(layout.UV)
    return TileFaces(
        corners=points[data.corner_verts].reshape(-1, 4, 2),
        uvs=None if uvs is None else uvs.reshape(-1, 4, 2),
        ids=np.zeros(len(data.face_starts), np.int32) if scene.ids_token is None else data.ids("FACE", scene.ids_token),
        attributes={
            name: _whole(obj, name, values) for name in names if (values := data.attribute(name, "FACE")) is not None
        },
    )


def _whole(obj: bpy.types.Object, name: str, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """An attribute as whole numbers, one a face: whatever type a node or a script gave it."""
    if values.ndim != 1 or not (np.abs(values) < 2**31).all() or (values != np.floor(values)).any():
        raise SceneError(f"{obj.name}: attribute {name} must hold one whole number a face", [obj])
    return values.astype(np.int32)


def _write_painted(scene: LayerScene, kind: str, layer: TileLayer, shape: tuple[int, int]) -> None:
    """The tiles of a layer that is drawn from images: what was painted, pixel by pixel. Layers can be huge: one that
    nobody painted isn't even decoded.
    """
    obj, fields = scene.object, TILE_FIELDS[kind]
    if not np.abs(scene.matrix[:2] - np.eye(4)[:2])[:, (0, 1, 3)].max() <= tile_reader.SNAP:
        raise SceneError(f"{obj.name}: a layer drawn from images can't be moved or turned, only painted", [obj])
    painted = []
    for key, channels in zip(layout.FIELD_IMAGES, fields.images, strict=False):
        image = obj.get(key)
        if not isinstance(image, bpy.types.Image):
            raise SceneError(f"{obj.name}: the image that holds its tiles is gone ({key})", [obj])
        if not images.unchanged(image):
            painted.append((image, channels))
    before = (layer.height, layer.width)
    if not painted and shape == before:
        return
    tiles = tile_reader.resized(_tiles_of(layer), shape)
    for image, channels in painted:
        pixels = images.to_rgba(image)
        if pixels.shape[:2] not in (before, shape):
            size = f"{pixels.shape[1]} x {pixels.shape[0]}"
            raise SceneError(f"{obj.name}: image {image.name} is {size}, the layer {shape[1]} x {shape[0]}", [obj])
        height, width = np.minimum(shape, pixels.shape[:2])
        for attribute in dict.fromkeys(name for name, _ in channels):
            values = np.zeros((height, width), np.uint16)
            for channel, (name, shift) in enumerate(channels):
                if name == attribute:
                    values |= pixels[:height, :width, channel].astype(np.uint16) << np.uint16(shift)
            field = fields.attributes[attribute]
            tiles[field][:height, :width] = values.astype(tiles.dtype[field])  # 16 bits: two's complement
    layer.set_tiles(tiles)


def _write_color(obj: bpy.types.Object, layer: TileLayer) -> None:
    """The object's colour, where it isn't what the record's looks like."""
    shown = np.array(obj.color, np.float32)
    was = np.array(layer.color, np.float64) / COLOR_LIMIT
    edited = shown != was.astype(np.float32)
    if edited.any():
        values = np.rint(shown.astype(np.float64) * COLOR_LIMIT)
        if not ((values >= 0) & (values <= COLOR_LIMIT)).all():
            raise SceneError(f"{obj.name}: its colour {tuple(shown.tolist())} isn't within 0 and 1", [obj])
        layer.color = [
            int(new if changed else old) for new, changed, old in zip(values, edited, layer.color, strict=True)
        ]


def _write_automapper(layer: TileLayer, values: TileLayerProperties, changed: frozenset[str]) -> None:
    if not changed & {"automapper_config", "automapper_seed", "automapper_automatic"}:
        return
    if layer.automapper is None:
        layer.automapper = Automapper.new(-1)
    layer.automapper.config = values.automapper_config
    layer.automapper.seed = values.automapper_seed
    layer.automapper.automatic = values.automapper_automatic


def shown_images(obj: bpy.types.Object, material: bpy.types.Material | None) -> list[bpy.types.Image]:
    """The images that a material of a layer's object shows, each once; those that hold tiles aside."""
    if material is None or material.node_tree is None:
        return []
    fields = [obj.get(key) for key in layout.FIELD_IMAGES]
    nodes = [node for node in material.node_tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)]
    return list(dict.fromkeys(node.image for node in nodes if node.image is not None and node.image not in fields))


def materials_of(obj: bpy.types.Object) -> list[bpy.types.Material]:
    """The materials of a layer's object, then those of the quads below it, each once."""
    parts = [obj, *(child for child in obj.children_recursive if kind_of(child) != layout.PREVIEW)]
    slots = (slot for part in parts for slot in part.material_slots)
    return list(dict.fromkeys(slot.material for slot in slots if slot.material is not None))
