# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: no pink, shared groups made once, and unlit ones that the glTF exporter understands."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import images, materials

from tests.addon import blenders
from tests.addon.scene.scene_helpers import grid, link


def test_nodes_are_linked_and_set() -> None:
    nodes = materials.shader(bpy.data.materials.new("m"))
    value = nodes.math("MULTIPLY", nodes.math("ADD", 1.0, 2.0), 0.5, clamp=True)
    emission = nodes.feed(nodes.add("ShaderNodeEmission", "glow"), Strength=value, Color=(1, 0, 0, 1))
    output = nodes.add("ShaderNodeOutputMaterial")
    nodes.link(emission.outputs[0], output.inputs["Surface"])
    assert emission.label == "glow"
    assert emission.inputs["Strength"].links[0].from_socket == value
    assert value.node.use_clamp
    assert value.node.inputs[0].links[0].from_node.operation == "ADD"
    assert value.node.inputs[1].default_value == 0.5
    assert list(emission.inputs["Color"].default_value) == [1, 0, 0, 1]
    columns = [node.location.x for node in nodes.tree.nodes]
    assert columns == sorted(set(columns)), "no node hides another"


def test_shader_starts_empty() -> None:
    material = bpy.data.materials.new("m")
    materials.shader(material)
    assert len(materials.shader(material).tree.nodes) == 0


def test_groups_are_built_once_a_version() -> None:
    built = []

    def build(nodes: materials.Nodes) -> None:
        built.append(nodes.tree.name)
        nodes.tree.interface.new_socket("Value", in_out="OUTPUT", socket_type="NodeSocketFloat")

    one = materials.node_group("Levelwright test", 1, build)
    assert materials.node_group("Levelwright test", 1, build) == one
    assert materials.node_group("Levelwright test", 2, build) != one
    assert built == ["Levelwright test v1", "Levelwright test v2"]


def test_placeholder_is_marked_and_has_its_image() -> None:
    image = images.checker("grass_main", 64, 64)
    material = materials.placeholder("grass_main", image)
    assert materials.is_placeholder(material)
    assert not materials.is_placeholder(materials.unlit("m"))
    assert [node.image for node in material.node_tree.nodes if node.type == "TEX_IMAGE"] == [image]


def picture(tmp_path: Path, material: bpy.types.Material) -> np.ndarray:
    """Render a plane that fills the picture, as Workbench sees its texture."""
    scene = bpy.context.scene
    mesh = grid("plane", 1, shared=True)
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(material)
    link(bpy.data.objects.new("plane", mesh))
    camera = link(bpy.data.objects.new("camera", bpy.data.cameras.new("camera")))
    camera.data.type, camera.data.ortho_scale, camera.location = "ORTHO", 0.9, (0.5, 0.5, 2)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(tmp_path / "p.png")
    bpy.ops.render.render(write_still=True)
    return images.to_rgba(bpy.data.images.load(scene.render.filepath))


@pytest.mark.parametrize("with_image", [False, True])
def test_placeholders_are_never_pink(tmp_path: Path, with_image: bool) -> None:
    image = images.checker("none", 64, 64) if with_image else None
    pixels = picture(tmp_path, materials.placeholder("none", image))
    assert pixels[..., :3].max() > 40, "something is seen"
    assert (np.ptp(pixels[..., :3].astype(int), axis=2) <= 12).all(), "grey"


def test_unlit_shows_the_colours_as_they_are(tmp_path: Path) -> None:
    image = images.from_rgba("i", np.full((4, 4, 4), (200, 100, 50, 255), np.uint8))
    pixels = picture(tmp_path, materials.unlit("m", image))
    assert np.abs(pixels[..., :3].astype(int) - (200, 100, 50)).max() <= 1


def test_unlit_multiplies(tmp_path: Path) -> None:
    image = images.from_rgba("i", np.full((4, 4, 4), 255, np.uint8))
    pixels = picture(tmp_path, materials.unlit("m", image, (0.5, 0.25, 1.0, 1.0)))
    assert np.abs(pixels[0, 0, :3].astype(int) - (188, 137, 255)).max() <= 1


GLTF = """
import json
import numpy as np
from pathlib import Path
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.media import images, materials
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
quad = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float32)
colors = {"tint": ("CORNER", "FLOAT_COLOR", np.full((4, 4), 0.5, np.float32))} if sys.argv[3] else {}
mesh = meshes.build("plane", quad, [0, 1, 2, 3], uvs={"UVMap": quad[:, :2]}, attributes=colors)
image = images.from_rgba("i", np.full((4, 4, 4), (200, 100, 50, 128), np.uint8)) if sys.argv[2] else None
mesh.materials.append(materials.unlit("m", image, (0.25, 0.5, 1, 1), sys.argv[3]))
bpy.context.scene.collection.objects.link(bpy.data.objects.new("plane", mesh))
bpy.ops.export_scene.gltf(filepath=sys.argv[1], export_format="GLTF_SEPARATE")
written = json.loads(Path(sys.argv[1]).read_text())
result = [written["materials"][0], sorted(written["meshes"][0]["primitives"][0]["attributes"])]
"""


@pytest.mark.parametrize(
    ("image", "tint"),
    [
        pytest.param("", "", id="plain", marks=pytest.mark.slow),
        pytest.param("", "tint", id="vertex colour", marks=pytest.mark.slow),
        pytest.param("image", "", id="image", marks=pytest.mark.slow),
        pytest.param("image", "tint", id="image and vertex colour"),
    ],
)
def test_gltf_takes_it_as_unlit(tmp_path: Path, image: str, tint: str) -> None:
    material, attributes = blenders.run(GLTF, tmp_path / "m.gltf", image, tint)
    assert "KHR_materials_unlit" in material["extensions"]
    assert material["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx([0.25, 0.5, 1, 1])
    assert ("baseColorTexture" in material["pbrMetallicRoughness"]) == bool(image)
    assert material.get("alphaMode", "OPAQUE") == ("BLEND" if image or tint else "OPAQUE")
    assert ("COLOR_0" in attributes) == bool(tint)
