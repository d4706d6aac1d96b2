# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk through the extension in a window of a real Blender, and write a page with pictures of what was seen."""

from __future__ import annotations

import argparse
import functools
import html
import inspect
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from scripts.walks import assets, edits, first_minute, menus, screens, sessions, stamps, tools
from scripts.walks.walk import Walk
from scripts.window import HEIGHT, ROOT, WIDTH, Window, WindowError

PATHS: dict[str, Callable[[Walk], None]] = (
    first_minute.PATHS
    | menus.PATHS
    | edits.PATHS
    | sessions.PATHS
    | assets.PATHS
    | screens.PATHS
    | tools.PATHS
    | stamps.PATHS
)
DOCS = ("first-minute-source", "edit-source", "preferences")
"""Paths with pictures for the documents."""
PICTURES = ROOT / "docs" / "pictures"
QUALITY, LARGEST = 80, 60_000
"""Of these pictures: WebP's quality, and bytes."""
NEEDS_LEVEL = {"long-work"}
"""Paths that only a big level of the user's shows."""
STYLE = "body { font: 16px sans-serif; max-width: 1000px; margin: auto } img { width: 100% } .bad { color: #b00 }"


def sentence_of(path: Callable[[Walk], None]) -> str:
    """Return what a path's docstring says, as one line."""
    function = path.func if isinstance(path, functools.partial) else path
    return " ".join((inspect.getdoc(function) or "").split())


def page(walks: list[tuple[Walk, str]]) -> str:
    """Return the page of all walks, each with what went wrong, "" for nothing."""
    parts = [f"<!doctype html><meta charset=utf-8><title>Walks</title><style>{STYLE}</style>"]
    for walk, fault in walks:
        parts.append(f"<h2>{walk.name}</h2><p>{html.escape(sentence_of(PATHS[walk.name]))}</p>")
        parts += [f"<p>{html.escape(sentence)}</p><img loading=lazy src='{file.name}'>" for file, sentence in walk.seen]
        parts += [f"<p class=bad>{html.escape(fault)}</p>"] if fault else []
    return "\n".join(parts) + "\n"


def write_pictures(walk: Walk, folder: Path) -> None:
    """Write what the documents show of a walk: walk-<name>.webp. Raises WindowError where one is too large."""
    for name, (picture, box) in walk.for_docs.items():
        target = folder / f"walk-{name}.webp"
        with Image.open(picture) as image:
            image.crop(box).convert("RGB").save(target, quality=QUALITY, method=6)
        if target.stat().st_size > LARGEST:
            raise WindowError(f"{target.name} has more than {LARGEST} bytes")


def walk_one(name: str, system: Path, out: Path, display: int, level: Path | None) -> tuple[Walk, str]:
    """Walk a path in a window of its own; returns what was seen, and what did not happen ("": all did)."""
    begun, fault = time.monotonic(), ""
    window = Window(system, out, display, screens.SIZES.get(name, (WIDTH, HEIGHT)))
    walk = Walk(window, name, level)
    try:
        with window:
            try:
                PATHS[name](walk)
                window.refuse_tracebacks()
            except WindowError as error:
                fault = str(error)
                walk.seen.append((window.snap(f"{name}-failed"), "This is where it went wrong."))
    except WindowError as error:
        fault = str(error)
    print(f"{name}: {fault or 'walked'} ({time.monotonic() - begun:.0f} s, {len(walk.seen)} pictures)", flush=True)
    return walk, fault


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code: 1 if a step of a path did not happen."""
    parser = argparse.ArgumentParser(prog="scripts/walk", description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", help="folder for the pictures and index.html")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="names of paths; none: all")
    parser.add_argument("--list", action="store_true", help="say which paths there are")
    parser.add_argument("--docs", action="store_true", help=f"walk {', '.join(DOCS)}, and write docs/pictures/walk-*")
    parser.add_argument("--level", type=Path, help="a big level, for the path long-work")
    parser.add_argument("--display", type=int, default=90, help="number of the screen that is made")
    chosen = parser.parse_intermixed_args(arguments)
    if chosen.list:
        print("\n".join(f"{name}: {sentence_of(path)}" for name, path in PATHS.items()))
        return 0
    if chosen.out is None or (unknown := set(chosen.paths) - PATHS.keys()):
        parser.error("OUT is missing" if chosen.out is None else f"no such path: {', '.join(sorted(unknown))}")
    system = Path(os.environ.get("LEVELWRIGHT_REAL_BLENDER", ROOT.parent / "real-blender")).resolve()
    if not (system / "usr" / "bin" / "blender").exists() or os.geteuid() != 0:
        parser.error(f"needs root, and a system with Blender: {system} (tests/tools/real-blender makes one)")
    walks = []
    for name in chosen.paths or (DOCS if chosen.docs else PATHS):
        if name in NEEDS_LEVEL and chosen.level is None:
            print(f"{name}: skipped, needs --level FILE")
            continue
        walks.append(walk_one(name, system, chosen.out, chosen.display, chosen.level))
        if chosen.docs:
            write_pictures(walks[-1][0], PICTURES)
        (chosen.out / "index.html").write_text(page(walks), encoding="utf-8")
    return 1 if any(fault for _, fault in walks) else 0


if __name__ == "__main__":
    sys.exit(main())
