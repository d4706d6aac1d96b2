# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds added to a map and removed from it, and sources of sound layers."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper

from ....formats.teeworlds.records import SourceShape
from ...scene.fields import declared, properties
from ...scene.kept import originals
from ...scene.reports import SceneError
from ...scene.view import stage
from .. import layout
from ..structure.map_operator import MapOperator, make_object_active
from ..structure.parts import group_of, let_undo_see, next_record
from ..structure.placement import placement_in
from .build import LevelSounds, SoundProperties
from .layer_build import add_source


def add_sound(level: bpy.types.Collection, sound: bpy.types.Sound) -> int:
    """Let a level hold a sound as a new record, and return its number. Raises SceneError for what isn't Ogg."""
    if sound.packed_file is None:
        sound.pack()
    if sound.packed_file is None or not bytes(sound.packed_file.data[:4]) == b"OggS":
        raise SceneError(f"sound {sound.name!r} is not an Ogg file: the game plays Opus in Ogg only")
    record = next_record(level, layout.SOUND)
    properties.write(sound, SoundProperties(layout.plain_name(sound.name).removesuffix(".opus"), False))
    originals.set_resource(level, layout.SOUND, record, sound)
    return record


def set_sound(level: bpy.types.Collection, layer: bpy.types.Object, record: int) -> None:
    """Let a sound layer's sources play the level's sound of this record; -1 = none.

    Raises SceneError for other layers, and for a record that names none.
    """
    if layer.get("sound") is None:
        raise SceneError(f"{layer.name} is not a layer of sounds", [layer])
    sound = LevelSounds.of_level(level).block(record)
    if sound is None and record != -1:
        raise SceneError(f"{level.name} has no sound {record}")
    layer["sound"] = int(record)
    for child in (layer, *layer.children_recursive):
        if isinstance(child.data, bpy.types.Speaker):
            child.data.sound = sound


def remove_sound(level: bpy.types.Collection, record: int) -> None:
    """Remove a sound for good: layers that play it lose it when the map is exported. Raises SceneError without it."""
    sound = originals.resources(level, layout.SOUND).get(record)
    if not isinstance(sound, bpy.types.Sound):
        raise SceneError(f"{level.name} has no sound {record}")
    originals.set_resource(level, layout.SOUND, record, None)
    bpy.data.sounds.remove(sound)


class AddSound(MapOperator, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """Add a sound to the map, from an Opus file"""

    bl_idname = "levelwright.teeworlds_add_sound"
    bl_label = "Add Sound"

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = declared.string(default="*.opus;*.ogg", options={"HIDDEN"})

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Load it and let the map hold it."""
        path = Path(bpy.path.abspath(self.filepath))
        try:
            sound = bpy.data.sounds.load(str(path))
        except RuntimeError as error:
            raise SceneError(str(error).strip().removeprefix("Error: ")) from error
        try:
            add_sound(level, sound)
        except (SceneError, RuntimeError):
            bpy.data.sounds.remove(sound)
            raise


class SetSound(MapOperator):
    """Let the active layer's sources play this sound"""

    bl_idname = "levelwright.teeworlds_set_sound"
    bl_label = "Set Layer Sound"
    needs_layer = True
    layer_kind = "SOUNDS"

    record: int = declared.integer(name="Sound", description="Its number in the map, -1 = none", default=-1, min=-1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Set it."""
        set_sound(level, self.layer(context), self.record)


class RemoveSound(MapOperator):
    """Remove a sound from the map and from this file; layers that play it lose it"""

    bl_idname = "levelwright.teeworlds_remove_sound"
    bl_label = "Remove Sound"
    needs_resource = layout.SOUND

    record: int = declared.integer(name="Sound", min=0)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_sound(level, self.record)


class AddSource(MapOperator):
    """Add a place where the active sound layer's sound is heard, at the 3D cursor"""

    bl_idname = "levelwright.teeworlds_add_source"
    bl_label = "Add Sound Source"
    needs_layer = True
    layer_kind = "SOUNDS"

    shape: str = declared.menu(
        name="Shape",
        items=[(one.name, one.name.title(), f"It is heard in a {one.name.lower()}") for one in SourceShape],
        default=SourceShape.CIRCLE.name,
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it and make it the active object."""
        layer = self.layer(context)
        group = group_of(level, layer)
        if layer.get("sound") is None or layer.get(layout.STORAGE) == layout.KEPT or group is None:
            raise SceneError(f"{layer.name} is not a layer of sounds", [layer])
        world = np.array(layer.matrix_world, np.float64)
        cursor = stage.scene_of(context).cursor
        x, y, *_ = np.linalg.solve(world, np.array((*cursor.location[:], 1.0), np.float64)).tolist()
        sounds = LevelSounds.of_level(level)
        made = add_source(layer, (x, y), SourceShape[self.shape], placement_in(level, group), sounds)
        let_undo_see(level)
        make_object_active(context, made)


CLASSES = (AddSound, SetSound, RemoveSound, AddSource)
