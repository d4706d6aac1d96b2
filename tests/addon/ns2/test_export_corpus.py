# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels: unedited the same bytes, however they are opened; edited only what was edited."""

import hashlib
import shutil
import sys
from pathlib import Path

import bmesh
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

from tests.addon import blenders
from tests.addon.ns2.export_helpers import CORPUS, changed, edited, exported, geometry, imported, loops

FILES = sorted(path for path in CORPUS.rglob("*.level") if path.stat().st_size > 5) if CORPUS.is_dir() else []
SMALL, QUICK = [path for path in FILES if path.stat().st_size < 120_000], 46_000
"""Levels that are edited, and below how many bytes the quick run tries one, too."""


def params(paths: list[Path]) -> list[object]:
    """The paths; all but the smallest files are slow."""
    return [path if path.stat().st_size < QUICK else pytest.param(path, marks=pytest.mark.slow) for path in paths]


pytestmark = pytest.mark.skipif(not FILES, reason="../shared/corpus/ns2 isn't there")


@pytest.mark.parametrize("path", params(FILES), ids=lambda path: path.stem)
def test_unedited_real_levels_are_the_same_bytes(path):
    data, report = path.read_bytes(), Report()
    assert exported(imported(data, path.name, props="boxes"), report) == data
    assert not report.notes


@pytest.mark.parametrize("settings", [{"split": "layer"}, {"split": "group", "loose_edges": True}], ids=str)
@pytest.mark.parametrize("path", params(SMALL), ids=lambda path: path.stem)
def test_in_several_objects_too(path, settings):
    data = path.read_bytes()
    assert exported(imported(data, path.name, **settings)) == data


SAVE = """
import hashlib, json
from pathlib import Path
from levelwright.addon.ns2.importer import import_level
from levelwright.addon.ns2.settings import ImportSettings
from levelwright.addon.scene.reports import Report
load().register()
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
result = []
for file in sys.argv[2:]:
    import_level(bpy.context, Path(file).read_bytes(), Path(file).name, ImportSettings(props="boxes"), Report())
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
"""
EXPORT = """
import hashlib
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.settings import ExportSettings
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
load().register()
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
result = {}
for level in originals.levels(bpy.context.scene):
    report = Report()
    data = export_level(bpy.context, level, ExportSettings(), report)
    result[originals.describe(level).file_name] = [hashlib.sha256(data).hexdigest(), report.notes]
"""


@pytest.mark.slow
@pytest.mark.parametrize("python", blenders.pythons(), ids=blenders.name)
def test_saved_and_opened_again_they_are_the_same_bytes(python, tmp_path):
    files, blend = [], tmp_path / "levels.blend"
    # Another process of this Blender opens all levels, other Blenders some.
    chosen = FILES if python == sys.executable else [*SMALL[::4], *FILES[::11]]
    for number, path in enumerate(chosen):  # levels of the same name in one .blend
        files.append(shutil.copy(path, tmp_path / f"{number:02} {path.name}"))
    blenders.run(SAVE, blend, *files)
    found = blenders.run(EXPORT, blend, python=python)
    assert found == {Path(file).name: [hashlib.sha256(Path(file).read_bytes()).hexdigest(), []] for file in files}


@pytest.mark.parametrize("path", params(SMALL), ids=lambda path: path.stem)
def test_only_the_faces_at_a_vertex_that_moved_are_drawn_otherwise(path):
    data = path.read_bytes()
    level = imported(data, path.name)
    with edited(geometry(level)) as mesh:
        layer = mesh.verts.layers.int["vertex_id"]
        corner = mesh.verts[len(mesh.verts) // 2]
        record = corner[layer] - 1
        corner.co.z += 0.125
    after = exported(level)
    found = changed(data, after)
    assert found.pop("vertices") == [record]
    before = ns2.read(data)
    at = {face for face, own in enumerate(loops(before)) if any(record in loop for loop in own)}
    smooth = set(np.flatnonzero(before.mesh.smooth).tolist())
    around = set()
    for face in at:
        own = before.mesh.faces.take([face]).members["edge"].tolist()
        around |= set(own) & smooth
    edges, owners = before.mesh.faces.members["edge"], before.mesh.faces.loop_faces[before.mesh.faces.member_loops]
    at |= set(owners[np.isin(edges, list(around))].tolist())
    welded = _faces_drawn_with(before, record)
    assert set(found.pop("triangles", [])) <= at | welded
    assert set(found.pop("records", [])) <= at
    assert not found


def _faces_drawn_with(level: ns2.Level, vertex: int) -> set[int]:
    """Faces whose triangles have a vertex: older editors weld vertices of the same place."""
    table = level.mesh.triangles
    owners = np.repeat(np.arange(len(level.mesh.faces)), np.diff(table.face_triangles))
    return set(owners[(table.triangles["vertices"] == vertex).any(axis=1)].tolist())


@pytest.mark.parametrize("path", params(SMALL), ids=lambda path: path.stem)
def test_all_faces_deleted_but_some_leaves_those_as_they_were(path):
    data = path.read_bytes()
    level = imported(data, path.name, invisible="show")
    with edited(geometry(level)) as mesh:
        ids = mesh.faces.layers.int["record_id"]
        kept = {face[ids] for face in mesh.faces[: max(len(mesh.faces) // 3, 1)]}
        bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face[ids] not in kept], context="FACES")
    after, before = ns2.read(exported(level)), ns2.read(data)
    old, new = before.mesh, after.mesh
    points = [[old.positions[list(loop)].tolist() for loop in face] for face in loops(before)]
    left = {repr([new.positions[list(loop)].tolist() for loop in face]) for face in loops(after)}
    assert {repr(points[number]) for number in (one - 1 for one in kept)} <= left
    assert len(new.faces) < len(old.faces) or len(kept) == len(old.faces)
    assert new.triangles is None or len(new.triangles.face_triangles) == len(new.faces) + 1
    errors = [problem.message for problem in ns2.check(after) if problem.severity == "error"]
    assert set(errors) <= {problem.message for problem in ns2.check(before) if problem.severity == "error"}


def test_a_cut_through_a_whole_real_level_keeps_its_area():
    path = next(path for path in FILES if "pg_worktitle" in path.name)
    data = path.read_bytes()
    level = imported(data, path.name, invisible="show")
    with edited(geometry(level)) as mesh:
        middle = np.mean([corner.co[:] for corner in mesh.verts], axis=0)
        everything = [*mesh.verts, *mesh.edges, *mesh.faces]
        bmesh.ops.bisect_plane(mesh, geom=everything, plane_co=middle + 0.013, plane_no=(1, 0.3, 0.2))
    after = ns2.read(exported(level))
    assert len(after.mesh.faces) > len(ns2.read(data).mesh.faces)
    assert _area(after) == pytest.approx(_area(ns2.read(data)), rel=1e-3)


def _area(level: ns2.Level) -> float:
    table = level.mesh.triangles.triangles["vertices"]
    points = level.mesh.positions.astype(float)[table[(table < len(level.mesh.vertices)).all(axis=1)]]
    return float(np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]), axis=1).sum() / 2)
