# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that type checkers understand are properties to Blender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import bpy
import pytest
from levelwright.addon.scene.fields import declared
from levelwright.addon.scene.fields.declared import Declared

ITEMS = [("A", "First", ""), ("B", "Second", "")]


class Sized(Declared):
    """A base that isn't registered itself."""

    layout: bpy.types.UILayout
    factor: float = declared.number(name="Factor", default=2.5, min=0.5, options={"SKIP_SAVE"})


class DeclaredEntry(Declared, bpy.types.PropertyGroup):
    number: int = declared.integer(default=-1)
    color: Sequence[float] = declared.vector(size=3, subtype="COLOR", default=(1.0, 0.5, 0.25))
    on: Sequence[bool] = declared.flags(size=2, default=(True, False))


class DeclaredLists(Declared, bpy.types.PropertyGroup):
    entries: declared.Groups[DeclaredEntry] = declared.collection(DeclaredEntry)
    first: DeclaredEntry = declared.pointer(DeclaredEntry)


class LEVELWRIGHT_OT_declared(Sized, bpy.types.Operator):
    """Tells what it was called with"""

    bl_idname = "levelwright.declared"
    bl_label = "Declared"
    bl_options = {"REGISTER", "UNDO", "PRESET"}
    called: ClassVar[list[tuple[object, ...]]] = []

    word: str = declared.string(default="a", options={"HIDDEN"})
    what: str = declared.menu(items=ITEMS, default="B")
    sure: bool = declared.boolean(default=True)
    files: declared.Groups[bpy.types.OperatorFileListElement] = declared.collection(
        bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}
    )

    def execute(self, _context: bpy.types.Context) -> set[str]:
        names = [file.name for file in self.files]
        self.called.append((self.factor, self.word, self.what, self.sure, names))
        return {"FINISHED"}


class LEVELWRIGHT_PT_declared(Sized, bpy.types.Panel):
    bl_label = "Declared"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.label(text="drawn")


CLASSES = (DeclaredEntry, DeclaredLists, LEVELWRIGHT_OT_declared, LEVELWRIGHT_PT_declared)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.declared_lists = declared.pointer(DeclaredLists)
    yield
    del bpy.types.Scene.declared_lists
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)


def test_an_operator_has_its_own_properties_and_those_of_its_bases() -> None:
    LEVELWRIGHT_OT_declared.called.clear()
    bpy.ops.levelwright.declared()
    bpy.ops.levelwright.declared(factor=4.0, word="z", what="A", sure=False, files=[{"name": "q"}])
    assert LEVELWRIGHT_OT_declared.called == [(2.5, "a", "B", True, []), (4.0, "z", "A", False, ["q"])]


def test_options_and_limits_reach_blender() -> None:
    properties = bpy.ops.levelwright.declared.get_rna_type().properties
    assert properties["factor"].is_skip_save
    assert properties["factor"].hard_min == 0.5
    assert properties["word"].is_hidden
    assert not properties["word"].is_skip_save
    assert [item.identifier for item in properties["what"].enum_items] == ["A", "B"]


def test_groups_and_lists_of_groups_keep_values() -> None:
    lists = bpy.context.scene.declared_lists
    lists.entries.clear()
    entry = lists.entries.add()
    assert (entry.number, tuple(entry.color), tuple(entry.on)) == (-1, (1.0, 0.5, 0.25), (True, False))
    entry.color = (0.0, 0.0, 1.0)
    lists.first.number = 7
    assert tuple(lists.entries[0].color) == (0.0, 0.0, 1.0)
    assert lists.first.number == 7


def test_what_is_no_property_stays_an_annotation() -> None:
    assert LEVELWRIGHT_OT_declared.__annotations__["called"] == "ClassVar[list[tuple[object, ...]]]"
    assert "word" not in vars(LEVELWRIGHT_OT_declared)
