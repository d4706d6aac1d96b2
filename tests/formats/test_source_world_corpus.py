# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of real maps is edited: what is where, who sees whom, and what others read.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from formats.source import LumpId, check, read, world, write
from formats.source.collision import physcollide, physcollide_surface
from formats.source.edits.changes import Changes
from formats.source.edits.compaction import compact
from formats.source.records import Contents
from formats.source.world import Change, WorldEdits, carve
from tests.formats.source_points import blind, compared

pytestmark = pytest.mark.slow

E = LumpId
COUNT, PAIRS = 20_000, 100_000
MARGIN = 0.03
REFUSED = Contents.WATER | Contents.SLIME | Contents.AREAPORTAL
CONSOLE = "snake-biscuits__bsp_tool/shack.360.bsp"
MAPS = (
    "AwertaDreams__framework-for-minigolf/test.bsp",
    "miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp",  # version 17
    "Kolka2__FastDL/de_rats.bsp",  # version 19
    "evgeniyfimushkin__cs-source/aim_TheBest.bsp",  # no visibility
    "ata4__bspsrc/csgo_tooltextures.bsp",  # version 21 of CS:GO
    "derived/zoo_jukebox__repacked_lzma_l4d2order.bsp",  # version 21, header of Left 4 Dead 2
    "TeamSpen210__srctools/rot_main.bsp",  # version 42
    CONSOLE,
)


@pytest.fixture(scope="module")
def maps(corpus) -> dict[str, bytes]:
    found = {name: corpus / "bsp" / name for name in MAPS}
    if not all(path.is_file() for path in found.values()):
        pytest.skip(f"no Source maps in {corpus}")
    return {name: path.read_bytes() for name, path in found.items()}


def kernel(level, edits):
    """As `world.apply`, without faces, light and collision."""
    changes = Changes(level)
    carved = carve.carve(changes, edits)
    compact(changes, dense=(E.LEAFBRUSHES, E.LEAFFACES))
    changes.apply()
    return carved


def some_edits(data: bytes, count: int, seed: int) -> WorldEdits:
    """Brushes taken away, moved and copied, `count` in all, that can be."""
    rng = np.random.default_rng(seed)
    changed, added = {}, []
    pieces = world.pieces(read(data))
    for turn, number in enumerate(rng.permutation([n for n, each in pieces.items() if not each.contents & REFUSED])):
        kind, shift, piece = turn % 3, rng.uniform(-40, 40, 3), pieces[int(number)]
        moved = replace(piece, dists=piece.dists + piece.normals @ shift)
        one = ({int(number): Change((None, moved)[kind])}, []) if kind < 2 else ({}, [moved])
        if not carve.tried(Changes(read(data)), WorldEdits(changed | one[0], added + one[1]))[1]:
            changed, added = changed | one[0], added + one[1]
        if len(changed) + len(added) >= count:
            break
    return WorldEdits(changed, added)


@pytest.mark.parametrize("name", MAPS)
def test_points_and_sight(maps, name):
    """Brushes are changed, eight at once: nothing else does."""
    data = maps[name]
    before, level = read(data), read(data)
    pieces, edits = world.pieces(before), some_edits(data, 8, 4)
    carved = world.apply(level, edits)
    after = read(write(level))
    gone, new = [pieces[number] for number in carved.removed.tolist()], list(carved.shapes.values())
    assert len(gone) + len(new) > 1
    rng = np.random.default_rng(5)
    model = before.table(E.MODELS)[0]
    points = rng.uniform(model["mins"] - 8.0, model["maxs"] + 8.0, (COUNT, 3))
    corners = [(piece.normals * piece.dists[:, None]) for piece in (*gone, *new)]
    spread = [rng.uniform(each.min(axis=0) - 16, each.max(axis=0) + 16, (1000, 3)) for each in corners]
    found = compared(before, after, gone, new, world.pieces(after).values(), np.concatenate([points, *spread]), MARGIN)
    assert found == {"outside": 0, "inside": 0, "box": 0}
    if after.visibility is not None:
        boxes = np.array([cell.box for cell in carved.cells.values()]).reshape(-1, 2, 3)
        assert not len(boxes) or blind(before, after, boxes, rng, PAIRS)[0] == 0


@pytest.mark.parametrize("name", MAPS)
def test_check_finds_nothing_new(maps, name):
    data = maps[name]
    known = {(problem.place, problem.message) for problem in check(read(data))}
    level = read(data)
    world.apply(level, some_edits(data, 5, 6))
    assert not [problem for problem in check(read(write(level))) if (problem.place, problem.message) not in known]


def test_solids_of_consoles_follow(maps):
    """They are those of the brushes, and are written as they were read."""
    level = read(maps[CONSOLE])
    collide = level.physcollide
    assert physcollide.encode(collide, ">") == level.bytes_of(E.PHYSCOLLIDE)
    pieces = world.pieces(level)
    hulls = {hull.brush: hull for hull in physcollide_surface.read(collide.of_model(0).solids[0]).hulls}
    assert len(hulls) == 196
    for number, hull in hulls.items():
        heights = hull.points @ pieces[number].normals.T - pieces[number].dists
        assert np.abs(heights.max(axis=0)).max() < 1, number
    number = next(n for n, piece in pieces.items() if piece.contents == Contents.SOLID | Contents.DETAIL)
    by = np.array((3.0, 4.0, 5.0))
    moved = replace(pieces[number], dists=pieces[number].dists + pieces[number].normals @ by)
    world.apply(level, WorldEdits({number: Change(moved)}))
    solid = read(write(level)).physcollide.of_model(0).solids[0]
    now = {hull.brush: hull for hull in physcollide_surface.read(solid).hulls}
    assert set(now) == set(hulls)
    for brush, hull in now.items():
        expected = hulls[brush].points + by * (brush == number)
        for bound in (np.min, np.max):
            assert np.allclose(bound(hull.points, axis=0), bound(expected, axis=0), atol=0.6), brush


def test_adding_and_taking_away_gives_the_same_bytes(maps):
    """But for the file's offsets in the game lump."""
    for name, data in maps.items():
        before, level = read(data), read(data)
        pieces = [piece for piece in world.pieces(before).values() if not piece.contents & REFUSED][:20]
        shifted = [replace(piece, dists=piece.dists + piece.normals @ (3.0, 4.0, 5.0)) for piece in pieces]
        carved = kernel(level, WorldEdits(added=shifted))
        level = read(write(level))
        kernel(level, WorldEdits({number: Change(None) for number in carved.added.tolist()}))
        changed = {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)}
        assert changed <= {E.GAME_LUMP}, name


def test_others_read_it(maps, tmp_path: Path):
    """srctools and sourcepp read edited maps as they are."""
    pytest.importorskip("srctools")
    pytest.importorskip("sourcepp")
    from sourcepp import bsppp
    from srctools.bsp import BSP

    for name in MAPS[:3]:
        level = read(maps[name])
        world.apply(level, some_edits(maps[name], 4, 8))
        path = tmp_path / "edited.bsp"
        path.write_bytes(write(level))
        theirs, ours = bsppp.BSP(str(path), False), read(path.read_bytes())
        for lump in (E.PLANES, E.NODES, E.LEAFS, E.LEAFBRUSHES, E.BRUSHES, E.BRUSHSIDES, E.VISIBILITY, E.MODELS):
            assert bytes(theirs.get_lump_data(bsppp.BSP.Lump(int(lump))) or b"") == bytes(ours.bytes_of(lump)), name
        if level.version < 19:
            continue
        found = BSP(path)
        assert len(found.brushes) == len(ours.table(E.BRUSHES)) and len(found.visleafs) == len(ours.table(E.LEAFS))
        listed = ours.table(E.LEAFBRUSHES)["brush"].tolist()
        numbers = {id(brush): number for number, brush in enumerate(found.brushes)}
        for leaf, row in zip(found.visleafs, ours.table(E.LEAFS), strict=True):
            first, count = int(row["firstleafbrush"]), int(row["numleafbrushes"])
            assert sorted(numbers[id(brush)] for brush in leaf.brushes) == sorted(listed[first : first + count])


def test_bsp_tool_reads_it(maps, tmp_path: Path):
    """bsp_tool decodes the lumps of edited maps as it did those of the maps before."""
    bsp_tool = pytest.importorskip("bsp_tool")
    decoded = ("PLANES", "NODES", "LEAVES", "LEAF_BRUSHES", "LEAF_FACES", "BRUSHES", "BRUSH_SIDES", "FACES", "MODELS")
    compared = 0
    for name in MAPS[:4]:
        level = read(maps[name])
        world.apply(level, some_edits(maps[name], 4, 8))
        found = []
        for kind, data in (("before", maps[name]), ("after", write(level))):
            path = tmp_path / f"{kind}.bsp"
            path.write_bytes(data)
            found.append(bsp_tool.load_bsp(str(path)))
        before, after = found
        assert set(after.loading_errors) <= set(before.loading_errors), name
        for lump, size in (("PLANES", E.PLANES), ("BRUSHES", E.BRUSHES), ("LEAF_BRUSHES", E.LEAFBRUSHES)):
            if hasattr(before, lump) and lump not in before.loading_errors:
                assert len(getattr(after, lump)) == len(level.table(size)), (name, lump)
        for lump in decoded:
            if hasattr(before, lump) and lump not in before.loading_errors:
                compared += len([record for record in getattr(after, lump) if record is not None])
        for one in found:
            one.file.close()
    assert compared
