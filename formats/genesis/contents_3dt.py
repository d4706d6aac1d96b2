# SPDX-License-Identifier: GPL-3.0-or-later
"""What a `.3dt` holds, for people to read: a summary, everything decoded, and which line a byte is of."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from ..binary import FormatError
from ..counting import number_of
from ..format import Document
from .contents_map import flags_text, motion_contents
from .editor_level import EditorBrush, Level3dt
from .motion import Motion
from .records import EditorBrushFlag

_LEFT_OUT = {"span", "list_span", "header_span", "brush_list_span", "entity_list_span", "source", "unread"}
"""Where it stood."""


def summary(level: Level3dt) -> Document:
    """Return the outlines: counts, names, libraries."""
    leaves = level.leaves()
    models = Counter(brush.model_id for brush in leaves)
    return {
        "kind": level.kind,
        "version": ".".join(map(str, level.version)),
        "texture library": level.texture_library,
        "headers": level.headers_directory,
        "brushes": len(leaves),
        "faces": sum(len(brush.faces) for brush in leaves),
        "brush roles": dict(Counter(brush.role for brush in walk(level.brushes)).most_common()),
        "brush flags": dict(Counter(flags_text(brush.flags, EditorBrushFlag) for brush in leaves).most_common()),
        "textures": sorted({face.texture for brush in leaves for face in brush.faces}),
        "models": [
            f"{model.name}: {number_of(models[model.model_id], 'brushes')}" + (", moves" if model.motion else "")
            for model in level.models
        ],
        "groups": [group.name for group in level.groups],
        "entities": dict(Counter(entity.classname for entity in level.entities).most_common()),
    }


def walk(brushes: list[EditorBrush]) -> Iterator[EditorBrush]:
    """Brushes and all that are in them, in order."""
    for brush in brushes:
        yield brush
        yield from walk(brush.children or [])


def contents(level: Level3dt) -> Document:
    """Return everything decoded, or the error in the place of brushes that can't be read.

    Its lists are iterators: go through it once.
    """
    try:
        level.leaves()
    except FormatError as error:
        return {"kind": level.kind, "brushes": error}
    return {"kind": level.kind} | _record(level)


def _record(record: Any) -> Document:
    return {each.name: _value(getattr(record, each.name)) for each in fields(record) if each.name not in _LEFT_OUT}


def _value(value: Any) -> Any:
    if isinstance(value, Motion):
        return motion_contents(value)
    if isinstance(value, list):
        return (_value(part) for part in value)
    if value is None or isinstance(value, str | int | float | tuple | np.ndarray):
        return value
    return _record(value)


def section_at(level: Level3dt, offset: int) -> str:
    """Name the line that a byte of the text is in."""
    if offset >= len(level.source):
        return "end of the file"
    start = level.source.rfind("\n", 0, offset) + 1
    line = level.source[start:].split("\n", 1)[0].strip()
    return f"line {level.source.count(chr(10), 0, offset) + 1} ({line[:40]!r})"
