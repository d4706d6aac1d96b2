# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props: instances, their meshes, rotations and properties, and boxes for models that are missing."""

import math
import struct

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import meshes, transforms
from levelwright.addon.source import layout
from levelwright.addon.source.props import build as props
from levelwright.formats.source import LumpId
from levelwright.formats.source.placed import orientation
from mathutils import Euler

from tests.addon.source.placed import a_map, objects, prop, shown, static_props
from tests.formats import source_model_bytes as raw

FILES = {
    "models/a.mdl": raw.mdl([[[(0, 0, 4)]]], ("one", "two"), ("props/",), ((0,), (1,))),
    "models/a.vvd": raw.quad()[".vvd"],
    "models/a.dx90.vtx": raw.quad()[".dx90.vtx"],
}


def imported(names: list[str], records: list[bytes], **settings: object) -> dict[int, bpy.types.Object]:
    collection, _ = shown(a_map(files=FILES, props=static_props(names, records)), **settings)
    return objects(collection, layout.STATIC_PROP)


def test_props_of_one_model_share_a_mesh():
    made = imported(["models/a.mdl"], [prop(), prop(origin=(1, 2, 3)), prop(skin=1), prop(skin=9)])
    assert made[0].data == made[1].data == made[3].data  # skins that are not there are the first
    assert made[2].data != made[0].data
    assert [obj.data.materials[0][layout.MATERIAL] for obj in (made[0], made[2])] == ["props/one", "props/two"]
    assert tuple(made[1].location) == (1, 2, 3)


def test_a_models_mesh():
    data = meshes.read(imported(["models/a.mdl"], [prop()])[0])
    corners = data.positions[data.corner_verts]
    assert corners[:3].tolist() == [[16, 16, 0], [0, 16, 0], [0, 0, 0]]  # the other way round
    assert data.uvs[layout.UV][:3].tolist() == [[1, 0], [0, 0], [0, 1]]  # v is upwards
    mesh = imported(["models/a.mdl"], [prop()])[0].data
    normals = np.array([corner.vector[:] for corner in mesh.corner_normals])
    assert np.allclose(normals, [0, 0, 1], atol=1e-4)


@pytest.mark.parametrize("angles", [(0, 90, 0), (30, 40, 50), (-90, 0, 45), (12.5, -170, 80)])
def test_rotations(angles):
    obj = imported(["models/a.mdl"], [prop(angles=angles)])[0]
    turned = np.array(Euler(obj.rotation_euler, obj.rotation_mode).to_matrix())
    assert np.allclose(turned, orientation.rotations([angles])[0], atol=1e-6)
    assert np.degrees(np.roll(obj.rotation_euler, -1)).tolist() == pytest.approx(angles, abs=1e-4)
    p, y, r = map(math.radians, angles)
    forward = (math.cos(p) * math.cos(y), math.cos(p) * math.sin(y), -math.sin(p))
    assert turned[:, 0] == pytest.approx(forward, abs=1e-6)
    assert turned[2, 1] == pytest.approx(math.sin(r) * math.cos(p), abs=1e-6)


def test_properties():
    obj = imported(["models/a.mdl"], [prop(skin=1, flags=16, lighting=(1, 2.5, 3))])[0]
    told, edited = properties.read(obj, props.PropProperties)
    assert not edited
    assert (told.model, told.skin, told.flags, told.solid, told.min_dx_level) == ("models/a.mdl", 1, 16, 6, 80)
    assert (told.fade_min_dist, told.fade_max_dist) == (-1, 900)
    assert obj.get("diffuse_modulation") is None  # version 6 has no colour
    assert obj[props.LIGHTING_ORIGIN].to_list() == [1, 2.5, 3]
    assert transforms.unchanged(obj)


def test_a_missing_model_is_a_box_about_its_size():
    records = [
        prop(origin=(100, 0, 0), angles=(0, 90, 0), lighting=(100, 0, 40)),
        prop(origin=(-100, 7, 0), lighting=(-100, 7, 40)),
        prop(lighting=(900, 900, 900), flags=2),  # a lighting origin that the map chose tells nothing
    ]
    made = imported(["models/props/big_thing.mdl"], records)
    assert made[0].data == made[1].data == made[2].data
    assert made[0].data.name == "big_thing"
    assert made[0].data.materials[0].diffuse_color[3] < 0.5  # what is behind it is seen
    box = meshes.read(made[0]).positions
    assert np.allclose([box.min(axis=0), box.max(axis=0)], [[-40, -40, 0], [40, 40, 80]], atol=1e-4)
    bpy.context.view_layer.update()
    mesh = made[0].data
    outward = [polygon.normal.dot(polygon.center - sum((v.co for v in mesh.vertices), polygon.center * 0) / 8) > 0
               for polygon in mesh.polygons]  # fmt: skip
    assert all(outward)


def test_a_missing_model_touches_the_leafs_that_its_props_are_in():
    level = a_map()
    leafs = np.zeros(2, level.table(LumpId.LEAFS).dtype)
    leafs["mins"], leafs["maxs"] = [(-300, -300, -300), (100, -300, 60)], [(100, 300, 300), (300, 300, 300)]
    level.set_table(LumpId.LEAFS, leafs)
    junk = (7e30, -5, float("nan"))  # compilers leave in the lighting origin what lay in their memory
    records = [bytearray(prop(origin=(50, 0, 0), angles=(0, 90, 0), lighting=junk)), bytearray(prop(lighting=junk))]
    struct.pack_into("<HH", records[0], 26, 0, 2)
    names = static_props(["models/tower.mdl"], [])[:132]
    lump = names + struct.pack("<i2Hi", 2, 0, 1, 2) + b"".join(records)
    level.game_lumps.set_bytes("sprp", lump, 6)
    box = meshes.read(objects(shown(level)[0], layout.STATIC_PROP)[0]).positions
    assert np.allclose([box.min(axis=0), box.max(axis=0)], [[-8, -50, -8], [8, 8, 60]], atol=1e-4)


def test_options():
    made = imported(["models/a.mdl"], [prop()], static_props="boxes")
    assert len(made[0].data.polygons) == 6
    assert imported(["models/a.mdl"], [prop()], static_props="none") == {}


def test_a_damaged_model_is_a_box_and_told():
    files = {**FILES, "models/a.vvd": b"IDSV"}
    collection, report = shown(a_map(files=files, props=static_props(["models/a.mdl"], [prop()])))
    assert len(objects(collection, layout.STATIC_PROP)[0].data.polygons) == 6
    assert any("models/a.mdl" in warning for warning in report.warnings)


def test_a_prop_of_no_model_and_numbers_that_are_none():
    nan = float("nan")
    made = imported([], [prop(kind=3, origin=(nan, 0, 5), angles=(nan, 0, 0), lighting=(nan, 0, 0))])
    assert tuple(made[0].location) == (0, 0, 5)
    assert made[0]["model"] == ""


def test_props_that_are_not_known_are_told():
    _, report = shown(a_map(props=static_props([], [bytes(61)])))
    assert any("static props" in warning for warning in report.warnings)
