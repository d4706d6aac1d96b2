# SPDX-License-Identifier: GPL-3.0-or-later
"""Sequences of random edits: what is exported shows, once it is imported again, what the scene showed."""

import random
from pathlib import Path

import bpy
import pytest
from levelwright.addon.source import layout
from levelwright.formats import source

from tests.addon.source.exports import Scene
from tests.addon.source.random_edits import KINDS, SURFACES, anywhere, assert_alike, edit, nearby
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file


def along_the_wall(obj: bpy.types.Object, chance: random.Random) -> None:
    obj.location = (chance.uniform(-230, 230), 128, chance.uniform(20, 100))
    obj.rotation_euler.y = chance.uniform(-3, 3)


def to_whole_units(obj: bpy.types.Object, chance: random.Random) -> None:
    obj.location = [chance.randrange(-100, 100) for _ in range(3)]


IN_THE_ROOM = {
    layout.ENTITY: anywhere((-900, -900, -900), (900, 900, 900)),
    layout.STATIC_PROP: anywhere((-240, -100, 4), (240, 100, 100)),
    layout.OVERLAY: along_the_wall,
    layout.CUBEMAP: to_whole_units,
    layout.WORLDLIGHT: anywhere((-200, -100, 10), (200, 100, 100), turns=False),
}


REAL = ("rc_pyramid", "aim_TheBest", "zoo_jukebox", "hw_sinbin_1", "zoo_swamp_foliage_01", "wall")


def try_edits(seed: int) -> bool:
    """Edit a room 25 times, export it and import that; whatever was done to it can be exported."""
    chance = random.Random(seed)
    here = Scene()
    kinds = (*KINDS, *SURFACES)
    done = [edit(here, chance, IN_THE_ROOM, kinds) for _ in range(25)]
    data = bytes(here.export().file.write())
    again = Scene(data)
    assert_alike(here, again, kinds)
    assert again.export().file.write() == data, done
    return True


FUZZER = Fuzzer(
    mutation=lambda seed: seed,
    attempt=try_edits,
    accepted=(1.0, 1.0),
    prepare=empty_file,
    seconds=20.0,
    memory=None,
    quick=(range(8),),
    thorough=range(8, 30),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_random_edits_of_a_room(seeds: range) -> None:
    try_all(FUZZER, seeds)


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_random_edits_of_real_maps(corpus: Path, name: str) -> None:
    path = next((corpus / "bsp").rglob(f"{name}.bsp"))
    chance = random.Random(name)
    here = Scene(path.read_bytes(), worldlights=False)
    kinds: tuple[str, ...] = (layout.ENTITY, layout.STATIC_PROP, layout.CUBEMAP, *SURFACES)
    level = source.read(here.data)
    deletes = not level.file.form.version_first  # props of Left 4 Dead 2 with collision can't be fewer
    move = dict.fromkeys(kinds, nearby(4.0)) | {layout.CUBEMAP: nearby(90.0)}
    if not deletes:
        kinds = (layout.ENTITY, layout.CUBEMAP, *SURFACES)
    for _ in range(40):
        edit(here, chance, move, kinds, deletes)
    data = bytes(here.export().file.write())
    again = Scene(data, worldlights=False)
    assert_alike(here, again, kinds)
    assert again.export().file.write() == data
