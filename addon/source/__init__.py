"""Maps of the Source engine in Blender: `layout` says what lives where, `importer` makes it."""

from . import panel
from .importer import import_level
from .plain import make_plain
from .settings import ImportSettings

__all__ = ["ImportSettings", "import_level", "make_plain", "register", "unregister"]


def register() -> None:
    """Register the game's own panel."""
    panel.register()


def unregister() -> None:
    """Undo `register`."""
    panel.unregister()
