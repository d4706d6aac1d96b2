# SPDX-License-Identifier: GPL-3.0-or-later
"""Where creatures can walk, as a level's sections of navigation have it: see `layout` for what becomes what."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Singles
from ....formats.fable import UID_BASE
from ....formats.fable.geometry import finite_heights, finite_points, leaf_corners, over_ground, sample_ground
from ....formats.fable.leaves import crossings
from ....formats.fable.sections import NumberedSection, door_lists, numbered_sections
from ...scene.geometry import meshes, transforms
from ...scene.kept import identity
from ...scene.media.materials import Nodes, blended, shader
from ...scene.names import showable
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext

LIFT = 0.1
"""How far leaves lie over the ground, units; those of upper layers as far again for each layer below them."""
MANY_POINTS = 10_000
"""A section with more action points than this keeps them in the file: no real one has 200."""
MANY_LAYERS = 256
"""What a leaf can tell: a byte."""
POINT_SIZE = 0.3
_ALPHA, _DOOR = 0.55, (1.0, 0.25, 0.0, 1.0)


def build_navigation(importing: ImportContext) -> Steps[None]:
    """Make an object of each layer of each section, and empties of the action points. They are hidden at first.

    A level without sections has the collection, too: a collection that is put into it is a section.
    """
    if importing.level.sections is None:
        return
    navigation = importing.collection_of("Navigation", layout.NAVIGATION)
    navigation.hide_viewport = navigation.hide_render = True
    if not importing.level.sections:
        return
    ground = finite_heights(importing.level.cells)
    sections = list(numbered_sections(importing.level))
    material = bpy.data.materials.new(f"{importing.collection.name} navigation")
    identity.stamp(material, importing.token, layout.MATERIAL, 1)
    _build_tree(material)
    made = []
    for section in sections:
        if section.navigation is None:
            why = f"can't be read, so it stays as it is: {section.error}"
            importing.report.warn(f"navigation of section {section.name} {why}")
        for layer in section.layers():
            made.append((section, layer, _mesh(importing, section, layer, ground, material)))
            yield
    names = [showable(section.name) or "-" for section in sections]
    homes = [importing.collection_of(name, layout.SECTION, at, navigation) for at, name in enumerate(names)]
    for section, layer, (mesh, doors) in made:
        record = layout.leaves_record(section.number, layer)
        obj = importing.object_of(mesh.name, layout.LEAVES, record, mesh, [homes[section.number]])
        for number, keys in enumerate(doors, start=1):
            obj[f"{layout.DOOR}_{number}"] = " ".join(str((key + UID_BASE) % (1 << 64)) for key in keys)
        transforms.remember(obj)
    for section, collection in zip(sections, homes, strict=True):
        _keep_links(section, collection)
        _build_points(importing, section, collection, ground)
        yield
    importing.report.count("sections of navigation", len(sections))


def _mesh(
    importing: ImportContext, section: NumberedSection, layer: int, ground: Singles, material: bpy.types.Material
) -> tuple[bpy.types.Mesh, list[tuple[int, ...]]]:
    """The leaves of a layer, a quad each, and the keys of its doors."""
    numbers = section.leaves(layer)
    navigation = section.navigation
    if navigation is None:
        raise ValueError(f"section {section.name} has no leaves to show")
    nodes = navigation.nodes[numbers]
    corners = leaf_corners(nodes)
    z = over_ground(ground, corners, nodes["level"]) + np.float32(LIFT * (layer + 1))
    ids = (section.first_node + numbers + 1).astype(np.int32)
    doors, keys = door_lists(navigation, numbers)
    made = meshes.build(
        layout.layer_name(section.name, layer),
        np.concatenate([corners, z[:, :, None]], axis=2).reshape(-1, 3),
        attributes={
            **identity.id_attributes(importing.token, ids, "FACE"),
            **{name: ("FACE", "INT", nodes[name].astype(np.int32)) for name in (*layout.LEAF_FIELDS, "level")},
            layout.DOOR: ("FACE", "INT", doors),
            layout.CLOSED: ("FACE", "BOOLEAN", nodes["blocked"] != 0),
        },
    )
    made.materials.append(material)
    return made, keys


def _keep_links(section: NumberedSection, collection: bpy.types.Collection) -> None:
    """Keep what no mesh shows of a section: how many layers it has, and which leaves lead from one to another."""
    navigation = section.navigation
    if navigation is None:
        return
    leaves = navigation.nodes[navigation.nodes["leaf"] != 0]
    count = min(max(navigation.layer_count, 1), MANY_LAYERS)
    collection[layout.LAYERS] = np.bincount(leaves["layer"], minlength=count).tolist()
    if count > 1 and len(pairs := crossings(navigation)):
        collection[layout.LINKS] = (pairs + (section.first_node + 1)).ravel().tolist()


def _build_points(
    importing: ImportContext, section: NumberedSection, collection: bpy.types.Collection, ground: Singles
) -> None:
    """Make the action points of a section."""
    if section.navigation is None:
        return
    positions = section.navigation.positions
    if len(positions) > MANY_POINTS:
        importing.report.left_out(f"action points of section {section.name}, which stay as they are", len(positions))
        return
    collection[layout.POINTS] = len(positions)
    xy = finite_points(positions)
    z = sample_ground(ground, xy[:, 0], xy[:, 1]) if ground.size else np.zeros(len(xy))
    xyz = np.concatenate([xy, z[:, None]], axis=1).tolist()
    for number, (location, layer) in enumerate(zip(xyz, positions["layer"].tolist(), strict=True)):
        obj = importing.object_of(
            f"Action point {number:03}", layout.ACTION_POINT, section.first_point + number, None, [collection]
        )
        obj.empty_display_type, obj.empty_display_size = "SPHERE", POINT_SIZE
        obj.location = location
        obj[layout.POINT_LAYER] = int(layer)
        transforms.remember(obj)
    importing.report.count("action points", len(positions))


def _build_tree(material: bpy.types.Material) -> None:
    """Colour leaves by their regions, the smaller the darker, and doors orange; the ground shows through."""
    nodes: Nodes = shader(material)
    region = nodes.add("ShaderNodeAttribute", attribute_name="region").outputs["Fac"]
    noise = nodes.feed(nodes.add("ShaderNodeTexWhiteNoise", noise_dimensions="1D"), W=region)
    colour = nodes.add("ShaderNodeHueSaturation")
    nodes.feed(colour, Saturation=1.4, Color=noise.outputs["Color"])
    level = nodes.add("ShaderNodeAttribute", attribute_name="level").outputs["Fac"]
    nodes.link(nodes.math("MULTIPLY_ADD", level, -0.13, 1.2), colour.inputs["Value"])
    door = nodes.add("ShaderNodeAttribute", attribute_name=layout.DOOR).outputs["Fac"]
    mixed = nodes.add("ShaderNodeMix", data_type="RGBA")
    nodes.set(mixed.inputs[0], nodes.math("GREATER_THAN", door, 0.5))
    nodes.link(colour.outputs["Color"], mixed.inputs[6])
    nodes.set(mixed.inputs[7], _DOOR)
    emission = nodes.feed(nodes.add("ShaderNodeEmission"), Color=mixed.outputs[2])
    shown = nodes.put("ShaderNodeMixShader", _ALPHA)
    nodes.link(nodes.add("ShaderNodeBsdfTransparent").outputs[0], shown.inputs[1])
    nodes.link(emission.outputs[0], shown.inputs[2])
    nodes.link(shown.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    blended(material)
