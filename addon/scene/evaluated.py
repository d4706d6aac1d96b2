# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as it looks, whatever is hidden: modifiers, shape keys and constraints of objects wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from .reports import SceneError


@contextmanager
def shown(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Depsgraph]:
    """Give a depsgraph in which all these objects are evaluated, hidden and excluded ones too.

    They are linked into a scene that exists only for this, at the current frame and with the current camera: the
    user's scene, its collections and what is hidden in them aren't touched. Objects in edit mode are flushed.
    """
    scene = context.scene
    objects = list(dict.fromkeys(objects))
    for obj in objects:
        if obj.mode == "EDIT":
            obj.update_from_editmode()
    stage = bpy.data.scenes.new("levelwright evaluation")
    hidden = [obj for obj in objects if obj.hide_viewport]
    try:
        if scene is not None:
            stage.frame_current, stage.frame_subframe = scene.frame_current, scene.frame_subframe
            stage.camera = scene.camera
        for obj in hidden:
            obj.hide_viewport = False
        for obj in objects:
            stage.collection.objects.link(obj)
        layer = stage.view_layers[0]
        layer.update()
        if layer.depsgraph is None:  # never: `update` makes it
            raise SceneError("Blender evaluates nothing here")
        yield layer.depsgraph
    finally:
        for obj in hidden:
            obj.hide_viewport = True
        bpy.data.scenes.remove(stage)
