# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of Teeworlds / DDNet maps (teeworlds.md §3): numpy dtypes of the bulk data, word numbers of items.

An item is an array of little-endian int32 words. How many there are says which fields exist; the version that stands
in the item does not (DDRace appended fields without a new version). Lengths in the world are pixels: x right, y down,
32 to a tile. "Fixed point" is 22.10: 1024 = 1 px = 1.0 = a texture's whole width.
"""

from enum import IntEnum, IntFlag
from uuid import UUID

import numpy as np

from ..binary import FormatError

WORD = np.dtype("<i4")


class ItemKind(IntEnum):
    """Item types with a number of their own."""

    VERSION = 0
    INFO = 1
    IMAGE = 2
    ENVELOPE = 3
    GROUP = 4
    LAYER = 5
    ENVELOPE_POINTS = 6
    SOUND = 7
    UUID_INDEX = 0xFFFF  # its id is the number that this file gives to the item type of that UUID


# Before 0.4 (2007), in the same container and with other meanings of 1-6.
OLD_IMAGE, OLD_TILEMAP, OLD_COLLISION_MAP, OLD_THEME = 0x8001, 0x8002, 0x8003, 0x8FFF

# Item types that DDNet names by UUID: the words of an index item are the UUID's 16 bytes as big-endian integers.
AUTOMAPPER = UUID("3e1b2716-178c-3978-9bd9-b11ae0410dd8")
ENVELOPE_TANGENTS = UUID("3ab4f84d-d9cc-3c78-b585-0d6ccdb2e25c")
GROUP_EX = UUID("4a26ca1f-64bd-30e3-907a-707eacd1f080")


class LayerKind(IntEnum):
    """What a layer holds (its word 1)."""

    TILES = 2
    QUADS = 3
    DEPRECATED_SOUNDS = 9  # late 2014
    SOUNDS = 10


class LayerFlag(IntFlag):
    """Flags of every layer (its word 2)."""

    DETAIL = 1  # may be switched off for speed ("high detail")


class TileKind(IntFlag):
    """What a tile layer is for: the bits of its flags word. The game accepts at most one."""

    TILES = 0
    GAME = 1
    TELE = 2
    SPEEDUP = 4
    FRONT = 8
    SWITCH = 16
    TUNE = 32


class EnvelopeKind(IntEnum):
    """What an envelope moves: its number of channels."""

    SOUND = 1  # volume
    POSITION = 3  # x, y in px, rotation in degrees
    COLOR = 4  # r, g, b, a


class Curve(IntEnum):
    """How a value goes from a point to the next; any other number counts as LINEAR."""

    STEP = 0
    LINEAR = 1
    SLOW = 2  # a³
    FAST = 3  # 1 - (1 - a)³
    SMOOTH = 4  # 3a² - 2a³
    BEZIER = 5


class SourceShape(IntEnum):
    """Where a sound source is heard."""

    RECTANGLE = 0
    CIRCLE = 1


# ------------------------------------------------------------------------------------------------ bulk data (in blobs)
TILE = np.dtype([("index", "u1"), ("flags", "u1"), ("skip", "u1"), ("reserved", "u1")])
TELE = np.dtype([("number", "u1"), ("type", "u1")])
SPEEDUP = np.dtype(
    [("force", "u1"), ("max_speed", "u1"), ("type", "u1"), ("reserved", "u1"), ("angle", "<i2")]
)  # angle: degrees, clockwise, 0 = right
SWITCH = np.dtype([("number", "u1"), ("type", "u1"), ("flags", "u1"), ("delay", "u1")])
TUNE = np.dtype([("number", "u1"), ("type", "u1")])
# DDRace's alphas of 2010 had shorter ones.
SPEEDUP_2010 = np.dtype([("force", "u1"), ("reserved", "u1"), ("angle", "<i2")])
SWITCH_2010 = np.dtype([("number", "u1"), ("type", "u1")])

TILE_RECORDS = {
    TileKind.TILES: TILE,
    TileKind.GAME: TILE,
    TileKind.TELE: TELE,
    TileKind.SPEEDUP: SPEEDUP,
    TileKind.FRONT: TILE,
    TileKind.SWITCH: SWITCH,
    TileKind.TUNE: TUNE,
}
TILE_RECORDS_2010 = {TileKind.SPEEDUP: SPEEDUP_2010, TileKind.SWITCH: SWITCH_2010}

QUAD = np.dtype(
    [
        ("points", "<i4", (5, 2)),  # top left, top right, bottom left, bottom right, pivot; fixed point px
        ("colors", "<i4", (4, 4)),  # rgba 0-255 of those corners
        ("texcoords", "<i4", (4, 2)),  # u, v (v down) of those corners; fixed point, may leave 0..1
        ("position_envelope", "<i4"),  # < 0 or beyond the last: none
        ("position_envelope_offset", "<i4"),  # ms
        ("color_envelope", "<i4"),
        ("color_envelope_offset", "<i4"),
    ]
)

SOURCE = np.dtype(
    [
        ("x", "<i4"),  # fixed point px
        ("y", "<i4"),
        ("looping", "<i4"),
        ("panning", "<i4"),
        ("delay", "<i4"),  # s
        ("falloff", "<i4"),  # 0-255
        ("position_envelope", "<i4"),
        ("position_envelope_offset", "<i4"),  # ms
        ("sound_envelope", "<i4"),
        ("sound_envelope_offset", "<i4"),
        ("shape", "<i4"),  # SourceShape
        ("width", "<i4"),  # rectangle: fixed point px. Circle: its radius in plain px
        ("height", "<i4"),  # rectangle: fixed point px. Circle: unused, may be anything
    ]
)
OLD_SOURCE = np.dtype(
    [
        ("x", "<i4"),
        ("y", "<i4"),
        ("looping", "<i4"),
        ("delay", "<i4"),
        ("radius", "<i4"),
        ("position_envelope", "<i4"),
        ("position_envelope_offset", "<i4"),
        ("sound_envelope", "<i4"),
        ("sound_envelope_offset", "<i4"),
    ]
)

POINT = np.dtype(
    [
        ("time", "<i4"),  # ms
        ("curve", "<i4"),  # Curve
        ("value", "<i4", (4,)),  # fixed point; channels that the envelope doesn't have may hold anything
    ]
)
BEZIER = np.dtype(
    [
        ("in_x", "<i4", (4,)),  # ms, of each channel
        ("in_y", "<i4", (4,)),  # fixed point
        ("out_x", "<i4", (4,)),
        ("out_y", "<i4", (4,)),
    ]
)
WIDE_POINT = np.dtype([("point", POINT), ("tangents", BEZIER)])  # if any envelope of the map has version 3

# ------------------------------------------------------------------------------------------------------- names in words

_SHIFTED = bytes((byte + 128) & 255 for byte in range(256))  # its own inverse


def words_to_text(words: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> str:
    """The text of an I32String: every byte + 128, big-endian, to the first NUL; the last raw byte doesn't count."""
    raw = words.byteswap().tobytes()[:-1]
    return raw.translate(_SHIFTED).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def text_to_words(text: str, count: int, what: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """`text` as an I32String of `count` words. Raises FormatError if it has more than 4 * count - 1 bytes or a NUL."""
    plain = encode_text(text, what)
    if len(plain) >= 4 * count:
        raise FormatError(f"{text!r} has {len(plain)} bytes, {4 * count - 1} fit", what)
    raw = bytearray(plain.ljust(4 * count, b"\0").translate(_SHIFTED))
    raw[-1] = 0
    return np.frombuffer(raw, ">i4").astype(WORD)


def encode_text(text: str, what: str) -> bytes:
    """`text` in UTF-8 (bytes that were no UTF-8 when read come back). Raises FormatError if it contains a NUL."""
    if "\0" in text:
        raise FormatError(f"{text!r} contains a NUL", what)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FormatError(f"{text!r} cannot be written as UTF-8", what) from None
