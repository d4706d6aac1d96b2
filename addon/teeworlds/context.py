# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of one import share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...formats import teeworlds
from ...formats.reach import AllowedFolders
from ..scene import level
from .settings import ImportSettings


@dataclass(frozen=True)
class ImportContext(level.ImportContext[teeworlds.Level, ImportSettings]):
    """One import of a map."""

    folders: Sequence[Path] = ()
    """Where external images and sounds are looked for, the likeliest first."""
    reach: AllowedFolders = field(default_factory=lambda: AllowedFolders(()))
    """What these folders are in, and nothing is looked for out of."""
