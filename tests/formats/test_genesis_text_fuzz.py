# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged .3dt texts and texture libraries give a level or a FormatError within 2 s and 512 MiB."""

import subprocess
import sys
from pathlib import Path

from tests.formats.genesis_text_fuzz import LEVELS, LIBRARIES, decode_all, mutation

MUTATIONS = 3000


def test_the_files_are_whole_before_they_are_damaged() -> None:
    assert all(decode_all(data) for data in (*LEVELS, *LIBRARIES))


def test_mutations_repeat_and_differ() -> None:
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 170


def test_damaged_files(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.formats.genesis_text_fuzz", "0", str(MUTATIONS)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    opened = int(run.stderr.split()[1])
    assert MUTATIONS / 5 < opened < MUTATIONS * 0.9  # enough of both kinds
