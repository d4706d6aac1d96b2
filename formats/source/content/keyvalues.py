# SPDX-License-Identifier: GPL-3.0-or-later
"""Valve's key-value texts, as materials (`.vmt`) and `gameinfo.txt` use them: keys with a value or a block each.

Keys are compared without regard to case; duplicates and order stay. Syntax: Valve Developer Community, "KeyValues":
tokens are quoted, or end at white space, braces and quotes, or if they begin with a square bracket, at the other one;
`//` starts a comment, behind a token without a blank, too, but not in addresses ("http://"); a condition in square
brackets may follow a key or its value. Backslashes are just characters in these files (they hold paths).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...binary import FormatError

DEEPEST = 64
_QUOTED = 40
"""Characters of a key that a flaw names, at most."""
_OPEN, _CLOSE = "{}"
_TOKEN = re.compile(
    r'\s*(?://[^\n]*|"(?P<quoted>[^"]*)"?|(?P<brace>[{}])'
    r'|(?P<bare>\[[^\]\n{}"]*\]|(?:[^\s{}"/]|(?<=:)//|/(?!/))+))',
    re.ASCII,
)
_CONDITION = re.compile(r"\[\s*!?\s*\$")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_THERE = {"$win32", "$windows"}
"""What holds on the machine that a map is opened on: a PC, not a console."""


@dataclass
class Block:
    """What stands between braces, or a whole file."""

    entries: list[tuple[str, "str | Block"]] = field(default_factory=list)
    """Key, and a text or a block, in order."""
    flaws: list[str] = field(default_factory=list)
    """Of a whole file, what is wrong with it, and was read as the engine reads it."""

    def get(self, key: str) -> str | None:
        """The first text of that key."""
        return next((value for value in self._of(key) if isinstance(value, str)), None)

    def block(self, key: str) -> "Block | None":
        """The first block of that key."""
        return next((value for value in self._of(key) if isinstance(value, Block)), None)

    def blocks(self) -> Iterator[tuple[str, "Block"]]:
        """All blocks, with their keys."""
        return ((key, value) for key, value in self.entries if isinstance(value, Block))

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts, with their keys."""
        return ((key, value) for key, value in self.entries if isinstance(value, str))

    def _of(self, key: str) -> Iterator["str | Block"]:
        wanted = key.lower()
        return (value for name, value in self.entries if name.lower() == wanted)


def on_a_pc(condition: str) -> bool:
    """Whether a condition is met on a PC: "[$WIN32]", "[!$X360 && !$PS3]"."""

    def holds(term: str) -> bool:
        name = term.strip().lower()
        return (name.lstrip("! ") in _THERE) == (name.count("!") % 2 == 0)

    return any(all(map(holds, either.split("&&"))) for either in condition.strip("[]").split("||"))


def parse(data: bytes, holds: Callable[[str], bool] = on_a_pc) -> Block:
    """Read a text; its bytes are Latin-1, or UTF-8 or UTF-16 with a mark.

    holds: whether a condition ("[$X360]") is met. As in the engine, blocks, quotes and keys that the end of the text
    cuts off count as they are, a key without a value is none, a closing brace without an opening one is nothing, and an
    opening one where a key should be is a key of that name, whose value is what comes next: such files are common.
    Blocks more than 64 deep are a FormatError.
    """
    text = data.decode(next((name for mark, name in _MARKS if data.startswith(mark)), "latin-1"), "replace")
    whole = Block()
    open_blocks = [whole]
    key: str | None = None
    last: Block | None = None  # the block whose last entry a condition would be about
    wanted = True  # whether the condition of the block that follows is met
    for token, quoted, place in _tokens(text.rstrip("\0")):
        here = open_blocks[-1]
        if not quoted and token == _OPEN and key is None:
            whole.flaws.append(f"a brace stands at character {place} where a key should")
            key = token
        elif not quoted and token == _OPEN:
            if len(open_blocks) > DEEPEST:
                raise FormatError(f"blocks are more than {DEEPEST} deep", "key-values", place)
            inner = Block()
            if wanted and key is not None:
                here.entries.append((key, inner))
            open_blocks.append(inner)
            key, last, wanted = None, None, True
        elif not quoted and token == _CLOSE:
            if key is not None:
                whole.flaws.append(f"{key[:_QUOTED]!r} before character {place} has no value")
            if len(open_blocks) > 1:
                open_blocks.pop()
            key = last = None
        elif not quoted and _CONDITION.match(token):
            if key is not None:
                wanted = holds(token)
            elif last is not None and not holds(token):
                last.entries.pop()
            last = None
        elif key is None:
            key = token
        else:
            if wanted:
                here.entries.append((key, token))
            key, last, wanted = None, here if wanted else None, True
    return whole


def _tokens(text: str) -> Iterator[tuple[str, bool, int]]:
    """Token, whether it was quoted, and where it starts."""
    place = 0
    while match := _TOKEN.match(text, place):
        place = match.end()
        if (quoted := match["quoted"]) is not None:
            yield quoted, True, match.start("quoted")
        elif token := match["brace"] or match["bare"]:
            yield token, False, match.end() - len(token)
