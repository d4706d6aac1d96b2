# SPDX-License-Identifier: GPL-3.0-or-later
"""Where creatures can walk, as a level's sections of navigation have it: see `layout` for what becomes what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import fable
from ....formats.binary import FormatError
from ....formats.fable import UID_BASE, Navigation
from ....formats.fable.records import ROOT_EDGE, Records
from ...scene import identity, meshes, transforms
from ...scene.materials import Nodes, blended, shader
from .. import layout
from ..context import Site

Floats = NDArray[np.float32]

LIFT = 0.1
"""How far leaves lie over the ground, units; those of upper layers as far again for each layer below them."""
MANY_POINTS = 10_000
"""A section with more action points than this keeps them in the file: no real one has 200."""
POINT_SIZE = 0.3
_WINDOW = 1 << 22
"""Heights that are looked at in one go."""
_ALPHA, _DOOR = 0.55, (1.0, 0.25, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a level. navigation: None where it can't be read. first_node, first_point: running numbers over the
    sections of its first node and action point.
    """

    number: int
    name: str
    navigation: Navigation | None
    first_node: int
    first_point: int
    error: str = ""

    def leaves(self, layer: int) -> NDArray[np.intp]:
        """The numbers of the nodes that are leaves of a layer, ascending."""
        if self.navigation is None:
            return np.zeros(0, np.intp)
        nodes = self.navigation.nodes
        return np.flatnonzero((nodes["leaf"] != 0) & (nodes["layer"] == layer))

    def door_keys(self) -> list[int]:
        """The keys of its doors."""
        found: list[int] = [] if self.navigation is None else self.navigation.keys.tolist()
        return found

    def layers(self) -> list[int]:
        """The layers that have leaves."""
        if self.navigation is None:
            return []
        nodes = self.navigation.nodes
        found: list[int] = np.unique(nodes["layer"][nodes["leaf"] != 0]).tolist()
        return found


def parts(level: fable.Level) -> Iterator[Part]:
    """The sections of a level, numbered."""
    node = point = 0
    for number, section in enumerate(level.sections or ()):
        try:
            navigation = section.navigation
        except FormatError as error:
            yield Part(number, section.name, None, node, point, str(error))
            continue
        yield Part(number, section.name, navigation, node, point)
        node += len(navigation.nodes)
        point += len(navigation.positions)


def build(site: Site) -> None:
    """Make an object of each layer of each section, and empties of the action points. They are hidden at first."""
    if not site.level.sections:
        return
    home = site.collection_of("Navigation", layout.NAVIGATION)
    home.hide_viewport = home.hide_render = True
    ground = layout.shown_heights(site.level.cells)
    found = list(parts(site.level))
    material: Any = bpy.data.materials.new(f"{site.collection.name} navigation")
    identity.stamp(material, site.token, layout.MATERIAL, 1)
    _build_tree(material)
    made = []
    for part in found:
        if part.navigation is None:
            site.report.warn(f"navigation of section {part.name} can't be read, so it stays as it is: {part.error}")
        made += [(part, layer, _mesh(site, part, layer, ground, material)) for layer in part.layers()]
    sections = [
        site.collection_of(layout.readable(part.name) or "-", layout.SECTION, part.number, home) for part in found
    ]
    for part, layer, (mesh, doors) in made:
        record = layout.leaves_record(part.number, layer)
        obj = site.object_of(mesh.name, layout.LEAVES, record, mesh, sections[part.number])
        for number, keys in enumerate(doors, start=1):
            obj[f"{layout.DOOR}_{number}"] = " ".join(str((key + UID_BASE) % (1 << 64)) for key in keys)
        transforms.remember(obj)
    for part, collection in zip(found, sections, strict=True):
        _build_points(site, part, collection, ground)
    site.report.count("sections of navigation", len(found))


def _mesh(
    site: Site, part: Part, layer: int, ground: Floats, material: bpy.types.Material
) -> tuple[bpy.types.Mesh, list[tuple[int, ...]]]:
    """The leaves of a layer, a quad each, and the keys of its doors."""
    numbers = part.leaves(layer)
    navigation = part.navigation
    if navigation is None:
        raise ValueError(f"section {part.name} has no leaves to show")
    nodes = navigation.nodes[numbers]
    at = corners(nodes)
    z = _lie(ground, at, nodes["level"]) + np.float32(LIFT * (layer + 1))
    ids = (part.first_node + numbers + 1).astype(np.int32)
    doors, keys = door_numbers(navigation, numbers)
    made = meshes.build(
        f"{layout.readable(part.name) or '-'} layer {layer}",
        np.concatenate([at, z[:, :, None]], axis=2).reshape(-1, 3),
        attributes={
            identity.ID: ("FACE", "INT", ids),
            identity.CHECK: ("FACE", "INT", identity.checks(site.token, ids)),
            **{name: ("FACE", "INT", nodes[name].astype(np.int32)) for name in (*layout.LEAF_FIELDS, "level")},
            layout.DOOR: ("FACE", "INT", doors),
            layout.CLOSED: ("FACE", "BOOLEAN", nodes["blocked"] != 0),
        },
    )
    made.materials.append(material)
    return made, keys


def corners(nodes: Records) -> Floats:
    """The corners of leaves, counter-clockwise from the lower left, float32[n, 4, 2]; 0 for what is no number.

    No rounding but that of sums: the same on every machine.
    """
    half = np.ldexp(np.float32(ROOT_EDGE / 2), -np.minimum(nodes["level"], 100).astype(np.int32)).astype(np.float32)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    centres = np.stack([nodes["x"], nodes["y"]], axis=1)
    with np.errstate(all="ignore"):  # hostile floats
        found = centres[:, None, :] + signs * half[:, None, None]
    return np.where(np.isfinite(found), found, np.float32(0))


def door_numbers(navigation: Navigation, numbers: NDArray[np.intp]) -> tuple[NDArray[np.int32], list[tuple[int, ...]]]:
    """Which list of keys each of some leaves has, int32[n], 0 for those that are no doors; and the lists, from 1 on."""
    found = np.zeros(len(numbers), np.int32)
    lists: dict[tuple[int, ...], int] = {}
    starts = navigation.first_keys()
    for at in np.flatnonzero(navigation.nodes["switchable"][numbers] != 0).tolist():
        node = int(numbers[at])
        keys = tuple(navigation.keys[starts[node] : starts[node + 1]].tolist())
        found[at] = lists.setdefault(keys, len(lists) + 1)
    return found, list(lists)


def _lie(ground: Floats, at: Floats, levels: NDArray[Any]) -> Floats:
    """World z of corners, float32[n, 4], so that no leaf is below the ground in it."""
    rows, columns = ground.shape
    if not ground.size:
        return np.zeros(at.shape[:2], np.float32)
    z = _sample(ground, at[..., 0], at[..., 1])
    for level in range(5):  # smaller ones have no cell inside
        those = np.flatnonzero(levels == level)
        edge = ROOT_EDGE >> level
        steps = np.arange(edge + 1)
        share = steps / edge
        for some in np.array_split(those, len(those) * (edge + 1) ** 2 // _WINDOW + 1):
            low = np.clip(at[some, 0], 0, max(rows, columns)).astype(np.int64)
            y = np.minimum(low[:, 1, None] + steps, rows - 1)
            x = np.minimum(low[:, 0, None] + steps, columns - 1)
            inside = ground[y[:, :, None], x[:, None, :]]
            lower = z[some, 0, None] + (z[some, 1] - z[some, 0])[:, None] * share
            upper = z[some, 3, None] + (z[some, 2] - z[some, 3])[:, None] * share
            plane = lower[:, None, :] + (upper - lower)[:, None, :] * share[:, None]
            z[some] += (inside - plane).max(axis=(1, 2), initial=0.0)[:, None]
    return z.astype(np.float32)


def _sample(ground: Floats, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Heights of the ground between its cells; beyond its edge those of the edge."""
    rows, columns = ground.shape
    x, y = np.clip(x, 0, columns - 1).astype(np.float64), np.clip(y, 0, rows - 1).astype(np.float64)
    left, lower = x.astype(np.int64), y.astype(np.int64)
    right, upper = np.minimum(left + 1, columns - 1), np.minimum(lower + 1, rows - 1)
    x, y = x - left, y - lower
    below = ground[lower, left] * (1 - x) + ground[lower, right] * x
    above = ground[upper, left] * (1 - x) + ground[upper, right] * x
    found: NDArray[np.float64] = below * (1 - y) + above * y
    return found


def _build_points(site: Site, part: Part, collection: bpy.types.Collection, ground: Floats) -> None:
    """Make the action points of a section."""
    if part.navigation is None:
        return
    positions = part.navigation.positions
    if len(positions) > MANY_POINTS:
        site.report.left_out(f"action points of section {part.name}, which stay as they are", len(positions))
        return
    collection[layout.POINTS] = len(positions)
    xy = shown_points(positions)
    z = _sample(ground, xy[:, 0], xy[:, 1]) if ground.size else np.zeros(len(xy))
    places = np.concatenate([xy, z[:, None]], axis=1).tolist()
    for number, (place, layer) in enumerate(zip(places, positions["layer"].tolist(), strict=True)):
        obj: Any = site.object_of(
            f"Action point {number:03}", layout.ACTION_POINT, part.first_point + number, None, collection
        )
        obj.empty_display_type, obj.empty_display_size = "SPHERE", POINT_SIZE
        obj.location = place
        obj[layout.POINT_LAYER] = layer
        transforms.remember(obj)
    site.report.count("action points", len(positions))


def shown_points(positions: Records) -> Floats:
    """Where action points are shown, float32[n, 2]: what is no number is 0."""
    xy = np.stack([positions["x"], positions["y"]], axis=1)
    shown: Floats = np.where(np.isfinite(xy), xy, np.float32(0))
    return shown


def _build_tree(material: bpy.types.Material) -> None:
    """Colour leaves by their regions, the smaller the darker, and doors orange; the ground shows through."""
    nodes: Nodes = shader(material)
    region = nodes.add("ShaderNodeAttribute", attribute_name="region").outputs["Fac"]
    noise = nodes.add("ShaderNodeTexWhiteNoise", noise_dimensions="1D")
    nodes.link(region, noise.inputs["W"])
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
    shown = nodes.add("ShaderNodeMixShader")
    nodes.set(shown.inputs[0], _ALPHA)
    nodes.link(nodes.add("ShaderNodeBsdfTransparent").outputs[0], shown.inputs[1])
    nodes.link(emission.outputs[0], shown.inputs[2])
    nodes.link(shown.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    blended(material)
