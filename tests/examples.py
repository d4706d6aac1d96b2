# SPDX-License-Identifier: GPL-3.0-or-later
"""How many examples of Hypothesis' a test tries: in CI as many as it asks for, else a third of them."""

import os

import hypothesis

IN_CI = os.environ.get("CI") == "true"


def of(count: int) -> int:
    """How many of so many examples this run tries."""
    return count if IN_CI else count // 3


def at_most(count: int) -> hypothesis.settings:
    """The settings of a test that needs another number of examples than tests have: so many in CI."""
    return hypothesis.settings(max_examples=of(count))
