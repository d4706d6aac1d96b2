# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds, found by stamps and never by names; and meshes as cells, by identity and place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import bpy
import numpy as np
from numpy.typing import NDArray

from ..scene import identity, meshes
from ..scene.attributes import Domain
from ..scene.meshes import MeshData
from ..scene.reports import SceneError

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]


def kind_of(id_block: bpy.types.ID) -> str | None:
    """The kind of a data-block's stamp (see layout); None for what the user added."""
    mark = identity.stamped(id_block)
    return None if mark is None else mark.kind


def part(collection: bpy.types.Collection, kind: str) -> bpy.types.Object | None:
    """The object of a level that is of a kind of which there is one. Raises SceneError where there are several."""
    found = [obj for obj in collection.all_objects if kind_of(obj) == kind]
    if len(found) > 1:
        names = ", ".join(obj.name for obj in found)
        raise SceneError(f"{collection.name!r} has {len(found)} of what a level has one of: {names}", found)
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Elements:
    """The vertices or faces of an object that are a level's cells.

    data: the object's mesh. ids: int32[n], the cell's number + 1 of each of its elements, 0: it is new, or a blend.
    bearers: int[cells], the element of each cell, as `borne` gives it.
    """

    object: bpy.types.Object
    domain: Domain
    data: MeshData
    ids: NDArray[np.int32]
    bearers: Ints

    @property
    def known(self) -> Bools:
        """Whether a cell's element is the one that the cell was imported to, bool[cells]."""
        found: Bools = self.ids[self.bearers] > 0
        return found

    def values(self, name: str) -> NDArray[Any] | None:
        """An attribute of each cell, [cells]; None where there is none. Raises SceneError where it isn't one number."""
        values = self.data.attribute(name, self.domain)
        if values is None:
            return None
        if values.ndim != 1:
            raise SceneError(f"{self.object.name}: attribute {name} must hold one number an element", [self.object])
        return values[self.bearers]

    def whole(self, name: str) -> NDArray[np.int64] | None:
        """An attribute of whole numbers, int64[cells], whatever type a node or a script gave it."""
        values = self.values(name)
        if values is None:
            return None
        exact = values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            self.refuse(f"attribute {name} is no whole number", ~((np.abs(exact) < 2**31) & (exact == np.floor(exact))))
        return exact.astype(np.int64)

    def refuse(self, what: str, cells: Bools, hint: str = "") -> None:
        """Raise SceneError, with how many elements are concerned, if there are such cells, bool[cells]."""
        if cells.any():
            refuse(self.object, self.domain, f"{{}}: {what}{hint and '. '}{hint}", self.bearers[np.flatnonzero(cells)])


def refuse(obj: bpy.types.Object, domain: Domain, message: str, elements: Ints) -> NoReturn:
    """Raise SceneError about elements of an object's mesh, which get selected. message: {} is for their number."""
    noun = ("vertex", "vertices") if domain == "POINT" else ("face", "faces")
    count = f"{len(elements)} {noun[len(elements) != 1]}"
    places: dict[str, Any] = {}
    if not meshes.needs_evaluation(obj):  # what modifiers made can't be selected
        places["points" if domain == "POINT" else "faces"] = {obj: elements}
    raise SceneError(f"{obj.name}: {message.format(count)}", [obj], **places)


def borne(cells: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """The element that bears each of `count` cells, int[count], -1 for none; those too many; the cells without one.

    cells: int[n], the cell of each element, -1 for none (it is too many then).
    """
    bearers = np.full(count, -1)
    taken = np.flatnonzero(cells >= 0)
    bearers[cells[taken][::-1]] = taken[::-1]  # the first of several stays
    extra = np.setdiff1d(np.arange(len(cells)), bearers)
    return bearers, extra, np.flatnonzero(bearers < 0)


def listed(parts: Sequence[str]) -> str:
    """Some of the parts, for a message."""
    return ", ".join(parts[:5]) + (" and others" if len(parts) > 5 else "")
