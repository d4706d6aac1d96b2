"""Where on a displacement its luxels lie: the lump DISP_LIGHTMAP_SAMPLE_POSITIONS (source-bsp-notes §2.2).

Luxel by luxel: a triangle's number, in a second byte behind 255 if it is 255 or more, and three barycentric
coordinates of 255. A displacement's first byte is its `lightmap_sample_position_start`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..binary import Buffer, FormatError

_LONG = 255
_WHAT = "sample positions of displacements"


def decode(data: Buffer) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
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


def encode(triangles: npt.ArrayLike, coordinates: npt.NDArray[Any]) -> bytes:
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


def _begins(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Where luxels begin. Each tells where the next one does; chains of 1, 2, 4, ... steps find all in few passes."""
    size = len(raw)
    following = np.append(np.minimum(np.arange(size) + 4 + (raw == _LONG), size), size)
    begins = np.zeros(1 if size else 0, np.int64)
    while size and begins[-1] < size:
        begins = np.concatenate([begins, following[begins]])
        following = following[following]
    return begins[begins < size]
