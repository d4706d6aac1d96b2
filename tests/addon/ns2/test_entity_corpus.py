# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities of real levels in Blender: byte-identical when nobody edits them, all of them objects, quickly made."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon.ns2.entities.custom_properties import written_keys
from levelwright.addon.ns2.layout import CLASS
from levelwright.formats import ns2
from levelwright.formats.binary import FormatError

from tests.addon.ns2.entity_helpers import exported, opened
from tests.addon.ns2.export_helpers import reopened

LARGEST = "ns2_mineshaft2.76ed7700.level"
AFTER_SAVING = (LARGEST, "ns2_duels.684e7602.level", "test.37f2d068.level", "splay.59a7fc29.level")


def levels(corpus: Path) -> list[Path]:
    found = sorted((corpus / "ns2").rglob("*.level"))
    if not found:
        pytest.skip(f"no levels in {corpus}")
    return found


@pytest.mark.slow
def test_every_level_comes_out_as_it_came(corpus: Path, tmp_path: Path) -> None:
    different, checked = [], 0
    for file in levels(corpus):
        data = file.read_bytes()
        try:
            count = len(ns2.read(data).entities)
        except FormatError:
            continue  # the one of 5 bytes
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        level = opened(data)
        assert sum(obj.get(CLASS) is not None for obj in level.all_objects) == count
        if file.name in AFTER_SAVING:
            level = reopened(level, tmp_path)
        checked += 1
        if exported(level) != data:
            different.append(file.name)
    assert different == []
    assert checked == 55


def test_every_editor_setup_describes_entities(corpus: Path, tmp_path: Path) -> None:
    setups = sorted((corpus / "ns2").rglob("*editor_setup.xml"))
    file = next((one for one in levels(corpus) if one.name == "ns2_classicents_test.8cdd5ab4.level"), None)
    if file is None or not setups:
        pytest.skip("no editor_setup.xml or no level with many classes")
    data, described = file.read_bytes(), set()
    for number, setup in enumerate(setups):
        folder = tmp_path / str(number)
        (folder / "models").mkdir(parents=True)
        (folder / "editor_setup.xml").write_bytes(setup.read_bytes())
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        level = opened(data, folder)
        assert exported(level) == data
        for obj in level.all_objects:
            described |= {key for key in written_keys(obj) if obj.id_properties_ui(key).as_dict().get("description")}
    assert len(described) >= 45
