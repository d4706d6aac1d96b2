# SPDX-License-Identifier: GPL-3.0-or-later
"""Element identity against Blender's own operators: copies keep it, blends, new elements and strangers have none."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity

from tests.addon.scene.scene_helpers import active, edit, grid, link

TOKEN, OTHER = identity.Token(123456789), identity.Token(-987654321)
N = 4
FACES = np.arange(1, N * N + 1)
POINTS = np.arange(1, (N + 1) ** 2 + 1)


def level_mesh(name: str = "tiles", token: int = TOKEN) -> bpy.types.Object:
    """A 4 x 4 grid of quads with vertices of their own, face ids 1..16."""
    mesh = grid(name, N, shared=False)
    identity.write_ids(mesh, "FACE", FACES, token)
    return link(bpy.data.objects.new(name, mesh))


def point_mesh(token: int = TOKEN) -> bpy.types.Object:
    """A 4 x 4 grid with shared vertices, point ids 1..25."""
    mesh = grid("points", N, shared=True)
    identity.write_ids(mesh, "POINT", POINTS, token)
    return link(bpy.data.objects.new("points", mesh))


def faces(obj: bpy.types.Object) -> np.ndarray:
    return identity.read_ids(obj.data, "FACE", TOKEN)


def points(obj: bpy.types.Object) -> np.ndarray:
    return identity.read_ids(obj.data, "POINT", TOKEN)


def test_ids_come_back() -> None:
    assert faces(level_mesh()).tolist() == FACES.tolist()
    assert points(point_mesh()).tolist() == POINTS.tolist()


@pytest.mark.parametrize("domain", ["POINT", "EDGE", "FACE", "CORNER"])
def test_each_domain(domain: identity.Domain) -> None:
    mesh = grid("g", 2, shared=True)
    count = {"POINT": 9, "EDGE": 12, "FACE": 4, "CORNER": 16}[domain]
    assert identity.read_ids(mesh, domain, TOKEN).tolist() == [0] * count
    identity.write_ids(mesh, domain, np.arange(1, count + 1), TOKEN)
    assert identity.read_ids(mesh, domain, TOKEN).tolist() == list(range(1, count + 1))
    for other in {"POINT", "EDGE", "FACE", "CORNER"} - {domain}:
        assert not identity.read_ids(mesh, other, TOKEN).any()


def test_rewriting_in_another_domain_replaces() -> None:
    mesh = grid("g", 2, shared=True)
    identity.write_ids(mesh, "POINT", np.arange(1, 10), TOKEN)
    identity.write_ids(mesh, "FACE", np.arange(1, 5), TOKEN)
    assert not identity.read_ids(mesh, "POINT", TOKEN).any()
    assert identity.read_ids(mesh, "FACE", TOKEN).tolist() == [1, 2, 3, 4]


def test_zero_negative_and_foreign_ids_are_new() -> None:
    ids = np.array([0, -5, 7], np.int32)
    assert identity.valid_ids(ids, identity.checks(TOKEN, ids), TOKEN).tolist() == [0, 0, 7]
    assert identity.valid_ids(ids, identity.checks(OTHER, ids), TOKEN).tolist() == [0, 0, 0]


def test_averages_of_pairs_are_no_pairs() -> None:
    """Every average of two or four neighbouring records' pairs, over many tokens, is refused."""
    rng = np.random.default_rng(1)
    ids = np.arange(1, 100_001, dtype=np.int32)
    for token in (1, -1, 2**31 - 1, -(2**31), *rng.integers(-(2**31), 2**31, 4).tolist()):
        check = identity.checks(token, ids)
        for group in (2, 4):
            few_ids = ids.astype(np.float64).reshape(-1, group).mean(1)
            few_checks = check.astype(np.float64).reshape(-1, group).mean(1)
            for rounded in (np.floor, np.round):
                blended = rounded(few_ids).astype(np.int32), rounded(few_checks).astype(np.int32)
                assert not identity.valid_ids(*blended, token).any()


def test_equal_pairs_average_to_themselves_in_float32() -> None:
    ids = np.arange(1, 100_001, dtype=np.int32)
    for values in (ids, identity.checks(TOKEN, ids)):
        half = values.astype(np.float32) * np.float32(0.5)
        assert np.array_equal((half + half).astype(np.int32), values)


def test_a_level_differs_from_any_other_in_every_check() -> None:
    ids = np.arange(1, 1001, dtype=np.int32)
    ours = identity.checks(TOKEN, ids)
    for token in np.random.default_rng(2).integers(-(2**31), 2**31, 100).tolist():
        assert not identity.valid_ids(ids, identity.checks(token, ids), TOKEN).any()
    assert (np.abs(ours) <= 2**24).all()


def test_checks_do_not_depend_on_numpy() -> None:
    """These values are written into .blend files: they may never change."""
    assert identity.checks(123456789, np.array([1, 2, 2**31 - 1])).tolist() == [9893394, 5156731, 10913781]


def test_duplicate_keeps_both_and_nearest_decides() -> None:
    obj = level_mesh()
    with edit(obj):
        bpy.ops.mesh.duplicate()
        bpy.ops.transform.translate(value=(10, 0, 0))
    found = faces(obj)
    assert sorted(found.tolist()) == sorted([*FACES.tolist(), *FACES.tolist()])
    data = meshes.read(obj)
    centres = data.positions[data.corner_verts].reshape(-1, 4, 3).mean(1)
    home = np.array([[(i - 1) % N + 0.5, (i - 1) // N + 0.5, 0] for i in found])
    keep = identity.nearest_instances(found, np.linalg.norm(centres - home, axis=1))
    assert sorted(found[keep].tolist()) == FACES.tolist()
    assert (centres[keep][:, 0] < N).all()


def test_subdivide() -> None:
    obj = level_mesh()
    with edit(obj):
        bpy.ops.mesh.subdivide(number_cuts=1)
    found = faces(obj)
    assert len(found) == 4 * N * N
    assert set(found.tolist()) <= {0, *FACES.tolist()}
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.subdivide(number_cuts=2)
    found = points(obj)
    assert sorted(found[found > 0].tolist()) == POINTS.tolist(), "old corners keep their ids, and nothing else has one"
    old = np.flatnonzero(found)
    at = attributes.read(obj.data, "position")[old]
    assert np.array_equal(at[:, :2], [[(i - 1) % (N + 1), (i - 1) // (N + 1)] for i in found[old]])


def test_bevel_makes_new_points() -> None:
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.bevel(offset=0.2, affect="VERTICES", segments=2)
    found = points(obj)
    at = attributes.read(obj.data, "position")[:, :2]
    home = np.array([[(i - 1) % (N + 1), (i - 1) // (N + 1)] for i in found])
    kept = found > 0
    # Blender copies a vertex's data to those that replace it: such copies name the record that they came from.
    assert len(found) > len(POINTS)
    assert (np.abs(at[kept] - home[kept]).max(1) <= 0.2 + 1e-5).all()


def test_edge_bevel_blends_are_new() -> None:
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.bevel(offset=0.1, affect="EDGES", segments=3)
    found = points(obj)
    at = attributes.read(obj.data, "position")[:, :2]
    home = np.array([[(i - 1) % (N + 1), (i - 1) // (N + 1)] for i in found])
    kept = found > 0
    assert (np.abs(at[kept] - home[kept]).max(1) < 0.5).all(), "no blend reads as a record that lies elsewhere"


@pytest.mark.parametrize("kind", ["CENTER", "COLLAPSE"])
def test_merge_of_all_is_new(kind: str) -> None:
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.merge(type=kind)
    assert len(obj.data.vertices) == 1
    # Up to 5.0 the vertex left over keeps one vertex's data; 5.2 averages when merging at the centre.
    averages = kind == "CENTER" and bpy.app.version >= (5, 1)
    assert (points(obj)[0] == 0) == averages


def test_merge_by_distance_of_copies() -> None:
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.duplicate()
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.remove_doubles(threshold=0.001)
    assert sorted(points(obj).tolist()) == POINTS.tolist()


def test_merge_by_distance_of_neighbours() -> None:
    obj = point_mesh()
    with edit(obj):
        bpy.ops.mesh.remove_doubles(threshold=1.1)
    found = points(obj)
    assert 0 < len(found) < len(POINTS)
    averages = bpy.app.version >= (5, 1)
    assert (found == 0).all() if averages else len(set(found.tolist()) - {0}) == len(found)


@pytest.mark.parametrize("kind", ["SUBSURF", "WELD"])
def test_modifiers_that_blend_points(kind: str) -> None:
    obj = point_mesh()
    modifier = obj.modifiers.new("m", kind)
    if kind == "WELD":
        modifier.merge_threshold = 1.1
    bpy.context.view_layer.update()
    found = meshes.read(obj, bpy.context.evaluated_depsgraph_get()).ids("POINT", TOKEN)
    kept = found[found > 0]
    assert len(set(kept.tolist())) == len(kept), "no blend reads as a record that another vertex bears"
    assert len(kept) == (len(POINTS) if kind == "SUBSURF" else 3)


def test_inset() -> None:
    obj = level_mesh()
    with edit(obj):
        bpy.ops.mesh.inset(thickness=0.1, use_individual=True)
    found = faces(obj)
    assert len(found) == 5 * N * N
    assert set(found.tolist()) <= {0, *FACES.tolist()}
    data = meshes.read(obj)
    centres = np.add.reduceat(data.positions[data.corner_verts], data.face_starts) / data.face_sizes[:, None]
    home = np.array([[(i - 1) % N + 0.5, (i - 1) // N + 0.5, 0] for i in found])
    keep = identity.nearest_instances(found, np.linalg.norm(centres - home, axis=1))
    assert sorted(found[keep].tolist()) == FACES.tolist()
    assert np.allclose(centres[keep], home[keep], atol=1e-5), "the inner face keeps the record"


def test_knife_cut() -> None:
    obj = point_mesh()
    identity_before = points(obj)
    bm = bmesh.new()
    bm.from_mesh(obj.data)
    bmesh.ops.bisect_plane(bm, geom=[*bm.verts, *bm.edges, *bm.faces], plane_co=(1.3, 0, 0), plane_no=(1, 0.2, 0))
    bm.to_mesh(obj.data)
    bm.free()
    found = points(obj)
    assert len(found) > len(identity_before)
    assert sorted(found[found > 0].tolist()) == POINTS.tolist(), "points on the cut are new"


def test_loop_cut_and_slide_in_faces() -> None:
    obj = level_mesh()
    bm = bmesh.new()
    bm.from_mesh(obj.data)
    bmesh.ops.bisect_plane(bm, geom=[*bm.verts, *bm.edges, *bm.faces], plane_co=(1.3, 0, 0), plane_no=(1, 0, 0))
    bm.to_mesh(obj.data)
    bm.free()
    found = faces(obj)
    assert len(found) == N * N + N
    assert set(found.tolist()) == set(FACES.tolist()), "both halves of a face bear its id"


def test_boolean_modifier() -> None:
    obj = level_mesh()
    cutter = link(bpy.data.objects.new("cutter", grid("cutter", 1, shared=True, size=1.5, z=0.0)))
    solid = cutter.modifiers.new("solid", "SOLIDIFY")
    solid.thickness, solid.offset = 1.0, 0.0
    obj.modifiers.new("thick", "SOLIDIFY").thickness = 0.5
    cut = obj.modifiers.new("cut", "BOOLEAN")
    cut.object, cut.operation = cutter, "DIFFERENCE"
    bpy.context.view_layer.update()
    data = meshes.read(obj, bpy.context.evaluated_depsgraph_get())
    found = data.ids("FACE", TOKEN)
    assert len(found) == len(data.face_starts) > N * N
    assert set(found.tolist()) <= {0, *FACES.tolist()}
    assert set(FACES[N * 2 :].tolist()) <= set(found.tolist()), "faces away from the cut keep their ids"


def test_boolean_with_another_level_is_foreign() -> None:
    obj, other = level_mesh(), level_mesh("other", OTHER)
    other.location.z = 0.1
    for one in (obj, other):
        one.modifiers.new("thick", "SOLIDIFY").thickness = 0.5
    joined = obj.modifiers.new("join", "BOOLEAN")
    joined.object, joined.operation = other, "UNION"
    bpy.context.view_layer.update()
    data = meshes.read(obj, bpy.context.evaluated_depsgraph_get())
    ours, theirs = data.ids("FACE", TOKEN), data.ids("FACE", OTHER)
    assert not ((ours > 0) & (theirs > 0)).any()


@pytest.mark.parametrize(("kind", "times"), [("MIRROR", 2), ("ARRAY", 3)])
def test_mirror_and_array(kind: str, times: int) -> None:
    obj = level_mesh()
    modifier = obj.modifiers.new("m", kind)
    if kind == "ARRAY":
        modifier.count = times
    else:
        modifier.use_mirror_merge = False
    bpy.context.view_layer.update()
    data = meshes.read(obj, bpy.context.evaluated_depsgraph_get())
    found = data.ids("FACE", TOKEN)
    assert sorted(found.tolist()) == sorted(FACES.tolist() * times)
    centres = data.positions[data.corner_verts].reshape(-1, 4, 3).mean(1)
    home = np.array([[(i - 1) % N + 0.5, (i - 1) // N + 0.5, 0] for i in found])
    keep = identity.nearest_instances(found, np.linalg.norm(centres - home, axis=1))
    assert np.allclose(centres[keep], home[keep]), "the ones at home keep their records"


def test_join_with_a_plain_mesh_and_another_level() -> None:
    obj, other = level_mesh(), level_mesh("other", OTHER)
    plain = link(bpy.data.objects.new("plain", grid("plain", 1, shared=True)))
    active(obj, other, plain)
    bpy.ops.object.join()
    found = faces(obj)
    assert len(found) == 2 * N * N + 1
    assert sorted(found[found > 0].tolist()) == FACES.tolist()
    theirs = identity.read_ids(obj.data, "FACE", OTHER)
    assert sorted(theirs[theirs > 0].tolist()) == FACES.tolist()


def test_join_into_a_plain_mesh() -> None:
    plain = link(bpy.data.objects.new("plain", grid("plain", 1, shared=True)))
    obj = level_mesh()
    active(plain, obj)
    bpy.ops.object.join()
    found = faces(plain)
    assert sorted(found.tolist()) == [0, *FACES.tolist()]


def test_separate() -> None:
    obj = level_mesh()
    meshes.select_faces(obj, [0, 5])
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    part = next(one for one in bpy.context.selected_objects if one != obj)
    assert sorted(faces(part).tolist()) == [1, 6]
    assert sorted(faces(obj).tolist()) == [i for i in FACES.tolist() if i not in (1, 6)]


def test_dissolve_delete_triangulate() -> None:
    obj = level_mesh()
    meshes.select_faces(obj, [3])
    with edit(obj, select=False):
        bpy.ops.mesh.delete(type="FACE")
    assert 4 not in faces(obj)
    with edit(obj):
        bpy.ops.mesh.quads_convert_to_tris()
    found = faces(obj)
    assert sorted(found.tolist()) == sorted([i for i in FACES.tolist() if i != 4] * 2)


def test_primitive_added_in_edit_mode_is_new() -> None:
    obj = level_mesh()
    with edit(obj):
        bpy.ops.mesh.primitive_plane_add()
    assert sorted(faces(obj).tolist()) == [0, *FACES.tolist()]


def test_nearest_instances() -> None:
    ids = np.array([3, 3, 0, 7, 7, 7, 9])
    distances = np.array([2.0, 1.0, 0.0, 5.0, 5.0, np.nan, np.nan])
    assert identity.nearest_instances(ids, distances).tolist() == [False, True, False, True, False, False, True]
    assert identity.nearest_instances(np.zeros(0, np.int32), np.zeros(0)).tolist() == []


def test_tokens_are_new_each_time_and_never_zero() -> None:
    tokens = {identity.new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert 0 not in tokens
    assert all(-(2**31) <= token < 2**31 for token in tokens)


def test_stamp() -> None:
    obj = bpy.data.objects.new("o", None)
    assert identity.stamped(obj) is None
    token = identity.new_token(b"level")
    identity.stamp(obj, token, "quad", 17)
    assert identity.stamped(obj) == identity.Stamp(int(token), "quad", 17, token.digest[:16])
    assert identity.stamped(obj.copy()) == identity.stamped(obj)
    obj.name = "renamed"
    assert identity.stamped(obj).record == 17
    identity.stamp(obj, 5, "group", -1)
    assert identity.stamped(obj) == identity.Stamp(5, "group", -1, "")
    identity.unstamp(obj)
    assert identity.stamped(obj) is None
    for junk in ("", "quad", "quad x 3", 7, b"quad 1 2"):
        obj[identity.STAMP] = junk
        assert identity.stamped(obj) is None


def test_long_names_that_blender_cuts_are_no_other_names() -> None:
    name = "maps/" + "x" * 90
    assert identity.is_named(name[:63], name)
    assert identity.is_named(name[:59] + ".001", name)
    assert not identity.is_named(name[:40], name)


def test_a_mesh_is_built_with_the_ids_of_its_elements() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    mesh = meshes.build("tile", corners, attributes=identity.id_attributes(TOKEN, np.array([7], np.int32), "FACE"))
    obj = link(bpy.data.objects.new("tile", mesh))
    assert meshes.read(obj).ids("FACE", TOKEN).tolist() == [7]
    assert meshes.read(obj).ids("FACE", OTHER).tolist() == [0]


@pytest.mark.parametrize("value", [None, "", 7, 0.5, ["a", "b"], {"a": 1}])
def test_who_has_no_stamp_that_can_be_read_is_told_by_name(value: object) -> None:
    material = bpy.data.materials.new("wall")
    if value is not None:
        material[identity.STAMP] = value
    assert identity.told_by(material) == "wall"
    identity.stamp(material, 3, "material", 4)
    material.name = "other"
    assert identity.told_by(material) == "material 4 3"
