# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of a level's collection laid over those of the map: repainted, renamed, added and removed ones."""

from __future__ import annotations

from pathlib import PurePath

import bpy
import numpy as np
import numpy.typing as npt

from ....formats.teeworlds import Image, Level
from ....formats.teeworlds.check import TILESET_CELLS
from ...scene import identity, images, originals, properties
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import ImageProperties

ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".tga", ".bmp", ".webp", ".tif", ".tiff", ".exr"))


class ImageTable:
    """Which image of the map each image of the scene is. New ones join the map when they are first asked for."""

    def __init__(self, collection: bpy.types.Collection, level: Level, report: Report) -> None:
        self._level = level
        self._report = report
        self._blocks = {
            record: block
            for record, block in originals.resources(collection, layout.IMAGE).items()
            if isinstance(block, bpy.types.Image)
        }
        imported = collection.get(originals.RESOURCES + layout.IMAGE) is not None
        self._deletable = len(level.images) if imported else 0
        self._records = {block.session_uid: record for record, block in self._blocks.items()}
        self._numbers = {record: record for record in range(len(level.images))}
        self._uneven = {number for number, image in enumerate(level.images) if _is_uneven(image)}
        for record, block in self._blocks.items():
            if record in self._numbers:
                self._overlay(block, level.images[record])
            else:
                self._add(block, record)

    def block(self, record: int) -> bpy.types.Image | None:
        """The scene's image for a record number, as layers' properties hold it; None where it names none."""
        return self._blocks.get(record)

    def number(self, record: int) -> int | None:
        """The number in the map for a record number, -1 for -1; None for one that names nothing."""
        return -1 if record == -1 else self._numbers.get(record)

    def number_of(self, block: bpy.types.Image) -> int:
        """The number in the map of an image in the scene: one that the level doesn't hold yet becomes a new one."""
        if block.session_uid not in self._records:
            record = max([*self._numbers, *self._blocks, -1]) + 1
            self._records[block.session_uid] = record
            self._blocks[record] = block
            self._add(block, record)
        return self._numbers[self._records[block.session_uid]]

    def warn_uneven(self, number: int, was: int, layer: str) -> None:
        """Tell of a tile layer whose image has become one that the game takes off tile layers for its size."""
        if 0 <= number < len(self._level.images) and not (number == was and number in self._uneven):
            image = self._level.images[number]
            if _is_uneven(image):
                self._report.warn(
                    f"{layer}: image {image.name!r} has {image.width} x {image.height} px: the game shows only images "
                    f"on tile layers whose sides are multiples of {TILESET_CELLS}"
                )

    def remove_deleted(self) -> None:
        """Remove the images that the scene no longer holds. Last of all: it renumbers what the layers refer to."""
        for record in reversed(range(self._deletable)):
            if record not in self._blocks:
                self._report.note(f"image {self._level.images[record].name!r} removed")
                self._level.remove_image(record)

    def _add(self, block: bpy.types.Image, record: int) -> None:
        values, _ = _read_properties(block)
        name = values.image_name or plain_name(block.name)
        if values.external:
            image = Image.new(name, width=block.size[0], height=block.size[1], external=True)
        else:
            image = Image.new(name, _pixels(block))
        self._numbers[record] = len(self._level.images)
        self._level.images.append(image)
        self._report.count("images added")

    def _overlay(self, block: bpy.types.Image, image: Image) -> None:
        """Write what was edited of an image into its record."""
        values, changed = _read_properties(block)
        if "image_name" in changed:
            image.name = values.image_name
        elif not _is_named(block, layout.readable(image.name) or UNNAMED):
            image.name = plain_name(block.name)
        if "external" in changed and values.external:
            image.set_pixels(None)
        elif "external" in changed or not (image.external or images.unchanged(block)):
            image.set_pixels(_pixels(block))
        elif image.external and block.is_dirty:
            self._report.warn(
                f"image {block.name!r} was painted, but is external: the map holds its name only "
                "(clear its property `external` to embed it)"
            )


def _is_uneven(image: Image) -> bool:
    return bool(image.width % TILESET_CELLS or image.height % TILESET_CELLS)


UNNAMED = "unnamed"
"""What an import calls an image without name."""


def _read_properties(block: bpy.types.Image) -> tuple[ImageProperties, frozenset[str]]:
    return properties.read(block, ImageProperties)


def plain_name(name: str) -> str:
    """A data-block's name as the game names images: without the ending of a file and Blender's number for doubles."""
    name = identity.unnumbered(name)
    return PurePath(name).stem if PurePath(name).suffix.lower() in ENDINGS else name


def _is_named(block: bpy.types.Image, name: str) -> bool:
    """Whether a data-block has the name that an import gave it, give or take what Blender does to doubles."""
    return identity.is_named(block.name, name)


def _pixels(block: bpy.types.Image) -> npt.NDArray[np.uint8]:
    if images.is_placeholder(block):
        raise SceneError(f"image {block.name!r} wasn't found, only its placeholder is here: it can't be embedded")
    try:
        return images.to_rgba(block)
    except ValueError as error:
        raise SceneError(str(error)) from error
