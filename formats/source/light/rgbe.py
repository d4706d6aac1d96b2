# SPDX-License-Identifier: GPL-3.0-or-later
"""ColorRGBExp32, the colours of light: three bytes and a common exponent, and what they mean (source.md §2.6).

Light is linear, rgb * 2**exponent / 255, and may exceed 1. numpy's ldexp and frexp are exact, so that results do not
depend on the machine.
"""

import numpy as np
import numpy.typing as npt

from ...arrays import Reals, Records, Singles
from ..records import RGBE

_SCALES = np.ldexp(1 / 255, np.arange(256, dtype=np.uint8).view(np.int8)).astype(np.float32)  # by the exponent's byte
_LOWEST, _HIGHEST = -128, 127
_STEP = 1 << 14  # colours at once: they stay in the cache


def decode(colors: Records) -> Singles:
    """Return linear light, float32 [..., 3], of colours [...]."""
    raw = np.ascontiguousarray(colors).view((np.uint8, 4)).reshape(-1, 4)
    light = np.empty((len(raw), 3), np.float32)
    for start in range(0, len(raw), _STEP):
        part = slice(start, start + _STEP)
        scales = _SCALES[raw[part, 3]]
        for channel in range(3):  # measured: several times as fast as all at once
            np.multiply(raw[part, channel], scales, out=light[part, channel])
    return light.reshape(*colors.shape, 3)


def encode(light: npt.ArrayLike, old: Records | None = None) -> Records:
    """Return colours [...] for linear light [..., 3]: the nearest there are with the exponent that fits the brightest.

    Where `old` [...] already means exactly this light, it stays, for a light may have several colours. What is no
    number becomes black, what is too bright the brightest.
    """
    wanted = np.asarray(light, np.float32)
    flat = wanted.reshape(-1, 3)
    colors = np.empty(len(flat), RGBE)
    for start in range(0, len(flat), _STEP):
        colors[start : start + _STEP] = _encode(flat[start : start + _STEP])
    colors = colors.reshape(wanted.shape[:-1])
    if old is not None:
        same = (decode(old).view(np.uint32) == np.ascontiguousarray(wanted).view(np.uint32)).all(axis=-1)
        colors[same] = np.asarray(old)[same]
    return colors


def _encode(light: Reals) -> Records:
    # fmax takes 0 of a NaN and 0; no light is brighter than the brightest colour.
    bytes_wanted = np.fmin(np.fmax(light.astype(np.float64), 0) * 255, np.ldexp(255.0, _HIGHEST))
    brightest = bytes_wanted.max(axis=1, initial=0)
    exponent = np.clip(np.frexp(brightest)[1] - 8, _LOWEST, _HIGHEST)  # which makes the brightest 128 to 255
    # 255.5 and more would round to 256.
    exponent += (np.rint(np.ldexp(brightest, -exponent)) > 255) & (exponent < _HIGHEST)
    exponent[brightest == 0] = 0
    colors = np.empty(len(light), RGBE)
    colors["rgb"] = np.minimum(np.rint(np.ldexp(bytes_wanted, -exponent[:, None])), 255)
    colors["exponent"] = exponent
    return colors
