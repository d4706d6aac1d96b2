# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush entities in another shape: what the export builds anew of their meshes, and what it refuses."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.collision import physcollide_surface
from levelwright.formats.source.edits import brush_models
from levelwright.formats.source.tree import brushes

from tests.addon.source.exports import Scene, copied
from tests.addon.source.surface_edits import move
from tests.formats import source_door

E = LumpId
MAP = source.write(source_door.with_door())


@pytest.fixture
def scene():
    made = Scene(MAP, lightmaps="hdr", static_props="none")
    made.door = next(obj for obj in made.objects().values() if obj.get("classname") == "func_door")
    return made


def edit(obj: bpy.types.Object) -> bmesh.types.BMesh:
    made = bmesh.new()
    made.from_mesh(obj.data)
    return made


def done(made: bmesh.types.BMesh, obj: bpy.types.Object) -> None:
    made.to_mesh(obj.data)
    made.free()


def solid_of(level: source.Level) -> physcollide_surface.Solid:
    return physcollide_surface.read(level.physcollide.of_model(1).solids[0])


def corners(hull) -> set:
    return {tuple(point) for point in (hull.points.round(3) + 0.0).tolist()}


def drawn(level: source.Level) -> np.ndarray:
    row = level.table(E.MODELS)[1]
    return level.table(E.FACES)[int(row["firstface"]) : int(row["firstface"] + row["numfaces"])]


def test_a_door_that_is_made_wider(scene):
    positions = meshes.read(scene.door).positions
    move(scene.door, positions[:, 1] > 0, (0, 16, 0))
    with pytest.raises(SceneError, match="Moved geometry on Rebuild"):
        scene.export()
    made = scene.export(geometry="rebuild")
    assert scene.report.counts["brush models built anew"] == 1
    assert corners(solid_of(made).hulls[0]) == {
        (x, y, z) for x in (-3.5, 3.5) for y in (-23.5, 39.5) for z in (0.5, 95.5)
    }
    assert made.table(E.MODELS)[1]["maxs"].tolist() == [4, 40, 96]
    assert brushes.solids(made, np.array([2])).polygons.positions[:, 1].max() == 40
    assert made.entities[-1].origin == (32, 0, 0)
    assert set(scene.changed(made)) == {
        "PLANES", "VERTEXES", "NODES", "TEXINFO", "FACES", "LEAFS", "EDGES", "SURFEDGES", "MODELS", "LEAFFACES",
        "BRUSHSIDES", "ORIGINALFACES", "PHYSCOLLIDE", "VERTNORMALS", "VERTNORMALINDICES", "LEAFMINDISTTOWATER",
        "FACES_HDR", "FACEIDS",
    } - ({"FACEIDS"} if "FACEIDS" not in scene.changed(made) else set())  # fmt: skip
    assert sorted(drawn(made)["lightofs"].tolist()) == sorted(drawn(source.read(MAP))["lightofs"].tolist())
    again = Scene(source.write(made), lightmaps="none", static_props="none")
    assert source.write(again.export()) == source.write(made)
    box = next(obj for obj in again.objects().values() if obj.get("classname") == "func_door")
    assert np.ptp(meshes.read(box).positions, axis=0).tolist() == [8, 64, 96]


def test_a_door_that_is_scaled(scene):
    scene.door.scale.z = 2
    with pytest.raises(SceneError, match="moved"):
        scene.export()
    assert scene.export(geometry="rebuild").table(E.MODELS)[1]["maxs"].tolist() == [4, 24, 192]
    seen = scene.export(geometry="visual")
    assert scene.changed(seen) == ["VERTEXES"]
    linked = copied(scene.door, linked=True)
    linked.scale = (1, 1, 1)
    with pytest.raises(SceneError, match="in common"):
        scene.export(geometry="visual")
    two = scene.export(geometry="rebuild").table(E.MODELS)
    assert sorted(two["maxs"][1:].tolist()) == [[4, 24, 96], [4, 24, 192]], "what has another shape is another model"
    bpy.data.objects.remove(linked)
    scene.door.rotation_euler.z, scene.door.scale = 1, (1, 2, 1)
    scene.door["classname"] = "func_brush"
    made = scene.export(geometry="rebuild")
    assert made.table(E.MODELS)[1]["maxs"].tolist() == [4, 48, 96], "what is turned is the entity"
    scene.door.scale.x = -1
    for how in ("rebuild", "visual"):
        with pytest.raises(SceneError, match="have no scale"):
            scene.export(geometry=how)


def test_textures_go_with_the_faces(scene):
    """What is stretched in Blender is stretched in the map: corners have the UVs that they have in the scene."""
    positions = meshes.read(scene.door).positions
    move(scene.door, positions[:, 2] > 0, (0, 0, 96))
    data = meshes.read(scene.door)
    seen = {
        (tuple(data.positions[vertex].round(2).tolist()), tuple(uv.round(3).tolist()))
        for vertex, uv in zip(data.corner_verts, data.uv(layout.UV), strict=True)
    }
    made = scene.export(geometry="rebuild")
    polygons = geometry.polygons(made)
    row = made.table(E.MODELS)[1]
    places = np.arange(
        polygons.first_corner[row["firstface"]], polygons.first_corner[row["firstface"] + row["numfaces"]]
    )
    points = polygons.positions[polygons.corners[places]]
    numbers = made.table(E.FACES)["texinfo"][polygons.corner_face[places]]
    uv = geometry.texture_coordinates(points, made.table(E.TEXINFO), made.table(E.TEXDATA), numbers)
    uv[:, 1] = 1 - uv[:, 1]
    flat = {face for face in range(10, 16) if made.table(E.PLANES)["normal"][made.table(E.FACES)["planenum"][face], 0]}
    wall = np.isin(polygons.corner_face[places], list(flat))
    for point, place in zip(points[wall], uv[wall], strict=True):
        assert min(abs(u - place[0]) + abs(v - place[1]) for p, (u, v) in seen if p == tuple(point.tolist())) < 1e-2


def test_a_second_piece_has_light_texture_and_collision(scene):
    """A box is added in edit mode: it has the material, no UVs, and no face of the map."""
    mesh = edit(scene.door)
    for vertex in bmesh.ops.create_cube(mesh, size=16)["verts"]:
        vertex.co.x += 40
    done(mesh, scene.door)
    made = scene.export(geometry="rebuild")
    solid = solid_of(made)
    assert len(solid.hulls) == 2 and solid.outer is not None
    assert {len(corners(hull)) for hull in solid.hulls} == {8}
    assert (32.5, -7.5, -7.5) in corners(max(solid.hulls, key=lambda hull: hull.points[:, 0].max()))
    assert len(drawn(made)) == 12 and (drawn(made)["lightofs"] >= 0).all()
    assert not source.check(made)


def test_a_part_that_is_taken_away_collides_no_more(scene):
    test_a_second_piece_has_light_texture_and_collision(scene)
    both = Scene(source.write(scene.export(geometry="rebuild")), lightmaps="none", static_props="none")
    door = next(obj for obj in both.objects().values() if obj.get("classname") == "func_door")
    mesh = edit(door)
    bmesh.ops.delete(mesh, geom=[v for v in mesh.verts if v.co.x < 10], context="VERTS")
    done(mesh, door)
    made = both.export(geometry="rebuild")
    assert len(solid_of(made).hulls) == 1 and made.table(E.MODELS)[1]["mins"].tolist() == [32, -8, -8]
    assert made.table(E.BRUSHES)["numsides"].all(), "none is left blank"


def test_a_side_that_nobody_sees_is_closed(scene):
    mesh = edit(scene.door)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z < -0.5], context="FACES_ONLY")
    done(mesh, scene.door)
    made = scene.export(geometry="rebuild")
    assert len(drawn(made)) == 5 and len(corners(solid_of(made).hulls[0])) == 8
    assert scene.changed(made).count("PHYSCOLLIDE") == 0  # what collides is what it was


def test_what_is_not_convex_is_refused_and_selected(scene):
    mesh = edit(scene.door)
    mesh.faces.ensure_lookup_table()
    top = next(face for face in mesh.faces if face.normal.z > 0.5)
    inner = bmesh.ops.inset_individual(mesh, faces=[top], thickness=2)
    del inner
    for vertex in top.verts:
        vertex.co.z -= 20
    done(mesh, scene.door)
    with pytest.raises(SceneError, match="not on the outside of a convex piece") as caught:
        scene.export(geometry="rebuild")
    assert caught.value.objects == [scene.door]
    assert len(caught.value.faces[scene.door]) == 5


def test_a_bent_face_keeps_its_texture_where_it_was(scene):
    """A wall that becomes a trapezium has UVs that no flat texture gives: as in the editor, the texture stays."""
    positions = meshes.read(scene.door).positions
    move(scene.door, (positions[:, 1] > 0) & (positions[:, 2] > 0), (0, 0, -40))
    made = scene.export(geometry="rebuild")
    assert any("stays where it was" in warning for warning in scene.report.warnings)
    assert len(corners(solid_of(made).hulls[0])) == 8
    brush = made.table(E.BRUSHES)[2]
    assert made.table(E.BRUSHSIDES)["bevel"][brush["firstside"] : brush["firstside"] + brush["numsides"]].sum() == 1


def test_the_world_is_never_rebuilt(scene):
    world = next(iter(scene.objects(layout.MODEL).values()))
    move(world, np.arange(1), (0, 0, 8))
    with pytest.raises(SceneError, match="its option World on Edit"):
        scene.export(geometry="rebuild")


# ----------------------------------------------------------------------------- brushes that aren't all seen, or share


def imported(pieces, faces) -> Scene:
    """The map with another door: of these boxes, with these faces."""
    level = source.read(source.write(source_door.with_door()))
    normals = np.concatenate([[-np.eye(3)[axis], np.eye(3)[axis]] for axis in range(3)])
    dists = [[s for axis in range(3) for s in (-low[axis], high[axis])] for low, high in pieces]
    made = [brush_models.Piece(normals, np.array(each, np.float64), np.ones(6, np.int64), 1) for each in dists]
    brush_models.rebuild(level, 1, made, [brush_models.Face(ring, 1) for ring in faces])
    scene = Scene(source.write(level), lightmaps="none", static_props="none")
    scene.door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    return scene


def test_a_pane_of_which_one_side_is_seen_goes_along_with_it():
    pane = ((-4, -24, 0), (4, 24, 96))
    scene = imported([pane], [source_door.box(*pane)[1]])
    mesh = edit(scene.door)
    for vertex in mesh.verts:
        vertex.co = (vertex.co.x + 10, vertex.co.y * 2, vertex.co.z)
    done(mesh, scene.door)
    made = scene.export(geometry="rebuild")
    hull = solid_of(made).hulls[0]
    assert hull.points.min(axis=0).round(3).tolist() == [6.5, -47.5, 0.5]
    assert hull.points.max(axis=0).round(3).tolist() == [13.5, 47.5, 95.5]
    assert len(drawn(made)) == 1
    turn = edit(scene.door)  # what isn't seen turns along
    for vertex in turn.verts:
        vertex.co = (-vertex.co.y / 2, vertex.co.x, vertex.co.z)
    done(turn, scene.door)
    hull = solid_of(scene.export(geometry="rebuild")).hulls[0]
    assert np.ptp(hull.points, axis=0).round(3).tolist() == [47, 7, 95]


def test_a_pane_of_which_one_side_is_seen_may_be_copied_and_cut():
    pane = ((-4, -24, 0), (4, 24, 96))
    scene = imported([pane], [source_door.box(*pane)[1]])
    mesh = edit(scene.door)
    made = bmesh.ops.duplicate(mesh, geom=[*mesh.verts, *mesh.edges, *mesh.faces])
    bmesh.ops.translate(
        mesh, verts=[each for each in made["geom"] if isinstance(each, bmesh.types.BMVert)], vec=(20, 0, 0)
    )
    bmesh.ops.subdivide_edges(mesh, edges=mesh.edges, cuts=1)
    bmesh.ops.triangulate(mesh, faces=mesh.faces)
    done(mesh, scene.door)
    made = scene.export(geometry="rebuild")
    hulls = sorted((hull.points[:, 0].min(), hull.points[:, 0].max()) for hull in solid_of(made).hulls)
    assert np.allclose(hulls, [(-3.5, 3.5), (16.5, 23.5)], atol=1e-3)
    assert len(drawn(made)) == len(scene.door.data.polygons)


def test_a_pane_that_is_bent_is_refused():
    pane = ((-4, -24, 0), (4, 24, 96))
    scene = imported([pane], [source_door.box(*pane)[1]])
    positions = meshes.read(scene.door).positions
    move(scene.door, (positions[:, 1] > 0) & (positions[:, 2] > 0), (0, 0, -40))
    with pytest.raises(SceneError, match="not on the outside of a convex piece") as caught:
        scene.export(geometry="rebuild")
    assert caught.value.faces[scene.door].tolist() == [0]


def test_brushes_that_share_vertices_stay_brushes():
    """A step: two boxes side by side, of which one becomes higher; their mesh is one part, and not convex."""
    lower, upper = ((0, 0, 0), (16, 16, 8)), ((0, 16, 0), (16, 32, 16))
    faces = [ring for box in (lower, upper) for ring in source_door.box(*box)]
    faces = [ring for ring in faces if not ((ring[:, 1] == 16).all() and ring[:, 2].max() == 8)]
    scene = imported([lower, upper], faces)
    positions = meshes.read(scene.door).positions
    mesh = edit(scene.door)
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1e-3)
    done(mesh, scene.door)
    positions = meshes.read(scene.door).positions
    move(scene.door, positions[:, 2] == 16, (0, 0, 8))
    made = scene.export(geometry="rebuild")
    tops = sorted(float(hull.points[:, 2].max()) for hull in solid_of(made).hulls)
    assert np.allclose(tops, [7.5, 23.5])
    assert sorted(p.dists[5] for p in brush_models.pieces(made, 1)) == [8, 24]


def test_all_of_a_model_may_be_stretched_whatever_it_is_made_of():
    """One affine map for all vertices: brushes are what they were, also those without a face."""
    boxes = [((0, 0, 0), (16, 16, 8)), ((0, 16, 0), (16, 32, 16)), ((4, 4, 2), (8, 8, 6))]
    scene = imported(boxes, [ring for box in boxes[:2] for ring in source_door.box(*box)])
    move(scene.door, meshes.read(scene.door).positions[:, 0] > 8, (16, 0, 0))
    made = scene.export(geometry="rebuild")
    highs = sorted(piece.dists[[1, 3, 5]].round(3).tolist() for piece in brush_models.pieces(made, 1))
    assert highs == [[16, 8, 6], [32, 16, 8], [32, 32, 16]]
    assert not any("stay where they were" in warning for warning in scene.report.warnings)


def test_a_face_that_is_on_no_side_must_be_flat():
    """Compilers leave bent slivers within pieces; as they grow, what bends them does, too."""
    pane = ((-4, -24, 0), (4, 24, 96))
    bent = source_door.box(*pane)[1] - [2, 0, 0] + [[0.6, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    scene = imported([pane], [*source_door.box(*pane), bent])
    obj = scene.door
    obj.data.attributes["position"].data.foreach_set("vector", (meshes.read(obj).positions * 4).ravel())
    obj.data.update()
    with pytest.raises(SceneError, match="isn't flat") as caught:
        scene.export(geometry="rebuild")
    assert [8 < obj.data.polygons[face].center.x < 11 for face in caught.value.faces[obj].tolist()] == [True]
