# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's texture library: where it is found, and the images and sizes that it gives."""

from __future__ import annotations

from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.genesis import txl
from ....formats.reach import AllowedFolders
from ...scene.disk import content_folders
from ...scene.media import images
from ...scene.names import showable
from .. import content
from ..context import ImportContext

UNKNOWN_SIZE = 128
"""Texels of a texture that wasn't found: most have that many."""
ENDING = ".txl"


def base_name(path: str) -> str:
    r"""The file's name in a TextureLib ("..\levels\gedit.txl"), which is a path on the author's disk."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def find(importing: ImportContext, named: str) -> txl.Library | None:
    """Find and read the library that a level names, or the one that the settings name; None, reported, without one.

    named: the level's TextureLib. It is looked for, by its name in whatever case, in the folder of the settings, beside
    the level and in the folders of the preferences.
    """
    chosen = content_folders.named(importing.settings.texture_library)
    file = content_folders.named_file(importing.settings.texture_library)
    places = [*chosen, *content_folders.around(importing.path), *content.TEXTURES.folders()]
    reach = content_folders.reach([file.parent] if file is not None else places, importing.report)
    path = file or _path(named, reach)
    if path is None:
        importing.report.missing("texture libraries", base_name(named) or "(the level names none)")
        return None
    found = _read(path, reach)
    if isinstance(found, str):
        importing.report.warn(found)
        return None
    return found


def look(named: str, reach: AllowedFolders) -> txl.Library | str:
    """The library that a level names, or in words why there is none."""
    path = _path(named, reach)
    return _read(path, reach) if path is not None else f"the texture library {showable(base_name(named))} isn't found"


def _path(named: str, reach: AllowedFolders) -> Path | None:
    return reach.find(base_name(named) if named.lower().endswith(ENDING) else "")


def _read(path: Path, reach: AllowedFolders) -> txl.Library | str:
    try:
        return txl.read(reach.read(path))
    except FormatError as error:
        return f"the texture library can't be read: {error.in_file(str(path))}"
    except OSError as error:
        return f"the texture library can't be read: {error}"


class Pictures:
    """The images of a level's textures, each made when it is first asked for."""

    def __init__(self, importing: ImportContext, library: txl.Library | None) -> None:
        self.importing = importing
        self.library = library
        self.sizes: dict[str, tuple[int, int]] = {}
        """Sizes, by name in lower case, of textures that were found before."""
        self._made: dict[str, bpy.types.Image] = {}

    def size(self, name: str) -> tuple[int, int]:
        """Width and height in texels; UNKNOWN_SIZE if it isn't there."""
        texture = self.library.get(name) if self.library else None
        if texture is not None:
            try:
                width, height = texture.size
                if width > 0 and height > 0:
                    return width, height
            except FormatError:
                pass
        return self.sizes.get(name.lower(), (UNKNOWN_SIZE, UNKNOWN_SIZE))

    def image(self, name: str) -> bpy.types.Image:
        """The image of a texture; a labelled checker, named in the report, of one that isn't there."""
        key = name.lower()
        image = self._made.get(key)
        if image is None:
            image = self._made[key] = self._make(name)
        return image

    def _make(self, name: str) -> bpy.types.Image:
        texture = self.library.get(name) if self.library else None
        shown = showable(name) or "(no name)"
        if texture is not None:
            try:
                width, height = texture.size
                self.importing.pixels.spend(width * height, "pixels")
                return images.from_rgba(shown, texture.pixels())
            except FormatError as error:
                self.importing.report.warn(f"texture {shown} can't be read: {error}")
        elif self.library is not None:
            self.importing.report.missing("textures", shown)
        return images.checker(shown, *self.size(name))
