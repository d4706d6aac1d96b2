# SPDX-License-Identifier: GPL-3.0-or-later
"""What reflection probes have seen: a cube of six pictures in shared-exponent colors (ns2.md §3)."""

import numpy as np
import numpy.typing as npt

from ..arrays import Singles
from ..binary import Buffer, FormatError

EDGE = 64  # pixels
SIZE = 6 * EDGE * EDGE * 4
_BIAS = 128 + 8  # of the exponent byte; red, green and blue are whole numbers of 256ths


def decode(data: Buffer) -> Singles:
    """The pictures, float32 [6, 64, 64, 3], linear red, green, blue. Raises FormatError unless there are 98,304 bytes.

    A pixel is red, green, blue and an exponent that they share; exponent 0 is black.
    """
    if len(data) != SIZE:
        raise FormatError(f"{len(data)} bytes; six pictures of {EDGE} x {EDGE} have {SIZE}", "cubemap")
    pixels = np.frombuffer(data, np.uint8).reshape(6, EDGE, EDGE, 4)
    exponents = pixels[..., 3:].astype(np.int32)
    colors: Singles = np.ldexp(pixels[..., :3].astype(np.float32), exponents - _BIAS)
    return np.where(exponents == 0, np.float32(0), colors)


def encode(colors: npt.ArrayLike) -> bytes:
    """The 98,304 bytes of float [6, 64, 64, 3], 0 or more; what `decode` gave comes out as it was.

    Raises FormatError for another shape, and for colors that are negative, NaN, or beyond what fits (2 ** 127).
    """
    values = np.asarray(colors, np.float64)
    if values.shape != (6, EDGE, EDGE, 3):
        raise FormatError(f"pictures of shape {values.shape}, not (6, {EDGE}, {EDGE}, 3)", "cubemap")
    if not ((values >= 0) & (values < 2.0**127)).all():
        raise FormatError("has colors that are negative, NaN, or too bright", "cubemap")
    _, exponents = np.frexp(values.max(axis=-1, keepdims=True))
    black = exponents <= -128
    pixels = np.zeros((6, EDGE, EDGE, 4), np.uint8)
    pixels[..., :3] = np.where(black, 0, np.floor(np.ldexp(values, 8 - exponents)))
    pixels[..., 3:] = np.where(black | (values.max(axis=-1, keepdims=True) == 0), 0, exponents + 128)
    return pixels.tobytes()
