"""Runs a script in another Blender (a Python with bpy), for tests that save in one version and reopen in another.

The Pythons are named by LEVELWRIGHT_PYTHONS, separated as PATH is; without it only the Python that runs the tests is
there, which still gives a fresh process. The code finds bpy, sys and the extension (package `levelwright`) imported,
its arguments in sys.argv[1:], and says what it found by printing JSON as its last line.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

PRELUDE = """
import sys
import bpy
sys.path.insert(0, {root!r})
from scripts.extension import load
load()
"""


def pythons() -> list[str]:
    """Every Python with bpy that the tests may use, this one first."""
    others = [path for path in os.environ.get("LEVELWRIGHT_PYTHONS", "").split(os.pathsep) if path]
    return list(dict.fromkeys([sys.executable, *others]))


def name(python: str) -> str:
    """A short name for a test's id: the version of its bpy."""
    if python == sys.executable:
        return "this"
    code = "import bpy; print('%d.%d' % bpy.app.version[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120).stdout.strip() or python


def run(code: str, *arguments: object, python: str = sys.executable, environment: dict[str, str] | None = None) -> Any:
    """Run code after the prelude in a process of its own; return what its last line of output says (JSON)."""
    script = PRELUDE.format(root=str(ROOT)) + code
    done = subprocess.run(
        [python, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.strip().splitlines()[-1])
