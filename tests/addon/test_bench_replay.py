# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor that scripts/bench measures imports against really is the imported scene, made again."""

from typing import Any

import bpy
import numpy as np
import pytest

from tests.bench import replay
from tests.samples import fable_vale, first_light, genesis_room

SAMPLES = {
    "teeworlds_map": (first_light.TARGET, ("images", "node_groups", "materials", "meshes", "actions")),
    "fable_lev": (fable_vale.LEVEL, ("materials", "node_groups", "meshes", "lights")),
    "genesis_map": (genesis_room.MAP, ("images", "node_groups", "materials", "meshes", "lights", "actions")),
}
"""The sample of each game, by the name of its operator, and what its scene has for certain besides objects."""


def same(ours: Any, theirs: Any) -> bool:
    """Whether two recorded values are equal; arrays within."""
    if isinstance(ours, np.ndarray):
        return np.array_equal(ours, theirs)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


@pytest.mark.skipif(bpy.app.version[:2] != (4, 5), reason="scripts/bench measures in Blender 4.5")
@pytest.mark.parametrize("operator", SAMPLES)
def test_a_replayed_scene_is_the_imported_one(operator: str) -> None:
    path, kinds = SAMPLES[operator]
    getattr(bpy.ops.import_scene, operator)(filepath=str(path))
    imported = replay.record()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    imported.run()
    made = replay.record()
    assert imported.counts() == made.counts()
    for kind in (*kinds, "objects", "collections"):
        assert made.counts()[kind] > 0
        for ours, theirs in zip(imported.blocks[kind], made.blocks[kind], strict=True):
            assert ours.name == theirs.name
            assert same(ours.properties, theirs.properties), (kind, ours.name)
            different = [part for part in ours.parts if not same(ours.parts[part], theirs.parts[part])]
            assert different == [], (kind, ours.name)
            missing = [name for name, value in ours.settings if not same(value, dict(theirs.settings).get(name))]
            assert missing == [], (kind, ours.name)
