# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns and rows added to a map or cut off it, on any side; what it shows stays in place.

A cell's number counts from the layer's top left corner. So where the map grows or shrinks there, all moves by as much:
the tiles, quads and sounds of the groups that go with the camera, and the offsets of the others, by their parallax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ....formats import teeworlds
from ....formats.arrays import Int32s
from ....formats.teeworlds.tile_images import shifted
from ....formats.teeworlds.tile_layers import refuse_too_large
from ...scene import attributes
from ...scene.kept.identity import kind_of
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from ..layout import GroupProperties, TileLayerProperties, read_properties
from ..materials.build import Materials
from ..structure.clips import clips_of
from ..structure.parts import all_layers, group_root, groups_of, layers_of, tile_kind
from ..tiles import planes
from ..tiles.cells import cells_of, matrix_of
from ..tiles.grid import TileGrid, refuse
from ..tiles.moved import move
from ..tiles.reshape import reshape
from ..view import borders, game_view
from . import views

SMALLEST = 2
"""Columns and rows that the game wants of a layer."""


@dataclass(frozen=True)
class Growth:
    """Cells that are added on each side; negative: cut off."""

    left: int = 0
    right: int = 0
    top: int = 0
    bottom: int = 0

    def __bool__(self) -> bool:
        return any((self.left, self.right, self.top, self.bottom))

    def of(self, width: int, height: int) -> tuple[int, int]:
        """The width and height that a layer of this size gets."""
        return width + self.left + self.right, height + self.top + self.bottom


@dataclass(frozen=True)
class _Change:
    """What becomes of a tile layer."""

    layer: bpy.types.Object
    growth: Growth
    repeat: bool
    """New cells get the tiles at the edges, as the game draws them there; air otherwise."""


def resize_map(
    level: bpy.types.Collection, growth: Growth, repeat: bool = False, seen: bpy.types.Collection | None = None
) -> list[str]:
    """Give a map another size. repeat: let drawn layers go on in new cells as the game repeats them beyond their edges.
    seen: the group that stays where it is in 3D views, which go with it; None: that of the game layer.

    The physics layers get one size; so do the drawn layers that had the game layer's, in groups of parallax 100. In
    these groups the other tile layers, quads and sounds move along; groups of another parallax get another offset.
    Returns what couldn't be done exactly. Raises SceneError, before anything is changed, for a map without a game
    layer, sizes that no map has, and layers that can't be changed; FormatError for layers too large for a file.
    """
    before = map_size(level)
    after = growth.of(*before)
    if min(after) < SMALLEST:
        raise SceneError(f"a map of {after[0]} x {after[1]} is too small: {SMALLEST} x {SMALLEST} is the least")
    moving = [group for group in groups_of(level) if _goes_with_the_camera(group, before)]
    changes = [change for group in moving for change in _changes(group, growth, before, after, repeat)]
    for change in changes:
        _refuse_unchangeable(change)
    told: list[str] = []
    materials = Materials.of_level(level)
    followed = group_root(seen or next(group for group in moving if _has_game_layer(group)))
    offset = followed.location.copy()
    for change in changes:
        _resize_layer(level, change, materials)
    for group in groups_of(level):
        told += _move_content(group, growth) if group in moving else _move_offset(group, growth)
    _show_again(level, growth)
    if followed in map(group_root, moving) or game_view.has_parallax(level):
        views.move(level, Vector((growth.left, -growth.top, 0.0)))
    else:
        views.move(level, followed.location - offset)
    return told


def map_size(level: bpy.types.Collection) -> tuple[int, int]:
    """Width and height of a map: those of its game layer. Raises SceneError for a map without one."""
    game = next((layer for layer in all_layers(level) if tile_kind(layer) == "GAME"), None)
    if game is None:
        raise SceneError("the map has no game layer: its size is the map's")
    return _size(game)


def missing_cells(level: bpy.types.Collection) -> tuple[Growth, list[bpy.types.Object]]:
    """What a map has to grow by for the tiles that were put outside of its layers, nothing where there are none; and
    the layers with such tiles that don't grow with it: those of other sizes, and in groups of another parallax.
    """
    size = map_size(level)
    reach, others = np.zeros(4, np.int64), []
    moving = {layer for group in groups_of(level) if _goes_with_the_camera(group, size) for layer in layers_of(group)}
    for layer in all_layers(level):
        kind = tile_kind(layer)
        if kind is None or layer.get(layout.STORAGE) != layout.MESH:
            continue
        cells, (width, height) = cells_of(layer), _size(layer)
        if not len(cells):
            continue
        (left, top), (right, bottom) = cells.min(axis=0), cells.max(axis=0)
        needed = np.maximum((-left, right + 1 - width, -top, bottom + 1 - height), 0)
        if layer in moving and (kind != "TILES" or (width, height) == size):
            reach = np.maximum(reach, needed)
        elif needed.any():
            others.append(layer)
    return Growth(*reach.tolist()), others


# ---- which layers, and how


def _size(layer: bpy.types.Object) -> tuple[int, int]:
    values, _ = read_properties(layer, TileLayerProperties)
    return values.width, values.height


def _goes_with_the_camera(group: bpy.types.Collection, size: tuple[int, int]) -> bool:
    """Whether what is in a group moves with the map: it has the game layer, or parallax 100 and a layer of its size."""
    layers = [layer for layer in layers_of(group) if tile_kind(layer) is not None]
    if _has_game_layer(group):
        return True
    values, _ = read_properties(group_root(group), GroupProperties)
    return values.parallax_x == values.parallax_y == 100 and any(_size(layer) == size for layer in layers)


def _has_game_layer(group: bpy.types.Collection) -> bool:
    return any(tile_kind(layer) == "GAME" for layer in layers_of(group))


def _changes(
    group: bpy.types.Collection, growth: Growth, before: tuple[int, int], after: tuple[int, int], repeat: bool
) -> Iterator[_Change]:
    """What becomes of the tile layers of a group that goes with the camera. before, after: the map's sizes."""
    for layer in layers_of(group):
        kind = tile_kind(layer)
        if kind is None:
            continue
        width, height = _size(layer)
        if kind != "TILES" or (width, height) == before:
            right, bottom = after[0] - width - growth.left, after[1] - height - growth.top
            yield _Change(layer, Growth(growth.left, right, growth.top, bottom), repeat and kind == "TILES")
        elif (growth.left or growth.top) and not _is_uniform(layer):
            # What the game shows of it stays the same: its edges go on for ever.
            right, bottom = max(SMALLEST - width - growth.left, 0), max(SMALLEST - height - growth.top, 0)
            yield _Change(layer, Growth(growth.left, right, growth.top, bottom), repeat=True)


def _is_uniform(layer: bpy.types.Object) -> bool:
    """Whether all cells of a layer show the same, so that it looks the same wherever it lies."""
    if layer.get(layout.STORAGE) == layout.KEPT:
        return True
    return all(int(field.min()) == int(field.max()) for field in TileGrid(layer).values.values())


def _refuse_unchangeable(change: _Change) -> None:
    layer = change.layer
    if layer.get(layout.STORAGE) == layout.KEPT:
        raise SceneError(f"{layer.name}: its tiles can't be read, so it can't get another size", [layer])
    refuse(layer)
    if layer.get(layout.STORAGE) == layout.PLANE:
        planes.refuse_edited(layer, [_size(layer)])
    if abs(np.linalg.det(matrix_of(layer)[:2, :2])) < layout.STEP:
        raise SceneError(f"{layer.name} is scaled to nothing", [layer])
    kind = tile_kind(layer) or "TILES"
    refuse_too_large(*change.growth.of(*_size(layer)), teeworlds.TILE_RECORDS[teeworlds.TileKind[kind]])


# ---- doing it


def _resize_layer(level: bpy.types.Collection, change: _Change, materials: Materials) -> None:
    layer, growth = change.layer, change.growth
    width, height = _size(layer)
    size = growth.of(width, height)
    move(layer, (growth.left, growth.top), (width, height), size)
    if layer.get(layout.STORAGE) == layout.PLANE:
        _resize_plane(level, change, size, materials)
    else:
        shown = {name: field.copy() for name, field in TileGrid(layer).values.items()} if change.repeat else {}
        _resize_mesh(layer, growth, (width, height), size)
        layer["width"], layer["height"] = size
        if shown:
            _repeat_edges(layer, growth, shown)
    layer["width"], layer["height"] = size


def _resize_mesh(layer: bpy.types.Object, growth: Growth, before: tuple[int, int], after: tuple[int, int]) -> None:
    """Move the faces of a layer, and take away those that come to lie outside; who lay outside already stays."""
    mesh = layer.data
    if not isinstance(mesh, bpy.types.Mesh):
        raise SceneError(f"{layer.name} isn't a mesh", [layer])
    if mesh.users > 1:
        layer.data = mesh = mesh.copy()
    old = cells_of(layer)
    new = old + np.array((growth.left, growth.top))
    cut = ((old >= 0) & (old < before)).all(axis=1) & ~((new >= 0) & (new < after)).all(axis=1)
    if cut.any():
        reshape(mesh, ~cut, np.zeros((0, 3), np.float32), {}, {})
    positions = attributes.read(mesh, "position")
    if positions is not None and (growth.left or growth.top):
        linear = matrix_of(layer)[:3, :3]
        positions += np.linalg.solve(linear, (growth.left, -growth.top, 0.0)).astype(np.float32)
        attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", positions)
        mesh.update()


def _repeat_edges(layer: bpy.types.Object, growth: Growth, shown: dict[str, Int32s]) -> None:
    """Fill a layer's new cells with the nearest tiles that it had. shown: by attribute [h, w], before."""
    grid = TileGrid(layer)
    height, width = grid.shape
    whole = np.arange(height * width, dtype=np.int64)
    row, column = np.divmod(whole, width)
    row, column = row - growth.top, column - growth.left
    was = next(iter(shown.values())).shape
    new = (row < 0) | (row >= was[0]) | (column < 0) | (column >= was[1])
    source = np.clip(row[new], 0, was[0] - 1), np.clip(column[new], 0, was[1] - 1)
    grid.put(whole[new], {name: field[source] for name, field in shown.items()})
    grid.finish()


def _resize_plane(level: bpy.types.Collection, change: _Change, size: tuple[int, int], materials: Materials) -> None:
    """Give a layer that is drawn from images such of its new size."""
    layer, growth = change.layer, change.growth
    mesh, kind = layer.data, tile_kind(layer)
    if not isinstance(mesh, bpy.types.Mesh) or kind is None:
        raise SceneError(f"{layer.name} isn't a mesh", [layer])
    fields, replaced = [], []
    for key in [key for key in layout.FIELD_IMAGES if isinstance(layer.get(key), bpy.types.Image)]:
        old: bpy.types.Image = layer[key]
        name, pixels = old.name, images.to_rgba(old)
        made = images.from_rgba(name, shifted(pixels, (growth.left, growth.top), size, change.repeat), non_color=True)
        layer[key] = made
        fields.append(made)
        replaced.append((old, name, made))
    if mesh.users > 1:
        layer.data = mesh = mesh.copy()
    points = attributes.read(mesh, "position")
    if points is not None:
        points[:, :2] *= np.divide(size, _size(layer))
        attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", points)
        mesh.update()
    clip, animated = clips_of(level).get(layer.parent), layer.get(layout.ENVELOPE_COLOR) is not None
    was = [material for material in mesh.materials if material is not None]
    mesh.materials.clear()
    mesh.materials.append(materials.plane(kind, int(layer["image"]), fields, size, clip, animated))
    for material in was:
        if material.users == 0:
            bpy.data.materials.remove(material)
    for old, name, made in replaced:
        if old.users == 0:
            bpy.data.images.remove(old)
            made.name = showable(name)


def _move_content(group: bpy.types.Collection, growth: Growth) -> list[str]:
    """Move quads and sounds of a group along with its tiles, and what clips it, which the game's own group ignores."""
    told = []
    for layer in layers_of(group):
        if layer.get(layout.STORAGE) == layout.KEPT:
            told.append(f"{layer.name}: its records can't be read, so they stay where they are")
        elif tile_kind(layer) is None:
            _move(layer, growth)
    if not _has_game_layer(group):
        _move_clips(group, growth)
    return told


def _move_offset(group: bpy.types.Collection, growth: Growth) -> list[str]:
    """Let a group of its own parallax stay where it is seen: by its offset, in whole pixels."""
    _move_clips(group, growth)
    root = group_root(group)
    values, _ = read_properties(root, GroupProperties)
    x, y = growth.left * layout.TILE * values.parallax_x / 100, growth.top * layout.TILE * values.parallax_y / 100
    root.location.x += round(x) / layout.TILE
    root.location.y -= round(y) / layout.TILE
    if round(x) == x and round(y) == y:
        return []
    return [f"{root.name}: it moved by whole pixels: {x:.6g}, {y:.6g} would have been exact"]


def _move_clips(group: bpy.types.Collection, growth: Growth) -> None:
    for obj in group.objects:
        if kind_of(obj) == layout.CLIP:
            _move(obj, growth)


def _move(obj: bpy.types.Object, growth: Growth) -> None:
    obj.location.x += growth.left
    obj.location.y -= growth.top


def _show_again(level: bpy.types.Collection, growth: Growth) -> None:
    """Let what is only shown follow: the game's camera, parallax, the tiles beyond the edges."""
    camera = game_view.game_camera(level)
    if camera is not None:
        _move(camera, growth)
    if game_view.has_parallax(level):
        game_view.set_parallax(level, True)
    if borders.has_borders(level):
        borders.set_borders(level, True)
