# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import shares, of a map that is open: for things that are added to it."""

from __future__ import annotations

from pathlib import Path

import bpy

from ....formats import source
from ...scene.kept import identity, originals
from ...scene.level import root_of
from ...scene.names import file_name_of, showable
from ...scene.reports import Report, SceneError
from ...scene.view import stage
from .. import layout
from ..collecting.scene_level import at_fault
from ..content import content_of
from ..context import ImportContext, MaterialMaker
from ..materials.build import Materials, known_textures
from ..materials.textures import Textures
from ..settings import ImportSettings


def importing_into(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> ImportContext:
    """What an import would share, of a map that is open: its collections and materials, and where content is.

    Raises SceneError for a collection that isn't a map or has lost its original, or whose root is gone.
    """
    original = originals.find(level)
    root = root_of(level)
    if original is None or root is None:
        raise SceneError(f"{level.name} isn't an imported map, or has lost its root empty")
    with at_fault():
        read = source.read(original.data)
        known = {key: value for key, value in original.options.items() if key in ImportSettings.__dataclass_fields__}
        settings = ImportSettings(**known)
        folder = Path(bpy.data.filepath).parent if bpy.data.filepath else Path()
        path = folder / file_name_of(original.file_name)
        content = content_of(read, path, settings, report)
        made = Materials(level, original.token, Textures(content, report, original.token), *known_textures(read))
    groups = {}
    for child in level.children:
        groups[_plain(child), ""] = child
        groups.update({(_plain(each), _plain(child)): each for each in child.children})
    scene = stage.scene_of(context)
    return _Adding(
        read, settings, report, path, scene, False, original.token, level, root, {},
        content, _Kept(made, original.token), _groups=groups,
    )  # fmt: skip


def _plain(collection: bpy.types.Collection) -> str:
    """A collection's name without the number that Blender gives it."""
    return identity.unnumbered(collection.name)


class _Adding(ImportContext):
    """Its collections that aren't there yet are new, and no record of the map."""

    def collection_of(
        self, name: str, kind: str, record: int = -1, parent: bpy.types.Collection | None = None
    ) -> bpy.types.Collection:
        """Make a collection of a kind in the level's, or in one of those."""
        return super().collection_of(name, kind, record, parent)


class _Kept:
    """The materials that a map has, and others once they are asked for."""

    def __init__(self, rest: MaterialMaker, token: int) -> None:
        self.rest, self.token = rest, token

    def of(
        self, name: str, lightmapped: bool = False, size: tuple[int, int] = (512, 512), water: bool = False
    ) -> bpy.types.Material:
        """See `context.MaterialMaker`."""
        shown = showable(name)
        for material in list(bpy.data.materials):
            mark = identity.stamped(material)
            if (mark is None or mark.token == self.token) and material.get(layout.MATERIAL) == shown:
                return material
        made = self.rest.of(name, lightmapped, size, water)
        mark = identity.stamped(made)
        if mark is not None and mark.record < 0:
            identity.unstamp(made)  # the map has no texture of this name yet
        return made
