# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation: what is shown of sections; edits of leaves, doors and action points change only what they mean."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.navigation import build as navigation
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable
from levelwright.formats.fable import UID_BASE
from levelwright.formats.fable.level import Section
from levelwright.formats.fable.sections import NumberedSection

from tests.addon.fable.export_helpers import exported, imported, reopened
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb

DOORS = fb.Lev(sections=((b"NULL", fb.DOORS), (b"Q_Quest", fb.DOORS)))
UPPER = 256 + 1  # the object of the second section's layer 1
HILLS = DOORS.but(cell=lambda x, y: fb.height_cell(((x * 7 + y * 3) % 11) / 2048))


def lev() -> bytes:
    return DOORS.build()


def leaves(level: bpy.types.Collection, record: int = 0) -> bpy.types.Object:
    return part(level, layout.LEAVES, record)


def values(obj: bpy.types.Object, name: str) -> list[int]:
    return [int(one.value) for one in obj.data.attributes[name].data]


def set_value(obj: bpy.types.Object, name: str, face: int, value: int) -> None:
    obj.data.attributes[name].data[face].value = value


def section(data: bytes, number: int) -> fable.Navigation:
    return fable.read(data).sections[number].navigation


def different(before: bytes, after: bytes, number: int) -> dict[str, list[int]]:
    """The fields of a section's nodes that differ, and of which nodes; the other section is the same, byte for byte."""
    old, new = fable.read(before), fable.read(after)
    other = 1 - number
    assert bytes(old.sections[other].payload())[20:] == bytes(new.sections[other].payload())[20:]
    a, b = old.sections[number].navigation.nodes, new.sections[number].navigation.nodes
    plain = [name for name in a.dtype.names if name != "children" and (a[name] != b[name]).any()]
    return {name: np.flatnonzero(a[name] != b[name]).tolist() for name in plain}


def test_each_layer_of_each_section_is_an_object():
    level = imported(lev())
    objects = [obj for obj in level.all_objects if obj.type == "MESH" and obj.parent and "layer" in obj.name]
    assert sorted(obj.name for obj in objects) == ["NULL layer 0", "NULL layer 1", "Q_Quest layer 0", "Q_Quest layer 1"]
    upper = leaves(level, UPPER)
    assert len(upper.data.polygons) == 3
    assert values(upper, "preference") == [64, 64, 64]
    assert values(upper, "region") == [1, 1, 0]
    assert values(upper, "level") == [1, 1, 1]
    assert values(upper, layout.DOOR) == [0, 1, 2]
    assert values(upper, layout.CLOSED) == [0, 0, 1]
    assert upper["door_1"] == f"{UID_BASE + fb.DOOR} {UID_BASE + fb.DOOR + 1}"
    assert upper["door_2"] == str(UID_BASE + fb.DOOR)
    first = [upper.data.vertices[n].co[:2] for n in upper.data.polygons[1].vertices]
    assert first == [(16, 0), (32, 0), (32, 16), (16, 16)]


def test_it_is_hidden_at_first():
    level = imported(lev())
    assert level.children["Navigation"].hide_viewport
    assert level.children["Navigation"].hide_render


def test_leaves_lie_over_the_ground():
    data = HILLS.build()
    obj = leaves(imported(data))
    ground = fable.heights(fable.read(data).cells)
    for polygon in obj.data.polygons:
        square = [obj.data.vertices[n].co for n in polygon.vertices]
        (x0, y0, _), (x1, y1, _) = square[0], square[2]
        for x in range(int(x0), int(x1) + 1):
            for y in range(int(y0), int(y1) + 1):
                u, v = (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
                lower = square[0].z * (1 - u) + square[1].z * u
                upper = square[3].z * (1 - u) + square[2].z * u
                over = lower * (1 - v) + upper * v - ground[y, x]
                assert over >= navigation.LIFT - 1e-4
    assert min(vertex.co.z for vertex in obj.data.vertices) < 12


def test_a_section_without_an_object_stays():
    data = lev()
    level = imported(data)
    bpy.data.objects.remove(leaves(level, UPPER))
    report = Report()
    assert exported(level, report) == data
    assert any("Q_Quest layer 1: the object is gone" in line for line in report.lines())


@pytest.mark.parametrize("name", sorted(fb.variants().keys() - {"no cells"}))  # which have no ground to show
def test_unusual_levels_come_back_as_they_were(name, tmp_path):
    data = fb.variants()[name].build()
    assert exported(reopened(imported(data), tmp_path)) == data


@pytest.mark.parametrize(("field", "value"), [("region", 9), ("preference", 0)])
def test_fields_of_leaves(field, value):
    data = lev()
    level = imported(data)
    set_value(leaves(level, UPPER), field, 0, value)
    after = exported(level)
    assert different(data, after, 1) == {field: [6]}
    assert section(after, 1).nodes[field][6] == value
    assert section(after, 1).region_count == (10 if field == "region" else section(data, 1).region_count)


def test_the_keys_of_a_door():
    data = lev()
    level = imported(data)
    leaves(level, UPPER)["door_1"] = f"{UID_BASE + 77}"
    after = section(exported(level), 1)
    assert after.keys.tolist() == [77, fb.DOOR]
    assert after.nodes["key_count"].tolist()[7:] == [1, 1]


def test_leaves_become_doors_and_doors_ground():
    data = lev()
    level = imported(data)
    upper = leaves(level, UPPER)
    set_value(upper, layout.DOOR, 0, 2)
    set_value(upper, layout.DOOR, 1, 0)
    set_value(upper, layout.CLOSED, 2, False)
    after = section(exported(level), 1)
    assert after.keys.tolist() == [fb.DOOR, fb.DOOR]
    assert after.nodes["switchable"].tolist()[6:] == [1, 0, 1]
    assert after.nodes["blocked"].tolist()[6:] == [0, 0, 0]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda obj: set_value(obj, "preference", 1, 256), "1 face: attribute preference isn't within 0 and 255"),
        (lambda obj: set_value(obj, "region", 0, -1), "attribute region isn't within 0"),
        (lambda obj: set_value(obj, layout.DOOR, 0, 9), "property door_9 must have the UIDs"),
        (lambda obj: obj.__setitem__("door_1", "the gate"), "property door_1 must have"),
        (lambda obj: obj.__setitem__("door_1", str(1 << 64)), "isn't a UID"),
        (lambda obj: set_value(obj, layout.CLOSED, 0, True), "1 face: closed, but not a door"),
        (lambda obj: setattr(obj, "location", (1, 0, 0)), "was moved"),
        (lambda obj: setattr(obj.data.vertices[4], "co", (1, 2, 3)), "1 face: moved"),
    ],
)
def test_what_navigation_cannot_be_is_refused(edit, message):
    level = imported(lev())
    upper = leaves(level, UPPER)
    edit(upper)
    with pytest.raises(SceneError, match=message) as error:
        exported(level)
    assert error.value.objects == [upper]


def test_heights_of_leaves_mean_nothing():
    data = lev()
    level = imported(data)
    for vertex in leaves(level).data.vertices:
        vertex.co.z += 5
    assert exported(level) == data


def test_leaves_that_were_moved_are_refused_but_a_root_that_is_gone_moves_nothing():
    level = imported(lev())
    bpy.data.objects.remove(part(level, layout.ROOT, 0))
    assert exported(level) == lev()
    leaves(level).location.x += 1
    with pytest.raises(SceneError, match="moved, turned or scaled") as error:
        exported(level)
    assert error.value.objects == [leaves(level)]


def test_leaves_that_are_gone_or_too_many_are_refused():
    level = imported(lev())
    obj = leaves(level)
    for change, message in ((0, "1 leaf is gone"), (1, "2 faces too many")):
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        if change:
            bmesh.ops.duplicate(mesh, geom=mesh.faces[:2])
        else:
            bmesh.ops.delete(mesh, geom=mesh.faces[:1], context="FACES_ONLY")
        kept = obj.data.copy()
        mesh.to_mesh(obj.data)
        with pytest.raises(SceneError, match=message):
            exported(level)
        obj.data = kept


def test_a_layer_that_is_there_twice_is_refused():
    level = imported(lev())
    copy = leaves(level).copy()
    level.children["Navigation"].children["NULL"].objects.link(copy)
    with pytest.raises(SceneError, match="are the same layer of navigation"):
        exported(level)


def test_action_points():
    data = lev()
    level = imported(data)
    home = level.children["Navigation"].children["Q_Quest"]
    points = [part(level, layout.ACTION_POINT, record) for record in (2, 3)]
    assert [tuple(point.location[:2]) for point in points] == [(1, 2), (3, 0)]
    assert [point[layout.POINT_LAYER] for point in points] == [1, 0]
    points[0].location.x = 5.5
    points[1].location.z = 99
    copy = points[0].copy()
    copy.location = (7, 8, 0)
    home.objects.link(copy)
    new = bpy.data.objects.new("Bed", None)
    new.location = (9, 10, 0)
    home.objects.link(new)
    after = exported(level)
    assert section(after, 0).positions.tolist() == section(data, 0).positions.tolist()
    found = section(after, 1).positions
    assert found.tolist() == [(5.5, 2, 1), (3, 0, 0), (7, 8, 1), (9, 10, 0)]
    assert np.signbit(found["y"][1]), "-0.0 stays, though z was changed"
    assert different(data, after, 1) == {}


def test_an_action_point_that_is_deleted_goes():
    data = lev()
    level = imported(data)
    bpy.data.objects.remove(part(level, layout.ACTION_POINT, 0))
    after = exported(level)
    assert section(after, 0).positions.tolist() == section(data, 0).positions.tolist()[1:]
    assert len(section(after, 1).positions) == 2


def test_too_many_action_points_stay_in_the_file(monkeypatch):
    monkeypatch.setattr(navigation, "MANY_POINTS", 1)
    data = lev()
    report = Report()
    level = import_level(bpy.context, data, "test.lev", ImportSettings(), report)
    assert "action points of section NULL" in report.summary()
    assert exported(level) == data


def test_old_versions_store_no_preference():
    data = fb.Lev(sections=((b"NULL", fb.section([fb.leaf(0, 16.0, 16.0, 1, version=6)], version=6)),)).build()
    level = imported(data)
    set_value(leaves(level), "preference", 0, 0)
    with pytest.raises(SceneError, match="doesn't store"):
        exported(level)


def checkered() -> fable.Level:
    """256 x 256 units with more than 20,000 records of navigation: a few cells of each root are blocked."""
    level = fable.new_level(256, 256, with_navigation=False)
    cells = level.cells.copy()
    blocked = np.random.default_rng(7).random(cells.shape) < 0.1
    cells["walkable"][blocked] = 0
    level.cells = cells
    level.sections.append(Section.new("NULL", fable.new_navigation(fable.weights(cells))))
    return level


@pytest.mark.cpu_seconds(60)
def test_many_leaves_come_back_as_they_were():
    level = checkered()
    assert len(level.sections[0].navigation.nodes) > 20_000
    data = fable.write(level)
    bare = imported(data, navigation=False)
    scene = imported(data)
    assert exported(scene) == data
    assert exported(bare) == data


def test_a_real_level_shows_all_leaves_and_one_edit_changes_one_field(corpus):
    path = next(iter(corpus.glob("lev/*/BarrowFields.lev")), None)
    if path is None:
        pytest.skip("the corpus has no BarrowFields")
    data = path.read_bytes()
    level = imported(data, path)
    navigation_of = fable.read(data).sections[1].navigation
    shown = [obj for obj in level.children["Navigation"].children[1].objects if obj.type == "MESH"]
    assert sum(len(obj.data.polygons) for obj in shown) == np.count_nonzero(navigation_of.nodes["leaf"])
    upper = leaves(level, UPPER)
    door = values(upper if any(values(upper, layout.DOOR)) else leaves(level, 256), layout.DOOR)
    assert sum(map(bool, door)) > 0
    first = NumberedSection(1, "", navigation_of, 0, 0).leaves(1)[0]
    set_value(upper, "preference", 0, 128)
    assert different(data, exported(level), 1) == {"preference": [int(first)]}
