# SPDX-License-Identifier: GPL-3.0-or-later
"""Tile layers: a mesh with a quad a tile; or, where that would be too big, a plane that shows an image of the tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.teeworlds.tile_faces import TILE_FIELDS, TileFields
from ....formats.teeworlds.tiles import corner_uvs
from ...scene import identity, images, meshes, properties
from .. import layout
from ..layers.placement import Site
from ..layout import TileLayerProperties

Tiles = npt.NDArray[np.void]
Positions = npt.NDArray[np.float32]

_BLOCK = 1 << 13  # cells that are worked on at a time, so that what is made on the way stays in the processor's cache

# Corners of a cell in the order of `formats.teeworlds.tiles.CORNERS`, y up.
_RING_X = np.array((0, 0, 1, 1), np.float32)
_RING_Y = np.array((0, -1, -1, 0), np.float32)


@dataclass(frozen=True)
class TileSource:
    """The tiles of a layer as far as they can be shown: None where they can't, and then why. count: those not air."""

    kind: str
    tiles: Tiles | None
    count: int = 0
    why: str = ""


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


def build(layer: teeworlds.TileLayer, site: Site, tiles: TileSource, plane: bool) -> bpy.types.Object:
    """Make the object of a tile layer. plane: show an image of the tiles instead of a face a tile."""
    name = f"{site.number} {layout.readable(layer.name) or tiles.kind.title()}"
    animated = site.envelopes.moves(teeworlds.EnvelopeKind.COLOR, layer.color_envelope)
    fields: list[bpy.types.Image] = []
    if tiles.tiles is None:
        site.report.warn(f"layer {name!r} shows no tiles: {tiles.why}")
        mesh, storage = bpy.data.meshes.new(name), layout.KEPT
    elif plane:
        mesh, storage = _plane_mesh(name, layer.width, layer.height), layout.PLANE
        fields = field_images(name, tiles.tiles, tiles.kind)
        size = (layer.width, layer.height)
        mesh.materials.append(site.materials.plane(tiles.kind, layer.image, fields, size, site.clip, animated))
    else:
        mesh, storage = _mesh(name, tiles.tiles, tiles.kind, site.element_token), layout.MESH
        if tiles.kind == "TILES":
            mesh.materials.append(site.materials.tiles(layer.image, site.clip, animated))
        else:
            mesh.materials.append(site.materials.physics(tiles.kind))
    obj = bpy.data.objects.new(name, mesh)
    obj[layout.STORAGE] = storage
    for key, image in zip(layout.FIELD_IMAGES, fields, strict=False):
        obj[key] = image
    obj.color = tuple(channel / 255 for channel in layer.color)
    properties.write(obj, _properties(layer, tiles.kind))
    site.envelopes.play(obj, teeworlds.EnvelopeKind.COLOR, layer.color_envelope, layer.color_envelope_offset)
    site.place(obj, physics=tiles.kind != "TILES")
    site.report.count("tile layers" if tiles.kind == "TILES" else "physics layers")
    site.report.count("tiles", tiles.count)
    return obj


def _properties(layer: teeworlds.TileLayer, kind: str) -> TileLayerProperties:
    values: dict[str, Any] = {}
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


def _mesh(name: str, tiles: Tiles, kind: str, token: int) -> bpy.types.Mesh:
    """A quad for each tile that isn't air, row by row; corners in the order of tiles.CORNERS."""
    fields = TILE_FIELDS[kind].attributes
    cells = np.flatnonzero(tiles[fields["index"]])
    flat = tiles.reshape(-1)[cells]
    values = {name: flat[field].astype(np.int32) for name, field in fields.items()}
    row, column = np.divmod(cells.astype(np.int32), np.int32(max(tiles.shape[1], 1)))
    positions = _corner_positions(column, row, tiles.shape)
    uvs = corner_uvs(values["index"], values.get("flags", np.zeros(len(cells), np.int32)))
    mesh = meshes.build(
        name,
        positions,
        uvs={layout.UV: uvs.reshape(-1, 2)},
        attributes={name: ("FACE", "INT", value) for name, value in values.items()},
    )
    identity.write_ids(mesh, "FACE", cells + 1, token)
    return mesh


def _corner_positions(column: npt.NDArray[np.int32], row: npt.NDArray[np.int32], shape: tuple[int, ...]) -> Positions:
    """float32 [4n, 3]: the corners of cells, in the order of tiles.CORNERS, z 0. shape: height and width of the layer.

    Sums of what each column and each row contributes, looked up for a cell at once and block by block: a third of the
    time that writing x and y of all corners in turn takes, because memory is what it costs.
    """
    height, width = shape
    of_column, of_row = np.zeros((width, 4, 3), np.float32), np.zeros((height, 4, 3), np.float32)
    of_column[:, :, 0] = np.arange(width, dtype=np.float32)[:, None] + _RING_X
    of_row[:, :, 1] = _RING_Y - np.arange(height, dtype=np.float32)[:, None]
    positions = np.empty((len(column), 12), np.float32)
    for start in range(0, len(column), _BLOCK):
        block = slice(start, start + _BLOCK)
        of_column.reshape(-1, 12).take(column[block], axis=0, out=positions[block], mode="clip")
        positions[block] += of_row.reshape(-1, 12).take(row[block], axis=0, mode="clip")
    return positions.reshape(-1, 3)


def _plane_mesh(name: str, width: int, height: int) -> bpy.types.Mesh:
    """One face over the whole layer."""
    corners = np.stack((_RING_X * width, _RING_Y * height, np.zeros(4)), axis=-1)
    uvs = np.stack((_RING_X, 1 + _RING_Y), axis=-1)
    return meshes.build(name, corners, np.arange(4), uvs={layout.UV: uvs})


def field_images(name: str, tiles: Tiles, kind: str) -> list[bpy.types.Image]:
    """The tiles of a layer [h, w] as images, a pixel a tile: see `TileFields`."""
    fields = TILE_FIELDS[kind]
    made = []
    for number, channels in enumerate(fields.images):
        pixels = channel_pixels(tiles, fields, channels)
        made.append(images.from_rgba(f"{name} {layout.FIELD_IMAGES[number].split('_')[0]}", pixels, non_color=True))
    return made


def channel_pixels(tiles: Tiles, fields: TileFields, channels: tuple[tuple[str, int], ...]) -> npt.NDArray[np.uint8]:
    """The pixels uint8 [h, w, 4] of one of a layer's images; alpha is 255."""
    pixels = np.zeros((*tiles.shape, 4), np.uint8)
    pixels[..., 3] = 255
    for channel, (attribute, shift) in enumerate(channels):
        values = tiles[fields.attributes[attribute]]
        pixels[..., channel] = values if values.dtype.itemsize == 1 else (values >> shift) & 255
    return pixels
