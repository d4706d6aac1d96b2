# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes recovered from compiled levels: the same space, convex, with the textures that were seen."""

from pathlib import Path

import numpy as np
import pytest

from formats import genesis
from formats.binary import FormatError
from formats.genesis import Brush, BrushFlag, CompiledLevel, MapLevel, texture_names
from formats.genesis.brushes import polygons
from formats.genesis.compiled import ChunkId, decompile, surfaces, tree
from tests.formats import genesis_compiled_bytes as build

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "genesis"
SHIPPED = CORPUS / "paradoxnj__Genesis3D" / "genvs2.bsp"
COMPILED = CORPUS / "_generated_by_real_editor_code" / "o_genvs2.bsp"
SOURCE = CORPUS / "_generated_by_real_editor_code" / "genvs2.map"


def contents_of(brushes: list[Brush], points: np.ndarray) -> np.ndarray:
    """The flags of the brushes that points lie in, int64[n]."""
    made = np.zeros(len(points), np.int64)
    order = np.argsort(points[:, 0])
    places = points[order, 0]
    for brush in brushes:
        corners = polygons(brush.faces, [len(brush.faces)]).positions
        if not len(corners):
            continue
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = order[np.searchsorted(places, low[0]) : np.searchsorted(places, high[0], "right")]
        near = near[((points[near] >= low) & (points[near] <= high)).all(axis=1)]
        heights = points[near] @ brush.faces["normal"].astype(np.float64).T - brush.faces["dist"].astype(np.float64)
        made[near[(heights <= 0).all(axis=1)]] |= brush.flags
    return made


def sampled(level: CompiledLevel, count: int) -> np.ndarray:
    world = level.table(ChunkId.MODELS)[0]
    low, high = world["mins"].astype(np.float64), world["maxs"].astype(np.float64)
    return low + np.random.default_rng(7).random((count, 3)) * (high - low)


def tree_contents(level: CompiledLevel, points: np.ndarray) -> np.ndarray:
    """What the compiled level says of points, without the copies of doors."""
    found = tree.tree_of(level)
    contents = found.contents[tree.leafs_at(found, 0, points)]
    door = contents & int(BrushFlag.AREA) != 0
    return np.where(door, contents & ~int(BrushFlag.AREA | BrushFlag.DETAIL), contents)


def test_the_room_has_its_walls_its_water_and_its_lift():
    level = genesis.read(build.room())
    made, left_out = decompile.to_map(level)
    assert left_out == []
    walls = [brush for brush in made.world.brushes if brush.flags == build.SOLID]
    water = [brush for brush in made.world.brushes if brush.flags == build.WATER]
    assert (len(walls), len(water)) == (7, 1), "the wall with two textures is two brushes"
    points = sampled(level, 20_000)
    assert (contents_of(made.world.brushes, points) == tree_contents(level, points)).all()
    (lift,) = made.models
    assert set(texture_names(lift.brushes[0].faces)) == {"metal"} and lift.motion is not None and "Model" not in lift
    assert genesis.check(made) == []
    assert genesis.write(genesis.read(genesis.write(made))) == genesis.write(made)


def test_what_is_seen_keeps_its_texture_and_how_it_lies():
    level = genesis.read(build.room())
    made, _ = decompile.to_map(level)
    faces = np.concatenate([brush.faces for entity in made.entities for brush in entity.brushes])
    floor = faces[(faces["normal"] == (0, 1, 0)).all(axis=1) & (faces["dist"] == -build.INSIDE)]
    assert texture_names(floor) == ["rock"] and floor["offset_x"].tolist() == [4]
    assert floor["u_vec"].tolist() == [[0.5, 0, 0]]
    sky = faces[(faces["normal"] == (0, -1, 0)).all(axis=1) & (faces["dist"] == -build.INSIDE)]
    assert texture_names(sky) == ["sky"] and sky["flags"].tolist() == [build.SKY_FLAGS & ~build.NO_LIGHTMAP]
    surface = faces[(faces["normal"] == (0, 1, 0)).all(axis=1) & (faces["dist"] == build.SURFACE)]
    assert texture_names(surface) == ["water"] and surface["alpha"].tolist() == [128]


@pytest.mark.parametrize(("plane", "count"), [(1, 1), (3, 2)])
def test_solids_that_are_convex_together_are_joined(plane: int, count: int):
    """Solid beyond x = 64, and what is before that and beyond another plane: beside it, or across."""
    nodes = [build.node(0, -2, 1), build.node(plane, -2, -1)]
    model = bytearray(build.parts()[build.MODELS][:80])
    model[44:52] = bytes(8)  # no faces
    leafs = build.leaf(0, 0) + build.leaf(build.SOLID, -1)
    chunks = {build.NODES: b"".join(nodes), build.LEAFS: leafs, build.MODELS: bytes(model)}
    made, _ = decompile.to_map(genesis.read(build.room(chunks=chunks)))
    assert len(made.world.brushes) == count


def test_trees_that_go_on_for_ever_are_refused():
    count = 2000
    nodes = [build.node(n % 6, -1, n + 1 if n < count - 1 else -7) for n in range(count)]
    with pytest.raises(FormatError, match="512 nodes"):
        decompile.to_map(
            genesis.read(
                build.room(chunks={build.NODES: b"".join(nodes), build.MODELS: build.parts()[build.MODELS][:80]})
            )
        )


@pytest.mark.slow
@pytest.mark.skipif(not SHIPPED.exists(), reason="needs ../shared")
@pytest.mark.parametrize("path", [SHIPPED, COMPILED], ids=["shipped", "compiled here"])
def test_real_levels_hold_the_same_space_and_textures(path: Path):
    """Against the tree at 100,000 points, and against the `.map` that the level was compiled from."""
    level, source = genesis.read(path.read_bytes()), genesis.read(SOURCE.read_bytes())
    assert isinstance(level, CompiledLevel) and isinstance(source, MapLevel)
    made, left_out = decompile.to_map(level)
    assert left_out == [] and genesis.check(made) == []
    assert len(made.models) == 59 and sum(entity.motion is not None for entity in made.models) == 25
    points = sampled(level, 100_000)
    ours = contents_of(made.world.brushes, points)
    assert (ours == tree_contents(level, points)).all()
    solid, was_solid = ours & 1 != 0, contents_of(source.world.brushes, points) & 1 != 0
    leafs = level.table(ChunkId.LEAFS)[tree.leafs_at(tree.tree_of(level), 0, points)]
    assert (solid | ~was_solid).all(), "nothing solid is lost"
    assert (solid == was_solid)[leafs["cluster"] >= 0].all(), "and where one can be, nothing is added"
    assert textures_kept(level, made) > 0.99


def textures_kept(level: CompiledLevel, made: MapLevel) -> float:
    """The share of the world's faces with something behind them whose texture a brush has there, of every tenth."""
    drawn = surfaces.of_level(level).only(0)
    faces = np.concatenate([brush.faces for brush in made.world.brushes])
    normals, dists = faces["normal"].astype(np.float64), faces["dist"].astype(np.float64)
    counts = [len(brush.faces) for brush in made.world.brushes]
    first = np.cumsum([0, *counts])
    owner = np.repeat(np.arange(len(counts)), counts)
    infos = level.table(ChunkId.TEXINFOS)
    planes = level.table(ChunkId.PLANES)["normal"].astype(np.float64)
    kept = []
    for face in range(0, len(drawn.numbers), 10):
        middle = drawn.points[drawn.starts[face] : drawn.starts[face + 1]].mean(axis=0)
        normal = planes[drawn.side[face] >> 1] * (-1 if drawn.side[face] & 1 else 1)
        behind = middle - normal * 0.1
        if not tree_contents(level, behind[None])[0]:
            continue  # water, seen from inside
        flat = np.flatnonzero((normals @ normal > 0.9999) & (np.abs(normals @ middle - dists) < 0.1))
        hits = [
            side
            for side in flat.tolist()
            for own in [slice(first[owner[side]], first[owner[side] + 1])]
            if (normals[own] @ behind <= dists[own] + 0.01).all()
        ]
        info = infos[drawn.texinfo[face]]
        same = [faces[name][hits] == info[name] for name in ("offset_x", "draw_scale_y", "face_light")]
        kept.append(bool(np.logical_and.reduce(same).any()))
    return float(np.mean(kept))
