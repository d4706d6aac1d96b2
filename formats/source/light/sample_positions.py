# SPDX-License-Identifier: GPL-3.0-or-later
"""Where on a displacement its luxels lie: the lump DISP_LIGHTMAP_SAMPLE_POSITIONS (source.md §2.2).

Luxel by luxel: a triangle's number, in a second byte behind 255 if it is 255 or more, and three barycentric
coordinates of 255. A displacement's first byte is its `lightmap_sample_position_start`.
"""

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Bytes, Ints
from ...binary import Buffer, FormatError

_LONG = 255
_SHORT = 4  # bytes of a luxel, a long one has one more
_WHAT = "sample positions of displacements"


def decode(data: Buffer) -> tuple[Ints, npt.NDArray[np.uint16], Bytes]:
    """Return where each luxel begins [n], its triangle [n] and its coordinates [n, 3]. Raises FormatError."""
    raw = np.frombuffer(memoryview(data).toreadonly().cast("B"), np.uint8)
    begins = _begins(raw)
    long = raw[begins] == _LONG
    if len(begins) and int(begins[-1]) + 4 + int(long[-1]) != len(raw):
        raise FormatError("the last luxel is not whole", _WHAT, int(begins[-1]))
    triangles = raw[begins].astype(np.uint16)
    triangles[long] += raw[begins[long] + 1]
    first = begins + 1 + long
    return begins, triangles, raw[first[:, None] + np.arange(3)]


def encode(triangles: npt.ArrayLike, coordinates: npt.ArrayLike) -> bytes:
    """Return the lump for triangles [n] and coordinates [n, 3]: what `decode` undoes. Raises FormatError."""
    numbers = np.asarray(triangles, np.int64)
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) <= 2 * _LONG:
        raise FormatError(f"triangles {numbers.min()} to {numbers.max()}, 0 to {2 * _LONG} can be told", _WHAT)
    rows = np.empty((len(numbers), 5), np.uint8)
    rows[:, 0] = np.minimum(numbers, _LONG)
    rows[:, 1] = numbers - rows[:, 0]
    rows[:, 2:] = coordinates
    keep = np.ones(rows.shape, np.bool_)
    keep[:, 1] = numbers >= _LONG
    return rows[keep].tobytes()


def _begins(raw: Bytes) -> Ints:
    """Where luxels begin: short ones follow each other up to a long one, behind which the next ones begin.

    Every 255 may begin a long one; where it does, the next long one is the first 255 at a whole number of short ones
    behind it. Chains of 1, 2, 4, ... steps find which of them the first one leads to.
    """
    marks = np.flatnonzero(raw == _LONG)
    by_rest = [np.flatnonzero(marks % _SHORT == rest) for rest in range(_SHORT)]
    following = np.full(len(marks) + 1, len(marks))
    for rest, numbers in enumerate(by_rest):
        others = by_rest[(rest + 1) % _SHORT]
        found = np.searchsorted(marks[others], marks[numbers] + _SHORT + 1)
        following[numbers] = np.append(others, len(marks))[found]
    chain = np.append(by_rest[0], len(marks))[:1]
    while chain[-1] < len(marks):
        chain = np.concatenate([chain, following[chain]])
        following = following[following]
    longs = marks[chain[chain < len(marks)]]
    starts = np.insert(longs + _SHORT + 1, 0, 0)
    counts = np.append((longs - starts[:-1]) // _SHORT + 1, max(0, -(-(len(raw) - int(starts[-1])) // _SHORT)))
    return ranges.flat(starts, counts, _SHORT)
