# SPDX-License-Identifier: GPL-3.0-or-later
"""What a benchmark says of its figures: what got worse, and when the machine was too busy for them to mean anything."""

import json
import sys
import time
from pathlib import Path

import pytest

from tests.bench import record, steady
from tests.bench.__main__ import GAMES, PARTS
from tests.bench.busy import Load, Moment
from tests.bench.measure import Result, Way, in_turns

QUIET = Load(0.02, 0.0, 0.001, 0.9)
RESULTS = {"a": Result("a", 1.2, 1.5), "b": Result("b", 1.1, 1.5), "c": Result("c", 9.0, 5.0, "ms")}


def test_ratios_that_got_worse_by_more_than_15_percent_are_named() -> None:
    assert record.worse(RESULTS, {"a": 1.0, "b": 1.0, "c": 1.0, "gone": 1.0}) == ["a: 1.2 where 1 was (+20%)"]
    assert record.worse(RESULTS, {}) == []


def test_a_run_is_written_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.json"
    record.write(path, record.as_json(RESULTS, QUIET, steady=True))
    run = json.loads(path.read_text(encoding="utf-8"))
    assert run["results"]["c"] == {"what": "c", "measured": 9.0, "target": 5.0, "unit": "ms", "reached": False}
    assert run["busy"]["too_busy"] is False
    assert run["steady"] is True
    assert {"commit", "date", "machine"} < run.keys()


def test_the_baseline_is_of_ratios_that_there_are() -> None:
    parts = {f"{game}-{part}" for game in GAMES for part in PARTS}
    for name, ratio in record.baseline().items():
        assert name.partition(":")[0] in parts
        assert 0 < ratio < 10


@pytest.mark.parametrize("busy", [{"others": 0.9}, {"stolen": 0.1}, {"waited": 0.5}])
def test_any_of_three_things_is_too_busy(busy: dict[str, float]) -> None:
    quiet = {"others": 0.02, "stolen": 0.0, "waited": 0.001}
    assert not QUIET.too_busy
    assert Load(**quiet | busy, average=1.0).too_busy


@pytest.mark.skipif(sys.platform != "linux", reason="the system doesn't say")
def test_what_this_process_does_is_not_what_others_do() -> None:
    first = Moment.now()
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass
    last = Moment.now()
    assert first is not None
    assert last is not None
    own = last.own - first.own
    assert 0.4 < own < 1.0
    load = Load.between(first, last)
    assert load.others * (last.wall - first.wall) <= max(last.busy - first.busy - own, 0) + 1e-6
    assert "processors busy" in load.line()


def test_waiting_is_not_measured() -> None:
    assert in_turns({"waits": Way(lambda: time.sleep(0.1))}, 2)["waits"].best < 0.05


@pytest.mark.skipif(sys.platform != "linux", reason="the library that is replaced is Linux's")
def test_steady_is_asked_for_by_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", f"other.so:{steady.LIBRARY}")
    assert steady.is_steady()
    assert steady.without()["LD_PRELOAD"] == "other.so"
    monkeypatch.setenv("LD_PRELOAD", "other.so")
    assert not steady.is_steady()
