# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged files give what they hold or a FormatError, within 2 s and 512 MiB; what opens is written back as it was.

What else each fuzzer asks of its reader stands in its module. The seeds are the same in every run: new ones are for
scripts/fuzz.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.driver import try_all
from tests.fuzz.fuzzers import BUILT, fuzzer


@pytest.mark.parametrize("name", BUILT)
def test_mutations_repeat_and_differ(name: str) -> None:
    mutation = fuzzer(name).mutation
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 170


QUICK = [(name, seeds) for name in BUILT for seeds in fuzzer(name).quick]
THOROUGH = [(name, fuzzer(name).thorough) for name in BUILT]


@pytest.mark.parametrize(("name", "seeds"), QUICK)
def test_damaged_files(name: str, seeds: range) -> None:
    """Nothing is raised, and numpy has nothing to warn of."""
    try_all(fuzzer(name), seeds)


def test_damaged_real_files(corpus: Path) -> None:
    """A small slice of what `scripts/fuzz real-content` goes on with."""
    assert corpus.is_dir()
    try_all(fuzzer("real-content"), range(400))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seeds"), THOROUGH)
def test_many_damaged_files(root: Path, name: str, seeds: range) -> None:
    """In a process of its own, which has little memory to begin with."""
    command = [sys.executable, "-W", "error", "-m", "tests.fuzz", name]
    span = ["--seed", str(seeds.start), "--count", str(len(seeds))]
    done = subprocess.run([*command, *span], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
