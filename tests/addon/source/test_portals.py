# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals, occluders, cubemaps, overlays, compiled lights and detail props of maps of our own."""

import math
import struct

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import originals
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.placed import a_map, objects, shown
from tests.formats import source_room

SQUARE = [[0, 0, 0], [0, 64, 0], [0, 64, 64], [0, 0, 64]]


def filled(level: source.Level, lump: LumpId, **columns: object) -> None:
    """Give a lump as many records as the columns have."""
    count = len(next(iter(columns.values())))
    table = np.zeros(count, level.table(lump).dtype)
    for name, values in columns.items():
        table[name] = values
    level.set_table(lump, table)


def test_area_portals_are_one_mesh():
    level = a_map()
    filled(level, LumpId.CLIPPORTALVERTS, point=[*SQUARE, [9, 0, 0], [9, 8, 0], [9, 8, 8]])
    filled(level, LumpId.AREAPORTALS, portal_key=[0, 7, 7, 3], first_clip_portal_vert=[0, 0, 0, 4],
           clip_portal_verts=[0, 4, 4, 3])  # fmt: skip
    collection, _ = shown(level)
    doors = objects(collection, layout.AREAPORTALS)[0]
    data = meshes.read(doors)
    assert data.attribute(layout.PORTAL_KEY, "FACE").tolist() == [3, 7]
    assert data.positions[data.corner_verts].tolist() == [[9, 0, 0], [9, 8, 0], [9, 8, 8], *SQUARE]
    assert doors.hide_render


def test_area_portals_that_are_not_there_are_told():
    level = a_map([[("classname", "light")]])
    filled(level, LumpId.AREAPORTALS, portal_key=[1], first_clip_portal_vert=[5], clip_portal_verts=[4])
    collection, report = shown(level)
    assert objects(collection, layout.AREAPORTALS) == {}
    assert len(objects(collection)) == 1
    assert any("area portals" in warning for warning in report.warnings)


def test_occluders_are_one_mesh():
    level = a_map()
    filled(level, LumpId.VERTEXES, point=SQUARE)
    record = struct.pack("<3i6fi", 0, 0, 1, *[0.0] * 6, 0)
    lump = struct.pack("<i", 1) + record + struct.pack("<i3i", 1, 0, 4, 0) + struct.pack("<i4i", 4, 3, 2, 1, 0)
    level.set_bytes(LumpId.OCCLUSION, lump)
    collection, report = shown(level)
    data = meshes.read(objects(collection, layout.OCCLUDERS)[0])
    assert data.positions[data.corner_verts].tolist() == SQUARE[::-1]
    assert not report.warnings


def test_cubemaps_are_light_probes():
    level = a_map()
    filled(level, LumpId.CUBEMAPS, origin=[[1, 2, 3], [-4, 5, 6]], size=[0, 6])
    collection, _ = shown(level)
    probes = objects(collection, layout.CUBEMAP)
    assert tuple(probes[1].location) == (-4, 5, 6)
    assert probes[1]["cubemapsize"] == 6
    assert probes[0].data == probes[1].data
    assert probes[0].type == "LIGHT_PROBE"


def overlaid(flags: float = 0.0) -> source.Level:
    level = a_map()
    points = np.zeros((1, 4, 3), np.float32)
    points[0, :, :2] = [[-16, -8], [-16, 8], [16, 8], [16, -8]]
    points[0, :3, 2] = [0, 1, 0]  # basis U is y
    points[0, 3, 2] = flags
    filled(level, LumpId.OVERLAYS, texinfo=[-1], u=[[0, 1]], v=[[1, 0]], uv_points=points, origin=[[100, 0, 32]],
           basis_normal=[[1, 0, 0]], face_count_and_render_order=[2 << 14])  # fmt: skip
    return level


@pytest.mark.parametrize("flipped", [0.0, 1.0])
def test_overlays_are_quads(flipped):
    collection, _ = shown(overlaid(flipped))
    obj = objects(collection, layout.OVERLAY)[0]
    data = meshes.read(obj)
    side = -1 if flipped else 1
    assert data.positions.tolist() == [[0, -16, -8 * side], [0, -16, 8 * side], [0, 16, 8 * side], [0, 16, -8 * side]]
    assert tuple(obj.location) == (100, 0, 32)
    assert tuple(obj.delta_location) == pytest.approx((0.3, 0, 0))
    assert obj["render_order"] == 2
    assert obj.data.polygons[0].normal.x == 1
    corner = {
        tuple(data.positions[vertex]): tuple(uv)
        for vertex, uv in zip(data.corner_verts, data.uvs["UVMap"], strict=True)
    }
    assert corner[(0, -16, -8 * side)] == (0, 0)  # U0, V0 = 1 at the bottom, upwards 0
    assert corner[(0, 16, 8 * side)] == (1, 1)


def test_compiled_lights():
    level = a_map()
    filled(level, LumpId.WORLDLIGHTS, type=[1, 2, 3, 0, 5], origin=[[n, 0, 0] for n in range(5)],
           intensity=[[100**2, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 1, 1], [1, 1, 1]], normal=[[0, 0, 0], [1, 0, 0],
           [0, 0, -1], [0, 0, -1], [0, 0, 0]], quadratic_attn=[1, 1, 0, 0, 0], stopdot=[0, 0.8, 0, 0, 0],
           stopdot2=[0, 0.5, 0, 0, 0], radius=[64, 0, 0, 0, 0])  # fmt: skip
    assert objects(shown(level)[0], layout.WORLDLIGHT) == {}
    made = objects(shown(level, worldlights=True)[0], layout.WORLDLIGHT)
    assert [obj.data and obj.data.type for _, obj in sorted(made.items())] == ["POINT", "SPOT", "SUN", "SPOT", None]
    assert made[0].data.energy == pytest.approx(4 * math.pi**2 * (100 * layout.SCALE) ** 2)
    assert made[0].data.cutoff_distance == pytest.approx(64 * layout.SCALE)
    assert made[1].data.spot_size == pytest.approx(2 * math.acos(0.5))
    assert made[2].data.energy == pytest.approx(math.pi / 2)
    bpy.context.view_layer.update()
    beam = made[1].rotation_euler.to_matrix().col[2]
    assert (-beam)[:] == pytest.approx((1, 0, 0), abs=1e-6)


def detail(kind: int, model: int = 0, yaw: float = 0.0) -> bytes:
    return struct.pack("<6f2H4BI5B3xB3xf", 10, 0, 0, 0, yaw, 0, model, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kind, 2.0)


def test_detail_props():
    level = a_map()
    sprite = struct.pack("<8f", -8, 16, 8, 0, 0, 0, 0.5, 1)
    name = b"models/grass.mdl".ljust(128, b"\0")
    lump = struct.pack("<i", 1) + name + struct.pack("<i", 1) + sprite
    lump += struct.pack("<i", 3) + detail(0) + detail(1) + detail(2, yaw=90)
    level.game_lumps.set_bytes("dprp", lump, 4)
    assert objects(shown(level)[0], layout.DETAIL_PROP) == {}
    collection, report = shown(level, detail_props=True)
    (model,) = objects(collection, layout.DETAIL_PROP).values()
    assert tuple(model.location) == (10, 0, 0)
    assert report.missing_names["models"] == ["models/grass.mdl"]
    data = meshes.read(objects(collection, layout.DETAIL_SPRITES)[0])
    assert data.attribute(layout.DETAIL, "FACE").tolist() == [2, 3, 3]  # a cross is two
    first = data.positions[data.corner_verts][:4]
    assert (first[:, 0] == 10).all()
    assert [first[:, 1].min(), first[:, 1].max(), first[:, 2].min(), first[:, 2].max()] == [-16, 16, 0, 32]
    assert data.uvs["UVMap"][:, 0].max() == 0.5
    top = first[:, 2] == 32
    assert data.uvs["UVMap"][:4][top][:, 1].tolist() == [1, 1]


def test_overlays_of_water_are_quads_too():
    level = overlaid()
    rows = level.table(LumpId.OVERLAYS)
    columns = {name: rows[name] for name in rows.dtype.names if name != "faces"}
    filled(level, LumpId.WATEROVERLAYS, **columns)
    collection, report = shown(level)
    (made,) = objects(collection, layout.WATER_OVERLAY).values()
    (other,) = objects(collection, layout.OVERLAY).values()
    assert meshes.read(made).positions.tolist() == meshes.read(other).positions.tolist()
    assert (report.counts["overlays"], report.counts["water overlays"]) == (1, 1)


@pytest.mark.parametrize("times", [1, 100])
def test_overlays_have_the_light_of_the_face_beneath(times):
    level = source.read(source.write(source_room.room()))
    texinfos, overlays = level.table(LumpId.TEXINFO).copy(), level.table(LumpId.OVERLAYS).copy()
    texinfos["lightmap_vecs"][1] = [(1 / 256, 0, 0, 1), (0, 0, 1 / 128, 0)]  # 2 x 2 luxels fill the wall's left half
    overlays["uv_points"][..., :2] *= times
    level.set_table(LumpId.TEXINFO, texinfos)
    level.set_table(LumpId.OVERLAYS, overlays)
    collection, report = shown(level)
    (overlay,) = objects(collection, layout.OVERLAY).values()
    data, world = meshes.read(overlay), meshes.read(objects(collection, layout.MODEL)[0])
    face = world.attribute(layout.ORIGINAL_FACE, "FACE").tolist().index(source_room.NORTH_LEFT)
    own = slice(world.face_starts[face], world.face_starts[face] + 4)
    block = world.uvs[layout.LIGHTMAP_UV][own]
    known = np.column_stack([world.positions[world.corner_verts[own]], np.ones(4)])
    affine = np.linalg.lstsq(known, block, rcond=None)[0]
    points = np.column_stack([data.positions + np.array(overlay.location), np.ones(4)])
    wanted = (points @ affine)[data.corner_verts].clip(block.min(axis=0), block.max(axis=0))  # no farther than it
    assert data.uvs[layout.LIGHTMAP_UV] == pytest.approx(wanted, abs=1e-4)
    baked = originals.resources(collection, layout.BAKED_LIGHT)[0]
    assert baked in [getattr(node, "node_tree", None) for node in overlay.data.materials[0].node_tree.nodes]
    assert not report.warnings
