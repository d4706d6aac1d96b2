# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models in the middle of a map go, and others take their numbers: nothing is left of them but empty rows."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import Entity, Level, LumpId, check, read, write
from formats.source.collision import physcollide_surface
from formats.source.edits import brush_models, compaction, new_light
from formats.source.edits.brush_models import NEW
from formats.source.tree import brushes
from formats.source.tree.empty_models import empty
from formats.source.tree.leaf_tree import LeafTree
from formats.source.world.gone_models import settle
from tests.formats import source_door
from tests.formats.source_rows import nameless, unlit_bytes
from tests.formats.test_source_brush_models import faces, piece

E = LumpId
BOXES = {2: ((-8, -8, -8), (8, 8, 8)), 3: ((0, 0, 0), (32, 16, 8)), 4: ((-4, -4, -4), (4, 4, 40))}


def added(level: Level, box: int) -> int:
    """Add a box with an entity; its number."""
    number = brush_models.add(level, [piece(*BOXES[box])], faces(level, *BOXES[box], [NEW] * 6))
    level.entities.append(Entity([("classname", "func_brush"), ("model", f"*{number}")]))
    return number


def without(level: Level, *models: int) -> None:
    """Delete the entities of models."""
    for entity in [each for each in level.entities if each.model in models]:
        level.entities.remove(entity)


def again(level: Level) -> Level:
    return read(write(level))


@pytest.fixture
def level() -> Level:
    """A door, and two boxes behind it."""
    level = source_door.with_door()
    assert [added(level, box) for box in (2, 3)] == [2, 3]
    return again(level)


def counts(level: Level) -> dict[int, int]:
    """How many rows each table has, how many bytes other lumps have; but for what tells of entities."""
    sizes = {lump: level.layout(lump).dtype for lump in level.lumps}
    return {
        lump: len(level.bytes_of(lump)) // (1 if dtype is None else dtype.itemsize)
        for lump, dtype in sizes.items()
        if lump != E.ENTITIES
    }


def held_of(level: Level, model: int, box: int) -> None:
    """A model is a box in all that tells of it: row, faces, brush, tree, what collides."""
    low, high = (np.array(corner, np.float64) for corner in BOXES[box])
    row = level.table(E.MODELS)[model]
    assert np.array_equal([row["mins"], row["maxs"]], BOXES[box]) and row["numfaces"] == 6
    points = np.concatenate([face.points for face in brush_models.faces(level, model)])
    assert np.array_equal([points.min(axis=0), points.max(axis=0)], BOXES[box])
    (brush,) = np.flatnonzero(brushes.of_models(level) == model).tolist()
    corners = brushes.solids(level, np.array([brush])).polygons.positions
    assert np.allclose([corners.min(axis=0), corners.max(axis=0)], BOXES[box], atol=1e-3)
    asked = np.array([(low + high) / 2, high + 1, low - 1])
    tree = LeafTree(level, int(row["headnode"])).of_points(asked)
    assert level.table(E.LEAFS)["contents"][tree].tolist() == [1, 0, 0]
    hulls = physcollide_surface.read(level.physcollide.of_model(model).solids[0]).hulls
    assert [hull.brush for hull in hulls] == [brush]
    assert np.allclose([hulls[0].points.min(axis=0), hulls[0].points.max(axis=0)], [low + 0.5, high - 0.5], atol=1e-3)


def test_its_number_stays_and_all_else_goes(level):
    before, door = counts(level), again(source_door.with_door())
    without(level, 2)
    settle(level, [2])
    level = again(level)
    assert empty(level).tolist() == [False, False, True, False] and check(level) == []
    held_of(level, 3, 3)
    assert level.physcollide.of_model(2) is None and set(nameless(level).values()) == {0} == set(unlit_bytes(level))
    one = again(source_door.with_door())
    added(one, 3)
    more = {E.MODELS: 1, E.NODES: 1, E.LEAFS: 1, E.LEAFMINDISTTOWATER: 1}
    assert counts(level) == {lump: size + more.get(lump, 0) for lump, size in counts(one).items()}
    assert counts(again(door)) != before, "there was something to go"


def test_what_is_added_takes_its_place(level):
    """In an export of its own, or in that in which it went; then no table has another size."""
    before = counts(level)
    apart, at_once = level, again(level)
    without(apart, 2)
    settle(apart, [2])
    apart = again(apart)
    settle(apart, [], {added(apart, 2): 2})
    without(at_once, 2)
    settle(at_once, [2], {added(at_once, 2): 2})
    for level in (again(apart), again(at_once)):
        assert [entity.model for entity in level.entities if entity.model] == [1, 3, 2]
        held_of(level, 2, 2)
        held_of(level, 3, 3)
        assert counts(level) == before and check(level) == []
        assert set(nameless(level).values()) == {0} == set(unlit_bytes(level))


def test_more_are_added_than_there_are_places(level):
    without(level, 1, 3)
    numbers = [added(level, box) for box in (2, 3, 4)]
    settle(level, [1, 3], dict(zip(numbers, (1, 3, 4), strict=True)))
    level = again(level)
    assert [entity.model for entity in level.entities if entity.model] == [2, 1, 3, 4] and check(level) == []
    for model, box in ((1, 2), (2, 2), (3, 3), (4, 4)):
        held_of(level, model, box)
    assert set(nameless(level).values()) == {0}


def test_empty_ones_go_with_the_last(level):
    """Then all is as if they had never been there, byte for byte."""
    door = again(source_door.with_door())
    for gone in ([2], [2, 3]):
        without(level, *gone)
        settle(level, gone)
        level = again(level)
    assert {lump for lump in door.lumps if door.bytes_of(lump) != level.bytes_of(lump)} == set()


def test_an_empty_one_that_is_named_stays(level):
    """Whoever takes models out says which empty rows nothing needs."""
    without(level, 2, 3)
    settle(level, [2])
    settle(level, [3])
    assert empty(again(level)).tolist() == [False, False, True]
    data = write(level)
    settle(level, [])
    assert write(level) == data


def test_the_luxels_of_a_shape_go_with_it(level):
    """Faces that are gone leave none, and those of others are where these look for them."""
    before = {lump: len(level.bytes_of(lump)) for lump in (E.LIGHTING, E.LIGHTING_HDR)}
    others = [level.table(E.FACES)[number] for number in range(4)]
    brush_models.rebuild(level, 2, [piece(*BOXES[4])], faces(level, *BOXES[4], [NEW] * 6))
    assert set(unlit_bytes(again(level))) == {0}
    assert [level.table(E.FACES)[number] for number in range(4)] == others
    brush_models.rebuild(level, 2, [piece(*BOXES[2])], faces(level, *BOXES[2], [NEW] * 6))
    assert {lump: len(level.bytes_of(lump)) for lump in before} == before


def test_props_follow_their_leafs(level):
    """No compiler has props in leafs of models, but those that an edit of the world made are behind them."""
    last = len(level.table(E.LEAFS)) - 1
    leafs = level.static_props.leafs.copy()
    leafs["leaf"] = last
    level.static_props.leafs = leafs
    level = again(level)
    row = level.table(E.LEAFS)[last]
    without(level, 2)
    settle(level, [2])
    level = again(level)
    named = np.unique(level.static_props.leafs["leaf"])
    boxes = [level.table(E.LEAFS)[named[0]][name].tolist() for name in ("mins", "maxs")]
    assert len(named) == 1 and named[0] < last and boxes == [row["mins"].tolist(), row["maxs"].tolist()]


def test_a_texture_in_the_middle_goes_with_its_name():
    """Of names that nothing goes by, also with newer ones behind, those go that an edit left."""
    level = source_door.with_door()
    names = level.texture_names.names
    one, two = (brush_models.faces(level, 1)[0].texinfo, 0)
    before = again(level)
    table = level.table(E.TEXINFO).copy()
    middle = int(table["texdata"][two])
    assert middle < len(names) - 1 and (table["texdata"] == middle).sum() >= 1
    table["texdata"][table["texdata"] == middle] = int(table["texdata"][one])
    level.set_table(E.TEXINFO, table)
    compaction.sweep(level, before)
    level = again(level)
    number = int(before.table(E.TEXDATA)["name_string_table_id"][middle])
    assert level.texture_names.names == [name for place, name in enumerate(names) if place != number]
    assert len(level.bytes_of(E.TEXDATA_STRING_DATA)) == sum(len(name) + 1 for name in level.texture_names.names)
    assert check(level) == check(before)


def test_what_can_not_be(level):
    for models, message in (([0], "is the world"), ([9], "isn't there")):
        data = write(level)
        with pytest.raises(FormatError, match=message):
            settle(level, models)
        assert write(level) == data
    rows = level.table(E.FACES).copy()
    rows["dispinfo"][int(level.table(E.MODELS)["firstface"][2])] = 0
    for lump in (E.FACES, E.FACES_HDR):
        level.set_table(lump, rows)
    with pytest.raises(FormatError, match="displacements"):
        settle(level, [2])
    level = source_door.with_door()
    added(level, 2)
    listed = level.table(E.LEAFFACES).copy()
    listed["face"][0] = int(level.table(E.MODELS)["firstface"][2])
    level.set_table(E.LEAFFACES, listed)
    with pytest.raises(FormatError, match="leafs of others"):
        settle(level, [2])


def test_rows_that_nothing_named_stay(level):
    """A model that no entity of the original had isn't empty, and is what the level came with."""
    without(level, 2)
    data = write(level)
    assert not empty(level).any() and [each.message for each in check(level)] == ["no entity has model *2; 1 such"]
    settle(level, [])
    assert write(level) == data


def real_maps(corpus: Path) -> Iterator[tuple[Path, bytes]]:
    """All maps, of versions 17 to 42, and of a console."""
    for path in sorted((corpus / "bsp").rglob("*.bsp")):
        yield path, path.read_bytes()


@pytest.mark.slow
def test_models_of_real_maps_go_and_come_back(corpus: Path):
    """Of each map one in the middle: what is left names nothing that isn't there, and its number is taken again."""
    for path, data in real_maps(corpus):
        before, level = read(data), read(data)
        if len(before.table(E.MODELS)) < 3:
            continue
        known = {str(problem) for problem in check(before)}
        model = len(before.table(E.MODELS)) // 2
        old = brush_models.pieces(level, model)
        drawn = [replace(face, record=NEW) for face in brush_models.faces(level, model)]
        others = [number for number in range(1, len(before.table(E.MODELS))) if number != model]
        shown = {number: _seen(level, number) for number in (others[0], others[-1])}
        settle(level, [model])
        without(level, model)
        compaction.sweep(level, before)
        level = again(level)
        assert np.flatnonzero(empty(level)).tolist() == [model], path
        for place in range(2):
            assert {str(problem) for problem in check(level)} <= known, path
            left = nameless(level)
            named_by_dead = {"TEXDATA", "TEXDATA_STRING_TABLE"}  # by texinfos that nothing names
            assert all(left[key] <= size for key, size in nameless(before).items() if key not in named_by_dead), path
            assert unlit_bytes(level) == unlit_bytes(before), path
            for number, seen in shown.items():
                assert all(np.array_equal(a, b) for a, b in zip(_seen(level, number), seen, strict=True)), path
            if place == 0:
                original = again(level)
                settle(level, [], {brush_models.add(level, old, drawn, like=old): model})
                level.entities.append(Entity([("classname", "func_brush"), ("model", f"*{model}")]))
                compaction.sweep(level, original)
                level = again(level)
        assert not empty(level).any()
        for lump in (E.MODELS, E.FACES, E.BRUSHES):
            assert len(level.table(lump)) == len(before.table(lump)), (path, lump)


@pytest.mark.slow
def test_models_that_real_maps_get_go_and_come_back(corpus: Path):
    """Two boxes are added to each map; one goes, and comes back: no table has another size."""
    for path, data in real_maps(corpus):
        level = read(data)
        known = {problem.kind for problem in check(level)}
        if not len(level.table(E.BRUSHES)) or len(level.table(E.TEXINFO)) < 2:
            continue
        first, second = (added(level, box) for box in (2, 3))
        level = again(level)
        before, dead = counts(level), nameless(level)
        without(level, first)
        settle(level, [first])
        level = again(level)
        assert np.flatnonzero(empty(level)).tolist() == [first] and nameless(level) == dead, path
        assert {problem.kind for problem in check(level)} <= known, path
        settle(level, [], {added(level, 2): first})
        level = again(level)
        assert counts(level) == before and nameless(level) == dead, path
        assert {problem.kind for problem in check(level)} <= known, path
        for model, box in ((first, 2), (second, 3)):
            held_of(level, model, box)


def _seen(level: Level, model: int) -> list[np.ndarray]:
    """Row, corners of faces, light, brushes and hulls of a model: numbers of them stand for nothing."""
    row = level.table(E.MODELS)[model]
    found = [np.array([row["mins"], row["maxs"]]), *(face.points for face in brush_models.faces(level, model))]
    mine = slice(int(row["firstface"]), int(row["firstface"]) + int(row["numfaces"]))
    for lighted in new_light.lumps(level).values():
        for lump, blocks in lighted.items():
            data = np.frombuffer(level.bytes_of(lump), np.uint8)
            for place in np.flatnonzero((blocks.faces >= mine.start) & (blocks.faces < mine.stop)).tolist():
                begin = int(blocks.offset[place] - blocks.header[place])
                found.append(data[begin : begin + int(blocks.header[place] + blocks.size[place])])
    own = np.flatnonzero(brushes.of_models(level) == model)
    solids = brushes.solids(level, own).polygons
    corners = [solids.positions[a:b] for a, b in zip(solids.first_vertex[:-1], solids.first_vertex[1:], strict=True)]
    entry, pairs = level.physcollide.of_model(model), []
    for solid in () if entry is None else entry.solids:
        for hull in physcollide_surface.read(solid).hulls:
            assert hull.brush in own
            pairs.append([hull.points, corners[int(np.searchsorted(own, hull.brush))]])
    pairs.sort(key=lambda pair: pair[1].tobytes())
    return [*found, *sorted(corners, key=lambda part: part.tobytes()), *(part for pair in pairs for part in pair)]
