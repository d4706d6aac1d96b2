# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of faces, by their paths, as the scene has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ....formats.ns2 import material as material_file
from ....formats.ns2.editing import MaterialEdits
from ...scene.kept import identity
from ...scene.names import showable
from .. import layout

NAMELESS = "(no name)"
"""What an import calls the material of no path."""


def collect_materials(
    palette: Sequence[bpy.types.Material | None], held: Mapping[int, bpy.types.ID], listed: list[str], token: int | None
) -> MaterialEdits:
    """What materials of faces are, and what became of those of the file. held: the level's materials by number.

    listed: the paths of those of the file with this token. A path that another one has is no new name.
    """
    names, kept = list(listed), set[int]()
    for number, block in held.items():
        if isinstance(block, bpy.types.Material) and number < len(listed):
            path = material_path(block, listed, token)
            if path and path not in names:
                names[number] = path
            if path == names[number]:
                kept.add(number)
    return MaterialEdits([material_path(each, listed, token) for each in palette], names, frozenset(kept))


def title_of(path: str) -> str:
    """What an import calls the material of a path."""
    return showable(path).rsplit("/", 1)[-1].removesuffix(material_file.ENDING)


def is_path(name: str) -> bool:
    """Whether a material's name is the path of one."""
    return "/" in name and name.endswith(material_file.ENDING)


def material_path(material: bpy.types.Material | None, listed: list[str], token: int | None) -> str:
    """The path that a material stands for, "" for no material. listed: those of the file with this token.

    One that was renamed to a path has that one: the import calls none so.
    """
    if material is None:
        return ""
    if is_path(material.name):
        return material.name
    path = material.get(layout.MATERIAL)
    if isinstance(path, str):
        return path
    mark = identity.stamped(material)
    if mark is not None and mark.kind == layout.MATERIAL_KIND and mark.token == token and mark.record < len(listed):
        return listed[mark.record]  # a path that no property can hold
    return material.name
