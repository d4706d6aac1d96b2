# SPDX-License-Identifier: GPL-3.0-or-later
"""`.tng` files: the things of a level, in sections of which quests switch some (fable.md §5).

Positions are the map's own, as those of its height cells; z is up. Whatever a thing has is in its `block`: statements,
and a block for each of its components (CTC).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..binary import Buffer
from . import text
from .records import UID_BASE
from .text import BlockView, Document, Statement, StatementBlock, set_number

Vector = tuple[float, float, float]

SECTION, THING, COMPONENT = "XXXSectionStart", "NewThing", "StartCTC"
_ENDS = {SECTION: "XXXSectionEnd", THING: "EndThing"}
MOST_SECTIONS, MOST_THINGS, MOST_STATEMENTS = 1_000, 20_000, 2_000
"""What is read of a file, and of a thing: what shows them takes the square of their number (known: 5, 874 and 183)."""
_UID_DIGITS = 40  # twice as many as 64 bits have: Python refuses to make numbers of thousands
_AXES = ("X", "Y", "Z")
_PLACE, _FORWARD, _UP, _INITIAL = "Position", "RHSetForward", "RHSetUp", "InitialPos"


class Thing(BlockView):
    """A view of a thing's block; setting what it has already changes no character."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """Marker, Object, Thing, AICreature, Building, Village, TrackNode..."""
        return self.block.opening.value

    @property
    def uid(self) -> int | None:
        """Names the thing everywhere; None where none is readable."""
        value = self.block.get("UID") or ""
        return int(value) if value.isascii() and value.isdigit() and len(value) <= _UID_DIGITS else None

    @uid.setter
    def uid(self, uid: int) -> None:
        self.block.set("UID", str(uid))

    @property
    def door_key(self) -> int | None:
        """What navigation calls this thing by, if it is a door."""
        return None if self.uid is None or self.uid < UID_BASE else self.uid - UID_BASE

    @property
    def definition_type(self) -> str | None:
        """Its class in the game: "MARKER_BASIC"."""
        return self.block.get("DefinitionType")

    @definition_type.setter
    def definition_type(self, name: str) -> None:
        self.block.set("DefinitionType", name)

    @property
    def script_name(self) -> str | None:
        """What scripts call it; "NULL" for nothing."""
        return self.block.get("ScriptName")

    @script_name.setter
    def script_name(self, name: str) -> None:
        self.block.set("ScriptName", name)

    @property
    def components(self) -> dict[str, StatementBlock]:
        """Its components by name ("CTCEditor"); of several of a name, the first."""
        found: dict[str, StatementBlock] = {}
        for block in self.block.blocks():
            found.setdefault(block.opening.key.removeprefix("Start"), block)
        return found

    @property
    def body(self) -> StatementBlock | None:
        """The component that holds its place: "CTCPhysicsStandard", "CTCPhysicsNavigator"..."""
        return next((block for block in self.block.blocks() if block.find("PositionX") is not None), None)

    @property
    def position(self) -> Vector | None:
        """On the map, in its units."""
        return self._vector(_PLACE)

    @position.setter
    def position(self, value: Vector) -> None:
        self._set_vector(_PLACE, value)

    @property
    def forward(self) -> Vector | None:
        """Where its front points to."""
        return self._vector(_FORWARD)

    @forward.setter
    def forward(self, value: Vector) -> None:
        self._set_vector(_FORWARD, value)

    @property
    def up(self) -> Vector | None:
        """Where its top points to."""
        return self._vector(_UP)

    @up.setter
    def up(self, value: Vector) -> None:
        self._set_vector(_UP, value)

    @property
    def initial_position(self) -> Vector | None:
        """Where a creature starts, in the world: its place plus the origin of the map. None for things without one."""
        return _vector(self.block, _INITIAL)

    @initial_position.setter
    def initial_position(self, value: Vector) -> None:
        _set_vector(self.block, _INITIAL, value)

    def move_to(self, position: Vector) -> None:
        """Set the place, and move where a creature starts along with it. Raises ValueError for things without one."""
        before, initial = self.position, self.initial_position
        self.position = position
        if before is not None and initial is not None:
            x, y, z = (start + (to - at) for start, to, at in zip(initial, position, before, strict=True))
            self.initial_position = (x, y, z)

    def _vector(self, name: str) -> Vector | None:
        return None if self.body is None else _vector(self.body, name)

    def _set_vector(self, name: str, value: Vector) -> None:
        body = self.body
        if body is None:
            raise ValueError(f"{self.kind} {self.uid} has no place")
        _set_vector(body, name, value)


class ThingSection(BlockView):
    """Things that come and go together: "NULL" is always there, others are named after a quest."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """A quest, or "NULL"; navigation has sections of the same names."""
        return self.block.opening.value

    @property
    def things(self) -> list[Thing]:
        """Its things, in order: views, made anew each time."""
        return [Thing(block) for block in self.block.blocks(THING)]

    def add(self, thing: Thing) -> None:
        """Put a thing behind the others."""
        self.block.entries.append(thing.block)

    def remove(self, thing: Thing) -> None:
        """Take a thing out. Raises ValueError if it is not here."""
        self.block.entries.remove(thing.block)


@dataclass(slots=True, eq=False)
class Things:
    """A `.tng` file."""

    document: Document

    @property
    def version(self) -> str | None:
        """Of the file: "2" in every known one."""
        found = (e for e in self.document.entries if isinstance(e, Statement) and e.key == "Version")
        return next((statement.value for statement in found), None)

    @property
    def sections(self) -> list[ThingSection]:
        """Its sections, in order."""
        blocks = (e for e in self.document.entries if isinstance(e, StatementBlock))
        return [ThingSection(block) for block in blocks if block.opening.key == SECTION]

    def __iter__(self) -> Iterator[Thing]:
        """Every thing of every section."""
        return (thing for section in self.sections for thing in section.things)

    def by_uid(self) -> dict[int, Thing]:
        """Things by their UID; of several with one, the last."""
        return {thing.uid: thing for thing in self if thing.uid is not None}


def read(data: Buffer) -> Things:
    """Read a `.tng`. Raises FormatError, also for more of everything than it is meant to hold (see `MOST_THINGS`)."""
    things = Things(text.parse(data, _closing))
    sections = things.sections
    text.at_most(MOST_SECTIONS, "sections of things", "known files have 5", len(sections))
    found = [thing for section in sections for thing in section.things]
    text.at_most(MOST_THINGS, "things", "known files have 874", len(found))
    for number, thing in enumerate(found):
        text.at_most(MOST_STATEMENTS, f"statements of thing {number}", "known things have 183", thing.block.size())
    return things


def contents(data: Buffer) -> dict[str, object]:
    """Return everything in a file, by sections and things: values under their keys. Raises FormatError."""
    things = read(data)
    sections = [
        {"name": section.name, "things": [_values(thing.block) for thing in section.things]}
        for section in things.sections
    ]
    return {"version": things.version, "sections": sections}


def _values(block: StatementBlock) -> dict[str, object]:
    """What a block holds: of several statements of a key, and of several blocks of a name, a list."""
    found: dict[str, list[object]] = {"type": [block.get("DefinitionType") or block.opening.value]}
    for entry in block.entries:
        if isinstance(entry, StatementBlock):
            found.setdefault(entry.opening.key, []).append(_values(entry))
        else:
            found.setdefault(entry.key, []).append(entry.value)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def write(things: Things) -> bytes:
    """Return the file's bytes: what nobody changed comes out as it came in."""
    return text.unparse(things.document)


def new_thing(
    kind: str, uid: int, definition_type: str, position: Vector, newline: str = "\n", component: str = "PhysicsStandard"
) -> Thing:
    """A thing with what every thing has, looking along +y."""
    ctc = f"CTC{component}"
    body = StatementBlock(_line(f"Start{ctc}", "", newline), closing=_line(f"End{ctc}", "", newline))
    for name, vector in ((_PLACE, position), (_FORWARD, (0.0, 1.0, 0.0)), (_UP, (0.0, 0.0, 1.0))):
        body.entries += [_line(name + axis, text.decimal(v), newline) for axis, v in zip(_AXES, vector, strict=True)]
    block = StatementBlock(_line(THING, kind, newline * 2), closing=_line("EndThing", "", newline))
    head = {
        "Player": "4", "UID": str(uid), "DefinitionType": f'"{definition_type}"', "ScriptName": "NULL",
        "ScriptData": '"NULL"', "ThingGamePersistent": "FALSE", "ThingLevelPersistent": "FALSE",
    }  # fmt: skip
    block.entries += [_line(key, value, newline) for key, value in head.items()]
    editor = StatementBlock(_line("StartCTCEditor", "", newline), closing=_line("EndCTCEditor", "", newline))
    block.entries += [body, editor]
    return Thing(block)


def _vector(block: StatementBlock, name: str) -> Vector | None:
    x, y, z = (text.number(block.get(name + axis)) for axis in _AXES)
    return None if x is None or y is None or z is None else (x, y, z)


def _set_vector(block: StatementBlock, name: str, value: Vector) -> None:
    """Change the components that differ."""
    for axis, part in zip(_AXES, value, strict=True):
        set_number(block, name + axis, part)


def _line(key: str, value: str, before: str) -> Statement:
    return Statement(key, value, before, " " if value else "")


def _closing(key: str) -> str | None:
    """The key that closes what this one opens; None if it opens nothing, "" if it closes something."""
    if key in _ENDS:
        return _ENDS[key]
    if key.startswith(COMPONENT):
        return "End" + key.removeprefix("Start")
    return "" if key in _ENDS.values() or key.startswith("EndCTC") else None
