# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the benchmark again with steady.c, which keeps the machine's share out of figures, if it can be compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("steady.c")
LIBRARY = SOURCE.parents[2] / "build" / "bench" / "steady.so"
PRELOAD = "LD_PRELOAD"


def is_steady() -> bool:
    """Whether this process has steady.c."""
    return str(LIBRARY) in os.environ.get(PRELOAD, "").split(":")


def without() -> dict[str, str]:
    """The environment of processes whose memory is measured: they give back what they free."""
    kept = [path for path in os.environ.get(PRELOAD, "").split(":") if path and path != str(LIBRARY)]
    return os.environ | {PRELOAD: ":".join(kept)}


def start_again(module: str, arguments: Sequence[str]) -> None:
    """Run `python -m module` with these arguments in this process's place; returns where that was done, or can't be."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if is_steady() or sys.platform != "linux" or compiler is None:
        return
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(LIBRARY), str(SOURCE)]
    if subprocess.run(command, check=False).returncode:
        return
    before = os.environ.get(PRELOAD, "")
    environment = os.environ | {PRELOAD: f"{LIBRARY}:{before}" if before else str(LIBRARY)}
    os.execve(sys.executable, [sys.executable, "-m", module, *arguments], environment)
