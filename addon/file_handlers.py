# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag and drop, and collection exporters: which files each operator takes."""

from __future__ import annotations

from typing import cast

import bpy
from bpy_extras.io_utils import poll_file_object_drop

from . import games, operators
from .game import FileKind, Form
from .scene.blender_types import gives
from .scene.registering import in_turn


class _Drop:
    """What handlers share that take dropped files."""

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Accept files where objects can be dropped."""
        return bool(gives(poll_file_object_drop)(context))


def _handler(
    name: str, label: str, endings: str, bases: tuple[type, ...] = (), **members: object
) -> type[bpy.types.FileHandler]:
    """Return a file handler's class."""
    body = {"__module__": __name__, "bl_idname": name, "bl_label": label, "bl_file_extensions": endings, **members}
    return cast(type[bpy.types.FileHandler], type(name, (*bases, bpy.types.FileHandler), body))


def _handler_of(kind: FileKind) -> type[bpy.types.FileHandler]:
    """Return the handler of a kind of files: among the exporters of a collection.

    Levels are dropped on the one handler for all of them, so that dropping asks no question; other forms on their own.
    """
    members = {}
    if any(kind is written for _, written in operators.exports()):
        members["bl_export_operator"] = f"export_scene.{kind.operator}"
    drops = isinstance(kind, Form) and kind.import_form is not None
    if drops:
        members["bl_import_operator"] = f"import_scene.{kind.operator}"
    return _handler(f"IO_FH_{kind.operator}", kind.label, kind.ending, (_Drop,) if drops else (), **members)


CLASSES: tuple[type[bpy.types.FileHandler], ...] = (
    _handler(
        "IO_FH_game_level",
        "Game level",
        ";".join(games.endings()),
        (_Drop,),
        bl_import_operator=operators.GAME_LEVEL,
    ),
    *(_handler_of(kind) for game in games.GAMES for kind in (*game.files, *game.forms)),
)
register, unregister = in_turn(*CLASSES)
