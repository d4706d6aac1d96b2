# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test may use: the corpus where it exists, and the marks `slow` and `cpu_seconds`.

Tests of the library (tests/formats) import `formats` and never see Blender. Tests of the extension (tests/addon) import
it by the name `levelwright`, as Blender does by a longer one: `from levelwright.addon import levels`.
"""

import gc
import os
import time
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

from tests import examples

# The same examples in every run, and more in CI, so that no commit fails for what another one brought in; new ones are
# tried with `--hypothesis-profile explore`. Hypothesis' limits are of the clock's time, which is other programs', too.
_UNHURRIED = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("explore", _UNHURRIED, derandomize=False)
hypothesis.settings.register_profile("same", _UNHURRIED, derandomize=True, max_examples=examples.of(100))
hypothesis.settings.load_profile("same")

FIRST = ("tests/formats/test_fuzz.py", "tests/packaging/", "tests/addon/")
"""Where the longest files are: they begin first, so that no process is at one long after the others have ended."""
GARBAGE = 10_000
"""Objects that a test may make before Python looks whether some of them are garbage; of itself it does so after 700."""
ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("LEVELWRIGHT_SHARED", ROOT.parent / "shared")) / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too (they always run where CI=true)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: next((n for n, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST)))
    if config.getoption("--slow") or examples.IN_CI:
        return
    skip = pytest.mark.skip(reason="slow: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let Python look for no garbage among modules and tests: all stay to the end, and it would look often."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(GARBAGE)
    gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a test to the `cpu_seconds` of its mark."""
    start = time.process_time()
    result = yield
    mark = item.get_closest_marker("cpu_seconds")
    if mark is not None:
        spent, limit = time.process_time() - start, mark.args[0]
        assert spent < limit, f"{spent:.1f} s of CPU time, of {limit} s"
    return result


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the folder of real levels (`teeworlds`, ...); skips the test where there is none."""
    if not CORPUS.is_dir():
        pytest.skip("no corpus of real levels beside this repository (../shared/corpus)")
    return CORPUS
