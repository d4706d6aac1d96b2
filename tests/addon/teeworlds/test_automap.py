# SPDX-License-Identifier: GPL-3.0-or-later
"""Automappers in Blender: which rules a layer has, drawn when asked and after each edit."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.teeworlds.automapping.live import automapping, live
from levelwright.addon.teeworlds.automapping.rules import rule_sets
from levelwright.addon.teeworlds.tiles.automap import automap_layer, draw, follow_edit
from levelwright.addon.teeworlds.tiles.grid import TileGrid
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.automap import automap
from levelwright.formats.teeworlds.automap_rules import read_rules

from tests.addon.teeworlds.export_helpers import changes, exported, imported, layer
from tests.formats.teeworlds_bytes import Map, noise

RULES = b"""[Edges]
Index 1

Index 16
Pos 0 -1 EMPTY

Index 20 XFLIP
Pos 1 0 EMPTY

Index 22
Pos -1 0 EMPTY

Index 23
Pos 0 1 EMPTY

[Chance]
Index 2
Random 2

[Air]
Index 9
Pos 0 0 EMPTY
Pos 1 0 FULL

Index 0
Pos 0 0 INDEX 7
"""
EDGES, CHANCE, AIR = range(3)
GAME, DRAWN = 0, 1
WIDTH, HEIGHT = 9, 7


@pytest.fixture(autouse=True)
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rules of the image `art`, in a folder of the game's data."""
    mapres, folder = tmp_path / "data" / "mapres", tmp_path / "data" / "editor" / "automap"
    mapres.mkdir(parents=True)
    folder.mkdir(parents=True)
    monkeypatch.setenv("LEVELWRIGHT_MAPRES", str(mapres))
    path = folder / "art.rules"
    path.write_bytes(RULES)
    return path


def patch() -> np.ndarray:
    """Tiles [h, w, 4 bytes]: a patch in air, one of its tiles turned and marked opaque."""
    cells = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    cells[2:6, 2:7, 0] = 1
    cells[3, 3, 1] = 4
    return cells


def drawn(config: int = EDGES, seed: int = 5, automatic: bool = False, title: str = "art") -> bytes:
    m = Map()
    m.version()
    art = m.image(title, 16, 16, noise(4 * 16 * 16))
    m.group("Game")
    m.tiles(WIDTH, HEIGHT, bytes(4 * WIDTH * HEIGHT), flags=1, title="Game")
    m.tiles(WIDTH, HEIGHT, patch().tobytes(), image=art, title="Drawn")
    m.automapper(0, 1, config=config, seed=seed, flags=int(automatic))
    return m.build()


def tiles(data: bytes) -> np.ndarray:
    return teeworlds.read(data).groups[0].layers[DRAWN].tiles()


def by_rules(config: int, seed: int) -> np.ndarray:
    index, flags = patch()[..., 0].copy(), patch()[..., 1].copy()
    automap(index, flags, read_rules(RULES)[config], seed)
    return index


@pytest.mark.parametrize("large_layer", [0, 2_000_000])
@pytest.mark.parametrize("config", [EDGES, CHANCE, AIR])
def test_a_layer_is_drawn_by_its_rules(config: int, large_layer: int) -> None:
    data = drawn(config)
    level = imported(data, large_layer=large_layer)
    one = layer(level, DRAWN)
    changed = automap_layer(level, one)
    after = exported(level)
    assert np.array_equal(tiles(after)["index"], by_rules(config, 5))
    assert changed == int((tiles(after)["index"] != patch()[..., 0]).sum()) > 5
    words, blobs = changes(data, after)
    assert not words and len(blobs) == 1
    assert automap_layer(level, one) == 0 or config != EDGES


def test_tiles_that_stay_keep_their_opaque_flag():
    level = imported(drawn())
    automap_layer(level, layer(level, DRAWN))
    found = tiles(exported(level))
    assert found["flags"][3, 3] == 4
    assert (found["index"] == 20).sum() == 3
    assert (found["flags"][found["index"] == 20] == 1).all()


def test_seed_0_is_another_one_each_time():
    level = imported(drawn(CHANCE, seed=0))
    one = layer(level, DRAWN)
    seeds = {automapping(level, one).seed for _ in range(5)}
    assert len(seeds) == 5 and 0 not in seeds


def test_a_region_of_the_layer():
    level = imported(drawn())
    one = layer(level, DRAWN)
    assert automap_layer(level, one, (6, 5, 1, 1)) == 3
    found = tiles(exported(level))["index"]
    assert found[4:6, 5:7].tolist() == [[1, 20], [23, 23]]
    assert (found == 1).sum() == 17


# ---- after edits


def test_what_is_filled_is_followed_where_the_layer_wants_it():
    for automatic, seed in ((True, 5), (True, 0), (False, 5)):
        level = imported(drawn(seed=seed, automatic=automatic))
        bpy.context.view_layer.objects.active = layer(level, DRAWN)
        bpy.ops.levelwright.teeworlds_fill_tiles(x=3, y=2, width=2, height=1, index=0)
        found = tiles(exported(level))["index"]
        assert found[2].tolist()[3:5] == [0, 0]
        assert found[3].tolist()[3:5] == ([16, 16] if automatic and seed else [1, 1])


def test_a_running_edit_is_followed_in_the_same_edit():
    level = imported(drawn(automatic=True))
    one = layer(level, DRAWN)
    mapper, grid = live(level, one), TileGrid(one)
    assert mapper is not None
    grid.put(np.array([3 * WIDTH + 4]), {"index": 0})
    assert draw(grid, mapper, (4, 3, 1, 1)) == 6
    assert grid.finish()
    assert tiles(exported(level))["index"][3].tolist() == [0, 0, 1, 20, 0, 22, 1, 0, 0]


def test_nothing_follows_where_there_are_no_rules(rules):
    data = drawn(automatic=True, title="other")
    level = imported(data)
    assert live(level, layer(level, DRAWN)) is None
    assert live(level, layer(level, GAME)) is None
    follow_edit(level, layer(level, DRAWN), (0, 0, 3, 3))
    assert exported(level) == data


# ---- which rules


def test_rules_of_the_layers_image_by_name():
    level = imported(drawn())
    assert [one.name for one in rule_sets(level, layer(level, DRAWN))] == ["Edges", "Chance", "Air"]
    assert rule_sets(level, layer(level, GAME)) == ()


@pytest.mark.parametrize(
    ("config", "title", "message"),
    [
        (-1, "art", "its automapper is -1; its image has 0 Edges, 1 Chance, 2 Air"),
        (3, "art", "its automapper is 3; its image has"),
        (0, "other", "no rules were found for its image"),
        (0, "../automap/art", "no rules were found for its image"),
    ],
)
def test_a_layer_that_no_rules_draw_is_refused(config, title, message):
    level = imported(drawn(config, title=title))
    with pytest.raises(SceneError, match=message):
        automap_layer(level, layer(level, DRAWN))


def test_only_drawn_layers_have_automappers():
    level = imported(drawn())
    with pytest.raises(SceneError, match="is not a layer of drawn tiles"):
        automap_layer(level, layer(level, GAME))


def test_rules_beside_the_images_of_older_versions(rules):
    rules.rename(rules.parent.parent / "art.rules")
    rules.parent.rmdir()
    level = imported(drawn())
    assert len(rule_sets(level, layer(level, DRAWN))) == 3


# ---- the operators


def test_operators_choose_and_run_an_automapper():
    level = imported(drawn(-1, seed=0))
    one = layer(level, DRAWN)
    bpy.context.view_layer.objects.active = one
    with pytest.raises(RuntimeError, match="its automapper is -1"):
        bpy.ops.levelwright.teeworlds_automap()
    assert bpy.ops.levelwright.teeworlds_choose_automapper(number=EDGES) == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_new_automapper_seed() == {"FINISHED"}
    assert one["automapper_seed"] > 0
    assert bpy.ops.levelwright.teeworlds_automap() == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_automap() == {"CANCELLED"}
    after = teeworlds.read(exported(level)).groups[0].layers[DRAWN]
    assert np.array_equal(after.tiles()["index"], by_rules(EDGES, 1))
    assert (after.automapper.config, after.automapper.seed) == (EDGES, one["automapper_seed"])


def test_the_operator_draws_round_the_selected_tiles():
    level = imported(drawn())
    one = layer(level, DRAWN)
    bpy.context.view_layer.objects.active = one
    select = np.zeros(len(one.data.polygons), np.bool_)
    one.data.polygons.foreach_set("select", select)
    with pytest.raises(RuntimeError, match=r"no tiles of .* are selected"):
        bpy.ops.levelwright.teeworlds_automap(selected=True)
    select[0] = True
    one.data.polygons.foreach_set("select", select)
    bpy.ops.levelwright.teeworlds_automap(selected=True)
    found = tiles(exported(level))["index"]
    assert found[2, 2] == 22 and found[2, 3] == 16 and found[2, 4] == 1


def test_undo_gives_the_tiles_back():
    data = drawn()
    level = imported(data)
    name = level.name
    bpy.context.view_layer.objects.active = layer(level, DRAWN)
    bpy.ops.ed.undo_push()
    bpy.ops.levelwright.teeworlds_automap("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    assert exported(bpy.data.collections[name]) == data
