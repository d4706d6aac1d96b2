# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of a mesh made anew, as the editor of version 10 writes them (ns2.md §9)."""

import numpy as np

from .mesh import Mesh
from .normals import face_normals, smoothed_normals
from .records import TRIANGLE6
from .triangles import Triangles
from .triangulation import triangulate


def triangles_of(mesh: Mesh) -> Triangles:
    """Triangles and smoothed normals of all faces: no ghosts, records of TRIANGLE6. Raises FormatError.

    To keep those that a file has, join them: `Triangles.joined([mesh.triangles.take(old), new], vertices)`.
    """
    faces, corners, positions = mesh.faces, mesh.corners, mesh.positions
    loops = (faces.face_loops, faces.loop_members)
    numbers, begins = triangulate(positions, corners, *loops, whole=True)
    normals, at_corners = smoothed_normals(
        face_normals(positions, corners, *loops),
        mesh.smooth,
        faces.members["edge"].astype(np.intp),
        corners,
        mesh.ends,
        faces.loop_faces[faces.member_loops],
    )
    table = np.zeros(len(numbers), TRIANGLE6)
    table["vertices"] = corners[numbers]
    table["normals"] = at_corners[numbers]
    return Triangles(np.zeros((0, 3), np.float32), normals, begins, table)
