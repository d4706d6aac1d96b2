# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of Fable: The Lost Chapters levels (fable.md §2): numpy dtypes, little-endian, nothing aligned.

Most records begin with their size in bytes, itself included, and a version. World axes: x east, y north, z up, one unit
to a cell. Names stand in 128 bytes, filled up with NULs.
"""

import reprlib
from typing import Any

import numpy as np

from ..arrays import Records

PALETTE_SLOTS = 256
NAME_SIZE = 128  # bytes of a palette's name
HEIGHT_SCALE = 2048.0  # world units to 1.0 of a stored height; a power of two, so exact both ways
MAX_SOUNDS = 127  # names: the engine reads a cell's sound as a signed byte
GAME_CELL_EDGE = 4  # height cells to a cell of the game map
ROOT_EDGE = 32  # world units of the navigation's largest squares

HEADER_SIZE, HEADER_VERSION = 25, 4
CELL_VERSION, GAME_CELL_VERSION = 7, 1
NAVIGATION_VERSION = 8  # the newest; 5 to 8 are read
END_MARK = 0xACBDEF12  # behind the records of a navigation section
UID_BASE = 0xFFFFFE0000000000  # a door's key and this make the UID of its thing

#: What a level begins with. Offsets are absolute; the map header is sought, and so may stand anywhere behind this.
FILE_HEADER = np.dtype(
    [
        ("size", "<u4"),
        ("version", "u1"),
        ("map_offset", "<u4"),
        ("unused", "<u4"),  # whatever stood in the editor's memory
        ("brush_offset", "<u4"),
        ("legacy_nav_offset", "<u4"),  # read only where nav_offset is 0; junk else
        ("nav_offset", "<u4"),
    ]
)

#: A slot of a palette. The game finds the theme by its name; of the value, it only asks whether it is 0 (unused).
PALETTE_ENTRY = np.dtype([("name", f"S{NAME_SIZE}"), ("value", "<u4")])

_MAP_HEADER: list[Any] = [
    ("size", "<u4"),
    ("version", "u1"),
    ("thing_uid_counter", "<u8"),
    ("width", "<u4"),  # of the map in world units, along x
    ("height", "<u4"),  # along y
    ("plus_one", "u1"),  # whether there is a cell at both ends: (width + 1) * (height + 1) of them
    ("ground_palette", PALETTE_ENTRY, PALETTE_SLOTS),
    ("map_version", "<u4"),  # 0 to 3: from 2 on there is a game map, from 3 on it tells the sounds
    ("sound_count", "<u4"),  # one more than there are names: sound 0 is none
    ("atmosphere_palette", PALETTE_ENTRY, PALETTE_SLOTS),
]

#: The map header by its version. Version 9 ends with a checksum that the game does not read.
MAP_HEADERS = {8: np.dtype(_MAP_HEADER), 9: np.dtype([*_MAP_HEADER, ("checksum", "<u4")])}

#: A height cell. Strengths are those of the first two themes; the third one has what is left of 255.
CELL = np.dtype(
    [
        ("size", "<u4"),
        ("version", "u1"),
        ("height", "<f4"),  # world z / 2048
        ("zero_9", "u1"),
        ("themes", "u1", 3),  # slots of the ground palette
        ("strengths", "u1", 2),
        ("walkable", "u1"),  # the engine keeps bit 0
        ("camera", "u1"),  # whether the camera may pass; always where walkable
        ("old_sound", "u1"),  # counts only in maps before version 3; garbage else
        ("zero_18", "u1"),
        ("shore", "u1"),
        ("path", "u1"),  # whether creatures prefer to walk here
    ]
)

#: A cell of the game map, for 4 x 4 height cells: atmospheres blended like the ground's themes, and a sound (0: none).
GAME_CELL = np.dtype([("size", "<u4"), ("version", "u1"), ("themes", "u1", 3), ("strengths", "u1", 2), ("sound", "u1")])

#: What the script-brush block begins with; without brushes it is all there is.
BRUSH_HEADER = np.dtype(
    [("size", "<u4"), ("version", "u1"), ("brush_count", "<u4"), ("palette", PALETTE_ENTRY, PALETTE_SLOTS)]
)

# --------------------------------------------------------------------------------------------------------- navigation

#: Place where creatures act: beds, stools, fronts of cupboards.
POSITION = np.dtype([("x", "<f4"), ("y", "<f4"), ("layer", "<i4")])

#: What a section begins with, behind its block end.
NAVIGATION_HEADER = np.dtype(
    [("version", "<u4"), ("width", "<f4"), ("height", "<f4"), ("region_count", "<u4"), ("position_count", "<u4")]
)

#: A node of the navigation's quadtrees, decoded: what its kind does not have is 0. A node is blocked ground (no further
#: fields in the file), internal (`children`), or a leaf, which names `neighbour_count` entries of the navigation's
#: `neighbours` and, being switchable, `key_count` of its `keys`; they follow each other in the order of the nodes.
NODE = np.dtype(
    [
        ("switchable", "u1"),  # a door: walkable while the thing is open
        ("root", "u1"),
        ("blocked", "u1"),
        ("leaf", "u1"),
        ("level", "u1"),  # edge = 32 / 2^level world units
        ("layer", "u1"),
        ("x", "<f4"),  # of the centre
        ("y", "<f4"),
        ("index", "<i4"),
        ("children", "<i4", 4),  # indices: (-x, -y), (+x, -y), (-x, +y), (+x, +y); 0: blocked
        ("region", "<i4"),
        ("preference", "u1"),  # cost: 0 path, 128 other ground, 64 on layers from 1 on
        ("neighbour_count", "<i4"),
        ("key_count", "<u4"),
    ]
)

HEAD_FIELDS = ("switchable", "root", "blocked")
PLACE_FIELDS = ("leaf", "level", "layer", "x", "y", "index")
LEAF_FIELDS = ("region", "preference", "neighbour_count")


def node_parts(version: int) -> tuple[np.dtype[np.void], np.dtype[np.void], np.dtype[np.void]]:
    """How a node is stored in a navigation of `version`: its head, a place (not of blocked ground), a leaf's fields.

    Version 5 does not know switchable nodes; 5 and 6 know no preference.
    """
    return (
        _fields(HEAD_FIELDS[version == 5 :]),
        _fields(PLACE_FIELDS),
        _fields(tuple(name for name in LEAF_FIELDS if version > 6 or name != "preference")),
    )


def _fields(names: tuple[str, ...]) -> np.dtype[np.void]:
    return np.dtype([(name, NODE[name]) for name in names])


def palette_names(palette: Records) -> list[str]:
    """The names of the slots of a palette, PALETTE_ENTRY [n], each up to its NUL (or all 128 bytes), as Latin-1."""
    return [bytes(raw).split(b"\0", 1)[0].decode("latin-1") for raw in palette["name"].tolist()]


def palette_name(name: str) -> bytes:
    """A palette's name as its bytes. Raises ValueError for more than 127 of them, or what Latin-1 does not have."""
    if max(name, default="") > "\xff":
        raise ValueError(f"{reprlib.repr(name)} has characters that Latin-1 does not have")
    if len(name) >= NAME_SIZE:
        raise ValueError(f"{reprlib.repr(name)} has {len(name)} characters, {NAME_SIZE - 1} are allowed")
    return name.encode("latin-1")


# ----------------------------------------------------------------------------------------------------------- archives

#: What an archive (`.big`) begins with (fable.md §8.1).
BIG_HEADER = np.dtype([("magic", "S4"), ("version", "<u4"), ("bank_offset", "<u4"), ("bank_size", "<u4")])

#: What an entry of an archive's bank begins with; name, sources and the record of what it is follow.
BIG_ENTRY = np.dtype(
    [
        ("magic", "<u4"),  # 42
        ("number", "<u4"),  # by which definitions name it
        ("kind", "<i4"),
        ("size", "<u4"),
        ("offset", "<u4"),
        ("layout_hash", "<u4"),  # of the form of its bytes, not of these
    ]
)

#: What an archive says of a texture (fable.md §8.2).
TEXTURE = np.dtype(
    [
        ("width", "<u2"),  # of what is stored: powers of two
        ("height", "<u2"),
        ("depth", "<u2"),  # of volumes; 0 and 1 alike
        ("frame_width", "<u2"),  # of what was drawn
        ("frame_height", "<u2"),
        ("frames", "<u2"),
        ("format", "<u4"),
        ("transparency", "u1"),
        ("levels", "u1"),
        ("flags", "u1"),
        ("padding", "u1"),
        ("level_size", "<u4"),  # of the largest level, unpacked
        ("packed_size", "<u4"),  # of it as it is stored; 0: it isn't packed
        ("pixel_format", "u1", 6),
    ]
)

#: A row of `game.bin` (fable.md §8.3): offsets of names, -1 for none.
DEFINITION = np.dtype([("definition", "<i4"), ("name", "<i4"), ("place", "<i4")])

#: A chunk of definitions: the first one in it, and where its packed bytes begin. The last row is the end.
CHUNK = np.dtype([("first", "<i4"), ("offset", "<i4")])
