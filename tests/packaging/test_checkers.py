# SPDX-License-Identifier: GPL-3.0-or-later
"""ruff and mypy are part of the suite. mypy is slow where it has no cache yet: CI tries it, and the hook of commits."""

import importlib.util
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(module: str, *arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    """Run a tool of this environment; returns what it printed, "" where it was content."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not in this environment")
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    assert run("ruff", "check", "--output-format=concise", ".") == ""


def test_ruff_would_format_nothing() -> None:
    assert run("ruff", "format", "--check", ".") == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="checked with the stubs of Python 3.11's requirements")
def test_mypy_finds_nothing() -> None:
    # mypy takes the name of a package from its folder's, and the clone may be called anything: a link names it.
    names = ROOT / ".mypy_cache" / "names"
    names.mkdir(parents=True, exist_ok=True)
    link = names / "levelwright"
    with suppress(FileExistsError):
        link.symlink_to(Path("..", ".."), target_is_directory=True)
    packages = ["-p", "levelwright.formats", "-p", "levelwright.addon"]
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    assert run("mypy", *config, *packages, cwd=names, MYPYPATH=str(names)) == ""
