# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of layers and groups: editing them, putting faces and objects in, hiding what is in them."""

from collections.abc import Iterator
from contextlib import contextmanager

import bmesh
import bpy
import pytest
from levelwright.addon.ns2 import importer, layout, level_settings, panel
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.layers import lists, properties, visibility
from levelwright.addon.ns2.layers.build import add_entry
from levelwright.addon.ns2.layers.collect import collect_lists
from levelwright.addon.ns2.settings import ExportSettings, ImportSettings
from levelwright.addon.scene import attributes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2

from tests.formats import ns2_bytes as nb

WHOLE = nb.whole(10)
VENTS, LIGHTS = 3, 200
COLLISION, GROUP = 1, 2


def imported(data: bytes = WHOLE, **settings) -> bpy.types.Collection:
    level = importer.import_level(bpy.context, data, "x.level", ImportSettings(**settings), Report())
    bpy.context.view_layer.update()
    return level


def geometry_of(level: bpy.types.Collection) -> bpy.types.Object:
    (found,) = visibility.geometry(level)
    return found


def entity(level: bpy.types.Collection, record: int) -> bpy.types.Object:
    for obj in level.all_objects:
        mark = identity.stamped(obj)
        if mark is not None and (mark.kind, mark.record) == (layout.ENTITY, record):
            return obj
    raise AssertionError(record)


def item(level: bpy.types.Collection, kind: lists.Kind, number: int):
    return next(each for each in lists.entries(level, kind) if lists.unsigned(each.number) == number)


def seen_faces(obj: bpy.types.Object) -> set[int]:
    """The faces of the level that are seen: of the evaluated mesh."""
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = attributes.read(evaluated.data, identity.ID)
    return set() if found is None else {int(face) - 1 for face in found}


@contextmanager
def editing(obj: bpy.types.Object, faces: set[int] | None = None) -> Iterator[bmesh.types.BMesh]:
    """Edit mode, with the polygons of these faces of the level selected."""
    bpy.context.view_layer.objects.active = obj
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(obj.data)
    ids = mesh.faces.layers.int[identity.ID]
    if faces is not None:
        for face in mesh.faces:
            face.select_set(False)
        for face in mesh.faces:
            if face[ids] - 1 in faces:
                face.select_set(True)
    yield mesh
    bpy.ops.object.mode_set(mode="OBJECT")


def word(obj: bpy.types.Object, name: str, face: int) -> set[int]:
    ids, found = attributes.read(obj.data, identity.ID), attributes.read(obj.data, name)
    return set() if found is None else {int(one) & 0xFFFFFFFF for one in found[ids == face + 1]}


def test_what_the_game_does_not_draw_is_hidden_unless_it_is_to_be_shown() -> None:
    obj = geometry_of(imported())
    assert seen_faces(obj) == {1}, "0 and 2 are in CollisionGeometry"
    shown = geometry_of(imported(invisible="show"))
    assert seen_faces(shown) == {0, 1, 2}
    assert not len(shown.modifiers)


def test_switching_a_layer_off_hides_its_faces_and_objects() -> None:
    level = imported(invisible="show")
    obj, prop, mover = geometry_of(level), entity(level, 0), entity(level, 1)
    item(level, "layers", LIGHTS).visible = False
    assert seen_faces(obj) == {1, 2}
    assert (prop.hide_viewport, prop.hide_render, mover.hide_viewport) == (True, True, False)
    item(level, "groups", COLLISION).visible = False
    assert seen_faces(obj) == {1}
    assert mover.hide_viewport
    item(level, "layers", LIGHTS).visible = item(level, "groups", COLLISION).visible = True
    assert seen_faces(obj) == {0, 1, 2}
    assert not prop.hide_viewport
    assert not mover.hide_viewport
    assert not len(obj.modifiers), "nothing is left to be hidden"


def test_hidden_faces_are_hidden_in_edit_mode_too() -> None:
    level = imported(invisible="show")
    obj = geometry_of(level)
    item(level, "layers", VENTS).visible = False
    with editing(obj) as mesh:
        ids = mesh.faces.layers.int[identity.ID]
        assert {face[ids] - 1 for face in mesh.faces if face.hide} == {0, 1}
        item(level, "layers", VENTS).visible = True
        assert not any(face.hide for face in bmesh.from_edit_mesh(obj.data).faces)


def test_hidden_faces_that_went_with_their_modifier_are_refused_until_they_are_not_hidden() -> None:
    level = imported()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == geometry_of(level))
    bpy.context.view_layer.objects.active = geometry_of(level)
    bpy.ops.object.convert(target="MESH")
    with pytest.raises(SceneError, match="2 hidden faces are gone, because the modifier"):
        export_level(bpy.context, level, ExportSettings(), Report())
    lists.lists_of(level).show_all, lists.lists_of(level).hide_undrawn = True, False
    assert len(ns2.read(export_level(bpy.context, level, ExportSettings(), Report())).mesh.faces) == 1


def test_hidden_faces_that_were_shown_and_deleted_may_go() -> None:
    level = imported()
    obj = geometry_of(level)
    lists.lists_of(level).show_all, lists.lists_of(level).hide_undrawn = True, False
    with editing(obj) as mesh:
        ids = mesh.faces.layers.int[identity.ID]
        bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face[ids] != 2], context="FACES")
    lists.lists_of(level).show_all, lists.lists_of(level).hide_undrawn = False, True
    assert len(ns2.read(export_level(bpy.context, level, ExportSettings(), Report())).mesh.faces) == 1


def test_a_layer_that_was_removed_from_the_list_is_no_deleted_collection() -> None:
    level = imported()
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[level.name]
    name = lists.entries(level, "layers")[0].name
    assert bpy.ops.levelwright.ns2_remove_entry(kind="layers") == {"FINISHED"}
    report = Report()
    made = ns2.read(export_level(bpy.context, level, ExportSettings(), report))
    assert name not in [layer.name for layer in made.layers]
    assert not report.warnings
    assert not [line for line in report.notes if "solo" in line], "what was listed differs, but nothing was switched"


def test_switching_layers_is_no_edit_of_what_is_hidden_but_hiding_by_hand_is_told() -> None:
    level = imported(invisible="show")
    item(level, "layers", VENTS).visible = False
    assert not told_of_hiding(level)
    mesh = geometry_of(level).data
    mesh.attributes[layout.HIDDEN].data[0].value = not mesh.attributes[layout.HIDDEN].data[0].value
    assert told_of_hiding(level)


def told_of_hiding(level: bpy.types.Collection) -> list[str]:
    report = Report()
    export_level(bpy.context, level, ExportSettings(), report)
    return [line for line in report.notes if layout.HIDDEN in line]


def test_a_layers_collection_that_was_deleted_is_told_and_the_layer_stays() -> None:
    level = imported()
    home = lists.homes(level, "layers")[VENTS]
    name = home.name
    bpy.data.collections.remove(home)
    report = Report()
    made = ns2.read(export_level(bpy.context, level, ExportSettings(), report))
    assert [layer.id for layer in made.layers] == [layer.id for layer in ns2.read(WHOLE).layers]
    assert [line for line in report.warnings if f"{name}: deleted here, but the file stays as it is" in line]


def test_hiding_is_switched_off_for_reading_and_comes_back() -> None:
    level = imported()
    obj = geometry_of(level)
    with visibility.nothing_hidden(level):
        assert seen_faces(obj) == {0, 1, 2}
    assert seen_faces(obj) == {1}


def test_faces_are_put_into_layers_and_groups_and_taken_out() -> None:
    level = imported(invisible="show")
    obj = geometry_of(level)
    chosen = lists.lists_of(level)
    chosen.active_layer, chosen.active_group = 1, 1
    with editing(obj, {1, 2}):
        bpy.ops.levelwright.ns2_assign(kind="layers")
        bpy.ops.levelwright.ns2_assign(kind="groups")
    assert [word(obj, "layers_6", face) for face in range(3)] == [{1 << 8}] * 3
    assert [word(obj, "layers_0", face) for face in range(3)] == [{1 << 3}, {1 << 3}, {0}]
    assert [word(obj, layout.FACE_GROUP, face) for face in range(3)] == [{1}, {2}, {2}]
    with editing(obj, {0, 1}):
        bpy.ops.levelwright.ns2_assign(kind="layers", on=False)
        bpy.ops.levelwright.ns2_assign(kind="groups", on=False)
    assert [word(obj, "layers_6", face) for face in range(3)] == [{0}, {0}, {1 << 8}]
    assert [word(obj, layout.FACE_GROUP, face) for face in range(3)] == [{1}, {0}, {2}], "0 is in the other group"


def test_layer_31_is_the_sign_of_its_word() -> None:
    level = imported(nb.level(10, mesh=nb.mesh(10, nb.HOLED), layers=nb.listed(10, [("Last", 31)])), invisible="show")
    obj = geometry_of(level)
    with editing(obj, {2}):
        bpy.ops.levelwright.ns2_assign(kind="layers")
    assert word(obj, "layers_0", 2) == {1 << 31}
    item(level, "layers", 31).visible = False
    assert seen_faces(obj) == {0, 1}


def test_objects_are_put_into_layers_and_groups_and_taken_out() -> None:
    level = imported(invisible="show")
    mover = entity(level, 1)
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == mover)
    lists.lists_of(level).active_group = 1
    bpy.ops.levelwright.ns2_assign(kind="layers")
    bpy.ops.levelwright.ns2_assign(kind="groups")
    assert lists.memberships(level)[mover] == (1 << VENTS, [GROUP]), "one group only"
    bpy.ops.levelwright.ns2_assign(kind="layers", on=False)
    bpy.ops.levelwright.ns2_assign(kind="groups", on=False)
    assert mover not in lists.memberships(level)
    assert [home.name.split(".")[0] for home in mover.users_collection] == ["Entities"]


def test_faces_of_a_new_object_are_in_the_layers_and_the_group_of_its_collections() -> None:
    level = imported(invisible="show")
    mesh = bpy.data.meshes.new("ramp")
    mesh.from_pydata([(0, 0, 9), (1, 0, 9), (0, 1, 9)], [], [(0, 1, 2)])
    ramp = bpy.data.objects.new("ramp", mesh)
    level.objects.link(ramp)
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == ramp)
    lists.lists_of(level).active_group = 1
    bpy.ops.levelwright.ns2_assign(kind="layers")
    bpy.ops.levelwright.ns2_assign(kind="groups")
    written = ns2.read(export_level(bpy.context, level, ExportSettings(), Report())).mesh
    before = ns2.read(WHOLE).mesh
    assert ns2.layers_of(int.from_bytes(written.face_layers.masks[-1].tobytes(), "little")) == [VENTS]
    assert written.face_layers.masks[:-1].tobytes() == before.face_layers.masks.tobytes()
    assert written.geometry_groups.faces.assignment(4).tolist() == [
        *before.geometry_groups.faces.assignment(3).tolist(),
        GROUP,
    ]
    lists.homes(level, "groups")[COLLISION].objects.link(ramp)
    with pytest.raises(SceneError, match="ramp is in the collections of several groups"):
        export_level(bpy.context, level, ExportSettings(), Report())


def test_selecting_what_is_in_a_layer() -> None:
    level = imported(invisible="show")
    obj = geometry_of(level)
    lists.lists_of(level).active_layer = 1
    bpy.ops.levelwright.ns2_select(kind="layers")
    assert list(bpy.context.selected_objects) == [entity(level, 0)]
    with editing(obj, set()) as mesh:
        bpy.ops.levelwright.ns2_select(kind="layers")
        ids = mesh.faces.layers.int[identity.ID]
        assert {face[ids] - 1 for face in bmesh.from_edit_mesh(obj.data).faces if face.select} == {0}


def test_lists_are_edited_and_laid_over_a_level() -> None:
    level = imported()
    item(level, "layers", LIGHTS).name = "Lamps"
    item(level, "layers", VENTS).color = (0, 0, 1, 1)
    item(level, "layers", LIGHTS).pathing = True
    lists.lists_of(level).active_layer = 1
    bpy.ops.levelwright.ns2_move_entry(kind="layers", by=-1)
    assert bpy.ops.levelwright.ns2_move_entry(kind="layers", by=-1) == {"CANCELLED"}
    bpy.ops.levelwright.ns2_add_entry(kind="groups", name="CommanderInvisible")
    assert lists.homes(level, "layers")[LIGHTS].name == "Lamps"
    assert lists.homes(level, "groups")[3].name == "CommanderInvisible"
    of_level = ns2.read(WHOLE)
    assert collect_lists(level, of_level)
    assert [(each.name, each.id, each.color) for each in of_level.layers] == [
        ("Lamps", LIGHTS, (0xFF, 0x80, 0x40, 0x20)),
        ("Vents", VENTS, (0, 0, 255, 255)),
    ]
    assert [(each.name, each.id) for each in of_level.groups] == [
        ("CollisionGeometry", COLLISION),
        ("Group", GROUP),
        ("CommanderInvisible", 3),
    ]
    assert ns2.layers_of(of_level.pathing.layers) == [VENTS, LIGHTS]
    assert ns2.read(ns2.write(of_level)).groups[2].name == "CommanderInvisible"


def test_a_collection_that_is_renamed_renames_its_layer() -> None:
    imported()
    level = imported()  # again: Blender numbers the names of its collections
    home = lists.homes(level, "layers")[VENTS]
    laid = ns2.read(WHOLE)
    assert home.name.endswith(".001")
    assert not collect_lists(level, laid)
    home.name = "Ducts"
    assert collect_lists(level, laid)
    assert [each.name for each in laid.layers if each.id == VENTS] == ["Ducts"]
    item(level, "layers", VENTS).name = "Shafts"
    assert home.name == "Shafts"
    assert collect_lists(level, laid)
    assert [each.name for each in laid.layers if each.id == VENTS] == ["Shafts"]


def test_removing_a_layer_takes_everything_out_of_it() -> None:
    level = imported(invisible="show")
    obj, prop = geometry_of(level), entity(level, 0)
    bpy.ops.levelwright.ns2_remove_entry(kind="layers")  # Vents
    assert [each.number for each in lists.entries(level, "layers")] == [LIGHTS]
    assert word(obj, "layers_0", 0) == {0}
    assert lists.memberships(level)[prop] == (1 << LIGHTS, [])
    bpy.ops.levelwright.ns2_remove_entry(kind="groups")  # CollisionGeometry
    assert word(obj, layout.FACE_GROUP, 0) == {0}
    assert {value for name in ("vertex_group", "edge_group") for value in attributes.read(obj.data, name)} <= {0, GROUP}
    made = ns2.read(export_level(bpy.context, level, ExportSettings(), Report()))
    assert not any(VENTS in ns2.layers_of(each.layers) or each.group == COLLISION for each in made.entities)
    groups = made.mesh.geometry_groups
    assert not any(COLLISION in table.ids for table in (groups.vertices, groups.edges, groups.faces))
    assert not made.mesh.face_layers.members(VENTS).any()
    assert not any("not there" in each.message or "no such group" in each.message for each in ns2.check(made))
    with editing(obj), pytest.raises(RuntimeError, match="leave edit mode"):
        bpy.ops.levelwright.ns2_remove_entry(kind="layers")


def test_a_level_has_256_layers() -> None:
    level = imported()
    for number in range(254):
        add_entry(level, "layers", f"Layer {number}")
    assert sorted(each.number for each in lists.entries(level, "layers")) == list(range(256))
    with pytest.raises(SceneError, match="256 layers"):
        add_entry(level, "layers", "one more")


def test_edges_are_made_smooth_and_hard() -> None:
    level = imported(invisible="show")
    obj = geometry_of(level)

    def smooth() -> set[tuple[int, ...]]:
        numbers = attributes.read(obj.data, layout.VERTEX_ID) - 1
        sharp = attributes.read(obj.data, "sharp_edge")
        flat = attributes.read(obj.data, "sharp_face")
        flat = [False] * len(obj.data.polygons) if flat is None else flat
        found = set()
        for edge in obj.data.edges:
            flats = [flat[polygon.index] for polygon in obj.data.polygons if edge.key in polygon.edge_keys]
            if not sharp[edge.index] and not any(flats):
                found.add(tuple(sorted(int(numbers[vertex]) for vertex in edge.key)))
        return found

    before = smooth()
    assert (0, 1) in before
    with editing(obj, set()) as mesh:
        mesh.select_mode = {"EDGE"}
        numbers = mesh.verts.layers.int[layout.VERTEX_ID]
        for edge in mesh.edges:
            edge.select_set({vertex[numbers] - 1 for vertex in edge.verts} == {4, 5})
        mesh.select_flush_mode()
        bmesh.update_edit_mesh(obj.data)
        bpy.ops.levelwright.ns2_smooth_edges()
    assert smooth() == before | {(4, 5)}
    with editing(obj, set()) as mesh:
        mesh.select_mode = {"EDGE"}
        numbers = mesh.verts.layers.int[layout.VERTEX_ID]
        for edge in mesh.edges:
            edge.select_set({vertex[numbers] - 1 for vertex in edge.verts} in ({4, 5}, {0, 1}))
        bmesh.update_edit_mesh(obj.data)
        bpy.ops.levelwright.ns2_smooth_edges(smooth=False)
    assert smooth() == before - {(0, 1)}


def test_names_that_mean_something_are_offered() -> None:
    level = imported()
    offered = dict(properties._names(lists.entries(level, "groups")[0], bpy.context, "commander"))
    assert "CommanderInvisible" in offered
    assert "CollisionGeometry" not in offered
    assert dict(properties._names(lists.entries(level, "layers")[0], bpy.context, "")).keys() >= {"Pathing", "Vents"}


def test_settings_of_a_level_are_properties_and_go_back() -> None:
    level = imported()
    assert level["format_version"] == 10
    assert level["Pathing.Agent Radius"] == 0.5
    assert level["Pathing.Max Poly Vertices"] == 6
    assert level["custom_colors"].split()[15] == "ff102030"
    of_level = ns2.read(WHOLE)
    assert not level_settings.collect_settings(level, of_level)
    assert ns2.write(of_level) == WHOLE
    level["Pathing.Agent Radius"] = 0.75
    level["custom_colors"] = "ff000000 " * 16
    originals.resources(level, layout.VIEWPORTS)[0].write("more\n")
    assert level_settings.collect_settings(level, of_level)
    again = ns2.read(ns2.write(of_level))
    assert again.pathing.get("Agent Radius") == 0.75
    assert again.custom_colors == [0xFF000000] * 16
    assert "more" in again.viewports
    level["Pathing.Agent Radius"] = "wide"
    with pytest.raises(SceneError, match="Agent Radius"):
        level_settings.collect_settings(level, of_level)


def test_the_panel_is_for_levels_of_the_game() -> None:
    assert not panel.LEVELWRIGHT_PT_ns2.poll(bpy.context)
    assert not bpy.ops.levelwright.ns2_assign.poll()
    imported()
    assert panel.LEVELWRIGHT_PT_ns2.poll(bpy.context)
    assert bpy.ops.levelwright.ns2_assign.poll()
    assert not bpy.ops.levelwright.ns2_smooth_edges.poll(), "only in edit mode"
