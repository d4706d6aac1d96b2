# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn is worked out once until the scene changes."""

from collections.abc import Callable
from typing import Any

import bpy
import pytest
from levelwright.addon.scene.view import kinds
from levelwright.addon.scene.work import once


def counted() -> tuple[Callable[[], int], list[int]]:
    calls: list[int] = []

    def make() -> int:
        calls.append(1)
        return len(calls)

    return make, calls


def hide(obj: bpy.types.Object) -> None:
    obj.hide_set(True)


def move(obj: bpy.types.Object) -> None:
    obj.location.x += 1


def add(_obj: bpy.types.Object) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("another", None))


def remove(obj: bpy.types.Object) -> None:
    bpy.data.objects.remove(obj)


def exclude(_obj: bpy.types.Object) -> None:
    layer: Any = bpy.context.view_layer
    bpy.context.scene.collection.children.link(bpy.data.collections.new("home"))
    layer.layer_collection.children["home"].exclude = True


def undo(_obj: bpy.types.Object) -> None:
    for message in ("before", "after"):
        bpy.ops.ed.undo_push(message=message)
    bpy.ops.ed.undo()


@pytest.mark.parametrize("change", [hide, move, add, remove, exclude, undo])
def test_it_is_worked_out_again_after_a_change(change: Callable[[bpy.types.Object], None]) -> None:
    obj = bpy.data.objects.new("seen", None)
    bpy.context.scene.collection.objects.link(obj)
    layer: Any = bpy.context.view_layer
    layer.update()
    make, calls = counted()
    assert [once.kept("key", make), once.kept("key", make), once.kept("other", make)] == [1, 1, 2]
    layer.update()
    assert once.kept("key", make) == 1
    change(obj)
    bpy.context.view_layer.update()
    assert once.kept("key", make) == 3
    assert len(calls) == 3


def test_kinds_are_counted_once() -> None:
    level = bpy.data.collections.new("level")
    bpy.context.scene.collection.children.link(level)
    objects = [bpy.data.objects.new(f"light {number}", bpy.data.lights.new("light", "POINT")) for number in range(3)]
    for obj in objects:
        level.objects.link(obj)
    bpy.context.view_layer.update()
    asked: list[str] = []

    def kind_of(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
        asked.append(obj.name)
        return ""

    for _ in range(5):
        assert kinds.shown(bpy.context, level, kind_of) == [kinds.KindCount("Lights", 3, 3)]
    assert len(asked) == 3
    objects[0].hide_set(True)
    bpy.context.view_layer.update()
    assert kinds.shown(bpy.context, level, kind_of) == [kinds.KindCount("Lights", 3, 2)]
