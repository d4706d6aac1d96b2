# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and places at the edge of what a level holds: the last that is written, and the first that is refused.

The level is twice as wide as it is high, so that nothing of x passes for y.
"""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import fable

from tests.addon.fable.export_helpers import (
    LEVEL,
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
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as build

WIDE = LEVEL.but(width=64, sections=())
DATA = WIDE.build()
COLUMNS, ROWS = 65, 33
NEAR = 1 / 256
TOP = 2048 - 2.0**-13  # the largest 32-bit float below 2048


def at(x: int, y: int) -> int:
    return y * COLUMNS + x


def refused(level: bpy.types.Collection, match: str, **settings: object) -> SceneError:
    with pytest.raises(SceneError, match=match) as caught:
        exported(level, **settings)
    return caught.value


def places(level: bpy.types.Collection, error: SceneError) -> list[tuple[float, float]]:
    chosen = positions(terrain(level))[error.points[terrain(level)]][:, :2]
    return sorted(tuple(one) for one in chosen.tolist())


# ---- places


def test_a_vertex_may_lie_as_far_beside_its_place_as_rounding_leaves_it():
    level = imported(DATA)
    was = positions(terrain(level))
    for axis in (0, 1):
        for sign in (-1, 1):
            for off, allowed in ((NEAR, True), (NEAR * 1.01, False)):
                values = was.copy()
                values[at(50, 7), axis] += sign * off
                place(terrain(level), values)
                if allowed:
                    assert exported(level) == DATA
                else:
                    assert places(level, refused(level, "1 vertex is moved sideways")) == [tuple(values[at(50, 7), :2])]


def added(level: bpy.types.Collection, *where: tuple[float, float, float]) -> None:
    mesh = terrain(level).data
    mesh.vertices.add(len(where))
    for number, one in enumerate(where, len(mesh.vertices) - len(where)):
        mesh.vertices[number].co = one


def test_vertices_outside_are_of_no_cell_and_those_inside_are_there_twice():
    level = imported(DATA)
    outside = [(-1, 3, 0), (65, 3, 0), (3, -1, 0), (3, 33, 0), (40, 40, 0), (3.5, 3, 0)]
    inside = [(0, 0, 0), (64, 32, 0), (64, 0, 0), (0, 32, 5), (40, 20, 0)]
    added(level, *outside, *inside)
    error = refused(level, "5 vertices are where another one is; 6 vertices are not of a cell")
    assert places(level, error) == sorted((float(x), float(y)) for x, y, _ in [*outside, *inside])


@pytest.mark.parametrize(("x", "y", "around"), [(0, 32, 3), (64, 0, 3), (33, 32, 5), (40, 20, 8)])
def test_those_beside_a_cell_without_a_vertex_are_selected(x, y, around):
    level = imported(DATA)
    mesh = bmesh.new()
    mesh.from_mesh(terrain(level).data)
    mesh.verts.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.verts[at(x, y)]], context="VERTS")
    mesh.to_mesh(terrain(level).data)
    error = refused(level, f"1 cell has no vertex, the first at x {x}, y {y}")
    beside = [(float(x + i), float(y + j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    assert places(level, error) == sorted(one for one in beside if 0 <= one[0] < COLUMNS and 0 <= one[1] < ROWS)
    assert len(error.points[terrain(level)]) == around


# ---- values


def test_heights():
    level = imported(DATA)
    values = positions(terrain(level))
    for z, clamped in ((0.0, None), (TOP, None), (-(2.0**-20), 0.0), (2048.0, TOP), (float("inf"), TOP)):
        values[at(50, 7), 2] = z
        place(terrain(level), values)
        if clamped is not None:
            refused(level, "1 vertex: a height isn't at least 0 and less than 2048")
        after = exported(level, clamp=True)
        assert changed_cells(DATA, after) == {(50, 7): {"height"}}
        assert fable.heights(fable.read(after).cells)[7, 50] == (z if clamped is None else clamped)


@pytest.mark.parametrize("name", layout.CELL_FIELDS)
def test_attributes_of_a_cell(name):
    """Each is one byte; a theme is also a slot that the palette has: 0 and 1 to 5 here."""
    level = imported(DATA)
    obj, field = terrain(level), layout.CELL_FIELDS[name]
    if field.field == "strengths":
        set_values(obj, f"strength_{2 - field.part}", at(50, 7), 0)
    for value in (-1, 0, 255, 256):
        set_values(obj, name, at(50, 7), value)
        if wrong := value not in range(6 if field.field == "themes" else 256):
            what = "is a slot that the palette doesn't use" if field.field == "themes" else "isn't within 0 and 255"
            error = refused(level, f"1 vertex: attribute {name} {what}", clamp=field.field == "themes")
            assert places(level, error) == [(50, 7)]
        if not wrong or field.field != "themes":
            made = fable.read(exported(level, clamp=wrong)).cells[7, 50]
            assert field.of(made) == min(max(value, 0), 255)


@pytest.mark.parametrize("name", layout.GAME_FIELDS)
def test_attributes_of_a_game_map_cell(name):
    """Atmospheres are slots that the palette has, 0 to 2 here; there are two sounds, and 0 is none."""
    level = imported(DATA)
    obj, field = game_map(level), layout.GAME_FIELDS[name]
    bytes_ = field.field == "strengths"
    what = {"strengths": "isn't within 0 and 255", "themes": "is a slot that", "sound": "isn't the number of a sound"}
    if bytes_:
        set_values(obj, f"strength_{2 - field.part}", 20, 0)
    for value in (-1, 0, 2, 3, 255, 256):
        set_values(obj, name, 20, value)
        if wrong := value not in range(256 if bytes_ else 3):
            error = refused(level, f"1 face: attribute {name} {what[field.field]}", clamp=not bytes_)
            assert {one: faces.tolist() for one, faces in error.faces.items()} == {obj: [20]}
        if not wrong or bytes_:
            made = fable.read(exported(level, clamp=wrong)).game_map[1, 4]
            assert field.of(made) == min(max(value, 0), 255)


@pytest.mark.parametrize("part", ["cells", "game_map"])
def test_strengths_are_255_in_all(part):
    """The first one is kept, and the second cut; the third is what is left."""
    level = imported(DATA)
    obj, columns = (terrain(level), COLUMNS) if part == "cells" else (game_map(level), 16)
    for first, second, allowed in ((200, 55, True), (200, 56, False), (0, 255, True)):
        set_values(obj, "strength_1", 20, first)
        set_values(obj, "strength_2", 20, second)
        if not allowed:
            refused(level, "1 .*: the strengths are more than 255 in all")
        made = getattr(fable.read(exported(level, clamp=not allowed)), part)["strengths"]
        assert made[20 // columns, 20 % columns].tolist() == [first, second if allowed else 255 - first]


@pytest.mark.parametrize("name", layout.FLAGS)
def test_flags_that_a_modifier_made_numbers(name):
    level = imported(DATA)
    mesh = terrain(level).data
    was = np.array([one.value for one in mesh.attributes[name].data], np.float32)
    mesh.attributes.remove(mesh.attributes[name])
    mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", was)
    for value, flag in ((0.0, False), (0.499, False), (0.5, True), (2.0, True)):
        set_values(terrain(level), name, [at(50, 7), at(51, 7)], value)
        after = exported(level)
        assert fable.read(after).cells[name][7, 50:52].astype(bool).tolist() == [flag, flag]
        assert set(changed_cells(DATA, after)) <= {(50, 7), (51, 7)}


# ---- levels of the scene alone


def test_a_level_built_as_new_has_all_that_its_cells_say():
    """But for what no scene shows, it is what it was."""
    level = imported(DATA)
    made, was = fable.read(exported(level, build_as_new=True)), fable.read(DATA)
    assert (made.width, made.height) == (64, 32)
    for name in ("height", *layout.FLAGS, "themes", "strengths", "old_sound"):
        np.testing.assert_array_equal(made.cells[name], was.cells[name], name)
    for name in ("themes", "strengths", "sound"):
        np.testing.assert_array_equal(made.game_map[name], was.game_map[name], name)
    for palette in ("ground_palette", "atmosphere_palette"):
        assert fable.palette_names(getattr(made, palette)) == fable.palette_names(getattr(was, palette))
    assert made.sounds == was.sounds
    for name in ("thing_uid_counter", "checksum", "map_version"):
        assert int(made.map_header[name]) == int(was.map_header[name])
    assert [one.name for one in made.sections] == []


def test_painted_weights_count_in_a_level_built_as_new():
    level = imported(DATA)
    paint(terrain(level), "ROCK", [at(8, 4)], 0.4)  # 191 grass, 64 sand
    cells = fable.read(exported(level, build_as_new=True)).cells
    assert cells["themes"][4, 8].tolist() == [2, 3, 4]
    assert cells["strengths"][4, 8].tolist() == [115, 38]


@pytest.mark.parametrize("axis", [0, 1])
def test_a_new_levels_vertices_are_within_reach(axis):
    level = imported(DATA)
    values = positions(terrain(level))
    values[:, axis] += 2.0**15 - values[:, axis].max()
    place(terrain(level), values)
    assert refused(level, "Terrain: its vertices are too far away", build_as_new=True).objects == [terrain(level)]
    values[:, axis] -= 1
    place(terrain(level), values)
    assert refused(level, "sides are multiples of 32", build_as_new=True).objects == [terrain(level)]


def test_a_new_level_has_vertices():
    level = imported(DATA)
    terrain(level).data.clear_geometry()
    assert refused(level, "Terrain: it has no vertices", build_as_new=True).objects == [terrain(level)]


# ---- the first of several


def test_costs_of_leaves_are_in_sections_since_version_7():
    data = LEVEL.but(sections=((b"NULL", build.section([build.leaf(0, 16.0, 16.0, 1)], version=7)),)).build()
    level = imported(data)
    part(level, layout.LEAVES, 0).data.attributes["preference"].data[0].value = 64
    assert fable.read(exported(level)).sections[0].navigation.nodes["preference"].tolist() == [64]


def test_the_layer_of_an_action_point_is_a_whole_number():
    section = build.section([build.leaf(0, 16.0, 16.0, 1)], positions=[(1.0, 2.0, 0)])
    level = imported(LEVEL.but(sections=((b"NULL", section),)).build())
    part(level, layout.ACTION_POINT, 0)[layout.POINT_LAYER] = 0.0
    refused(level, "property layer: 0.0 isn't the number of a layer")


def test_the_first_free_slot_is_2():
    level = imported(LEVEL.but(ground=LEVEL.ground[:2], cell=lambda x, y: build.height_cell(0, (1, 0, 0))).build())
    paint(terrain(level), "LAVA", [4], 1.0)
    made = fable.read(exported(level, unknown_themes="add"))
    assert fable.palette_names(made.ground_palette)[2] == "LAVA"
