# SPDX-License-Identifier: GPL-3.0-or-later
"""The editor's clipboard, and levels saved as version 10."""

import struct

import numpy as np
import pytest

from formats import ns2
from formats.binary import FormatError
from formats.ns2 import clipboard, cubemap
from tests.formats import ns2_bytes as build

PROP = build.entity(10, "prop_static", build.PROP)
BARE = build.Shape(**{**build.HOLED.__dict__, "groups": ((), (), ())})
COPIED = build.clipboard(build.mesh(10, BARE, clipboard=True), [PROP, build.entity(10, "light_point", [])])


def test_what_was_copied():
    level = clipboard.parse(COPIED)
    assert clipboard.identify(COPIED)
    assert not clipboard.identify(build.whole(10))
    assert (len(level.mesh.faces), level.mesh.triangles, level.layers) == (3, None, [])
    assert [entity.class_name for entity in level.entities] == ["prop_static", "light_point"]
    assert clipboard.build(level) == COPIED
    assert ns2.write(ns2.read(ns2.write(level))) == ns2.write(level)


def test_bytes_behind_the_blocks_are_ignored():
    for more in (b"\0", bytes(40), b"\xdd" * 64):
        assert clipboard.build(clipboard.parse(COPIED + more)) == COPIED


def test_one_block_alone():
    objects = build.clipboard(None, [PROP])
    assert clipboard.build(clipboard.parse(objects)) == objects
    geometry = build.clipboard(build.mesh(10, BARE, clipboard=True))
    assert clipboard.build(clipboard.parse(geometry)) == geometry


def test_the_sizes_of_the_worked_example():
    """ns2.md §5: 35 vertices, 51 edges, 19 faces, a mapping group and two materials give 0x9E9 bytes."""
    names = ("materials/biodome/biodome_grass.material", "materials/dev/dev_floor_grid.material")
    sizes = [4] * 13 + [13] * 6  # 130 members in 19 borders
    shape = build.Shape(
        [(0, 0, 0)] * 35, [(0, 1)] * 51, [build.Face([[(0, 0)] * size]) for size in sizes],
        materials=names, mapping=[build.mapping_group(7)],
    )  # fmt: skip
    level = ns2.new_level()
    level.mesh = ns2.read(build.level(10, mesh=build.mesh(10, shape))).mesh
    data = clipboard.build(level)
    parts = {chunk.id: len(chunk.data) for chunk in clipboard.parse(data).mesh.chunks}
    assert (parts[1], parts[2], parts[6], parts[7], parts[8]) == (459, 463, 84, 40, 12)
    assert list(parts) == [4, 1, 2, 3, 6, 7, 8]
    assert struct.unpack_from("<IIH", data) == (1, len(data) - 8, 2)
    probe = ns2.Entity("reflection_probe", editor_data=[ns2.EditorData(ns2.CUBEMAP, bytes(cubemap.SIZE))])
    level = ns2.new_level()
    level.entities.append(probe)
    assert clipboard.build(level).endswith(build.str8(ns2.CUBEMAP) + build.u32(98304) + bytes(98304))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are no block"),
        (COPIED[:40], "needs"),
        (build.u32(2, 2) + b"\x02\x00", "block 2 of kind 2"),
        (build.u32(1, 2) + b"\x03\x00", "block 1 of kind 3"),
        (build.u32(1, 1) + b"\x02\x00", "with 1 bytes"),
        (build.clipboard(None, [PROP]).replace(build.u32(1, len(PROP)), build.u32(5, len(PROP))), "chunk of id 5"),
    ],
)
def test_broken_blocks_are_refused(data, message):
    with pytest.raises(FormatError, match=message):
        clipboard.parse(data)


def test_a_copy_leaves_layers_groups_and_triangles_out():
    level = ns2.read(build.whole(10))
    copied = clipboard.parse(clipboard.build(level))
    assert copied.mesh.triangles is None
    assert not copied.mesh.face_layers.has.any()
    assert len(copied.mesh.geometry_groups.vertices.ids) == 0
    assert {(entity.layers, entity.group) for entity in copied.entities} == {(None, ns2.NO_GROUP)}
    assert ns2.write(level) == build.whole(10)
    with pytest.raises(FormatError, match="version 9; the clipboard holds version 10"):
        clipboard.build(ns2.read(build.whole(9)))


def test_a_selection_takes_what_its_faces_need():
    level = ns2.read(build.whole(10))
    part = clipboard.selection(level, [1], level.entities[:1])
    mesh = clipboard.parse(clipboard.build(part)).mesh
    assert (len(mesh.faces), len(mesh.edges), len(mesh.vertices), len(mesh.mapping_groups)) == (1, 4, 4, 0)
    assert mesh.materials == ["materials/biodome/biodome_grass.material"]
    assert mesh.positions[mesh.corners].tolist() == [[1, 0, 1], [1, 0, 3], [3, 0, 3], [3, 0, 1]]
    holed = clipboard.selection(level, np.array([True, False, False]), [])
    assert holed.mesh.mapping_groups["id"].tolist() == [7]
    assert len(holed.mesh.edges) == 8


# ------------------------------------------------------------------------------------------------------------ as v10


@pytest.mark.parametrize("version", [4, 6, 7, 9])
def test_older_levels_are_saved_as_version_10(version):
    old = ns2.read(build.whole(version))
    new = ns2.read(ns2.write(ns2.as_v10(old)))
    assert ns2.write(old) == build.whole(version)
    assert new.version == 10
    assert new.mesh.vertices.dtype == ns2.VERTEX13
    assert np.array_equal(new.mesh.positions, old.mesh.positions)
    assert np.array_equal(new.mesh.corners, old.mesh.corners)
    assert np.array_equal(new.mesh.smooth, old.mesh.smooth)
    assert new.mesh.faces.records.tobytes() == old.mesh.faces.records.tobytes()
    assert len(new.mesh.triangles.ghosts) == 0
    assert new.mesh.triangles.triangles.dtype == ns2.TRIANGLE6
    if version in (4, 6):
        assert np.array_equal(new.mesh.triangles.triangles["vertices"], old.mesh.triangles.triangles["vertices"])
        assert not new.mesh.triangles.triangles["normals"].any()
    assert int(new.mesh.triangles.triangles["vertices"].max()) < len(new.mesh.vertices)
    assert [entity.properties for entity in new.entities] == [entity.properties for entity in old.entities]
    assert [entity.group for entity in new.entities] == [ns2.NO_GROUP, 1, ns2.NO_GROUP]
    assert new.entities[1].layers is None
    assert [(layer.name, layer.id) for layer in new.layers] == [(layer.name, layer.id) for layer in old.layers]
    assert new.pathing.get("Agent Radius") == 0.5
    assert len(new.custom_colors) == 16
    assert [problem for problem in ns2.check(new) if problem.severity == "error"] == []


def test_version_10_is_only_copied():
    level = ns2.read(build.whole(10))
    again = ns2.as_v10(level)
    assert again is not level
    assert ns2.write(again) == build.whole(10)


def test_words_of_version_4_that_mean_nothing_known_are_refused():
    data = build.whole(4)
    layers = build.chunk(6, bytes(24))
    odd = data.replace(layers, build.chunk(6, build.u32(0, 0, 0, 5, 0, 0)))
    level = ns2.read(odd)
    assert ns2.write(level) == odd
    with pytest.raises(FormatError, match="layers of face 1: 5 stands"):
        ns2.as_v10(level)


# ------------------------------------------------------------------------------------------------------------ cubemap


def test_cubemaps_are_six_pictures():
    raw = bytes([10, 128, 20, 130]) * (cubemap.SIZE // 4)
    colors = cubemap.decode(raw)
    assert colors.shape == (6, 64, 64, 3)
    assert colors[0, 0, 0].tolist() == [10 / 64, 2.0, 20 / 64]
    assert cubemap.encode(colors) == raw
    assert cubemap.encode(np.zeros((6, 64, 64, 3))) == bytes(cubemap.SIZE)
    rng = np.random.default_rng(1)
    many = rng.uniform(0, 1, (6, 64, 64, 3)) * 2.0 ** rng.integers(-20, 7, (6, 64, 64, 1))
    back = cubemap.decode(cubemap.encode(many))
    assert (np.abs(back - many) <= many.max(axis=-1, keepdims=True) / 128).all()
    assert cubemap.encode(back) == cubemap.encode(many)
    for wrong, message in ((np.zeros((6, 64, 64)), "shape"), (-many, "negative"), (many * np.nan, "NaN")):
        with pytest.raises(FormatError, match=message):
            cubemap.encode(wrong)
    with pytest.raises(FormatError, match="98304"):
        cubemap.decode(raw[:-1])
