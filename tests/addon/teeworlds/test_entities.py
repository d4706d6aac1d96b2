# SPDX-License-Identifier: GPL-3.0-or-later
"""The entities view: design hidden, physics layers by the client's art or our drawings; and off again, as it was."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import images
from levelwright.addon.teeworlds import content
from levelwright.addon.teeworlds.materials import entities as materials
from levelwright.addon.teeworlds.view import entities
from levelwright.formats.teeworlds.tile_faces import UV_TILE

from tests import pictures
from tests.addon.teeworlds import renders
from tests.addon.teeworlds.export_helpers import exported, imported, layer, reopened
from tests.addon.teeworlds.test_client_pictures import (
    ALIKE,
    HEIGHT,
    REFERENCE,
    SHARED,
    WIDTH,
    blocks,
    mapres,
    reference,
    view_of,
)
from tests.addon.teeworlds.test_look import render
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, quad, tile

CELL = 8
NOISE = 3.0
"""Of 255."""
KINDS = {"GAME": 1, "FRONT": 2, "TELE": 3, "SPEEDUP": 4, "SWITCH": 5}


def color(index: int, shade: int) -> tuple[int, int, int]:
    """The colour of a tile in an art of ours."""
    return index, 255 - index, shade


def put(path: Path, shade: int) -> None:
    cells = np.array([color(index, shade) for index in range(256)], np.uint8).reshape(16, 16, 3)
    pixels = np.full((16 * CELL, 16 * CELL, 4), 255, np.uint8)
    pixels[..., :3] = cells.repeat(CELL, axis=0).repeat(CELL, axis=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(images.png(pixels))


@pytest.fixture
def art(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client's data with entities of our own; no other client is installed."""
    data = tmp_path / "data"
    (data / "mapres").mkdir(parents=True)
    put(data / "editor" / "entities_clear" / "ddnet.png", 40)
    put(data / "editor" / "entities" / "DDNet.png", 90)
    put(data / "editor" / "entities" / "Vanilla.png", 140)
    put(data / "assets" / "entities" / "mine.png", 190)
    arrow = np.zeros((16, 16, 4), np.uint8)
    arrow[4:12] = (250, 10, 250, 255)
    (data / "editor" / "speed_arrow.png").write_bytes(images.png(arrow))
    monkeypatch.setenv("LEVELWRIGHT_MAPRES", str(data / "mapres"))
    monkeypatch.setattr(content, "mapres_folders", lambda *_: content.MAPRES.own())
    return data


def level(ddnet: bool = True) -> bpy.types.Collection:
    """Design over all, and of each physics layer a tile in its own column of the first row."""
    m = Map()
    m.version()
    m.group("Game")
    game = tile(1) + bytes(4 * (2 * len(KINDS) - 1))
    m.tiles(len(KINDS), 2, game, flags=raw.GAME)
    if ddnet:
        m.tiles(len(KINDS), 2, bytes(4) + tile(9) + bytes(4 * (2 * len(KINDS) - 2)), flags=raw.FRONT)
        m.tiles(len(KINDS), 2, bytes(4) + b"\x00\x1a" + bytes(2 * (2 * len(KINDS) - 3)), flags=raw.TELE)
        speedup = b"\x00\x00\x1c\x00\x00\x00"
        m.tiles(len(KINDS), 2, bytes(18) + speedup + bytes(6 * (2 * len(KINDS) - 4)), flags=raw.SPEEDUP)
        m.tiles(len(KINDS), 2, bytes(16) + b"\x00\x16\x00\x00" + bytes(4 * len(KINDS)), flags=raw.SWITCH)
    m.group("design")
    m.tiles(len(KINDS), 2, tile(1) * 2 * len(KINDS), color=(9, 9, 9, 255))
    size = 32 * 1024
    m.quads([quad(((0, 0), (size, 0), (0, size), (size, size)))])
    return imported(m.build())


def state() -> object:
    """All that the view may touch, as it is."""
    hidden = {
        (type(one).__name__, one.name): (one.hide_viewport, one.hide_render, sorted(one.keys()))
        for one in (*bpy.data.objects, *bpy.data.collections)
    }
    shown = {
        (tree.name, node.name): node.image and node.image.name
        for tree in bpy.data.node_groups
        for node in tree.nodes
        if node.type == "TEX_IMAGE"
    }
    used = {mesh.name: [material.name for material in mesh.materials] for mesh in bpy.data.meshes}
    return hidden, shown, used, sorted(image.name for image in bpy.data.images), materials.shown()


def switch(on: bool) -> None:
    assert bpy.ops.levelwright.teeworlds_switch_view(what="ENTITIES", on=on) == {"FINISHED"}


def seen(level: bpy.types.Collection, folder: Path) -> np.ndarray:
    """The colours at the upper right of the tiles of the first row, where no number stands."""
    picture = render(level, len(KINDS), 1, 16, folder)
    return picture[2, 14::16]


def test_the_art_is_shown_and_all_is_put_back(art: Path, tmp_path: Path) -> None:
    found = level()
    data = exported(found)
    switch(True)
    assert entities.is_on(found) and materials.shown() == "ddnet"
    colors = seen(found, tmp_path)
    for column, index in {0: 1, 1: 9, 2: 26, 4: 8}.items():  # the timed switch that opens is drawn as number 8
        assert np.abs(colors[column] - color(index, 40)).max() < NOISE, column
    assert exported(found) == data


def test_off_again_the_scene_is_what_it_was(art: Path) -> None:
    found = level()
    before = state()
    for _ in range(2):
        switch(True)
        assert state() != before
        bpy.ops.levelwright.teeworlds_show_entities(art="mine")
        switch(False)
        assert state() == before and not entities.is_on(found)


def test_a_speedups_arrow_is_shown(art: Path, tmp_path: Path) -> None:
    found = level()
    switch(True)
    picture = render(found, len(KINDS), 1, 16, tmp_path)
    assert np.abs(picture[8, 3 * 16 + 8] - (250, 10, 250)).max() < NOISE
    assert np.abs(picture[1, 3 * 16 + 8] - 128).max() < NOISE, "the backdrop: no design"


@pytest.mark.parametrize(("ddnet", "name"), [(True, "ddnet"), (False, "vanilla")])
def test_the_game_type_follows_from_the_map(art: Path, ddnet: bool, name: str) -> None:
    found = level(ddnet)
    assert entities.game_type(found) == name
    switch(True)
    assert materials.shown() == name


def test_tiles_of_ddnet_tell_too(art: Path) -> None:
    found = level(ddnet=False)
    layer(found, 0).data.attributes["index"].data[0].value = 9
    assert entities.game_type(found) == "ddnet"


def test_any_art_can_be_chosen(art: Path, tmp_path: Path) -> None:
    found = level()
    assert [name for name, *_ in entities.items(bpy.context)] == ["ddnet", "mine", "vanilla", "drawn"]
    assert entities.art()["ddnet"] == art / "editor" / "entities_clear" / "ddnet.png"
    switch(True)
    for name, shade in (("mine", 190), ("vanilla", 140)):
        assert bpy.ops.levelwright.teeworlds_show_entities(art=name) == {"FINISHED"}
        assert materials.shown() == name
        assert np.abs(seen(found, tmp_path)[0] - color(1, shade)).max() < NOISE
    assert sum(bool(image.get(materials.MADE)) for image in bpy.data.images) == 2, "one tileset and the arrow"
    bpy.ops.levelwright.teeworlds_show_entities(art="drawn")
    assert materials.shown() == "" and entities.is_on(found)
    assert not any(image.get(materials.MADE) for image in bpy.data.images)


def test_without_art_our_own_drawings_are_shown(art: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(content, "mapres_folders", lambda *_: [])
    found = level()
    switch(True)
    assert materials.shown() == "" and entities.title() == "Art: drawn"
    design = layer(found, 5)
    assert design.hide_viewport and design.hide_render
    assert not layer(found, 0).users_collection[0].hide_viewport


def test_what_was_hidden_stays_hidden_also_after_saving(art: Path, tmp_path: Path) -> None:
    found = level()
    layer(found, 5).hide_viewport = True
    layer(found, 0).users_collection[0].hide_render = False
    before = state()
    switch(True)
    found = reopened(found, tmp_path)
    assert entities.is_on(found) and materials.shown() == "ddnet"
    entities.set_entities(bpy.context, found, False)
    assert state()[0] == before[0]


def test_a_level_of_before_gets_materials_that_can_show_the_art(art: Path, tmp_path: Path) -> None:
    found = level()
    mesh = layer(found, 0).data
    mesh.attributes.remove(mesh.attributes[UV_TILE])
    mesh.materials.clear()
    mesh.materials.append(bpy.data.materials.new("of version 0.3"))
    data = exported(found)
    switch(True)
    assert np.abs(seen(found, tmp_path)[0] - color(1, 40)).max() < NOISE
    assert exported(found) == data


def test_art_that_cannot_be_read_is_told(art: Path) -> None:
    (art / "editor" / "entities_clear" / "ddnet.png").write_bytes(b"no picture")
    level()
    before = state()
    with pytest.raises(RuntimeError, match="ddnet"):
        bpy.ops.levelwright.teeworlds_switch_view(what="ENTITIES", on=True)
    assert state() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Goo_entities", "coverage_entities"])
def test_entities_look_as_in_the_game(name: str, tmp_path: Path) -> None:
    row = reference(f"{name}.png")
    renders.import_map(SHARED / row["map_file"], mapres(row["program"]))
    switch(True)
    game = blocks(pictures.load(REFERENCE / f"{name}.png"))
    ours = blocks(renders.render(view_of(row), WIDTH, HEIGHT, tmp_path / "ours.png"))
    assert pictures.difference(ours, game) <= ALIKE
    bpy.ops.levelwright.teeworlds_show_entities(art="drawn")
    drawn = blocks(renders.render(view_of(row), WIDTH // 2, HEIGHT // 2, tmp_path / "drawn.png"))
    assert pictures.difference(drawn, game) > 2 * ALIKE, "the control: our drawings are others"
