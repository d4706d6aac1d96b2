# SPDX-License-Identifier: GPL-3.0-or-later
"""Models without faces: the sides of their brushes in the place of these, as arrays and back, and their textures."""

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source import LumpId, geometry
from formats.source.edits import brush_models, texture_vectors
from formats.source.edits.brush_models import Face
from formats.source.faces import side_faces
from formats.source.faces.surfaces import model_faces
from tests.formats import source_door, source_room

E = LumpId


@pytest.fixture
def level() -> source.Level:
    return source_door.with_trigger()


def test_only_models_without_faces_have_them(level: source.Level) -> None:
    assert side_faces.of_level(source_room.room()) is None
    assert side_faces.of_level(source_door.with_door()) is None
    sides = side_faces.of_level(source_door.with_trigger(source_door.with_trigger()))
    assert sides.models.tolist() == [1] * 6 + [2] * 6 and sides.pieces.tolist() == [0] * 12
    sides = side_faces.of_level(level)
    planes = level.table(E.PLANES)[level.table(E.BRUSHSIDES)["planenum"][sides.sides]]
    areas = geometry.area_normals(sides.polygons)
    assert np.allclose(areas / np.linalg.norm(areas, axis=1)[:, None], planes["normal"]), "clockwise, as faces are"
    assert sorted(np.linalg.norm(areas, axis=1).round().tolist()) == [384, 384, 768, 768, 4608, 4608]


def test_they_stand_behind_the_faces(level: source.Level) -> None:
    sides = side_faces.of_level(level)
    plain, known = model_faces(level), model_faces(level, sides)
    assert (plain.drawn, known.drawn, len(known.records)) == (10, 10, 16)
    assert known.models.tolist() == [0] * 10 + [1] * 6 and known.drawable[10:].all()
    assert known.records["texinfo"][10:].tolist() == [1] * 6 and (known.records["dispinfo"][10:] == -1).all()
    assert (known.records["lightofs"][10:] == -1).all() and known.records[:10].tobytes() == plain.records.tobytes()
    corners, first = known.corners(np.arange(10, 16))
    points = known.positions[known.polygons.corners[corners]]
    assert np.diff(first).tolist() == [4] * 6
    assert points.min(axis=0).tolist() == list(source_door.LOW) and points.max(axis=0).tolist() == list(
        source_door.HIGH
    )


def test_arrays_and_back(level: source.Level) -> None:
    sides = side_faces.of_level(level)
    arrays = side_faces.to_arrays(sides)
    again = side_faces.from_arrays(level, *arrays)
    for one, other in zip(arrays, side_faces.to_arrays(again), strict=True):
        assert one.tobytes() == other.tobytes() and one.dtype == other.dtype
    positions, corners, rows = arrays
    none = np.zeros(0, np.int32)
    bad = [
        (positions[:, :2], corners, rows),
        (positions, corners[:-1], rows),
        (positions[:-1], corners, rows),
        (positions, corners, rows[:, :3]),
        (positions, none, rows),
    ]
    for column, value in ((0, 1 << 20), (0, -1), (1, 2), (1, -1), (2, -1), (3, 2)):
        other = rows.copy()
        other[0, column] = value
        bad.append((positions, corners, other))
    for arrays in bad:
        assert side_faces.from_arrays(level, *arrays) is None
    empty = side_faces.from_arrays(level, positions[:0], none, rows[:0])
    assert len(empty.sides) == 0


def test_textures_of_sides(level: source.Level) -> None:
    before, faces = level.table(E.TEXINFO).copy(), bytes(level.bytes_of(E.FACES))
    vectors = np.array([[[1, 0, 0, 5], [0, 0, -2, 0]]], np.float64)
    texture_vectors.assign_sides(level, [13], vectors, [0])
    made = level.table(E.TEXINFO)
    number = int(level.table(E.BRUSHSIDES)["texinfo"][13])
    assert len(made) == len(before) + 1 == number + 1
    assert np.array_equal(made["texture_vecs"][number], vectors[0]) and made["texdata"][number] == 0
    assert made["flags"][number] == before["flags"][1] and bytes(level.bytes_of(E.FACES)) == faces
    texture_vectors.assign_sides(level, [14], vectors, [0])
    assert int(level.table(E.BRUSHSIDES)["texinfo"][14]) == number, "the same row"
    data = source.write(level)
    for sides, given, reason in (
        ([13, 13], None, "named twice"),
        ([99], None, "99"),
        ([13], np.full((1, 2, 4), np.nan), "finite"),
        ([13], np.zeros((2, 2, 4)), "shape"),
    ):
        with pytest.raises(FormatError, match=reason):
            texture_vectors.assign_sides(level, sides, given)
    assert source.write(level) == data
    table = level.table(E.BRUSHSIDES).copy()
    table["texinfo"][13] = -1
    level.set_table(E.BRUSHSIDES, table)
    with pytest.raises(FormatError, match="side 13 has no texinfo"):
        texture_vectors.assign_sides(level, [13], vectors)


def test_a_model_that_is_built_anew_stays_without_faces(level: source.Level) -> None:
    """Polygons that nobody sees give the sides that they lie on their texinfos, and nothing else."""
    (piece,) = brush_models.pieces(level, 1)
    piece.dists[1] = 10.0
    ring = source_door.box((-4, -24, 0), (10, 24, 96))[1]
    brush_models.rebuild(level, 1, [piece], [], [Face(ring, 1, texdata=0)])
    (made,) = brush_models.pieces(level, 1)
    assert sorted(made.dists.tolist()) == [0, 4, 10, 24, 24, 96]
    texdata = level.table(E.TEXINFO)["texdata"][made.texinfos]
    assert texdata[made.normals[:, 0] == 1].tolist() == [0] and (texdata[made.normals[:, 0] != 1] == 1).all()
    row = level.table(E.MODELS)[1]
    assert int(row["numfaces"]) == 0 and float(row["maxs"][0]) == 10
    assert not source.check(source.read(source.write(level)))
    assert len(side_faces.of_level(source.read(source.write(level))).sides) == 6
