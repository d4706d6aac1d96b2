# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged maps give a level or a FormatError within 2 s and 512 MiB; what opens is written back as it was."""

import subprocess
import sys
from pathlib import Path

from tests.formats.teeworlds_fuzz import BYTES, MAPS, damage_blobs, damage_both, damage_items, decode_all, mutation

MUTATIONS = 5000


def test_the_maps_are_whole_before_they_are_damaged() -> None:
    assert all(decode_all(make().build()) for make in MAPS)


def test_mutations_repeat_and_differ() -> None:
    some = [mutation(seed) for seed in range(200)]
    assert some == [mutation(seed) for seed in range(200)]
    assert len(set(some)) > 180
    assert {len(BYTES), len({damage_items, damage_blobs, damage_both})} == {5, 3}


def test_damaged_maps(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.formats.teeworlds_fuzz", "0", str(MUTATIONS)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    opened = int(run.stderr.split()[1])
    assert MUTATIONS / 3 < opened < MUTATIONS * 0.9  # enough of both kinds
