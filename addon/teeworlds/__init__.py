# SPDX-License-Identifier: GPL-3.0-or-later
"""Teeworlds / DDNet maps in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from .exporter import export_level
from .importer import import_level
from .panel import register, unregister
from .settings import ExportSettings, ImportSettings

__all__ = ["ExportSettings", "ImportSettings", "export_level", "import_level", "register", "unregister"]
