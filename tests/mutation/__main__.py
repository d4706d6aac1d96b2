# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/mutate GAME`: plant small bugs in the modules that go from scene to record, and see which ones tests catch.

A bug is caught where a quick test fails or ends in time with an error. Of each bug only the tests run that come by its
line, in a copy of the repository; a line that no test comes by lets its bugs survive.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from queue import Queue

from .mutations import Mutation, mutations

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("teeworlds", "genesis", "fable", "ns2", "source")
SCENE_TO_RECORD = re.compile(r"(.*_)?(collect|merge|write|exporter|export|checks|info)(_.*)?\.py|exporter\.py")
"""Names of the modules that plants go to, in a game's folder of addon/."""
SECONDS = 60
"""CPU seconds, as they were traced, that a bug's tests may take."""
PATIENCE = 300
"""Seconds that one bug's tests may take: a bug that makes one endless is caught."""


@dataclass(frozen=True)
class Tried:
    """What became of one bug."""

    mutation: Mutation
    caught: bool
    covered: bool
    """Whether any test comes by its line."""


def modules(game: str) -> list[Path]:
    """The modules of a game that go from scene to record, as paths from the root."""
    found = (path for path in (ROOT / "addon" / game).rglob("*.py") if SCENE_TO_RECORD.fullmatch(path.name))
    return sorted(path.relative_to(ROOT) for path in found)


def sample(game: str, count: int, seed: int) -> list[Mutation]:
    """So many of a game's bugs, the same for the same seed as long as the code is the same; spread over the modules."""
    found = [each for path in modules(game) for each in mutations(path, (ROOT / path).read_text(encoding="utf-8"))]
    random.Random(seed).shuffle(found)
    return sorted(found[:count])


def copy_of_the_repository(folder: Path) -> Path:
    """Copy what git tracks."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.split("\n"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    if (ROOT.parent / "shared").is_dir() and not (folder.parent / "shared").exists():
        (folder.parent / "shared").symlink_to(ROOT.parent / "shared")
    return folder


def pytest(folder: Path, arguments: Iterable[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | variables
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )


def lines(folder: Path, game: str) -> tuple[dict[str, dict[str, list[str]]], dict[str, float]]:
    """Which of a game's quick tests come by which line of its modules, and the CPU seconds of each test."""
    out = folder / "lines.json"
    pytest(
        folder,
        ["-p", "tests.mutation.lines", f"tests/addon/{game}", "tests/addon/contract", "-k", f"{game} or contract"],
        LEVELWRIGHT_LINES=str(out),
        LEVELWRIGHT_MODULES=f"addon/{game}/",
    )
    found = json.loads(out.read_text(encoding="utf-8"))
    return found["lines"], found["seconds"]


def read_at(game: str, bug: Mutation) -> set[tuple[Path, int]]:
    """The lines whose tests come by a bug in a line of which nothing is seen to run.

    That is one of a statement of several lines, which has all of them, or of a constant or a field's default, which
    runs when its module is imported: that has the lines of the game's modules that say its name.
    """

    def around(node: ast.AST) -> Iterator[ast.stmt]:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.stmt) and each.lineno <= bug.line <= (each.end_lineno or 0):
                yield each
                yield from around(each)

    outer = list(around(ast.parse((ROOT / bug.path).read_text(encoding="utf-8"))))
    inner = outer[-1]
    if any(isinstance(each, ast.FunctionDef) for each in outer):
        return {(bug.path, line) for line in range(inner.lineno, (inner.end_lineno or 0) + 1)}
    names = {node.id for node in ast.walk(inner) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {
        (path.relative_to(ROOT), node.lineno)
        for path in (ROOT / "addon" / game).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Name) and node.id in names) or (isinstance(node, ast.Attribute) and node.attr in names)
    }


def chosen(tests: Iterable[str], seconds: Mapping[str, float], module: Mapping[str, Collection[str]]) -> list[str]:
    """Those of a bug's tests that are tried, in their order: those first that do in little time what few others do.

    module: line -> the tests that come by it. What a test does counts by how few come by the same lines: hundreds come
    by one that every export runs, and most of them do there what the others do.
    """
    worth: dict[str, float] = defaultdict(float)
    for those in module.values():
        for test in those:
            worth[test] += 1 / len(those)
    order = sorted(tests, key=lambda test: (-worth[test] / (seconds[test] + 0.1), test))
    spent = accumulate(seconds[test] for test in order)
    return [test for test, so_far in zip(order, spent, strict=True) if so_far <= SECONDS] or order[:1]


def is_caught(folder: Path, bug: Mutation, tests: Sequence[str]) -> bool:
    """Plant a bug, run tests until one fails, and take it out again."""
    path = folder / bug.path
    source = path.read_text(encoding="utf-8")
    path.write_text(bug.apply(source), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE
        )
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source, encoding="utf-8")


def run(game: str, count: int, seed: int, workers: int) -> list[Tried]:
    """Try so many bugs of a game."""
    with tempfile.TemporaryDirectory(prefix="levelwright-mutate-") as scratch:
        folders: Queue[Path] = Queue()
        for number in range(workers):
            folders.put(copy_of_the_repository(Path(scratch) / str(number) / "levelwright"))
        first = folders.get()
        known, seconds = lines(first, game)
        folders.put(first)

        def one(bug: Mutation) -> Tried:
            places = {(bug.path, bug.line)} if str(bug.line) in known.get(str(bug.path), {}) else read_at(game, bug)
            found = {test for path, line in places for test in known.get(str(path), {}).get(str(line), ())}
            tests = chosen(found, seconds, known.get(str(bug.path), {}))
            if not tests:
                return Tried(bug, False, False)
            folder = folders.get()
            try:
                return Tried(bug, is_caught(folder, bug, tests), True)
            finally:
                folders.put(folder)

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(one, sample(game, count, seed)))


def table(game: str, tried: Sequence[Tried]) -> str:
    """A game's result as it stands in docs/mutation.md: a row a module, then what survived."""
    by_module: dict[Path, list[Tried]] = defaultdict(list)
    for each in tried:
        by_module[each.mutation.path].append(each)
    caught = sum(each.caught for each in tried)
    rows = [f"## {game}: {caught} of {len(tried)} caught ({caught / max(len(tried), 1):.0%})\n"]
    rows.append("| module | bugs | caught |\n|---|---|---|")
    for path, those in sorted(by_module.items()):
        rows.append(f"| `{path}` | {len(those)} | {sum(each.caught for each in those)} |")
    rows.append("\nWhat survived:\n")
    for each in tried:
        if not each.caught:
            where = f"`{each.mutation.path}`, line {each.mutation.line}"
            rows.append(f"- {where}: {each.mutation.what}{'' if each.covered else ' (no test comes by)'}")
    kinds = Counter(each.mutation.what for each in tried if not each.caught)
    rows.append(f"\nBy kind: {', '.join(f'{n} {what}' for what, n in kinds.most_common()) or 'none'}.")
    return "\n".join(rows) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Try the games that the command line names; 1 where one of them is below what has to be reached."""
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", choices=[*GAMES, []], metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--count", type=int, default=60, help="bugs a game")
    parser.add_argument("--seed", type=int, default=14, help="which ones")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--reach", type=float, default=0.8, help="share that has to be caught")
    options = parser.parse_args(arguments)
    low = False
    for game in options.games or GAMES:
        tried = run(game, options.count, options.seed, options.workers)
        sys.stdout.write(table(game, tried) + "\n")
        for each in tried:
            if not each.caught:
                sys.stdout.write(f"SURVIVED  {each.mutation}\n")
        sys.stdout.flush()
        low |= sum(each.caught for each in tried) < options.reach * len(tried)
    return int(low)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
