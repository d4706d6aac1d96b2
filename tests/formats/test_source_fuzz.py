# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged maps give a level or a FormatError within 2 s and 512 MiB; what opens is written back as it was."""

import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from formats.source import check, read
from tests.formats import source_content_fuzz, source_fuzz_maps, source_parts
from tests.formats.source_fuzz import LEVELS, decode_all, mutation

MUTATIONS = 5000


def test_the_maps_are_whole_before_they_are_damaged() -> None:
    assert all(decode_all(data) for data in LEVELS)


def test_mutations_repeat_and_differ() -> None:
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 180


@pytest.mark.parametrize("part", (*source_parts.DECODED.values(), source_parts.solids))
def test_every_part_of_a_map_is_looked_at(part) -> None:
    """One of the maps has something in every lump: nothing that can be asked of it raises, nothing is left out."""
    level = read(source_fuzz_maps.EVERYTHING)
    assert [str(problem) for problem in check(level)] == []
    assert deque(part(level), 1)


def test_files_of_the_game_are_whole_before_they_are_damaged() -> None:
    assert all(source_content_fuzz.decode(damaged) for damaged in source_content_fuzz.FILES)


@pytest.mark.parametrize("program", ("source_fuzz", "source_content_fuzz"))
def test_damaged_files(root: Path, program: str) -> None:
    """Nothing is raised but FormatErrors, and numpy has nothing to warn of."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"tests.formats.{program}", "0", str(MUTATIONS)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    opened = int(run.stderr.split()[1])
    assert MUTATIONS / 4 < opened < MUTATIONS * 0.95  # enough of both kinds
