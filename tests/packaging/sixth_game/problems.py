# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of problem that a tiny level can have: see tests/addon/contract/test_gate.py."""

import numpy as np

from formats import tiny

CASES = {"a gem that is nowhere": lambda level, place: level.gems.__setitem__(place, np.nan)}
SINGLE: frozenset[str] = frozenset()


def clean() -> bytes:
    """A level of four gems."""
    return tiny.write(tiny.Level(np.arange(12, dtype=np.float32).reshape(4, 3)))
