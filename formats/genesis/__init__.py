"""Genesis3D levels: the binary `.map` that the compiler reads.

A level is a list of entities; entity 0 is the world. An entity has ordered `pairs` of key and value, and `brushes`: a
brush has `flags` and `faces`, an array of FACE records. Bulk geometry works on whole levels: `level.table()` gives
all brushes and faces as two arrays.
"""

from ..binary import Buffer
from . import map_file
from .entities import Brush, Entity
from .level import Level
from .map_file import BRUSH, MapLevel
from .motion import Compression, Event, Interpolation, Motion, Path, Track
from .records import FACE, BrushFlag, EditorBrushFlag, EditorFaceFlag, FaceFlag, new_faces, texture_field, texture_names

__all__ = [
    "BRUSH",
    "FACE",
    "Brush",
    "BrushFlag",
    "Compression",
    "EditorBrushFlag",
    "EditorFaceFlag",
    "Entity",
    "Event",
    "FaceFlag",
    "Interpolation",
    "Level",
    "MapLevel",
    "Motion",
    "Path",
    "Track",
    "identify",
    "new_faces",
    "read",
    "texture_field",
    "texture_names",
    "write",
]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a Genesis3D level."""
    return map_file.identify(data)


def read(data: Buffer) -> MapLevel:
    """Read a level. Raises FormatError."""
    return map_file.read(data)


def write(level: MapLevel) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    return map_file.write(level)
