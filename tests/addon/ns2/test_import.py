# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import makes of a level's faces, layers and groups. The levels are built byte by byte, not by our writer."""

import math
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import importer, layout
from levelwright.addon.ns2.layers import lists, visibility
from levelwright.addon.ns2.layers.collect import collect_lists
from levelwright.addon.ns2.settings import ImportSettings
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2
from levelwright.formats.binary import FormatError
from levelwright.formats.ns2.polygons import Fault

from tests.formats import ns2_bytes as nb

WHOLE = nb.whole(10)


def imported(data: bytes = WHOLE, report: Report | None = None, **settings) -> bpy.types.Collection:
    level = importer.import_level(bpy.context, data, "x.level", ImportSettings(**settings), report or Report())
    bpy.context.view_layer.update()
    return level


def geometry_of(level: bpy.types.Collection) -> bpy.types.Object:
    (found,) = visibility.geometry(level)
    return found


def values(obj: bpy.types.Object, name: str) -> np.ndarray:
    found = attributes.read(obj.data, name)
    assert found is not None, name
    return found


def face_ids(obj: bpy.types.Object) -> np.ndarray:
    return values(obj, identity.ID) - 1


def area(obj: bpy.types.Object, face: int) -> float:
    polygons = [obj.data.polygons[index] for index in np.flatnonzero(face_ids(obj) == face)]
    return sum(polygon.area for polygon in polygons)


def level_of(shape: nb.Shape, version: int = 10, **parts) -> bytes:
    return nb.level(version, mesh=nb.mesh(version, shape), **parts)


@pytest.mark.parametrize("version", [4, 6, 7, 9, 10])
def test_a_level_of_each_version_stands_where_it_is(version: int) -> None:
    obj = geometry_of(imported(nb.whole(version)))
    numbers = values(obj, layout.VERTEX_ID) - 1
    points = np.array(nb.HOLED.points, np.float32)[numbers]
    assert np.array_equal(values(obj, "position"), points[:, [2, 0, 1]])
    token = originals.describe(bpy.context.scene.collection.children[0]).token
    with visibility.nothing_hidden(bpy.context.scene.collection.children[0]):
        assert np.array_equal(layout.vertex_ids(meshes.read(obj), token), numbers + 1)
    assert np.array_equal(identity.read_ids(obj.data, "FACE", token), face_ids(obj) + 1)


def test_holes_are_open_and_their_cuts_are_marked() -> None:
    obj = geometry_of(imported())
    assert area(obj, 0) == pytest.approx(12), "16 without the hole's 4"
    assert area(obj, 1) == pytest.approx(4)
    assert not obj.data.copy().validate(), "Blender finds nothing to mend"
    bridges = np.flatnonzero(values(obj, layout.BRIDGE))
    assert len(bridges)
    edges = np.array([edge.vertices[:] for edge in obj.data.edges])
    numbers = values(obj, layout.VERTEX_ID) - 1
    of_file = {tuple(sorted(edge)) for edge in nb.HOLED.edges}
    for edge in range(len(edges)):
        assert (tuple(sorted(numbers[edges[edge]])) in of_file) == (edge not in bridges)
    inner = [set(polygon.edge_keys) for polygon in obj.data.polygons]
    for bridge in bridges:
        assert sum(tuple(sorted(edges[bridge].tolist())) in keys for keys in inner) == 2


def test_faces_look_to_their_visible_side() -> None:
    obj = geometry_of(imported())
    normals = {face: obj.data.polygons[index].normal[:] for index, face in enumerate(face_ids(obj))}
    assert normals[0] == pytest.approx((0, 0, 1))
    assert normals[1] == pytest.approx((0, 0, 1))


def test_textures_lie_as_the_formula_says() -> None:
    obj = geometry_of(imported())
    uv, corners = values(obj, layout.UV), values(obj, ".corner_vert")
    numbers = (values(obj, layout.VERTEX_ID) - 1)[corners]
    faces = np.repeat(face_ids(obj), [polygon.loop_total for polygon in obj.data.polygons])
    for face, angle, scale, offset in (
        (0, 0.5, (1.0, 2.0), (0.25, 0.75)),  # those of its mapping group
        (2, 0.0, (0.30758, -0.30758), (0.25, 0.0)),
    ):
        for corner in np.flatnonzero(faces == face):
            x, y, z = nb.HOLED.points[numbers[corner]]
            s, t = (z, x) if face == 0 else (z, y)
            u = (s * math.cos(angle) - t * math.sin(angle)) * scale[0] + offset[0]
            v = (s * math.sin(angle) + t * math.cos(angle)) * scale[1] - offset[1]
            assert uv[corner] == pytest.approx((u, v) if face == 0 else (uv[corner][0], v), abs=1e-5)
    assert (uv[faces == 1] == 0).all(), "its angle is no number"


def test_smooth_edges_are_smooth_and_all_else_is_hard() -> None:
    obj = geometry_of(imported())
    flat, sharp = values(obj, "sharp_face"), values(obj, "sharp_edge")
    faces = face_ids(obj)
    assert flat[faces == 1].all()
    assert not flat[faces == 2].any()
    numbers = values(obj, layout.VERTEX_ID) - 1
    polygons = [(set(polygon.edge_keys), flat[polygon.index]) for polygon in obj.data.polygons]
    smooth = set()
    for edge in obj.data.edges:
        touching = [is_flat for keys, is_flat in polygons if edge.key in keys]
        if not sharp[edge.index] and not any(touching) and not values(obj, layout.BRIDGE)[edge.index]:
            smooth.add(tuple(sorted(numbers[list(edge.key)].tolist())))
    assert smooth == {(0, 1)}
    normals = np.array([corner.vector[:] for corner in obj.data.corner_normals])
    rounded = [
        normals[loop]
        for polygon in obj.data.polygons
        if faces[polygon.index] == 2
        for loop in polygon.loop_indices
        if numbers[obj.data.loops[loop].vertex_index] in (0, 1)
    ]
    half = math.sqrt(0.5)
    assert np.allclose(np.abs(rounded), (0, half, half), atol=1e-4), "half way between the floor and the wall"


def test_layers_groups_and_materials_are_attributes() -> None:
    obj = geometry_of(imported())
    faces = face_ids(obj)
    assert (values(obj, "layers_0")[faces == 0] == 1 << 3).all()
    assert (values(obj, "layers_6")[faces == 0] == 1 << 8).all(), "layer 200"
    assert (values(obj, "layers_6")[faces == 1] == 0).all()
    assert obj.data.attributes.get("layers_1") is None
    assert (values(obj, layout.FACE_GROUP) == np.array([1, 0, 1])[faces]).all()
    assert (values(obj, layout.MAPPING_GROUP) == np.array([7, 0, 0])[faces]).all()
    numbers = values(obj, layout.VERTEX_ID) - 1
    assert values(obj, layout.VERTEX_GROUP)[np.argsort(numbers)].tolist() == [1, 0, 0, 1, 0, 0, 0, 0, 0, 2]
    assert np.count_nonzero(values(obj, layout.EDGE_GROUP)) == 1
    names = [material[layout.MATERIAL] for material in obj.data.materials]
    assert names == list(nb.HOLED.materials)
    assert (values(obj, "material_index") == np.array([0, 1, 0])[faces]).all()


@pytest.mark.parametrize(("split", "count"), [("none", 1), ("group", 2), ("layer", 3)])
def test_faces_are_split_into_objects(split: str, count: int) -> None:
    objects = visibility.geometry(imported(split=split))
    assert len(objects) == count
    found = np.sort(np.concatenate([np.unique(face_ids(obj)) for obj in objects]))
    assert found.tolist() == [0, 1, 2]
    assert sum(area(obj, face) for obj in objects for face in (0, 1)) == pytest.approx(16)
    for obj in objects:
        assert not obj.data.copy().validate()
        used = {obj.data.materials[slot][layout.MATERIAL] for slot in values(obj, "material_index")}
        assert used == {material[layout.MATERIAL] for material in obj.data.materials} or split == "none"


def test_edges_without_a_face_are_kept_and_shown_when_asked() -> None:
    shape = replace(nb.HOLED, edges=(*nb.HOLED.edges, (8, 2), (5, 5)))
    data = level_of(shape)
    report = Report()
    hidden = geometry_of(imported(data, report))
    assert any("2 edges without a face" in note for note in report.notes)
    shown = geometry_of(imported(data, loose_edges=True))
    assert len(shown.data.edges) == len(hidden.data.edges) + 1, "one of them has no length"
    assert not shown.data.copy().validate()


def test_edges_between_the_same_vertices_are_shown_as_one() -> None:
    # Edges 11 and 12 are doubles of 0; face 2 uses 12.
    faces = (*nb.HOLED.faces[:2], replace(nb.HOLED.faces[2], loops=[[(1, 12), (0, 9), (0, 8), (0, 10)]]))
    shape = replace(nb.HOLED, edges=(*nb.HOLED.edges, (0, 1), (0, 1)), faces=faces)
    obj = geometry_of(imported(level_of(shape)))
    assert not obj.data.copy().validate()


def test_what_cannot_be_shown_is_counted() -> None:
    shape = replace(nb.HOLED, faces=(*nb.HOLED.faces, nb.HOLED.faces[1], nb.Face([[(0, 0), (1, 0)]])))
    report = Report()
    level = imported(level_of(shape), report)
    assert "left out: 1 face with fewer than three corners, 1 face with the same vertices" in report.summary()
    shown = layout.shown(level)
    assert shown.faults.tolist() == [0, 0, 0, Fault.TWIN, Fault.TOO_FEW]
    assert set(face_ids(geometry_of(level))) == {0, 1, 2}


@pytest.mark.parametrize("split", ["group", "layer"])
def test_a_level_of_which_no_face_can_be_shown_is_split_into_nothing(split: str) -> None:
    thin = nb.Face([[(0, 0), (1, 0)]], layers=nb.mask(1))
    data = level_of(replace(nb.HOLED, faces=(thin,), groups=((), (), ((1, (0,)),))))
    level = importer.import_level(bpy.context, data, "x.level", ImportSettings(split=split), Report())
    assert len(geometry_of(level).data.polygons) == 0


def test_places_that_are_no_numbers_are_told_and_lie_at_the_middle() -> None:
    points = ((float("nan"), float("inf"), 0), *nb.HOLED.points[1:])
    report = Report()
    obj = geometry_of(imported(level_of(replace(nb.HOLED, points=points)), report))
    assert any("aren't finite" in warning for warning in report.warnings)
    numbers = values(obj, layout.VERTEX_ID) - 1
    assert values(obj, "position")[numbers == 0].tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("version", [4, 10])
def test_an_empty_level_is_a_level(version: int) -> None:
    level = imported(nb.level(version))
    assert len(geometry_of(level).data.polygons) == 0


def test_members_that_name_no_edge_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    file = tmp_path / "broken.level"
    file.write_bytes(level_of(replace(nb.HOLED, faces=(nb.Face([[(0, 99), (0, 1), (0, 2)]]),))))
    with pytest.raises(FormatError, match="names edge 99"):
        importer.import_level(bpy.context, file.read_bytes(), file, ImportSettings(), Report())
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with pytest.raises(RuntimeError, match=r"broken\.level"):
        bpy.ops.import_scene.ns2_level(filepath=str(file))
    assert not originals.levels()
    assert not len(bpy.data.meshes)


def test_materials_that_faces_name_but_the_list_lacks_are_shown() -> None:
    faces = (replace(nb.HOLED.faces[0], material=5), *nb.HOLED.faces[1:])
    obj = geometry_of(imported(level_of(replace(nb.HOLED, faces=faces))))
    assert [material.get(layout.MATERIAL) for material in obj.data.materials] == [*nb.HOLED.materials, ""]


def test_the_lists_of_layers_and_groups_and_their_collections() -> None:
    level = imported()
    held = lists.lists_of(level)
    assert [(item.name, item.number, item.visible) for item in held.layers] == [
        ("Vents", 3, True),
        ("Lights", 200, True),
    ]
    assert [(item.name, item.number) for item in held.groups] == [("CollisionGeometry", 1), ("Group", 2)]
    assert [round(part * 255) for part in held.layers[0].color] == [0xFF, 0x80, 0x40, 0x20]
    assert [item.pathing for item in held.layers] == [True, False]
    assert {number: home.name for number, home in lists.homes(level, "layers").items()} == {3: "Vents", 200: "Lights"}
    of_level = ns2.read(WHOLE)
    assert not collect_lists(level, of_level), "nothing was edited"
    assert ns2.write(of_level) == WHOLE


def test_misspelt_names_are_warned_of() -> None:
    names = [("CollisionGeometry ", 1), ("Group", 2)]
    data = level_of(nb.HOLED, groups=nb.listed(10, names, groups=True))
    report = Report()
    imported(data, report)
    assert report.warnings == ["group 'CollisionGeometry ' means nothing to the game; 'CollisionGeometry' would"]


def test_baselines_are_what_the_scene_has() -> None:
    level = imported()
    obj, shown = geometry_of(level), layout.shown(level)
    assert np.array_equal(shown.faces, face_ids(obj))
    assert np.array_equal(shown.uvs, values(obj, layout.UV))
    corners = ns2.read(WHOLE).mesh.corners[shown.members]
    assert np.array_equal(corners, (values(obj, layout.VERTEX_ID) - 1)[values(obj, ".corner_vert")])
