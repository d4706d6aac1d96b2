# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each part of a Teeworlds map lives in a Blender scene: what importer, exporter and operators agree on.

The map lies in the XY plane and is seen from above: 1 tile = 32 world px = 1 Blender unit, x to the right, y up
(Blender y = -map y), z = draw order. A cell (x, y) covers x..x+1 and -y..-(y+1).

    <map>                       collection, stamp "level"; LevelProperties; children in draw order
      <map>                     empty at the origin, stamp "root": the parent of everything
      Group 0: <name>           collection, stamp "group"
        Group 0: <name>         empty, stamp "group": GroupProperties, location = -offset; parent of the layers
        Clip 0                  empty, stamp "clip": the clip rectangle in world coordinates (child of the map's root)
        0.0 <layer>             layer objects, stamp "layer": mesh (tiles, quads) or empty (sounds)
          ... quads, sources    objects of single records, children of their layer's object, stamps "quad", "source"
        Group 0: physics        collection, stamp "physics": the physics layers (game, tele, ...), hidden at first

The order of the groups is the order of the collections; the order of the layers of a group is their int property
ORDER (ties by name). Depth is only for show: an object's z is never exported.

A stamp's record is the position in the original file: group index, image/envelope/sound index, quad/source index in
its layer, and for layers the running number over all groups (see `numbered_layers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

import bpy

from ...formats import teeworlds
from ...formats.teeworlds.tile_faces import TILE_FIELDS
from ..scene.fields import properties
from ..scene.fields.properties import INT32_LIMITS, setting
from ..scene.kept import identity
from ..scene.reports import SceneError

Properties = TypeVar("Properties")

FORMAT = "teeworlds"
"""The format's key in `levelwright.formats.FORMATS`."""

TILE = 32
"""World pixels per tile, that is per Blender unit (exact: a power of two)."""

FIXED = 1024
"""Steps per pixel of the file's 22.10 numbers, and of a full texture, full colour or full volume."""

STEP = 1 / 16
"""Depth between layers, in Blender units. Layer n of the map (counted over all groups) has z = n * STEP."""

PHYSICS_DEPTH = 256 * STEP
"""How much higher the physics layers lie: over all others, as the game shows them (a real map has up to 89 layers)."""

QUAD_STEP = STEP / 4096
"""Depth between the quads of one layer (real maps hold up to 2,392 quads in a layer)."""

# Stamps: the `kind` of scene.kept.identity.stamp, besides those of every game.
GROUP, CLIP, LAYER = "group", "clip", "layer"
PHYSICS = "physics"
QUAD, SOURCE = "quad", "source"
IMAGE, ENVELOPE, SOUND, SETTINGS = "image", "envelope", "sound", "settings"
MATERIAL = "material"
PREVIEW = "preview"
"""Made for show only (border tiles, game camera): never exported, safe to delete."""

NEW = -1
"""Record of what was made in Blender and has no record yet."""

# Property keys on objects.
ORDER = "order"
ENVELOPE_COLOR = "envelope_color"
"""float[4] on objects with a colour envelope: what the envelope multiplies the colour by; animated."""
STORAGE = "storage"
"""On tile layer objects: how the tiles lie in it."""
MESH, PLANE, KEPT = "mesh", "image", "kept"
"""Values of STORAGE: a face a tile; a plane with index images (see FIELD_IMAGES); no tiles, because they cannot be read
(damaged, or of the alphas of 2010): the object stands for the layer, whose tiles stay as they are."""

MOVED = "levelwright_moved"
"""int[6] on tile layer objects whose cells were moved or cut off: a `tile_faces.Moved`, of the original's cells."""

VIEWS_MOVED = "levelwright_views_moved"
"""float[3] on the object of the game layer: how far 3D views were moved to go with the cells (`resizing.views`)."""

# Mesh names.
UV = "UVMap"
COLOR = "corner_color"
"""Not "color": Cycles finds something else, black, under that name."""
PIVOT = "pivot"


OWN_IMAGE = "levelwright_"
"""In front of these names: the hash of the image that the import gave the layer, to tell another one from it."""
FIELD_IMAGES = ("index_image", "field_image")
"""Names under which the images of a layer kept as images are found: image pointers in the layer object's properties."""

WIDEN_MAP = "levelwright.teeworlds_widen_map"
"""The operator that makes room for tiles outside of the map."""

LARGE_LAYER = 2_000_000
"""A tile layer with more non-air tiles than this becomes a plane with index images instead of a quad a tile."""
LARGE_MAP = 8_000_000
"""Non-air tiles that all meshes of one map may hold together; further layers become planes, largest first."""


@dataclass
class LevelProperties:
    """On the level collection. The server settings are a text block (resource SETTINGS 0), a line a command."""

    author: str = setting("", "Who made the map, up to 31 bytes")
    map_version: str = setting("", "The map's own version, free text of up to 15 bytes")
    credits: str = setting("", "Whom the map owes thanks, up to 127 bytes")
    license: str = setting("", "Licence of the map, up to 31 bytes")


@dataclass
class ImageProperties:
    """On image data-blocks."""

    image_name: str = setting("", "Name of the image; of an external one that of its file in mapres, without .png")
    external: bool = setting(False, "The map holds only the image's name; the players' games have the file")


@dataclass
class GroupProperties:
    """On a group's root empty. The offset is the empty's location, the clip rectangle the clip empty."""

    group_name: str = setting("", "Name of the group, up to 11 bytes")
    parallax_x: int = setting(
        100, "How far the group follows the camera, percent; 100 moves with the map, 0 stays", *INT32_LIMITS
    )
    parallax_y: int = setting(
        100, "How far the group follows the camera, percent; 100 moves with the map, 0 stays", *INT32_LIMITS
    )
    use_clip: bool = setting(False, "Draw only what is inside the clip rectangle")


@dataclass
class LayerProperties:
    """On every layer object."""

    layer_name: str = setting("", "Name of the layer, up to 11 bytes")
    detail: bool = setting(False, "Left out when the player turns high detail off")


@dataclass
class TileLayerProperties(LayerProperties):
    """On tile layer objects. The layer's colour is the object's colour (value / 255); its image the material's."""

    tile_kind: str = setting(
        "TILES", "What the layer's tiles are; all but TILES are physics", choices=tuple(TILE_FIELDS)
    )
    width: int = setting(2, "Width of the layer in tiles", 1, 2**31 - 1)
    height: int = setting(2, "Height of the layer in tiles", 1, 2**31 - 1)
    image: int = setting(-1, "Image record of the layer, -1 = none", *INT32_LIMITS)
    color_envelope: int = setting(-1, "Envelope that multiplies the layer's colour, -1 = none", *INT32_LIMITS)
    color_envelope_offset: int = setting(0, "Time offset of the colour envelope, ms", *INT32_LIMITS)
    automapper_config: int = setting(-1, "Automapper rule set, -1 = none", *INT32_LIMITS)
    automapper_seed: int = setting(0, "Automapper seed, 0 = random", *INT32_LIMITS)
    automapper_automatic: bool = setting(False, "The editor runs the automapper after each change")


@dataclass
class QuadLayerProperties(LayerProperties):
    """On quad layer objects."""

    image: int = setting(-1, "Image record of the layer, -1 = none", *INT32_LIMITS)


@dataclass
class SoundLayerProperties(LayerProperties):
    """On sound layer empties."""

    sound: int = setting(-1, "Sound record of the layer, -1 = none", *INT32_LIMITS)


def read_properties(block: bpy.types.ID, cls: type[Properties]) -> tuple[Properties, frozenset[str]]:
    """The properties of a data-block, and the names of those that were edited. Raises SceneError for values that don't
    fit.
    """
    try:
        return properties.read(block, cls)
    except ValueError as error:
        raise SceneError(str(error), [block] if isinstance(block, bpy.types.Object) else ()) from error


def readable(text: str) -> str:
    """Return a name from a map as Blender can show it: bytes that are no UTF-8 become the replacement sign.

    Not `scene.names.showable`, which makes them question marks: exports compare names and lines of settings with those
    that an import made, also where it was an earlier version's.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


UNNAMED = "unnamed"
"""What an import calls an image or a sound without name."""
_ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".tga", ".bmp", ".webp", ".tif", ".tiff", ".exr"))


def plain_name(name: str) -> str:
    """A data-block's name as the game names images: without the ending of a file and Blender's number for doubles."""
    name = identity.unnumbered(name)
    return PurePath(name).stem if PurePath(name).suffix.lower() in _ENDINGS else name


def numbered_layers(level: teeworlds.Level) -> Iterator[tuple[int, int, int, teeworlds.Layer]]:
    """(number, group index, index in the group, layer) of every layer in draw order; number is its stamp's record."""
    number = 0
    for group_index, group in enumerate(level.groups):
        for layer_index, layer in enumerate(group.layers):
            yield number, group_index, layer_index, layer
            number += 1


def depth(number: int, physics: bool) -> float:
    """The z of the map's layer of this number."""
    return number * STEP + (PHYSICS_DEPTH if physics else 0.0)


def element_token(token: int, layer: int) -> int:
    """The identity token of the elements (tiles, quads, sources) of one layer: int32, odd mix of level token and layer.

    Each layer has its own, so that a face joined in from another layer of the same map counts as new.
    """
    mixed = (token * 0x9E3779B1 + (layer + 1) * 0x85EBCA6B) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    return (mixed & 0xFFFFFFFF) - (mixed & 0x80000000) * 2
