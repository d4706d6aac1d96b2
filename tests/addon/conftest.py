# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts Blender (the bpy wheel) once, registers the extension as `levelwright`, and gives each test an empty scene."""

import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType

import pytest

from scripts.extension import NAME, leave, load

if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*"]
else:
    # Blender reads this once, when it starts: tests must not see, nor change, the preferences of whoever runs them.
    _profile = tempfile.TemporaryDirectory(prefix="levelwright-tests-")
    os.environ["BLENDER_USER_RESOURCES"] = _profile.name
    import bpy

    load()
    from tests.fuzz.scenes import empty_file

_STATUS = pytest.StashKey[int]()


@pytest.fixture(scope="session", autouse=True)
def extension() -> Iterator[ModuleType]:
    """Register the extension for the whole run, and unregister it: a class left registered hangs bpy 4.5 at exit."""
    module = load()
    entry = bpy.context.preferences.addons.new()  # what enabling an add-on makes: its preferences are kept there
    entry.module = NAME
    module.register()
    yield module
    module.unregister()
    bpy.context.preferences.addons.remove(entry)


@pytest.fixture(autouse=True)
def empty_scene(extension: ModuleType) -> None:
    """Start each test from an empty .blend. No reference into Blender's data outlives this."""
    empty_file()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End with pytest's closing line, and end at all: see `leave`."""
    if "bpy" in sys.modules and _STATUS in config.stash:
        _profile.cleanup()
        leave(config.stash[_STATUS])
