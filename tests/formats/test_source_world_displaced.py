# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements on sides of brushes that are taken away or moved: they go along, and nothing else does."""

from dataclasses import replace

import numpy as np
import pytest

from formats.source import Level, LumpId, PhysModel, check, edits, geometry, read, world, write
from formats.source.collision import physcollide_surface as surface
from formats.source.edits.brush_pieces import Piece
from formats.source.faces import displacements
from formats.source.light import lighting
from formats.source.tables.displacements import NO_NEIGHBOR
from formats.source.tables.fields import overlay_counts
from formats.source.world import Change, WorldEdits, WorldError
from tests.formats.source_displaced_rooms import (
    ABOVE,
    BESIDE,
    HULLS,
    OTHER,
    SAMPLES,
    SIDE,
    TOP,
    TRIS,
    VERTS,
    displaced_rooms,
    face_of,
)  # fmt: skip
from tests.formats.source_rooms import BEAM, CRATE

E = LumpId
MOPP = b"VPHY\0\1\1\0" + bytes(60)
SOLIDS = """staticsolid {
"index" "0"
}
materialtable {
"default" "2"
}
"""


@pytest.fixture
def level() -> Level:
    return displaced_rooms()


def motion(by=(0, 0, 0), turn: float = 0.0) -> np.ndarray:
    """Turned about z, in degrees, then moved."""
    move, angle = np.eye(4), np.radians(turn)
    move[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    move[:3, 3] = by
    return np.round(move, 12)


def carried(shape: Piece, move: np.ndarray) -> Change:
    normals = shape.normals @ move[:3, :3].T
    made = replace(shape, normals=normals, dists=shape.dists + normals @ move[:3, 3])
    return Change(made, np.arange(len(shape.dists)), move)


def applied(level: Level, changed: dict[int, Change]) -> Level:
    world.apply(level, WorldEdits(changed))
    after = read(write(level))
    assert check(after) == []
    return after


def positions(level: Level) -> np.ndarray:
    """float64[displacements, VERTS, 3]."""
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid.positions(level.table(E.DISP_VERTS)).reshape(-1, VERTS, 3)


def light(level: Level, number: int) -> dict[LumpId, bytes]:
    """The luxels of a displacement."""
    face, found = int(level.table(E.DISPINFO)["map_face"][number]), {}
    for lump, blocks in lighting.lightmaps(level).items():
        place = int(np.flatnonzero(blocks.faces == face)[0])
        first = int(blocks.offset[place])
        found[lump] = bytes(level.bytes_of(lump)[first : first + int(blocks.size[place])])
    return found


def corner_luxels(level: Level, number: int, name: str) -> np.ndarray:
    """Texture or luxel coordinates of the corners of a displacement's face."""
    face, polygons = int(level.table(E.DISPINFO)["map_face"][number]), geometry.polygons(level)
    points = polygons.positions[polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]]
    vectors = level.table(E.TEXINFO)[name][level.table(E.FACES)["texinfo"][face]].astype(np.float64)
    return points @ vectors[:, :3].T + vectors[:, 3]


def rest(level: Level, number: int) -> list[bytes]:
    """What a displacement has in other lumps."""
    info = level.table(E.DISPINFO)[number]
    vertex, triangle = int(info["disp_vert_start"]), int(info["disp_tri_start"])
    samples = int(info["lightmap_sample_position_start"])
    end = [*level.table(E.DISPINFO)["lightmap_sample_position_start"].tolist(), None][number + 1]
    return [
        level.table(E.DISP_VERTS)[vertex : vertex + VERTS].tobytes(),
        level.table(E.DISP_TRIS)[triangle : triangle + TRIS].tobytes(),
        *(
            bytes(level.bytes_of(lump)[samples:end])
            for lump in (E.DISP_LIGHTMAP_SAMPLE_POSITIONS, E.DISP_LIGHTMAP_ALPHAS)
        ),
    ]


def test_they_are_taken_away_with_their_brush(level) -> None:
    before = read(write(level))
    after = applied(level, {CRATE: Change(None)})
    info = after.table(E.DISPINFO)
    assert len(info) == 1
    assert rest(after, 0) == rest(before, OTHER)
    assert [len(part) for part in rest(after, 0)[2:]] == [SAMPLES[OTHER]] * 2
    assert len(after.table(E.DISP_VERTS)) == VERTS
    assert len(after.table(E.DISP_TRIS)) == TRIS
    assert [bytes(hull) for hull in after.physdisp] == HULLS[OTHER:]
    assert (info["edge_neighbors"]["neighbor"] == NO_NEIGHBOR).all()
    assert not info["corner_neighbors"]["count"].any()
    assert np.array_equal(positions(after)[0], positions(before)[OTHER])
    assert light(after, 0) == light(before, OTHER)
    for lump in (E.FACES, E.FACES_HDR):
        assert np.flatnonzero(after.table(lump)["dispinfo"] >= 0).tolist() == info["map_face"].tolist()
        assert after.table(lump)["dispinfo"].max() == 0
    assert overlay_counts(after.table(E.OVERLAYS))[0].tolist() == [1]


def test_all_of_a_map_are_taken_away(level) -> None:
    after = applied(level, {CRATE: Change(None), BEAM: Change(None)})
    for lump in (E.DISPINFO, E.DISP_VERTS, E.DISP_TRIS, E.DISP_LIGHTMAP_SAMPLE_POSITIONS, E.PHYSDISP):
        assert not len(after.bytes_of(lump))
    assert (after.table(E.FACES)["dispinfo"] == -1).all()


@pytest.mark.parametrize("move", [motion((8, -16, 24)), motion((16, 0, 8), 30.0)], ids=["moved", "turned"])
def test_they_move_with_their_brush(level, move) -> None:
    before = read(write(level))
    after = applied(level, {CRATE: carried(world.pieces(level)[CRATE], move)})
    then, now = positions(before), positions(after)
    assert np.array_equal(then[OTHER], now[OTHER])
    for number in (TOP, SIDE):
        assert np.abs(then[number] @ move[:3, :3].T + move[:3, 3] - now[number]).max() < 1e-4
        assert light(after, number) == light(before, number)
        for name in ("texture_vecs", "lightmap_vecs"):
            assert np.abs(corner_luxels(after, number, name) - corner_luxels(before, number, name)).max() < 1e-3
        face = int(after.table(E.DISPINFO)["map_face"][number])
        plane = after.table(E.PLANES)[after.table(E.FACES)["planenum"][face]]
        polygons = geometry.polygons(after)
        corners = polygons.positions[polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]]
        assert np.abs(corners @ plane["normal"] - plane["dist"]).max() < 1e-3
        assert face not in after.table(E.LEAFFACES)["face"]
        normals = after.table(E.VERTNORMALS)["normal"][after.table(E.VERTNORMALINDICES)["normal"]]
        first = int(polygons.first_corner[face])
        assert np.abs(normals[first : first + 4] - plane["normal"]).max() < 1e-6
    assert after.bytes_of(E.PHYSDISP) == before.bytes_of(E.PHYSDISP)
    assert after.bytes_of(E.DISP_TRIS) == before.bytes_of(E.DISP_TRIS)
    assert overlay_counts(after.table(E.OVERLAYS))[0].tolist() == [1]


def test_neighbours_part_that_do_not_go_along(level) -> None:
    after = applied(level, {CRATE: carried(world.pieces(level)[CRATE], motion((8, 0, 0)))})
    info = after.table(E.DISPINFO)
    edges, corners = info["edge_neighbors"]["neighbor"], info["corner_neighbors"]
    assert np.argwhere(edges != NO_NEIGHBOR).tolist() == [[TOP, 0, 0], [SIDE, 2, 0]]
    assert (edges[TOP, 0, 0], edges[SIDE, 2, 0]) == (SIDE, TOP)
    assert corners["count"].sum() == corners["count"][TOP, 0] == 1
    assert corners["neighbors"][TOP, 0, 0] == SIDE


def test_nothing_else_is_drawn_beneath_them(level) -> None:
    after = applied(level, {CRATE: carried(world.pieces(level)[CRATE], motion((0, 0, 40)))})
    for side in (ABOVE, BESIDE):
        plane = after.table(E.BRUSHSIDES)["planenum"][after.table(E.BRUSHES)["firstside"][CRATE] + side]
        assert (after.table(E.FACES)["planenum"] == plane).sum() == 1


def test_there_and_back_they_are_as_they_were(level) -> None:
    before = read(write(level))
    there = applied(level, {CRATE: carried(world.pieces(level)[CRATE], motion((8, 0, 16)))})
    back = applied(there, {CRATE: carried(world.pieces(there)[CRATE], motion((-8, 0, -16)))})
    assert np.array_equal(positions(back), positions(before))
    assert [rest(back, number) for number in range(3)] == [rest(before, number) for number in range(3)]
    assert [light(back, number) for number in range(3)] == [light(before, number) for number in range(3)]


def test_other_contents_leave_them_where_they_are(level) -> None:
    before = read(write(level))
    shape = world.pieces(level)[CRATE]
    glass = replace(shape, contents=0x2 | 0x8000000)
    after = applied(level, {CRATE: Change(glass, np.arange(6))})
    assert np.array_equal(positions(after), positions(before))
    assert after.bytes_of(E.DISPINFO)[48:] == before.bytes_of(E.DISPINFO)[48:]
    assert face_of(after, CRATE, ABOVE) == after.table(E.DISPINFO)["map_face"][TOP]


@pytest.mark.parametrize("kind", ["reshaped", "mirrored"])
def test_brushes_that_are_reshaped_are_refused(level, kind) -> None:
    before, shape = write(level), world.pieces(level)[CRATE]
    grown = Change(replace(shape, dists=shape.dists + 1), np.arange(6))
    mirror = np.diag([-1.0, 1, 1, 1])
    with pytest.raises(WorldError, match=r"displacements lie on it .0, 1., which can't be reshaped") as refused:
        world.apply(level, WorldEdits({CRATE: grown if kind == "reshaped" else carried(shape, mirror)}))
    assert refused.value.changed == (CRATE,)
    assert write(level) == before


def test_solids_of_displacements_are_made_anew(level) -> None:
    level.physcollide.models.insert(0, PhysModel(0, [MOPP], SOLIDS.encode() + b"\0"))
    level = read(write(level))
    move = motion((8, 0, 16))
    after = applied(level, {CRATE: carried(world.pieces(level)[CRATE], move)})
    model = after.physcollide.of_model(0)
    bare = [n for n in range(len(model.solids)) if f'"index" "{n}"\n}}' in model.text]
    assert len(bare) == 3
    for place, points in zip(bare, positions(after), strict=True):
        ledges = surface.read_ledges(model.solids[place])
        assert ledges.counts.tolist() == [2] * TRIS
        assert set(ledges.words >> surface.MATERIAL & surface.MOST_MATERIALS) == {2}
        found = surface.from_ivp(ledges.points)
        assert np.abs(found[:, None] - points).max(axis=2).min(axis=1).max() < 1e-3
    gone = applied(after, {CRATE: Change(None)}).physcollide.of_model(0)
    assert gone.solids == [model.solids[bare[OTHER]]]
    assert gone.text.count("staticsolid") == 1


def test_solids_of_displacements_that_are_sculpted_are_made_anew(level) -> None:
    level.physcollide.models.insert(0, PhysModel(0, [MOPP], SOLIDS.encode() + b"\0"))
    level = read(write(level))
    before = np.concatenate(positions(level))
    wanted = before.copy()
    wanted[OTHER * VERTS + 12] += (0, 0, 24)  # the middle of the beam's
    edits.displacements.change(level, wanted)
    after = read(write(level))
    model = after.physcollide.of_model(0)
    assert model.text.count("staticsolid") == len(model.solids) == 3
    for solid, points in zip(model.solids, positions(after), strict=True):
        ledges = surface.read_ledges(solid)
        assert set(ledges.words >> surface.MATERIAL & surface.MOST_MATERIALS) == {2}
        found = surface.from_ivp(ledges.points)
        assert np.abs(found[:, None] - points).max(axis=2).min(axis=1).max() < 1e-3
    assert np.abs(np.concatenate(positions(after)) - before).max() > 23


def test_maps_without_such_solids_get_none_where_they_are_sculpted(level) -> None:
    before = bytes(level.bytes_of(E.PHYSCOLLIDE))
    edits.displacements.change(level, np.concatenate(positions(level)) + np.array([0, 0, 1]))
    assert level.bytes_of(E.PHYSCOLLIDE) == before
