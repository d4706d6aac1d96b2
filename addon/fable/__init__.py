# SPDX-License-Identifier: GPL-3.0-or-later
"""Fable levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from collections.abc import Callable, Mapping

from ...formats.fable import tng
from . import layout, panel
from .exporter import BAKED, export_level
from .importer import import_level
from .paint import panel as edit_panel
from .palettes import lists as palettes
from .palettes import operators as palette_edit
from .settings import ExportSettings, ImportSettings
from .terrain.materials import make_plain

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

_PARTS = (palettes, palette_edit, panel, edit_panel)


def register() -> None:
    """Register the game's own properties, operators and panels."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Undo `register`."""
    for part in reversed(_PARTS):
        part.unregister()
