# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests of the repository itself share."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with spaces in its name that looks like a clone which has its environment already."""
    folder = tmp_path / "my level wright"
    folder.mkdir()
    for name in ("__init__.py", "addon", "formats", "pyproject.toml", "requirements", "tests"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    (folder / ".venv").symlink_to(sys.prefix)
    return folder
