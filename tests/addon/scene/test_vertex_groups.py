# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of all vertices at once: as they are, evaluated, and in the middle of an edit."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import evaluated, vertex_groups

from tests.addon.scene.scene_helpers import active, link

COUNT, GROUPS = 50, vertex_groups.AT_ONCE + 3


def weighted() -> tuple[bpy.types.Object, np.ndarray]:
    """An object with more groups than are read at once, and its weights [groups, vertices]."""
    mesh = bpy.data.meshes.new("m")
    mesh.from_pydata([(float(x), 0.0, 0.0) for x in range(COUNT)], [], [])
    obj = link(bpy.data.objects.new("o", mesh))
    weights = np.zeros((GROUPS, COUNT), np.float32)
    rng = np.random.default_rng(4)
    for number in range(GROUPS):
        group = obj.vertex_groups.new(name=f"THEME {number}")
        for vertex in rng.choice(COUNT, 7, replace=False).tolist():
            weights[number, vertex] = rng.random(dtype=np.float32)
            group.add([vertex], float(weights[number, vertex]), "REPLACE")
    return obj, weights


def test_all_groups() -> None:
    obj, weights = weighted()
    before = [len(part) for part in (bpy.data.objects, bpy.data.meshes, bpy.data.node_groups, bpy.data.scenes)]
    found = dict(vertex_groups.read(bpy.context, obj))
    assert list(found) == [f"THEME {number}" for number in range(GROUPS)]
    assert np.array_equal(np.array(list(found.values())), weights)
    after = [len(part) for part in (bpy.data.objects, bpy.data.meshes, bpy.data.node_groups, bpy.data.scenes)]
    assert after == before


def test_some_groups_and_none() -> None:
    obj, weights = weighted()
    found = dict(vertex_groups.read(bpy.context, obj, names=["THEME 3", "nothing"]))
    assert list(found) == ["THEME 3"] and np.array_equal(found["THEME 3"], weights[3])
    obj.vertex_groups.clear()
    assert list(vertex_groups.read(bpy.context, obj)) == []


def test_in_edit_mode() -> None:
    obj, weights = weighted()
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    found = dict(vertex_groups.read(bpy.context, obj))
    assert np.array_equal(np.array(list(found.values())), weights)
    assert obj.mode == "EDIT"


def test_modifiers_count() -> None:
    obj, weights = weighted()
    modifier = obj.modifiers.new("mix", "VERTEX_WEIGHT_MIX")
    modifier.vertex_group_a, modifier.vertex_group_b = "THEME 0", "THEME 1"
    modifier.mix_mode, modifier.mix_set = "ADD", "ALL"
    with pytest.raises(ValueError, match="depsgraph"):
        list(vertex_groups.read(bpy.context, obj))
    with evaluated.shown(bpy.context, [obj]) as depsgraph:
        found = dict(vertex_groups.read(bpy.context, obj, depsgraph))
    assert np.array_equal(found["THEME 0"], np.minimum(weights[0] + weights[1], 1))
    assert np.array_equal(found["THEME 1"], weights[1])
