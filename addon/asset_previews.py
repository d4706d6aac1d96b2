# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of assets, made without a window: objects rendered small, materials by their image, the rest by its name."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

from ..formats import bitmap_font
from .picture import PictureSettings, choose_engine
from .scene import attributes
from .scene.media import images, materials
from .scene.media.previews import SIZE, Pixels, fitted
from .scene.view import stage

_FROM = Euler((math.radians(65.0), 0.0, math.radians(30.0))).to_matrix()
"""The camera's axes: from the front, right and above."""
_FLAT = 1e-4
"""Height, of the largest side, of what lies flat and is seen from above."""
_PAPER, _INK = (52, 56, 64, 255), (222, 226, 232, 255)


class Studio:
    """Renders objects one by one, in a scene of its own, in white light from all around.

    scene: that of their level, which says how colours are shown. is_flat: they are seen from above, else from a corner
    but for those that lie flat.
    """

    def __init__(self, scene: bpy.types.Scene, is_flat: bool) -> None:
        self.turned = Matrix.Identity(3) if is_flat else _FROM
        self.scene = bpy.data.scenes.new("Preview")
        self.scene.world = self.world = stage.plain_world("Preview", (1.0, 1.0, 1.0))
        del self.world[stage.MADE]  # it is no level's, and goes with this
        own, others = self.scene.view_settings, scene.view_settings
        if own is not None and others is not None:
            own.view_transform = others.view_transform
        self.camera = bpy.data.cameras.new("Preview")
        self.camera.type = "ORTHO"
        self.eye = bpy.data.objects.new("Preview", self.camera)
        self.scene.collection.objects.link(self.eye)
        self.scene.camera = self.eye
        output = self.scene.render
        output.resolution_x = output.resolution_y = SIZE
        output.resolution_percentage = 100
        output.film_transparent = True
        output.image_settings.file_format = "PNG"
        output.image_settings.color_mode = "RGBA"
        choose_engine(self.scene, PictureSettings(samples=4))

    def picture(self, obj: bpy.types.Object, mesh: bpy.types.Mesh) -> Pixels:
        """What an object with a mesh looks like, all of it in sight. It is at the origin."""
        points = attributes.read(mesh, "position", "POINT")  # Blender's own box of a mesh may be from before an edit
        if points is None or not np.isfinite(points).all():
            return np.zeros((SIZE, SIZE, 4), np.uint8)
        placed = points @ np.array(obj.matrix_basis.to_3x3()).T
        extent = placed.max(axis=0) - placed.min(axis=0)
        turned = self.turned if extent[2] > _FLAT * extent.max() else Matrix.Identity(3)
        seen_from = placed @ np.array(turned)
        low, high = Vector(seen_from.min(axis=0).tolist()), Vector(seen_from.max(axis=0).tolist())
        size = high - low
        self.camera.ortho_scale = max(size.x, size.y, 1e-3) * 1.1
        self.camera.clip_end = size.z + 2.0
        place = turned @ Vector(((low.x + high.x) / 2, (low.y + high.y) / 2, high.z + 1.0))
        self.eye.matrix_world = Matrix.Translation(place) @ turned.to_4x4()
        self.scene.collection.objects.link(obj)
        try:
            seen = images.from_file_bytes("Preview", images.rendered(self.scene))
            pixels = images.to_rgba(seen)
            bpy.data.images.remove(seen)
        finally:
            self.scene.collection.objects.unlink(obj)
        return pixels

    def close(self) -> None:
        """Remove what was made for it."""
        bpy.data.scenes.remove(self.scene)
        bpy.data.cameras.remove(self.camera)
        bpy.data.worlds.remove(self.world)


def of_material(material: bpy.types.Material) -> Pixels:
    """A material's first image, or its colour in Solid views, where these show that."""
    tree = material.node_tree
    for node in tree.nodes if tree is not None and not materials.shows_color(material) else ():
        image: object = getattr(node, "image", None)
        if isinstance(image, bpy.types.Image) and image.size[0] and image.size[1]:
            return fitted(images.to_rgba(image))
    color = np.clip(np.array(material.diffuse_color[:]) ** np.array([1 / 2.2] * 3 + [1.0]) * 255, 0, 255)
    return np.broadcast_to(color.astype(np.uint8), (SIZE, SIZE, 4)).copy()


def of_name(name: str) -> Pixels:
    """A card with a name on it, for what has no shape: broken at its underscores where it is long."""
    made = np.empty((SIZE, SIZE, 4), np.uint8)
    made[:] = _PAPER
    fits = (SIZE - 8) // (bitmap_font.WIDTH + 1)
    lines = _lines(name, fits)[: (SIZE - 8) // (bitmap_font.HEIGHT + 3)]
    top = (SIZE - len(lines) * (bitmap_font.HEIGHT + 3)) // 2
    for line in lines:
        mask = bitmap_font.text(line)
        left = (SIZE - mask.shape[1]) // 2
        made[top : top + mask.shape[0], left : left + mask.shape[1]][mask] = _INK
        top += bitmap_font.HEIGHT + 3
    return made


def _lines(name: str, fits: int) -> list[str]:
    """A name in lines of so many signs at most."""
    lines = [""]
    for part in name.replace("_", "_ ").split(" "):
        if lines[-1] and len(lines[-1]) + len(part) > fits:
            lines.append("")
        lines[-1] += part
    return [line[at : at + fits] for line in lines for at in range(0, max(len(line), 1), fits)]
