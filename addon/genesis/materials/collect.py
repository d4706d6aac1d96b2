# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the texture is that a material stands for, and how records hold its name."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.genesis.records import texture_field
from ...scene.reports import SceneError
from .. import layout


def given_size(material: bpy.types.Material) -> tuple[float, float] | None:
    """A material's property TEXTURE_SIZE; None without it. Raises SceneError where it is no width and height."""
    size: object = material.get(layout.TEXTURE_SIZE)
    if size is None:
        return None
    listed = size.to_list() if hasattr(size, "to_list") else None
    if listed is None or len(listed) != 2 or not all(isinstance(one, int | float) for one in listed):
        raise SceneError(f"{material.name}: its property {layout.TEXTURE_SIZE} has to be two numbers: width and height")
    return float(listed[0]), float(listed[1])


def size_of(material: bpy.types.Material | None) -> tuple[float, float]:
    """Width and height of a material's texture: its property TEXTURE_SIZE, else those of its first image; else NaN."""
    if material is None:
        return (np.nan, np.nan)
    size = given_size(material)
    if size is not None and min(size) > 0:
        return size
    for node in material.node_tree.nodes if material.node_tree is not None else ():
        image = getattr(node, "image", None)
        if image is not None and min(image.size) > 0:
            return float(image.size[0]), float(image.size[1])
    return (np.nan, np.nan)


def checked_name(name: str, obj: bpy.types.Object, face: int) -> bytes:
    """The bytes of a texture's name; raises SceneError, with object and face, for one that no record can hold."""
    try:
        return texture_field(name)
    except ValueError as error:
        if isinstance(error, UnicodeError):
            error = ValueError(f"texture {name!r} has characters that Latin-1 has not")
        at_fault = {obj: np.array([face], np.int32)} if face >= 0 else {}
        raise SceneError(f"{obj.name}: {error}", [obj], at_fault) from error
