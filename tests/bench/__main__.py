# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench GAME`: how fast a game's format and its import are, in ratios against others in the same run.

Each run is written as JSON and compared with the ratios in baseline.json. It ends with 1 where a target was missed or a
ratio is worse than its baseline by more than 15 %, with 2 where the machine was too busy to say.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from scripts import extension

from . import record, steady
from .busy import Load, Moment
from .measure import Result

ROOT = Path(__file__).resolve().parent.parent.parent
MEASURED_IN = "4.5"
"""The Blender whose API replay.py speaks."""


def measure(game: str, corpus: Path, rounds: int, parts: Sequence[str]) -> dict[str, Result]:
    """Measure a game's library, then - where bpy is installed - its import and its export; figures by their names."""
    results: dict[str, Result] = {}

    def run(part: str) -> None:
        found = import_module(f".{game}_{part}", __package__).run(corpus / GAMES[game], rounds)
        results.update({f"{game}-{part}: {result.what}": result for result in found})

    if "library" in parts:
        run("library")
    for part in PARTS[1:]:
        if part not in parts:
            continue
        if find_spec(f".{game}_{part}", __package__) is None:
            print(f"\n{game} has no {part} to measure: left out")
        elif _blender() != MEASURED_IN:
            print(f"\nthe {part} is measured in Blender {MEASURED_IN} (LEVELWRIGHT_BLENDER={MEASURED_IN}): left out")
        else:
            from .extension import registered

            with registered():
                run(part)
    return results


def _blender() -> str:
    """Version (major.minor) of this Python's Blender, "" for none. Importing it would fix its folder of preferences."""
    try:
        return ".".join(metadata.version("bpy").split(".")[:2])
    except metadata.PackageNotFoundError:
        return ""


GAMES = {"teeworlds": "teeworlds", "genesis": "genesis", "fable": "lev", "ns2": "ns2", "source": "bsp"}
"""Folder of each game's real levels. Each has a module GAME_library, maybe others of PARTS, with a function `run`."""
PARTS = ("library", "import", "export", "tools")


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks that the command line names; returns the exit code."""
    summary, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(prog="scripts/bench", description=summary, epilog=more)
    names = [*GAMES, *(f"{game}-{part}" for game in GAMES for part in PARTS)]
    parser.add_argument("game", choices=names, metavar="GAME[-PART]", help=f"{', '.join(GAMES)}; {', '.join(PARTS)}")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="folder of real levels")
    parser.add_argument("--rounds", type=int, default=7, help="repeats of each measurement")
    parser.add_argument("--only", choices=PARTS, help="measure only this part")
    parser.add_argument("--json", type=Path, help="file of the figures (build/bench/GAME-DATE.json)")
    parser.add_argument("--keep", action="store_true", help="make the ratios of this run the baseline")
    options = parser.parse_args(arguments)
    game, _, part = options.game.partition("-")
    only = options.only or part
    steady.start_again(__package__, arguments)
    began = Moment.now()
    results = measure(game, options.corpus, options.rounds, [only] if only else PARTS)
    ended = Moment.now()
    load = None if began is None or ended is None else Load.between(began, ended)
    path = options.json or record.folder() / f"{options.game}-{time.strftime('%Y%m%d-%H%M%S')}.json"
    record.write(path, record.as_json(results, load, steady.is_steady()))
    return _judge(results, load, path, options.keep)


def _judge(results: Mapping[str, Result], load: Load | None, path: Path, keep: bool) -> int:
    """Print what the figures say."""
    print("\nmeasured against what has to be reached")
    for result in results.values():
        print("  " + result.line())
    print(f"\nwritten to {path}")
    if not steady.is_steady():
        print("no C compiler (on Linux): ratios of imports have a part that is the machine's, see steady.c")
    if load is not None:
        print(load.line())
    worse = record.worse(results, record.baseline())
    for line in worse:
        print(f"WORSE  {line}")
    if load is not None and load.too_busy:
        print("The machine was TOO BUSY: these figures mean nothing. Measure again when nothing else runs.")
        return 2
    if keep:
        record.write(record.BASELINE, dict(sorted((record.baseline() | record.ratios(results)).items())))
    return 0 if not worse and all(result.reached for result in results.values()) else 1


if __name__ == "__main__":
    extension.run(lambda: main(sys.argv[1:]))
