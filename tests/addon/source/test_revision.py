# SPDX-License-Identifier: GPL-3.0-or-later
"""The map's revision and the world's `mapversion`, which are one number."""

import bpy
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import exporter, vmf_exporter
from levelwright.addon.source.revision import REVISION
from levelwright.addon.source.settings import ExportSettings, VmfSettings
from levelwright.formats import source

from tests.addon.source.exports import ROOM, Scene

WAS = source.read(ROOM).revision


def numbers(level: source.Level) -> tuple[int, str | None]:
    return level.revision, level.entities[0].get("mapversion")


def test_the_revision_is_shown_and_written_with_the_worlds() -> None:
    here = Scene()
    assert (here.level[REVISION], here.level["mapversion"]) == (WAS, str(WAS))
    assert here.export().file.write() == ROOM
    here.level[REVISION] = 12
    made = here.export()
    assert numbers(made) == (12, "12")
    assert here.changed(made) == ["ENTITIES"]
    assert f"the map's revision: from {WAS} to 12" in here.report.notes
    assert made.entities[0].pairs[1:] == source.read(ROOM).entities[0].pairs[1:]
    again = Scene(bytes(made.file.write()))
    assert (again.level[REVISION], again.level["mapversion"]) == (12, "12")


def test_the_revision_follows_the_worlds() -> None:
    here = Scene()
    here.level["mapversion"] = "4"
    assert numbers(here.export()) == (4, "4")
    here.level[REVISION] = 4
    assert numbers(here.export()) == (4, "4"), "both were edited, to one number"
    here.level[REVISION] = 5
    with pytest.raises(SceneError, match="its revision is 5, its mapversion 4"):
        here.export()
    here.level[REVISION], here.level["mapversion"] = WAS, "new"
    assert numbers(here.export()) == (WAS, "new")
    assert any("mapversion 'new' isn't a number" in warning for warning in here.report.warnings)
    del here.level["mapversion"]
    assert numbers(here.export()) == (WAS, None)


@pytest.mark.parametrize("entities", [True, False])
def test_a_map_whose_numbers_differ_keeps_them_until_one_is_edited(entities: bool) -> None:
    level = source.read(ROOM)
    level.file.revision = 4000000000  # as no number of Blender's can be
    here = Scene(source.write(level), entities=entities)
    assert here.level[REVISION] == "4000000000"
    assert here.export().file.write() == here.data
    here.level[REVISION] = 8
    assert numbers(here.export()) == (8, "8")


def test_a_world_without_the_key_gets_none() -> None:
    level = source.read(ROOM)
    level.entities[0].pairs = [pair for pair in level.entities[0].pairs if pair[0] != "mapversion"]
    here = Scene(source.write(level))
    here.level[REVISION] = 8
    made = here.export()
    assert numbers(made) == (8, None)
    assert here.changed(made) == []


@pytest.mark.parametrize("value", [-1, 2**32, "new", 1.5, [1, 2]])
def test_what_is_no_revision_is_refused(value: object) -> None:
    here = Scene()
    here.level[REVISION] = str(value) if value == 2**32 else value
    with pytest.raises(SceneError, match="a whole number from 0 to 4294967295 is meant"):
        here.export()


def test_a_level_of_0_3_0_shows_none() -> None:
    here = Scene()
    del here.level[REVISION]
    assert here.export().file.write() == ROOM


def test_a_vmf_has_the_edited_revision() -> None:
    here = Scene()
    here.level[REVISION] = 77
    text = vmf_exporter.export_vmf(bpy.context, here.level, VmfSettings(), Report()).decode()
    assert text.count('"mapversion" "77"') == 2
    data = exporter.export_level(bpy.context, here.level, ExportSettings(), Report())
    assert source.read(data).revision == 77
