# SPDX-License-Identifier: GPL-3.0-or-later
"""An NS2 level made on the spot for benchmarks: as big as wanted, the same for the same arguments."""

from __future__ import annotations

import numpy as np

from formats import ns2
from formats.ns2 import FaceLayers, Faces, GeometryGroups, GroupTable

MATERIALS, GROUPS, LAYERS, SMOOTH = 8, 3, 4, 5
"""How many materials, groups and layers the faces are of; one edge in SMOOTH is smooth."""


def ground(side: int) -> bytes:
    """A waved floor of side x side quads (four corners each) with materials, textures laid in many ways, smooth edges,
    layers and groups; of version 10, with the triangles and normals that the editor would give it.
    """
    random = np.random.default_rng(0)
    z, x = (axis.ravel() for axis in np.mgrid[0 : side + 1, 0 : side + 1])
    level = ns2.new_level()
    mesh = level.mesh
    mesh.materials = [f"materials/generated/ground_{number}.material" for number in range(MATERIALS)]
    mesh.vertices = ns2.new_vertices(np.column_stack([x, np.sin(x / 9) * 2, z]).astype(np.float32) * 0.8128)

    point = (z * (side + 1) + x).reshape(side + 1, side + 1)
    along_x = np.column_stack([point[:, :-1].ravel(), point[:, 1:].ravel()])
    along_z = np.column_stack([point[:-1].ravel(), point[1:].ravel()])
    smooth = random.integers(0, SMOOTH, len(along_x) + len(along_z)) == 0
    mesh.edges = ns2.new_edges(np.concatenate([along_x, along_z]), smooth.astype(np.uint8))

    count = side * side
    x_edge = np.arange(len(along_x)).reshape(side + 1, side)
    z_edge = len(along_x) + np.arange(len(along_z)).reshape(side, side + 1)
    members = np.zeros((count, 4), ns2.MEMBER)
    members["edge"] = np.stack([z_edge[:, :-1], x_edge[1:], z_edge[:, 1:], x_edge[:-1]], axis=2).reshape(count, 4)
    members["flipped"] = (0, 0, 1, 1)
    records = ns2.new_faces(count)
    records["material"] = random.integers(0, MATERIALS, count)
    records["angle"] = random.choice([0.0, 0.5, 1.5707964], count)
    records["offset"] = random.random((count, 2))
    records["scale"] = random.choice([0.30758, -0.30758, 0.61516], (count, 2))
    mesh.faces = Faces(records, np.arange(count + 1), np.arange(count + 1) * 4, members.reshape(-1))

    masks = np.zeros((count, 8), np.uint32)
    masks[:, 0] = 1 << random.integers(1, 1 + LAYERS, count)
    mesh.face_layers = FaceLayers.of(masks)
    groups = random.integers(1, 1 + GROUPS, count).astype(np.uint32)
    none = GroupTable.of(np.zeros(0, np.uint32))
    mesh.geometry_groups = GeometryGroups(none, none, GroupTable.of(groups))
    mesh.triangles = ns2.triangles_of(mesh)
    level.layers = [ns2.Layer(f"Layer {number}", number) for number in range(1, 1 + LAYERS)]
    level.groups = [ns2.Group(f"Group {number}", number) for number in range(1, 1 + GROUPS)]
    return ns2.write(level)
