# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a level leaks, as the compiler finds out: its brushes, its entities and its leak file (genesis.md §1.11)."""

import struct

import numpy as np

from .. import solid_leaks, solid_tree
from ..arrays import Floats
from ..binary import Problem, Severity
from ..solid_leaks import Space
from ..steps import Steps, Stepwise
from . import convert
from .check_map import title
from .compiled import CompiledLevel
from .editor_level import Level3dt
from .map_file import MapLevel
from .records import BrushFlag
from .upgrade import upgraded

TAG = b"LEAK"
ENDING = ".Pnt"
"""How names of leak files end."""
SEVERITY: Severity = "error"  # the compiler fails


@Stepwise
def space(level: MapLevel | Level3dt | CompiledLevel) -> Steps[Space]:
    """What of a level counts for leaks; of a `.3dt`, what its cuts leave; of a compiled one nothing.

    Only solid brushes of the world seal, details too, but not sheets, which the compiler takes for clips. Every entity
    with an origin counts, but for models and definitions of classes. Raises FormatError.
    """
    if isinstance(level, Level3dt):
        level.leaves()  # reads brushes that are left as text
        yield
        level = upgraded(level)
        yield
        return (yield from _editor_space(level))
    if isinstance(level, CompiledLevel):  # nothing compiles it any more
        nowhere, none = np.zeros((0, 3)), np.zeros(0, np.int64)
        walls = solid_tree.brushes(nowhere, nowhere[:, 0], none)
        return Space(walls, none.astype(np.bool_), none.astype(np.bool_), nowhere, [], none)
    table, faces = level.table()
    normals = faces["normal"].astype(np.float64)
    with np.errstate(all="ignore"):  # hostile floats
        normals /= np.sqrt((normals * normals).sum(axis=1))[:, None]  # as the compiler does; it leaves dist alone
    flags = table["flags"].astype(np.int64)
    world = table["entity"] == 0
    solid = world & (flags & int(BrushFlag.SOLID) != 0) & (flags & int(BrushFlag.SHEET) == 0)
    counted = [
        (number, entity.origin)
        for number, entity in enumerate(level.entities)
        if number and not entity.is_model and not entity.is_typedef
    ]
    placed = [(number, place) for number, place in counted if place is not None]
    return Space(
        solid_tree.brushes(normals, faces["dist"].astype(np.float64), table["num_faces"]),
        solid,
        world,
        np.array([place for _, place in placed], np.float64).reshape(-1, 3),
        [title(level, number) for number, _ in placed],
        np.array([number for number, _ in placed], np.int64),
    )


def _editor_space(level: Level3dt) -> Steps[Space]:
    compiled, _ = yield from convert.to_map.steps(level)
    yield
    walls = yield from space.steps(compiled)
    suppressed = convert.ENTITY_HIDDEN if level.is_set("SuppressHidden") else 0
    placed = [
        (number, entity)
        for number, entity in enumerate(level.entities)
        if entity.classname != convert.CAMERA and entity.is_placed and not entity.flags & suppressed
    ]
    return Space(
        walls.brushes,
        walls.solid,
        walls.still,
        np.array([entity.place for _, entity in placed], np.float64).reshape(-1, 3),
        [f"entity {number} ({', '.join(filter(None, (one.classname, one.name)))})" for number, one in placed],
        np.array([number for number, _ in placed], np.int64),
    )


def problems(level: MapLevel | Level3dt | CompiledLevel) -> list[Problem]:
    """The leak of a level, as a problem at the place of an entity; none if it is sealed. Raises FormatError.

    It takes a second for a large level, so `check` doesn't ask.
    """
    return list(solid_leaks.examine(space(level)).problems(SEVERITY))


def leak_file(line: Floats) -> bytes:
    """The compiler's own leak file, which the editor draws: float64[n, 3] points, from the entity on."""
    points = np.asarray(line, np.float64).reshape(-1, 3)
    return TAG + struct.pack("<i", len(points)) + points.astype("<f4").tobytes()
