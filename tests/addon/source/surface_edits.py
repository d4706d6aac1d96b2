# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of tests.formats.source_room in Blender, one step of its export alone, and what that changes."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import layout
from levelwright.addon.source.collecting import scene_level
from levelwright.addon.source.settings import ExportSettings
from levelwright.formats import source
from levelwright.formats.source.differences import differences

from tests.addon.source.rooms import imported, of_kind
from tests.formats import source_room


def small_room(**options: Any) -> bpy.types.Collection:
    """The room of two leafs, imported."""
    return imported(source.write(source_room.room()), **options)


def edited(
    level: bpy.types.Collection, step: Callable[..., None], report: Report | None = None, **settings: Any
) -> tuple[source.Level, set[str]]:
    """The map after one step of an export, read from its bytes, and the names of the lumps that changed."""
    original = originals.find(level)
    made = source.read(original.data)
    with scene_level.read(bpy.context, level, original, ExportSettings(**settings)) as scene:
        step(scene, made, Report() if report is None else report)
    after = source.read(source.write(made))
    before = source.read(original.data)
    known = {str(problem) for problem in source.check(before)}
    assert not [problem for problem in source.check(after) if problem.severity == "error" and str(problem) not in known]
    return after, {each.name.split("(")[1].rstrip(")") for each in differences(before, after)}


def the(level: bpy.types.Collection, kind: str, number: int = 0) -> bpy.types.Object:
    """An object of a kind."""
    return of_kind(level, kind)[number]


def move(obj: bpy.types.Object, points: np.ndarray, way: tuple[float, float, float]) -> None:
    """Move vertices of a mesh, bool[n] or their numbers."""
    positions = meshes.read(obj).positions
    positions[points] += np.array(way, np.float32)
    obj.data.attributes["position"].data.foreach_set("vector", positions.ravel())
    obj.data.update()


def set_uv(obj: bpy.types.Object, uv: np.ndarray, name: str = layout.UV) -> None:
    """Give a mesh other UVs, float[c, 2]."""
    obj.data.uv_layers[name].uv.foreach_set("vector", np.ascontiguousarray(uv, np.float32).ravel())


def paint(obj: bpy.types.Object, name: str, values: np.ndarray, field: str) -> None:
    """Give a mesh attribute other values."""
    obj.data.attributes[name].data.foreach_set(field, np.ascontiguousarray(values).ravel())
