# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters see and hear which: rows of bits, runs of zero bytes shortened (source.md "Visibility")."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Bytes, Ints
from ...binary import Budget, Buffer, FormatError

WHAT = "lump 4 (VISIBILITY)"
_LONGEST_RUN = 255

Bits = Bytes


@dataclass(slots=True, eq=False)
class Visibility:
    """Rows of `pvs` (what a cluster can see) and `pas` (what can be heard in it): uint8 [clusters, bytes of a row].

    Bit n of a row, counted from the lowest of its first byte, stands for cluster n. Those of a level are read-only: to
    change them, set a copy. They are stored all of the one before all of the other, as vvis does it.
    """

    pvs: Bits
    pas: Bits

    @property
    def clusters(self) -> int:
        """How many there are."""
        return len(self.pvs)

    def sees(self, cluster: int) -> Bools:
        """Which clusters one sees: bool [clusters]."""
        bits = np.unpackbits(self.pvs[cluster], count=self.clusters, bitorder="little")
        return bits.astype(np.bool_)

    def matrix(self) -> Bools:
        """All that `sees` gives: bool [clusters, clusters]."""
        return np.unpackbits(self.pvs, axis=1, count=self.clusters, bitorder="little").astype(np.bool_)


def decode(data: Buffer, byte_order: str, budget: Budget) -> Visibility | None:
    """Decode the lump; None if it is empty, as in maps without vvis. Raises FormatError."""
    view = memoryview(data).toreadonly().cast("B")
    if not len(view):
        return None
    if len(view) < 4:
        raise FormatError(f"{len(view)} bytes hold no number of clusters", WHAT)
    count = int(np.frombuffer(view, byte_order + "i4", 1)[0])
    if not 0 <= count <= (len(view) - 4) // 8:
        raise FormatError(f"{count} clusters, but {len(view) - 4} bytes are left for their offsets", WHAT)
    width = (count + 7) // 8
    budget.spend(2 * count * width, WHAT)
    offsets = np.frombuffer(view, byte_order + "i4", 2 * count, 4).astype(np.int64).reshape(count, 2).T.ravel()
    strange = (offsets < 4 + 8 * count) | (offsets >= len(view))
    if strange.any():
        number = int(strange.argmax())
        message = f"the row of cluster {number % count} begins at byte {offsets[number]} of {len(view)}"
        raise FormatError(message, WHAT)
    rows = _decode_rows(np.frombuffer(view, np.uint8), offsets, width)
    rows.flags.writeable = False
    return Visibility(rows[:count], rows[count:])


def _decode_rows(data: Bits, offsets: Ints, width: int) -> Bits:
    """Rows of `width` bytes that begin at `offsets`: each ends where the next one begins, or before."""
    out = np.zeros((len(offsets), width), np.uint8)
    if not out.size:
        return out
    starts, row_of = np.unique(offsets, return_inverse=True)
    data = data[starts[0] :]
    starts = starts - starts[0]
    sizes = np.diff(starts, append=len(data))
    marker, count = _runs(data, starts)
    advance = (~marker).astype(np.int32)
    advance[count] = data[count]
    place = np.cumsum(advance, dtype=np.int64)
    before = place[starts] - advance[starts]
    lengths = place[starts + sizes - 1] - before
    if (lengths < width).any():
        short = int((lengths < width).argmax())
        raise FormatError(f"a row of {width} bytes ends after {lengths[short]}", WHAT)
    place -= advance
    place -= np.repeat(before, sizes)
    literal = ~(marker | count) & (place < width)
    place += np.repeat(np.arange(len(starts)) * width, sizes)
    unique_rows = np.zeros((len(starts), width), np.uint8)
    unique_rows.reshape(-1)[place[literal]] = data[literal]
    rows: Bits = unique_rows[row_of.reshape(-1)]
    return rows


def _runs(data: Bits, starts: Ints) -> tuple[Bools, Bools]:
    """Which bytes begin runs of zeros, and which are the counts behind them. Rows begin at `starts`."""
    zero = data == 0
    count = np.zeros(len(data), np.bool_)
    count[1:] = zero[:-1]
    count[starts] = False
    if not (zero & count).any():
        return zero, count
    # A count is zero itself only in damaged files: of zeros in a row every other one is a count. Rows begin anew.
    number = np.arange(len(data), dtype=np.int32)
    run_starts = zero.copy()
    run_starts[1:] &= ~zero[:-1]
    run_starts[starts] = zero[starts]
    in_run = number - np.maximum.accumulate(np.where(run_starts, number, 0))
    marker = zero & (in_run % 2 == 0)
    count[1:] = marker[:-1]
    count[starts] = False
    return marker, count


def encode(visibility: Visibility | None, byte_order: str) -> bytes:
    """The lump's bytes, the same as vvis makes of these rows. Raises FormatError."""
    if visibility is None:
        return b""
    count = visibility.clusters
    width = (count + 7) // 8
    for rows in (visibility.pvs, visibility.pas):
        if rows.shape != (count, width) or rows.dtype != np.uint8:
            raise FormatError(f"rows of {rows.shape}, {count} clusters need {(count, width)}", WHAT)
    packed, lengths = _encode_rows(np.concatenate([visibility.pvs, visibility.pas]))
    offsets = 4 + 8 * count + np.cumsum(lengths) - lengths
    table = offsets.reshape(2, count).T.astype(byte_order + "i4")
    return np.array(count, byte_order + "i4").tobytes() + table.tobytes() + packed.tobytes()


def _encode_rows(rows: Bits) -> tuple[Bits, Ints]:
    """Shorten runs of zeros within rows: all bytes, and how many each row has."""
    flat = rows.ravel()
    zero = flat == 0
    first = np.zeros(rows.shape, np.bool_)
    first[:, :1] = True
    run_start = zero.copy()
    run_start[1:] &= ~zero[:-1] | first.ravel()[1:]
    number = np.arange(len(flat))
    in_run = number - np.maximum.accumulate(np.where(run_start, number, 0))
    marker = zero & (in_run % _LONGEST_RUN == 0)  # a longer run is several
    kept = marker | ~zero
    sizes = np.where(marker, 2, 1)[kept]
    ends = np.cumsum(sizes)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    out[ends - sizes] = flat[kept]
    places = number[kept]
    following = np.append(places[1:], len(flat)) - places  # a marker stands for all zeros up to the next kept byte
    is_marker = marker[kept]
    out[ends[is_marker] - 1] = following[is_marker]
    lengths = np.bincount(places // max(rows.shape[1], 1), sizes, len(rows)).astype(np.int64)
    return out, lengths
