# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip in a real Blender, as headless pipelines use it: `blender --background --command levelwright convert IN OUT`.

LEVELWRIGHT_REAL_BLENDER names a folder that tests/tools/real-blender has filled; .ci/run makes one where it can.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.build import build

SAMPLES = [
    Path(__file__).resolve().parents[1] / "samples" / name
    for name in (
        "first-light.map",
        "genesis_room.map",
        "genesis_room.3dt",
        "fable_vale.lev",
        "ns2_room.level",
        "source_room.bsp",
    )
]
SAMPLE = SAMPLES[0]
SYSTEM = os.environ.get("LEVELWRIGHT_REAL_BLENDER", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SYSTEM or os.geteuid() != 0, reason="LEVELWRIGHT_REAL_BLENDER names no Blender, or no root"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory):
    """Give a folder inside the real Blender's system, with the extension installed for whoever has it as HOME."""
    folder = Path(SYSTEM, "home", f"levelwright-test-{os.getpid()}")
    folder.mkdir(parents=True)
    try:
        shutil.copy(build(tmp_path_factory.mktemp("dist")), folder / "levelwright.zip")
        for sample in SAMPLES:
            shutil.copy(sample, folder / f"in.{sample.name}")
        done = blender(
            folder, "--command", "extension", "install-file", "-r", "user_default", "--enable", "levelwright.zip"
        )
        assert done.returncode == 0, done.stdout
        yield folder
    finally:
        shutil.rmtree(folder)


def blender(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the real Blender in a folder of its system."""
    inside = f"/{home.relative_to(SYSTEM)}"
    environment = [
        "env",
        "-i",
        "LANG=C.UTF-8",
        "PATH=/usr/bin:/bin",
        f"HOME={inside}",
        f"BLENDER_USER_RESOURCES={inside}/user",
    ]
    program = ["chroot", SYSTEM, *environment, "sh", "-c", 'cd "$0" && exec blender "$@"', inside, *arguments]
    return subprocess.run(
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_command_converts_both_ways(home: Path, sample: Path) -> None:
    there = blender(home, "--background", "--command", "levelwright", "convert", f"in.{sample.name}", "level.blend")
    assert there.returncode == 0, there.stdout
    assert (home / "level.blend").stat().st_size > 10_000
    back = blender(home, "--background", "--command", "levelwright", "convert", "level.blend", sample.name)
    assert back.returncode == 0, back.stdout
    assert (home / sample.name).read_bytes() == sample.read_bytes()


def test_the_operators_are_there(home: Path) -> None:
    operators = (
        "import_scene.game_level(filepath='in.first-light.map')",
        "export_scene.teeworlds_map(filepath='ops.map')",
    )
    script = "import bpy; " + "; ".join(f"bpy.ops.{operator}" for operator in operators)
    done = blender(home, "--background", "--python-exit-code", "3", "--python-expr", script)
    assert done.returncode == 0, done.stdout
    assert (home / "ops.map").read_bytes() == SAMPLE.read_bytes()


def test_a_file_of_no_game_is_exit_code_1(home: Path) -> None:
    (home / "junk.map").write_bytes(b"junk")
    done = blender(home, "--background", "--command", "levelwright", "convert", "junk.map", "junk.blend")
    assert done.returncode == 1
    assert "junk.map" in done.stdout
    assert not (home / "junk.blend").exists()
