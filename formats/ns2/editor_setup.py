# SPDX-License-Identifier: GPL-3.0-or-later
"""`editor_setup.xml`: the classes of objects that the editor knows, with their parameters (ns2.md §10)."""

import math
from dataclasses import dataclass, field

from ..binary import Buffer, FormatError
from .markup import Element, parse
from .records import PropertyType

LONGEST = 1 << 24  # bytes that a file may have

#: What levels hold for parameters of each type: the property's type and its components.
TYPES: dict[str, tuple[PropertyType, int]] = {
    "real": (PropertyType.REAL, 1),
    "boolean": (PropertyType.BOOL, 1),
    "string": (PropertyType.STRING, 1),
    "distance": (PropertyType.DISTANCE, 1),
    "choice": (PropertyType.CHOICE, 1),
    "file": (PropertyType.FILE_NAME, 1),
    "color": (PropertyType.COLOR, 3),
    "vector": (PropertyType.REAL, 3),
    "integer": (PropertyType.INTEGER, 1),
    "angle": (PropertyType.ANGLE, 1),
    "percentage": (PropertyType.PERCENTAGE, 1),
    "time": (PropertyType.TIME, 1),
}
_TAGS = frozenset({"help", "parent", "parameter"})


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values of a parameter of the type choice."""

    label: str
    value: int
    help: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A property that objects of a class have. `default` is the text of the file; angles in it are degrees."""

    name: str
    type: str
    label: str = ""
    default: str = ""
    help: str = ""
    filter: str = ""  # of a file: "*.model", "sound"
    choices: tuple[Choice, ...] = ()

    @property
    def property_type(self) -> PropertyType | None:
        """The type of the property in levels; None for a type that isn't known."""
        return TYPES.get(self.type, (None, 0))[0]

    @property
    def components(self) -> int:
        """How many numbers the property has."""
        return TYPES.get(self.type, (None, 1))[1]

    @property
    def value(self) -> str | bool | int | tuple[float, ...]:
        """The default as a level holds it: metres, radians, 0 where the file says nothing that can be read."""
        kind = self.property_type
        if kind in (PropertyType.STRING, PropertyType.FILE_NAME, None):
            return self.default
        if kind == PropertyType.BOOL:
            return self.default.strip().lower() in ("true", "1", "yes")
        numbers = [_number(part) for part in self.default.split(",")]
        if kind in (PropertyType.INTEGER, PropertyType.CHOICE):
            return int(max(min(numbers[0], 2**31 - 1), -(2**31)))
        if kind == PropertyType.ANGLE:
            numbers = [math.radians(number) for number in numbers]
        if len(numbers) == 1:
            numbers *= self.components
        return tuple((numbers + [0.0] * self.components)[: self.components])


@dataclass(frozen=True, slots=True)
class Hint:
    """How the editor shows objects of a class: as a sphere, a model, a light...

    `values` by tag: the name of a parameter, or a value: sphere {radius: minFalloff}, model {file: models/x.model}.
    """

    kind: str
    values: dict[str, str]


@dataclass(slots=True, eq=False)
class EntityClass:
    """A class of objects: what it has itself, without what its parents have."""

    name: str
    label: str = ""
    help: str = ""
    placeable: bool = True
    parents: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    hints: tuple[Hint, ...] = ()


@dataclass(slots=True, eq=False)
class EditorSetup:
    """What a file says."""

    classes: dict[str, EntityClass] = field(default_factory=dict)
    """By name."""
    settings: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Other parts (hole_checker, ...) with what they list."""
    notes: list[str] = field(default_factory=list)
    """What isn't right."""

    def lineage(self, name: str) -> list[EntityClass]:
        """A class and all its parents, the nearest first, each once; empty for a class that isn't known."""
        found: dict[str, EntityClass] = {}
        waiting = [name]
        while waiting:
            name = waiting.pop(0)
            if name in self.classes and name not in found:
                found[name] = self.classes[name]
                waiting.extend(found[name].parents)
        return list(found.values())

    def parameters(self, name: str) -> dict[str, Parameter]:
        """The parameters of a class by name: its parents' first, replaced by its own of the same name."""
        return {p.name: p for entity in reversed(self.lineage(name)) for p in entity.parameters}

    def hints(self, name: str) -> list[Hint]:
        """How objects of a class are shown; hints of a kind that the class has itself come before its parents'."""
        return [hint for entity in self.lineage(name) for hint in entity.hints]


def read(data: Buffer) -> EditorSetup:
    """Read an `editor_setup.xml`. Raises FormatError for what is no such file."""
    raw = bytes(data)
    if len(raw) > LONGEST:
        raise FormatError(f"{len(raw)} bytes, files have no more than {LONGEST}", "editor_setup.xml")
    root = parse(raw, "editor_setup.xml")
    if root.tag not in ("editor", "classes"):
        raise FormatError(f"its root is {root.tag!r}, not 'editor' or 'classes'", "editor_setup.xml")
    setup = EditorSetup()
    for part in [root] if root.tag == "classes" else root.children:
        if part.tag != "classes":
            setup.settings.setdefault(part.tag, []).extend((child.tag, child.text) for child in part.children)
            continue
        for element in part.find("class"):
            entity = _class(element, setup.notes)
            if entity.name in setup.classes:
                setup.notes.append(f"line {element.line}: class {entity.name!r} is there twice; the last one counts")
            setup.classes[entity.name] = entity
    for entity in setup.classes.values():
        missing = [parent for parent in entity.parents if parent not in setup.classes]
        setup.notes.extend(f"class {entity.name!r}: there is no class {parent!r}, its parent" for parent in missing)
    return setup


def _class(element: Element, notes: list[str]) -> EntityClass:
    attributes = element.attributes
    name = attributes.get("name", "")
    if not name:
        notes.append(f"line {element.line}: a class without a name")
    return EntityClass(
        name,
        attributes.get("label", ""),
        attributes.get("help", "") or next((child.text for child in element.find("help")), ""),
        attributes.get("placeable", "true").lower() != "false",
        tuple(child.text for child in element.find("parent")),
        tuple(_parameter(child, name, notes) for child in element.find("parameter")),
        tuple(
            Hint(child.tag, {value.tag: value.text for value in child.children})
            for child in element.children
            if child.tag not in _TAGS
        ),
    )


def _parameter(element: Element, owner: str, notes: list[str]) -> Parameter:
    texts = {key: element.attributes.get(key, "") for key in ("name", "type", "label", "default", "help", "filter")}
    choices = []
    for choice in element.find("choice"):
        value = choice.attributes.get("value", choice.text)
        try:
            number = int(value)
        except ValueError:
            notes.append(f"line {choice.line}: {owner}.{texts['name']}: choice {value!r} isn't a number")
            continue
        choices.append(Choice(choice.attributes.get("label", value), number, choice.attributes.get("help", "")))
    if texts["type"] not in TYPES:
        notes.append(f"line {element.line}: {owner}.{texts['name']} has the unknown type {texts['type']!r}")
    return Parameter(**texts, choices=tuple(choices))


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0
