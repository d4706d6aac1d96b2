# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that version 0.3.0 saved: they open, and export the very bytes that were imported then."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
SAVED = sorted((SAMPLES / "saved").glob("*.blend"))


def test_every_game_of_0_3_0_has_one() -> None:
    assert {path.stem.rpartition("_")[2] for path in SAVED} == {"map", "3dt", "lev", "level", "bsp"}


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_it_exports_byte_for_byte(path: Path, tmp_path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    (level,) = originals.levels()
    name, _, ending = path.stem.rpartition("_")
    made = tmp_path / f"{name}.{ending}"
    _, settings = levels.game_of(level).writer
    levels.export_file(bpy.context, level, made, settings(), Report())
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (SAMPLES / file.name).read_bytes(), file.name
    assert made.exists()
    beside = (SAMPLES / f"{name}.tng").exists()
    assert len(list(tmp_path.iterdir())) == 1 + beside
