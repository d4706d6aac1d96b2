# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that fit the sidebar: in lines that end between words, or shortened in the middle of a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import blf
import bpy

DOTS = "\N{HORIZONTAL ELLIPSIS}"
LETTER = 7.0
"""Pixels that a letter is wide, about, where there is no window to measure it in."""
POINTS = 11.0
"""Of the interface's letters, as Blender has them at first."""
ROOM = 40
"""Letters of a line where there is no sidebar."""
MARGIN, ICON = 66.0, 20.0
"""Pixels at a scale of 1: what panels and the tabs beside them take, and an icon."""
TITLE = 0.4
"""Part of a line's room that Blender has for a property's title, beside its field."""
_PARTS = re.compile(r"[^/\\]*[/\\]|[^/\\]+")
"""Of a path: its folders with what ends them, and the name at its end."""
_PIECES = re.compile(r"[^/\\_.-]*[/\\_.-]+|[^/\\_.-]+")
"""Of a word that is longer than a line: what may stand on lines of its own."""
_WORDS = re.compile(r"(?:^|(?<= ))(?:[\d,.]*\d [a-z])?[^ ]*")
"""Of a text: what may stand on lines of its own. A number stays with what it counts."""

Measure = Callable[[str], float]
"""Gives the width of a text in pixels."""


def measure(context: bpy.types.Context) -> Measure:
    """Return what measures texts as the interface shows them."""
    preferences = context.preferences
    if bpy.app.background or preferences is None:
        return lambda text: LETTER * len(text)
    points = preferences.ui_styles[0].widget.points if preferences.ui_styles else POINTS
    size = points * preferences.system.ui_scale

    def width(text: str) -> float:
        blf.size(0, size)
        return float(blf.dimensions(0, text)[0])

    return width


def room(context: bpy.types.Context, buttons: float = 0.0) -> float:
    """Return how many pixels a line of the panel that is drawn has for text, beside so many icons."""
    region, preferences = context.region, context.preferences
    if region is None or preferences is None:
        return ROOM * LETTER
    scale = preferences.system.ui_scale
    return max(region.width - (MARGIN + ICON * buttons) * scale, 5 * LETTER)


def is_title(text: str, context: bpy.types.Context) -> bool:
    """Tell whether a property's title has room beside its field in the panel that is drawn."""
    return measure(context)(text) <= TITLE * room(context)


def shortened(text: str, width: float, measured: Measure) -> str:
    """Return a text that is at most so wide: folders in the middle of its longest path are left out first, then words
    at its end.
    """
    words = text.split(" ")
    longest = max(range(len(words)), key=lambda number: len(_PARTS.findall(words[number])))
    for word in _with_fewer_folders(words[longest]):
        words[longest] = word
        if measured(" ".join(words)) <= width:
            return " ".join(words)
    while len(words) > 1:
        words.pop()
        if measured(" ".join(words) + DOTS) <= width:
            break
    return " ".join(words) + DOTS if " " in text else words[0]


def within(name: str, letters: int = ROOM) -> str:
    """Return a name of at most so many letters: what is too much is left out before its end, which files' kinds are."""
    end = letters // 3
    return name if len(name) <= letters else f"{name[: letters - end - 1]}{DOTS}{name[-end:]}"


def _with_fewer_folders(path: str) -> Iterator[str]:
    """Give a path, and then with ever fewer folders before the name at its end: "a/b/.../d", "a/.../d", ".../d"."""
    yield path
    parts = _PARTS.findall(path)
    for number in range(len(parts) - 2, -1, -1):
        yield f"{''.join(parts[:number])}{DOTS}/{parts[-1]}"


def wrapped(text: str, width: float, measured: Measure) -> list[str]:
    """Return a text in lines that are at most so wide, as far as its words are: longer ones, as paths, are
    parted behind their separators.
    """
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for number, word in enumerate(_WORDS.findall(paragraph)):
            space = " " if number else ""
            if measured(line + space + word) <= width:
                line += space + word
                continue
            pieces = [word] if measured(word) <= width else _PIECES.findall(word)
            if line and (measured(word) <= width or measured(line + space + pieces[0]) > width):
                lines.append(line)
                line, space = "", ""
            for piece in pieces:
                if line and measured(line + space + piece) > width:
                    lines.append(line)
                    line = ""
                line, space = line + space + piece, ""
        lines.append(line)
    return lines
