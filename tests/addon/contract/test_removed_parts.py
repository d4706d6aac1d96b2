# SPDX-License-Identifier: GPL-3.0-or-later
"""UV maps and materials that an artist removes from a mesh of a level: written, refused or told by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError

from tests.addon.contract.registered import LEVELS
from tests.addon.contract.test_promises import exported, imported

SEEN_WITHOUT = {("teeworlds", "layer"), ("teeworlds", "quad")}
"""Kinds that look as before without their UV maps: tiles by their index, a quad by the whole image."""


def remove_uv_maps(mesh: Any) -> bool:
    """Remove those of a mesh; whether there were any."""
    there = bool(mesh.uv_layers)
    while mesh.uv_layers:
        mesh.uv_layers.remove(mesh.uv_layers[0])
    return there


def remove_materials(mesh: Any) -> bool:
    """Remove the slots of a mesh; whether there were any."""
    there = bool(mesh.materials)
    mesh.materials.clear()
    return there


@LEVELS
@pytest.mark.parametrize("remove", [remove_uv_maps, remove_materials])
def test_what_is_removed_of_a_mesh_is_never_silent(
    game: Game, sample: Path, remove: Callable[[Any], bool], tmp_path: Path
) -> None:
    """One object of each kind at a time."""
    level, silent = imported(game, sample), []
    shown = [obj for obj in level.all_objects if obj.type == "MESH" and obj.visible_get()]
    for kind, obj in {identity.kind_of(obj): obj for obj in shown}.items():
        kept: Any = obj.data
        name, obj.data = kept.name, kept.copy()
        kept.name, obj.data.name = "kept", name
        if remove(obj.data) and not (remove is remove_uv_maps and (game.key, kind) in SEEN_WITHOUT):
            bpy.context.view_layer.update()
            report = Report()
            try:
                is_other = exported(level, tmp_path / sample.name, report) != sample.read_bytes()
            except SceneError as error:
                is_other = obj.name in str(error)
            if not is_other and not any(obj.name in line for line in (*report.warnings, *report.notes)):
                silent.append(kind)
        obj.data.name, kept.name, obj.data = "removed", name, kept
    assert silent == []
