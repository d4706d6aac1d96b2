# SPDX-License-Identifier: GPL-3.0-or-later
"""Merging parts of a scene into a list of records: which record each part is, what is new and what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from ...scene.kept.instances import HasRecord

Record = TypeVar("Record")


class Merging(Generic[Record]):
    """A list of records that the parts of a scene are merged into."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.before = list(records)
        self.new: list[Record] = []
        self._kept: set[int] = set()

    def record_of(self, part: HasRecord, make: Callable[[Record | None], Record]) -> tuple[Record, bool]:
        """The record that a part is, and whether it is a new one: by `make`, of the one that the part was copied from.

        `make` gets None for a part that was made in Blender.
        """
        example = self.before[part.record] if 0 <= part.record < len(self.before) else None
        if example is not None and not part.copied:
            self._kept.add(part.record)
            return example, False
        made = make(example)
        self.new.append(made)
        return made, True

    def removed(self) -> list[tuple[int, Record]]:
        """The records, with their numbers, that no part is."""
        return [(number, one) for number, one in enumerate(self.before) if number not in self._kept]

    def keep(self, number: int) -> None:
        """Keep a record though no part is it."""
        self._kept.add(number)

    def kept(self) -> list[Record]:
        """The records that stay, in their order."""
        return [one for number, one in enumerate(self.before) if number in self._kept]


class Ids:
    """The ids that the models or groups of a scene have in a `.3dt`, and those that there were. ids: those."""

    def __init__(self, ids: Iterable[int]) -> None:
        self._before = set(ids)
        self._of: dict[int, int] = {}  # by id() of the part

    def add(self, part: HasRecord, number: int) -> None:
        """Say which id a part of the scene has."""
        self._of[id(part)] = number

    def of(self, part: HasRecord | None, was: int) -> int:
        """The id for what belongs to a part of the scene, None: to none. was: that of its record."""
        if part is not None:
            return self._of[id(part)]
        return was if was not in self._before else 0
