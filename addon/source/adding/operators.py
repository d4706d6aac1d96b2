# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators share that add a thing to a map that is open.

New things look as if they had been imported, but are no record of the map: their stamps say -1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bpy

from ...scene.interface import sidebar
from ...scene.interface.sidebar import AskingOperator
from ...scene.kept import identity
from ...scene.level import needed_root
from ...scene.reports import Report
from ...scene.view import stage
from .. import layout

Add = Callable[[bpy.types.Context, bpy.types.Collection, str, Sequence[float], Report], bpy.types.Object]
"""Adds a thing of what is asked for to a level, at a place in units below the root. Raises SceneError."""


def known(context: bpy.types.Context, kind: str, key: str, text: str) -> list[str]:
    """The texts that the map's objects of a kind have under a key, of those that hold `text`."""
    level = sidebar.active_level(context, layout.FORMAT)
    objects = level.all_objects if level is not None else ()
    found = {obj.get(key) for obj in objects if identity.kind_of(obj) == kind}
    return sorted(each for each in found if isinstance(each, str) and text.casefold() in each.casefold())


def known_materials(_: object, _context: bpy.types.Context, text: str) -> list[str]:
    """The names of the map's materials."""
    found = {material.get(layout.MATERIAL) for material in bpy.data.materials}
    return sorted(each for each in found if isinstance(each, str) and text.casefold() in each.casefold())


class AddAtCursor(AskingOperator):
    """What all operators share that add a thing at the 3D cursor."""

    needs_mode = "OBJECT"
    what: str
    add: Add

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it, and select it alone."""
        report = Report()
        place = needed_root(level).matrix_world.inverted_safe() @ stage.scene_of(context).cursor.location
        made = type(self).add(context, level, self.what, place[:], report)
        for message in report.warnings:
            self.report({"WARNING"}, message)
        stage.select_only(context, [made])
