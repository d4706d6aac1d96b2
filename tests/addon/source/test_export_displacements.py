# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements that were sculpted, painted and tagged: what the map gets, and what is refused."""

import bmesh
import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.displacements import collect as collect_displacements
from levelwright.addon.source.displacements import info
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.faces import displacements
from levelwright.formats.source.records import DispInfoFlag

from tests.addon.source.rooms import imported, of_kind, room, token_of
from tests.addon.source.surface_edits import edited, move, paint, small_room, the
from tests.formats import source_room

APPLY = collect_displacements.apply
FIELDS = ("vec", "dist", "alpha")


@pytest.fixture(params=["each", "joined"])
def level(request):
    return small_room(displacements=request.param)


def hill(level: bpy.types.Collection) -> bpy.types.Object:
    return of_kind(level, layout.DISPLACEMENT, layout.DISPLACEMENTS)[0]


def places(level) -> np.ndarray:
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid.positions(level.table(LumpId.DISP_VERTS))


def test_nothing_edited_changes_nothing(level) -> None:
    assert edited(level, APPLY)[1] == set()


def test_a_sculpted_vertex_is_where_it_was_put_and_others_keep_their_bits(level) -> None:
    before = places(edited(level, APPLY)[0])
    move(hill(level), np.array([12]), (3, -2, 40))
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_VERTS", "PHYSDISP"}
    after = places(made)
    assert np.abs(after[12] - before[12] - (3, -2, 40)).max() < 1e-4
    original, table = (small.table(LumpId.DISP_VERTS) for small in (edited(small_room(), APPLY)[0], made))
    others = np.arange(len(table)) != 12
    assert (table[others] == original[others]).all()
    assert len(made.bytes_of(LumpId.PHYSDISP)) == 0


def test_a_border_stays_closed(level) -> None:
    obj, report = hill(level), Report()
    data = meshes.read(obj)
    here = np.flatnonzero((data.positions[:, 0] == 0) & (data.attribute(layout.VERTEX_ID) <= 25))
    assert len(here) == 5
    assert len(set(data.attribute(layout.BORDER)[here])) == 5
    move(obj, here, (0, 0, 17))
    made, _ = edited(level, APPLY, report)
    after = places(made)
    assert (after[after[:, 0] == 0, 2] == 17).all()
    assert (after[:, 0] == 0).sum() == 10
    assert report.counts["displacements edited"] == 2
    assert any("1 went along" in note for note in report.notes)


def test_an_object_that_was_moved_moves_its_vertices(level) -> None:
    obj = hill(level)
    before = places(edited(level, APPLY)[0])
    obj.location.z = 8
    after = places(edited(level, APPLY)[0])
    assert (after[:25, 2] == before[:25, 2] + 8).all()


def test_a_modifier_is_a_sculpture(level) -> None:
    modifier = hill(level).modifiers.new("up", "DISPLACE")
    modifier.direction, modifier.strength, modifier.mid_level = "Z", 6.0, 0.0
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_VERTS", "PHYSDISP"}
    assert (places(made)[:25, 2] == 6).all()


def test_painted_alpha(level) -> None:
    obj = hill(level)
    colors = meshes.read(obj).attribute(layout.ALPHA)
    colors[7, :3], colors[8, :3] = 1, (0.2, 0.4, 0.6)
    paint(obj, layout.ALPHA, colors, "color")
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_VERTS"}
    alpha = made.table(LumpId.DISP_VERTS)["alpha"]
    assert alpha[7] == 255
    assert alpha[8] == pytest.approx(102)
    assert set(np.delete(alpha, [7, 8])) == {10}


def test_tags(level) -> None:
    obj = hill(level)
    tags = meshes.read(obj).attribute(layout.TAGS)
    tags[[3, 5]] = 9
    paint(obj, layout.TAGS, tags, "value")
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_TRIS"}
    assert np.flatnonzero(made.table(LumpId.DISP_TRIS)["tags"] == 9).tolist() == [3, 5]


def refused(level, match: str) -> SceneError:
    with pytest.raises(SceneError, match=match) as caught:
        edited(level, APPLY)
    return caught.value


def test_a_grid_that_is_another_is_refused(level) -> None:
    obj = hill(level)
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.subdivide_edges(mesh, edges=mesh.edges[:1], cuts=1)
    mesh.to_mesh(obj.data)
    assert refused(level, "(is|are) new").points[obj].tolist() == [len(obj.data.vertices) - 1]


def test_holes_and_deleted_displacements_are_refused(level) -> None:
    obj = hill(level)
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.delete(mesh, geom=mesh.faces[:1], context="FACES_ONLY")
    mesh.to_mesh(obj.data)
    assert refused(level, "triangles of displacements were deleted").objects == [obj]
    bpy.data.objects.remove(obj)
    refused(level, "of displacements 0.* were deleted")


def test_a_copy_is_refused(level) -> None:
    obj = hill(level)
    copy = obj.copy()
    copy.data = obj.data.copy()
    copy.location.x = 64
    obj.users_collection[0].objects.link(copy)
    assert refused(level, "come from copies").objects == [copy]
    flat = imported(room())
    flat.objects.link(copy)
    assert refused(flat, "more displacements").objects == [copy]


def test_a_lost_attribute_is_told() -> None:
    level = small_room()
    obj = the(level, layout.DISPLACEMENT)
    obj.data.attributes.remove(obj.data.attributes[layout.ALPHA])
    assert refused(level, "displacement_alpha").objects == [obj]


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 24), *[st.floats(-500, 500, width=32)] * 3), min_size=1, max_size=6,
        unique_by=lambda each: each[0],
    )
)  # fmt: skip
def test_the_field_is_the_inverse_of_where_vertices_are(moves: list) -> None:
    level = WHOLE[0] if WHOLE else small_room(displacements="joined")
    WHOLE[:] = [level]
    obj = the(level, layout.DISPLACEMENTS)
    start = meshes.read(obj).positions
    for vertex, *way in moves:
        move(obj, np.array([vertex]), tuple(way))
    try:
        made, changed = edited(level, APPLY)
        wanted = meshes.read(obj).positions
        if (wanted != start).any():
            assert changed == {"DISP_VERTS", "PHYSDISP"}
        inside = start[:, 0] != 0  # not on the border, where vertices go with each other
        assert np.abs(places(made)[inside] - wanted[inside]).max() < 1e-3
        table = made.table(LumpId.DISP_VERTS)
        lengths = np.sqrt((table["vec"].astype(np.float64) ** 2).sum(axis=1))
        assert (np.abs(lengths[table["dist"] > 0] - 1) < 1e-6).all()
        still = (wanted == start).all(axis=1) & inside
        assert not any(table[field][still].astype(bool).any() for field in ("vec", "dist"))
    finally:
        obj.data.attributes["position"].data.foreach_set("vector", start.ravel())


WHOLE: list[bpy.types.Collection] = []


def test_painted_blends_of_four_textures() -> None:
    plain = source_room.room()
    plain.set_bytes(LumpId.DISP_MULTIBLEND, np.linspace(0, 1, 50 * 20, dtype="<f4").tobytes())
    level = imported(source.write(plain))
    assert edited(level, APPLY)[1] == set()
    obj = hill(level)
    blends = meshes.read(obj).attribute(layout.BLENDS[0])
    blends[5] = (0.1, 0.2, 0.3, 0.4)
    paint(obj, layout.BLENDS[0], blends, "color")
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_MULTIBLEND"}
    before, after = (each.table(LumpId.DISP_MULTIBLEND) for each in (plain, made))
    assert np.allclose(after["multiblend"][5], (0.1, 0.2, 0.3, 0.4))
    assert (np.delete(after, 5) == np.delete(before, 5)).all()


def test_blends_of_some_displacements_alone() -> None:
    plain = source_room.room()
    infos = plain.table(LumpId.DISPINFO).copy()
    infos["min_tess"][1] = DispInfoFlag.IS_FLAGS | DispInfoFlag.HAS_MULTIBLEND
    plain.set_table(LumpId.DISPINFO, infos)
    plain.set_bytes(LumpId.DISP_MULTIBLEND, np.linspace(0, 1, 25 * 20, dtype="<f4").tobytes())
    level = imported(source.write(plain))
    assert edited(level, APPLY)[1] == set()
    first, second = sorted(of_kind(level, layout.DISPLACEMENT), key=lambda obj: identity.stamped(obj).record)
    blends = meshes.read(second).attribute(layout.BLENDS[1])
    blends[5] = (0.1, 0.2, 0.3, 0.4)
    paint(second, layout.BLENDS[1], blends, "color")
    made, changed = edited(level, APPLY)
    assert changed == {"DISP_MULTIBLEND"}
    assert np.allclose(made.table(LumpId.DISP_MULTIBLEND)["alphablend"][5], (0.1, 0.2, 0.3, 0.4))
    paint(first, layout.BLENDS[1], blends, "color")
    assert refused(level, "no four textures there").objects == [first]


@pytest.mark.parametrize(("height", "match"), [(np.nan, "NaN or infinite"), (1e6, "outside of the world")])
def test_vertices_that_are_nowhere_are_selected(level, height: float, match: str) -> None:
    obj = hill(level)
    move(obj, np.array([12]), (0, 0, height))
    assert refused(level, f"{obj.name}: 1 vertex .*{match}").points[obj].tolist() == [12]


def test_alphas_that_none_can_be(level) -> None:
    obj, report = hill(level), Report()
    colors = meshes.read(obj).attribute(layout.ALPHA)
    colors[7, :3] = 2
    paint(obj, layout.ALPHA, colors, "color")
    assert edited(level, APPLY, report)[0].table(LumpId.DISP_VERTS)["alpha"][7] == 255
    assert any("of displacements, 1 vertex was painted beyond 0 to 1" in each for each in report.warnings)
    colors[7, :3] = np.nan
    paint(obj, layout.ALPHA, colors, "color")
    assert refused(level, "NaN or infinite").points[obj].tolist() == [7]


@pytest.mark.parametrize("there", [True, False])
def test_hulls_are_told_where_there_were_some(there: bool) -> None:
    plain, report = source_room.room(), Report()
    if not there:
        plain.set_bytes(LumpId.PHYSDISP, b"")
    level = imported(source.write(plain))
    move(hill(level), np.array([12]), (0, 0, 4))
    edited(level, APPLY, report)
    assert any("PHYSDISP" in each for each in report.notes) == there


def test_a_sculpture_that_is_still_in_edit_mode(level) -> None:
    obj = hill(level)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    mesh.verts[12].co.z += 9
    bmesh.update_edit_mesh(obj.data)
    made, changed = edited(level, APPLY)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert changed == {"DISP_VERTS", "PHYSDISP"}
    assert places(made)[12, 2] == 9


# ----------------------------------------------------------------------------------------- directions, distances, flags


def lead(obj: bpy.types.Object, point: int, direction: tuple[float, ...], distance: float) -> None:
    """Give a vertex another direction and distance."""
    data = meshes.read(obj)
    ways, far = (data.attribute(name).copy() for name in (layout.DIRECTION, layout.DISTANCE))
    ways[point], far[point] = direction, distance
    paint(obj, layout.DIRECTION, ways, "vector")
    paint(obj, layout.DISTANCE, far, "value")


def test_directions_and_distances_lead_vertices(level) -> None:
    report = Report()
    before = places(edited(level, APPLY)[0])
    lead(hill(level), 12, (0, 0, 2), 8)
    made, changed = edited(level, APPLY, report)
    assert changed == {"DISP_VERTS", "PHYSDISP"}
    row = made.table(LumpId.DISP_VERTS)[12]
    assert (row["vec"].tolist(), row["dist"]) == ([0, 0, 2], 8), "to the bit"
    assert (places(made)[12] - before[12]).tolist() == [0, 0, 16]
    assert report.counts["vertices with other directions or distances"] == 1
    again = imported(source.write(made))
    assert edited(again, APPLY)[1] == set()


def test_a_vertex_that_was_moved_there_as_well_is_fine_and_elsewhere_refused(level) -> None:
    obj = hill(level)
    lead(obj, 12, (0, 0, 1), 16)
    move(obj, np.array([12]), (0, 0, 16))
    row = edited(level, APPLY)[0].table(LumpId.DISP_VERTS)[12]
    assert (row["vec"].tolist(), row["dist"]) == ([0, 0, 1], 16)
    move(obj, np.array([12]), (0, 0, 1))
    assert refused(level, "moved that have other").points[obj].tolist() == [12]


@pytest.mark.parametrize(("distance", "match"), [(np.nan, "NaN or infinite"), (40000.0, "out of the world")])
def test_ways_that_lead_nowhere_are_refused(level, distance: float, match: str) -> None:
    lead(hill(level), 12, (0, 0, 1), distance)
    assert refused(level, match).points[hill(level)].tolist() == [12]


def test_properties_of_displacements() -> None:
    level, report = small_room(), Report()
    first, second = (the(level, layout.DISPLACEMENT, number) for number in range(2))
    assert (first["flags"], first["min_tess"], first["smoothing_angle"]) == (0, 0, 0)
    assert edited(level, info.apply)[1] == set()
    first["flags"], second["smoothing_angle"] = 8, 30.5
    made, changed = edited(level, info.apply, report)
    assert changed == {"DISPINFO"}
    table = made.table(LumpId.DISPINFO)
    assert table["min_tess"].tolist() == [0x80000008, 0]
    assert table["smoothing_angle"].tolist() == [0, 30.5]
    assert report.counts["displacements with other properties"] == 2
    again = imported(source.write(made))
    shown = the(again, layout.DISPLACEMENT)
    assert (shown["flags"], shown["min_tess"]) == (8, 0)
    shown["flags"] = 0
    assert edited(again, info.apply)[0].table(LumpId.DISPINFO)["min_tess"][0] == 0x80000000, "flags, and none is set"
    shown["min_tess"] = 4
    assert edited(again, info.apply)[0].table(LumpId.DISPINFO)["min_tess"][0] == 4


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [("flags", -1, "outside"), ("min_tess", 3, "one word"), ("smoothing_angle", np.inf, "finite"),
     ("flags", "many", "whole number")],
)  # fmt: skip
def test_properties_that_no_displacement_can_have(key: str, value: object, match: str) -> None:
    level = small_room()
    obj = the(level, layout.DISPLACEMENT, 1)
    obj["flags"] = 2
    obj[key] = value
    with pytest.raises(SceneError, match=match) as caught:
        edited(level, info.apply)
    assert caught.value.objects == [obj]


def test_joined_displacements_show_no_properties() -> None:
    assert not {"flags", "min_tess", "smoothing_angle"} & set(
        the(small_room(displacements="joined"), "displacements").keys()
    )


@pytest.mark.parametrize("size", [3, 40 * 2])
def test_tags_of_a_table_that_is_too_short_or_unreadable(size: int) -> None:
    plain = source_room.room()
    plain.set_bytes(LumpId.DISP_TRIS, bytes(plain.bytes_of(LumpId.DISP_TRIS))[:size])
    level = imported(source.write(plain))
    assert edited(level, APPLY)[1] == set()
    obj = the(level, layout.DISPLACEMENT, 1)
    paint(obj, layout.TAGS, np.full(32, 9, np.int32), "value")
    assert obj in refused(level, "maps of this version have none").objects


@pytest.mark.parametrize("number", [50, 51, 1000])
def test_vertices_of_a_larger_map_are_new(level, number: int) -> None:
    """This one has 50, and 64 triangles."""
    obj, token = hill(level), layout.displacement_token(token_of(level))
    numbers = meshes.read(obj).attribute(layout.VERTEX_ID) - 1
    numbers[12] = number
    for name, (_, _, values) in layout.vertex_ids(numbers, token).items():
        paint(obj, name, values, "value")
    assert refused(level, "1 vertex is new").points[obj].tolist() == [12]


@pytest.mark.parametrize("number", [64, 65, 1000])
def test_triangles_of_a_larger_map_are_others(level, number: int) -> None:
    obj, token = hill(level), layout.displacement_token(token_of(level))
    ids = meshes.read(obj).ids("FACE", token).astype(np.int32)
    ids[3] = number + 1
    for name, (_, _, values) in identity.id_attributes(token, ids, "FACE").items():
        paint(obj, name, values, "value")
    assert refused(level, "faces are others than the map's triangles").faces[obj].tolist() == [3]
