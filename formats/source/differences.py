# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lumps of a map are other than those of another, and by how many records."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Records
from ..binary import Buffer, FormatError
from .check import MOST_BYTES, MOST_RECORDS, most_records
from .container.game_lump import DETAIL_PROPS, STATIC_PROPS
from .level import Level
from .lumps import LUMPS, LumpId, lump_name

_OF_LUMPS = {LumpId.ENTITIES: "entities", LumpId.PAKFILE: "files", LumpId.PHYSCOLLIDE: "models"}
_OF_GAME_LUMPS = {STATIC_PROPS: "static props", DETAIL_PROPS: "detail props"}
_RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Difference:
    """A lump that is no longer as it was."""

    name: str
    """As messages call it."""
    what: str
    """What there is in it, in the plural; "" if it is just bytes."""
    counts: tuple[int, int]
    """How many of these, before and after."""
    edited: int | None
    """How many of them are others, where there are as many as before, else None."""
    sizes: tuple[int, int]
    """Bytes, decompressed."""
    most: int | None = None
    """What usual compilers allow of them, None if anything."""
    most_bytes: int | None = None
    """Likewise, in bytes."""

    def __str__(self) -> str:
        """Return "lump 45 (OVERLAYS): from 3 to 4 records, of 512 at most, from 1056 to 1408 bytes"."""
        parts = []
        if self.what:
            parts.append(f"from {self.counts[0]} to {self.counts[1]} {self.what}")
            if self.edited is not None:
                parts.append(f"{self.edited} edited")
            if self.most is not None:
                parts.append(f"of {self.most} at most")
        parts.append(f"from {self.sizes[0]} to {self.sizes[1]} bytes")
        if self.most_bytes is not None:
            parts.append(f"of {self.most_bytes} at most")
        return f"{self.name}: {', '.join(parts)}"


def differences(before: Level, after: Level) -> list[Difference]:
    """The lumps that two maps have otherwise, by number; those in the game lump one by one. Raises FormatError.

    The maps have the same version; how lumps are compressed makes no difference.
    """
    found = []
    for lump in after.lumps:
        if lump == LumpId.GAME_LUMP:
            found += list(_in_game_lump(before, after))
        elif not _same(before, after, lump):
            found.append(_of_lump(before, after, lump))
    return found


def _same(before: Level, after: Level, lump: int) -> bool:
    stored = (before.file.stored(lump), after.file.stored(lump))
    return _equal(*stored) or _equal(before.bytes_of(lump), after.bytes_of(lump))


def _equal(one: Buffer, other: Buffer) -> bool:
    """Whether bytes are the same: many times as fast as comparing views of them."""
    return len(one) == len(other) and np.array_equal(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8))


def _of_lump(before: Level, after: Level, lump: int) -> Difference:
    sizes = len(before.bytes_of(lump)), len(after.bytes_of(lump))
    limits = _limits(after, lump)
    name = lump_name(lump)
    if lump == LumpId.ENTITIES:
        raw = [[tuple(entity.pairs) for entity in level.entities] for level in (before, after)]
        return _counted(name, _OF_LUMPS[LumpId.ENTITIES], raw[0], raw[1], sizes)
    if lump == LumpId.PAKFILE:
        files = [[(file.name, file.crc) for file in level.pak] for level in (before, after)]
        return _counted(name, _OF_LUMPS[LumpId.PAKFILE], files[0], files[1], sizes)
    if lump == LumpId.PHYSCOLLIDE:
        counts = len(before.physcollide.models), len(after.physcollide.models)
        return Difference(name, _OF_LUMPS[LumpId.PHYSCOLLIDE], counts, None, sizes)
    layout = after.layout(lump).dtype
    if layout is None or before.layout(lump).dtype != layout:
        return Difference(name, "", (0, 0), None, sizes, most_bytes=limits[1])
    return _of_records(name, _RECORDS, (before.bytes_of(lump), after.bytes_of(lump)), layout.itemsize, sizes, *limits)


def _limits(level: Level, lump: int) -> tuple[int | None, int | None]:
    """How many records and bytes of a lump usual compilers allow; None where nobody says."""
    if lump >= LUMPS:
        return None, None
    known = LumpId(lump)
    return most_records(level, known) if known in MOST_RECORDS else None, MOST_BYTES.get(known)


def _counted(
    name: str, what: str, one: Sequence[Hashable], other: Sequence[Hashable], sizes: tuple[int, int]
) -> Difference:
    edited = None
    if len(one) == len(other):
        edited = _edited([pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]])
    return Difference(name, what, (len(one), len(other)), edited, sizes)


def _edited(unlike: Sequence[tuple[Hashable, Hashable]]) -> int:
    """How many records are others than before, of pairs that differ: where one is gone and another new, those between
    them only have other numbers. All, where nothing but the order is another one.
    """
    gone = Counter(before for before, _ in unlike)
    return (Counter(after for _, after in unlike) - gone).total() or len(unlike)


def _of_records(
    name: str,
    what: str,
    data: tuple[memoryview | bytes, memoryview | bytes],
    size: int,
    sizes: tuple[int, int],
    most: int | None = None,
    most_bytes: int | None = None,
) -> Difference:
    """Of lumps of records of a size."""
    one, other = (np.frombuffer(part, np.uint8)[: len(part) // size * size].reshape(-1, size) for part in data)
    edited = None
    if len(one) == len(other):
        unlike = (one != other).any(axis=1)
        edited = _edited([(a.tobytes(), b.tobytes()) for a, b in zip(one[unlike], other[unlike], strict=True)])
    return Difference(name, what, (len(one), len(other)), edited, sizes, most, most_bytes)


def _unnumbered(props: Records) -> Records:
    """Static props without the place of their leafs in the list, which shifts where any before has more."""
    made = props.copy()
    if "first_leaf" in (props.dtype.names or ()):
        made["first_leaf"] = 0
    return made


def _in_game_lump(before: Level, after: Level) -> Iterator[Difference]:
    after.bytes_of(LumpId.GAME_LUMP)  # has what was changed put in place
    try:
        names = list(dict.fromkeys([*before.game_lumps.ids, *after.game_lumps.ids]))
    except FormatError:
        if not _same(before, after, LumpId.GAME_LUMP):
            raise
        return
    for name in names:
        one, other = (level.game_lumps.bytes_of(name) if name in level.game_lumps else b"" for level in (before, after))
        if one == other:
            continue
        sizes = len(one), len(other)
        title = f"{lump_name(LumpId.GAME_LUMP)}, {name}"
        props = [level.static_props for level in (before, after)] if name == STATIC_PROPS else []
        tables = [each.props for each in props if each is not None and each.props is not None]
        if len(tables) == 2 and tables[0].dtype == tables[1].dtype:
            raw = _unnumbered(tables[0]).tobytes(), _unnumbered(tables[1]).tobytes()
            yield _of_records(title, _OF_GAME_LUMPS[name], raw, tables[0].dtype.itemsize, sizes)
        else:
            yield Difference(title, "", (0, 0), None, sizes)
