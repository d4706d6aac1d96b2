# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages the room in seeded ways and edits what is left of it."""

import random
from collections.abc import Callable

import numpy as np

from formats.binary import FormatError
from formats.source import Level, LumpId, check, geometry, read, write
from formats.source.edits import (
    cubemaps,
    displacements,
    entities,
    lightmaps,
    overlays,
    pak,
    static_props,
    texture_vectors,
    textures,
    worldlights,
)
from formats.source.placed import overlay_quads
from tests.formats import source_fuzz, source_room
from tests.fuzz.driver import Fuzzer

ROOM = write(source_room.room())
HULLS = {f"models/{name}.mdl": ((-10, -10, 0), (10, 10, 40)) for name in "ab"}
PLACE = {"origin": (10, 0, 9)}
LAMP = PLACE | {"intensity": (1, 1, 1), "type": 1}


def flatten(level: Level) -> None:
    vertices, triangles = len(level.table(LumpId.DISP_VERTS)), len(level.table(LumpId.DISP_TRIS))
    displacements.change(level, np.ones((vertices, 3)), np.zeros(vertices), np.zeros(triangles, np.int64))


def solve_vectors(level: Level) -> None:
    vectors = texture_vectors.solve(level, geometry.polygons(level), [0, 4], np.ones((8, 2)))
    texture_vectors.assign(level, [0, 4], vectors)


def copy_overlay(level: Level) -> None:
    corners = overlay_quads.corners(level.table(LumpId.OVERLAYS))
    overlays.add(level, [overlays.placed(corner) | {"texdata": 1} for corner in corners])


EDITS: tuple[Callable[[Level], object], ...] = (
    lambda level: static_props.change(level, {0: PLACE | {"angles": (1, 2, 3)}, 1: {"skin": 2}}),
    lambda level: static_props.remove(level, [0]),
    lambda level: static_props.add(level, [PLACE | {"model": "models/a.mdl"}], HULLS),
    flatten,
    solve_vectors,
    lambda level: texture_vectors.assign(level, [1, 4], np.ones((2, 2, 4)), [1, 1]),
    lambda level: overlays.change(level, {0: {"origin": (-90, 128, 64)}}),
    copy_overlay,
    lambda level: overlays.remove(level, [0]),
    lambda level: cubemaps.change(level, 0, (7, 8, 9)),
    lambda level: cubemaps.add(level, (1, 2, 3), 0, {".vtf": b""}),
    lambda level: cubemaps.remove(level, 0),
    lambda level: worldlights.change(level, LumpId.WORLDLIGHTS, {0: PLACE}),
    lambda level: worldlights.add(level, LumpId.WORLDLIGHTS_HDR, [LAMP]),
    lambda level: worldlights.remove(level, LumpId.WORLDLIGHTS, [1]),
    lambda level: textures.change(level, 0, "other", (4, 4)),
    lambda level: textures.add(level, "new", (4, 4)),
    lambda level: lightmaps.paint(level, LumpId.LIGHTING, {(0, 0): np.ones((40, 3))}),
    lambda level: entities.set_keys(level, 0, {"a": "b"}),
    lambda level: entities.add(level, [("classname", "light")]),
    lambda level: entities.remove(level, [1]),
    lambda level: pak.put(level, {"new": b"bytes"}),
    lambda level: pak.rename(level, {"sp_0.vhv": "other"}),
    lambda level: pak.remove(level, ["sp_1.vhv"]),
)


def mutation(seed: int) -> tuple[bytes, int]:
    """The same damaged room and edit for the same seed, everywhere."""
    rng = random.Random(seed)
    data = bytearray(ROOM)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(source_fuzz.WAYS)(data, rng)
    return bytes(data), rng.randrange(len(EDITS))


def errors(level: Level) -> list[str]:
    return [str(problem) for problem in check(level) if problem.severity == "error"]


def edit(damaged: tuple[bytes, int]) -> bool:
    """Edit a room; False where that was refused, which leaves it as it was. An edit brings no errors."""
    data, number = damaged
    try:
        level = read(data)
    except FormatError:
        return False
    before = errors(level)
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
    again = read(written)
    if write(again) != written:
        raise AssertionError("what was edited is written back with other bytes")
    after = errors(again)
    if len(after) > len(before):
        raise AssertionError(f"{after} where {before} was")
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=edit,
    whole=tuple((ROOM, number) for number in range(len(EDITS))),
)
