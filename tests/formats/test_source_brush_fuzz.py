# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models of damaged maps are built anew, or refused with a FormatError, and no byte changes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.formats.source_brush_fuzz import EDITS, MAP, edit


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_the_door_can_be_built_anew_before_it_is_damaged(number: int) -> None:
    assert edit((MAP, number))


@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 100), (3900, 60), (4840, 20), pytest.param(0, 3000, marks=pytest.mark.slow)],
)
def test_doors_of_damaged_maps_are_built_or_refused(root: Path, first: int, count: int) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.formats.source_brush_fuzz", str(first), str(count)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert count / 4 < int(run.stderr.split()[1]) < count * 0.95  # enough of both kinds
