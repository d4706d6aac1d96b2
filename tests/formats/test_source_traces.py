# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes that players are, moved through maps as the game moves them: what edited trees stop is what brushes stop.

The parts with real maps are skipped where there is no corpus.
"""

from pathlib import Path

import numpy as np
import pytest

from formats import convex_hull
from formats.binary import FormatError
from formats.source import LumpId, read, world, write
from formats.source.edits import brush_models
from formats.source.edits.brush_models import Piece
from formats.source.tree import brushes
from tests.formats import source_door, test_source_world_collision
from tests.formats.source_trace import BLOCKS_PLAYERS, EPSILON, PLAYER, Tracer, by_shapes

E = LumpId
PATHS = 10_000
SMALL, POINT = PLAYER / 8, np.zeros((2, 3))
QUICK = ("AwertaDreams__framework-for-minigolf/test.bsp", "undyneimortal__l4d2-fastdl/zoo_jukebox.bsp")
MAPS = (*QUICK, pytest.param("krd0xFF__fast-dl/trade_weed420-3sb.bsp", marks=pytest.mark.slow))
SAME = 1e-6  # units


def lengths(starts, ends) -> np.ndarray:
    return np.sqrt(((ends - starts) ** 2).sum(axis=1))


def assert_same(tracer: Tracer, starts, ends, box, numbers) -> int:
    """What the tree stops is what brushes stop, one by one; how many paths that aren't stuck meet one.

    The game has brushes stop what passes them by less than `EPSILON`, but not leafs visited for that: there a path may
    go on, as long as it would beside brushes with a box that is smaller by as much.
    """
    by_tree, stuck = tracer.through_tree(starts, ends, box)
    by_brush, within = tracer.by_brushes(starts, ends, box, numbers)
    assert np.array_equal(stuck, within)
    apart = np.flatnonzero((np.abs(by_tree - by_brush) * lengths(starts, ends) > SAME) & ~within)
    if len(apart):
        smaller = box + np.array([[2 * EPSILON], [-2 * EPSILON]])
        beside = tracer.by_brushes(starts[apart], ends[apart], smaller, numbers)[0]
        assert (by_tree[apart] > by_brush[apart]).all() and (by_tree[apart] <= beside).all()
    assert len(apart) <= len(starts) / 2000
    return int((by_brush[~within] < 1).sum())


def test_a_box_stops_a_little_before_what_it_hits():
    level = read(write(source_door.with_door()))
    tracer = Tracer(level, 1)
    starts, ends = (
        np.array([[100.0, 0, 16], [0, 0, 16], [100, 60, 16]]),
        np.array([[-100.0, 0, 16]] * 2 + [[-100, 60, 16]]),
    )
    fractions, stuck = tracer.through_tree(starts, ends, PLAYER)
    assert fractions[0] * 200 == pytest.approx(100 - 4 - 16 - EPSILON) and stuck.tolist() == [False, True, False]
    assert fractions[2] == 1, "it passes beside it: 60 - 16 > 24"
    fractions, _ = tracer.through_tree(starts[:1], ends[:1], POINT)
    assert fractions[0] * 200 == pytest.approx(100 - 4 - EPSILON)
    assert Tracer(level, 1, mask=2).through_tree(starts, ends, PLAYER)[0].tolist() == [1, 1, 1]


def solid(rng: np.random.Generator, kind: str) -> Piece:
    """A box, a half of one, or a box turned any way, somewhere around the origin."""
    corners = (np.array([[n & 1, n >> 1 & 1, n >> 2 & 1] for n in range(8)]) - 0.5) * rng.integers(16, 96, 3)
    corners = corners[:6] if kind == "wedge" else corners
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] if kind == "turned" else np.eye(3)
    hull = convex_hull.hull(corners @ turn + rng.integers(-100, 100, 3))
    return Piece(hull.normals, hull.dists, np.ones(len(hull.dists), np.int64), 1)


@pytest.mark.parametrize("kind", ["box", "wedge", "turned"])
def test_paths_through_new_brush_models(kind: str):
    """By the tree, by brushes with their bevels, and by the solids that a box sweeps around their corners.

    Of edges within 30 degrees of an axis compilers make no bevels: there a box stops sooner, as in the game.
    """
    rng = np.random.default_rng(7)
    level = read(write(source_door.with_door()))
    model = brush_models.add(level, [solid(rng, kind) for _ in range(8)], [])
    level = read(write(level))
    numbers = np.flatnonzero(brushes.of_models(level) == model)
    starts, ends = (rng.random((PATHS, 3)) - 0.5) * 500, (rng.random((PATHS, 3)) - 0.5) * 500
    tracer = Tracer(level, model)
    for box in (PLAYER, SMALL):
        assert assert_same(tracer, starts, ends, box, numbers) > 1000
        fractions, within = tracer.by_brushes(starts, ends, box, numbers)
        shapes, inside = by_shapes(level, starts, ends, box, numbers)
        free = ~within & ~inside
        apart = ((shapes - fractions) * lengths(starts, ends))[free]
        assert apart.min() > -1e-3, "no box gets into a brush"
        assert kind == "turned" or (np.abs(apart).max() < 1e-3 and np.array_equal(within, inside))
        assert (apart > 1e-3).sum() < 0.05 * (shapes[free] < 1).sum()


def map_of(corpus: Path, name: str) -> bytes:
    path = corpus / "bsp" / name
    if not path.exists():
        pytest.skip(f"{path} isn't there")
    return path.read_bytes()


def around(level, numbers, rng: np.random.Generator, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Random paths from around brushes."""
    shapes = brushes.solids(level, np.asarray(numbers)).polygons
    spans = list(zip(shapes.first_vertex[:-1], shapes.first_vertex[1:], strict=True))
    parts = [shapes.positions[a:b] for a, b in spans if b > a]
    low, high = (np.array([end(part, axis=0) for part in parts]) for end in (np.min, np.max))
    chosen = rng.integers(0, len(parts), PATHS)
    starts = low[chosen] - margin + rng.random((PATHS, 3)) * (high - low + 2 * margin)[chosen]
    return starts, starts + rng.normal(size=(PATHS, 3)) * 96


@pytest.mark.parametrize("name", MAPS)
def test_paths_through_real_maps(corpus: Path, name: str):
    """That the reader walks as the game does: what compilers made agrees with itself."""
    level = read(map_of(corpus, name))
    own = np.flatnonzero(brushes.of_models(level) == 0)
    starts, ends = around(level, own, np.random.default_rng(1), 64)
    assert assert_same(Tracer(level), starts, ends, PLAYER, own) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["evgeniyfimushkin__cs-source/surf_ski_2.bsp", "krd0xFF__fast-dl/gm_oasis.bsp"])
def test_paths_through_models_that_were_built_anew(corpus: Path, name: str):
    """Doors of real maps, half as high and wider, and a copy of each."""
    level = read(map_of(corpus, name))
    stretch, rng, met = np.array([1.25, 1.0, 0.5]), np.random.default_rng(2), 0
    count = len(level.table(E.MODELS))
    for model in range(1, count, count // 8):
        pieces = []
        for piece in brush_models.pieces(level, model):
            normals = piece.normals / stretch
            size = np.sqrt((normals * normals).sum(axis=1))
            pieces.append(Piece(normals / size[:, None], piece.dists / size, piece.texinfos, piece.contents))
        try:
            numbers = [model, brush_models.add(level, pieces, [], like=pieces)]
            brush_models.rebuild(level, model, pieces, [])
        except FormatError:
            continue
        for number in numbers:
            own = np.flatnonzero(brushes.of_models(level) == number)
            mask = int(np.bitwise_or.reduce(level.table(E.BRUSHES)["contents"][own].astype(np.int64)))
            starts, ends = around(level, own, rng, 64)
            met += assert_same(Tracer(level, number, mask), starts, ends, PLAYER, own)
    assert met > 5_000


def moved(piece: Piece, way) -> Piece:
    return Piece(piece.normals, piece.dists + piece.normals @ way, piece.texinfos, piece.contents)


def edited(level, rng: np.random.Generator) -> tuple[list[int], list[int], list[int]]:
    """Brushes of a world are moved, deleted and added, as far as they may be: which changed, were deleted, are new."""
    pieces = world.pieces(level)
    able = [number for number, piece in pieces.items() if piece.contents & (BLOCKS_PLAYERS | 0x20000)]
    chosen = rng.permutation(able)[:18].tolist()
    changed = {n: world.Change(moved(pieces[n], rng.integers(-3, 4, 3) * 8.0)) for n in chosen[:6]}
    changed |= {number: world.Change(None) for number in chosen[6:12]}
    added = [moved(pieces[number], rng.integers(-8, 9, 3) * 16.0) for number in chosen[12:]]
    while True:
        try:
            carved = world.apply(level, world.WorldEdits(changed, added))
        except world.WorldError as error:
            assert error.changed or error.added, error
            changed = {number: each for number, each in changed.items() if number not in error.changed}
            added = [piece for place, piece in enumerate(added) if place not in error.added]
            continue
        gone = [number for number, each in changed.items() if each.shape is None]
        return [number for number in changed if number not in gone], gone, carved.added.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_paths_through_edited_worlds(corpus: Path, name: str):
    """10,000 paths around what was edited; and what physics objects meet is what the brushes' contents say."""
    data, rng = map_of(corpus, name), np.random.default_rng(3)
    before, level = read(data), read(data)
    own = set(np.flatnonzero(brushes.of_models(before) == 0).tolist())
    changed, gone, added = edited(level, rng)
    assert len(changed) + len(gone) > 4 and len(added) > 3
    level = read(write(level))
    numbers = np.array(sorted((own - set(gone)) | set(added)))
    for which, margin in ((level, 64), (before, 32)):
        wanted = [*changed, *added] if which is level else [*changed, *gone]
        starts, ends = around(which, wanted, rng, margin)
        assert assert_same(Tracer(level), starts, ends, PLAYER, numbers) > 500
    contents = level.table(E.BRUSHES)["contents"].astype(np.int64)
    found = test_source_world_collision.hulls_of(level)
    for mask in {mask for mask, _ in found}:
        assert sorted(brush for other, brush in found if other == mask) == [
            number for number in numbers.tolist() if contents[number] & mask
        ]
    kept = test_source_world_collision.hulls_of(before)
    for (mask, brush), hull in found.items():
        if brush not in changed and brush not in added:
            assert test_source_world_collision.same(hull, kept[mask, brush])
