# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing maps tells what is other; rows that only got other numbers are one line a table."""

from pathlib import Path

import numpy as np
import pytest

from formats import diff, row_keys
from formats.source import Level, LumpId, read, world, write
from formats.source.meanings import Meanings
from formats.source.tables.references import DRAWN_FACES, renumber
from formats.source.world import Change, WorldEdits
from tests.formats import source_hall

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "source_room.bsp"
HALL = write(source_hall.hall())


def told(was: bytes, now: bytes) -> tuple[list[diff.Unlike], list[diff.Unlike]]:
    """What is other, and what only has other numbers."""
    found = list(diff.compare(was, now))
    numbering = [each for each in found if each.is_numbering]
    assert found[len(found) - len(numbering) :] == numbering, "numbers come last"
    return found[: len(found) - len(numbering)], numbering


@pytest.mark.parametrize("target", [LumpId.PLANES, LumpId.TEXINFO, LumpId.EDGES, LumpId.VERTEXES])
def test_rows_in_another_order_are_only_renumbered(target: LumpId) -> None:
    data = SAMPLE.read_bytes()
    level = read(data)
    order = np.random.default_rng(3).permutation(len(level.table(target)))
    if target == LumpId.EDGES:  # 0 can't be walked backwards
        order = np.concatenate([[0], 1 + np.random.default_rng(3).permutation(len(order) - 1)])
    tables = {lump: level.table(lump).copy() for lump in _tabled(level)}
    renumber(tables.get, target, np.argsort(order))
    tables[target] = tables[target][order]
    for lump, table in tables.items():
        level.set_table(lump, table)
    other, numbering = told(data, write(level))
    assert other == []
    assert any(target.name in each.place for each in numbering)
    assert all(each.was.split()[0] == each.now.split()[0] and "renumbered" in each.now for each in numbering)


def _tabled(level: Level) -> list[LumpId]:
    return [LumpId(lump) for lump in level.lumps if level.layout(lump).dtype is not None]


def test_a_brush_moved_is_told_without_the_rows_that_moved_with_it() -> None:
    level = read(HALL)
    piece = world.pieces(level)[source_hall.STEP]
    shifted = type(piece)(piece.normals, piece.dists + piece.normals @ [32, 0, 0], piece.texinfos, piece.contents)
    move = np.eye(4)
    move[0, 3] = 32
    world.apply(level, WorldEdits({source_hall.STEP: Change(shifted, np.arange(len(piece.dists)), move)}, []))
    other, numbering = told(HALL, write(level))
    brushes = [str(each) for each in other if "(BRUSHES)" in each.place]
    assert len(brushes) == 1 and f"records[{source_hall.STEP}].firstside" in brushes[0], brushes
    sides = [each for each in other if "(BRUSHSIDES)" in each.place]
    assert {each.place.rpartition(".")[2] for each in sides} <= {"planenum", "texinfo"}
    assert sum("(FACES)" in each.place for each in other) <= 2 * 6 + 8, "its own faces, and those of the floor"
    assert any("renumbered" in each.now for each in numbering)


def test_a_field_is_told_beside_numbers_that_are_others() -> None:
    """A face behind one that was taken away has another number, and is told as the face that it was."""
    data = SAMPLE.read_bytes()
    level = read(data)
    for lump in DRAWN_FACES:
        if len(level.bytes_of(lump)):
            faces = level.table(lump).copy()
            faces["area"][4] += 1
            level.set_table(lump, faces[1:])
    other, numbering = told(data, write(level))
    faces_told = [str(each) for each in other if "(FACES)" in each.place]
    assert [line for line in faces_told if "records[4].area" in line and line.startswith("  ")]
    assert [line for line in faces_told if "records[0]:" in line and line.startswith("-")]
    assert len(faces_told) == 2
    assert any("(FACES)" in each.place and "1 gone, 1 changed" in each.now for each in numbering)


def test_light_that_lies_elsewhere_is_the_same_light() -> None:
    level, moved = read(SAMPLE.read_bytes()), read(SAMPLE.read_bytes())
    pad = bytes(64)
    moved.set_bytes(LumpId.LIGHTING, pad + bytes(moved.bytes_of(LumpId.LIGHTING)))
    faces = moved.table(LumpId.FACES).copy()
    lit = np.flatnonzero(faces["lightofs"] >= 0)
    faces["lightofs"][lit] += len(pad)
    moved.set_table(LumpId.FACES, faces)
    one, other = Meanings(level).of(LumpId.FACES), Meanings(moved).of(LumpId.FACES)
    assert one is not None and other is not None
    assert np.array_equal(one.rows, other.rows)
    light = bytearray(moved.bytes_of(LumpId.LIGHTING))
    light[int(faces["lightofs"][lit[0]])] ^= 1
    moved.set_bytes(LumpId.LIGHTING, bytes(light))
    brighter = Meanings(moved).of(LumpId.FACES)
    assert brighter is not None
    assert np.flatnonzero(brighter.named["lightofs"] != one.named["lightofs"]).tolist() == [lit[0]]


def test_keys_of_runs_are_those_of_what_is_in_them() -> None:
    random = np.random.default_rng(1)
    keys = random.integers(0, 2**63, 50).astype(np.uint64)
    moved = np.concatenate([keys[10:20], keys])
    first, count = np.array([10, 12, 30, 5, 48, -1]), np.array([10, 3, 0, 2, 5, 2])
    was, now = row_keys.of_runs(first, count, keys), row_keys.of_runs(np.array([0, 2, 7, 15, 48, -1]), count, moved)
    assert (was == now)[:4].all()
    assert was[0] != row_keys.of_runs(np.array([11]), np.array([10]), keys)[0]
    assert row_keys.of_runs(np.array([48]), np.array([2]), keys)[0] != was[4], "what reaches beyond is no such run"
    backwards = row_keys.of_runs(np.array([0]), np.array([10]), keys[10:20][::-1].copy())
    assert backwards[0] != was[0]


def test_rows_are_matched_each_once_and_those_between_stand_where_others_stood() -> None:
    was, now = np.array([5, 7, 7, 9, 1, 3], np.uint64), np.array([7, 8, 5, 9, 2, 3, 4], np.uint64)
    match = row_keys.matched(was, now)
    assert match.tolist() == [2, 0, -1, 3, -1, 5]
    before, after = row_keys.replaced(match, len(now))
    assert (before.tolist(), after.tolist()) == ([2, 4], [1, 4])
    nothing = np.zeros(0, np.uint64)
    assert row_keys.matched(nothing, now).tolist() == []
    assert row_keys.replaced(row_keys.matched(was, nothing), 0)[0].tolist() == []
