# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of damaged maps work or raise a FormatError and change nothing, within 2 s and 512 MiB, and bring no errors."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.formats.source_edits_fuzz import EDITS, ROOM, edit, mutation

MUTATIONS = 5000


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_the_room_can_be_edited_before_it_is_damaged(number: int) -> None:
    assert edit((ROOM, number))


def test_mutations_repeat_and_differ() -> None:
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 180


def test_damaged_maps_are_edited_or_refused(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.formats.source_edits_fuzz", "0", str(MUTATIONS)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    opened = int(run.stderr.split()[1])
    assert MUTATIONS / 4 < opened < MUTATIONS * 0.95  # enough of both kinds
