# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as VMF: edits of brushes and of all else, what is refused, and the ways there."""

import math
from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon import commands, games
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout, vmf_exporter
from levelwright.addon.source.brushes import build as brushes
from levelwright.addon.source.brushes import collect as collect_brushes
from levelwright.addon.source.settings import VmfSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId, vmf
from levelwright.formats.source.content import keyvalues
from levelwright.formats.source.entities.text import Entity

from tests.addon.source.exports import ROOM, Scene
from tests.formats import source_room
from tests.formats.source_vmf import solids_of


class BrushPolygons(Scene):
    """The room with its two brushes: below the floor (x -256..272, z -16..0) and behind the west wall."""

    def __init__(self, data: bytes = ROOM, **options: object) -> None:
        super().__init__(data, brushes=True, **options)
        self.brushes = self.objects(layout.BRUSHES)[0]

    def text(self, **settings: str) -> bytes:
        self.report = Report()
        return vmf_exporter.export_vmf(bpy.context, self.level, VmfSettings(**settings), self.report)

    def whole(self, **settings: str) -> keyvalues.Block:
        return keyvalues.parse(self.text(**settings))

    def solids(self) -> list:
        """Those that aren't displaced, by their lowest and highest corners along x."""
        return [solid for solid in solids_of(self.whole()) if not solid.displaced]

    def level_materials(self) -> list[bpy.types.Material]:
        """Those that rename textures of the map."""
        return list(originals.resources(self.level, layout.MATERIAL_KIND).values())

    @property
    def home(self) -> bpy.types.Collection:
        return self.brushes.users_collection[0]


def dists(solid) -> dict[tuple[int, ...], float]:
    """How far out each axial side is."""
    return {
        tuple(normal): dist
        for normal, dist in zip(solid.normals.round(6).astype(int).tolist(), solid.dists.tolist(), strict=True)
    }


def the_floor(scene: BrushPolygons):
    return next(solid for solid in scene.solids() if (0, 0, -1) in dists(solid) and dists(solid)[0, 0, -1] != 0)


def box(name: str, low: tuple[float, ...], high: tuple[float, ...], home: bpy.types.Collection) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1)
    for vertex in shape.verts:
        vertex.co = [h if c > 0 else lo for c, lo, h in zip(vertex.co, low, high, strict=True)]
    shape.to_mesh(mesh)
    made = bpy.data.objects.new(name, mesh)
    home.objects.link(made)
    return made


def move_top(scene: BrushPolygons, by: float) -> None:
    """Raise the top of the brush below the floor."""
    mesh = scene.brushes.data
    numbers = mesh.attributes[layout.BRUSH].data
    own = {vertex for polygon in mesh.polygons if numbers[polygon.index].value == 1 for vertex in polygon.vertices}
    for vertex in own:
        if mesh.vertices[vertex].co.z == 0:
            mesh.vertices[vertex].co.z += by


def of_class(whole: keyvalues.Block, classname: str) -> list[keyvalues.Block]:
    return [entity for kind, entity in whole.blocks() if kind == "entity" and entity.get("classname") == classname]


def test_unedited_it_is_the_map_as_the_library_writes_it() -> None:
    scene = BrushPolygons()
    expected = vmf.write(vmf.of_level(source.read(ROOM))).data
    assert scene.text() == expected
    bpy.context.view_layer.update()
    assert scene.text(faces="ignore") == expected
    assert scene.report.counts["solids"] == 4
    assert any("visgroups" in note for note in scene.report.notes)
    assert BrushPolygons(split="material").text() == expected
    without = Scene()
    report = Report()
    assert vmf_exporter.export_vmf(bpy.context, without.level, VmfSettings(), report) == expected
    assert any("option Brushes" in note for note in report.notes)


def test_a_side_that_was_moved() -> None:
    scene = BrushPolygons()
    before = the_floor(scene)
    move_top(scene, 8)
    after = [solid for solid in scene.solids() if dists(solid).get((0, 0, 1)) == 8]
    assert len(after) == 1
    assert {**dists(after[0]), (0, 0, 1): 0} == dists(before)
    assert sorted(after[0].materials) == sorted(before.materials)
    assert set(after[0].ids) == set(before.ids)
    assert len(scene.solids()) == 2
    assert (scene.report.counts["brushes drawn"], scene.report.counts["brushes as they were"]) == (1, 1)


def test_an_export_as_map_refuses_edited_brushes() -> None:
    scene = BrushPolygons()
    assert source.write(scene.export()) == ROOM
    assert scene.report.warnings == []
    move_top(scene, 8)
    with pytest.raises(SceneError, match=r"SOLID: brushes were edited\. An export with its option World"):
        scene.export()
    assert source.write(scene.export(world="ignore")) == ROOM
    assert scene.report.warnings == [f"SOLID: {collect_brushes.LEFT_OUT}"]
    scene.text()
    assert scene.report.warnings == []


def test_all_brushes_moved_with_their_object_and_copied() -> None:
    scene = BrushPolygons()
    before = sorted(sorted(dists(solid).items()) for solid in scene.solids())
    axes = sorted(map(tuple, np.concatenate([solid.axes.reshape(-1, 4) for solid in scene.solids()]).tolist()))
    scene.brushes.location.z = 32
    moved = scene.solids()
    assert sorted(sorted((n, d - 32 * n[2]) for n, d in dists(solid).items()) for solid in moved) == before
    assert sorted(map(tuple, np.concatenate([solid.axes.reshape(-1, 4) for solid in moved]).tolist())) != axes
    copy = scene.brushes.copy()
    copy.data = scene.brushes.data.copy()
    copy.location.z = 64
    copy.rotation_euler.z = math.radians(90)
    scene.home.objects.link(copy)
    assert len(scene.solids()) == 4
    ids = [side for solid in solids_of(scene.whole()) for side in solid.ids]
    assert len(set(ids)) == len(ids)


def test_a_new_brush_and_a_deleted_one() -> None:
    scene = BrushPolygons()
    made = box("Step", (0, 0, 0), (64, 32, 16), scene.home)
    made.parent = scene.brushes.parent
    solids = scene.solids()
    step = next(solid for solid in solids if dists(solid).get((1, 0, 0)) == 64)
    assert dists(step) == {(1, 0, 0): 64, (-1, 0, 0): 0, (0, 1, 0): 32, (0, -1, 0): 0, (0, 0, 1): 16, (0, 0, -1): 0}
    assert set(step.materials) == {"tools/toolsnodraw"}
    material = bpy.data.materials.new("brick/new_wall")
    made.data.materials.append(material)
    layer = made.data.uv_layers.new(name="UVMap")
    for polygon in made.data.polygons:
        for loop in polygon.loop_indices:
            co = made.data.vertices[made.data.loops[loop].vertex_index].co
            layer.uv[loop].vector = (co.x / 16 + co.z / 16 + 0.5, co.y / 16 + co.z / 16)
    solids = scene.solids()
    step = next(solid for solid in solids if dists(solid).get((1, 0, 0)) == 64)
    assert set(step.materials) == {"brick/new_wall"}
    top = step.axes[step.normals[:, 2] > 0.9][0]
    assert np.allclose(top[0, :3], [4, 0, 0], atol=1e-4)
    assert np.allclose(top[1, :3], [0, -4, 0], atol=1e-4)
    bpy.data.objects.remove(scene.brushes)
    assert len(scene.solids()) == 1


def test_textures_that_were_moved() -> None:
    scene = BrushPolygons()
    before = {
        tuple(n): a for solid in [the_floor(scene)] for n, a in zip(solid.normals.tolist(), solid.axes, strict=True)
    }
    layer = scene.brushes.data.uv_layers[layout.UV]
    polygon = next(p for p in scene.brushes.data.polygons if p.normal.z > 0.9 and p.center.z == 0)
    for loop in polygon.loop_indices:
        layer.uv[loop].vector.x += 0.25
    after = {
        tuple(n): a for solid in [the_floor(scene)] for n, a in zip(solid.normals.tolist(), solid.axes, strict=True)
    }
    up = next(normal for normal in before if normal[2] > 0.9)
    assert np.allclose(after[up] - before[up], [[0, 0, 0, 16], [0, 0, 0, 0]], atol=1e-3)
    assert all(np.array_equal(after[normal], before[normal]) for normal in before if normal != up)
    layer.uv[polygon.loop_indices[0]].vector.y += 0.5
    with pytest.raises(SceneError, match="bent by") as caught:
        scene.text()
    assert caught.value.faces[scene.brushes].tolist() == [polygon.index]


@pytest.mark.parametrize("what", ["dent", "hole", "flat"])
def test_what_is_no_brush_is_refused_with_its_faces(what: str) -> None:
    scene = BrushPolygons()
    made = box("Bad", (0, 0, 0), (64, 64, 64), scene.home)
    made.parent = scene.brushes.parent
    shape = bmesh.new()
    shape.from_mesh(made.data)
    shape.faces.ensure_lookup_table()
    if what == "hole":
        shape.faces.remove(shape.faces[0])
    elif what == "flat":
        for face in shape.faces[1:]:
            shape.faces.remove(face)
    else:
        bmesh.ops.poke(shape, faces=shape.faces[:1])
        shape.verts.ensure_lookup_table()
        shape.verts[-1].co = (32, 32, 32)
    shape.to_mesh(made.data)
    with pytest.raises(SceneError, match="Bad: a brush") as caught:
        scene.text()
    assert len(caught.value.faces[made]) > 0


def test_a_bent_face_becomes_two_sides() -> None:
    scene = BrushPolygons()
    made = box("Ramp", (0, 0, 0), (64, 64, 64), scene.home)
    made.parent = scene.brushes.parent
    corner = next(vertex for vertex in made.data.vertices if tuple(vertex.co) == (64, 64, 64))
    corner.co.z = 32
    ramp = next(solid for solid in scene.solids() if dists(solid).get((1, 0, 0)) == 64)
    assert len(ramp.sides) == 7


def test_other_edits_come_along() -> None:
    scene = BrushPolygons()
    light = next(obj for obj in scene.objects().values() if obj.name.startswith("light"))
    light.location = (8, 16, 24)
    prop = next(iter(scene.objects(layout.STATIC_PROP).values()))
    prop.location.x += 10
    hill = next(iter(scene.objects(layout.DISPLACEMENT).values()))
    hill.data.vertices[12].co.z += 6
    whole = scene.whole()
    assert of_class(whole, "light")[0].get("origin") == "8 16 24"
    assert of_class(whole, "prop_static")[0].get("origin") == "-190 0 8"
    infos = [side.block("dispinfo") for solid in solids_of(whole) for side in solid.sides]
    assert any("6" in info.block("distances").get("row2").split() for info in infos if info)


def test_corners_that_repeat_one_are_left_out_and_faces_that_are_lines_then() -> None:
    owners = np.repeat([3, 5, 6, 9], [4, 5, 3, 4])
    vertices = np.array([0, 1, 2, 3, 7, 4, 4, 5, 7, 8, 8, 9, 1, 2, 3, 4])
    assert brushes.distinct(vertices, owners).tolist() == [0, 1, 2, 3, 5, 7, 8, 12, 13, 14, 15]


def test_another_material_on_brushes_and_one_of_none() -> None:
    scene = BrushPolygons()
    none, mark = bpy.data.materials.new("no material"), identity.stamped(scene.brushes)
    identity.stamp(none, mark.token, layout.MATERIAL_KIND, -1)
    none[layout.MATERIAL] = ""
    before = {name for solid in scene.solids() for name in solid.materials}
    scene.brushes.data.materials[0] = none
    after = {name for solid in scene.solids() for name in solid.materials}
    assert before - after
    assert collect_brushes.NODRAW in after
    del none[layout.MATERIAL]
    none.name = 'a "quote"'
    identity.stamp(none, mark.token + 1, layout.MATERIAL_KIND, -1)
    with pytest.raises(SceneError, match="can't be the name") as caught:
        scene.text()
    assert scene.brushes in caught.value.objects


def test_renamed_materials_are_so_on_brushes() -> None:
    scene = BrushPolygons()
    for material in bpy.data.materials:
        if material.get(layout.MATERIAL) == "dev/floor" and material in scene.level_materials():
            material[layout.MATERIAL] = "dev/marble"
    move_top(scene, 8)
    names = {name for solid in solids_of(scene.whole()) for name in solid.materials}
    assert "dev/marble" in names
    assert "dev/floor" not in names


def test_moved_faces_are_refused_or_ignored() -> None:
    scene = BrushPolygons()
    expected = scene.text()
    world = scene.objects(layout.MODEL)[0]
    world.data.vertices[0].co.z += 3
    with pytest.raises(SceneError) as caught:
        scene.text()
    assert world in caught.value.objects
    assert scene.text(faces="ignore") == expected
    assert any("left out" in warning for warning in scene.report.warnings)


def test_the_operator_and_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    BrushPolygons()
    target = tmp_path / "room.vmf"
    target.write_bytes(b"what was there")
    assert bpy.ops.export_scene.source_vmf(filepath=str(target), backup=True) == {"FINISHED"}
    assert (tmp_path / "room.vmf.bak").read_bytes() == b"what was there"
    made = target.read_bytes()
    assert made == vmf.write(vmf.of_level(source.read(ROOM))).data
    file = tmp_path / "room.bsp"
    file.write_bytes(ROOM)
    other = tmp_path / "other.vmf"
    words = ["convert", str(file), str(other), "--option", "lightmaps=none", "--option", "faces=ignore"]
    assert commands.main(words) == commands.OK
    assert other.read_bytes() == made
    assert "not as in the editor" in capfd.readouterr().err
    assert commands.main(["convert", str(file), str(tmp_path / "a.vmt")]) == commands.USAGE
    assert ".vmf" in capfd.readouterr().err
    assert [form.ending for form in games.by_key("source").forms] == [".vmf", ".lmp"]


def test_a_brush_is_added_at_the_cursor() -> None:
    """Also to a map that was imported without its brushes; on the grid, with a texture along the world's axes."""
    scene = Scene()
    before = solids_of(keyvalues.parse(vmf.write(vmf.of_level(source.read(ROOM))).data))
    bpy.context.scene.cursor.location = np.array([33, 103, 30]) * 0.01905
    assert bpy.ops.levelwright.source_add_brush(what="dev/floor") == {"FINISHED"}
    made = bpy.context.active_object
    assert made is not None and made.users_collection[0].name.startswith(layout.BRUSH_HOME)
    report = Report()
    whole = keyvalues.parse(vmf_exporter.export_vmf(bpy.context, scene.level, VmfSettings(), report))
    solids = solids_of(whole)
    assert len(solids) == len(before) + 1
    box = dists(solids[-1])
    assert box == {(1, 0, 0): 64, (-1, 0, 0): 0, (0, 1, 0): 136, (0, -1, 0): -72, (0, 0, 1): 64, (0, 0, -1): 0}
    assert set(solids[-1].materials) == {"dev/floor"}
    top = solids[-1].axes[solids[-1].normals[:, 2] > 0.9][0]
    assert np.allclose(top, [[4, 0, 0, 0], [0, -4, 0, 0]], atol=1e-3)
    assert source.write(scene.export(world="ignore")) == ROOM
    assert f"{made.name}: {collect_brushes.LEFT_OUT}" in scene.report.warnings
    assert "left out" not in scene.report.summary()


def test_brushes_follow_their_entity_and_go_with_it() -> None:
    """A door's brush is where the door is; drawn upon, it goes along when the entity was moved; deleted, it is gone."""
    data = source.write(source_door())
    scene = BrushPolygons(data=data)
    door = next(obj for obj in scene.level.all_objects if obj.get("classname") == "func_door")
    own = [solid for solid in scene.solids() if solid.classname == "func_door"]
    assert len(own) == 1
    door.location.x += 100
    moved = [solid for solid in scene.solids() if solid.classname == "func_door"]
    assert np.allclose(moved[0].dists, own[0].dists + own[0].normals @ [100, 0, 0])
    numbers = scene.brushes.data.attributes[layout.BRUSH].data
    mesh = scene.brushes.data
    top = max(p.center.z for p in mesh.polygons if numbers[p.index].value == 2)
    for polygon in mesh.polygons:
        for vertex in polygon.vertices if numbers[polygon.index].value == 2 else ():
            if mesh.vertices[vertex].co.z == top:
                mesh.vertices[vertex].co.z = top + 0.5
    taller = [solid for solid in scene.solids() if solid.classname == "func_door"]
    assert dists(taller[0]) == {**dists(moved[0]), (0, 0, 1): top + 0.5}
    bpy.data.objects.remove(door)
    assert [solid.classname for solid in scene.solids()] == ["worldspawn"]


def source_door() -> source.Level:
    """The room, whose brush behind the west wall is a door's."""
    level = source_room.room()
    leafs = np.concatenate([level.table(LumpId.LEAFS), level.table(LumpId.LEAFS)[:1]])
    leafs["numleafbrushes"], leafs["firstleafbrush"] = [1, 0, 0, 1], [0, 0, 0, 1]
    level.set_table(LumpId.LEAFS, leafs)
    models = np.concatenate([level.table(LumpId.MODELS)] * 2)
    models["headnode"][1], models["numfaces"][1] = -4, 0
    level.set_table(LumpId.MODELS, models)
    level.entities.append(Entity([("classname", "func_door"), ("model", "*1"), ("origin", "1000 0 0")]))
    return level


@pytest.mark.slow
@pytest.mark.parametrize("name", ["background02", "sm_coffee_1", "surf_ski_2"])
def test_real_maps(corpus: Path, name: str) -> None:
    """Imported with their brushes, they give what the library makes of them; moved brushes are all that differs."""
    data = next((corpus / "bsp").rglob(f"{name}.bsp")).read_bytes()
    scene = BrushPolygons(data, entities=False, static_props="none", worldlights=False)
    expected = vmf.write(vmf.of_level(source.read(data)))
    assert scene.text() == expected.data
    mesh = scene.brushes.data
    numbers = np.zeros(len(mesh.polygons), np.int32)
    mesh.attributes[layout.BRUSH].data.foreach_get("value", numbers)
    one = int(numbers[0])
    for vertex in {v for polygon in mesh.polygons if numbers[polygon.index] == one for v in polygon.vertices}:
        mesh.vertices[vertex].co.x += 16
    made = solids_of(scene.whole())
    before = {tuple(sorted(solid.dists.tolist())) for solid in solids_of(keyvalues.parse(expected.data))}
    others = [solid for solid in made if tuple(sorted(solid.dists.tolist())) not in before]
    assert len(made) == expected.counts["solids"]
    assert len(others) == 1


def test_polygons_beyond_the_slots_have_the_last_material() -> None:
    """As Blender shows them."""
    scene = BrushPolygons()
    slots = len(scene.brushes.data.materials)
    assert slots == 2
    for polygon in scene.brushes.data.polygons:
        polygon.material_index = slots - 1
    expected = sorted(solid.materials for solid in scene.solids())
    for polygon in scene.brushes.data.polygons:
        polygon.material_index = slots + 5
    assert sorted(solid.materials for solid in scene.solids()) == expected


def looks(whole: keyvalues.Block) -> set[tuple]:
    """How far out each side is, and how its texture lies."""
    return {
        (*np.round(normal, 6).tolist(), round(dist, 3), side.get("material"), side.get("uaxis"), side.get("vaxis"))
        for solid in solids_of(whole)
        for normal, dist, side in zip(solid.normals + 0.0, solid.dists.tolist(), solid.sides, strict=True)
    }


def test_mirrored_brushes_are_those_whose_mirroring_was_applied() -> None:
    """Polygons run the other way round, and each corner keeps its texel."""
    scene = BrushPolygons()
    data = scene.brushes.data
    layer = data.uv_layers[layout.UV].uv
    for loop in layer:
        loop.vector = loop.vector.x + 0.25, loop.vector.y * 2
    scene.brushes.scale.x = -1
    expected = scene.text()
    scene.brushes.scale.x = 1
    shape = bmesh.new()
    shape.from_mesh(data)
    for vertex in shape.verts:
        vertex.co.x = -vertex.co.x
    bmesh.ops.reverse_faces(shape, faces=shape.faces)
    shape.to_mesh(data)
    shape.free()
    assert looks(scene.whole()) == looks(keyvalues.parse(expected))


def with_entities(*entities: Entity) -> BrushPolygons:
    """The room with more entities."""
    level = source_room.room()
    level.entities.extend(entities)
    return BrushPolygons(source.write(level))


def test_what_vbsp_would_lose_is_refused_with_its_object() -> None:
    """A value of more than 1,023 characters ends vbsp's reading: all that follows would be gone."""
    scene = with_entities(Entity([("classname", "info_target"), ("targetname", "sign"), ("origin", "0 0 32")]))
    sign = next(obj for obj in scene.objects(layout.ENTITY).values() if obj.get("targetname") == "sign")
    gone, copied = (
        next(obj for obj in scene.objects(layout.ENTITY).values() if obj.get("classname") == "light"),
        sign.copy(),
    )
    scene.level.objects.link(copied)
    bpy.data.objects.remove(gone)  # numbers of entities move up
    copied["message"] = "x" * 1024
    with pytest.raises(SceneError, match="the value of 'message' has 1024 characters") as error:
        scene.text()
    assert error.value.objects == [copied]
    copied["message"] = "x" * 1023
    assert scene.whole()
    assert scene.report.warnings == []


def test_what_vbsp_makes_otherwise_is_told_with_its_object() -> None:
    scene = with_entities(Entity([("classname", "func_areaportal"), ("portalnumber", "3"), ("origin", "0 0 32")]))
    portal = next(obj for obj in scene.objects(layout.ENTITY).values() if obj.get("classname") == "func_areaportal")
    assert "func_areaportal" not in {entity.get("classname") for _, entity in scene.whole().blocks()}
    told = [warning for warning in scene.report.warnings if "left out, as it has no brush" in warning]
    assert len(told) == 1
    assert told[0].startswith(f"{portal.name}: ")
