# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for other programs, in tests: as long as a busy machine may need, and no longer than the program does."""

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which what didn't happen never will."""
PAUSE = 0.02
"""Seconds between two looks."""


def until(happened: Callable[[], bool], gone: Callable[[], bool] = lambda: False) -> None:
    """Wait until something happened. gone: whether nobody is there any more who could do it; that fails at once."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert not gone(), "who should have done it has ended"
        assert time.monotonic() < end, f"it didn't happen within {PATIENCE:.0f} s"
        time.sleep(PAUSE)
