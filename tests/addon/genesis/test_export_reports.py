# SPDX-License-Identifier: GPL-3.0-or-later
"""All that an export of a `.map` says of edits of each kind, and what stands at the edge of what a brush can be."""

from itertools import product

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
    part,
    place,
    positions,
    sample,
    set_uvs,
    uvs,
)
from tests.formats.genesis_bytes import LIGHT, entity, level, light, model, motion, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

BOUND = 15192


def told(scene: bpy.types.Collection, **settings: object) -> list[str]:
    report = Report()
    exported(scene, report, **settings)
    return report.lines()


def test_what_changed_of_brushes_is_counted_by_what_it_is():
    """Of six brushes: moved, textured, given flags, one face's value, copied, removed; one that is as it was."""
    boxes = [laid_box((64 * n, 0, 0), (64 * n + 32, 32, 32)) for n in range(7)]
    data = sample(*boxes)
    scene = imported(data)
    brush(scene, 0).location.x += 8
    obj = brush(scene, 1)
    uv = uvs(obj)
    uv[list(obj.data.polygons[UP].loop_indices), 0] += 0.25
    set_uvs(obj, uv)
    brush(scene, 2)["detail"] = True
    for face in (UP, DOWN):
        brush(scene, 3).data.attributes["face_light"].data[face].value = 9
    twin = brush(scene, 4).copy()
    twin.location.y += 256
    brush(scene, 4).users_collection[0].objects.link(twin)
    bpy.data.objects.remove(brush(scene, 5))
    names = [brush(scene, number).name for number in range(4)]
    assert told(scene) == [
        "7 brushes, 1 entity",
        f"brush {names[0]} changed: 2 planes, 4 texture placements",
        f"brush {names[1]} changed: 1 texture placement",
        f"brush {names[2]} changed: flags",
        f"brush {names[3]} changed: 2 faces with other properties",
        f"brush {twin.name} is new (6 faces)",
        "brush 5 removed",
    ]


def test_models_and_entities_are_counted_and_named():
    world = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
    data = level(
        [world, model(motion()), model(name="gate"), light("8 16 -24"), light("1 2 3"), typedef("light", LIGHT)]
    )
    scene = imported(data)
    scene["TextureLib"] = "b.txl"
    for number in (1, 2):
        part(scene, layout.MODEL, number)["model_name"] = f"m{number}"
    part(scene, layout.MODEL, 1).location.y += 4
    part(scene, layout.ENTITY, 3)["light"] = 7
    bpy.data.objects.remove(part(scene, layout.ENTITY, 4))
    models = [part(scene, layout.MODEL, number).name for number in (1, 2)]
    lamp = part(scene, layout.ENTITY, 3).name
    assert told(scene) == [
        "3 brushes, 2 models, 1 entity",
        "entity 4 (light, light1) removed",
        f"model {models[0]} changed: name, origin",
        f"model {models[1]} changed: name",
        f"entity {lamp} changed: light",
        f"brush {brush(scene, 1).name} changed: 2 planes",
        "world changed: TextureLib",
    ]


@pytest.mark.parametrize("axis", range(3))
def test_the_world_ends_at_its_bound(axis):
    """Blender's x, y, z; the place is the object's and the vertex' together."""
    scene = imported(sample())
    obj = brush(scene, 0)
    reach = BOUND - 64
    obj.location[axis] = reach
    exported(scene)
    obj.location[axis] = reach + 0.5
    with pytest.raises(SceneError, match="4 of its vertices are out of the world, which ends at 15192") as error:
        exported(scene)
    at_fault = positions(obj)[error.value.points[obj]]
    assert (at_fault[:, axis] == 64).all() and len(at_fault) == 4
    obj.location[axis] = -reach - 0.5
    with pytest.raises(SceneError, match="4 of its vertices") as error:
        exported(scene)
    assert (positions(obj)[error.value.points[obj]][:, axis] == -64).all()


@pytest.mark.parametrize("axis", range(3))
def test_a_brush_has_a_size_in_all_axes(axis):
    scene = imported(sample())
    brush(scene, 0).scale[axis] = 0
    with pytest.raises(SceneError, match="can't be a brush: its scale is 0, infinite or NaN") as error:
        exported(scene)
    assert error.value.objects == [brush(scene, 0)]


@pytest.mark.parametrize(
    ("edit", "matrix"),
    [
        ({"location": (8, 16, 32)}, np.eye(3)),
        ({"rotation_euler": (0, 0, np.pi / 2)}, [(0, 0, 1), (0, 1, 0), (-1, 0, 0)]),
        ({"rotation_euler": (np.pi / 2, 0, 0)}, [(1, 0, 0), (0, 0, -1), (0, 1, 0)]),
        ({"scale": (2, 4, 8)}, np.diag([2, 8, 4])),
        ({"scale": (-1, 1, 1)}, np.diag([-1, 1, 1])),
    ],
)
def test_planes_go_where_their_points_go(edit, matrix):
    """Of a box whose six distances differ; the matrix is for columns, in the level's axes."""
    low, high = np.array((-10, -20, -40)), np.array((80, 160, 320))
    scene = imported(sample(laid_box(tuple(low), tuple(high))))
    obj = brush(scene, 0)
    middle = np.array(obj.location)
    for name, value in edit.items():
        setattr(obj, name, value)
    shift = np.array(obj.location) - middle if "location" in edit else np.zeros(3)
    at = np.array((middle[0], middle[2], -middle[1]))
    corners = np.array(list(product(*zip(low, high, strict=True))))
    moved = (corners - at) @ np.array(matrix, float).T + at + (shift[0], shift[2], -shift[1])
    faces = genesis.read(exported(scene)).world.brushes[0].faces
    found = {tuple(np.round(one["normal"]).astype(int).tolist()): float(one["dist"]) for one in faces}
    wanted = {}
    for axis in range(3):
        for sign in (1, -1):
            normal = [0, 0, 0]
            normal[axis] = sign
            wanted[tuple(normal)] = (moved[:, axis] * sign).max()
    assert found.keys() == wanted.keys()
    for normal, dist in wanted.items():
        assert found[normal] == pytest.approx(dist, abs=1e-3)


def test_a_corner_that_is_pulled_takes_three_sides_along():
    """The box keeps the records of its other three sides, bit for bit."""
    data = sample(laid_box((-10, -20, -40), (80, 160, 320)))
    scene = imported(data)
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 0] == moved[:, 0].max(), 0] += 4
    place(obj, moved)
    assert changes(data, exported(scene, texture_lock=False)) == {(0, 0, 0): {"dist"}}


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("u_vec", (0.25, 0.5, 1.0), "u_vec"),
        ("v_vec", (0.25, 0.5, 1.0), "v_vec"),
        ("draw_scale", (3.0, 5.0), ("draw_scale_x", "draw_scale_y")),
        ("offset", (7.0, -9.0), ("offset_x", "offset_y")),
    ],
)
def test_vectors_of_a_face_in_the_files_axes(name, value, field):
    data = sample()
    scene = imported(data)
    brush(scene, 0).data.attributes[name].data[UP].vector = value
    after = exported(scene)
    face = genesis.read(after).world.brushes[0].faces[UP]
    fields = (field,) if isinstance(field, str) else field
    assert changes(data, after) == {(0, 0, UP): set(fields)}
    now = face[field].tolist() if isinstance(field, str) else [float(face[one]) for one in fields]
    assert tuple(now) == value


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_a_light_of_twice_its_reach(factor):
    """All of a light's numbers follow from one key: its brightness is its reach."""
    data = sample()
    scene = imported(data)
    lamp = part(scene, layout.ENTITY, 1)
    lamp.data.energy *= factor**3
    after = genesis.read(exported(scene)).points[0]
    assert after.get("light") == str(round(150 * factor))


@pytest.mark.parametrize("channel", range(3))
def test_a_colour_is_another_where_it_is_half_a_step_away(channel):
    world = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, light("8 16 -24", color="100 150 200"), typedef("light", LIGHT)])
    scene = imported(data)
    lamp = part(scene, layout.ENTITY, 1).data
    lamp.color[channel] += 0.4 / 255
    assert exported(scene) == data
    lamp.color[channel] += 0.2 / 255
    wanted = [100, 150, 200]
    wanted[channel] += 1
    assert genesis.read(exported(scene)).points[0].get("color") == " ".join(map(str, wanted))


def test_things_that_are_no_part_of_a_level_are_told():
    scene = imported(sample())
    for name, data in (
        ("Note", None),
        ("Sight", bpy.data.cameras.new("Sight")),
        ("Rig", bpy.data.armatures.new("Rig")),
    ):
        scene.objects.link(bpy.data.objects.new(name, data))
    other = imported(sample())
    scene.objects.link(brush(other, 0))
    lines = told(scene)
    assert [line for line in lines if line.startswith("left out")] == [
        "left out: object 'Note' (no mesh, no light, and without a classname)",
        "left out: object 'Sight' (no mesh, no light, and without a classname)",
        "left out: object 'Rig' (no mesh, no light, and without a classname)",
    ]
    name = brush(other, 0).name
    assert f"warning: 1 object comes from another level, taken as new: {name}" in lines
