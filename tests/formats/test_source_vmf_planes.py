# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of planes: what vbsp makes of them, to the bit, and how many come back as the map has them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.source import LumpId, read
from formats.source.content import keyvalues
from formats.source.vmf import of_level, plane_arithmetic, plane_points
from formats.source.vmf.text import numbers
from tests.formats.source_vmf import points_of

NOWHERE = np.zeros((0, 3))
VMFS = {
    "background02": "benjaminpants__portalmp/background02",
    "c1l1": "lambdaforever__fight-or-suffer/c1l1",
    "ch_shrekhub": "miracleflame__VTMB-Unofficial-Patch-by-Wesp/ch_shrekhub",
    "desert": "KitKatt-Mars__GigaBuilder/desert",
    "dissenter": "maybebata__msrc/dissenter",
    "gbtest": "KitKatt-Mars__GigaBuilder/test",
    "minigolf": "AwertaDreams__framework-for-minigolf/test",
    "rc_pyramid": "ricochet-game__ricochet-sourcemod/rc_pyramid",
    "sm_coffee_1": "miracleflame__VTMB-Unofficial-Patch-by-Wesp/sm_coffee_1",
}


def sloped(normals):
    return np.count_nonzero(np.abs(normals) > 0, axis=-1) > 1


def as_read(points):
    """Points as they are in a VMF's text."""
    return np.array(numbers(points), np.float64).reshape(points.shape)


def points(normals, dists, origins=None):
    made = plane_points.points(normals, dists, NOWHERE, np.zeros(len(dists) + 1, np.int64), origins)
    return as_read(made)


@settings(max_examples=20)
@given(st.integers(0, 1 << 32))
def test_planes_of_an_editor_come_back_to_the_bit(seed):
    """Of brushes that were drawn on the grid; points of their own are not needed for that."""
    three = np.random.default_rng(seed).integers(-2048, 2048, (50, 3, 3)).astype(np.float64)
    across = np.cross(three[:, 0] - three[:, 1], three[:, 2] - three[:, 1])
    normals, dists = plane_arithmetic.plane(three[np.sqrt((across**2).sum(axis=1)) > 4096])
    steep = np.abs(normals).max(axis=1) < 0.99
    normals, dists = normals[steep].astype(np.float64), dists[steep].astype(np.float64)
    made = points(normals, dists)
    same, off = plane_points.misses(made, normals, dists, np.zeros_like(normals))
    assert (same & (off == 0)).mean() > 0.85
    assert (off <= 2e-2).all()


def test_planes_of_moved_entities_come_back():
    """Their normals do; distances are as coarse as they are where the editor has them."""
    rng = np.random.default_rng(3)
    origins = np.round(rng.uniform(-2000, 2000, (200, 3)))
    directions = rng.normal(size=(200, 3))
    normals = (directions / np.sqrt((directions**2).sum(axis=1))[:, None]).astype(np.float32).astype(np.float64)
    dists = np.round(rng.uniform(-64, 64, 200) * 8) / 8 + (normals * origins).sum(axis=1)
    same, off = plane_points.misses(points(normals, dists, origins), normals, dists, origins)
    assert same.mean() > 0.9
    assert np.median(off) < 1e-4
    assert off.max() < 2e-2


def test_axial_planes_between_whole_units_come_back():
    dists = np.array([0.25, 12.3456, -777.017, 16000.02], np.float32).astype(np.float64)
    normals = np.array([(1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 1, 0)], np.float64)
    same, off = plane_points.misses(points(normals, dists), normals, dists, np.zeros((4, 3)))
    assert same.all()
    assert off.tolist() == [0, 0, 0, 0]


def test_planes_that_are_whole_or_axial_are_put_there():
    """As vbsp does: normals within 1e-5 of an axis, distances within 0.01 of a whole number."""
    three = np.array([[(0, 0, 8.004), (0, 64, 8.004), (64, 64, 8.004)], [(0, 0, 0), (0, 100, 0), (100, 100, 2e-4)]])
    normals, dists = plane_arithmetic.plane(three)
    assert normals.tolist() == [[0, 0, 1], [0, 0, 1]]
    assert dists.tolist() == [8, 0]
    assert plane_arithmetic.whole(np.array([5.995, 6.02], np.float32)).tolist() == [6, np.float32(6.02)]
    moved = plane_arithmetic.moved(normals, dists, np.array([(0, 0, 3.5)] * 2, np.float32))
    assert moved.tolist() == [4.5, -3.5]


def test_the_estimate_of_a_root():
    """Within the 3.7e-4 that the processor's may be off by; of 1 it is a little less, as there."""
    values = np.geomspace(1e-9, 1e12, 20001).astype(np.float32)
    off = plane_arithmetic._estimate(values) * np.sqrt(values.astype(np.float64)) - 1
    assert np.abs(off).max() < 1.5 * 2.0**-12
    assert plane_arithmetic._estimate(np.ones(1, np.float32)).tolist() == [1 - 2.0**-12]
    normals, _ = plane_arithmetic.plane(np.array([[(0, 0, 3), (0, 4, 0), (5, 4, 0)]], np.float64), exact=True)
    assert np.allclose(normals, [[0, 0.6, 0.8]], atol=1e-7)


def test_points_in_one_line_give_no_plane():
    normals, dists = plane_arithmetic.plane(np.array([[(0, 0, 0), (1, 1, 1), (2, 2, 2)]], np.float64))
    assert (normals.tolist(), dists.tolist()) == ([[0, 0, 0]], [0])
    hostile = np.array([(np.nan, 0, 1), (0, 0, 0), (0.6, 0, 0.8)])
    assert np.isfinite(points(hostile, np.array([np.inf, 0, np.nan]))).all()


def test_planes_that_vbsp_made(corpus):
    """All of 553 sloped planes of editors' points, no two of them near, are in the map, to the bit."""
    folder = corpus.parent / "reference" / "vbsp" / "editors"
    if not folder.is_dir():
        pytest.skip("no maps compiled by vbsp beside this repository (../shared/reference)")
    found = {}
    for name, vmf in VMFS.items():
        planes = read((folder / f"{name}.bsp").read_bytes()).table(LumpId.PLANES)
        known = {tuple(row) for row in np.column_stack([planes["normal"], planes["dist"]]).tolist()}
        whole = keyvalues.parse((corpus / "bsp" / "vmf" / f"{vmf}.vmf").read_bytes())
        blocks = [block for kind, entity in whole.blocks() if kind in ("world", "entity") for block in entity.blocks()]
        sides = [side for kind, solid in blocks if kind == "solid" for part, side in solid.blocks() if part == "side"]
        normals, dists = plane_arithmetic.plane(points_of(sides))
        made = np.column_stack([normals, dists])
        first: list[int] = []
        for number in range(len(made)):
            both = np.concatenate([made[first], -made[first]])
            near = (np.abs(both[:, :3] - made[number, :3]) < 1e-5).all(axis=1)
            if not (near & (np.abs(both[:, 3] - made[number, 3]) < 0.01)).any():
                first.append(number)
        chosen = [tuple(row) for row in made[first][sloped(normals[first])].tolist()]
        found[name] = (sum(plane in known for plane in chosen), len(chosen))
    assert found["minigolf"] == (190, 190)
    assert (sum(same for same, _ in found.values()), sum(count for _, count in found.values())) == (553, 553)


def rates(solids, origins):
    """How many sloped planes stay and how many are moved with an entity, each behind it with how many come back: of the
    former to the bit, of the latter the normals.
    """
    moved = np.repeat(origins, np.diff(solids.first_side), axis=0)
    made = plane_points.points(solids.normals, solids.dists, solids.corners, solids.first_corner, moved)
    same, off = plane_points.misses(as_read(made), solids.normals, solids.dists, moved)
    still = sloped(solids.normals) & ~moved.any(axis=1)
    turned = sloped(solids.normals) & moved.any(axis=1)
    return np.array([still.sum(), (same & (off == 0))[still].sum(), turned.sum(), same[turned].sum()])


@pytest.mark.slow
def test_planes_of_real_maps_come_back_to_the_bit(corpus):
    """15,551 of 15,681 sloped planes of the corpus's worlds; 2,289 did without the search. Of entities the normals:
    3,577 of 3,721, and 442.
    """
    total = np.zeros(4, np.int64)
    for path in sorted(corpus.glob("bsp/*/*.bsp")):
        level = read(path.read_bytes())
        solids = of_level(level).solids
        places = np.array([e.origin if e.model is not None and e.origin else (0, 0, 0) for e in level.entities], float)
        total += rates(solids, places[solids.owners.clip(min=0)])
    world, same, moved, normals = total.tolist()
    assert same >= 0.99 * world
    assert normals >= 0.96 * moved
    assert (world, moved) == (15681, 3721)
