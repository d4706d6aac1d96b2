# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits of random kinds: what is written is sound, is shown again as it was, and is the same once more."""

import random

import bmesh
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2
from mathutils import Matrix, Vector

from tests.addon.ns2.export_helpers import CORPUS, edited, exported, geometry, imported, loops
from tests.formats.ns2_bytes import whole
from tests.fuzz.driver import Fuzzer, try_all
from tests.fuzz.scenes import empty_file


def some(elements, rng: random.Random, most: int = 4) -> list:
    listed = list(elements)
    return rng.sample(listed, min(len(listed), rng.randint(1, most)))


def vector(rng: random.Random, size: float = 1.0) -> Vector:
    return Vector(rng.uniform(-size, size) for _ in range(3))


def closed(chosen) -> list:
    """Faces with their edges and vertices."""
    faces = list(chosen)
    return [*faces, *{e for f in faces for e in f.edges}, *{v for f in faces for v in f.verts}]


def move(mesh, rng):
    bmesh.ops.translate(mesh, verts=some(mesh.verts, rng), vec=vector(rng))


def delete(mesh, rng):
    kind = rng.choice(("VERTS", "EDGES", "FACES_ONLY", "FACES"))
    elements = {"VERTS": mesh.verts, "EDGES": mesh.edges}.get(kind, mesh.faces)
    bmesh.ops.delete(mesh, geom=some(elements, rng, 2), context=kind)


def knife(mesh, rng):
    bmesh.ops.bisect_plane(
        mesh, geom=closed(some(mesh.faces, rng)), plane_co=vector(rng, 3) + Vector((2, 2, 0)), plane_no=vector(rng)
    )


def extrude(mesh, rng):
    made = bmesh.ops.extrude_face_region(mesh, geom=some(mesh.faces, rng, 2))["geom"]
    bmesh.ops.translate(mesh, verts=[each for each in made if isinstance(each, bmesh.types.BMVert)], vec=vector(rng))


def inset(mesh, rng):
    bmesh.ops.inset_individual(mesh, faces=some(mesh.faces, rng, 2), thickness=0.1)


def subdivide(mesh, rng):
    bmesh.ops.subdivide_edges(mesh, edges=some(mesh.edges, rng), cuts=rng.randint(1, 2), use_grid_fill=True)


def bevel(mesh, rng):
    bmesh.ops.bevel(mesh, geom=some(mesh.edges, rng, 2), offset=0.1, segments=1, affect="EDGES", profile=0.5)


def duplicate(mesh, rng):
    made = bmesh.ops.duplicate(mesh, geom=closed(some(mesh.faces, rng)))["geom"]
    points = [each for each in made if isinstance(each, bmesh.types.BMVert)]
    bmesh.ops.transform(mesh, verts=points, matrix=Matrix.Rotation(rng.uniform(-3, 3), 4, vector(rng)))


def merge(mesh, rng):
    bmesh.ops.pointmerge(mesh, verts=some(mesh.verts, rng, 2), merge_co=vector(rng))


def dissolve(mesh, rng):
    bmesh.ops.dissolve_edges(mesh, edges=some(mesh.edges, rng, 2), use_verts=rng.random() < 0.5)


def triangulate(mesh, rng):
    bmesh.ops.triangulate(mesh, faces=some(mesh.faces, rng))


def reverse(mesh, rng):
    bmesh.ops.reverse_faces(mesh, faces=some(mesh.faces, rng))


def remap(mesh, rng):
    layer = mesh.loops.layers.uv["UVMap"]
    shift = Vector((rng.uniform(-2, 2), rng.uniform(-2, 2)))
    for face in some(mesh.faces, rng):
        for corner in face.loops:
            corner[layer].uv += shift


def shade(mesh, rng):
    for face in some(mesh.faces, rng):
        face.smooth = not face.smooth
    for edge in some(mesh.edges, rng):
        edge.smooth = not edge.smooth


def mark(mesh, rng):
    if not hasattr(mesh.edges.layers, "bool"):  # Blender 4.2
        shade(mesh, rng)
        return
    layer = mesh.edges.layers.bool["bridge"]
    for edge in some(mesh.edges, rng):
        edge[layer] = not edge[layer]


EDITS = (
    move, delete, knife, extrude, inset, subdivide, bevel, duplicate, merge, dissolve, triangulate, reverse, remap,
    shade, mark,
)  # fmt: skip


def chained(level: ns2.Level) -> bool:
    """Whether each member of a loop ends where the next one starts."""
    starts = level.mesh.faces.loop_members
    following = np.arange(1, starts[-1] + 1)
    following[starts[1:] - 1] = starts[:-1]
    return bool((level.mesh.ends == level.mesh.corners[following]).all())


def check(data: bytes, seed: int) -> None:
    """Edit a level, export it, and open what was written."""
    rng = random.Random(seed)
    level = imported(data, "fuzz.level", invisible="show", entities=False)
    for _ in range(rng.randint(1, 5)):
        with edited(geometry(level)) as mesh:
            if mesh.faces:
                rng.choice(EDITS)(mesh, rng)
    try:
        made = exported(level, uneven_uvs="nearest")
    except SceneError as error:
        pytest.fail(f"{seed}: {error}")
    assert exported(level, uneven_uvs="nearest") == made
    after, before = ns2.read(made), ns2.read(data)
    errors = {problem.message for problem in ns2.check(after) if problem.severity == "error"}
    assert errors <= {problem.message for problem in ns2.check(before) if problem.severity == "error"}
    mesh = after.mesh
    assert chained(after) or not chained(before)
    assert len(mesh.triangles.face_triangles) == len(mesh.faces) + 1
    # What was written is what is shown: opened again and written, it is the same.
    report = Report()
    again = imported(made, "again.level", entities=False)
    assert exported(again, report) == made
    assert len(loops(after)) == len(mesh.faces)


def try_edits(seed: int) -> bool:
    """Edit a level with holes; whatever was done to it can be exported."""
    check(whole(random.Random(seed).choice((6, 7, 9, 10))), seed)
    return True


FUZZER = Fuzzer(
    mutation=lambda seed: seed,
    attempt=try_edits,
    accepted=(1.0, 1.0),
    prepare=empty_file,
    memory=None,
    quick=(range(30),),
    thorough=range(30, 75),
)


@pytest.mark.parametrize("seeds", [*FUZZER.quick, pytest.param(FUZZER.thorough, marks=pytest.mark.slow)])
def test_random_edits_of_a_level_with_holes(seeds: range) -> None:
    try_all(FUZZER, seeds)


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_of_real_levels(seed):
    files = sorted(path for path in CORPUS.rglob("*.level") if 5 < path.stat().st_size < 60_000)
    if not files:
        pytest.skip("../shared/corpus/ns2 isn't there")
    check(files[seed * 7 % len(files)].read_bytes(), 1000 + seed)
