# SPDX-License-Identifier: GPL-3.0-or-later
"""Genesis3D levels: the binary `.map` that the compiler reads, the `.3dt` text that the editor opens, and the `.bsp`
that the compiler makes of them.

`read` takes any; `level.kind` says which it was.

A `MapLevel` is a list of entities; entity 0 is the world. An entity has ordered `pairs` of key and value, and
`brushes`: a brush has `flags` and `faces`, an array of FACE records. Bulk geometry works on whole levels:
`level.table()` gives all brushes and faces as two arrays, `brushes.polygons` their polygons, `textures` how textures
lie on them. World models may have a `motion`; `typedefs` says what fields the classes of entities have.

A `Level3dt` is a tree of brushes with the points of their faces, and entities, models, groups and settings.

A `CompiledLevel` is chunks of records, and entities; `compiled` has what else can be made of it.
"""

from typing import Literal, overload

from ..binary import Buffer, Problem
from ..format import Document
from ..steps import Steps, Stepwise
from . import (
    check_3dt,
    check_map,
    compiled,
    contents_3dt,
    contents_map,
    editor_level,
    leaks,
    map_file,
    text_3dt,
    text_3dt_writer,
)
from .compiled import CompiledLevel
from .compiled import check as check_compiled
from .compiled import contents as contents_compiled
from .compiled import level as compiled_level
from .editor_level import EditorBrush, EditorEntity, EditorFace, EditorModel, Group, Level3dt, Sky, SkyFace
from .entities import Brush, Entity
from .level import Level
from .map_file import BRUSH, MapLevel
from .motion import Compression, Event, Interpolation, Motion, Path, Track
from .records import FACE, BrushFlag, EditorBrushFlag, EditorFaceFlag, FaceFlag, new_faces, texture_field, texture_names

TITLE = "Genesis3D level"
ENDINGS = (".map", ".3dt", ".bsp")

__all__ = [
    "BRUSH",
    "ENDINGS",
    "FACE",
    "TITLE",
    "AnyGenesisLevel",
    "Brush",
    "BrushFlag",
    "CompiledLevel",
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
    "compiled",
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


AnyGenesisLevel = MapLevel | Level3dt | CompiledLevel


def identify(data: Buffer) -> bool:
    """Whether these bytes are a Genesis3D level of any kind."""
    return map_file.identify(data) or text_3dt.identify(data) or compiled_level.identify(data)


def read(data: Buffer) -> AnyGenesisLevel:
    """Read a level. Raises FormatError."""
    if text_3dt.identify(data):
        return text_3dt.read(data)
    return compiled_level.read(data) if compiled_level.identify(data) else map_file.read(data)


@Stepwise
def write(level: AnyGenesisLevel) -> Steps[bytes]:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    if isinstance(level, CompiledLevel):
        return compiled_level.write(level)
    if isinstance(level, MapLevel):
        return map_file.write(level)
    return (yield from text_3dt_writer.write.steps(level))


def check(level: AnyGenesisLevel) -> list[Problem]:
    """What the editor, the compiler or the engine would refuse or misread."""
    if isinstance(level, CompiledLevel):
        return check_compiled.check(level)
    return check_map.check(level) if isinstance(level, MapLevel) else check_3dt.check(level)


@overload
def new_level(kind: Literal["map"] = "map") -> MapLevel: ...
@overload
def new_level(kind: Literal["3dt"]) -> Level3dt: ...
def new_level(kind: Literal["map", "3dt"] = "map") -> MapLevel | Level3dt:
    """An empty level with what the editor puts into a new one."""
    return map_file.new_level() if kind == "map" else editor_level.new_level()


def summary(level: AnyGenesisLevel) -> Document:
    """Return the outlines: counts, names."""
    if isinstance(level, CompiledLevel):
        return contents_compiled.summary(level)
    return contents_map.summary(level) if isinstance(level, MapLevel) else contents_3dt.summary(level)


def contents(level: AnyGenesisLevel) -> Document:
    """Return everything decoded; its lists are iterators: go through it once."""
    if isinstance(level, CompiledLevel):
        return contents_compiled.contents(level)
    return contents_map.contents(level) if isinstance(level, MapLevel) else contents_3dt.contents(level)


def section_at(level: AnyGenesisLevel, offset: int) -> str:
    """Name the part of the file that a byte is of."""
    if isinstance(level, CompiledLevel):
        return contents_compiled.section_at(level, offset)
    if isinstance(level, MapLevel):
        return contents_map.section_at(level, offset)
    return contents_3dt.section_at(level, offset)
