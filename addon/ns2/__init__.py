# SPDX-License-Identifier: GPL-3.0-or-later
"""NS2 levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

import bpy

from . import operators, panel
from .clipboard import operators as clipboard_operators
from .clipboard import panel as clipboard_panel
from .entities import operators as entity_operators
from .entities import panel as entity_panel
from .exporter import export_level
from .faces import operators as face_operators
from .importer import import_level
from .layers import operators as layer_operators
from .layers import panel as layer_panel
from .layers import properties
from .settings import ExportSettings, ImportSettings

__all__ = ["ExportSettings", "ImportSettings", "export_level", "import_level", "register", "unregister"]

CLASSES = tuple(
    cls
    for part in (
        operators,
        layer_operators,
        face_operators,
        entity_operators,
        clipboard_operators,
        panel,  # the others are in it, in this order
        layer_panel,
        entity_panel,
        clipboard_panel,
    )
    for cls in part.CLASSES
)


def register() -> None:
    """Register the game's own properties, operators and panels, and its entry in File > New."""
    properties.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_new.append(operators.add_to_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(operators.add_to_new_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    properties.unregister()
