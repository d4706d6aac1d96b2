# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks of Genesis3D levels in Blender: found, drawn, written; and the faces that nobody sees."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout, leaks
from levelwright.addon.scene import leaks as shared
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, part, reopened
from tests.formats import genesis_bytes
from tests.formats.genesis_3dt_text import entity, group, hollow
from tests.formats.genesis_3dt_text import level as editor_level
from tests.formats.solid_worlds import room
from tests.samples import genesis_room


def room_map(pillar: bool = False) -> bytes:
    """A sealed room of six walls, with a lamp in it, and a pillar from the floor to the ceiling (y is up)."""
    boxes = [(tuple(low), tuple(high)) for low, high in room()]
    if pillar:
        boxes.append(((-8, -128, 24), (8, 128, 40)))
    made = [genesis_bytes.brush(genesis_bytes.box(low, high)) for low, high in boxes]
    kinds = genesis_bytes.typedef("light", genesis_bytes.LIGHT)
    return genesis_bytes.level([genesis_bytes.entity(made), genesis_bytes.light("10 20 -30"), kinds])


def active(data: bytes, name: str = "room.map", **options: object) -> bpy.types.Collection:
    level = imported(data, name, **options)
    originals.make_active(bpy.context, level)
    return level


def selected() -> list[str]:
    return sorted(obj.name for obj in bpy.context.view_layer.objects if obj.select_get())


def test_a_sealed_level_has_no_curve():
    level = active(room_map())
    assert bpy.ops.levelwright.genesis_find_leaks() == {"FINISHED"}
    assert shared.curve_of(level) is None
    text = bpy.data.texts[f"{level.name} leaks"].as_string()
    assert text.startswith(f"{level.name} is sealed: 6 brushes that seal") and "faces towards the void" in text


@pytest.mark.parametrize("wall", range(6))
def test_a_wall_that_is_gone_is_found_and_drawn(wall):
    data = room_map()
    level = active(data)
    bpy.data.objects.remove(brush(level, wall))
    before = exported(level)
    assert bpy.ops.levelwright.genesis_find_leaks() == {"FINISHED"}
    curve, lamp = shared.curve_of(level), part(level, layout.ENTITY, 1)
    line = shared.line_of(curve)
    assert line[0].tolist() == [10, 30, 20] and len(line) == 2  # in Blender's axes, from the lamp straight out
    axis, sign = divmod(wall, 2)
    out = layout.from_blender(line[1])[axis] * (1 - 2 * sign)
    assert out > 128
    assert selected() == sorted([curve.name, lamp.name]) and curve.parent == lamp.parent
    said = bpy.data.texts[f"{level.name} leaks"].as_string()
    assert "warning: entity 1 (light, light1): leaks: from (10, 20, -30)" in said
    assert exported(level) == before  # the curve is for show


def test_the_curve_goes_again_and_is_drawn_anew():
    level = active(room_map())
    wall = brush(level, 2)
    wall.location.z += 300
    bpy.ops.levelwright.genesis_find_leaks()
    bpy.ops.levelwright.genesis_find_leaks()
    assert len([obj for obj in level.all_objects if obj.get(shared.LEAK)]) == 1
    assert bpy.ops.levelwright.genesis_remove_leak() == {"FINISHED"}
    assert shared.curve_of(level) is None and not bpy.data.curves
    assert not bpy.ops.levelwright.genesis_remove_leak.poll()
    assert not bpy.ops.levelwright.genesis_write_leak.poll()
    bpy.ops.levelwright.genesis_find_leaks()
    wall.location.z -= 300
    bpy.ops.levelwright.genesis_find_leaks()
    assert shared.curve_of(level) is None


def test_finding_a_leak_can_be_undone():
    level = active(room_map())
    bpy.data.objects.remove(brush(level, 0))
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.levelwright.genesis_find_leaks()
    bpy.ops.ed.undo_push(message="after")
    assert bpy.data.curves
    bpy.ops.ed.undo()
    assert not bpy.data.curves


def test_the_leak_is_written_as_the_compiler_writes_it(tmp_path):
    level = active(room_map())
    bpy.data.objects.remove(brush(level, 0))
    bpy.ops.levelwright.genesis_find_leaks()
    path = tmp_path / "room.Pnt"
    assert bpy.ops.levelwright.genesis_write_leak(filepath=str(tmp_path / "room.map")) == {"FINISHED"}
    data = path.read_bytes()
    assert data[:8] == b"LEAK\2\0\0\0"
    assert np.frombuffer(data[8:20], "<f4").tolist() == [10, 20, -30]
    with pytest.raises(RuntimeError, match="no file to write it to"):
        bpy.ops.levelwright.genesis_write_leak(filepath="")


def test_a_leak_survives_saving_and_is_still_for_show(tmp_path):
    data = room_map()
    level = active(data)
    shared._draw(level, next(obj for obj in level.objects if obj.type == "EMPTY"), layout.PREVIEW, np.zeros((2, 3)))
    level = reopened(level, tmp_path)
    assert shared.curve_of(level) is not None and exported(level) == data


def test_faces_that_nobody_sees_are_selected():
    level = active(room_map(pillar=True))
    assert bpy.ops.levelwright.genesis_select_hidden() == {"FINISHED"}
    pillar = brush(level, 6)
    hidden = {tuple(face.normal) for face in pillar.data.polygons if face.select}
    assert {tuple(np.round(one).tolist()) for one in hidden} == {(0, 0, 1), (0, 0, -1)}  # its ends
    for wall in range(6):
        shown = [face for face in brush(level, wall).data.polygons if not face.select]
        assert len(shown) == 1
    assert len(selected()) == 7
    assert exported(level) == room_map(pillar=True)


def test_what_moves_and_what_is_changed_by_modifiers_is_left_alone():
    data = genesis_room.MAP.read_bytes()
    level = active(data, "genesis_room.map")
    found = shared.hidden(bpy.context, level, leaks.FINDER, Report())
    objects = [shown.object for shown, _ in found]
    assert objects and not any(layout.MODEL in str(obj.parent) for obj in objects)
    objects[0].modifiers.new("Bevel", "BEVEL").width = 0.001
    again = shared.hidden(bpy.context, level, leaks.FINDER, Report())
    assert objects[0] not in [shown.object for shown, _ in again]


def test_a_hollow_brush_of_the_editor_is_sealed():
    lamp = entity([("classname", "light"), ("origin", "0 0 0")])
    text = editor_level((1, 31), [hollow("room", (-128,) * 3, (128,) * 3)], [lamp], groups=[group("Default", 0)])
    level = active(text.encode("latin-1"), "room.3dt")
    assert bpy.ops.levelwright.genesis_find_leaks() == {"FINISHED"}
    assert shared.curve_of(level) is None
    lamp = part(level, layout.ENTITY, 0)
    lamp.location.x = 200
    bpy.ops.levelwright.genesis_find_leaks()
    assert shared.line_of(shared.curve_of(level))[0].tolist() == [200, 0, 0]
    assert isinstance(genesis.read(exported(level)), genesis.Level3dt)
