# SPDX-License-Identifier: GPL-3.0-or-later
"""Making and changing maps in Blender: a new map, groups, layers and images added, moved and removed, tiles filled in.

What is made here looks as if it had been imported, but is no record of any file: its stamps say -1.
"""

from __future__ import annotations

from typing import TypeVar

import bpy
import numpy as np
import numpy.typing as npt

from ...formats import teeworlds
from ...formats.teeworlds.quads import default_quads
from ...formats.teeworlds.tile_faces import TILE_FIELDS
from ...formats.teeworlds.tiles import ORIENTATION, corner_uvs
from ..scene import identity, meshes, originals, properties
from ..scene.attributes import Domain, Kind
from ..scene.reports import Report, SceneError
from . import importer, layout
from .envelopes.build import Envelopes
from .groups import build as groups
from .groups.build import GroupScene
from .images.collect import plain_name
from .layers.placement import Site
from .layout import ImageProperties
from .materials.build import Materials
from .quads import build as quads
from .settings import ImportSettings
from .sounds import build as sounds
from .structure.collect import kind_of
from .tiles import build as tiles
from .view import game_view as view

NEW = -1
"""Record of what is no record yet."""
RING = np.array(((0, 0, 0), (0, -1, 0), (1, -1, 0), (1, 0, 0)), np.float32)
"""Corners of a tile, in the order of `formats.teeworlds.tiles.CORNERS`, y up."""

T = TypeVar("T")


def new_map(context: bpy.types.Context, name: str, width: int, height: int) -> bpy.types.Collection:
    """Make a map with an empty game layer (sizes in tiles), linked to the scene; nothing was imported for it."""
    level = teeworlds.new_level(width, height)
    return importer.build_scene(context, level, None, name, ImportSettings(physics=True), Report())


def settings_text(level: bpy.types.Collection) -> bpy.types.Text:
    """The text block with a map's server settings, made if it has none."""
    text = originals.resources(level, layout.SETTINGS).get(0)
    return text if isinstance(text, bpy.types.Text) else importer.make_settings_text(level, _token(level))


# ---- where things are


def group_collections(level: bpy.types.Collection) -> list[bpy.types.Collection]:
    """The groups of a level, in draw order."""
    return [child for child in level.children if kind_of(child) == layout.GROUP]


def root_of(group: bpy.types.Collection) -> bpy.types.Object:
    """The root empty of a group. Raises SceneError for a collection without one."""
    root = next((obj for obj in group.objects if kind_of(obj) == layout.GROUP), None)
    if root is None:
        raise SceneError(f"{group.name} has no root empty")
    return root


def layers_of(group: bpy.types.Collection) -> list[bpy.types.Object]:
    """The layers of a group, in draw order."""
    found = [obj for obj in group.all_objects if kind_of(obj) == layout.LAYER]
    return sorted(found, key=lambda obj: (int(obj.get(layout.ORDER, 0)), obj.name))


def group_of(level: bpy.types.Collection, obj: bpy.types.Object | None) -> bpy.types.Collection | None:
    """The group that an object is in; None for none of this level's."""
    if obj is None:
        return None
    return next((group for group in group_collections(level) if obj.name in group.all_objects), None)


def game_size(level: bpy.types.Collection) -> tuple[int, int]:
    """Width and height of the game layer, in tiles; those of the game's smallest layer without one."""
    for layer in level.all_objects:
        if kind_of(layer) == layout.LAYER and view.tile_kind(layer) == "GAME":
            values, _ = properties.read(layer, layout.TileLayerProperties)
            return values.width, values.height
    return 2, 2


def properties_of(layer: bpy.types.Object) -> type[layout.LayerProperties]:
    """The class of the properties that a layer's object has."""
    if layer.get("tile_kind") is not None:
        return layout.TileLayerProperties
    return layout.SoundLayerProperties if layer.get("sound") is not None else layout.QuadLayerProperties


def restack(level: bpy.types.Collection) -> None:
    """Number the layers of each group and lay them above one another in the order they are drawn in."""
    number = 0
    for group in group_collections(level):
        for order, layer in enumerate(layers_of(group)):
            layer[layout.ORDER] = order
            layer.location.z = layout.depth(number, physics=view.tile_kind(layer) not in (None, "TILES"))
            number += 1


# ---- groups


def add_group(level: bpy.types.Collection, name: str) -> bpy.types.Collection:
    """Add an empty group in front of all others. Raises SceneError for a level without its root."""
    root = next((obj for obj in level.objects if kind_of(obj) == layout.ROOT), None)
    if root is None:
        raise SceneError(f"{level.name} has no root empty")
    group = teeworlds.Group.new(name)
    made = groups.build(group, len(group_collections(level)), False, level, root, _token(level))
    for block in (made.collection, made.root):
        identity.stamp(block, made.token, layout.GROUP, NEW)
    return made.collection


def add_clip(level: bpy.types.Collection, group: bpy.types.Collection) -> bpy.types.Object:
    """Give a group a clip rectangle of 20 x 15 tiles; layers made from now on are drawn clipped."""
    root, record = root_of(group), teeworlds.Group.new()
    if root.parent is None:
        raise SceneError(f"{root.name} isn't below the level's root empty", [root])
    record.clip_w, record.clip_h = 20 * layout.TILE, 15 * layout.TILE
    rectangle = groups.clip_empty(f"Clip {group.name}", record, root.parent)
    group.objects.link(rectangle)
    identity.stamp(rectangle, _token(level), layout.CLIP, NEW)
    root["use_clip"] = True
    return rectangle


def move_group(level: bpy.types.Collection, group: bpy.types.Collection, steps: int) -> None:
    """Draw a group later (steps > 0) or earlier than its neighbours."""
    order = group_collections(level)
    _move(order, group, steps)
    for child in order:  # Blender has no other way to order collections
        level.children.unlink(child)
    for child in order:
        level.children.link(child)
    restack(level)


def remove_group(level: bpy.types.Collection, group: bpy.types.Collection) -> None:
    """Remove a group with all that is in it."""
    bpy.data.batch_remove([*group.all_objects, *group.children_recursive, group])
    restack(level)


# ---- layers


def add_tile_layer(
    level: bpy.types.Collection,
    group: bpy.types.Collection,
    kind: str,
    name: str,
    size: tuple[int, int],
    image: int = -1,
) -> bpy.types.Object:
    """Add a tile layer of air. `kind`: name of the TileKind; `size`: width and height in tiles; `image`: its record."""
    layer = teeworlds.TileLayer.new(teeworlds.TileKind[kind], *size, name, image=image)
    return _placed(level, tiles.build(layer, _site(level, group), tiles.source(layer), plane=False))


def add_quad_layer(
    level: bpy.types.Collection, group: bpy.types.Collection, name: str, image: int = -1
) -> bpy.types.Object:
    """Add a quad layer with one quad, 64 px wide, at the group's origin."""
    layer = teeworlds.QuadLayer.new(name, image, default_quads([(0, 0)]))
    return _placed(level, quads.build(layer, _site(level, group)))


def add_sound_layer(
    level: bpy.types.Collection, group: bpy.types.Collection, name: str, sound: int = -1
) -> bpy.types.Object:
    """Add a sound layer without sources."""
    held = originals.resources(level, layout.SOUND)
    blocks = [block for block in held.values() if isinstance(block, bpy.types.Sound)]
    layer = teeworlds.SoundLayer.new(name, sound)
    return _placed(level, sounds.build(layer, _site(level, group), sounds.Sounds(blocks)))


def move_layer(level: bpy.types.Collection, layer: bpy.types.Object, steps: int) -> None:
    """Draw a layer later (steps > 0) or earlier than the other layers of its group."""
    group = group_of(level, layer)
    if group is None:
        raise SceneError(f"{layer.name} is in no group", [layer])
    order = layers_of(group)
    _move(order, layer, steps)
    for number, one in enumerate(order):
        one[layout.ORDER] = number
    restack(level)


def move_to_group(level: bpy.types.Collection, layer: bpy.types.Object, group: bpy.types.Collection) -> None:
    """Put a layer, with all below it, into another group, in front of that group's layers."""
    layer[layout.ORDER] = len(layers_of(group))
    for obj in (layer, *layer.children_recursive):
        for old in obj.users_collection:
            old.objects.unlink(obj)
        group.objects.link(obj)
    layer.parent = root_of(group)
    restack(level)


def remove_layer(level: bpy.types.Collection, layer: bpy.types.Object) -> None:
    """Remove a layer with all below it."""
    bpy.data.batch_remove([layer, *layer.children_recursive])
    restack(level)


def _site(level: bpy.types.Collection, group: bpy.types.Collection) -> Site:
    """Where the importer's builders put a new layer: in front of the others of its group."""
    root, token = root_of(group), _token(level)
    physics = next((child for child in group.children if kind_of(child) == layout.PHYSICS), None)
    number = sum(len(layers_of(one)) for one in group_collections(level))
    clip = view.clips(level).get(root)
    scene = GroupScene(number, teeworlds.Group.new(), group, root, token, clip=clip, _physics=physics)
    materials = Materials(level.name, view.pictures(level))
    return Site(
        number, len(layers_of(group)), scene, materials, Envelopes([], teeworlds.new_level(), 1.0), token, Report()
    )


def _placed(level: bpy.types.Collection, layer: bpy.types.Object) -> bpy.types.Object:
    identity.stamp(layer, _token(level), layout.LAYER, NEW)
    restack(level)
    return layer


def _token(level: bpy.types.Collection) -> int:
    info = originals.describe(level)
    if info is None:
        raise SceneError(f"{level.name} is no level")
    return info.token


def _move(order: list[T], one: T, steps: int) -> None:
    """Move one of a list by so many places, no further than its ends."""
    place = order.index(one)
    order.insert(min(max(place + steps, 0), len(order) - 1), order.pop(place))


# ---- tiles


def fill_tiles(
    layer: bpy.types.Object, place: tuple[int, int], size: tuple[int, int], index: int, flags: int = 0, **fields: int
) -> None:
    """Fill a rectangle of a tile layer with one tile; index 0 empties it.

    `place`: column and row of its top left corner, `size`: width and height in tiles. `fields`: further attributes, as
    the layer's kind has them (number, force, ...). Raises SceneError for what reaches beyond the layer, and for layers
    that aren't meshes of tiles, are in edit mode or have modifiers.
    """
    kind = view.tile_kind(layer)
    if (
        kind is None
        or layer.get(layout.STORAGE) != layout.MESH
        or layer.mode == "EDIT"
        or meshes.needs_evaluation(layer)
    ):
        raise SceneError(f"{layer.name}: tiles are filled in tile layers in object mode, without modifiers", [layer])
    values, _ = properties.read(layer, layout.TileLayerProperties)
    (x, y), (width, height) = place, size
    if min(x, y) < 0 or min(width, height) < 1 or x + width > values.width or y + height > values.height:
        raise SceneError(f"{layer.name}: {width} x {height} tiles at ({x}, {y}) reach beyond it", [layer])
    data = meshes.read(layer)
    if (data.face_sizes != 4).any():
        raise SceneError(f"{layer.name}: not all of its faces have four corners", [layer])
    points = data.positions[data.corner_verts].reshape(-1, 4, 3)
    column, row = np.floor(points.mean(axis=1)[:, :2].T * ((1,), (-1,)))
    kept = (column < x) | (column >= x + width) | (row < y) | (row >= y + height)
    count = width * height if index else 0
    cells = np.arange(count)
    cell = np.stack((x + cells % width, -(y + cells // width), np.zeros(count)), axis=-1)
    uv = data.uv(layout.UV)
    old_uvs = np.zeros((len(points), 4, 2)) if uv is None else uv.reshape(-1, 4, 2)
    new_uvs = corner_uvs(np.full(count, index), np.full(count, flags))
    # What turns a tile is told by its texture alone: so it may be turned on in edit mode.
    given = {"index": index, "flags": flags & ~ORIENTATION} | fields
    names = [*TILE_FIELDS[kind].attributes, identity.ID, identity.CHECK]
    attributes: dict[str, tuple[Domain, Kind, npt.ArrayLike]] = {}
    for name in names:
        stored = data.attribute(name, "FACE")
        old = np.zeros(len(points), np.int32) if stored is None else stored
        attributes[name] = ("FACE", "INT", np.concatenate((old[kept], np.full(count, given.get(name, 0), np.int32))))
    positions = np.concatenate((points[kept], cell[:, None] + RING))
    was = layer.data
    if not isinstance(was, bpy.types.Mesh):
        raise SceneError(f"{layer.name} is no mesh", [layer])
    layer.data = made = meshes.build(
        was.name,
        positions.reshape(-1, 3),
        np.arange(4 * len(positions), dtype=np.int32),
        uvs={layout.UV: np.concatenate((old_uvs[kept], new_uvs)).reshape(-1, 2)},
        attributes=attributes,
    )
    for material in was.materials:
        made.materials.append(material)
    if not was.users:
        name = was.name
        bpy.data.meshes.remove(was)
        made.name = name


# ---- images


def add_image(level: bpy.types.Collection, image: bpy.types.Image, external: bool = False) -> int:
    """Let a level hold an image as a new record, and return its number. `external`: the map gets only its name."""
    record = max(originals.resources(level, layout.IMAGE), default=-1) + 1
    image.colorspace_settings.name = "Non-Color"
    image.alpha_mode = "CHANNEL_PACKED"
    if not external and image.packed_file is None:
        image.pack()
    properties.write(image, ImageProperties(plain_name(image.name), external))
    originals.set_resource(level, layout.IMAGE, record, image)
    return record


def remove_image(level: bpy.types.Collection, record: int) -> None:
    """Remove an image for good: layers that show it lose it when the map is exported. Raises SceneError without it."""
    image = originals.resources(level, layout.IMAGE).get(record)
    if image is None:
        raise SceneError(f"{level.name} has no image {record}")
    originals.set_resource(level, layout.IMAGE, record, None)
    if isinstance(image, bpy.types.Image):
        bpy.data.images.remove(image)


def set_image(level: bpy.types.Collection, layer: bpy.types.Object, record: int) -> None:
    """Let a tile or quad layer, with all quads below it, show the level's image of this record; -1 = none.

    Raises SceneError for layers that show no image, and for a record that names none.
    """
    kind = view.tile_kind(layer)
    if kind not in (None, "TILES") or layer.get("image") is None or layer.get(layout.STORAGE) == layout.KEPT:
        raise SceneError(f"{layer.name} is no layer that shows an image", [layer])
    pictures = view.pictures(level)
    if record != -1 and not (0 <= record < len(pictures) and pictures[record]):
        raise SceneError(f"{level.name} has no image {record}")
    layer["image"] = record
    materials, clip = Materials(level.name, pictures), view.clips(level).get(layer.parent)
    for obj in (layer, *layer.children_recursive):
        if kind_of(obj) == layout.PREVIEW or not isinstance(obj.data, bpy.types.Mesh):
            continue
        animated = obj.get(layout.ENVELOPE_COLOR) is not None
        if kind is None:
            material = materials.quads(record, clip, animated)
        elif layer[layout.STORAGE] == layout.PLANE:
            fields = [layer[key] for key in layout.FIELD_IMAGES if layer.get(key) is not None]
            size = (int(layer["width"]), int(layer["height"]))
            material = materials.plane(kind, record, fields, size, clip, animated)
        else:
            material = materials.tiles(record, clip, animated)
        obj.data.materials.clear()
        obj.data.materials.append(material)
    if view.has_borders(level):
        view.set_borders(level, True)
