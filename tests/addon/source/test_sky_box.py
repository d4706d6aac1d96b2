# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D skybox of real maps: the faces of the sky camera's area, in the size and place of the game."""

from pathlib import Path

import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity
from levelwright.addon.source import layout
from levelwright.addon.source.sky import box
from levelwright.formats import source
from levelwright.formats.source.tree.leaf_tree import LeafTree

from tests.addon.source.placed import a_map, objects, shown


@pytest.mark.parametrize(("name", "hills"), [("gm_oasis", 0), ("rc_pyramid", 0), ("trade_weed420-3sb", 8)])
def test_the_camera_is_the_worlds_middle(corpus: Path, name: str, hills: int):
    path = next(corpus.glob(f"bsp/*/{name}.bsp"), None)
    if path is None:
        pytest.skip(f"the corpus has no {name}")
    data = path.read_bytes()
    level = source.read(data)
    camera = next(level.entities.of_class("sky_camera"))
    collection, report = shown(data, lightmaps="none")
    assert not [warning for warning in report.warnings if "skybox" in warning]
    made = objects(collection, layout.PREVIEW)
    root = made.pop(0)
    scale = float(camera.get("scale"))
    assert tuple(root.scale) == (scale,) * 3
    assert np.allclose(np.array(root.location) / -scale, camera.origin)
    assert root.users_collection[0].name == box.HOME
    assert made
    assert all(obj.parent == root for obj in made.values())
    assert sum(obj.name.startswith("Displacement") for obj in made.values()) == hills  # no leaf lists their faces
    tree = LeafTree(level)
    areas = level.table(source.LumpId.LEAFS)["area_flags"].astype(int) & 511
    (home,) = areas[tree.of_points(np.array([camera.origin]))]
    props = [obj for obj in made.values() if obj.name.startswith("Prop ")]
    places = level.static_props.props["origin"].astype(np.float64)
    assert len(props) == (areas[tree.of_points(places)] == home).sum()
    for obj in made.values():
        read = meshes.read(obj)
        if obj in props or read.attribute(layout.TEXINFO, "FACE") is None:
            continue  # what follows is about the mesh of faces
        sizes = np.diff(read.face_starts, append=len(read.corner_verts))
        sums = np.add.reduceat(read.positions[read.corner_verts].astype(np.float64), read.face_starts)
        normals = np.array([polygon.normal[:] for polygon in obj.data.polygons])
        around = areas[tree.of_points(sums / sizes[:, None] + normals)]
        assert (around == home).mean() > 0.9  # faces that lie in several leafs may have their middle elsewhere


def test_joined_displacements_are_shown(corpus: Path):
    path = next(corpus.glob("bsp/*/trade_weed420-3sb.bsp"), None)
    if path is None:
        pytest.skip("the corpus has no trade_weed420-3sb")
    sums = []
    for mode in ("each", "joined"):
        settings = {"lightmaps": "none", "static_props": "none", "displacements": mode}
        made = objects(shown(path.read_bytes(), **settings)[0], layout.PREVIEW)
        hills = [obj for obj in made.values() if obj.data is not None and layout.ALPHA in obj.data.attributes]
        assert len(hills) == (8 if mode == "each" else 1)
        places = np.concatenate([meshes.read(obj).positions for obj in hills])
        sums.append((sum(len(obj.data.polygons) for obj in hills), places[np.lexsort(places.T)]))
    assert sums[0][0] == sums[1][0]
    np.testing.assert_array_equal(sums[0][1], sums[1][1])


def test_copies_are_of_no_record(corpus: Path):
    path = next(corpus.glob("bsp/*/trade_weed420-3sb.bsp"), None)
    if path is None:
        pytest.skip("the corpus has no trade_weed420-3sb")
    data = path.read_bytes()
    collection, _ = shown(data, lightmaps="none")
    assert len(objects(collection, layout.STATIC_PROP)) == len(source.read(data).static_props.props)
    for obj in objects(collection, layout.PREVIEW).values():
        assert list(obj.keys()) == [identity.STAMP]


def test_entities_are_shown(corpus: Path):
    path = next(corpus.glob("bsp/Corcho*/wall.bsp"), None)
    if path is None:
        pytest.skip("the corpus has no wall")
    collection, _ = shown(path.read_bytes(), lightmaps="none")
    classes = {obj.data: obj["classname"] for obj in objects(collection, layout.ENTITY).values()}
    made = objects(collection, layout.PREVIEW)
    assert [classes[obj.data] for obj in made.values() if obj.data in classes and obj.data] == ["func_illusionary"]


@pytest.mark.parametrize("classname", ["light", "sky_camera"])
def test_a_map_without_one_or_without_leafs(classname: str):
    collection, _ = shown(a_map([[("classname", classname), ("origin", "0 0 0")]]))
    assert objects(collection, layout.PREVIEW) == {}
