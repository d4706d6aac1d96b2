# SPDX-License-Identifier: GPL-3.0-or-later
"""Tile layers: a mesh with a quad a tile; or, where that would be too big, a plane that shows an image of the tiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.teeworlds.tile_faces import RING_X, RING_Y, TILE_FIELDS, UV_TILE, Tiles, corner_positions, made_for
from ....formats.teeworlds.tile_images import channel_pixels
from ....formats.teeworlds.tiles import corner_uvs
from ...scene.blender_types import Value
from ...scene.fields import properties
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.media import images
from ...scene.names import showable, storable
from .. import layout
from ..layout import TileLayerProperties
from ..structure.placement import LayerPlacement


@dataclass(frozen=True)
class TileSource:
    """The tiles of a layer as far as they can be shown."""

    kind: str
    """Name of the TileKind."""
    tiles: Tiles | None
    """[h, w]; None where they can't be shown."""
    count: int = 0
    """How many aren't air."""
    why: str = ""
    """Why they can't be shown."""


def source(layer: teeworlds.TileLayer) -> TileSource:
    """Read the tiles of a layer, whatever state they are in."""
    kind = layer.tile_kind.name or "TILES"
    try:
        tiles = layer.tiles()
    except FormatError as error:
        return TileSource(kind, None, why=str(error))
    if tiles.dtype != teeworlds.TILE_RECORDS[layer.tile_kind]:
        return TileSource(kind, None, why="its records are of another time")
    return TileSource(kind, tiles, int(np.count_nonzero(tiles[TILE_FIELDS[kind].attributes["index"]])))


def pixel_count(source: TileSource) -> int:
    """How many pixels the images of a layer have that becomes a plane."""
    return 0 if source.tiles is None else source.tiles.size * len(TILE_FIELDS[source.kind].images)


def choose_planes(counts: list[int], large_layer: int, large_map: int) -> list[bool]:
    """Say which layers become planes, by their numbers of tiles: those beyond large_layer, then the largest ones until
    the others' sum is at most large_map.
    """
    planes = [count > large_layer for count in counts]
    left = sum(count for count, plane in zip(counts, planes, strict=True) if not plane)
    for number in sorted(range(len(counts)), key=lambda number: -counts[number]):
        if left <= large_map:
            break
        if not planes[number]:
            planes[number] = True
            left -= counts[number]
    return planes


def build(layer: teeworlds.TileLayer, placement: LayerPlacement, tiles: TileSource, plane: bool) -> bpy.types.Object:
    """Make the object of a tile layer. plane: show an image of the tiles instead of a face a tile."""
    name = f"{placement.number} {layout.readable(layer.name) or tiles.kind.title()}"
    animated = placement.envelopes.moves(teeworlds.EnvelopeKind.COLOR, layer.color_envelope)
    fields: list[bpy.types.Image] = []
    if tiles.tiles is None:
        placement.report.warn(f"layer {name!r} shows no tiles: {tiles.why}")
        mesh, storage = bpy.data.meshes.new(showable(name)), layout.KEPT
    elif plane:
        mesh, storage = _plane_mesh(name, layer.width, layer.height), layout.PLANE
        fields = field_images(name, tiles.tiles, tiles.kind)
        size = (layer.width, layer.height)
        mesh.materials.append(
            placement.materials.plane(tiles.kind, layer.image, fields, size, placement.clip, animated)
        )
    else:
        mesh, storage = mesh_of(name, tiles.tiles, tiles.kind, placement.element_token), layout.MESH
        if tiles.kind == "TILES":
            mesh.materials.append(placement.materials.tiles(layer.image, placement.clip, animated))
        else:
            mesh.materials.append(placement.materials.physics(tiles.kind))
    obj = bpy.data.objects.new(showable(name), mesh)
    obj[layout.STORAGE] = storable(storage)
    for key, image in zip(layout.FIELD_IMAGES, fields, strict=False):
        obj[key] = image
        obj[layout.OWN_IMAGE + key] = storable(image[images.BASELINE])
    obj.color = tuple(channel / 255 for channel in layer.color)
    properties.write(obj, _properties(layer, tiles.kind))
    placement.envelopes.play(obj, teeworlds.EnvelopeKind.COLOR, layer.color_envelope, layer.color_envelope_offset)
    placement.place(obj, physics=tiles.kind != "TILES")
    placement.report.count("tile layers" if tiles.kind == "TILES" else "physics layers")
    placement.report.count("tiles", tiles.count)
    return obj


def _properties(layer: teeworlds.TileLayer, kind: str) -> TileLayerProperties:
    values: dict[str, Value] = {}
    if layer.automapper is not None:
        values = {
            "automapper_config": layer.automapper.config,
            "automapper_seed": layer.automapper.seed,
            "automapper_automatic": layer.automapper.automatic,
        }
    return TileLayerProperties(
        layer_name=layer.name,
        detail=layer.detail,
        tile_kind=kind,
        width=layer.width,
        height=layer.height,
        image=layer.image,
        color_envelope=layer.color_envelope,
        color_envelope_offset=layer.color_envelope_offset,
        **values,
    )


def mesh_of(name: str, tiles: Tiles, kind: str, token: int) -> bpy.types.Mesh:
    """Make a quad for each tile that isn't air, row by row; corners in the order of `tiles.CORNERS`.

    tiles: [h, w] records of this kind of layer. token: of the ids, the numbers of cells.
    """
    fields = TILE_FIELDS[kind].attributes
    cells = np.flatnonzero(tiles[fields["index"]])
    flat = tiles.reshape(-1)[cells]
    values = {name: flat[field].astype(np.int32) for name, field in fields.items()}
    row, column = np.divmod(cells.astype(np.int32), np.int32(max(tiles.shape[1], 1)))
    positions = corner_positions(column, row, tiles.shape)
    flags = values.get("flags", np.zeros(len(cells), np.int32))
    mesh = meshes.build(
        name,
        positions,
        uvs={layout.UV: partial(corner_uvs, values["index"], flags)},
        attributes={
            name: ("FACE", "INT", value) for name, value in (*values.items(), (UV_TILE, made_for(kind, values)))
        },
        smooth=True,  # nothing shades it, so no attribute has to say otherwise
    )
    identity.write_ids(mesh, "FACE", cells + 1, token)
    return mesh


def _plane_mesh(name: str, width: int, height: int) -> bpy.types.Mesh:
    """One face over the whole layer."""
    corners = np.stack((RING_X * width, RING_Y * height, np.zeros(4)), axis=-1)
    uvs = np.stack((RING_X, 1 + RING_Y), axis=-1)
    return meshes.build(name, corners, np.arange(4), uvs={layout.UV: uvs}, smooth=True)


def field_images(name: str, tiles: Tiles, kind: str) -> list[bpy.types.Image]:
    """The tiles of a layer [h, w] as images, a pixel a tile: see `TileFields`."""
    fields = TILE_FIELDS[kind]
    made = []
    for number, channels in enumerate(fields.images):
        pixels = channel_pixels(tiles, fields, channels)
        made.append(images.from_rgba(f"{name} {layout.FIELD_IMAGES[number].split('_')[0]}", pixels, non_color=True))
    return made
