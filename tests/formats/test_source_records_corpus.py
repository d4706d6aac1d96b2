# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps: what source.md §2 says of all of them holds in the tables that we read.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

import numpy as np
import pytest

from formats import ranges, source
from formats.binary import Budget
from formats.source.container import game_lump, lzma_lump
from formats.source.light import ambient, lighting, rgbe, sample_positions
from formats.source.lumps import LumpId
from formats.source.sections import detail_props, face_brushes, occlusion, static_props, texdata
from formats.source.tables import fields, overlay_lists

FACE_LUMPS = (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES)


@pytest.fixture(scope="module")
def levels(corpus):
    found = sorted(corpus.glob("bsp/*/*.bsp"))
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return {f"{path.parent.name}/{path.name}": source.read(path.read_bytes()) for path in found}


def named(levels, name):
    """The map whose file is called so."""
    return next(level for key, level in levels.items() if key.endswith("/" + name))


def tables(levels, *lumps):
    """The tables of lumps, of each map in which the first one isn't empty."""
    for name, level in levels.items():
        if len(level.bytes_of(lumps[0])):
            yield name, level, *(level.table(lump) for lump in lumps)


def game_lumps(levels):
    """Map, name of the game lump, its version, its bytes."""
    for name, level in levels.items():
        data = level.bytes_of(LumpId.GAME_LUMP)
        place = int(level.file.entries["offset"][LumpId.GAME_LUMP])
        for entry in game_lump.read_directory(data, place, level.byte_order).entries:
            part = data[entry["offset"] : entry["offset"] + entry["length"]]
            if entry["flags"] & game_lump.COMPRESSED:
                rest = data[entry["offset"] :]
                stored = rest[: lzma_lump.stored_size(rest, name)]
                part = memoryview(lzma_lump.decode(stored, Budget.unlimited(), "game lump"))
            if entry["length"]:
                yield name, level, int(entry["id"]).to_bytes(4, "big").decode(), int(entry["version"]), part


def faces_of(level):
    """The faces; maps of the Xbox 360 have only those for HDR."""
    return level.table(LumpId.FACES if len(level.bytes_of(LumpId.FACES)) else LumpId.FACES_HDR)


def inside(indices, limit):
    return bool(((indices >= 0) & (indices < limit)).all())


def test_every_table_is_known(levels):
    without = {LumpId.PHYSCOLLIDESURFACE, LumpId.PHYSLEVEL}
    for name, level in levels.items():
        unknown = {lump for lump, reason in level.opaque.items() if "not known" in reason or "record" in reason}
        assert unknown <= without, name
        for lump in level.lumps:
            layout = level.layout(lump)
            if layout.dtype is not None:
                assert level.table(lump).tobytes() == level.bytes_of(lump)


def test_planes_come_in_pairs(levels):
    for name, _, planes in tables(levels, LumpId.PLANES):
        assert len(planes) % 2 == 0, name
        assert (planes["normal"][::2] == -planes["normal"][1::2]).all(), name
        assert (planes["dist"][::2] == -planes["dist"][1::2]).all(), name
        assert set(np.unique(planes["type"])) <= set(range(6)), name


def test_edges_name_vertices_and_surfedges_edges(levels):
    for name, _, surfedges, edges, vertices in tables(levels, LumpId.SURFEDGES, LumpId.EDGES, LumpId.VERTEXES):
        assert edges["v"][0].tolist() == [0, 0], name
        assert inside(edges["v"], len(vertices)), name
        assert inside(np.abs(surfedges["edge"]), len(edges)), name


@pytest.mark.parametrize("lump", FACE_LUMPS)
def test_faces(levels, lump):
    seen = 0
    others = (LumpId.SURFEDGES, LumpId.TEXINFO, LumpId.PLANES, LumpId.DISPINFO)
    for name, _, faces, surfedges, texinfos, planes, infos in tables(levels, lump, *others):
        seen += len(faces)
        assert (faces["numedges"] >= 3).all(), name
        assert (faces["firstedge"] + faces["numedges"] <= len(surfedges)).all(), name
        assert inside(faces["planenum"], len(planes)), name
        assert inside(faces["dispinfo"] + 1, len(infos) + 1), name
        if lump != LumpId.ORIGINALFACES:  # whose texinfos are those from before the compiler dropped unused ones
            assert inside(faces["texinfo"] + 1, len(texinfos) + 1), name
            assert (faces["side"] == faces["planenum"] & 1).all(), name
            assert (np.sort(faces["dispinfo"][faces["dispinfo"] >= 0]) == np.arange(len(infos))).all(), name
            assert (faces["dispinfo"][infos["map_face"]] == np.arange(len(infos))).all(), name
            assert (faces["numedges"][infos["map_face"]] == 4).all(), name
    assert seen > 1000


def test_faces_for_hdr_differ_in_their_light_alone(levels):
    seen = 0
    for name, _, bright, faces in tables(levels, LumpId.FACES_HDR, LumpId.FACES):
        if len(faces):
            seen += 1
            assert len(bright) == len(faces), name
            for field in set(faces.dtype.names) - {"lightofs", "styles"}:
                assert bright[field].tobytes() == faces[field].tobytes(), (name, field)
    assert seen > 5


def test_lists_with_an_entry_for_each_face(levels):
    for lump in (LumpId.FACEIDS, LumpId.FACE_MACRO_TEXTURE_INFO, LumpId.CLUSTERS):
        for name, level, entries in tables(levels, lump):
            if lump != LumpId.CLUSTERS or level.version >= 21:
                assert len(entries) == len(level.table(LumpId.FACES)), name


def test_vertex_normals_of_each_corner(levels):
    for name, level, indices, normals in tables(levels, LumpId.VERTNORMALINDICES, LumpId.VERTNORMALS):
        faces = faces_of(level)
        assert len(indices) == faces["numedges"].astype(int).sum(), name
        assert inside(indices["normal"], len(normals)), name


def test_primitives_triangulate_their_faces(levels):
    seen = 0
    for name, level, prims, indices in tables(levels, LumpId.PRIMITIVES, LumpId.PRIMINDICES):
        faces = faces_of(level)
        counts, _ = fields.prim_counts(faces)
        assert counts.max() <= 1, name
        used = np.flatnonzero(counts)
        prims = prims[faces["first_prim_id"][used]]
        edges = faces["numedges"][used].astype(int)
        assert not prims["type"].any(), name
        assert not prims["vert_count"].any(), name
        assert (prims["index_count"] == 3 * (edges - 2)).all(), name
        corners = indices["index"][ranges.flat(prims["first_index"], prims["index_count"])]
        assert (corners < np.repeat(edges, prims["index_count"])).all(), name
        seen += len(used)
    assert seen > 1000


def test_textures(levels):
    for name, level, texinfos, texdatas, table in tables(
        levels, LumpId.TEXINFO, LumpId.TEXDATA, LumpId.TEXDATA_STRING_TABLE
    ):
        assert len(set(texinfos.view("V72").tolist())) == len(texinfos), name  # as bytes: -0.0 is not 0.0
        assert inside(texinfos["texdata"] + 1, len(texdatas) + 1), name
        assert inside(texdatas["name_string_table_id"], len(table)), name
        strings = texdata.read(table["offset"], level.bytes_of(LumpId.TEXDATA_STRING_DATA))
        again = texdata.build(strings.names)
        assert again.data == strings.data, name
        assert (again.offsets == strings.offsets).all(), name


def test_models_share_out_the_faces(levels):
    for name, level, models, nodes in tables(levels, LumpId.MODELS, LumpId.NODES):
        faces = faces_of(level)
        ends = models["firstface"] + models["numfaces"]
        assert (models["firstface"][1:] == ends[:-1]).all(), name
        assert ends[-1] == len(faces), name
        assert not models["origin"].any(), name
        assert inside(models["headnode"], len(nodes)), name


def test_the_tree(levels):
    for name, _, nodes, leafs, planes in tables(levels, LumpId.NODES, LumpId.LEAFS, LumpId.PLANES):
        children = nodes["children"].ravel()
        below, ends = children[children >= 0], -1 - children[children < 0]
        assert inside(nodes["planenum"], len(planes)), name
        assert len(np.unique(below)) == len(below), name
        assert inside(below, len(nodes)), name
        assert inside(ends, len(leafs)), name
        assert (nodes["mins"] <= nodes["maxs"]).all(), name


def test_leafs(levels):
    lists = (LumpId.LEAFFACES, LumpId.LEAFBRUSHES, LumpId.LEAFWATERDATA, LumpId.AREAS, LumpId.LEAFMINDISTTOWATER)
    for name, level, leafs, faces, brushes, water, areas, distances in tables(levels, LumpId.LEAFS, *lists):
        assert (leafs["firstleafface"].astype(int) + leafs["numleaffaces"] <= len(faces)).all(), name
        assert (leafs["firstleafbrush"].astype(int) + leafs["numleafbrushes"] <= len(brushes)).all(), name
        assert inside(leafs["leaf_water_data_id"] + 1, len(water) + 1), name
        area, flags = fields.areas(leafs)
        assert inside(area, len(areas)), name
        assert set(np.unique(flags)) <= set(range(8)), name
        assert len(distances) in (0, len(leafs)), name
        assert inside(brushes["brush"], len(level.table(LumpId.BRUSHES))), name
        assert inside(water["surface_texinfo"] + 1, len(level.table(LumpId.TEXINFO)) + 1), name


def test_brushes(levels):
    for name, _, brushes, sides, planes, texinfos in tables(
        levels, LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.PLANES, LumpId.TEXINFO
    ):
        assert (brushes["firstside"] + brushes["numsides"] <= len(sides)).all(), name
        assert (brushes["numsides"] >= 4).all(), name
        assert inside(sides["planenum"], len(planes)), name
        assert inside(sides["texinfo"] + 1, len(texinfos) + 1), name
        assert set(np.unique(sides["dispinfo"])) <= {-1, 0}, name
        assert set(np.unique(sides["bevel"])) <= {0, 1}, name


def test_areas_and_their_portals(levels):
    for name, _, areas, portals, vertices in tables(levels, LumpId.AREAS, LumpId.AREAPORTALS, LumpId.CLIPPORTALVERTS):
        assert (areas["firstareaportal"] + areas["numareaportals"] <= len(portals)).all(), name
        used = portals["first_clip_portal_vert"].astype(int) + portals["clip_portal_verts"]
        assert (used <= len(vertices)).all(), name
        assert inside(portals["otherarea"], len(areas)), name


def test_faces_of_csgo_name_their_brushes(levels):
    level = named(levels, "csgo_tooltextures.bsp")
    faces, brushes = face_brushes.pairs(level.table(LumpId.CLUSTERS), level.table(LumpId.PORTALS))
    assert faces.tolist() == list(range(33))
    assert inside(brushes, len(level.table(LumpId.BRUSHES)))


def test_what_v17_keeps_of_making_visibility(levels):
    level = named(levels, "sp_genesisdevice_1.bsp")
    portals, vertices = level.table(LumpId.PORTALS), level.table(LumpId.PORTALVERTS)
    clusters, listed = level.table(LumpId.CLUSTERS), level.table(LumpId.CLUSTERPORTALS)
    assert (portals["firstportalvert"][1:] == np.cumsum(portals["numportalverts"])[:-1]).all()
    assert portals["numportalverts"].sum() == len(vertices)
    assert inside(vertices["vertex"], len(level.table(LumpId.VERTEXES)))
    assert inside(portals["clusters"], len(clusters))
    assert clusters["numportals"].sum() == len(listed)
    assert inside(listed["portal"], len(portals))


def test_displacements(levels):
    seen = 0
    for name, level, infos, vertices, triangles in tables(levels, LumpId.DISPINFO, LumpId.DISP_VERTS, LumpId.DISP_TRIS):
        seen += len(infos)
        sides = 1 << infos["power"]
        ends = np.cumsum((sides + 1) ** 2)
        assert (infos["disp_vert_start"] == np.append(0, ends[:-1])).all(), name
        assert ends[-1] == len(vertices), name
        ends = np.cumsum(2 * sides**2)
        assert (infos["disp_tri_start"] == np.append(0, ends[:-1])).all(), name
        assert ends[-1] == len(triangles), name
        assert set(np.unique(triangles["tags"])) <= {0, 2, 4, 6}, name
        assert (vertices["dist"] >= 0).all(), name
        assert not vertices["vec"][vertices["dist"] == 0].any(), name
        assert (infos["min_tess"] >> 31 == (level.version >= 20)).all() or level.version >= 20, name
        neighbors = infos["edge_neighbors"]["neighbor"]
        assert inside(neighbors[neighbors != 0xFFFF], len(infos)), name
    assert seen > 150


def test_sample_positions_of_displacements(levels):
    seen = 0
    for name, level, infos in tables(levels, LumpId.DISPINFO):
        faces = faces_of(level)
        luxels = (faces["lightmap_size"][infos["map_face"]].astype(int) + 1).prod(axis=1)
        data = level.bytes_of(LumpId.DISP_LIGHTMAP_SAMPLE_POSITIONS)
        if not len(data):
            continue
        begins, triangles, coordinates = sample_positions.decode(data)
        assert len(begins) == luxels.sum(), name
        assert (infos["lightmap_sample_position_start"] == begins[np.cumsum(luxels) - luxels]).all(), name
        assert (triangles < np.repeat(2 * 4 ** infos["power"], luxels)).all(), name
        assert abs(coordinates.sum(axis=1, dtype=int) - 254).max() <= 1, name
        assert sample_positions.encode(triangles, coordinates) == data, name
        seen += len(begins)
        alphas = level.table(LumpId.DISP_LIGHTMAP_ALPHAS)
        assert len(alphas) in (0, luxels.sum()), name
    assert seen > 100_000


def test_overlays(levels):
    seen = 0
    for name, level, overlays, texinfos in tables(levels, LumpId.OVERLAYS, LumpId.TEXINFO):
        faces = level.table(LumpId.FACES)
        counts, _ = fields.overlay_counts(overlays)
        _, listed = overlay_lists.face_lists(overlays)
        slots = np.arange(overlays["faces"].shape[1])
        assert inside(listed, len(faces)), name
        assert not overlays["faces"][slots >= counts[:, None]].any(), name
        assert inside(overlays["texinfo"], len(texinfos)), name
        for lump in (LumpId.OVERLAY_FADES, LumpId.OVERLAY_SYSTEM_LEVELS):
            assert len(level.table(lump)) in (0, len(overlays)), name
        seen += len(overlays)
    assert seen > 20


def test_worldlights_and_cubemaps(levels):
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        for name, level, lights in tables(levels, lump):
            assert inside(lights["type"], 6), name
            assert np.isfinite(lights["origin"]).all(), name
            assert (lights["intensity"] >= 0).all(), name
            assert inside(lights["cluster"] + 1, len(level.table(LumpId.LEAFS)) + 1), name
    for name, _, cubemaps in tables(levels, LumpId.CUBEMAPS):
        assert (np.abs(cubemaps["origin"]) < 1 << 16).all(), name
        assert (cubemaps["size"] <= 12).all(), name


# -------------------------------------------------------------------------------------------------------------- light


def test_lightmaps_fill_their_lumps(levels):
    seen = 0
    for name, level in levels.items():
        for lump, found in lighting.lightmaps(level).items():
            assert not len(found.outside), name
            order = np.argsort(found.offset)
            begins, ends = (found.offset - found.header)[order], (found.offset + found.size)[order]
            assert begins.tolist() == [0, *ends[:-1]], name
            assert ends[-1] == len(level.bytes_of(lump)), name
            seen += len(order)
    assert seen > 25_000


@pytest.mark.slow
def test_luxels_come_back_as_they_were(levels):
    seen = 0
    for name, level in levels.items():
        for lump in (LumpId.LIGHTING, LumpId.LIGHTING_HDR):
            colors = lighting.colors_at(level.bytes_of(lump), np.arange(0, len(level.bytes_of(lump)) - 3, 4))
            light = rgbe.decode(colors)
            assert rgbe.encode(light, colors).tobytes() == colors.tobytes(), name
            usual = colors["rgb"].max(axis=1, initial=0) >= 128
            assert (rgbe.encode(light)[usual] == colors[usual]).all(), name
            seen += len(colors)
    assert seen > 3_000_000


def test_averages_of_bloodlines_stand_in_the_faces_too(levels):
    for name in ("sm_coffee_1.bsp", "ch_shrekhub.bsp"):
        level = named(levels, name)
        faces, data = level.table(LumpId.FACES), level.bytes_of(LumpId.LIGHTING)
        found = lighting.blocks(faces, level.table(LumpId.TEXINFO), len(data))
        stored = lighting.colors_at(data, found.averages())
        assert (stored == faces["average"][found.faces, 0]).mean() > 0.9, name


def test_ambient_light(levels):
    pairs = (
        (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_INDEX),
        (LumpId.LEAF_AMBIENT_LIGHTING_HDR, LumpId.LEAF_AMBIENT_INDEX_HDR),
    )
    legacy = 0
    for light, index in pairs:
        for name, level, samples, leafs in tables(levels, light, LumpId.LEAFS):
            listed = level.table(index) if len(level.bytes_of(index)) else None
            found = ambient.samples(leafs, samples, listed)
            own = leafs[found.leafs]
            assert (found.points >= own["mins"] - 1e-3).all(), name
            assert (found.points <= own["maxs"] + 1e-3).all(), name
            if listed is None:
                legacy += 1
                assert level.version_of(light) == len(level.bytes_of(light)) == 24 * len(leafs), name
            else:
                assert len(found.leafs) == len(samples), name
    assert legacy > 5
    leafs = named(levels, "de_rats.bsp").table(LumpId.LEAFS)
    assert len(ambient.samples(leafs).leafs) == len(leafs)


# -------------------------------------------------------------------------------------------------------------- props


def test_static_props(levels):
    seen = 0
    for name, level, lump, version, data in game_lumps(levels):
        if lump != game_lump.STATIC_PROPS:
            continue
        found = static_props.read(data, version, level.version, level.byte_order)
        assert found.to_bytes() == data, name
        assert found.props is not None, (name, found.reason)
        assert inside(found.props["prop_type"], len(found.names)), name
        assert (found.props["first_leaf"].astype(int) + found.props["leaf_count"] <= len(found.leafs)).all(), name
        assert inside(found.leafs["leaf"], len(level.table(LumpId.LEAFS))), name
        assert all(model.endswith(".mdl") for model in found.models), name
        seen += len(found.props)
    assert seen > 500


def test_detail_props(levels):
    seen = 0
    for name, level, lump, version, data in game_lumps(levels):
        if lump == game_lump.DETAIL_PROPS:
            found = detail_props.read(data, version, level.byte_order)
            assert found.to_bytes() == data, name
            assert inside(found.details["leaf"], len(level.table(LumpId.LEAFS))), name
            seen += len(found.details)
        elif lump in (game_lump.DETAIL_LIGHTING, game_lump.DETAIL_LIGHTING_HDR):
            styles = detail_props.read_lighting(data, level.byte_order)
            assert detail_props.write_lighting(styles, level.byte_order) == data, name
    assert seen > 10_000


def test_occluders(levels):
    for name, level in levels.items():
        data = level.bytes_of(LumpId.OCCLUSION)
        if len(data):
            found = occlusion.read(data, level.version_of(LumpId.OCCLUSION), level.byte_order)
            assert found.to_bytes() == data, name
            assert not found.trailing, name
