# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of strokes: one stroke's is the next one's, and goes with the file."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.teeworlds.tiles import memory

QUAD = np.array(((0, 1, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0)), np.float32)


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    memory._let_go()
    yield
    memory._let_go()


def layer(faces: int) -> bpy.types.Mesh:
    return meshes.build("layer", np.tile(QUAD, (faces, 1)), uvs={"UVMap": np.zeros((4 * faces, 2), np.float32)})


def test_what_a_stroke_had_is_the_next_ones() -> None:
    mesh = layer(20)
    first = memory.take(mesh)
    assert len(first.positions) == len(first.uvs) == 80 + memory.SPARE
    memory.give_back(first)
    assert memory.take(layer(10)) is first, "of a larger layer it does, too"
    assert memory.take(mesh) is not first, "one stroke alone has it"


def test_a_larger_layer_gets_more() -> None:
    memory.give_back(memory.take(layer(10)))
    larger = memory.take(layer(20))
    assert len(larger.positions) == 80 + memory.SPARE
    memory.give_back(larger)
    memory.give_back(memory.take(layer(10)))
    assert memory.take(layer(20)) is larger, "the largest is kept"


def test_it_is_had_ready_once() -> None:
    mesh = layer(20)
    memory.prepare(mesh, ("position", "UVMap", "no such attribute"))
    ready = memory.take(mesh)
    memory.prepare(mesh, ("position",))
    assert not memory._free, "the stroke that runs has it"
    memory.give_back(ready)
    memory.prepare(mesh, ("position",))
    assert memory.take(mesh) is ready


def test_what_was_read_and_forgotten_is_no_stroke() -> None:
    mesh = layer(20)
    memory.prepare(mesh, ())
    memory.take(mesh)
    memory.prepare(mesh, ())
    assert memory._free


def test_a_mesh_that_shares_its_arrays_gets_its_own() -> None:
    mesh = layer(20)
    copy = mesh.copy()
    memory.prepare(mesh, ("position", "UVMap"))
    attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", np.ones((80, 3)))
    assert np.array_equal(attributes.read(copy, "position"), np.tile(QUAD, (20, 1)))


def test_meshes_without_faces_need_none() -> None:
    memory.prepare(bpy.data.meshes.new("empty"), ("position", ".corner_vert"))


def test_another_file_needs_other_memory() -> None:
    mesh = layer(20)
    memory.prepare(mesh, ())
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not memory._free
    memory.prepare(layer(20), ())
    assert memory._free
