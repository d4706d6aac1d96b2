# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props: the game lump `sprp` (source.md "Static props"; source.md §2.8).

A dictionary of models, a list of leafs of which each prop names a piece, and the props. What a prop's record is, is
told by the lump's version and the record's size, which is measured; some games put a further list in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Integers, Records
from ...binary import Buffer, Cursor, FormatError
from ..records import ByteOrder, Dtype
from ..tables.props import (
    NAME,
    NAME_SIZE,
    PROP_LEAF,
    PROP_LEAF_32,
    PROP_SCALE,
    PROP_SDK2013_COLOR_EX,
    STATIC_PROPS,
    USUAL_SIZES,
)
from .counted import table_bytes, take_count, take_table, texts

_WHAT = "static props"
_LONG_LEAFS = 12  # the version from which on leafs have 32 bits


@dataclass(slots=True, eq=False)
class StaticProps:
    """The lump. Tables are views, to be replaced by others of the same dtypes; a prop is known by its place in `props`.

    Files of the pak are named after that place, so that props should neither be moved nor taken out (source.md §2.8).
    """

    names: Records  # NAME: the models' paths
    leafs: Records  # PROP_LEAF or PROP_LEAF_32: a prop's are from first_leaf on
    props: Records | None  # one of STATIC_PROPS; None: what they are is not known, and they are in `trailing`
    reason: str = ""  # why it is not
    scales: Records | None = None  # PROP_SCALE, in Vindictus
    extra_names: Records | None = None  # NAME, in Zeno Clash: a second dictionary
    trailing: bytes = b""
    byte_order: ByteOrder = "<"

    @property
    def models(self) -> list[str]:
        """The models' paths."""
        return texts(self.names)

    def leafs_of(self, number: int) -> Integers:
        """int[n]: the leafs that a prop is in."""
        if self.props is None:
            raise FormatError(self.reason, _WHAT)
        begin, count = int(self.props["first_leaf"][number]), int(self.props["leaf_count"][number])
        leafs: Integers = self.leafs["leaf"][begin : begin + count]
        return leafs

    def to_bytes(self) -> bytes:
        """The lump's bytes."""
        return b"".join(self._parts())

    def _parts(self) -> Iterator[bytes]:
        for table in (self.names, self.extra_names, self.leafs, self.scales, self.props):
            if table is not None:
                yield table_bytes(table, self.byte_order)
        yield self.trailing


def model_name(path: str) -> Records:
    """Return a NAME for a model's path. Raises FormatError for more than 127 characters, or what Latin-1 has not."""
    try:
        raw = path.encode("latin-1")
    except UnicodeEncodeError:
        raise FormatError(f"model {path!r} has characters that Latin-1 has not", _WHAT) from None
    if len(raw) >= NAME_SIZE:
        raise FormatError(f"model {path!r} has {len(raw)} characters, {NAME_SIZE - 1} are allowed", _WHAT)
    return np.frombuffer(raw.ljust(NAME_SIZE, b"\0"), NAME).reshape(())


def read(data: Buffer, version: int, bsp_version: int = 20, byte_order: ByteOrder = "<") -> StaticProps:
    """Read the lump of a map of version `bsp_version`. Raises FormatError where its lists are not whole.

    Records that are not known are kept as they are: `props` is None then.
    """
    usual = _read(Cursor(data), version, bsp_version, byte_order)
    if usual.props is not None:
        return usual
    for between in (PROP_SCALE, NAME):
        try:
            unusual = _read(Cursor(data), version, bsp_version, byte_order, between)
        except FormatError:
            continue
        if unusual.props is not None:
            return unusual
    return usual


def _read(
    cursor: Cursor, version: int, bsp_version: int, byte_order: ByteOrder, between: Dtype | None = None
) -> StaticProps:
    """The lump with a further list of `between`: second names stand before the leafs, scales behind them."""
    names = take_table(cursor, NAME, byte_order, _WHAT)
    extra_names = take_table(cursor, NAME, byte_order, _WHAT) if between is NAME else None
    leafs = take_table(cursor, PROP_LEAF_32 if version >= _LONG_LEAFS else PROP_LEAF, byte_order, _WHAT)
    scales = take_table(cursor, PROP_SCALE, byte_order, _WHAT) if between is PROP_SCALE else None
    start = cursor.offset
    count = take_count(cursor, byte_order, _WHAT)
    dtype, reason = _prop(count, cursor.left, version, bsp_version)
    props = None
    if dtype is None:
        cursor.offset = start
    else:
        props = cursor.array(dtype.newbyteorder(byte_order), count, _WHAT)
    trailing = bytes(cursor.take(cursor.left, _WHAT))
    return StaticProps(names, leafs, props, reason, scales, extra_names, trailing, byte_order)


def _prop(count: int, size: int, version: int, bsp_version: int) -> tuple[Dtype | None, str]:
    """What `count` records in `size` bytes are; None and why where that is not known."""
    if count == 0:
        if size or version not in USUAL_SIZES:
            return None, f"{size} bytes are no props of version {version}"
        usual = 72 if version == 10 and bsp_version <= 20 else USUAL_SIZES[version]
        return _known(version, usual, bsp_version), ""
    if size % count:
        return None, f"{size} bytes are not {count} records of one size"
    dtype = _known(version, size // count, bsp_version)
    if dtype is None:
        return None, f"what {size // count} bytes of a prop of version {version} are is not known"
    return dtype, ""


def _known(version: int, size: int, bsp_version: int) -> Dtype | None:
    """What a prop's record is."""
    if (version, size, bsp_version) == (11, 80, 20):
        return PROP_SDK2013_COLOR_EX
    return STATIC_PROPS.get((version, size))
