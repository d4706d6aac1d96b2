# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of Natural Selection 2, of every version, against bytes that were built without the library."""

import struct

import numpy as np
import pytest

from formats import ns2
from formats.binary import FormatError
from tests.formats import ns2_bytes as build

VERSIONS = (4, 6, 7, 9, 10)
WHOLE = {version: build.whole(version) for version in VERSIONS}
MESH_TABLES = {
    "vertices": 1, "edges": 2, "faces": 3, "face_layers": 6, "mapping_groups": 7, "geometry_groups": 8, "triangles": 5,
}  # fmt: skip
PARTS = {"entities": 1, "layers": 3, "groups": 5, "viewports": 4, "custom_colors": 6, "editor_settings": 7}


def decode(level: ns2.Level) -> ns2.Level:
    for name in ("materials", *MESH_TABLES):
        getattr(level.mesh, name)
    for name in PARTS:
        getattr(level, name)
    return level


def set_all(level: ns2.Level) -> ns2.Level:
    """Set everything to what it is, so that all of it is encoded anew."""
    for whole, tables in ((level.mesh, MESH_TABLES), (level, PARTS)):
        for name, number in tables.items():
            if whole.chunk(number) is not None:
                setattr(whole, name, getattr(whole, name))
    return level


@pytest.mark.parametrize("version", VERSIONS)
def test_levels_are_written_as_they_were_read(version):
    data = WHOLE[version]
    assert ns2.identify(data)
    assert ns2.write(ns2.read(data)) == data
    assert ns2.write(decode(ns2.read(data))) == data
    assert ns2.write(set_all(ns2.read(memoryview(data)))) == data


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_level_holds(version):
    level = ns2.read(WHOLE[version])
    mesh = level.mesh
    assert mesh.materials[1] == "materials/biodome/biodome_grass.material"
    assert mesh.positions.tolist() == [list(map(float, point)) for point in build.HOLED.points]
    assert mesh.edge_vertices[8].tolist() == [8, 9]
    assert np.flatnonzero(mesh.smooth).tolist() == ([0] if version >= 9 else [])
    faces = mesh.faces
    assert faces.face_loops.tolist() == [0, 2, 3, 4]
    assert faces.loop_members.tolist() == [0, 4, 8, 12, 16]
    assert mesh.corners.tolist() == [0, 1, 2, 3, 4, 7, 6, 5, 4, 5, 6, 7, 1, 0, 8, 9]
    assert mesh.ends.tolist() == [1, 2, 3, 0, 7, 6, 5, 4, 5, 6, 7, 4, 0, 8, 9, 1]
    assert faces.records["mapping_group"].tolist() == [7, ns2.NO_MAPPING_GROUP, ns2.NO_MAPPING_GROUP]
    assert faces.records["material"].tolist() == [0, 1, 0]
    assert faces.records["scale"][0].tolist() == [np.float32(0.30758), np.float32(-0.30758)]
    assert np.isnan(faces.records["angle"][1])
    assert mesh.mapping_groups["offset"][0].tolist() == [0.25, 0.75]
    if version > 4:
        assert mesh.face_layers.has.tolist() == [True, True, False]
        assert mesh.face_layers.members(3).tolist() == [True, True, False]
        assert mesh.face_layers.members(200).tolist() == [True, False, False]
        none = ns2.NO_GROUP
        assert mesh.geometry_groups.vertices.assignment(10).tolist() == [1, none, none, 1, *[none] * 5, 2]
        assert mesh.geometry_groups.faces.assignment(3).tolist() == [1, none, 1]
    assert np.diff(mesh.triangles.face_triangles).tolist() == [8, 2, 2]
    assert mesh.triangles.triangles["vertices"][8].tolist() == [4, 5, 6]
    assert len(mesh.triangles.ghosts) == (version in (7, 9))
    assert len(mesh.triangles.normals) == (version >= 9)

    prop, mover, probe = level.entities
    assert (prop.class_name, ns2.layers_of(prop.layers)) == ("prop_static", [0] if version == 4 else [3, 200])
    assert (prop.group, mover.group) == (ns2.no_group(version), 1)
    assert prop.get("origin") == (1.5, -2.0, struct.unpack("<f", struct.pack("<f", 0.1))[0])
    assert (prop.get("model"), prop.get("castsShadows")) == ("models/props/rock.model", True)
    assert (mover.get("direction"), mover.get_all("direction"), mover.get("none")) == (-1, [-1, 3], None)
    assert mover.get("name") == "door \u00e9\u2603"
    assert [data.name for data in probe.editor_data] == (["reflection_probe_cubemap"] if version == 10 else [])
    assert [(layer.name, layer.id) for layer in level.layers] == [
        ("Vents", 0 if version == 4 else 3), ("Lights", 1 if version == 4 else 200)]  # fmt: skip
    assert (level.groups[0].name, level.groups[0].id, level.groups[0].color) == (
        "CollisionGeometry",
        1,
        (255, 128, 64, 32),
    )
    assert level.viewports == build.VIEWPORTS
    assert len(level.custom_colors) == (16 if version >= 7 else 0)
    if version >= 9:
        assert (level.pathing.get("Agent Radius"), level.pathing.get("Max Poly Vertices")) == (0.5, 6)
        assert ns2.layers_of(level.pathing.layers) == [3]
    else:
        assert level.pathing is None


def test_unknown_chunks_stay():
    inner = build.Shape(**{**build.HOLED.__dict__, "extra": build.chunk(77, b"odd")})
    data = build.level(10, mesh=build.mesh(10, inner), extra=build.chunk(99, b"strange") + build.chunk(2, b"second"))
    level = set_all(ns2.read(data))
    assert level.mesh.chunk(77).data == b"odd"
    assert ns2.write(level) == data
    assert ns2.summary(level)["unknown chunks"] == ["99: 7 bytes", "77: 3 bytes of the mesh"]


def test_unknown_properties_stay():
    odd = build.chunk(1, b"old") + build.prop("x", 42, b"???", 9) + build.prop("s", 0, build.u32(9))
    data = build.level(9, objects=[build.entity(9, "thing", [odd])])
    entity = ns2.read(data).entities[0]
    assert [(each.id, each.name) for each in entity.properties] == [(1, ""), (2, "x"), (2, "s")]
    for name in ("x", "s"):
        with pytest.raises(FormatError, match="no value of type"):
            entity.get(name)
    assert ns2.write(set_all(ns2.read(data))) == data


def test_objects_between_other_chunks_stay_there():
    one = build.chunk(1, build.entity(10, "a", []))
    data = build.level(10, extra=one + build.chunk(9, b"x") + one)
    level = ns2.read(data)
    assert ns2.write(decode(level)) == data
    level.entities.append(ns2.Entity("b"))
    assert ns2.write(level) == data + build.chunk(1, build.entity(10, "b", []))
    del level.entities[1:]
    assert ns2.write(level) == data[: -len(one)]


# ------------------------------------------------------------------------------------------------------------ refused


def test_the_file_of_five_bytes_is_refused():
    assert ns2.identify(b"LVL\x09\x02")
    with pytest.raises(FormatError, match="at byte 0x4: reading level: 1 bytes behind the last chunk"):
        ns2.read(b"LVL\x09\x02")


@pytest.mark.parametrize("data", [b"", b"LV", b"LVL", b"LVL\x03", b"LVL\x0b" + bytes(20), b"DATA\x0a"])
def test_other_bytes_are_refused(data):
    with pytest.raises(FormatError):
        ns2.read(data)


def test_no_cut_level_is_read_as_another():
    """Cut anywhere, a level is refused when it is read or when it is decoded, or ends between two chunks."""
    data = build.level(10, mesh=build.mesh(10, build.HOLED), objects=[build.entity(10, "prop_static", build.PROP)])
    whole = 0
    for size in range(len(data)):
        try:
            level = decode(ns2.read(data[:size]))
        except FormatError:
            continue
        whole += 1
        assert ns2.write(level) == data[:size]
    assert whole == 3  # the header, with the mesh, with the object


FACE = build.HOLED.faces[1].record()


@pytest.mark.parametrize(
    ("number", "body", "message"),
    [
        (1, build.u32(2) + bytes(25), "2 of 12 or 13 bytes do not give the 25"),
        (2, build.u32(0xFFFFFFFF) + bytes(9), "do not give the 9"),
        (3, build.u32(2) + FACE, "1 fill it, 2 are claimed"),
        (3, build.u32(1) + FACE[:-8], "number 0 reaches beyond the end"),
        (3, build.u32(1) + FACE[:28] + build.u32(1 << 31) + FACE[32:], "inner loops reaches beyond"),
        (3, build.u32(1) + FACE[:-1], "no whole number of u32"),
        (4, build.u32(3) + build.str8("a"), "needs 12 bytes"),
        (5, build.u32(0, 0, 1, 2, 1) + bytes(24), "1 of them, 2 are claimed"),
        (5, build.u32(1 << 30), "records of 4 bytes"),
        (6, build.u32(1, 3, 0), "their format is 3"),
        (6, build.u32(1, 2, 2), "2 stands where 0 or 1 should"),
        (6, build.u32(1, 2, 1, 8), "reaches beyond the end"),
        (6, build.u32(1, 2, 1, 7) + bytes(32), "a mask of 7 words"),
        (7, build.u32(2) + bytes(36), "2 records of 36 bytes"),
        (7, build.u32(0) + bytes(4), "4 bytes behind them"),
        (8, build.u32(1, 5, 1 << 31), "records of 4 bytes"),
        (8, bytes(13), "1 bytes behind them"),
    ],
)
def test_broken_tables_are_refused_by_place(number, body, message):
    name = {1: "vertices", 2: "edges", 3: "faces", 4: "materials", 5: "triangles", 6: "face_layers",
            7: "mapping_groups", 8: "geometry_groups"}[number]  # fmt: skip
    data = build.level(10, mesh=build.chunk(number, body))
    level = ns2.read(data)
    with pytest.raises(FormatError, match=message) as caught:
        getattr(level.mesh, name)
    assert 20 <= caught.value.offset <= len(data)
    assert ns2.write(level) == data


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (build.u32(2, 2, 8), "2 stands where 0 or 1 should"),
        (build.u32(1, 2, 7) + bytes(40), "format 2, 7 words"),
        (build.u32(0, build.NONE) + build.str8("a") + build.u32(1 << 30), "of at least 8 bytes"),
        (build.u32(0, build.NONE) + build.str8("a") + build.u32(1, 2, 99), "reaches beyond"),
        (
            build.u32(0, build.NONE) + build.str8("a") + build.u32(1) + build.chunk(2, build.u32(9)),
            "no room for its name",
        ),
        (build.entity(10, "a", []) + b"more", "4 bytes behind it"),
        (build.u32(0, build.NONE, 9), "needs 9 bytes"),
    ],
)
def test_broken_objects_are_refused_by_number(body, message):
    level = ns2.read(build.level(10, objects=[build.entity(10, "fine", []), body]))
    with pytest.raises(FormatError, match=message) as caught:
        _ = level.entities
    assert "of object 1" in caught.value.reading


def test_faces_that_name_what_is_not_there():
    for shape in (
        {"edges": ((0, 99), *build.HOLED.edges[1:])},
        {"faces": (build.Face([[(0, 99)] * 3]),)},
        {"faces": (build.Face([[(2, 0)] * 3]),)},
    ):
        level = ns2.read(build.level(10, mesh=build.mesh(10, build.Shape(**{**build.HOLED.__dict__, **shape}))))
        with pytest.raises(FormatError, match="there are"):
            _ = level.mesh.corners


# ------------------------------------------------------------------------------------------------------------- verbs


def test_sections_are_named():
    data = WHOLE[10]
    level = ns2.read(data)
    for text, section in (
        (b"LVL", "header"), (b"materials/dev", "materials of the mesh"), (b"prop_static", "object 0"),
        (b"func_moveable", "object 1"), ("CollisionG".encode("utf-16-le"), "groups"), (b"Agent", "editor settings"),
        ("<viewports>".encode("utf-16-le"), "viewports"),
    ):  # fmt: skip
        assert ns2.section_at(level, data.index(text)) == section
    assert ns2.section_at(level, len(data)) == "end of the file"
    assert ns2.section_at(level, 5) == "mesh"


def test_summary_and_contents():
    level = ns2.read(WHOLE[10])
    outlines = ns2.summary(level)
    assert outlines["objects"] == {"prop_static": 1, "func_moveable": 1, "reflection_probe": 1}
    assert (outlines["mesh"]["faces"], outlines["mesh"]["faces with holes"]) == (3, 1)
    assert outlines["mesh"]["from, to (metres)"] == ["0 -2 0", "4 0 4"]
    whole = ns2.contents(level)
    objects = list(whole["objects"])
    assert objects[1]["properties"][3]["value"] == "door \u00e9\u2603"
    assert objects[0]["layers"] == [3, 200]
    assert whole["mesh"]["faces"]["material"].tolist() == [0, 1, 0]
    broken = ns2.read(build.level(10, mesh=build.chunk(3, b"x"), objects=[b"y"]))
    assert isinstance(ns2.contents(broken)["mesh"]["faces"], FormatError)
    assert isinstance(ns2.contents(broken)["objects"], FormatError)
    assert "needs" in ns2.summary(broken)["objects"]


def test_a_new_level():
    level = ns2.new_level()
    data = ns2.write(level)
    again = decode(ns2.read(data))
    assert [chunk.id for chunk in again.chunks] == [2, 4, 6, 7]
    assert [chunk.id for chunk in again.mesh.chunks] == [4, 1, 2, 3, 6, 7, 8, 5]
    assert ns2.write(set_all(again)) == data
    assert ns2.check(again) == []
    assert len(again.chunk(7).data) == 642
    assert again.viewports.endswith("</viewports>\n")
