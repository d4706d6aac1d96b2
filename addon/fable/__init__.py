# SPDX-License-Identifier: GPL-3.0-or-later
"""Fable levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from collections.abc import Callable, Mapping

import bpy

from ...formats.fable import tng
from . import layout, operators, panel
from .exporter import BAKED, export_level
from .importer import import_level
from .paint import panel as paint_panel
from .palettes import lists
from .palettes import operators as palette_operators
from .palettes import panel as palette_panel
from .settings import ExportSettings, ImportSettings
from .terrain import operators as terrain_operators
from .terrain.gltf_materials import make_gltf_materials as make_plain

__all__ = [
    "BAKED",
    "BESIDE",
    "ExportSettings",
    "ImportSettings",
    "export_level",
    "import_level",
    "make_plain",
    "register",
    "unregister",
]

BESIDE: Mapping[str, Callable[[bytes], object]] = {layout.TNG: tng.read}
"""By ending, what reads the files beside a level that are parts of it."""

_CLASSES = (
    *palette_operators.CLASSES,
    *terrain_operators.CLASSES,
    panel.LEVELWRIGHT_PT_fable,
    *palette_panel.CLASSES,
)


def register() -> None:
    """Register the game's own properties, operators and panels: panels after the one that they are part of."""
    lists.register()
    operators.register()
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    paint_panel.register()


def unregister() -> None:
    """Undo `register`."""
    paint_panel.unregister()
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
    operators.unregister()
    lists.unregister()
