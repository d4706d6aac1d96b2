# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props with light that the compiler baked into their vertices, and those that fade with distance."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source

from tests.addon.source.placed import a_map, objects, prop, shown, static_props
from tests.addon.source.rooms import GREY, linear, seen_from_above, texture
from tests.formats import source_model_bytes as raw

LOW, HIGH = 40, 120
DARK, BRIGHT = ((LOW,) * 3, (HIGH,) * 3)
MODEL = {
    "models/a.mdl": raw.mdl([[[(0, 0, 4)]]], ("skin",), ("props/",)),
    "models/a.vvd": raw.vvd([(x * 8 - 64, y * 8 - 64, *rest) for x, y, *rest in raw.QUAD]),
    "models/a.dx90.vtx": raw.quad()[".dx90.vtx"],
    "materials/grey.vtf": texture(GREY),
    "materials/props/skin.vmt": b"VertexLitGeneric { $basetexture grey }",
}
LIGHT = {
    "sp_0.vhv": raw.vhv([(0, [DARK] * 4)]),
    "sp_hdr_0.vhv": raw.vhv([(0, [BRIGHT] * 4)]),
    "sp_2.vhv": raw.vhv([(0, [(255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)])]),
}
NOT_LIT, FADES, BY_SCREEN = 0x40, 1, 32


def light_of(byte: int) -> float:
    return (2 * byte / 255) ** 2.2


def imported(records: list[bytes], files: dict[str, bytes] = LIGHT, **settings: object):
    level = a_map(files={**MODEL, **files}, props=static_props(["models/a.mdl"], records))
    collection, report = shown(level, **settings)
    return objects(collection, layout.STATIC_PROP), collection, report


def colors(obj: bpy.types.Object) -> np.ndarray:
    return attributes.read(obj.data, layout.VERTEX_LIGHT, "POINT")


def test_props_with_light_have_meshes_of_their_own() -> None:
    made, _, report = imported([prop(), prop(), prop(), prop(flags=NOT_LIT)], LIGHT | {"sp_3.vhv": LIGHT["sp_2.vhv"]})
    assert made[1].data == made[3].data and len({obj.data for obj in made.values()}) == 3
    assert colors(made[1]) is None
    assert colors(made[0]) == pytest.approx(np.tile([light_of(HIGH)] * 3 + [1], (4, 1)), rel=1e-5)
    full = light_of(255)
    assert colors(made[2])[:, :3] == pytest.approx(np.diag([full] * 4)[:, :3], rel=1e-4, abs=1e-5)
    assert made[0].data.materials[0] == made[1].data.materials[0]
    assert made[0].data[layout.MODEL_PATH] == "models/a.mdl"
    assert report.counts["static props with baked light"] == 2


def test_options_of_the_light() -> None:
    made, _, _ = imported([prop()], lightmaps="ldr")
    assert colors(made[0])[0, 0] == pytest.approx(light_of(LOW), rel=1e-5)
    for settings in ({"prop_light": False}, {"lightmaps": "none"}, {"static_props": "boxes"}):
        made, _, report = imported([prop(), prop()], **settings)
        assert made[0].data == made[1].data and colors(made[0]) is None
        assert "static props with baked light" not in report.counts


def test_light_of_another_model_is_told() -> None:
    files = {"sp_0.vhv": raw.vhv([(0, [DARK] * 4)], checksum=7), "sp_1.vhv": b"none", "sp_2.vhv": LIGHT["sp_2.vhv"]}
    made, _, report = imported([prop(), prop(), prop()], files)
    assert made[0].data == made[1].data and colors(made[0]) is None and colors(made[2]) is not None
    told = [line for line in report.notes if "baked light" in line]
    assert len(told) == 2 and any("is of a model 0x7" in line for line in told)


def test_it_looks_as_lit(tmp_path: Path) -> None:
    """A texture times the light; with the sidebar's switch off, Blender's lights shine: here there are none."""
    made, _, _ = imported([prop(origin=(0, 0, -8))])
    bpy.context.scene.world = None
    albedo = linear(128)
    assert seen_from_above(tmp_path)[4, 4] == pytest.approx(albedo * light_of(HIGH) * np.ones(3), rel=0.02)
    group = next(
        node
        for node in made[0].data.materials[0].node_tree.nodes
        if node.type == "GROUP" and "Prop Light" in node.outputs
    )
    group.node_tree.nodes["Exposure"].outputs[0].default_value = -1.0
    assert seen_from_above(tmp_path)[4, 4] == pytest.approx(albedo * light_of(HIGH) / 2 * np.ones(3), rel=0.02)
    group.node_tree.nodes["Baked light"].outputs[0].default_value = 0.0
    assert seen_from_above(tmp_path)[4, 4] == pytest.approx(np.zeros(3), abs=1e-4)


def test_the_files_stay_and_follow_their_props() -> None:
    level = a_map(files={**MODEL, **LIGHT}, props=static_props(["models/a.mdl"], [prop(), prop(), prop()]))
    data = source.write(level)
    collection, _ = shown(data)
    assert exporter.export_level(bpy.context, collection, ExportSettings(), Report()) == data
    bpy.data.objects.remove(objects(collection, layout.STATIC_PROP)[0])
    after = source.read(exporter.export_level(bpy.context, collection, ExportSettings(), Report()))
    kept = {name: bytes(after.pak.read(name)) for name in after.pak.names if name.endswith("vhv")}
    assert kept == {"sp_1.vhv": LIGHT["sp_2.vhv"]}


SQUARES = (300**2 - 158**2) / (300**2 - 100**2)


@pytest.mark.parametrize(
    ("height", "distances", "flags", "wanted"),
    [
        (90, (100.0, 300.0), FADES, 1.0),
        (150, (100.0, 300.0), FADES, SQUARES),
        (320, (100.0, 300.0), FADES, 0.0),
        (320, (100.0, 300.0), FADES | 16, 0.0),
        (320, (300.0, 300.0), FADES, 0.0),
        (320, (100.0, 300.0), 16, 1.0),
        (320, (100.0, 300.0), FADES | BY_SCREEN, 1.0),
        (320, (100.0, 0.0), FADES, 1.0),
    ],
)
def test_props_fade_with_distance(
    tmp_path: Path, height: float, distances: tuple[float, float], flags: int, wanted: float
) -> None:
    """From the camera to the prop, by squares, as the record's own numbers say, which are the object's properties."""
    made, _, _ = imported([prop(origin=(0, 0, -8)), prop(origin=(0, 0, -900))], fade=True)
    made[0]["fade_min_dist"], made[0]["fade_max_dist"] = distances
    made[0]["flags"] = flags
    bpy.context.scene.world = None
    seen = seen_from_above(tmp_path, height=height, samples=64)[2:6, 2:6].mean(axis=(0, 1))
    assert seen == pytest.approx(linear(128) * light_of(HIGH) * wanted * np.ones(3), rel=0.08, abs=1e-3)


@pytest.mark.parametrize(
    ("height", "nearer", "wanted"), [(320, 100.0, 0.0), (150, 100.0, SQUARES), (150, -1.0, (300**2 - 158**2) / 300**2)]
)
def test_entities_fade_where_their_keys_are_numbers(
    tmp_path: Path, height: float, nearer: float, wanted: float
) -> None:
    white = {**MODEL, "materials/props/skin.vmt": b"UnlitGeneric { $basetexture grey }"}
    keys = [("classname", "prop_dynamic"), ("model", "models/a.mdl"), ("origin", "0 0 -8")]
    level, _ = shown(a_map([keys], white), fade=True)
    obj = next(one for one in objects(level).values() if one.type == "MESH")
    obj["fademindist"], obj["fademaxdist"] = nearer, 300.0
    bpy.context.scene.world = None
    seen = seen_from_above(tmp_path, height=height, samples=64)[2:6, 2:6].mean(axis=(0, 1))
    assert seen == pytest.approx(linear(128) * wanted * np.ones(3), rel=0.08, abs=1e-3)


def test_nothing_fades_unless_it_is_asked_for() -> None:
    made, _, _ = imported([prop(flags=FADES)])
    end = next(node for node in made[0].data.materials[0].node_tree.nodes if "Alpha" in node.inputs)
    assert not end.inputs["Alpha"].is_linked
