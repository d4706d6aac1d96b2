"""Genesis3D levels in Blender: `layout` says what lives where, `importer` and `exporter` are the two ways."""

from .importer import import_level
from .settings import ImportSettings

__all__ = ["ImportSettings", "import_level"]
