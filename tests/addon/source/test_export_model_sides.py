# SPDX-License-Identifier: GPL-3.0-or-later
"""A door each side of which has a texture of its own, built anew: what its sides and faces look like, and what is told.

Its textures are wider than high, or higher than wide; no two sides have one in common.
"""

from functools import cache

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.edits import brush_models

from tests.addon.source.exports import Scene
from tests.addon.source.surface_edits import move
from tests.formats import source_door
from tests.formats.source_room import rows

WAYS = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
FIRST = 4
"""The door's first texinfo; the others follow in the order of WAYS."""
SIDE = pytest.mark.parametrize("side", range(6))


@cache
def door() -> bytes:
    """The room with the door; the textures `side0` to `side5` are 2 to 7 times 16 wide, and half or twice as high."""
    level = source_door.with_door()
    texinfos, texdata = level.table(LumpId.TEXINFO), level.table(LumpId.TEXDATA)
    names = b"".join(f"side{side}\0".encode() for side in range(6))
    start = len(level.bytes_of(LumpId.TEXDATA_STRING_DATA))
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, bytes(level.bytes_of(LumpId.TEXDATA_STRING_DATA)) + names)
    strings = level.table(LumpId.TEXDATA_STRING_TABLE)
    offsets = [*strings["offset"].tolist(), *(start + 6 * side for side in range(6))]
    level.set_table(LumpId.TEXDATA_STRING_TABLE, rows(strings.dtype, offset=offsets))
    more = texdata[[1] * 6]
    more["name_string_table_id"], more["width"] = np.arange(6) + 2, 16 * (np.arange(6) + 2)
    more["height"] = more["width"] * np.where(np.arange(6) % 2, 2, 0.5)
    for kind in ("width", "height"):
        more[f"view_{kind}"] = more[kind]
    level.set_table(LumpId.TEXDATA, np.concatenate([texdata, more]))
    own = texinfos[[1] * 6]
    own["texdata"] = np.arange(6) + 2
    for side in range(6):
        u, v = ((1, 2), (0, 2), (0, 1))[side // 2]
        own["texture_vecs"][side] = 0
        own["texture_vecs"][side, 0, [u, 3]] = 0.5 + side, side
        own["texture_vecs"][side, 1, [v, 3]] = -0.25 - side, 2 * side
    level.set_table(LumpId.TEXINFO, np.concatenate([texinfos, own]))
    sides = level.table(LumpId.BRUSHSIDES).copy()
    sides["texinfo"][-6:] = FIRST + np.arange(6)
    level.set_table(LumpId.BRUSHSIDES, sides)
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES):
        table = level.table(lump).copy()
        table["texinfo"][-6:] = FIRST + np.arange(6)
        level.set_table(lump, table)
    return bytes(source.write(source.read(source.write(level))))


@pytest.fixture
def scene() -> Scene:
    made = Scene(door(), static_props="none", worldlights=False)
    made.door = next(obj for obj in made.objects().values() if obj.get("classname") == "func_door")
    return made


def changed(obj: bpy.types.Object, how) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.faces.ensure_lookup_table()
    how(mesh)
    mesh.to_mesh(obj.data)
    mesh.free()


def textures(level: source.Level, texinfos: np.ndarray) -> list[str]:
    numbers = level.table(LumpId.TEXDATA)["name_string_table_id"][level.table(LumpId.TEXINFO)["texdata"][texinfos]]
    return [level.texture_names.names[number] for number in numbers.tolist()]


def side_textures(level: source.Level, piece: int = 0) -> dict[tuple[int, ...], str]:
    """By the way that a side looks."""
    made = brush_models.pieces(level, 1)[piece]
    ways = [tuple(way) for way in np.rint(made.normals).astype(int).tolist()]
    return dict(zip(ways, textures(level, made.texinfos), strict=True))


ALL = {way: f"side{side}" for side, way in enumerate(WAYS)}


def seen(obj: bpy.types.Object) -> set[tuple]:
    """Corners with the texture and the UV that they have in Blender, in texels."""
    data = meshes.read(obj)
    owner = np.repeat(data.material_index, data.face_sizes)
    found = set()
    for vertex, uv, slot in zip(data.corner_verts, data.uv(layout.UV), owner, strict=True):
        name = data.materials[slot][layout.MATERIAL]
        found.add(
            (name, *np.round(data.positions[vertex], 1).tolist(), *np.round(uv * 10 + 0.137).astype(int).tolist())
        )
    return found


def written(level: source.Level) -> set[tuple]:
    """As `seen`, of the faces of the map."""
    polygons, row = geometry.polygons(level), level.table(LumpId.MODELS)[1]
    first, end = int(row["firstface"]), int(row["firstface"] + row["numfaces"])
    places = np.arange(polygons.first_corner[first], polygons.first_corner[end])
    points = polygons.positions[polygons.corners[places]]
    texinfos = level.table(LumpId.FACES)["texinfo"][polygons.corner_face[places]]
    uv = geometry.texture_coordinates(points, level.table(LumpId.TEXINFO), level.table(LumpId.TEXDATA), texinfos)
    uv[:, 1] = 1 - uv[:, 1]
    names = textures(level, texinfos)
    return {
        (name, *np.round(point, 1).tolist(), *np.round(one * 10 + 0.137).astype(int).tolist())
        for name, point, one in zip(names, points, uv, strict=True)
    }


@SIDE
def test_a_side_is_drawn_out_with_the_texture_as_it_is_seen(scene: Scene, side: int) -> None:
    positions, way = meshes.read(scene.door).positions, np.array(WAYS[side])
    heights = positions @ way
    move(scene.door, heights == heights.max(), tuple((16 * way).tolist()))
    made = scene.export(geometry="rebuild")
    assert side_textures(made) == ALL
    assert sorted(textures(made, made.table(LumpId.FACES)["texinfo"][-6:])) == sorted(ALL.values())
    assert written(made) == seen(scene.door)
    said = f"model *1 ({scene.door.name}): 1 piece became 1, 6 faces 6; moved faces keep their light"
    assert any(note.startswith(said) for note in scene.report.notes)


@SIDE
def test_a_side_that_nobody_sees_any_more_keeps_its_texture(scene: Scene, side: int) -> None:
    """In its place, or moved with all others: then it is the side of the brush that looks the same way."""

    def without(mesh) -> None:
        gone = [face for face in mesh.faces if np.dot(face.normal, WAYS[side]) > 0.5]
        assert len(gone) == 1
        bmesh.ops.delete(mesh, geom=gone, context="FACES_ONLY")

    changed(scene.door, without)
    made = scene.export(geometry="rebuild")
    assert side_textures(made) == ALL
    row = made.table(LumpId.MODELS)[1]
    drawn = made.table(LumpId.FACES)["texinfo"][int(row["firstface"]) : int(row["firstface"] + row["numfaces"])]
    assert sorted(textures(made, drawn)) == sorted(set(ALL.values()) - {f"side{side}"})
    positions, way = meshes.read(scene.door).positions, np.array(WAYS[side])
    heights = positions @ way
    move(scene.door, heights == heights.max(), tuple((24 * way).tolist()))
    assert side_textures(scene.export(geometry="rebuild")) == ALL


@pytest.mark.parametrize("line", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_new_piece_without_a_bottom_has_the_texture_of_its_other_sides(scene: Scene, line: tuple[int, int]) -> None:
    """Its UVs are in one place, or along a line: they tell nothing."""

    def add(mesh) -> None:
        made = bmesh.ops.create_cube(mesh, size=16)["verts"]
        for vertex in made:
            vertex.co.x += 40
        faces = {face for vertex in made for face in vertex.link_faces}
        for face in faces:
            face.material_index = 3
            for place, loop in enumerate(face.loops):
                loop[mesh.loops.layers.uv[layout.UV]].uv = np.multiply(line, place / 4) + 0.5
        bottom = [face for face in faces if face.normal.z < -0.5]
        bmesh.ops.delete(mesh, geom=bottom, context="FACES_ONLY")

    changed(scene.door, add)
    name = scene.door.data.materials[3][layout.MATERIAL]
    made = scene.export(geometry="rebuild")
    pieces = brush_models.pieces(made, 1)
    assert [len(piece.normals) for piece in pieces] == [6, 6]
    new = max(range(2), key=lambda number: float(pieces[number].dists.max() == 48))
    assert set(side_textures(made, new).values()) == {name}
    assert side_textures(made, 1 - new) == ALL
    assert [piece.contents for piece in pieces] == [1, 1]
    row = made.table(LumpId.MODELS)[1]
    drawn = made.table(LumpId.FACES)[int(row["firstface"]) : int(row["firstface"] + row["numfaces"])]
    texinfos = made.table(LumpId.TEXINFO)[drawn["texinfo"]]
    planes = made.table(LumpId.PLANES)
    new_faces = [
        (tuple(np.abs(planes["normal"][plane]).astype(int).tolist()), vectors[:, :3].tolist())
        for plane, vectors, texinfo in zip(
            drawn["planenum"], texinfos["texture_vecs"], textures(made, drawn["texinfo"]), strict=True
        )
        if texinfo == name and np.isclose(np.abs(vectors[:, :3]).max(), 4)
    ]
    unwrapped = {
        (1, 0, 0): [[0, 4, 0], [0, 0, -4]], (0, 1, 0): [[4, 0, 0], [0, 0, -4]], (0, 0, 1): [[4, 0, 0], [0, -4, 0]],
    }  # fmt: skip
    assert len(new_faces) == 5
    assert all(vectors == unwrapped[way] for way, vectors in new_faces), "as the editor lays textures, v downwards"


def test_faces_without_a_material_keep_their_textures_and_new_ones_are_refused(scene: Scene) -> None:
    scene.door.data.materials.clear()
    move(scene.door, np.arange(8), (5, 6, 7))
    made = scene.export(geometry="rebuild")
    assert side_textures(made) == ALL
    assert made.table(LumpId.MODELS)["mins"][1].tolist() == [1, -18, 7]

    def add(mesh) -> None:
        for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
            vertex.co.x += 40

    changed(scene.door, add)
    with pytest.raises(SceneError, match=f"{scene.door.name}.*: a new face has no material") as caught:
        scene.export(geometry="rebuild")
    assert [faces.tolist() for faces in caught.value.faces.values()] == [[6]]


def test_the_first_texture_of_a_map_is_one_like_others() -> None:
    level = source_door.with_door()
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.BRUSHSIDES):
        table = level.table(lump).copy()
        table["texinfo"][-6:] = 0
        level.set_table(lump, table)
    scene = Scene(source.write(level), static_props="none", worldlights=False)
    door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    door.data.materials.clear()
    move(door, np.arange(8), (5, 6, 7))
    assert set(side_textures(scene.export(geometry="rebuild")).values()) == {"dev/floor"}


@pytest.mark.parametrize("size", [0.5, 0.25, 3])
def test_a_door_that_is_scaled_down_or_up(scene: Scene, size: float) -> None:
    scene.door.scale.y = size
    made = scene.export(geometry="rebuild")
    assert made.table(LumpId.MODELS)["maxs"][1].tolist() == [4, 24 * size, 96]
    assert side_textures(made) == ALL


@SIDE
def test_one_side_gets_another_material(scene: Scene, side: int) -> None:
    """While the door is stretched: the texture is that of its material, named as the map has it or new."""
    positions = meshes.read(scene.door).positions
    polygon = int(np.flatnonzero([np.dot(each.normal, WAYS[side]) > 0.5 for each in scene.door.data.polygons])[0])
    move(scene.door, positions[:, 1] > 0, (0, 16, 0))
    scene.door.data.materials.append(bpy.data.materials.new("sign/new"))
    scene.door.data.polygons[polygon].material_index = 6
    made = scene.export(geometry="rebuild")
    assert side_textures(made) == {**ALL, WAYS[side]: "sign/new"}
    assert scene.report.counts["textures added"] == 1
    row = made.table(LumpId.TEXDATA)[-1]
    width = 16 * (side + 2)
    assert (int(row["width"]), int(row["height"])) == (width, width * 2 if side % 2 else width // 2), "as it was"


def test_new_faces_without_smoothing_groups_have_none(scene: Scene) -> None:
    def add(mesh) -> None:
        for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
            vertex.co.x += 40

    changed(scene.door, add)
    scene.door.data.attributes.remove(scene.door.data.attributes[layout.SMOOTHING_GROUPS])
    made = scene.export(geometry="rebuild")
    assert made.table(LumpId.FACES)["smoothing_groups"].tolist() == [0] * (10 + 12)
