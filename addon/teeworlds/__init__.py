# SPDX-License-Identifier: GPL-3.0-or-later
"""Teeworlds / DDNet maps in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from . import edit_panel, panel
from .exporter import export_level
from .importer import import_level
from .settings import ExportSettings, ImportSettings

__all__ = ["ExportSettings", "ImportSettings", "export_level", "import_level", "register", "unregister"]


def register() -> None:
    """Register the game's own panels and operators."""
    panel.register()
    edit_panel.register()


def unregister() -> None:
    """Undo `register`."""
    edit_panel.unregister()
    panel.unregister()
