# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's own custom properties, set to another kind of value or deleted: no panel and no operator fails.

Those that an import writes, and those that operators leave behind, on every kind of data-block. `test_wrong_types` asks
the same of exports, and of all properties.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import pytest
from levelwright.addon import games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.blender_types import Value
from levelwright.addon.scene.fates.aspects import OURS
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report

from tests.addon import kept
from tests.addon.contract.registered import LEVELS
from tests.addon.contract.test_operators import (
    CHANGES_NOTHING,
    activate,
    idname,
    operator,
    own_operators,
)
from tests.addon.contract.test_operators import places as active_objects
from tests.addon.contract.test_wrong_types import WRONG, draw_panels

WAYS: dict[str, Callable[[], Value] | None] = {
    **{name: WRONG[name] for name in ("number", "text", "list", "group")},
    "two texts": lambda: ["a", "b"],
    "deleted": None,
}
QUICK, MORE = 4, 80
"""Of a sample's properties and ways, how many are tried in each run, and in slow ones."""
SLOW_OPERATORS = ("find_leaks", "select_hidden", "show_rooms", "bake")
"""In their names, of operators that take long and read what others do."""


class Made(NamedTuple):
    """A custom property, by the kind of data-blocks that have it, and what makes it."""

    kind: str
    key: str
    operator: Any
    """None: the import."""
    active: str
    """The object that is active then."""


def holders() -> Iterator[tuple[str, bpy.types.ID]]:
    """All data-blocks of the file, each with its kind."""
    for name in dir(bpy.data):
        table = getattr(bpy.data, name)
        if isinstance(table, bpy.types.bpy_prop_collection):
            yield from ((name, block) for block in table if isinstance(block, bpy.types.ID))


def keys() -> set[tuple[str, str]]:
    """The extension's own properties, by kind."""
    return {
        (kind, key)
        for kind, block in holders()
        for key in block.keys()  # noqa: SIM118 - a data-block, not a dict
        if key.startswith(OURS) and not properties.is_registered(block, key)
    }


def failure(cls: Any) -> str:
    """Run an operator: how it failed in Python, "" where it didn't."""
    try:
        if operator(cls).poll():
            operator(cls)("EXEC_DEFAULT", True)
    except RuntimeError as refused:
        return str(refused) if "Traceback" in str(refused) else ""
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def all_made(fresh: Callable[[], bpy.types.Collection], operators: list[Any]) -> list[Made]:
    """Every property, with what makes it first."""
    actives = [obj.name for obj in active_objects(fresh())]
    found = {each: Made(*each, None, actives[0]) for each in sorted(keys())}
    for cls in operators:
        for name in actives:
            fresh()
            activate(name, "OBJECT")
            failure(cls)
            for each in sorted(keys() - found.keys()):
                found[each] = Made(*each, cls, name)
    return list(found.values())


def spoil(made: Made, way: str) -> None:
    """Give all that have a property another value."""
    value = WAYS[way]
    for kind, block in list(holders()):
        if kind == made.kind and made.key in block.keys() and block.library is None:  # noqa: SIM118
            del block[made.key]
            if value is not None:
                block[made.key] = value()


@LEVELS
@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize("limit", [QUICK, pytest.param(MORE, marks=pytest.mark.slow)], ids=["some", "more"])
def test_own_properties_of_another_kind_fail_nowhere(game: Game, sample: Path, limit: int) -> None:
    def fresh() -> bpy.types.Collection:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        return kept.opened(b"wrong kept" + sample.read_bytes(), imported)

    def imported() -> bpy.types.Collection:
        (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
        return level

    others = tuple(f"levelwright.{each.key}_" for each in games.GAMES if each is not game)
    operators = [
        cls
        for cls in own_operators()
        if idname(cls).startswith("levelwright.") and not idname(cls).startswith(others)
        if idname(cls) not in CHANGES_NOTHING and not any(word in idname(cls) for word in SLOW_OPERATORS)
    ]
    made = all_made(fresh, [] if limit == QUICK else operators)
    tries = [(each, way) for each in made for way in WAYS]
    tries = random.Random(sample.name).sample(tries, min(limit, len(tries)))
    wrong = []
    for each, way in tries:
        fresh()
        activate(each.active, "OBJECT")
        if each.operator is not None:
            failure(each.operator)
        spoil(each, way)
        said = []
        try:
            draw_panels()
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            said.append(f"panels: {type(error).__name__}: {error}")
        for cls in operators:
            failed = failure(cls)
            said += [f"{idname(cls)}: {failed}"] * bool(failed)
            if not originals.levels():
                break
        wrong += [f"{each.kind} {each.key} = {way}: {one}" for one in said]
    assert wrong == []
