# SPDX-License-Identifier: GPL-3.0-or-later
"""All that `dump` would print of a level."""

from collections.abc import Callable, Iterator
from typing import Any

from formats import FormatError


def decoded(contents: Callable[[Any], object], level: object) -> list[object]:
    """Everything in a level that was read: what can't be decoded is an error in its place, and none is raised."""
    try:
        return list(leaves(contents(level)))
    except FormatError as error:
        raise AssertionError(f"contents raises: {error}") from error


def leaves(value: object) -> Iterator[object]:
    """Everything within `value`; contents are iterators that decode as they go."""
    if isinstance(value, dict):
        yield from leaves(iter(value.values()))
    elif isinstance(value, Iterator):
        for part in value:
            yield from leaves(part)
    else:
        yield value
