# SPDX-License-Identifier: GPL-3.0-or-later
"""What is registered is taken back, the last first."""

from typing import Any

import bpy
from levelwright.addon.scene.fields import declared
from levelwright.addon.scene.registering import Both, added_property, called, in_turn


class LEVELWRIGHT_OT_registered(bpy.types.Operator):
    """A tooltip
    of two lines
    """

    bl_idname = "levelwright.registered"
    bl_label = "Registered"


def test_parts_are_taken_back_in_the_opposite_order() -> None:
    told: list[str] = []
    parts = [Both(lambda name=name: told.append(name), lambda name=name: told.append(f"no {name}")) for name in "ab"]  # type: ignore[misc]
    register, unregister = in_turn(*parts, Both(unregister=lambda: told.append("no c")), Both(lambda: told.append("d")))
    register()
    unregister()
    assert told == ["a", "b", "d", "no c", "no b", "no a"]


def test_each_kind_of_part() -> None:
    def follow(_scene: object) -> None: ...

    handlers: Any = bpy.app.handlers.save_pre
    register, unregister = in_turn(
        LEVELWRIGHT_OT_registered,
        added_property(bpy.types.WindowManager, "levelwright_registered", declared.integer(name="Registered")),
        called(handlers, follow),
    )
    before = list(handlers)
    register()
    operator: Any = bpy.ops.levelwright.registered
    assert operator.get_rna_type().description == "A tooltip of two lines"
    assert hasattr(bpy.types.WindowManager, "levelwright_registered")
    assert list(handlers) == [*before, follow]
    unregister()
    assert not hasattr(bpy.types, "LEVELWRIGHT_OT_registered")
    assert not hasattr(bpy.types.WindowManager, "levelwright_registered")
    assert list(handlers) == before
