# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test may use: the corpus where it exists, and the marks `slow` and `cpu_seconds`.

Tests of the library (tests/formats) import `formats` and never see Blender. Tests of the extension (tests/addon) import
it by the name `levelwright`, as Blender does by a longer one: `from levelwright.addon.scene import meshes`.
"""

import os
import time
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

# What was not seen before is found by developers' runs: no submission fails for what another one brought in.
hypothesis.settings.register_profile("ci", derandomize=True)
if os.environ.get("CI") == "true":
    hypothesis.settings.load_profile("ci")

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("LEVELWRIGHT_SHARED", ROOT.parent / "shared")) / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too (they always run where CI=true)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow") or os.environ.get("CI") == "true":
        return
    skip = pytest.mark.skip(reason="slow: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


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
