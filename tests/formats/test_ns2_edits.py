# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing levels: only what was edited differs, and what doesn't fit together is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import ns2
from formats.binary import FormatError
from formats.ns2 import Property, PropertyType
from formats.ns2.chunks import str8, str16
from tests.formats import ns2_bytes as build

WHOLE = build.whole(10)


@pytest.fixture
def level() -> ns2.Level:
    return ns2.read(WHOLE)


def differing(data: bytes, original: bytes = WHOLE) -> set[str]:
    """The chunks in which two levels differ, by name."""
    first, second = ns2.read(original), ns2.read(data)
    assert [chunk.id for chunk in first.mesh.chunks] == [chunk.id for chunk in second.mesh.chunks]
    names = {chunk.id: f"mesh {chunk.id}" for chunk in first.mesh.chunks
             if bytes(chunk.data) != bytes(second.mesh.chunk(chunk.id).data)}  # fmt: skip
    objects = [[bytes(chunk.data) for chunk in each.chunks if chunk.id == 1] for each in (first, second)]
    found = set(names.values()) | {f"object {at}" for at, pair in enumerate(zip(*objects, strict=False))
                                   if pair[0] != pair[1]}  # fmt: skip
    if len(objects[0]) != len(objects[1]):
        found.add("number of objects")
    for number in range(3, 8):
        one, two = first.chunk(number), second.chunk(number)
        if bytes(one.data if one else b"-") != bytes(two.data if two else b"-"):
            found.add(f"chunk {number}")
    return found


def test_tables_cannot_be_written_to_in_place(level):
    mesh = level.mesh
    for array in (mesh.vertices, mesh.edges, mesh.faces.records, mesh.faces.members, mesh.faces.face_loops,
                  mesh.face_layers.masks, mesh.mapping_groups, mesh.triangles.triangles):  # fmt: skip
        assert not array.flags.writeable


def test_only_what_is_set_differs(level):
    vertices = level.mesh.vertices.copy()
    vertices["position"][3, 1] = 0.5
    level.mesh.vertices = vertices
    assert differing(ns2.write(level)) == {"mesh 1"}
    assert ns2.read(ns2.write(level)).mesh.positions[3].tolist() == [4, 0.5, 0]
    level = ns2.read(WHOLE)
    level.mesh.materials[0] = "materials/dev/other.material"
    assert differing(ns2.write(level)) == {"mesh 4"}
    level.layers[0].name = "Other"
    level.entities[1].set("name", "gate")
    assert differing(ns2.write(level)) == {"mesh 4", "chunk 3", "object 1"}


def test_faces_are_added_and_taken(level):
    mesh = level.mesh
    old, loops = mesh.faces, (np.array([0, 1]), np.array([0, 4]))
    members = np.array([(0, 3), (0, 9), (0, 8), (0, 10)], ns2.MEMBER)
    new = ns2.Faces(ns2.new_faces(1), *loops, members)
    mesh.faces = ns2.Faces.joined([old.take([2, 0]), new])
    masks = np.concatenate([mesh.face_layers.masks[[2, 0]], np.zeros((1, 8), np.uint32)])
    masks[2, 0] = 1 << 3
    mesh.face_layers = ns2.FaceLayers.of(masks)
    with pytest.raises(FormatError, match="triangles"):
        table = ns2.Triangles.empty()
        mesh.triangles = ns2.Triangles.joined([mesh.triangles.take([2, 0]), table], len(mesh.vertices))
        ns2.write(level)
    mesh.triangles = ns2.triangles_of(mesh)
    again = ns2.read(ns2.write(level)).mesh
    assert differing(ns2.write(level)) == {"mesh 3", "mesh 5", "mesh 6"}
    assert np.diff(again.faces.face_loops).tolist() == [1, 2, 1]
    assert again.faces.take([0, 1]).records.tobytes() == old.take([2, 0]).records.tobytes()
    assert again.corners[-4:].tolist() == [3, 0, 8, 9]
    assert again.face_layers.members(3).tolist() == [False, True, True]


def test_properties_keep_order_and_duplicates(level):
    mover = level.entities[1]
    mover.set("direction", 2)
    assert mover.get_all("direction") == [2, 3]
    mover.set("speed", 1.5, PropertyType.REAL)
    assert [each.name for each in mover.properties] == ["origin", "angles", "direction", "name", "direction", "speed"]
    mover.remove("direction")
    again = ns2.read(ns2.write(level)).entities[1]
    assert [each.name for each in again.properties] == ["origin", "angles", "name", "speed"]
    assert again.get("speed") == 1.5
    assert differing(ns2.write(level)) == {"object 1"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("origin", (1.0, 2.0), "2 components, the property has 3"),
        ("origin", "here", "no value of type DISTANCE"),
        ("origin", (1e39, 0.0, 0.0), "too large"),
        ("name", 3, "no value of type STRING"),
        ("direction", 1 << 40, "property 'direction'"),
        ("direction", 0.5, "no value of type CHOICE"),
        ("missing", 1, "its type is not given"),
    ],
)
def test_values_of_another_type_are_refused(level, name, value, message):
    with pytest.raises(FormatError, match=message):
        level.entities[1].set(name, value)
    assert ns2.write(level) == WHOLE


def test_a_value_that_is_set_to_itself_keeps_its_bits():
    payload = build.prop("origin", 9, bytes.fromhex("010080ff 0000c0ff 00000080"), 3)
    data = build.level(10, objects=[build.entity(10, "a", [payload])])
    level = ns2.read(data)
    entity = level.entities[0]
    entity.set("origin", entity.get("origin"))
    assert ns2.write(level) == data
    _, second, third = entity.get("origin")
    entity.set("origin", (5.0, second, third))
    assert ns2.write(level) == data.replace(bytes.fromhex("010080ff"), build.f32(5))


def test_layers_and_groups_come_and_go(level):
    level.layers.append(ns2.Layer("Pathing", 7))
    level.entities[0].layers = ns2.mask_of([7])
    again = ns2.read(ns2.write(level))
    assert [(layer.name, layer.id) for layer in again.layers] == [("Vents", 3), ("Lights", 200), ("Pathing", 7)]
    assert ns2.layers_of(again.entities[0].layers) == [7]
    again.layers.clear()
    again.groups = []
    bare = ns2.read(ns2.write(again))
    assert (bare.chunk(3), bare.chunk(5)) == (None, None)
    bare.groups.append(ns2.Group("Bench", 4))
    bare.layers.append(ns2.Layer("Layer", 1))
    assert [chunk.id for chunk in ns2.read(ns2.write(bare)).chunks] == [2, 1, 1, 1, 3, 5, 4, 6, 7]
    with pytest.raises(ValueError, match="256"):
        ns2.mask_of([256])


def test_what_is_in_a_layer_moves_along_or_goes(level):
    faces, object_masks = level.mesh.face_layers.members(3), [each.layers for each in level.entities]
    assert faces.any()
    ns2.move_layers(level, {3: 40, 99: None})
    moved = ns2.read(ns2.write(level))
    assert np.array_equal(moved.mesh.face_layers.members(40), faces)
    assert not moved.mesh.face_layers.members(3).any()
    assert [each.layers for each in moved.entities] == [
        mask if mask is None or not mask & 8 else mask & ~8 | 1 << 40 for mask in object_masks
    ]
    ns2.move_layers(level, {40: 3})
    assert ns2.write(level) == WHOLE
    ns2.move_layers(level, {3: None})
    assert not ns2.read(ns2.write(level)).mesh.face_layers.members(3).any()
    assert not any(3 in ns2.layers_of(each.layers) for each in level.entities)


def test_nothing_is_in_groups_that_were_dropped(level):
    tables = level.mesh.geometry_groups
    ids = set(tables.faces.ids.tolist()) | set(tables.edges.ids.tolist()) | set(tables.vertices.ids.tolist())
    ns2.drop_groups(level, ())
    ns2.drop_groups(level, {12345})
    assert ns2.write(level) == WHOLE
    ns2.drop_groups(level, ids | {each.group for each in level.entities})
    tables = ns2.read(ns2.write(level)).mesh.geometry_groups
    assert not len(tables.faces.members) + len(tables.edges.members) + len(tables.vertices.members)
    assert {each.group for each in level.entities} == {ns2.NO_GROUP}


def test_layers_of_version_4_swap_their_bits():
    level = ns2.read(
        build.level(
            4, objects=[build.entity(4, "a", [], layers=build.mask(0)), build.entity(4, "b", [], layers=build.mask(1))]
        )
    )
    ns2.move_layers(level, {0: 1, 1: 0})
    assert [each.layers for each in level.entities] == [2, 1]
    ns2.move_layers(level, {0: None})
    assert [each.layers for each in level.entities] == [2, 0]


def test_pathing_is_edited_in_place(level):
    level.pathing.set("Agent Radius", 0.75)
    level.pathing.layers = ns2.mask_of([3, 200])
    assert differing(ns2.write(level)) == {"chunk 7"}
    again = ns2.read(ns2.write(level)).pathing
    assert (again.get("Agent Radius"), ns2.layers_of(again.layers)) == (0.75, [3, 200])


def test_viewports_and_colors(level):
    level.viewports = "<viewports/>\n"
    level.custom_colors[0] = 0xFF0000FF
    assert differing(ns2.write(level)) == {"chunk 4", "chunk 6"}
    again = ns2.read(ns2.write(level))
    assert (again.viewports, again.custom_colors[0]) == ("<viewports/>\n", 0xFF0000FF)
    again.custom_colors[1] = -1
    with pytest.raises(FormatError, match="custom colors"):
        ns2.write(again)


def test_geometry_groups_from_an_assignment(level):
    none = ns2.NO_GROUP
    table = ns2.GroupTable.of([none, 5, 2, 5, none])
    assert (table.ids.tolist(), table.starts.tolist(), table.members.tolist()) == ([2, 5], [0, 1, 3], [2, 1, 3])
    assert table.assignment(5).tolist() == [none, 5, 2, 5, none]
    with pytest.raises(FormatError, match="member 3"):
        table.assignment(3)
    groups = level.mesh.geometry_groups
    level.mesh.geometry_groups = ns2.GeometryGroups(table, groups.edges, groups.faces)
    assert differing(ns2.write(level)) == {"mesh 8"}


def test_triangles_are_joined_with_their_normals_and_ghosts():
    mesh = ns2.read(build.whole(9)).mesh
    own = mesh.triangles
    parts = [own.take([2]), own.take([0, 1])]
    joined = ns2.Triangles.joined(parts, len(mesh.vertices))
    assert np.diff(joined.face_triangles).tolist() == [2, 8, 2]
    assert len(joined.normals) == len(joined.ghosts) == 2
    assert joined.triangles["normals"][0].tolist() == [0, 0, 2]
    assert joined.triangles["normals"][2].tolist() == [2, 2, 2]


WRONG = [
    ("vertices", lambda mesh: mesh.vertices[:5], "edge 3: names vertex 5|edge 4: names vertex 5"),
    ("vertices", lambda mesh: np.zeros(10, ns2.VERTEX12), "13 bytes"),
    ("edges", lambda mesh: mesh.edges[:5], "names edge"),
    ("edges", lambda mesh: np.zeros(11, ns2.EDGE8), "9 bytes"),
    ("materials", lambda mesh: ["one.material"], "face 1: names material 1"),
    ("faces", lambda mesh: mesh.faces.take([0]), "there are 1"),
    ("face_layers", lambda mesh: ns2.FaceLayers.none(2), "are of 2 faces, there are 3"),
    ("face_layers", lambda mesh: ns2.FaceLayers(np.zeros(3, np.bool_), mesh.face_layers.masks), "in no layer"),
    ("triangles", lambda mesh: mesh.triangles.take([0]), "are of 1 faces, there are 3"),
    ("geometry_groups", lambda mesh: ns2.GeometryGroups(*[ns2.GroupTable.of([1] * 99)] * 3),
     "names member 10, there are 10"),
    ("faces", lambda mesh: ns2.Faces(mesh.faces.records, np.array([0, 0, 2, 4]), mesh.faces.loop_members,
                                     mesh.faces.members), "face 0: has no border"),
    ("faces", lambda mesh: ns2.Faces(mesh.faces.records, np.array([0, 1, 3]), mesh.faces.loop_members,
                                     mesh.faces.members), "places"),
]  # fmt: skip


def test_version_4_has_no_groups_of_geometry():
    level = ns2.read(build.whole(4))
    level.mesh.geometry_groups = ns2.GeometryGroups.empty()
    with pytest.raises(FormatError, match="version 4 has none"):
        ns2.write(level)


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_tables_that_do_not_fit_are_refused(level, name, value, message):
    setattr(level.mesh, name, value(level.mesh))
    with pytest.raises(FormatError) as caught:
        ns2.write(level)
    assert any(part in str(caught.value).replace("reading ", "") for part in message.split("|")), str(caught.value)


# --------------------------------------------------------------------------------------------------------- hypothesis


@given(st.binary(max_size=64))
def test_any_bytes_are_text_and_back(raw):
    text = raw.decode("utf-8", "surrogateescape")
    assert str8(text, "")[4:] == raw
    even = raw[: len(raw) // 2 * 2]
    assert str16(even.decode("utf-16-le", "surrogatepass"))[4:] == even


VALUES = {
    PropertyType.STRING: st.text(max_size=20),
    PropertyType.BOOL: st.booleans(),
    PropertyType.INTEGER: st.integers(-(1 << 31), (1 << 31) - 1),
    PropertyType.REAL: st.floats(width=32),
    PropertyType.COLOR: st.tuples(*[st.floats(width=32)] * 3),
}


@given(st.sampled_from(sorted(VALUES)).flatmap(lambda kind: st.tuples(st.just(kind), VALUES[kind])))
def test_values_come_back(case):
    kind, value = case
    found = Property.of("p", kind, value).value
    assert repr(found) == repr(value)


FACES = st.lists(
    st.tuples(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(0, 3), st.booleans()), max_size=60
)


@given(FACES, st.sampled_from([4, 7, 10]))
def test_faces_of_any_sizes_come_back(faces, version):
    """Loops of any number of members, in faces of any number of loops, with and without layers and triangles."""
    shape = build.Shape(
        points=[(0, 0, 0)] * 3,
        edges=[(0, 1)] * 2,
        faces=[
            build.Face([[(0, 1)] * size for size in sizes], triangles=[(0, 1, 2)] * count,
                       layers=build.mask(count) if masked else None)
            for sizes, count, masked in faces
        ],
    )  # fmt: skip
    data = build.level(version, mesh=build.mesh(version, shape))
    level = ns2.read(data)
    mesh = level.mesh
    assert np.diff(mesh.faces.face_loops).tolist() == [len(sizes) for sizes, _, _ in faces]
    assert np.diff(mesh.faces.loop_members).tolist() == [size for sizes, _, _ in faces for size in sizes]
    assert np.diff(mesh.triangles.face_triangles).tolist() == [count for _, count, _ in faces]
    mesh.faces, mesh.face_layers, mesh.triangles = mesh.faces, mesh.face_layers, mesh.triangles
    assert ns2.write(level) == data
