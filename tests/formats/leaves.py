# SPDX-License-Identifier: GPL-3.0-or-later
"""All that `dump` would print of a level."""

from collections.abc import Iterator


def leaves(value: object) -> Iterator[object]:
    """Everything within `value`; contents are iterators that decode as they go."""
    if isinstance(value, dict):
        yield from leaves(iter(value.values()))
    elif isinstance(value, Iterator):
        for part in value:
            yield from leaves(part)
    else:
        yield value
