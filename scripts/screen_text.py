# SPDX-License-Identifier: GPL-3.0-or-later
"""Words on a picture of a screen, and where they are: so walks click on what buttons say, as people do."""

from __future__ import annotations

import csv
import difflib
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

ENLARGED = 3
"""How many times as large the picture is that is read: letters of 11 pixels are too small for tesseract."""
ALIKE = 0.78
"""How much of a text has to be read as it is: an l for a 1 is common."""


class Word(NamedTuple):
    """A word in pixels of the screen, from its upper left corner."""

    text: str
    line: tuple[str, str, str]
    """Block, paragraph and line that tesseract counts it to."""
    x: float
    y: float
    width: float
    height: float


class Place(NamedTuple):
    """Where a text was found: its middle, and how well it fits, up to 1."""

    x: int
    y: int
    fits: float


def command(picture: str, area: tuple[int, int, int, int] | None = None, is_downward: bool = False) -> str:
    """Return the shell's command that reads a picture (PNG) of a dark user interface, and prints tesseract's table.

    area: x, y, width and height of the part that is read, None for all. is_downward: its lines go down, as on tabs.
    """
    thin = r"\( +clone -morphology Open Square:3 \) -compose MinusSrc -composite"  # letters, over whatever is behind
    crop = "" if area is None else "-crop {2}x{3}+{0}+{1} +repage ".format(*area)
    crop += "-rotate 270 " if is_downward else ""
    return (
        f"convert {picture} {crop}-colorspace Gray {thin} -negate -resize {100 * ENLARGED}% -level 45%,85% read.pgm && "
        "OMP_THREAD_LIMIT=1 tesseract read.pgm - --psm 11 tsv"
    )


def words(table: str, corner: tuple[int, int] = (0, 0)) -> list[Word]:
    """Return the words of tesseract's table; corner: where the part that was read begins."""
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Word(
            row["text"].strip(),
            (row["block_num"], row["par_num"], row["line_num"]),
            float(row["left"]) / ENLARGED + corner[0],
            float(row["top"]) / ENLARGED + corner[1],
            float(row["width"]) / ENLARGED,
            float(row["height"]) / ENLARGED,
        )
        for row in rows
        if (row["text"] or "").strip()
    ]


def find(text: str, among: Sequence[Word]) -> list[Place]:
    """Return where a text is, the best first: what stands alone before what is a part of a longer text."""
    count = len(text.split())
    found = [place for run in _runs(among, count) if (place := _place(text, run, among)).fits >= ALIKE]
    return sorted(found, key=lambda place: -place.fits)


def downward(place: Place, area: tuple[int, int, int, int]) -> Place:
    """Return where a text of lines that go down is on the screen. area: the part that was read."""
    return Place(area[0] + area[2] - place.y, area[1] + place.x, place.fits)


def _runs(among: Sequence[Word], count: int) -> Iterator[list[Word]]:
    """Give each so many words that follow one another in a line, and one more or fewer: spaces are misread, too."""
    for _, grouped in itertools.groupby(among, key=lambda word: word.line):
        line = list(grouped)
        for length in range(max(1, count - 1), count + 2):
            yield from (line[start : start + length] for start in range(len(line) - length + 1))


def _place(text: str, run: Sequence[Word], among: Sequence[Word]) -> Place:
    first, last = run[0], run[-1]
    read = " ".join(word.text for word in run)
    fits = difflib.SequenceMatcher(None, text.casefold(), read.casefold()).ratio()
    neighbours = sum(
        word.line == first.line
        and (0 <= word.x - last.x - last.width < 8 or 0 <= first.x - word.x - word.width < 8)
        and any(letter.isalpha() for letter in word.text)
        for word in among
    )
    x = (first.x + last.x + last.width) / 2
    return Place(round(x), round(first.y + first.height / 2), fits - 0.05 * neighbours)
