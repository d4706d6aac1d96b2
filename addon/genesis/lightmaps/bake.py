# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baked anew with Cycles into the lightmaps of a `.bsp`, from where an export takes it: see `collect`.

Baked is the light that doesn't change (type 0): what falls on surfaces, direct and indirect, of all lights that have no
type of their own. A luxel is what a screen shows of it, as the engine multiplies a screen's numbers; so is the light of
corners (`corners`).
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import genesis
from ....formats.arrays import Bools, Singles
from ....formats.counting import number_of
from ....formats.genesis import CompiledLevel, FaceFlag
from ....formats.genesis.compiled import ChunkId, geometry, lighting, surfaces
from ....formats.genesis.compiled.lighting import LightBlocks
from ....formats.genesis.compiled.surfaces import DrawnFaces
from ....formats.luxel_pixels import spread
from ....formats.srgb import to_screen
from ...scene.kept import originals
from ...scene.kept.identity import record_of
from ...scene.reports import Report, SceneError
from ...scene.view import baking
from ...scene.work.progress import Steps, Stepwise
from .. import layout
from . import build, collect, corners

DARKEST, BRIGHTEST = 1, 255
"""Of a luxel: the compiler makes none darker."""
_TYPES = ("style", "ltype")
"""Keys of lights that have a type of their own, in lower case."""


@dataclass(frozen=True)
class LightBake:
    """How light is baked."""

    samples: int = 64
    """Rays a luxel."""
    bounces: int = 4
    """Of light; 0: only what falls straight on surfaces."""
    selected: bool = False
    """Only the selected objects; all of the level cast light and shadows anyhow."""


@Stepwise
def bake(context: bpy.types.Context, level: bpy.types.Collection, settings: LightBake, report: Report) -> Steps[None]:
    """Bake the light of a level's visible surfaces into its first image, which is packed, and into their corners.

    Surfaces that have no place for it are told. Raises SceneError for levels without lightmaps, and where nothing can
    be baked.
    """
    original = originals.find(level)
    image = collect.shown(level).get(0)
    before = genesis.read(original.data) if original is not None else None
    if original is None or image is None or not isinstance(before, CompiledLevel):
        raise SceneError(f"{level.name} has no lightmaps: only a compiled level (.bsp) has")
    if context.mode != "OBJECT":
        raise SceneError("light is baked in Object Mode")
    drawn = surfaces.of_level(before)
    found = lighting.blocks(before, drawn)
    where = collect.places(level, found)
    collect.picture(image, where)  # raises for one of another size
    objects = baking.surfaces(level, (layout.SURFACES,), layout.LIGHTMAP_UV, settings.selected)
    models = [record_of(obj, original.token) for obj in objects]
    steady = (found.type_of[:, 0] == 0) & np.isin(drawn.model, models)
    faces = np.intersect1d(np.flatnonzero(steady), collect.with_slot(found, where, 0))
    at_corners = corners.lit_at_corners(objects) if len(before.table(ChunkId.VERTEX_LIGHT)) else []
    if not objects or not (len(faces) or at_corners):
        raise SceneError(f"{level.name}: no surface with a lightmap is visible" + " and selected" * settings.selected)
    group = originals.resources(level, layout.BAKED_LIGHT).get(0)
    lightmaps: tuple[Singles, int] | None = None
    lit: list[tuple[corners.CornerLit, Singles]] = []
    yield
    with ExitStack() as stack:
        stack.enter_context(baking.valued(group, build.BAKED, 0.0))
        stack.enter_context(baking.hidden([obj for obj in level.all_objects if _has_type(obj)]))
        how = settings.samples, settings.bounces
        if len(faces):
            size = (where.width, where.height)
            baked = yield from baking.bake.steps(context, level.name, objects, size, layout.LIGHTMAP_UV, *how)
            lightmaps = spread(*baked, where, faces)
        if at_corners:
            lit = yield from corners.bake(context, level.name, at_corners, *how)
    if lightmaps is not None:
        _paint(image, *lightmaps, report)
    for each, light in lit:
        report.count("corners", corners.put(each, luxels(light)))
    _tell_others(before, drawn, found, np.isin(drawn.model, models), report)


def _paint(image: bpy.types.Image, light: Singles, count: int, report: Report) -> None:
    """Put light, float32[pixels, 3], NaN where none was baked, into a lightmap's image."""
    known = np.isfinite(light[:, 0])
    rows = baking.pixels_of(image)
    rows[known, :3] = luxels(light[known]) / np.float32(BRIGHTEST)
    baking.put_pixels(image, rows)
    report.count("luxels", count)


def _tell_others(level: CompiledLevel, drawn: DrawnFaces, found: LightBlocks, seen: Bools, report: Report) -> None:
    """Report which of the surfaces that are seen, bool[f], keep their light, as there is no place for another."""
    faces = geometry.records(level, drawn)
    at_corners = geometry.vertex_lit(faces)
    dark = seen & ~found.lit & ~at_corners & (faces["flags"] & int(FaceFlag.NO_LIGHTMAP) == 0)
    unlit = seen & at_corners & (not len(level.table(ChunkId.VERTEX_LIGHT)))
    for those, what in (
        (dark, "have no lightmap, as the compiler saw no light on them, and stay dark"),
        (seen & found.lit & (found.type_of[:, 0] != 0), "have lightmaps of lights with a type of their own alone"),
        (unlit, "are lit at their corners, but the level was compiled without light"),
    ):
        if those.any():
            report.warn(f"not baked: {number_of(int(those.sum()), f'faces {what}')}")


def luxels(light: Singles) -> Singles:
    """The luxels that show light float32[n, 3], 1 is white: as a screen has them, whole numbers."""
    return np.asarray(np.rint(to_screen(light) * BRIGHTEST).clip(DARKEST, BRIGHTEST), np.float32)


def _has_type(obj: bpy.types.Object) -> bool:
    """Whether an object is a light with a type of its own: it doesn't shine into the first lightmap."""
    keys = obj.keys()
    given = [str(obj[key]) for key in keys if key.lower() in _TYPES]
    return obj.type == "LIGHT" and any(value.strip() not in ("", "0") for value in given)
