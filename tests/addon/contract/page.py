# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/contract.md: what an export makes of an edit of each thing that is shown, as it was tried."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from levelwright.addon.game import Game

from . import edits
from .registered import ALL

PAGE = Path(__file__).resolve().parents[3] / "docs" / "contract.md"
HEAD = """<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# What becomes of an edit

Whatever Blender shows of a level can be changed and reaches the file, or is refused or told by name. `scripts/contract`
tries it and writes this page: it imports our samples, changes each thing that each kind of data-block shows, exports,
and reads the file again.

- *written*: the file has it, and an import of that shows it.
- *refused by name*: the export says which object is at fault, and writes nothing.
- *told*: the file doesn't hold it; the report says so, with the name of the object.

What is edited is called as in [architecture.md](architecture.md#what-becomes-of-an-edit).
"""


def main(games: Sequence[str]) -> int:
    """Try all edits. With names of games: print those that are not as promised. Without: write the page."""
    chosen = [(game, sample) for game, sample in ALL if not games or game.key in games]
    tried = [(game, sample, edits.all_outcomes(game, sample)) for game, sample in chosen]
    for _, sample, found in tried:
        for each in found:
            if each.result not in edits.GOOD:
                edit = each.edit
                line = f"{sample.name}: {edit.kind} {edit.block!r}: {edit.aspect}: {each.result} {each.said}"
                sys.stdout.write(f"{line}\n")
    if not games:
        PAGE.write_text(HEAD + "".join("".join(_section(*each)) for each in tried), encoding="utf-8")
    return int(any(each.result not in edits.GOOD for _, _, found in tried for each in found))


def _section(game: Game, sample: Path, found: Sequence[edits.Outcome]) -> Iterator[str]:
    """One sample's table: a row a kind and outcome, for a row an edit would be a thousand rows."""
    yield f"\n## {game.format.title}: `{sample.name}`\n\n| kind | outcome | what is edited |\n|---|---|---|\n"
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in found:
        rows[each.edit.kind, each.result].append(each.edit.aspect)
    for (kind, result), names in rows.items():
        yield f"| `{kind}` | {result} | {', '.join(names)} |\n"
