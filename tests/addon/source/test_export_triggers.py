# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush entities without faces: shown by the sides of their brushes, and what the export makes of edits of these."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import baselines
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.collision import physcollide_surface
from levelwright.formats.source.edits import brush_models
from levelwright.formats.source.tree import brushes

from tests.addon.source.exports import Scene, copied, removed
from tests.addon.source.surface_edits import move, set_uv
from tests.formats import source_door

E = LumpId
MAP = source.write(source_door.with_trigger())
WALL = "maps/room/dev/wall_10_20_30"


def imported(data: bytes = MAP, **options: object) -> Scene:
    """The map with its trigger, and with its door if it has one."""
    made = Scene(data, **{"lightmaps": "hdr", "static_props": "none", **options})
    named = {obj.get("classname"): obj for obj in made.objects().values()}
    made.trigger, made.door = named.get("trigger_multiple"), named.get("func_door")
    return made


@pytest.fixture
def scene() -> Scene:
    return imported()


def box_of(level: source.Level, model: int = 1, shrunk: float = 1e-3) -> list[list[float]]:
    """The bounds of a model, as its record, its brushes and, but for half a unit and `shrunk`, its solid say."""
    row = level.table(E.MODELS)[model]
    own = np.flatnonzero(brushes.of_models(level) == model)
    solid = brushes.solids(level, own).polygons.positions
    assert np.allclose([row["mins"], row["maxs"]], [solid.min(axis=0), solid.max(axis=0)], atol=1e-3)
    hulls = physcollide_surface.read(level.physcollide.of_model(model).solids[0]).hulls
    points = np.concatenate([hull.points for hull in hulls])
    assert np.allclose([points.min(axis=0) - 0.5, points.max(axis=0) + 0.5], [row["mins"], row["maxs"]], atol=shrunk)
    return [row["mins"].tolist(), row["maxs"].tolist()]


def faces_of(level: source.Level) -> bytes:
    return b"".join(bytes(level.bytes_of(lump)) for lump in (E.FACES, E.FACES_HDR, E.LEAFFACES, E.LIGHTING))


def test_a_trigger_is_shown_by_its_brush(scene: Scene) -> None:
    data = meshes.read(scene.trigger)
    assert [data.positions.min(axis=0).tolist(), data.positions.max(axis=0).tolist()] == [[-4, -24, 0], [4, 24, 96]]
    assert data.face_sizes.tolist() == [4] * 6 and len(data.positions) == 8
    mesh = bmesh.new()
    mesh.from_mesh(scene.trigger.data)
    assert mesh.calc_volume(signed=True) == pytest.approx(8 * 48 * 96), "sides look outwards"
    mesh.free()
    assert scene.trigger.data.materials[0].get(layout.MATERIAL) == WALL
    assert data.uv(layout.UV).any() and data.uv(layout.LIGHTMAP_UV).any()
    home = scene.trigger.users_collection[0]
    assert home.name == layout.TRIGGERS and home.hide_render
    assert bytes(source.write(scene.export())) == MAP
    assert any("the original, byte for byte" in note for note in scene.report.notes)


def test_what_is_not_shown_is_not_deleted() -> None:
    """Levels that were saved before sides were shown have empty meshes."""
    scene = imported()
    for key in (layout.SIDE_POINTS, layout.SIDE_CORNERS, layout.SIDE_ROWS):
        baselines.forget(scene.level, key)
    scene.trigger.data.clear_geometry()
    assert source.write(scene.export(geometry="rebuild")) == MAP
    scene.trigger.scale.x = 2
    with pytest.raises(SceneError, match="have no scale"):
        scene.export(geometry="rebuild")


def test_a_baseline_of_another_map_is_none() -> None:
    scene = imported()
    rows = baselines.load(scene.level, layout.SIDE_ROWS).copy()
    for column, value in ((0, 1 << 20), (1, 99), (2, -1), (3, 2)):
        other = rows.copy()
        other[0, column] = value
        baselines.store(scene.level, layout.SIDE_ROWS, other)
        with pytest.raises(SceneError, match="6 new"):
            scene.export()


def test_a_trigger_that_is_moved_takes_its_origin(scene: Scene) -> None:
    scene.trigger.location.y += 8
    made = scene.export()
    assert made.entities[-1].origin == (32, 8, 0) and scene.changed(made) == ["ENTITIES"]


@pytest.mark.parametrize("how", ["object", "mesh"])
def test_a_trigger_that_is_scaled(scene: Scene, how: str) -> None:
    if how == "object":
        scene.trigger.scale.z = 2
    else:
        positions = meshes.read(scene.trigger).positions
        move(scene.trigger, positions[:, 2] > 0, (0, 0, 96))
    with pytest.raises(SceneError, match=r"5 moved.*Moved geometry on Rebuild") as caught:
        scene.export()
    assert caught.value.objects == [scene.trigger]
    with pytest.raises(SceneError, match=r"never seen.*Rebuild") as caught:
        scene.export(geometry="visual")
    assert caught.value.objects == [scene.trigger]
    made = scene.export(geometry="rebuild")
    assert box_of(made) == [[-4, -24, 0], [4, 24, 192]]
    assert faces_of(made) == faces_of(source.read(MAP)) and int(made.table(E.MODELS)["numfaces"][1]) == 0
    assert set(scene.changed(made)) <= {
        "PLANES", "NODES", "LEAFS", "MODELS", "BRUSHSIDES", "TEXINFO", "PHYSCOLLIDE", "LEAFMINDISTTOWATER", "BRUSHES"
    }  # fmt: skip
    again = imported(source.write(made))
    assert np.ptp(meshes.read(again.trigger).positions, axis=0).tolist() == [8, 48, 192]
    assert source.write(again.export(geometry="rebuild")) == source.write(made)


def test_a_trigger_of_another_shape(scene: Scene) -> None:
    """One edge is moved: a wedge, of which only some sides go."""
    positions = meshes.read(scene.trigger).positions
    move(scene.trigger, (positions[:, 1] > 0) & (positions[:, 2] > 0), (0, 0, -40))
    made = scene.export(geometry="rebuild")
    (piece,) = brush_models.pieces(made, 1)
    assert box_of(made, shrunk=0.6) == [[-4, -24, 0], [4, 24, 96]]
    slanted = piece.normals[np.abs(piece.normals).max(axis=1) < 1]
    assert np.allclose(slanted, [[0, 40 / np.hypot(40, 48), 48 / np.hypot(40, 48)]])


def test_what_is_not_convex_is_refused_and_selected(scene: Scene) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(scene.trigger.data)
    top = next(face for face in mesh.faces if face.normal.z > 0.5)
    bmesh.ops.inset_individual(mesh, faces=[top], thickness=2)
    for vertex in top.verts:
        vertex.co.z -= 20
    mesh.to_mesh(scene.trigger.data)
    mesh.free()
    with pytest.raises(SceneError, match="not on the outside of a convex piece") as caught:
        scene.export(geometry="rebuild")
    assert caught.value.objects == [scene.trigger] and len(caught.value.faces[scene.trigger])


def test_a_second_piece_is_a_second_brush(scene: Scene) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(scene.trigger.data)
    for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
        vertex.co.x += 40
    mesh.to_mesh(scene.trigger.data)
    mesh.free()
    made = scene.export(geometry="rebuild")
    first, second = brush_models.pieces(made, 1)
    assert first.contents == second.contents == 1 and box_of(made) == [[-4, -24, -8], [48, 24, 96]]
    assert faces_of(made) == faces_of(source.read(MAP)) and not source.check(made)
    again = imported(source.write(made))
    both = bmesh.new()
    both.from_mesh(again.trigger.data)
    bmesh.ops.delete(both, geom=[vertex for vertex in both.verts if vertex.co.x < 10], context="VERTS")
    both.to_mesh(again.trigger.data)
    both.free()
    assert box_of(again.export(geometry="rebuild")) == [[32, -8, -8], [48, 8, 8]]


def test_deleted_sides_are_refused_or_closed(scene: Scene) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(scene.trigger.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z < -0.5], context="FACES_ONLY")
    mesh.to_mesh(scene.trigger.data)
    mesh.free()
    with pytest.raises(SceneError, match="1 deleted") as caught:
        scene.export()
    assert caught.value.objects == [scene.trigger]
    assert box_of(scene.export(geometry="rebuild")) == [[-4, -24, 0], [4, 24, 96]]
    scene.trigger.data.clear_geometry()
    with pytest.raises(SceneError, match="no piece is left"):
        scene.export(geometry="rebuild")


def test_another_mesh_in_the_place_of_a_model_is_no_less_an_edit(scene: Scene) -> None:
    """Its mesh was replaced by one that knows nothing of the map, as Object Data > Mesh does."""
    whole = source.write(source_door.with_door())
    for made in (scene, imported(whole)):
        obj = made.trigger or made.door
        obj.data = bpy.data.meshes.new("other")
        with pytest.raises(SceneError, match="6 deleted"):
            made.export()
        obj.data.from_pydata([(0, 0, 0), (8, 0, 0), (0, 8, 0)], [], [(0, 1, 2)])
        with pytest.raises(SceneError, match="UV map 'UVMap' is gone"):
            made.export(geometry="rebuild")


def test_a_copy_has_the_model_in_common(scene: Scene) -> None:
    linked = copied(scene.trigger, linked=True)
    linked.location.x += 64
    made = scene.export()
    assert [entity.model for entity in made.entities][-2:] == [1, 1]
    assert scene.changed(made) == ["ENTITIES"]
    own = copied(scene.trigger)
    move(own, meshes.read(own).positions[:, 2] > 0, (0, 0, 8))
    made = scene.export(geometry="rebuild")
    assert [entity.model for entity in made.entities][-3:] == [1, 1, 2] and box_of(made, 2)[1] == [4, 24, 104]
    assert box_of(made, 1) == box_of(source.read(MAP)) and made.table(E.MODELS)["numfaces"][2] == 0
    removed(own)
    removed(linked)
    removed(scene.trigger)
    assert "trigger_multiple" not in [entity.classname for entity in scene.export().entities]


def test_textures_of_sides(scene: Scene) -> None:
    """Another material, or other UVs, on all sides or on one: BRUSHSIDES alone says what texture a side has."""
    before = source.read(MAP)
    other = next(one for one in bpy.data.materials if one.get(layout.MATERIAL) not in (None, "", WALL))
    sides = slice(12, 18)
    scene.trigger.data.materials.append(other)
    scene.trigger.data.polygons[5].material_index = 1
    made = scene.export()
    assert set(scene.changed(made)) <= {"BRUSHSIDES", "TEXINFO", "TEXDATA"}
    texinfos, names = made.table(E.TEXINFO), made.texture_names.names
    numbers = made.table(E.BRUSHSIDES)["texinfo"][sides]
    strings = made.table(E.TEXDATA)["name_string_table_id"][texinfos["texdata"][numbers]]
    assert [names[number] for number in strings.tolist()].count(other[layout.MATERIAL]) == 1
    assert np.array_equal(made.table(E.BRUSHSIDES)[:12], before.table(E.BRUSHSIDES)[:12])
    scene.trigger.data.polygons[5].material_index = 0
    assert source.write(scene.export()) == MAP
    uv = meshes.read(scene.trigger).uv(layout.UV).copy()
    set_uv(scene.trigger, uv * 2)
    made = scene.export()
    assert set(scene.changed(made)) == {"BRUSHSIDES", "TEXINFO"}
    again = imported(source.write(made))
    assert np.allclose(meshes.read(again.trigger).uv(layout.UV), uv * 2, atol=1e-4)
    uv[0] += 0.5
    set_uv(scene.trigger, uv)
    with pytest.raises(SceneError, match="bent or torn") as caught:
        scene.export()
    assert caught.value.objects == [scene.trigger]
    scene.trigger.data.uv_layers.remove(scene.trigger.data.uv_layers[layout.UV])
    with pytest.raises(SceneError, match="is gone"):
        scene.export()


def test_a_reshaped_trigger_with_another_texture(scene: Scene) -> None:
    other = next(one for one in bpy.data.materials if one.get(layout.MATERIAL) not in (None, "", WALL))
    scene.trigger.data.materials[0] = other
    scene.trigger.scale = (1, 1, 2)
    made = scene.export(geometry="rebuild")
    numbers = np.concatenate([piece.texinfos for piece in brush_models.pieces(made, 1)])
    strings = made.table(E.TEXDATA)["name_string_table_id"][made.table(E.TEXINFO)["texdata"][numbers]]
    assert {made.texture_names.names[number] for number in strings.tolist()} == {other[layout.MATERIAL]}
    assert box_of(made)[1][2] == 192


def test_a_trigger_and_a_door_in_one_export() -> None:
    data = source.write(source_door.with_trigger(source_door.with_door()))
    scene = imported(data)
    scene.trigger.scale.y, scene.door.scale.z = 2, 2
    made = scene.export(geometry="rebuild")
    assert box_of(made, 1) == [[-4, -24, 0], [4, 24, 192]] and box_of(made, 2) == [[-4, -48, 0], [4, 48, 96]]
    assert made.table(E.MODELS)["numfaces"][1:].tolist() == [6, 0]


def test_a_door_that_is_joined_into_a_trigger() -> None:
    """Of the door, its brush is left: the trigger has two, and nothing that is seen."""
    scene = imported(source.write(source_door.with_trigger(source_door.with_door())))
    scene.door.location.x += 50
    bpy.context.view_layer.update()
    for obj in (scene.trigger, scene.door):
        for home in obj.users_collection:
            home.hide_viewport = False
    with bpy.context.temp_override(
        active_object=scene.trigger, object=scene.trigger, selected_editable_objects=[scene.trigger, scene.door]
    ):
        bpy.ops.object.join()
    made = scene.export(geometry="rebuild")
    assert box_of(made, 2) == [[-4, -24, 0], [54, 24, 96]] and len(brush_models.pieces(made, 2)) == 2
    assert made.table(E.MODELS)["numfaces"][1:].tolist() == [0, 0], "of the door's model an empty row stays"
    assert "func_door" not in [entity.classname for entity in made.entities]


def test_models_after_one_that_grew_keep_their_faces() -> None:
    """The first of two doors gets six faces more: those of the second have other numbers when it is built."""
    scene = Scene(source.write(source_door.with_doors()), lightmaps="none", static_props="none")
    first, second = [obj for obj in scene.objects().values() if obj.get("classname") == "func_door"]
    mesh = bmesh.new()
    mesh.from_mesh(first.data)
    for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
        vertex.co.x += 40
    mesh.to_mesh(first.data)
    mesh.free()
    move(second, meshes.read(second).positions[:, 1] > 0, (0, 16, 0))
    made = scene.export(geometry="rebuild")
    assert made.table(E.MODELS)["numfaces"].tolist()[1:] == [12, 6]
    assert box_of(made, 2) == [[-4, -24, 0], [4, 40, 96]]
    assert not source.check(made)


def test_numbers_of_sides_are_written_or_refused(scene: Scene) -> None:
    """Flags are of the texinfo, which sides have; what only faces have is refused, and so are normals."""
    mesh = scene.trigger.data
    flags = mesh.attributes[layout.FLAGS].data[0].value
    mesh.attributes[layout.FLAGS].data[0].value = flags ^ 0x40
    made = scene.export()
    assert set(scene.changed(made)) == {"BRUSHSIDES", "TEXINFO"}
    numbers = np.concatenate([piece.texinfos for piece in brush_models.pieces(made, 1)])
    assert made.table(E.TEXINFO)["flags"][numbers].tolist().count(flags ^ 0x40) == 1
    mesh.attributes[layout.FLAGS].data[0].value = flags
    for name in (layout.SMOOTHING_GROUPS, layout.ORIGINAL_FACE, layout.TEXINFO):
        value = mesh.attributes[name].data[0].value
        mesh.attributes[name].data[0].value = value + 1
        for geometry in ("refuse", "rebuild"):
            with pytest.raises(SceneError, match=name) as caught:
                scene.export(geometry=geometry)
            assert caught.value.objects == [scene.trigger] and caught.value.faces[scene.trigger].tolist() == [0]
        mesh.attributes[name].data[0].value = value
    assert source.write(scene.export()) == MAP
    mesh.shade_smooth()
    with pytest.raises(SceneError, match="shaded smooth") as caught:
        scene.export()
    assert caught.value.objects == [scene.trigger]


def test_faces_of_a_map_with_sides_keep_their_normals() -> None:
    """The map's normals are those of its faces: sides, which have none, don't make them all look edited."""
    whole = source_door.with_trigger(source_door.with_door())
    normals = whole.table(E.VERTNORMALS).copy()
    normals["normal"] = (0.6, 0.0, 0.8)
    whole.set_table(E.VERTNORMALS, normals)
    data = source.write(whole)
    assert source.write(imported(data).export(geometry="rebuild")) == data
