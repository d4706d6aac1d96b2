# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks of Genesis3D levels, and the faces that nobody sees: see `scene.leaks`."""

from __future__ import annotations

import bpy

from ...formats import genesis
from ...formats.solid_leaks import Sealing, examine
from ..scene import leaks
from ..scene.kept import identity
from ..scene.level import needed_root
from ..scene.registering import in_turn
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps
from . import layout
from .exporter import export_level
from .settings import ExportSettings


def _examine(context: bpy.types.Context, collection: bpy.types.Collection) -> Steps[Sealing]:
    """Flood the level as it would be exported. Raises SceneError, FormatError."""
    data = yield from export_level.steps(context, collection, ExportSettings(), Report())
    yield
    level = genesis.read(data)
    if isinstance(level, genesis.CompiledLevel):
        raise SceneError(f"{collection.name} is compiled, and leaks no more: decompile it to look for leaks")
    yield
    return (yield from examine.steps((yield from genesis.leaks.space.steps(level))))


def _faces(_context: bpy.types.Context, collection: bpy.types.Collection) -> list[leaks.StillFaces]:
    """The faces of the world's brushes; those of cuts are what is left on others, and count as these."""
    root = needed_root(collection)
    found = [
        leaks.placed(obj, root)
        for obj in collection.all_objects
        if identity.kind_of(obj) in (layout.BRUSH, layout.BRUSHES, None)
        and not obj.get("cut")
        and not obj.get("hollow_cut")
        and identity.ancestor(obj, layout.MODEL) is None
    ]
    return [faces for faces in found if faces is not None]


FINDER = leaks.Finder(
    verbs=genesis.leaks,
    kind=layout.PREVIEW,
    entities=frozenset((layout.ENTITY,)),
    examine=_examine,
    faces=_faces,
    from_blender=layout.from_blender,
    to_blender=layout.to_blender,
)


class FindGenesisLeaks(leaks.FindLeaks):
    """Find out whether the Genesis3D level is sealed, as its compiler would, and draw the way out where it isn't"""

    finder = FINDER
    bl_idname = layout.FIND_LEAKS


class RemoveGenesisLeak(leaks.RemoveLeak):
    """Remove the curve of the Genesis3D level's leak"""

    finder = FINDER
    bl_idname = "levelwright.genesis_remove_leak"


class WriteGenesisLeakFile(leaks.WriteLeakFile):
    """Write the leak that is drawn as Genesis3D's compiler writes it (.Pnt), for the editor"""

    finder = FINDER
    bl_idname = "levelwright.genesis_write_leak"


class SelectGenesisHiddenFaces(leaks.SelectHiddenFaces):
    """Select the faces of Genesis3D brushes that nobody ever sees: inside other brushes, or facing the void"""

    finder = FINDER
    bl_idname = "levelwright.genesis_select_hidden"


class LEVELWRIGHT_PT_genesis_leaks(leaks.LeakPanel, bpy.types.Panel):
    """Leaks of the active Genesis3D level."""

    bl_label = "Leaks"
    bl_options = {"DEFAULT_CLOSED"}
    bl_parent_id = "LEVELWRIGHT_PT_genesis"
    operators = (FindGenesisLeaks, RemoveGenesisLeak, WriteGenesisLeakFile, SelectGenesisHiddenFaces)


CLASSES = (*LEVELWRIGHT_PT_genesis_leaks.operators, LEVELWRIGHT_PT_genesis_leaks)
register, unregister = in_turn(*CLASSES)
