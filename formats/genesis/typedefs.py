# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of entities: what fields a class has (genesis.md §1.10).

A `.map` carries a definition for each class as an entity of its own; the engine makes its structs from them. A class
without one is invisible to the game, and a key that its class does not define makes the load of the whole level fail.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..binary import FormatError
from .entities import CLASSNAME, ORIGIN, TYPEDEF, Entity, KeyValues

TYPE_NAME, DEFAULT = "%typename%", "%defaultvalue%"
NULL = "<null>"  # a reference to nothing

BASIC = ("int", "float", "color", "point", "string", "model", "ptr")  # any other type is a class that a field names

Value = int | float | str | tuple[int | float, ...]
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(slots=True)
class Field:
    """A field of a class. All but name and type come from the game's headers: files of levels do not say."""

    name: str
    type: str  # one of BASIC, or the class of the entity that it names
    default: str = ""
    documentation: str = ""
    boolean: bool = False  # an int that is 0 or 1
    published: bool = True  # whether the editor shows it


@dataclass(slots=True)
class TypeDef:
    """A class of entities."""

    name: str
    fields: list[Field] = field(default_factory=list)
    icon: str = ""
    # The fields that the editor draws: where it is, which way it looks (degrees), how wide (degrees), how far.
    origin: str = ""
    angles: str = ""
    arc: str = ""
    radius: str = ""

    def field(self, name: str) -> Field | None:
        """The field of a name; as in the engine, case does not count."""
        return next((each for each in self.fields if each.name.lower() == name.lower()), None)

    def find_place(self) -> None:
        """Take a point called origin, in whatever case, for the place: definitions in levels don't say which it is."""
        each = self.field(ORIGIN)
        if each is not None and each.type == "point":
            self.origin = each.name

    def spell(self, entity: KeyValues, keys: Iterable[str] | None = None) -> None:
        """Spell an entity's keys (or just these, whatever their case) as this class declares them.

        The editor finds a key whatever its case, but writes to a `.map` only those that are spelled so. A key stays
        where another pair has that spelling already.
        """
        chosen = None if keys is None else {key.lower() for key in keys}
        taken = set(entity.keys())
        for number, (key, value) in enumerate(entity.pairs):
            each = self.field(key) if chosen is None or key.lower() in chosen else None
            if each is not None and each.name not in taken:
                entity.pairs[number] = (each.name, value)
                taken.add(each.name)

    def entity(self) -> Entity:
        """The definition as an entity of a `.map`; the editor leaves all defaults empty."""
        pairs = [(CLASSNAME, TYPEDEF), (TYPE_NAME, self.name)]
        for each in self.fields:
            pairs += [(each.name, each.type), (DEFAULT, "")]
        return Entity(pairs)


def from_entity(entity: Entity) -> TypeDef:
    """The class that an entity defines. Raises FormatError if its pairs are not a definition's."""
    name = entity.get(TYPE_NAME)
    if name is None or [key.lower() for key in list(entity.keys())[:2]] != [CLASSNAME, TYPE_NAME]:
        raise FormatError("does not begin with classname and %typename%", "definition of a class")
    result = TypeDef(name)
    rest = entity.pairs[2:]
    for (key, kind), (label, default) in zip(rest[::2], rest[1::2], strict=False):
        if label.lower() != DEFAULT:
            raise FormatError(f"{label!r} stands where {DEFAULT} should", f"definition of {name}")
        result.fields.append(Field(key, kind, default))
    if len(rest) % 2:
        raise FormatError(f"{rest[-1][0]!r} has no {DEFAULT}", f"definition of {name}")
    result.find_place()
    return result


def read(entities: Iterable[Entity]) -> dict[str, TypeDef]:
    """The classes that entities define, by name in lower case; of several of a name the first. Raises FormatError."""
    result: dict[str, TypeDef] = {}
    for entity in entities:
        if entity.is_typedef:
            made = from_entity(entity)
            result.setdefault(made.name.lower(), made)
    return result


def seen(entities: Iterable[KeyValues]) -> dict[str, TypeDef]:
    """The classes that entities are of, by name in lower case, as far as the entities tell: what their keys are called.

    For a level without definitions (a `.3dt`): all fields are strings, and `origin` is the place, if there is such one.
    """
    result: dict[str, TypeDef] = {}
    for entity in entities:
        made = result.setdefault(entity.classname.lower(), TypeDef(entity.classname))
        known = {each.name.lower() for each in made.fields}
        for key, _ in entity.pairs:
            if key.lower() not in known and key != CLASSNAME and not key.startswith("%"):
                known.add(key.lower())
                made.fields.append(Field(key, "string"))
                made.origin = key if key.lower() == ORIGIN else made.origin
    return result


def parse(kind: str, text: str) -> Value:
    """A value of a field's type: int, float, three numbers for colors (0-255) and points, else the text.

    Raises FormatError. Numbers may stand before other text, as for the engine's sscanf.
    """
    if kind in ("color", "point"):
        words = text.split()
        if len(words) < 3 or not all(_NUMBER.fullmatch(word) for word in words[:3]):
            raise FormatError(f"{text!r} is not three numbers", f"a {kind}")
        return tuple(_number(word) for word in words[:3])
    if kind in ("int", "float"):
        found = _NUMBER.match(text.strip())
        if not found:
            raise FormatError(f"{text!r} is not a number", f"a {kind}")
        return int(_number(found.group())) if kind == "int" else float(found.group())
    return text


def _number(text: str) -> int | float:
    number = float(text)
    if abs(number) > 3.4e38:
        raise FormatError(f"{text!r} is beyond the largest float", "a number")
    return int(number) if number.is_integer() and "." not in text and "e" not in text.lower() else number


def text_of(value: Value) -> str:
    """A value as the editor writes it: whole numbers without a point, others as short as they can be told."""
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, tuple) else (value,)
    return " ".join(_number_text(number) for number in numbers)


def _number_text(number: float) -> str:
    if isinstance(number, int) or (float(number).is_integer() and abs(number) < 1e9):
        return str(int(number))
    return f"{number:.6f}".rstrip("0").rstrip(".")


def values(entity: Entity, definition: TypeDef) -> dict[str, Value]:
    """The entity's values for the fields of its class, in the class's order; text where a value is not of its type."""
    result: dict[str, Value] = {}
    for each in definition.fields:
        text = entity.get(each.name)
        if text is None:
            continue
        try:
            result[each.name] = parse(each.type, text)
        except FormatError:
            result[each.name] = text
    return result


def assign(entity: Entity, definition: TypeDef, name: str, value: Value) -> None:
    """Give a field a value; its text stays if it says the same already. Raises KeyError for a field there is not."""
    each = definition.field(name)
    if each is None:
        raise KeyError(name)
    text = entity.get(name)
    if text is not None:
        try:
            if parse(each.type, text) == value:
                return
        except FormatError:
            pass
    entity.set(each.name if text is None else name, text_of(value))


def _builtins() -> tuple[TypeDef, ...]:
    origin, angles = Field("origin", "point"), Field("angles", "point", "0 0 0")
    color, style = Field("color", "color"), Field("style", "int")
    light = Field("light", "int", "150")
    return (
        TypeDef("light", [light, color, style, origin], origin="origin"),
        TypeDef(
            "spotlight",
            [Field("DummyRadius", "int", "150", published=False), light, color, style, origin, angles,
             Field("arc", "int", "45")],
            origin="origin", angles="angles", arc="arc", radius="DummyRadius",
        ),
        TypeDef("ModelOrigin", [Field("origin", "point", published=False)], origin="origin"),
        TypeDef(
            "Camera",
            [Field("origin", "point", published=False), Field("angles", "point", "180 0 0", published=False)],
            origin="origin", angles="angles",
        ),
    )  # fmt: skip


BUILTIN = _builtins()  # the editor's own classes, in the order it declares them in

PLAYER_START = TypeDef("PlayerStart", [Field("Origin", "point")], origin="Origin")
"""Where players begin, as the headers of the engine's own games declare it (Genvs.h): for levels that are begun."""


def entities(types: Iterable[TypeDef]) -> list[Entity]:
    """Definitions for a `.map`, last declared first, as the editor writes them; `types` in the order of declaration."""
    return [each.entity() for each in reversed(list(types))]
