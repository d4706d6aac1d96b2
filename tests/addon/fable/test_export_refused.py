# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that no level can hold are refused, with how much is wrong, and what is at fault selected."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.importer import build_scene
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.level import first_of
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable

from tests.addon.fable.export_helpers import (
    LEVEL,
    activate,
    changed_cells,
    exported,
    game_map,
    imported,
    paint,
    place,
    positions,
    set_values,
    terrain,
)

DATA = LEVEL.build()
COLUMNS = 33


def at(x: int, y: int) -> int:
    return y * COLUMNS + x


def edited(level: bpy.types.Collection, operator: str, vertices: list[int], **options: object) -> None:
    """Run an operator of edit mode on vertices of the terrain."""
    obj = terrain(level)
    activate(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (True, False, False)
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for vertex in vertices:
        obj.data.vertices[vertex].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    group, _, name = operator.partition(".")
    getattr(getattr(bpy.ops, group), name)(**options)
    bpy.ops.object.mode_set(mode="OBJECT")


def refused(level: bpy.types.Collection, match: str, **settings: object) -> SceneError:
    with pytest.raises(SceneError, match=match) as caught:
        exported(level, **settings)
    return caught.value


def points(error: SceneError, level: bpy.types.Collection) -> list[int]:
    return sorted(error.points[terrain(level)].tolist())


# ---- places


def test_vertices_that_were_moved_sideways():
    level = imported()
    values = positions(terrain(level))
    values[[at(3, 4), at(9, 9)], :2] += 0.25
    values[at(9, 9), 2] = 5.5
    place(terrain(level), values)
    error = refused(level, "2 vertices are moved sideways; the option Snap")
    assert points(error, level) == [at(3, 4), at(9, 9)]
    assert changed_cells(DATA, exported(level, snap=True)) == {(9, 9): {"height"}}


def test_the_whole_mesh_moved_by_a_cell():
    """Every vertex but a column stands on a place of the grid, but not on its own."""
    level = imported()
    values = positions(terrain(level))
    values[:, 0] += 1
    place(terrain(level), values)
    error = refused(level, f"{COLUMNS * COLUMNS} vertices are moved sideways")
    assert len(points(error, level)) == COLUMNS * COLUMNS
    assert exported(level, snap=True) == DATA


def test_a_terrain_that_was_moved_turned_or_scaled_as_an_object():
    level = imported()
    obj = terrain(level)
    obj.location.x = 3
    refused(level, "moved sideways")
    obj.location.x = 0
    obj.rotation_euler.z = 0.5
    refused(level, "moved sideways")
    obj.rotation_euler.z = 0
    obj.scale = (2, 2, 1)
    refused(level, "moved sideways")
    obj.scale = (1, 1, 1)
    assert exported(level) == DATA


def test_two_vertices_merged():
    """Before Blender 5, the merged vertex keeps what the first was; then it is a blend."""
    level = imported()
    edited(level, "mesh.merge", [at(4, 4), at(5, 4)], type="CENTER")
    error = refused(
        level, "1 vertex is (moved sideways; 1 cell has .* at x 5|not of a cell .*; 2 cells have .* at x 4), y 4"
    )
    chosen = positions(terrain(level))[points(error, level)][:, :2]
    assert {tuple(one) for one in chosen.tolist()} >= {(4.5, 4.0), (6.0, 4.0), (4.0, 5.0), (6.0, 3.0)}
    assert 8 <= len(chosen) <= 11
    refused(level, "stay where they are: .* no vertex", snap=True)


def test_cells_deleted():
    level = imported()
    edited(level, "mesh.delete", [at(0, 0), at(1, 0), at(2, 0)], type="VERT")
    error = refused(level, "3 cells have no vertex, the first at x 0, y 0")
    assert len(points(error, level)) == 5


def test_cells_added():
    level = imported()
    edited(level, "mesh.subdivide", [at(4, 4), at(5, 4), at(4, 5), at(5, 5)])
    error = refused(level, "5 vertices are not of a cell")
    assert points(error, level) == list(range(COLUMNS * COLUMNS, COLUMNS * COLUMNS + 5))


def test_cells_there_twice():
    level = imported()
    edited(level, "mesh.duplicate", [at(4, 4), at(5, 4), at(4, 5)])
    error = refused(level, "3 vertices are where another one is")
    assert points(error, level) == list(range(COLUMNS * COLUMNS, COLUMNS * COLUMNS + 3))


def test_what_modifiers_add_is_refused_without_a_selection():
    level = imported()
    terrain(level).modifiers.new("more", "SUBSURF")
    error = refused(level, "vertices are")
    assert not error.points and error.objects == [terrain(level)]


def test_a_vertex_made_anew_at_its_place_is_the_cell():
    level = imported()
    edited(level, "mesh.delete", [at(6, 6)], type="VERT")
    mesh = terrain(level).data
    mesh.vertices.add(1)
    mesh.vertices[len(mesh.vertices) - 1].co = (6, 6, 3.5)
    report = Report()
    assert changed_cells(DATA, exported(level, report)) == {(6, 6): {"height"}}
    assert any("1 vertex was made anew" in line for line in report.warnings)


def test_a_blend_of_vertices_at_a_cells_place_shows_the_blend_of_their_weights():
    level = imported()
    edited(level, "mesh.dissolve_verts", [at(6, 6)])
    edited(level, "mesh.delete", [at(6, 6)], type="ONLY_FACE")
    edited(level, "mesh.merge", [at(5, 6), at(7, 6) - 1], type="CENTER")
    error = refused(level, "no vertex")
    assert points(error, level)


def test_identity_from_another_level_is_none():
    level, other = imported(), imported()
    activate(terrain(level))
    terrain(level).data = terrain(other).data.copy()
    report = Report()
    assert exported(level, report) == DATA
    assert any(f"{COLUMNS * COLUMNS:,} vertices were made anew" in line for line in report.warnings)


# ---- values


@pytest.mark.parametrize(("z", "clamped"), [(-0.5, 0.0), (2048.0, 2047.9999), (1e9, 2047.9999)])
def test_heights_that_a_cell_cannot_have(z, clamped):
    level = imported()
    values = positions(terrain(level))
    values[[at(1, 1), at(2, 1)], 2] = z
    place(terrain(level), values)
    error = refused(level, "2 vertices: a height isn't at least 0 and less than 2048. The option Clamp")
    assert points(error, level) == [at(1, 1), at(2, 1)]
    after = exported(level, clamp=True)
    assert changed_cells(DATA, after) == {(1, 1): {"height"}, (2, 1): {"height"}}
    assert fable.heights(fable.read(after).cells)[1, 1] == np.float32(clamped)
    assert not fable.check(fable.read(after))


def test_heights_that_are_no_numbers_are_never_clamped():
    level = imported()
    values = positions(terrain(level))
    values[at(1, 1), 2] = np.nan
    place(terrain(level), values)
    refused(level, "1 vertex: a height is NaN", clamp=True)
    values[at(1, 1)] = np.nan
    place(terrain(level), values)
    refused(level, "1 vertex is moved sideways")


@pytest.mark.parametrize(
    ("painted", "what"),
    [
        ({"GRASS": 0.9, "SAND": 0.9}, "strengths of more than 255 in all were painted"),
        ({"GRASS": 0.25, "SAND": 0.25}, "strengths of less than 255 in all were painted"),
    ],
)
def test_weights_that_do_not_add_up(painted, what):
    level = imported()
    for theme, weight in painted.items():
        paint(terrain(level), theme, [at(31, 1), at(30, 1)], weight)
    error = refused(level, f"2 vertices: {what} there. The option Clamp")
    assert points(error, level) == [at(30, 1), at(31, 1)]
    cells = fable.read(exported(level, clamp=True)).cells
    assert cells["strengths"][1, 31].tolist() == [128, 127]


def test_a_cell_without_any_theme():
    level = imported()
    terrain(level).vertex_groups["GRASS"].remove([at(0, 1)])
    error = refused(level, "1 vertex: no theme at all", clamp=True)
    assert points(error, level) == [at(0, 1)]


def test_a_fourth_theme():
    level = imported()
    paint(terrain(level), "MUD", [at(4, 20)], 0.2)
    error = refused(level, "1 vertex: more than three themes were painted there. The option Drop themes")
    assert points(error, level) == [at(4, 20)]
    report = Report()
    after = exported(level, report, drop_themes=True)
    cells = fable.read(after).cells[20, 4]
    assert changed_cells(DATA, after) == {(4, 20): {"themes", "strengths"}}
    assert cells["themes"].tolist() == [2, 5, 4]  # the weakest was sand
    assert "left out: 1 fourth theme of cells" in report.lines()


def test_themes_that_the_palette_does_not_have():
    level = imported()
    paint(terrain(level), "LAVA", [at(4, 2), at(5, 2)], 1.0)
    terrain(level).vertex_groups.new(name="empty")
    error = refused(level, r"no themes for its weight layers 'LAVA' \(2 vertices\)")
    assert points(error, level) == [at(4, 2), at(5, 2)]
    assert exported(level, unknown_themes="ignore") == DATA
    made = fable.read(exported(level, unknown_themes="add"))
    assert fable.palette_names(made.ground_palette)[6] == "LAVA" and made.ground_palette["value"][6] == 6
    assert made.cells["themes"][2, 4].tolist() == [2, 3, 6] and made.cells["strengths"][2, 4].tolist() == [0, 0]


def test_groups_that_modifiers_use_are_no_themes():
    level = imported()
    paint(terrain(level), "Hills", [at(4, 2)], 1.0)
    modifier = terrain(level).modifiers.new("up", "DISPLACE")
    modifier.direction, modifier.strength, modifier.mid_level = "Z", 3.0, 0.0
    modifier.vertex_group = "Hills"
    assert changed_cells(DATA, exported(level)) == {(4, 2): {"height"}}


def test_a_name_that_no_level_can_hold():
    level = imported()
    paint(terrain(level), "\u8349", [at(4, 2)], 1.0)
    error = refused(level, "Terrain: weight layer: theme in slot 6 can't have this name", unknown_themes="add")
    assert points(error, level) == [at(4, 2)]
    for name, why in (
        ("x" * 128, "has 128 characters, 127 are allowed"),
        ("\u8349", "characters that Latin-1 does not"),
    ):
        for kind, slot, what in (("themes", 3, "theme in slot 3"), ("atmospheres", 1, "atmosphere in slot 1"),
                                 ("sounds", 2, "sound 2")):  # fmt: skip
            other = imported()
            next(item for item in getattr(lists.of(other), kind) if item.slot == slot).name = name
            refused(other, f"{other.name}: {what} can't have this name in a level: .*{why}", unknown_themes="ignore")


def test_numbers_that_are_none_are_refused_with_what_they_are_of():
    level = imported()
    mesh = terrain(level).data
    mesh.attributes.remove(mesh.attributes["walkable"])
    values = mesh.attributes.new("walkable", "FLOAT", "POINT").data
    values.foreach_set("value", np.full(COLUMNS * COLUMNS, 1.0, np.float32))
    values[at(3, 4)].value = np.nan
    assert points(refused(level, "1 vertex: attribute walkable is NaN"), level) == [at(3, 4)]
    level = imported()
    terrain(level).vertex_groups["SAND"].add([at(3, 4)], np.nan, "REPLACE")
    for clamp in (False, True):
        error = refused(level, "1 vertex: weights that are NaN were painted there", clamp=clamp)
        assert points(error, level) == [at(3, 4)]


def test_sounds_that_were_taken_out_while_cells_have_them():
    level = imported()
    lists.of(level).sounds.remove(1)
    error = refused(level, f"refuse the level {level.name}: error: game map: sound names a sound that is not there")
    assert error.objects == [game_map(level)]


@pytest.mark.parametrize("name", ["thing_uid_counter", "checksum", "map_version"])
def test_a_property_of_the_level_that_is_gone(name):
    level = imported()
    del level[name]
    refused(level, f"{level.name}: property {name} is gone")


def test_attributes_that_are_gone_are_told():
    level, report = imported(), Report()
    for obj, name in ((terrain(level), "walkable"), (terrain(level), "theme_2"), (game_map(level), "sound")):
        obj.data.attributes.remove(obj.data.attributes[name])
    assert exported(level, report) == DATA
    for text in ("Terrain: attribute walkable is gone", "Terrain: attribute theme_2", "Atmosphere: attribute sound"):
        assert any(text in line for line in report.warnings), text


def test_a_palette_without_a_free_slot():
    level = imported(LEVEL.but(ground=[(b"", 0), *((b"T%d" % n, n) for n in range(1, 256))]).build())
    paint(terrain(level), "LAVA", [at(4, 2)], 1.0)
    refused(level, "all 256 slots", unknown_themes="add")


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("theme_1", 77, "slot that the palette doesn't use"),
        ("theme_2", -1, "slot that the palette doesn't use"),
        ("strength_1", 256, "isn't within 0 and 255"),
        ("strength_2", 255, "strengths are more than 255"),
        ("old_sound", -1, "isn't within 0 and 255"),
    ],
)
def test_attributes_that_a_cell_cannot_have(name, value, what):
    level = imported()
    set_values(terrain(level), name, at(2, 2), value)
    error = refused(level, f"1 vertex: .*{what}")
    assert points(error, level) == [at(2, 2)]
    if "theme" not in name:
        assert not fable.check(fable.read(exported(level, clamp=True)))


def test_attributes_of_other_types():
    level = imported()
    mesh = terrain(level).data
    for name in ("walkable", "strength_1"):
        activate(terrain(level))
        mesh.attributes.active = mesh.attributes[name]
        bpy.ops.geometry.attribute_convert(domain="POINT", data_type="FLOAT")
    assert exported(level) == DATA
    set_values(terrain(level), "walkable", at(1, 1), 0.25)
    assert changed_cells(DATA, exported(level)) == {(1, 1): {"walkable"}}
    set_values(terrain(level), "strength_1", at(1, 1), 0.25)
    refused(level, "1 vertex: attribute strength_1 isn't a whole number")
    mesh.attributes.remove(mesh.attributes["strength_1"])
    assert changed_cells(DATA, exported(level)) == {(1, 1): {"walkable"}}


# ---- the game map


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("sound", 3, "isn't the number of a sound: there are 2"),
        ("sound", -1, "isn't the number of a sound"),
        ("atmosphere_1", 9, "slot that the palette doesn't use"),
        ("strength_1", 300, "isn't within 0 and 255"),
        ("strength_2", 100, "strengths are more than 255"),
    ],
)
def test_game_map_cells_that_cannot_be(name, value, what):
    level = imported()
    set_values(game_map(level), name, [4, 5], value)
    error = refused(level, f"2 faces: .*{what}")
    assert error.faces[game_map(level)].tolist() == [4, 5]
    if "strength" in name:
        assert not fable.check(fable.read(exported(level, clamp=True)))


def test_faces_of_the_game_map_that_are_gone_or_new():
    level = imported()
    obj = game_map(level)
    ids = np.empty(64, np.int32)
    obj.data.attributes[identity.ID].data.foreach_get("value", ids)
    ids[7] = ids[8]
    obj.data.attributes[identity.ID].data.foreach_set("value", ids)
    error = refused(level, "1 face, and 1 of 64 cells without a face")
    assert error.faces[obj].tolist() == [7]
    bpy.data.objects.remove(obj)
    refused(level, "has no game map")


# ---- the level


def test_no_terrain_or_two():
    level = imported()
    copy = terrain(level).copy()
    level.objects.link(copy)
    assert refused(level, "has several objects of which a level has one").objects == [terrain(level), copy]
    for obj in (terrain(level), copy):
        bpy.data.objects.remove(obj)
    refused(level, "no terrain")


def test_a_terrain_of_another_level():
    level, other = imported(), imported(LEVEL.but(width=64).build())
    mine = terrain(level)
    level.objects.unlink(mine)
    level.objects.link(terrain(other))
    refused(level, "comes from another level")


def test_sizes_that_a_new_level_cannot_have():
    small = fable.read(LEVEL.but(width=12, height=8, sections=()).build())
    level = build_scene(bpy.context, small, None, Path("new"), ImportSettings(), Report())
    refused(level, "multiples of 32")
    assert first_of(level, layout.TERRAIN) is not None
