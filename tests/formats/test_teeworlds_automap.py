# SPDX-License-Identifier: GPL-3.0-or-later
"""Automappers, held against a tile by tile reading of the same rules, and against layers that the editor drew."""

from pathlib import Path

import numpy as np
import pytest

from formats import teeworlds
from formats.binary import FormatError
from formats.teeworlds import automap as arrays
from formats.teeworlds.automap import automap, automap_region
from formats.teeworlds.automap_rules import Condition, IndexRule, Modulo, RuleRun, RuleSet, TileTest, read_rules
from formats.teeworlds.tiles import ORIENTATION

RULES_OF_DDNET = Path("/usr/share/games/ddnet/data/editor")
XFLIP, YFLIP, ROTATE = 1, 2, 8


def mixed(number):
    number = (number + 1) & 0xFFFFFFFF
    for shift, factor in ((17, 0xED5AD4BB), (11, 0xAC4C1B51), (15, 0x31848BAB)):
        number = ((number ^ number >> shift) * factor) & 0xFFFFFFFF
    return number ^ number >> 14


def cell_hash(seed, run, rule, x, y):
    value = 1
    for part in (seed, run, rule, x, y):
        value = (value * 31 + mixed(part & 0xFFFFFFFF)) & 0xFFFFFFFF
    return mixed(value * 31 & 0xFFFFFFFF) % 65536


def by_cells(index, flags, rules, seed, origin=(0, 0)):
    """The slow way: cell by cell, rule by rule, condition by condition."""
    height, width = index.shape
    for run_number, run in enumerate(rules.runs):
        seen = (index.copy(), flags.copy()) if run.copies else (index, flags)

        def holds(condition, x, y, seen=seen):
            x, y = x + condition.x, y + condition.y
            inside = 0 <= x < width and 0 <= y < height
            tile, way = (int(seen[0][y, x]), int(seen[1][y, x]) & ORIENTATION) if inside else (-1, 0)
            found = any(one.index == tile and one.orientation in (None, way) for one in condition.tests)
            return found != condition.negated

        for y in range(height):
            for x in range(width):
                for number, rule in enumerate(run.rules):
                    column, row = x + origin[0], y + origin[1]
                    if not all(holds(condition, x, y) for condition in rule.conditions):
                        continue
                    if rule.patterns and not any(
                        (column + one.offset_x) % one.x == 0 == (row + one.offset_y) % one.y for one in rule.patterns
                    ):
                        continue
                    if rule.share < 1 and cell_hash(seed, run_number, number, column, row) >= rule.share * 65536:
                        continue
                    index[y, x], flags[y, x] = rule.index, rule.orientation


def same_as_by_cells(rules, index, flags, seed, origin=(0, 0)):
    quick, slow = (index.copy(), flags.copy()), (index.copy(), flags.copy())
    automap(*quick, rules, seed, origin)
    by_cells(*slow, rules, seed, origin)
    assert np.array_equal(quick[0], slow[0])
    assert np.array_equal(quick[1], slow[1])
    return quick


def blobs(random, shape, tile=1):
    """Patches of a tile in air, as people paint them, and some other tiles."""
    cells = random.random(tuple(size + 2 for size in shape))
    near = cells[:-2, 1:-1] + cells[1:-1, :-2] + cells[1:-1, 1:-1] + cells[1:-1, 2:] + cells[2:, 1:-1]
    index = np.where(near > 2.4, tile, 0).astype(np.uint8)
    index[random.random(shape) < 0.05] = random.integers(0, 256)
    return index, random.choice(np.array([0, 1, 2, 4, 8, 11], np.uint8), shape)


# ---- the text


def test_reads_every_word_of_the_language():
    text = b"""\xef\xbb\xbf# a comment
Index 9
[Grass] and what stands behind
Index 1

Index 2 XFLIP ROTATE YFLIP XFLIP
Pos 0 -1 EMPTY
Pos 1 0 FULL
Random 150
NewRun
NoLayerCopy
Index 300 junk
Pos 0 0 INDEX 3 OR 5 XFLIP ROTATE OR 7 NONE OR -1
Pos -2 1 NOTINDEX 4
Random 30%
Modulo 2 3 0 -1
 Pos 5 5 FULL
NoDefaultRule
[Empty]\r
"""
    grass, empty = read_rules(text)
    replaced = Condition(0, 0, (TileTest(0),), negated=True)
    assert (grass.name, empty) == ("Grass", RuleSet("Empty", [RuleRun()]))
    first, second = grass.runs
    assert first.copies and not second.copies
    plain, edge = first.rules
    assert plain == IndexRule(1, 0, [replaced])
    turned = XFLIP | YFLIP | ROTATE
    top, right = Condition(0, -1, (TileTest(0),)), Condition(1, 0, (TileTest(0),), negated=True)
    assert edge == IndexRule(2, turned, [replaced, top, right], share=float(np.float32(1) / np.float32(150)))
    tests = TileTest(3), TileTest(5, XFLIP | ROTATE), TileTest(7, 0), TileTest(-1)
    assert second.rules == [
        IndexRule(
            44,
            0,
            [Condition(0, 0, tests), Condition(-2, 1, (TileTest(4),), negated=True)],
            [Modulo(2, 3, 0, -1)],
            float(np.float32(30) / np.float32(100)),
            by_default=False,
        )
    ]
    assert grass.reach == (2, 1, 1, 1)


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        ("INDEX", (TileTest(0),)),
        ("INDEX 3 OR", (TileTest(3), TileTest(0))),
        ("INDEX 3 BLUE OR 4", (TileTest(3), TileTest(4))),
        ("INDEX 3 BLUE XFLIP OR 4", (TileTest(3),)),
        ("INDEX 3 NONE XFLIP OR 4", (TileTest(3, 0),)),
        ("INDEX 3 XFLIP YFLIP ROTATE OR 4 YFLIP", (TileTest(3, 11), TileTest(4, 2))),
        ("INDEX 3 XFLIP YFLIP ROTATE XFLIP OR 4", (TileTest(3, 11),)),
    ],
)
def test_lists_of_tiles_end_where_the_editor_stops_reading(line, tests):
    [rules] = read_rules(f"[A]\nIndex 1\nNoDefaultRule\nPos 1 0 {line}".encode())
    assert rules.runs[0].rules[0].conditions == [Condition(1, 0, tests)]


@pytest.mark.parametrize(
    ("line", "replaces"),
    [
        ("Pos 0 0 INDEX 0", False),
        ("Pos 0 0 EMPTY", False),
        ("Pos 0 0 INDEX 5 OR 0", False),
        ("Pos 0 0 INDEX 5\nPos 0 0 INDEX 0", True),
        ("Pos 0 0 NOTINDEX 0", True),
        ("Pos 1 0 EMPTY", True),
        ("Pos 1 0 EMPTY\nNoDefaultRule", False),
        ("Pos 0 0 WHATEVER", True),
    ],
)
def test_rules_replace_tiles_only_unless_they_ask_for_air(line, replaces):
    [rules] = read_rules(f"[A]\nIndex 1\n{line}".encode())
    [rule] = rules.runs[0].rules
    assert (rule.conditions[:1] == [Condition(0, 0, (TileTest(0),), negated=True)]) == replaces


@pytest.mark.parametrize("text", [b"", b"Index 1\nPos 0 0 FULL", b"\xff\xfe[\n[", b"[A]\nPos 1\nRandom x\nModulo"])
def test_text_that_makes_no_sense_is_left_out(text):
    for rules in read_rules(text):
        assert not any(run.rules for run in rules.runs)


def test_a_pattern_may_lack_its_numbers():
    [rules] = read_rules(b"[A]\nIndex 1\nModulo\nModulo 0 4 1")
    assert rules.runs[0].rules[0].patterns == [Modulo(1, 1), Modulo(1, 4, 1)]


# ---- what they draw


def test_edges_of_a_patch():
    [rules] = read_rules(
        b"[A]\nIndex 1\nIndex 16\nPos 0 -1 EMPTY\nIndex 20\nPos -1 0 EMPTY\n"
        b"Index 4 XFLIP\nPos 0 -1 EMPTY\nPos -1 0 EMPTY"
    )
    index, flags = np.zeros((4, 4), np.uint8), np.full((4, 4), 6, np.uint8)
    index[1:, 1:] = 7
    automap(index, flags, rules, 1)
    assert index.tolist() == [[0] * 4, [0, 4, 16, 16], [0, 20, 1, 1], [0, 20, 1, 1]]
    assert flags[1, 1] == XFLIP and not flags[1:, 2:].any() and (flags[0] == 6).all()


def test_beyond_the_layer_is_neither_air_nor_the_tile_that_is_repeated_there():
    [rules] = read_rules(b"[A]\nIndex 2\nPos -1 0 EMPTY\nIndex 3\nPos 1 0 INDEX -1\nIndex 4\nPos 0 -1 NOTINDEX -1")
    index = np.ones((2, 3), np.uint8)
    automap(index, np.zeros_like(index), rules, 1)
    assert index.tolist() == [[1, 1, 3], [4, 4, 4]]


def test_a_run_sees_what_the_run_before_it_drew():
    [rules] = read_rules(b"[A]\nIndex 2\nPos 0 0 INDEX 1\nIndex 3\nPos -1 0 INDEX 2\nNewRun\nIndex 4\nPos -1 0 INDEX 2")
    index = np.array([[1, 5]], np.uint8)
    automap(index, np.zeros_like(index), rules, 1)
    assert index.tolist() == [[2, 4]]


def test_without_a_copy_rules_see_the_cells_before():
    [rules] = read_rules(b"[A]\nNoLayerCopy\nIndex 1\nPos 0 0 EMPTY\nIndex 2\nPos -1 0 INDEX 1")
    index = np.zeros((2, 5), np.uint8)
    automap(index, np.zeros_like(index), rules, 1)
    assert index.tolist() == [[1, 2, 1, 2, 1]] * 2


def test_share_of_cells_is_about_what_the_rule_says():
    [rules] = read_rules(b"[A]\nIndex 2\nRandom 4\nIndex 3\nPos 0 0 INDEX 1\nRandom 10%\nIndex 1\nRandom 0")
    index = np.ones((300, 300), np.uint8)
    rules.runs[0].rules.pop()
    automap(index, np.zeros_like(index), rules, 5)
    assert abs((index == 3).mean() - 0.1) < 0.01
    assert abs((index == 2).mean() - 0.25 * 0.9) < 0.01


@pytest.mark.parametrize("seed", range(20))
def test_random_rules_draw_what_they_draw_cell_by_cell(seed, monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK", 50)  # so that small layers have several blocks
    monkeypatch.setattr(arrays, "_REMEMBERED", 3)
    random = np.random.default_rng(seed)

    def condition():
        tests = tuple(
            TileTest(int(random.choice([-1, 0, 1, 2, 3, 300])), random.choice([None, 0, 1, 9]))
            for _ in range(random.integers(1, 4))
        )
        x, y = random.integers(-2, 3, 2).tolist()
        return Condition(*((x, y) if random.random() < 0.97 else (1000, -(10**9))), tests, bool(random.random() < 0.5))

    def rule():
        conditions = [condition() for _ in range(random.integers(0, 4))]
        patterns = [Modulo(*random.integers(1, 4, 2).tolist(), *random.integers(-3, 4, 2).tolist())]
        share = float(np.float32(random.choice([0.3, 1, 1, np.inf])))
        patterns = patterns[: int(random.integers(0, 2))]
        return IndexRule(int(random.integers(0, 4)), int(random.choice([0, 1, 9])), conditions, patterns, share)

    runs = [RuleRun([rule() for _ in range(random.integers(0, 6))], bool(random.random() < 0.4)) for _ in range(4)]
    rules = RuleSet("random", runs)
    shape = tuple(random.integers(1, 14, 2))
    index, flags = random.integers(0, 4, shape).astype(np.uint8), random.integers(0, 16, shape).astype(np.uint8)
    same_as_by_cells(rules, index, flags, int(random.integers(-(2**31), 2**31)), (int(seed * 7), 3))


def test_a_region_is_what_the_whole_layer_gives_there_where_rules_look_at_neighbours():
    [rules] = read_rules(
        b"[A]\nIndex 1\nIndex 16\nPos 0 -1 EMPTY\nIndex 20\nPos -1 0 EMPTY\nIndex 7\nPos 1 1 FULL\nRandom 2"
    )
    random = np.random.default_rng(4)
    index, flags = blobs(random, (40, 50))
    automap(index, flags, rules, 9)
    index[20:22, 10:15] = 0
    whole, part = (index.copy(), flags.copy()), (index.copy(), flags.copy())
    automap(*whole, rules, 9)
    assert automap_region(*part, rules, 9, (10, 20, 5, 2)) == (9, 19, 7, 4)
    assert np.array_equal(part[0], whole[0])
    assert (part[0] != index).any()
    same = np.ones(index.shape, np.bool_)
    same[19:23, 9:16] = False
    assert np.array_equal(part[0][same], index[same])


def test_a_region_at_the_corner_and_beyond_stays_within_the_layer():
    [rules] = read_rules(b"[A]\nIndex 5\nPos -2 1 EMPTY\nPos 3 0 FULL")
    index = np.ones((4, 4), np.uint8)
    assert automap_region(index, np.zeros_like(index), rules, 1, (3, 3, 4, 4)) == (1, 3, 3, 1)
    assert automap_region(index, np.zeros_like(index), rules, 1, (20, 20, 1, 1))[2:] == (0, 0)


def test_works_on_fields_of_records():
    tiles = np.zeros((3, 3), [("index", "u1"), ("flags", "u1"), ("skip", "u1"), ("reserved", "u1")])
    tiles["index"] = 1
    [rules] = read_rules(b"[A]\nIndex 2 ROTATE")
    automap(tiles["index"], tiles["flags"], rules, 1)
    assert (tiles["index"] == 2).all() and (tiles["flags"] == ROTATE).all() and not tiles["skip"].any()


# ---- the rules that DDNet has


def of_ddnet():
    if not RULES_OF_DDNET.is_dir():
        pytest.skip(f"{RULES_OF_DDNET} isn't here: the rules of DDNet's images")
    folder = RULES_OF_DDNET / "automap" if (RULES_OF_DDNET / "automap").is_dir() else RULES_OF_DDNET
    return {path.stem: read_rules(path.read_bytes()) for path in sorted(folder.glob("*.rules"))}


@pytest.mark.parametrize("tile", [1, *(pytest.param(tile, marks=pytest.mark.slow) for tile in (3, 160))])
def test_ddnets_rules_draw_what_they_draw_cell_by_cell(tile):
    sets = [rules for found in of_ddnet().values() for rules in found]
    assert len(sets) > 30
    for number, rules in enumerate(sets):
        random = np.random.default_rng(number)
        same_as_by_cells(rules, *blobs(random, (9, 11), tile), seed=number * 1000 + 1)


# ---- what the editor drew


@pytest.mark.slow
def test_automatic_layers_of_real_maps_are_as_the_editor_drew_them(corpus):
    rules, layers, differing, cells = of_ddnet(), [], 0, 0
    for path in sorted((corpus / "teeworlds").rglob("*.map")):
        try:
            level = teeworlds.read(path.read_bytes())
        except FormatError:
            continue
        for layer in level.layers:
            mapper = layer.automapper if isinstance(layer, teeworlds.TileLayer) else None
            if mapper is None or not (mapper.automatic and mapper.seed and 0 <= layer.image < len(level.images)):
                continue
            sets = rules.get(level.images[layer.image].name, [])
            if 0 <= mapper.config < len(sets):
                tiles = layer.tiles()
                index, flags = tiles["index"].copy(), tiles["flags"].copy()
                automap(index, flags, sets[mapper.config], mapper.seed)
                same = (index == tiles["index"]) & (((flags ^ tiles["flags"]) & ORIENTATION == 0) | (index == 0))
                layers.append(bool(same.all()))
                differing += int((~same).sum())
                cells += int(np.count_nonzero(tiles["index"]))
    assert (len(layers), sum(layers)) == (34, 31)
    assert differing == 7
    assert cells > 400_000


def rows(x, y, width, height):
    """Strokes of one row each, downwards: x, y, width, height."""
    return [(x, row, width, 1) for row in range(y, y + height)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "painted", "erased"),
    [
        ("resonance", (4, 4), [*rows(189, 45, 6, 4), *rows(218, 55, 6, 4)], []),
        ("main", (12, 18), [(column, 172, 1, 14) for column in range(490, 496)], []),
        ("Forest", (9, 5), [], [(x, y, 1, 1) for y in (135, 134) for x in range(228, 238)]),
    ],
)
def test_layers_that_differ_were_painted_in_another_order(corpus, name, place, painted, erased):
    """What the whole layer's run draws otherwise than the file has it: the editor's own live runs left it behind
    (teeworlds.md §7).
    """
    level = teeworlds.read((corpus / "teeworlds" / "kurosio__Teeworlds-MRPG-0.6" / f"{name}.map").read_bytes())
    layer = level.groups[place[0]].layers[place[1]]
    rules, stored = of_ddnet()[level.images[layer.image].name][layer.automapper.config], layer.tiles()
    full = (stored["index"] > 0).astype(np.uint8)
    index, flags = full.copy(), np.zeros_like(full)
    erased = [(x, y, width, height) for x, y, width, height in erased if not full[y, x]]
    for strokes, tile in ((painted, 0), (erased, 1)):
        for x, y, width, height in strokes:
            index[y : y + height, x : x + width] = tile
    automap(index, flags, rules, layer.automapper.seed)
    for stroke in (*painted, *erased):
        x, y, width, height = stroke
        part = slice(y, y + height), slice(x, x + width)
        index[part], flags[part] = full[part], 0
        automap_region(index, flags, rules, layer.automapper.seed, stroke)
    assert np.array_equal(index, stored["index"])
    assert not ((flags ^ stored["flags"]) & ORIENTATION)[index > 0].any()
