# SPDX-License-Identifier: GPL-3.0-or-later
"""How models look: their materials' parameters, and the colours of the props and entities that have them."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.source import layout
from levelwright.addon.source.props import colors

from tests.addon.source.placed import a_map, objects, prop, shown, static_props
from tests.addon.source.rooms import GREY, linear, seen_from_above, texture
from tests.formats import source_model_bytes as raw

MODEL = {
    "models/a.mdl": raw.mdl([[[(0, 0, 4)]]], ("skin",), ("props/",)),
    "models/a.vvd": raw.vvd([(x * 8 - 64, y * 8 - 64, *rest) for x, y, *rest in raw.QUAD]),
    "models/a.dx90.vtx": raw.quad()[".dx90.vtx"],
}
TEXTURES = {
    "materials/grey.vtf": texture(GREY),
    "materials/white.vtf": texture((255, 255, 255, 255)),
    "materials/half.vtf": texture((255, 255, 255, 128)),
    "materials/red.vtf": texture((255, 0, 0, 0)),
}
PLACED = (("classname", "prop_dynamic"), ("model", "models/a.mdl"), ("origin", "0 0 -8"))


def imported(material: str, *keys: tuple[str, str], **settings: object) -> bpy.types.Object:
    """The object of an entity with a model of this material, and further keys."""
    files = {**MODEL, **TEXTURES, "materials/props/skin.vmt": material.encode()}
    level, _ = shown(a_map([(*PLACED, *keys)], files), **settings)
    return next(obj for obj in objects(level).values() if obj.type == "MESH")


def node_kinds(obj: bpy.types.Object) -> list[str]:
    return [node.bl_idname for node in obj.data.materials[0].node_tree.nodes]


def end_of(obj: bpy.types.Object) -> bpy.types.Node:
    return next(node for node in obj.data.materials[0].node_tree.nodes if node.bl_idname == "ShaderNodeGroup")


@pytest.mark.parametrize(
    ("material", "keys", "wanted"),
    [
        ("UnlitGeneric { $basetexture grey }", (), linear(128) * np.ones(3)),
        ("UnlitGeneric { $basetexture grey }", (("rendercolor", "255 0 128"),), linear(128) * np.array([1, 0, 0.22])),
        ("SDK_UnlitGeneric { $basetexture white }", (("RenderColor", "0 255 0"),), np.array([0, 1, 0])),
        ('UnlitGeneric { $basetexture white $color2 "[1 0.5 0]" }', (), np.array([1, 0.5**2.2, 0])),
        (
            "UnlitGeneric { $basetexture white $allowdiffusemodulation 0 }",
            (("rendercolor", "255 0 0"),),
            np.ones(3),
        ),
        (
            'UnlitGeneric { $basetexture half $color2 "[1 0 0]" $blendtintbybasealpha 1 }',
            (),
            np.array([1, 1 - 128 / 255, 1 - 128 / 255]),
        ),
        ("UnlitTwoTexture { $basetexture grey $texture2 red }", (), np.array([linear(128), 0, 0])),
        ("UnlitGeneric { $basetexture white $seamless_scale 0.001 }", (), np.ones(3)),
        (
            "VertexLitGeneric { $basetexture white $selfillum 1 $envmapmask white $selfillum_envmapmask_alpha 1 }",
            (("rendercolor", "0 0 255"),),
            np.array([0, 0, 1]),
        ),
        ("VertexLitGeneric { $basetexture red $selfillum 1 $selfillummask white }", (), np.array([1, 0, 0])),
        ("VertexLitGeneric { $basetexture white $selfillum 1 $selfillummask red }", (), np.array([1, 0, 0])),
        (
            'VertexLitGeneric { $basetexture white $selfillum 1 $selfillummask half $selfillumtint "[0 1 0]" }',
            (),
            np.array([0, 1, 0]),
        ),
        (
            "UnlitGeneric { $basetexture white }",
            (("rendermode", "1"), ("renderamt", "64")),
            np.ones(3) * 64 / 255,
        ),
        ("UnlitGeneric { $basetexture white }", (("renderamt", "64"),), np.ones(3)),
    ],
)
def test_colors(tmp_path: Path, material: str, keys: tuple[tuple[str, str], ...], wanted: np.ndarray) -> None:
    imported(material, *keys)
    bpy.context.scene.world = None
    np.testing.assert_allclose(seen_from_above(tmp_path, 4, 200)[1:3, 1:3].mean(axis=(0, 1)), wanted, atol=0.02)


def test_colors_of_static_props_tint_them(tmp_path: Path) -> None:
    files = {**MODEL, **TEXTURES, "materials/props/skin.vmt": b"UnlitGeneric { $basetexture white }"}
    level, _ = shown(a_map(files=files, props=static_props(["models/a.mdl"], [prop(origin=(0, 0, -8))])))
    (obj,) = objects(level, layout.STATIC_PROP).values()
    obj.color = (1.0, 0.5, 0.0, 1.0)
    bpy.context.scene.world = None
    seen = seen_from_above(tmp_path, 4, 200)[1:3, 1:3].mean(axis=(0, 1))
    np.testing.assert_allclose(seen, [1, 0.5**2.2, 0], atol=0.02)


def test_an_entitys_color() -> None:
    assert colors.of_entity({}) == (1, 1, 1, 1)
    assert colors.of_entity({"rendercolor": "255 0 51", "renderamt": "0"}) == (1, 0, pytest.approx(0.2), 1)
    assert colors.of_entity({"rendermode": "2", "renderamt": "51"})[3] == pytest.approx(0.2)
    assert colors.of_entity({"rendercolor": "nan 999 x", "renderamt": "-4", "rendermode": "1"})[3] == 0
    obj = imported("UnlitGeneric { $basetexture grey }", ("rendercolor", "0 51 255"))
    assert obj.color[:] == pytest.approx((0, 0.2, 1, 1))


def test_what_is_seen_through_by_its_objects_alpha() -> None:
    plain = imported("VertexLitGeneric { $basetexture grey }")
    assert not end_of(plain).inputs["Alpha"].is_linked
    faded = imported("VertexLitGeneric { $basetexture grey }", ("rendermode", "1"), ("renderamt", "10"))
    assert end_of(faded).inputs["Alpha"].is_linked


def test_highlights() -> None:
    dull, sharp = (
        end_of(imported(f"VertexLitGeneric {{ $basetexture grey $phong 1 $phongexponent {exponent} }}"))
        for exponent in (2, 500)
    )

    def roughness(end: bpy.types.Node) -> float:
        power = end.inputs["Roughness"].links[0].from_node
        divide = power.inputs[0].links[0].from_node
        add = divide.inputs[1].links[0].from_node
        return float((divide.inputs[0].default_value / sum(one.default_value for one in add.inputs[:2])) ** 0.25)

    assert roughness(dull) == pytest.approx(0.5**0.25) and roughness(sharp) < 0.3
    masked = imported("VertexLitGeneric { $basetexture grey $bumpmap half $phong 1 $phongboost 4 }")
    assert end_of(masked).inputs["Specular"].is_linked
    textured = imported("VertexLitGeneric { $basetexture grey $phong 1 $phongexponenttexture white }")
    assert node_kinds(textured).count("ShaderNodeTexImage") == 2
    none = end_of(imported("VertexLitGeneric { $basetexture grey $phong 1 $phongboost 0 }"))
    assert none.inputs["Specular"].default_value == 0


def test_rims_are_a_sheen() -> None:
    plain = end_of(imported("VertexLitGeneric { $basetexture grey $phong 1 }"))
    assert plain.inputs["Sheen"].default_value == 0
    end = end_of(imported("VertexLitGeneric { $basetexture grey $phong 1 $rimlight 1 $rimlightboost 0.5 }"))
    facing, strength = end.inputs["Sheen"].links[0].from_node.inputs[:2]
    assert facing.links[0].from_node.operation == "POWER" and strength.default_value == 0.5
    assert end.inputs["Sheen Roughness"].default_value == pytest.approx(2 / 6)
    masked = "VertexLitGeneric { $basetexture grey $phong 1 $phongexponenttexture half $rimlight 1 $rimmask 1 }"
    assert end_of(imported(masked)).inputs["Sheen"].links[0].from_node.inputs[1].is_linked


@pytest.mark.parametrize(("pitch", "wanted"), [(-90, (0, 1, 0)), (-20, (1, 0.13, 0)), (None, (1, 1, 1))])
def test_hues_of_a_light_warp(tmp_path: Path, pitch: float | None, wanted: tuple[float, ...]) -> None:
    """By how far a surface looks away from the sun: straight at it is the right end of the texture; 20 degrees over it,
    two thirds of the way, where nearly all is red: how two pixels are mixed is the renderer's.
    """
    warp = "VertexLitGeneric { $basetexture white $lightwarptexture warp }"
    files = {**MODEL, **TEXTURES, "materials/props/skin.vmt": warp.encode()}
    files["materials/warp.vtf"] = texture(*[(255, 0, 0, 255)] * 3, (0, 255, 0, 255))
    sun = (("classname", "light_environment"), ("pitch", str(pitch)), ("_light", "255 255 255 255"))
    shown(a_map([PLACED, *([sun] if pitch is not None else [])], files))
    bpy.context.scene.world = None
    if pitch is None:
        lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "SUN"))
        lamp.data.energy = 3.0
        bpy.context.scene.collection.objects.link(lamp)
    seen = seen_from_above(tmp_path, samples=32)[4, 4]
    assert seen.max() > 0.2 and seen / seen.max() == pytest.approx(np.array(wanted), abs=0.12)


@pytest.mark.parametrize("shader", ["Eyes", "EyeRefract", "sdk_EyeRefract"])
def test_eyes(shader: str) -> None:
    """The white of newer eyes is worked out; the iris lies where the model's projection has it, and nowhere else."""
    base = "$basetexture white" if shader == "Eyes" else ""
    obj = imported(f"{shader} {{ {base} $iris red }}")
    material = obj.data.materials[0]
    assert not material.get("levelwright_placeholder")
    places = [node.uv_map for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeUVMap"]
    assert places == [layout.IRIS_UV]
    iris = next(
        node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeTexImage" and node.inputs[0].is_linked
    )
    assert iris.extension == "CLIP" and iris.image.name.startswith("red")
    assert imported(f"{shader} {{ $iris none }}").data.materials[0].get("levelwright_placeholder")


def test_models_are_seamless_only_where_they_say_so() -> None:
    scaled = "VertexLitGeneric { $basetexture grey $detail white $seamless_scale 0.5 %s }"
    for flags, wanted in (("", 0), ("$seamless_base 1", 1), ("$seamless_detail 1 $seamless_base 1", 2)):
        nodes = imported(scaled % flags).data.materials[0].node_tree.nodes
        assert sum(getattr(node, "projection", "") == "BOX" for node in nodes) == wanted


def test_a_coarser_level_of_detail() -> None:
    coarse = [[[[([0, 1, 2, 3], [(1, [0, 1, 2])])]]]]
    strips = raw.vtx([[[[([0, 1, 2, 3], [(1, [0, 1, 2, 0, 2, 3])])]]]], coarser=[coarse], renamed={0: "far"})
    files = {**MODEL, "models/a.dx90.vtx": strips, "materials/props/far.vmt": b"UnlitGeneric { }"}
    for level, triangles, material in ((0, 2, "props/skin"), (3, 1, "props/far")):
        made, _ = shown(a_map([PLACED], files), level_of_detail=level)
        mesh = next(obj.data for obj in objects(made).values() if obj.type == "MESH")
        assert len(mesh.polygons) == triangles
        assert mesh.materials[0][layout.MATERIAL] == material


def test_what_is_missing_of_a_model_is_told_once() -> None:
    files = {name: data for name, data in MODEL.items() if not name.endswith(".vtx")}
    _, report = shown(a_map([PLACED, PLACED], files))
    assert [one for one in report.warnings if "shown as a box" in one] == [
        "model models/a.mdl is shown as a box: it has no .vtx"
    ]


def test_a_material_that_makes_no_sense_is_told_once() -> None:
    files = {**MODEL, **TEXTURES, "materials/props/skin.vmt": b"UnlitGeneric { $basetexture grey { $alpha }"}
    _, report = shown(a_map([PLACED, PLACED], files))
    told = [note for note in report.notes if "as the game reads it" in note]
    assert len(told) == 1 and "props/skin" in told[0]
