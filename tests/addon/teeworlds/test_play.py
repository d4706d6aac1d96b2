# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: a server on the exported map, a client on the server, and the end of both; with stand-ins for the programs."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from levelwright.addon.teeworlds import content, play
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import exported, imported, layer
from tests.formats.teeworlds_bytes import small_map, tile
from tests.waiting import PATIENCE, until

SERVER = """
import socket, sys, time
words = dict(word.split(" ", 1) for word in sys.argv[1:])
print("map", words["sv_map"], flush=True)
if "broken" in open(__file__ + ".mode").read():
    sys.exit("failed to load map")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
    listening.bind((words["bindaddr"], int(words["sv_port"])))
    time.sleep(3600)
"""
CLIENT = """
import sys, time
open(__file__ + ".said", "w").write(sys.argv[1])
while "leave" not in open(__file__ + ".mode").read():
    time.sleep(0.02)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a client and a server that are found by themselves; what they do is written into `.mode` files."""
    for name, code in (("DDNet", CLIENT), ("DDNet-Server", SERVER)):
        script = tmp_path / f"{name}.py"
        script.write_text(code)
        (tmp_path / f"{name}.py.mode").write_text("")
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(play, "START", PATIENCE)
    yield tmp_path
    play.Playing.stop()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def start() -> tuple[Path, list[int]]:
    """Play; the run's folder, and the numbers of its processes."""
    assert bpy.ops.levelwright.teeworlds_play() == {"FINISHED"}
    run = play.Playing.run
    assert run is not None
    return run.folder, [one.pid for one in run._programs.values()]


def test_the_client_plays_the_map_that_the_scene_shows(installed: Path) -> None:
    level = imported(small_map().build())
    level.name = "my map.v2"
    bpy.context.view_layer.objects.active = layer(level, 0)
    folder, pids = start()
    said = installed / "DDNet.py.said"
    until(lambda: said.exists() and said.read_text().startswith("connect 127.0.0.1:"))
    assert (folder / "maps" / "my_map_v2.map").read_bytes() == exported(level)
    assert (folder / "server.log").read_text() == "map my_map_v2\n"
    assert len(pids) == 2 and all(map(is_running, pids)) and play.is_playing()
    assert bpy.ops.levelwright.teeworlds_stop_playing() == {"FINISHED"}
    assert not any(map(is_running, pids)) and not folder.exists() and not play.is_playing()
    assert not bpy.ops.levelwright.teeworlds_stop_playing.poll()


def test_the_server_ends_when_the_player_leaves(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(small_map().build())
    folder, pids = start()
    assert bpy.app.timers.is_registered(play._watch)
    assert play._watch() == play.INTERVAL
    (installed / "DDNet.py.mode").write_text("leave")
    until(lambda: play.Playing.run.ended("client") is not None)
    monkeypatch.setattr(play, "_tell", None)  # there is nothing to tell
    assert play._watch() is None
    assert not any(map(is_running, pids)) and not folder.exists()


def test_a_client_that_fails_is_told_with_what_it_said(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(play, "_tell", told.append)
    (installed / "DDNet.py").write_text("import sys\nsys.exit('no screen')\n")
    imported(small_map().build())
    start()
    until(lambda: play.Playing.run.ended("client") is not None)
    assert play._watch() is None and not play.is_playing()
    assert told == ["the client ended with code 1\nno screen"]


def test_playing_again_ends_what_was_played(installed: Path) -> None:
    imported(small_map().build())
    before, old = start()
    after, new = start()
    assert not before.exists() and after.exists()
    assert not any(map(is_running, old)) and all(map(is_running, new))


def test_disabling_the_extension_ends_it(installed: Path) -> None:
    imported(small_map().build())
    folder, pids = start()
    play.unregister()
    assert not any(map(is_running, pids)) and not folder.exists()
    assert not bpy.app.timers.is_registered(play._watch)


def test_a_server_that_does_not_load_the_map_is_told(installed: Path) -> None:
    (installed / "DDNet-Server.py.mode").write_text("broken")
    imported(small_map().build())
    with pytest.raises(RuntimeError, match=r"the server didn't start: (.|\n)*failed to load map"):
        bpy.ops.levelwright.teeworlds_play()
    assert not play.is_playing()


def test_a_map_that_cannot_be_exported_starts_nothing(installed: Path) -> None:
    level = imported(small_map(4, 3, tile(1) * 12).build())
    layer(level, 0).data.vertices[0].co.x += 0.3
    with pytest.raises(RuntimeError, match="grid"):
        bpy.ops.levelwright.teeworlds_play()
    assert not play.is_playing()


def test_without_a_client_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "Programs", None)  # nothing may be started
    monkeypatch.setattr(type(content.CLIENT), "program", lambda *_: None)
    imported(small_map().build())
    with pytest.raises(RuntimeError, match=r"neither DDNet nor Teeworlds was found: .*Preferences"):
        bpy.ops.levelwright.teeworlds_play()


def test_without_its_server_it_says_so(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (installed / "DDNet-Server").unlink()
    found = type(content.CLIENT).program
    monkeypatch.setattr(
        type(content.CLIENT), "program", lambda self, *given: None if self is content.SERVER else found(self, *given)
    )
    imported(small_map().build())
    with pytest.raises(RuntimeError, match=r"to play with .*DDNet, a server is needed, and no DDNet-Server or"):
        bpy.ops.levelwright.teeworlds_play()


def test_the_preferences_go_before_what_is_installed(installed: Path) -> None:
    mine = installed / "my client"
    shutil.copy(installed / "DDNet", mine)
    entry = bpy.context.preferences.addons["levelwright"].preferences
    try:
        entry.teeworlds_client = str(mine)
        client, server = play.programs(bpy.context, seven=False)
        assert (client, server) == (mine, installed / "DDNet-Server")
        entry.teeworlds_client = str(installed / "gone")
        with pytest.raises(RuntimeError, match="a client is needed"):
            imported(small_map().build())
            bpy.ops.levelwright.teeworlds_play()
    finally:
        entry.property_unset("teeworlds_client")


def test_a_map_of_0_7_is_played_with_teeworlds(installed: Path) -> None:
    for name, like in (("teeworlds", "DDNet"), ("teeworlds_srv", "DDNet-Server")):
        shutil.copy(installed / like, installed / name)
    assert [path.name for path in play.programs(bpy.context, seven=True)] == ["teeworlds", "teeworlds_srv"]
    assert [path.name for path in play.programs(bpy.context, seven=False)] == ["DDNet", "DDNet-Server"]


def test_a_real_server_loads_it(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's DDNet-Server; skipped where it isn't installed (apt-get install ddnet-server)."""
    server = shutil.which("DDNet-Server", path="/usr/games")
    if server is None:
        pytest.skip("DDNet-Server is not installed")
    (installed / "DDNet-Server").unlink()
    (installed / "DDNet-Server").symlink_to(server)
    assert bpy.ops.levelwright.teeworlds_new_map() == {"FINISHED"}
    folder, pids = start()
    log = folder / "server.log"
    until(lambda: "rcon password" in log.read_text(errors="replace"))
    text = log.read_text(errors="replace")
    assert "failed to load map" not in text and "maps/new_level" in text
    assert teeworlds.read((folder / "maps" / "new_level.map").read_bytes()).game_layer is not None
    bpy.ops.levelwright.teeworlds_stop_playing()
    assert not any(map(is_running, pids))
