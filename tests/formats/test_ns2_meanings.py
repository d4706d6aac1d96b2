# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing levels tells which faces are others; what only has other numbers is one line a table."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from formats import diff, ns2
from formats.ns2.triangles import GroupTable

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "ns2_room.level"


def told(level: ns2.Level) -> tuple[list[str], list[str]]:
    """What is other, and what only has other numbers."""
    found = list(diff.compare(SAMPLE.read_bytes(), ns2.write(level)))
    return [str(one) for one in found if not one.is_numbering], [one.place for one in found if one.is_numbering]


def test_a_face_that_is_gone_is_told_by_its_number() -> None:
    level = ns2.read(SAMPLE.read_bytes())
    mesh = level.mesh
    kept = np.arange(len(mesh.faces)) != 1
    mesh.faces = mesh.faces.take(kept)
    mesh.face_layers = replace(mesh.face_layers, has=mesh.face_layers.has[kept], masks=mesh.face_layers.masks[kept])
    assert mesh.triangles is not None
    mesh.triangles = mesh.triangles.take(kept)
    groups = mesh.geometry_groups
    mesh.geometry_groups = replace(groups, faces=GroupTable.of(groups.faces.assignment(len(kept))[kept]))
    other, numbering = told(level)
    assert [line.partition(":")[0] for line in other if "mesh.faces" in line] == ["- mesh.faces[1]"]
    assert not [line for line in other if line.startswith("  mesh.") and "groups" not in line], other
    assert {"mesh.faces", "mesh.loops", "mesh.members of loops"} <= set(numbering)


def test_vertices_and_edges_in_another_order_are_only_renumbered() -> None:
    level = ns2.read(SAMPLE.read_bytes())
    mesh, faces = level.mesh, level.mesh.faces
    vertices, edges, members = mesh.vertices, mesh.edges.copy(), faces.members.copy()
    edges["vertices"] = len(vertices) - 1 - edges["vertices"].astype(np.int64)
    members["edge"] = len(edges) - 1 - members["edge"].astype(np.int64)
    assert mesh.triangles is not None
    table = mesh.triangles.triangles.copy()
    own = table["vertices"] < len(vertices)
    table["vertices"][own] = len(vertices) - 1 - table["vertices"][own]
    mesh.vertices, mesh.edges = vertices[::-1].copy(), edges[::-1].copy()
    mesh.faces = replace(faces, members=members)
    mesh.triangles = replace(mesh.triangles, triangles=table)
    other, numbering = told(level)
    assert not [line for line in other if "mesh.geometry groups" not in line], other
    assert {"mesh.vertices", "mesh.edges", "mesh.members of loops", "mesh.triangles.triangles"} <= set(numbering)


def test_a_field_of_a_face_is_told_as_itself() -> None:
    level = ns2.read(SAMPLE.read_bytes())
    records = level.mesh.faces.records.copy()
    records["offset"][2] += 0.5
    level.mesh.faces = replace(level.mesh.faces, records=records)
    other, numbering = told(level)
    assert len(other) == 1 and other[0].startswith("  mesh.faces[2].offset: ")
    assert numbering == []


def test_a_moved_vertex_is_told_with_its_faces_and_not_with_what_joins_them() -> None:
    level = ns2.read(SAMPLE.read_bytes())
    vertices = level.mesh.vertices.copy()
    vertices["position"][3] += 0.25
    level.mesh.vertices = vertices
    other, numbering = told(level)
    assert other[0].startswith("  mesh.vertices[3].position: ")
    assert len(other) > 1 and all(line.startswith("  mesh.faces[") and "other rows" in line for line in other[1:])
    assert numbering == []
