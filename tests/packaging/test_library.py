# SPDX-License-Identifier: GPL-3.0-or-later
"""The library on its own: `pip install .` into a Python without Blender."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "samples" / "first-light.map"


def run(*command: str | Path, cwd: Path) -> str:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow  # it downloads the build backend and numpy
def test_pip_installs_levelformats_and_its_command(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", ROOT, cwd=tmp_path)

    assert (
        run(python, "-c", "import importlib.util as u; print(u.find_spec('bpy'), u.find_spec('formats'))", cwd=tmp_path)
        == "None None\n"
    )
    needed = "import importlib.metadata as m; print([r for r in m.requires('levelwright') if 'extra ==' not in r])"
    assert run(python, "-c", needed, cwd=tmp_path) == "['numpy>=1.26']\n"

    command = tmp_path / "venv" / "bin" / "levelformats"
    assert "teeworlds" in run(command, "info", SAMPLE, cwd=tmp_path).lower()
    size = SAMPLE.stat().st_size
    assert run(command, "verify", SAMPLE, cwd=tmp_path).startswith(f"ok {SAMPLE} teeworlds {size} ")
    assert run(command, "dump", SAMPLE, cwd=tmp_path).lstrip().startswith(("{", "["))
    same = f"import levelformats as f; d = open({str(SAMPLE)!r}, 'rb').read(); print(f.write(f.read(d)) == d)"
    assert run(python, "-c", same, cwd=tmp_path) == "True\n"


@pytest.mark.slow
def test_the_wheel_holds_the_library_only(tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        folders = {name.partition("/")[0] for name in opened.namelist()}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"levelformats"}
