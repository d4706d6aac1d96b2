# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's DDNet tools and both servers take what we write; skipped where they aren't installed.

apt-get install ddnet-tools ddnet-server teeworlds-server
"""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import bpy
import numpy as np
import pytest
from PIL import Image

from formats import teeworlds
from tests.fuzz.scenes import empty_file
from tests.samples import first_light
from tests.waiting import PATIENCE, until

FOLDERS = ["/usr/games", *map(str, Path("/usr/lib").glob("*/ddnet")), "/usr/lib/ddnet"]
PATH = os.pathsep.join([os.environ.get("PATH", ""), *FOLDERS])


def program(name: str) -> str:
    """Return where a program is; skips the test where it isn't."""
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not installed (apt-get install ddnet ddnet-tools ddnet-server teeworlds-server xvfb)")
    return found


def edited_map(folder: Path) -> bytes:
    """The sample, imported into Blender, a quad moved and tiles changed, and exported."""
    source, target = folder / "source.map", folder / "edited.map"
    source.write_bytes(bytes(first_light.first_light(tangents=False)))
    bpy.ops.import_scene.teeworlds_map(filepath=str(source))
    bpy.data.objects["1 Sun quad 0"].location.x += 2
    index = bpy.data.objects["6 Signs"].data.attributes["index"]
    for value in index.data:
        value.value = 5 if value.value == 255 else value.value
    bpy.ops.export_scene.teeworlds_map(filepath=str(target))
    written = target.read_bytes()
    assert written != source.read_bytes()
    return written


def new_map(folder: Path) -> bytes:
    """A map that was made in Blender from nothing."""
    bpy.ops.levelwright.teeworlds_new_map()
    target = folder / "new.map"
    bpy.ops.export_scene.teeworlds_map(filepath=str(target))
    return target.read_bytes()


def vanilla_map(folder: Path) -> bytes:
    """The sample as the 0.7 game takes it: run-length tiles, wide envelope points, no DDNet layers."""
    level, _ = teeworlds.convert(teeworlds.read(bytes(first_light.first_light())), "vanilla07", drop=True)
    return teeworlds.write(level)


MAPS = {"edited": edited_map, "new": new_map, "vanilla07": vanilla_map}


@pytest.fixture(scope="module", params=MAPS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a map that we wrote."""
    empty_file()
    return MAPS[request.param](tmp_path_factory.mktemp("made"))


@pytest.fixture
def written(made: bytes, tmp_path: Path) -> Path:
    """A map that we wrote, in a folder of its own that is also the programs' home."""
    target = tmp_path / "maps" / "written.map"
    target.parent.mkdir()
    target.write_bytes(made)
    return target


def run(home: Path, *command: str) -> None:
    """Run a tool to its end, with `home` as its folder for settings and output."""
    environment = dict(os.environ, HOME=str(home))
    subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True)


def test_map_resave_writes_the_same_bytes(written: Path, tmp_path: Path) -> None:
    """The game's own reader and writer: what it makes of our file is our file."""
    (tmp_path / ".local" / "share" / "ddnet").mkdir(parents=True)
    run(tmp_path, program("map_resave"), str(written), "resaved.map")
    resaved = next(tmp_path.rglob("resaved.map"))
    ours, theirs = teeworlds.read(written.read_bytes()), teeworlds.read(resaved.read_bytes())
    assert [blob.data() for blob in ours.file.blobs] == [blob.data() for blob in theirs.file.blobs]
    assert resaved.read_bytes() == written.read_bytes()


def test_map_extract_gives_our_images_and_sounds(written: Path, tmp_path: Path) -> None:
    target = tmp_path / "extracted"
    target.mkdir()
    run(tmp_path, program("map_extract"), str(written), str(target))
    level = teeworlds.read(written.read_bytes())
    embedded = {image.name: image.pixels() for image in level.images if not image.external}
    assert {path.stem for path in target.glob("*.png")} == set(embedded)
    for name, pixels in embedded.items():
        with Image.open(target / f"{name}.png") as extracted:
            assert np.array_equal(np.asarray(extracted.convert("RGBA")), pixels)
    for sound in level.sounds:
        assert (target / f"{sound.name}.opus").read_bytes() == sound.data()


def free_port() -> int:
    """Return a UDP port that nobody uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def serve(home: Path, *command: str) -> str:
    """Start a server and return what it said until it ran, or gave up; it is ended in any case."""
    log = home / "server.log"
    with log.open("wb") as output:
        settings = [*command, f"sv_port {free_port()}", "sv_register 0"]
        process = subprocess.Popen(
            settings, cwd=home, env=dict(os.environ, HOME=str(home)), stdout=output, stderr=subprocess.STDOUT
        )
        try:
            until(lambda: process.poll() is not None or "rcon password" in _text(log))
        finally:
            process.terminate()
            process.wait(PATIENCE)
    return _text(log)


def _text(path: Path) -> str:
    return path.read_text(errors="replace")


SERVERS = [("DDNet-Server", "server: version"), ("teeworlds-server", "[server]: version")]


@pytest.mark.parametrize(("name", "running"), SERVERS)
def test_servers_load_what_we_write(name: str, running: str, written: Path, tmp_path: Path) -> None:
    if name == "DDNet-Server" and teeworlds.read(written.read_bytes()).game_layer[1].item.words[3] >= 4:
        pytest.skip("DDNet-Server 16.4 corrupts its memory on run-length tiles, those of the game's own 0.7 maps too")
    said = serve(tmp_path, program(name), f"sv_map {written.stem}")
    assert "loading done" in said
    assert running in said
    assert "failed to load map" not in said


@pytest.mark.parametrize(("name", "running"), SERVERS)
def test_servers_refuse_a_broken_map(name: str, running: str, tmp_path: Path) -> None:
    """The control: a server that would say the same of anything proves nothing."""
    broken = tmp_path / "maps" / "broken.map"
    broken.parent.mkdir()
    broken.write_bytes(first_light.TARGET.read_bytes()[:200])
    said = serve(tmp_path, program(name), f"sv_map {broken.stem}")
    assert running not in said
    assert "failed to load map" in said
