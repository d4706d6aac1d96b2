# SPDX-License-Identifier: GPL-3.0-or-later
"""Images added to a map and removed from it."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ...scene import declared, images, originals, properties
from ...scene.reports import SceneError
from .. import layout
from ..layout import ImageProperties
from ..structure.map_operator import MapOperator


def add_image(level: bpy.types.Collection, image: bpy.types.Image, external: bool = False) -> int:
    """Let a level hold an image as a new record, and return its number. `external`: the map gets only its name."""
    record = max(originals.resources(level, layout.IMAGE), default=-1) + 1
    images.set_color_space(image, "Non-Color")
    image.alpha_mode = "CHANNEL_PACKED"
    if not external and image.packed_file is None:
        image.pack()
    properties.write(image, ImageProperties(layout.plain_name(image.name), external))
    originals.set_resource(level, layout.IMAGE, record, image)
    return record


def remove_image(level: bpy.types.Collection, record: int) -> None:
    """Remove an image for good: layers that show it lose it when the map is exported. Raises SceneError without it."""
    image = originals.resources(level, layout.IMAGE).get(record)
    if image is None:
        raise SceneError(f"{level.name} has no image {record}")
    originals.set_resource(level, layout.IMAGE, record, None)
    if isinstance(image, bpy.types.Image):
        bpy.data.images.remove(image)


class AddImage(MapOperator, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """Add an image to the map, from a file"""

    bl_idname = "levelwright.teeworlds_add_image"
    bl_label = "Add Image"
    bl_options = {"REGISTER", "UNDO"}

    filepath: str = declared.string(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: str = declared.string(default="*.png;*.tga;*.jpg;*.webp;*.bmp", options={"HIDDEN"})
    external: bool = declared.boolean(name="External", description="The map holds only its name")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Load it and let the map hold it."""
        path = Path(bpy.path.abspath(self.filepath))
        try:
            image = bpy.data.images.load(str(path))
        except RuntimeError as error:
            raise SceneError(str(error).strip().removeprefix("Error: ")) from error
        if not all(image.size):
            bpy.data.images.remove(image)
            raise SceneError(f"{path}: not an image that Blender can read")
        add_image(level, image, self.external)


class RemoveImage(MapOperator):
    """Remove an image from the map and from this file; layers that show it lose it"""

    bl_idname = "levelwright.teeworlds_remove_image"
    bl_label = "Remove Image"
    bl_options = {"REGISTER", "UNDO"}

    record: int = declared.integer(name="Image", min=0)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_image(level, self.record)


CLASSES = (AddImage, RemoveImage)
