# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzers of the extension: they run in the Blender of this process, and each input in an empty file."""

import bpy

from .driver import Fuzzer, Input, run


def empty_file() -> None:
    """Open an empty file; no reference into Blender's data outlives this.

    The startup file is read, which a test's or a benchmark's empty profile has none of, and not the built-in one
    (use_factory_startup=True). Without windows, Blender keeps notices of what changed for ever once a file was opened
    with load_ui=False, as our command line does, and goes through all of them for each data block that it removes:
    later tests took a second each. Reading a startup file drops the notices, reading the built-in one does not.
    """
    bpy.ops.wm.read_homefile(use_empty=True)


def try_all(fuzzer: Fuzzer[Input], seeds: range) -> None:
    """What a test does: an AssertionError with all that failed, by seed."""
    outcome = run(fuzzer, seeds)
    assert not outcome.failures, "\n".join(f"{seed}: {why}" for seed, why in outcome.failures.items())
    assert outcome.tried == len(seeds)
