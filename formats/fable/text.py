# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of `.tng` and `.wld` files: `Key Value;` statements, some of which open and close blocks (fable.md §5).

Every character is kept where it stands, so that parts that nobody changed come out as they came in. Text is Latin-1,
which has a character for each byte.
"""

import re
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isfinite

from ..binary import Buffer, FormatError

#: Blanks and what else is left of a key; the key; blanks; the value, in which quotes protect semicolons; the end.
_STATEMENT = re.compile(
    r"(?P<before>\s*)(?:(?P<key>[^\s;\"]+)(?P<space>[ \t]*)(?P<value>(?:\"[^\"\n]*\"|[^;\"\r\n])*)(?P<end>;?)|;)"
)
_BLANK = re.compile(r"\s*")
_COORDINATES = re.compile(r"C3DCoordF\(([^,()]*),([^,()]*),([^,()]*)\)")

_SHOWN = 80  # characters of a file's text in an error

DEEPEST = 32  # blocks in one another: known files have 3, and whoever walks through blocks calls itself for each


@dataclass(slots=True, eq=False)
class Statement:
    """`Key Value;` with the blanks around: joined, its parts are the text that was read."""

    key: str
    value: str = ""
    before: str = "\n"  # blanks and line ends since the statement before
    space: str = " "
    end: str = ";"

    def __str__(self) -> str:
        return f"{self.before}{self.key}{self.space}{self.value}{self.end}"


class BlockView:
    """What a block means: a view of it."""

    __slots__ = ("block",)

    def __init__(self, block: "StatementBlock") -> None:
        self.block = block


@dataclass(slots=True, eq=False)
class StatementBlock:
    """What stands between two statements: a thing, a section, a component, a map."""

    opening: Statement
    entries: "list[Statement | StatementBlock]" = field(default_factory=list)
    closing: Statement = field(default_factory=lambda: Statement("", "", "", ""))

    def statements(self) -> Iterator[Statement]:
        """Its own statements, not those of blocks in it."""
        return (entry for entry in self.entries if isinstance(entry, Statement))

    def blocks(self, *openings: str) -> "Iterator[StatementBlock]":
        """Blocks in it, of some openings or of all."""
        return (
            e for e in self.entries if isinstance(e, StatementBlock) and (not openings or e.opening.key in openings)
        )

    def size(self) -> int:
        """How many statements and blocks are in it, those of blocks in it too."""
        return len(self.entries) + sum(block.size() for block in self.blocks())

    def find(self, key: str) -> Statement | None:
        """Its first statement of a key."""
        return next((statement for statement in self.statements() if statement.key == key), None)

    def get(self, key: str) -> str | None:
        """The value of its first statement of a key, without quotes."""
        statement = self.find(key)
        return None if statement is None else unquoted(statement.value)

    def set(self, key: str, value: str) -> None:
        """Change the value of a key; text without a change stays as it is, quoted text stays quoted.

        A new key is put behind the last statement. Raises ValueError for text that would end the statement.
        """
        statement = self.find(key)
        if statement is None:
            _check(value)
            last = max((n for n, e in enumerate(self.entries) if isinstance(e, Statement)), default=-1)
            self.entries.insert(last + 1, Statement(key, value, line_end(self.opening.before)))
        elif unquoted(statement.value) != value:
            text = f'"{value}"' if statement.value.startswith('"') else value
            _check(text)
            statement.value = text
            statement.space = statement.space or " "


@dataclass(slots=True, eq=False)
class Document:
    """A whole file."""

    entries: list[Statement | StatementBlock]
    tail: str = ""  # blanks behind the last statement


def unquoted(value: str) -> str:
    """A value without the quotes around it."""
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1] if quoted else value


def line_end(before: str) -> str:
    """The end of lines that a text uses, going by the blanks before one of its statements."""
    return "\r\n" if "\r\n" in before else "\n"


def number(text: str | None) -> float | None:
    """A number; None where there is none."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def decimal(value: float) -> str:
    """A number as the game's editor writes it: at most six decimals, at least one."""
    whole, _, decimals = f"{value:.6f}".partition(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def coordinates(text: str | None) -> tuple[float, float, float] | None:
    """The numbers of `C3DCoordF(x,y,z)`; None for other text."""
    match = _COORDINATES.fullmatch(text or "")
    if match is None:
        return None
    x, y, z = (number(part) for part in match.groups())
    return None if x is None or y is None or z is None else (x, y, z)


def coordinates_text(value: tuple[float, float, float]) -> str:
    """`C3DCoordF(x,y,z)` as the game's editor writes it."""
    return f"C3DCoordF({','.join(map(decimal, value))})"


def set_number(block: StatementBlock, key: str, value: float) -> None:
    """Change a number; one that reads as `value` already stays as it is written. Raises ValueError for NaN and such."""
    if not isfinite(value):
        raise ValueError(f"{key} cannot be {value}")
    if number(block.get(key)) != value:
        block.set(key, decimal(value))


def at_most(limit: int, what: str, known: str, count: int) -> None:
    """Raise FormatError for more of something (plural) than a file has that isn't meant to take for ever.

    known: what known files have of it, in words.
    """
    if count > limit:
        raise FormatError(f"{count} of them: {limit} are read at most, {known}", what)


def _check(value: str) -> None:
    if not re.fullmatch(r'(?:"[^"\n]*"|[^;"\r\n])*', value):
        raise ValueError(
            f"{reprlib.repr(value)} cannot stand in a statement: it holds a line end, a quote or a semicolon"
        )
    if not value.isascii() and max(value) > "\xff":
        raise ValueError(
            f"{reprlib.repr(value)} cannot stand in a statement: it has characters that Latin-1 does not have"
        )


# --------------------------------------------------------------------------------------------------- bytes <-> document


def parse(data: Buffer, closing: Callable[[str], str | None]) -> Document:
    """Read a document; `closing` tells the key that closes the block that a key opens.

    Raises FormatError, also for more than DEEPEST blocks in one another.
    """
    document = Document([])
    entries, open_blocks = document.entries, list[tuple[StatementBlock, str]]()
    for statement, offset in _statements(str(memoryview(data), "latin-1"), document):
        if open_blocks and statement.key == open_blocks[-1][1]:
            open_blocks.pop()[0].closing = statement
            entries = open_blocks[-1][0].entries if open_blocks else document.entries
            continue
        closer = closing(statement.key)
        if closer is None:
            entries.append(statement)
        elif closer == "":
            inside = f"inside {open_blocks[-1][0].opening.key}" if open_blocks else "outside of everything"
            raise FormatError(f"{statement.key[:_SHOWN]} {inside[:_SHOWN]}", "statement", offset)
        elif len(open_blocks) == DEEPEST:
            message = f"{statement.key[:_SHOWN]} inside {DEEPEST} blocks: known files have 3 in one another"
            raise FormatError(message, "statement", offset)
        else:
            block = StatementBlock(statement)
            entries.append(block)
            open_blocks.append((block, closer))
            entries = block.entries
    if open_blocks:
        block, closer = open_blocks[-1]
        opening = f"{block.opening.key} {block.opening.value}"[:_SHOWN]
        raise FormatError(f"ends without the {closer[:_SHOWN]} of {opening}", "statement")
    return document


def _statements(text: str, document: Document) -> Iterator[tuple[Statement, int]]:
    """Every statement and where its key stands; the blanks at the end go to the document."""
    at = 0
    for match in iter(_STATEMENT.scanner(text).match, None):  # type: ignore[attr-defined]
        before, key, space, value, end = match.group("before", "key", "space", "value", "end")
        at = match.end()
        if key is None:
            yield Statement("", "", before, "", ";"), at - 1
        else:
            yield Statement(key, value, before, space, end), match.start("key")
    blank = _BLANK.match(text, at)
    document.tail = blank.group() if blank else ""
    if at + len(document.tail) != len(text):
        raise FormatError(
            f"{text[at:][:20].strip()!r} does not begin a statement", "statement", at + len(document.tail)
        )


def unparse(document: Document) -> bytes:
    """The document's bytes."""
    parts: list[str] = []
    _append(parts, document.entries)
    return ("".join(parts) + document.tail).encode("latin-1")


def _append(parts: list[str], entries: "list[Statement | StatementBlock]") -> None:
    for entry in entries:
        if isinstance(entry, Statement):
            parts.append(str(entry))
        else:
            parts.append(str(entry.opening))
            _append(parts, entry.entries)
            parts.append(str(entry.closing))
