# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons, displacements, the tree, overlays and atlases: small maps made here, and the real ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import atlas, source
from formats.binary import FormatError
from formats.source import geometry, map_crc
from formats.source.faces import displacements
from formats.source.light import lighting
from formats.source.lumps import LumpId
from formats.source.placed import overlay_quads
from formats.source.tables import displacements as disp_records
from formats.source.tables import geometry as geometry_records
from formats.source.tables import overlays as overlay_records
from formats.source.tables import tree as tree_records
from formats.source.tree import leaf_tree
from tests.formats import source_vmf


class Tables:
    """As much of a level as geometry asks for. tables: lump -> records."""

    def __init__(self, **tables):
        self.tables = {LumpId[name]: table for name, table in tables.items()}

    def table(self, lump):
        return self.tables[LumpId(lump)]

    def bytes_of(self, lump):
        return self.tables[LumpId(lump)].tobytes() if LumpId(lump) in self.tables else b""


def rows(dtype, *values, **columns):
    made = np.zeros(len(values) or len(next(iter(columns.values()))), dtype)
    for name, column in columns.items():
        made[name] = column
    for number, row in enumerate(values):
        made[number] = row
    return made


SQUARE = [(0, 0, 0), (0, 8, 0), (8, 8, 0), (8, 0, 0)]  # clockwise from above


def square(**more):
    faces = rows(geometry_records.FACE, firstedge=[0], numedges=[4], **more)
    return {
        "VERTEXES": rows(geometry_records.VERTEX, point=SQUARE),
        "EDGES": rows(geometry_records.EDGE, v=[(0, 0), (0, 1), (2, 1), (2, 3), (3, 0)]),
        "SURFEDGES": rows(geometry_records.SURFEDGE, edge=[1, -2, 3, 4]),
        "FACES": faces,
    }


def test_a_face():
    polygons = geometry.polygons(Tables(**square()))
    assert polygons.corners.tolist() == [0, 1, 2, 3]
    assert polygons.first_corner.tolist() == [0, 4]
    assert polygons.corner_face.tolist() == [0] * 4
    assert geometry.area_normals(polygons).tolist() == [[0, 0, 64]]


@pytest.mark.parametrize(
    ("lump", "field", "value"),
    [("FACES", "firstedge", 1), ("FACES", "firstedge", -1), ("FACES", "numedges", -1), ("SURFEDGES", "edge", 5),
     ("SURFEDGES", "edge", -5), ("SURFEDGES", "edge", -(2**31)), ("EDGES", "v", 4)],
)  # fmt: skip
def test_faces_of_things_that_are_not_there(lump, field, value):
    tables = square()
    tables[lump][field] = value
    with pytest.raises(FormatError, match="lump"):
        geometry.polygons(Tables(**tables))


def test_faces_of_a_map_that_has_only_those_of_hdr():
    tables = square()
    tables["FACES_HDR"] = tables.pop("FACES")
    assert geometry.polygons(Tables(**tables)).corners.tolist() == [0, 1, 2, 3]


def test_triangles_and_normals():
    tables = square(num_prims=[0x8001], first_prim_id=[1])
    prims = rows(geometry_records.PRIMITIVE, first_index=[0, 2], index_count=[0, 6])
    indices = rows(geometry_records.PRIMINDEX, index=[9, 9, 1, 2, 3, 1, 3, 0])
    level = Tables(
        **tables,
        PRIMITIVES=prims,
        PRIMINDICES=indices,
        VERTNORMALS=rows(geometry_records.VERTNORMAL, normal=[(0, 0, 1), (1, 0, 0)]),
        VERTNORMALINDICES=rows(geometry_records.VERTNORMALINDEX, normal=[0, 1, 0, 0]),
    )
    polygons = geometry.polygons(level)
    corners, faces = geometry.triangles(level, polygons)
    assert corners.tolist() == [[1, 2, 3], [1, 3, 0]]
    assert faces.tolist() == [0, 0]
    assert geometry.corner_normals(level, polygons).tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 1]]
    indices["index"][3] = 4  # no corner of the face: then it is a fan
    assert len(geometry.triangles(level, polygons)[0]) == 0
    prims["index_count"] = 7
    with pytest.raises(FormatError, match="indices"):
        geometry.triangles(level, polygons)
    level.table(LumpId.VERTNORMALINDICES)["normal"] = 2
    with pytest.raises(FormatError, match="normal 2 of 2"):
        geometry.corner_normals(level, polygons)


@pytest.mark.parametrize(
    "name", ["FACE_17", "FACE_17_DAY_NIGHT", "FACE_18", "FACE", "FACE_32", "FACE_32_V2", "FACE_STRATA"]
)
@pytest.mark.parametrize("byte_order", "<>")
def test_faces_of_every_version(name, byte_order):
    """Polygons, triangles and lightmaps of one face; wide indices where the faces have them."""
    dtype = getattr(geometry_records, name)
    fields = {
        "firstedge": [0],
        "numedges": [4],
        "lightmap_size": [(1, 2)],
        "lightofs": [4],
        "styles": [(0, *[255] * 3)],
    }
    if "day" in dtype.names:
        fields["styles"] = [(0, *[255] * 7)]
    if "shadows_num_prims" in dtype.names:
        fields["shadows_num_prims"] = [1 << 1 | 1]
    elif "num_prims" in dtype.names:
        fields["num_prims"] = [0x8001]
    wide = "_32" if name.startswith(("FACE_32", "FACE_STRATA")) else ""
    whole = square()
    whole["FACES"] = rows(dtype.newbyteorder(byte_order), **fields)
    for lump, record in (("EDGES", "EDGE"), ("PRIMINDICES", "PRIMINDEX"), ("PRIMITIVES", "PRIMITIVE")):
        kind = getattr(geometry_records, record + wide).newbyteorder(byte_order)
        if lump == "EDGES":
            whole[lump] = rows(kind, v=whole["EDGES"]["v"])
        elif lump == "PRIMINDICES":
            whole[lump] = rows(kind, index=[0, 1, 2, 0, 2, 3])
        else:
            whole[lump] = rows(kind, index_count=[6])
    level = Tables(**whole)
    polygons = geometry.polygons(level)
    assert polygons.positions[polygons.corners].tolist() == [list(map(float, corner)) for corner in SQUARE]
    assert geometry.area_normals(polygons).tolist() == [[0, 0, 64]]
    corners, owners = geometry.triangles(level, polygons)
    primitives = name not in ("FACE_17", "FACE_17_DAY_NIGHT")
    assert corners.tolist() == ([[0, 1, 2], [0, 2, 3]] if primitives else [])
    assert owners.tolist() == [0] * len(corners)
    found = lighting.blocks(whole["FACES"], rows(geometry_records.TEXINFO, texdata=[0]), 4 + 4 * 2 * 3)
    assert [found.width.tolist(), found.height.tolist(), found.styles.tolist()] == [[2], [3], [1]]
    assert found.offset.tolist() == [4]


def test_texture_and_lightmap_coordinates():
    texinfos = np.zeros(1, geometry_records.TEXINFO)
    texinfos["texture_vecs"] = [[4, 0, 0, 8], [0, -2, 0, 16]]
    texinfos["lightmap_vecs"] = [[0.25, 0, 0, 1], [0, -0.25, 0, 2]]
    texdata = rows(geometry_records.TEXDATA, width=[32], height=[0])
    points = np.array(SQUARE, np.float64)
    numbers = np.zeros(4, int)
    assert geometry.texels(points, texinfos, numbers).tolist() == [[8, 16], [8, 0], [40, 0], [40, 16]]
    uv = geometry.texture_coordinates(points, texinfos, texdata, numbers)
    assert uv.tolist() == [[0.25, 16], [0.25, 0], [1.25, 0], [1.25, 16]]
    luxels = geometry.luxels(points, texinfos, numbers, np.array([[1, 0]] * 4))
    assert luxels.tolist() == [[0.5, 2.5], [0.5, 0.5], [2.5, 0.5], [2.5, 2.5]]


def displaced(power=2, start=(8, 8, 0.01), **more):
    count = (2**power + 1) ** 2
    verts = rows(disp_records.DISPVERT, dist=np.zeros(count))
    infos = rows(disp_records.DISPINFO, power=[power], start_position=[start], **more)
    level = Tables(**square(), DISPINFO=infos, DISP_VERTS=verts)
    return level, geometry.polygons(level)


def test_a_displacement_starts_at_the_corner_that_it_names():
    level, polygons = displaced()
    made = displacements.displacements(level, polygons)
    assert made.corners.tolist() == [[2, 3, 0, 1]]
    flat = made.positions(level.table(LumpId.DISP_VERTS)).reshape(5, 5, 3)
    assert flat[0, 0].tolist() == [8, 8, 0]
    assert flat[1, 0].tolist() == [8, 6, 0]  # one step along the edge from corner 0 to 1
    assert flat[0, 1].tolist() == [6, 8, 0]
    assert flat[4, 4].tolist() == [0, 0, 0]
    # Triangles are clockwise from the front; the diagonals of neighbouring squares meet.
    assert made.triangles[:4].tolist() == [[0, 5, 6], [0, 6, 1], [1, 6, 2], [2, 6, 7]]
    a, b, c = (flat.reshape(-1, 3)[made.triangles[:, i]] for i in range(3))
    assert (np.cross(b - a, c - a)[:, 2] < 0).all()
    assert len(made.triangles) == 32
    assert displacements.normals(made, made.flat).tolist() == [[0, 0, 1]] * 25
    size = rows(geometry_records.FACE, lightmap_size=[(3, 5)])
    assert displacements.lightmap_corners(made, size).tolist() == [[[0.5, 0.5], [0.5, 5.5], [3.5, 5.5], [3.5, 0.5]]]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("power", 5, "power 5"), ("power", 1, "power 1"), ("map_face", 1, "face 1"), ("disp_vert_start", 1, "first"),
     ("disp_vert_start", -1, "first"), ("disp_tri_start", -1, "first"), ("disp_tri_start", 64, "gaps")],
)  # fmt: skip
def test_displacements_of_things_that_are_not_there(field, value, message):
    level, polygons = displaced()
    level.table(LumpId.DISPINFO)[field] = value
    with pytest.raises(FormatError, match=message):
        displacements.displacements(level, polygons)
    level, polygons = displaced()
    level.table(LumpId.FACES)["numedges"] = 3
    with pytest.raises(FormatError, match="corners 3"):
        displacements.displacements(level, geometry.polygons(level))


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_fields_are_the_inverse_of_positions(seed, power):
    rng = np.random.default_rng(seed)
    level, polygons = displaced(power)
    made = displacements.displacements(level, polygons)
    verts = level.table(LumpId.DISP_VERTS)
    verts["vec"] = rng.normal(size=(len(verts), 3))
    verts["dist"] = rng.uniform(0, 40, len(verts))
    verts["alpha"] = rng.uniform(-10, 300, len(verts))
    positions = made.positions(verts)
    assert displacements.fields(made, positions, verts).tobytes() == verts.tobytes()
    moved = rng.random(len(verts)) < 0.3
    positions[moved] += rng.normal(size=(moved.sum(), 3)) * 5
    flat = rng.random(len(verts)) < 0.1
    positions[flat] = made.flat[flat]
    again = displacements.fields(made, positions, verts)
    assert again[~moved & ~flat].tobytes() == verts[~moved & ~flat].tobytes()
    assert np.abs(made.positions(again) - positions).max() < 2e-4
    assert (again["dist"] >= 0).all()
    flattened = (again["dist"] == 0) & (verts["dist"] != 0)
    assert (again["vec"][flattened] == 0).all()
    assert again["alpha"].tobytes() == verts["alpha"].tobytes()


def test_shared_borders():
    tables = square()
    tables["VERTEXES"] = rows(geometry_records.VERTEX, point=[*SQUARE, (16, 8, 0), (16, 0, 0)])
    tables["EDGES"] = rows(geometry_records.EDGE, v=[(0, 0), (0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 3)])
    tables["SURFEDGES"] = rows(geometry_records.SURFEDGE, edge=[1, 2, 3, 4, -3, 5, 6, 7])
    tables["FACES"] = rows(geometry_records.FACE, firstedge=[0, 4], numedges=[4, 4])
    infos = rows(
        disp_records.DISPINFO,
        power=[2, 3],
        start_position=[(0, 0, 0), (8, 0, 0)],
        map_face=[0, 1],
        disp_vert_start=[0, 25],
        disp_tri_start=[0, 32],
    )
    level = Tables(**tables, DISPINFO=infos, DISP_VERTS=np.zeros(25 + 81, disp_records.DISPVERT))
    made = displacements.displacements(level, geometry.polygons(level))
    assert made.owner.tolist() == [0] * 25 + [1] * 81
    first, second = displacements.shared(made, made.flat)
    assert len(first) == 10  # five places, both ways
    assert (made.flat[first] == made.flat[second]).all()
    assert set(zip(made.owner[first].tolist(), made.owner[second].tolist(), strict=True)) == {(0, 1), (1, 0)}
    assert (made.flat[first, 0] == 8).all()
    place, normals = displacements.borders(made, made.flat)
    assert (place[first] == place[second]).all()
    assert np.flatnonzero(place).tolist() == sorted(first.tolist())
    assert len(np.unique(place)) == 1 + 5
    np.testing.assert_allclose(normals[first], normals[second])


def test_the_tree():
    nodes = rows(tree_records.NODE, planenum=[0, 1], children=[(1, -1), (-2, -3)])
    level = Tables(
        NODES=nodes,
        PLANES=rows(geometry_records.PLANE, normal=[(1, 0, 0), (0, 0, 1)], dist=[2, 5]),
        LEAFS=rows(tree_records.LEAF, cluster=[-1, 0, 1]),
    )
    tree = leaf_tree.LeafTree(level)
    points = np.array([(0, 0, 0), (3, 0, 9), (3, 0, 0), (2, 0, 5)], np.float64)
    assert tree.of_points(points).tolist() == [0, 1, 2, 1]
    assert leaf_tree.clusters(level, tree.of_points(points)).tolist() == [-1, 0, 1, 0]
    boxes, leafs = tree.of_boxes(points - 1.5, points + 1.5)
    assert list(zip(boxes.tolist(), leafs.tolist(), strict=True)) == [
        (0, 0), (1, 0), (1, 1), (2, 0), (2, 2), (3, 0), (3, 1), (3, 2)]  # fmt: skip
    nodes["children"][1, 0] = 0
    with pytest.raises(FormatError, match="circles"):
        leaf_tree.LeafTree(level).of_points(points)
    with pytest.raises(FormatError, match="circles"):
        leaf_tree.LeafTree(level).of_boxes(points, points)
    everywhere = np.array([(-99, -99, -99), (99, 99, 99)], np.float64)
    nodes["children"] = [(1, -1), (-1, -1)]  # the solid leaf may end all of them
    assert leaf_tree.LeafTree(level).of_boxes(everywhere[:1], everywhere[1:])[1].tolist() == [0, 0, 0]
    level.tables[LumpId.NODES] = np.repeat(nodes[:1], 60)
    level.tables[LumpId.NODES]["children"] = np.minimum(np.arange(1, 61)[:, None], 59) * [1, 1]
    level.tables[LumpId.NODES]["children"][59] = -1
    with pytest.raises(FormatError, match="meet again"):
        leaf_tree.LeafTree(level).of_boxes(everywhere[:1], everywhere[1:])
    level.tables[LumpId.NODES] = nodes
    nodes["children"][1, 0] = -4
    with pytest.raises(FormatError, match="child"):
        leaf_tree.LeafTree(level)
    nodes["planenum"] = 2
    with pytest.raises(FormatError, match="plane"):
        leaf_tree.LeafTree(level)


def test_overlays():
    overlays = np.zeros(2, overlay_records.OVERLAY)
    overlays["origin"] = (10, 20, 30)
    overlays["basis_normal"] = (0, 0, 1)
    overlays["uv_points"][:, :, :2] = [(-1, -2), (-1, 2), (1, 2), (1, -2)]
    overlays["uv_points"][:, :3, 2] = (1, 0, 0)
    overlays["uv_points"][1, 3, 2] = 1
    overlays["u"], overlays["v"] = (0, 1), (0.25, 0.75)
    corners = overlay_quads.corners(overlays)
    assert corners[0].tolist() == [[9, 18, 30], [9, 22, 30], [11, 22, 30], [11, 18, 30]]
    assert corners[1].tolist() == [[9, 22, 30], [9, 18, 30], [11, 18, 30], [11, 22, 30]]
    assert overlay_quads.texture_corners(overlays)[0].tolist() == [[0, 0.25], [0, 0.75], [1, 0.75], [1, 0.25]]
    newer = np.zeros(1, overlay_records.OVERLAY_V3)
    newer["basis_normal"], newer["basis_u"], newer["flags"] = (0, 0, 1), (0, 1, 0), 1
    u, v = overlay_quads.bases(newer)
    assert (u.tolist(), v.tolist()) == ([[0, 1, 0]], [[1, 0, 0]])


def test_decals():
    origins, normals = np.array([(1.0, 5, 3), (5, 5, 2)]), np.array([(1.0, 0, 0), (0, 0, 1)])
    points = np.array([(0.0, 0, 0), (9, 9, 0)])
    sizes = np.array([(4.0, 2), (4, 2)])
    quads = overlay_quads.decal_quads(origins, normals, points, sizes)
    assert quads[0].tolist() == [[0, 3, 2], [0, 7, 2], [0, 7, 4], [0, 3, 4]]
    assert quads[1].tolist() == [[3, 4, 0], [7, 4, 0], [7, 6, 0], [3, 6, 0]]
    for quad, normal in zip(quads, normals, strict=True):
        assert (np.cross(quad[1] - quad[0], quad[2] - quad[0]) * normal).sum() > 0  # counter-clockwise
    turned = overlay_quads.decal_quads(origins, normals, points, sizes, np.array([90.0, 90]))
    assert turned[1] == pytest.approx(np.array([[6, 3, 0], [6, 7, 0], [4, 7, 0], [4, 3, 0]]))
    nearest = overlay_quads.nearest_faces(
        np.vstack([origins, [[900, 0, 0]]]), normals, points, points - 6, points + 6
    )  # fmt: skip
    assert nearest.tolist() == [0, 1, -1]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=60))
def test_rectangles_of_an_atlas_do_not_overlap(sizes):
    wanted = np.array(sizes, np.int64).reshape(-1, 2)
    packed = atlas.pack(wanted)
    pixels, starts = atlas.pixels_of(packed, wanted)
    assert starts.tolist() == [0, *np.cumsum(wanted.prod(axis=1)).tolist()]
    assert len(np.unique(pixels)) == len(pixels)
    used = wanted.prod(axis=1) > 0
    assert (packed.x[used] + wanted[used, 0] <= packed.width).all()
    assert (packed.y[used] + wanted[used, 1] <= packed.height).all()


def test_an_atlas_that_is_too_big():
    with pytest.raises(ValueError, match="don't fit"):
        atlas.pack(np.array([[64, 64]] * 5), largest=128)


# ------------------------------------------------------------------------------------------------------ real maps


def maps(corpus):
    for path in sorted((corpus / "bsp").rglob("*.bsp")):
        yield path, source.read(path.read_bytes())


def test_faces_of_real_maps_are_clockwise_on_their_planes(corpus):
    behind = seen = 0
    for path, level in maps(corpus):
        polygons = geometry.polygons(level)
        faces = level.table(geometry.drawn_faces(level))
        planes = level.table(LumpId.PLANES)["normal"][faces["planenum"]]
        behind += int(((geometry.area_normals(polygons) * planes).sum(axis=1) <= 0).sum())
        seen += len(faces)
        normals = geometry.corner_normals(level, polygons)
        assert normals is not None or not len(faces), path.name
        corners, owners = geometry.triangles(level, polygons)
        assert (polygons.corner_face[corners] == owners[:, None]).all()
        each = np.bincount(owners, minlength=len(faces))
        assert (each[each > 0] == np.diff(polygons.first_corner)[each > 0] - 2).all(), path.name
        originals = geometry.polygons(level, LumpId.ORIGINALFACES)
        assert np.isfinite(originals.positions).all()
    assert seen > 40_000
    assert behind / seen < 0.005  # slivers whose area is lost in rounding


def test_luxels_of_real_maps_lie_in_their_lightmaps(corpus):
    outside = seen = 0
    for _, level in maps(corpus):
        polygons = geometry.polygons(level)
        faces, texinfos = level.table(geometry.drawn_faces(level)), level.table(LumpId.TEXINFO)
        lit = (faces["lightofs"] >= 0) & (faces["dispinfo"] < 0) & geometry.valid_texinfos(level, faces)
        lit &= (faces["lightmap_size"] > 0).any(axis=1)  # faces that got no lightmap have sizes of 0, too
        owner = polygons.corner_face
        corner = lit[owner]
        points = polygons.positions[polygons.corners[corner]]
        owner = owner[corner]
        luxels = geometry.luxels(points, texinfos, faces["texinfo"][owner], faces["lightmap_mins"][owner])
        room = faces["lightmap_size"][owner] + 1
        outside += int(((luxels < 0.45) | (luxels > room - 0.45)).any(axis=1).sum())
        seen += len(luxels)
    assert seen > 100_000
    assert outside == 0


def test_displacements_are_those_of_the_editor(corpus):
    compared = 0
    for path in sorted((corpus / "bsp" / "vmf").rglob("*.vmf")):
        level = source.read((corpus / "bsp" / path.parent.name / f"{path.stem}.bsp").read_bytes())
        revision, sides = source_vmf.written(path)
        if revision != level.revision:
            continue
        polygons = geometry.polygons(level)
        made = displacements.displacements(level, polygons)
        verts = level.table(LumpId.DISP_VERTS)
        assert len(sides) == len(made.infos), path.name
        positions = made.positions(verts)
        for start, edge, field, alphas in sides:
            near = np.abs(made.infos["start_position"] - start).max(axis=1) < 1
            errors = []
            for number in np.flatnonzero(near & (made.edge == edge)):
                own = slice(made.first_vertex[number], made.first_vertex[number] + edge * edge)
                error = np.abs(positions[own] - made.flat[own] - field).max()
                errors.append((error, float(np.abs(verts["alpha"][own] - alphas).max())))
            error, alpha = min(errors)
            assert error < 2e-4, path.name
            assert alpha == 0
            compared += 1
    assert compared == 27 - 1  # a map that was saved once more after it was compiled is left out


def test_displacements_of_real_maps(corpus):
    seen = 0
    for path, level in maps(corpus):
        made = displacements.displacements(level, geometry.polygons(level))
        verts = level.table(LumpId.DISP_VERTS)
        positions = made.positions(verts)
        assert (made.owner >= 0).all(), path.name
        assert displacements.fields(made, positions, verts).tobytes() == verts.tobytes(), path.name
        assert len(made.triangles) == len(level.table(LumpId.DISP_TRIS)), path.name
        first, second = displacements.shared(made, positions)
        assert (np.abs(positions[first] - positions[second]) <= displacements.SAME_PLACE).all()
        normals = displacements.normals(made, positions)
        planes = level.table(LumpId.PLANES)["normal"]
        faces = level.table(geometry.drawn_faces(level))
        up = planes[faces["planenum"][made.faces]][made.owner]
        if len(up):
            assert ((normals * up).sum(axis=1) > 0).mean() > 0.9, path.name
        seen += len(made.infos)
    assert seen > 150


def test_points_in_front_of_faces_are_in_open_leafs(corpus):
    solid = seen = 0
    for _, level in maps(corpus):
        if not len(level.table(LumpId.MODELS)):
            continue
        polygons = geometry.polygons(level)
        world = level.table(LumpId.MODELS)[0]
        own = slice(int(world["firstface"]), int(world["firstface"] + world["numfaces"]))
        faces = level.table(geometry.drawn_faces(level))[own]
        sums = np.add.reduceat(polygons.positions[polygons.corners].astype(np.float64), polygons.first_corner[:-1])
        middle = sums[own] / np.diff(polygons.first_corner)[own, None]
        front = level.table(LumpId.PLANES)["normal"][faces["planenum"]]
        leafs = leaf_tree.LeafTree(level, int(world["headnode"])).of_points(middle + front * 0.5)
        solid += int((level.table(LumpId.LEAFS)["contents"][leafs] & 1).sum())
        seen += len(faces)
    assert seen > 20_000
    assert solid / seen < 0.02


def test_checksums_leave_out_entities(corpus):
    _, level = next(maps(corpus))
    before = map_crc.map_crc(level)
    level.entities[0].pairs[0] = (level.entities[0].pairs[0][0].upper(), level.entities[0].pairs[0][1])
    assert map_crc.map_crc(level) == before
    level.set_bytes(LumpId.FACEIDS, b"\1\2")
    with_ids = map_crc.map_crc(level)
    assert with_ids != before
    level.pak.put("new.txt", b"changed in place, and not written yet")
    assert map_crc.map_crc(level) != with_ids
    assert map_crc.map_crc(level) == map_crc.map_crc(source.read(source.write(level)))
