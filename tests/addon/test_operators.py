# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: import, export, sniffing, undo, errors, menus, handlers and collection exporters."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import file_handlers, games, levels, operators
from levelwright.addon.game import Game
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.view import stage
from levelwright.formats.binary import FormatError

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"


TEEWORLDS: Game = games.by_key("teeworlds")


def patch(monkeypatch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    """Let Teeworlds do something else, as long as the test lasts: games are frozen."""
    before = getattr(TEEWORLDS, name)
    monkeypatch.setattr(Game, "__setattr__", object.__setattr__)
    monkeypatch.setattr(Game, "__delattr__", object.__delattr__)
    monkeypatch.setattr(TEEWORLDS, name, value)
    assert getattr(TEEWORLDS, name) is not before


def level_names() -> list[str]:
    return [level.name for level in originals.levels(bpy.context.scene)]


def counts() -> dict[str, int]:
    """Return how many data-blocks there are of each kind that an import makes."""
    kinds = (
        "actions",
        "cameras",
        "collections",
        "images",
        "materials",
        "meshes",
        "node_groups",
        "objects",
        "sounds",
        "texts",
    )
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


def test_import_and_export_give_the_same_bytes(tmp_path: Path) -> None:
    assert bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE)) == {"FINISHED"}
    assert level_names() == ["first-light"]
    assert bpy.ops.export_scene.teeworlds_map(filepath=str(tmp_path / "out.map")) == {"FINISHED"}
    assert (tmp_path / "out.map").read_bytes() == SAMPLE.read_bytes()
    assert list(tmp_path.iterdir()) == [tmp_path / "out.map"]


def test_the_bytes_tell_the_game_not_the_ending(tmp_path: Path) -> None:
    disguised = tmp_path / "level.dat"
    disguised.write_bytes(SAMPLE.read_bytes())
    assert bpy.ops.import_scene.game_level(filepath=str(disguised)) == {"FINISHED"}
    assert [originals.describe(level).format for level in originals.levels()] == ["teeworlds"]


def test_a_file_of_no_game_is_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "genesis.map"
    other.write_bytes(b"NCBF" + bytes(60))
    before = counts()
    with pytest.raises(RuntimeError, match=r"genesis\.map: no level of a game that Levelwright knows"):
        bpy.ops.import_scene.game_level(filepath=str(other))
    assert counts() == before


def test_an_operator_is_called_after_all_that_it_opens() -> None:
    """It opens each of a game's files, a .3dt, too; and buttons of the file browser have room for little."""
    labels = [getattr(bpy.types, f"IMPORT_SCENE_OT_{kind.operator}").bl_label for _, kind in operators.imports()]
    assert labels.count("Import Genesis3D Level") == 3
    assert set(labels) == {
        "Import Teeworlds Map",
        "Import Genesis3D Level",
        "Import Fable Level",
        "Import Fable World",
        "Import Source Map",
        "Import Source Entities",
        "Import NS2 Level",
    }
    written = {getattr(bpy.types, f"EXPORT_SCENE_OT_{kind.operator}").bl_label for _, kind in operators.exports()}
    assert {"Export Teeworlds Map", "Export Genesis3D Map", "Export Genesis3D Level", "Export Source VMF"} < written


def test_several_files_are_one_collection_each(tmp_path: Path) -> None:
    for name in ("a.map", "b.map"):
        (tmp_path / name).write_bytes(SAMPLE.read_bytes())
    files = [{"name": "a.map"}, {"name": "b.map"}]
    assert bpy.ops.import_scene.game_level(directory=str(tmp_path), files=files) == {"FINISHED"}
    assert level_names() == ["a", "b"]
    assert bpy.context.collection.name == "b", "what is added now becomes a part of it"


def test_the_same_file_twice_gives_two_levels() -> None:
    for _ in range(2):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    assert len(set(level_names())) == 2


def test_one_bad_file_among_several_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "good.map").write_bytes(SAMPLE.read_bytes())
    (tmp_path / "bad.map").write_bytes(SAMPLE.read_bytes()[:-7])
    before = counts()
    with pytest.raises(RuntimeError, match=r"bad\.map"):
        bpy.ops.import_scene.teeworlds_map(directory=str(tmp_path), files=[{"name": "good.map"}, {"name": "bad.map"}])
    assert counts() == before
    assert level_names() == []


def test_an_import_that_fails_halfway_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    build: Callable[..., Any] = TEEWORLDS.import_level

    def fail_at_the_end(*arguments: Any) -> None:
        build(*arguments)
        raise FormatError("a quad of the last layer is no quad", offset=66)

    def seen() -> list[Any]:
        return [
            (*space.region_3d.view_location, *space.region_3d.view_rotation, space.clip_end, space.shading.type)
            for space in stage.viewports(bpy.context)
        ]

    patch(monkeypatch, "import_level", fail_at_the_end)
    before, views = counts(), seen()
    assert views
    with pytest.raises(RuntimeError, match=r"first-light\.map: at byte 0x42: a quad"):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    assert counts() == before
    assert seen() == views


def test_one_undo_takes_an_import_back() -> None:
    bpy.ops.ed.undo_push(message="before")
    before = counts()
    bpy.ops.import_scene.game_level("EXEC_DEFAULT", True, directory=str(SAMPLE.parent), files=[{"name": SAMPLE.name}])
    assert level_names() == ["first-light"]
    bpy.ops.ed.undo()
    assert level_names() == []
    assert counts() == before


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="there is no such file"):
        bpy.ops.import_scene.teeworlds_map(filepath="/nowhere/at all.map")


def test_exporting_an_empty_scene_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no level to export"):
        bpy.ops.export_scene.teeworlds_map(filepath=str(tmp_path / "out.map"))
    assert list(tmp_path.iterdir()) == []


def test_export_asks_which_level_when_none_is_active(tmp_path: Path) -> None:
    for _ in range(2):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection
    first, second = level_names()
    target = str(tmp_path / "out.map")
    with pytest.raises(RuntimeError, match=f"{first}.*{second}"):
        bpy.ops.export_scene.teeworlds_map(filepath=target)
    assert bpy.ops.export_scene.teeworlds_map(filepath=target, collection=second) == {"FINISHED"}
    layer.active_layer_collection = next(
        child.children[0] for child in layer.layer_collection.children if child.name == first
    )
    assert levels.choose(bpy.context).name == first


def test_a_failing_export_leaves_the_old_file_and_selects_what_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    target = tmp_path / "out.map"
    target.write_bytes(b"the old file")
    culprit = next(obj for obj in bpy.context.view_layer.objects if obj.type == "MESH" and obj.visible_get())

    def refuse(*_: Any) -> bytes:
        raise SceneError("two tiles lie in one cell", [culprit], {culprit: [0]})

    patch(monkeypatch, "export_level", refuse)
    with pytest.raises(RuntimeError, match="two tiles lie in one cell"):
        bpy.ops.export_scene.teeworlds_map(filepath=str(target))
    assert target.read_bytes() == b"the old file"
    assert list(tmp_path.iterdir()) == [target]
    assert list(bpy.context.selected_objects) == [culprit]
    assert bpy.context.view_layer.objects.active == culprit
    assert [polygon.index for polygon in culprit.data.polygons if polygon.select] == [0]
    text = levels.report_of(levels.choose(bpy.context))
    assert text is not None
    assert "refused, nothing was written: two tiles lie in one cell" in text.as_string()


def test_an_export_that_cannot_be_read_back_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    target = tmp_path / "out.map"
    target.write_bytes(b"the old file")
    patch(monkeypatch, "export_level", lambda *_: SAMPLE.read_bytes()[:100])
    with pytest.raises(RuntimeError):
        bpy.ops.export_scene.teeworlds_map(filepath=str(target))
    assert target.read_bytes() == b"the old file"


def test_reports_are_kept_with_the_level(tmp_path: Path) -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    (level,) = originals.levels()
    text = levels.report_of(level)
    assert text is not None
    assert "tile layers" in text.as_string()
    bpy.ops.export_scene.teeworlds_map(filepath=str(tmp_path / "out.map"))
    assert levels.report_of(level).name == "first-light export"


def test_collection_exporters_write_the_level(tmp_path: Path) -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    (level,) = originals.levels()
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    bpy.ops.collection.exporter_add(name="IO_FH_teeworlds_map")
    level.exporters[0].export_properties.filepath = str(tmp_path / "out.map")
    bpy.ops.collection.export_all()
    assert (tmp_path / "out.map").read_bytes() == SAMPLE.read_bytes()


def test_one_handler_takes_all_endings_and_asks_nothing_else() -> None:
    handlers = {cls.bl_idname: cls for cls in file_handlers.CLASSES}
    importing = [name for name, cls in handlers.items() if getattr(cls, "bl_import_operator", "")]
    assert importing == ["IO_FH_game_level", "IO_FH_fable_wld", "IO_FH_source_lmp"]
    assert handlers["IO_FH_game_level"].bl_file_extensions.split(";") == games.endings()
    assert handlers["IO_FH_fable_wld"].bl_file_extensions not in games.endings(), "a world is no level"
    assert not hasattr(handlers["IO_FH_teeworlds_map"], "poll_drop")


def test_every_option_of_a_game_is_a_property_of_its_operators() -> None:
    sniffing = bpy.ops.import_scene.game_level.get_rna_type().properties
    for game, kind in operators.imports():
        own = getattr(bpy.ops.import_scene, kind.operator).get_rna_type().properties
        for field in properties.fields(game.import_settings):
            assert field.tooltip, field.name
            assert own[field.name].description == sniffing[f"{game.key}_{field.name}"].description == field.tooltip
    for game, kind in operators.exports():
        exporting = getattr(bpy.ops.export_scene, kind.operator).get_rna_type().properties
        settings = kind.export_settings if kind in game.forms else game.export_settings
        for field in properties.fields(settings) if settings is not None else ():
            assert exporting[field.name].description == field.tooltip


def test_numbers_are_shown_with_the_digits_they_need() -> None:
    scale = bpy.ops.import_scene.genesis_map.get_rna_type().properties["scale"]
    assert (scale.precision, scale.unit) == (4, "LENGTH"), "0.0254, not 0.03"


def test_options_reach_the_importer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    build: Callable[..., Any] = TEEWORLDS.import_level

    def look(context: Any, data: bytes, file: Path, chosen: Any, report: Report) -> Any:
        seen.append(chosen)
        return build(context, data, file, chosen, report)

    patch(monkeypatch, "import_level", look)
    default = TEEWORLDS.import_settings()
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE), physics=not default.physics)
    bpy.ops.import_scene.game_level(filepath=str(SAMPLE), teeworlds_physics=not default.physics)
    bpy.ops.import_scene.game_level(filepath=str(SAMPLE))
    assert [chosen.physics for chosen in seen] == [not default.physics, not default.physics, default.physics]


def test_a_lost_original_can_be_attached_again(tmp_path: Path) -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    (level,) = originals.levels()
    del level[originals.ORIGINAL]
    target = str(tmp_path / "out.map")
    with pytest.raises(RuntimeError, match="missing or damaged"):
        bpy.ops.export_scene.teeworlds_map(filepath=target)
    other = tmp_path / "other.map"
    other.write_bytes(SAMPLE.read_bytes() + b"\0")
    with pytest.raises(RuntimeError):
        bpy.ops.levelwright.attach_original(filepath=str(other), collection=level.name)
    assert bpy.ops.levelwright.attach_original(filepath=str(SAMPLE), collection=level.name) == {"FINISHED"}
    assert bpy.ops.export_scene.teeworlds_map(filepath=target) == {"FINISHED"}
