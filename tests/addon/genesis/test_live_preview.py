# SPDX-License-Identifier: GPL-3.0-or-later
"""Live cuts: Boolean modifiers on objects of their own, which no export sees."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis.preview import compiled, live
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.genesis import csg

from tests.addon.genesis.export_helpers import brush, exported, imported, reopened
from tests.formats.genesis_3dt_text import group, hollow, leaf, level, model, multi
from tests.samples import genesis_room

EDITOR = genesis_room.EDITOR.read_bytes()


def volume(obj):
    """Of an object's evaluated mesh, in cubic units."""
    bpy.context.view_layer.update()
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices], np.float64)
    corners = points[np.array([triangle.vertices for triangle in mesh.loop_triangles])]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


def shown(scene, record):
    """The preview of a brush; None if it isn't cut."""
    above = brush(scene, record)
    return next((obj for obj in compiled.collection_of(scene).objects if obj.parent == above), None)


def build(*brushes, **more):
    data = level((1, 31), brushes, groups=[group("Default", 0)], **more).encode("latin-1")
    return data, imported(data, "a.3dt", preview_cuts="boolean")


def box(name, low, high, **look):
    return leaf(name, low=(low,) * 3, high=(high,) * 3, **look)


def test_the_hole_follows_its_cut_and_is_not_exported(tmp_path):
    data, scene = build(box("wall", -64, 64), box("cut", -16, 16, flags=0x80), box("later", -64, 64))
    wall, cut = shown(scene, 0), brush(scene, 1)
    assert shown(scene, 1) is None and shown(scene, 2) is None
    assert volume(wall) == pytest.approx(128**3 - 32**3, rel=1e-5)
    assert (brush(scene, 0).display_type, brush(scene, 2).display_type) == ("WIRE", "TEXTURED")
    assert exported(scene) == data
    cut.location.x += 64
    assert volume(wall) == pytest.approx(128**3 - 16 * 32**2, rel=1e-5)
    now = wall.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices
    assert sum(vertex.co.x == pytest.approx(48) for vertex in now) == 4
    cut.scale = (1, 2, 1)
    assert volume(wall) == pytest.approx(128**3 - 16 * 32 * 64, rel=1e-5)
    cut.location.x, cut.scale = 0, (1, 1, 1)
    assert exported(scene) == data
    scene = reopened(scene, tmp_path)
    assert volume(shown(scene, 0)) == pytest.approx(128**3 - 32**3, rel=1e-5)
    report = Report()
    assert exported(scene, report) == data and not report.notes
    brush(scene, 1).location.x += 64
    assert volume(shown(scene, 0)) == pytest.approx(128**3 - 16 * 32**2, rel=1e-5)
    assert genesis.read(exported(scene)).brushes[1].faces[0].points[:, 0].tolist() == [80.0] * 4


def test_a_brush_that_is_cut_keeps_its_own_mesh_and_look():
    data, scene = build(box("wall", -64, 64), box("cut", -16, 16, flags=0x80))
    wall = brush(scene, 0)
    assert shown(scene, 0).data == wall.data and not wall.modifiers
    wall.location.y += 8
    bpy.context.view_layer.update()
    assert shown(scene, 0).matrix_world == wall.matrix_world
    wall.location.y -= 8
    meshes = len(bpy.data.meshes)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[scene.name]
    assert bpy.ops.levelwright.genesis_hide_preview() == {"FINISHED"}
    assert compiled.collection_of(scene) is None and len(bpy.data.meshes) == meshes
    assert (wall.display_type, wall.hide_render) == ("TEXTURED", False)
    assert bpy.ops.levelwright.genesis_preview_cuts(live=True) == {"FINISHED"}
    assert volume(shown(scene, 0)) == pytest.approx(128**3 - 32**3, rel=1e-5)
    assert exported(scene) == data


def test_cuts_reach_what_stands_before_them_in_their_model_and_hollows_their_shell():
    walls = [box("a", -64, 64), box("b", -64, 64, model=1), box("c", 1000, 1064)]
    hidden = box("hidden", -8, 8, flags=0x1080)
    two = multi("two", [box("x", -16, 0, flags=0x80), box("y", 2, 10, flags=0x80)], flags=0x80)
    hull = hollow("room", (-96,) * 3, (96,) * 3)
    _, scene = build(*walls, hidden, two, hull, models=[model("door", 1, motion=None)])
    room = genesis.read(exported(scene))
    assert [one.name for one in room.brushes] == ["a", "b", "c", "hidden", "two", "room"]
    assert volume(shown(scene, 0)) == pytest.approx(128**3 - 16**3 - 8**3, rel=1e-5)
    assert shown(scene, 1) is None and shown(scene, 2) is None
    assert [modifier.object for modifier in shown(scene, 8).modifiers] == [brush(scene, 9)]
    brush(scene, 0).hide_viewport = True  # hiding a brush of a `.3dt` is a flag of it
    live.build(scene, Report())
    assert shown(scene, 0).hide_viewport


def test_the_sample_room_is_cut_as_it_is_compiled():
    scene = imported(EDITOR, "room.3dt", preview_cuts="boolean")
    assert exported(scene) == EDITOR
    solid = {}
    for obj in compiled.collection_of(scene).objects:
        name = obj.parent["brush_name"]
        solid[name] = solid.get(name, 0.0) + volume(obj)
    volumes: dict[str, float] = {}
    for piece in csg.carved(genesis.read(EDITOR)):
        for _, points in piece.faces:
            ring = points.astype(np.float64)
            fan = np.cross(ring[1:-1], ring[2:]) @ ring[0]
            volumes[piece.brush.name] = volumes.get(piece.brush.name, 0.0) - float(fan.sum()) / 6
    assert solid
    for name, cubic in solid.items():
        assert cubic == pytest.approx(volumes[name], rel=1e-3), name


@pytest.mark.slow
def test_a_real_level_is_cut(corpus):
    path = corpus / "genesis" / "paradoxnj__Genesis3D" / "genvs2.3dt"
    if not path.is_file():
        pytest.skip("the corpus has no genvs2.3dt")
    data = path.read_bytes()
    scene = imported(data, "genvs2.3dt")
    live.build(scene, Report())
    bpy.context.view_layer.update()
    assert len(compiled.collection_of(scene).objects) > 50
    assert exported(scene) == data
