# SPDX-License-Identifier: GPL-3.0-or-later
"""What is added to a map that is open in Blender: entities, static props, overlays; and the outputs of entities.

New things look as if they had been imported, but are no record of the map: their stamps say -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import bpy
import numpy as np

from ...formats import source
from ...formats.source import geometry, overlay_quads, ranges
from ...formats.source.entities import CLASSNAME, ORIGIN, Entity, Output
from ...formats.source.static_props import model_name
from ..scene import identity, originals, properties, stage, transforms
from ..scene.reports import Report, SceneError
from . import importer, layout, placement
from .context import MaterialMaker, Site
from .entities import build as entities
from .entities import custom_properties
from .materials.build import Materials
from .materials.collect import plain_name
from .materials.textures import Textures
from .overlays import build as overlays
from .props import build as props
from .props import models
from .scene_level import at_fault
from .settings import ImportSettings

OVERLAY_SIZE = 64.0
"""Units across, of new overlays."""
_HALF = 16.0
_USUAL = {"fade_min_dist": -1.0, "lightmap_res_x": 32, "lightmap_res_y": 32}
"""What compilers write into new static props, where it isn't what `PropProperties` has."""


def site_of(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> Site:
    """What an import would share, of a map that is open: its collections and materials, and where content is.

    Raises SceneError for a collection that is no map or has lost its original, or whose root is gone.
    """
    original = originals.find(level)
    marks = [(obj, identity.stamped(obj)) for obj in level.all_objects]
    root = next((obj for obj, mark in marks if mark is not None and mark.kind == layout.ROOT), None)
    if original is None or root is None:
        raise SceneError(f"{level.name} is no imported map with its root empty")
    with at_fault():
        read = source.read(original.data)
        known = {key: value for key, value in original.options.items() if key in ImportSettings.__dataclass_fields__}
        settings = ImportSettings(**known)
        folder = Path(bpy.data.filepath).parent if bpy.data.filepath else Path()
        content = importer.content_of(read, folder / original.file_name, settings, report)
        made = Materials(level, original.token, Textures(content, report, original.token), *importer.named(read))
    groups = {}
    for child in level.children:
        groups[_plain(child), ""] = child
        groups.update({(_plain(each), _plain(child)): each for each in child.children})
    return Site(read, level, root, original.token, stage.scene_of(context), settings, report, content,
                _Kept(made, original.token), _groups=groups)  # fmt: skip


def _plain(collection: bpy.types.Collection) -> str:
    """A collection's name without the number that Blender gives it."""
    return identity.unnumbered(collection.name)


class _Kept:
    """The materials that a map has, and others once they are asked for."""

    def __init__(self, rest: MaterialMaker, token: int) -> None:
        self.rest, self.token = rest, token

    def of(
        self, name: str, lightmapped: bool = False, size: tuple[int, int] = (512, 512), water: bool = False
    ) -> bpy.types.Material:
        """See `site.MaterialMaker`."""
        shown = layout.readable(name)
        for material in list(bpy.data.materials):
            mark = identity.stamped(material)
            if (mark is None or mark.token == self.token) and material.get(layout.MATERIAL) == shown:
                return material
        made = self.rest.of(name, lightmapped, size, water)
        mark = identity.stamped(made)
        if mark is not None and mark.record < 0:
            identity.unstamp(made)  # the map has no texture of this name yet
        return made


def add_entity(
    context: bpy.types.Context, level: bpy.types.Collection, classname: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add an entity of a class, with the defaults that the game definition has. place: units, below the root.

    Raises SceneError.
    """
    if not classname or not classname.isascii() or not classname.isprintable() or '"' in classname:
        raise SceneError(f"{classname!r} can't be the name of a class")
    site = site_of(context, level, report)
    definition = entities.types_of(site).definitions.of(classname)
    keys = definition.keys.values() if definition is not None else ()
    pairs = [(key.name, key.default) for key in keys if key.default and key.name.lower() not in (CLASSNAME, ORIGIN)]
    pairs = [(CLASSNAME, classname), *pairs, (ORIGIN, " ".join(placement.text(value) for value in place))]
    return entities.add(site, Entity(pairs))


def add_static_prop(
    context: bpy.types.Context, level: bpy.types.Collection, model: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add a static prop of a model, as compilers make them. place: units, below the root. Raises SceneError."""
    site = site_of(context, level, report)
    with at_fault():
        lump = site.level.static_props
        if lump is None or lump.props is None:
            raise SceneError(f"{level.name}: the map has no static props that more could be added to")
        if not models.is_model(model):
            raise ValueError(f"{model!r} is no model's path: models/props/crate.mdl is one")
        model_name(model)
        fields = lump.props.dtype.names or ()
        usual = {name: value for name, value in _USUAL.items() if name in fields}
        values = props.properties_of(fields)(model=model, **usual)
    title = PurePosixPath(models.normal(model)).stem
    obj: Any = bpy.data.objects.new(f"Prop {title}", _mesh(site, model) or models.box(title, [-_HALF] * 3, [_HALF] * 3))
    obj.parent = site.root
    identity.stamp(obj, site.token, layout.STATIC_PROP, -1)
    obj.location = place
    properties.write(obj, values)
    transforms.remember(obj)
    site.group(props.HOME).objects.link(obj)
    made: bpy.types.Object = obj
    return made


def _mesh(site: Site, model: str) -> bpy.types.Mesh | None:
    """The mesh of a model: one that the map has already, or that its file gives; None where there is none."""
    for mesh in list(bpy.data.meshes):
        if mesh.get(layout.MODEL_PATH) == models.normal(model) and not mesh.get(layout.SKIN):
            return mesh
    return models.Models(site).of(model)


def add_overlay(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    material: str,
    place: Sequence[float],
    report: Report,
    size: float = OVERLAY_SIZE,
) -> bpy.types.Object:
    """Add an overlay of a material on the face of the world that is next to a place (units, below the root).

    Raises SceneError.
    """
    name = plain_name(material)
    if not name:
        raise SceneError("an overlay needs a material, by its path: decals/decalstain01a")
    site = site_of(context, level, report)
    with at_fault():
        corners, normal = _on_face(site.level, np.array(place, np.float64), size)
    middle = corners.mean(axis=0)
    title = f"Overlay {name.rpartition('/')[2]}"
    uvs = np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.float32)
    mesh = overlays.quad(title, corners - middle, uvs, np.arange(4)[::-1], site)
    mesh.materials.append(site.materials.of(name))
    obj: Any = bpy.data.objects.new(mesh.name, mesh)
    obj.parent = site.root
    identity.stamp(obj, site.token, layout.OVERLAY, -1)
    obj.location, obj.delta_location = middle.tolist(), (normal * overlays.LIFT).tolist()
    obj[overlays.ORDER] = 0
    transforms.remember(obj)
    site.group(overlays.HOME).objects.link(obj)
    made: bpy.types.Object = obj
    return made


def _on_face(level: source.Level, place: geometry.Floats, size: float) -> tuple[geometry.Floats, geometry.Floats]:
    """Corners float64[4, 3] of a square on the nearest face, in the order of an overlay's, and the face's normal.

    Raises FormatError, and ValueError where no face is near.
    """
    polygons = geometry.readable_polygons(level)
    filled = np.flatnonzero(np.diff(polygons.first_corner) > 2)
    counts = np.diff(polygons.first_corner)[filled]
    starts = polygons.first_corner[:-1][filled]
    points = polygons.positions.astype(np.float64)[polygons.corners]
    face = -1
    if len(filled):
        inner = points[ranges.flat(starts, counts)]
        within = ranges.starts(counts)[:-1]
        mins, maxs = np.minimum.reduceat(inner, within), np.maximum.reduceat(inner, within)
        normals = geometry.area_normals(polygons)[filled]
        lengths = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
        unit = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
        face = int(overlay_quads.nearest_faces(place[None], unit, points[starts], mins, maxs)[0])
    if face < 0:
        raise ValueError("no face of the world is there: put the 3D cursor next to one")
    quad = overlay_quads.decal_quads(
        place[None], unit[face : face + 1], points[starts][face : face + 1], np.full((1, 2), size)
    )[0]
    return quad[[0, 3, 2, 1]], unit[face]


# ------------------------------------------------------------------------------------------------------------- outputs


def outputs_of(obj: bpy.types.Object) -> list[tuple[int, Output]]:
    """The outputs of an entity's object, each with its place among those of its key."""
    found = []
    for key in custom_properties.written_keys(obj):
        if isinstance(obj.get(key), list | str):
            made = [Output.of_pair(key, value) for value in custom_properties.as_values(obj.get(key))]
            found += [(place, output) for place, output in enumerate(made) if output is not None]
    return found


def set_output(obj: bpy.types.Object, output: Output, place: int | None = None) -> None:
    """Give an entity's object an output in the place of one of the same key, or behind those. Raises SceneError."""
    if Output.of_pair(output.name, output.value) != output:
        raise SceneError(f"{output.value!r} would be read as something else", [obj])
    values = custom_properties.as_values(obj.get(output.name)) if obj.get(output.name) is not None else []
    if place is None:
        values.append(output.value)
    else:
        values[place] = output.value
    obj[output.name] = [custom_properties.readable(value) for value in values]


def remove_output(obj: bpy.types.Object, key: str, place: int) -> None:
    """Take an output away from an entity's object."""
    values = custom_properties.as_values(obj.get(key))
    del values[place]
    if values:
        obj[key] = [custom_properties.readable(value) for value in values]
    else:
        del obj[key]
