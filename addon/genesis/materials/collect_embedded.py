# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted textures back into the compiled level that holds them."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.genesis import CompiledLevel
from ....formats.genesis.compiled import pictures
from ...scene.kept import originals
from ...scene.media import images
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext


def collect_pictures(exporting: ExportContext, level: CompiledLevel) -> None:
    """Write the images of textures that were painted. Raises SceneError for ones of another size."""
    names, keyed = pictures.names(level), pictures.keyed(level)
    for number, image in originals.resources(exporting.collection, layout.IMAGE).items():
        if not isinstance(image, bpy.types.Image) or number >= len(names) or images.unchanged(image):
            continue
        try:
            now, was = images.to_rgba(image), pictures.read(level, number, bool(keyed[number]))
            if now.shape == was.shape and np.array_equal(_seen(now), _seen(was)):
                continue
            pictures.replace(level, number, now, bool(keyed[number]))
        except (FormatError, ValueError) as error:
            raise SceneError(f"image {image.name!r}: {getattr(error, 'message', error)}") from error
        exporting.note(f"texture {names[number]} changed")


def _seen(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Pixels of which those that can be seen through are alike."""
    hidden = pixels[:, :, 3] < pictures.HALF
    return np.where(hidden[:, :, None], 0, pixels[:, :, :3]).astype(np.uint8)
