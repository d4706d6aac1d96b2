# SPDX-License-Identifier: GPL-3.0-or-later
"""Game definitions (`.fgd`): what entities a game has, what their keys mean, and what they send and take.

Syntax: Valve Developer Community, "FGD". Words are bare or quoted; `+` joins quoted ones, `//` starts a comment.
Editors don't agree on details, and games' files have mistakes: what follows a class's heading may stand in any order,
and what is no key, choice or output that can be read is an error that names its line, and ends its class.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...binary import FormatError

_TOKEN = re.compile(
    r'[ \t\r\n\ufeff]*+(?://[^\n]*+|"(?P<quoted>[^"]*+)"?+|(?P<mark>[\[\](){}=:,+])|(?P<bare>[^\s\[\](){}=:,+"]++))'
)
_MARKS = frozenset("[](){}=:,+")
_MOST_FILES = 64
_DEEPEST_BASES = 64

_MORE = ("extend", "override")
"""Kinds of definitions that add to the class of their name: those of mods to what they include."""

BOOLEAN, CHOICES, FLAGS = "boolean", "choices", "flags"
COLORS, NUMBERS = ("color255", "color1"), ("integer", "float")


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a key, or one bit of its flags."""

    value: str
    title: str
    default: bool = False
    """Whether a flag is set in new entities."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a class."""

    name: str
    type: str
    """In small letters ("integer", "choices", "target_destination")."""
    title: str = ""
    default: str = ""
    help: str = ""
    choices: tuple[Choice, ...] = ()
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """An input or output of a class."""

    name: str
    type: str
    """Of its parameter ("void")."""
    help: str = ""


@dataclass(slots=True)
class EntityClass:
    """A class of entities. `Definitions.of` gives it with what those that it is based on have."""

    name: str
    kind: str
    """What it is: "point", "solid", "base", "npc", ..."""
    help: str = ""
    bases: list[str] = field(default_factory=list)
    """The names of those that it has the keys of, too."""
    helpers: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """What editors draw ("size", "iconsprite", "studio"), each with its arguments."""
    keys: dict[str, Key] = field(default_factory=dict)
    """Its own, by their names in small letters; so are inputs and outputs."""
    inputs: dict[str, Message] = field(default_factory=dict)
    outputs: dict[str, Message] = field(default_factory=dict)

    def helper(self, name: str) -> tuple[str, ...] | None:
        """The arguments of a helper; None for a class that hasn't it."""
        return next((arguments for each, arguments in self.helpers if each == name), None)


@dataclass(slots=True)
class Definitions:
    """What files of definitions say."""

    classes: dict[str, EntityClass] = field(default_factory=dict)
    """By their names in small letters; of those that are defined several times the last."""
    missing: list[str] = field(default_factory=list)
    """Names of included files that weren't there."""
    errors: list[FormatError] = field(default_factory=list)
    """Why definitions can't be read, or not to their ends."""
    _whole: dict[str, EntityClass] = field(default_factory=dict, repr=False)

    def of(self, classname: str) -> EntityClass | None:
        """A class with all that its bases have; its own wins over theirs, and later bases over earlier ones."""
        folded = classname.lower()
        if folded not in self._whole and folded in self.classes:
            self._whole[folded] = self._inherited(self.classes[folded])
        return self._whole.get(folded)

    def _inherited(self, made: EntityClass) -> EntityClass:
        whole = EntityClass(made.name, made.kind, made.help, made.bases)
        for each in self._line(made, (), set()):
            whole.helpers = [*each.helpers, *whole.helpers]
            whole.keys |= each.keys
            whole.inputs |= each.inputs
            whole.outputs |= each.outputs
        return whole

    def _line(self, made: EntityClass, path: tuple[str, ...], seen: set[str]) -> Iterator[EntityClass]:
        """The class behind its bases, each once, and of bases that go round in circles the first."""
        name = made.name.lower()
        if name in seen or name in path or len(path) >= _DEEPEST_BASES:
            return
        for base in made.bases:
            found = self.classes.get(base.lower())
            if found is not None:
                yield from self._line(found, (*path, name), seen)
        seen.add(name)
        yield made


def _missing(_name: str) -> None:
    return None


def read(data: bytes, include: Callable[[str], bytes | None] = _missing) -> Definitions:
    """Read a game definition. include: gives the bytes of a file that it includes ("base.fgd"), None where missing.

    Bytes are UTF-8 or Latin-1. Raises FormatError where no class can be read at all.
    """
    made = Definitions()
    _read(data, made, include, set())
    if made.errors and not made.classes:
        raise made.errors[0]
    return made


def _read(
    data: bytes, made: Definitions, include: Callable[[str], bytes | None], files: set[str], name: str = ""
) -> None:
    tokens = _Tokens(data)
    while True:
        try:
            if not _read_one(tokens, made, include, files):
                return
        except FormatError as error:
            made.errors.append(error.in_file(name) if name else error)
            tokens.skip_definition()


def _read_one(tokens: "_Tokens", made: Definitions, include: Callable[[str], bytes | None], files: set[str]) -> bool:
    """Read one definition; False at the end. Raises FormatError: of a class then counts what stood before."""
    token = tokens.next()
    if token is None:
        return False
    if tokens.quoted or not token.startswith("@"):
        raise tokens.error(f"{token!r}: a definition begins with @")
    word = token[1:].lower()
    if word == "include":
        name = tokens.text("name of a file")
        if name.lower() not in files:
            files.add(name.lower())
            found = include(name) if len(files) <= _MOST_FILES else None
            if found is None:
                made.missing.append(name)
            else:
                _read(found, made, include, files, name)
    elif word.endswith("class"):
        one = EntityClass("", word.removesuffix("class"))
        try:
            _class(tokens, one)
        finally:
            old = made.classes.get(one.name.lower()) if one.kind in _MORE else None
            if one.name:
                made.classes[one.name.lower()] = one if old is None else _extended(old, one)
    else:
        tokens.skip_definition()
    return True


def _extended(old: EntityClass, more: EntityClass) -> EntityClass:
    return EntityClass(
        old.name,
        old.kind,
        more.help or old.help,
        [*old.bases, *more.bases],
        [*old.helpers, *more.helpers],
        old.keys | more.keys,
        old.inputs | more.inputs,
        old.outputs | more.outputs,
    )


def _class(tokens: "_Tokens", made: EntityClass) -> None:
    """Read a class behind the word that says its kind."""
    while tokens.peek() != "=":
        helper = tokens.text("helper").lower()
        arguments = tuple(tokens.arguments()) if tokens.peek() == "(" else ()
        if helper == "base":
            made.bases += arguments
        else:
            made.helpers.append((helper, arguments))
    tokens.expect("=")
    made.name = tokens.text("name of a class")
    if tokens.take(":") or tokens.peek() == "":  # colons are forgotten in games' own files
        made.help = tokens.string()
    if not tokens.take("["):
        return
    while not tokens.take("]"):
        word = tokens.text("key")
        if word.lower() in ("input", "output") and tokens.peek() not in ("(", None):
            name, form = tokens.text("name"), tokens.arguments()
            message = Message(
                name, " ".join(form).lower(), tokens.string() if tokens.take(":") or tokens.peek() == "" else ""
            )
            (made.inputs if word.lower() == "input" else made.outputs)[name.lower()] = message
        else:
            key = _key(tokens, word)
            made.keys[key.name.lower()] = key


def _key(tokens: "_Tokens", name: str) -> Key:
    kind = " ".join(tokens.arguments()).lower().lstrip("*")
    readonly = False
    while (word := (tokens.peek() or "").lower()) in ("readonly", "report"):
        readonly |= word == "readonly"
        tokens.next()
    parts = []
    while tokens.take(":") or tokens.peek() == "":
        parts.append("" if tokens.peek() == ":" else tokens.string())
    choices: tuple[Choice, ...] = ()
    if tokens.take("="):
        choices = tuple(_choices(tokens))
    title, default, text = (*parts, "", "", "")[:3]
    return Key(name, kind, title, default, text, choices, readonly)


def _choices(tokens: "_Tokens") -> Iterator[Choice]:
    tokens.expect("[")
    while not tokens.take("]"):
        value = tokens.text("value")
        parts = []
        while tokens.take(":"):
            parts.append("" if tokens.peek() == ":" else tokens.string())
        title, default = (*parts, "", "")[:2]
        yield Choice(value, title, default == "1")


class _Tokens:
    """Words, texts and marks of a file, one after the other. quoted: whether the last one was."""

    def __init__(self, data: bytes) -> None:
        try:
            self._text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._text = data.decode("latin-1")
        self._place = self._start = 0
        self._ahead: tuple[str, bool, int] | None = None
        self.quoted = False

    def error(self, message: str) -> FormatError:
        line = self._text.count("\n", 0, self._start) + 1
        return FormatError(message, f"game definition, line {line}")

    def _read(self) -> tuple[str, bool, int] | None:
        while match := _TOKEN.match(self._text, self._place):
            self._place = match.end()
            if (quoted := match["quoted"]) is not None:
                return quoted, True, match.start("quoted")
            if token := match["mark"] or match["bare"]:
                return token, False, match.start(match.lastgroup or 0)
        return None

    def peek(self) -> str | None:
        """The next token if it is no quoted text; "" for one that is, None at the end."""
        if self._ahead is None:
            self._ahead = self._read()
        return None if self._ahead is None else "" if self._ahead[1] else self._ahead[0]

    def next(self) -> str | None:
        """The next token; None at the end."""
        self.peek()
        if self._ahead is None:
            self._start = len(self._text)
            return None
        token, self.quoted, self._start = self._ahead
        self._ahead = None
        return token

    def take(self, mark: str) -> bool:
        """Whether the next token is this mark, which is passed then."""
        if self.peek() != mark:
            return False
        self.next()
        return True

    def expect(self, mark: str) -> None:
        """Pass this mark. Raises FormatError for another token, which comes next then."""
        if not self.take(mark):
            raise self._other_than(mark)

    def text(self, what: str) -> str:
        """A word, or a text in quotation marks. Raises FormatError for another token, which comes next then."""
        token = self.peek()
        if token is None or token in _MARKS or token.startswith("@"):
            raise self._other_than(f"a {what}")
        return self.next() or ""

    def _other_than(self, wanted: str) -> FormatError:
        self._start = len(self._text) if self._ahead is None else self._ahead[2]
        found = "the end" if self._ahead is None else repr(self._ahead[0])
        return self.error(f"{found}, where {wanted} was expected")

    def string(self) -> str:
        """A text of pieces that are joined by +, or a word (a number, maybe)."""
        parts = [self.text("text")]
        while self.take("+"):
            parts.append(self.text("text"))
        return "".join(parts).replace("\\n", "\n")

    def arguments(self) -> list[str]:
        """What stands in parentheses: its pieces between commas, each of words with a blank between them."""
        self.expect("(")
        pieces: list[list[str]] = [[]]
        while not self.take(")"):
            if self.take(","):
                pieces.append([])
                continue
            pieces[-1].append(self.next() or "" if self.peek() in _MARKS else self.text("word or )"))
        return [" ".join(piece) for piece in pieces if piece]

    def skip_definition(self) -> None:
        """Pass what no reader of entities needs (@mapsize, @materialexclusion, @autovisgroup): up to the next @."""
        while (ahead := self.peek()) is not None and not ahead.startswith("@"):
            self.next()
