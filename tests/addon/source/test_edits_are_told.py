# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of edits on maps with what our sample hasn't: triggers, area portals, occluders, brushes, ropes."""

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from levelwright.addon import games, levels
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import layout
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.source import Entity

from tests.addon.contract import edits
from tests.addon.source.exports import ROOM, Scene
from tests.formats import source_door, source_portals
from tests.formats import source_model_bytes as raw

SOURCE = games.by_key("source")
SLICE = 40
"""Of so many edits the quick run tries one."""


def odd() -> source.Level:
    """A room with an entity of each kind of object that entities become."""
    level = source.read(ROOM)
    for pairs in (
        [("classname", "keyframe_rope"), ("targetname", "end"), ("origin", "0 0 64")],
        [("classname", "move_rope"), ("NextKey", "end"), ("origin", "64 0 64"), ("Slack", "25")],
        [("classname", "func_useableladder"), ("point0", "8 8 0"), ("point1", "8 8 64"), ("origin", "8 8 0")],
        [("classname", "info_ladder"), ("mins.x", "0"), ("mins.y", "0"), ("mins.z", "0"), ("maxs.x", "8"),
         ("maxs.y", "8"), ("maxs.z", "64")],
        [("classname", "point_camera"), ("fov", "60"), ("angles", "0 90 0"), ("origin", "0 64 32")],
        [("classname", "light_spot"), ("_light", "255 200 100 300"), ("_cone", "45"), ("_inner_cone", "30"),
         ("angles", "-90 0 0"), ("pitch", "-90"), ("origin", "0 0 90")],
        [("classname", "ambient_generic"), ("message", "a.wav"), ("radius", "500"), ("health", "10")],
    ):  # fmt: skip
        level.entities.append(Entity(pairs))
    return level


def lit() -> source.Level:
    """The room with the model of its first prop, of two materials, and light in that prop's vertices."""
    level = source.read(ROOM)
    stem = level.static_props.models[int(level.static_props.props["prop_type"][0])][: -len(".mdl")]
    square = [([0, 1, 2, 3], [(1, [0, 1, 2, 0, 2, 3])])]
    above = [(x, y, 8.0, *rest) for x, y, _, *rest in raw.QUAD]
    files = {
        f"{stem}.mdl": raw.mdl([[[(0, 0, 4), (1, 4, 4)]]], ("one", "two"), ("props/",), ((0, 1),)),
        f"{stem}.vvd": raw.vvd([*raw.QUAD, *above]),
        f"{stem}.dx90.vtx": raw.vtx([[[square, square]]]),
        "sp_0.vhv": raw.vhv([(0, [(99, 80, 60)] * 4)] * 2),
    }
    for name, data in files.items():
        level.pak.put(name, data)
    return level


MAPS: dict[str, Callable[[], source.Level]] = {
    "room": lambda: source.read(ROOM),
    "trigger": source_door.with_trigger,
    "portals": source_portals.room,
    "odd": odd,
    "lit": lit,
}


def bad(name: str, folder: Path, step: int) -> list[edits.Outcome]:
    """What is silent, lost or refused without a name of every edit, or of one in so many."""
    path = folder / f"{name}.bsp"
    path.write_bytes(source.write(MAPS[name]()))
    found = (edits.outcome(SOURCE, path, each) for each in edits.edits(SOURCE, path)[::step])
    return [each for each in found if each is not None and each.result not in edits.GOOD]


@pytest.mark.parametrize("name", MAPS)
def test_nothing_is_told_of_what_nobody_edited(name: str, tmp_path: Path) -> None:
    scene = Scene(source.write(MAPS[name]()))
    levels.export_file(bpy.context, scene.level, tmp_path / "same.bsp", ExportSettings(), scene.report)
    assert (tmp_path / "same.bsp").read_bytes() == scene.data
    assert scene.report.warnings == []


@pytest.mark.parametrize("what", ["points", "modifier"])
def test_an_edited_rope_is_told(what: str) -> None:
    scene = Scene(source.write(odd()))
    rope = next(obj for obj in scene.level.all_objects if obj.type == "CURVE")
    if what == "points":
        rope.data.splines[0].points[1].co.z += 8
    else:
        rope.modifiers.new("Wave", "WAVE")
    scene.export()
    assert [
        line for line in scene.report.warnings if line.startswith(f"{rope.name}: what was done to its mesh or curve")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_a_slice(name: str, tmp_path: Path) -> None:
    assert bad(name, tmp_path, SLICE) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_all_of_them(name: str, tmp_path: Path) -> None:
    assert bad(name, tmp_path, 1) == []


@pytest.mark.parametrize("name", MAPS)
def test_what_nobody_edited_is_told_of_by_nothing(name: str, tmp_path: Path) -> None:
    """The ledger takes no aspect for one that the import leaves as Blender makes it, which the import sets."""
    path = tmp_path / f"{name}.bsp"
    path.write_bytes(source.write(MAPS[name]()))
    everything = SOURCE.import_settings(worldlights=True, brushes=True, leafs=True, detail_props=True)
    for settings in (SOURCE.import_settings(), everything, SOURCE.import_settings(displacements="joined")):
        level = edits.imported(SOURCE, path, settings)
        report = Report()
        levels.export_file(bpy.context, level, tmp_path / "out.bsp", SOURCE.writer[1](), report)
        assert (tmp_path / "out.bsp").read_bytes() == path.read_bytes()
        assert [line for line in (*report.warnings, *report.notes) if "written" in line] == []


def test_light_of_props_is_for_reference(tmp_path: Path) -> None:
    """Its file stays as it is; an edit of what shows it is told, with the reason."""
    path = tmp_path / "lit.bsp"
    path.write_bytes(source.write(lit()))
    found = [one for one in edits.edits(SOURCE, path) if one.aspect == f"attribute {layout.VERTEX_LIGHT}"]
    (result,) = (edits.outcome(SOURCE, path, one) for one in found)
    assert result is not None and result.result == edits.TOLD and "the compiler baked it" in result.said


def test_placeholders_have_names_of_their_own(tmp_path: Path) -> None:
    """Each is a copy of the first, which may be a model's, and the map's textures have no other name beside theirs."""
    path = tmp_path / "lit.bsp"
    path.write_bytes(source.write(lit()))
    edits.imported(SOURCE, path, SOURCE.import_settings(brushes=True))
    named = {one.name: (one.get(layout.OWN_NAME), one[layout.MATERIAL]) for one in bpy.data.materials}
    assert named["props/one"] == ("props/one", "props/one") and named["dev/floor"] == (None, "dev/floor")
    assert all(own in (None, texture) for own, texture in named.values())
