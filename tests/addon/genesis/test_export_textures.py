# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of how textures lie on brushes: UVs, materials, attributes."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import (
    DOWN,
    UP,
    brush,
    changes,
    exported,
    imported,
    laid_box,
    sample,
    set_uvs,
    uvs,
)
from tests.formats import genesis_3dt_text as text


def test_a_slid_texture_is_an_offset():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    uv = uvs(obj)
    loops = list(obj.data.polygons[UP].loop_indices)
    width = obj.data.materials[0][layout.TEXTURE_SIZE][0]
    uv[loops, 0] += 8 / width
    set_uvs(obj, uv)
    report = Report()
    after = exported(scene, report)
    assert changes(data, after) == {(0, 0, UP): {"offset_x"}}
    assert genesis.read(after).world.brushes[0].faces["offset_x"][UP] == 8
    assert report.notes == ["brush Brush 0 changed: 1 texture placement"]


def test_a_stretched_and_a_turned_texture():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    uv = uvs(obj)
    one, other = (list(obj.data.polygons[side].loop_indices) for side in (UP, DOWN))
    uv[one, 0] *= 2
    middle = uv[other].mean(axis=0)
    uv[other] = (uv[other] - middle) @ np.array([[0, 1], [-1, 0]]) + middle
    set_uvs(obj, uv)
    after = exported(scene)
    found = changes(data, after)
    assert found.pop((0, 0, UP)) <= {"draw_scale_x", "offset_x"}
    assert found.pop((0, 0, DOWN)) <= {"u_vec", "v_vec", "offset_x", "offset_y", "draw_scale_x", "draw_scale_y"}
    assert not found
    faces = genesis.read(after).world.brushes[0].faces
    assert faces["draw_scale_x"][UP] == np.float32(0.25)
    assert abs(float(faces["u_vec"][DOWN] @ (1, 0, 0))) < 1e-6


def test_what_was_written_shows_the_same_when_it_is_imported_again():
    scene = imported(sample())
    obj = brush(scene, 0)
    uv = uvs(obj)
    rng = np.random.default_rng(3)
    for polygon in obj.data.polygons:
        loops = list(polygon.loop_indices)
        uv[loops] = uv[loops] @ (np.eye(2) + rng.uniform(-0.3, 0.3, (2, 2))) + rng.uniform(-1, 1, 2)
    set_uvs(obj, uv)
    again = imported(exported(scene))
    np.testing.assert_allclose(uvs(brush(again, 0)), uv, atol=2e-4)


def test_bent_uvs_are_refused_with_their_faces():
    scene = imported(sample())
    obj = brush(scene, 0)
    uv = uvs(obj)
    uv[obj.data.polygons[UP].loop_indices[0]] += 0.5
    set_uvs(obj, uv)
    with pytest.raises(SceneError, match="bent") as caught:
        exported(scene)
    assert caught.value.faces[obj].tolist() == [UP]


def test_another_texture_and_names_that_are_too_long():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    material = bpy.data.materials.new("brick2")
    obj.data.materials.append(material)
    obj.data.polygons[UP].material_index = len(obj.data.materials) - 1
    after = exported(scene)
    assert changes(data, after) == {(0, 0, UP): {"tex_name"}}
    assert genesis.texture_names(genesis.read(after).world.brushes[0].faces)[UP] == "brick2"
    material.name = "a" * 32
    with pytest.raises(SceneError, match="32 characters, 31 are allowed"):
        exported(scene)


@pytest.mark.parametrize(
    ("name", "value", "fields"),
    [
        ("flags", 0x10, {"flags"}),
        ("face_light", 12.5, {"face_light"}),
        ("alpha", 100.0, {"alpha"}),
        ("mip_map_bias", 2.0, {"mip_map_bias"}),
        ("reflective_scale", 0.5, {"reflective_scale"}),
    ],
)
def test_attributes_of_faces(name, value, fields):
    data = sample()
    scene = imported(data)
    brush(scene, 0).data.attributes[name].data[UP].value = value
    after = exported(scene)
    assert changes(data, after) == {(0, 0, UP): fields}
    assert genesis.read(after).world.brushes[0].faces[name][UP] == value


def test_texture_attributes_and_uvs_must_not_disagree():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    obj.data.attributes["offset"].data[UP].vector = (5, 0)
    assert changes(data, exported(scene)) == {(0, 0, UP): {"offset_x"}}
    uv = uvs(obj)
    uv[list(obj.data.polygons[UP].loop_indices), 0] += 0.25
    set_uvs(obj, uv)
    with pytest.raises(SceneError, match="both edited"):
        exported(scene)


FILES = {"test.map": sample(), "test.3dt": text.whole_level().encode("latin-1")}


def textures_of(data: bytes, number: int) -> set[str]:
    """The textures of a brush."""
    level = genesis.read(data)
    if isinstance(level, genesis.MapLevel):
        return set(genesis.texture_names(level.world.brushes[number].faces))
    return {face.texture for face in level.leaves()[number].faces}


@pytest.mark.parametrize("file", FILES)
def test_a_renamed_material_is_another_texture(file):
    scene, report = imported(FILES[file], file), Report()
    material = next(obj for obj in scene.all_objects if obj.type == "MESH").data.materials[0]
    material.name = "stone.007"
    after = exported(scene, report)
    assert textures_of(after, 0) == {"stone"} != textures_of(FILES[file], 0)
    assert report.warnings == []
    assert exported(imported(after, file)) == after


def test_a_renamed_material_keeps_what_its_name_says_of_the_look():
    data = sample(laid_box(flags=2))
    scene = imported(data)
    (material,) = brush(scene, 0).data.materials
    assert material.name == "rock, fullbright"
    material.name = "stone, fullbright"
    assert textures_of(exported(scene), 0) == {"stone"}


def test_the_property_of_a_material_goes_before_its_name_and_that_is_told():
    scene, report = imported(sample()), Report()
    (material,) = brush(scene, 0).data.materials
    material[layout.TEXTURE] = "wood"
    assert textures_of(exported(scene, report), 0) == {"wood"}
    assert report.warnings == []
    material.name = "stone"
    assert textures_of(exported(scene, report), 0) == {"wood"}
    assert report.warnings == ["stone: its property texture counts, 'wood', and not its name"]


def test_a_material_of_a_scene_that_kept_no_name_goes_by_its_property():
    """As 0.3.0 saved them."""
    scene, report = imported(sample()), Report()
    (material,) = brush(scene, 0).data.materials
    del material["levelwright_named"]
    assert exported(scene, report) == sample()
    assert report.warnings == []
    material.name = "stone"
    assert exported(scene, report) == sample()
    assert report.warnings == ["stone: its property texture counts, 'rock', and not its name"]


@pytest.mark.parametrize("file", FILES)
def test_a_name_that_no_file_holds_is_refused_with_its_brush(file):
    scene = imported(FILES[file], file)
    obj = next(obj for obj in scene.all_objects if obj.type == "MESH")
    obj.data.materials[0].name = "\u20ac"
    with pytest.raises(SceneError, match=f"{obj.name}: texture '\u20ac' has characters that Latin-1 has not") as caught:
        exported(scene)
    assert caught.value.objects == [obj]
