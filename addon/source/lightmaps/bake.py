# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baked anew with Cycles into the images of lightmaps, from where an export takes it: see `collect`.

Baked is what vrad puts into the first style: the light that falls on surfaces, direct and indirect, of all lights that
can't be switched. Lights with a name or a style of their own don't shine meanwhile: their styles stay as they are. The
sky shines as `_ambient` of the map's light_environment says, as far as it is seen.
Luxels beside their face, which a compiler lights too, get the light of their neighbours in the same lightmap.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Bools, Ints, Singles
from ....formats.luxel_pixels import LuxelPixels, spread
from ....formats.source import LumpId, geometry
from ....formats.source.entities.text import CLASSNAME
from ....formats.source.light import changed_faces
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.disk import chosen_files
from ...scene.kept import identity, originals
from ...scene.reports import Report, SceneError
from ...scene.view import baking
from ...scene.work.progress import Steps, Stepwise
from .. import layout
from ..lights import lamps
from . import build, collect

Light = Singles

HDR, LDR, BOTH = "hdr", "ldr", "both"
_WANTED = {
    HDR: (LumpId.LIGHTING_HDR,),
    LDR: (LumpId.LIGHTING,),
    BOTH: (LumpId.LIGHTING, LumpId.LIGHTING_HDR),
}
ALL, NEW, REACH = "all", "new", "reach"
_KINDS = frozenset((layout.MODEL, layout.ENTITY, layout.DISPLACEMENT, layout.DISPLACEMENTS))
_STYLE, _NAME = "style", "targetname"
"""Keys of lights that can be switched."""
_SUN, _AMBIENT = "light_environment", "_ambient"


@dataclass(frozen=True)
class BakeSettings:
    """How light is baked."""

    samples: int = 64
    """Rays a luxel."""
    bounces: int = 4
    """Of light; 0: only what falls straight on surfaces."""
    images: str = BOTH
    """HDR, LDR or BOTH."""
    selected: bool = False
    """Only the selected objects; all of the level cast light and shadows anyhow."""
    scene_world: bool = False
    """The scene's world shines, not the map's sky."""
    faces: str = ALL
    """ALL, NEW: those that the map `before` hasn't, or REACH: also those that see what changed since."""
    before: str = ""
    """File of an earlier version of the map, for NEW and REACH."""


@Stepwise
def bake(
    context: bpy.types.Context, level: bpy.types.Collection, settings: BakeSettings, report: Report
) -> Steps[list[bpy.types.Image]]:
    """Bake the light of a level's visible surfaces; returns the images that have it now, packed.

    Raises SceneError for levels without lightmaps, and where nothing can be baked; FormatError and OSError for a map
    `before` that can't be read.
    """
    original = originals.find(level)
    held = collect.shown(level)
    wanted = {lump: held[lump, 0, 0] for lump in _WANTED[settings.images] if (lump, 0, 0) in held}
    if original is None or not wanted:
        raise SceneError(f"{level.name} has no such lightmaps: import it with baked light")
    before = source.read(original.data)
    if build.is_unlit(before):
        report.warn(f"{level.name} has no compiled lights: the game shows all of it fully bright, whatever is baked")
    where = collect.places(level, before)
    if context.mode != "OBJECT":
        raise SceneError("light is baked in Object Mode")
    objects = baking.surfaces(level, _KINDS, layout.LIGHTMAP_UV, settings.selected)
    if not objects:
        raise SceneError(f"{level.name}: no surface with a lightmap is visible" + " and selected" * settings.selected)
    asked = _asked(before, settings)
    shown = {obj: _faces_of(obj, original.token, len(asked)) for obj in objects}
    objects = [obj for obj in objects if asked[shown[obj]].any()]
    if not objects:
        raise SceneError(f"{level.name}: no visible surface is new against {Path(settings.before).name}")
    yield
    baked, covered = yield from _baked(context, level, objects, where, settings)
    faces = np.zeros(len(asked), np.bool_)
    for obj in objects:
        faces[shown[obj]] = asked[shown[obj]]
    for lump, image in wanted.items():
        chosen = faces & _steady(before, lump)
        light, count = spread(baked, covered, where, np.flatnonzero(chosen))
        _write(image, where, light, np.isfinite(light[:, 0]))
        report.count(f"luxels ({build.TITLES[lump]})", count)
        left = int((faces & ~chosen & (np.diff(where.first) > 0)).sum())
        if left:
            report.left_out(f"faces ({build.TITLES[lump]}) whose first style is that of a light with a name", left)
    return list(wanted.values())


def _asked(level: source.Level, settings: BakeSettings) -> Bools:
    """bool[faces]: those that are to be baked. Raises SceneError, FormatError and OSError for the map `before`."""
    if settings.faces == ALL:
        return np.ones(len(level.table(geometry.drawn_faces(level))), np.bool_)
    if not settings.before:
        raise SceneError("which faces are new is told by an earlier version of the map: choose its file")
    earlier = source.read(chosen_files.read(Path(bpy.path.abspath(settings.before))))
    find = changed_faces.new if settings.faces == NEW else changed_faces.within_reach
    return find(earlier, level)


def _faces_of(obj: bpy.types.Object, token: identity.Token, count: int) -> Ints:
    """The map's faces that an object shows."""
    mesh = mesh_of(obj)
    if identity.kind_of(obj) in (layout.DISPLACEMENT, layout.DISPLACEMENTS):
        owners = attributes.read(mesh, layout.FACE, "FACE")
        numbers = np.zeros(0, np.int64) if owners is None else owners.astype(np.int64) - 1
    else:
        numbers = identity.read_ids(mesh, "FACE", token).astype(np.int64) - 1
    return np.asarray(np.unique(numbers[(numbers >= 0) & (numbers < count)]))


def _steady(before: source.Level, lump: LumpId) -> Bools:
    """bool[faces]: whose first lightmap is that of style 0."""
    count = len(before.table(geometry.drawn_faces(before)))
    hdr = lump == LumpId.LIGHTING_HDR and len(before.bytes_of(LumpId.FACES_HDR)) > 0
    styles = before.table(LumpId.FACES_HDR if hdr else LumpId.FACES)["styles"][:count, 0]
    steady = np.zeros(count, np.bool_)
    steady[: len(styles)] = styles == 0
    return steady


# --------------------------------------------------------------------------------------------------------------- Cycles


def _baked(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    objects: Sequence[bpy.types.Object],
    where: LuxelPixels,
    settings: BakeSettings,
) -> Steps[tuple[Light, Bools]]:
    """What Cycles bakes (`scene.view.baking`), as a compiler lights the map."""
    group = originals.resources(level, layout.BAKED_LIGHT).get(0)
    with ExitStack() as stack:
        if not settings.scene_world:
            stack.enter_context(baking.world_light(context, _sky(level)))
        # Surfaces are lit by Blender's lights, not by the lightmaps that they have.
        stack.enter_context(baking.valued(group, build.BAKED, 0.0))
        # Only lights that can't be switched, and no copy of what is around the sky camera: it is small where it stands.
        stack.enter_context(baking.hidden([obj for obj in level.all_objects if _is_switched(obj) or _is_scenery(obj)]))
        size = (where.width, where.height)
        how = settings.samples, settings.bounces
        return (yield from baking.bake.steps(context, level.name, objects, size, layout.LIGHTMAP_UV, *how))


def _sky(level: bpy.types.Collection) -> tuple[float, ...]:
    """How the map's sky shines where no sun is."""
    suns = [obj.get(_AMBIENT) for obj in level.all_objects if obj.get(CLASSNAME) == _SUN]
    ambient = next((text for text in suns if isinstance(text, str)), "")
    color, brightness = lamps.light_color(ambient)
    return tuple(part * brightness for part in color)


def _is_switched(obj: bpy.types.Object) -> bool:
    return obj.type == "LIGHT" and bool(obj.get(_NAME) or str(obj.get(_STYLE, "0")) not in ("0", ""))


def _is_scenery(obj: bpy.types.Object) -> bool:
    """Whether an object is for show only, as the 3D skybox is, but not since others are hidden (`visibility.show`)."""
    return identity.kind_of(obj) == layout.PREVIEW and obj.get(layout.UNSEEN) is None


# --------------------------------------------------------------------------------------------------------------- luxels


def _write(image: bpy.types.Image, where: LuxelPixels, light: Light, known: Bools) -> None:
    """Put light into an image, and keep it in the .blend."""
    collect.picture(image, where)  # raises for one of another size
    rows = baking.pixels_of(image)
    rows[known, :3] = light[known] * np.float32(build.WHITE)
    baking.put_pixels(image, rows)
