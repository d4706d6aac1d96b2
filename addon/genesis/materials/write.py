# SPDX-License-Identifier: GPL-3.0-or-later
"""A texture library of the materials that brushes have: what the compiler needs of a level that was made in Blender."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np

from ....formats.arrays import Bytes
from ....formats.binary import FormatError
from ....formats.genesis import txl
from ....formats.genesis.compiled import pictures
from ....formats.genesis.geometry import FaceAppearance
from ....formats.genesis.records import MAX_TEXTURE_SIZE
from ....formats.srgb import to_screen
from ...scene.disk import chosen_files, content_folders, files, known_files
from ...scene.fields import declared
from ...scene.interface import sidebar
from ...scene.kept import identity, originals
from ...scene.level import root_of
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import FAILURES, Report, SceneError
from ...scene.view import stage
from .. import layout
from . import embedded
from .names import APPEARANCE, texture_of

Picture = Bytes
PLAIN = 64
"""Pixels a side of the texture of a material without a picture."""


def textures_of(objects: Iterable[bpy.types.Object]) -> dict[str, tuple[str, bpy.types.Material | None]]:
    """The textures that meshes have, by name in lower case: the name, and a material of it."""
    found: dict[str, tuple[str, bpy.types.Material | None]] = {}
    for obj in objects:
        for slot in obj.material_slots:
            name, _ = texture_of(slot.material)
            if slot.material is not None and name:
                found.setdefault(name.lower(), (name, slot.material))
    return found


def brushes_of(level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The objects of a level that may be brushes."""
    kinds = (layout.BRUSH, layout.BRUSHES, None)
    return [obj for obj in level.all_objects if obj.type == "MESH" and identity.kind_of(obj) in kinds]


def is_library_own(level: bpy.types.Collection) -> bool:
    """Whether an export of a level writes its texture library along: it was made in Blender, has textures, and names
    no library.
    """
    root = root_of(level)
    named = level.get(layout.TEXTURE_LIBRARY) or (root.get(layout.TEXTURE_LIBRARY) if root is not None else None)
    return not named and originals.find(level) is None and bool(textures_of(brushes_of(level)))


def library_of(level: bpy.types.Collection, before: bytes | None, report: Report) -> bytes:
    """A texture library with the textures of a level's brushes, and with all that it brought along when it was
    decompiled: with their own palettes, but for those that were painted. before: the file that there is: it gets those
    that it lacks. Raises FormatError, and SceneError where there are none.
    """
    used, held = textures_of(brushes_of(level)), embedded.kept_library(level)
    for texture in held:
        used.setdefault(texture.name.lower(), (texture.name, None))
    if not used:
        raise SceneError(f"{level.name}: no brush has a material, so there are no textures to write")
    library = txl.Library() if before is None else txl.read(before)
    for name, material in used.values():
        if library.get(name) is None:
            try:
                own = held.get(name)
                if own is not None and (material is None or _shows(material, own)):
                    library.put(own.name, own.bitmap)
                elif material is not None:
                    library.add(name, _picture(material, report))
                report.count("textures")
            except (FormatError, UnicodeEncodeError) as error:
                report.warn(f"{name if material is None else material.name}: not in the library: {error}")
    return txl.write(library)


def _picture(material: bpy.types.Material, report: Report) -> Picture:
    """The picture of a material, uint8[h, w, 4], its sides powers of two: its first image, or its plain colour."""
    image = _image(material)
    if image is not None:
        return _fitted(images.to_rgba(image), image.name, report)
    report.note(f"{material.name}: has no picture, its texture is plain")
    made = np.full((PLAIN, PLAIN, 4), 255, np.uint8)
    made[..., :3] = np.round(255 * to_screen(np.clip(np.array(material.diffuse_color[:3]), 0, 1)))
    return made


def _image(material: bpy.types.Material) -> bpy.types.Image | None:
    """The first image of a material, None where it has none."""
    for node in material.node_tree.nodes if material.node_tree is not None else ():
        image = getattr(node, "image", None)
        if isinstance(image, bpy.types.Image) and min(image.size) > 0 and not images.is_placeholder(image):
            return image
    return None


def _shows(material: bpy.types.Material, texture: txl.Texture) -> bool:
    """Whether a material has this texture's picture, or shows the sky behind it, or no picture."""
    image, look = _image(material), material.get(APPEARANCE)
    if image is None or (isinstance(look, int) and look & FaceAppearance.SKY):
        return True
    now, was, colors = images.to_rgba(image), texture.pixels(), texture.indices()
    # What can be seen through is a colour's number, which the level's translucent faces say, not the library.
    return now.shape == was.shape and bool(
        (now[..., :3] == was[..., :3]).all() and ((now[..., 3] == was[..., 3]) | (colors == pictures.SEE_THROUGH)).all()
    )


def _fitted(pixels: Picture, name: str, report: Report) -> Picture:
    """A picture with sides that are the nearest powers of two, as far as the compiler takes them."""
    height, width = (min(1 << round(float(np.log2(side))), MAX_TEXTURE_SIZE) for side in pixels.shape[:2])
    if (height, width) == pixels.shape[:2]:
        return pixels
    report.warn(f"{name}: {pixels.shape[1]} x {pixels.shape[0]} pixels became {width} x {height}")
    rows, columns = (
        (np.arange(side) * 2 + 1) * was // (2 * side) for side, was in zip((height, width), pixels.shape, strict=False)
    )
    return np.ascontiguousarray(pixels[rows[:, None], columns])


class WriteTextureLibrary(sidebar.LevelOperator):
    """Write a texture library (.txl) with the textures of the level's brushes, and let the level name it. One that is
    there already gets what it lacks
    """

    failures = (*FAILURES, ValueError)
    bl_idname = "levelwright.genesis_write_textures"
    bl_label = "Write Texture Library"

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = declared.string(default="*.txl", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> sidebar.Result:
        """Ask which file."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        self.filepath = str(Path(bpy.data.filepath).parent / f"{Path(level.name).stem}.txl")
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Write it."""
        report = Report(f"{level.name} textures")
        path = chosen_files.to_write(Path(bpy.path.abspath(self.filepath)), ".txl")
        before = chosen_files.read(path) if content_folders.named_file(str(path)) is not None else None
        try:
            data = library_of(level, before, report)
        except FormatError as error:
            raise SceneError(f"{path.name} is there already, and is no texture library or damaged: {error}") from error
        for line in files.write_atomically(path, data):
            report.warn(line)
        known_files.exported(level, {path: data})  # exports look for it there
        level[layout.TEXTURE_LIBRARY] = showable(f".\\{path.name}")
        sidebar.tell(self, level, report)
