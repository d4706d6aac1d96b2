# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices and edges that no face has, in meshes of which a file has the faces alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from bpy.types import Mesh

from ....formats import ranges
from ....formats.arrays import Array
from ....formats.counting import number_of
from .. import attributes
from ..fates.aspects import readable_data
from ..fates.ledger import Fates, fate_of
from ..kept import identity
from ..reports import Report
from . import evaluated

LOOSE = "loose vertices and edges"
"""What they are called in the tables of a game that writes them, or speaks of them itself."""
_NEW = "new"
"""The kind of what no import made: no table has it."""


def count(mesh: bpy.types.Mesh) -> tuple[int, int]:
    """Return how many vertices of a mesh have no edge, and how many edges no face. It isn't in edit mode."""
    sides = attributes.read(mesh, ".corner_edge")
    if _is_each(sides, len(mesh.edges)) and _is_each(attributes.read(mesh, ".corner_vert"), len(mesh.vertices)):
        return 0, 0  # each face has vertices and edges of its own, as imports make them: a third of the time
    pairs = attributes.read(mesh, ".edge_verts")
    lonely = np.ones(len(mesh.vertices), np.bool_)
    bare = np.ones(len(mesh.edges), np.bool_)
    if pairs is not None:
        lonely[pairs.reshape(-1)] = False
    if sides is not None:
        bare[sides] = False
    return int(np.count_nonzero(lonely)), int(np.count_nonzero(bare))


def _is_each(numbers: Array | None, count: int) -> bool:
    """Whether numbers are 0, 1, 2, ..., as many as that."""
    return numbers is not None and len(numbers) == count and ranges.are_in_order(numbers)


def tell(context: bpy.types.Context, objects: Iterable[bpy.types.Object], fates: Fates, report: Report) -> None:
    """Warn of them by the names of the objects, with their counts, as the objects look with their modifiers."""
    # A list: reading a mesh in edit mode makes and removes a copy, and Blender makes `all_objects` anew then.
    found = {obj: counts for obj in list(objects) if _has_faces_alone(obj, fates) and any(counts := _of(obj))}
    bent = [obj for obj in found if any(modifier.show_viewport for modifier in obj.modifiers)]
    if bent:  # modifiers may make faces of them
        found |= _seen(context, bent)
    for obj, (vertices, edges) in found.items():
        counted = [number_of(n, f"loose {what}") for n, what in ((vertices, "vertices"), (edges, "edges")) if n]
        if counted:
            report.warn(f"{obj.name}: {' and '.join(counted)}, not written: the file has the faces alone", [obj])


def _has_faces_alone(obj: bpy.types.Object, fates: Fates) -> bool:
    """Whether of an object's mesh an export reads the faces, and nothing else tells of the rest."""
    if not isinstance(obj.data, Mesh):
        return False
    mark = identity.stamped(obj)
    if fate_of(fates, _NEW if mark is None else mark.kind, LOOSE).is_written:
        return False
    if mark is None:
        return bool(obj.data.polygons)  # an export says of others that they have none
    # what only stands for a record, as the mesh of a prop's model does, has no numbers of records
    return fate_of(fates, mark.kind, "vertices").is_written and identity.ID in obj.data.attributes


def _of(obj: bpy.types.Object) -> tuple[int, int]:
    with readable_data(obj) as mesh:
        return count(mesh) if isinstance(mesh, Mesh) else (0, 0)


def _seen(
    context: bpy.types.Context, objects: Iterable[bpy.types.Object]
) -> Mapping[bpy.types.Object, tuple[int, int]]:
    """The counts of objects with modifiers."""
    found = {}
    with evaluated.shown(context, objects) as depsgraph:
        for obj in objects:
            bent = obj.evaluated_get(depsgraph)
            found[obj] = count(bent.to_mesh())
            bent.to_mesh_clear()
    return found
