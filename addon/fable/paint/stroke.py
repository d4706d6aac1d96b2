# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke of the brush over a canvas."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas

SPACING = 1 / 3
"""Of the radius, between two dabs of a stroke."""


class Stroke:
    """A stroke of the brush: dabs along the way that it takes. radius: units. strength: 0..1, of what is blended."""

    def __init__(self, canvas: Canvas, radius: float, strength: float = 1.0, erase: bool = False) -> None:
        self.canvas, self.radius, self.strength, self.erase = canvas, radius, strength, erase
        self._at: tuple[float, float] | None = None

    def to(self, x: float, y: float) -> None:
        """Go on to a place below the level's root; the first one begins the stroke."""
        before = self._at or (x, y)
        far = float(np.hypot(x - before[0], y - before[1]))
        step = max(self.radius * SPACING, 0.25)
        if self._at is not None and far < step:
            return
        count = max(int(far / step), 1)
        for number in range(1, count + 1):
            part = number / count
            cells, near = self.canvas.near(
                before[0] + (x - before[0]) * part, before[1] + (y - before[1]) * part, self.radius
            )
            self.canvas.paint(cells, near * self.strength, self.erase)
        self.canvas.show()
        self._at = (x, y)

    def end(self) -> None:
        """Let go."""
        self.canvas.finish()
