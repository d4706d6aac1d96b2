# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits of a scene: an export refuses, or writes a sound level that differs where it was edited."""

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.scene import attributes
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import fable
from levelwright.formats.binary import FormatError

from tests.addon.fable.export_helpers import LEVEL, exported, game_map, imported, paint, place, positions, terrain
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file

COLUMNS = 33
LEV = LEVEL.but(ground=(*LEVEL.ground, (b"SNOW", 1)))
DATA = LEV.build()
ODD = (-(2**31), -1, 0, 1, 3, 200, 255, 256, 2**31 - 1)
STRANGE = (-1.0, -0.0, 0.5, 2047.99, 2048.0, 1e30, float("inf"), float("nan"))


def some(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.choice(count, rng.integers(1, 6), replace=False)


def raise_ground(level, rng):
    obj = terrain(level)
    values = positions(obj)
    where = some(rng, len(values))
    values[where, 2] = rng.choice(STRANGE, len(where)) if rng.random() < 0.3 else rng.uniform(0, 100, len(where))
    place(obj, values)
    return {(int(v) % COLUMNS, int(v) // COLUMNS) for v in where}


def move_aside(level, rng):
    obj = terrain(level)
    values = positions(obj)
    where = some(rng, len(values))
    values[where, :2] += rng.choice((0.0, 1e-4, 0.3, 1.0, 1e9), (len(where), 2))
    place(obj, values)
    return set()


def weigh(level, rng):
    where = some(rng, COLUMNS * COLUMNS)
    for theme in rng.choice(["GRASS", "SAND", "ROCK", "MUD", "SNOW", "NEW"], rng.integers(1, 4), replace=False):
        paint(terrain(level), str(theme), where.tolist(), float(rng.choice((0.0, 0.001, 0.25, 0.5, 1.0))))
    return {(int(v) % COLUMNS, int(v) // COLUMNS) for v in where}


def set_fields(level, rng):
    mesh = terrain(level).data
    name = str(rng.choice([*layout.CELL_FIELDS, *layout.FLAGS]))
    values = attributes.read(mesh, name)
    if values is None:
        return set()
    where = some(rng, len(values))
    chosen = rng.choice(ODD if rng.random() < 0.3 else (0, 1, 2, 3), len(where))
    values[where] = chosen.astype(values.dtype)
    attributes.write(mesh, name, "POINT", mesh.attributes[name].data_type, values)
    return {(int(v) % COLUMNS, int(v) // COLUMNS) for v in where}


def set_game_map(level, rng):
    obj = game_map(level)
    if obj is None:
        return set()
    name = str(rng.choice(list(layout.GAME_FIELDS)))
    values = attributes.read(obj.data, name)
    values[some(rng, len(values))] = int(rng.choice(ODD if rng.random() < 0.3 else (0, 1, 2)))
    attributes.write(obj.data, name, "FACE", "INT", values)
    return set()


def forget(level, rng):
    """Lose an attribute or a weight layer."""
    obj = terrain(level)
    if rng.random() < 0.5:
        name = str(rng.choice([*layout.CELL_FIELDS, *layout.FLAGS, "record_id", "record_check"]))
        if name in obj.data.attributes:
            obj.data.attributes.remove(obj.data.attributes[name])
        return set()
    obj.vertex_groups.clear()
    return set()


def rename(level, rng):
    names = lists.get(level)
    kind = rng.integers(3)
    if kind == 0:
        slot = int(rng.integers(1, 256))
        names.themes[slot] = str(rng.choice(["SNOW", "", "x" * 128, "\u8349", "A;B\n"]))
        names.used_themes.add(slot)
    elif kind == 1:
        names.sounds = [str(rng.choice(["A", "", "y" * 300]))] * int(rng.choice((0, 2, 3, 130)))
    else:
        names.atmospheres[int(rng.integers(1, 256))] = "FOG"
    lists.put(level, names)
    return set()


def break_off(level, rng):
    """Add vertices, or let each take the next one's place: with `snap` that is a height for each."""
    mesh = terrain(level).data
    if rng.random() < 0.5:
        mesh.vertices.add(int(rng.integers(1, 4)))
        return set()
    place(terrain(level), np.roll(positions(terrain(level)), 1, axis=0))
    return {(x, y) for x in range(COLUMNS) for y in range(COLUMNS)}


def transform(level, rng):
    obj = terrain(level)
    if rng.random() < 0.5:
        obj.location.z = float(rng.choice((0.0, 3.0, -50.0, 1e9)))
        return {(x, y) for x in range(COLUMNS) for y in range(COLUMNS)}
    obj.scale.z = float(rng.choice((0.5, 0.0, -1.0)))
    return {(x, y) for x in range(COLUMNS) for y in range(COLUMNS)}


EDITS = (raise_ground, raise_ground, weigh, weigh, set_fields, set_fields, set_game_map, move_aside, forget, rename,
         break_off, transform)  # fmt: skip


def try_edits(seed: int) -> bool:
    """Edit a level, and export it; False where that was refused."""
    rng = np.random.default_rng(seed)
    level = imported(DATA)
    touched: set[tuple[int, int]] = set()
    for _ in range(rng.integers(1, 4)):
        touched |= rng.choice(np.array(EDITS, object))(level, rng)
    wanted = {
        "clamp": bool(rng.random() < 0.5),
        "drop_themes": bool(rng.random() < 0.5),
        "snap": bool(rng.random() < 0.5),
        "unknown_themes": str(rng.choice(["refuse", "add", "ignore"])),
        "ground_navigation": str(rng.choice(["keep", "patch", "rebuild"])),
    }
    counts = blocks()
    try:
        data = exported(level, **wanted)
    except (SceneError, FormatError) as error:
        assert str(error)
        assert blocks() == counts
        return False
    made, was = fable.read(data), fable.read(DATA)
    assert {(x, y) for y, x in np.argwhere(made.cells != was.cells).tolist()} <= touched
    assert not [problem for problem in fable.check(made) if problem.severity == "error"]
    assert made.brushes == was.brushes and made.header["unused"] == was.header["unused"]
    assert blocks() == counts
    return True


def blocks() -> list[int]:
    """How many things there are: an export leaves nothing behind."""
    return [len(getattr(bpy.data, part)) for part in ("objects", "meshes", "scenes", "node_groups")]


FUZZER = Fuzzer(
    mutation=lambda seed: seed,
    attempt=try_edits,
    prepare=empty_file,
    memory=None,
    quick=(range(30),),
    thorough=range(30, 130),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_random_edits(seeds: range) -> None:
    try_all(FUZZER, seeds)


def test_some_of_them_are_exported_and_some_refused() -> None:
    ends = set[bool | None]()
    for seed in range(30):
        empty_file()
        level, rng = imported(DATA), np.random.default_rng(seed)
        rng.choice(np.array(EDITS, object))(level, rng)
        try:
            ends.add(exported(level) != DATA)
        except (SceneError, FormatError):
            ends.add(None)
        if {True, None} <= ends:
            return
    pytest.fail(f"of 30 edits: {ends}")
