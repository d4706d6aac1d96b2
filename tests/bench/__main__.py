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
    """Measure a game's library, then - where bpy is installed - its import."""
    results: list[Result] = []
    if "library" in parts:
        results += import_module(f".{game}_library", __package__).run(corpus / GAMES[game], rounds)
    if "import" in parts and find_spec(f".{game}_import", __package__) is None:
        print(f"\n{game} has no import to measure: left out")
    elif "import" in parts and _blender() != MEASURED_IN:
        print(f"\nthe import is measured in Blender {MEASURED_IN} (LEVELWRIGHT_BLENDER={MEASURED_IN}): left out")
    elif "import" in parts:
        from . import extension

        with extension.registered():
            results += import_module(f".{game}_import", __package__).run(corpus / GAMES[game], rounds)
    return results


def _blender() -> str:
    """Version (major.minor) of this Python's Blender, "" for none. Importing it would fix its folder of preferences."""
    try:
        return ".".join(metadata.version("bpy").split(".")[:2])
    except metadata.PackageNotFoundError:
        return ""


GAMES = {"teeworlds": "teeworlds", "genesis": "genesis", "fable": "lev", "ns2": "ns2", "source": "bsp"}
"""Folder of each game's real levels. Each has a module GAME_library and maybe a GAME_import, with a function `run`."""


def main() -> int:
    """Run the benchmarks that the command line names; 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="folder of real levels")
    parser.add_argument("--rounds", type=int, default=7, help="repeats of each measurement")
    parser.add_argument("--only", choices=("library", "import"), help="measure only this half")
    options = parser.parse_args()
    parts = [options.only] if options.only else ["library", "import"]
    results = measure(options.game, options.corpus, options.rounds, parts)
    print("\nmeasured against what has to be reached")
    for result in results:
        print("  " + result.line())
    return 0 if all(result.reached for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
