# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension's zip with the builder that Blender ships, and check it with Blender's own validator.

The builder is a plain script inside the bpy wheel, so Blender itself isn't started.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


FIND = (
    "import importlib.util as u; found = u.find_spec('bpy'); print(*found.submodule_search_locations if found else ())"
)


def builder(python: str = sys.executable) -> Path:
    """Return the script that builds and validates extensions, of the Blender that a Python has.

    Raises FileNotFoundError for a Python without bpy.
    """
    found = subprocess.run([python, "-I", "-c", FIND], capture_output=True, text=True, check=True).stdout.strip()
    for script in Path(found or "none").glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"):
        return script
    raise FileNotFoundError(f"{python} has no bpy, and so no extension builder")


def validate(archive: Path, python: str = sys.executable) -> None:
    """Let the validator of the Blender that a Python has look at a zip; CalledProcessError where it objects."""
    subprocess.run([python, "-I", str(builder(python)), "validate", str(archive)], check=True)


def build(target: Path) -> Path:
    """Build the zip into a folder, validate it, and return its path; CalledProcessError where Blender objects."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    archive = target / f"{manifest['id']}-{manifest['version']}.zip"
    target.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-I", str(builder())]
    source = ["--source-dir", str(ROOT), "--output-filepath", str(archive)]
    subprocess.run([*command, "build", *source], check=True)
    validate(archive)
    return archive


def main() -> int:
    """Build into dist/, or into the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    try:
        print(build(parser.parse_args().folder))
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        print(f"levelwright: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
