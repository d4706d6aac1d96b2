# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of real maps, edited by Blender's operators: what was edited is other, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, vmf, world
from levelwright.formats.source.records import Contents
from levelwright.formats.source.shaping.side_texinfos import SideTexinfos, sides_of
from levelwright.formats.source.tree import brushes

from tests.addon.source.worlds import World, bounds, editing, translate

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


@pytest.mark.slow
def test_edits_of_faces(path: Path) -> None:
    """The faces of a brush that is seen from all sides but one at most, lifted: what is hidden of it goes along."""
    scene = World(path.read_bytes(), entities=False, static_props="none", lightmaps="none")
    before = source.read(scene.data)
    texinfos = SideTexinfos(before, vmf.compiled(before))
    sides = texinfos.side_of_face
    owners = np.where(sides >= 0, texinfos.brush_of(np.maximum(sides, 0)), -1)
    number = next(
        each
        for each in inner(before)
        if len(np.unique(sides[owners == each])) >= len(sides_of(before, np.array([each]))[0]) - 1
        and not leaks(before, each)
    )
    faces = set((np.flatnonzero(owners == number) + 1).tolist())
    for obj in scene.level.all_objects:
        if identity.kind_of(obj) == layout.MODEL and obj.type == "MESH":
            ids = [item.value for item in obj.data.attributes[identity.ID].data]
            chosen = [each in faces for each in ids]
            if any(chosen):
                with editing(obj, chosen):
                    bpy.ops.mesh.split()
                    translate(0, 0, 8)
    made = scene.edit()
    low, high = np.add(bounds(before, number), (0, 0, 8))
    assert np.allclose(bounds(made, number), [low, high], atol=0.02)
    others = [each for each in world.pieces(made) if each != number]
    assert [each for each in others if bounds(made, each) != bounds(before, each)] == []
