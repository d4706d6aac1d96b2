# SPDX-License-Identifier: GPL-3.0-or-later
"""Each side of a brush, the first and the last too, is written by itself; and whose record a solid is."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, changes, exported, imported, laid_box, part, sample, set_uvs, uvs
from tests.addon.genesis.test_export_editor import CAMERA, LAMP
from tests.formats.genesis_3dt_text import entity as editor_entity
from tests.formats.genesis_3dt_text import group, leaf
from tests.formats.genesis_3dt_text import level as editor_level
from tests.formats.genesis_bytes import LIGHT, entity, level, light, model, motion, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

SIDES = range(6)
BOXES = [laid_box((64 * n, 0, 0), (64 * n + 32, 32, 32)) for n in SIDES]


def editor_sample(version: tuple[int, int] = (1, 31), names: tuple[str, ...] = ("a", "b", "c", "d", "e", "f")) -> bytes:
    boxes = [leaf(name, version, (64 * n, 0, 0), (64 * n + 32, 32, 32)) for n, name in enumerate(names)]
    entities = [editor_entity(LAMP, version, (10, 20, -30)), editor_entity(CAMERA, version)]
    return editor_level(version, boxes, entities, (), [group("Default", 0, version)]).encode("latin-1")


def shift(obj: bpy.types.Object, side: int, amount: float) -> None:
    uv = uvs(obj)
    uv[list(obj.data.polygons[side].loop_indices), 0] += amount
    set_uvs(obj, uv)


def skew(obj: bpy.types.Object, side: int) -> None:
    uv = uvs(obj)
    loops = list(obj.data.polygons[side].loop_indices)
    uv[loops] = uv[loops] @ np.array([[1, 0.7], [0, 1]])
    set_uvs(obj, uv)


def texture(obj: bpy.types.Object, side: int) -> None:
    obj.data.materials.append(bpy.data.materials.get("stone") or bpy.data.materials.new("stone"))
    obj.data.polygons[side].material_index = len(obj.data.materials) - 1


def test_each_side_of_a_map_by_itself():
    """Of brush n, side n."""
    data = sample(*BOXES)
    for edit, fields in (
        (lambda obj, side: setattr(obj.data.attributes["face_light"].data[side], "value", 9), {"face_light"}),
        (lambda obj, side: shift(obj, side, 0.25), {"offset_x"}),
        (texture, {"tex_name"}),
    ):
        scene = imported(data)
        for side in SIDES:
            edit(brush(scene, side), side)
        found = changes(data, exported(scene))
        assert {place: bool(fields & names) for place, names in found.items()} == {(0, n, n): True for n in SIDES}


def test_each_side_of_a_3dt_by_itself():
    data = editor_sample()
    was = genesis.read(data)
    for edit, field in (
        (lambda obj, side: setattr(obj.data.attributes["face_light"].data[side], "value", 9), "light"),
        (lambda obj, side: setattr(obj.data.attributes["rotate"].data[side], "value", 45), "rotate"),
        (lambda obj, side: shift(obj, side, 0.25), "shift"),
        (texture, "texture"),
    ):
        scene, report = imported(data, "level.3dt"), Report()
        for side in SIDES:
            edit(brush(scene, side), side)
        made = genesis.read(exported(scene, report))
        for number, (one, other) in enumerate(zip(made.brushes, was.brushes, strict=True)):
            changed = [getattr(a, field) != getattr(b, field) for a, b in zip(one.faces, other.faces, strict=True)]
            assert np.flatnonzero(changed).tolist() == [number], field
        what = "texture placement" if field == "shift" else "face with other properties"
        assert report.notes == [f"brush {brush(scene, side).name} changed: 1 {what}" for side in SIDES]


@pytest.mark.parametrize("side", [0, 5])
def test_sides_whose_textures_no_number_lays_are_named(side):
    scene = imported(editor_sample(), "level.3dt")
    skew(brush(scene, 0), side)
    with pytest.raises(SceneError, match="the textures of 1 face lie in a way that the editor has no") as error:
        exported(scene)
    assert {obj.name: faces.tolist() for obj, faces in error.value.faces.items()} == {"a": [side]}


@pytest.mark.parametrize(("version", "turn", "allowed"), [((1, 31), 45, True), ((1, 31), 45.5, False),
                                                          ((1, 32), 45.5, False), ((1, 33), 45.5, True)])  # fmt: skip
def test_turns_of_parts_of_a_degree(version, turn, allowed):
    scene = imported(editor_sample(version), "level.3dt")
    brush(scene, 0).data.attributes["rotate"].data[0].value = turn
    if allowed:
        assert genesis.read(exported(scene)).brushes[0].faces[0].rotate == turn
        return
    with pytest.raises(SceneError, match="a: attribute rotate of 1 face") as error:
        exported(scene)
    assert {obj.name: faces.tolist() for obj, faces in error.value.faces.items()} == {"a": [0]}


def test_names_of_brushes_stay_as_they_are():
    data = editor_sample(names=("", "a b", "a", "x" * 70))
    scene = imported(data, "level.3dt")
    assert exported(scene) == data
    for number in range(4):
        brush(scene, number)["hull_size"] = 4.0
    assert [one.name for one in genesis.read(exported(scene)).brushes] == ["", "a b", "a", "x" * 70]


def test_new_sides_take_the_size_of_an_image():
    """A texture that is twice as wide as high: UVs count its width and its height, each for itself."""
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    image = bpy.data.images.new("wide", 64, 32)
    empty = bpy.data.images.new("none", 1, 1)
    empty.source = "FILE"  # which is nowhere: it has no size
    material = bpy.data.materials.new("wide")
    if material.node_tree is None:  # Blender 5 makes it by itself, and warns of who asks
        material.use_nodes = True
    for each in (empty, image):
        material.node_tree.nodes.new("ShaderNodeTexImage").image = each
    was = obj.data.materials[0]
    width, height = was[layout.TEXTURE_SIZE]
    obj.data.materials[0] = material
    uv = uvs(obj)
    set_uvs(obj, uv * (width / 64, height / 32) + (8 / 64, 4 / 32))
    faces, before = (genesis.read(one).world.brushes[0].faces for one in (exported(scene), data))
    np.testing.assert_allclose(faces["draw_scale_x"], before["draw_scale_x"], atol=1e-4)
    steps = np.column_stack([faces["offset_x"] - before["offset_x"], faces["offset_y"] - before["offset_y"]])
    np.testing.assert_allclose(np.abs(steps), [(8, height - 28)] * 6, atol=1e-3)  # v goes upwards


@pytest.mark.parametrize("name", ["A", "z"])
def test_of_two_of_a_record_the_one_that_stands_where_it_did_is_it(name):
    """Whichever comes first."""
    data = sample()
    scene = imported(data)
    old = brush(scene, 0)
    twin = old.copy()
    twin.name, twin.location.x = name, twin.location.x + 256
    old.users_collection[0].objects.link(twin)
    report = Report()
    made = genesis.read(exported(scene, report)).world.brushes
    assert report.notes == [f"brush {name} is new (6 faces)"]
    assert genesis.read(data).world.brushes[0].faces.tobytes() in {one.faces.tobytes() for one in made}


def test_a_copied_model_of_a_map_is_new_and_changes_none():
    world = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, model(motion()), light("8 16 -24"), typedef("light", LIGHT)])
    scene = imported(data)
    old = part(scene, layout.MODEL, 1)
    twin = old.copy()
    twin.location.x += 8
    old.users_collection[0].objects.link(twin)
    report = Report()
    made = genesis.read(exported(scene, report)).models
    assert [one.name for one in made] == ["door", "door_2"]
    assert [one.origin[0] for one in made] == [16, 24]
    assert report.notes == [f"model {twin.name} is new"]


def test_a_motion_of_one_key_is_none():
    world = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, model(motion()), light("8 16 -24"), typedef("light", LIGHT)])
    scene = imported(data)
    action = part(scene, layout.MOTION, 1).animation_data.action
    for curve in animation.fcurves(action, animation.slot(action)):
        while len(curve.keyframe_points) > 1:
            curve.keyframe_points.remove(curve.keyframe_points[-1])
    made = genesis.read(exported(scene)).entities[1]
    assert (made.flags, made.motion) == (0, None)


@pytest.mark.parametrize(("scaled", "refused"), [(4, True), (3, True), (2, False), (1, False), (0, False)])
def test_most_entities_say_whether_a_roots_scale_was_applied(scaled, refused):
    """Of four lights; those that somebody scaled by hand, fewer, say nothing."""
    world = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, *(light(f"{n} 16 -24", **{"%name%": f"l{n}"}) for n in range(4)), typedef("light", LIGHT)])
    scene = imported(data)
    root = next(one for one in scene.objects if one.parent is None)
    root.scale = (1, 1, 1)
    for number in range(1, 1 + scaled):
        part(scene, layout.ENTITY, number).scale = (layout.SCALE,) * 3
    if refused:
        with pytest.raises(SceneError, match="its scale was applied") as error:
            exported(scene)
        assert error.value.objects == [root]
    else:
        exported(scene)
