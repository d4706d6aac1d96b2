# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/prove-world [FOLDER]`: edit the worlds of maps at random, and ask whether all is as it should be.

Brushes are added, deleted and moved, each alone, and 50 of them at once. Each line is one such edit: how many brushes,
and how many points, faces and rows are wrong of those that were asked. It ends with 1 if any is.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from formats.binary import FormatError
from formats.source import read, world

from .worlds import KINDS, Proof, prove

ROOT = Path(__file__).resolve().parent.parent.parent
_TOLD = ("more sight", "in gaps", "open edges", "open edges of others")
_SHARE = {"not drawn": 1e-3, "drawn twice": 1e-3, **dict.fromkeys(_TOLD, np.inf)}
"""What may be of these: as much as the areas of sides may be off, and one point more where few are asked (in wedges
between sides, 0.06 units thick and less, there are no faces); some things are just told."""


def bad(proof: Proof) -> list[str]:
    """What is wrong in more places than it may be."""
    return [
        what
        for what, wrong in proof.wrong.items()
        if wrong > _SHARE.get(what, 0) * max(proof.asked.get(what, 0), 1) + (what in _SHARE)
    ]


def line(name: str, kind: str, proof: Proof, seconds: float) -> str:
    """What is said of an edit."""
    told = ", ".join(
        f"{what} {wrong}" + (f"/{proof.asked[what]}" if proof.asked[what] else "")
        for what, wrong in proof.wrong.items()
        if wrong or what in ("outside", "unseen", "unlisted", "not drawn")
    )
    refused = "".join(f"; {count} refused: {why}" for why, count in proof.refused.items())
    failed = bad(proof)
    end = f"  WRONG: {', '.join(failed)}" if failed else ""
    return f"{name:32} {kind:8} {proof.brushes:3} brushes {seconds:6.1f} s  {told}{refused}{end}"


def main(arguments: Sequence[str]) -> int:
    """Prove all maps that the command line names; 1 if anything is wrong."""
    summary, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(prog="scripts/prove-world", description=summary, epilog=more)
    folder = ROOT.parent / "shared" / "corpus" / "bsp"
    parser.add_argument("folder", type=Path, nargs="?", default=folder, help="all .bsp files in it and below, or one")
    parser.add_argument("--points", type=int, default=1_000_000, help="that are asked of each edit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="maps with this in their names")
    parser.add_argument("--kind", choices=KINDS, help="one kind of edit")
    options = parser.parse_args(arguments)
    paths = [options.folder] if options.folder.is_file() else sorted(options.folder.rglob("*.bsp"), key=_size)
    failed = 0
    for path in paths:
        if options.only and options.only not in path.name:
            continue
        data = path.read_bytes()
        name = f"{path.parent.name[:12]}/{path.stem}"[:32]
        try:
            level = read(data)
            world.editable(level)
        except FormatError as error:
            print(f"{name:32} refused: {error}", flush=True)
            continue
        for number, kind in enumerate(KINDS):
            if options.kind and kind != options.kind:
                continue
            began = time.process_time()
            proof = prove(data, kind, options.points, np.random.default_rng([options.seed, number]))
            print(line(name, kind, proof, time.process_time() - began), flush=True)
            failed += bool(bad(proof))
    print(f"{failed or 'no'} edits left something wrong")
    return 1 if failed else 0


def _size(path: Path) -> int:
    return path.stat().st_size


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
