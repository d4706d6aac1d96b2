# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's figures as JSON, and what became worse since the baseline."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .busy import Load
from .measure import Result

ROOT = Path(__file__).resolve().parents[2]
BASELINE = Path(__file__).with_name("baseline.json")
"""Ratios by their names: seconds would say more of the machine than of the commit."""
WORSE = 1.15
"""Times its baseline from which a ratio is called worse."""


def folder() -> Path:
    """Where runs are written without --json."""
    return ROOT / "build" / "bench"


def as_json(results: Mapping[str, Result], load: Load | None, steady: bool) -> dict[str, Any]:
    """All that is known of a run. results: by names as in the baseline."""
    commit = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "commit": found.stdout.strip(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "processors": os.cpu_count(), "python": sys.version.split()[0]},
        "busy": None if load is None else asdict(load) | {"too_busy": load.too_busy},
        "steady": steady,
        "results": {name: asdict(result) | {"reached": result.reached} for name, result in results.items()},
    }


def write(path: Path, run: Mapping[str, Any]) -> None:
    """Write a run, or a baseline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def ratios(results: Mapping[str, Result]) -> dict[str, float]:
    """The figures that can be compared with those of another machine."""
    return {name: round(result.measured, 3) for name, result in results.items() if result.unit == "x"}


def baseline() -> dict[str, float]:
    """The committed ratios; none where there is no baseline yet."""
    if not BASELINE.is_file():
        return {}
    found: dict[str, float] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return found


def worse(results: Mapping[str, Result], before: Mapping[str, float]) -> list[str]:
    """A line for each ratio that is more than WORSE times what it was."""
    return [
        f"{name}: {now:.3g} where {before[name]:.3g} was ({now / before[name] - 1:+.0%})"
        for name, now in ratios(results).items()
        if name in before and now > WORSE * before[name]
    ]
