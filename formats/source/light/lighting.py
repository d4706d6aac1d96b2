# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps: where each face's blocks stand in a lighting lump, and their luxels (source.md §2.6).

The block of a face holds, for each of its styles, one lightmap or, on bump-mapped faces, four: the flat one and three
for the vectors of the bump basis. Rows follow t, columns s. Before it stand the average colours of the styles, the last
style's first; v17 and v18 have those in the face, and some compilers for v17 before the block, too. In maps of CS:GO,
bytes for each luxel stand behind the colours. Blocks follow each other without gaps, which tells one from the other.
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Ints, Records
from ...binary import Buffer, FormatError
from ...luxel_pixels import LuxelPixels
from ..level import Level
from ..lumps import LumpId
from ..records import NO_STYLE, RGBE, LevelFlag, SurfaceFlag

BUMP_SAMPLES = 4
_COLOR = RGBE.itemsize
_EXTRAS = (0, 1, 4)  # bytes a luxel that are known to stand behind the colours


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of the faces that have a lightmap, in the order of the faces. Arrays are int64, one entry a block."""

    faces: Ints
    offset: Ints  # of the first luxel, in bytes
    width: Ints  # luxels along s
    height: Ints  # along t
    styles: Ints  # how many
    samples: Ints  # lightmaps a style: 1, or BUMP_SAMPLES
    header: Ints  # bytes of average colours before the first luxel
    extra: int  # bytes a luxel and style behind the colours: 0, 1 or 4
    interleaved: bool  # whether they stand behind each style's colours, not behind the last's
    outside: Ints  # faces whose blocks the lump does not hold; not among `faces`

    @property
    def luxels(self) -> Ints:
        """int[blocks]: of one lightmap of each."""
        return self.width * self.height

    @property
    def size(self) -> Ints:
        """int[blocks]: bytes from the first luxel to the end."""
        return self.luxels * self.styles * (_COLOR * self.samples + self.extra)

    def lightmap(self, style: int = 0, sample: int = 0) -> Ints:
        """Return where a lightmap of each block begins, int[blocks] in bytes; -1: it hasn't that style or sample."""
        stride = self.luxels * _COLOR * self.samples + self.luxels * (self.extra if self.interleaved else 0)
        begin = self.offset + style * stride + sample * self.luxels * _COLOR
        return np.where((style < self.styles) & (sample < self.samples), begin, -1)

    def extras(self, style: int = 0) -> Ints:
        """Return where the bytes behind the colours of a style begin, int[blocks]; -1 where there are none."""
        if not self.extra:
            return np.full(len(self.faces), -1, np.int64)
        colors = self.luxels * _COLOR * self.samples
        if self.interleaved:
            begin = self.offset + style * (colors + self.luxels * self.extra) + colors
        else:
            begin = self.offset + self.styles * colors + style * self.luxels * self.extra
        return np.where(style < self.styles, begin, -1)

    def averages(self, style: int = 0) -> Ints:
        """Return where the average colour of a style stands, int[blocks]; -1 where there is none before the block."""
        return np.where((style < self.styles) & (self.header > 0), self.offset - _COLOR * (style + 1), -1)


def blocks(faces: Records, texinfos: Records, length: int, flags: int = 0) -> Blocks:
    """Find the blocks of `faces` in a lighting lump of `length` bytes. Raises FormatError for ones that overlap a lot.

    `flags`: the map's LevelFlags. How many bytes stand before and behind the colours is measured by the places of the
    blocks; the flags say so where these leave it open.
    """
    lit = np.flatnonzero((faces["lightofs"] >= 0) & (faces["styles"][:, 0] != NO_STYLE))
    found = faces[lit]
    offset = found["lightofs"].astype(np.int64)
    width, height = (found["lightmap_size"].astype(np.int64) + 1).T
    luxels = width.clip(0, 1 << 15) * height.clip(0, 1 << 15)  # hostile sizes: products stay in range
    used = found["styles"] != NO_STYLE
    styles = np.where(used.all(axis=1), used.shape[1], used.argmin(axis=1)).astype(np.int64)
    samples = np.where(_bumped(found["texinfo"], texinfos), BUMP_SAMPLES, 1).astype(np.int64)
    averages_in_face = "average" in (faces.dtype.names or ())
    colors = luxels * styles * samples * _COLOR
    before, extra = _measure(offset, colors, styles, luxels * styles, averages_in_face, length, flags)
    header = styles * before
    end = offset + colors + luxels * styles * extra
    fits = (width > 0) & (height > 0) & (luxels == width * height) & (offset >= header) & (end <= length)
    ranges.check_total((end - offset)[fits], length, "lightmaps")
    interleaved = bool(flags & LevelFlag.LIGHTSTYLES_WITH_CSM)
    return Blocks(
        lit[fits],
        offset[fits],
        width[fits],
        height[fits],
        styles[fits],
        samples[fits],
        header[fits],
        extra,
        interleaved,
        lit[~fits],
    )


def lightmaps(level: Level) -> dict[LumpId, Blocks]:
    """Find the blocks of a map by their lump: LIGHTING with FACES, LIGHTING_HDR with FACES_HDR, or FACES without them.

    Lumps that are empty are left out. Raises FormatError.
    """
    flags = 0
    if len(level.bytes_of(LumpId.MAP_FLAGS)) and level.layout(LumpId.MAP_FLAGS).dtype is not None:
        flags = int(level.table(LumpId.MAP_FLAGS)["flags"][0])
    hdr = LumpId.FACES_HDR if len(level.bytes_of(LumpId.FACES_HDR)) else LumpId.FACES
    found = {}
    for lump, faces in ((LumpId.LIGHTING, LumpId.FACES), (LumpId.LIGHTING_HDR, hdr)):
        length = len(level.bytes_of(lump))
        if length:
            found[lump] = blocks(level.table(faces), level.table(LumpId.TEXINFO), length, flags)
    return found


def _bumped(numbers: Ints, texinfos: Records) -> Bools:
    """Which of the texinfos `numbers` have lightmaps for the bump basis."""
    known = (numbers >= 0) & (numbers < len(texinfos))
    bumped = np.zeros(len(numbers), np.bool_)
    bumped[known] = texinfos["flags"][numbers[known]] & SurfaceFlag.BUMPLIGHT > 0
    return bumped


def _measure(
    offset: Ints,
    colors: Ints,
    styles: Ints,
    extras: Ints,
    averages_in_face: bool,
    length: int,
    flags: int,
) -> tuple[int, int]:
    """Bytes a style before the colours, and bytes a luxel and style behind them: with which most blocks touch."""
    told = 4 if flags & LevelFlag.LIGHTMAP_ALPHA_3 else 1 if flags & LevelFlag.LIGHTMAP_ALPHA else 0
    order = np.argsort(offset, kind="stable")

    def touching(case: tuple[int, int]) -> tuple[int, bool]:
        before, extra = case
        begins = (offset - styles * before)[order]
        ends = (offset + colors + extras * extra)[order]
        return int((np.append(begins, length) == np.insert(ends, 0, 0)).sum()), extra == told

    cases = [(before, extra) for before in ((0, _COLOR) if averages_in_face else (_COLOR,)) for extra in _EXTRAS]
    return max(cases, key=touching)


# ------------------------------------------------------------------------------------------------------------- luxels


def fits(found: Blocks, sizes: Ints) -> Bools:
    """Which blocks have the size that an image has room for. sizes: int64[faces + 1, 2], the white patch behind."""
    room = sizes[np.minimum(found.faces, len(sizes) - 1)]
    fit: Bools = (room == np.column_stack([found.width, found.height])).all(axis=1)
    return fit & (found.faces < len(sizes) - 1)


def luxels_in(where: LuxelPixels, found: Blocks, slot: int, sample: int) -> tuple[Bools, Ints]:
    """Which luxels of a lightmap of all blocks (as `luxel_offsets` has them) are in an image, and the pixels of those.

    where: the image.
    """
    _, owners = luxel_offsets(found, slot, sample)
    inside = fits(found, where.sizes)
    there = np.flatnonzero((found.lightmap(slot, sample) >= 0) & inside)
    return inside[owners], where.pixels[ranges.flat(where.first[found.faces[there]], found.luxels[there])]


def luxel_offsets(found: Blocks, style: int = 0, sample: int = 0) -> tuple[Ints, Ints]:
    """Return, for each luxel of a lightmap of all blocks that have it, where it stands in bytes and whose it is.

    Both int64 [luxels]: blocks one after another, their rows along t, in these along s; the second are indices of
    `found`'s arrays.
    """
    begin = found.lightmap(style, sample)
    there = np.flatnonzero(begin >= 0)
    count = found.luxels[there]
    return ranges.flat(begin[there], count, _COLOR), np.repeat(there, count)


def lightmap_colors(data: Buffer, begin: Ints, luxels: Ints) -> Records:
    """Return the colours of lightmaps that begin at bytes `begin` of a lump and have so many `luxels` each, one after
    another: RGBE [sum of luxels], a copy. Raises FormatError for lightmaps that the lump does not hold.
    """
    if (begin % _COLOR).any():
        return colors_at(data, ranges.flat(begin, luxels, _COLOR))
    whole = memoryview(data).toreadonly().cast("B")
    words = np.frombuffer(whole, np.uint32, len(whole) // _COLOR)  # which numpy gathers faster than records
    first = begin // _COLOR
    if len(first) and not 0 <= int(first.min()) <= int((first + luxels).max()) <= len(words):
        end = (begin + luxels * _COLOR).max()
        raise FormatError(f"lightmaps at bytes {begin.min()} to {end} of {len(whole)}", "lighting")
    colors: Records = words[ranges.flat(first, luxels)].view(RGBE)
    return colors


def colors_at(data: Buffer, offsets: Ints) -> Records:
    """Return the colours that stand at byte `offsets` [n] of a lump: RGBE [n], a copy."""
    whole = np.frombuffer(memoryview(data).toreadonly().cast("B"), np.uint8)
    if len(offsets) and not 0 <= int(offsets.min()) <= int(offsets.max()) <= len(whole) - _COLOR:
        raise FormatError(f"colours at bytes {offsets.min()} to {offsets.max()} of {len(whole)}", "lighting")
    if not np.bitwise_or.reduce(offsets, initial=0) % _COLOR:
        words = whole[: len(whole) // _COLOR * _COLOR].view(np.uint32)  # which numpy gathers faster than records
        aligned: Records = words[offsets // _COLOR].view(RGBE)
        return aligned
    windows = np.lib.stride_tricks.sliding_window_view(whole, _COLOR)
    unaligned: Records = windows[offsets].view(RGBE)[:, 0]
    return unaligned


def with_colors(data: Buffer, offsets: Ints, colors: Records) -> bytes:
    """Return a lump with `colors` [n] at byte `offsets` [n]. Raises FormatError for offsets outside of it."""
    whole = np.frombuffer(memoryview(data).toreadonly().cast("B"), np.uint8).copy()
    if len(offsets) and not 0 <= int(offsets.min()) <= int(offsets.max()) <= len(whole) - _COLOR:
        raise FormatError(f"colours at bytes {offsets.min()} to {offsets.max()} of {len(whole)}", "lighting")
    raw = np.ascontiguousarray(colors, RGBE).view((np.uint8, _COLOR))
    for byte in range(_COLOR):
        whole[offsets + byte] = raw[..., byte]
    return whole.tobytes()
