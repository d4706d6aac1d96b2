# SPDX-License-Identifier: GPL-3.0-or-later
"""The C headers in which games declare their classes of entities, with the editor's pragmas (genesis.md §1.10).

#pragma GE_Type("Player.ico")
typedef struct PlayerStart {
#pragma GE_Published
    geVec3d Origin;
#pragma GE_Origin(Origin)
} PlayerStart;
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..binary import FormatError
from .typedefs import Field, TypeDef

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TOKEN = re.compile(
    r"^[ \t]*#(?:\\\r?\n|[^\n])*|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d[\w.]*|\"(?:\\.|[^\"\\\n])*\"|\S", re.MULTILINE
)
_PRAGMA = re.compile(r"\s*#\s*pragma\s+GE_(\w+)\s*(?:\((.*)\))?\s*\Z", re.DOTALL)
_ARGUMENT = re.compile(r'\s*(?:(?P<word>[A-Za-z_]\w*)|"(?P<text>(?:\\.|[^"\\])*)")\s*(?:,|\Z)')

_PLAIN = {
    "int": "int",
    "geBoolean": "int",
    "float": "float",
    "geFloat": "float",
    "GE_RGBA": "color",
    "geVec3d": "point",
}
_POINTERS = {"char": "string", "geWorld_Model": "model"}
_ROLES = {"Origin": "origin", "Angles": "angles", "Arc": "arc", "Radius": "radius"}
_QUALIFIERS = {"const", "struct", "unsigned", "signed"}


@dataclass(slots=True)
class DeclaredClasses:
    """What headers declare: classes in their order, and names for the upper 16 bits of a brush's flags."""

    types: list[TypeDef] = field(default_factory=list)
    contents: dict[str, int] = field(default_factory=dict)


def parse(texts: Iterable[str]) -> DeclaredClasses:
    """Read headers, in the order in which the editor would. Raises FormatError, whose offset is in its header's text.

    As for the editor, a struct is a class only where a GE_Type stands before it. Everything else in a header is passed
    over.
    """
    result = DeclaredClasses()
    for text in texts:
        _Header(text, result).read()
    known = {made.name for made in result.types}
    for made in result.types:
        for each in made.fields:
            if each.type.startswith("*"):  # classes may point to ones that come later
                each.type = each.type[1:] if each.type[1:] in known else "ptr"
    return result


class _Header:
    """One header on its way through."""

    def __init__(self, text: str, result: DeclaredClasses) -> None:
        blank = _COMMENT.sub(lambda found: found.group(1) or re.sub(r"[^\n]", " ", found.group()), text)
        self.tokens = [(found.group(), found.start()) for found in _TOKEN.finditer(blank)]
        self.at = 0
        self.result = result

    def error(self, message: str) -> FormatError:
        offset = self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 0
        return FormatError(message, "header", offset)

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def next(self) -> str:
        word = self.peek()
        if not word:
            raise self.error("ends within a declaration")
        self.at += 1
        return word

    def read(self) -> None:
        icon: str | None = None
        contents = False
        while self.at < len(self.tokens):
            word = self.next()
            if word.lstrip().startswith("#"):
                pragma, arguments = _pragma(word)
                if pragma == "Type":
                    icon = arguments[0] if arguments else ""
                contents |= pragma == "BrushContents"
            elif word == "enum" and contents:
                self.read_contents()
                contents = False
            elif word == "struct" and icon is not None and self.peek(-2) == "typedef" and self.opens():
                tag = self.next()
                made = self.read_struct("" if tag == "{" else tag)
                made.icon, icon = icon, None
                self.result.types.append(made)

    def opens(self) -> bool:
        """Whether a struct's fields come next, after its tag if it has one."""
        return "{" in (self.peek(), self.peek(1))

    def read_contents(self) -> None:
        """`enum { Water = 0x10000, ... }`"""
        while self.next() != "{":
            pass
        while (name := self.next()) != "}":
            if name.isidentifier() and self.peek() == "=":
                self.next()
                value = self.next()
                try:
                    self.result.contents[name] = int(value, 0)
                except ValueError:
                    raise self.error(f"{value!r}, the value of {name}, is not a number") from None

    def read_struct(self, tag: str) -> TypeDef:
        """A struct from behind its tag on."""
        made = TypeDef(tag)
        if self.peek() == "{":
            self.next()
        published = False
        pragmas: list[tuple[str, list[str]]] = []
        while (word := self.next()) != "}":
            if word.lstrip().startswith("#"):
                pragma, arguments = _pragma(word)
                published = published if pragma not in ("Published", "Private") else pragma == "Published"
                pragmas.append((pragma, arguments))
            else:
                made.fields += self.fields(word, published)
        if self.peek().isidentifier():
            made.name = self.next()
        for each in made.fields:  # a struct may point to its own kind by its tag
            each.type = "*" + made.name if each.type == "*" + tag else each.type
        for pragma, arguments in pragmas:
            _apply(made, pragma, arguments)
        return made

    def fields(self, word: str, published: bool) -> Iterator[Field]:
        """The fields of one declaration, which begins with `word`."""
        while word in _QUALIFIERS:
            word = self.next()
        kind = word
        while (word := self.next()) != ";":
            pointers = 0
            while word == "*":
                pointers, word = pointers + 1, self.next()
            if not word.isidentifier():
                raise self.error(f"{word!r} stands where the name of a field should")
            name = word
            if self.peek() not in (",", ";", ""):
                raise self.error(f"field {name} is neither a value nor a pointer")
            if self.peek() == ",":
                self.next()
            yield Field(name, self.type(kind, pointers), boolean=kind == "geBoolean", published=published)

    def type(self, kind: str, pointers: int) -> str:
        """The type of a field; of a pointer to what may be a class, its name behind a star."""
        if not pointers:
            if kind not in _PLAIN:
                raise self.error(f"the editor knows no fields of {kind}")
            return _PLAIN[kind]
        return _POINTERS.get(kind, "*" + kind) if pointers == 1 else "ptr"


def _pragma(line: str) -> tuple[str, list[str]]:
    """The name of a GE pragma without its GE_, and its arguments; an empty name for any other line."""
    found = _PRAGMA.match(line)
    if not found:
        return "", []
    arguments = []
    for each in _ARGUMENT.finditer(found.group(2) or ""):
        text = each.group("text")
        arguments.append(each.group("word") or "" if text is None else re.sub(r"\\(.)", r"\1", text))
    return found.group(1), arguments


def _apply(made: TypeDef, pragma: str, arguments: list[str]) -> None:
    """What a pragma says about a field; of fields there are not, it says nothing."""
    each = made.field(arguments[0]) if arguments else None
    if each is None:
        return
    if pragma in _ROLES:
        setattr(made, _ROLES[pragma], each.name)
    elif pragma == "DefaultValue" and len(arguments) > 1:
        each.default = arguments[1]
    elif pragma == "Documentation" and len(arguments) > 1:
        each.documentation = arguments[1]
