# SPDX-License-Identifier: GPL-3.0-or-later
"""The room of tests.formats.source_bytes in Blender: with files in its pak, with light, and seen from above."""

from pathlib import Path

import bpy
import numpy as np
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import importer
from levelwright.addon.source.settings import ImportSettings

from tests.formats import source_bytes as build
from tests.formats import source_content_bytes as content

NAME = "DEV/DEV_MEASUREGENERIC01"
WORLDLIGHTS = 15
GREY = (128, 128, 128, 255)
LIGHT = (200, 100, 50, 0)


def texture(*pixels: tuple[int, int, int, int], size: int = 4) -> bytes:
    """A texture of RGBA pixels, as many as there are, repeated."""
    rows = np.resize(np.array(pixels, np.uint8), (size * size, 4))
    return content.vtf(rows.tobytes(), size, size, form=0)


def room(
    material: str = "", light: tuple[int, int, int, int] = LIGHT, lumps: dict[int, bytes] | None = None, **files: bytes
) -> bytes:
    """A map: every luxel is `light` (red, green, blue, exponent); its material; textures by their names."""
    pak = {f"materials/{name}.vtf": data for name, data in files.items()}
    if material:
        pak[f"materials/{NAME.lower()}.vmt"] = material.encode()
    made = build.room()
    made[WORLDLIGHTS] = bytes(88)  # a lamp: without any, the game shows maps fully bright
    made[build.LIGHTING] = (np.array(light).astype(np.int8).tobytes()) * 30
    made[build.PAKFILE] = build.zip_file(pak) if pak else b""
    return build.Bsp(lumps={**made, **(lumps or {})}).build()


def imported(data: bytes, name: str = "room.bsp", report: Report | None = None, **options) -> bpy.types.Collection:
    """Import a map with these options; without them, its entities and props are left out."""
    chosen = {"entities": False, "static_props": "none", **options}
    return importer.import_level(
        bpy.context, data, name, ImportSettings(**chosen), Report() if report is None else report
    )


def of_kind(level: bpy.types.Collection, *kinds: str) -> list[bpy.types.Object]:
    """The level's objects of these kinds."""
    return [obj for obj in level.all_objects if (mark := identity.stamped(obj)) and mark.kind in kinds]


def token_of(level: bpy.types.Collection) -> int:
    """The import's token."""
    return originals.describe(level).token


def seen_from_above(
    folder: Path, size: int = 8, height: float = 0.0, width: float = 100.0, samples: int = 4
) -> np.ndarray:
    """The scene from a height in units, looking down: linear RGB [y upwards, x, 3] of so many units."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", width * 0.01905
    camera.data.clip_start = 0.001
    camera.location = (0, 0, height * 0.01905)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.cycles.pixel_filter_type = "BOX"
    return rendered(folder, size, size, samples)


def rendered(folder: Path, width: int, height: int, samples: int) -> np.ndarray:
    """What the scene's camera sees in Cycles: linear RGB [y upwards, x, 3]."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", samples, False
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(folder / "seen.exr")
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(scene.render.filepath, check_existing=False)
    pixels = np.empty(width * height * 4, np.float32)
    picture.pixels.foreach_get(pixels)
    return pixels.reshape(height, width, 4)[..., :3]


def linear(value: float) -> float:
    """What a byte of an sRGB texture shines."""
    part = value / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
