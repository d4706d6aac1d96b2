# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of an edit of each thing that a map's scene shows: see `scene.fates.ledger`."""

from __future__ import annotations

from dataclasses import fields, replace

from ...formats.teeworlds.tile_faces import TILE_FIELDS, UV_TILE
from ..scene.fates.aspects import ATTRIBUTE, GONE, PROPERTY
from ..scene.fates.ledger import COPIED, DELETED, KEPT, UNDECLARED, WRITTEN, Fate, Fates, aside, read_only, unset
from ..scene.kept import identity
from ..scene.kept.level_blocks import TEXTURE
from . import layout
from .envelopes.build import EnvelopeProperties
from .quads.build import ENVELOPES, OFFSET
from .sounds.build import SoundProperties
from .sounds.layer_build import SourceProperties
from .tiles.faces import tiles_are_ours
from .tiles.planes import holds_tiles, shows_new_image

_PLACE = ("location", "rotation", "scale", "delta transform", "parent", "constraints", "animation")
_SURFACE = ("materials", "materials of faces", "modifiers", "shape keys", "vertices", "faces")
_NAMES = dict.fromkeys(("name", "data"), aside("names of data-blocks are for Blender alone"))
_DISPLAY = dict.fromkeys(("color", "display size"), unset(aside("it is how Blender displays it")))
_UNSHADED = dict.fromkeys(("smooth shading", "custom normals"), unset(read_only("the game shades nothing")))
_ELSE = {"*": unset(UNDECLARED)} | _UNSHADED | _DISPLAY | _NAMES
"""Of kinds of which a map may have thousands: what no import sets and no map has a place for."""
_QUAD_ATTRIBUTES = (
    layout.UV,
    layout.COLOR,
    layout.PIVOT,
    *(f"{name}{end}" for name in ENVELOPES.values() for end in ("", OFFSET)),
)
_TILE_ATTRIBUTES = sorted({name for each in TILE_FIELDS.values() for name in each.attributes})


def _written(*names: str) -> dict[str, Fate]:
    return dict.fromkeys(names, WRITTEN)


def _properties(*classes: type) -> dict[str, Fate]:
    return _written(*(f"{PROPERTY}{one.name}" for each in classes for one in fields(each)))


def _attributes(*names: str) -> dict[str, Fate]:
    return _written(*(f"{ATTRIBUTE}{name}" for name in names))


_LAYER_CLASSES = (layout.TileLayerProperties, layout.QuadLayerProperties, layout.SoundLayerProperties)
_COPIES = _written(COPIED, DELETED)
_BY_ENVELOPE = aside("the envelope's action has the colours")

FATES: Fates = {
    identity.LEVEL: _properties(layout.LevelProperties),
    layout.GROUP: {
        **_written("location", "rotation", "scale", "parent", "constraints", "animation"),
        "delta transform": aside("the view as the game shows it moves groups by it"),
        **_properties(layout.GroupProperties),
        **_COPIES,
    },
    layout.CLIP: {**_written(*_PLACE), **_COPIES},
    layout.PHYSICS: _COPIES,
    layout.LAYER: {
        **_ELSE,
        **_written(*_PLACE, *_SURFACE, "color"),
        **_properties(*_LAYER_CLASSES),
        **_written(*(f"{PROPERTY}{key}" for key in (layout.ORDER, layout.ENVELOPE_COLOR, *layout.FIELD_IMAGES))),
        PROPERTY + layout.STORAGE: WRITTEN,  # an edit is refused
        f"{GONE}*": WRITTEN,
        GONE + layout.STORAGE: KEPT,
        **dict.fromkeys((GONE + "tile_kind", GONE + "width", GONE + "height"), KEPT),
        GONE + layout.ENVELOPE_COLOR: _BY_ENVELOPE,
        **_attributes(*_QUAD_ATTRIBUTES, *_TILE_ATTRIBUTES),
        ATTRIBUTE + UV_TILE: replace(aside("it only tells which tile the UVs were made for"), is_ours=tiles_are_ours),
        **_COPIES,
    },
    layout.QUAD: {
        **_ELSE,
        **_written(*_PLACE, *_SURFACE, PROPERTY + layout.ENVELOPE_COLOR),
        f"{GONE}*": WRITTEN,
        GONE + layout.ENVELOPE_COLOR: _BY_ENVELOPE,
        **_attributes(*_QUAD_ATTRIBUTES),
        **_COPIES,
    },
    layout.SOURCE: {
        **_ELSE,
        **_written(*_PLACE, "speaker distance max", "speaker distance reference"),
        "rotation": unset(read_only("a source has no rotation")),
        **_properties(SourceProperties),
        **_COPIES,
    },
    layout.IMAGE: {
        **_written("name", "pixels"),
        "color space": aside("the map holds an image's numbers as they are"),
        **_properties(layout.ImageProperties),
        **_COPIES,
    },
    layout.SOUND: {**_written("name", "sound"), **_properties(SoundProperties), **_COPIES},
    layout.ENVELOPE: {**_written("keys"), **_properties(EnvelopeProperties), **_COPIES},
    layout.SETTINGS: {**_written("text"), **_COPIES},
    layout.MATERIAL: {
        "nodes": replace(aside("of a material only its image is a part of the map"), is_ours=shows_new_image),
        **_COPIES,
    },
    TEXTURE: {"pixels": replace(read_only(), is_ours=holds_tiles)},
}
"""By kind. What isn't here has no place in the file, and an export says so when it was edited."""
