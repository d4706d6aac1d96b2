# SPDX-License-Identifier: GPL-3.0-or-later
"""Where faces begin: read and set in Blender's own memory where there are many, as by Blender's calls."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes

FEW, MANY = 5, 1000


def starts_of(count: int) -> np.ndarray:
    """Triangles and quads in turn."""
    return np.cumsum([0, *(3 + number % 2 for number in range(count))]).astype(np.int32)


def faces(count: int) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new("faces")
    corners = int(starts_of(count)[-1])
    mesh.vertices.add(corners)
    mesh.loops.add(corners)
    mesh.polygons.add(count)
    attributes.write(mesh, ".corner_vert", "CORNER", "INT", np.arange(corners))
    return mesh


def told(mesh: bpy.types.Mesh) -> list[int]:
    return [face.loop_start for face in mesh.polygons]


@pytest.mark.parametrize("count", [0, 1, FEW, MANY])
def test_faces_begin_where_they_are_set_to(count: int) -> None:
    mesh, starts = faces(count), starts_of(count)[:-1]
    attributes.set_face_starts(mesh, starts)
    assert told(mesh) == starts.tolist() == attributes.face_starts(mesh).tolist()
    mesh.update(calc_edges=True)
    assert not mesh.validate(verbose=True)


def test_many_are_read_from_memory_and_few_are_not() -> None:
    assert attributes._memory_of_starts(faces(MANY)) is not None
    assert attributes._memory_of_starts(faces(FEW)) is None


@pytest.mark.parametrize("count", [FEW, MANY])
def test_a_copy_keeps_where_its_faces_begin(count: int) -> None:
    """A mesh shares its arrays with its copies until one is written to."""
    mesh = faces(count)
    attributes.set_face_starts(mesh, starts_of(count)[:-1])
    copy = mesh.copy()
    attributes.set_face_starts(mesh, np.zeros(count, np.int32))
    assert told(copy) == starts_of(count)[:-1].tolist()
    assert told(mesh) == [0] * count


def test_memory_that_holds_something_else_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh, starts = faces(MANY), starts_of(MANY)[:-1]
    monkeypatch.setattr(attributes, "_memory_of_starts", lambda _: None)
    attributes.set_face_starts(mesh, starts)
    assert attributes.face_starts(mesh).tolist() == starts.tolist()


@pytest.mark.parametrize("count", [FEW, MANY])
def test_more_or_fewer_than_there_are_faces_are_refused(count: int) -> None:
    mesh = faces(count)
    attributes.set_face_starts(mesh, starts_of(count)[:-1])
    for other in (count - 1, count + 1):
        with pytest.raises(ValueError, match="loop_start"):
            attributes.set_face_starts(mesh, starts_of(other)[:-1])
    assert told(mesh) == starts_of(count)[:-1].tolist()
