# SPDX-License-Identifier: GPL-3.0-or-later
"""The library on its own: its page's examples, and `pip install .` into a Python without Blender."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
SAMPLE = SAMPLES / "first-light.map"
PAGE = ROOT / "docs" / "library.md"
FILES = {
    "ctf1.map": SAMPLE,
    "room.map": SAMPLES / "genesis_room.map",
    "vale.lev": SAMPLES / "fable_vale.lev",
    "room.level": SAMPLES / "ns2_room.level",
    "de_map.bsp": SAMPLES / "source_room.bsp",
}
"""What the examples open, and the samples that stand for it."""
EXAMPLES = [
    (page.name, number, code)
    for page in (ROOT / "README.md", PAGE)
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S), 1
    )
]
RUN_EACH = f"""
import importlib.util, runpy, sys
folder = {str(ROOT / "formats")!r}
spec = importlib.util.spec_from_file_location(
    "levelformats", folder + "/__init__.py", submodule_search_locations=[folder]
)
sys.modules["levelformats"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["levelformats"])
for example in sys.argv[1:]:
    runpy.run_path(example)
"""
"""A program that runs examples, each with nothing but the library, by the name that its wheel gives it."""
USER = """
import numpy as np
import levelformats
from levelformats import fable, genesis, ns2, source, teeworlds

problems: list[levelformats.Problem] = levelformats.check(levelformats.read("ctf1.map"))
data: bytes = levelformats.write(teeworlds.read(b""))
cells = fable.heights(fable.read(data).cells).astype(np.float64)
names: list[str] = [entity.class_name for entity in ns2.read(data).entities]
kind: str = genesis.read(data).kind
world = source.read(data).entities[0]
wrong: int = levelformats.write(source.read(data))
teeworlds.read(data).no_such_thing
"""
"""A user's program, the last two lines of which are wrong."""


def run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | environment
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, which downloads the build backend."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel, with numpy, into an environment of its own; returns its interpreter."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    made = folder / "venv" / "bin" / "python"
    run(made, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, cwd=folder)
    return made


def write_examples(folder: Path) -> list[Path]:
    """Write each example of the documents into a file of its own, and the levels that they open."""
    for name, sample in FILES.items():
        shutil.copy(sample, folder / name)
    paths = []
    for page, number, code in EXAMPLES:
        paths.append(folder / f"{page.partition('.')[0].lower()}_{number}.py")
        paths[-1].write_text(code, encoding="utf-8")
    return paths


@pytest.mark.parametrize("are_apart", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_example_runs_when_copied_alone(tmp_path: Path, are_apart: bool) -> None:
    """Each has all names that it needs; are_apart: in a process of its own, so all modules, too."""
    paths = write_examples(tmp_path)
    assert len(paths) > 7
    for those in [[path] for path in paths] if are_apart else [paths]:
        run(sys.executable, "-c", RUN_EACH, *those, cwd=tmp_path)
    assert (tmp_path / "ctf1_roof.map").read_bytes() != SAMPLE.read_bytes()
    assert (tmp_path / "de_map.vmf").read_bytes().startswith(b"versioninfo")


@pytest.mark.slow  # it downloads the build backend and numpy
def test_pip_installs_levelformats_and_its_command(python: Path, tmp_path: Path) -> None:
    assert (
        run(python, "-c", "import importlib.util as u; print(u.find_spec('bpy'), u.find_spec('formats'))", cwd=tmp_path)
        == "None None\n"
    )
    needed = "import importlib.metadata as m; print([r for r in m.requires('levelwright') if 'extra ==' not in r])"
    assert run(python, "-c", needed, cwd=tmp_path) == "['numpy>=1.26']\n"

    command = python.parent / "levelformats"
    assert "teeworlds" in run(command, "info", SAMPLE, cwd=tmp_path).lower()
    size = SAMPLE.stat().st_size
    assert run(command, "verify", SAMPLE, cwd=tmp_path).startswith(f"ok {SAMPLE} teeworlds {size} ")
    assert run(command, "dump", SAMPLE, cwd=tmp_path).lstrip().startswith(("{", "["))
    same = f"import levelformats as f; d = open({str(SAMPLE)!r}, 'rb').read(); print(f.write(f.read(d)) == d)"
    assert run(python, "-c", same, cwd=tmp_path) == "True\n"


@pytest.mark.slow
def test_the_wheel_holds_the_library_only(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(opened.read(about))
    folders = {name.partition("/")[0] for name in names}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"levelformats"}
    assert "levelformats/py.typed" in names
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).split() == PAGE.read_text(encoding="utf-8").split()


@pytest.mark.slow
def test_mypy_checks_programs_that_use_the_wheel(python: Path, tmp_path: Path) -> None:
    """Strictly: the examples of the documents, and a program with mistakes; and `py.typed` is what makes it so."""
    pytest.importorskip("mypy")
    examples = write_examples(tmp_path)
    program = tmp_path / "program.py"
    program.write_text(USER, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", tmp_path / "cache"]
    assert run(*mypy, *examples, cwd=tmp_path).startswith("Success")
    found = run(*mypy, program, cwd=tmp_path, code=1).splitlines()
    lines = USER.splitlines()
    wrong = [
        f"program.py:{number}:" for number, line in enumerate(lines, 1) if line.startswith(("wrong", "teeworlds."))
    ]
    assert {line.split(" ")[0] for line in found if ": error:" in line} == set(wrong)

    (marker,) = python.parents[1].rglob("levelformats/py.typed")
    marker.unlink()
    assert "py.typed" in run(*mypy, program, cwd=tmp_path, code=1)
    marker.touch()
