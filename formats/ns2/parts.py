# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level and its mesh have in common: chunks in order, some of them decoded, some of those changed."""

from collections.abc import Callable
from typing import Any

from ..binary import Buffer
from .chunks import Chunk

Decode = Callable[[Buffer, int], Any]  # the bytes of a chunk, their offset in the file
Encode = Callable[[Any], bytes]


class Parts:
    """Chunks in the file's order, decoded when they are first asked for.

    Arrays that were decoded can't be written to: to edit, set new ones. Lists may be changed in place: those that
    were asked for are encoded anew, which for unchanged ones gives the bytes that they came from.
    """

    __slots__ = ("_changed", "_values", "chunks", "version")

    ORDER: tuple[int, ...] = ()  # of ids: where a chunk goes that wasn't there

    def __init__(self, version: int, chunks: list[Chunk] | None = None) -> None:
        self.version = version
        self.chunks = [] if chunks is None else chunks  # as they came, unknown ones too
        self._values: dict[int, Any] = {}
        self._changed: set[int] = set()

    def chunk(self, number: int) -> Chunk | None:
        """The first chunk of an id, as it came."""
        return next((chunk for chunk in self.chunks if chunk.id == number), None)

    def _get(self, number: int, decode: Decode, missing: Callable[[], Any]) -> Any:
        if number not in self._values:
            chunk = self.chunk(number)
            self._values[number] = missing() if chunk is None else decode(chunk.data, chunk.offset)
        return self._values[number]

    def _set(self, number: int, value: Any) -> None:
        self._values[number] = value
        self._changed.add(number)

    def _written(self, encoders: dict[int, Encode], bare: dict[int, bytes]) -> list[Chunk]:
        """The chunks as they are now.

        bare: the bytes of empty ones, by id. An empty chunk is not made, and goes if it held something before.
        """
        chunks = list(self.chunks)
        for number in self.ORDER:
            if number not in self._values or number not in encoders:
                continue
            value = self._values[number]
            if number not in self._changed and not isinstance(value, list | Parts):
                continue
            data = b"" if value is None else encoders[number](value)
            empty = value is None or data == bare.get(number)
            old = self.chunk(number)
            if old is None:
                asked_for = number not in self._changed and value == []
                if not empty and not asked_for:
                    chunks.insert(self._place(number, chunks), Chunk(number, data))
            elif data != bytes(old.data):
                at = chunks.index(old)
                chunks[at : at + 1] = [] if empty else [Chunk(number, data)]
        return chunks

    def _place(self, number: int, chunks: list[Chunk]) -> int:
        """Where the editor would write a chunk of this id."""
        later = self.ORDER[self.ORDER.index(number) + 1 :]
        return next((at for at, chunk in enumerate(chunks) if chunk.id in later), len(chunks))
