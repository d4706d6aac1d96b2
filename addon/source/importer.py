# SPDX-License-Identifier: GPL-3.0-or-later
"""A map to a scene: see `layout` for what becomes what. A part that can't be read is left out with a warning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import bpy
import numpy as np

from ...formats import source
from ...formats.binary import FormatError
from ..scene import level as core
from ..scene.reports import Report, SceneError
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
from .materials.build import Materials, known_textures
from .materials.textures import Textures
from .overlays import build as overlays
from .props import build as props
from .props import colors, detail
from .props.models import Models
from .settings import ImportSettings
from .sky import box
from .visibility import clusters, portals

_Made = TypeVar("_Made")


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Build the scene of a map in a collection of its own, in the context's scene.

    file: the map's path or name: the collection is named after it, and a game's folder is looked for around it.
    Raises FormatError for bytes that are no map.
    """
    level, path = source.read(data, salvage=True), Path(file)
    begun = core.ImportContext.begin(
        context, layout.FORMAT, level, data, path, settings, report, display_size=64.0, scale=float(settings.scale)
    )
    content = content_of(level, path, settings, report)
    known, numbers = _part(report, "colours of textures", lambda: known_textures(level)) or ({}, {})
    materials = Materials(begun.collection, begun.token, Textures(content, report, begun.token), known, numbers)
    importing = ImportContext(**vars(begun), content=content, materials=materials)
    revision.show(importing)
    _build(importing, materials)
    scene_level.remember(importing.collection)
    for name, reason in sorted(content.unread.items()):
        report.warn(f"{name} can't be read: {reason}")
    importing.finish()
    view.prepare_scene(context, importing)
    return importing.collection


@np.errstate(all="ignore")  # hostile floats
def _build(importing: ImportContext, materials: Materials) -> None:
    """Make all parts: first the meshes, since each new one costs more the more objects there are."""
    report = importing.report
    with suppress(FormatError):  # where none can be read, their own part reports that
        if importing.level.entities.unread is not None:
            report.warn(f"some entities are left out: {importing.level.entities.unread}")
    baked = _part(report, "lightmaps", lambda: lightmaps.build(importing))
    if baked is not None:
        materials.baked = baked.group
    elif importing.settings.lightmaps != "none":
        materials.baked = lightmaps.fullbright(importing)
    rendered = _part(report, "faces", lambda: faces.prepare(importing, baked))
    sky = None
    if rendered is not None:
        made = _part(report, "models", lambda: world.build_meshes(importing, rendered, baked)) or []
        disp_meshes = _part(report, "displacements", lambda: displacements.build_meshes(importing, rendered, baked))
        if importing.settings.entities:
            sky = _part(report, "parts of the 3D skybox", lambda: box.prepare(importing, rendered, disp_meshes))
    materials.fades = colors.fade(importing)
    _build_placed(importing, baked)
    if rendered is not None:
        world.place_world(importing, made)
        if disp_meshes is not None:
            displacements.place(importing, disp_meshes)
    if importing.settings.brushes:
        brushes.place(importing, _part(report, "brushes", lambda: brushes.build_meshes(importing)) or [])
    if importing.settings.leafs:
        boxes = _part(report, "clusters", lambda: clusters.build_mesh(importing))
        if boxes is not None:
            clusters.place(importing, boxes)
    world.place_rest(importing)
    if sky is not None:
        _part(report, "parts of the 3D skybox", lambda: box.place(importing, sky))


def _build_placed(importing: ImportContext, baked: lightmaps.Lightmaps | None) -> None:
    """Make all that is placed in a map. A part that can't be read is left out with a warning.

    baked: the map's light.
    """
    known = Models(importing)
    parts: list[tuple[str, Callable[[], entities.Step]]] = []
    if importing.settings.entities:
        parts += [
            ("entities", lambda: entities.prepare(importing, known, baked)),
            ("overlays", lambda: overlays.prepare(importing, baked)),
            ("water overlays", lambda: overlays.prepare_water(importing, baked)),
            ("area portals and occluders", lambda: portals.prepare(importing)),
            ("cubemaps", lambda: cubemaps.prepare(importing)),
        ]
    if importing.settings.static_props != "none":
        parts.append(("static props", lambda: props.prepare(importing, known)))
    if importing.settings.detail_props:
        parts.append(("detail props", lambda: detail.prepare(importing, known)))
    if importing.settings.worldlights:
        parts.append(("compiled lights", lambda: worldlights.prepare(importing)))
    steps = [_part(importing.report, title, part) for title, part in parts]
    for step in steps:
        if step is not None:
            step()


def _part(report: Report, title: str, make: Callable[[], _Made]) -> _Made | None:
    """What `make` makes; None, and a warning, where it can't be read."""
    try:
        return make()
    except (FormatError, SceneError) as error:
        report.warn(f"{title} are left out: {error}")
        return None
