# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated scene: modifiers and shape keys, of hidden and excluded objects too, and nothing of it stays behind."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import evaluated, meshes
from levelwright.addon.scene.reports import SceneError

from tests.addon.scene.scene_helpers import active, grid, link


def tiles(name: str = "tiles") -> bpy.types.Object:
    return link(bpy.data.objects.new(name, grid(name, 2, shared=True)))


def arrayed() -> bpy.types.Object:
    obj = tiles()
    obj.modifiers.new("array", "ARRAY").count = 3
    return obj


def state() -> dict[str, object]:
    """All that hiding touches, and the data-blocks that there are."""
    layer = bpy.context.view_layer
    layer.update()

    def collections(one: bpy.types.LayerCollection) -> list[tuple[str, bool, bool]]:
        return [(one.name, one.exclude, one.hide_viewport)] + [x for child in one.children for x in collections(child)]

    return {
        "objects": {o.name: (o.hide_viewport, o.hide_render, o.mode, o.select_get()) for o in layer.objects},
        "hidden": sorted(o.name for o in layer.objects if o.hide_get()),
        "collections": collections(layer.layer_collection),
        "data": [len(getattr(bpy.data, kind)) for kind in ("scenes", "objects", "meshes", "collections", "worlds")],
        "active": layer.objects.active and layer.objects.active.name,
        "scene": bpy.context.scene.name,
    }


def faces(obj: bpy.types.Object) -> int:
    before = state()
    with evaluated.shown(bpy.context, [obj]) as depsgraph:
        data = meshes.read(obj, depsgraph)
        count = len(data.face_starts)
        assert data.face_sizes.sum() == len(data.corner_verts) > 0
        assert data.corner_verts.max() == len(data.positions) - 1
    assert state() == before
    return count


def test_modifiers_are_evaluated() -> None:
    assert faces(arrayed()) == 12


def test_without_modifiers_no_depsgraph_is_needed() -> None:
    assert len(meshes.read(tiles()).face_starts) == 4
    with pytest.raises(ValueError, match="depsgraph"):
        meshes.read(arrayed())


def test_a_modifier_that_is_off_in_the_viewport() -> None:
    obj = arrayed()
    obj.modifiers[0].show_viewport = False
    assert not meshes.needs_evaluation(obj)
    assert len(meshes.read(obj).face_starts) == 4


def test_shape_keys() -> None:
    obj = tiles()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="up")
    for point in key.data:
        point.co.z = 2
    key.value = 0.5
    assert meshes.needs_evaluation(obj)
    with evaluated.shown(bpy.context, [obj]) as depsgraph:
        assert np.allclose(meshes.read(obj, depsgraph).positions[:, 2], 1)


@pytest.mark.parametrize(
    "how", ["eye", "viewport", "render", "collection eye", "collection viewport", "excluded", "unlinked"]
)
def test_hiding_never_changes_what_is_exported(how: str) -> None:
    obj = arrayed()
    collection = bpy.data.collections.new("c")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(obj)
    if how != "unlinked":
        collection.objects.link(obj)
    layer = bpy.context.view_layer.layer_collection.children["c"]
    if how == "eye":
        obj.hide_set(True)
    elif how == "viewport":
        obj.hide_viewport = True
    elif how == "render":
        obj.hide_render = True
    elif how == "collection eye":
        layer.hide_viewport = True
    elif how == "collection viewport":
        collection.hide_viewport = True
    elif how == "excluded":
        layer.exclude = True
    bpy.context.view_layer.update()
    assert faces(obj) == 12


def test_a_hidden_operand_still_works() -> None:
    obj = tiles()
    cutter = tiles("cutter")
    obj.modifiers.new("m", "MIRROR").mirror_object = cutter
    cutter.location.x = 5
    cutter.hide_viewport = True
    assert faces(obj) == 8
    with evaluated.shown(bpy.context, [obj]) as depsgraph:
        assert meshes.read(obj, depsgraph).positions[:, 0].max() == 10


def test_state_is_restored_when_the_export_fails() -> None:
    obj = arrayed()
    obj.hide_viewport = True
    before = state()
    with pytest.raises(RuntimeError, match="broken"), evaluated.shown(bpy.context, [obj]):
        raise RuntimeError("broken")
    assert state() == before


def test_edit_mode_is_flushed() -> None:
    obj = tiles()
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.duplicate()
    assert len(meshes.read(obj).face_starts) == 8
    assert obj.mode == "EDIT"


@pytest.mark.parametrize("in_edit_mode", [True, False])
def test_edit_mode_with_modifiers(in_edit_mode: bool) -> None:
    obj = arrayed()
    obj.modifiers[0].show_in_editmode = in_edit_mode
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.duplicate()
    assert faces(obj) == 24, "as outside edit mode, whatever is shown inside it"
    assert obj.mode == "EDIT"


def test_animation_at_the_current_frame() -> None:
    obj = tiles()
    modifier = obj.modifiers.new("array", "ARRAY")
    for frame, count in ((1, 2), (10, 5)):
        modifier.count = count
        obj.keyframe_insert('modifiers["array"].count', frame=frame)
    bpy.context.scene.frame_set(10)
    assert faces(obj) == 20


def test_curves_and_text_become_meshes() -> None:
    curve = bpy.data.curves.new("c", "FONT")
    curve.body = "HI"
    obj = link(bpy.data.objects.new("text", curve))
    assert faces(obj) > 0


def test_an_empty_has_no_surface() -> None:
    obj = link(bpy.data.objects.new("nothing", None))
    with evaluated.shown(bpy.context, [obj]) as depsgraph, pytest.raises(SceneError, match="nothing"):
        meshes.read(obj, depsgraph)


def test_the_same_object_twice() -> None:
    obj = arrayed()
    with evaluated.shown(bpy.context, [obj, obj]) as depsgraph:
        assert len(meshes.read(obj, depsgraph).face_starts) == 12
