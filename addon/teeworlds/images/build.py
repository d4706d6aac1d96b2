# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of a map: embedded ones packed, external ones looked up as the games do, a labelled checker otherwise."""

from __future__ import annotations

from pathlib import Path

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.reach import AllowedFolders
from ....formats.teeworlds.profiles import is_seven
from ...scene.fields import properties
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.names import showable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..materials.shading import Picture

SEVEN = frozenset(("easter", "generic_shadows", "generic_unhookable", "grass_doodads", "grass_main", "winter_main"))
"""Names under which 0.7 has other images than 0.6: DDNet keeps those as `<name>_0.7.png` (teeworlds.md §3)."""


def build(importing: ImportContext) -> Steps[list[Picture | None]]:
    """Make all images of a map, used or not, as resources of its collection; returns them by record."""
    level = importing.level
    pictures = []
    with progress(len(level.images), "images") as step:
        for record, image in enumerate(level.images):
            picture = _external(image, importing) if image.external else _embedded(image, importing)
            images.set_color_space(picture.image, "Non-Color")  # the numbers as they stand in the file: see `shading`
            picture.image.alpha_mode = "CHANNEL_PACKED"
            properties.write(picture.image, layout.ImageProperties(image.name, image.external))
            identity.stamp(picture.image, importing.token, layout.IMAGE, record)
            originals.set_resource(importing.collection, layout.IMAGE, record, picture.image)
            pictures.append(picture)
            yield step()
    importing.report.count("images", len(pictures))
    return list(pictures)


def _embedded(image: teeworlds.Image, importing: ImportContext) -> Picture:
    """An image that the map holds. Where it can't be read, no other one stands for it: an export would embed that."""
    name = layout.readable(image.name)
    try:
        importing.pixels.spend(max(image.width, 0) * max(image.height, 0), f"image {name!r}")
        pixels = image.pixels()
    except FormatError as error:
        importing.report.warn(f"image {name!r} shows a placeholder: {error.message}")
        return _placeholder(image, importing)
    if pixels is None or not pixels.size:
        importing.report.missing("images", name or "without name")
        return _placeholder(image, importing)
    made = images.from_rgba(name or layout.UNNAMED, pixels, non_color=True)
    return Picture(made, pixels.shape[1], pixels.shape[0])


def _external(image: teeworlds.Image, importing: ImportContext) -> Picture:
    """An image of which the map holds only the name: that of the first folder which has one, 0.7's own before 0.6's."""
    name, reach = layout.readable(image.name), importing.reach
    endings = ("_0.7.png", ".png") if name in SEVEN and is_seven(importing.level) else (".png",)
    path = reach.find(name, endings, importing.folders)
    if path is not None:
        try:
            width, height = _png_size(path, reach)
            loaded = images.load(path, reach)
            loaded.name = showable(name)
            return Picture(loaded, width, height)
        except (OSError, RuntimeError, ValueError) as error:
            importing.report.warn(f"image {name!r}: {path}: {error}")
    importing.report.missing("images", name or "without name")
    return _placeholder(image, importing)


def _placeholder(image: teeworlds.Image, importing: ImportContext) -> Picture:
    width, height = (min(max(size, 16), 1024) for size in (image.width, image.height))
    try:
        importing.pixels.spend(width * height, "pixels")
    except FormatError:
        width, height = 16, 16
    return Picture(images.checker(layout.readable(image.name) or layout.UNNAMED, width, height), width, height)


def _png_size(path: Path, reach: AllowedFolders) -> tuple[int, int]:
    """Width and height from a PNG's header: asking Blender would make it decode the whole image."""
    with reach.open(path) as file:
        head = file.read(24)
    if len(head) < 24 or head[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG file")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
