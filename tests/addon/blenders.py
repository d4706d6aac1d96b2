# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a script in another Blender (a Python with bpy), for tests that save in one version and reopen in another.

The Pythons are named by LEVELWRIGHT_PYTHONS, separated as PATH is; without it only the Python that runs the tests is
there, which still gives a fresh process. The code finds bpy, sys and the extension (package `levelwright`) imported,
its arguments in sys.argv[1:], and leaves what it found (as JSON can hold it) in the variable `result`.
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
EPILOGUE = """
import json, os
print("\\n@result " + json.dumps(result), flush=True)
os._exit(0)  # what the script left registered would crash or hang some versions at a normal exit
"""


def pythons() -> list[str]:
    """Every Python with bpy that the tests may use, this one first."""
    others = [path for path in os.environ.get("LEVELWRIGHT_PYTHONS", "").split(os.pathsep) if path]
    return list(dict.fromkeys([sys.executable, *others]))


def name(python: str) -> str:
    """A short name for a test's id: the folder of its environment."""
    return "this" if python == sys.executable else Path(python).parent.parent.name


def without_cpu_features(python: str = sys.executable) -> dict[str, str]:
    """An environment for `run` in which that Python's numpy uses nothing of the CPU that it can do without."""
    code = "import numpy; print(*numpy.show_config(mode='dicts')['SIMD Extensions']['found'])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return {"NPY_DISABLE_CPU_FEATURES": done.stdout.strip()}


def run(code: str, *arguments: object, python: str = sys.executable, environment: dict[str, str] | None = None) -> Any:
    """Run code in a process of its own and return its `result`; environment is added to this process's."""
    script = PRELUDE.format(root=str(ROOT)) + code + EPILOGUE
    # bpy sets OCIO to its own colour profile, which another version can't read.
    inherited = {key: value for key, value in os.environ.items() if key != "OCIO"}
    done = subprocess.run(
        [python, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**inherited, **(environment or {})},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.rpartition("\n@result ")[2].splitlines()[0])
