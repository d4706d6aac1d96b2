# SPDX-License-Identifier: GPL-3.0-or-later
"""A map to a scene: see `layout` for what becomes what. A part that can't be read is left out with a warning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import bpy

from ...formats import source
from ...formats.binary import FormatError
from ...formats.steps import quietly
from ..scene import level as core
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, Stepwise, at_once, progress
from . import layout, revision, view
from .brush_models import build as world
from .brushes import build as brushes
from .collecting import scene_level
from .content import content_of
from .context import ImportContext
from .cubemaps import build as cubemaps
from .displacements import build as displacements
from .entities import build as entities
from .faces import build as faces
from .lightmaps import build as lightmaps
from .lights import build as worldlights
from .lights import lamps
from .materials.build import Materials, known_textures
from .materials.model_nodes import ModelShading
from .materials.textures import Textures
from .overlays import build as overlays
from .props import build as props
from .props import colors, detail, light
from .props.models import Models
from .settings import ImportSettings
from .sky import box
from .visibility import clusters, portals

_Made = TypeVar("_Made")
_PARTS = 24
"""How many there are at most."""


@Stepwise
def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of a map in a collection of its own, in the context's scene.

    file: the map's path or name: the collection is named after it, and a game's folder is looked for around it.
    Raises FormatError for bytes that are no map.
    """
    level, path = source.read(data, salvage=True), Path(file)
    begun = core.ImportContext.begin(
        context, layout.FORMAT, level, data, path, settings, report, display_size=64.0, scale=float(settings.scale)
    )
    content = content_of(level, path, settings, report)
    known, numbers = _known_textures(level, report)
    materials = Materials(begun.collection, begun.token, Textures(content, report, begun.token), known, numbers)
    materials.lit_props = light.is_shown(level, settings)
    importing = ImportContext(**vars(begun), content=content, materials=materials, lit_props=materials.lit_props)
    revision.show(importing)
    yield from quietly(_build(importing, materials))  # hostile floats
    scene_level.remember(importing.collection)
    for name, reason in sorted(content.unread.items()):
        report.warn(f"{name} can't be read: {reason}")
    importing.finish()
    view.prepare_scene(context, importing)
    return importing.collection


def _known_textures(
    level: source.Level, report: Report
) -> tuple[dict[str, tuple[float, float, float]], dict[str, int]]:
    """What a map says of its textures: see `known_textures`."""
    try:
        return known_textures(level)
    except FormatError as error:
        report.warn(f"colours of textures are left out: {error}")
        return {}, {}


def _build(importing: ImportContext, materials: Materials) -> Steps[None]:
    """Make all parts: first the meshes, since each new one costs more the more objects there are."""
    report, settings = importing.report, importing.settings
    with suppress(FormatError):  # where none can be read, their own part reports that
        if importing.level.entities.unread is not None:
            report.warn(f"some entities are left out: {importing.level.entities.unread}")
    with progress(_PARTS) as step:
        parts = _Parts(report, step)
        baked = yield from parts.make("lightmaps", lightmaps.build(importing))
        if baked is not None:
            materials.baked = baked.group
        elif settings.lightmaps != "none":
            materials.baked = lightmaps.fullbright(importing)
        rendered = yield from parts.make("faces", at_once(lambda: faces.prepare(importing, baked)))
        made, disp_meshes, sky = [], None, None
        if rendered is not None:
            made = (yield from parts.make("models", world.build_meshes(importing, rendered, baked))) or []
            disp_meshes = yield from parts.make("displacements", displacements.build_meshes(importing, rendered, baked))
            if settings.entities:
                find = partial(box.prepare, importing, rendered, disp_meshes)
                sky = yield from parts.make("parts of the 3D skybox", at_once(find))
        units = importing.scale if settings.fade else None
        materials.shading = ModelShading(colors.fade(importing), units, lamps.sun(importing.level))
        yield from _build_placed(importing, baked, parts)
        if rendered is not None:
            world.place_world(importing, made)
            if disp_meshes is not None:
                yield from displacements.place(importing, disp_meshes)
        if settings.brushes:
            solids = yield from parts.make("brushes", brushes.build_meshes(importing))
            brushes.place(importing, solids or [])
        if settings.leafs:
            boxes = yield from parts.make("clusters", at_once(lambda: clusters.build_mesh(importing)))
            if boxes is not None:
                clusters.place(importing, boxes)
        yield from world.place_rest(importing)
        if sky is not None:
            yield from parts.make("parts of the 3D skybox", at_once(partial(box.place, importing, sky)))


def _build_placed(importing: ImportContext, baked: lightmaps.Lightmaps | None, parts: _Parts) -> Steps[None]:
    """Make all that is placed in a map. baked: the map's light."""
    known = Models(importing)
    prepared: dict[str, Steps[Steps[None] | None]] = {}
    if importing.settings.entities:
        prepared |= {
            "entities": entities.prepare(importing, known, baked),
            "overlays": overlays.prepare(importing, baked),
            "water overlays": overlays.prepare_water(importing, baked),
            "area portals and occluders": at_once(lambda: portals.prepare(importing)),
            "cubemaps": at_once(lambda: cubemaps.prepare(importing)),
        }
    if importing.settings.static_props != "none":
        prepared["static props"] = props.prepare(importing, known)
    if importing.settings.detail_props:
        prepared["detail props"] = at_once(lambda: detail.prepare(importing, known))
    if importing.settings.worldlights:
        prepared["compiled lights"] = at_once(lambda: worldlights.prepare(importing))
    placing = []
    for title, steps in prepared.items():
        placing.append((yield from parts.make(title, steps)))
    for place in placing:
        if place is not None:
            yield from place
        parts.step()


@dataclass
class _Parts:
    """The parts of a map, one after another. One that can't be read is left out with a warning."""

    report: Report
    step: Callable[[], None]
    """Counts those that are done."""

    def make(self, title: str, steps: Steps[_Made]) -> Steps[_Made | None]:
        """What the steps make; None, and a warning, where it can't be read."""
        try:
            with progress(1, title):
                return (yield from steps)
        except (FormatError, SceneError) as error:
            self.report.warn(f"{title} are left out: {error}")
            return None
        finally:
            self.step()
