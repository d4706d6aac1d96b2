# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes the list of files that a Source map brings along: see `files`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ImportHelper

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source.content.texels import ImageFormat
from ....formats.source.content.vtf import TextureFlags
from ...scene import originals, sidebar
from ...scene.reports import SceneError
from ...scene.sidebar import LevelOperator, Result
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


def _files(_: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The files of the map's pak that hold a text."""
    level = sidebar.active_level(context, layout.FORMAT)
    try:
        original = originals.find(level) if level is not None else None
        names = source.read(original.data).pak.names if original is not None else []
    except (SceneError, FormatError):
        return []
    return sorted(name for name in names if text.casefold() in name.casefold())


def _images(_: Any, _context: bpy.types.Context, text: str) -> list[str]:
    return sorted(image.name for image in bpy.data.images if text.casefold() in image.name.casefold())


def _texts(_: Any, _context: bpy.types.Context, text: str) -> list[str]:
    return sorted(each.name for each in bpy.data.texts if text.casefold() in each.name.casefold())


class _FilesOperator(LevelOperator):
    """What all operators share that change the list."""

    format_key = layout.FORMAT


class _Dialog(_FilesOperator):
    """Those that ask."""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask."""
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result


class AddPakFiles(_FilesOperator, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """Put files into the map, as they are now, when it is exported"""

    bl_idname = "levelwright.source_pak_files"
    bl_label = "Add Files"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE", "HIDDEN"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"SKIP_SAVE", "HIDDEN"})
    folder: bpy.props.StringProperty(
        name="Folder", description="Where in the map they are: materials/brick, sound/ambient, maps, ..."
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Read and add them."""
        chosen: Any = self
        names = [each.name for each in chosen.files if each.name] or [Path(chosen.filepath).name]
        root = Path(bpy.path.abspath(chosen.directory or str(Path(chosen.filepath).parent)))
        read = {name: (root / name).read_bytes() for name in names}
        for name, data in read.items():
            files.put_file(level, f"{chosen.folder}/{name}", data)


class AddPakImage(_Dialog):
    """Put an image into the map as a texture (VTF), as it is when the map is exported"""

    bl_idname = "levelwright.source_pak_image"
    bl_label = "Add Image as Texture"
    bl_options = {"REGISTER", "UNDO"}

    image: bpy.props.StringProperty(name="Image", description="Image of this .blend", search=_images)
    path: bpy.props.StringProperty(name="Texture", description="Its path below materials, without ending: brick/wall")
    form: bpy.props.EnumProperty(name="Format", description="How pixels are stored", items=FORMATS)
    normal: bpy.props.BoolProperty(name="Normal map", description="Smaller sizes keep normals long")
    clamp: bpy.props.BoolProperty(name="Clamp", description="Doesn't repeat")
    mipmaps: bpy.props.BoolProperty(name="Smaller sizes", description="For the distance (mipmaps)", default=True)
    material: bpy.props.BoolProperty(
        name="Material, too", description="Also a material of its name, for walls, as a text that can be edited"
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it."""
        chosen: Any = self
        image: Any = bpy.data.images.get(chosen.image)
        if image is None:
            raise SceneError(f"there is no image {chosen.image!r}")
        flags = TextureFlags(0)
        if chosen.normal:
            flags |= TextureFlags.NORMAL
        if chosen.clamp:
            flags |= TextureFlags.CLAMPS | TextureFlags.CLAMPT
        name = chosen.path or image.name
        files.put_image(level, name, image, ImageFormat[chosen.form], int(flags), chosen.mipmaps)
        if chosen.material:
            files.put_material(level, name)


class AddPakText(_Dialog):
    """Put a text into the map as a file, as it is when the map is exported"""

    bl_idname = "levelwright.source_pak_text"
    bl_label = "Add Text"
    bl_options = {"REGISTER", "UNDO"}

    text: bpy.props.StringProperty(name="Text", description="Text of this .blend", search=_texts)
    path: bpy.props.StringProperty(name="File", description="Its path in the map: materials/brick/wall.vmt")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it."""
        chosen: Any = self
        text: Any = bpy.data.texts.get(chosen.text)
        if text is None:
            raise SceneError(f"there is no text {chosen.text!r}")
        files.put_text(level, chosen.path or text.name, text)


class RemovePakFile(_Dialog):
    """Leave a file out of the map when it is exported"""

    bl_idname = "levelwright.source_pak_remove"
    bl_label = "Remove File"
    bl_options = {"REGISTER", "UNDO"}

    path: bpy.props.StringProperty(name="File", description="Its path in the map", search=_files)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Note it."""
        chosen: Any = self
        files.remove(level, chosen.path)


class ForgetPakFile(_FilesOperator):
    """Leave this file of the map as it was"""

    bl_idname = "levelwright.source_pak_forget"
    bl_label = "Leave as It Was"
    bl_options = {"REGISTER", "UNDO"}

    path: bpy.props.StringProperty(name="File", description="Its path in the map")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Take it off the list."""
        chosen: Any = self
        files.forget(level, chosen.path)
