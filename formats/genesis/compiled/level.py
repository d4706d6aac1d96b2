# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled levels as chunks (genesis.md §4): bytes until somebody asks for records."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...arrays import Array
from ...binary import Buffer, Cursor, FormatError
from ..entities import MODEL_KEY, Entity
from ..level import EntityLevel
from . import entity_data, motion_data
from .records import END, MAGIC, RECORDS, VERSION, ChunkId

_HEADER = struct.Struct("<3i")
_DIGITS = 6  # of the number of a model: more is none
_SEARCHED = 64
"""Chunks among which `identify` looks for the header: a level has 25 kinds."""


@dataclass(slots=True, eq=False)
class Chunk:
    """A chunk as it is stored: `count` elements of `size` bytes."""

    type: int
    size: int
    count: int
    data: bytes

    @property
    def name(self) -> str:
        """What it holds, in words."""
        known = self.type in ChunkId.__members__.values()
        return f"chunk {ChunkId(self.type).name}" if known else f"chunk of the unknown type {self.type}"


class CompiledLevel(EntityLevel):
    """A compiled level. Of several chunks of one type, the last one counts, as in the engine."""

    kind: ClassVar[Literal["map", "3dt", "bsp"]] = "bsp"

    def __init__(self, chunks: list[Chunk], end: bytes = _HEADER.pack(END, 0, 0), trailing: bytes = b"") -> None:
        """`end`: the chunk that ends the file. `trailing`: bytes behind it, which nobody reads."""
        self.chunks = chunks
        self.end = end
        self.trailing = trailing
        self._entities: list[Entity] | None = None
        self._motions: list[bytes | None] = []

    def chunk(self, which: ChunkId) -> Chunk | None:
        """The chunk that counts of a type; None where there is none."""
        return next((chunk for chunk in reversed(self.chunks) if chunk.type == which), None)

    def table(self, which: ChunkId) -> Array:
        """The records of a chunk, read-only, [n]; none where there is no such chunk.

        Raises FormatError where they have another size than is known.
        """
        dtype = RECORDS[which]
        chunk = self.chunk(which)
        if chunk is None:
            return np.empty(0, dtype)
        if chunk.size != dtype.itemsize:
            raise FormatError(f"elements of {chunk.size} bytes, known are {dtype.itemsize}", chunk.name)
        return np.frombuffer(chunk.data, dtype)

    def set_table(self, which: ChunkId, records: Array) -> None:
        """Put records [n] into a chunk; one that isn't there yet is added at the end."""
        dtype = RECORDS[which]
        chunk = self.chunk(which)
        if chunk is None:
            chunk = Chunk(which, dtype.itemsize, 0, b"")
            self.chunks.append(chunk)
        chunk.data = np.ascontiguousarray(records, dtype).tobytes()
        chunk.size, chunk.count = dtype.itemsize, len(records)

    @property
    def entities(self) -> list[Entity]:
        """The entities, without brushes; world models have their motions. May be changed freely. Raises FormatError."""
        if self._entities is None:
            made, _ = entity_data.read(self.table(ChunkId.ENTITIES).tobytes())
            for number, motion in motion_data.read(self.table(ChunkId.MOTIONS).tobytes()):
                entity = next((each for each in made[1:] if each.get(MODEL_KEY) == str(number)), None)
                if entity is not None:
                    entity.motion, entity.flags = motion, 1
            self._entities = made
            self._motions = motion_data.said(made)
        return self._entities

    @entities.setter
    def entities(self, value: list[Entity]) -> None:
        self.entities  # noqa: B018 - what there was is known from now on
        self._entities = value

    @property
    def model_owners(self) -> dict[int, int]:
        """The number of the entity that each model is, by the model's; the world is 0. Others belong to nothing."""
        owners = {0: 0}
        for number, entity in enumerate(self.entities):
            model = entity.get(MODEL_KEY) or ""
            if number and entity.is_model and model.isdecimal() and len(model) < _DIGITS:
                owners.setdefault(int(model), number)
        return owners

    def settle(self) -> None:
        """Put entities and motions that were changed into their chunks. Raises FormatError."""
        if self._entities is None:
            return
        raw = self.table(ChunkId.ENTITIES).tobytes()
        _, used = entity_data.read(raw) if raw else ([], 0)
        data = entity_data.write(self._entities)
        if data != raw[:used] and (raw or self._entities):  # no chunk says the same as one without entities
            self.set_table(ChunkId.ENTITIES, np.frombuffer(data + raw[used:], np.uint8))
        now = motion_data.said(self._entities)
        if now != self._motions:
            self.set_table(ChunkId.MOTIONS, np.frombuffer(motion_data.write(self._entities), np.uint8))
            self._motions = now


def identify(data: Buffer) -> bool:
    """Whether these bytes are a compiled level: chunks, among them a header with its magic."""
    view = memoryview(data).toreadonly().cast("B")
    offset = 0
    for _ in range(_SEARCHED):
        if offset + _HEADER.size + len(MAGIC) > len(view):
            return False
        kind, size, count = _HEADER.unpack_from(view, offset)
        offset += _HEADER.size
        if kind == ChunkId.HEADER:
            return bytes(view[offset : offset + len(MAGIC)]) == MAGIC
        if kind not in ChunkId.__members__.values() or size < 0 or count < 0:
            return False
        offset += size * count
    return False


def read(data: Buffer) -> CompiledLevel:
    """Read a compiled level. Raises FormatError, also for versions other than 15, which the engine refuses."""
    data = bytes(data)
    cursor = Cursor(data)
    chunks: list[Chunk] = []
    while True:
        start = cursor.offset
        kind, size, count = (cursor.i32("head of a chunk") for _ in range(3))
        if kind == END:
            break
        chunk = Chunk(kind, size, count, b"")
        if size < 0 or count < 0:
            raise cursor.error(f"{count} elements of {size} bytes", chunk.name)
        chunk.data = bytes(cursor.take(size * count, chunk.name))
        chunks.append(chunk)
    level = CompiledLevel(chunks, data[start : cursor.offset], data[cursor.offset :])
    header = level.table(ChunkId.HEADER)
    if not len(header):
        raise FormatError("there is no header", "compiled level", 0)
    if header.tobytes()[: len(MAGIC)] != MAGIC or int(header["version"][0]) != VERSION:
        found = header.tobytes()[: len(MAGIC)], int(header["version"][0])
        raise FormatError(f"{found[0]!r}, version {found[1]}: known is {MAGIC!r}, version {VERSION}", "header")
    return level


def write(level: CompiledLevel) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    level.settle()
    parts: list[bytes] = []
    for chunk in level.chunks:
        if chunk.size * chunk.count != len(chunk.data):
            raise FormatError(f"{chunk.count} elements of {chunk.size} bytes, but {len(chunk.data)} bytes", chunk.name)
        parts += (_HEADER.pack(chunk.type, chunk.size, chunk.count), chunk.data)
    return b"".join([*parts, level.end, level.trailing])
