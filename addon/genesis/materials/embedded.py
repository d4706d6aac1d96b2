# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures that a compiled level holds itself, so that it needs no texture library."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.genesis import CompiledLevel, txl
from ....formats.genesis.compiled import pictures
from ...scene.kept import baselines, identity, originals
from ...scene.media import images
from ...scene.names import showable
from .. import layout
from ..context import ImportContext
from .library import Pictures


class EmbeddedPictures(Pictures):
    """The images of a `.bsp`'s textures, each made when it is first asked for, and held by the level under its number.

    held: whether the level keeps them, to tell what was painted; not where it is decompiled.
    """

    def __init__(self, importing: ImportContext, level: CompiledLevel, held: bool = True) -> None:
        super().__init__(importing, None)
        self.level = level
        self.held = held
        self.numbers: dict[str, int] = {}
        for number, name in enumerate(pictures.names(level)):
            self.numbers.setdefault(name.lower(), number)
        self.keyed = pictures.keyed(level)

    def size(self, name: str) -> tuple[int, int]:
        """Width and height in texels."""
        number = self.numbers.get(name.lower())
        if number is not None:
            try:
                return pictures.size(self.level, number)
            except FormatError:
                pass
        return super().size(name)

    def _make(self, name: str) -> bpy.types.Image:
        number = self.numbers.get(name.lower())
        shown = showable(name) or "(no name)"
        if number is None:
            self.importing.report.missing("textures", shown)
            return images.checker(shown, *self.size(name))
        try:
            width, height = pictures.size(self.level, number)
            self.importing.pixels.spend(width * height, "pixels")
            image = images.from_rgba(shown, pictures.read(self.level, number, bool(self.keyed[number])))
        except FormatError as error:
            self.importing.report.warn(f"texture {shown} can't be read: {error}")
            return images.checker(shown, *self.size(name))
        if self.held:
            identity.stamp(image, self.importing.token, layout.IMAGE, number)
            originals.set_resource(self.importing.collection, layout.IMAGE, number, image)
        return image


def keep_library(importing: ImportContext, level: CompiledLevel) -> None:
    """Keep the textures of a level that is decompiled with its scene, as *Write Texture Library* writes them."""
    library = txl.Library()
    pictures.library(level, library)  # those that are broken are named where they are shown
    if library.textures:
        baselines.store(importing.collection, layout.LIBRARY, np.frombuffer(txl.write(library), np.uint8))


def kept_library(level: bpy.types.Collection) -> txl.Library:
    """The textures that a level brought along when it was decompiled; none for other levels."""
    held = baselines.load(level, layout.LIBRARY)
    try:
        return txl.Library() if held is None else txl.read(held.tobytes())
    except FormatError:  # somebody edited the property
        return txl.Library()


def written_beside(level: CompiledLevel, before: bytes | None) -> tuple[bytes, list[str]]:
    """The texture library of a level that is decompiled, and which textures it doesn't get, in words.

    before: the file that is there already: it gets those that it lacks. Raises FormatError where that can't be.
    """
    library = txl.Library() if before is None else txl.read(before)
    refused = pictures.library(level, library)
    return txl.write(library), refused
