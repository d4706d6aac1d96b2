# SPDX-License-Identifier: GPL-3.0-or-later
"""Images added to a map, replaced, put into its file or left out of it, and removed."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ...scene.fields import declared, properties
from ...scene.kept import originals
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from ..layout import ImageProperties
from ..structure.map_operator import MapOperator
from ..structure.parts import next_record
from .assign import show_again


def add_image(level: bpy.types.Collection, image: bpy.types.Image, external: bool = False) -> int:
    """Let a level hold an image as a new record, and return its number. `external`: the map gets only its name."""
    record = next_record(level, layout.IMAGE)
    _prepare(image, not external)
    properties.write(image, ImageProperties(layout.plain_name(image.name), external))
    originals.set_resource(level, layout.IMAGE, record, image)
    return record


def replace_image(level: bpy.types.Collection, record: int, image: bpy.types.Image) -> None:
    """Put an image in the place of a level's: all that shows the old one shows it, under the old name and number.

    The old one is removed. The map holds the new one's pixels, also where it held only a name. Raises SceneError
    without it.
    """
    old = _held(level, record)
    name = old.name
    _prepare(image, True)
    for key in old.keys():  # noqa: SIM118 - iterating gives properties
        if key not in (images.BASELINE, images.PLACEHOLDER):
            image[key] = old[key]
    image["external"] = False  # a name would be the old picture's
    old.user_remap(image)
    bpy.data.images.remove(old)
    image.name = showable(name)
    originals.set_resource(level, layout.IMAGE, record, image)
    show_again(level, record)


def is_external(image: bpy.types.Image) -> bool:
    """Whether the map holds only an image's name."""
    return bool(image.get("external", False))


def can_embed(image: bpy.types.Image, embed: bool) -> bool:
    """Whether an image can be put into the map, or its pixels be left out of it."""
    return is_external(image) == embed and not (embed and _is_lost(image))


def embed_image(level: bpy.types.Collection, record: int, embed: bool) -> bool:
    """Let the map hold an image's pixels, or its name alone; False: it does. Raises SceneError for pixels that aren't
    here.
    """
    image = _held(level, record)
    if is_external(image) != embed:
        return False
    if embed and _is_lost(image):
        raise SceneError(f"image {image.name!r} wasn't found, only its placeholder is here: replace it first")
    if embed:
        _prepare(image, True)
    image["external"] = bool(not embed)
    return True


def _is_lost(image: bpy.types.Image) -> bool:
    """Whether only a placeholder of an image is here."""
    return images.is_placeholder(image) or not all(image.size)


def remove_image(level: bpy.types.Collection, record: int) -> None:
    """Remove an image for good: layers that show it lose it when the map is exported. Raises SceneError without it."""
    image = _held(level, record)
    originals.set_resource(level, layout.IMAGE, record, None)
    bpy.data.images.remove(image)


def _held(level: bpy.types.Collection, record: int) -> bpy.types.Image:
    image = originals.resources(level, layout.IMAGE).get(record)
    if not isinstance(image, bpy.types.Image):
        raise SceneError(f"{level.name} has no image {record}")
    return image


def _prepare(image: bpy.types.Image, pack: bool) -> None:
    """Let an image show its numbers as they are, as imports do, and hold them, paintings too when it is saved."""
    images.set_color_space(image, "Non-Color")
    image.alpha_mode = "CHANNEL_PACKED"
    if pack and image.packed_file is None:
        image.pack()
    if pack and image.get(images.BASELINE) is None:
        image[images.BASELINE] = ""


class _FromFile(MapOperator, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """What operators share that load an image from a file."""

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = declared.string(default="*.png;*.tga;*.jpg;*.webp;*.bmp", options={"HIDDEN"})

    def load(self) -> bpy.types.Image:
        """The image of the file. Raises SceneError where Blender can't read it."""
        path = Path(bpy.path.abspath(self.filepath))
        try:
            image = bpy.data.images.load(str(path))
        except RuntimeError as error:
            raise SceneError(str(error).strip().removeprefix("Error: ")) from error
        if not all(image.size):
            bpy.data.images.remove(image)
            raise SceneError(f"{path}: not an image that Blender can read")
        return image


class AddImage(_FromFile):
    """Add an image to the map, from a file"""

    bl_idname = "levelwright.teeworlds_add_image"
    bl_label = "Add Image"

    external: bool = declared.boolean(name="External", description="The map holds only its name")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Load it and let the map hold it."""
        add_image(level, self.load(), self.external)


class ReplaceImage(_FromFile):
    """Put a file's picture in the place of one of the map's images: layers and quads that show it show the new one"""

    bl_idname = "levelwright.teeworlds_replace_image"
    bl_label = "Replace Image"
    needs_resource = layout.IMAGE

    record: int = declared.integer(name="Image", min=0)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Load it and let it take the place."""
        _held(level, self.record)
        replace_image(level, self.record, self.load())


class EmbedImage(MapOperator):
    """Put an image into the map's file, or leave its name alone there: then the players' games have to have it"""

    bl_idname = "levelwright.teeworlds_embed_image"
    bl_label = "Embed Image"
    needs_resource = layout.IMAGE

    record: int = declared.integer(name="Image", min=0)
    embed: bool = declared.boolean(name="Embed", default=True)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Switch it."""
        return embed_image(level, self.record, self.embed)


class RemoveImage(MapOperator):
    """Remove an image from the map and from this file; layers that show it lose it"""

    bl_idname = "levelwright.teeworlds_remove_image"
    bl_label = "Remove Image"
    needs_resource = layout.IMAGE

    record: int = declared.integer(name="Image", min=0)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_image(level, self.record)


CLASSES = (AddImage, ReplaceImage, EmbedImage, RemoveImage)
