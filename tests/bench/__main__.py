# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench GAME`: how fast a game's format and its import are, in ratios against others in the same run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from .measure import Result

ROOT = Path(__file__).resolve().parent.parent.parent
MEASURED_IN = "4.5"
"""The Blender whose API replay.py speaks."""


def measure(game: str, corpus: Path, rounds: int, parts: Sequence[str]) -> list[Result]:
    """Measure a game's library, then - where bpy is installed - its import and its export."""
    results: list[Result] = []
    if "library" in parts:
        results += import_module(f".{game}_library", __package__).run(corpus / GAMES[game], rounds)
    for part in ("import", "export"):
        if part not in parts:
            continue
        if find_spec(f".{game}_{part}", __package__) is None:
            print(f"\n{game} has no {part} to measure: left out")
        elif _blender() != MEASURED_IN:
            print(f"\nthe {part} is measured in Blender {MEASURED_IN} (LEVELWRIGHT_BLENDER={MEASURED_IN}): left out")
        else:
            from . import extension

            with extension.registered():
                results += import_module(f".{game}_{part}", __package__).run(corpus / GAMES[game], rounds)
    return results


def _blender() -> str:
    """Version (major.minor) of this Python's Blender, "" for none. Importing it would fix its folder of preferences."""
    try:
        return ".".join(metadata.version("bpy").split(".")[:2])
    except metadata.PackageNotFoundError:
        return ""


GAMES = {"teeworlds": "teeworlds", "genesis": "genesis", "fable": "lev", "ns2": "ns2", "source": "bsp"}
"""Folder of each game's real levels. Each has a module GAME_library, maybe others of PARTS, with a function `run`."""
PARTS = ("library", "import", "export")


def main() -> int:
    """Run the benchmarks that the command line names; 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    names = [*GAMES, *(f"{game}-{part}" for game in GAMES for part in PARTS)]
    parser.add_argument("game", choices=names, metavar="GAME[-PART]", help=f"{', '.join(GAMES)}; {', '.join(PARTS)}")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="folder of real levels")
    parser.add_argument("--rounds", type=int, default=7, help="repeats of each measurement")
    parser.add_argument("--only", choices=PARTS, help="measure only this part")
    options = parser.parse_args()
    game, _, part = options.game.partition("-")
    only = options.only or part
    results = measure(game, options.corpus, options.rounds, [only] if only else PARTS)
    print("\nmeasured against what has to be reached")
    for result in results:
        print("  " + result.line())
    return 0 if all(result.reached for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
