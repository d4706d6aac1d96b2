# SPDX-License-Identifier: GPL-3.0-or-later
"""The mesh of a layer that is a plane with an image of its tiles: it only says where the image is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ....formats.teeworlds.tile_faces import SNAP
from ...scene.geometry import meshes
from ...scene.media import images
from ...scene.reports import SceneError
from .. import layout


def refuse_edited(
    layer: bpy.types.Object, sizes: Iterable[tuple[int, int]], depsgraph: bpy.types.Depsgraph | None = None
) -> None:
    """Raise SceneError for a plane that isn't the rectangle of a layer any more, however it is divided: whatever was
    moved, deleted or joined there says nothing of the tiles.

    sizes: widths and heights that it may have. depsgraph: for layers with modifiers.
    """
    data = meshes.read(layer, depsgraph, names=())
    points = data.positions.astype(np.float64)[data.corner_verts, :2]
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        following = np.arange(1, len(points) + 1)
        following[data.face_starts[1:] - 1] = data.face_starts[:-1]
        following[-1] = data.face_starts[-1]
        x, y = points.T
        area = np.abs(np.add.reduceat(x * y[following] - x[following] * y, data.face_starts)).sum() / 2
        for width, height in sizes:
            off = np.abs((*low, *high) - np.array((0, -height, width, 0))).max()
            if off <= SNAP and abs(area - width * height) < 0.5:  # of a tile
                return
    raise SceneError(f"{layer.name}: a layer drawn from images can only be painted, and its plane was edited", [layer])


def holds_tiles(image: bpy.types.ID) -> bool:
    """Whether an image holds the tiles of a layer: what is painted on it is written."""
    return any(held == image for _, held in _field_images())


def shows_new_image(material: bpy.types.ID) -> bool:
    """Whether a material is that of a layer whose images were replaced, as each stroke of the stamp tool does."""
    tree = material.node_tree if isinstance(material, bpy.types.Material) else None
    shown = {node.image for node in tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)} if tree else set()
    return any(image in shown and image.get(images.BASELINE) != own for own, image in _field_images())


def _field_images() -> Iterator[tuple[object, bpy.types.Image]]:
    """The images of layers' tiles, each with the mark of the one that the import made in its place."""
    for obj in bpy.data.objects:
        for key in layout.FIELD_IMAGES:
            image = obj.get(key)
            if isinstance(image, bpy.types.Image):
                yield obj.get(layout.OWN_IMAGE + key), image
