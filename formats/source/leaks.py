# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a map leaks, as vbsp finds out: its walls, its entities and its leak file (source.md §5.1)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import solid_leaks, solid_tree
from ..arrays import Bools, Floats
from ..binary import Problem, Severity
from ..solid_leaks import Space
from . import vmf
from .entities.text import Entity
from .level import Level
from .lumps import LumpId
from .records import Contents
from .vmf import VmfSolids

ENDING = ".lin"
"""How names of leak files end."""
SEVERITY: Severity = "warning"  # vbsp goes on, without visibility
_WALLS = ("toolsnodraw", "toolsskybox", "toolsblack")
"""Tool textures of brushes that fill space; others are of brushes that don't."""
_TOOLS = "tools/"
_GONE = frozenset(
    ("env_cubemap", "info_overlay", "info_overlay_transition", "info_no_dynamic_shadow", "test_sidelist",
     "func_detail", "func_ladder", "func_viscluster")
)  # fmt: skip
"""Classes that vbsp has made something else of before it looks for leaks."""
_LADDERS = frozenset(("func_ladder", "info_ladder"))
_RAISED = (0.0, 0.0, 1.0)
"""Units that vbsp lifts entities by, so that those on a floor don't stand in it."""


def space(level: Level) -> Space:
    """What of a compiled map's source counts for leaks. Raises FormatError."""
    return space_of(vmf.of_level(level))


def space_of(source: vmf.Map) -> Space:
    """What of a map's source counts for leaks.

    Only the world's solids seal that fill space, but no details and no displacements. Every entity with an origin
    counts, but for the world, those at the very origin, and those that the compiler makes something else of.
    """
    solids, level = source.solids, source.level
    entities = [
        (number, f"entity {number} ({', '.join(filter(None, (entity.classname, entity.targetname)))})", place)
        for number, entity in enumerate(level.entities)
        if number and (place := counted(entity)) is not None
    ]
    lump = level.static_props
    props = lump.props["origin"].astype(np.float64).tolist() if lump is not None and lump.props is not None else []
    entities += [(-1 - number, f"static prop {number}", tuple(place)) for number, place in enumerate(props)]
    return Space(
        solid_tree.brushes(solids.normals, solids.dists, np.diff(solids.first_side)),
        walls(solids, level),
        _of_world(solids, level),
        lifted([place for _, _, place in entities]),
        [name for _, name, _ in entities],
        np.array([number for number, _, _ in entities], np.int64),
    )


def counted(entity: Entity) -> tuple[float, float, float] | None:
    """The place of an entity, if it counts."""
    place = entity.origin
    return None if place is None or not any(place) or entity.classname.lower() in _GONE else place


def lifted(places: Sequence[Sequence[float]]) -> Floats:
    """The points that the flood begins at: float64[k, 3], for entities at these places."""
    return np.array(places, np.float64).reshape(-1, 3) + _RAISED


def walls(solids: VmfSolids, level: Level) -> Bools:
    """bool[m]: which solids seal a map. What a compiled brush contains its record says; of others their materials do,
    and whether brushes of the same material in the map fill space.
    """
    contents = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    compiled = solids.brushes >= 0
    filling = np.ones(len(solids), np.bool_)
    filling[compiled] = contents[solids.brushes[compiled]] & int(Contents.SOLID) > 0
    of_side = np.repeat(np.arange(len(solids)), np.diff(solids.first_side))
    names = np.array([name.lower() for name in solids.names] or [""])[: len(of_side)]
    through = np.setdiff1d(names[compiled[of_side] & ~filling[of_side]], names[compiled[of_side] & filling[of_side]])
    new = ~compiled[of_side]
    filling[of_side[new & (np.isin(names, through) | ~fills(names))]] = False
    filling[of_side[solids.displacements >= 0]] = False
    return np.asarray(filling & _of_world(solids, level) & ~solids.detail)


def _of_world(solids: VmfSolids, level: Level) -> Bools:
    """bool[m]: which solids are the world's as vbsp sees them, ladders too: it moves their brushes there."""
    ladders = [number for number, entity in enumerate(level.entities) if entity.classname.lower() in _LADDERS]
    return np.asarray(np.isin(solids.owners, [vmf.WORLD, *ladders]))


def fills(names: NDArray[np.str_]) -> Bools:
    """bool[n]: whether brushes of these materials (lower case) fill space, as far as names say: tools may not."""
    known = [not name.startswith(_TOOLS) or name[len(_TOOLS) :].startswith(_WALLS) for name in names.tolist()]
    return np.array(known, np.bool_)


def problems(level: Level) -> list[Problem]:
    """The leak of a map, as a warning at an entity; none if it is sealed. Raises FormatError."""
    return list(solid_leaks.examine(space(level)).problems(SEVERITY))


def leak_file(line: Floats) -> bytes:
    """The leak file of vbsp, which Hammer draws: float64[n, 3] points from an entity on; there it comes last.

    The entity's own place stands there, not the one that it was lifted to.
    """
    points = np.array(line, np.float64).reshape(-1, 3)[::-1]
    points[-1:] -= _RAISED
    return "".join(f"{x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in points.tolist()).encode("ascii")
