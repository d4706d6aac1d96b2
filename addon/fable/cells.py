# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices or faces of a mesh as cells of the level: made with an identity, found by it, refused by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import bpy
import numpy as np

from ...formats.arrays import Array, Bools, Indices, Int32s, Ints, Records
from ..scene.attributes import Domain, Kind
from ..scene.fields.properties import INT32
from ..scene.geometry import meshes
from ..scene.geometry.meshes import MeshData
from ..scene.kept import identity
from ..scene.reports import Report, SceneError
from .layout import CellField

Arrays = dict[str, tuple[Domain, Kind, Array]]
"""Attributes as `scene.geometry.meshes.build` takes them."""


@dataclass(frozen=True, slots=True)
class MeshCells:
    """The vertices or faces of an object that are a level's cells."""

    object: bpy.types.Object
    """The object."""
    domain: Domain
    """Whether cells are vertices (POINT) or faces (FACE)."""
    data: MeshData
    """Its mesh."""
    ids: Int32s
    """[vertices or faces], the number + 1 of the cell that each was imported from; 0: it is new, or a blend."""
    indices: Indices
    """[cells], which vertex or face is the cell, as `match_cells` gives it."""
    report: Report
    """Where attributes that are gone are told: cells keep what they had."""

    @property
    def known(self) -> Bools:
        """Whether a cell's vertex or face is the one that the cell was imported to, bool[cells]."""
        found: Bools = self.ids[self.indices] > 0
        return found

    def values(self, name: str) -> Array | None:
        """An attribute of each cell, [cells]; None where there is none, which is told.

        Raises SceneError where it isn't one number, or is NaN.
        """
        values = self.data.attribute(name, self.domain)
        if values is None:
            self.report.warn(f"{self.object.name}: attribute {name} is gone: what it told stays as it was")
            return None
        if values.ndim != 1:
            what = "vertex" if self.domain == "POINT" else "face"
            raise SceneError(f"{self.object.name}: attribute {name} must hold one number a {what}", [self.object])
        found: Array = values[self.indices]
        if found.dtype.kind == "f":
            self.refuse(f"attribute {name} is NaN", np.isnan(found))
        return found

    def whole(self, name: str) -> Ints | None:
        """An attribute of whole numbers, int64[cells], whatever type a node or a script gave it."""
        values = self.values(name)
        if values is None:
            return None
        exact = values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            bad = ~((exact >= INT32[0]) & (exact <= INT32[-1]) & (exact == np.floor(exact)))
        self.refuse(f"attribute {name} isn't a whole number", bad)
        return exact.astype(np.int64)

    def refuse(self, what: str, cells: Bools, hint: str = "") -> None:
        """Raise SceneError, with how many vertices or faces are concerned, if there are such cells, bool[cells]."""
        if cells.any():
            refuse(self.object, self.domain, f"{{}}: {what}{hint and '. '}{hint}", self.indices[np.flatnonzero(cells)])


def cell_attributes(cells: Records, fields: Mapping[str, CellField], token: int, domain: Domain) -> Arrays:
    """The attributes of cells [rows, columns], a vertex or face each in their order: identity and fields."""
    flat = cells.reshape(-1)
    made: Arrays = identity.id_attributes(token, np.arange(1, flat.size + 1, dtype=np.int32), domain)
    made.update((name, (domain, field.kind, field.of(flat).astype(np.int32))) for name, field in fields.items())
    return made


def refuse(obj: bpy.types.Object, domain: Domain, message: str, indices: Indices) -> NoReturn:
    """Raise SceneError about vertices or faces of an object, which get selected. message: {} is for their number."""
    noun = ("vertex", "vertices") if domain == "POINT" else ("face", "faces")
    count = f"{len(indices)} {noun[len(indices) != 1]}"
    selected = {} if meshes.needs_evaluation(obj) else {obj: indices}  # what modifiers made can't be selected
    faces, points = (None, selected) if domain == "POINT" else (selected, None)
    raise SceneError(f"{obj.name}: {message.format(count)}", [obj], faces, points)


def match_cells(cells: Indices, count: int) -> tuple[Indices, Indices, Indices]:
    """Which vertex or face each of `count` cells is, int[count], -1 for none; those too many; the cells without one.

    cells: int[n], the cell of each vertex or face, -1 for none (it is one too many then). Of several, the first counts.
    """
    indices = np.full(count, -1)
    taken = np.flatnonzero(cells >= 0)
    indices[cells[taken][::-1]] = taken[::-1]
    extra = np.setdiff1d(np.arange(len(cells)), indices)
    return indices, extra, np.flatnonzero(indices < 0)
