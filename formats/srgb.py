# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours as amounts of light, and as a screen's numbers (sRGB, IEC 61966-2-1); 0 is black, 1 is white."""

import numpy as np

from .arrays import Reals

KNEE, SLOPE, OFFSET, POWER = 0.0031308, 12.92, 0.055, 2.4
"""Numbers are so many times the light up to the knee, and a power of it beyond."""
SCREEN_KNEE = 0.04045
"""The number that a screen has at the knee."""


def to_light(numbers: Reals) -> Reals:
    """The light that a screen's numbers (floats of any shape) stand for, of the same shape and dtype; NaN stays."""
    beyond = ((np.maximum(numbers, SCREEN_KNEE) + OFFSET) / (1 + OFFSET)) ** POWER
    return np.where(numbers <= SCREEN_KNEE, numbers / SLOPE, beyond)


def to_screen(light: Reals) -> Reals:
    """The numbers that show light, of the same shape and dtype; NaN stays."""
    beyond = (1 + OFFSET) * np.maximum(light, KNEE) ** (1 / POWER) - OFFSET
    return np.where(light <= KNEE, SLOPE * light, beyond)
