# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled levels in Blender: as they are drawn, edited in place, refused, baked, decompiled."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import commands
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.lightmaps import bake, corners
from levelwright.addon.genesis.materials.write import library_of
from levelwright.addon.scene import attributes
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis
from levelwright.formats.genesis import txl
from levelwright.formats.genesis.compiled import ChunkId, lighting, pictures, surfaces

from tests.addon.genesis.export_helpers import exported, imported, part, reopened, set_uvs, uvs
from tests.formats import genesis_compiled_bytes as build

ROOM = build.room()
FLOOR = 4
NO_START = "no player start: no entity is of a class whose name says Start"


def room(**settings) -> bpy.types.Collection:
    return imported(ROOM, "room.bsp", **settings)


def changed(after: bytes) -> set[str]:
    """The chunks that differ from the room's."""
    before, now = genesis.read(ROOM), genesis.read(after)
    names = {chunk.name.removeprefix("chunk ") for chunk in (*before.chunks, *now.chunks)}
    tables = {ChunkId[name]: (before.table(ChunkId[name]), now.table(ChunkId[name])) for name in names}
    return {which.name for which, (one, other) in tables.items() if one.tobytes() != other.tobytes()}


@pytest.mark.parametrize("data", [ROOM, build.room(light=False), build.room(trailing=b"more")])
def test_unedited_is_byte_identical(data: bytes, tmp_path: Path):
    assert exported(reopened(imported(data, "room.bsp"), tmp_path)) == data


def test_surfaces_are_meshes_of_models_and_light_is_theirs():
    level = room()
    world, lift = (part(level, layout.SURFACES, model) for model in (0, 1))
    assert (len(world.data.polygons), len(lift.data.polygons)) == (9, 6)
    assert lift.parent == part(level, layout.MOTION, 1) and lift.parent.animation_data.action is not None
    assert part(level, layout.ENTITY, 2).type == "LIGHT"
    assert {slot.material[layout.TEXTURE] for slot in world.material_slots} == set(build.NAMES)
    uv = np.empty(2 * len(world.data.loops), np.float32)
    world.data.uv_layers[layout.LIGHTMAP_UV].uv.foreach_get("vector", uv)
    image = originals.resources(level, layout.LIGHTMAP)[0]
    picture = images.to_rgba(image)
    height, width = picture.shape[:2]
    corner = world.data.polygons[FLOOR].loop_start
    place = world.data.vertices[world.data.loops[corner].vertex_index].co
    column, row = int(uv[2 * corner] * width), int((1 - uv[2 * corner + 1]) * height)
    luxel = (round(place[0] * 0.5 / 16) + 2) + 5 * (round(-place[1] * 0.5 / 16) + 2)
    assert picture[row, column, :3].tobytes() == build.luxel(FLOOR, 0, luxel)
    light = attributes.read(world.data, layout.VERTEX_LIGHT, "CORNER")
    of_face = np.repeat(np.arange(9), 4)
    assert (light[of_face == 5] == build.VERTEX_COLOR).all() and (light[of_face != 5] == 255).all()


def rendered(level: bpy.types.Collection, place, towards, path: Path) -> np.ndarray:
    """What the middle of a picture has, of 255."""
    from mathutils import Vector

    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.location = Vector(place) * layout.SCALE
    camera.rotation_euler = (Vector(towards) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_start, camera.data.angle = 0.001, 0.02
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return images.to_rgba(bpy.data.images.load(str(path)))[3:5, 3:5, :3].astype(np.float64).mean(axis=(0, 1))


def test_it_looks_as_the_engine_multiplies_a_screens_numbers(tmp_path: Path):
    level = room()
    # A corner-lit wall: its texture's colour there, times 200, 100 and 50 of 255.
    got = rendered(level, (20.0, 30.0, 10.0), (20.0, -64.0, 10.0), tmp_path / "wall.png")
    made = genesis.read(ROOM)
    picture = pictures.read(made, build.ROCK)
    texels = np.array([20 * 0.5 / 0.5, -10 * 0.5 / 0.5]) % build.SIDE
    texel = picture[int(texels[1]), int(texels[0]), :3].astype(np.float64)
    around = picture[:, :, :3].reshape(-1, 3).astype(np.float64) * build.VERTEX_COLOR / 255
    assert (np.abs(around - got).max(axis=1) < 6).any(), (got, texel * build.VERTEX_COLOR / 255)


def test_entities_keys_and_the_sky():
    level = room()
    light = part(level, layout.ENTITY, 2)
    light["light"] = 99
    light.location.x += 16
    level["SkyTop"] = "metal"
    after = exported(level)
    assert changed(after) == {"ENTITIES", "SKY"}
    made = genesis.read(after)
    assert made.points[0].get("light") == "99" and made.points[0].get("origin") == "16 40 8"
    assert made.table(ChunkId.SKY)["textures"][0].tolist() == [3, 3, 1, 3, 3, 3]
    level["SkyTop"] = "nothing"
    with pytest.raises(SceneError, match="no texture 'nothing'"):
        exported(level)


def test_a_painted_texture_and_a_painted_lightmap(tmp_path: Path):
    level = room()
    image = originals.resources(level, layout.IMAGE)[build.METAL]
    image.pixels = [0.5, 0.25, 1.0, 1.0] * build.SIDE**2
    light = originals.resources(level, layout.LIGHTMAP)[0]
    pixels = np.empty(len(light.pixels), np.float32)
    light.pixels.foreach_get(pixels)
    light.pixels.foreach_set(1.0 - pixels)
    after = exported(level)
    assert changed(after) == {"TEXTURE_DATA", "PALETTES", "LIGHT_DATA"}
    made = genesis.read(after)
    assert pictures.read(made, build.METAL)[3, 3].tolist() == [128, 64, 255, 255]
    found = lighting.blocks(made, surfaces.of_level(made))
    was = genesis.read(ROOM).table(ChunkId.LIGHT_DATA)
    now = made.table(ChunkId.LIGHT_DATA)
    first, second = (found.bytes_of(np.array([6]), slot) for slot in (0, 1))
    assert (now[first] == 255 - was[first]).all() and (now[second] == was[second]).all(), "types apart"


def test_a_texture_that_slides_or_turns():
    level = room()
    world = part(level, layout.SURFACES, 0)
    uv = uvs(world)
    loops = list(world.data.polygons[FLOOR].loop_indices)
    uv[loops, 0] += 2 / build.SIDE
    set_uvs(world, uv)
    after = exported(level)
    assert changed(after) == {"TEXINFOS", "FACES"}
    made = genesis.read(after)
    assert made.table(ChunkId.TEXINFOS)["offset_x"][made.table(ChunkId.FACES)["texinfo"][FLOOR]] == 6
    middle = uv[loops].mean(axis=0)
    uv[loops] = (uv[loops] - middle) @ np.array([[0, 1], [-1, 0]]) + middle
    set_uvs(world, uv)
    assert changed(exported(level)) == {"TEXINFOS", "FACES", "LIGHT_DATA"}
    uv[loops[0]] += 0.3
    set_uvs(world, uv)
    with pytest.raises(SceneError, match="bent") as refused:
        exported(level)
    assert refused.value.objects == [world]


def test_faces_get_other_textures_and_properties():
    level = room()
    world, lift = (part(level, layout.SURFACES, model) for model in (0, 1))
    names = [slot.material[layout.TEXTURE] for slot in world.material_slots]
    world.data.polygons[FLOOR].material_index = names.index("metal")
    alpha = attributes.read(world.data, "alpha", "FACE")
    alpha[7:9] = 64
    attributes.write(world.data, "alpha", "FACE", "FLOAT", alpha)
    made = genesis.read(exported(level))
    infos, faces = made.table(ChunkId.TEXINFOS), made.table(ChunkId.FACES)
    assert infos["texture"][faces["texinfo"][FLOOR]] == build.METAL
    assert infos["alpha"][faces["texinfo"][7:9]].tolist() == [64, 64]
    flags = attributes.read(lift.data, "flags", "FACE")
    flags[0] |= build.NO_LIGHTMAP
    attributes.write(lift.data, "flags", "FACE", "INT", flags)
    with pytest.raises(SceneError, match=r"1 face has flags .* only compiling"):
        exported(level)


def test_a_material_that_is_taken_away_is_told():
    level, report = room(), Report()
    part(level, layout.SURFACES, 1).material_slots[0].material = None
    assert exported(level, report) == ROOM
    assert "lift surfaces: 6 faces without a material, where the textures stay" in str(report.lines())


def test_a_new_texture_is_added_with_its_picture():
    level = room()
    world = part(level, layout.SURFACES, 0)
    material = bpy.data.materials.new("fresh")
    if bpy.app.version < (5, 0):  # later ones always have nodes
        material.use_nodes = True
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = images.from_rgba("fresh", np.full((8, 32, 4), 200, np.uint8))
    world.data.materials.append(material)
    world.data.polygons[FLOOR].material_index = len(world.data.materials) - 1
    made = genesis.read(exported(level))
    assert pictures.names(made) == [*build.NAMES, "fresh"] and pictures.size(made, 4) == (32, 8)
    node.image = None
    with pytest.raises(SceneError, match="no picture of it"):
        exported(level)


def test_light_at_corners():
    level = room()
    world = part(level, layout.SURFACES, 0)
    light = attributes.read(world.data, layout.VERTEX_LIGHT, "CORNER")
    light[20] = (1, 2, 3)
    light[0] = 9
    attributes.write(world.data, layout.VERTEX_LIGHT, "CORNER", "FLOAT_VECTOR", light)
    report = Report()
    after = exported(level, report)
    assert changed(after) == {"VERTEX_LIGHT"}
    assert any("that a lightmap lights" in line for line in report.lines())
    assert (genesis.read(after).table(ChunkId.VERTEX_LIGHT)["y"] == 2).sum() == 1


def _move_vertex(level):
    part(level, layout.SURFACES, 0).data.vertices[0].co.x += 1


def _move_object(level):
    part(level, layout.SURFACES, 0).location.x += 1


def _move_model(level):
    part(level, layout.MODEL, 1).location.x += 1


def _delete_model(level):
    bpy.data.objects.remove(part(level, layout.MODEL, 1))


def _delete_surfaces(level):
    bpy.data.objects.remove(part(level, layout.SURFACES, 1))


def _copy_surfaces(level):
    level.objects.link(part(level, layout.SURFACES, 1).copy())


def _add_brush(level):
    mesh = bpy.data.meshes.new("cube")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    level.objects.link(bpy.data.objects.new("cube", mesh))


@pytest.mark.parametrize(
    "edit",
    [_move_vertex, _move_object, _move_model, _delete_model, _delete_surfaces, _copy_surfaces, _add_brush],
)
def test_other_shapes_are_refused_with_the_remedy(edit):
    level = room()
    edit(level)
    with pytest.raises(SceneError, match="decompile it"):
        exported(level)


def test_a_deleted_root_is_named_where_nothing_is_where_it_was() -> None:
    level = room()
    bpy.data.objects.remove(part(level, identity.ROOT, 0))
    with pytest.raises(SceneError, match="root empty was deleted"):
        exported(level)


def test_a_level_that_is_no_bsp_does_not_become_one():
    level = imported(genesis.write(genesis.new_level("map")), "new.map")
    with pytest.raises(SceneError, match="only the game's compiler"):
        exported(level, container="bsp")


def test_it_is_decompiled_by_export_by_import_and_by_button():
    level = room()
    part(level, layout.ENTITY, 2)["light"] = 99
    made = genesis.read(exported(level, container="map"))
    assert made.kind == "map" and made.points[0].get("light") == "99" and len(made.world.brushes) == 8
    assert genesis.read(exported(level, container="3dt")).kind == "3dt"
    brushes = room(compiled="brushes")
    kinds = {obj.type for obj in brushes.all_objects}
    assert "MESH" in kinds and part(brushes, layout.BRUSH, 0).data.materials[0].node_tree is not None
    pictures_there = {image.name.partition(".")[0] for image in bpy.data.images}
    assert set(build.NAMES) <= pictures_there, "the textures came along"
    part(brushes, layout.BRUSH, 0).location.x += 8
    assert genesis.read(exported(brushes)).kind == "map"
    originals.make_active(bpy.context, level)
    assert bpy.ops.levelwright.genesis_decompile() == {"FINISHED"}
    assert originals.describe(originals.level_of(bpy.context)).options[layout.KIND] == "map"


def test_light_is_baked_into_the_first_lightmaps():
    level, report = room(), Report()
    bake.bake(bpy.context, level, bake.LightBake(samples=4, bounces=0), report)
    after = exported(level)
    assert changed(after) == {"LIGHT_DATA", "VERTEX_LIGHT"}
    made = genesis.read(after)
    found = lighting.blocks(made, surfaces.of_level(made))
    now, was = (one.table(ChunkId.LIGHT_DATA) for one in (made, genesis.read(ROOM)))
    floor = now[found.bytes_of(np.array([FLOOR]), 0)]
    assert floor.min() >= bake.DARKEST and (floor != was[found.bytes_of(np.array([FLOOR]), 0)]).any()
    flicker = found.bytes_of(np.array([6]), 1)
    assert (now[flicker] == was[flicker]).all()
    group = originals.resources(level, layout.BAKED_LIGHT)[0]
    assert group.nodes["Baked light"].outputs[0].default_value == 1, "shown again as it was"


CORNER_LIT = 5


def corner_light(data: bytes) -> np.ndarray:
    """The light of the corners of the wall that has some, by their places: x, y, z, red, green, blue."""
    made = genesis.read(data)
    drawn, table = surfaces.of_level(made), made.table(ChunkId.VERTEX_LIGHT)
    mine = slice(drawn.starts[CORNER_LIT], drawn.starts[CORNER_LIT + 1])
    light = np.column_stack([table[axis][drawn.corners[mine]] for axis in "xyz"])
    rows = np.column_stack([drawn.points[mine], light])
    return rows[np.lexsort(rows[:, :3].T)]


@pytest.mark.parametrize("flat", [False, True])
def test_light_is_baked_at_corners(flat: bool):
    infos = list(build.INFOS)
    if flat:
        infos[4] = build.texinfo(*build.Z_AXES, build.ROCK, flags=build.GOURAUD | 0x40 | build.NO_LIGHTMAP)
    data = build.room(chunks={build.TEXINFOS: b"".join(infos)})
    level, report = imported(data, "room.bsp"), Report()
    world = part(level, layout.SURFACES, 0)
    maps = [layer.name for layer in world.data.uv_layers]
    lamp = part(level, layout.ENTITY, 2)
    others = [obj for obj in level.all_objects if obj.type == "LIGHT" and obj is not lamp]
    assert not others
    lamp.location = (-56, -40, 40)  # Blender's axes: near one corner of the wall at z = 64, which is y = -64
    bake.bake(bpy.context, level, bake.LightBake(samples=16, bounces=0), report)
    assert [layer.name for layer in world.data.uv_layers] == maps and report.counts["corners"] == 4
    rows = corner_light(exported(level))
    assert (rows[:, 3:] != build.VERTEX_COLOR).any(axis=1).all() and rows[:, 3:].min() >= bake.DARKEST
    brightness = rows[:, 3:].sum(axis=1)
    assert rows[brightness.argmax(), :3].tolist() == [-64, 64, 64], rows
    assert rows[brightness.argmin(), :3].tolist() == [64, -64, 64], rows


def test_corners_of_what_has_modifiers_are_refused():
    level = room()
    world = part(level, layout.SURFACES, 0)
    world.modifiers.new("bend", "SIMPLE_DEFORM")
    with pytest.raises(SceneError, match="modifiers") as refused:
        bake.bake(bpy.context, level, bake.LightBake(samples=1, bounces=0), Report())
    assert refused.value.objects == [world]


def test_smooth_faces_have_one_light_at_a_vertex():
    vertices, ones = np.array([0, 1, 1, 2]), np.ones(4, np.bool_)
    lit = corners.CornerLit(None, np.arange(4), np.array([0, 0, 1, 1]), vertices, ones, np.zeros((4, 2)))
    light = np.array([[1, 0, 0], [2, 0, 0], [4, 0, 0], [np.nan] * 3], np.float32)
    assert corners._smoothed(lit, light)[:3, 0].tolist() == [1, 3, 3]
    lit = corners.CornerLit(None, np.arange(4), np.array([0, 0, 1, 1]), vertices, ~ones, np.zeros((4, 2)))
    assert corners._smoothed(lit, light)[:3, 0].tolist() == [1, 2, 4]


def test_what_is_not_baked_is_told():
    parts = build.parts()
    faces = np.frombuffer(parts[build.FACES], genesis.read(ROOM).table(ChunkId.FACES).dtype).copy()
    faces["light_offset"][2] = -1
    faces["light_types"][7, 0] = 11
    report = Report()
    level = imported(build.room(chunks={build.FACES: faces.tobytes()}), "room.bsp")
    bake.bake(bpy.context, level, bake.LightBake(samples=1, bounces=0), report)
    assert [line for line in report.warnings if line.startswith("not baked")] == [
        "not baked: 1 face has no lightmap, as the compiler saw no light on them, and stay dark",
        "not baked: 1 face has lightmaps of lights with a type of their own alone",
    ]


def test_baking_needs_a_compiled_level():
    level = imported(genesis.write(genesis.new_level("map")), "new.map")
    with pytest.raises(SceneError, match="no lightmaps"):
        bake.bake(bpy.context, level, bake.LightBake(), Report())


def test_luxels_are_what_a_screen_shows():
    light = np.array([[0, 0.001, 0.2159], [1, 4, 0.5]], np.float32)
    assert bake.luxels(light).tolist() == [[1, 3, 128], [255, 255, 188]]


def reread(data: bytes) -> txl.Library:
    """A library whose textures are, bit for bit, those of the room."""
    library, level = txl.read(data), genesis.read(ROOM)
    assert sorted(texture.name for texture in library) == sorted(build.NAMES)
    for number, name in enumerate(build.NAMES):
        texture, stored = library.get(name), build.picture(number)[: build.SIDE**2]
        assert texture.indices().tobytes() == stored
        assert texture.palette()[:, :3].tobytes() == level.table(ChunkId.PALETTES)["rgb"][number].tobytes()
    return library


def test_its_textures_become_a_library_bit_for_bit(tmp_path: Path):
    level = reopened(room(compiled="brushes"), tmp_path)
    originals.make_active(bpy.context, level)
    file = tmp_path / "mine.txl"
    assert bpy.ops.levelwright.genesis_write_textures(filepath=str(file)) == {"FINISHED"}
    reread(file.read_bytes())
    assert level[layout.TEXTURE_LIBRARY] == ".\\mine.txl"
    assert bpy.ops.levelwright.check_export(collection=level.name) == {"FINISHED"}
    assert [line.message for line in findings.kept(level)] == [NO_START]
    assert genesis.read(exported(level)).world.get("TextureLib") == ".\\mine.txl"


def test_a_painted_texture_of_a_decompiled_level_is_written_as_painted(tmp_path: Path):
    level = room(compiled="brushes")
    brushes = [obj for obj in level.all_objects if obj.type == "MESH"]
    metal = next(slot.material for obj in brushes for slot in obj.material_slots if slot.material["texture"] == "metal")
    image = next(node.image for node in metal.node_tree.nodes if node.type == "TEX_IMAGE")
    image.pixels = [0.5, 0.25, 1.0, 1.0] * build.SIDE**2
    library = txl.read(library_of(level, None, Report()))
    assert library.get("metal").pixels()[3, 3].tolist() == [128, 64, 255, 255]
    assert library.get("rock").indices().tobytes() == build.picture(build.ROCK)[: build.SIDE**2]


@pytest.mark.parametrize("ending", ["map", "3dt"])
def test_an_export_that_decompiles_writes_the_library_beside(tmp_path: Path, ending: str):
    (tmp_path / "room.bsp").write_bytes(ROOM)
    target = tmp_path / f"made.{ending}"
    report = commands.convert(tmp_path / "room.bsp", target)
    assert [line.message for line in report.findings] == [NO_START]
    reread((tmp_path / "made.txl").read_bytes())
    again = commands.convert(target, tmp_path / f"again.{ending}")
    assert [line.message for line in again.findings] == [NO_START]
    assert (tmp_path / f"again.{ending}").read_bytes() == target.read_bytes()


def test_a_library_that_is_there_keeps_its_textures(tmp_path: Path):
    (tmp_path / "room.bsp").write_bytes(ROOM)
    there = txl.Library()
    there.add("rock", np.full((8, 8, 4), 255, np.uint8))
    (tmp_path / "made.txl").write_bytes(txl.write(there))
    commands.convert(tmp_path / "room.bsp", tmp_path / "made.map")
    library = txl.read((tmp_path / "made.txl").read_bytes())
    assert library.get("rock").size == (8, 8) and library.get("sky").size == (build.SIDE, build.SIDE)
    (tmp_path / "made.txl").write_bytes(b"no library")
    (tmp_path / "made.map").unlink()
    with pytest.raises(SceneError, match=r"made\.txl: .*which is there"):
        commands.convert(tmp_path / "room.bsp", tmp_path / "made.map")
    assert not (tmp_path / "made.map").exists() and (tmp_path / "made.txl").read_bytes() == b"no library"
