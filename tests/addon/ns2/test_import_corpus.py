# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels: all of them open, with the faces that the game draws, and nothing for Blender to mend."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import importer, layout
from levelwright.addon.ns2.layers import visibility
from levelwright.addon.ns2.settings import ImportSettings
from levelwright.addon.scene import attributes
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2
from levelwright.formats.ns2.polygons import Fault

from tests.conftest import CORPUS

FILES = sorted((CORPUS / "ns2").glob("*/*.level"))
UNREADABLE = "ns2_eem_test_level.8a59bedb.level"
"""Five bytes."""

pytestmark = pytest.mark.skipif(not FILES, reason="no corpus of real levels beside this repository (../shared/corpus)")


def drawn_areas(mesh: ns2.Mesh) -> np.ndarray:
    """The area of each face's triangles as a vector, Blender's axes; NaN where one names a vertex that isn't there.

    Of a face that is bent, that doesn't depend on how it is cut.
    """
    triangles = mesh.triangles
    points = np.concatenate([mesh.positions, triangles.ghosts, np.full((1, 3), np.nan, np.float32)]).astype(float)
    a, b, c = (points[np.minimum(triangles.triangles["vertices"][:, n], len(points) - 1)] for n in range(3))
    areas = layout.to_blender(np.cross(b - a, c - a) / 2)
    owners = np.repeat(np.arange(len(mesh.faces)), np.diff(triangles.face_triangles))
    return np.stack([np.bincount(owners, areas[:, axis], len(mesh.faces)) for axis in range(3)], axis=1)


def shown_areas(obj: bpy.types.Object, count: int) -> np.ndarray:
    """The same of each face's polygons."""
    polygons = obj.data.polygons
    areas, normals = np.zeros(len(polygons), np.float32), np.zeros((len(polygons), 3), np.float32)
    polygons.foreach_get("area", areas)
    polygons.foreach_get("normal", normals.reshape(-1))
    faces, vectors = attributes.read(obj.data, identity.ID) - 1, normals * areas[:, None]
    return np.stack([np.bincount(faces, vectors[:, axis], count) for axis in range(3)], axis=1)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_level_opens_with_the_faces_that_the_game_draws(file: Path) -> None:
    data = file.read_bytes()
    if file.name == UNREADABLE:
        with pytest.raises(RuntimeError, match="1 bytes behind the last chunk"):
            bpy.ops.import_scene.ns2_level(filepath=str(file))
        return
    level = importer.import_level(bpy.context, data, file, ImportSettings(entities=False), Report())
    (obj,) = visibility.geometry(level)
    assert not obj.data.copy().validate(), "Blender finds nothing to mend"
    mesh, shown = ns2.read(data).mesh, layout.shown(level)
    missing = ~np.isin(shown.faults, (Fault.NONE, Fault.PARTLY))
    assert np.array_equal(np.setdiff1d(np.arange(len(mesh.faces)), shown.faces), np.flatnonzero(missing))
    assert np.count_nonzero(missing) <= max(0.05 * len(mesh.faces), 3)
    drawn = drawn_areas(mesh)
    size = np.sqrt((drawn**2).sum(axis=1))
    sound = np.isfinite(size) & (size > 0.01) & ~missing
    apart = np.sqrt(((shown_areas(obj, len(mesh.faces)) - drawn) ** 2).sum(axis=1))
    different = apart[sound] > 0.02 * size[sound]
    assert np.count_nonzero(different) <= max(0.005 * np.count_nonzero(sound), 10)


@pytest.mark.parametrize("split", ["group", "layer"])
def test_split_levels_have_the_same_faces(split: str) -> None:
    file = next(file for file in FILES if file.name.startswith("ns2_dmd_bast.21"))
    whole, parts = (
        importer.import_level(bpy.context, file.read_bytes(), file, ImportSettings(entities=False, split=one), Report())
        for one in ("none", split)
    )
    count = len(ns2.read(file.read_bytes()).mesh.faces)
    of_parts = sum(shown_areas(obj, count) for obj in visibility.geometry(parts))
    assert len(visibility.geometry(parts)) > 1
    assert np.allclose(of_parts, shown_areas(*visibility.geometry(whole), count), rtol=1e-5, atol=1e-5)
    assert not any(obj.data.copy().validate() for obj in visibility.geometry(parts))
