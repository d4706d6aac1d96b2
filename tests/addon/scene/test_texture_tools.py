# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools for textures of games other than NS2: what a tool did is there after export and import.

Those of NS2, which has all of them, are tried in tests/addon/ns2.
"""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import game as genesis
from levelwright.addon.scene import attributes
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import game as source

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GAMES = {"genesis": (genesis.GAME, "genesis_room.map"), "source": (source.GAME, "source_room.bsp")}


def opened(game: str, data: bytes) -> bpy.types.Collection:
    declared, name = GAMES[game]
    return declared.import_level(bpy.context, data, SAMPLES / name, declared.import_settings(), Report())


def textured(level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The meshes with the level's faces, in the order of their records."""
    found = [
        (mark.kind, mark.record, obj)
        for obj in level.all_objects
        if isinstance(obj.data, bpy.types.Mesh)
        and (mark := identity.stamped(obj)) is not None
        and attributes.read(obj.data, "UVMap", "CORNER") is not None
        and "displacement" not in mark.kind  # its faces are parts of one, and not flat
    ]
    return [obj for *_, obj in sorted(found, key=lambda one: one[:2])]


def uvs(obj: bpy.types.Object) -> np.ndarray:
    return attributes.read(obj.data, "UVMap", "CORNER").astype(float)


@pytest.mark.parametrize("tool", ["shift", "turn", "fit"])
@pytest.mark.parametrize("game", GAMES)
def test_what_a_tool_did_is_in_the_file(game, tool):
    declared, name = GAMES[game]
    level = opened(game, (SAMPLES / name).read_bytes())
    obj = textured(level)[0]
    before = uvs(obj)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.reveal()
    bpy.ops.mesh.select_all(action="SELECT")
    options = {"shift": {"by": (0.5, 0.25)}, "turn": {}, "fit": {"repeats": (2.0, 1.0)}}[tool]
    assert getattr(bpy.ops.levelwright, f"{game}_texture_{tool}")(**options) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    shown = uvs(obj)
    if tool == "shift":
        assert shown - before == pytest.approx(np.broadcast_to((-0.5, -0.25), before.shape), abs=1e-4)
    else:
        assert np.abs(shown - before).max() > 0.1
    made = declared.export_level(bpy.context, level, declared.export_settings(), Report())
    data = made if isinstance(made, bytes) else next(iter(made.values()))
    again = textured(opened(game, data))[0]
    apart = uvs(again) - shown
    assert apart - np.rint(apart) == pytest.approx(np.zeros_like(apart), abs=2e-3), "but for whole repeats"
