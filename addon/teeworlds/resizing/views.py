# SPDX-License-Identifier: GPL-3.0-or-later
"""3D views that go with a map whose cells move: what one looks at, and the 3D cursor, stays where it is on the screen.

Undo gives a map back but leaves views and the cursor alone. So the map says how far its views were moved, and they
follow wherever that changes: with undo and redo, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from mathutils import Vector

from ...scene.blender_types import always, persistent
from ...scene.kept import identity
from ...scene.level import first_of
from ...scene.registering import called, in_turn
from .. import layout
from ..structure.parts import all_layers, tile_kind

_followed: dict[int, Vector] = {}
"""By level, as Blender numbers data-blocks in a session: how far the views had been moved when they followed last."""


def move(level: bpy.types.Collection, step: Vector) -> None:
    """Move the views that show a level. step: along the axes of its root."""
    game = _game(level)
    if game is None:
        return
    _followed[level.session_uid] = before = _moved(game)
    game[layout.VIEWS_MOVED] = list((before + step)[:])
    _follow(level)


def _game(level: bpy.types.Collection) -> bpy.types.Object | None:
    return next((layer for layer in all_layers(level) if tile_kind(layer) == "GAME"), None)


def _moved(game: bpy.types.Object) -> Vector:
    numbers: list[float] = getattr(game.get(layout.VIEWS_MOVED), "to_list", list)()
    return Vector(numbers if len(numbers) == 3 else (0.0, 0.0, 0.0))


def _follow(level: bpy.types.Collection) -> None:
    """Move the views of a level by as much as it says more, or less, than when they followed last."""
    before, game = _followed.get(level.session_uid), _game(level)
    now = _moved(game) if game is not None else before
    if before is None or now is None or before == now:
        return
    _followed[level.session_uid] = now
    root, step = first_of(level, identity.ROOT), now - before
    if root is not None:
        step = root.matrix_world.to_3x3() @ step
    scenes = [scene for scene in bpy.data.scenes if level in scene.collection.children_recursive]
    for scene in scenes:
        scene.cursor.location += step
    for region in _regions(scenes):
        region.view_location += step


def _regions(scenes: list[bpy.types.Scene]) -> Iterator[bpy.types.RegionView3D]:
    """What is seen in the 3D views of all workspaces, but for those of windows that show another scene. Of four views
    in one, all.
    """
    manager = bpy.context.window_manager
    others = {window.screen for window in always(manager).windows if window.scene not in scenes}
    spaces = (space for screen in {*bpy.data.screens} - others for area in screen.areas for space in area.spaces)
    for space in spaces:
        if isinstance(space, bpy.types.SpaceView3D):
            yield from {region for region in (space.region_3d, *space.region_quadviews) if region is not None}


@persistent
def _follow_undo(*_: object) -> None:
    """A handler of undo and redo."""
    if _followed:
        for level in bpy.data.collections:
            _follow(level)


register, unregister = in_turn(
    called(bpy.app.handlers.undo_post, _follow_undo),
    called(bpy.app.handlers.redo_post, _follow_undo),
)
