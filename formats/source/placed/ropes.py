# SPDX-License-Identifier: GPL-3.0-or-later
"""How ropes hang: a stand-in for what the engine simulates."""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats

POINTS = 17
"""Of a rope's curve."""


def hanging(way: Floats, slack: float) -> Floats:
    """float64[POINTS, 3]: a rope over a way that is longer than it by `slack` units: a parabola of that length.

    A parabola that hangs through by s over a way d is about d + 8 s^2 / (3 d) long.
    """
    share = np.linspace(0, 1, POINTS)
    points = share[:, None] * way
    sag = math.sqrt(3 * float(np.linalg.norm(way)) * max(slack, 0.0) / 8)
    points[:, 2] -= 4 * sag * share * (1 - share)
    return points
