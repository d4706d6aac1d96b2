# SPDX-License-Identifier: GPL-3.0-or-later
"""The biggest real levels: no step of an import, an export or a search for leaks keeps a window waiting for long, and a
stop near the end is clean.
"""

import time
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import changes, levels
from levelwright.addon.genesis.leaks import FINDER
from levelwright.addon.scene import leaks
from levelwright.addon.scene.interface import stoppable
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.work.progress import Steps, Work

LONGEST = 0.5
"""Seconds of CPU time of a step: Esc is answered after it."""


def steps_below_the_limit(steps: Steps[Any]) -> int:
    """How many steps there are, of which none takes long."""
    work, longest, number, texts = Work(steps), (0.0, "", ""), 0, [""]
    start = time.process_time()
    while not work.run(0):
        now = time.process_time()
        texts.append(work.meter.text)
        longest = max(longest, (now - start, *texts[-2:]))
        number, start = number + 1, time.process_time()
    assert longest[0] < LONGEST, longest
    return number


def compared(level: bpy.types.Collection) -> Steps[int]:
    made = yield from levels.check_export.steps(bpy.context, level, Report())
    return (yield from changes.keep.steps(level, made))


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "pattern"), [("bsp", "*.bsp"), ("ns2", "*.level"), ("genesis", "*.3dt")])
def test_no_step_of_an_export_takes_long(folder: str, pattern: str, corpus: Path) -> None:
    biggest = max((corpus / folder).rglob(pattern), key=lambda path: path.stat().st_size)
    (level,) = levels.import_files(bpy.context, [biggest], lambda game: game.import_settings(), Report())
    next(obj for obj in level.all_objects if identity.kind_of(obj) == "entity").location.x += 1
    bpy.context.view_layer.update()
    assert steps_below_the_limit(compared(level)) > 100
    if folder == "genesis":
        assert steps_below_the_limit(leaks.find.steps(bpy.context, level, FINDER, Report())) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "pattern"), [("bsp", "*.bsp"), ("ns2", "*.level")])
def test_no_step_takes_long(folder: str, pattern: str, corpus: Path) -> None:
    biggest = max((corpus / folder).rglob(pattern), key=lambda path: path.stat().st_size)
    before = {block.session_uid for block in stoppable.data_blocks()}
    steps = levels.import_files.steps(bpy.context, [biggest], lambda game: game.import_settings(), Report())
    number = steps_below_the_limit(steps)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    before = {block.session_uid for block in stoppable.data_blocks()}
    work = Work(levels.import_files.steps(bpy.context, [biggest], lambda game: game.import_settings(), Report()))
    for _ in range(number - 5):
        work.run(0)
    work.close()
    assert {block.session_uid for block in stoppable.data_blocks()} == before
