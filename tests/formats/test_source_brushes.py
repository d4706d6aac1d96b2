# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as polyhedra: a box with a bevel, what isn't there, and those of real maps against what editors wrote."""

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source.lumps import LumpId
from formats.source.tables import geometry as geometry_records
from formats.source.tables import tree as tree_records
from formats.source.tree import brushes
from tests.formats.source_vmf import written_solids
from tests.formats.test_source_geometry import Tables, rows

NORMALS = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.6, 0.8, 0)]
DISTS = [8, 0, 4, 0, 2, 0, 8]


def box():
    return {
        "PLANES": rows(geometry_records.PLANE, normal=NORMALS, dist=DISTS),
        "BRUSHSIDES": rows(geometry_records.BRUSHSIDE, planenum=[6, 0, 1, 2, 3, 4, 5], bevel=[1, 0, 0, 0, 0, 0, 0]),
        "BRUSHES": rows(geometry_records.BRUSH, firstside=[0], numsides=[7], contents=[1]),
    }


def test_a_box_with_a_bevel():
    solids = brushes.solids(Tables(**box()))
    polygons = solids.polygons
    assert np.diff(polygons.first_corner).tolist() == [0, 4, 4, 4, 4, 4, 4]
    assert solids.sides.tolist() == list(range(7))
    assert solids.first_side.tolist() == [0, 7]
    assert sorted(map(tuple, polygons.positions.round(9).tolist())) == [
        (x, y, z) for x in (0, 8) for y in (0, 4) for z in (0, 2)]  # fmt: skip
    assert polygons.closed.all()
    assert len(brushes.solids(Tables(**box()), np.zeros(0, np.int64)).sides) == 0


@pytest.mark.parametrize(
    ("lump", "field", "value"),
    [
        ("BRUSHES", "firstside", 1),
        ("BRUSHES", "numsides", -1),
        ("BRUSHES", "firstside", -1),
        ("BRUSHSIDES", "planenum", 7),
    ],
)
def test_what_is_not_there(lump, field, value):
    tables = box()
    tables[lump][field] = value
    with pytest.raises(FormatError, match="lump"):
        brushes.solids(Tables(**tables))


def test_brushes_of_models():
    tables = {
        "NODES": rows(tree_records.NODE, children=[(-1, -2), (-3, -3)]),
        "LEAFS": rows(tree_records.LEAF, firstleafbrush=[0, 1, 2], numleafbrushes=[1, 1, 1]),
        "LEAFBRUSHES": rows(tree_records.LEAFBRUSH, brush=[1, 1, 3]),
        "MODELS": rows(geometry_records.MODEL, headnode=[0, 1]),
        "BRUSHES": np.zeros(4, geometry_records.BRUSH),
    }
    assert brushes.of_models(Tables(**tables)).tolist() == [-1, 0, -1, 1]
    for lump, field, value in (
        ("NODES", "children", 5),
        ("MODELS", "headnode", 5),
        ("LEAFS", "firstleafbrush", 9),
        ("LEAFBRUSHES", "brush", 9),
    ):
        before = tables[lump].copy()
        tables[lump][field] = value
        with pytest.raises(FormatError, match=r"there|brush 9"):
            brushes.of_models(Tables(**tables))
        tables[lump] = before
    tables["NODES"]["children"][0] = (0, 0)
    with pytest.raises(FormatError, match="circles"):
        brushes.of_models(Tables(**tables))


@pytest.mark.slow
def test_brushes_of_real_maps(corpus):
    seen = unclosed = 0
    for path in sorted((corpus / "bsp").rglob("*.bsp")):
        level = source.read(path.read_bytes())
        solids = brushes.solids(level)
        seen += len(solids.brushes)
        unclosed += int((~solids.polygons.closed).sum())
        models = brushes.of_models(level)
        assert models.max(initial=-1) < max(1, len(level.table(LumpId.MODELS))), path.name
    assert seen > 8_000
    assert unclosed / seen < 0.02


def test_brushes_are_those_of_the_editor(corpus):
    """Every box that a VMF of the same revision spans is a brush of the map, but those that compilers drop or cut."""
    found = wanted = 0
    for path in sorted((corpus / "bsp" / "vmf").rglob("*.vmf")):
        level = source.read((corpus / "bsp" / path.parent.name / f"{path.stem}.bsp").read_bytes())
        revision, boxes = written_solids(path)
        if revision != level.revision or not boxes:
            continue
        solids = brushes.solids(level)
        polygons = solids.polygons
        first = polygons.first_vertex[:-1]
        whole = np.diff(polygons.first_vertex) > 0
        low = np.minimum.reduceat(polygons.positions, first[whole])
        high = np.maximum.reduceat(polygons.positions, first[whole])
        ours = {tuple(np.round([*a, *b]).tolist()) for a, b in zip(low, high, strict=True)}
        found += sum(tuple(np.round(box).tolist()) in ours for box in boxes)
        wanted += len(boxes)
    assert wanted > 400
    assert found / wanted > 0.9
