# SPDX-License-Identifier: GPL-3.0-or-later
"""What each game's export writes: of its samples, with what reads them back, as files.write_together gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest import mock

import bpy
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.disk import files
from levelwright.addon.scene.reports import Report

from .trials import Export

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def of_game(game: Game) -> Iterator[Export]:
    """Give what a game writes of each sample that is its own."""
    for sample in sorted(SAMPLES.iterdir()):
        if sample.suffix in game.format.endings and game.format.identify(sample.read_bytes()):
            yield of(game, sample)


def of(game: Game, sample: Path) -> Export:
    """Import a sample and export it, and keep what would have been written."""
    found: dict[Path, tuple[bytes, Callable[[bytes], object]]] = {}

    def keep(contents: Mapping[Path, tuple[bytes, Callable[[bytes], object]]], backup: bool = False) -> list[str]:
        found.update(contents)
        return []

    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    _, settings = game.writer
    with mock.patch.object(files, "write_together", keep):
        levels.export_file(bpy.context, level, Path("nowhere", sample.name), settings(), Report())
    contents = {path.name: data for path, (data, _) in found.items()}
    return Export(sample.name, contents, {path.name: check for path, (_, check) in found.items()})
