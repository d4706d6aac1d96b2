# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene and the windows that show it, made ready for a level: what the imports of all games share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import bpy
import numpy as np
from mathutils import Quaternion, Vector
from numpy.typing import ArrayLike

from ..blender_types import Value, always, configure, set_default
from ..kept import identity, originals
from ..media import materials
from ..names import showable
from ..reports import Report, SceneError
from . import drawing, startup

MADE = "levelwright_world"
"""Property of worlds that an import made."""
TRUE = ("Standard", "Raw")
"""View transforms that leave colours as they are."""
FARTHEST = 1e5
"""Metres: nothing that is farther out, where only broken files have something, is brought into view."""
OUTLYING = 1.0
"""Percent of the points on each side that don't count: skies and leftovers lie far from many levels."""
ENOUGH = 4096
"""Points that tell where a level lies."""
NEAREST, NEAR = 1e-4, 0.15
"""Metres: how near to the eye anything is drawn; NEAR: at the most, in levels whose players are as large as people."""
NEAR_UNITS = 8.0
"""That in units of which players are 64 to 72 tall and 32 wide."""
DEPTH = 500.0
"""How many times nearer that is than a level is large: seen from as far as it is large, faces a 30,000th of that apart
then have depths of their own in a buffer of 24 bits."""
LOOKING_DOWN = (0.8001, 0.4619, 0.1913, 0.3314)
"""Quaternion of a view from the south-east and 30 degrees above the horizon."""


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The context's scene. Raises SceneError where there is none."""
    if context.scene is None:
        raise SceneError("there is no scene to work in")
    return context.scene


def view_layer_of(context: bpy.types.Context) -> bpy.types.ViewLayer:
    """The context's view layer. Raises SceneError where there is none."""
    if context.view_layer is None:
        raise SceneError("there is no view layer to work in")
    return context.view_layer


def window_manager_of(context: bpy.types.Context) -> bpy.types.WindowManager:
    """The context's window manager, which opens dialogs. Raises SceneError where there is none."""
    if context.window_manager is None:
        raise SceneError("there are no windows to open a dialog in")
    return context.window_manager


def redraw(manager: bpy.types.WindowManager | None) -> None:
    """Let all 3D views be drawn anew, with their sidebars."""
    for window in manager.windows if manager is not None else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def view_settings_of(scene: bpy.types.Scene) -> bpy.types.ColorManagedViewSettings:
    """How a scene's colours are shown. Raises SceneError where nothing says so."""
    if scene.view_settings is None:
        raise SceneError(f"{scene.name} has no view settings")
    return scene.view_settings


def is_empty(scene: bpy.types.Scene) -> bool:
    """Say whether a scene holds nothing but levels of ours, and what a new file of Blender's starts with, untouched."""
    usual = set(startup.untouched(scene))
    return all(obj in usual or identity.stamped(obj) is not None for obj in scene.objects)


def is_free_for(scene: bpy.types.Scene, format_key: str) -> bool:
    """Say whether an import may set up views, units and colours of a scene: nothing but levels of its game is in it."""
    return is_empty(scene) and all(originals.format_of(level) == format_key for level in originals.levels(scene))


@contextmanager
def cleared(context: bpy.types.Context) -> Iterator[list[bpy.types.Object]]:
    """Give what a new file of Blender's starts with, untouched, where nothing but levels is beside it: it is put away
    when a level was made inside, and stays when an exception leaves it.
    """
    scene = context.scene
    found = startup.untouched(scene) if scene is not None and is_empty(scene) else []
    yield found
    startup.put_away(found)


def show_true_colors(scene: bpy.types.Scene, alone: bool, report: Report) -> None:
    """Make the scene show colours as they are. alone: there is nothing else in it; otherwise a warning has to do."""
    settings = view_settings_of(scene)
    if alone:
        configure(settings, view_transform="Standard", look="None", exposure=0.0, gamma=1.0)
    elif settings.view_transform not in TRUE:
        report.warn(
            f"the scene holds other things, so its view transform {settings.view_transform} was left: it changes the "
            "level's colours; Standard shows them right"
        )


def plain_world(name: str, color: tuple[float, ...]) -> bpy.types.World:
    """A world that shines in one colour (linear) everywhere."""
    world = bpy.data.worlds.new(showable(name))
    world[MADE] = True
    world.color = [min(part, 1.0) for part in color]
    if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
        world.use_nodes = True
    background = next((node for node in always(world.node_tree).nodes if node.type == "BACKGROUND"), None)
    if background is not None:
        set_default(background.inputs["Color"], (*color, 1.0))
    return world


def let_go_of_worlds() -> None:
    """Take the world that an import made from each scene whose last level was deleted: it goes with that."""
    scenes: list[Value] = list(bpy.data.scenes)  # the stubs say that each has a library
    for scene in scenes:
        world = scene.world
        ours = world is not None and (world.get(MADE) is not None or identity.stamped(world) is not None)
        if ours and scene.library is None and not originals.levels(scene):
            scene.world = None


def may_replace_world(scene: bpy.types.Scene) -> bool:
    """Say whether a scene has no world, one that an import made and marked, or that of a new file of Blender's."""
    world = scene.world
    if world is None or identity.stamped(world) is not None:
        return True
    return startup.is_untouched_world(world)


def lacks_world(scene: bpy.types.Scene) -> bool:
    """Say whether a scene has no world, or only the dark grey one of a new file of Blender's."""
    return scene.world is None or startup.is_untouched_world(scene.world)


def viewports(context: bpy.types.Context, *, everywhere: bool = False) -> Iterator[bpy.types.SpaceView3D]:
    """The 3D viewports in windows or, without any, all that a .blend would be opened with: SpaceView3D.

    everywhere: those of workspaces that no window shows, too.
    """
    manager = context.window_manager
    is_all = everywhere or bpy.app.background
    shown = [] if is_all or manager is None else [window.screen for window in manager.windows]
    for screen in shown or bpy.data.screens:
        for area in screen.areas:
            space = area.spaces.active
            if isinstance(space, bpy.types.SpaceView3D) and space.region_3d is not None:
                yield space


def look_at(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    points: ArrayLike,
    *,
    is_one_sided: bool = False,
    near: float = NEAR,
) -> None:
    """Let the viewports of all workspaces show a level from above, all of it in view but what lies far off; those in
    windows with its materials (or solid, with their images: see `drawing`).

    points: float[n, 3], metres, its corners or more; what isn't finite doesn't count. is_one_sided: Solid views, too,
    then show faces from their front only. near: metres; nothing nearer to the eye need be drawn. The lines to the
    level's root, one from every object, are switched off.
    """
    found = np.asarray(points).reshape(-1, 3)
    found = found[:: len(found) // ENOUGH + 1]
    found = found[(np.abs(found) < FARTHEST).all(axis=1)]
    if not len(found):
        found = np.array([(-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)])
    low, high = np.percentile(found, (OUTLYING, 100 - OUTLYING), axis=0)
    size = max(float(np.linalg.norm(high - low)), 1.0)
    for space in viewports(context, everywhere=True):
        region = always(space.region_3d)
        region.view_perspective = "PERSP"
        region.view_rotation = LOOKING_DOWN
        region.view_location = (low + high) / 2
        region.view_distance = size
    show_plainly(context, collection, size, is_one_sided=is_one_sided, near=near)


def show_plainly(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    size: float,
    *,
    is_one_sided: bool = False,
    is_flat: bool = False,
    near: float = NEAR,
) -> None:
    """Let the viewports show a level's materials, as far and as near as its size (metres) asks for; Solid ones and
    renders by Workbench its images or colours. Those that no window shows stay Solid, or what else they are.

    is_flat: nothing shades anything in it, and all views show its materials. The other arguments: as of `look_at`.
    """
    solid = materials.solid_color(collection)
    own = always(scene_of(context).display)
    spaces = list(viewports(context, everywhere=True))
    for shading in (always(own.shading), *(space.shading for space in spaces)):  # Workbench renders as the first
        shading.color_type, shading.show_backface_culling = solid, is_one_sided
        shading.light = "FLAT" if is_flat else "STUDIO"
    for space in spaces if is_flat else viewports(context):
        space.shading.type = "MATERIAL" if is_flat else drawing.view_shading()
    for space in spaces:
        space.clip_start = max(min(size / DEPTH, near), NEAREST)
        space.clip_end = max(space.clip_end, 4.0 * size)
        space.overlay.show_relationship_lines = False


def present(
    context: bpy.types.Context, collection: bpy.types.Collection, first: bpy.types.Object | None = None
) -> None:
    """Make a level the active collection, and its root (or `first`) the active object, selected alone: unless somebody
    works in another mode than Object Mode, whose selection is left to it.
    """
    originals.make_active(context, collection)
    layer = context.view_layer
    root = first or next((obj for obj in collection.objects if identity.kind_of(obj) == identity.ROOT), None)
    if layer is None or root is None or context.mode != "OBJECT":
        return
    with suppress(RuntimeError):  # a collection that is excluded from the view layer has nothing to select
        root.select_set(True, view_layer=layer)
        for obj in list(layer.objects.selected):
            obj.select_set(obj == root, view_layer=layer)
        layer.objects.active = root


def select_only(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    """Select exactly these objects, as far as they are in the view layer; the last one becomes the active one."""
    layer = view_layer_of(context)
    layer.update()  # what was just made isn't in it yet
    wanted = set(objects)
    for obj in layer.objects:
        obj.select_set(obj in wanted)
    there = [obj for obj in objects if obj.name in layer.objects]
    if there:
        layer.objects.active = there[-1]


SceneSettings = list[tuple[object, str, object]]
"""Settings of a scene and its windows: whose they are, their names and values."""


def scene_settings(context: bpy.types.Context) -> SceneSettings:
    """What imports may change of how the context's scene looks, as it is now."""
    scene = context.scene
    changed: list[tuple[object, tuple[str, ...]]] = []
    if scene is not None:
        changed += [(scene.view_settings, ("view_transform", "look", "exposure", "gamma"))]
        changed += [(scene, ("world", "camera", "audio_distance_model", "frame_start", "frame_current"))]
        changed += [(scene.unit_settings, ("system",)), (scene.tool_settings, ("use_snap", "snap_elements_base"))]
        changed += [(scene.cycles, ("transparent_max_bounces",))] if hasattr(scene, "cycles") else []
        changed += [(scene.tool_settings.sculpt, ("lock_x", "lock_y"))] if scene.tool_settings.sculpt else []
        display = always(scene.display)
        changed += [(display.shading, ("color_type", "show_backface_culling", "light"))]
    for space in viewports(context, everywhere=True):
        changed += [(space.region_3d, ("view_perspective", "view_rotation", "view_location", "view_distance"))]
        changed += [
            (space, ("clip_start", "clip_end")),
            (space.shading, ("type", "use_scene_world", "color_type", "show_backface_culling", "light")),
            (space.overlay, ("show_relationship_lines", "grid_scale", "grid_subdivisions")),
        ]
    return [(struct, name, _copy(getattr(struct, name))) for struct, names in changed for name in names]


def restore_settings(before: SceneSettings) -> None:
    """Let everything look as it did."""
    for struct, name, value in before:
        if getattr(struct, name) != value:
            setattr(struct, name, value)


def _copy(value: object) -> object:
    """A setting's value that stays what it is when the setting changes."""
    return value.copy() if isinstance(value, Vector | Quaternion) else value
