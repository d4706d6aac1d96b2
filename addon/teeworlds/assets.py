# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map becomes assets: layers of tiles and quads, patterns of tiles, animated quads, sounds.

All of them are layers that are in no map. Dragged in, they are put into a group.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import bpy
import numpy as np

from ...formats.teeworlds import patterns
from ...formats.teeworlds.items import cut
from ..scene import assets, attributes
from ..scene.assets import AssetRules, Candidate, text_property
from ..scene.fields import properties
from ..scene.geometry import mesh_parts, meshes
from ..scene.kept import identity
from ..scene.kept.identity import kind_of
from ..scene.names import storable
from ..scene.reports import SceneError
from . import layout
from .materials.build import Materials
from .materials.collect import shown_images
from .quads.build import ENVELOPES, OFFSET
from .stamp.saved import CATALOG, stamp_object
from .structure.parts import all_layers, layer_above, tile_kind
from .tiles.grid import TileGrid

_NUMBERS = ("image", "color_envelope", "color_envelope_offset")
"""Numbers of the map's own records; the image is the one that the material shows."""
_NAME_BYTES = 11
"""Of a layer's name."""
_SHOWN = ("TILES", None)
"""Kinds of tiles whose layers are assets, and quads: a map has one layer of each kind of physics."""


def _object_key(obj: bpy.types.Object) -> str:
    if kind_of(obj) != layout.LAYER or text_property(obj, layout.STORAGE) != layout.MESH:
        return ""
    is_filled = isinstance(obj.data, bpy.types.Mesh) and obj.data.polygons and obj.data.materials
    if not is_filled or _is_clipped(obj) or tile_kind(obj) not in _SHOWN:
        return ""
    found = shown_images(obj, obj.active_material)
    if tile_kind(obj) is None:
        shown = found[0].name if found else "plain"
        return f"quads/{shown}/{text_property(obj, 'layer_name') or 'Quads'}"
    return f"{found[0].name}/{text_property(obj, 'layer_name') or 'Tiles'}" if found else ""


def _is_clipped(obj: bpy.types.Object) -> bool:
    """Whether its material draws only what its group's clip rectangle lets through."""
    return any(kind_of(other) == layout.CLIP for home in obj.users_collection for other in home.objects)


def _forgets(obj: bpy.types.Object) -> tuple[str, ...]:
    return _NUMBERS if obj.get("tile_kind") is not None else ()


def _stand_alone(obj: bpy.types.Object) -> None:
    """Let the uppermost and leftmost point be where the object is: so it is dropped where the mouse points."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh):
        return
    obj.data = mesh = mesh.copy()
    is_quads = obj.get("tile_kind") is None
    points = attributes.read(mesh, "position", "POINT")
    if points is not None and kind_of(obj) == layout.LAYER:
        corner = np.array([np.round(points[:, 0].min()), np.round(points[:, 1].max()), 0.0], np.float32)
        attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", points - corner)
        pivots = attributes.read(mesh, layout.PIVOT, "FACE")
        if pivots is not None:
            attributes.write(mesh, layout.PIVOT, "FACE", "FLOAT_VECTOR", pivots - corner)
        mesh.update()
    if is_quads:
        _forget_numbers(obj, mesh)


def _forget_numbers(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """Have quads name neither image nor envelopes by their numbers in a map."""
    if obj.get("image") is not None:  # which says that it is a layer of quads
        obj["image"] = int(layout.NEW)
    for name in (name + end for name in ENVELOPES.values() for end in ("", OFFSET)):
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])


def _pieces(level: bpy.types.Collection) -> Iterator[Candidate]:
    """Give the patterns of tiles, the quads that envelopes move or colour, and a source of each sound."""
    materials = Materials.of_level(level)
    for layer in sorted(all_layers(level), key=lambda one: one.name):
        if tile_kind(layer) == "TILES" and layer.get(layout.STORAGE) != layout.KEPT:
            yield from _patterns(level, layer, materials)
    for obj in sorted(level.all_objects, key=lambda one: one.name):
        above = layer_above(obj)
        if above is None or _is_clipped(obj):
            continue
        if kind_of(obj) == layout.QUAD and obj.animation_data is not None and obj.type == "MESH":
            yield _quad(obj, text_property(above, "layer_name"))
        elif isinstance(obj.data, bpy.types.Speaker) and obj.data.sound is not None:
            yield _source(obj, obj.data.sound.name)


def _patterns(level: bpy.types.Collection, layer: bpy.types.Object, materials: Materials) -> Iterator[Candidate]:
    """Give the patterns of a layer, with a material of its image that no clip rectangle cuts."""
    try:
        grid = TileGrid(layer)
    except SceneError:
        return
    image = layer.get("image")
    picture = materials.picture(image) if isinstance(image, int) else None
    if picture is None:
        return
    for stamp in patterns.patterns(grid.kind, grid.values):
        height, width = stamp.shape
        title = f"{layout.plain_name(picture.image.name)} {width} x {height}"
        made = stamp_object(level, stamp, title, materials.tiles(image))
        yield Candidate(made, f"{picture.image.name}/{zlib.crc32(stamp.tiles):08x}/{title}", CATALOG, is_piece=True)


def _quad(obj: bpy.types.Object, layer_name: str) -> Candidate:
    """A quad that plays envelopes, as a layer of its own."""
    made = _layer(obj, layout.QuadLayerProperties(layer_name=layer_name))
    mark = identity.stamped(obj)
    title = f"{layer_name or 'Quads'} quad {mark.record if mark is not None else ''}".rstrip()
    return Candidate(made, f"{_look(obj)}/{title}", "Quads", is_piece=True)


def _look(obj: bpy.types.Object) -> str:
    """What quads have in common that look and move alike, wherever they are."""
    data = meshes.read(obj)
    uvs, colors = data.uv(layout.UV), data.attribute(layout.COLOR, "CORNER")
    shown = zlib.crc32(b"".join(each.tobytes() for each in (uvs, colors) if each is not None))
    strips = obj.animation_data.nla_tracks if obj.animation_data is not None else ()
    played = [strip.action.name for track in strips for strip in track.strips if strip.action is not None]
    return f"{mesh_parts.whole(data).shape_key()} {shown:08x} {' '.join(played)}"


def _source(obj: bpy.types.Object, sound: str) -> Candidate:
    """A source of a sound, as a layer of its own."""
    made = _layer(obj, layout.SoundLayerProperties(layer_name=cut(sound, _NAME_BYTES)))
    return Candidate(made, f"sound/{sound}", "Sounds", is_piece=True)


def _layer(obj: bpy.types.Object, said: layout.QuadLayerProperties | layout.SoundLayerProperties) -> bpy.types.Object:
    """A copy of a layer's element that is a layer by itself, in no map."""
    made = assets.alone(obj, ASSETS)
    identity.stamp(made, identity.Token(0), layout.LAYER, -1)
    properties.write(made, said)
    made[layout.STORAGE] = storable(layout.MESH)
    return made


def _moves(obj: bpy.types.Object) -> bool:
    return kind_of(obj) == layout.QUAD


ASSETS = AssetRules(
    object_key=_object_key, forgets=_forgets, stand_alone=_stand_alone, keeps_motion=_moves, pieces=_pieces
)
