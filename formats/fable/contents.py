# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level holds, for people to read: a summary, and everything decoded."""

import numpy as np

from ..arrays import Records
from ..binary import FormatError
from ..counting import number_of
from ..format import Document, tried
from .level import Level, Section, heights
from .nodes import Navigation
from .records import palette_names


def summary(level: Level) -> Document:
    """Return the outlines: sizes, names, counts."""
    z = heights(level.cells)
    brushes = tried(lambda: int(level.brush_header()["brush_count"]))
    return {
        "map header": int(level.map_header["version"]),
        "map version": level.map_version,
        "size": f"{level.width} x {level.height} units",
        "cells": f"{level.cells.shape[1]} x {level.cells.shape[0]}",
        "heights": f"{z.min():g} to {z.max():g}" if z.size else None,
        "blocked cells": int(np.count_nonzero(level.cells["walkable"] & 1 == 0)),
        "thing uid counter": int(level.map_header["thing_uid_counter"]),
        "checksum": None if level.checksum is None else f"{level.checksum:#x}",
        "themes": _used(level.ground_palette),
        "atmospheres": _used(level.atmosphere_palette),
        "sounds": level.sounds,
        "script brushes": str(brushes) if isinstance(brushes, FormatError) else brushes or None,
        "navigation": [_section_line(section) for section in level.sections or ()],
        "bytes of legacy navigation": len(level.legacy_navigation) or None,
    }


def _used(palette: Records) -> list[str]:
    return [name for name in palette_names(palette) if name]


def _section_line(section: Section) -> str:
    try:
        tree = section.navigation
    except FormatError as error:
        return f"{section.name}: {error}"
    leaves = int(np.count_nonzero(tree.nodes["leaf"]))
    doors = int(np.count_nonzero(tree.nodes["switchable"]))
    return (
        f"{section.name}: {number_of(leaves, 'leaves')} of {number_of(len(tree.nodes), 'nodes')} on "
        f"{number_of(tree.layer_count, 'layers')}, {number_of(tree.region_count, 'regions')}, {doors} of doors, "
        f"{number_of(len(tree.positions), 'action points')}"
    )


def contents(level: Level) -> Document:
    """Return everything decoded: fields under their names, bulk data as arrays and bytes.

    Sections of navigation are an iterator that decodes one at a time: go through it once. What cannot be decoded is a
    FormatError in its place.
    """
    return {
        "header": _fields(level.header),
        "bytes behind the header": level.header_gap,
        "map header": {
            name: value for name, value in _fields(level.map_header).items() if not name.endswith("_palette")
        },
        "ground palette": _palette(level.ground_palette),
        "atmosphere palette": _palette(level.atmosphere_palette),
        "sounds": level.sounds,
        "cells": level.cells,
        "game map": level.game_map,
        "bytes behind the map": level.map_gap,
        "script brushes": tried(_brushes, level),
        "bytes behind the directory": level.directory_gap,
        "navigation": None if level.sections is None else (_section(section) for section in level.sections),
        "legacy navigation": level.legacy_navigation,
        "trailing": level.trailing,
    }


def _fields(record: Records) -> Document:
    return {name: record[name].tolist() for name in record.dtype.names or ()}


def _palette(palette: Records) -> Document:
    """Names as text and, because of what may stand behind a NUL, as bytes."""
    return {
        "names": palette_names(palette),
        "bytes": [bytes(name) for name in palette["name"].tolist()],
        "values": palette["value"],
    }


def _brushes(level: Level) -> Document:
    header = level.brush_header()
    return {
        "version": int(header["version"]),
        "count": int(header["brush_count"]),
        "palette": _palette(header["palette"]),
        "bytes behind its header": level.brushes[header.dtype.itemsize :],
    }


def _section(section: Section) -> Document | FormatError:
    try:
        tree = section.navigation
    except FormatError as error:
        return error
    section.forget()
    return {"name": section.name, "bytes before": section.gap, **_navigation(tree)}


def _navigation(tree: Navigation) -> Document:
    return {
        **_fields(tree.header),
        "positions": tree.positions,
        "layers": tree.layer_count,
        "nodes": tree.nodes,
        "neighbours": tree.neighbours,
        "keys": tree.keys,
        "tail": tree.tail,
    }
