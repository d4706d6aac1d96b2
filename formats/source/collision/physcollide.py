# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision: the solids of brush models and of displacements (source.md "Physics", source.md §2.8).

A solid is what vphysics made of a hull, byte for byte; its text says how heavy it is and what it is made of.
"""

from dataclasses import dataclass, field

import numpy as np

from ...binary import Buffer, Cursor, FormatError
from . import physcollide_order

WHAT = "lump 29 (PHYSCOLLIDE)"
WHAT_DISPLACEMENTS = "lump 28 (PHYSDISP)"
SOLID_TAG = b"VPHY"  # solids of older compilers have none
_LAST = -1  # the model of the entry that ends the lump


@dataclass(slots=True, eq=False)
class PhysModel:
    """Collision of one brush model. `solids`: without the sizes in front of them, those of consoles in the usual byte
    order. `keys`: text, ends with a NUL.
    """

    model: int
    solids: list[Buffer] = field(default_factory=list)
    keys: bytes = b""

    @property
    def text(self) -> str:
        """The key-values, without what follows the first NUL."""
        return self.keys.split(b"\0", 1)[0].decode("latin-1")


@dataclass(slots=True, eq=False)
class PhysCollide:
    """The collision of all brush models that have one.

    `ended`: whether the entry that ends the lump is there; `last`: the numbers in it, which mean nothing.
    """

    models: list[PhysModel] = field(default_factory=list)
    ended: bool = True
    last: tuple[int, int, int] = (-1, 0, 0)
    trailing: bytes = b""

    def of_model(self, model: int) -> PhysModel | None:
        """The collision of a brush model; None if it has none."""
        return next((entry for entry in self.models if entry.model == model), None)


def decode(data: Buffer, byte_order: str) -> PhysCollide:
    """Read the lump PHYSCOLLIDE. Raises FormatError."""
    cursor = Cursor(data)
    found = PhysCollide(ended=False)
    header = np.dtype((byte_order + "i4", 4))
    size_type = np.dtype(byte_order + "i4")
    while cursor.left:
        model, data_size, keys_size, count = cursor.array(header, 1, WHAT)[0].tolist()
        if model == _LAST:
            found.ended = True
            found.last = (data_size, keys_size, count)
            found.trailing = bytes(cursor.take(cursor.left, WHAT))
            break
        what = f"{WHAT} of model {model}"
        end = cursor.offset + data_size
        cursor.need(data_size, what)
        if count < 0 or 4 * count > data_size:
            raise cursor.error(f"{count} solids in {data_size} bytes", what)
        solids: list[Buffer] = []
        for _ in range(count):
            size = int(cursor.array(size_type, 1, what)[0])
            solids.append(_ordered(cursor.take(size, what), byte_order, byte_order))
        if cursor.offset != end:
            raise cursor.error(f"its solids end at byte {cursor.offset}, not at {end}", what)
        found.models.append(PhysModel(model, solids, bytes(cursor.take(keys_size, what))))
    return found


def encode(collide: PhysCollide, byte_order: str) -> bytes:
    """The bytes of the lump PHYSCOLLIDE."""
    parts: list[Buffer] = []

    def integers(*values: int) -> None:
        parts.append(np.array(values, byte_order + "i4").tobytes())

    for entry in collide.models:
        size = sum(4 + len(solid) for solid in entry.solids)
        integers(entry.model, size, len(entry.keys), len(entry.solids))
        for solid in entry.solids:
            integers(len(solid))
            parts.append(_ordered(solid, "<", byte_order))
        parts.append(entry.keys)
    if collide.ended:
        integers(_LAST, *collide.last)
        parts.append(collide.trailing)
    return b"".join(parts)


def _ordered(solid: Buffer, order: str, byte_order: str) -> Buffer:
    """A solid of a lump in the lump's byte order or in the usual one. order: the one that it has. Those that aren't of
    hulls stay as they are.
    """
    if byte_order == "<":
        return solid
    try:
        return physcollide_order.swapped(solid, order)
    except FormatError:
        return solid


def decode_displacements(data: Buffer, byte_order: str, version: int = 0) -> list[Buffer | None]:
    """Read the lump PHYSDISP: the hull of each displacement, None for one without. Raises FormatError.

    `version`: of the lump; from 2 on (Strata) count and sizes have 32 bits.
    """
    cursor = Cursor(data)
    if not cursor.left:
        return []
    kind = byte_order + ("u4" if version >= 2 else "u2")
    count = int(cursor.array(kind, 1, WHAT_DISPLACEMENTS)[0])
    sizes = cursor.array(kind, count, WHAT_DISPLACEMENTS)
    none = (1 << 8 * sizes.itemsize) - 1
    hulls: list[Buffer | None] = [None if n == none else cursor.take(n, WHAT_DISPLACEMENTS) for n in sizes.tolist()]
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes are left behind {count} hulls", WHAT_DISPLACEMENTS)
    return hulls


def encode_displacements(hulls: "list[Buffer | None]", byte_order: str, version: int = 0) -> bytes:
    """The bytes of the lump PHYSDISP. Raises FormatError for hulls that are too long for it."""
    kind = np.dtype(byte_order + ("u4" if version >= 2 else "u2"))
    none = (1 << 8 * kind.itemsize) - 1
    sizes = [none if hull is None else len(hull) for hull in hulls]
    if len(hulls) > none or any(hull is not None and len(hull) >= none for hull in hulls):
        raise FormatError(
            f"{len(hulls)} hulls of up to {max(sizes)} bytes are more than it can hold", WHAT_DISPLACEMENTS
        )
    return np.array([len(hulls), *sizes], kind).tobytes() + b"".join(hull for hull in hulls if hull is not None)
