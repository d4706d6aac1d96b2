# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of vphysics: what is built is read back, and holds together as the engine walks through it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import convex_hull
from formats.binary import FormatError
from formats.source.collision import physcollide
from formats.source.collision import physcollide_build as build
from formats.source.collision import physcollide_surface as surface
from formats.source.collision.physcollide_order import swapped
from formats.source.collision.physcollide_surface import Hull
from tests import examples
from tests.formats.source_door import box, hull_of

UNIT = hull_of(box((-16, -16, -16), (16, 16, 16)), 7)


def records(data: bytes, hull: int = 0) -> tuple[np.void, np.ndarray, np.ndarray]:
    """The ledge, triangles and points of a hull, the first of them behind the headers."""
    whole = data[surface.HEADER.itemsize :]
    place = surface.SURFACE.itemsize
    for _ in range(hull):
        place += surface.LEDGE.itemsize * (1 + int(np.frombuffer(whole, surface.LEDGE, 1, place)["n_triangles"][0]))
    ledge = np.frombuffer(whole, surface.LEDGE, 1, place)[0]
    triangles = np.frombuffer(whole, surface.TRIANGLE, int(ledge["n_triangles"]), place + surface.LEDGE.itemsize)
    count = int((triangles["edges"] & 0xFFFF).max()) + 1
    points = np.frombuffer(whole, surface.POINT, count, place + int(ledge["c_point_offset"]))
    return ledge, triangles, points


def test_a_box_is_what_vphysics_makes_of_it():
    data = build.build([UNIT])
    assert len(data) == 28 + 48 + 16 + 12 * 16 + 8 * 16 + 28 == 440
    head = np.frombuffer(data, surface.HEADER, 1)[0]
    assert (head["id"], head["version"], head["model_type"], head["surface_size"]) == (b"VPHY", 0x100, 0, 412)
    assert head["drag_axis_areas"].tolist() == [1, 1, 1] and head["axis_map_size"] == 0
    solid = surface.read(data)
    half = 16 * 0.0254
    assert np.allclose(solid.mass_center, 0) and solid.outer is None
    assert abs(solid.radius - 16 * 3**0.5) < 1e-4
    assert np.allclose(solid.rotation_inertia, half * half / 3 * 2**0.5)  # of the moments across, not their sum
    assert solid.deviation == int(1 + 250 * (2 / 3) ** 0.5)
    assert solid.hulls[0].brush == 7
    node = np.frombuffer(data, surface.NODE, 1, len(data) - 28)[0]
    assert node["box_sizes"].tolist() == [145] * 3 and node["offset_right_node"] == 0
    assert abs(node["radius"] - half * 3**0.5) < 1e-6


def test_axes_are_those_of_the_physics():
    """y is down and z is Source's y, in metres."""
    _, _, points = records(build.build([hull_of(box((0, 0, 0), (100, 200, 300)))]))
    assert np.allclose(points["k"].max(axis=0), [2.54, 0, 5.08]) and np.allclose(points["k"].min(axis=0), [0, -7.62, 0])
    assert np.allclose(surface.from_ivp(surface.to_ivp(UNIT.points)), UNIT.points)


def test_edges_lead_to_their_neighbours_and_back():
    data = build.build([UNIT])
    ledge, triangles, _ = records(data)
    words = np.column_stack([triangles["indices"], triangles["edges"]]).reshape(-1)
    ends = np.column_stack([triangles["edges"], triangles["edges"][:, :1]]) & 0xFFFF
    for place in np.flatnonzero(np.arange(len(words)) % 4):
        offset = int(words[place] >> 16 & 0x7FFF)
        other = place + offset - (offset >> 14 << 15)
        back = int(words[other] >> 16 & 0x7FFF)
        assert other + back - (back >> 14 << 15) == place
        one, two = ends[place // 4, place % 4 - 1 : place % 4 + 1], ends[other // 4, other % 4 - 1 : other % 4 + 1]
        assert one.tolist() == two.tolist()[::-1]
    assert (triangles["indices"] & 0xFFF).tolist() == list(range(12))
    pierced = triangles["indices"] >> 12 & 0xFFF
    found = surface.read(data).hulls[0]
    normals = np.cross(*(found.points[found.triangles[:, n]] - found.points[found.triangles[:, 0]] for n in (1, 2)))
    assert (np.einsum("ni,ni->n", normals, normals[pierced]) < 0).all()  # a box is left by the side across
    assert ledge["flags"] == 4 and int.from_bytes(ledge["size_div_16"].tobytes(), "little") == 1 + 12 + 8


def test_several_hulls_share_points_and_have_one_around_them():
    upper = hull_of(box((-16, -16, 16), (16, 16, 48)), 8)
    aside = hull_of(box((-16, 16, -16), (16, 80, 16)), 9)
    data = build.build([UNIT, upper, aside])
    solid = surface.read(data)
    assert sorted(hull.brush for hull in solid.hulls) == [7, 8, 9]
    assert solid.outer is not None and solid.outer.points[:, 1].max() == pytest.approx(80, abs=1e-4)
    volumes = np.array([32**3, 32**3, 32 * 64 * 32])
    middles = np.array([[0, 0, 0], [0, 0, 32], [0, 48, 0]])
    assert np.allclose(solid.mass_center, volumes @ middles / volumes.sum(), atol=1e-3)
    _, outer, _ = records(data, 3)
    inner = np.concatenate([records(data, number)[1]["edges"] & 0xFFFF for number in range(3)])
    same = (inner[None] == (outer["edges"] & 0xFFFF)[:, None]).all(axis=2).any(axis=1)
    assert same.any() and (outer["indices"] >> 31 == ~same).all()
    edges = outer["edges"] >> 31
    assert edges.any() and not edges.all()  # those that a hull inside has are no virtual ones
    nodes = np.frombuffer(data, surface.NODE, 5, len(data) - 5 * 28)
    assert nodes["offset_right_node"][0] and nodes["offset_compact_ledge"][0]
    assert sorted((nodes["offset_right_node"] == 0).tolist()) == [False, False, True, True, True]
    assert surface.read(build.build([UNIT, upper, aside], with_outer=False)).outer is None
    assert build.build([UNIT], tagged=False) == build.build([UNIT])[28:]


@examples.at_most(40)
@given(
    st.lists(st.tuples(*[st.integers(-200, 200)] * 3), min_size=4, max_size=24),
    st.sampled_from([1.0, 0.37, 11.3]),
    st.tuples(*[st.floats(-900, 900)] * 3),
)
def test_hulls_of_any_points_are_read_back_as_they_were(points, scale, place):
    given_points = np.array(points) * scale + place
    around = convex_hull.hull(given_points)
    if around is None:
        flat = given_points - given_points[0]
        assert np.linalg.svd(flat)[1][2] < 0.1 * len(points)
        return
    assert (given_points @ around.normals.T - around.dists).max() <= 2 * convex_hull.TOLERANCE
    hull = build.triangulated(given_points, around.corners, around.first_corner, 3)
    try:
        data = build.build([hull])
    except FormatError:  # points that lie nearly in a face are none of its corners
        assert len(around.normals) < 4 or np.ptp(given_points @ around.normals.T - around.dists, axis=0).min() < 3
        return
    found = surface.read(data).hulls[0]
    apart = np.abs(found.points[:, None] - hull.points[None]).max(axis=2)
    assert apart.min(axis=0).max() < 1e-3 and apart.min(axis=1).max() < 1e-3
    assert abs(build.volume([found]) - build.volume([hull])) < 1e-3 * max(build.volume([hull]), 100)
    assert build.build([found], with_outer=False)[28 + 28 :] == data[28 + 28 :] or len(found.points) == len(hull.points)


def test_triangles_keep_their_material_and_what_lies_across():
    """Of the world, each triangle says which row of the text's `materialtable` it is of."""
    upper = hull_of(box((-16, -16, 16), (16, 16, 48)), 8)
    hulls = [replace(hull, materials=np.arange(12) * 11) for hull in (UNIT, upper)]
    data = build.build(hulls, with_outer=False)
    assert (records(data)[1]["indices"] >> 24 == np.arange(12) * 11).all()
    found = sorted(surface.read(data).hulls, key=lambda hull: hull.brush)
    for hull, was in zip(found, hulls, strict=True):
        assert hull.materials.tolist() == was.materials.tolist()
        assert np.allclose(hull.points[hull.triangles], was.points[was.triangles], atol=1e-4)
    assert surface.read(build.build([UNIT])).hulls[0].materials.tolist() == [0] * 12
    turned = replace(found[0], across=found[0].across[::-1].copy())  # what was read is not found anew
    again = surface.read(build.build([turned])).hulls[0]
    assert again.across.tolist() == turned.across.tolist() != found[0].across.tolist()


def test_what_no_solid_can_hold_is_refused():
    for hulls, message in (
        ([], "no hulls"),
        ([Hull(UNIT.points, UNIT.triangles[1:])], "isn't closed"),
        ([Hull(UNIT.points, UNIT.triangles[[*range(12), 0]])], "isn't closed"),
        ([Hull(UNIT.points * [1, 1, 0], UNIT.triangles)], "no volume"),
        ([Hull(np.zeros((8, 3)), UNIT.triangles)], "no volume"),
        ([replace(UNIT, materials=np.full(12, 128))], "materials of triangles"),
        ([replace(UNIT, materials=np.zeros(3, np.int64))], "materials of triangles"),
    ):
        with pytest.raises(FormatError, match=message):
            build.build(hulls)


@pytest.mark.slow
def test_damaged_solids_are_refused():
    """Every byte is set to several others: a solid is read, or refused."""
    data = build.build([UNIT, hull_of(box((-16, -16, 16), (16, 16, 48)), 8)])
    refused = 0
    for place in range(len(data)):
        for value in (0, 0xFF, 0x80, data[place] ^ 1):
            try:
                surface.read(data[:place] + bytes([value]) + data[place + 1 :])
            except FormatError:
                refused += 1
    assert refused > 50
    for length in (0, 3, 20, 28, 60, 75, 100, 300, len(data) - 1):
        with pytest.raises(FormatError):
            surface.read(data[:length])


def test_solids_of_consoles_have_their_bits_from_the_highest_on():
    data = build.build(
        [replace(UNIT, brush=7, materials=np.full(12, 5)), hull_of(box((-16, -16, 16), (16, 16, 48)), 8)]
    )
    for solid in (data, data[28:]):
        console = swapped(solid, "<")
        assert swapped(console, ">") == solid and len(console) == len(solid)
        with pytest.raises(FormatError, match="isn't one of hulls"):
            swapped(console, "<")
    words = np.frombuffer(swapped(data, "<"), ">u4")
    assert words[0] == int.from_bytes(b"VPHY", "little") and words[1] >> 16 == 0x100
    usual, ledge = np.frombuffer(data, "<u4"), int(np.flatnonzero(words == 7)[0]) - 1
    assert usual[ledge + 3] == 12 and words[ledge + 3] == 12 << 16  # triangles
    assert words[ledge + 2] >> 24 == 0b0001 << 4  # has no children, is compact
    assert (words[ledge + 4 : ledge + 4 + 48 : 4] >> 20).tolist() == list(range(12))
    assert set((words[ledge + 4 : ledge + 4 + 48 : 4] >> 1 & 127).tolist()) == {5}


def test_what_is_no_solid_of_hulls_keeps_its_order():
    lump = physcollide.encode(
        physcollide.PhysCollide([physcollide.PhysModel(0, [b"none of them", b"odd"], b"\0")]), ">"
    )
    assert physcollide.decode(lump, ">").models[0].solids == [b"none of them", b"odd"]
    data = bytearray(build.build([UNIT]))
    data[28 + 32 : 28 + 36] = (1 << 20).to_bytes(4, "little")  # the root of the tree
    with pytest.raises(FormatError, match="behind its end"):
        swapped(data, "<")
    words = np.frombuffer(build.build([replace(UNIT, brush=7, materials=np.full(12, 5))]), "<u4").copy()
    words[int(np.flatnonzero(words == 7)[0]) + 2] = 0xFFFF  # of its ledge, the triangles
    with pytest.raises(FormatError, match="lists of 65535 entries"):
        swapped(words.tobytes(), "<")
