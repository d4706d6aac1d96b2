# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what names what: renumbering follows all of it, and what nothing names is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import LumpId, check, read, write
from formats.source.edits.living import Living
from formats.source.tables import displacements, geometry, lights, overlays, props, tree
from formats.source.tables.references import (
    NUMBERS,
    RUNS,
    LeafChild,
    Number,
    OverlayFaces,
    Run,
    Walked,
    has,
    named,
    renumber,
)
from tests.formats import source_door
from tests.formats.source_room import rows

E = LumpId


def tables_of(level):
    """All lumps that are tables, to be written to."""
    made = {}
    for lump in LumpId:
        try:
            made[lump] = level.table(lump).copy()
        except FormatError:
            continue
    return made


@pytest.mark.parametrize("lump", [E.PLANES, E.VERTEXES, E.TEXINFO, E.BRUSHES, E.TEXDATA])
@settings(max_examples=8)
@given(seed=st.integers(0, 99))
def test_rows_in_another_order_are_the_same_map(lump, seed):
    """Shuffle a lump's rows and have all that names them follow: every record names what it named."""
    level = source_door.with_door()
    tables = tables_of(level)
    order = np.random.default_rng(seed).permutation(len(tables[lump]))
    if lump == E.PLANES:  # in pairs
        order = np.repeat(2 * np.argsort(order[::2], kind="stable"), 2) + np.tile([0, 1], len(order) // 2)
    now = np.empty_like(order)
    now[order] = np.arange(len(order))
    naming = [each for each in NUMBERS if each.target == lump and has(tables.get(each.lump), each.field)]
    before = {each: each.names(level.table(each.lump)) for each in naming}
    renumber(tables.get, lump, now)
    tables[lump] = tables[lump][order]
    for each, names in before.items():
        found = each.names(tables[each.lump])
        known = names >= 0
        assert (now[names[known]] == found[known]).all()
        assert (names[~known] == found[~known]).all()
    for each, table in tables.items():
        if table.tobytes() != bytes(level.bytes_of(each)):
            level.set_table(each, table)
    assert check(read(write(level))) == []


def test_edges_are_walked_the_way_they_were():
    number = Walked(E.SURFEDGES, "edge", E.EDGES)
    records = rows(geometry.SURFEDGE, edge=[3, -3, 1])
    assert number.names(records).tolist() == [3, 3, 1]
    renumber({E.SURFEDGES: records}.get, E.EDGES, np.array([0, 2, 1, 7]))
    assert records["edge"].tolist() == [7, -7, 2]


def test_children_are_nodes_or_leafs():
    records = np.zeros(2, tree.NODE)
    records["children"] = [(1, -1), (-3, -2)]
    nodes = Number(E.NODES, "children", E.NODES, True)
    leafs = LeafChild(E.NODES, "children", E.LEAFS, True)
    assert nodes.names(records).tolist() == [[1, -1], [-3, -2]]
    assert leafs.names(records).tolist() == [[-2, 0], [2, 1]]
    renumber({E.NODES: records}.get, E.LEAFS, np.array([4, 5, 6]))
    assert records["children"].tolist() == [[1, -5], [-7, -6]]
    renumber({E.NODES: records}.get, E.NODES, np.array([0, 9]))
    assert records["children"].tolist() == [[9, -5], [-7, -6]]


def test_slots_of_overlays_that_are_not_used_stay():
    level = source_door.with_door()
    records = level.table(E.OVERLAYS).copy()
    number = OverlayFaces(E.OVERLAYS, "faces", E.FACES, True)
    names = number.names(records)
    assert (names >= 0).any() and (names < 0).any()
    renumber({E.OVERLAYS: records}.get, E.FACES, np.arange(16)[::-1])
    used = names >= 0
    assert (records["faces"][used] == 15 - names[used]).all()
    assert (records["faces"][~used] == level.table(E.OVERLAYS)["faces"][~used]).all()


def test_runs_follow_their_first_row():
    records = rows(geometry.BRUSH, (4, 2, 1))
    renumber({E.BRUSHES: records}.get, E.BRUSHSIDES, np.array([0, 1, 2, 3, 8, 9]))
    assert records["firstside"].tolist() == [8]


def test_a_number_that_a_field_cannot_hold_is_refused():
    records = rows(tree.LEAFFACE, face=[1])
    with pytest.raises(FormatError, match=r"face would be 70000 to 70000, 65535 is the most"):
        renumber({E.LEAFFACES: records}.get, E.FACES, np.array([0, 70000]))


def test_what_nothing_names_is_known():
    level = source_door.with_door()
    planes = level.table(E.PLANES)
    level.set_table(E.PLANES, np.concatenate([planes, planes[:2]]))
    living = Living(level, tables_of(level).get).rows(E.PLANES)
    assert len(living) == len(planes) + 2
    assert not living[-2:].any()
    assert living[:-2].any()
    assert named(tables_of(level).get, E.BRUSHES, {}, 3).all()


def test_every_field_of_the_tables_is_one_of_some_record():
    """A name that no layout has would be looked for in vain."""
    modules = (displacements, geometry, lights, overlays, props, tree)
    dtypes = [value for module in modules for value in vars(module).values() if isinstance(value, np.dtype)]
    known = {name for dtype in dtypes for name in dtype.names or ()}
    for each in NUMBERS:
        assert each.field in known, each
    for each in RUNS:
        assert {each.first, each.count} <= known, each
    assert isinstance(RUNS[0], Run)
