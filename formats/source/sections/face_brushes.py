# SPDX-License-Identifier: GPL-3.0-or-later
"""Which brushes faces were made of: the lumps FACEBRUSHLIST and FACEBRUSHES of CS:GO (source.md §2.4).

Where a face was made of one brush, its list holds that brush itself in the place of a start; csgo_tooltextures has no
other ones, and so its lump FACEBRUSHES is empty.
"""

import numpy as np

from ... import ranges
from ...arrays import Ints, Records
from ...binary import FormatError


def pairs(lists: Records, brushes: Records) -> tuple[Ints, Ints]:
    """Return face and brush of each link, int64 [n] both, faces ascending.

    `lists` and `brushes`: the lumps CLUSTERS and PORTALS, which are these lists from v21 on. Raises FormatError for
    older ones and for lists outside.
    """
    if "count" not in (lists.dtype.names or ()) or "brush" not in (brushes.dtype.names or ()):
        raise FormatError("maps of this version have other things in their place", "face brushes")
    counts, starts = lists["count"].astype(np.int64), lists["start"].astype(np.int64)
    many = counts > 1
    outside = many & (starts + counts > len(brushes))
    if outside.any():
        number = int(outside.argmax())
        message = f"face {number} names {counts[number]} from {starts[number]} on, there are {len(brushes)}"
        raise FormatError(message, "face brushes")
    ranges.check_total(counts[many], len(brushes), "face brushes")
    counts = np.where(many, counts, counts.clip(0, 1))
    faces = ranges.owners(counts)
    values = ranges.flat(starts, counts)
    shared = many[faces]
    values[shared] = brushes["brush"][values[shared]]
    return faces, values


def renumber(lists: Records, brushes: Records, numbers: Ints) -> None:
    """Have both lumps, which can be written to, name brushes by other numbers, int[brushes of before]."""
    for records, field, which in (
        (lists, "start", lists["count"] == 1),
        (brushes, "brush", np.ones(len(brushes), np.bool_)),
    ):
        names = records[field].astype(np.int64)
        known = which & (names >= 0) & (names < len(numbers))
        records[field] = np.where(known, numbers[np.where(known, names, 0)], names)
