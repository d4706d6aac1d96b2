# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of one import share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy

from ..scene.reports import Report


@dataclass(frozen=True)
class ImportContext:
    """One import of a map, or what is made in Blender as if it had been imported."""

    collection: bpy.types.Collection
    """The level's: it holds everything, images, sounds and envelopes as resources."""
    root: bpy.types.Object
    """The empty at the origin, parent of everything."""
    token: int
    """The level's: what `identity.stamp` marks its parts with."""
    report: Report
    """Gets counts, warnings and what is missing."""
    folders: Sequence[Path] = ()
    """Where external images and sounds are looked for, the likeliest first."""
