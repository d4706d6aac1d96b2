# SPDX-License-Identifier: GPL-3.0-or-later
"""*Play* with the real client, and what it shows: the map that was made from nothing looks there as it does in Blender.

Needs DDNet's client and server, and a screen that is made for it; skipped where they aren't installed.
apt-get install ddnet ddnet-server xvfb
"""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.teeworlds import play

from tests import pictures
from tests.addon import golden
from tests.addon.teeworlds import renders
from tests.addon.teeworlds.renders import View
from tests.addon.teeworlds.test_play import is_running, start
from tests.addon.teeworlds.test_real_programs import program
from tests.samples import ddnet_part as part
from tests.waiting import PATIENCE, until

WIDTH, HEIGHT, BLOCK = 1280, 720, 8
"""Size of the client's pictures and of the blocks that are compared; ours are rendered at half the size."""
TILE = WIDTH / 44.683
"""Pixels that a tile is wide (docs/teeworlds.md: a 16:9 client shows 44.683 tiles)."""
ALIKE, WORST = 1.0, 20.0
"""Mean difference of block means and difference of the worst block, of 255."""
CENTRE = (part.WIDTH / 2, part.HEIGHT / 2)
BALL = (2.0, 13.0)
"""Seconds that the ball rolls to the right, after which it rolls back the same way; its row in tiles."""
SETTINGS = f"""
gfx_fullscreen 0
gfx_borderless 1
gfx_screen_width {WIDTH}
gfx_screen_height {HEIGHT}
gfx_vsync 0
cl_refresh_rate 20
snd_enable 0
cl_showhud 0
cl_showchat 0
cl_showkillmessages 0
cl_motd_time 0
cl_show_welcome 0
player_name mapper
"""


@pytest.fixture
def screen() -> Iterator[str]:
    """The name of a screen of the client's size, which nobody sees."""
    reading, writing = os.pipe()
    size = ["-screen", "0", f"{WIDTH}x{HEIGHT}x24"]
    command = [program("Xvfb"), "-displayfd", str(writing), *size, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    try:
        os.close(writing)
        with os.fdopen(reading) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait(PATIENCE)


@pytest.fixture
def home(tmp_path: Path, screen: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the client's settings and screenshots; it draws in software and reaches this computer only."""
    folders = {Path(program(name)).parent for name in ("DDNet", "DDNet-Server")}
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    nowhere = "http://127.0.0.1:9"
    surroundings = {"HOME": str(tmp_path), "PATH": path, "DISPLAY": screen, "LIBGL_ALWAYS_SOFTWARE": "1"}
    for name, value in (surroundings | {"SDL_AUDIODRIVER": "dummy", "https_proxy": nowhere}).items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_DATA_HOME", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / ".local" / "share" / "ddnet"
    folder.mkdir(parents=True)
    (folder / "settings_ddnet.cfg").write_text(f"{SETTINGS}cl_input_fifo {folder / 'commands'}\n")
    yield folder
    play.Playing.stop()


def command(home: Path, text: str) -> None:
    """Have the client run a command of its console."""
    with (home / "commands").open("w") as fifo:
        fifo.write(f"{text}\n")


def said(name: str) -> str:
    """All that a program of the run wrote."""
    assert play.Playing.run is not None
    return play.Playing.run.said(name, lines=100_000)


def join(home: Path) -> tuple[Path, list[int]]:
    """Play, and wait until the client plays; the run's folder, and the numbers of its processes."""
    folder, pids = start()
    until(lambda: "entered and joined the game" in said("server") and (home / "commands").exists())
    return folder, pids


def is_whole(picture: Path) -> bool:
    return b"IEND" in picture.read_bytes()[-12:]


def screenshot(home: Path, x: float, y: float) -> pictures.Picture:
    """What the client, as a spectator, shows around a place in tiles."""
    command(home, "team -1")
    time.sleep(3)  # DDNet's server doesn't say it; and the smoke where the player stood goes
    command(home, f"set_view {x:g} {y:g}")
    time.sleep(1)  # some frames, also of a slow computer
    command(home, "screenshot")
    until(lambda: any(map(is_whole, (home / "screenshots").glob("*.png"))))
    return pictures.load(next((home / "screenshots").glob("*.png")))


def ball_time(picture: pictures.Picture) -> float:
    """Seconds after its start at which our ball is in the column where the picture's is: nothing else is in its row."""
    middle, half = HEIGHT / 2 + (BALL[1] - CENTRE[1]) * TILE, TILE / 2
    band = picture[round(middle - half) : round(middle + half)]
    odd = np.abs(band - np.median(band, axis=1, keepdims=True)).max(axis=(0, 2)) > 30
    column = CENTRE[0] + (np.nonzero(odd)[0].mean() + 0.5 - WIDTH / 2) / TILE
    ball = next(obj for obj in bpy.context.scene.objects if "Ball quad" in obj.name)
    frames = range(int(BALL[0] * part.FPS) + 1)
    columns = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        columns.append(ball.matrix_world.translation.x)
    return float(np.interp(column, columns, frames)) / part.FPS


def blocks(picture: pictures.Picture) -> pictures.Picture:
    return pictures.block_means(picture, HEIGHT // BLOCK, WIDTH // BLOCK)


def worst(ours: pictures.Picture, game: pictures.Picture) -> float:
    return float(np.abs(ours - game).mean(axis=2).max())


@pytest.mark.slow
def test_the_real_client_shows_it_as_we_do(home: Path, tmp_path: Path) -> None:
    part.make(tmp_path)
    folder, pids = join(home)
    shot = screenshot(home, *CENTRE)
    assert bpy.ops.levelwright.teeworlds_stop_playing() == {"FINISHED"}
    assert not any(map(is_running, pids)) and not folder.exists()

    def picture(seconds: float) -> pictures.Picture:
        return renders.render(View(*CENTRE, time=seconds), WIDTH // 2, HEIGHT // 2, tmp_path / "ours.png")

    game, seconds = blocks(shot), ball_time(shot)
    ours = picture(seconds)
    assert pictures.difference(blocks(ours), game) <= ALIKE
    assert worst(blocks(ours), game) <= WORST

    # The controls: pictures that are wrong must be far from the game's.
    assert pictures.difference(blocks(ours[:, ::-1]), game) > 5 * ALIKE
    assert pictures.difference(blocks(np.roll(ours, round(TILE / 2), axis=0)), game) > 5 * ALIKE
    assert worst(blocks(picture(0.0 if seconds > BALL[0] / 2 else BALL[0])), game) > 2 * WORST
    golden.without_textures()
    assert pictures.difference(blocks(picture(seconds)), game) > 5 * ALIKE


@pytest.mark.slow
def test_the_server_ends_when_the_real_client_is_left(home: Path) -> None:
    assert bpy.ops.levelwright.teeworlds_new_map() == {"FINISHED"}
    folder, pids = join(home)
    assert play._watch() == play.INTERVAL
    command(home, "quit")
    until(lambda: play.Playing.run.ended("client") is not None)
    assert play._watch() is None
    assert not any(map(is_running, pids)) and not folder.exists()
