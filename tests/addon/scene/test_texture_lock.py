# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures while faces are moved in edit mode: carried along, left in place, stretched; in all games that have such."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import game as ns2
from levelwright.addon.scene.interface import texture_lock

from tests.addon.scene import test_texture_tools
from tests.addon.scene.test_texture_tools import opened, textured, uvs

GAMES = {**test_texture_tools.GAMES, "ns2": (ns2.GAME, "ns2_room.level")}


@pytest.fixture(autouse=True)
def _games(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(test_texture_tools, "GAMES", GAMES)
    yield
    texture_lock.settings(bpy.context).property_unset("moving")


@contextmanager
def editing(game: str, moving: str) -> Iterator[tuple[bpy.types.Object, Callable[[], bmesh.types.BMesh]]]:
    """A mesh of the game's sample in edit mode, with one of its faces selected, and what gives its BMesh."""
    level = opened(game, (test_texture_tools.SAMPLES / GAMES[game][1]).read_bytes())
    obj = textured(level)[0]
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    texture_lock.settings(bpy.context).moving = moving
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(obj.data)
    wanted = next(face for face in mesh.faces if len(face.verts) == 4 and not face.hide)
    for face in mesh.faces:
        face.select_set(False)
    wanted.select_set(True)
    told(obj)
    yield obj, lambda: bmesh.from_edit_mesh(obj.data)
    bpy.ops.object.mode_set(mode="OBJECT")


def told(obj: bpy.types.Object) -> None:
    """Let Blender tell of a change, and of what follows from it."""
    for _ in range(2):
        bmesh.update_edit_mesh(obj.data)
        bpy.context.view_layer.update()


def moved(obj: bpy.types.Object, mesh: bmesh.types.BMesh, count: int, by: tuple[float, float, float]) -> None:
    """Move so many corners of the selected face."""
    face = next(face for face in mesh.faces if face.select)
    for vertex in list(face.verts)[:count]:
        vertex.co += type(vertex.co)(by)
    told(obj)


def read(obj: bpy.types.Object) -> np.ndarray:
    mesh = bmesh.from_edit_mesh(obj.data)
    layer = mesh.loops.layers.uv["UVMap"]
    return np.array([loop[layer].uv for face in mesh.faces for loop in face.loops])


@pytest.mark.parametrize("game", GAMES)
def test_a_corner_that_is_dragged_stretches_no_texture(game):
    with editing(game, "FACES") as (obj, mesh):
        before = read(obj)
        moved(obj, mesh(), 1, (0.25, 0.5, 0.125))
        now = read(obj)
        assert not np.allclose(now, before)
        layer, face = mesh().loops.layers.uv["UVMap"], next(face for face in mesh().faces if face.select)
        still = [loop.index for loop in list(face.loops)[1:]]
        assert now[still] == pytest.approx(before[still], abs=1e-5), "corners that stay keep theirs"
        assert all(np.isfinite(loop[layer].uv).all() for loop in face.loops)
        moved(obj, mesh(), 1, (-0.25, -0.5, -0.125))
        assert (read(obj) == before).all(), "moved back: to the bit"


@pytest.mark.parametrize("game", GAMES)
def test_textures_in_place_stay_where_they_are_and_locked_ones_ride_along(game):
    with editing(game, "LEVEL") as (obj, mesh):
        before = read(obj)
        moved(obj, mesh(), 4, (0.25, 0.5, 0.125))
        assert not np.allclose(read(obj), before)
        texture_lock.settings(bpy.context).moving = "FACES"
        before = read(obj)
        moved(obj, mesh(), 4, (0.25, 0.5, 0.125))
        face = next(face for face in mesh().faces if face.select)
        own = [loop.index for loop in face.loops]
        assert (read(obj)[own] == before[own]).all()


def test_blender_stretches_textures_where_nothing_is_set():
    with editing("ns2", "STRETCH") as (obj, mesh):
        before = read(obj)
        moved(obj, mesh(), 1, (0.25, 0.5, 0.125))
        assert (read(obj) == before).all()


def test_a_tool_that_lays_textures_is_where_the_next_move_starts():
    with editing("ns2", "FACES") as (obj, mesh):
        moved(obj, mesh(), 1, (0.25, 0, 0))
        assert bpy.ops.levelwright.ns2_texture_shift(by=(0.5, 0.0)) == {"FINISHED"}
        told(obj)
        laid = read(obj)
        moved(obj, mesh(), 4, (0, 0.5, 0))
        moved(obj, mesh(), 4, (0, -0.5, 0))
        assert (read(obj) == laid).all()


def test_what_is_undone_and_done_again_has_its_textures():
    """Also where the step of undo was made before Blender told of the last change: with UVs of on the way."""
    with editing("ns2", "FACES") as (obj, mesh):
        name, before = obj.name, read(obj)
        bpy.ops.ed.undo_push(message="start")
        moved(obj, mesh(), 1, (0.25, 0, 0))
        face = next(face for face in mesh().faces if face.select)
        face.verts[0].co.x += 0.25
        bmesh.update_edit_mesh(obj.data)
        bpy.ops.ed.undo_push(message="dragged")
        told(obj)
        wanted = read(obj)
        bpy.ops.ed.undo()
        obj = bpy.data.objects[name]
        told(obj)
        assert (read(obj) == before).all()
        bpy.ops.ed.redo()
        obj = bpy.data.objects[name]
        told(obj)
        assert read(obj) == pytest.approx(wanted, abs=1e-6)


def test_other_meshes_are_left_alone():
    mesh = bpy.data.meshes.new("mine")
    working = bmesh.new()
    bmesh.ops.create_grid(working, x_segments=1, y_segments=1, size=1, calc_uvs=True)
    working.to_mesh(mesh)
    mesh.uv_layers.new(name="UVMap")
    obj = bpy.data.objects.new("mine", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    before = uvs(obj)
    texture_lock.settings(bpy.context).moving = "LEVEL"
    bpy.ops.object.mode_set(mode="EDIT")
    told(obj)
    bmesh.from_edit_mesh(mesh).verts.ensure_lookup_table()
    bmesh.from_edit_mesh(mesh).verts[0].co.x += 1
    told(obj)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert (uvs(obj) == before).all()


def pushed(obj: bpy.types.Object, mesh: bmesh.types.BMesh, near: set[int], sign: float) -> None:
    """Move vertices by one direction, and by different lengths."""
    for vertex in mesh.verts:
        if vertex.index in near:
            vertex.co += sign * (1 + vertex.index % 3) * type(vertex.co)((0.25, 0.0, 0.125))
    told(obj)


@pytest.mark.parametrize("moving", ["FACES", "LEVEL"])
@pytest.mark.parametrize("game", GAMES)
def test_what_proportional_editing_moves_keeps_its_textures(game, moving, monkeypatch):
    """As where all that is moved is selected."""
    found = []
    for spreads, most in ((False, 20_000), (True, 20_000), (True, 60)):
        monkeypatch.setattr(texture_lock, "MOST", most)
        with editing(game, moving) as (obj, mesh):
            near = {vertex.index for face in mesh().faces if face.select for vertex in face.verts}
            edges = [{vertex.index for vertex in edge.verts} for edge in mesh().edges]
            near = near.union(*(edge for edge in edges if edge & near))
            for vertex in mesh().verts:
                vertex.select_set(vertex.select or (vertex.index in near and not spreads))
            bpy.context.scene.tool_settings.use_proportional_edit = spreads
            told(obj)
            before = read(obj)
            pushed(obj, mesh(), near, 1.0)
            found.append(read(obj))
            pushed(obj, mesh(), near, -1.0)
            assert (read(obj) == before).all(), "moved back: to the bit"
        bpy.context.scene.tool_settings.use_proportional_edit = False
    assert not np.allclose(found[0], before)
    assert found[1] == pytest.approx(found[0], abs=1e-4)
    assert not np.allclose(found[2], before), "of a large mesh, what is nearest"
