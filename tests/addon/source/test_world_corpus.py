# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of real maps, edited by Blender's operators: what was edited is other, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.formats import source
from levelwright.formats.source import LumpId, brushes, world
from levelwright.formats.source.records import Contents

from tests.addon.source.worlds import World, bounds, translate

MAPS = ("de_rats", "gm_oasis", "csgo_tooltextures", "zoo_jukebox", "aim_TheBest")
"""Of versions 19, 20 and 21, with face brushes, and with Left 4 Dead 2's header."""
DETAIL = int(Contents.DETAIL | Contents.SOLID)


def details(level: source.Level) -> list[int]:
    """The solid details of a map's world, those that a compiler cut nothing with."""
    contents = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    return np.flatnonzero((contents & DETAIL == DETAIL) & (brushes.of_models(level) == 0)).tolist()


def inner(level: source.Level) -> list[int]:
    """Brushes that can be moved a little: details, and where a map has none, the smallest solids."""
    found = details(level)
    if found:
        return found
    pieces = world.pieces(level)
    solid = [number for number, piece in pieces.items() if piece.contents & Contents.SOLID]
    sizes = [float(np.prod(np.subtract(*bounds(level, number)[::-1]))) for number in solid]
    return [solid[place] for place in np.argsort(sizes).tolist()]


def leaks(level: source.Level, number: int) -> bool:
    """Whether a brush can't be taken away."""
    return bool(world.check(level, world.WorldEdits({number: world.Change(None)})))


@pytest.fixture(params=MAPS)
def path(request: pytest.FixtureRequest, corpus: Path) -> Iterator[Path]:
    yield next(path for path in sorted((corpus / "bsp").rglob("*.bsp")) if path.stem == request.param)


@pytest.mark.slow
def test_edits_of_brushes(path: Path) -> None:
    scene = World(path.read_bytes(), entities=False, static_props="none", lightmaps="none")
    before = source.read(scene.data)
    chosen = inner(before)
    number = chosen[len(chosen) // 2]
    other = next(each for each in chosen if each != number and not leaks(before, each))
    with scene.selected(number):
        bpy.ops.mesh.duplicate()
        translate(0, 0, 24)
    made = scene.edit()
    assert scene.report.counts["brushes of the world added"] == 1
    there = [each for each in range(len(made.table(LumpId.BRUSHES))) if made.table(LumpId.BRUSHES)["numsides"][each]]
    low, high = np.add(bounds(before, number), (0, 0, 24))
    assert any(np.allclose(bounds(made, each), [low, high], atol=0.02) for each in there)
    with scene.selected(other):
        bpy.ops.mesh.delete(type="FACE")
    wanted = source.write(scene.edit())
    assert source.write(scene.edit()) == wanted
    assert scene.report.counts["brushes of the world deleted"] == 1
    again = World(wanted, entities=False, static_props="none", lightmaps="none")
    assert source.write(again.edit()) == wanted
