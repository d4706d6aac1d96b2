# SPDX-License-Identifier: GPL-3.0-or-later
"""All that isn't of the level out of sight while the game's view is on, and back again.

What was changed is kept with the level, so that leaving the view after the .blend was opened again puts it back, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import bpy

from ...scene.blender_types import Value, always
from ...scene.reports import SceneError
from ...scene.view import stage

KEPT = "levelwright_before_view"
"""On a level's collection: JSON, what the scene and the windows were like before."""
_OVERLAYS = {
    "show_relationship_lines": False,
    "show_extras": False,
    "show_floor": False,
    "show_axis_x": False,
    "show_axis_y": False,
    "show_cursor": False,
    "show_object_origins": False,
    "show_outline_selected": False,
}


def is_on(collection: bpy.types.Collection) -> bool:
    """Say whether a level is shown with nothing else."""
    return isinstance(collection.get(KEPT), str)


def begin(context: bpy.types.Context, collection: bpy.types.Collection, more: Mapping[str, object]) -> None:
    """Hide what isn't of the level, and lines, grid and symbols; nothing while it is on. more: kept until `end`."""
    scene, layer = stage.scene_of(context), stage.view_layer_of(context)
    if is_on(collection):
        return
    own = {obj.name for obj in collection.all_objects if obj.display_type != "WIRE"}  # not the shapes of sounds
    hidden: dict[str, tuple[bool, bool]] = {}
    for obj in layer.objects:
        if obj.name not in own and not (obj.hide_get(view_layer=layer) and obj.hide_render):
            hidden[obj.name] = obj.hide_get(view_layer=layer), obj.hide_render
            obj.hide_set(True, view_layer=layer)
            obj.hide_render = True
    windows = []
    for place, space in _viewports(context):
        overlay, region = space.overlay, always(space.region_3d)
        windows.append((*place, {name: getattr(overlay, name) for name in _OVERLAYS}, region.view_perspective))
        for name, value in _OVERLAYS.items():
            setattr(overlay, name, value)
    camera = scene.camera.name if scene.camera is not None else ""
    collection[KEPT] = json.dumps({"hidden": hidden, "windows": windows, "camera": camera, **more})


def end(context: bpy.types.Context, collection: bpy.types.Collection) -> dict[str, Value]:
    """Put back what `begin` hid, as far as it is still there, and return what it was given to keep.

    Raises SceneError where somebody changed what was kept: then all stays as it is shown, and the view is off.
    """
    if not is_on(collection):
        return {}
    kept = _read(str(collection[KEPT]))
    if kept is None:
        del collection[KEPT]
        raise SceneError(f"{collection.name}: its property {KEPT} is damaged: show again by hand what is hidden")
    scene, layer = stage.scene_of(context), stage.view_layer_of(context)
    for name, (was_hidden, in_renders) in kept.pop("hidden").items():
        if name in layer.objects:
            layer.objects[name].hide_set(was_hidden, view_layer=layer)
            layer.objects[name].hide_render = in_renders
    before = {(screen, area): (overlay, perspective) for screen, area, overlay, perspective in kept.pop("windows")}
    for place, space in _viewports(context):
        overlay, perspective = before.get(place, ({}, ""))
        for name, value in overlay.items():
            setattr(space.overlay, name, value)
        if perspective:
            always(space.region_3d).view_perspective = perspective
    scene.camera = bpy.data.objects.get(kept.pop("camera"))
    del collection[KEPT]
    return kept


def _read(text: str) -> dict[str, Value] | None:
    """What was kept, None where it isn't what `begin` wrote."""
    try:
        kept: object = json.loads(text)
    except ValueError:
        return None
    return kept if isinstance(kept, dict) and {"hidden", "windows", "camera"} <= kept.keys() else None


def _viewports(context: bpy.types.Context) -> Iterator[tuple[tuple[str, int], bpy.types.SpaceView3D]]:
    """The 3D viewports, with what tells them apart: their screen's name, and which of its areas they are."""
    wanted = [*stage.viewports(context)]
    for screen in bpy.data.screens:
        for number, area in enumerate(screen.areas):
            space = area.spaces.active
            if isinstance(space, bpy.types.SpaceView3D) and space in wanted:
                yield (screen.name, number), space
