# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a map as the game does: the camera, groups that follow it, borders, clipping, colours.

Nothing here is exported. The game shows a part of the world around the camera (804 x 1430 px at 16:9 and zoom 1); a
group with parallax p moves with p percent of the camera, and zooms with its larger parallax (teeworlds.md §5).
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....formats.arrays import Floats
from ....formats.teeworlds.camera import spawn_among, spawns_among, view_size
from ...scene.blender_types import always, configure, expect
from ...scene.kept import identity
from ...scene.kept.identity import kind_of
from ...scene.level import root_of
from ...scene.media import animation
from ...scene.reports import Report
from ...scene.view import stage
from ...scene.view.spawns import Spawn
from .. import layout
from ..materials import shading
from ..structure.parts import all_layers, group_roots, physics_collections, tile_kind
from . import borders

WIDE = 16 / 9
"""Width / height of usual screens."""
WIDTH = "game_width"
"""On the game camera: how many tiles the game shows side by side at zoom 1."""

_DELTA = "c - {x!r} + o / w * ({x!r} - c * p / 100) / (1 + clamp(max(p, q), 0, 100) / 100 * (o / w - 1))"
"""delta_location of a group's root along one axis. c: the camera's place, o: its ortho_scale, w: its WIDTH, p and q:
the parallax along this and the other axis, x: the root's location. From: place = c - scale * (c * p - x). At zoom 1 x
cancels out, so that moving the root shows at once; it can't be a variable, since it depends on what is driven."""
_SCALE = "o / w / (1 + clamp(max(p, q), 0, 100) / 100 * (o / w - 1))"


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
    data = expect(bpy.types.Camera, camera.data)
    top = len(all_layers(collection)) * layout.STEP + layout.PHYSICS_DEPTH
    camera.location = (x, -y, top + 10.0)
    data.ortho_scale = width * zoom
    data.clip_end = top + 100.0
    camera[WIDTH] = float(width)
    scene.camera = camera
    if time is not None:
        frame = float(animation.frame_of(time, scene))
        scene.frame_set(int(np.floor(frame)), subframe=frame - float(np.floor(frame)))
    set_parallax(collection, True)
    borders.set_borders(collection, True)
    shading.set_switch(shading.CLIP, 1.0)
    return camera


def _camera(collection: bpy.types.Collection) -> bpy.types.Object:
    """The game camera of a level, made if it has none."""
    camera = game_camera(collection)
    if camera is None:
        data = bpy.data.cameras.new("Game camera")
        data.type, data.sensor_fit = "ORTHO", "HORIZONTAL"
        data.passepartout_alpha = 1.0  # the game shows nothing beyond its window
        camera = bpy.data.objects.new("Game camera", data)
        identity.stamp(camera, 0, layout.PREVIEW, -1)
        collection.objects.link(camera)
    return camera


def game_camera(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """The camera that "View as the game" made for a level."""
    return next((obj for obj in collection.objects if obj.type == "CAMERA" and kind_of(obj) == layout.PREVIEW), None)


def remove_camera(camera: bpy.types.Object) -> None:
    """Remove a game camera."""
    data = camera.data
    bpy.data.objects.remove(camera)
    if isinstance(data, bpy.types.Camera) and not data.users:
        bpy.data.cameras.remove(data)


def first_spawn(collection: bpy.types.Collection) -> tuple[float, float]:
    """The tile position (x, y down) where a player first appears in a level, as edited; the middle without one."""
    game = next((layer for layer in all_layers(collection) if tile_kind(layer) == "GAME"), None)
    if game is None:
        return 0.0, 0.0
    return spawn_among(borders.shown_tiles(game)["index"])


def spawns(_context: bpy.types.Context, collection: bpy.types.Collection) -> list[Spawn]:
    """Where players appear in a level, as edited, each with as much around it as the game shows on a wide screen."""
    game = next((layer for layer in all_layers(collection) if tile_kind(layer) == "GAME"), None)
    root = root_of(collection)
    if game is None or root is None:
        return []
    width, _ = view_size(WIDE)
    return [
        Spawn(f"spawn {number}", root.matrix_world @ Matrix.Translation((x, -y, 0.0)), width, is_flat=True)
        for number, (x, y) in enumerate(spawns_among(borders.shown_tiles(game)["index"]), 1)
    ]


def look_from_spawn(
    context: bpy.types.Context, collection: bpy.types.Collection, _aspect: float
) -> bpy.types.Object | None:
    """Put the game's camera where a player first appears, for the picture that the scene is set to render."""
    return view_as_game(stage.scene_of(context), collection, *first_spawn(collection))


def has_parallax(collection: bpy.types.Collection) -> bool:
    """Say whether the groups of a level follow the camera."""
    return any(root.animation_data is not None and len(root.animation_data.drivers) for root in group_roots(collection))


def set_parallax(collection: bpy.types.Collection, on: bool) -> None:
    """Let the groups of a level follow its game camera, or put them back. The game's own group never moves."""
    camera = game_camera(collection)
    game = {layer.parent for layer in all_layers(collection) if tile_kind(layer) == "GAME"}
    for root in group_roots(collection):
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


def has_physics(collection: bpy.types.Collection) -> bool:
    """Say whether any physics layer of a level is shown in viewports."""
    return any(not child.hide_viewport for child in physics_collections(collection))


def show_physics(collection: bpy.types.Collection, on: bool) -> None:
    """Show or hide the physics layers of a level, in viewports and renders."""
    for child in physics_collections(collection):
        child.hide_viewport = child.hide_render = not on


def has_game_colors(scene: bpy.types.Scene) -> bool:
    """Say whether colours are shown exactly as the game's (view transform Raw)."""
    return _view_transform(scene) == "Raw"


def _view_transform(scene: bpy.types.Scene) -> str:
    return str(stage.view_settings_of(scene).view_transform)


def set_game_colors(scene: bpy.types.Scene, on: bool) -> None:
    """Show colours and blend them exactly as the game (view transform Raw), or in Blender's usual way (Standard)."""
    settings = stage.view_settings_of(scene)
    transform = "Raw" if on else "Standard"
    configure(settings, view_transform=transform, look="None", exposure=0.0, gamma=1.0)
    shading.set_switch(shading.DISPLAY, 0.0 if on else 1.0)


BOUNCES = 256
"""Transparent ones that Cycles needs: as many layers as a map has lie over each other."""


def prepare_scene(scene: bpy.types.Scene, alone: bool, seven: bool, report: Report) -> None:
    """Make renders of the scene look as the game. alone: there is nothing else in the scene. seven: the game is 0.7."""
    transform = _view_transform(scene)
    if alone:
        set_game_colors(scene, True)
        scene.audio_distance_model = "LINEAR_CLAMPED"  # how sounds fade in the game: see `sounds`
        scene.world = shading.backdrop(0.0 if seven else 128 / 255)  # DDNet's cl_background_color
    elif transform != "Raw":
        shading.set_switch(shading.DISPLAY, 1.0)
        if transform != "Standard":
            report.warn(
                f"the scene holds other things, so its view transform {transform} was left: it changes "
                "the map's colours. Standard shows them right, Raw (Game Colors in the sidebar) also blends as the game"
            )
    cycles = getattr(scene, "cycles", None)
    if cycles is not None and cycles.transparent_max_bounces < BOUNCES:
        if alone:
            cycles.transparent_max_bounces = BOUNCES
        else:
            report.note(
                f"Cycles shows layers through each other with more transparent bounces: the game's need {BOUNCES}"
            )


_UPRIGHT = 1.4
"""How much further off a map is looked at that is as high as another is wide: views are wider than high."""


def prepare_windows(context: bpy.types.Context, collection: bpy.types.Collection) -> None:
    """Let the 3D viewports of all workspaces look straight down on the level, all of it in view."""
    low, high = _extent(collection)
    width, height = (high - low).tolist()
    for space in stage.viewports(context, everywhere=True):
        region = always(space.region_3d)
        region.view_rotation = (1.0, 0.0, 0.0, 0.0)
        region.view_perspective = "ORTHO"
        region.view_location = (*((low + high) / 2), 0.0)
        region.view_distance = max(width, _UPRIGHT * height, 10.0)
    stage.show_plainly(context, collection, 2.5 * max(width, height, 10.0), is_flat=True)


def frame(collection: bpy.types.Collection) -> list[Vector]:
    """The corners of the map in the world: what lies round it, as skies do, is far larger in many maps."""
    (left, lower), (right, upper) = _extent(collection)
    root = root_of(collection)
    turned = root.matrix_world if root is not None else Matrix.Identity(4)
    return [turned @ Vector((x, y, 0.0)) for x in (left, right) for y in (lower, upper)]


def _extent(collection: bpy.types.Collection) -> tuple[Floats, Floats]:
    """Lower left and upper right corner of the game layer, or without one of all tile layers, as properties tell."""
    layers = [obj for obj in all_layers(collection) if obj.get("width") is not None]
    played = [obj for obj in layers if tile_kind(obj) == "GAME"]  # others are larger in many maps, with nothing there
    sizes = [(obj["width"], obj["height"]) for obj in played or layers]
    width, height = (max(size) for size in zip(*sizes, strict=True)) if sizes else (32, 32)
    return np.array((0.0, -float(height))), np.array((float(width), 0.0))
