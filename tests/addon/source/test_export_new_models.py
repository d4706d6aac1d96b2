# SPDX-License-Identifier: GPL-3.0-or-later
"""New brush entities: meshes with the class of one get models, and so do copies that were given another shape."""

from dataclasses import replace
from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout, vmf_exporter
from levelwright.addon.source.settings import VmfSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.collision import physcollide_surface
from levelwright.formats.source.content import keyvalues
from levelwright.formats.source.edits import brush_models
from levelwright.formats.source.tree import brushes

from tests.addon.source.exports import Scene, copied
from tests.addon.source.surface_edits import move
from tests.formats import source_door

E = LumpId
MAP = source.write(source_door.with_door())
TRIGGER_FLAGS = 0x440


@pytest.fixture
def scene() -> Scene:
    return imported()


def imported(data: bytes = MAP, **options: object) -> Scene:
    made = Scene(data, **{"lightmaps": "hdr", "static_props": "none", **options})
    made.door = next((obj for obj in made.objects().values() if obj.get("classname") == "func_door"), None)
    return made


def texture(scene: Scene, number: int = 0) -> bpy.types.Material:
    """A material of the map."""
    found = [one for one in bpy.data.materials if one.get(layout.MATERIAL) and one.users]
    return sorted(found, key=lambda one: one[layout.MATERIAL])[number]


def cube(scene: Scene, classname: str | None, size: float = 32.0, place=(64.0, 16.0, 48.0)) -> bpy.types.Object:
    """A cube of Blender's, added by its operator into the level, with the class of an entity; units of the map."""
    layer = bpy.context.view_layer.layer_collection
    bpy.context.view_layer.active_layer_collection = _found(layer, scene.level)
    bpy.ops.mesh.primitive_cube_add(size=size)
    made = bpy.context.active_object
    made.parent = scene.objects(layout.ROOT)[min(scene.objects(layout.ROOT))]
    made.location = place
    if classname is not None:
        made["classname"] = classname
    return made


def _found(layer: bpy.types.LayerCollection, wanted: bpy.types.Collection) -> bpy.types.LayerCollection | None:
    if layer.collection == wanted:
        return layer
    return next((one for one in (_found(child, wanted) for child in layer.children) if one is not None), None)


def entity_of(level: source.Level, classname: str) -> source.Entity:
    return next(one for one in level.entities if one.classname == classname)


def bounds(level: source.Level, model: int) -> list[list[float]]:
    """Of a model, as its row, its brushes and, but for half a unit, its solid say."""
    row = level.table(E.MODELS)[model]
    own = np.flatnonzero(brushes.of_models(level) == model)
    solid = brushes.solids(level, own).polygons.positions
    assert np.allclose([row["mins"], row["maxs"]], [solid.min(axis=0), solid.max(axis=0)], atol=1e-3)
    hulls = physcollide_surface.read(level.physcollide.of_model(model).solids[0]).hulls
    points = np.concatenate([hull.points for hull in hulls])
    assert np.allclose([points.min(axis=0) - 0.5, points.max(axis=0) + 0.5], [row["mins"], row["maxs"]], atol=1e-2)
    return [row["mins"].tolist(), row["maxs"].tolist()]


def faces_of(level: source.Level, model: int) -> np.ndarray:
    row = level.table(E.MODELS)[model]
    return level.table(E.FACES)[int(row["firstface"]) : int(row["firstface"] + row["numfaces"])]


def test_a_mesh_with_a_class_becomes_a_model(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    made.data.materials.append(texture(scene))
    level = scene.export()
    assert len(level.table(E.MODELS)) == 3 and scene.report.counts["brush models added"] == 1
    entity = entity_of(level, "func_brush")
    assert entity.model == 2 and entity.origin == (64, 16, 48)
    assert bounds(level, 2) == [[-16] * 3, [16] * 3]
    faces = faces_of(level, 2)
    before = source.read(MAP)
    assert len(faces) == 6 and (faces["lightofs"] >= len(before.bytes_of(E.LIGHTING))).all(), "it has light of its own"
    assert np.array_equal(level.table(E.MODELS)[:2], before.table(E.MODELS))
    for lump in (E.VISIBILITY, E.LIGHTING, E.LIGHTING_HDR, E.LEAFMINDISTTOWATER):
        kept = before.bytes_of(lump)
        assert bytes(level.bytes_of(lump)).startswith(bytes(kept)), lump
    assert not source.check(level)
    again = imported(source.write(level))
    assert source.write(again.export()) == source.write(level)
    shown = next(obj for obj in again.objects().values() if obj.get("classname") == "func_brush")
    assert shown.get("model") == "*2" and np.ptp(meshes.read(shown).positions, axis=0).tolist() == [32] * 3


@pytest.mark.parametrize("classname", ["func_brush", "func_door"])
def test_its_light_is_that_of_where_it_stands(classname: str) -> None:
    """As the library lights it at the entity's place; a door isn't turned by its angles, but itself."""
    scene = imported()
    made = cube(scene, classname, place=(-180.0, 40.0, 60.0))
    made.rotation_euler.z = np.pi / 2
    made.data.materials.append(texture(scene))
    level = scene.export()
    place = np.eye(4)
    place[:3, 3] = -180, 40, 60
    if classname == "func_brush":
        assert entity_of(level, classname).angles == pytest.approx((0, 90, 0))
        place[:2, :2] = (0, -1), (1, 0)
    other = source.read(scene.data)
    polygons, rows = geometry.polygons(level), level.table(E.MODELS)[2]
    drawn = []
    for face in range(int(rows["firstface"]), int(rows["firstface"]) + 6):
        corners = polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]
        drawn.append(brush_models.Face(polygons.positions[corners].astype(np.float64), 0))
    solids = [replace(piece, texinfos=np.zeros(6, np.int64)) for piece in brush_models.pieces(level, 2)]
    brush_models.add(other, solids, drawn, place=place)
    for lump in (E.LIGHTING, E.LIGHTING_HDR):
        ours, theirs = (np.frombuffer(one.bytes_of(lump), "<u4") for one in (level, other))
        fresh = len(source.read(MAP).bytes_of(lump)) // 4
        assert len(ours) == len(theirs) > fresh
        assert (ours[fresh:] == theirs[fresh:]).mean() > 0.9, "but for luxels in the middle between two"


def test_its_texture_lies_as_in_blender(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    made.data.materials.append(texture(scene))
    data = meshes.read(made)
    seen = {
        (tuple(data.positions[vertex].round(2).tolist()), tuple(np.round(uv, 3).tolist()))
        for vertex, uv in zip(data.corner_verts, data.uv(), strict=True)
    }
    level = scene.export()
    polygons = geometry.polygons(level)
    row = level.table(E.MODELS)[2]
    first, end = polygons.first_corner[[row["firstface"], row["firstface"] + row["numfaces"]]]
    points = polygons.positions[polygons.corners[first:end]]
    numbers = level.table(E.FACES)["texinfo"][polygons.corner_face[first:end]]
    uv = geometry.texture_coordinates(points, level.table(E.TEXINFO), level.table(E.TEXDATA), numbers)
    uv[:, 1] = 1 - uv[:, 1]
    for point, place in zip(points, uv, strict=True):
        assert min(abs(u - place[0]) + abs(v - place[1]) for p, (u, v) in seen if p == tuple(point.tolist())) < 1e-2


def test_a_trigger_needs_no_material(scene: Scene) -> None:
    made = cube(scene, "trigger_multiple")
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.resize(value=(2, 1, 1))
    bpy.ops.mesh.delete_loose()
    bpy.ops.object.mode_set(mode="OBJECT")
    level = scene.export()
    entity = entity_of(level, "trigger_multiple")
    assert bounds(level, entity.model)[1][0] == 32
    faces = faces_of(level, entity.model)
    assert set(level.table(E.TEXINFO)["flags"][faces["texinfo"]].tolist()) == {TRIGGER_FLAGS}
    assert (faces["lightofs"] == -1).all() and "tools/toolstrigger" in level.texture_names.names
    assert brush_models.pieces(level, entity.model)[0].contents == 1


def test_what_is_never_drawn_has_no_faces(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    clip = bpy.data.materials.new("tools/toolsplayerclip")
    made.data.materials.append(clip)
    level = scene.export()
    assert level.table(E.MODELS)["numfaces"][2] == 0 and bounds(level, 2) == [[-16] * 3, [16] * 3]
    again = imported(source.write(level))
    shown = next(obj for obj in again.objects().values() if obj.get("classname") == "func_brush")
    assert len(shown.data.polygons) == 6 and shown.users_collection[0].name == layout.TRIGGERS
    assert source.write(again.export()) == source.write(level)


def test_several_pieces_a_turned_and_scaled_object_and_two_with_one_mesh(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    made.data.materials.append(texture(scene))
    mesh = bmesh.new()
    mesh.from_mesh(made.data)
    for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
        vertex.co.x += 64
    mesh.to_mesh(made.data)
    mesh.free()
    made.scale = (1, 2, 1)
    made.rotation_euler.z = np.radians(90)
    linked = copied(made, linked=True)
    linked.location.z += 64
    other = copied(made, linked=True)
    other.scale = (1, 1, 1)
    level = scene.export()
    models = [one.model for one in level.entities if one.classname == "func_brush"]
    assert sorted(models) == [2, 2, 3], "one model for what is one shape"
    assert len(brush_models.pieces(level, 2)) == 2
    shapes = sorted(bounds(level, model)[1][1] for model in (2, 3))
    assert shapes == [16, 32]
    entity = entity_of(level, "func_brush")
    assert np.allclose([float(part) for part in entity.get("angles").split()], [0, 90, 0])


def test_a_door_that_moves_along_its_angles_is_turned_itself(scene: Scene) -> None:
    made = cube(scene, "func_door")
    made.data.materials.append(texture(scene))
    made.scale = (1, 3, 1)
    made.rotation_euler.z = np.radians(90)
    level = scene.export()
    entity = level.entities[-1]
    assert entity.model == 2 and entity.get("angles") is None
    assert np.allclose(bounds(level, 2), [[-48, -16, -16], [48, 16, 16]], atol=1e-3)


@pytest.mark.parametrize(
    ("classname", "message"),
    [("func_detail", "compiler makes no model"), ("func_areaportal", "compiler makes no model")],
)
def test_classes_of_the_compiler_are_refused(scene: Scene, classname: str, message: str) -> None:
    made = cube(scene, classname)
    with pytest.raises(SceneError, match=message) as caught:
        scene.export()
    assert caught.value.objects == [made]


def test_what_is_no_model_is_refused_and_selected(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    with pytest.raises(SceneError, match="has no material") as caught:
        scene.export()
    assert list(caught.value.faces) == [made]
    made.data.materials.append(texture(scene))
    mesh = bmesh.new()
    mesh.from_mesh(made.data)
    top = next(face for face in mesh.faces if face.normal.z > 0.5)
    bmesh.ops.inset_individual(mesh, faces=[top], thickness=2)
    for vertex in top.verts:
        vertex.co.z -= 20
    mesh.to_mesh(made.data)
    mesh.free()
    with pytest.raises(SceneError, match="not on the outside of a convex piece") as caught:
        scene.export()
    assert list(caught.value.faces) == [made]
    made.data.clear_geometry()
    with pytest.raises(SceneError, match="no piece is left") as caught:
        scene.export()
    assert caught.value.objects == [made]
    other = cube(scene, "func_brush")
    other.data.materials.append(texture(scene))
    bpy.data.objects.remove(made)
    other.scale.x = -1
    with pytest.raises(SceneError, match="mirrored") as caught:
        scene.export()
    assert caught.value.objects == [other]


def test_a_copy_in_another_shape_gets_its_own_model(scene: Scene) -> None:
    own = copied(scene.door)
    own.location.x += 64
    linked = copied(scene.door, linked=True)
    move(own, meshes.read(own).positions[:, 2] > 0, (0, 0, 32))
    with pytest.raises(SceneError, match="Moved geometry on Rebuild"):
        scene.export()
    level = scene.export(geometry="rebuild")
    assert [one.model for one in level.entities if one.classname == "func_door"] == [1, 2, 1]
    assert bounds(level, 1) == [[-4, -24, 0], [4, 24, 96]] and bounds(level, 2) == [[-4, -24, 0], [4, 24, 128]]
    assert np.array_equal(level.table(E.MODELS)[:2], source.read(MAP).table(E.MODELS))
    before = faces_of(source.read(MAP), 1)
    assert sorted(faces_of(level, 2)["lightofs"].tolist()) == sorted(before["lightofs"].tolist()), (
        "its light came along"
    )
    bpy.data.objects.remove(linked)


def test_the_first_may_be_reshaped_and_its_copy_stay(scene: Scene) -> None:
    own = copied(scene.door)
    own.location.x += 64
    move(scene.door, meshes.read(scene.door).positions[:, 2] > 0, (0, 0, 32))
    level = scene.export(geometry="rebuild")
    assert bounds(level, 1)[1][2] == 128 and bounds(level, 2) == [[-4, -24, 0], [4, 24, 96]]
    textures = level.table(E.TEXINFO)["texture_vecs"]
    old = source.read(MAP)
    assert np.array_equal(
        textures[faces_of(level, 2)["texinfo"]], old.table(E.TEXINFO)["texture_vecs"][faces_of(old, 1)["texinfo"]]
    )


def test_a_part_that_is_separated_is_a_model_of_its_own(scene: Scene) -> None:
    """P > By Loose Parts: the object that is left has one piece, the new one the other."""
    mesh = bmesh.new()
    mesh.from_mesh(scene.door.data)
    for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
        vertex.co.x += 40
    mesh.to_mesh(scene.door.data)
    mesh.free()
    both = imported(source.write(scene.export(geometry="rebuild")))
    bpy.context.view_layer.objects.active = both.door
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == both.door)
    bpy.ops.mesh.separate(type="LOOSE")
    level = both.export(geometry="rebuild")
    models = sorted(one.model for one in level.entities if one.classname == "func_door")
    assert models == [1, 2]
    assert sorted(len(brush_models.pieces(level, model)) for model in models) == [1, 1]


def test_a_copy_that_lacks_faces_is_no_longer_ignored(scene: Scene) -> None:
    own = copied(scene.door)
    mesh = bmesh.new()
    mesh.from_mesh(own.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z > 0.5], context="FACES_ONLY")
    mesh.to_mesh(own.data)
    mesh.free()
    for how in ("refuse", "visual"):
        with pytest.raises(SceneError, match="missing in another object") as caught:
            scene.export(geometry=how)
        assert caught.value.objects == [own]
    level = scene.export(geometry="rebuild")
    assert level.table(E.MODELS)["numfaces"][1:].tolist() == [6, 5]


def test_an_entity_of_another_map_brings_its_model(scene: Scene) -> None:
    other = imported(source.write(source_door.with_trigger()))
    theirs = next(obj for obj in other.objects().values() if obj.get("classname") == "trigger_multiple")
    made = copied(theirs)
    for home in made.users_collection:
        home.objects.unlink(made)
    scene.level.objects.link(made)
    made.parent = scene.door.parent
    level = scene.export()
    entity = entity_of(level, "trigger_multiple")
    assert entity.model == 2 and bounds(level, 2) == [[-4, -24, 0], [4, 24, 96]]


def test_saved_opened_again_undone_and_twice_in_a_row(scene: Scene, tmp_path: Path) -> None:
    made = cube(scene, "func_brush")
    made.data.materials.append(texture(scene))
    first = source.write(scene.export())
    assert source.write(scene.export()) == first
    bpy.ops.ed.undo_push(message="before")
    made.scale.z = 2
    bpy.ops.ed.undo_push(message="scaled")
    name = scene.level.name
    taller = source.write(scene.export())
    assert taller != first
    bpy.ops.ed.undo()
    scene.level = bpy.data.collections[name]
    assert source.write(scene.export()) == first
    path = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene.level = bpy.data.collections[name]
    assert source.write(scene.export()) == first


def test_a_vmf_has_the_solids_of_new_entities(scene: Scene) -> None:
    made = cube(scene, "func_brush")
    made.data.materials.append(texture(scene))
    data = vmf_exporter.export_vmf(bpy.context, scene.level, VmfSettings(), Report())
    entities = [block for key, block in keyvalues.parse(data).blocks() if key == "entity"]
    found = next(block for block in entities if block.get("classname") == "func_brush")
    assert [key for key, _ in found.blocks()].count("solid") == 1 and found.get("model") is None


MAPS = (
    "AwertaDreams__framework-for-minigolf/test.bsp",
    pytest.param("undyneimortal__l4d2-fastdl/zoo_jukebox.bsp", marks=pytest.mark.slow),
    pytest.param("miracleflame__VTMB-Unofficial-Patch-by-Wesp/hw_sinbin_1.bsp", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("name", MAPS)
def test_new_entities_of_real_maps(corpus: Path, name: str, tmp_path: Path) -> None:
    """A box by the operator, a trigger, a copy of one of the map's in another shape; saved, opened, exported again."""
    path = corpus / "bsp" / name
    if not path.exists():
        pytest.skip(f"{path} isn't there")
    data = path.read_bytes()
    scene, before = imported(data, lightmaps="none"), source.read(data)
    bpy.context.view_layer.active_layer_collection = _found(bpy.context.view_layer.layer_collection, scene.level)
    for classname in ("func_brush", "trigger_multiple"):
        bpy.context.scene.cursor.location.x += 2
        assert bpy.ops.levelwright.source_add_brush_entity(what=classname) == {"FINISHED"}
    shown = [obj for obj in scene.objects().values() if obj.get("model", "").startswith("*") and len(obj.data.polygons)]
    original = max(shown, key=lambda obj: len(obj.data.polygons))
    own = copied(original)
    own.scale = (1.25, 1, 1)
    made = scene.export(geometry="rebuild")
    count = len(before.table(E.MODELS))
    models = made.table(E.MODELS)
    assert len(models) == count + 3 and (models[:count] == before.table(E.MODELS)).all()
    assert sorted(one.model for one in made.entities if (one.model or 0) >= count) == [count, count + 1, count + 2]
    source_model = int(original["model"][1:])
    solids = [np.flatnonzero(brushes.of_models(made) == number) for number in (source_model, count + 2)]
    assert len(solids[0]) == len(solids[1])
    spans = [np.ptp(brushes.solids(made, own).polygons.positions, axis=0) for own in solids]
    assert np.allclose(spans[1], spans[0] * [1.25, 1, 1], atol=0.05)
    known = {problem.kind for problem in source.check(before)}
    assert not [problem for problem in source.check(made) if problem.kind not in known]
    title, file = scene.level.name, str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    scene.level = bpy.data.collections[title]
    assert source.write(scene.export(geometry="rebuild")) == source.write(made)
    again = imported(source.write(made), lightmaps="none")
    assert source.write(again.export()) == source.write(made)
