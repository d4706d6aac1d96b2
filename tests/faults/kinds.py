# SPDX-License-Identifier: GPL-3.0-or-later
"""The trials of an export, by what they are called: all that scripts/faults does, and the slices that tests take."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import partial

from . import trials
from .trials import Export, Held

Run = Callable[[Export, Held], int]
"""Tries something, and returns how often; an AssertionError says what is wrong."""


def kinds(points: int, times: int, seed: int) -> dict[str, Run]:
    """Return all of them.

    points: kills an export, at least. times: of what isn't tried at each point. seed: of kills at random.
    """
    found: dict[str, Run] = {
        "killed": partial(trials.kills, wanted=points),
        "killed at random": partial(trials.kills_at_random, seed=seed, count=times),
        "killed while it is undone": trials.kills_while_undoing,
        "the power fails": trials.power_failures,
        "no room once": partial(trials.failures, code=errno.ENOSPC),
        "no room from then on": partial(trials.failures, code=errno.ENOSPC, for_ever=True),
        "a broken disk": partial(trials.failures, code=errno.EIO),
        "a limit of size": partial(trials.limits, steps=times),
        "read-only, and links in a circle": trials.refusals,
        "two at once": partial(trials.two_at_once, rounds=times),
    }
    if os.geteuid() == 0 and sys.platform == "linux":
        found["full disks"] = partial(trials.full_disks, steps=times)
    return found
