# SPDX-License-Identifier: GPL-3.0-or-later
"""The biggest real level of each game: no panel or menu, and no button's `poll`, keeps a redraw waiting."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.reports import Report

LONGEST = 10.0
"""Milliseconds of CPU time of one panel, menu or header: the longest takes 3.4 on a quiet machine, and what loops over
all objects of these levels at each redraw 30 and more.
"""
POLLS = 10.0
"""Of all polls together."""
ROUNDS = 7
"""Of which the fastest counts: the first one may count what is kept until the scene changes (`scene.work.once`)."""


class Anything:
    """A layout, or a button, that takes whatever is put into it."""

    def __call__(self, *_: Any, **__: Any) -> "Anything":
        return self

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        pass

    def panel(self, *_: Any, **__: Any) -> tuple["Anything", "Anything"]:
        return self, self

    panel_prop = panel


class Shown:
    """A panel or menu as it is drawn."""

    def __init__(self, cls: type) -> None:
        self.cls, self.layout = cls, Anything()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.cls, name)
        return value.__get__(self) if callable(value) and not isinstance(value, type) else value


def own(base: type) -> Iterator[Any]:
    for name in dir(bpy.types):
        cls = getattr(bpy.types, name)
        if isinstance(cls, type) and issubclass(cls, base) and cls.__module__.startswith("levelwright."):
            yield cls


def milliseconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken) * 1000


def draws(cls: Any) -> Iterator[str]:
    """What of a panel or menu that is there now is drawn."""
    if not hasattr(cls, "poll") or cls.poll(bpy.context):
        yield from (name for name in ("draw", "draw_header", "draw_header_preset") if hasattr(cls, name))


BIGGEST = [("bsp", "*.bsp"), ("ns2", "*.level"), ("teeworlds", "*.map"), ("genesis", "*.3dt"), ("lev", "*.lev")]


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "pattern"), BIGGEST)
def test_a_redraw_waits_for_nothing(folder: str, pattern: str, corpus: Path) -> None:
    biggest = max((corpus / folder).rglob(pattern), key=lambda path: path.stat().st_size)
    (level,) = levels.import_files(bpy.context, [biggest], lambda game: game.import_settings(), Report())
    layer: Any = bpy.context.view_layer
    layer.update()
    layer.objects.active = next(obj for obj in level.all_objects if obj.type == "MESH" and obj.name in layer.objects)
    polls = sum(
        milliseconds(partial(cls.poll, bpy.context))
        for base in (bpy.types.Operator, bpy.types.Panel)
        for cls in own(base)
        if hasattr(cls, "poll")
    )
    assert polls < POLLS
    taken = {}
    for cls in [*own(bpy.types.Panel), *own(bpy.types.Menu), *own(bpy.types.Header)]:
        if cls.__name__ == "LEVELWRIGHT_MT_teeworlds_image":  # of the image that it is opened on
            continue
        for name in draws(cls):
            taken[cls.__name__, name] = milliseconds(partial(getattr(Shown(cls), name), bpy.context))
    assert len(taken) > 20
    assert {which: time for which, time in taken.items() if time > LONGEST} == {}
