# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities as text that people read and write, much as a game's header declares them (genesis.md §1.10).

struct Door {
    point origin;
    model Model;
};

Types are those of a `.map`'s definitions: `int`, `float`, `color`, `point`, `string`, `model`, `ptr`, or the name of
another class. Comments are allowed, as in C.
"""

import re
from collections.abc import Iterable

from ..binary import FormatError
from .typedefs import Field, TypeDef

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[{};]|[^\s{};]+")


def write(types: Iterable[TypeDef]) -> str:
    """The text of classes, in their order."""
    lines = []
    for each in types:
        lines += [f"struct {each.name} {{", *(f"    {one.type} {one.name};" for one in each.fields), "};", ""]
    return "\n".join(lines)


def read(text: str) -> list[TypeDef]:
    """The classes that a text declares, in its order. Raises FormatError, which tells the line."""
    return list(_Reader(text).classes())


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        self.words = [(found.group(), found.start()) for found in _WORD.finditer(self.text)]
        self.at = 0

    def error(self, message: str) -> FormatError:
        """Return an error for the line of the last word."""
        offset = self.words[min(self.at, len(self.words)) - 1][1] if self.words else 0
        return FormatError(message, f"line {self.text.count(chr(10), 0, offset) + 1}")

    def next(self, expected: str) -> str:
        if self.at == len(self.words):
            raise self.error(f"the text ends where {expected} should stand")
        self.at += 1
        return self.words[self.at - 1][0]

    def sign(self, sign: str) -> None:
        word = self.next(f"'{sign}'")
        if word != sign:
            raise self.error(f"{word!r} stands where '{sign}' should")

    def name(self, what: str) -> str:
        word = self.next(what)
        if word in "{};":
            raise self.error(f"'{word}' stands where {what} should")
        if not word.isascii() and word.encode("latin-1", "ignore").decode("latin-1") != word:
            raise self.error(f"{word!r} has characters that Latin-1 has not")
        return word

    def classes(self) -> Iterable[TypeDef]:
        names: set[str] = set()
        while self.at < len(self.words):
            word = self.next("struct")
            if word != "struct":
                raise self.error(f"{word!r} stands where 'struct' should")
            made = TypeDef(self.name("the name of a class"))
            if made.name.lower() in names:
                raise self.error(f"class {made.name} is there twice")
            names.add(made.name.lower())
            self.sign("{")
            while (kind := self.next("a field or '}'")) != "}":
                self.at -= 1
                kind = self.name("the type of a field")
                name = self.name("the name of a field")
                if made.field(name) is not None:
                    raise self.error(f"class {made.name} has two fields {name}")
                self.sign(";")
                made.fields.append(Field(name, kind))
            self.sign(";")
            made.find_place()
            yield made


def says(text: str, types: Iterable[TypeDef]) -> bool:
    """Whether the text is one that can be read back as these classes: names in files may have blanks, or be there
    twice.
    """
    try:
        made = read(text)
    except FormatError:
        return False
    return [_outline(one) for one in made] == [_outline(one) for one in types]


def same(one: TypeDef, other: TypeDef) -> bool:
    """Whether two classes have the same name and the same fields, whatever their defaults."""
    return _outline(one) == _outline(other)


def _outline(made: TypeDef) -> tuple[str, list[tuple[str, str]]]:
    return made.name, [(each.name, each.type) for each in made.fields]
