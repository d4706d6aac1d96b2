# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces: what they do to UVs arrives in the file, as angle, scale and offset."""

import struct

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import exported, geometry, imported
from tests.addon.ns2.test_as_expected import USUAL, cube
from tests.addon.ns2.test_lists import editing
from tests.formats.ns2_bytes import whole
from tests.formats.ns2_reread import Face, Reread, reread
from tests.samples import ns2_room

ROOM = ns2_room.LEVEL.read_bytes()
NORTH = next(n for n, face in enumerate(reread(ROOM).faces) if len(face.loops) == 3 and "wall" in face.material)
"""The wall with two windows."""


def numbers(face: Face) -> np.ndarray:
    """Angle, offset and scale."""
    return np.array(struct.unpack("<5f", struct.pack("<5I", *face.texture)))


def gradients(made: Reread, face: Face) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How u and v grow on an upright face, and the coordinates of its corners: by ns2.md §8, worked out here."""
    angle, *rest = numbers(face)
    points = np.array([made.vertices[vertex] for vertex in face.loops[0]], np.float64)
    normal = sum(np.cross(points[k - 1], points[k]) for k in range(len(points)))
    normal /= np.linalg.norm(normal)
    right = np.cross((0, 1, 0), normal)
    right /= np.linalg.norm(right)
    up = np.cross(normal, right)
    u = (np.cos(angle) * right - np.sin(angle) * up) * rest[2]
    v = (np.sin(angle) * right + np.cos(angle) * up) * rest[3]
    return u, v, np.stack([points @ u + rest[0], points @ v - rest[1]], axis=1)


def after(face: int, operator: str, data: bytes = ROOM, **options: object) -> tuple[Reread, Face]:
    """A level after a tool was used on one face; asserts that no other one changed."""
    level = imported(data, invisible="show")
    with editing(geometry(level), {face}):
        assert getattr(bpy.ops.levelwright, f"ns2_texture_{operator}")(**options) == {"FINISHED"}
    made, before = reread(exported(level)), reread(data)
    changed = [n for n, (a, b) in enumerate(zip(made.faces, before.faces, strict=True)) if a != b]
    assert changed == [face]
    assert (made.vertices, made.edges, made.groups) == (before.vertices, before.edges, before.groups)
    return made, made.faces[face]


def test_a_texture_fits_a_face_with_windows_as_often_as_wanted():
    made, face = after(NORTH, "fit", repeats=(3.0, 2.0))
    _, _, uv = gradients(made, face)
    assert uv.min(axis=0) == pytest.approx((0, 0), abs=1e-5)
    assert uv.max(axis=0) == pytest.approx((3, 2), abs=1e-5)


def test_a_quarter_turn_keeps_scale_and_middle():
    before = reread(ROOM)
    face = after(NORTH, "turn")[1]
    assert np.abs(numbers(face)[3:]) == pytest.approx(np.abs(numbers(before.faces[NORTH])[3:]), abs=1e-6)
    turn = numbers(face)[0] - numbers(before.faces[NORTH])[0]
    assert np.cos(turn) == pytest.approx(0, abs=1e-6)


def test_a_face_with_windows_is_laid_as_one_though_a_click_selects_a_part_of_it():
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), {NORTH}) as mesh:
        parts = [face for face in mesh.faces if face.select]
        assert len(parts) == 2
        parts[0].select_set(False)
        bpy.ops.levelwright.ns2_texture_shift(by=(0.5, 0.0))
    made = reread(exported(level)).faces
    assert [n for n, (a, b) in enumerate(zip(made, reread(ROOM).faces, strict=True)) if a != b] == [NORTH]


def test_four_quarter_turns_are_none():
    before, level = reread(ROOM), imported(ROOM, invisible="show")
    with editing(geometry(level), {NORTH}):
        for _ in range(4):
            bpy.ops.levelwright.ns2_texture_turn()
    again = numbers(reread(exported(level)).faces[NORTH])
    assert again == pytest.approx(numbers(before.faces[NORTH]), abs=2e-5)


def test_a_shift_is_an_offset_and_nothing_else():
    before = numbers(reread(ROOM).faces[NORTH])
    now = numbers(after(NORTH, "shift", by=(0.5, 0.0))[1])
    assert now[[0, 3, 4]].tolist() == before[[0, 3, 4]].tolist()
    assert now[1:3] - before[1:3] == pytest.approx((-0.5, 0), abs=1e-6)


def test_a_shift_is_exact_where_no_flat_texture_gives_what_there_is():
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), {NORTH}) as mesh:
        layer, ids = mesh.loops.layers.uv["UVMap"], mesh.faces.layers.int["record_id"]
        corners = [corner for face in mesh.faces if face[ids] == NORTH + 1 for corner in face.loops]
        corners[0][layer].uv.x += 0.125
        before = [corner[layer].uv.copy() for corner in corners]
        bpy.ops.levelwright.ns2_texture_shift(by=(0.25, -0.5))
        layer = mesh.loops.layers.uv["UVMap"]
        moved = [corner[layer].uv - was for corner, was in zip(corners, before, strict=True)]
    assert np.allclose(moved, (-0.25, 0.5), atol=1e-6)


def test_a_texture_is_aligned_to_the_longest_edge():
    pane = next(n for n, one in enumerate(reread(ROOM).faces) if "pane" in one.material)
    face = after(pane, "align", to="EDGE")[1]
    assert numbers(face)[0] == pytest.approx(0, abs=1e-5)
    assert numbers(face)[3:] == pytest.approx((0.75, 0.75), abs=1e-6)


def walls() -> tuple[int, int]:
    """Two plain walls of the room that share an edge."""
    faces = reread(ROOM).faces
    found = [n for n, face in enumerate(faces) if "wall" in face.material and len(face.loops) == 1 and face.group > 99]
    return next((a, b) for a in found for b in found if a < b and len({*faces[a].loops[0]} & {*faces[b].loops[0]}) == 2)


def test_a_texture_runs_on_from_the_active_face():
    source, other = walls()
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), {source, other}) as mesh:
        ids = mesh.faces.layers.int["record_id"]
        mesh.faces.active = next(face for face in mesh.faces if face[ids] == source + 1)
        bpy.ops.levelwright.ns2_texture_turn(angle=0.3)
        assert bpy.ops.levelwright.ns2_texture_align(to="NEIGHBOUR") == {"FINISHED"}
    made = reread(exported(level))
    shared = {*made.faces[source].loops[0]} & {*made.faces[other].loops[0]}
    found = []
    for face in (made.faces[source], made.faces[other]):
        uv = gradients(made, face)[2]
        found.append([uv[face.loops[0].index(vertex)] for vertex in sorted(shared)])
    assert np.array(found[0]) == pytest.approx(np.array(found[1]), abs=1e-4)
    scales = [numbers(made.faces[one])[3:] for one in (source, other)]
    assert np.abs(scales[0]) == pytest.approx(np.abs(scales[1]), abs=1e-5)


def test_without_an_active_face_or_a_view_nothing_is_aligned():
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), set(walls())) as mesh:
        mesh.faces.active = None
        for to, why in (("NEIGHBOUR", "select the face last"), ("VIEW", "no 3D view")):
            with pytest.raises(RuntimeError, match=why):
                bpy.ops.levelwright.ns2_texture_align(to=to)
    assert exported(level) == ROOM


def test_new_faces_that_a_tool_has_laid_keep_that():
    level = imported(whole(10))
    obj = cube(level)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.levelwright.ns2_texture_fit(repeats=(2.0, 2.0))
    bpy.ops.object.mode_set(mode="OBJECT")
    made = reread(exported(level))
    for face in made.faces[3:]:
        assert np.abs(numbers(face)[3:]) == pytest.approx((1, 1), abs=1e-5)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.levelwright.ns2_texture_lay(how="WORLD") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="6 of 6 faces are new"):
        bpy.ops.levelwright.ns2_texture_lay(how="LEVEL")
    bpy.ops.object.mode_set(mode="OBJECT")
    usual = numbers(Face(USUAL, 0, "", []))
    assert [numbers(face) == pytest.approx(usual, abs=1e-5) for face in reread(exported(level)).faces[3:]] == [True] * 6


def test_a_face_that_was_moved_is_laid_again_as_the_level_says():
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), {NORTH}) as mesh:
        ids = mesh.faces.layers.int["record_id"]
        wall = [face for face in mesh.faces if face[ids] == NORTH + 1]
        bmesh.ops.translate(mesh, verts=list({vertex for face in wall for vertex in face.verts}), vec=(0, 0.3, 0))
        assert bpy.ops.levelwright.ns2_texture_lay(how="LEVEL") == {"FINISHED"}
    assert reread(exported(level)).faces[NORTH].texture == reread(ROOM).faces[NORTH].texture


@pytest.mark.parametrize("tool", ["turn", "fit"])
def test_faces_on_which_a_group_projects_a_slanted_texture_get_a_straight_one(tool):
    grouped = {n for n, face in enumerate(reread(ROOM).faces) if face.group == ns2_room.CORNER}
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), grouped):
        getattr(bpy.ops.levelwright, f"ns2_texture_{tool}")()
    made = reread(exported(level)).faces
    assert {n for n, face in enumerate(made) if face != reread(ROOM).faces[n]} == grouped
    assert not any(made[n].group == ns2_room.CORNER for n in grouped) or tool == "turn"


def test_a_group_whose_faces_are_all_turned_turns_with_them():
    grouped = {n for n, face in enumerate(reread(ROOM).faces) if face.group == ns2_room.CORNER}
    level = imported(ROOM, invisible="show")
    with editing(geometry(level), grouped):
        bpy.ops.levelwright.ns2_texture_shift(by=(0.25, 0.0))
    made = reread(exported(level))
    assert {n for n, face in enumerate(made.faces) if face.group == ns2_room.CORNER} == grouped
    assert made.groups != reread(ROOM).groups
    assert ns2.read(exported(level)).mesh.mapping_groups["offset"][0] == pytest.approx((-0.125, 0.5), abs=1e-5)
