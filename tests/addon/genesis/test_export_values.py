# SPDX-License-Identifier: GPL-3.0-or-later
"""Every property of every part of a `.3dt`, edited alone: the lines of the file that say it, and what the report says.

Values differ from side to side and from axis to axis, so that nothing of one passes for another.
"""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.kept.identity import kind_of
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, part, place, positions
from tests.addon.genesis.test_export_editor import CAMERA, LAMP, lines
from tests.formats.genesis_3dt_text import entity, group, hollow, leaf, level, model

VERSION = (1, 33)
UP = 2


def sample(**look: object) -> bytes:
    """A box (0), a hollow room (1; 2 and 3 in it) and a door (4) with a motion, a lamp, a camera, two groups."""
    brushes = [
        leaf("box", VERSION, **look),
        hollow("room", (-256, 0, -256), (256, 256, 256), version=VERSION),
        leaf("door", VERSION, model=1),
    ]
    entities = [entity(LAMP, VERSION, (10, 20, -30)), entity(CAMERA, VERSION, group=1)]
    groups = [group("Default", 0, VERSION), group("g1", 1, VERSION, 0)]
    models = [model("door", 1, VERSION, 2.5, (0, 64, 0))]
    return level(VERSION, brushes, entities, models, groups).encode("latin-1")


def told(scene: bpy.types.Collection, data: bytes) -> tuple[list[tuple[list[str], list[str]]], list[str]]:
    report = Report()
    return lines(data, exported(scene, report)), report.notes


def home(scene: bpy.types.Collection, number: int) -> bpy.types.Collection:
    return [one for one in scene.children_recursive if kind_of(one) == layout.GROUP][number]


# ---- the level


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("TextureLib", "c.txl", 'TextureLib "..\\\\a b.txl"', 'TextureLib "c.txl"'),
        ("HeadersDir", "h", 'HeadersDir "..\\\\src;..\\\\src\\\\fx"', 'HeadersDir "h"'),
        ("ActorsDir", "a", 'ActorsDir "actors"', 'ActorsDir "a"'),
        ("PawnIni", "p", 'PawnIni "pawn.ini"', 'PawnIni "p"'),
        ("SkyAxis", (0.25, -0.5, 2.0), "Axis 1.000000 0.000000 0.000000", "Axis 0.250000 -0.500000 2.000000"),
        ("SkyRotation", 7.5, "Speed 10.000000", "Speed 7.500000"),
        ("SkyDrawScale", 3.0, "Scale 1.500000", "Scale 3.000000"),
        ("SkyLeft", "new", '1 "lf"', '1 "new"'),
        ("SkyRight", "-rt", '1 "rt"', '0 "rt"'),
        ("SkyTop", "-up", '0 ""', '0 "up"'),
        ("SkyBottom", "", '1 "dn"', '0 ""'),
        ("SkyFront", "-", '1 "ft"', '0 ""'),
        ("SkyBack", "b-k", '1 "bk"', '1 "b-k"'),
    ],
)
def test_words_of_the_level(name, value, before, after):
    data = sample()
    scene = imported(data, "a.3dt")
    scene[name] = value
    assert told(scene, data) == ([([before], [after])], [f"level changed: {name}"])


def test_words_of_a_wrong_type_are_refused_by_name():
    for name, value in (("SkyAxis", (1.0, 2.0)), ("SkyAxis", "abc"), ("SkyRotation", "fast")):
        scene = imported(sample(), "a.3dt")
        scene[name] = value
        with pytest.raises(SceneError, match=f"property {name}"):
            exported(scene)


# ---- groups


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("group_name", "walls", 'Group "g1"', 'Group "walls"'),
        ("group_visible", True, "Visible 0", "Visible 1"),
        ("group_locked", True, "Locked 0", "Locked 1"),
        ("group_color", (1.0, 2.0, 3.0), "Color 255.000000 128.000000 0.000000", "Color 1.000000 2.000000 3.000000"),
    ],
)
def test_groups(name, value, before, after):
    data = sample()
    scene = imported(data, "a.3dt")
    home(scene, 1)[name] = value
    said = "walls" if name == "group_name" else "g1"
    assert told(scene, data) == ([([before], [after])], [f"group {said} changed: {name}"])


def test_groups_that_come_and_go():
    """A new one has the next number, a copy all that its example has; the first one stays, as the editor needs it."""
    data = sample()
    scene = imported(data, "a.3dt")
    first, second = home(scene, 0), home(scene, 1)
    copy = second.copy()
    for obj in list(copy.objects):
        copy.objects.unlink(obj)
    copy["group_name"], copy["group_color"] = "g2", (9.0, 8.0, 7.0)
    scene.children.link(copy)
    report = Report()
    made = genesis.read(exported(scene, report)).groups
    assert [(one.name, one.group_id, one.visible, one.locked) for one in made] == [
        ("Default", 0, 1, 0), ("g1", 1, 0, 0), ("g2", 2, 0, 0),
    ]  # fmt: skip
    assert [tuple(one.color) for one in made] == [(255, 128, 0), (255, 128, 0), (9, 8, 7)]
    assert report.notes == ["group g2 is new"]
    for collection in (first, second, copy):
        for obj in list(collection.objects):
            scene.objects.link(obj)
        bpy.data.collections.remove(collection)
    report = Report()
    made = genesis.read(exported(scene, report))
    assert [one.name for one in made.groups] == ["Default"]
    assert {one.group_id for one in made.entities} == {0}
    assert "group g1 removed" in report.notes


# ---- models


def test_models():
    data = sample()
    for name, value, before, after, what in (
        ("model_name", "gate", 'Model "door"', 'Model "gate"', "name"),
        ("key_time", 0.0, "CurrentKeyTime 2.500000", "CurrentKeyTime 0.000000", "key time"),
    ):
        scene = imported(data, "a.3dt")
        part(scene, layout.MODEL, 0)[name] = value
        found, notes = told(scene, data)
        assert found[-1] == ([before], [after])
        assert notes[0] == f"model {part(scene, layout.MODEL, 0).name} changed: {what}"


@pytest.mark.parametrize("axis", range(3))
def test_what_a_model_turns_about(axis):
    """Blender's x, y, z are the level's x, -z, y. Its brushes come along."""
    data = sample()
    scene = imported(data, "a.3dt")
    part(scene, layout.MODEL, 0).location[axis] += 32
    step = np.zeros(3)
    step[(0, 2, 1)[axis]] = (32, -32, 32)[axis]
    made, was = genesis.read(exported(scene)), genesis.read(data)
    np.testing.assert_array_equal(np.array(made.models[0].origin) - was.models[0].origin, step)
    assert made.models[0].transform[:9] == was.models[0].transform[:9]
    for one, other in zip(made.brushes[2].faces, was.brushes[2].faces, strict=True):
        np.testing.assert_array_equal(one.points, other.points + step.astype(np.float32))
    assert made.brushes[0].faces[0].points.tobytes() == was.brushes[0].faces[0].points.tobytes()


def test_models_that_come_and_go():
    data = sample()
    scene = imported(data, "a.3dt")
    old = part(scene, layout.MODEL, 0)
    copy = old.copy()
    copy.location.x += 100
    old.users_collection[0].objects.link(copy)
    report = Report()
    made = genesis.read(exported(scene, report)).models
    assert [(one.model_id, one.key_time) for one in made] == [(1, 2.5), (2, 2.5)]
    assert [one.origin[0] for one in made] == [0, 100]
    assert report.notes == [f"model {copy.name} is new"]
    bpy.data.objects.remove(part(scene, layout.MOTION, 0))
    bpy.data.objects.remove(copy)
    bpy.data.objects.remove(old)
    report = Report()
    assert genesis.read(exported(scene, report)).models == []
    assert "model door removed" in report.notes


# ---- brushes


FLAGS = {
    "solid": 0x1, "window": 0x2, "wavy": 0x4, "detail": 0x8, "translucent": 0x20, "empty": 0x40, "cut": 0x80,
    "clip": 0x100, "flocking": 0x200, "sheet": 0x800,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "line", "what"),
    [
        ("brush_name", "crate", 'Brush "crate"', "name"),
        ("hull_size", 4.0, "HullSize 4.000000", "hull size"),
        ("detail", True, "Flags 9", "flags"),
        ("solid", False, "Flags 0", "flags"),
    ],
)
def test_brushes(name, value, line, what):
    data = sample()
    scene = imported(data, "a.3dt")
    brush(scene, 0)[name] = value
    ((before, after),), notes = told(scene, data)
    assert after == [line] and before[0].split()[0] == line.split()[0]
    assert notes == [f"brush box changed: {what}"]


def test_what_is_made_of_brushes_has_properties_of_its_own():
    data = sample()
    scene = imported(data, "a.3dt")
    brush(scene, 1)["hull_size"] = 8.0
    found, notes = told(scene, data)
    assert found == [(["HullSize 16.000000"], ["HullSize 8.000000"])]
    assert notes == ["brush room changed: hull size"]


def test_a_mesh_alone_cannot_be_hollow():
    scene = imported(sample(), "a.3dt")
    brush(scene, 0)["hollow"] = True
    with pytest.raises(SceneError, match="box: a hollow brush is an empty with two brushes") as error:
        exported(scene)
    assert error.value.objects == [brush(scene, 0)]


def test_what_a_brush_belongs_to():
    """A brush that goes to a model or a group takes those in it along."""
    data = sample()
    scene = imported(data, "a.3dt")
    objects = [brush(scene, number) for number in (1, 2, 3)]
    for obj in objects:
        for collection in obj.users_collection:
            collection.objects.unlink(obj)
        home(scene, 1).objects.link(obj)
    made = genesis.read(exported(scene))
    room = made.brushes[1]
    assert [one.group_id for one in (made.brushes[0], room, *room.children, made.brushes[2])] == [0, 1, 1, 1, 0]
    assert [one.model_id for one in (made.brushes[0], room, *room.children, made.brushes[2])] == [0, 0, 0, 0, 1]


def test_removed_brushes_are_told_by_number_and_name():
    data = sample()
    scene = imported(data, "a.3dt")
    bpy.data.objects.remove(brush(scene, 3))
    _, notes = told(scene, data)
    assert notes == ["brush 3 (room) removed"]
    bpy.data.objects.remove(brush(scene, 2))
    bpy.data.objects.remove(brush(scene, 0))
    _, notes = told(scene, data)
    assert notes == [
        "brush room has nothing left in it: removed", "brush 0 (box) removed", "brush 2 (room) removed",
        "brush 3 (room) removed",
    ]  # fmt: skip


# ---- faces


LOOK = {"rotate": 30.0, "shift": (3, -4), "scale": (0.5, 2.0), "light_scale": (4.0, 8.0)}


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("flags", 0x210, "Flags 512", "Flags 528"),
        ("face_light", 75.0, "Light 300", "Light 75"),
        ("mip_map_bias", 2.0, "MipMapBias 1.000000", "MipMapBias 2.000000"),
        ("alpha", 100.0, "Translucency 255.000000", "Translucency 100.000000"),
        ("reflective_scale", 0.5, "Reflectivity 1.000000", "Reflectivity 0.500000"),
        ("rotate", 45.0, "Rotate 30.000000", "Rotate 45.000000"),
        ("shift", (7, -9), "Shift 3 -4", "Shift 7 -9"),
        ("scale", (4.0, 0.25), "Scale 0.500000 2.000000", "Scale 4.000000 0.250000"),
        ("light_scale", (3.0, 5.0), "LightScale 4.000000 8.000000", "LightScale 3.000000 5.000000"),
    ],
)
def test_fields_of_a_face(name, value, before, after):
    data = sample(**LOOK)
    scene = imported(data, "a.3dt")
    item = brush(scene, 0).data.attributes[name].data[UP]
    if isinstance(value, tuple):
        setattr(item, "vector" if name != "shift" else "value", value)
    else:
        item.value = value
    ((was, now),), notes = told(scene, data)
    assert len(was) == len(now) == 1
    assert was[0].replace(before, after) == now[0] != was[0]
    assert notes == ["brush box changed: 1 face with other properties"]


def test_points_that_are_nearly_where_they_were_are_the_records():
    """A corner that only went there and back within rounding is the record's, also on a brush that was reshaped."""
    data = sample()
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 2] > 0, 2] += 16
    moved[:, 0] += 1e-4
    place(obj, moved)
    report = Report()
    faces = genesis.read(exported(scene, report, texture_lock=False)).brushes[0].faces
    was = genesis.read(data).brushes[0].faces
    for one, other in zip(faces, was, strict=True):
        wanted = other.points + np.where(other.points[:, 1:2] > 0, np.float32([0, 16, 0]), np.float32(0))
        np.testing.assert_allclose(one.points, wanted, atol=2e-4)
        low = other.points[:, 1] < 0
        assert one.points[low].tobytes() == other.points[low].tobytes()


# ---- entities


@pytest.mark.parametrize("axis", range(3))
def test_places_of_entities(axis):
    data = sample()
    scene = imported(data, "a.3dt")
    part(scene, layout.ENTITY, 0).location[axis] += 7
    at = [10, 20, -30]
    at[(0, 2, 1)[axis]] += (7, -7, 7)[axis]
    x, y, z = at
    found, notes = told(scene, data)
    assert found == [
        (["eOrigin 10 20 -30 2"], [f"eOrigin {x} {y} {z} 2"]),
        (['Key origin Value "10 20 -30"'], [f'Key origin Value "{x} {y} {z}"']),
    ]
    assert notes == ["entity lamp changed: origin"]


def test_entities_that_come_and_go():
    data = sample()
    scene = imported(data, "a.3dt")
    old = part(scene, layout.ENTITY, 0)
    twins = [old.copy(), old.copy()]
    for number, twin in enumerate(twins, 1):
        twin.location.x += 16 * number
        home(scene, 1).objects.link(twin)
    bpy.data.objects.remove(part(scene, layout.ENTITY, 1))
    report = Report()
    made = genesis.read(exported(scene, report)).entities
    assert [(one.name, one.group_id, one.origin[0]) for one in made] == [
        ("lamp", 0, 10), ("lamp_2", 1, 26), ("lamp_3", 1, 42),
    ]  # fmt: skip
    assert report.notes == [
        *(f"entity {twin.name} is new" for twin in twins), "entity 1 (Camera, eye) removed",
    ]  # fmt: skip
