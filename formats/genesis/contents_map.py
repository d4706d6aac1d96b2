# SPDX-License-Identifier: GPL-3.0-or-later
"""What a binary `.map` holds, for people to read: a summary, everything decoded, and which part a byte is of."""

from collections import Counter
from collections.abc import Iterator
from enum import IntFlag

import numpy as np

from ..counting import number_of
from ..format import Document
from . import motion_file
from .entities import Brush, Entity
from .map_file import MapLevel
from .motion import Motion, Track
from .records import FACE, BrushFlag, texture_names

_HEADER, _BRUSH_HEADER = 12, 8


def summary(level: MapLevel) -> Document:
    """Return the outlines: counts, names, the world's keys."""
    table, faces = level.table()
    definitions = level.typedefs
    return {
        "kind": level.kind,
        "version": level.version,
        "world": {} if level.world is None else dict(level.world.pairs),
        "brushes": len(table),
        "faces": len(faces),
        "brush flags": _counted(flags_text(flags) for flags in table["flags"].tolist()),
        "textures": sorted(set(texture_names(faces))),
        "models": [_model_line(entity) for entity in level.models],
        "entities": _counted(entity.classname for entity in level.points),
        "classes": [entity.get("%typename%") or "" for entity in definitions],
        "bytes behind the entities": len(level.trailing) or None,
    }


def contents(level: MapLevel) -> Document:
    """Return everything decoded: pairs, motions, and faces as arrays. Its lists are iterators: go through it once."""
    return {
        "kind": level.kind,
        "version": level.version,
        "tag": level.tag.decode("latin-1"),
        "entities": (_entity(entity) for entity in level.entities),
        "trailing": level.trailing,
    }


def section_at(level: MapLevel, offset: int) -> str:
    """Name the part of the file that a byte is of."""
    if offset < _HEADER:
        return "header"
    offset -= _HEADER
    for number, entity in enumerate(level.entities):
        for name, size in _parts(entity):
            if offset < size:
                return f"{name} of entity {number}"
            offset -= size
    return "trailing bytes" if offset < len(level.trailing) else "end of the file"


def _parts(entity: Entity) -> Iterator[tuple[str, int]]:
    """Parts of an entity and their sizes in bytes, in the file's order."""
    yield "number of brushes", 4
    for number, brush in enumerate(entity.brushes):
        yield f"brush {number}", _BRUSH_HEADER
        for face in range(len(brush.faces)):
            yield f"face {face} of brush {number}", FACE.itemsize
    yield "flags", 4
    if entity.motion is not None:
        yield "motion", len(motion_file.write(entity.motion))
    yield "number of pairs", 4
    for key, value in entity.pairs:
        yield f"pair {key!r}", 8 + len(key) + len(value)


def _counted(names: Iterator[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def flags_text(flags: int, kind: type[IntFlag] = BrushFlag) -> str:
    """Flags by name; bits without one as a number."""
    known = sum(flag for flag in kind if flags & flag)
    names = [flag.name or "" for flag in kind if flags & flag] + [hex(flags & ~known)] * (flags & ~known != 0)
    return " | ".join(names) or "0"


def _model_line(entity: Entity) -> str:
    moves = entity.motion
    keys = sum(len(t.times) for p in moves.paths for t in (p.rotation, p.translation) if t) if moves else 0
    return f"{entity.name}: {number_of(len(entity.brushes), 'brushes')}" + (
        f", {number_of(keys, 'keys')}" if moves else ""
    )


def _entity(entity: Entity) -> Document:
    return {
        "flags": entity.flags,
        "pairs": [list(pair) for pair in entity.pairs],
        "brushes": (_brush(brush) for brush in entity.brushes),
        "motion": entity.motion and motion_contents(entity.motion),
    }


def _brush(brush: Brush) -> Document:
    faces = brush.faces
    values = {name: faces[name] for name in FACE.names or () if name != "tex_name"}
    return {
        "flags": brush.flags,
        "faces": values
        | {"tex_name": texture_names(faces), "tex_name bytes": [bytes(raw) for raw in faces["tex_name"]]},
    }


def motion_contents(moves: Motion) -> Document:
    """A motion, decoded."""
    return {
        "form": "binary" if moves.binary else "text",
        "name": moves.name,
        "names": moves.names,
        "events": [{"time": event.time, "text": event.text} for event in moves.events],
        "paths": [{"rotation": _track(path.rotation), "translation": _track(path.translation)} for path in moves.paths],
    }


def _track(track: Track | None) -> Document | None:
    if track is None:
        return None
    return {
        "interpolation": track.interpolation,
        "looped": track.looped,
        "axis": track.axis,
        "times": np.asarray(track.times),
        "values": np.asarray(track.values),
    }
