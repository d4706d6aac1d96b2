# SPDX-License-Identifier: GPL-3.0-or-later
"""The sides that stand in for faces, as the import made them: baselines, so that an export finds them again."""

from __future__ import annotations

import bpy

from ....formats import source
from ....formats.source.faces import side_faces
from ....formats.source.faces.side_faces import SideFaces
from ...scene.kept import baselines
from .. import layout

_KEYS = (layout.SIDE_POINTS, layout.SIDE_CORNERS, layout.SIDE_ROWS)


def remember(collection: bpy.types.Collection, sides: SideFaces) -> None:
    """Keep what the import made of sides."""
    for key, values in zip(_KEYS, side_faces.to_arrays(sides), strict=True):
        baselines.store(collection, key, values)


def recall(collection: bpy.types.Collection, level: source.Level) -> SideFaces | None:
    """What `remember` has kept; None for levels whose import made none. level: the original. Raises FormatError."""
    points, corners, rows = (baselines.load(collection, key) for key in _KEYS)
    if points is None or corners is None or rows is None:
        return None
    return side_faces.from_arrays(level, points, corners, rows)
