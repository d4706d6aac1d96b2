# SPDX-License-Identifier: GPL-3.0-or-later
"""`.lev` files: bytes <-> Level (fable.md §2)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..arrays import Records
from ..binary import Buffer, Cursor, FormatError
from .level import Level, Section, grid_shape
from .records import (
    BRUSH_HEADER,
    CELL,
    CELL_VERSION,
    FILE_HEADER,
    GAME_CELL,
    GAME_CELL_EDGE,
    GAME_CELL_VERSION,
    HEADER_SIZE,
    HEADER_VERSION,
    MAP_HEADERS,
)

_LIMIT = 1 << 32  # of offsets
MOST_SECTIONS = 1_000  # of navigation: known levels have 2, and what shows them takes the square of their number


def identify(data: Buffer) -> bool:
    """Whether these bytes are a `.lev`: both headers have the sizes and versions they should."""
    view = memoryview(data).toreadonly().cast("B")
    if len(view) < HEADER_SIZE:
        return False
    header = np.frombuffer(view, FILE_HEADER, 1)[0]
    head = bytes(view[int(header["map_offset"]) :][:5])
    known = {size_and_version(dtype.itemsize, version) for version, dtype in MAP_HEADERS.items()}
    return bytes(view[:5]) == size_and_version(HEADER_SIZE, HEADER_VERSION) and head in known


def size_and_version(size: int, version: int) -> bytes:
    """What records begin with."""
    return size.to_bytes(4, "little") + version.to_bytes(1, "little")


# --------------------------------------------------------------------------------------------------------------- read


def read(data: Buffer) -> Level:
    """Read a level: cheap, navigation is decoded when it is first asked for. Raises FormatError."""
    cursor = Cursor(data)
    header = _record(cursor, {HEADER_VERSION: FILE_HEADER}, "file header")
    header_gap = _gap(cursor, int(header["map_offset"]), "map header")
    map_header = _record(cursor, MAP_HEADERS, "map header")
    sounds = _sounds(cursor, int(map_header["sound_count"]))
    cells = _cells(cursor, CELL, CELL_VERSION, grid_shape(map_header), "height cells")
    game_map = None
    if map_header["map_version"] >= 2:
        shape = (int(map_header["height"]) // GAME_CELL_EDGE, int(map_header["width"]) // GAME_CELL_EDGE)
        game_map = _cells(cursor, GAME_CELL, GAME_CELL_VERSION, shape, "game map")[::-1]
    map_gap = _gap(cursor, int(header["brush_offset"]), "script-brush block")
    level = Level(header, header_gap, map_header, sounds, cells, game_map, map_gap, b"", b"", None, b"")
    if header["nav_offset"]:
        level.brushes = _gap(cursor, int(header["nav_offset"]), "navigation directory")
        _read_sections(cursor, level)
    else:
        legacy = int(header["legacy_nav_offset"])
        end = legacy if cursor.offset + BRUSH_HEADER.itemsize <= legacy <= cursor.end else cursor.end
        level.brushes = _gap(cursor, end, "legacy navigation")
        level.legacy_navigation = bytes(cursor.take(cursor.left, "legacy navigation"))
    return level


def _record(cursor: Cursor, versions: "dict[int, np.dtype[np.void]]", what: str) -> Records:
    """Read a record of a known size and version: a copy that may be written to."""
    size, version = cursor.u32(what), cursor.u8(what)
    cursor.offset -= 5
    dtype = versions.get(version)
    if dtype is None or size != dtype.itemsize:
        known = " or ".join(f"{each.itemsize} bytes, version {number}" for number, each in versions.items())
        raise cursor.error(f"{size} bytes, version {version}; known is {known}", what)
    return cursor.array(dtype, 1, what).reshape(()).copy()


def _gap(cursor: Cursor, offset: int, what: str) -> bytes:
    """The bytes up to an absolute offset that the file names."""
    if not cursor.offset <= offset <= cursor.end:
        message = f"its offset is {offset:#x}, which is not between {cursor.offset:#x} and the end, {cursor.end:#x}"
        raise cursor.error(message, what)
    return bytes(cursor.take(offset - cursor.offset, what))


def _sounds(cursor: Cursor, count: int) -> list[str]:
    names = max(count - 1, 0)
    cursor.need(4 * names, "sounds")
    return [_text(cursor, f"sound {number}") for number in range(1, names + 1)]


def _text(cursor: Cursor, what: str) -> str:
    return str(cursor.take(cursor.u32(what), what), "latin-1")


def _cells(cursor: Cursor, dtype: "np.dtype[np.void]", version: int, shape: tuple[int, int], what: str) -> Records:
    """A grid of records that all have the one known size and version."""
    start = cursor.offset
    cells = cursor.array(dtype, shape[0] * shape[1], what)
    strange = (cells["size"] != dtype.itemsize) | (cells["version"] != version)
    if strange.any():
        number = int(strange.argmax())
        found = f"{cells['size'][number]} bytes, version {cells['version'][number]}"
        message = f"record {number} has {found}; known is {dtype.itemsize} bytes, version {version}"
        raise FormatError(message, what, start + number * dtype.itemsize)
    return cells.reshape(shape)


def _read_sections(cursor: Cursor, level: Level) -> None:
    """Read the navigation directory and cut out its sections."""
    what = "navigation directory"
    directory_end, count = cursor.u32(what), cursor.u32(what)
    cursor.need(8 * count, what)
    if count > MOST_SECTIONS:
        raise cursor.error(f"{count} sections: {MOST_SECTIONS} are read at most, known levels have 2", what)
    entries = [(_text(cursor, f"name of section {number}"), cursor.u32(what)) for number in range(count)]
    level.directory_gap = _gap(cursor, directory_end, "end of the navigation directory")
    level.sections = []
    for number, (name, offset) in enumerate(entries):
        what = f"section {number} ({name})"
        gap = _gap(cursor, offset, what)
        end = cursor.u32(what)
        if not cursor.offset <= end <= cursor.end:
            cursor.offset -= 4
            raise cursor.error(f"its end is {end:#x}, which is not behind its start and within the file", what)
        level.sections.append(Section(name, cursor.take(end - cursor.offset, what), gap, offset))
    level.trailing = bytes(cursor.take(cursor.left, "trailing bytes"))


# -------------------------------------------------------------------------------------------------------------- write


def write(level: Level) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in, offsets are worked out anew.

    Raises FormatError if its parts do not fit together.
    """
    return b"".join(data for _, data in _parts(level))


def section_at(level: Level, offset: int) -> str:
    """Name the part of the file, as it would be written, that a byte is of."""
    for name, data in _parts(level):
        if offset < memoryview(data).nbytes:
            return name
        offset -= memoryview(data).nbytes
    return "end of the file"


def _parts(level: Level) -> Iterator[tuple[str, Buffer]]:
    """Every part of the file by name, in order."""
    map_header = level.map_header.copy()
    if max(int(map_header["sound_count"]) - 1, 0) != len(level.sounds):
        map_header["sound_count"] = len(level.sounds) + 1
    shape = grid_shape(map_header)
    map_parts: dict[str, bytes] = {
        "map header": map_header.tobytes(),
        "sounds": b"".join(_counted(name, f"sound {number}") for number, name in enumerate(level.sounds, 1)),
        "height cells": _cell_bytes(level.cells, CELL, shape, "height cells"),
    }
    has_game_map = int(map_header["map_version"]) >= 2
    if has_game_map != (level.game_map is not None):
        message = f"version {map_header['map_version']} has {'a' if has_game_map else 'no'} game map"
        raise FormatError(message, "map header")
    if level.game_map is not None:
        shape = (int(map_header["height"]) // GAME_CELL_EDGE, int(map_header["width"]) // GAME_CELL_EDGE)
        map_parts["game map"] = _cell_bytes(level.game_map[::-1], GAME_CELL, shape, "game map")

    header = level.header.copy()
    map_offset = HEADER_SIZE + len(level.header_gap)
    brush_offset = map_offset + sum(map(len, map_parts.values())) + len(level.map_gap)
    nav_offset = brush_offset + len(level.brushes)
    header["map_offset"], header["brush_offset"] = map_offset, _offset(brush_offset)
    header["nav_offset"] = 0 if level.sections is None else _offset(nav_offset)
    if level.legacy_navigation and header["legacy_nav_offset"] != nav_offset:
        raise FormatError("holds offsets of its own and cannot be moved", "legacy navigation")

    yield "file header", header.tobytes()
    yield "bytes behind the file header", level.header_gap
    yield from map_parts.items()
    yield "bytes behind the map", level.map_gap
    yield "script-brush block", level.brushes
    if level.sections is None:
        yield "legacy navigation", level.legacy_navigation
    else:
        yield from _navigation_parts(level.sections, level.directory_gap, nav_offset)
    yield "trailing bytes", level.trailing


def _navigation_parts(sections: list[Section], gap: bytes, start: int) -> Iterator[tuple[str, Buffer]]:
    """The navigation directory, which starts at byte `start`, and the sections."""
    names = [_counted(section.name, f"name of section {number}") for number, section in enumerate(sections)]
    end = start + 8 + sum(len(name) + 4 for name in names)
    payloads = [section.payload() for section in sections]
    # From the start of one section's gap to that of the next.
    sizes = [len(s.gap) + 4 + memoryview(p).nbytes for s, p in zip(sections, payloads, strict=True)]
    bounds = np.cumsum([end + len(gap), *sizes], dtype=np.int64).tolist()
    entries = [
        name + _word(bound + len(section.gap)) for name, bound, section in zip(names, bounds, sections, strict=False)
    ]
    yield "navigation directory", b"".join([_word(end + len(gap)), _word(len(sections)), *entries, gap])
    for section, payload, (_, section_end) in zip(sections, payloads, pairwise(bounds), strict=True):
        yield f"bytes before section {section.name!r}", section.gap
        yield f"section {section.name!r}", _word(section_end) + bytes(payload)


def _offset(value: int) -> int:
    if value >= _LIMIT:
        raise FormatError(f"{value} bytes are more than its offsets reach", "level")
    return value


def _word(value: int) -> bytes:
    return _offset(value).to_bytes(4, "little")


def _counted(text: str, what: str) -> bytes:
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:
        raise FormatError(f"{text!r} has characters that Latin-1 does not have", what) from None
    return _word(len(raw)) + raw


def _cell_bytes(cells: Records, dtype: "np.dtype[np.void]", shape: tuple[int, int], what: str) -> bytes:
    if cells.dtype != dtype or cells.shape != shape:
        raise FormatError(f"{cells.shape} of them, the map header says {shape}", what)
    return cells.tobytes()
