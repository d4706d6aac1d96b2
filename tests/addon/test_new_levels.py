# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels that are made from nothing, of every game: named alike, and with all that a check asks for."""

from pathlib import Path

import bpy
import pytest
from levelwright import formats
from levelwright.addon import games
from levelwright.addon.game import Game
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import originals

MADE = [(game, {}) for game in games.GAMES if game.new is not None]
MADE += [(games.by_key("genesis"), {"kind": "3dt"})]


@pytest.mark.parametrize(("game", "chosen"), MADE, ids=lambda one: one.key if isinstance(one, Game) else "-".join(one))
def test_a_new_level_is_ready_to_be_played(game: Game, chosen: dict[str, str], tmp_path: Path) -> None:
    assert game.new is not None
    assert getattr(bpy.ops.levelwright, game.new.operator)(**chosen) == {"FINISHED"}
    level = originals.level_of(bpy.context)
    assert level is not None
    assert level.name.partition(".")[0] == "new_level"
    assert bpy.ops.levelwright.check_export() == {"FINISHED"}
    assert [line.message for group in findings.issues(level) for line in group.lines] == []
    if game.spawns is not None and game.key != "fable":  # whose levels are parts of a world
        assert game.spawns(bpy.context, level)
    kind = next(one for one in game.files if one.ending.endswith(chosen.get("kind", "")))
    file = tmp_path / f"new_level{kind.ending}"
    assert getattr(bpy.ops.export_scene, kind.operator)(filepath=str(file)) == {"FINISHED"}
    made = formats.read(file.read_bytes(), game.key)
    assert [one for one in game.format.verbs.check(made) if one.severity == "error"] == []
