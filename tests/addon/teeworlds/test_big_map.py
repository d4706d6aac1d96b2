# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of 147 million tiles, the size of the biggest real ones: it comes in, in bounded memory, and goes out again."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from formats import teeworlds
from tests.addon.teeworlds import big_map

ROOT = Path(__file__).resolve().parents[3]
MEMORY = 12 << 30


@pytest.mark.slow
def test_the_biggest_maps_come_in_and_go_out(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.addon.teeworlds.big_map", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    took = json.loads(done.stdout.splitlines()[-1])
    assert took["import"] < MEMORY
    assert took["planes"] == len(big_map.FILLS) + 1
    source = (tmp_path / "source.map").read_bytes()
    assert (tmp_path / "unedited.map").read_bytes() == source
    _only_the_cell_changed(teeworlds.read(source), teeworlds.read((tmp_path / "painted.map").read_bytes()))


def _only_the_cell_changed(before: teeworlds.Level, after: teeworlds.Level) -> None:
    column, row = big_map.CELL
    ours, theirs = before.file, after.file
    assert [[item.words.tolist() for item in rows.items] for rows in ours.item_types] == [
        [item.words.tolist() for item in rows.items] for rows in theirs.item_types
    ]
    changed = [n for n, (a, b) in enumerate(zip(ours.blobs, theirs.blobs, strict=True)) if a.data() != b.data()]
    layer = after.groups[0].layers[0]
    assert isinstance(layer, teeworlds.TileLayer)
    assert changed == [layer.item.words[14]]
    was = before.groups[0].layers[0].tiles().copy()
    was["index"][row, column] = big_map.PAINTED
    assert np.array_equal(layer.tiles(), was)
