# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids in the byte order of consoles, and back (source.md §2.8).

All is words of 32 bits. What shares one begins at its highest bit on consoles, and at its lowest elsewhere.
"""

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Ints
from ...binary import Buffer, FormatError

WHAT = "solid"
TAG, SURFACE_TAG = int.from_bytes(b"VPHY", "little"), int.from_bytes(b"IVPS", "little")
_HEADER, _SURFACE, _NODE, _LEDGE, _TRIANGLE = 7, 12, 7, 4, 4
"""Words of the records (physcollide_surface has them)."""
_SIZE, _ROOT, _TAG = 7, 8, 11  # of the surface
_BOX = 6  # of nodes
_FLAGS, _COUNTS = 2, 3  # of ledges
_HALVES, _BYTES = (16, 16), (8, 8, 8, 8)

Words = npt.NDArray[np.uint32]
Places = Ints


def swapped(solid: Buffer, byte_order: str) -> bytes:
    """A solid in the other byte order. byte_order: the one that it has. FormatError for what is no solid of hulls."""
    if len(solid) % 4:
        raise FormatError(f"{len(solid)} bytes are no whole words", WHAT)
    words = np.frombuffer(solid, byte_order + "u4").astype(np.uint32)
    start = _HEADER if len(words) and words[0] == TAG else 0
    if len(words) < start + _SURFACE or words[start + _TAG] != SURFACE_TAG:
        raise FormatError("it isn't one of hulls", WHAT)
    made, big = words.copy(), byte_order == ">"

    def turn(places: Places, *widths: int) -> None:
        made[places] = _packed(words[_there(words, places)], widths, big)

    turn(np.arange(1, 2) if start else np.zeros(0, np.int64), *_HALVES)
    turn(np.array([start + _SIZE]), 8, 24)
    nodes, ledges = _tree(words, start + int(words[start + _ROOT]) // 4)
    turn(nodes + _BOX, *_BYTES)
    turn(ledges + _FLAGS, 2, 2, 4, 24)
    turn(ledges + _COUNTS, *_HALVES)
    counts = (words[ledges + _COUNTS] >> (16 if big else 0) & 0xFFFF).astype(np.int64)
    ranges.check_total(counts, len(words) // _TRIANGLE, WHAT)
    triangles = ranges.flat(ledges + _LEDGE, counts, _TRIANGLE)
    turn(triangles, 12, 12, 7, 1)
    turn((triangles[:, None] + np.arange(1, _TRIANGLE)).reshape(-1), 16, 15, 1)
    return made.astype("<u4" if big else ">u4").tobytes()


def _packed(words: Words, widths: tuple[int, ...], big: bool) -> Words:
    """Words whose fields, so many bits each, begin at the other end. big: whether they began at the highest bit."""
    made, low, high = np.zeros_like(words), 0, 32
    for width in widths:
        high -= width
        mask = np.uint32((1 << width) - 1)
        source, target = (high, low) if big else (low, high)
        made |= (words >> np.uint32(source) & mask) << np.uint32(target)
        low += width
    return made


def _tree(words: Words, root: int) -> tuple[Places, Places]:
    """The words in which nodes begin, and those in which their ledges do."""
    nodes, ledges, level = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], np.array([root])
    left = len(words) // _NODE + 1
    while len(level):
        left -= len(level)
        if left < 0:
            raise FormatError("its tree runs in circles", WHAT)
        right, ledge = (words[_there(words, level + place)].view(np.int32).astype(np.int64) // 4 for place in (0, 1))
        nodes.append(level)
        ledges.append((level + ledge)[ledge != 0])
        inner = right != 0
        level = np.concatenate([level[inner] + _NODE, (level + right)[inner]])
    return np.concatenate(nodes), np.unique(np.concatenate(ledges))


def _there(words: Words, places: Places) -> Places:
    """Places, all of which there are. Raises FormatError."""
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < len(words):
        raise FormatError("something lies behind its end", WHAT)
    return places
