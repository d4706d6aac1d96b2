# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices and faces of models that were moved, added, cut or deleted: surfaces compared with the map's faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from .surfaces import Surfaces

NEAR = 8 * float(np.finfo(np.float32).eps)
"""How much of its size a number may differ from another and be the same: what Blender's rounding makes of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Edits:
    """What is no longer as it was, of polygons p and vertices v."""

    moved: Bools
    """bool[v]: vertices that lie elsewhere."""
    reshaped: Bools
    """bool[p]: polygons that have such vertices."""
    torn: Bools
    """bool[p]: those that have other vertices than their face."""
    new: Bools
    """bool[p]: those that are no face of the map, or one that is there already."""
    deleted: Ints
    """int64[n]: faces of the map that are gone."""
    short: Ints
    """int64[n]: objects that show a brush model again, and not all of its faces."""

    @property
    def faulty(self) -> Ints:
        """int64[n]: all polygons that are not as they were."""
        return np.flatnonzero(self.reshaped | self.torn | self.new)

    def models(self, surfaces: Surfaces) -> Ints:
        """The models that have edits, int64[n] ascending; -1: objects that show none."""
        homes = surfaces.homes[np.concatenate([surfaces.owners[self.faulty], self.short])]
        return np.asarray(np.unique(np.concatenate([homes, surfaces.model_faces.models[self.deleted]])))


def find(surfaces: Surfaces) -> Edits:
    """Compare all polygons with the faces that they have the numbers of."""
    model_faces = surfaces.model_faces
    known = surfaces.vertices >= 0
    was = (
        model_faces.positions[np.where(known, surfaces.vertices, 0)].astype(np.float64)
        if len(model_faces.positions)
        else None
    )
    moved = np.zeros(len(known), np.bool_)
    if was is not None:
        off = np.abs(surfaces.positions - was)
        moved = known & ~(off <= NEAR * np.maximum(np.abs(was).max(axis=1, keepdims=True), 1)).all(axis=1)
    owners = ranges.owners(np.diff(surfaces.starts))
    reshaped = np.bincount(owners, moved[surfaces.corners], len(surfaces.faces)) > 0
    keep = np.zeros(len(surfaces.faces), np.bool_)
    twin = surfaces.twins[surfaces.owners]
    keep[_nearest(surfaces, np.flatnonzero((surfaces.faces >= 0) & ~twin))] = True
    for number in np.flatnonzero(surfaces.twins).tolist():
        part = np.arange(surfaces.polygons[number], surfaces.polygons[number + 1])
        keep[_nearest(surfaces, part[surfaces.faces[part] >= 0])] = True
    torn = keep & (surfaces.turns < 0)
    return Edits(moved, reshaped, torn, ~keep, _deleted(surfaces, keep & ~twin), _short(surfaces, keep))


def _nearest(surfaces: Surfaces, polygons: Ints) -> Ints:
    """Of polygons with numbers of faces one for each: first those that are around its vertices, then the nearest."""
    starts, model_faces = surfaces.starts, surfaces.model_faces
    counts = starts[polygons + 1] - starts[polygons]
    owners = ranges.owners(counts)
    here = surfaces.positions[surfaces.corners[ranges.flat(starts[polygons], counts)]]
    sources, first = model_faces.corners(surfaces.faces[polygons])
    there = model_faces.positions[model_faces.polygons.corners[sources]].astype(np.float64)
    middles = _means(here, owners, len(polygons)) - _means(there, ranges.owners(np.diff(first)), len(polygons))
    away = (middles * middles).sum(axis=1)
    order = np.lexsort((away, surfaces.turns[polygons] < 0, surfaces.faces[polygons]))
    return np.asarray(polygons[order[np.unique(surfaces.faces[polygons][order], return_index=True)[1]]])


def _means(points: Floats, owners: Ints, count: int) -> Floats:
    sums = [np.bincount(owners, points[:, axis], count) for axis in range(3)]
    return np.asarray(np.column_stack(sums) / np.maximum(np.bincount(owners, minlength=count), 1)[:, None])


def _deleted(surfaces: Surfaces, there: Bools) -> Ints:
    """Faces that no polygon is, of the world and of models that an object shows: others went with their entities."""
    model_faces = surfaces.model_faces
    shown = np.unique(np.concatenate([[0], surfaces.homes[surfaces.homes >= 0]]))
    gone = model_faces.drawable & np.isin(model_faces.models, shown)
    gone[surfaces.faces[there]] = False
    return np.flatnonzero(gone)


def _short(surfaces: Surfaces, there: Bools) -> Ints:
    """Objects that show a model again without all of its faces. there: which polygons are faces."""
    model_faces = surfaces.model_faces
    seen = np.bincount(surfaces.owners[there], minlength=len(surfaces.homes))
    models = surfaces.homes[surfaces.twins]
    wanted = [np.count_nonzero(model_faces.drawable & (model_faces.models == model)) for model in models.tolist()]
    return np.flatnonzero(surfaces.twins)[seen[surfaces.twins] < np.array(wanted, np.int64)]


def turned_over(surfaces: Surfaces, polygons: Ints) -> Ints:
    """Which of torn polygons int64[n] have their faces' vertices, but go around them the other way."""
    first, model_faces = surfaces.starts[polygons], surfaces.model_faces
    sources, wanted = model_faces.corners(surfaces.faces[polygons])
    counts = surfaces.starts[polygons + 1] - first
    alike = counts == np.diff(wanted)
    owners = ranges.owners(np.where(alike, counts, 0))
    there = surfaces.vertices[surfaces.corners[ranges.flat(first[alike], counts[alike])]]
    own = model_faces.polygons.corners[sources[ranges.flat(wanted[:-1][alike], counts[alike])]]
    other = there[np.lexsort((there, owners))] != own[np.lexsort((own, owners))]
    return np.asarray(polygons[alike & (np.bincount(owners, other, len(polygons)) == 0)])
