# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees after an import, and what 3D views can show and hide of a level: the same for every game."""

from collections import Counter
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.level import needed_root
from levelwright.addon.scene.media import materials
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.view import interior, kinds, stage

from tests.addon.contract.registered import LEVELS
from tests.addon.contract.test_promises import exported, imported

SPAWN: dict[str, tuple[str, str]] = {
    "genesis": ("classname", "PlayerStart"),
    "fable": ("DefinitionType", "HOLY_SITE_PLAYER_START"),
    "ns2": ("class_name", "ready_room_start"),
    "source": ("classname", "info_player_start"),
}
"""Of games whose spawns are objects: the property and its value that make an object one."""

SOLID = {"teeworlds": "TEXTURE", "genesis": "TEXTURE", "fable": "VERTEX", "ns2": "TEXTURE", "source": "TEXTURE"}
"""What Solid views show of the samples."""


def new_file() -> None:
    """What Blender starts with."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)


def named(game: Game, sample: Path) -> Any:
    kind = game.kind_of(sample.name)
    return getattr(bpy.ops.import_scene, kind.operator)


def drivers(obj: bpy.types.Object) -> list[Any]:
    """What sets properties of an object: some objects are disabled so."""
    return list(obj.animation_data.drivers) if obj.animation_data is not None else []


def views() -> list[Any]:
    return list(stage.viewports(bpy.context))


@LEVELS
def test_a_new_file_shows_the_level_alone_and_an_undo_gives_back_the_rest(game: Game, sample: Path) -> None:
    new_file()
    bpy.ops.ed.undo_push(message="before")
    assert named(game, sample)("EXEC_DEFAULT", True, filepath=str(sample)) == {"FINISHED"}
    (level,) = originals.levels()
    assert not {"Cube", "Light", "Camera"} & {obj.name for obj in bpy.context.scene.objects}
    report = levels.report_of(level)
    assert report is not None
    assert "out of the way: what a new file has in it, as nobody had touched it: Camera, Cube, Light" in (
        report.as_string()
    )
    bpy.ops.ed.undo()
    assert {obj.name for obj in bpy.context.scene.objects} == {"Cube", "Light", "Camera"}
    assert bpy.context.scene.camera is bpy.data.objects["Camera"]


@LEVELS
def test_its_root_is_active_and_selected(game: Game, sample: Path) -> None:
    new_file()
    bpy.data.objects["Cube"].location.x = 1.0  # somebody's, so it stays
    level = imported(game, sample)
    root, layer = needed_root(level), bpy.context.view_layer
    assert layer.objects.active == root
    assert list(bpy.context.selected_objects) == [root]
    assert "Cube" in bpy.data.objects


@LEVELS
def test_views_show_it_near_and_far_and_solid_ones_with_its_pictures(game: Game, sample: Path) -> None:
    new_file()
    level = imported(game, sample)
    for space in views():
        assert 0 < space.clip_start <= stage.NEAR + 1e-6
        assert space.clip_end >= 1000.0
        assert space.shading.show_backface_culling == game.is_one_sided
        assert not space.overlay.show_relationship_lines
        assert space.shading.color_type == materials.solid_color(level)
        assert space.shading.color_type == SOLID.get(game.key, space.shading.color_type)
    if game.is_one_sided:
        assert interior.is_open(level)


@LEVELS
def test_what_isnt_alone_leaves_the_views_as_they_were(game: Game, sample: Path) -> None:
    new_file()
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("somebody's", None))
    before = [repr(each) for each in stage.scene_settings(bpy.context)]
    imported(game, sample)
    after = [repr(each) for each in stage.scene_settings(bpy.context)]
    assert [one for one, other in zip(before, after, strict=True) if one != other] == []


@LEVELS
def test_every_object_is_of_a_kind_and_none_of_other(game: Game, sample: Path) -> None:
    level = imported(game, sample)
    found = kinds.members(level, game.kind_shown)
    assert set(found) == {obj for obj in level.all_objects if identity.kind_of(obj) != identity.ROOT}
    names = set(found.values())
    assert names <= kinds.KINDS.keys()
    others = [obj.name for obj in found if found[obj] == kinds.OTHER]
    assert game.key not in SOLID or not others
    lights = {obj for obj in found if obj.type == "LIGHT"}
    assert {found[obj] for obj in lights} <= {"Lights", "Compiled Lights"}


@LEVELS
def test_each_kind_is_switched_and_that_edits_nothing(game: Game, sample: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    root = needed_root(level)
    counts = Counter(kinds.members(level, game.kind_shown).values())
    for kind, count in counts.items():
        before = {obj for obj in level.all_objects if obj.visible_get()}
        own = {obj for obj, name in kinds.members(level, game.kind_shown).items() if name == kind}
        kinds.switch(bpy.context, level, game.kind_shown, {kind}, False)
        assert {obj for obj in level.all_objects if obj.visible_get()} == before - own
        assert {one.name: one.total for one in kinds.count(level, game.kind_shown)}[kind] == count
        kinds.switch(bpy.context, level, game.kind_shown, {kind}, True)
        disabled = {obj for obj in own if obj.hide_viewport}
        shown = {obj for obj in level.all_objects if obj.visible_get()}
        assert {obj for obj in shown ^ (before | own - disabled) if not drivers(obj)} == set()
        kinds.switch(bpy.context, level, game.kind_shown, {kind}, False)
    assert {obj for obj in level.all_objects if obj.visible_get()} <= {root}
    report = Report()
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / sample.name, settings(), report)
    assert (tmp_path / sample.name).read_bytes() == sample.read_bytes()
    assert not report.warnings


@LEVELS
def test_what_is_off_stays_off_in_the_blend_and_undo_brings_it_back(game: Game, sample: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    bpy.ops.ed.undo_push(message="before")
    kind = next(one.name for one in kinds.count(level, game.kind_shown) if one.visible)
    assert bpy.ops.levelwright.show_kind("EXEC_DEFAULT", True, kind=kind) == {"FINISHED"}

    def shown() -> int:
        (found,) = originals.levels()
        return next(one.visible for one in kinds.count(found, game.kind_shown) if one.name == kind)

    assert shown() == 0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.ed.undo()
    assert shown() > 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), load_ui=False)
    assert shown() == 0
    (level,) = originals.levels()
    assert exported(level, tmp_path / sample.name) == sample.read_bytes()


@LEVELS
def test_one_kind_can_be_shown_alone_and_all_again(game: Game, sample: Path) -> None:
    level = imported(game, sample)
    counted = kinds.count(level, game.kind_shown)
    assert bpy.ops.levelwright.show_kind(kind=counted[0].name, action="ONLY") == {"FINISHED"}
    assert [one.name for one in kinds.count(level, game.kind_shown) if one.visible] == [counted[0].name]
    assert bpy.ops.levelwright.show_kind(kind="", action="SHOW") == {"FINISHED"}
    assert all(one.visible for one in kinds.count(level, game.kind_shown) if one.total > 1)
    with pytest.raises(RuntimeError, match="has no Unheard-of"):
        bpy.ops.levelwright.show_kind(kind="Unheard-of")


@LEVELS
def test_views_look_from_each_place_where_players_begin(game: Game, sample: Path) -> None:
    new_file()
    level = imported(game, sample)
    if game.spawns is None:
        pytest.skip("its levels don't say where players begin")
    if game.key in SPAWN:
        for number in range(2):
            added = bpy.data.objects.new("added spawn", None)
            key, added[key] = SPAWN[game.key]
            added.parent, added.location = needed_root(level), (number, 2.0, 3.0)
            level.objects.link(added)
    places = list(game.spawns(bpy.context, level))
    assert len(places) >= 2
    for number in (0, 1, len(places)):
        spawn = places[number % len(places)]
        assert bpy.ops.levelwright.go_to_spawn(number=number) == {"FINISHED"}
        for space in views():
            region = space.region_3d
            assert region.view_perspective == ("ORTHO" if game.is_flat else "PERSP")
            back = region.view_rotation @ stage.Vector((0.0, 0.0, region.view_distance))
            place = region.view_location + (back if not game.is_flat else stage.Vector())
            seen = spawn.camera.translation
            assert (place - seen).xy.length < 1e-3 * max(1.0, seen.length)
            assert region.view_rotation.rotation_difference(spawn.camera.to_quaternion()).angle < 1e-3


@LEVELS
def test_a_level_without_such_a_place_says_so(game: Game, sample: Path) -> None:
    level = imported(game, sample)
    if game.is_flat:
        pytest.skip("its places are no objects")
    for place in game.spawns(bpy.context, level) if game.spawns is not None else ():
        bpy.data.objects.remove(bpy.data.objects[place.name])
    with pytest.raises(RuntimeError, match="has no place where players begin"):
        bpy.ops.levelwright.go_to_spawn()
    with pytest.raises(RuntimeError, match="has no place where players begin"):
        bpy.ops.levelwright.camera_at_spawn()


@LEVELS
def test_rooms_are_closed_and_opened_and_that_edits_nothing(game: Game, sample: Path, tmp_path: Path) -> None:
    new_file()
    level = imported(game, sample)
    was = {one.name: one.use_backface_culling for one in materials.of_level(level)}
    bpy.ops.levelwright.interior_view()
    if game.is_one_sided:
        assert not interior.is_open(level)
        assert exported(level, tmp_path / sample.name) == sample.read_bytes()
        bpy.ops.levelwright.interior_view()
        assert {one.name: one.use_backface_culling for one in materials.of_level(level)} == was
    assert exported(level, tmp_path / sample.name) == sample.read_bytes()


def test_kinds_have_icons_that_there_are() -> None:
    prop: Any = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"]
    known = {item.identifier for item in prop.enum_items}
    assert set(kinds.KINDS.values()) <= known
