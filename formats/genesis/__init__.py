# SPDX-License-Identifier: GPL-3.0-or-later
"""Genesis3D levels: the binary `.map` that the compiler reads, and the `.3dt` text that the editor opens.

`read` takes either; `level.kind` says which it was.

A `MapLevel` is a list of entities; entity 0 is the world. An entity has ordered `pairs` of key and value, and
`brushes`: a brush has `flags` and `faces`, an array of FACE records. Bulk geometry works on whole levels:
`level.table()` gives all brushes and faces as two arrays, `brushes.polygons` their polygons, `textures` how textures
lie on them. World models may have a `motion`; `typedefs` says what fields the classes of entities have.

A `Level3dt` is a tree of brushes with the points of their faces, and entities, models, groups and settings.
"""

from typing import Literal, overload

from ..binary import Buffer, Problem
from ..format import Document
from . import check_3dt, check_map, contents_3dt, contents_map, editor_level, leaks, map_file, text_3dt, text_3dt_writer
from .editor_level import EditorBrush, EditorEntity, EditorFace, EditorModel, Group, Level3dt, Sky, SkyFace
from .entities import Brush, Entity
from .level import Level
from .map_file import BRUSH, MapLevel
from .motion import Compression, Event, Interpolation, Motion, Path, Track
from .records import FACE, BrushFlag, EditorBrushFlag, EditorFaceFlag, FaceFlag, new_faces, texture_field, texture_names

TITLE = "Genesis3D level"
ENDINGS = (".map", ".3dt")

__all__ = [
    "BRUSH",
    "ENDINGS",
    "FACE",
    "TITLE",
    "Brush",
    "BrushFlag",
    "Compression",
    "EditorBrush",
    "EditorBrushFlag",
    "EditorEntity",
    "EditorFace",
    "EditorFaceFlag",
    "EditorModel",
    "Entity",
    "Event",
    "FaceFlag",
    "Group",
    "Interpolation",
    "Level",
    "Level3dt",
    "MapLevel",
    "Motion",
    "Path",
    "Sky",
    "SkyFace",
    "Track",
    "check",
    "contents",
    "identify",
    "leaks",
    "new_faces",
    "new_level",
    "read",
    "section_at",
    "summary",
    "texture_field",
    "texture_names",
    "write",
]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a Genesis3D level of either kind."""
    return map_file.identify(data) or text_3dt.identify(data)


def read(data: Buffer) -> MapLevel | Level3dt:
    """Read a level. Raises FormatError."""
    return text_3dt.read(data) if text_3dt.identify(data) else map_file.read(data)


def write(level: MapLevel | Level3dt) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    return map_file.write(level) if isinstance(level, MapLevel) else text_3dt_writer.write(level)


def check(level: MapLevel | Level3dt) -> list[Problem]:
    """What the editor, the compiler or the engine would refuse or misread."""
    return check_map.check(level) if isinstance(level, MapLevel) else check_3dt.check(level)


@overload
def new_level(kind: Literal["map"] = "map") -> MapLevel: ...
@overload
def new_level(kind: Literal["3dt"]) -> Level3dt: ...
def new_level(kind: Literal["map", "3dt"] = "map") -> MapLevel | Level3dt:
    """An empty level with what the editor puts into a new one."""
    return map_file.new_level() if kind == "map" else editor_level.new_level()


def summary(level: MapLevel | Level3dt) -> Document:
    """Return the outlines: counts, names."""
    return contents_map.summary(level) if isinstance(level, MapLevel) else contents_3dt.summary(level)


def contents(level: MapLevel | Level3dt) -> Document:
    """Return everything decoded; its lists are iterators: go through it once."""
    return contents_map.contents(level) if isinstance(level, MapLevel) else contents_3dt.contents(level)


def section_at(level: MapLevel | Level3dt, offset: int) -> str:
    """Name the part of the file that a byte is of."""
    return (
        contents_map.section_at(level, offset)
        if isinstance(level, MapLevel)
        else contents_3dt.section_at(level, offset)
    )
