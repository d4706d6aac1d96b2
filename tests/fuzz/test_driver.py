# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of a fuzzer says of inputs that do not end as they should, and that none is forgotten."""

import dataclasses
import re
import sys
import time
from pathlib import Path

import pytest

from tests.fuzz import driver
from tests.fuzz.__main__ import main, report
from tests.fuzz.driver import Fuzzer, run
from tests.fuzz.fuzzers import FUZZERS, GAMES


def attempt(seed: int) -> bool:
    """Accept even seeds, break down at 7."""
    if seed == 7:
        raise ValueError("seven")
    return seed % 2 == 0


EVEN = Fuzzer(mutation=lambda seed: seed, attempt=attempt, whole=(0,), memory=None)


def spend(seconds: float) -> bool:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return True


def test_seeds_that_are_as_they_should_be_give_no_failure() -> None:
    outcome = run(EVEN, range(100, 200))
    assert (outcome.tried, outcome.accepted, outcome.failures) == (100, 50, {})


def test_what_is_raised_is_kept_by_its_seed_and_the_run_goes_on() -> None:
    outcome = run(EVEN, range(20))
    assert (outcome.tried, outcome.accepted, list(outcome.failures)) == (20, 10, [7])
    said = report("source-level", outcome)
    assert "scripts/fuzz source-level --seed 7 --count 1" in said
    assert "ValueError: seven" in said
    assert "20 inputs, 50% of them accepted" in said


def test_too_many_and_too_few_accepted_are_told_apart_from_chance() -> None:
    none = dataclasses.replace(EVEN, attempt=lambda _: False, whole=())
    every = dataclasses.replace(EVEN, attempt=lambda _: True)
    assert run(none, range(5)).failures == {}
    assert "too few" in run(none, range(100)).failures["accepted"]
    assert run(every, range(5)).failures == {}
    assert "too many" in run(every, range(500)).failures["accepted"]


def test_a_whole_input_has_to_be_accepted() -> None:
    assert list(run(dataclasses.replace(EVEN, whole=(0, 1)), ()).failures) == ["whole input 1"]


def test_cpu_time_is_limited_and_waiting_is_none() -> None:
    slow = dataclasses.replace(EVEN, attempt=lambda _: spend(0.02), seconds=0.01, accepted=(0, 1))
    assert "s of CPU time" in run(slow, (5,)).failures[5]
    waits = dataclasses.replace(EVEN, attempt=lambda _: time.sleep(0.05) is None, seconds=0.04, accepted=(0, 1))
    assert run(waits, (5,)).failures == {}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows can't interrupt a program by its CPU time")
def test_an_input_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "HANG", 0.05)
    endless = dataclasses.replace(EVEN, mutation=lambda _: spend(1e9), whole=())
    assert "no end after" in run(endless, (3,)).failures[3]


def test_a_run_from_the_command_line_can_be_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    def fuzz(*words: str) -> str:
        assert main(["ns2-content", "--count", "5", *words]) == 0
        return capsys.readouterr().out

    first = int(fuzz().split("seeds from ")[1].split()[0])
    assert abs(first / 1000 - time.time()) < 3600
    assert "ns2-content: seeds from 12 on\nns2-content: 5 inputs" in fuzz("--seed", "12")


def test_every_fuzzer_is_listed(root: Path) -> None:
    there = {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in (root / "tests").rglob("*fuzz*.py")
        if re.search(r"^FUZZER(: .*)? = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert set(FUZZERS.values()) == there
    assert set(GAMES) == {"teeworlds", "genesis", "fable", "ns2", "source"}
