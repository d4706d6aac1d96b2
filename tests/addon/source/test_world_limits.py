# SPDX-License-Identifier: GPL-3.0-or-later
"""What would be more than a map can have is refused by name, with what was drawn: by exports and by checks of them."""

import sys
from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.worlds import HALL, World, translate
from tests.formats import source_rooms
from tests.formats.source_hall import BOXES, CRATE, LADDER, STEP

E = LumpId
SAMPLE = Path(__file__).parents[2] / "samples" / "source_room.bsp"
DRAWN = (E.PLANES, E.BRUSHES, E.BRUSHSIDES, E.LEAFFACES, E.FACES, E.VERTEXES, E.EDGES, E.SURFEDGES)
"""What one more brush grows, and one more model."""
MOST = sys.modules["levelwright.formats.source.check"].MOST_RECORDS


def full(monkeypatch: pytest.MonkeyPatch, lump: LumpId, data: bytes, more: int = 0) -> None:
    """Have maps have no more of something than one has."""
    monkeypatch.setitem(MOST, lump, len(source.read(data).table(lump)) + more)


def refused(scene: World, lump: LumpId, name: str) -> None:
    with pytest.raises(SceneError, match=rf"\({lump.name}\) would have") as error:
        scene.export(world="edit", geometry="rebuild")
    assert [obj.name for obj in error.value.objects] == [name]


@pytest.mark.parametrize("lump", [*DRAWN, E.LEAFBRUSHES, E.TEXINFO], ids=lambda lump: lump.name)
def test_a_copied_brush(lump: LumpId, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = World()
    with scene.selected(CRATE) as obj:
        bpy.ops.mesh.duplicate()
        translate(0.5, 128, 0)
    full(monkeypatch, lump, scene.data)
    if lump == E.TEXINFO:
        obj.data.materials[0] = bpy.data.materials.new("hall/other")
    refused(scene, lump, obj.name)


@pytest.mark.parametrize("lump", [E.NODES, E.LEAFS], ids=lambda lump: lump.name)
def test_a_hole(lump: LumpId, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = World(source.write(source.read(bytes(source.write(source_rooms.rooms())))))
    with scene.selected(source_rooms.DIVIDER) as obj:
        bpy.ops.transform.resize(value=(0.5, 1, 0.5))
    scene.edit()
    full(monkeypatch, lump, scene.data)
    refused(scene, lump, obj.name)


@pytest.mark.parametrize("lump", [*DRAWN, E.MODELS, E.NODES, E.LEAFS, E.TEXDATA], ids=lambda lump: lump.name)
def test_a_brush_entity(lump: LumpId, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = World()
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    made = bpy.context.active_object
    made.data.materials[0] = bpy.data.materials.new("hall/other")
    full(monkeypatch, lump, scene.data)
    refused(scene, lump, made.name)


def test_far_too_many_brushes(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted before they are looked at; the faces of the new ones are selected."""
    scene = World()
    with scene.selected(CRATE) as obj:
        for _ in range(3):
            bpy.ops.mesh.duplicate()
            translate(0, 80, 0)
    full(monkeypatch, E.BRUSHES, scene.data, 2)
    with pytest.raises(SceneError, match="would have 13 records, usual compilers allow 12") as error:
        scene.edit()
    assert {each.name: len(faces) for each, faces in error.value.faces.items()} == {obj.name: 18}


def test_a_map_without_brushes_gets_one() -> None:
    scene = World(SAMPLE.read_bytes())
    bpy.context.scene.cursor.location = (0, 0, 1.5)
    assert bpy.ops.levelwright.source_add_brush(what="dev/dev_measuregeneric01") == {"FINISHED"}
    assert scene.edit().table(E.BRUSHES)["numsides"].tolist() == [6]


def test_what_nobody_meets_is_told() -> None:
    """Of brushes that were moved or copied into the void, with their faces."""
    scene = World()
    with scene.selected(CRATE) as obj:
        translate(0, 0, 2000)
    with scene.selected(STEP):
        bpy.ops.mesh.duplicate()
        translate(0, 0, 20)
    scene.edit()
    (told,) = [line for line in scene.report.issues() if "nobody meets" in line.message]
    assert told.message.startswith(f"{obj.name}: 1 brush lies wholly in others or outside of the map")
    assert [(each.name, len(faces)) for each, faces in told.faces.items()] == [(obj.name, 6)]


def test_of_a_moved_ladder_it_is_told_what_stays() -> None:
    level = source.read(HALL)
    box = zip(("mins.x", "mins.y", "mins.z", "maxs.x", "maxs.y", "maxs.z"), sum(BOXES[LADDER], ()), strict=True)
    level.entities.append(source.Entity([("classname", "info_ladder"), *((key, str(value)) for key, value in box)]))
    scene = World(source.write(level))
    with scene.selected(LADDER):
        translate(8, 0, 0)
    scene.edit()
    number = len(level.entities) - 1
    assert any(f"(entity {number}; mins.x to maxs.z) doesn't follow" in line for line in scene.report.warnings)


def test_a_deleted_brush_that_has_to_stay_is_named_by_the_object_that_it_was_in() -> None:
    scene = World(source.write(source.read(bytes(source.write(source_rooms.rooms())))))
    obj = scene.object_of(source_rooms.WEST_WALL)
    with scene.selected(source_rooms.WEST_WALL):
        bpy.ops.mesh.delete(type="FACE")
    with pytest.raises(SceneError, match="leak") as error:
        scene.edit()
    assert [each.name for each in error.value.objects] == [obj.name] and str(error.value).startswith(f"{obj.name}: ")
