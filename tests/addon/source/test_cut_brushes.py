# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes that are cut apart in Blender: a hole in one, others taken out, and what a map has of it."""

from collections.abc import Sequence

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.tree import brushes

from tests.addon.source.worlds import HALL, UNIT, World, bounds
from tests.formats import source_door
from tests.formats.source_hall import BOXES, CRATE, STEP
from tests.formats.source_points import Space

LOW, HIGH = np.array(BOXES[CRATE], np.float64)


def cube(low: Sequence[float], high: Sequence[float], name: str = "hole") -> bpy.types.Object:
    """A box between two corners, units, as an artist adds one: no part of the level."""
    middle, size = (np.add(low, high)) / 2, np.subtract(high, low)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.mesh.primitive_cube_add(size=1, location=tuple(middle * UNIT), scale=tuple(size * UNIT))
    made = bpy.context.object
    made.name = name
    return made


def chosen(*others: bpy.types.Object, active: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in (*others, active):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = active


def solid(level: source.Level, points: Sequence[Sequence[float]]) -> list[bool]:
    return (Space(level).contents(np.array(points, np.float64)) & 1 != 0).tolist()


def textures(level: source.Level, brush: int) -> list[str]:
    """The texture of each side of a brush that has one."""
    row = level.table(LumpId.BRUSHES)[brush]
    first = int(row["firstside"])
    sides = level.table(LumpId.BRUSHSIDES)[first : first + int(row["numsides"])]
    data = level.table(LumpId.TEXDATA)["name_string_table_id"][level.table(LumpId.TEXINFO)["texdata"][sides["texinfo"]]]
    return [level.texture_names.names[number] for number in data.tolist()]


def test_a_door_is_cut_out_of_a_brush() -> None:
    """Through the crate, from its floor upwards: two posts and a lintel, and a way in between."""
    scene = World()
    obj = scene.object_of(CRATE)
    hole = cube((LOW[0] - 8, LOW[1] + 16, LOW[2] - 8), (HIGH[0] + 8, HIGH[1] - 16, LOW[2] + 48))
    chosen(hole, active=obj)
    # the floor below is in the same object: the hole reaches 8 units into it
    assert bpy.ops.levelwright.source_cut_brushes() == {"FINISHED"}
    assert "hole" not in bpy.data.objects
    made = scene.edit()
    middle = (LOW + HIGH) / 2
    inside = (middle[0], middle[1], LOW[2] + 24)
    assert solid(source.read(HALL), [inside]) == [True]
    assert solid(made, [inside, (middle[0], LOW[1] + 8, 8), (middle[0], HIGH[1] - 8, 8), (*middle[:2], 56)]) == [
        *(False, True, True, True)
    ]
    assert bounds(made, STEP) == [list(map(float, corner)) for corner in BOXES[STEP]]


def test_what_does_not_reach_into_a_brush_cuts_nothing() -> None:
    scene = World()
    obj = scene.object_of(CRATE)
    hole = cube((LOW[0] + 8, LOW[1] + 8, HIGH[2]), (HIGH[0] - 8, HIGH[1] - 8, HIGH[2] + 32))
    chosen(hole, active=obj)
    assert bpy.ops.levelwright.source_cut_brushes() == {"CANCELLED"}
    assert "hole" in bpy.data.objects
    bpy.data.objects.remove(hole)
    assert source.write(scene.edit()) == HALL


def test_brushes_of_entities_are_cut_when_they_are_meant() -> None:
    """They lie among the others; in a map their own mesh is what shapes them."""
    level = source_door.with_door()
    scene = World(source.write(level))
    number = int(np.flatnonzero(brushes.of_models(level) > 0)[0])
    obj = scene.object_of(number)
    points = [v.co[:] for v in obj.data.vertices for f in obj.data.polygons if v.index in f.vertices
              and obj.data.attributes[layout.BRUSH].data[f.index].value == number + 1]  # fmt: skip
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    hole = cube((low[0] - 8, *(low[1:] + 1)), (high[0] + 8, *(high[1:] - 1)))
    count = len(obj.data.polygons)
    chosen(hole, active=obj)
    bpy.ops.levelwright.source_cut_brushes(keep=True)
    assert number + 1 in {one.value for one in obj.data.attributes[layout.BRUSH].data}
    chosen(hole, active=obj)
    assert bpy.ops.levelwright.source_cut_brushes(entities=True) == {"FINISHED"}
    assert len(obj.data.polygons) > count
    with pytest.raises(SceneError, match=f"brushes of entities were edited .{number}"):
        scene.edit()


def test_textures_stay_where_they_were() -> None:
    """Sides that are left keep theirs, bit for bit; cuts have the material of what cut them."""
    scene = World()
    obj = scene.object_of(CRATE)
    hole = cube((LOW[0] + 16, LOW[1] + 16, LOW[2] + 32), (HIGH[0] - 16, HIGH[1] - 16, HIGH[2] + 8))
    hole.data.materials.append(bpy.data.materials.new("brick/red"))
    chosen(hole, active=obj)
    assert bpy.ops.levelwright.source_cut_brushes(keep=True) == {"FINISHED"}
    assert "hole" in bpy.data.objects
    before, made = source.read(HALL), scene.edit()
    new = [n for n in range(len(made.table(LumpId.BRUSHES))) if n == CRATE or n >= len(before.table(LumpId.BRUSHES))]
    assert len(new) == 5
    assert {name for brush in new for name in textures(made, brush)} == {*textures(before, CRATE), "brick/red"}
    rows = {row.tobytes() for row in before.table(LumpId.TEXINFO)["texture_vecs"]}
    now = made.table(LumpId.TEXINFO)
    red = made.texture_names.names.index("brick/red")
    names = made.table(LumpId.TEXDATA)["name_string_table_id"][now["texdata"]]
    assert all(row["texture_vecs"].tobytes() in rows for row, name in zip(now, names, strict=True) if name != red)


def test_a_hole_by_blenders_boolean_is_split() -> None:
    """And Check Export offers it, with the faces selected."""
    scene = World()
    obj = scene.object_of(CRATE)
    with scene.selected(CRATE):
        bpy.ops.mesh.separate(type="SELECTED")
    crate = next(one for one in bpy.context.selected_objects if one != obj)
    hole = cube((LOW[0] - 8, LOW[1] + 16, LOW[2] - 8), (HIGH[0] + 8, HIGH[1] - 16, LOW[2] + 48))
    chosen(active=crate)
    modifier = crate.modifiers.new("Boolean", "BOOLEAN")
    modifier.object, modifier.operation, modifier.solver = hole, "DIFFERENCE", "EXACT"
    bpy.ops.object.modifier_apply(modifier="Boolean")
    bpy.data.objects.remove(hole)
    with pytest.raises(SceneError, match="not convex") as caught:
        scene.edit()
    assert caught.value.mend == layout.SPLIT_BRUSHES and any(map(len, caught.value.faces.values()))
    chosen(active=crate)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    assert bpy.ops.levelwright.source_split_brushes() == {"CANCELLED"}
    form = bmesh.from_edit_mesh(crate.data)
    form.faces.ensure_lookup_table()
    form.faces[0].select_set(True)
    assert bpy.ops.levelwright.source_split_brushes() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    made = scene.edit()
    middle = (LOW + HIGH) / 2
    assert solid(made, [(middle[0], middle[1], 24), (middle[0], LOW[1] + 8, 8), (*middle[:2], 56)]) == [
        *(False, True, True)
    ]
    assert bpy.ops.levelwright.source_split_brushes() == {"CANCELLED"}


def test_what_is_no_brush_is_refused() -> None:
    scene = World()
    hole = cube((0, 0, 0), (8, 8, 8))
    chosen(active=hole)
    with pytest.raises(RuntimeError, match="make the object with the brushes active"):
        bpy.ops.levelwright.source_cut_brushes()
    with pytest.raises(RuntimeError, match="none of the brushes is selected"):
        bpy.ops.levelwright.source_split_brushes()
    obj = scene.object_of(CRATE)
    chosen(active=obj)
    with pytest.raises(RuntimeError, match="select what cuts"):
        bpy.ops.levelwright.source_cut_brushes()
    hole.data.polygons[0].vertices[0] = hole.data.polygons[0].vertices[1]
    chosen(hole, active=obj)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = hole
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = obj
    with pytest.raises(RuntimeError, match="hole can't cut"):
        bpy.ops.levelwright.source_cut_brushes()
    assert identity.kind_of(obj) == layout.BRUSHES
