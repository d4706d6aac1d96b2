# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend made in one Blender gives the same level when another exports it, and when numpy computes differently."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.addon import blenders
from tests.samples import first_light, genesis_room

SAMPLES = {path.name: path for path in (first_light.TARGET, genesis_room.MAP, genesis_room.EDITOR)}
REAL = [
    "teeworlds/teeworlds__teeworlds/ctf1@5787eafc.map",
    "teeworlds/ddnet__ddnet/winter_day.themes.map",
    "teeworlds/ddnet__ddnet/Goo_.map",
    "teeworlds/infclass__teeworlds-infclassR/infc_altepetl.map",
    "genesis/_generated_by_real_editor_code/hinge.map",
    "genesis/paradoxnj__Genesis3D/genvs2.3dt",
    "bsp/Corcho4433__padersons-fastdl/wall.bsp",
    "bsp/ricochet-game__ricochet-sourcemod/rc_pyramid.bsp",
]
OTHERS = [
    pytest.param(python, id=blenders.name(python)) for python in blenders.pythons() if python != sys.executable
] or [pytest.param("", marks=pytest.mark.skip(reason="no other Blender (LEVELWRIGHT_PYTHONS)"), id="none")]

CONVERT = """
import levelwright
from levelwright.addon import commands
levelwright.register()
result = commands.main(["convert", *sys.argv[1:]])
levelwright.unregister()
"""


def convert(python: str, source: Path, target: Path, **environment: str) -> None:
    """Run the command line's `convert` in a process of its own; scenes without a picture, which takes longest."""
    options = ("--option", "preview=false") if target.suffix == ".blend" else ()
    assert blenders.run(CONVERT, *options, source, target, python=python, environment=environment) == 0


@pytest.fixture(params=[*SAMPLES, *REAL], ids=lambda name: Path(name).name)
def level(request: pytest.FixtureRequest) -> Path:
    if request.param in SAMPLES:
        return SAMPLES[request.param]
    path: Path = request.getfixturevalue("corpus") / request.param
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scenes are that this Blender saved."""
    return tmp_path_factory.mktemp("scenes")


@pytest.fixture
def scene(level: Path, folder: Path) -> Path:
    """The level as a .blend that this Blender saved; it is made once."""
    path = folder / f"{level.name}.blend"
    if not path.exists():
        convert(sys.executable, level, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_import_here_and_export_there(level: Path, scene: Path, other: str, tmp_path: Path) -> None:
    convert(other, scene, tmp_path / level.name)
    assert (tmp_path / level.name).read_bytes() == level.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_import_there_and_export_here(level: Path, other: str, tmp_path: Path) -> None:
    convert(other, level, tmp_path / "scene.blend")
    convert(sys.executable, tmp_path / "scene.blend", tmp_path / level.name)
    assert (tmp_path / level.name).read_bytes() == level.read_bytes()


@pytest.mark.slow
def test_export_with_another_arithmetic(level: Path, scene: Path, tmp_path: Path) -> None:
    """numpy's sin, arctan2 and pow differ between CPUs: switch its fast paths off, and nothing may look edited."""
    convert(sys.executable, scene, tmp_path / level.name, NPY_DISABLE_CPU_FEATURES=cpu_features())
    assert (tmp_path / level.name).read_bytes() == level.read_bytes()


def cpu_features() -> str:
    """The CPU features that numpy found and would use beyond its baseline."""
    core = getattr(np, "_core", None) or np.core
    umath = core._multiarray_umath
    found = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    if not found:
        pytest.skip("numpy uses no optional CPU feature here")
    return " ".join(found)
