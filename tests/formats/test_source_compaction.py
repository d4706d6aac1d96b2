# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a world leave no rows that nothing names, and others' rows say what they did."""

import struct
from collections.abc import Iterator

import pytest

from formats.source import Level, LumpId, check, edits, read, world, write
from formats.source.edits.changes import joined
from formats.source.world import Change, WorldEdits
from tests.formats import source_hall
from tests.formats import source_world_faces as faces
from tests.formats.source_hall import CRATE, FLOOR_TEXINFO, STEP
from tests.formats.source_rows import nameless

E = LumpId


@pytest.fixture(scope="module")
def data() -> bytes:
    return write(source_hall.hall())


def drawn(level: Level) -> Iterator[tuple[bytes, bytes, bytes]]:
    """What each face looks like: its corners, its plane, its texture."""
    here = faces.Map(level)
    for face in here.world.tolist():
        row = level.table(E.FACES)[face]
        yield here.ring(face).tobytes(), here.normal(face).tobytes(), level.table(E.TEXINFO)[row["texinfo"]].tobytes()


def test_what_is_bared_is_known_by_its_rows_of_then(data: bytes) -> None:
    level = read(data)
    carved = world.apply(level, WorldEdits({CRATE: Change(None), STEP: Change(None)}))
    brushes = level.table(E.BRUSHES)
    assert carved.bare
    for part in carved.bare:
        assert 0 <= part.side - int(brushes["firstside"][part.brush]) < int(brushes["numsides"][part.brush])


def applied(level: Level, edits: WorldEdits) -> Level:
    world.apply(level, edits)
    return read(write(level))


@pytest.mark.parametrize("number", [CRATE, STEP])
def test_what_is_taken_away_leaves_no_row(data: bytes, number: int) -> None:
    before = read(data)
    after = applied(read(data), WorldEdits({number: Change(None)}))
    assert nameless(after) == nameless(before) | {"BRUSHES": 1}  # brushes keep their numbers: its row is wiped
    gone = set(drawn(before)) - set(drawn(after))
    assert len(gone) == 5 and not set(drawn(after)) - set(drawn(before))
    assert len(after.table(E.VERTEXES)) < len(before.table(E.VERTEXES))
    assert not check(after)
    again = applied(after, WorldEdits(added=[world.pieces(before)[number]]))
    assert len(list(drawn(again))) == len(list(drawn(before))) and nameless(again) == nameless(before)


def test_rows_that_nothing_named_before_are_left_alone(data: bytes) -> None:
    """Not even planes and vertices that a new brush could use: adding it and taking it away gives the same rows."""
    level = read(data)
    piece = source_hall.box((300, 300, 0), (364, 364, 64), range(12, 18))
    for lump in (E.PLANES, E.VERTEXES):
        used = applied(read(data), WorldEdits(added=[piece])).table(lump)
        level.set_table(lump, used)
    before = read(write(level))
    level = applied(level, WorldEdits(added=[piece]))
    assert len(level.table(E.PLANES)) > len(before.table(E.PLANES))
    level = applied(level, WorldEdits({len(level.table(E.BRUSHES)) - 1: Change(None)}))
    changed = {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)}
    assert changed <= {E.PHYSCOLLIDE}


def test_a_texture_goes_with_the_brush_that_brought_it(data: bytes) -> None:
    """Where it is the last: rows that were there keep their numbers, named or not."""
    unnamed = read(data)
    edits.textures.add(unnamed, "hall/unused", (64, 64))
    for before in (read(data), read(write(unnamed))):
        level = read(write(before))
        row = level.table(E.TEXINFO)[FLOOR_TEXINFO : FLOOR_TEXINFO + 1].copy()
        row["texdata"] = edits.textures.add(level, "hall/new", (64, 64))
        level.set_table(E.TEXINFO, joined(level.table(E.TEXINFO), row))
        piece = source_hall.box((300, 300, 0), (364, 364, 64), [len(level.table(E.TEXINFO)) - 1] * 6)
        level = applied(level, WorldEdits(added=[piece]))
        assert level.texture_names.names[-1] == "hall/new"
        level = applied(level, WorldEdits({len(level.table(E.BRUSHES)) - 1: Change(None)}))
        changed = {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)}
        assert changed <= {E.PHYSCOLLIDE}


def test_rows_that_lumps_without_records_name_keep_their_numbers(data: bytes) -> None:
    level = read(data)
    last = len(level.table(E.VERTEXES)) - 1
    level.set_bytes(E.OCCLUSION, struct.pack("<4i", 0, 0, 1, last))  # no occluders, no polygons, one vertex
    point = level.table(E.VERTEXES)[last].copy()
    after = applied(level, WorldEdits({STEP: Change(None)}))
    assert after.table(E.VERTEXES)[last] == point
