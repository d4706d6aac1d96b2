# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes as meshes: what a thing takes up whose model is missing, and what has no other shape."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes
from ...scene.geometry.shapes import remember
from ...scene.media import materials
from ...scene.names import showable
from ...scene.reports import Report

_CUBE = np.array(
    [[x, y, z] for z in (-1, 1) for y, x in ((-1, -1), (-1, 1), (1, 1), (1, -1))],
    np.float32,
)
_GLASS, _OPACITY, _GREY = "missing model", 0.2, 0.2
_CUBE_CORNERS = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]


def box(name: str, low: ArrayLike, high: ArrayLike) -> bpy.types.Mesh:
    """A box between two corners, where a model is missing: it lets through what is behind it."""
    made = boxes(name, np.atleast_2d(low), np.atleast_2d(high))
    made.materials.append(_glass())
    remember(made)
    return made


def _glass() -> bpy.types.Material:
    """The material of all boxes: made when the file hasn't got it yet."""
    found = bpy.data.materials.get(_GLASS)
    if found is None:
        found = bpy.data.materials.new(_GLASS)
        nodes = materials.shader(found)
        mix = nodes.put("ShaderNodeMixShader", _OPACITY)
        nodes.link(nodes.add("ShaderNodeBsdfTransparent").outputs[0], mix.inputs[1])
        body = nodes.feed(nodes.add("ShaderNodeEmission"), Color=(_GREY, _GREY, _GREY, 1.0))
        nodes.link(body.outputs[0], mix.inputs[2])
        nodes.link(mix.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
        materials.blended(found)
        found.diffuse_color = (_GREY, _GREY, _GREY, _OPACITY)
    made: bpy.types.Material = found
    return made


def show_box(obj: bpy.types.Object) -> None:
    """Let an object of a box be seen, and nothing else: it neither takes nor throws light, which costs Cycles time."""
    obj.visible_shadow = obj.visible_diffuse = obj.visible_glossy = obj.visible_transmission = False


def boxes(
    name: str,
    lows: ArrayLike,
    highs: ArrayLike,
    attributes: Mapping[str, tuple[Domain, Kind, ArrayLike]] | None = None,
    report: Report | None = None,
) -> bpy.types.Mesh:
    """A mesh of boxes between two corners each, float[n, 3]: eight points and six faces of each, in order."""
    bottom, top = np.asarray(lows, np.float32)[:, None], np.asarray(highs, np.float32)[:, None]
    points = (top + bottom) / 2 + _CUBE * ((top - bottom) / 2)
    corners = np.arange(len(points), dtype=np.int32)[:, None] * len(_CUBE) + np.array(_CUBE_CORNERS, np.int32)
    return meshes.build(
        showable(name), points.reshape(-1, 3), corners.reshape(-1), attributes=attributes, report=report, sound=True
    )
