# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the textures of a level lie on its polygons: as its faces say, or their mapping groups (ns2.md §8)."""

import numpy as np

from ..arrays import Floats, Indices, Reals, Singles
from . import texture_mapping
from .mesh import Mesh
from .normals import face_normals
from .polygons import Polygons

_BLOCK = 1 << 14  # faces at a time: what is worked out for them then stays in the processor's cache


def mappings(mesh: Mesh, positions: Reals, corners: Indices) -> tuple[Floats, texture_mapping.Mapping]:
    """How textures lie on faces: normals float64[n, 3] and parameters [n], of their mapping groups or their own.

    `positions`, `corners`: those of the mesh. Faces of a mapping group that doesn't exist have their own.
    """
    faces, groups = mesh.faces, mesh.mapping_groups
    records = faces.records
    normals = face_normals(positions, corners, faces.face_loops, faces.loop_members)
    values = [records[name] for name in ("angle", "scale", "offset")]
    if len(groups):
        values = [value.copy() for value in values]
        order = np.argsort(groups["id"], kind="stable")
        place = order[np.searchsorted(groups["id"], records["mapping_group"], sorter=order).clip(max=len(order) - 1)]
        grouped = np.flatnonzero(groups["id"][place] == records["mapping_group"])
        normals[grouped] = groups["normal"][place[grouped]]
        for value, name in zip(values, ("angle", "scale", "offset"), strict=True):
            value[grouped] = groups[name][place[grouped]]
    return normals, texture_mapping.Mapping(*values)


def texture_coordinates(mesh: Mesh, positions: Reals, corners: Indices, made: Polygons) -> Singles:
    """Texture coordinates of the corners of polygons, float32[c, 2], v upwards; what isn't finite is 0.

    `positions`, `corners`: those of the mesh, of whose faces the polygons are made.
    """
    normals, mapping = mappings(mesh, positions, corners)
    uvs = np.empty((len(made.members), 2), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, len(normals), _BLOCK):
            some = slice(begin, begin + _BLOCK)
            first, last = np.searchsorted(made.faces, (some.start, some.stop))
            charts = np.repeat(made.faces[first:last] - begin, np.diff(made.starts[first : last + 1]))
            own = slice(made.starts[first], made.starts[last])
            points = positions.take(corners[made.members[own]], axis=0)
            uvs[own] = texture_mapping.coordinates(points, normals[some], mapping[some], charts)
    if not np.isfinite(uvs).all():
        uvs[~np.isfinite(uvs)] = 0
    return uvs
