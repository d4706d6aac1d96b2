# SPDX-License-Identifier: GPL-3.0-or-later
"""Genesis3D levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from . import operators, panel
from .exporter import export_level
from .importer import import_level
from .settings import ExportSettings, ImportSettings, for_file

__all__ = ["ExportSettings", "ImportSettings", "export_level", "for_file", "import_level", "register", "unregister"]


def register() -> None:
    """Register the game's own panel and operators."""
    operators.register()
    panel.register()


def unregister() -> None:
    """Undo `register`."""
    panel.unregister()
    operators.unregister()
