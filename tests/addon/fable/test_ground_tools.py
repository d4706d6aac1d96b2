# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that put things onto the ground, add things, and mend the edges between levels."""

import re

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.new_level import new_level
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.fable.things import operators
from levelwright.addon.fable.things import place as things
from levelwright.addon.fable.worlds import seams
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable

from tests.addon.fable.export_helpers import LEVEL, activate, exported, imported, paint, place, positions, terrain
from tests.addon.fable.thing_helpers import TNG, both, difference, opened, thing
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb
from tests.samples import fable_vale


def raised(level: bpy.types.Collection, by: float, where: slice = slice(None)) -> None:
    at = positions(terrain(level))
    at[where, 2] += by
    place(terrain(level), at)


def heights_above(data: dict[str, bytes]) -> list[float]:
    """How high each thing of a `.tng` stands over the cells of its `.lev`, read by text and by struct alone."""
    lev, tng = data[".lev"], data[".tng"].decode("latin-1")
    level = fable.read(lev)
    z = level.cells["height"].astype(np.float64) * 2048
    found = []
    for block in tng.split("NewThing ")[1:]:
        at = [re.search(rf"Position{axis} (\S+);", block) for axis in "XYZ"]
        if all(at):
            x, y, height = (float(one.group(1)) for one in at)
            left, low = int(x), int(y)
            u, v = x - left, y - low
            quad = z[low : low + 2, left : left + 2]
            found.append(height - (quad[0] @ [1 - u, u] * (1 - v) + quad[1] @ [1 - u, u] * v))
    return found


# ---- things and ground


def vale() -> bpy.types.Collection:
    path = fable_vale.LEVEL
    return import_level(bpy.context, path.read_bytes(), path, ImportSettings(), Report())


def parts(level: bpy.types.Collection) -> dict[str, bytes]:
    lev, tng = both(level)
    return {".lev": lev, ".tng": tng.encode("latin-1")}


def test_things_keep_their_height_above_ground_that_was_sculpted():
    level = vale()
    before = parts(level)
    assert things.follow_ground(bpy.context, level) == 0
    assert parts(level) == before, "nothing was sculpted"
    at = positions(terrain(level))
    at[:, 2] += np.maximum(0, 10 - np.hypot(at[:, 0] - 40, at[:, 1] - 10)).astype(np.float32)
    place(terrain(level), at)
    moved = things.follow_ground(bpy.context, level)
    after = parts(level)
    assert 0 < moved < 13
    np.testing.assert_allclose(heights_above(after), heights_above(before), atol=2e-5)
    lines = difference(after[".tng"].decode(), before[".tng"].decode())
    assert len([line for line in lines if line[0] == "+"]) <= 2 * moved, "their heights, and where creatures start"
    assert all(re.match(r"[+-] (PositionZ|InitialPosZ) ", line) for line in lines)
    assert things.follow_ground(bpy.context, level) == 0, "they did already"


def test_in_a_level_made_in_blender_things_follow_from_the_second_time_on():
    level = new_level(bpy.context, "Mine", 32, 32, z=5)
    post = bpy.data.objects.new("Post", None)
    post["DefinitionType"], post.location = "MARKER_BASIC", (4, 4, 7)
    next(one for one in level.children if one.name.startswith("Things")).objects.link(post)
    assert things.follow_ground(bpy.context, level) == 0
    raised(level, 3)
    assert things.follow_ground(bpy.context, level) == 1
    assert post.location.z == 10


def test_dropped_things_stand_on_the_ground():
    level = opened()
    bed = thing(level, 0)
    activate(bed)
    assert bpy.ops.levelwright.fable_drop() == {"FINISHED"}
    assert difference(both(level)[1]) == ["- PositionZ  3.2318270;", "+ PositionZ  0.0;"]
    bed.select_set(False)
    with pytest.raises(RuntimeError, match="No object is selected"):
        bpy.ops.levelwright.fable_drop()


def test_cells_that_were_moved_stop_the_tools():
    level = opened()
    at = positions(terrain(level))
    at[40, 0] += 3
    place(terrain(level), at)
    with pytest.raises(SceneError, match="cells stay where they are"):
        things.follow_ground(bpy.context, level)


# ---- new things


def test_a_thing_is_added_on_the_ground_like_those_that_there_are():
    level = opened()
    raised(level, 2.5)
    assert list(things.definitions(bpy.context)) == [
        "AICreature CREATURE_BANDIT",
        "Holy Site HOLY_SITE_BASIC",
        "Marker MARKER_BASIC",
        "Thing NAVIGATION_SEED",
    ]
    assert [shown for _, shown, _ in operators._listed(None, bpy.context)] == [
        "CREATURE_BANDIT",
        "HOLY_SITE_BASIC",
        "MARKER_BASIC",
        "NAVIGATION_SEED",
    ]
    bpy.context.scene.cursor.location = (10, 12.5, 99)
    assert bpy.ops.levelwright.fable_add_thing(definition="AICreature CREATURE_BANDIT") == {"FINISHED"}
    made = bpy.context.view_layer.objects.active
    assert tuple(made.location) == (10, 12.5, 2.5) and made.select_get()
    text = both(level)[1]
    block = text.split("NewThing AICreature;")[2]
    for line in ("ScriptName NULL;", "PositionX 10.0;", "PositionY 12.5;", "PositionZ 2.5;", "InitialPosX 2602.0;",
                 "InitialPosY 2124.5;", "InitialPosZ 2.5;", "Colour CRGBColour(130,60,5,255);"):  # fmt: skip
        assert line in block, line
    assert "UID 18446741874686296141;" in block, "of the level's counter"
    assert difference(text)[0].startswith("+ "), "nothing is gone"
    assert not [line for line in difference(text) if line.startswith("-")]


def test_beside_the_level_nothing_is_added():
    level = opened()
    bpy.context.scene.cursor.location = (-1, 0, 0)
    with pytest.raises(SceneError, match="isn't over the level"):
        things.add_thing(bpy.context, level, "Marker MARKER_BASIC")
    with pytest.raises(SceneError, match="no level of the scene has a thing 'Object X'"):
        things.add_thing(bpy.context, level, "Object X")


def test_a_thing_of_another_level_is_new_here():
    other = opened()
    level = imported(fb.Lev().build(), "other.lev")
    assert "Marker MARKER_BASIC" in things.definitions(bpy.context)
    bpy.context.scene.cursor.location = (3, 4, 0)
    things.add_thing(bpy.context, level, "Marker MARKER_BASIC")
    report = Report()
    made = both(level, report)[1]
    assert 'DefinitionType "MARKER_BASIC";' in made and "PositionX 3.0;" in made
    assert not any("come from another level" in line for line in report.warnings)
    assert both(other)[1] == TNG


# ---- seams


def neighbours() -> tuple[bpy.types.Collection, bpy.types.Collection]:
    """Two levels side by side, alike along their edge but for what the test changes."""
    west = imported(
        LEVEL.but(sections=(), cell=lambda x, y: fb.height_cell(y / 2048, (2, 3, 0), (200, 55))).build(), "west.lev"
    )
    other = ((b"", 0), (b"INVALID_THEME_STANDIN", 9), (b"SAND", 1), (b"GRASS", 2), (b"SNOW", 3))
    east = imported(
        LEVEL.but(sections=(), ground=other, cell=lambda x, y: fb.height_cell(y / 2048, (3, 2, 0), (200, 55))).build(),
        "east.lev",
    )
    part(east, layout.ROOT, 0).location.x = 32
    return west, east


def test_levels_that_agree_have_nothing_to_mend():
    west, east = neighbours()
    for one, other in ((west, east), (east, west)):
        (seam,) = seams.seams(bpy.context, one)
        assert seam.neighbour == other and len(seam.own) == 33
        assert not seam.heights.any() and not seam.themes.any(), "slots differ, names don't"
    assert seams.mend(bpy.context, west) == (0, 0)
    part(east, layout.ROOT, 0).location = (32, 32, 0)
    assert seams.seams(bpy.context, west) == [], "a corner is no seam"


def test_heights_and_themes_along_a_seam_are_shown_and_mended():
    west, east = neighbours()
    at = positions(terrain(east))
    at[5 * 33, 2] += 4
    at[5 * 33 + 1, 2] += 4
    place(terrain(east), at)
    for theme, weight in (("SNOW", 1.0), ("GRASS", 0.0), ("SAND", 0.0)):
        paint(terrain(east), theme, [9 * 33], weight)
    (seam,) = seams.seams(bpy.context, west)
    assert np.flatnonzero(seam.heights).tolist() == [5] and np.flatnonzero(seam.themes).tolist() == [9]
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[west.name]
    assert bpy.ops.levelwright.fable_show_seams() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH", "selected vertices are seen nowhere else"
    mesh = terrain(west).data
    assert [vertex.index for vertex in mesh.vertices if vertex.select] == [5 * 33 + 32, 9 * 33 + 32]
    before = fable.read(exported(west))
    assert bpy.ops.levelwright.fable_mend_seams() == {"FINISHED"}
    assert bpy.context.mode == "OBJECT"
    after = fable.read(exported(west))
    assert "SNOW" in lists.get(west).themes
    changed = np.argwhere(after.cells != before.cells).tolist()
    assert changed == [[5, 32], [9, 32]]
    assert after.cells["height"][5, 32] * 2048 == 5 + 4
    snow = fable.palette_names(after.ground_palette).index("SNOW")
    assert after.cells["themes"][9, 32].tolist()[0] == snow or snow in after.cells["themes"][9, 32].tolist()
    shown = dict(zip(after.cells["themes"][9, 32].tolist(), fable.strengths(after.cells[9, 32]).tolist(), strict=True))
    assert shown[snow] == 255
    assert seams.mend(bpy.context, west) == (0, 0)
    assert bpy.ops.levelwright.fable_show_seams() == {"FINISHED"}
    assert bpy.context.mode == "OBJECT" and not any(vertex.select for vertex in terrain(west).data.vertices)
    assert not fable.check(after)


def test_a_corner_that_neighbours_fight_over_stays():
    west, _east = neighbours()
    north = imported(LEVEL.but(sections=(), cell=lambda x, y: fb.height_cell(77 / 2048)).build(), "north.lev")
    part(north, layout.ROOT, 0).location.y = 32
    before = fable.read(exported(west)).cells
    heights, _ = seams.mend(bpy.context, west)
    after = fable.read(exported(west)).cells
    assert heights == 32
    assert (after["height"][32, :32] * 2048 == 77).all() and after["height"][32, 32] == before["height"][32, 32]


def test_without_a_neighbour_it_is_said():
    imported(fb.Lev().build())
    with pytest.raises(RuntimeError, match="No other level touches this one"):
        bpy.ops.levelwright.fable_show_seams()
