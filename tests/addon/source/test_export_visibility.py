# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals and occluders that are edited in Blender, back in the map as far as their lumps go."""

import math

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, copied, removed
from tests.formats import source_portals
from tests.formats.source_portals import ALONE, FIRST, KEY, PORTAL, SECOND, moved, occluder, portal

LEVEL = bytes(source_portals.source.write(source_portals.room()))


def scene() -> Scene:
    return Scene(LEVEL, static_props="none")


def attribute(obj: bpy.types.Object, name: str) -> bpy.types.Attribute:
    return obj.data.attributes[name]


def without(obj: bpy.types.Object, *faces: int) -> None:
    """Delete faces of a mesh."""
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    bmesh.ops.delete(edited, geom=[edited.faces[face] for face in faces], context="FACES")
    edited.to_mesh(obj.data)
    edited.free()


# -------------------------------------------------------------------------------------------------------- area portals


def test_unedited_they_stay_as_they_are() -> None:
    here = scene()
    assert here.export().file.write() == LEVEL
    assert here.report.warnings == []
    doors, hiding = here.objects(layout.AREAPORTALS)[0], here.objects(layout.OCCLUDERS)[0]
    assert [each.value for each in attribute(doors, layout.PORTAL_KEY).data] == [KEY]
    assert [each.value for each in attribute(hiding, layout.OCCLUDER).data] == [0, 0, 1]
    assert [each.value for each in attribute(hiding, layout.OCCLUDER_FLAGS).data] == [0, 0, 1]
    assert [each.value for each in attribute(hiding, layout.OCCLUDER_AREA).data] == [1, 1, 2]


def test_a_portal_is_moved_and_reshaped() -> None:
    here = scene()
    obj = here.objects(layout.AREAPORTALS)[0]
    obj.location.z = 8
    made = here.export()
    assert here.changed(made) == ["CLIPPORTALVERTS"]
    assert portal(made, 1) == moved(PORTAL, 0, 0, 8)
    obj.location.z = 0
    obj.data.vertices[2].co.y = 32
    assert portal(here.export(), 1) == [*PORTAL[:2], (0, 32, 96), PORTAL[3]]
    again = Scene(bytes(here.export().file.write()), static_props="none").objects(layout.AREAPORTALS)[0]
    assert [tuple(vertex.co) for vertex in again.data.vertices] == [*PORTAL[:2], (0, 32, 96), PORTAL[3]]
    obj.data.vertices[2].co.x = 20
    with pytest.raises(SceneError, match="a face of area portal 7 isn't flat") as caught:
        here.export()
    assert caught.value.faces[obj].tolist() == [0]


def test_a_portal_gets_another_key() -> None:
    here = scene()
    obj = here.objects(layout.AREAPORTALS)[0]
    attribute(obj, layout.PORTAL_KEY).data[0].value = 9
    made = here.export()
    assert here.changed(made) == ["AREAPORTALS"]
    assert made.table(LumpId.AREAPORTALS)["portal_key"].tolist() == [0, 9, 9]
    assert any("portal 7 is 9 now: its entity's portalnumber" in warning for warning in here.report.warnings)
    obj.data.vertices[2].co.y = 32
    with pytest.raises(SceneError, match="9 is the key of no area portal") as caught:
        here.export()
    assert caught.value.faces[obj].tolist() == [0]


def test_portals_that_swap_their_keys_stay_where_they_are() -> None:
    level = source_portals.room()
    records = level.table(LumpId.AREAPORTALS)
    level.set_table(LumpId.CLIPPORTALVERTS, np.concatenate([level.table(LumpId.CLIPPORTALVERTS)[:8]] * 2))
    twice = np.concatenate([records, records[1:]])
    twice["portal_key"][3:], twice["first_clip_portal_vert"][3:] = 9, [8, 12]
    level.set_table(LumpId.AREAPORTALS, twice)
    points = level.table(LumpId.CLIPPORTALVERTS).copy()
    points["point"][8:, 1] += 4
    level.set_table(LumpId.CLIPPORTALVERTS, points)
    here = Scene(bytes(source_portals.source.write(level)), static_props="none")
    keys = attribute(here.objects(layout.AREAPORTALS)[0], layout.PORTAL_KEY).data
    keys[0].value, keys[1].value = 9, 7
    made = here.export()
    assert here.changed(made) == ["AREAPORTALS"]
    assert made.table(LumpId.AREAPORTALS)["portal_key"].tolist() == [0, 9, 9, 7, 7]
    keys[0].value = 7
    with pytest.raises(SceneError, match="area portal 7 has several faces") as caught:
        here.export()
    assert caught.value.faces[here.objects(layout.AREAPORTALS)[0]].tolist() == [0, 1]


def test_what_area_portals_cannot_be() -> None:
    here = scene()
    obj = here.objects(layout.AREAPORTALS)[0]
    other = copied(obj)
    with pytest.raises(SceneError, match="area portals are one object") as caught:
        here.export()
    assert set(caught.value.objects) == {obj, other}
    removed(other)
    without(obj, 0)
    with pytest.raises(SceneError, match="area portals 7 are gone") as caught:
        here.export()
    assert caught.value.objects == [obj]
    obj.data.attributes.remove(attribute(obj, layout.PORTAL_KEY))
    with pytest.raises(SceneError, match="lost the attribute portal_key"):
        here.export()
    removed(obj)
    assert here.export().file.write() == LEVEL
    assert here.report.warnings == ["Area Portals can't be taken out of a map: they were deleted, in the map they stay"]


# ----------------------------------------------------------------------------------------------------------- occluders


def test_occluders_are_moved_and_reshaped() -> None:
    here = scene()
    obj = here.objects(layout.OCCLUDERS)[0]
    obj.data.vertices[0].co.z = obj.data.vertices[3].co.z = 8
    made = here.export()
    assert occluder(made, 0) == [[(-200, -64, 8), *FIRST[1:3], (-200, 64, 8)], SECOND]
    assert made.occlusion.occluders["mins"][0].tolist() == [-200, -64, 8]
    assert set(here.changed(made)) == {"VERTEXES", "OCCLUSION"}
    again = Scene(bytes(made.file.write()), static_props="none")
    assert again.objects(layout.OCCLUDERS)[0].data.vertices[0].co.z == 8
    obj.data.vertices[6].co = (-180, -50, 20)
    with pytest.raises(SceneError, match="a face of occluder 0 isn't convex") as caught:
        here.export()
    assert caught.value.faces[obj].tolist() == [1]
    obj.data.vertices[6].co = SECOND[2]
    obj.data.vertices[0].co.z = obj.data.vertices[3].co.z = 16
    assert here.export().file.write() == LEVEL
    obj.location.x = 5
    made = here.export()
    assert occluder(made, 1) == [moved(ALONE, 5, 0, 0)]
    obj.rotation_euler.z = math.radians(90)  # x becomes y
    (loop,) = occluder(here.export(), 1)
    assert np.array(loop) == pytest.approx(np.array([(5 - y, x, z) for x, y, z in ALONE]), abs=1e-4)


def test_faces_of_occluders_go_to_others_and_away() -> None:
    here = scene()
    obj = here.objects(layout.OCCLUDERS)[0]
    attribute(obj, layout.OCCLUDER).data[1].value = 1
    with pytest.raises(SceneError, match="occluder 1 have several occluder_flags: 0, 1") as caught:
        here.export()
    assert caught.value.faces[obj].tolist() == [1, 2]
    attribute(obj, layout.OCCLUDER_FLAGS).data[1].value = 1
    attribute(obj, layout.OCCLUDER_AREA).data[1].value = 2
    made = here.export()
    assert (occluder(made, 0), occluder(made, 1)) == ([FIRST], [SECOND, ALONE])
    without(obj, 0)
    made = here.export()
    assert (occluder(made, 0), occluder(made, 1)) == ([], [SECOND, ALONE])
    assert any("occluders 0 are gone: they stay in the map" in warning for warning in here.report.warnings)


def test_flags_of_an_occluder() -> None:
    here = scene()
    obj = here.objects(layout.OCCLUDERS)[0]
    attribute(obj, layout.OCCLUDER_FLAGS).data[2].value = 0
    made = here.export()
    assert here.changed(made) == ["OCCLUSION"]
    assert made.occlusion.occluders["flags"].tolist() == [0, 0]
    attribute(obj, layout.OCCLUDER).data[2].value = 5
    with pytest.raises(SceneError, match="5 is the number of no occluder") as caught:
        here.export()
    assert caught.value.faces[obj].tolist() == [2]


def test_occluders_of_levels_that_0_3_0_saved() -> None:
    here = scene()
    obj = here.objects(layout.OCCLUDERS)[0]
    for name in (layout.OCCLUDER_FLAGS, layout.OCCLUDER_AREA):
        obj.data.attributes.remove(attribute(obj, name))
    assert here.export().file.write() == LEVEL
    obj.data.vertices[8].co.y -= 4
    assert here.export().occlusion.occluders["flags"].tolist() == [0, 1]


def test_a_modifier_counts() -> None:
    here = scene()
    obj = here.objects(layout.OCCLUDERS)[0]
    shift = obj.modifiers.new("shift", "DISPLACE")
    shift.direction, shift.strength, shift.mid_level = "Z", 8.0, 0.0
    assert occluder(here.export(), 1) == [moved(ALONE, 0, 0, 8)]
