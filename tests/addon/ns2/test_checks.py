# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what to look at before a level is used: faces that overlap or cover nothing, spawns in no location."""

from itertools import pairwise

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import edited, exported, faces, geometry, imported
from tests.addon.ns2.test_as_expected import with_unshown
from tests.samples import ns2_room

ROOM = ns2_room.LEVEL.read_bytes()


def found(level: bpy.types.Collection) -> dict[str, list[str]]:
    """The lines of an export, with the objects that they select."""
    report = Report()
    exported(level, report)
    findings.keep(level, report.findings)
    return {line.message: line.objects for line in findings.kept(level)}


def test_a_sound_level_has_nothing_to_look_at():
    assert found(imported(ROOM)) == {}


def test_spawns_and_points_outside_of_every_location_are_named():
    level = imported(ROOM)
    location = next(obj for obj in level.all_objects if obj.get("class_name") == "location")
    location.location.x += 3  # 3 of 6 m along the room: the spawn is at 1, the resource point at 5
    assert found(level) == {"1 entity outside of every location: ready_room_start": ["ready_room_start"]}
    location.location.x -= 3
    location.rotation_euler.z = np.pi / 4  # its corners stand out of the walls, those of the room out of it
    names = ["ready_room_start", "resource_point"]
    assert found(level) == {"2 entities outside of every location: ready_room_start, resource_point": names}
    bpy.data.objects.remove(location)
    assert found(level) == {"2 entities outside of every location: ready_room_start, resource_point": names}


def moved_copy(level: bpy.types.Collection, record: int, by: tuple[float, float, float]) -> None:
    with edited(geometry(level)) as mesh:
        made = bmesh.ops.duplicate(mesh, geom=faces(mesh, record))["geom"]
        bmesh.ops.translate(mesh, verts=[one for one in made if isinstance(one, bmesh.types.BMVert)], vec=by)


def test_faces_over_others_in_their_plane_are_selected_by_the_button():
    level = imported(ROOM)
    bottom = next(n for n, points in enumerate(corners_of(ROOM)) if (points[:, 1] == -1).all())
    moved_copy(level, bottom, (0.25, 0.25, 0))
    assert found(level) == {"2 faces lie over others in the same plane: that will flicker": ["Geometry"]}
    bpy.context.view_layer.update()
    findings.select(bpy.context, level, findings.kept(level)[:1])
    obj = geometry(level)
    obj.update_from_editmode()
    chosen = [polygon for polygon in obj.data.polygons if polygon.select]
    assert len(chosen) == 2
    assert {round(obj.data.vertices[polygon.vertices[0]].co.z, 3) for polygon in chosen} == {-1}


def corners_of(data: bytes) -> list[np.ndarray]:
    mesh = ns2.read(data).mesh
    starts = mesh.faces.loop_members[mesh.faces.face_loops]
    return [mesh.positions[mesh.corners[a:b]] for a, b in pairwise(starts)]


@pytest.mark.parametrize("by", [(0, 2, 0), (0, 0, 0.01)], ids=["beside", "above"])
def test_faces_that_touch_or_lie_above_others_dont_overlap(by):
    level = imported(ROOM)
    bottom = next(n for n, points in enumerate(corners_of(ROOM)) if (points[:, 1] == -1).all())
    moved_copy(level, bottom, by)
    assert found(level) == {}


def test_a_face_that_looks_the_other_way_is_no_overlap():
    level = imported(ROOM)
    bottom = next(n for n, points in enumerate(corners_of(ROOM)) if (points[:, 1] == -1).all())
    moved_copy(level, bottom, (0, 0, 0))
    with edited(geometry(level)) as mesh:
        twin = faces(mesh, bottom)
        bmesh.ops.reverse_faces(mesh, faces=twin[1:])
    assert found(level) == {}


def test_faces_without_area_are_told_also_those_that_are_not_shown():
    lines = found(imported(with_unshown()))
    (flat,) = [line for line in lines if "no area" in line]
    assert flat == "1 face has no area; not shown in Blender: 1"
