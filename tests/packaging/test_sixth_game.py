# SPDX-License-Identifier: GPL-3.0-or-later
"""A game is added by its two folders and one line: a sixth one gets what the others have, keeps the contract."""

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GAME = Path(__file__).resolve().parent / "sixth_game"
LINE = '    "tiny",\n'
LEVEL = b"TINY" + struct.pack("<I6f", 2, 1.0, 2.0, 3.0, -4.0, 0.5, -0.0)
SCRIPT = """
from pathlib import Path
import bpy
import pytest

def test_an_edit_is_written_and_a_new_problem_refused(tmp_path):
    sample = {sample!r}
    bpy.ops.import_scene.game_level(filepath=sample, tiny_size=0.5)
    gem = bpy.data.objects["Gem 1"]
    assert gem.empty_display_size == 0.5
    gem.location = (7, 8, 9)
    bpy.ops.export_scene.tiny_level(filepath=str(tmp_path / "out.tiny"))
    before = Path(sample).read_bytes()
    after = (tmp_path / "out.tiny").read_bytes()
    assert after[:20] == before[:20] and after[20:] != before[20:]
    gem.location.x = float("nan")
    with pytest.raises(RuntimeError, match="the game would refuse the level: error: gem 1: is nowhere"):
        bpy.ops.export_scene.tiny_level(filepath=str(tmp_path / "out.tiny"))
    assert (tmp_path / "out.tiny").read_bytes() == after
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with a sixth game in it."""
    copy = tmp_path_factory.mktemp("six") / "levelwright"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not tracked:
        pytest.skip("not a git checkout: nothing says what belongs to the repository")
    for name in tracked:
        if (ROOT / name).is_file() and not name.startswith("tests/samples/saved"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    for side in ("formats", "addon"):
        shutil.copytree(GAME / side, copy / side / "tiny", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(GAME / "problems.py", copy / "tests" / "formats" / "tiny_problems.py")
    games = copy / "addon" / "games.py"
    text = games.read_text(encoding="utf-8")
    assert text.count('    "teeworlds",\n') == 1
    games.write_text(text.replace('    "teeworlds",\n', '    "teeworlds",\n' + LINE), encoding="utf-8")
    (copy / "tests" / "samples" / "gems.tiny").write_bytes(LEVEL)
    script = SCRIPT.replace("{sample!r}", repr(str(copy / "tests" / "samples" / "gems.tiny")))
    (copy / "tests" / "addon" / "test_tiny.py").write_text(script, encoding="utf-8")
    return copy


def run(tree: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_library_knows_it(tree: Path) -> None:
    said = run(tree, "formats", "verify", str(tree / "tests" / "samples" / "gems.tiny"))
    assert said.startswith("ok ")
    assert " tiny " in said


@pytest.mark.slow
def test_it_keeps_the_contract_and_more(tree: Path) -> None:
    said = run(
        tree, "pytest", "-q", "-n", "0", "--slow", "tests/addon/contract", "tests/addon/test_tiny.py", "-k", "tiny"
    )
    assert " passed" in said
    assert "failed" not in said
    assert int(said.rsplit(" passed", 1)[0].split()[-1]) >= 19, said
