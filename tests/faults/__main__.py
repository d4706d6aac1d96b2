# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/faults [GAME...]`: interrupt and hinder exports in every way there is, and look what is left."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from scripts import extension
from tests.bench.extension import registered


def main(arguments: Sequence[str]) -> int:
    """Run what the command line names; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all of them without it")
    parser.add_argument("--points", type=int, default=100, help="at least so many kills an export")
    parser.add_argument("--times", type=int, default=100, help="how often what isn't tried at each point")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="gives the times of kills at random")
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    with registered():
        failed = [_try(*each) for each in _trials(options)]
    return int(any(failed))


def _trials(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], int]]]:
    """Give what there is to try, by what it is called."""
    from levelwright.addon import games

    from . import exports
    from .kinds import kinds

    unknown = set(options.games) - {game.key for game in games.GAMES}
    if unknown:
        raise SystemExit(f"no game is called {', '.join(sorted(unknown))}")
    for game in games.GAMES:
        for export in exports.of_game(game) if game.key in options.games or not options.games else ():
            for each in (export, dataclasses.replace(export, backup=True)):
                for before in each.befores():
                    for kind, run in kinds(options.points, options.times, options.seed).items():
                        yield f"{game.key}: {each.title_over(before)}: {kind}", partial(run, each, before)


def _try(title: str, run: Callable[[], int]) -> bool:
    """Run one, and print a line of it. Returns whether it failed."""
    start = time.monotonic()
    try:
        count = run()
    except (AssertionError, OSError):
        print(f"FAILED  {title}\n{traceback.format_exc()}", flush=True)
        return True
    print(f"{title}: {count} times, {time.monotonic() - start:.1f} s", flush=True)
    return False


if __name__ == "__main__":
    extension.run(lambda: main(sys.argv[1:]))
