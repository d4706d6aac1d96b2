# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that are killed, hindered or cut off: a small form of scripts/faults, and with --slow a larger one."""

import dataclasses
import errno
import os
from pathlib import Path

import bpy
import pytest
from levelwright.addon import commands, games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.disk import journal
from levelwright.addon.scene.reports import Report

if not hasattr(os, "fork"):
    pytest.skip("processes can't be copied here", allow_module_level=True)

from tests.faults import exports, trials
from tests.faults.kinds import kinds

SAMPLES = exports.SAMPLES

GAMES = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.key)


@pytest.mark.slow
@GAMES
def test_whatever_happens_the_files_are_whole(game: Game) -> None:
    for export in exports.of_game(game):
        for before in export.befores():
            assert trials.power_failures(export, before) > 3
            assert trials.failures(export, before, errno.ENOSPC) > 8
        old, *others = export.befores()
        for before in (old, *others) if len(old) > 1 else (old,):
            assert trials.kills(export, before, 8) >= 8
        assert trials.failures(dataclasses.replace(export, backup=True), old, errno.ENOSPC, for_ever=True) > 12
        assert trials.limits(export, old, 2) == 2
        assert trials.refusals(export, old) == 3
        assert trials.two_at_once(export, old, 5) == 5


def killed_between(folder: Path) -> tuple[Path, dict[str, bytes]]:
    """Kill an export of Fable's sample when the level is replaced, and its things aren't. Returns the level and what
    there was before.
    """
    (export,) = exports.of_game(games.by_key("fable"))
    before = {name: (SAMPLES / name).read_bytes() for name in export.contents}
    new = dataclasses.replace(export, contents={name: data[:-1] for name, data in before.items()})
    new = dataclasses.replace(new, checks=dict.fromkeys(before, len))
    trial = trials.Trial(new, dict(before), folder)
    for point in range(trials.points_of(new, dict(before))):
        journal.recover(trial.first)
        for name, data in before.items():
            (folder / name).write_bytes(data)
        trials.run_killed(trial, point)
        if trial.held() not in (new.contents, before):
            return trial.first, before
    raise AssertionError("no point was between the two")


def test_an_import_undoes_it_before_it_reads(tmp_path: Path) -> None:
    path, before = killed_between(tmp_path)
    report = Report()
    game = games.by_key("fable")
    levels.import_files(bpy.context, [path], lambda _: game.import_settings(), report, game)
    assert any("fable_vale.lev and fable_vale.tng was interrupted" in line for line in report.warnings)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_so_does_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, before = killed_between(tmp_path)
    assert commands.main(["convert", str(path), str(tmp_path / "scene.blend")]) == commands.OK
    assert "fable_vale.lev and fable_vale.tng was interrupted" in capsys.readouterr().err
    (tmp_path / "scene.blend").unlink()
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


@pytest.mark.slow
@GAMES
def test_in_every_other_way_too(game: Game) -> None:
    for export in exports.of_game(game):
        old, *others = export.befores()
        for name, run in kinds(points=25, times=10, seed=1).items():
            assert run(export, old), name
        for before in others:
            assert trials.kills(export, before, 25) >= 25
