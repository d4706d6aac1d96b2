# SPDX-License-Identifier: GPL-3.0-or-later
"""The biggest real levels: no step of an import keeps a window waiting for long, and a stop near the end is clean."""

import time
from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.progress import Work
from levelwright.addon.scene.reports import Report

LONGEST = 0.5
"""Seconds of CPU time of a step: Esc is answered after it."""


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "pattern"), [("bsp", "*.bsp"), ("ns2", "*.level")])
def test_no_step_takes_long(folder: str, pattern: str, corpus: Path) -> None:
    biggest = max((corpus / folder).rglob(pattern), key=lambda path: path.stat().st_size)
    before = {block.session_uid for block in levels._data_blocks()}
    steps = levels.import_files.steps(bpy.context, [biggest], lambda game: game.import_settings(), Report())
    work, longest, number, texts = Work(steps), (0.0, "", ""), 0, [""]
    start = time.process_time()
    while not work.run(0):
        now = time.process_time()
        texts.append(work.meter.text)
        longest = max(longest, (now - start, *texts[-2:]))
        number, start = number + 1, time.process_time()
    assert longest[0] < LONGEST, longest
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    before = {block.session_uid for block in levels._data_blocks()}
    work = Work(levels.import_files.steps(bpy.context, [biggest], lambda game: game.import_settings(), Report()))
    for _ in range(number - 5):
        work.run(0)
    work.close()
    assert {block.session_uid for block in levels._data_blocks()} == before
