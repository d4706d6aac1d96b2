# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of entities: the lump ENTITIES alone, so that client and server still agree on the map (source.md §2.10, §3).

What is put in is checked first: the level's entities may be changed without this, but then only `write` tells.
"""

from collections.abc import Collection, Mapping, Sequence

from ...binary import FormatError
from ..check import LONGEST_KEY, LONGEST_VALUE, most_entities
from ..entities.text import CLASSNAME, WHAT, Entities, Entity, Output
from ..level import Level
from ..lumps import LumpId

Pairs = Sequence[tuple[str, str]]
WORLD = "worldspawn"


def add(level: Level, pairs: Pairs, at: int | None = None) -> int:
    """Add an entity of `pairs` behind the others, or before number `at`; returns its number.

    Raises FormatError for pairs that the lump cannot hold or the engine would cut, a brush model that isn't there, an
    entity without a class, and one too many.
    """
    entities = level.entities
    place = len(entities) if at is None else at
    if not min(1, len(entities)) <= place <= len(entities):
        raise FormatError(f"no entity can stand at {place}: there are {len(entities)}, the first is the world", WHAT)
    if len(entities) == most_entities(level):  # a map that has more already is of a game that bears it
        raise FormatError(f"there are {len(entities)} entities, usual compilers allow no more", WHAT)
    entity = Entity(list(pairs))
    _check(level, Entity(), entity, f"entity {place}")
    entities.insert(place, entity)
    return place


def remove(level: Level, numbers: Collection[int]) -> None:
    """Remove entities; those behind move up. Raises FormatError for the world and for numbers that aren't there.

    The brush model of an entity that goes stays in the map, where nothing draws it.
    """
    for number in numbers:
        _entity(level, number)
    if 0 in numbers:
        raise FormatError("entity 0 is the world: it has to stay", WHAT)
    gone = set(numbers)
    level.entities[:] = [entity for number, entity in enumerate(level.entities) if number not in gone]


def set_pairs(level: Level, number: int, pairs: Pairs) -> None:
    """Give an entity other pairs. Raises FormatError as `add` does."""
    entity = _entity(level, number)
    changed = Entity(list(pairs))
    _check(level, entity, changed, f"entity {number}")
    if number == 0 and entity.classname == WORLD != changed.classname:
        raise FormatError(f"entity 0 is the world: its class has to be {WORLD}", WHAT)
    entity.pairs = changed.pairs


def set_keys(level: Level, number: int, keys: Mapping[str, str | None]) -> None:
    """Give some keys of an entity other values; None removes a key. Raises FormatError as `add` does."""
    changed = Entity(list(_entity(level, number).pairs))
    for key, value in keys.items():
        if value is None:
            changed.remove(key)
        else:
            changed.set(key, value)
    set_pairs(level, number, changed.pairs)


def set_outputs(level: Level, number: int, outputs: Sequence[Output]) -> None:
    """Give an entity other outputs, in the places of the old ones; the other pairs stay where they are.

    Raises FormatError as `add` does, and for an output whose fields would be read back as others.
    """
    old = _entity(level, number).pairs
    for output in outputs:
        if Output.of_pair(output.name, output.value) != output:
            raise FormatError(f"{output!r} would be read as something else", f"entity {number}")
    fresh = [(output.name, output.value) for output in outputs]
    slots = [place for place, pair in enumerate(old) if Output.of_pair(*pair) is not None]
    last = slots[-1] if slots else len(old) - 1
    made: list[tuple[str, str]] = []
    for place, pair in enumerate(old):
        if place not in slots:
            made.append(pair)
        elif fresh:
            made.append(fresh.pop(0))
        if place == last:
            made += fresh
            fresh = []
    set_pairs(level, number, made + fresh)


def _entity(level: Level, number: int) -> Entity:
    if not 0 <= number < len(level.entities):
        raise FormatError(f"entity {number} isn't there, there are {len(level.entities)}", WHAT)
    return level.entities[number]


def _check(level: Level, old: Entity, new: Entity, what: str) -> None:
    """Raise FormatError for what would be wrong with `new` and wasn't with `old`."""
    probe = Entities([new])
    probe.encoding = level.entities.encoding
    try:
        probe.encode()
    except FormatError as error:
        raise error.about(what) from None
    if not new.classname and (old.classname or not old.pairs):
        raise FormatError(f"has no {CLASSNAME}", what)
    for key, value in set(new.pairs) - set(old.pairs):
        if not key or (len(key) > LONGEST_KEY and _longest(level, key) < 0):
            raise FormatError(f"the key {key[:64]!r} is empty or longer than {LONGEST_KEY} characters", what)
        if len(value) > LONGEST_VALUE and len(value) > _longest(level, key):
            raise FormatError(f"the value of {key!r} is longer than {LONGEST_VALUE} characters", what)
    models = len(level.table(LumpId.MODELS))
    if new.model is not None and new.model != old.model and new.model >= models:
        raise FormatError(f"its model is *{new.model}, there are {models}", what)


def _longest(level: Level, key: str) -> int:
    """How many characters the longest value of a key has in the map: its game can read that. -1: it isn't there."""
    return max((len(value) for entity in level.entities for known, value in entity.pairs if known == key), default=-1)
