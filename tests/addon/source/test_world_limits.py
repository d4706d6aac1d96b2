# SPDX-License-Identifier: GPL-3.0-or-later
"""What would be more than a map can have is refused by name, with what was drawn: by exports and by checks of them."""

import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.reports import LevelFinding, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.collecting.growth import LumpGrowth
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, copied
from tests.addon.source.worlds import HALL, World, translate
from tests.formats import source_rooms
from tests.formats.source_hall import BOXES, CRATE, LADDER, STEP

E = LumpId
SAMPLE = Path(__file__).parents[2] / "samples" / "source_room.bsp"
DRAWN = (E.PLANES, E.BRUSHES, E.BRUSHSIDES, E.LEAFFACES, E.FACES, E.VERTEXES, E.EDGES, E.SURFEDGES)
"""What one more brush grows, and one more model."""
MOST = sys.modules["levelwright.formats.source.check"].MOST_RECORDS
MOST_BYTES = sys.modules["levelwright.formats.source.check"].MOST_BYTES


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


def too_much(monkeypatch: pytest.MonkeyPatch, *lumps: LumpId, data: bytes = HALL) -> None:
    """Have maps have no more bytes of lumps than one has."""
    for lump in lumps:
        monkeypatch.setitem(MOST_BYTES, lump, len(source.read(data).bytes_of(lump)))


def told(scene: World, lump: LumpId) -> LevelFinding:
    (line,) = [line for line in scene.report.issues() if f"({lump.name})" in line.message]
    assert "usual compilers allow" in line.message
    return line


def test_light_of_brushes_that_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning names what has most of it, and selects the faces of those brushes."""
    too_much(monkeypatch, E.LIGHTING, E.LIGHTING_HDR)
    scene = World()
    with scene.selected(CRATE) as obj:
        bpy.ops.mesh.duplicate()
        translate(0.5, 128, 0)
    level = scene.edit()
    assert len(level.bytes_of(E.LIGHTING)) > MOST_BYTES[E.LIGHTING]
    for lump in (E.LIGHTING, E.LIGHTING_HDR):
        line = told(scene, lump)
        assert line.message.endswith(f"most of what is new is of {obj.name}") and line.objects == (obj,)
        assert [len(faces) for faces in line.faces.values()] == [6]


def test_light_of_entities_and_of_brushes_that_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with most come first."""
    too_much(monkeypatch, E.LIGHTING)
    scene = World()
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    made = bpy.context.active_object
    made.scale = (4, 4, 4)
    with scene.selected(CRATE) as obj:
        bpy.ops.mesh.duplicate()
        translate(0.5, 128, 0)
    scene.edit()
    assert told(scene, E.LIGHTING).objects == (made, obj)
    assert not [line for line in scene.report.issues() if "LIGHTING_HDR" in line.message]


def test_light_of_what_was_made_larger_that_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    too_much(monkeypatch, E.LIGHTING)
    scene = World()
    with scene.selected(CRATE) as obj:
        bpy.ops.transform.resize(value=(1, 1, 3))
    scene.edit()
    assert told(scene, E.LIGHTING).objects == (obj,)


def test_visibility_that_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """What opened is named. (Of so few clusters the lump doesn't grow.)"""
    named: list[tuple[LumpId, list[bpy.types.Object]]] = []
    monkeypatch.setattr(LumpGrowth, "too_large", staticmethod(lambda _level, _before: {E.VISIBILITY: 8}))
    monkeypatch.setattr(LumpGrowth, "blame", lambda _, lump, _size, objects, _faces=None: named.append((lump, objects)))
    scene = World(source.write(source.read(bytes(source.write(source_rooms.rooms())))))
    with scene.selected(source_rooms.DIVIDER) as obj:
        bpy.ops.transform.resize(value=(0.5, 1, 0.5))
    scene.edit()
    assert named == [(E.VISIBILITY, [obj])]


def other_uvs(scene: Scene) -> bpy.types.Object:
    obj = scene.objects(layout.MODEL)[0]
    for corner in obj.data.polygons[0].loop_indices:
        obj.data.uv_layers[0].data[corner].uv.x += 0.3
    return obj


def other_material(scene: Scene) -> bpy.types.Object:
    obj = scene.objects(layout.MODEL)[0]
    obj.data.materials.append(bpy.data.materials.new("room/other"))
    obj.data.polygons[0].material_index = len(obj.data.materials) - 1
    return obj


def a_copy(kind: str) -> Callable[[Scene], bpy.types.Object]:
    def edit(scene: Scene) -> bpy.types.Object:
        made = copied(next(iter(scene.objects(kind).values())))
        made.location.x += 0.2
        return made

    return edit


@pytest.mark.parametrize(
    ("lump", "edit"),
    [
        (E.TEXINFO, other_uvs),
        (E.TEXINFO, other_material),
        (E.TEXDATA, other_material),
        (E.WORLDLIGHTS, a_copy(layout.WORLDLIGHT)),
        (E.WORLDLIGHTS_HDR, a_copy(layout.WORLDLIGHT)),
        (E.OVERLAYS, a_copy(layout.OVERLAY)),
        (E.CUBEMAPS, a_copy(layout.CUBEMAP)),
    ],
)
def test_what_else_can_be_too_many(
    lump: LumpId, edit: Callable[[Scene], bpy.types.Object], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene()
    full(monkeypatch, lump, scene.data)
    obj = edit(scene)
    with pytest.raises(SceneError, match=rf"\({lump.name}\) would have") as error:
        scene.export()
    assert error.value.objects == [obj]
