# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits of surfaces, exported and imported again: the scene is the one that was edited, and stays it."""

import random
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.lightmaps import collect as collect_lightmaps
from levelwright.addon.source.pak import files
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.rooms import imported, token_of
from tests.addon.source.surface_edits import move, paint, set_uv, the
from tests.formats import source_room
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file

Level = bpy.types.Collection


def sculpt(level: Level, chance: random.Random) -> None:
    obj = the(level, layout.DISPLACEMENTS)
    border = meshes.read(obj).attribute(layout.BORDER)
    vertex = chance.randrange(len(border))
    together = np.flatnonzero(border == border[vertex]) if border[vertex] else np.array([vertex])
    move(obj, together, tuple(chance.uniform(-30, 30) for _ in range(3)))


def paint_alpha(level: Level, chance: random.Random) -> None:
    obj = the(level, layout.DISPLACEMENTS)
    data = meshes.read(obj)
    colors, border = data.attribute(layout.ALPHA), data.attribute(layout.BORDER)
    vertex = chance.choice(np.flatnonzero(border == 0).tolist())
    colors[vertex, :3] = chance.random()
    paint(obj, layout.ALPHA, colors, "color")


def tag(level: Level, chance: random.Random) -> None:
    obj = the(level, layout.DISPLACEMENTS)
    tags = meshes.read(obj).attribute(layout.TAGS)
    tags[chance.randrange(len(tags))] = chance.randrange(32)
    paint(obj, layout.TAGS, tags, "value")


def lay_anew(level: Level, chance: random.Random) -> None:
    obj = the(level, layout.MODEL)
    data = meshes.read(obj)
    uv, face = data.uv(layout.UV), chance.randrange(len(data.face_starts))
    here = np.repeat(np.arange(len(data.face_starts)), data.face_sizes) == face
    turn = np.array([[chance.uniform(0.3, 2), chance.uniform(-1, 1)], [chance.uniform(-0.2, 0.2), -1]])
    uv[here] = uv[here] @ turn + [chance.uniform(-9, 9), chance.uniform(-9, 9)]
    set_uv(obj, uv)


def swap(level: Level, chance: random.Random) -> None:
    obj = the(level, layout.MODEL)
    obj.data.polygons[chance.randrange(8)].material_index = chance.randrange(len(obj.data.materials))


def rename(level: Level, chance: random.Random) -> None:
    held = originals.resources(level, layout.MATERIAL_KIND)
    held[chance.choice(list(held))][layout.MATERIAL] = f"dev/renamed{chance.randrange(1000)}"


def light_up(level: Level, chance: random.Random) -> None:
    lump = chance.choice([LumpId.LIGHTING, LumpId.LIGHTING_HDR])
    image = originals.resources(level, layout.LIGHTMAP)[lightmaps.record(lump)]
    where = collect_lightmaps.places(level, source_room.room())
    values = np.empty(where.width * where.height * 4, np.float32)
    image.pixels.foreach_get(values)
    rows = values.reshape(where.height, where.width, 4)[::-1].reshape(-1, 4).copy()
    rows[chance.choice(where.pixels.tolist()), :3] = [chance.uniform(0, 900) for _ in range(3)]
    image.pixels.foreach_set(np.ascontiguousarray(rows.reshape(where.height, where.width, 4)[::-1]).ravel())


def put_away(level: Level, chance: random.Random) -> None:
    files.put_file(level, f"notes/{chance.randrange(9)}.txt", chance.randbytes(20))


EDITS: list[Callable[[Level, random.Random], None]] = [
    sculpt, paint_alpha, tag, lay_anew, swap, rename, light_up, put_away,
]  # fmt: skip


def seen(level: Level) -> dict[str, np.ndarray]:
    """What a scene shows, in the order of the map's records."""
    world, hills = meshes.read(the(level, layout.MODEL)), meshes.read(the(level, layout.DISPLACEMENTS))
    owner = np.repeat(world.ids("FACE", token_of(level)), world.face_sizes)
    corners = np.lexsort((world.attribute(layout.VERTEX_ID)[world.corner_verts], owner))
    points, triangles = np.argsort(hills.attribute(layout.VERTEX_ID)), np.argsort(hills.attribute("record_id", "FACE"))
    names = [material[layout.MATERIAL] for material in world.materials]
    faces = np.argsort(world.ids("FACE", token_of(level)))
    return {
        "uv": world.uv(layout.UV)[corners],
        "materials": np.array(names)[world.material_index[faces]],
        "places": hills.positions[points],
        "alpha": hills.attribute(layout.ALPHA)[points],
        "tags": hills.attribute(layout.TAGS)[triangles],
    }


def try_edits(seed: int) -> bool:
    """Edit a room, export it and import that; whatever was done to it can be exported."""
    chance = random.Random(seed)
    level = imported(source.write(source_room.room()), displacements="joined")
    for _ in range(chance.randrange(2, 12)):
        chance.choice(EDITS)(level, chance)
    wanted = seen(level)
    data = exporter.export_level(bpy.context, level, ExportSettings(), Report())
    made = source.read(data)
    for entry in files.entries(level):
        assert bytes(made.pak.read(entry.name)) == level[f"{files.BYTES}{entry.number}"]
    again = imported(data, displacements="joined")
    found = seen(again)
    assert found["materials"].tolist() == wanted["materials"].tolist()
    assert np.abs(found["uv"] - wanted["uv"]).max() < 1e-3
    assert np.abs(found["places"] - wanted["places"]).max() < 1e-3
    assert np.abs(found["alpha"] - wanted["alpha"]).max() < 1e-6
    assert (found["tags"] == wanted["tags"]).all()
    for number, image in originals.resources(level, layout.LIGHTMAP).items():
        painted, shown = (
            collect_lightmaps.picture(each, collect_lightmaps.places(level, made))
            for each in (image, originals.resources(again, layout.LIGHTMAP)[number])
        )
        assert (np.abs(painted - shown) <= np.maximum(painted.max(axis=1, keepdims=True), 1) / 128).all()
    assert exporter.export_level(bpy.context, again, ExportSettings(), Report()) == data
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
def test_random_edits(seeds: range) -> None:
    try_all(FUZZER, seeds)
