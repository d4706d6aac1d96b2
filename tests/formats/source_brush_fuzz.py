# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages the room with a door in seeded ways and builds the door of what is left anew."""

import random
from collections.abc import Callable

import numpy as np

from formats.binary import FormatError
from formats.source import Level, read, write
from formats.source.edits import brush_models
from formats.source.edits.brush_models import Face, Piece
from tests.formats import source_door, source_fuzz
from tests.formats.source_edits_fuzz import errors
from tests.fuzz.driver import Fuzzer

MAP = write(source_door.with_door())
STRETCH = np.array([1.5, 1.0, 0.75])


def as_it_was(level: Level) -> None:
    brush_models.rebuild(level, 1, brush_models.pieces(level, 1), brush_models.faces(level, 1))


def wider(level: Level) -> None:
    pieces = []
    for piece in brush_models.pieces(level, 1):
        normals = piece.normals / STRETCH
        lengths = np.sqrt((normals * normals).sum(axis=1))
        with np.errstate(all="ignore"):  # hostile floats
            pieces.append(Piece(normals / lengths[:, None], piece.dists / lengths, piece.texinfos, piece.contents))
    faces = [Face(face.points * STRETCH, face.texinfo, face.record) for face in brush_models.faces(level, 1)]
    brush_models.rebuild(level, 1, pieces, faces)


def another(level: Level) -> None:
    low, high = (-8, -8, -8), (8, 8, 8)
    normals = np.concatenate([[-np.eye(3)[axis], np.eye(3)[axis]] for axis in range(3)])
    boxes = [Piece(normals, np.full(6, 8.0), np.ones(6, np.int64), 1)]
    boxes.append(Piece(normals, normals @ [16, 0, 0] + 8.0, np.ones(6, np.int64), 1))
    brush_models.rebuild(level, 1, boxes, [Face(ring, 1) for ring in source_door.box(low, high)])


EDITS: tuple[Callable[[Level], None], ...] = (as_it_was, wider, another)


def mutation(seed: int) -> tuple[bytes, int]:
    """A map and the number of the edit that is tried on it."""
    rng = random.Random(seed)
    data = bytearray(MAP)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(source_fuzz.WAYS)(data, rng)
    return bytes(data), rng.randrange(len(EDITS))


def edit(damaged: tuple[bytes, int]) -> bool:
    """Build the door anew; False where that was refused, which leaves the map as it was. It brings no errors."""
    data, number = damaged
    try:
        level = read(data)
        before = errors(level)
    except FormatError:
        return False
    try:
        EDITS[number](level)
    except FormatError:
        if write(level) != data:
            raise AssertionError("the edit was refused and has changed the map") from None
        return False
    try:
        written = write(level)
    except FormatError:
        return False
    after = errors(read(written))
    if len(after) > len(before):
        raise AssertionError(f"{after} where {before} was")
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=edit,
    whole=tuple((MAP, number) for number in range(len(EDITS))),
    quick=(range(100), range(3900, 3960), range(4840, 4860)),
    thorough=range(100, 600),
)
