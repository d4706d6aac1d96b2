"""Starts Blender (the bpy wheel) once, registers the extension under the name `levelwright`, and gives each test an empty scene."""

import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

NAME = "levelwright"
ROOT = Path(__file__).resolve().parent.parent.parent

if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*"]
else:
    # Blender reads this once, when it starts: tests must not see, nor change, the preferences of whoever runs them.
    _profile = tempfile.TemporaryDirectory(prefix="levelwright-tests-")
    os.environ["BLENDER_USER_RESOURCES"] = _profile.name
    import bpy


def load_extension() -> ModuleType:
    """Import the repository's root folder as the package `levelwright`, whatever the folder is called."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
        assert spec and spec.loader
        module = sys.modules[NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[NAME]


if importlib.util.find_spec("bpy") is not None:
    load_extension()


@pytest.fixture(scope="session", autouse=True)
def extension() -> Iterator[ModuleType]:
    """Register the extension for the whole run; a class left registered would hang bpy 4.5 at exit, so unregister it too."""
    module = load_extension()
    entry = bpy.context.preferences.addons.new()  # what enabling an add-on does: this is where its preferences are kept
    entry.module = NAME
    module.register()
    yield module
    module.unregister()
    bpy.context.preferences.addons.remove(entry)


@pytest.fixture(autouse=True)
def empty_scene(extension: ModuleType) -> None:
    """Start each test from an empty .blend. No reference into Blender's data outlives this."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
