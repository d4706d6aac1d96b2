# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a map as the game shows it: what the golden pictures and the real client's are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from tests import pictures
from tests.addon import golden


@dataclass(frozen=True)
class View:
    """Where the game's camera is: its middle in tiles (y down), zoom factor, and time in seconds."""

    x: float
    y: float
    zoom: float = 1.0
    time: float = 0.0


def import_map(path: Path, mapres: Path | None = None) -> None:
    """Import a map into the (empty) scene, its external images taken from `mapres`."""
    bpy.ops.import_scene.teeworlds_map(filepath=str(path), mapres_directory=str(mapres or ""))


def render(view: View, width: int, height: int, target: Path) -> pictures.Picture:
    """The picture float64 [height, width, 3] that the scene's only map gives there."""
    golden.set_size(width, height)
    bpy.ops.levelwright.teeworlds_view_as_game(x=view.x, y=view.y, zoom=view.zoom, time=view.time)
    return golden.render(width, height, target)
