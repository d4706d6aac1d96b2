# SPDX-License-Identifier: GPL-3.0-or-later
"""Which object is which record. Blender's duplicates carry the stamps of what they were copied from.

Of several instances of one record one is that record, the others are new records made after its example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import bpy


class HasRecord(Protocol):
    """What stands for a record, whatever else a game wants to know of it."""

    record: int
    copied: bool


@dataclass(slots=True, eq=False)
class Instance:
    """An object that stands for a record."""

    object: bpy.types.Object
    record: int = -1
    """Its number in the original; -1: it is new."""
    copied: bool = False
    """It is another one like that record."""

    @property
    def is_record(self) -> bool:
        """Whether it is the record itself."""
        return self.record >= 0 and not self.copied


AnInstance = TypeVar("AnInstance", bound=HasRecord)


def mark_copies(instances: Iterable[AnInstance], stays: Callable[[AnInstance], bool] = lambda _: True) -> None:
    """Say of several instances of one record which are copies: all but the first that stays, else but the first.

    stays: whether one is where the record was imported to.
    """
    by_record: dict[int, list[AnInstance]] = {}
    for one in instances:
        if one.record >= 0:
            by_record.setdefault(one.record, []).append(one)
    for alike in by_record.values():
        kept = alike[0] if len(alike) == 1 else next(filter(stays, alike), alike[0])
        for one in alike:
            one.copied = one is not kept
