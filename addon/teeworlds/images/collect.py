# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of a level's collection back to those of the map: repainted, renamed, added and removed ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ....formats.arrays import Bytes, Indices
from ....formats.teeworlds import Image, Level, QuadLayer, TileLayer
from ....formats.teeworlds.check import TILESET_CELLS
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import ImageProperties, read_properties
from ..materials.collect import faces_of_materials, is_ours, materials_of, shown_images
from ..materials.physics import is_drawing

Shows = TileLayer | QuadLayer
"""A layer that shows an image."""


class ImageTable:
    """Which image of the map each image of the scene is. New ones join the map when they are first asked for.

    `apply` first, `remove_deleted` last.
    """

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
        self._count = len(level.images)
        self._showing_none: list[Shows] = []

    def apply(self) -> None:
        """Write what was edited of the images into their records, and add those that have none."""
        for record, block in self._blocks.items():
            if record in self._numbers:
                self._merge(block, self._level.images[record])
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
            same = next((record for record, own in self._blocks.items() if _is_same_asset(block, own)), None)
            record = max([*self._numbers, *self._blocks, -1]) + 1 if same is None else same
            self._records[block.session_uid] = record
            if same is None:
                self._add(block, record)
        return self._numbers[self._records[block.session_uid]]

    def of_layer(
        self,
        obj: bpy.types.Object,
        parts: Sequence[bpy.types.Object],
        layer: Shows,
        by_property: int,
        edited: bool,
        new: bool,
    ) -> int:
        """The number of a layer's image: as its material shows it or its property tells it, whichever was edited.

        parts: the objects of the layer, none where they don't show its image. by_property: the record number that the
        property holds; `edited`: it is to be written. new: the layer's record was made for it. Raises SceneError where
        nobody can tell which image is meant.
        """
        _refuse_joined(obj, parts)
        before = layer.image
        block, number = self.block(by_property if new else before), before
        materials = materials_of(parts)
        shown = [image for material in [*materials][:1] for image in shown_images(obj, material) if image != block]
        if len(shown) > 1:
            names = ", ".join(repr(image.name) for image in shown)
            raise SceneError(f"{obj.name}: a layer has one image, its material shows {len(shown)}: {names}", [obj])
        if shown and edited and not new and shown[0] != self.block(by_property):
            raise SceneError(
                f"{obj.name}: its property image says {by_property}, its material shows {shown[0].name!r}: "
                "both were edited",
                [obj],
            )
        if shown:
            block, number = shown[0], self.number_of(shown[0])
        elif edited:
            named = self.number(by_property)
            if named is None and not new:
                raise SceneError(f"{obj.name}: there is no image {by_property}", [obj])
            block, number = self.block(by_property), -1 if named is None else named
        elif before >= self._count:
            self._showing_none.append(layer)
        self._warn_others(obj, materials, block)
        if block is not None:
            self._warn_bare(parts, block)
        return number

    def _warn_others(
        self,
        obj: bpy.types.Object,
        materials: dict[bpy.types.Material, bpy.types.Object],
        block: bpy.types.Image | None,
    ) -> None:
        """Name the images that materials of a layer show and the map won't; `block`: the one that it will. And
        materials of others that show none, of which no map has anything.
        """
        for material, part in materials.items():
            if block is None and not (is_ours(material) or shown_images(obj, material)):
                self._report.warn(
                    f"{part.name}: material {material.name!r} shows no image, so that the map has nothing of it", [part]
                )
            images_or_none: list[bpy.types.Image | None] = [*shown_images(obj, material)]
            for image in images_or_none or [None]:
                if image != block:
                    shown = "no image" if image is None else f"image {image.name!r}"
                    name = "none" if block is None else repr(block.name)
                    self._report.warn(
                        f"{part.name}: material {material.name!r} shows {shown}, the map will show {name}: a layer has "
                        "one image, to be set in the sidebar"
                    )

    def _warn_bare(self, parts: Sequence[bpy.types.Object], block: bpy.types.Image) -> None:
        """Name objects of a layer without a material, where the map will show an image."""
        for part in parts:
            shows = (
                isinstance(part.data, bpy.types.Mesh)
                and part.data.polygons
                and identity.kind_of(part) != layout.PREVIEW
            )
            if shows and not materials_of([part]):
                self._report.warn(f"{part.name}: without a material, the map will show {block.name!r} there", [part])

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
        """Remove the images that the scene no longer holds. Last of all: it renumbers what the layers refer to.

        Layers whose number named no image go on showing none, also where that number is now a new image's.
        """
        for layer in self._showing_none:
            if layer.image < len(self._level.images):
                layer.image = -1
        for record in reversed(range(self._deletable)):
            if record not in self._blocks:
                self._report.note(f"image {self._level.images[record].name!r} removed")
                self._level.remove_image(record)

    def _add(self, block: bpy.types.Image, record: int) -> None:
        values, _ = read_properties(block, ImageProperties)
        name = values.image_name or layout.plain_name(block.name)
        if values.external:
            image = Image.new(name, width=block.size[0], height=block.size[1], external=True)
        else:
            image = Image.new(name, _pixels(block))
        self._numbers[record] = len(self._level.images)
        self._level.images.append(image)
        self._report.count("images added")

    def _merge(self, block: bpy.types.Image, image: Image) -> None:
        """Write what was edited of an image into its record."""
        values, changed = read_properties(block, ImageProperties)
        if "image_name" in changed:
            image.name = values.image_name
        elif not _is_named(block, layout.readable(image.name) or layout.UNNAMED):
            image.name = layout.plain_name(block.name)
        if "external" in changed and values.external:
            image.set_pixels(None)
        elif "external" in changed or not (image.external or images.unchanged(block)):
            image.set_pixels(_pixels(block))
        elif image.external and images.seems_painted(block):
            self._report.warn(
                f"image {block.name!r} was painted, but is external: the map holds its name only "
                "(clear its property `external` to embed it)"
            )


def _refuse_joined(obj: bpy.types.Object, parts: Iterable[bpy.types.Object]) -> None:
    """Refuse faces of one object that show different images, as where layers were joined. obj: the layer's object."""
    for part in parts:
        shown: dict[str, Indices] = {}
        for material, faces in faces_of_materials(part).items():
            found = shown_images(obj, material)
            if any(map(is_drawing, found)):
                continue  # joined in from a physics layer, which has no image
            names = [f"image {image.name!r}" for image in found] or ["no image"]
            shown[names[0]] = np.concatenate((shown.get(names[0], faces[:0]), faces))
        if len(shown) > 1:
            (first, _), *others = shown.items()
            rest = " and ".join(name for name, _ in others)
            raise SceneError(
                f"{part.name}: its faces show {first} and {rest}: a layer has one image (were layers joined?)",
                [part],
                {part: np.concatenate([faces for _, faces in others])},
            )


def _is_same_asset(block: bpy.types.Image, own: bpy.types.Image) -> bool:
    """Whether an image came from the asset browser, and is one that the map has: same name, same pixels."""
    mark = identity.stamped(block)
    if mark is None or mark.token or not (images.unchanged(block) and images.unchanged(own)):
        return False
    names = [read_properties(one, ImageProperties)[0].image_name for one in (block, own)]
    return names[0] == names[1] and block.get(images.BASELINE) == own.get(images.BASELINE)


def _is_uneven(image: Image) -> bool:
    return bool(image.width % TILESET_CELLS or image.height % TILESET_CELLS)


def _is_named(block: bpy.types.Image, name: str) -> bool:
    """Whether a data-block has the name that an import gave it, give or take what Blender does to doubles."""
    return identity.is_named(block.name, name)


def _pixels(block: bpy.types.Image) -> Bytes:
    if images.is_placeholder(block):
        raise SceneError(f"image {block.name!r} wasn't found, only its placeholder is here: it can't be embedded")
    try:
        return images.to_rgba(block)
    except ValueError as error:
        raise SceneError(str(error)) from error
