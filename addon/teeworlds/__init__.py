"""Teeworlds / DDNet maps in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from . import panel
from .importer import import_level
from .settings import ExportSettings, ImportSettings


def export_level(context, collection, settings, report):  # noqa: D103, ANN001, ANN201
    from .exporter import export_level
    return export_level(context, collection, settings, report)


__all__ = ["ExportSettings", "ImportSettings", "export_level", "import_level", "register", "unregister"]


def register() -> None:
    """Register the game's own panels and operators."""
    panel.register()


def unregister() -> None:
    """Undo `register`."""
    panel.unregister()
