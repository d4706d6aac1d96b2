# SPDX-License-Identifier: GPL-3.0-or-later
"""Teeworlds and DDNet maps (`.map`).

A `Level` has `info`, `groups` with their `layers` in the order in which they are drawn, `images`, `sounds` and
`envelopes`. The class of a layer says what it holds: a `TileLayer` has `tiles()`, records [height, width] of its kind
(`TILE_RECORDS`), a `QuadLayer` `quads()`, QUAD [n], a `SoundLayer` `sources()`, SOURCE [n]. All of these are read-only:
copy one, change the copy, and give it to `set_tiles` and its like.

    level = read(data)
    for layer in level.layers:
        if isinstance(layer, TileLayer):
            tiles = layer.tiles().copy()
            ...
            layer.set_tiles(tiles)
    data = write(level)

Images, sounds and envelopes are named by their numbers; `Level.remove_image` and its like renumber what names them.
`convert` gives a map the form of DDNet or of Teeworlds 0.7; `new_level` and `new_room` make maps from nothing.
"""

from ..binary import Buffer
from .check import check, unedited_blobs
from .contents import contents, section_at, summary
from .datafile import MAGICS, Blob, Datafile, Item
from .items import Automapper, Image, Info, Record, Sound
from .layers import Group, Layer, QuadLayer, SoundLayer, UnknownLayer
from .level import PRE_0_4, Level
from .points import Envelope
from .profiles import convert, new_level, new_room
from .records import (
    BEZIER,
    POINT,
    QUAD,
    SOURCE,
    SPEEDUP,
    SWITCH,
    TELE,
    TILE,
    TILE_RECORDS,
    TUNE,
    Curve,
    EnvelopeKind,
    LayerFlag,
    LayerKind,
    SourceShape,
    TileKind,
)
from .save import datafile_of
from .tile_layers import TileLayer
from .tiles import TileFlag

TITLE = "Teeworlds / DDNet map"
ENDINGS = (".map",)

__all__ = [
    "BEZIER",
    "ENDINGS",
    "POINT",
    "PRE_0_4",
    "QUAD",
    "SOURCE",
    "SPEEDUP",
    "SWITCH",
    "TELE",
    "TILE",
    "TILE_RECORDS",
    "TITLE",
    "TUNE",
    "Automapper",
    "Blob",
    "Curve",
    "Datafile",
    "Envelope",
    "EnvelopeKind",
    "Group",
    "Image",
    "Info",
    "Item",
    "Layer",
    "LayerFlag",
    "LayerKind",
    "Level",
    "QuadLayer",
    "Record",
    "Sound",
    "SoundLayer",
    "SourceShape",
    "TileFlag",
    "TileKind",
    "TileLayer",
    "UnknownLayer",
    "check",
    "contents",
    "convert",
    "identify",
    "new_level",
    "new_room",
    "read",
    "section_at",
    "summary",
    "unedited_blobs",
    "write",
]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a Teeworlds datafile: its magic, and a version that isn't absurd."""
    head = bytes(data[:8])
    return len(head) == 8 and head[:4] in MAGICS and int.from_bytes(head[4:], "little") < 256


def read(data: Buffer) -> Level:
    """Read a map: cheap, blobs are decoded when they are first asked for. Raises FormatError."""
    return Level(Datafile.read(data))


def write(level: Level) -> bytes:
    """Return the map's bytes: what nobody changed comes out as it came in."""
    return datafile_of(level).write()
