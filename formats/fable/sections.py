# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of navigation of a level, with running numbers for what is in them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Indices, Int32s
from ..binary import FormatError
from .level import Level
from .nodes import Navigation


@dataclass(frozen=True, slots=True)
class NumberedSection:
    """A section of a level, and where its nodes and action points begin when all sections' are counted through."""

    number: int
    """Its place among the level's sections."""
    name: str
    """As the file has it."""
    navigation: Navigation | None
    """What is in it; None where it can't be read."""
    first_node: int
    """The running number of its first node, over all sections that can be read."""
    first_point: int
    """The running number of its first action point, likewise."""
    error: str = ""
    """Why it can't be read."""

    def leaves(self, layer: int) -> Indices:
        """The numbers of the nodes that are leaves of a layer, int[n], ascending."""
        if self.navigation is None:
            return np.zeros(0, np.intp)
        nodes = self.navigation.nodes
        return np.flatnonzero((nodes["leaf"] != 0) & (nodes["layer"] == layer))

    def layers(self) -> list[int]:
        """The layers that have leaves, ascending."""
        if self.navigation is None:
            return []
        nodes = self.navigation.nodes
        found: list[int] = np.unique(nodes["layer"][nodes["leaf"] != 0]).tolist()
        return found

    def door_keys(self) -> list[int]:
        """The keys of all its doors, in the file's order; UID_BASE more is the UID of the thing that opens the door."""
        found: list[int] = [] if self.navigation is None else self.navigation.keys.tolist()
        return found


def numbered_sections(level: Level) -> Iterator[NumberedSection]:
    """Give the sections of a level in the file's order; one that can't be read has no navigation, but its error."""
    node = point = 0
    for number, section in enumerate(level.sections or ()):
        try:
            navigation = section.navigation
        except FormatError as error:
            yield NumberedSection(number, section.name, None, node, point, str(error))
            continue
        yield NumberedSection(number, section.name, navigation, node, point)
        node += len(navigation.nodes)
        point += len(navigation.positions)


def door_lists(navigation: Navigation, numbers: Indices) -> tuple[Int32s, list[tuple[int, ...]]]:
    """Which list of keys each of some nodes has, int32[n], 0 for those that aren't doors; and the lists, from 1 on.

    numbers: int[n], of the nodes. Doors with the same keys in the same order have the same list.
    """
    found = np.zeros(len(numbers), np.int32)
    lists: dict[tuple[int, ...], int] = {}
    starts = navigation.first_keys()
    for at in np.flatnonzero(navigation.nodes["switchable"][numbers] != 0).tolist():
        node = int(numbers[at])
        keys = tuple(navigation.keys[starts[node] : starts[node + 1]].tolist())
        found[at] = lists.setdefault(keys, len(lists) + 1)
    return found, list(lists)
