# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of tile layers back to their records: tiles from the mesh or the images, colour, automapper, names."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ....formats.arrays import Int32s
from ....formats.binary import FormatError
from ....formats.teeworlds import TILE_RECORDS, Automapper, EnvelopeKind, TileKind, TileLayer, tile_faces, tile_images
from ....formats.teeworlds.tile_faces import TILE_FIELDS, TileError, Tiles
from ....formats.teeworlds.tile_layers import refuse_too_large
from ...scene.geometry import meshes
from ...scene.issues import mends
from ...scene.kept.identity import kind_of
from ...scene.media import images
from ...scene.reports import SceneError
from .. import layout
from ..envelopes.collect import EnvelopeTable
from ..images.collect import ImageTable
from ..layout import TileLayerProperties
from ..materials.collect import materials_of, shown_images
from ..structure.layer_collect import SceneLayer, tell_of_missing, write_common
from . import faces, planes
from .moved import moved

COLOR_LIMIT = 255
"""A full colour channel of a record."""
Reference = tuple[int, int]
"""The number of an envelope, -1 = none, and the time offset in ms."""


def collect(scene: SceneLayer, layer: TileLayer, envelopes: EnvelopeTable) -> Reference:
    """The envelope of a layer's colour, as `envelopes` exports it. `layer`: its record, as it was read."""
    values, _ = scene.properties(TileLayerProperties)
    record = (-1, 0) if scene.new else (layer.color_envelope, layer.color_envelope_offset)
    by_property = (values.color_envelope, values.color_envelope_offset)
    played = envelopes.played(scene.object, EnvelopeKind.COLOR)
    numbers, offsets = envelopes.assign(EnvelopeKind.COLOR, played, _arrays(record), _arrays(by_property))
    return int(numbers[0]), int(offsets[0])


def write(scene: SceneLayer, layer: TileLayer, envelope: Reference, image_table: ImageTable) -> None:
    """Write into a layer's record what was edited of it; `envelope`: what `collect` returned.

    Raises SceneError, with the faces at fault, or FormatError.
    """
    values, changed = scene.properties(TileLayerProperties)
    if not scene.new:  # a deleted property cuts no layer down
        kept = {name: getattr(layer, name) for name in ("width", "height") if scene.object.get(name) is None}
        values = replace(values, **kept)
    write_common(scene, layer, values, changed)
    _write_color(scene.object, layer)
    _write_automapper(layer, values, changed)
    layer.color_envelope, layer.color_envelope_offset = envelope
    visible, before = layer.tile_kind == TileKind.TILES, layer.image
    parts = scene.parts if visible else ()
    # Before the tiles: where layers of several images were joined, these say more than tiles that overlap.
    layer.image = image_table.of_layer(scene.object, parts, layer, values.image, "image" in changed, scene.new)
    if visible:
        image_table.warn_uneven(layer.image, before, scene.object.name)
    elif not scene.new:
        _tell_of_materials(scene)
    _write_tiles(scene, layer, (values.height, values.width))


def _tell_of_materials(scene: SceneLayer) -> None:
    """Warn of materials that were given to a layer of the game's own tiles, which has no image."""
    for material, part in materials_of(scene.parts).items():
        shown = shown_images(part, material)
        if kind_of(material) != layout.MATERIAL or any(kind_of(image) == layout.IMAGE for image in shown):
            scene.report.warn(
                f"{part.name}: material {material.name!r} isn't written: only tile layers that are seen have an image",
                [part],
            )


def _arrays(reference: Reference) -> tuple[Int32s, Int32s]:
    number, offset = reference
    return np.array([number], np.int32), np.array([offset], np.int32)


def _write_tiles(scene: SceneLayer, layer: TileLayer, shape: tuple[int, int]) -> None:
    """The tiles, from the mesh or the images. shape: the (height, width) that the layer gets."""
    obj, (height, width) = scene.object, shape
    storage = obj.get(layout.STORAGE)
    if storage == layout.KEPT:
        if (height, width) != (layer.height, layer.width):
            raise SceneError(f"{obj.name}: its tiles can't be read, so it can't get another size", [obj])
        return
    refuse_too_large(width, height, TILE_RECORDS[layer.tile_kind])
    kind = layer.tile_kind.name or "TILES"
    if storage == layout.PLANE:
        _write_painted(scene, kind, layer, shape)
        return
    try:
        found = faces.read(obj, kind, scene.depsgraph, scene.matrix, scene.ids_token)
        before = _tiles_of(layer)
        tiles = tile_faces.read_tiles(found, kind, before, shape, None if scene.new else moved(obj))
        if found.uv_tile is not None and len(found.corners) and not scene.new:  # of meshes that an import made
            held = [*found.attributes, *(() if found.uvs is None else (layout.UV,))]
            tell_of_missing(scene, obj, (*TILE_FIELDS[kind].attributes, layout.UV), held)
    except TileError as error:
        at_fault = {} if meshes.needs_evaluation(obj) else {obj: error.faces}
        message = f"{obj.name}: {error.message}"
        remedies = {tile_faces.OUTSIDE: layout.WIDEN_MAP, faces.NO_QUADS: mends.JOIN_TRIANGLES}
        mend = next((remedy for flaw, remedy in remedies.items() if flaw in message), "")
        raise SceneError(message, [obj], at_fault, mend=mend) from error
    if tiles is not before or scene.new:
        layer.set_tiles(tiles)


def _tiles_of(layer: TileLayer) -> Tiles:
    """The records that the layer was drawn from; none where they can't be read, or there are none yet."""
    try:
        return layer.tiles()
    except FormatError:
        return np.zeros((0, 0), TILE_RECORDS[layer.tile_kind])


def _write_painted(scene: SceneLayer, kind: str, layer: TileLayer, shape: tuple[int, int]) -> None:
    """The tiles of a layer that is drawn from images: what was painted, pixel by pixel. Layers can be huge: one that
    nobody painted isn't even decoded.
    """
    obj, fields = scene.object, TILE_FIELDS[kind]
    if not np.abs(scene.matrix[:2] - np.eye(4)[:2])[:, (0, 1, 3)].max() <= tile_faces.SNAP:
        raise SceneError(f"{obj.name}: a layer drawn from images can't be moved or turned, only painted", [obj])
    painted = []
    for key, channels in zip(layout.FIELD_IMAGES, fields.images, strict=False):
        image = obj.get(key)
        if not isinstance(image, bpy.types.Image):
            raise SceneError(f"{obj.name}: the image that holds its tiles is gone ({key})", [obj])
        own = obj.get(layout.OWN_IMAGE + key)  # levels of before have none
        if (own is not None and image.get(images.BASELINE) != own) or not images.unchanged(image):
            painted.append((image, channels))
    before = (layer.height, layer.width)
    planes.refuse_edited(obj, {before[::-1], shape[::-1]}, scene.depsgraph)
    place = None if scene.new else moved(obj)
    if not painted and shape == before and place is None:
        return
    tiles = tile_faces.resized(_tiles_of(layer), shape, place)
    for image, channels in painted:
        pixels = images.to_rgba(image)
        if pixels.shape[:2] not in (before, shape):
            size = f"{pixels.shape[1]} x {pixels.shape[0]}"
            raise SceneError(f"{obj.name}: image {image.name} is {size}, the layer {shape[1]} x {shape[0]}", [obj])
        tile_images.write_pixels(tiles, fields, channels, pixels)
    layer.set_tiles(tiles)


def _write_color(obj: bpy.types.Object, layer: TileLayer) -> None:
    """The object's colour, where it isn't what the record's looks like."""
    shown = np.array(obj.color, np.float32)
    was = np.array(layer.color, np.float64) / COLOR_LIMIT
    edited = shown != np.maximum(was, 0).astype(np.float32)  # Blender holds no colours below 0
    if edited.any():
        values = np.rint(shown.astype(np.float64) * COLOR_LIMIT)
        if not ((values >= 0) & (values <= COLOR_LIMIT))[edited].all():
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
