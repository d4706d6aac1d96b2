# SPDX-License-Identifier: GPL-3.0-or-later
"""What rows of a mesh's tables mean, whatever their numbers are: for comparing levels (ns2.md §3.2).

A vertex is where it is, an edge is its vertices, a face its loops of edges, a triangle its vertices and normals.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from .. import row_keys
from ..arrays import Array
from ..binary import FormatError
from ..format import Columns
from ..row_keys import Keys, Meaning
from ..steps import Steps
from .mesh import Mesh
from .triangles import GroupTable, Triangles

Named = dict[str, Keys]
_CHAIN = ("_vertices", "_edges", "_members_named", "_loops", "_faces_named")
"""Keys of `MeshTables`, each made of those before."""


class MeshTables:
    """The tables of a mesh, with the meanings of their rows. Each raises FormatError where it can't be decoded."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh

    def vertices(self) -> Columns:
        """The fields of VERTEX12 or VERTEX13."""
        return self._table(_columns(self._mesh.vertices), dict)

    def edges(self) -> Columns:
        """The fields of EDGE8 or EDGE9."""
        return self._table(_columns(self._mesh.edges), self._edges_named, "_vertices")

    def faces(self) -> Columns:
        """The fields of FACE, and the number of each face's first loop, its border."""
        faces = self._mesh.faces
        columns = _columns(faces.records)
        columns["first loop"] = faces.face_loops[:-1]
        return self._table(columns, lambda: {"first loop": self._faces_named}, "_faces_named", are_things=True)

    def loops(self) -> Columns:
        """The number of each loop's first member."""
        columns = Columns({"first member": self._mesh.faces.loop_members[:-1]})
        return self._table(columns, lambda: {"first member": self._loops}, "_loops")

    def members(self) -> Columns:
        """The fields of MEMBER."""
        members = _columns(self._mesh.faces.members)
        return self._table(members, lambda: {"edge": self._members_named}, "_members_named")

    def triangles(self, triangles: Triangles) -> Columns:
        """The fields of TRIANGLE3 or TRIANGLE6."""
        return self._table(_columns(triangles.triangles), partial(self._triangles_named, triangles), "_vertices")

    def triangles_of_faces(self, triangles: Triangles) -> Columns:
        """The number of each face's first triangle."""
        starts = triangles.face_triangles

        def named() -> Named:
            keys = _whole(_columns(triangles.triangles), self._triangles_named(triangles))
            return {"first": row_keys.of_runs(starts[:-1], np.diff(starts), keys)}

        return self._table(Columns({"first": starts[:-1]}), named, "_vertices")

    def grouped(self, kind: str, table: GroupTable) -> Columns:
        """The numbers of what groups of vertices, edges or faces have."""

        def named() -> Named:
            keys = {"vertices": self._vertices, "edges": self._edges, "faces": self._faces}[kind]
            return {"number": row_keys.of_numbers(table.members.astype(np.int64), keys)}

        last = {"vertices": "_vertices", "edges": "_edges", "faces": "_faces_named"}[kind]
        return self._table(Columns({"number": table.members}), named, last)

    def _table(self, columns: Columns, named: Callable[[], Named], last: str = "", are_things: bool = False) -> Columns:
        """A table that knows what its rows mean, where what they name can be decoded. last: of the keys in _CHAIN that
        are made for it, each in a step of its own.
        """

        def meaning() -> Steps[Meaning | None]:
            try:
                for name in _CHAIN[: _CHAIN.index(last) + 1] if last else ():
                    getattr(self, name)
                    yield
                found = named()
                yield
            except FormatError:  # then its bytes are compared
                return None
            return Meaning(_whole(columns, found), found, are_things)

        columns.meaning = meaning
        return columns

    # ------------------------------------------------------------------------------------------- keys, each made once

    @cached_property
    def _vertices(self) -> Keys:
        return row_keys.of_rows(self._mesh.vertices)

    def _edges_named(self) -> Named:
        return {"vertices": row_keys.of_numbers(self._mesh.edges["vertices"].astype(np.int64), self._vertices)}

    @cached_property
    def _edges(self) -> Keys:
        return _whole(_columns(self._mesh.edges), self._edges_named())

    @cached_property
    def _members_named(self) -> Keys:
        return row_keys.of_numbers(self._mesh.faces.members["edge"].astype(np.int64), self._edges)

    @cached_property
    def _loops(self) -> Keys:
        faces = self._mesh.faces
        members = _whole(_columns(faces.members), {"edge": self._members_named})
        return row_keys.of_runs(faces.loop_members[:-1], np.diff(faces.loop_members), members)

    @cached_property
    def _faces_named(self) -> Keys:
        faces = self._mesh.faces
        return row_keys.of_runs(faces.face_loops[:-1], np.diff(faces.face_loops), self._loops)

    @cached_property
    def _faces(self) -> Keys:
        return row_keys.joined(row_keys.of_rows(self._mesh.faces.records), self._faces_named)

    def _triangles_named(self, triangles: Triangles) -> Named:
        """Vertices behind the mesh's own are ghosts; the number behind the last normal is none (ns2.md §3.2)."""
        table = triangles.triangles
        points = np.concatenate([self._vertices, row_keys.of_rows(triangles.ghosts)])
        named = {"vertices": row_keys.of_numbers(table["vertices"].astype(np.int64), points)}
        if "normals" in (table.dtype.names or ()):
            normals = np.append(row_keys.of_rows(triangles.normals), np.uint64(0))
            named["normals"] = row_keys.of_numbers(table["normals"].astype(np.int64), normals)
        return named


def _columns(table: Array) -> Columns:
    return Columns({name: table[name] for name in table.dtype.names or ()})


def _whole(columns: Columns, named: Named) -> Keys:
    """Keys of rows, of what they name and of all other fields."""
    keys = np.zeros(len(next(iter(columns.values()))), np.uint64)
    for name, column in columns.items():
        keys = row_keys.joined(keys, named[name] if name in named else row_keys.of_rows(column))
    return keys
