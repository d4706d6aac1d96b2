# SPDX-License-Identifier: GPL-3.0-or-later
"""The entity lump: text of keys and values (source.md "Entity", source.md §2.10).

Keys repeat (outputs do) and their order counts. An entity that nobody changed keeps its very bytes, blanks included.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...binary import Buffer, FormatError

WHAT = "lump 0 (ENTITIES)"
CLASSNAME, TARGETNAME, MODEL, ORIGIN, ANGLES = "classname", "targetname", "model", "origin", "angles"
SEPARATOR, OLD_SEPARATOR = "\x1b", ","  # of an output's fields; older games have commas

# Bloodlines has quotation marks in values, with a backslash; elsewhere a backslash may be the last of a value.
_KEY = r'[^"]*+'
_VALUE = r'[^"\\]*+(?:(?:\\(?!")|\\(?="[ \t]*+(?:\r?\n|\}|\Z))|\\")[^"\\]*+)*+'
_PAIR = re.compile(rf'"({_KEY})"\s*+"({_VALUE})"', re.ASCII)
_ENTITY = re.compile(rf'\{{((?:\s*+"{_KEY}"\s*+"{_VALUE}")*+)\s*+\}}', re.ASCII)
# What the engine reads, too, but no compiler writes: comments, words without quotation marks.
_SKIPPED = r"(?:[\x01-\x20]|//[^\n\0]*+)*+"
_WORD = r"[^\x00-\x20{}()',\"]++"
_LOOSE_PAIR = re.compile(rf'{_SKIPPED}(?:"({_KEY})"|({_WORD})){_SKIPPED}(?:"({_VALUE})"|({_WORD}))')
_LOOSE_ENTITY = re.compile(rf'\{{((?:{_SKIPPED}(?:"{_KEY}"|{_WORD}){_SKIPPED}(?:"{_VALUE}"|{_WORD}))*+){_SKIPPED}\}}')
_GAP, _LOOSE_GAP = re.compile(r"[ \t\r\n]*+"), re.compile(_SKIPPED)  # between entities
_BEGIN = re.compile(r"(?<=\n)\{")
_QUOTED = re.compile(r'(?<!\\)"')
_NUL = "\0"
_BYTES = "latin-1"  # text of which each character is a byte: what the patterns are for
_END = b"\0"


@dataclass(frozen=True, slots=True)
class Output:
    """What an entity does when something happens: `parameter`, `delay`, `times` as they stand there, maybe empty.

    `more`: further fields, as those of Bloodlines: Python code, and one that is always empty.
    """

    name: str  # the key: "OnTrigger"
    target: str
    input: str
    parameter: str = ""
    delay: str = "0"
    times: str = "-1"  # how often at most; -1: always
    more: tuple[str, ...] = ()
    separator: str = SEPARATOR

    @property
    def value(self) -> str:
        """The value of the pair."""
        return self.separator.join((self.target, self.input, self.parameter, self.delay, self.times, *self.more))

    @classmethod
    def of_pair(cls, key: str, value: str) -> "Output | None":
        """Take a pair apart; None if it is no output."""
        separator = SEPARATOR if SEPARATOR in value else OLD_SEPARATOR
        fields = value.split(separator)
        if len(fields) < 5:
            return None
        target, name, *rest = fields
        if _is_number(rest[-2]) and _is_number(rest[-1]):  # the parameter may have separators in it
            return cls(key, target, name, separator.join(rest[:-2]), rest[-2], rest[-1], (), separator)
        if len(fields) == 7 and _is_number(rest[1]) and _is_number(rest[2]):
            return cls(key, target, name, rest[0], rest[1], rest[2], tuple(rest[3:]), separator)
        return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(slots=True, eq=False)
class Entity:
    """`pairs` of key and value, which may be changed freely. Case does not count in keys."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    _read: tuple[tuple[str, str], ...] | None = field(default=None, repr=False)
    _raw: bytes = field(default=b"", repr=False)
    _behind: bytes = field(default=b"", repr=False)  # up to the next one, where that is no blanks: see `salvage`

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value of a key; of several the last, which is the one that stays in the game."""
        folded = key.lower()
        for own, value in reversed(self.pairs):
            if own.lower() == folded:
                return value
        return default

    def set(self, key: str, value: str) -> None:
        """Give a key another value where it stands, or append the pair."""
        found = self._find(key)
        if found is None:
            self.pairs.append((key, value))
        else:
            self.pairs[found] = (self.pairs[found][0], value)

    def remove(self, key: str) -> None:
        """Remove all pairs of a key."""
        folded = key.lower()
        self.pairs = [pair for pair in self.pairs if pair[0].lower() != folded]

    def _find(self, key: str) -> int | None:
        folded = key.lower()
        numbers = range(len(self.pairs) - 1, -1, -1)
        return next((number for number in numbers if self.pairs[number][0].lower() == folded), None)

    def __contains__(self, key: str) -> bool:
        return self._find(key) is not None

    @property
    def classname(self) -> str:
        """The class; empty if there is none."""
        return self.get(CLASSNAME) or ""

    @property
    def targetname(self) -> str:
        """The name that outputs of others refer to."""
        return self.get(TARGETNAME) or ""

    @property
    def model(self) -> int | None:
        """The number of its brush model ("*12"); None if it has none."""
        return brush_model(self.get(MODEL) or "")

    @property
    def origin(self) -> tuple[float, float, float] | None:
        """Its place; None if it has none or that is no place."""
        return vector(self.get(ORIGIN))

    @property
    def angles(self) -> tuple[float, float, float] | None:
        """Pitch, yaw and roll in degrees; None if there are none."""
        return vector(self.get(ANGLES))

    @property
    def outputs(self) -> list[Output]:
        """Its outputs, in order."""
        found = (Output.of_pair(*pair) for pair in self.pairs if SEPARATOR in pair[1] or OLD_SEPARATOR in pair[1])
        return [output for output in found if output is not None]

    def __repr__(self) -> str:
        return f"<Entity {self.classname!r} {self.targetname!r}: {len(self.pairs)} pairs>"


def brush_model(text: str) -> int | None:
    """The number of a brush model that a value names ("*12"); None if it is something else."""
    return int(text[1:]) if re.fullmatch(r"\*[0-9]{1,9}", text, re.ASCII) else None


def vector(text: str | None) -> tuple[float, float, float] | None:
    """Three numbers of a value like "0 90 0"; None if it is something else."""
    try:
        x, y, z = (text or "").split()
        return float(x), float(y), float(z)
    except ValueError:
        return None


class Entities(list[Entity]):
    """All entities of a map, in order; the first is the world. A list that may be changed freely.

    `encoding`: UTF-8 if the lump's bytes are, else Latin-1, which each byte is a character of.
    """

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        super().__init__(entities)
        self.encoding = "utf-8"
        self.head = b""  # before the first entity
        self.tail = _END  # behind the last one
        self.unread: FormatError | None = None  # of `salvage`: the first of what is no entity
        self._original = b""

    @classmethod
    def decode(cls, data: Buffer) -> "Entities":
        """Read the lump's bytes. Raises FormatError."""
        text, loose = bytes(data).decode(_BYTES), False
        try:
            blocks = list(_blocks(text, _ENTITY, _GAP))
        except FormatError:
            loose = True
        if loose:
            blocks = list(_blocks(text, _LOOSE_ENTITY, _LOOSE_GAP))
        return cls._of_blocks(bytes(data), blocks, loose)

    @classmethod
    def salvage(cls, data: Buffer) -> "Entities":
        """Read those of the lump's entities that can be read, of damaged bytes; what stands between them is kept.

        Raises FormatError where there are none.
        """
        try:
            return cls.decode(data)
        except FormatError as error:
            blocks = list(_readable(bytes(data).decode(_BYTES)))
            if not blocks:
                raise
            entities = cls._of_blocks(bytes(data), blocks, False)
            entities.unread = error
        for entity, block in zip(entities, blocks, strict=True):
            behind = entity._raw[block.end() - block.start() :].lstrip(b"\r\n")
            entity._behind = behind if behind.strip() else b""
        return entities

    @classmethod
    def _of_blocks(cls, raw: bytes, blocks: list[re.Match[str]], loose: bool) -> "Entities":
        entities = cls()
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            entities.encoding = _BYTES
        starts = [block.start() for block in blocks]
        ends = [*starts[1:], len(raw)]
        if blocks:  # the line's end belongs to the last entity, the NUL does not
            rest = raw[blocks[-1].end() :]
            ends[-1] = blocks[-1].end() + len(rest) - len(rest.lstrip(b"\r\n"))
            entities.head = raw[: starts[0]]
        entities.tail = raw[ends[-1] if blocks else 0 :]
        for block, start, end in zip(blocks, starts, ends, strict=False):
            pairs = _pairs(block[1], entities.encoding, loose)
            entities.append(Entity(pairs, tuple(pairs), raw[start:end]))
        entities._original = raw
        return entities

    @property
    def changed(self) -> bool:
        """Whether `encode` would give other bytes than were decoded."""
        return self.encode() != self._original

    def encode(self) -> bytes:
        """The lump's bytes. Raises FormatError for texts that it cannot hold."""
        return b"".join((self.head, *(self._entity_bytes(entity) for entity in self), self.tail))

    def _entity_bytes(self, entity: Entity) -> bytes:
        pairs = tuple(entity.pairs)
        if pairs == entity._read:
            return entity._raw
        lines = [b"{\n"]
        for key, value in pairs:
            try:
                lines.append(f'"{key}" "{value}"\n'.encode(self.encoding))
            except UnicodeEncodeError as error:
                bad = error.object[error.start]
                raise FormatError(f"{key!r} {value!r}: {bad!r} cannot be written in {self.encoding}", WHAT) from None
        lines.append(b"}\n")
        text = b"".join(lines)
        block = _ENTITY.match(text.decode(_BYTES))
        if block is None or block.end() != len(text) - 1 or _pairs(block[1], self.encoding) != list(pairs):
            key, value = next((pair for pair in pairs if _QUOTED.search("".join(pair))), ("a key", "or its value"))
            raise FormatError(f"{entity.classname}: {key!r} {value!r} has a quotation mark, which ends it", WHAT)
        if b"\0" in text:
            key, value = next(pair for pair in pairs if "\0" in "".join(pair))
            raise FormatError(f"{entity.classname}: {key!r} {value!r} has a NUL, which ends the lump", WHAT)
        return text + entity._behind

    def of_class(self, *classnames: str) -> Iterator[Entity]:
        """The entities of some classes."""
        return (entity for entity in self if entity.classname in classnames)


def _blocks(text: str, entity: re.Pattern[str], gap: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Each entity's text, up to a NUL between them, behind which the engine doesn't look. Raises FormatError where
    something else stands between them.
    """
    offset = _behind(gap, text, 0)
    while block := entity.match(text, offset):
        yield block
        offset = _behind(gap, text, block.end())
    rest = text[offset:].split(_NUL, 1)[0]
    if rest:
        message = f"{rest[:32].encode(_BYTES)!r}: no entity that can be read"
        raise FormatError(message, WHAT, offset)


def _readable(text: str) -> Iterator[re.Match[str]]:
    """Each entity's text that can be read; what can't be is left out, up to the next one that begins a line."""
    begins = [_behind(_GAP, text, 0), *(begin.start() for begin in _BEGIN.finditer(text))]
    for offset, end in zip(begins, [*begins[1:], len(text)], strict=True):
        while block := _ENTITY.match(text, offset, end):
            yield block
            offset = min(_behind(_GAP, text, block.end()), end)


def _behind(gap: re.Pattern[str], text: str, offset: int) -> int:
    found = gap.match(text, offset)
    return offset if found is None else found.end()


def _pairs(block: str, encoding: str, loose: bool = False) -> list[tuple[str, str]]:
    """The pairs of an entity's text, in what the map's text is encoded in."""
    found: list[tuple[str, str]] = _PAIR.findall(block) if not loose else _loose_pairs(block)
    if encoding == _BYTES or block.isascii():
        return found
    return [(key.encode(_BYTES).decode(encoding), value.encode(_BYTES).decode(encoding)) for key, value in found]


def _loose_pairs(block: str) -> list[tuple[str, str]]:
    found = []
    for pair in _LOOSE_PAIR.finditer(block):
        quoted, word, value, other = pair.groups()
        found.append((word if quoted is None else quoted, other if value is None else value))
    return found
