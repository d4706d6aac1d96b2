# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip that artists install: what is in it, and that Blender's own extension system takes it."""

import importlib.util
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.build import build, validate
from tests.addon.blenders import name, pythons
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "samples" / "first-light.map"

pytestmark = pytest.mark.skipif(importlib.util.find_spec("bpy") is None, reason="needs bpy, which holds the builder")

# Runs in a Blender of its own, whose user directory is empty; arguments: the zip, a level, a folder to write to.
ARTIST = """
import os, sys
from pathlib import Path
import bpy

archive, level, folder = sys.argv[1:]
done = bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
assert done == {"FINISHED"}, done
module = "bl_ext.user_default.levelwright"
assert module in bpy.context.preferences.addons, list(bpy.context.preferences.addons.keys())
assert bpy.context.preferences.addons[module].preferences.mapres_directory == ""

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
assert bpy.ops.import_scene.teeworlds_map(filepath=level) == {"FINISHED"}
assert bpy.ops.export_scene.teeworlds_map(filepath=folder + "/direct.map") == {"FINISHED"}
bpy.ops.wm.save_as_mainfile(filepath=folder + "/level.blend")
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.open_mainfile(filepath=folder + "/level.blend")
assert bpy.ops.export_scene.teeworlds_map(filepath=folder + "/reopened.map") == {"FINISHED"}
assert bpy.ops.preferences.addon_disable(module=module) == {"FINISHED"}
assert not hasattr(bpy.types, "IMPORT_SCENE_OT_game_level")
os._exit(0)  # some versions crash or hang in their own clean-up
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    converted = ROOT / "converted-as-the-readme-says.blend"
    converted.touch()
    try:
        yield build(tmp_path_factory.mktemp("dist with spaces"))
    finally:
        converted.unlink(missing_ok=True)  # another run of the tests makes it, too


def test_the_zip_holds_the_extension_and_nothing_else(archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
    assert {name.partition("/")[0] for name in names} == {
        "blender_manifest.toml",
        "__init__.py",
        "addon",
        "docs",
        "formats",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
    }
    pages = {name for name in names if name.startswith("docs/")}
    games = {f"docs/{path.parent.name}.md" for path in (ROOT / "addon").glob("*/game.py")}
    assert games | {"docs/using.md"} <= pages  # what buttons open
    assert not [
        name for name in pages if name.rpartition("/")[0] not in ("docs", "docs/how-to") or not name.endswith(".md")
    ]
    assert not {"docs/architecture.md", "docs/blender.md", "docs/contract.md"} & pages  # for whoever changes the code
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".map", ".blend"))]
    assert "addon/operators.py" in names
    assert "formats/binary.py" in names


@pytest.mark.slow
@pytest.mark.parametrize("python", pythons(), ids=name)
def test_each_blenders_own_validator_takes_the_zip(archive: Path, python: str) -> None:
    validate(archive, python)


@pytest.mark.slow
@pytest.mark.parametrize("python", pythons(), ids=name)
def test_blender_installs_enables_and_uses_the_zip(archive: Path, tmp_path: Path, python: str) -> None:
    profile = tmp_path / "user"
    profile.mkdir()
    done = subprocess.run(
        [python, "-c", ARTIST, str(archive), str(SAMPLE), str(tmp_path)],
        env={key: value for key, value in os.environ.items() if key != "OCIO"}
        | {"BLENDER_USER_RESOURCES": str(profile)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "direct.map").read_bytes() == SAMPLE.read_bytes()
    assert (tmp_path / "reopened.map").read_bytes() == SAMPLE.read_bytes()
    installed = list(profile.rglob("blender_manifest.toml"))
    assert len(installed) == 1
