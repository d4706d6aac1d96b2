# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as assets: brush entities with their brushes, sets of detail brushes, and maps that they are dragged into."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import assets
from levelwright.addon.scene.assets import Candidate
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source.assets import ASSETS
from levelwright.addon.source.kinds import kind_shown
from levelwright.formats import source
from levelwright.formats.source import LumpId, world
from levelwright.formats.source.records import Contents
from levelwright.formats.source.tree import brushes

from tests.addon.source.worlds import HALL, World
from tests.formats import source_door, source_hall

SAMPLE = (Path(__file__).parents[2] / "samples" / "source_room.bsp").read_bytes()


def pieces(data: bytes) -> list[Candidate]:
    level = World(data).level
    bpy.context.view_layer.update()
    return list(ASSETS.pieces(level))


def dragged(candidate: Candidate, into: World, place: tuple[float, float, float]) -> bpy.types.Object:
    """An asset that is dropped into a level, at a place in units."""
    made = assets.make(candidate, "Source", ASSETS)
    assert isinstance(made, bpy.types.Object)
    into.level.objects.link(made)
    made.location = np.array(place) * made.scale[0]
    bpy.context.view_layer.update()
    return made


def test_a_set_of_detail_brushes_becomes_brushes_of_the_world() -> None:
    found = pieces(HALL)
    sizes = [(np.array(high) - low).tolist() for low, high in source_hall.BOXES.values()]
    assert {one.key.rpartition("/")[2].rpartition(" ")[0] for one in found} == {
        " x ".join(f"{side:g}" for side in size) for size in sizes
    }
    crate = next(one for one in found if "64 x 64 x 64" in one.key)
    scene = World(HALL)
    made = dragged(crate, scene, (-100, 300, 64))
    with pytest.raises(SceneError, match="brushes were edited") as refused:
        scene.export()
    assert list(refused.value.objects) == [made]
    level = scene.edit()
    solids = brushes.solids(level)
    new = solids.polygons.positions[solids.polygons.corners[solids.polygons.first_corner[solids.first_side[-2]] :]]
    assert np.allclose([new.min(axis=0), new.max(axis=0)], [[-132, 268, 32], [-68, 332, 96]], atol=1e-3)
    assert level.table(LumpId.BRUSHES)["contents"][-1] == Contents.SOLID | Contents.DETAIL


@pytest.mark.parametrize("trigger", [False, True], ids=["door", "trigger"])
def test_a_brush_entity_brings_its_brushes(trigger: bool) -> None:
    (found,) = pieces(source.write(source_door.with_trigger() if trigger else source_door.with_door()))
    scene = World(HALL)
    made = dragged(found, scene, (100, 200, 64))
    assert made["classname"] == found.key == ("trigger_multiple" if trigger else "func_door")
    assert "targetname" not in made
    assert made.get("model") is None
    level = scene.export()
    entity = level.entities[-1]
    assert entity.classname == found.key
    assert entity.model == len(level.table(LumpId.MODELS)) - 1
    row = level.table(LumpId.MODELS)[entity.model]
    assert (row["maxs"] - row["mins"]).tolist() == [8, 48, 96]


def test_brushes_that_touch_are_one_asset_and_structural_ones_none() -> None:
    level = source.read(HALL)
    table = level.table(LumpId.BRUSHES).copy()
    table["contents"] &= np.uint32(0xFFFFFFFF ^ int(Contents.DETAIL))
    level.set_table(LumpId.BRUSHES, table)
    assert pieces(source.write(level)) == []
    level = source.read(HALL)
    texinfos = [source_hall.NODRAW_TEXINFO] * 6
    low, high = source_hall.BOXES[source_hall.CRATE]
    added = source_hall.box((low[0], low[1], high[2]), (high[0], high[1], high[2] + 32), texinfos)
    world.apply(level, world.WorldEdits(added=[added]))
    found = pieces(source.write(level))
    assert len(found) == len(source_hall.BOXES)
    assert [one for one in found if "64 x 64 x 96" in one.key]


@pytest.mark.parametrize("overlay", [True, False])
def test_overlays_and_decals_lie_flat(overlay: bool) -> None:
    made = World(SAMPLE).level
    bpy.context.view_layer.update()
    wanted = "overlay/" if overlay else "infodecal/"
    candidate = next(one for one in assets.candidates(made, ASSETS, kind_shown) if one.key.startswith(wanted))
    obj = assets.make(candidate, "Source", ASSETS)
    assert isinstance(obj, bpy.types.Object)
    assert isinstance(obj.data, bpy.types.Mesh)
    points = np.array([vertex.co for vertex in obj.data.vertices])
    assert np.allclose(points[:, 2], 0, atol=1e-4)
    assert np.allclose(points.mean(axis=0), 0, atol=1e-4)
    assert obj.data.polygons[0].normal.z == pytest.approx(1)
