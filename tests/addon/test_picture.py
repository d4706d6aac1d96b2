# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of levels: from where, by which engine, and that one looks into rooms from outside."""

import math
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from levelwright.addon import commands, games, picture
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.teeworlds.camera import view_size
from mathutils import Vector

from tests.addon.command_line import ROOT

SAMPLES = ROOT / "tests" / "samples"
SPAWNS = {
    "source_room.bsp": ("info_player_start 4", 64.0, 45.0),
    "genesis_room.3dt": ("Start1", 60.0, None),
    "ns2_room.level": ("ready_room_start", 1.6, None),
    "fable_vale.lev": ("MK_VALE_WEST", 1.7, None),
}
"""Of a sample: the object that players begin at, how many units their eyes are above it, the yaw they look at."""
FRONT = {"fable_vale.lev": (0.0, 1.0, 0.0)}
"""Of a sample: the axis of that object that points to where they look; of the others x."""


def pixels(path: Path) -> np.ndarray:
    """The picture's pixels, float32[h, w, 4], the lowest row first."""
    image = bpy.data.images.load(str(path))
    found = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(found)
    return found.reshape(image.size[1], image.size[0], 4)


def taken(tmp_path: Path, name: str, *words: str) -> np.ndarray:
    """A small picture of a sample."""
    out = tmp_path / "out.png"
    size = ["--width", "96", "--height", "64", "--samples", "1"]
    assert commands.main(["picture", str(SAMPLES / name), str(out), *size, *words]) == 0
    return pixels(out)


@pytest.mark.parametrize("name", SPAWNS)
def test_the_camera_at_the_spawn(name: str, tmp_path: Path) -> None:
    seen = taken(tmp_path, name, "--view", "spawn", "--engine", "cycles")
    assert seen.shape == (64, 96, 4)
    assert len(np.unique(seen[..., :3].round(1).reshape(-1, 3), axis=0)) > 3, "something is seen"
    spawn_name, eyes, yaw = SPAWNS[name]
    camera, spawn = bpy.context.scene.camera, bpy.data.objects[spawn_name]
    above = camera.matrix_world.translation - spawn.matrix_world.translation
    assert above.length == pytest.approx(eyes * max(spawn.matrix_world.to_scale()), rel=1e-4)
    ahead = camera.matrix_world.to_quaternion() @ Vector((0.0, 0.0, -1.0))
    front = spawn.matrix_world.to_quaternion() @ Vector(FRONT.get(name, (1.0, 0.0, 0.0)))
    assert (ahead - front).length < 1e-5
    if yaw is not None:
        assert math.degrees(math.atan2(ahead.y, ahead.x)) == pytest.approx(yaw)
    up = camera.matrix_world.to_quaternion() @ Vector((0.0, 1.0, 0.0))
    assert up.z == pytest.approx(1.0)


def test_from_the_spawn_cuts_are_cut_out(tmp_path: Path) -> None:
    """A `.3dt`'s room is what its hollow brush leaves: without that, the picture shows nothing round the player."""
    cut, carved = (
        taken(tmp_path, f"genesis_room.{ending}", "--view", "spawn", "--engine", "cycles") for ending in ("3dt", "map")
    )
    assert np.abs(cut - carved).mean() < 2


def test_a_map_as_its_player_first_sees_it(tmp_path: Path) -> None:
    seen = taken(tmp_path, "first-light.map", "--view", "spawn", "--engine", "cycles")
    assert len(np.unique(seen[..., :3].round(1).reshape(-1, 3), axis=0)) > 3
    camera = bpy.context.scene.camera
    assert camera.data.type == "ORTHO"
    assert camera.data.ortho_scale == pytest.approx(view_size(96 / 64)[0], rel=1e-6)


def test_a_level_without_a_spawn_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level, out = SAMPLES / "fable_vale.lev", tmp_path / "out.png"
    words = ["picture", str(level), str(out), "--option", "things=false", "--view"]
    assert commands.main([*words, "spawn"]) == 1
    assert "no place where players begin" in capsys.readouterr().err
    assert not (tmp_path / "out.png").exists()
    assert commands.main([*words, "camera"]) == 1
    assert "no camera" in capsys.readouterr().err


def test_every_game_says_whether_its_rooms_can_be_looked_into() -> None:
    one_sided = {game.key for game in games.GAMES if game.is_one_sided}
    assert one_sided == {"genesis", "source", "ns2"}


@pytest.mark.parametrize("view", ["top", "iso"])
def test_one_looks_into_rooms_from_outside(view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--view", view, "--transparent", "--engine", "cycles")
    into = taken(tmp_path, "source_room.bsp", *words)
    monkeypatch.setattr(picture, "_open", lambda *_: None)
    closed = taken(tmp_path, "source_room.bsp", *words)
    assert into[..., 3].max() == closed[..., 3].max() == 1.0
    assert into[..., 3].min() == 0.0, "nothing is around the level"
    assert np.abs(into - closed).max() > 0.1, "the roof is away"


def test_levels_of_brushes_are_seen_without_what_closes_them(tmp_path: Path) -> None:
    taken(tmp_path, "genesis_room.3dt", "--view", "iso", "--engine", "cycles")
    rooms = [obj for obj in bpy.data.objects if obj.name.startswith("Preview")]
    assert rooms and not any(obj.hide_render for obj in rooms)
    assert bpy.data.objects["wall"].hide_render, "the brush that they are instead of"


def test_a_level_that_leaks_is_shown_closed() -> None:
    level = bpy.data.collections.new("leaky")

    def leaks(*_: object) -> None:
        raise SceneError("it leaks")

    report, game = Report(), SimpleNamespace(show_rooms=leaks, is_one_sided=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(picture.levels, "game_of", lambda _: game)
        picture._show_rooms(bpy.context, level, report)
    assert report.notes == ["leaky is shown closed: it leaks"]


def test_the_quickest_engine_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = bpy.context.scene
    drawn = scene.render.engine
    for has, chosen in ((True, drawn), (False, "CYCLES")):
        monkeypatch.setattr(picture, "has_graphics_processor", lambda has=has: has)
        scene.render.engine = drawn
        picture.choose_engine(scene, picture.PictureSettings())
        assert scene.render.engine == chosen
    picture.choose_engine(scene, picture.PictureSettings(engine="workbench"))
    assert scene.render.engine == "BLENDER_WORKBENCH"


def test_noise_is_taken_out_of_lit_pictures_alone() -> None:
    scene, home = bpy.context.scene, bpy.data.collections.new("lights")
    scene.collection.children.link(home)
    home.objects.link(bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT")))
    settings = picture.PictureSettings(engine="cycles")
    picture.choose_engine(scene, settings)
    assert scene.cycles.use_denoising
    home.hide_render = True  # as those of a map whose light is in its lightmaps
    picture.choose_engine(scene, settings)
    assert not scene.cycles.use_denoising


def test_a_picture_of_a_map_is_about_its_game_layer(tmp_path: Path) -> None:
    """The sky of the sample is thirty times as large."""
    taken(tmp_path, "first-light.map", "--view", "top", "--engine", "cycles")
    game = next(obj for obj in bpy.data.objects if obj.get("width") is not None and "Game" in obj.name)
    camera = bpy.context.scene.camera
    assert tuple(camera.location)[:2] == pytest.approx((game["width"] / 2, -game["height"] / 2))
    assert camera.data.ortho_scale == pytest.approx(max(game["width"], game["height"] * 96 / 64))
