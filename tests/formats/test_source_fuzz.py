# SPDX-License-Identifier: GPL-3.0-or-later
"""The map that is damaged most has something in every lump, so that every part of a map is looked at."""

from collections import deque

import pytest

from formats.source import check, read
from tests.formats import source_fuzz_maps, source_parts


@pytest.mark.parametrize("part", (*source_parts.DECODED.values(), source_parts.solids))
def test_every_part_of_a_map_is_looked_at(part) -> None:
    """Nothing that can be asked of it raises, nothing is left out."""
    level = read(source_fuzz_maps.EVERYTHING)
    assert [str(problem) for problem in check(level)] == []
    assert deque(part(level), 1)
