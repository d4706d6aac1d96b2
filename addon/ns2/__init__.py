# SPDX-License-Identifier: GPL-3.0-or-later
"""NS2 levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from . import operators as edit
from . import panel
from .entities import panel as entity_panel
from .exporter import export_level
from .importer import import_level
from .layers import properties as lists
from .settings import ExportSettings, ImportSettings

__all__ = ["ExportSettings", "ImportSettings", "export_level", "import_level", "register", "unregister"]

_PARTS = (lists, panel, entity_panel, edit)


def register() -> None:
    """Register the game's own properties, operators and panels."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Undo `register`."""
    for part in reversed(_PARTS):
        part.unregister()
