# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that levels of a scene have in common: where heights and themes differ there, and giving a level those of its
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.arrays import Bools, Indices, Singles
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import meshes, transforms
from ...scene.kept import identity, originals
from ...scene.level import root_of
from ...scene.reports import SceneError
from .. import layout
from ..paint.canvas import Themes
from ..palettes import edit, lists
from ..terrain.heights import ground_heights, terrain_of
from .maps import Place, origin_of

SAME = 1 / 255
"""Share by which themes may differ and count as the same."""


@dataclass(eq=False)
class _Ground:
    """The ground of a level in the world."""

    level: bpy.types.Collection
    origin: Place
    heights: Singles
    """[rows, columns]"""


@dataclass(eq=False)
class Seam:
    """The cells that a level has in common with a neighbour."""

    neighbour: bpy.types.Collection
    own: Indices
    """[n], cells of the level, by rows."""
    theirs: Indices
    """[n], the same places in the neighbour."""
    heights: Bools
    """[n], whether the heights differ."""
    themes: Bools
    """[n], whether the themes do."""


def seams(context: bpy.types.Context, level: bpy.types.Collection) -> list[Seam]:
    """The edges that a level has in common with others of the scene. Raises SceneError for what can't be compared."""
    own = _ground(context, level)
    names = [(other, _blend(context, other.level), _shared(own, other)) for other in _neighbours(context, own)]
    mine = _blend(context, level)
    return [_seam(own, mine, other, blend, cells) for other, blend, cells in names]


def mend(context: bpy.types.Context, level: bpy.types.Collection) -> tuple[int, int]:
    """Give a level's edges the heights and themes of its neighbours; how many cells got other ones of each.

    Where several neighbours differ, as at corners of three, cells stay. Raises SceneError, also where the palette has
    no room.
    """
    terrain = terrain_of(level)
    still = np.array_equal(transforms.seen(terrain, root_of(level)), np.eye(4))
    if not still or meshes.needs_evaluation(terrain) or transforms.needs_evaluation(terrain, root_of(level)):
        raise SceneError(f"{terrain.name} was moved, or has modifiers or shape keys: apply them first", [terrain])
    found = seams(context, level)
    contested = _contested(found, context)
    raised = sum(_mend_heights(context, terrain, seam, contested) for seam in found)
    painted = sum(_mend_themes(context, level, seam, contested) for seam in found)
    return raised, painted


def _ground(context: bpy.types.Context, level: bpy.types.Collection) -> _Ground:
    root, terrain = root_of(level), terrain_of(level)
    if terrain.mode == "EDIT":
        raise SceneError(f"{terrain.name} is in Edit Mode, where it can't be compared: leave that first", [terrain])
    origin = (0, 0) if root is None else origin_of(root)
    return _Ground(level, origin, ground_heights(context, level))


def _neighbours(context: bpy.types.Context, own: _Ground) -> Iterator[_Ground]:
    """The scene's other Fable levels that touch one with more than a corner."""
    for level in originals.levels(context.scene):
        if level == own.level or originals.format_of(level) != layout.FORMAT:
            continue
        other = _ground(context, level)
        sizes = [len(span) for span in _overlap(own, other)]
        if min(sizes) == 1 and max(sizes) > 1:
            yield other


def _overlap(own: _Ground, other: _Ground) -> tuple[range, range]:
    """The columns and rows, in the world, in which both have cells."""
    spans = []
    for axis in (0, 1):
        low = max(own.origin[axis], other.origin[axis])
        high = min(one.origin[axis] + one.heights.shape[1 - axis] for one in (own, other))
        spans.append(range(low, max(high, low)))
    return spans[0], spans[1]


def _shared(own: _Ground, other: _Ground) -> tuple[Indices, Indices]:
    """The cells that both have, as cells of each."""
    columns, rows = _overlap(own, other)
    x, y = (part.ravel() for part in np.meshgrid(np.array(columns, np.intp), np.array(rows, np.intp)))
    found = [(y - one.origin[1]) * one.heights.shape[1] + x - one.origin[0] for one in (own, other)]
    return found[0], found[1]


def _blend(context: bpy.types.Context, level: bpy.types.Collection) -> Themes:
    return Themes(context, terrain_of(level), lists.get(level), 0)


def _seam(own: _Ground, mine: Themes, other: _Ground, blend: Themes, cells: tuple[Indices, Indices]) -> Seam:
    heights = own.heights.ravel()[cells[0]] != other.heights.ravel()[cells[1]]
    place = {name: slot for slot, name in enumerate(mine.names.themes) if name}
    here, there = mine.shares(cells[0]), blend.shares(cells[1])
    moved = np.zeros((len(there), here.shape[1] + 1))
    for slot in np.flatnonzero(there.any(axis=0)).tolist():
        moved[:, place.get(blend.names.themes[slot], -1)] += there[:, slot]  # the last column: themes that it hasn't
    themes = (np.abs(moved[:, :-1] - here) > SAME).any(axis=1) | (moved[:, -1] > SAME)
    return Seam(other.level, cells[0], cells[1], heights, themes)


def _contested(found: list[Seam], context: bpy.types.Context) -> set[int]:
    """Cells whose neighbours have different heights there."""
    wanted: dict[int, set[float]] = {}
    for seam in found:
        heights = ground_heights(context, seam.neighbour).ravel()[seam.theirs]
        for cell, height in zip(seam.own.tolist(), heights.tolist(), strict=True):
            wanted.setdefault(cell, set()).add(height)
    return {cell for cell, heights in wanted.items() if len(heights) > 1}


def _mend_heights(context: bpy.types.Context, terrain: bpy.types.Object, seam: Seam, contested: set[int]) -> int:
    cells, theirs = _chosen(seam, seam.heights, contested)
    if not len(cells):
        return 0
    z = ground_heights(context, seam.neighbour).ravel()[theirs]
    mesh = mesh_of(terrain)
    positions = attributes.read(mesh, "position")
    if positions is None:
        return 0
    positions[_vertices(terrain, len(positions))[cells], 2] = z
    attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", positions)
    mesh.update()
    return len(cells)


def _mend_themes(context: bpy.types.Context, level: bpy.types.Collection, seam: Seam, contested: set[int]) -> int:
    cells, theirs = _chosen(seam, seam.themes, contested)
    if not len(cells):
        return 0
    blend = _blend(context, seam.neighbour)
    shares = blend.shares(theirs)
    used = np.flatnonzero((shares > SAME / 2).any(axis=0)).tolist()
    for slot in used:
        name = blend.names.themes[slot]
        if name and name not in lists.get(level).themes:
            edit.add(level, "themes", name)
    mine = _blend(context, level)
    place = {name: slot for slot, name in enumerate(mine.names.themes) if name}
    moved = np.zeros_like(shares)
    for slot in used:
        moved[:, place.get(blend.names.themes[slot], 0)] += shares[:, slot]
    moved[:, 0] = 0
    able = moved.any(axis=1)
    mine.put(cells[able], moved[able])
    return len(cells)


def _chosen(seam: Seam, differ: Bools, contested: set[int]) -> tuple[Indices, Indices]:
    """The cells of a seam to be mended, and those that they are like."""
    free = differ & ~np.isin(seam.own, list(contested))
    return seam.own[free], seam.theirs[free]


def _vertices(terrain: bpy.types.Object, count: int) -> Indices:
    """The vertex of each cell: the mesh has them in another order where somebody sorted it."""
    mark = identity.stamped(terrain)
    mesh = mesh_of(terrain)
    ids = identity.read_ids(mesh, "POINT", mark.token if mark is not None else 0)
    made = np.arange(count)
    known = np.flatnonzero((ids > 0) & (ids <= count))
    made[ids[known] - 1] = known
    return made
