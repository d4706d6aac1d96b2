# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged levels give a level or a FormatError within 2 s and 512 MiB; what opens is written back as it was."""

import subprocess
import sys
from pathlib import Path

from tests.formats.fable_fuzz import LEVELS, decode_all, mutation

MUTATIONS = 5000


def test_the_levels_are_whole_before_they_are_damaged() -> None:
    assert all(decode_all(data) for data in LEVELS)


def test_mutations_repeat_and_differ() -> None:
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 180


def test_damaged_levels(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.formats.fable_fuzz", "0", str(MUTATIONS)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    opened = int(run.stderr.split()[1])
    assert MUTATIONS / 4 < opened < MUTATIONS * 0.9  # enough of both kinds
