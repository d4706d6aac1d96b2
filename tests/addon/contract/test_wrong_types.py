# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties that somebody, or a script, gave another kind of value: an export says so by name, or does without.

Every property of every kind of data-block in the samples, the extension's own too, is set to a number, a text, a list,
a group and a data-block. No export and no panel raises anything but what users are told.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.blender_types import Value
from levelwright.addon.scene.fates import aspects
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.kept import identity, level_blocks
from levelwright.addon.scene.reports import FAILURES, Report, SceneError

from tests.addon.contract.registered import LEVELS

WRONG: dict[str, Callable[[], Value]] = {
    "number": lambda: 1.5,
    "text": lambda: "a text",
    "list": lambda: [1, 2, 3],
    "group": lambda: {"a": 1},
    "data-block": lambda: bpy.data.texts.new("another"),
}
QUICK = 6
"""Of a sample's properties and wrong values, how many are tried in each run."""


class Place(NamedTuple):
    """A custom property of a level."""

    kind: str
    block: bpy.types.ID
    key: str


def places(collection: bpy.types.Collection) -> Iterator[Place]:
    """Every property of every kind of data-block, each once."""
    seen: set[tuple[str, str]] = set()
    for found in level_blocks.blocks(collection):
        data = aspects.data_of(found.id_block)
        for kind, block in ((found.kind, found.id_block), (f"{found.kind}'s data", data)):
            for key in list(block.keys()) if block is not None else ():
                if (kind, key) not in seen and not properties.is_registered(block, key):
                    seen.add((kind, key))
                    yield Place(kind, block, key)


def kept(block: bpy.types.ID, key: str) -> Value:
    """A property's value in a form that it can be set to again."""
    value: Value = block[key]
    if hasattr(value, "to_dict"):
        return dict(value.items())
    return value.to_list() if hasattr(value, "to_list") else value


def put(block: bpy.types.ID, key: str, value: Value) -> None:
    del block[key]
    block[key] = value


class Drawn:
    """Stands in for a panel, and for whatever it draws into: nothing is drawn without a window."""

    def __init__(self, panel: Any = None) -> None:
        self._panel = panel

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._panel, name, None)
        if inspect.isfunction(found):
            return partial(found, self)
        return found if found is not None and name != "layout" else Drawn()

    def __call__(self, *_: object, **__: object) -> Any:
        return Drawn()

    def __iter__(self) -> Iterator[Any]:
        """A part of a panel: its head and its body."""
        return iter((Drawn(), Drawn()))


def draw_panels() -> None:
    """Draw the sidebar."""
    panels: list[Any] = list(bpy.types.Panel.__subclasses__())
    for shown in panels:
        panels += shown.__subclasses__()
        ours = "levelwright" in shown.__module__ and shown.is_registered
        if ours and (not hasattr(shown, "poll") or shown.poll(bpy.context)):
            shown.draw(Drawn(shown), bpy.context)


def fault(collection: bpy.types.Collection, place: Place) -> str:
    """What is wrong with how an export takes a property: "" for nothing."""
    name = collection.name
    try:
        draw_panels()
        levels.check_export(bpy.context, collection, Report())
    except SceneError as error:
        named = place.block.name in str(error) or any(obj.name in str(error) for obj in error.objects)
        named |= any(obj.data == place.block and obj.name in str(error) for obj in collection.all_objects)
        named |= place.key == identity.STAMP  # who has lost it is told by its record
        return "" if named or name in str(error) else f"refused without a name: {error}"
    except FAILURES as error:
        return f"refused without a name: {error}"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def faults(game: Game, sample: Path, limit: int | None) -> list[str]:
    """All that goes wrong with a sample's properties; with a limit, of some of them."""
    (collection,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    tries = [(place, wrong) for place in places(collection) for wrong in WRONG]
    if limit is not None and len(tries) > limit:
        tries = random.Random(sample.name).sample(tries, limit)
    found = []
    for place, wrong in tries:
        before = kept(place.block, place.key)
        put(place.block, place.key, WRONG[wrong]())
        said = fault(collection, place)
        if said:
            found.append(f"{place.kind} {place.block.name}[{place.key!r}] = a {wrong}: {said}")
        put(place.block, place.key, before)
    return found


@LEVELS
@pytest.mark.parametrize("limit", [QUICK, pytest.param(None, marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_property_of_another_kind_is_told_by_name(game: Game, sample: Path, limit: int | None) -> None:
    assert faults(game, sample, limit) == []
