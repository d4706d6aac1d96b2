# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of `.3dt` text, as the editor's scanner sees them (genesis.md §2)."""

import re

from ..binary import FormatError

_SPACE = " \t\r\n"
_WORD = re.compile(rf'[{_SPACE}]*("[^"\\]*(?:\\.[^"\\]*)*"|[^{_SPACE}"]+)', re.DOTALL)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FLOAT = re.compile(_NUMBER)
_VECTOR = re.compile(
    rf"[{_SPACE}]*Vec3d[{_SPACE}]+({_NUMBER})[{_SPACE}]+({_NUMBER})[{_SPACE}]+({_NUMBER})(?=[{_SPACE}]|\Z)"
)
_INTEGER = re.compile(r"[-+]?\d{1,10}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LARGEST = 3.4028235e38


class Scanner:
    """A position in text that only moves forward, a word at a time. Errors name the place and what was expected."""

    __slots__ = ("offset", "start", "text")

    def __init__(self, text: str, offset: int = 0) -> None:
        self.text = text
        self.offset = self.start = offset  # `start`: where the last word began

    def error(self, message: str, what: str) -> FormatError:
        """Return a FormatError for the place of the last word."""
        return FormatError(message, what, self.start)

    def word(self, what: str) -> str:
        """The next word as it stands: quoted, or up to the next space."""
        found = _WORD.match(self.text, self.offset)
        if found is None:
            self.start = self.offset
            rest = self.text[self.offset : self.offset + 20].strip()
            raise self.error(f"{rest!r} has no closing quote" if rest else "the text ends too soon", what)
        self.start, self.offset = found.span(1)
        return found[1]

    def peek(self) -> str:
        """The next word, which is not moved past; empty at the end of the text."""
        found = _WORD.match(self.text, self.offset)
        return found[1] if found else ""

    def tag(self, tag: str) -> None:
        """Move past a word that has to stand here."""
        word = self.word(tag)
        if word != tag:
            raise self.error(f"{word[:40]!r} stands where {tag} should", tag)

    def integer(self, what: str) -> int:
        """A whole number of 32 bits, signed or not."""
        word = self.word(what)
        value = int(word) if _INTEGER.fullmatch(word) else 1 << 32
        if not -(1 << 31) <= value < 1 << 32:
            raise self.error(f"{word[:40]!r} is not a whole number of 32 bits", what)
        return value

    def number(self, what: str) -> float:
        """A number that a 32-bit float can hold."""
        word = self.word(what)
        return self.as_number(word, what) if _FLOAT.fullmatch(word) else self._refuse_number(word, what)

    def as_number(self, word: str, what: str) -> float:
        """The value of a word that is made like a number."""
        value = float(word)
        return value if abs(value) <= _LARGEST else self._refuse_number(word, what)

    def _refuse_number(self, word: str, what: str) -> float:
        raise self.error(f"{word[:40]!r} is not a number that a 32-bit float can hold", what)

    def numbers(self, count: int, what: str) -> tuple[float, ...]:
        """Several numbers."""
        return tuple(self.number(what) for _ in range(count))

    def vector(self, what: str) -> tuple[float, float, float]:
        """The tag Vec3d and three numbers: most of a file, hence the short way."""
        found = _VECTOR.match(self.text, self.offset)
        if found is None:
            self.tag("Vec3d")
            x, y, z = self.numbers(3, what)
            return x, y, z
        self.offset = found.end()
        return self.as_number(found[1], what), self.as_number(found[2], what), self.as_number(found[3], what)

    def literal(self, what: str) -> str:
        """Text in quotes, or one word without them."""
        word = self.word(what)
        return unquote(word) if word.startswith('"') else word

    def line(self, what: str) -> str:
        """The rest of this line, without its end."""
        end = self.text.find("\n", self.offset)
        if end < 0:
            self.start = self.offset
            raise self.error("the text ends too soon", what)
        self.start, self.offset = self.offset, end + 1
        return self.text[self.start : end].removesuffix("\r")

    def boundary(self) -> int:
        """Where the record of the next word begins: at the start of its line, if the word is the first in it."""
        found = _WORD.match(self.text, self.offset)
        start = found.start(1) if found else len(self.text)
        newline = self.text.rfind("\n", self.offset, start)
        return start if newline < 0 else newline + 1


def quote(text: str) -> str:
    """Text in quotes, with backslashes before quotes and backslashes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquote(word: str) -> str:
    """The text of a quoted word."""
    return _ESCAPE.sub(r"\1", word[1:-1]) if "\\" in word else word[1:-1]


def patched(source: str, old: str, new: str) -> str:
    """Make `source` say `new` where it said `old`: both are what a writer makes of it, before and after an edit.

    Words that are the same in both keep how they stand in `source`, and so do the spaces between them. If words were
    added or removed there is nothing to go by: then it is `new` as a whole.
    """
    before, after = _words(old), _words(new)
    spans = [found.span(1) for found in _WORD.finditer(source)]
    if not len(before) == len(after) == len(spans):
        return new
    parts: list[str] = []
    end = 0
    for (start, stop), was, now in zip(spans, before, after, strict=True):
        parts += (source[end:start], source[start:stop] if was == now else now)
        end = stop
    parts.append(source[end:])
    return "".join(parts)


def _words(text: str) -> list[str]:
    return [found[1] for found in _WORD.finditer(text)]
