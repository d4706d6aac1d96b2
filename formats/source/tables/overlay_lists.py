# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays of Strata, lump version 3: faces for all of them, then the records (source.md §2.9)."""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Int32s, Ints, Records
from ...binary import Buffer, Cursor
from .overlays import OVERLAY_V3

VERSION = 3
"""Of the lump: from it on, it is this."""

_WHAT = "overlays"


@dataclass(slots=True, eq=False)
class OverlayLists:
    """The two tables: views, to be replaced by others of the same dtypes."""

    overlays: Records  # OVERLAY_V3
    faces: Int32s
    trailing: bytes = b""

    def faces_of(self, number: int) -> Int32s:
        """int32[n]: indices of the faces that an overlay lies on."""
        overlay = self.overlays[number]
        begin = max(int(overlay["face_offset"]), 0)
        return self.faces[begin : begin + max(int(overlay["face_count"]), 0)]

    def to_bytes(self) -> bytes:
        """The lump's bytes."""
        counts = np.array([len(self.overlays), len(self.faces)], "<i4")
        return counts.tobytes() + self.faces.tobytes() + self.overlays.tobytes() + self.trailing


def read(data: Buffer) -> OverlayLists:
    """Read the lump. Raises FormatError."""
    cursor = Cursor(data)
    if not cursor.left:
        return OverlayLists(np.empty(0, OVERLAY_V3), np.empty(0, "<i4"))
    count, face_count = cursor.i32(_WHAT), cursor.i32(_WHAT)
    faces = cursor.array("<i4", face_count, _WHAT)
    overlays = cursor.array(OVERLAY_V3, count, _WHAT)
    return OverlayLists(overlays, faces, bytes(cursor.take(cursor.left, _WHAT)))


def face_lists(overlays: Records) -> tuple[Ints, Ints]:
    """Return which overlay and which face, int64 [n] both, of overlays that hold their own faces (up to version 2)."""
    slots = overlays["faces"].shape[1]
    counts = np.minimum(overlays["face_count_and_render_order"] & 0x3FFF, slots)
    own = ranges.owners(counts)
    return own, overlays["faces"][own, ranges.flat(np.zeros_like(counts), counts)].astype(np.int64)
