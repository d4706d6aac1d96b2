# SPDX-License-Identifier: GPL-3.0-or-later
"""What mappers expect of edits: nothing that wasn't shown goes, new content is as the editor makes it.

What is written is read again by `ns2_reread`, which shares nothing with the library.
"""

import struct
from dataclasses import replace

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import clipboard
from levelwright.addon.ns2.layers import lists, visibility
from levelwright.addon.scene import attributes
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import edited, exported, faces, geometry, imported
from tests.addon.ns2.test_lists import editing, item, seen_faces
from tests.formats import ns2_bytes as nb
from tests.formats.ns2_bytes import HOLED, Face, Shape, whole
from tests.formats.ns2_reread import reread

USUAL = struct.unpack("<5I", struct.pack("<5f", 0, 0, 0, *[8 / 1024 / 0.0254] * 2))
"""The bits of angle, offset and scale of what the editor calls scale 1."""


def with_unshown() -> bytes:
    """A level of which two faces can't be shown: one twice, in a layer, and one of two corners."""
    shape = Shape(**HOLED.__dict__)
    twin = Face(HOLED.faces[2].loops, -2.5, layers=nb.mask(200), triangles=HOLED.faces[2].triangles)
    line = Face([[(0, 0), (1, 0)]], 1.25)
    shape = Shape(**{**HOLED.__dict__, "faces": (*HOLED.faces, twin, line)})
    level = ns2.read(whole(10))
    level.mesh = ns2.read(nb.level(10, mesh=nb.mesh(10, shape))).mesh
    return ns2.write(level)


def all_of(data: bytes) -> list[tuple]:
    """What faces are, whatever their numbers and those of their vertices and materials are."""
    made = reread(data)
    return sorted((made.corners(face), face.texture, face.group, face.material, face.layers) for face in made.faces)


def test_build_as_new_keeps_faces_that_the_import_left_out_and_all_textures_to_the_bit():
    data = with_unshown()
    report = Report()
    made = exported(imported(data), report, build_as_new=True)
    assert len(reread(data).faces) == 5
    assert all_of(made) == all_of(data)
    assert reread(made).groups == reread(data).groups
    assert not report.warnings


def test_build_as_new_takes_along_nothing_that_no_face_needs():
    level = ns2.read(whole(10))
    level.mesh.vertices = np.concatenate([level.mesh.vertices, level.mesh.vertices[:3]])
    level.mesh.materials = [*level.mesh.materials, "materials/unused.material"]
    made = exported(imported(ns2.write(level)), build_as_new=True)
    used = {vertex for face in reread(made).faces for loop in face.loops for vertex in loop}
    assert used == set(range(len(reread(made).vertices)))
    assert "materials/unused.material" not in ns2.read(made).mesh.materials


def test_build_as_new_still_builds_edits_and_leaves_layers_that_were_removed():
    level = imported(with_unshown(), invisible="show")
    with edited(geometry(level)) as mesh:
        bmesh.ops.delete(mesh, geom=faces(mesh, 1), context="FACES_ONLY")
    at = next(at for at, entry in enumerate(lists.entries(level, "layers")) if lists.unsigned(entry.number) == 200)
    lists.lists_of(level).active_layer = at
    bpy.ops.levelwright.ns2_remove_entry(kind="layers")
    made = reread(exported(level, build_as_new=True))
    assert len(made.faces) == 4
    assert not any(200 in face.layers for face in made.faces)


def test_build_as_new_says_when_the_imported_file_is_lost():
    level = imported(whole(10))
    del level["levelwright_original"]
    report = Report()
    assert len(reread(exported(level, report, build_as_new=True)).faces) == 3
    assert any("faces that the import left out aren't written" in line for line in report.warnings)


def textures_of_half_turns() -> bytes:
    """A level whose textures have another set of parameters that gives the same picture."""
    level = ns2.read(whole(10))
    records = level.mesh.faces.records.copy()
    records["mapping_group"] = ns2.NO_MAPPING_GROUP
    records["angle"], records["scale"], records["offset"] = 2.75, (-0.30758, 0.61516), (3.25, -7.5)
    level.mesh.faces = replace(level.mesh.faces, records=records)
    level.mesh.mapping_groups = level.mesh.mapping_groups[:0]
    return ns2.write(level)


def test_pasted_faces_have_the_numbers_that_they_had():
    level, other = imported(textures_of_half_turns()), imported(whole(10), "other.level")
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == geometry(level))
    data = clipboard.copy(bpy.context, level, clipboard.ExportSettings(), Report())
    clipboard.paste(bpy.context, other, data, Report())
    made = reread(exported(other)).faces[3:]
    assert [face.texture for face in made] == [reread(textures_of_half_turns()).faces[0].texture] * 3


def test_pasted_faces_that_were_mapped_anew_have_other_numbers():
    level, other = imported(textures_of_half_turns()), imported(whole(10), "other.level")
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == geometry(level))
    data = clipboard.copy(bpy.context, level, clipboard.ExportSettings(), Report())
    pasted = clipboard.paste(bpy.context, other, data, Report())[0]
    uvs = attributes.read(pasted.data, "UVMap", "CORNER")
    pasted.data.uv_layers["UVMap"].uv.foreach_set("vector", (uvs + np.float32(0.25)).reshape(-1))
    offsets = [
        struct.unpack("<2f", struct.pack("<2I", *face.texture[1:3])) for face in reread(exported(other)).faces[3:]
    ]
    assert np.array(offsets) == pytest.approx(np.array([(3.5, -7.75)] * 3), abs=1e-5)


def test_faces_that_came_from_another_level_have_the_numbers_that_they_had():
    one, other = imported(textures_of_half_turns()), imported(whole(10), "other.level")
    guest = geometry(one)
    one.objects.unlink(guest)
    other.objects.link(guest)
    made = reread(exported(other)).faces[3:]
    assert [face.texture for face in made] == [reread(textures_of_half_turns()).faces[0].texture] * 3


# ---------------------------------------------------------------------------------------------------------- what is off


def mostly_off() -> bytes:
    level = ns2.read(whole(10))
    level.layers = [replace(layer, visible=0) for layer in level.layers]
    return ns2.write(level)


def test_a_level_that_opens_mostly_hidden_says_so():
    report = Report()
    from levelwright.addon.ns2.importer import import_level
    from levelwright.addon.ns2.settings import ImportSettings

    import_level(bpy.context, mostly_off(), "dark.level", ImportSettings(), report)
    assert report.counts["faces in layers that are switched off"] == 2
    assert any("2 of 3 faces are in layers or groups that are switched off" in line for line in report.warnings)
    report = Report()
    import_level(bpy.context, mostly_off(), "shown.level", ImportSettings(layers="all"), report)
    assert not any("switched off" in line for line in report.warnings)


def test_show_all_layers_shows_them_and_the_level_stays_as_it_is():
    level = imported(mostly_off(), invisible="show")
    assert seen_faces(geometry(level)) == {2}
    lists.lists_of(level).show_all = True
    assert seen_faces(geometry(level)) == {0, 1, 2}
    assert not any(obj.hide_viewport for obj in level.all_objects)
    assert exported(level) == mostly_off()
    assert exported(imported(mostly_off(), "all.level", layers="all")) == mostly_off()


def test_solo_shows_what_is_in_some_alone_and_brings_the_rest_back():
    level = imported(whole(10), invisible="show")
    hidden_by_hand = next(obj for obj in level.all_objects if obj.get("class_name") == "func_moveable")
    item(level, "layers", 200).solo = True
    assert seen_faces(geometry(level)) == {0}
    shown = [obj.get("class_name") for obj in level.all_objects if not obj.hide_viewport and obj.get("class_name")]
    assert shown == ["prop_static"]
    assert hidden_by_hand.hide_viewport
    item(level, "groups", 2).solo = True
    assert exported(level) == whole(10)
    for kind, number in (("layers", 200), ("groups", 2)):
        item(level, kind, number).solo = False
    assert seen_faces(geometry(level)) == {0, 1, 2}
    assert not any(obj.hide_viewport for obj in level.all_objects)
    assert exported(level) == whole(10)


def test_solo_shows_also_what_is_switched_off():
    level = imported(mostly_off())
    item(level, "layers", 200).solo = True
    item(level, "groups", 1).solo = True
    assert seen_faces(geometry(level)) == {0, 2}, "a layer that is off, and a group that the game doesn't draw"
    assert exported(level) == mostly_off()


# --------------------------------------------------------------------------------------------------------- what is new


def cube(level: bpy.types.Collection) -> bpy.types.Object:
    """A cube of 2 m with Blender's own UVs, in a level."""
    mesh = bpy.data.meshes.new("cube")
    made = bmesh.new()
    made.loops.layers.uv.new("UVMap")
    bmesh.ops.create_cube(made, size=2, calc_uvs=True)
    made.to_mesh(mesh)
    made.free()
    obj = bpy.data.objects.new("cube", mesh)
    level.objects.link(obj)
    return obj


def test_new_faces_lie_as_the_editor_lays_them_or_as_their_uvs():
    level = imported(whole(10))
    cube(level)
    report = Report()
    made = reread(exported(level, report)).faces[3:]
    assert [face.texture for face in made] == [USUAL] * 6
    assert any("6 new faces lie as the editor lays new ones" in note for note in report.notes)
    by_uv = reread(exported(level, new_textures="uv")).faces[3:]
    assert not any(face.texture == USUAL for face in by_uv)


def test_texture_lock_is_an_option():
    level = imported(textures_of_half_turns())
    geometry(level).location = (0.5, 0.25, 1)
    before = reread(textures_of_half_turns()).faces
    loose = reread(exported(level, texture_lock=False)).faces
    assert [face.texture for face in loose] == [face.texture for face in before]
    locked = reread(exported(level)).faces
    assert not any(face.texture == one.texture for face, one in zip(locked, before, strict=True))
    assert [face.texture[0] for face in locked] == [face.texture[0] for face in before], "only moved: the angle stays"


def number(found: tuple[int, bytes]) -> float:
    return struct.unpack("<f", found[1])[0]


def test_a_new_light_is_the_editors_new_light_unless_it_was_set():
    level = imported(whole(10))
    for name, power in (("new", 10.0), ("set", 1000.0)):
        light = bpy.data.lights.new(name, "POINT")
        light.energy = power
        level.objects.link(bpy.data.objects.new(name, light))
    new, was_set = (found for _, found in reread(exported(level)).objects[-2:])
    assert number(new["distance"]) == pytest.approx(2, rel=1e-6)
    assert number(new["intensity"]) == pytest.approx(5, rel=1e-6)
    assert number(was_set["distance"]) == pytest.approx(6.366, abs=1e-3)
    assert number(was_set["intensity"]) == pytest.approx(5, rel=1e-6)


def test_an_entity_made_by_its_class_alone_has_all_keys_of_the_class():
    level = imported(whole(10))
    obj = bpy.data.objects.new("sound", None)
    obj["class_name"], obj["volume"] = "ambient_sound", 0.75
    level.objects.link(obj)
    name, found = reread(exported(level)).objects[-1]
    assert name == "ambient_sound"
    assert {"origin", "angles", "eventName", "radius", "minFalloff", "maxFalloff", "positioning"} <= set(found)
    assert number(found["volume"]) == 0.75
    assert number(found["radius"]) == 12.5


def test_keys_of_the_games_own_classes_are_there_too(tmp_path):
    (tmp_path / "materials").mkdir()
    (tmp_path / "editor_setup.xml").write_text(
        '<classes><class name="mod_thing"><parameter name="speed" type="real" default="3"/></class></classes>'
    )
    (tmp_path / "maps").mkdir()
    level = imported(whole(10), tmp_path / "maps" / "x.level")
    obj = bpy.data.objects.new("thing", None)
    obj["class_name"] = "mod_thing"
    level.objects.link(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "maps" / "x.blend"))
    assert number(reread(exported(level)).objects[-1][1]["speed"]) == 3


# ------------------------------------------------------------------------------------------------------ what was hidden


def test_dissolving_edges_of_hidden_faces_is_no_warning():
    level = imported(whole(10))
    item(level, "layers", 3).visible = False
    obj = geometry(level)
    assert not visibility.is_applied(level)
    with editing(obj) as mesh:
        ids = mesh.faces.layers.int["record_id"]
        hidden = [face for face in mesh.faces if face[ids] in (1, 2)]
        for face in hidden:
            face.hide_set(False)
        bmesh.ops.dissolve_faces(mesh, faces=hidden)
    report = Report()
    assert len(reread(exported(level, report)).faces) < 3
    assert not any("hidden" in line for line in report.warnings)
