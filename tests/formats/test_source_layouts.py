# SPDX-License-Identifier: GPL-3.0-or-later
"""One map in the records of every game that is known: whatever is asked of it has one answer."""

import struct
from collections import deque

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import LumpId, check, geometry, lump_name, read, write
from formats.source.edits import entities, static_props, texture_vectors
from formats.source.faces import displacements
from formats.source.light import ambient, lighting, rgbe
from formats.source.placed import overlay_quads
from formats.source.tables import overlay_lists
from formats.source.tree import brushes, leaf_tree
from tests.formats import source_bytes, source_parts
from tests.formats import source_layout_maps as maps
from tests.formats import source_record_bytes as build

POINTS = np.array([[0.0, 0.0, 0.0], [500.0, 0.0, 0.0]])


def answers(level) -> dict[str, object]:
    """What is asked, as lists."""
    faces, texinfos = level.table(LumpId.FACES), level.table(LumpId.TEXINFO)
    polygons = geometry.polygons(level)
    points, numbers = polygons.positions[polygons.corners], faces["texinfo"][polygons.corner_face]
    laid = displacements.displacements(level, polygons)
    tree = leaf_tree.LeafTree(level)
    overlays = level.table(LumpId.OVERLAYS)
    blocks = lighting.lightmaps(level)[LumpId.LIGHTING]
    offsets, _ = lighting.luxel_offsets(blocks)
    found = {
        "points": points,
        "normals": geometry.area_normals(polygons),
        "texture": geometry.texture_coordinates(points, texinfos, level.table(LumpId.TEXDATA), numbers),
        "luxels": geometry.luxels(points, texinfos, numbers, faces["lightmap_mins"][polygons.corner_face]),
        "displaced": laid.positions(level.table(LumpId.DISP_VERTS)),
        "light": rgbe.decode(lighting.colors_at(level.bytes_of(LumpId.LIGHTING), offsets)),
        "solids": brushes.solids(level).polygons.positions,
        "models": brushes.of_models(level),
        "leafs": tree.of_points(POINTS),
        "clusters": leaf_tree.clusters(level, tree.of_points(POINTS)),
        "overlays": overlay_quads.corners(overlays),
        "painted": overlay_lists.face_lists(overlays)[1],
        "lamps": level.table(LumpId.WORLDLIGHTS)["origin"],
        "props": level.static_props.props["origin"],
        "in leafs": level.static_props.leafs_of(1),
        "hulls": [bytes(hull) for hull in level.physdisp],
        "text": [entity.pairs for entity in level.entities],
    }
    if level.version >= 20:
        light, index = (level.table(lump) for lump in (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_INDEX))
        found["ambient"] = ambient.samples(level.table(LumpId.LEAFS), light, index).points
    if {"num_prims", "shadows_num_prims"} & set(faces.dtype.names):
        found["triangles"] = geometry.triangles(level, polygons)[0]
    return {name: np.asarray(value).tolist() if name != "text" else value for name, value in found.items()}


@pytest.fixture(scope="module")
def usual():
    return answers(read(maps.BYTES["usual"]))


@pytest.mark.parametrize("name", maps.BYTES)
def test_whatever_is_asked_is_answered_alike(name, usual):
    data = maps.BYTES[name]
    level = read(data)
    assert [str(problem) for problem in check(level)] == []
    assert all(reason.startswith("is ") for reason in level.opaque.values())  # a text, a zip: none is unknown
    for lump, record in maps.MAPS[name].layouts.items():
        if len(level.bytes_of(lump)):
            assert level.table(lump).itemsize == len(build.record(record))
    assert np.array_equal(level.table(LumpId.ORIGINALFACES), level.table(LumpId.FACES))
    found = answers(level)
    assert {key: usual[key] for key in found} == found
    assert set(found) >= set(usual) - {"ambient", "triangles"}
    for part in (*source_parts.DECODED.values(), source_parts.solids):
        deque(part(level), 0)
    assert write(level) == data


def test_prop_collision_is_told_from_lists_of_brushes_by_its_size():
    """As in Portal 2, whose header has the usual order: two hulls of a prop, 16 bytes each."""
    hulls = struct.pack("<4i", 1, 0, 5, 1) + struct.pack("<4i", 0, 0, 0, 1)
    collision = {22: struct.pack("<2i", 2, 0), 23: hulls, 24: struct.pack("<3f", 1, 2, 3), 25: bytes(2 * 8)}
    order = (*source_bytes.ORDER, *collision)
    level = read(maps.USUAL_MAP.but(version=21, order=order, lumps=collision).build())
    assert level.has_prop_collision
    assert [len(level.table(lump)) for lump in collision] == [1, 2, 1, 2]
    assert level.table(24)["point"].tolist() == [[1, 2, 3]]
    assert check(level) == []
    level.set_bytes(23, hulls.replace(b"\1", b"\2", 1))
    assert [problem.place for problem in check(level)] == [f"{lump_name(23)}, record 0"]
    with pytest.raises(FormatError, match="lump 22"):
        static_props.remove(level, [1])
    brushes = {22: bytes(2), 23: bytes(4 * len(level.table(LumpId.FACES)))}
    level = read(maps.USUAL_MAP.but(version=21, order=order, lumps=brushes).build())
    assert not level.has_prop_collision
    assert level.layout(LumpId.CLUSTERS).dtype.names == ("count", "start")


@pytest.mark.parametrize("name", maps.BYTES)
def test_so_it_is_after_edits(name, usual):
    level = read(maps.BYTES[name])
    entities.set_keys(level, 0, {"skyname": "a sky with a much longer name"})
    vectors = np.array([[[2.0, 0, 0, 5], [0, 3, 0, 7]]])
    texture_vectors.assign(level, [3], vectors)
    static_props.change(level, {1: {"origin": (4, 5, 6)}}, {"models/lamp.mdl": ((-8, -8, -8), (8, 8, 8))})
    after = read(write(level))
    assert [str(problem) for problem in check(after)] == []
    number = int(after.table(LumpId.FACES)["texinfo"][3])
    assert after.table(LumpId.TEXINFO)["texture_vecs"][number].tolist() == vectors[0].tolist()
    assert after.static_props.props["origin"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert after.game_lumps.bytes_of("plan") == b"what nobody knows"
    found = answers(after)
    assert {key for key in found if found[key] != usual[key]} == {"text", "texture", "props"}
