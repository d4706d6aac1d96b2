# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of brush models that are taken back leave nothing: models that come and go, and get another shape."""

import pytest

from formats.source import Level, LumpId, check, edits, read, world, write
from formats.source.edits import brush_models, compaction
from formats.source.edits.brush_models import NEW
from formats.source.edits.changes import joined
from formats.source.world import Change, WorldEdits, gone_models
from tests.formats import source_door, source_hall
from tests.formats.source_rows import nameless
from tests.formats.test_source_brush_models import faces, piece

E = LumpId


@pytest.fixture
def level() -> Level:
    return source_door.with_door()


def test_a_model_that_is_made_a_brush_of_the_world_leaves_nothing():
    """Its brush comes to be behind the model's in all tables, and into their places when that is taken away."""
    before = read(write(source_hall.hall()))
    level, small = read(write(before)), ((-8, -8, -8), (8, 8, 8))
    brush_models.add(level, [piece(*small)], faces(level, *small, [NEW] * 6))
    world.apply(level, WorldEdits(added=[piece((300, 300, 0), (316, 316, 16))]))
    gone_models.settle(level, [len(level.table(E.MODELS)) - 1])
    level = read(write(level))
    world.apply(level, WorldEdits({max(world.pieces(level)): Change(None)}))
    found = {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)}
    assert found <= {E.PHYSCOLLIDE, E.GAME_LUMP} and nameless(level) == nameless(before)


def test_a_model_in_a_map_without_faces_goes_again(level):
    """Edge 0, which nothing can name, is there still."""
    level = source_hall.without_faces(level)
    before = read(write(level))
    brush_models.add(level, [piece((-8, -8, -8), (8, 8, 8))], faces(level, (-8, -8, -8), (8, 8, 8), [NEW] * 6))
    assert len(level.table(E.FACES)) == 6 and not len(level.table(E.FACES_HDR))
    gone_models.settle(level, [len(level.table(E.MODELS)) - 1])
    assert {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)} == set()


def test_another_shape_and_back_leaves_no_row(level):
    """Rows at the ends of tables go at once, those that a model left in the middle when all else is done."""
    before = write(level)
    was = nameless(read(before))
    for more in (1, 3):
        level = read(before)
        boxes = [((100 * n, 0, 0), (100 * n + 8, 8, 8)) for n in range(1, more + 1)]
        drawn = [face for low, high in boxes for face in faces(level, low, high, [NEW] * 6)]
        brush_models.rebuild(level, 1, [piece(), *(piece(*box) for box in boxes)], [*faces(level), *drawn])
        compaction.sweep(level, read(before))
        level = read(write(level))
        assert nameless(level) == was and check(level) == []
        first = [face for face in brush_models.faces(level, 1) if face.points.max() < 100]
        original = read(write(level))
        brush_models.rebuild(level, 1, brush_models.pieces(level, 1)[:1], first)
        compaction.sweep(level, original)
        level = read(write(level))
        assert nameless(level) == was and check(level) == []
        assert len(level.table(E.BRUSHES)) == len(read(before).table(E.BRUSHES))


def test_another_texture_on_a_face_and_back_leaves_no_row():
    """Of textures and texinfos those go that the map had for the face alone, not those that nothing ever named."""
    level = source_hall.hall()
    edits.textures.add(level, "hall/unused", (64, 64))
    before, number = read(write(level)), 0
    level = read(write(before))
    faces_before = level.table(E.FACES).copy()
    row = level.table(E.TEXINFO)[faces_before["texinfo"][number]].reshape(1).copy()
    row["texdata"] = edits.textures.add(level, "hall/new", (64, 64))
    level.set_table(E.TEXINFO, joined(level.table(E.TEXINFO), row))
    table = faces_before.copy()
    table["texinfo"][number] = len(level.table(E.TEXINFO)) - 1
    level.set_table(E.FACES, table)
    level.set_table(E.FACES_HDR, table[: len(level.table(E.FACES_HDR))])
    compaction.sweep(level, before)
    there = read(write(level))
    assert there.texture_names.names[-2:] == ["hall/unused", "hall/new"]
    level.set_table(E.FACES, faces_before)
    level.set_table(E.FACES_HDR, before.table(E.FACES_HDR))
    compaction.sweep(level, there)
    assert {lump for lump in level.lumps if level.bytes_of(lump) != before.bytes_of(lump)} == set()
