# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of a map edited straight from its faces, by Blender's operators: which brushes follow, what is refused."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from mathutils import Vector

from tests.addon.source.worlds import HALL, UNIT, World, bounds, editing, translate
from tests.formats.source_hall import BOXES, CRATE, STEP

FLOOR = -1
"""In place of a box: the floor of the hall."""


class Hall(World):
    """The hall, and its faces."""

    @property
    def world(self) -> bpy.types.Object:
        return self.objects(layout.MODEL)[0]

    @contextmanager
    def faces(self, box: int, chosen: Callable[[bpy.types.MeshPolygon], bool] = lambda _: True) -> Iterator[None]:
        """Edit Mode on the world with the faces of a brush selected."""
        low, high = (Vector(corner) for corner in (BOXES[box] if box != FLOOR else ((-512, -512, 0), (512, 512, 0))))
        obj = next(
            obj
            for obj in self.level.all_objects
            if obj.type == "MESH" and layout.TEXINFO in obj.data.attributes and obj.name.startswith("World")
        )
        wanted = [
            all(
                lo - 0.1 <= c <= hi + 0.1
                for v in face.vertices
                for lo, c, hi in zip(low, obj.data.vertices[v].co, high, strict=True)
            )
            and chosen(face)
            for face in obj.data.polygons
        ]
        assert any(wanted)
        with editing(obj, wanted):
            yield


def up(face: bpy.types.MeshPolygon) -> bool:
    return face.normal.z > 0.99


def test_a_top_raised() -> None:
    scene = Hall()
    with scene.faces(CRATE, up):
        translate(0, 0, 32)
    made = scene.edit()
    assert bounds(made, CRATE) == [[128, 128, 0], [192, 192, 96]]
    assert [n for n in range(10) if n != CRATE and bounds(made, n) != bounds(source.read(HALL), n)] == []


def test_all_faces_of_a_brush_moved_take_what_is_hidden_along() -> None:
    scene = Hall()
    with scene.faces(CRATE):
        translate(32, 0, 48)
    made = scene.edit()
    assert bounds(made, CRATE) == [[160, 128, 48], [224, 192, 112]]
    normals = made.table(LumpId.PLANES)["normal"][made.table(LumpId.FACES)["planenum"].astype(np.int64)]
    assert (normals[:, 2] < -0.99).sum() > 1  # its bottom has come to be seen


def test_a_brush_turned_and_scaled_by_its_faces() -> None:
    scene = Hall()
    with scene.faces(CRATE):
        bpy.ops.transform.rotate(value=np.radians(45), orient_axis="Z")
    low, high = np.array(bounds(scene.edit(), CRATE))
    assert np.allclose(high - low, [64 * 2**0.5, 64 * 2**0.5, 64], atol=0.02)
    scene = Hall()
    with scene.faces(CRATE):
        bpy.ops.transform.resize(value=(2, 1, 1))
    assert bounds(scene.edit(), CRATE) == [[96, 128, 0], [224, 192, 64]]


def test_a_face_extruded() -> None:
    scene = Hall()
    with scene.faces(CRATE, lambda face: face.normal.x > 0.99):
        bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (16 * UNIT, 0, 0)})
    assert bounds(scene.edit(), CRATE) == [[128, 128, 0], [208, 192, 64]]


def test_a_face_extruded_whose_side_reaches_into_the_floor() -> None:
    """What the floor hides of the side goes along, and the wall of the extrusion that lies within the brush is none."""
    scene = World()
    with scene.selected(CRATE):
        translate(0, 0, -8)
    sunk = source.write(scene.edit())
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = Hall(sunk)
    with scene.faces(CRATE, lambda face: face.normal.x > 0.99):
        bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (16 * UNIT, 0, 0)})
    assert bounds(scene.edit(), CRATE) == [[128, 128, -8], [208, 192, 56]]


def test_a_face_extruded_to_where_no_brush_can_be() -> None:
    scene = Hall()
    with scene.faces(CRATE, lambda face: face.normal.x > 0.99):
        bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (16 * UNIT, 0, 0)})
        bpy.ops.transform.resize(value=(1, 0.5, 0.5))
    with pytest.raises(SceneError, match="collection Brushes") as caught:
        scene.edit()
    assert any(len(faces) for faces in caught.value.faces.values())


def test_all_faces_of_a_brush_deleted() -> None:
    scene = Hall()
    with scene.faces(CRATE):
        bpy.ops.mesh.delete(type="FACE")
    made = scene.edit()
    assert int(made.table(LumpId.BRUSHES)["numsides"][CRATE]) == 0
    assert scene.report.counts["brushes of the world deleted"] == 1


def test_some_faces_of_a_brush_deleted_are_refused() -> None:
    scene = Hall()
    with scene.faces(CRATE, up):
        bpy.ops.mesh.delete(type="FACE")
    with pytest.raises(SceneError, match="delete all of them and the brush goes") as caught:
        scene.edit()
    assert sum(len(faces) for faces in caught.value.faces.values()) == 4


def test_a_top_made_smaller_slants_the_sides() -> None:
    scene = Hall()
    with scene.faces(STEP, up):
        bpy.ops.transform.resize(value=(0.5, 0.5, 1))
    made = scene.edit()
    assert bounds(made, STEP) == bounds(source.read(HALL), STEP)
    normals = made.table(LumpId.PLANES)["normal"][made.table(LumpId.FACES)["planenum"].astype(np.int64)]
    assert ((normals[:, 2] > 0.01) & (normals[:, 2] < 0.99)).sum() == 4


def test_a_part_of_a_side_moved_in_its_own_plane_is_refused() -> None:
    scene = Hall()
    with scene.faces(FLOOR, lambda face: up(face) and face.center.x < -128 and face.center.y < -128):
        bpy.ops.transform.resize(value=(0.5, 0.5, 1))
    with pytest.raises(SceneError, match=r"isn't convex|comes away") as caught:
        scene.edit()
    assert any(len(faces) for faces in caught.value.faces.values())


def test_a_part_of_a_side_raised_is_refused() -> None:
    scene = Hall()
    with scene.faces(FLOOR, lambda face: up(face) and face.center.x < -128 and face.center.y < -128):
        translate(0, 0, 8)
    with pytest.raises(SceneError, match="edit the brush itself, in the collection Brushes"):
        scene.edit()


def test_a_part_of_a_side_extruded_is_refused() -> None:
    """It would make an L of the floor, which is no brush: the error says what is one, with the faces selected."""
    scene = Hall()
    with scene.faces(FLOOR, lambda face: up(face) and face.center.x < -128 and face.center.y < -128):
        bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (0, 0, 16 * UNIT)})
    with pytest.raises(SceneError, match="collection Brushes") as caught:
        scene.edit()
    assert any(len(faces) for faces in caught.value.faces.values())


def test_faces_and_brush_edited_both_are_refused() -> None:
    scene = Hall()
    with scene.faces(CRATE, up):
        translate(0, 0, 32)
    with scene.selected(CRATE):
        translate(8, 0, 0)
    with pytest.raises(SceneError, match="so were their faces"):
        scene.edit()


def test_without_the_option_the_faces_are_refused() -> None:
    scene = Hall()
    with scene.faces(CRATE, up):
        translate(0, 0, 32)
    with pytest.raises(SceneError, match="its option World on Edit"):
        scene.export()


def test_a_texture_on_a_face_that_stays_beside_one_that_moves() -> None:
    scene = Hall()
    with scene.faces(CRATE, up):
        translate(0, 0, 32)
    material = bpy.data.materials.new("brick/red")
    with scene.faces(STEP, up):
        obj = bpy.context.object
        obj.data.materials.append(material)
        obj.active_material_index = len(obj.data.materials) - 1
        bpy.ops.object.material_slot_assign()
    made = scene.edit()
    assert "brick/red" in made.texture_names.names
    assert bounds(made, CRATE)[1][2] == 96
    assert scene.report.counts["faces with another texture"] > 0
