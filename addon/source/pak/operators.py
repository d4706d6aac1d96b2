# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes the list of files that a Source map brings along: see `files`."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source.content.texels import ImageFormat
from ....formats.source.content.vtf import TextureFlags
from ...scene.disk import chosen_files
from ...scene.fields import declared
from ...scene.interface import sidebar
from ...scene.interface.sidebar import AskingOperator, LevelOperator
from ...scene.kept import originals
from ...scene.reports import SceneError
from .. import layout
from . import files

FORMATS = [
    (ImageFormat.DXT5.name, "DXT5", "Colours and smooth alpha, a byte a pixel"),
    (ImageFormat.DXT1.name, "DXT1", "Colours without alpha, half a byte a pixel"),
    (ImageFormat.DXT1_ONEBITALPHA.name, "DXT1, one bit of alpha", "Colours with holes, half a byte a pixel"),
    (ImageFormat.BGRA8888.name, "BGRA8888", "Every bit of colours and alpha, four bytes a pixel"),
    (ImageFormat.BGR888.name, "BGR888", "Every bit of colours, three bytes a pixel"),
    (ImageFormat.I8.name, "I8", "Grey, a byte a pixel"),
    (ImageFormat.IA88.name, "IA88", "Grey and alpha, two bytes a pixel"),
]


def _files(_: object, context: bpy.types.Context, text: str) -> list[str]:
    """The files of the map's pak that hold a text."""
    level = sidebar.active_level(context, layout.FORMAT)
    try:
        original = originals.find(level) if level is not None else None
        names = source.read(original.data).pak.names if original is not None else []
    except (SceneError, FormatError):
        return []
    return sorted(name for name in names if text.casefold() in name.casefold())


def _images(_: object, _context: bpy.types.Context, text: str) -> list[str]:
    return sorted(image.name for image in bpy.data.images if text.casefold() in image.name.casefold())


def _texts(_: object, _context: bpy.types.Context, text: str) -> list[str]:
    return sorted(each.name for each in bpy.data.texts if text.casefold() in each.name.casefold())


class _FilesOperator(LevelOperator):
    """What all operators share that change the list."""


class AddPakFiles(_FilesOperator, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """Put files into the map, as they are now, when it is exported"""

    bl_idname = "levelwright.source_pak_files"
    bl_label = "Add Files"

    directory: str = declared.string(subtype="DIR_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filepath: str = declared.string(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    files: declared.Groups[bpy.types.OperatorFileListElement] = declared.collection(
        bpy.types.OperatorFileListElement, options={"SKIP_SAVE", "HIDDEN"}
    )
    folder: str = declared.string(
        name="Folder", description="Where in the map they are, such as materials/brick, sound/ambient, maps"
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Read and add them."""
        names = [Path(self.directory, each.name) for each in self.files if each.name] or [Path(self.filepath)]
        paths = [Path(bpy.path.abspath(str(name))) for name in names]
        for path, data in zip(paths, [chosen_files.read(path) for path in paths], strict=True):
            files.put_file(level, f"{self.folder}/{path.name}", data)


class AddPakImage(_FilesOperator, AskingOperator):
    """Put an image into the map as a texture (VTF), as it is when the map is exported"""

    bl_idname = "levelwright.source_pak_image"
    bl_label = "Add Image as Texture"

    image: str = declared.string(name="Image", description="Image of this .blend", search=_images)
    path: str = declared.string(name="Texture", description="Its path below materials, without ending: brick/wall")
    form: str = declared.menu(name="Format", description="How pixels are stored", items=FORMATS)
    normal: bool = declared.boolean(name="Normal map", description="Smaller sizes keep normals long")
    clamp: bool = declared.boolean(name="Clamp", description="Doesn't repeat")
    mipmaps: bool = declared.boolean(name="Smaller sizes", description="For the distance (mipmaps)", default=True)
    material: bool = declared.boolean(
        name="Material, too", description="Also a material of its name, for walls, as a text that can be edited"
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it."""
        image: bpy.types.Image | None = bpy.data.images.get(self.image)
        if image is None:
            raise SceneError(f"there is no image {self.image!r}")
        flags = TextureFlags(0)
        if self.normal:
            flags |= TextureFlags.NORMAL
        if self.clamp:
            flags |= TextureFlags.CLAMPS | TextureFlags.CLAMPT
        name = self.path or image.name
        files.put_image(level, name, image, ImageFormat[self.form], int(flags), self.mipmaps)
        if self.material:
            files.put_material(level, name)


class AddPakText(_FilesOperator, AskingOperator):
    """Put a text into the map as a file, as it is when the map is exported"""

    bl_idname = "levelwright.source_pak_text"
    bl_label = "Add Text"

    text: str = declared.string(name="Text", description="Text of this .blend", search=_texts)
    path: str = declared.string(name="File", description="Its path in the map: materials/brick/wall.vmt")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it."""
        text: bpy.types.Text | None = bpy.data.texts.get(self.text)
        if text is None:
            raise SceneError(f"there is no text {self.text!r}")
        files.put_text(level, self.path or text.name, text)


class RemovePakFile(_FilesOperator, AskingOperator):
    """Leave a file out of the map when it is exported"""

    bl_idname = "levelwright.source_pak_remove"
    bl_label = "Remove File"

    path: str = declared.string(name="File", description="Its path in the map", search=_files)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Note it."""
        files.remove(level, self.path)


class ForgetPakFile(_FilesOperator):
    """Leave this file of the map as it was"""

    bl_idname = "levelwright.source_pak_forget"
    bl_label = "Leave as It Was"

    path: str = declared.string(name="File", description="Its path in the map")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Take it off the list."""
        files.forget(level, self.path)
