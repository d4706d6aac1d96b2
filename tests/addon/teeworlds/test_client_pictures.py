# SPDX-License-Identifier: GPL-3.0-or-later
"""A map rendered with "View as the game" looks as in the real client's pictures.

The pictures (../shared/reference/teeworlds) and the external images of the clients (Debian's ddnet-data and
teeworlds-data) are no part of this repository: without them the tests are skipped.
"""

import csv
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.formats import teeworlds

from tests import pictures
from tests.addon import golden
from tests.addon.teeworlds import renders
from tests.addon.teeworlds.renders import View

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
REFERENCE = SHARED / "reference" / "teeworlds"
GAME_DATA = {"DDNet": Path("/usr/share/games/ddnet/data"), "Teeworlds": Path("/usr/share/games/teeworlds/data")}

WIDTH, HEIGHT, BLOCK = 1280, 720, 8
"""Size of the client's pictures and of the blocks that are compared; ours are rendered at half the size."""
ROWS, COLUMNS = HEIGHT // BLOCK, WIDTH // BLOCK
ALIKE = 3.0
"""Mean difference of block means, of 255. The game's pickups, flags and smoke are part of it: nothing is masked."""
WORST = 30.0
"""Difference of any block mean, of 255, but for blocks that the game draws its objects on."""
FIRST_OBJECT, AROUND = 195, 2.5
"""Tiles of the game, front and switch layers from this index on are objects (flags, pickups, doors, turrets), which the
game draws itself; they reach so many tiles around. Spawns, below it, show nothing."""

PICTURES = (
    "ctf1_06_a",
    "ctf1_06_zoom7",
    "ctf1_07_a",
    "ctf1_07_clamp",
    "Goo_a",
    "Goo_b",
    "Goo_d",
    "Goo_zoom4",
    "Hulk_a",
    "Hulk_b",
    "coverage_a",
    "gravity_a",
    "winter_day_a",
    "winter_day_zoom15",
    "Castle_a",
    "Castle_c",
    "cherry_a",
    "altepetl_a",
)
"""All but the two that show the physics layers, which the client draws with its own art."""


def reference(name: str) -> dict[str, str]:
    """The picture's row in the table of references; skips the test where there is none."""
    table = REFERENCE / "REFERENCES.tsv"
    if not table.is_file():
        pytest.skip("no pictures of the real client beside this repository (../shared/reference/teeworlds)")
    with table.open(encoding="utf-8", newline="") as lines:
        return next(row for row in csv.DictReader(lines, delimiter="\t") if row["picture"] == name)


def mapres(program: str) -> Path:
    """The folder of the client's external images; skips the test where it isn't."""
    folder = GAME_DATA[program.split()[0]] / "mapres"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist (apt-get install ddnet-data teeworlds-data)")
    return folder


def view_of(row: dict[str, str]) -> View:
    return View(
        float(row["camera_x_tiles"]), float(row["camera_y_tiles"]), float(row["zoom_factor"]), float(row["time_s"])
    )


def blocks(picture: pictures.Picture) -> pictures.Picture:
    return pictures.block_means(picture, ROWS, COLUMNS)


def objects(row: dict[str, str]) -> np.ndarray:
    """Which blocks of a picture the game may draw objects on, bool [ROWS, COLUMNS]."""
    view, size = view_of(row), float(row["px_per_tile"])
    y, x = np.mgrid[:ROWS, :COLUMNS] * BLOCK + BLOCK / 2
    x, y = view.x + (x - WIDTH / 2) / size, view.y + (y - HEIGHT / 2) / size
    found = np.zeros((ROWS, COLUMNS), bool)
    for layer in teeworlds.read((SHARED / row["map_file"]).read_bytes()).layers:
        if not isinstance(layer, teeworlds.TileLayer) or layer.tile_kind.name not in ("GAME", "FRONT", "SWITCH"):
            continue
        tiles = layer.tiles()
        index = tiles["type" if layer.tile_kind.name == "SWITCH" else "index"]
        for down, right in zip(*np.nonzero(index >= FIRST_OBJECT), strict=True):
            found |= (np.abs(x - right - 0.5) < AROUND) & (np.abs(y - down - 0.5) < AROUND)
    return found


def worst(picture: pictures.Picture, game: pictures.Picture, row: dict[str, str]) -> float:
    """How far the worst block is from the game's: what a mean over the picture forgives, a missing tree, shows here."""
    return float(np.where(objects(row), 0, np.abs(blocks(picture) - game).mean(axis=2)).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_it_looks_as_in_the_game(name: str, tmp_path: Path) -> None:
    row = reference(f"{name}.png")
    renders.import_map(SHARED / row["map_file"], mapres(row["program"]))
    view = view_of(row)
    game = blocks(pictures.load(REFERENCE / f"{name}.png"))
    picture = renders.render(view, WIDTH // 2, HEIGHT // 2, tmp_path / "ours.png")
    ours = pictures.difference(blocks(picture), game)
    assert ours <= ALIKE
    assert worst(picture, game, row) <= WORST

    # The controls: pictures that are wrong must be far from the game's.
    tile = round(float(row["px_per_tile"]) / 2)
    assert pictures.difference(blocks(picture[:, ::-1]), game) > 5 * ours
    assert pictures.difference(blocks(np.roll(picture, tile, axis=1)), game) > 5 * ours
    golden.without_textures()
    bare = renders.render(view, WIDTH // 2, HEIGHT // 2, tmp_path / "bare.png")
    assert pictures.difference(blocks(bare), game) > 5 * ours


@pytest.mark.slow
def test_a_missing_tree_is_told(tmp_path: Path) -> None:
    row = reference("ctf1_07_a.png")
    renders.import_map(SHARED / row["map_file"], mapres(row["program"]))
    game = blocks(pictures.load(REFERENCE / "ctf1_07_a.png"))
    for layer in bpy.data.objects:
        shown = {
            node.image.name
            for slot in layer.material_slots
            for node in slot.material.node_tree.nodes
            if getattr(node, "image", None)
        }
        layer.hide_render = "grass_doodads" in shown
    assert worst(renders.render(view_of(row), WIDTH // 2, HEIGHT // 2, tmp_path / "bare.png"), game, row) > 2 * WORST
