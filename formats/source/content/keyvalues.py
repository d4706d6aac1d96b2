"""Valve's key-value texts, as materials (`.vmt`) and `gameinfo.txt` use them: keys with a value or a block each.

Keys are compared without regard to case; duplicates and order stay. Syntax: Valve Developer Community, "KeyValues":
tokens are quoted or end at white space, braces and quotes; `//` starts a comment; a condition in square brackets may
follow a key or its value. Backslashes are just characters in these files (they hold paths).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...binary import FormatError

DEEPEST = 64
_OPEN, _CLOSE = "{}"
_TOKEN = re.compile(r'\s*(?://[^\n]*|"(?P<quoted>[^"]*)"?|(?P<brace>[{}])|(?P<bare>[^\s{}"]+))', re.ASCII)


@dataclass
class Block:
    """What stands between braces, or a whole file. entries: key, and a text or a block, in order."""

    entries: list[tuple[str, "str | Block"]] = field(default_factory=list)

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


def parse(data: bytes, holds: Callable[[str], bool] = lambda condition: condition.startswith("[!")) -> Block:
    """Read a text; its bytes are Latin-1, or UTF-8 with a mark.

    holds: whether a condition ("[$X360]") is met; as given, those that start with "not" are: what an unknown platform
    takes. Blocks, quotes and keys that the text's end cuts off count as they are, as in the engine: such files are
    common. A closing brace without an opening one, a block without a key and blocks more than 64 deep are FormatErrors.
    """
    text = data[3:].decode("utf-8", "replace") if data.startswith(b"\xef\xbb\xbf") else data.decode("latin-1")
    whole = Block()
    open_blocks = [whole]
    key: str | None = None
    last: Block | None = None  # the block whose last entry a condition would be about
    for token, quoted, place in _tokens(text.rstrip("\0")):
        here = open_blocks[-1]
        if not quoted and token == _OPEN:
            if key is None:
                raise FormatError("a block has no key", "key-values", place)
            if len(open_blocks) > DEEPEST:
                raise FormatError(f"blocks are more than {DEEPEST} deep", "key-values", place)
            inner = Block()
            here.entries.append((key, inner))
            open_blocks.append(inner)
            key = last = None
        elif not quoted and token == _CLOSE:
            if key is not None:
                raise FormatError(f"key {key!r} has no value", "key-values", place)
            if len(open_blocks) == 1:
                raise FormatError("a closing brace has no opening one", "key-values", place)
            open_blocks.pop()
            last = None
        elif (not quoted and token.startswith("[$")) or token.startswith("[!$"):
            if not holds(token) and last is not None and key is None:
                last.entries.pop()
            last = None
        elif key is None:
            key = token
        else:
            here.entries.append((key, token))
            key, last = None, here
    return whole


def _tokens(text: str) -> Iterator[tuple[str, bool, int]]:
    """Token, whether it was quoted, and where it starts."""
    place = 0
    while match := _TOKEN.match(text, place):
        place = match.end()
        if (quoted := match["quoted"]) is not None:
            yield quoted, True, match.start("quoted")
        elif token := match["brace"] or match["bare"]:
            yield token.split("//", 1)[0] if "//" in token and "://" not in token else token, False, match.start()
