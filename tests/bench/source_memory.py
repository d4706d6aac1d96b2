# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how many bytes a process takes at most to open and `save`, to `decode`, or to edit the `world` of, a map."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from formats import source
from formats.source import LumpId, world
from formats.source.records import Contents
from formats.source.tree import brushes
from tests.formats.source_parts import decode

HUNDRED = 100
DETAIL = int(Contents.DETAIL | Contents.SOLID)
"""Of brushes that the compiler cut nothing with: those that can be moved anywhere."""


def _kilobytes(key: str) -> int:
    """A line of this process's status (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(key + ":")[1].split()[0])


def save(data: bytes) -> object:
    """Open and save."""
    return source.write(source.read(data))


def decode_all(data: bytes) -> object:
    """Decode everything, part after part."""
    return decode(source.read(data))


def movable(level: source.Level) -> NDArray[np.int64]:
    """The brushes of a map's world that can be moved anywhere: details, as far as rounding left them closed."""
    contents = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    closed = brushes.solids(level).polygons.closed
    return np.flatnonzero((contents & DETAIL == DETAIL) & (brushes.of_models(level) == 0) & closed)


def move_brushes(data: bytes) -> object:
    """Open a map, move up to a hundred brushes of its world, and save."""
    level = source.read(data)
    pieces = world.pieces(level) if len(level.table(LumpId.BRUSHES)) else {}
    details = movable(level)[:HUNDRED].tolist()
    moved = {n: replace(pieces[n], dists=pieces[n].dists + pieces[n].normals[:, 2] * 4) for n in details}
    if moved:
        world.apply(level, world.WorldEdits({number: world.Change(piece) for number, piece in moved.items()}))
    return source.write(level)


def main() -> None:
    """Measure what the command line names."""
    way = WAYS[sys.argv[1]]
    way(source.write(source.new_level()))  # what is loaded and made once
    before = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    way(Path(sys.argv[2]).read_bytes())
    print((_kilobytes("VmHWM") - before) * 1024)


WAYS: dict[str, Callable[[bytes], object]] = {"save": save, "decode": decode_all, "world": move_brushes}

if __name__ == "__main__":
    main()
