# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of the Source engine in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from pathlib import Path

import bpy

from . import edit_panel, panel
from .exporter import export_level
from .importer import import_level
from .lightmaps import panel as lightmaps_panel
from .materials.gltf_materials import make_gltf_materials
from .pak import panel as pak_panel
from .settings import ExportSettings, ImportSettings, VmfSettings
from .visibility import panel as visibility_panel
from .vmf_exporter import VMF_NOTE, check_vmf, export_vmf

__all__ = [
    "VMF_NOTE",
    "ExportSettings",
    "ImportSettings",
    "VmfSettings",
    "check_vmf",
    "export_level",
    "export_vmf",
    "import_level",
    "make_gltf_materials",
    "register",
    "unregister",
]


_PRESETS = str(Path(__file__).parent)
"""The folder that `presets` is in: of the operators, as Blender looks for them."""


def register() -> None:
    """Register the game's own panels and operators, and the presets of its options."""
    bpy.utils.register_preset_path(_PRESETS)
    panel.register()
    visibility_panel.register()
    edit_panel.register()
    pak_panel.register()
    lightmaps_panel.register()


def unregister() -> None:
    """Undo `register`."""
    lightmaps_panel.unregister()
    pak_panel.unregister()
    edit_panel.unregister()
    visibility_panel.unregister()
    panel.unregister()
    bpy.utils.unregister_preset_path(_PRESETS)
