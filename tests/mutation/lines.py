# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: writes which tests run which lines of some modules, as JSON, and how long each test takes.

LEVELWRIGHT_LINES=out.json LEVELWRIGHT_MODULES=addon/ns2/ pytest -p tests.mutation.lines ...
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = str(Path(__file__).resolve().parents[2]) + os.sep
MODULES = tuple(ROOT + name for name in os.environ.get("LEVELWRIGHT_MODULES", "").split(os.pathsep))
_lines: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
_seconds: dict[str, float] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out tests of other games: what they have for `game` is none whose modules are asked for."""

    def others(item: pytest.Item) -> bool:
        game = (
            item.callspec.params.get("game")
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else None
        )
        key = getattr(game, "key", game)
        return isinstance(key, str) and not any(f"/{key}/" in each for each in MODULES)

    items[:] = [item for item in items if not others(item)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Trace one test."""
    seen: set[tuple[str, int]] = set()

    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def calls(frame: FrameType, _: str, __: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(MODULES) else None

    began = time.process_time()
    sys.settrace(calls)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        _seconds[item.nodeid] = time.process_time() - began
        for path, line in seen:
            _lines[path.removeprefix(ROOT)][line].append(item.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    text = json.dumps({"lines": _lines, "seconds": _seconds})
    Path(os.environ["LEVELWRIGHT_LINES"]).write_text(text, encoding="utf-8")
