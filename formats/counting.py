# SPDX-License-Identifier: GPL-3.0-or-later
"""How many of something, in words: "1 face is", "2 faces are", "1,729 brushes"."""

from __future__ import annotations

import re
from typing import SupportsIndex

_IRREGULAR = {
    "vertices": "vertex",
    "indices": "index",
    "leaves": "leaf",
    "are": "is",
    "aren't": "isn't",
    "have": "has",
    "were": "was",
    "weren't": "wasn't",
    "don't": "doesn't",
    "their": "its",
    "they": "it",
}
_ALIKE = {**_IRREGULAR, "is": "is", "has": "has", "was": "was"}
_NO_PLURALS = frozenset(("physics", "this", "its", "less", "lens"))
_VERBS = frozenset(("are", "aren't", "have", "were", "weren't", "don't", "collide", "come", "enclose", "lie", "stay"))
"""Verbs that go with a noun's number where they stand behind it, or behind "that" and "which"."""
_PLURAL = re.compile(r"[A-Za-z'-]+s|vertices|indices|leaves")
_WORD = re.compile(r"[\w'-]+")


def number_of(count: SupportsIndex, plural: str, singular: str = "") -> str:
    """So many of something.

    plural: what is counted, and what is said of it as far as that goes with the number: "faces are", "leafs of nodes",
    "brushes that enclose nothing". singular: of one of them; "": as `one_of` makes it.
    """
    number = int(count.__index__())
    return f"1 {singular or one_of(plural)}" if number == 1 else f"{number:,} {plural}"


def one_of(plural: str) -> str:
    """What one of several is called: its first plural noun, and a verb right behind that, become singular."""
    words = _WORD.finditer(plural)
    noun = next((word for word in words if _PLURAL.fullmatch(word[0]) and word[0] not in _NO_PLURALS), None)
    if noun is None:
        return plural
    rest = plural[noun.end() :]
    verb = re.match(r"(,? (?:that|which))? ([\w']+)", rest)
    if verb is not None and verb[2] in _VERBS:
        rest = f"{verb[1] or ''} {_IRREGULAR.get(verb[2]) or f'{verb[2]}s'}{rest[verb.end() :]}"
    return plural[: noun.start()] + _singular(noun[0]) + rest


def alike(text: str) -> str:
    """A text that is the same whether it says something of one or of several: for comparing, not for reading."""
    return _WORD.sub(lambda word: _ALIKE.get(word[0]) or _singular(word[0]), text)


def _singular(noun: str) -> str:
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if not noun.endswith("s"):
        return noun
    return noun[:-2] if re.search(r"(?:sh|ch|ss|x)es$", noun) else noun[:-1]
