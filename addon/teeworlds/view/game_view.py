# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a map as the game does: the camera, groups that follow it, borders, clipping, colours.

Nothing here is exported. The game shows a part of the world around the camera (804 x 1430 px at 16:9 and zoom 1); a
group with parallax p moves with p percent of the camera, and zooms with its larger parallax (teeworlds.md §5).
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.binary import FormatError
from ...scene import animation, identity, originals, properties, stage
from ...scene.reports import Report
from .. import layout
from ..layout import TILE
from ..materials import shading
from ..materials.build import Clip, Materials
from ..materials.shading import Picture
from ..structure.collect import kind_of
from . import borders

WIDTH = "game_width"
"""On the game camera: how many tiles the game shows side by side at zoom 1."""

_AREA, _MOST = 1150 * 1000, (1500, 1050)
"""World px that the game shows: their number, and the most along each axis."""

_DELTA = "c - {x!r} + o / w * ({x!r} - c * p / 100) / (1 + clamp(max(p, q), 0, 100) / 100 * (o / w - 1))"
"""delta_location of a group's root along one axis. c: the camera's place, o: its ortho_scale, w: its WIDTH, p and q:
the parallax along this and the other axis, x: the root's location. From: place = c - scale * (c * p - x). At zoom 1 x
cancels out, so that moving the root shows at once; it can't be a variable, since it depends on what is driven."""
_SCALE = "o / w / (1 + clamp(max(p, q), 0, 100) / 100 * (o / w - 1))"


def view_size(aspect: float) -> tuple[float, float]:
    """Tiles that the game shows at zoom 1 (width, height), for a picture's width / height."""
    height = (_AREA / aspect) ** 0.5
    width = min(height * aspect, _MOST[0])
    height = min(width / aspect, _MOST[1])
    return height * aspect / TILE, height / TILE


def spawn(level: teeworlds.Level) -> tuple[float, float]:
    """The tile position (x, y down) where a player first appears; the middle of the map without one."""
    found = level.game_layer
    if found is None:
        return 0.0, 0.0
    layer = found[1]
    try:
        tiles = layer.tiles()["index"]
    except FormatError:
        return 0.0, 0.0
    for index in (192, 193, 194):
        rows, columns = np.nonzero(tiles == index)
        if len(rows):
            return float(columns[0]) + 0.5, float(rows[0]) + 0.5
    return layer.width / 2, layer.height / 2


def view_as_game(
    scene: bpy.types.Scene,
    collection: bpy.types.Collection,
    x: float,
    y: float,
    zoom: float = 1.0,
    time: float | None = None,
) -> bpy.types.Object:
    """Put the scene's camera where the game's is, and draw what the game draws; returns the camera.

    x, y: the picture's middle in tiles of the map, y down. zoom: above 1 shows more. time: in seconds since the map
    began; None leaves the frame.
    """
    render = scene.render
    aspect = render.resolution_x * render.pixel_aspect_x / (render.resolution_y * render.pixel_aspect_y)
    width, _ = view_size(aspect)
    camera = _camera(collection)
    data: Any = camera.data
    top = len(_layers(collection)) * layout.STEP + layout.PHYSICS_DEPTH
    camera.location = (x, -y, top + 10.0)
    data.ortho_scale = width * zoom
    data.clip_end = top + 100.0
    camera[WIDTH] = width
    scene.camera = camera
    if time is not None:
        frame = float(animation.frame_of(time, scene))
        scene.frame_set(int(np.floor(frame)), subframe=frame - float(np.floor(frame)))
    set_parallax(collection, True)
    set_borders(collection, True)
    shading.set_switch(shading.CLIP, 1.0)
    return camera


def _camera(collection: bpy.types.Collection) -> bpy.types.Object:
    """The game camera of a level, made if it has none."""
    camera = game_camera(collection)
    if camera is None:
        data = bpy.data.cameras.new("Game camera")
        data.type, data.sensor_fit = "ORTHO", "HORIZONTAL"
        camera = bpy.data.objects.new("Game camera", data)
        identity.stamp(camera, 0, layout.PREVIEW, -1)
        collection.objects.link(camera)
    return camera


def game_camera(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """The camera that "View as the game" made for a level."""
    return next((obj for obj in collection.objects if obj.type == "CAMERA" and kind_of(obj) == layout.PREVIEW), None)


def _roots(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The root empties of a level's groups."""
    return [obj for obj in collection.all_objects if obj.type == "EMPTY" and kind_of(obj) == layout.GROUP]


def has_parallax(collection: bpy.types.Collection) -> bool:
    """Say whether the groups of a level follow the camera."""
    return any(root.animation_data is not None and len(root.animation_data.drivers) for root in _roots(collection))


def set_parallax(collection: bpy.types.Collection, on: bool) -> None:
    """Let the groups of a level follow its game camera, or put them back. The game's own group never moves."""
    camera = game_camera(collection)
    game = {layer.parent for layer in _layers(collection) if tile_kind(layer) == "GAME"}
    for root in _roots(collection):
        if root in game:
            continue
        for path in ("delta_location", "delta_scale"):
            for axis in (0, 1):
                root.driver_remove(path, axis)
        root.delta_location, root.delta_scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
        if on and camera is not None:
            _follow(root, camera)


def _follow(root: bpy.types.Object, camera: bpy.types.Object) -> None:
    parallax = ('["parallax_x"]', '["parallax_y"]')
    for axis in (0, 1):
        own, other = parallax[axis], parallax[1 - axis]
        variables: dict[str, tuple[bpy.types.ID, str]] = {
            "o": (camera, "data.ortho_scale"),
            "w": (camera, f'["{WIDTH}"]'),
            "p": (root, own),
            "q": (root, other),
        }
        animation.drive(root, "delta_scale", axis, _SCALE, variables)
        variables["c"] = (camera, f"location[{axis}]")
        animation.drive(root, "delta_location", axis, _DELTA.format(x=root.location[axis]), variables)


def has_borders(collection: bpy.types.Collection) -> bool:
    """Say whether tiles are repeated beyond the edges of a level's layers."""
    return any(borders.is_border(obj) for obj in collection.all_objects)


def set_borders(collection: bpy.types.Collection, on: bool) -> None:
    """Repeat the tiles at the layers' edges outwards, as the game does for ever; or stop it."""
    for obj in [obj for obj in collection.all_objects if borders.is_border(obj)]:
        borders.remove(obj)
    if on:
        materials = Materials(collection.name, pictures(collection))
        by_root = clips(collection)
        for layer in _layers(collection):
            if tile_kind(layer) == "TILES":
                borders.add(layer, materials, by_root.get(layer.parent))


def _layers(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The layer objects of a level."""
    return [obj for obj in collection.all_objects if kind_of(obj) == layout.LAYER]


def tile_kind(layer: bpy.types.Object) -> str | None:
    """The name of the TileKind of a layer's object; None for what is no tile layer."""
    if layer.get("tile_kind") is None:
        return None
    return properties.read(layer, layout.TileLayerProperties)[0].tile_kind


def pictures(collection: bpy.types.Collection) -> list[Picture | None]:
    """The images of a level by record."""
    held = originals.resources(collection, layout.IMAGE)
    found: list[Picture | None] = [None] * (max(held, default=-1) + 1)
    for record, image in held.items():
        if isinstance(image, bpy.types.Image):
            found[record] = Picture(image, *image.size)
    return found


def clips(collection: bpy.types.Collection) -> dict[bpy.types.Object | None, Clip]:
    """What clips the layers of a group, by the group's root."""
    empties = {obj.users_collection[0]: obj for obj in collection.all_objects if kind_of(obj) == layout.CLIP}
    found: dict[bpy.types.Object | None, Clip] = {}
    for root in _roots(collection):
        empty = empties.get(root.users_collection[0])
        group = properties.read(root, layout.GroupProperties)[0]
        if empty is not None and group.use_clip:
            found[root] = Clip(empty, always=group.parallax_x == group.parallax_y == 100)
    return found


def physics_collections(collection: bpy.types.Collection) -> list[bpy.types.Collection]:
    """The collections of a level's physics layers."""
    return [child for child in collection.children_recursive if kind_of(child) == layout.PHYSICS]


def show_physics(collection: bpy.types.Collection, on: bool) -> None:
    """Show or hide the physics layers of a level, in viewports and renders."""
    for child in physics_collections(collection):
        child.hide_viewport = child.hide_render = not on


def active_map(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The level that the active object is in, or else the active one, if it is a map."""
    obj, level = context.active_object, originals.level_of(context)
    if obj is not None and context.scene is not None:
        level = next((one for one in originals.levels(context.scene) if obj.name in one.all_objects), level)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == "teeworlds" else None


def set_game_colors(scene: bpy.types.Scene, on: bool) -> None:
    """Show colours and blend them exactly as the game (view transform Raw), or in Blender's usual way (Standard)."""
    settings: Any = scene.view_settings
    settings.view_transform = "Raw" if on else "Standard"
    settings.look, settings.exposure, settings.gamma = "None", 0.0, 1.0
    shading.set_switch(shading.DISPLAY, 0.0 if on else 1.0)


def prepare_scene(scene: bpy.types.Scene, alone: bool, seven: bool, report: Report) -> None:
    """Make renders of the scene look as the game. alone: there is nothing else in the scene. seven: the game is 0.7."""
    settings: Any = scene.view_settings
    if alone:
        set_game_colors(scene, True)
        scene.audio_distance_model = "LINEAR_CLAMPED"  # how sounds fade in the game: see `sounds`
        scene.world = shading.backdrop(0.0 if seven else 128 / 255)  # DDNet's cl_background_color
    elif settings.view_transform != "Raw":
        shading.set_switch(shading.DISPLAY, 1.0)
        if settings.view_transform != "Standard":
            report.warn(
                f"the scene holds other things, so its view transform {settings.view_transform} was left: it changes "
                "the map's colours. Standard shows them right, Raw (Game Colors in the sidebar) also blends as the game"
            )
    cycles = getattr(scene, "cycles", None)
    if cycles is not None:  # as many layers as a map has lie over each other
        cycles.transparent_max_bounces = max(cycles.transparent_max_bounces, 256)


def prepare_windows(context: bpy.types.Context, collection: bpy.types.Collection) -> None:
    """Let the 3D viewports look straight down on the level, all of it in view: those in windows or, without any, all
    that a .blend would be opened with.
    """
    low, high = _extent(collection)
    for space in stage.viewports(context):
        space.region_3d.view_rotation = (1.0, 0.0, 0.0, 0.0)
        space.region_3d.view_perspective = "ORTHO"
        space.region_3d.view_location = (*((low + high) / 2), 0.0)
        space.region_3d.view_distance = max(float((high - low).max()), 10.0)
        space.clip_end = max(space.clip_end, 10.0 * space.region_3d.view_distance)
        space.shading.type = "MATERIAL"


def _extent(collection: bpy.types.Collection) -> tuple[Any, Any]:
    """Lower left and upper right corner of the tile layers, as their properties tell."""
    sizes = [(obj["width"], obj["height"]) for obj in _layers(collection) if obj.get("width") is not None]
    width, height = (max(size) for size in zip(*sizes, strict=True)) if sizes else (32, 32)
    return np.array((0.0, -float(height))), np.array((float(width), 0.0))
