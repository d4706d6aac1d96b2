# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels show of a scene and is long to work out: once, until something in the scene changes.

Panels are drawn at each move of the mouse over them, and what loops over a level's objects takes tens of milliseconds.
Only what is drawn asks here: operators, which scripts may call between two changes that Blender hasn't told of yet,
work it out themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import bpy

from ..blender_types import persistent
from ..registering import Both, called, in_turn

Made = TypeVar("Made")

_MOMENTS = ("depsgraph_update_post", "undo_post", "redo_post", "load_post")
"""When the scene may be another one: Blender tells of each before it draws."""
_kept: dict[Hashable, object] = {}


def kept(key: Hashable, make: Callable[[], Made]) -> Made:
    """Return what `make` made the last time that this was asked by the key; it is asked again after each change.

    key: with the session_uid of each data-block that it is about. What is made must not hold anything of Blender's.
    """
    if key not in _kept:
        _kept[key] = make()
    made: Made = _kept[key]  # type: ignore[assignment]
    return made


@persistent
def forget(*_: object) -> None:
    """Let all be worked out again. A handler; besides for changes that Blender tells nobody of, as of properties."""
    _kept.clear()


register, unregister = in_turn(
    Both(unregister=forget), *(called(getattr(bpy.app.handlers, moment), forget) for moment in _MOMENTS)
)
"""Notices changes."""
