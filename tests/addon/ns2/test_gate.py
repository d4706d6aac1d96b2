# SPDX-License-Identifier: GPL-3.0-or-later
"""A level that came with a NaN may keep it, wherever it gets to, but an export brings no further one into it."""

import math
from typing import Any

import bpy
import pytest
from levelwright.addon.ns2.layout import CLASS
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2

from tests.addon.ns2.entity_helpers import NAN, exported, opened, placed
from tests.addon.ns2.export_helpers import edited, geometry, vertex
from tests.formats import ns2_bytes as build


def lights(*intensities: float) -> bytes:
    """A level of point lights."""
    listed = [[*placed(at, 2, 3), build.floats("intensity", 2, value)] for at, value in enumerate(intensities)]
    return build.level(10, objects=[build.entity(10, "light_point", properties) for properties in listed])


def light(level: bpy.types.Collection, record: int) -> Any:
    found = (obj for obj in level.all_objects if obj.get(CLASS) == "light_point")
    return next(obj for obj in found if identity.stamped(obj).record == record)


def intensities(data: bytes) -> list[Any]:
    return [entity.get("intensity") for entity in ns2.read(data).entities]


@pytest.mark.parametrize("came", [lights(1, 2, 3), lights(NAN, 2, 3)], ids=["clean", "with a NaN"])
def test_a_new_nan_is_refused_by_name(came: bytes) -> None:
    level = opened(came)
    assert exported(level) == came
    light(level, 2)["intensity"] = NAN
    with pytest.raises(SceneError, match=r"refuse the level: error: object 2 \(light_point\): intensity is NaN"):
        exported(level)


def test_a_copy_of_what_is_nan_is_a_new_one() -> None:
    level = opened(lights(NAN, 2, 3))
    copy = light(level, 0).copy()
    copy.location.x += 1
    level.objects.link(copy)
    with pytest.raises(SceneError, match="intensity is NaN"):
        exported(level)


def test_an_old_nan_stays_where_it_is_or_moves_on() -> None:
    report = Report()
    level = opened(lights(1, NAN, 3))
    light(level, 2)["intensity"] = 4.0
    assert repr(intensities(exported(level, report))) == "[1.0, nan, 4.0]"
    bpy.data.objects.remove(light(level, 0))
    assert repr(intensities(exported(level, report))) == "[nan, 4.0]"
    assert report.warnings == []


def test_fewer_than_came_are_fine_and_more_are_not() -> None:
    level = opened(lights(NAN, NAN, 3))
    light(level, 0)["intensity"] = 1.0
    assert repr(intensities(exported(level))) == "[1.0, nan, 3.0]"
    light(level, 0)["intensity"] = light(level, 2)["intensity"] = NAN
    with pytest.raises(SceneError, match="intensity is NaN"):
        exported(level)


def test_uvs_that_are_no_numbers_are_refused_with_their_faces() -> None:
    level = opened(build.level(10, mesh=build.mesh(10, build.HOLED)))
    mesh = geometry(level).data
    mesh.uv_layers[0].uv[0].vector = (NAN, 0.0)
    with pytest.raises(SceneError, match="1 face has UVs that aren't finite") as refused:
        exported(level)
    assert [faces.tolist() for faces in refused.value.faces.values()] == [[0]]


def test_a_vertex_that_is_far_out_is_told() -> None:
    level, report = opened(build.level(10, mesh=build.mesh(10, build.HOLED))), Report()
    with edited(geometry(level)) as mesh:
        for one in mesh.verts:
            one.co.x += 1e9
    exported(level, report)
    assert any("centimetres apart" in line for line in report.warnings)


def test_vertices_keep_their_nan_and_get_no_further_one() -> None:
    shape = build.Shape(**{**build.HOLED.__dict__, "points": ((NAN, 0, 0), *build.HOLED.points[1:])})
    came = build.level(10, mesh=build.mesh(10, shape), layers=build.listed(10, [("a", 3), ("b", 200)]),
                       groups=build.listed(10, [("c", 1), ("d", 2)], groups=True))  # fmt: skip
    level = opened(came)
    with edited(geometry(level)) as mesh:
        vertex(mesh, 9).co.z += 0.5
    positions = ns2.read(exported(level)).mesh.positions
    assert [math.isnan(x) for x in positions[:, 0]] == [True] + [False] * 9
    with edited(geometry(level)) as mesh:
        vertex(mesh, 8).co.z = NAN
    with pytest.raises(SceneError, match="1 vertex has coordinates that aren't finite"):
        exported(level)
