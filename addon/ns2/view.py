# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeing a level as game and editor show it: from above as commanders do, as the minimap, on a grid of inches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...formats.arrays import Array
from ..scene import attributes
from ..scene.blender_types import always, configure, mesh_of
from ..scene.disk import chosen_files, files
from ..scene.fields import declared
from ..scene.geometry import transforms
from ..scene.interface.sidebar import LevelOperator, Result, refuse
from ..scene.level import needed_root
from ..scene.media import images
from ..scene.names import showable
from ..scene.reports import SceneError
from ..scene.view import stage
from . import layout
from .layers import lists, visibility
from .layout import CLASS

INCH = 0.0254
GRID = 8
"""Inches: the grid's first step."""
EXTENTS = "minimap_extents"
LEGACY = "useLegacyOverview"
"""The property of EXTENTS that says by which of the two rules the game reads its picture (ns2.md §10)."""
REACHES = {True: 0.25, False: 0.239246666431427}
"""Of the scale of EXTENTS: how far the picture reaches from its middle, by the old rule and by the new one."""
SIZE = 1024
"""Pixels of the picture's sides."""


def seen_corners(collection: bpy.types.Collection) -> Array:
    """Where the corners of those faces of a level are that aren't hidden, float32[n, 3]; none where all are."""
    found = [np.zeros((0, 3), np.float32)]
    for obj in visibility.geometry(collection):
        mesh = mesh_of(obj)
        corners = attributes.read(mesh, ".corner_vert", "CORNER")
        places = attributes.read(mesh, "position", "POINT")
        if corners is None or places is None:
            continue
        hidden = attributes.read(mesh, layout.HIDDEN, "FACE")
        if hidden is not None:
            starts = attributes.face_starts(mesh)
            corners = corners[~np.repeat(hidden, np.diff(starts, append=len(corners)))]
        found.append(places[corners])
    return np.concatenate(found)


def set_grid(context: bpy.types.Context) -> None:
    """Let the viewports have the editor's grid, whose steps are twice as large each, and things snap to it."""
    scene = stage.scene_of(context)
    units = scene.unit_settings
    units.system = "NONE"  # with units the grid's steps are those of the unit
    for space in stage.viewports(context, everywhere=True):
        overlay = space.overlay
        overlay.grid_scale, overlay.grid_subdivisions = GRID * INCH, 2
    tools = scene.tool_settings
    tools.use_snap = True
    tools.snap_elements_base = {"GRID"}


class _InView(LevelOperator):
    """What operators share that change how a 3D view shows the active level."""


class LEVELWRIGHT_OT_ns2_commander_view(_InView):
    """Look at the level as commanders do: straight from above, without ceilings and what they don't see; or no more"""

    bl_idname = "levelwright.ns2_commander_view"
    bl_label = "Commander View"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Switch it on or off, in the view that one looks at, or in all."""
        held = lists.lists_of(level)
        held.commander = not held.commander
        space = context.space_data
        own = [space] if isinstance(space, bpy.types.SpaceView3D) else list(stage.viewports(context))
        for each in own:
            if held.commander:
                _look_down(each)
            else:
                _look_back(each)


_Look = tuple[Literal["PERSP", "ORTHO", "CAMERA"], Quaternion, bool]
_looks_before: dict[int, _Look] = {}
"""By the address of a 3D view: how it looked before it looked down. Views aren't undone, so it is kept beside them."""


def _look_down(space: bpy.types.SpaceView3D) -> None:
    """Let a 3D view look straight from above, without ceilings, which look down."""
    region = always(space.region_3d)
    straight = region.view_perspective == "ORTHO" and region.view_rotation == Quaternion()
    if not straight:  # undo switches the operator off, and leaves the view
        culling = space.shading.show_backface_culling
        _looks_before[space.as_pointer()] = region.view_perspective, region.view_rotation.copy(), culling
    region.view_perspective, region.view_rotation = "ORTHO", Quaternion()
    space.shading.show_backface_culling = True


def _look_back(space: bpy.types.SpaceView3D) -> None:
    """Let a 3D view look as it did before `_look_down`; from the south-east where nobody knows."""
    region = always(space.region_3d)
    usual: _Look = "PERSP", Quaternion(stage.LOOKING_DOWN), space.shading.show_backface_culling
    perspective, rotation, culling = _looks_before.pop(space.as_pointer(), usual)
    region.view_perspective, region.view_rotation = perspective, rotation
    space.shading.show_backface_culling = culling


class LEVELWRIGHT_OT_ns2_grid(_InView):
    """Make the grid of the 3D views half as fine, or twice; it begins with 8 inches, as the editor's"""

    bl_idname = "levelwright.ns2_grid"
    bl_label = "Grid"

    factor: float = declared.number(name="Factor", default=0.5, min=1 / 64, max=64)

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Change it in all views."""
        found = False
        for space in stage.viewports(context, everywhere=True):
            overlay = space.overlay
            overlay.grid_scale = min(max(overlay.grid_scale * self.factor, INCH / 8), 1024 * INCH)
            found = True
        if not found:
            raise SceneError("there is no 3D view")


class LEVELWRIGHT_OT_ns2_snap_grid(_InView):
    """Let the 3D views have the editor's grid of inches, each step twice as large as the one before, and snap to it"""

    bl_idname = "levelwright.ns2_snap_grid"
    bl_label = "Grid of Inches"

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Set grid and snapping, as an import does in a new scene."""
        set_grid(context)


class LEVELWRIGHT_OT_ns2_minimap(LevelOperator):
    """Render the picture of the minimap, of what minimap_extents encloses, as the game reads it from maps/overviews"""

    bl_idname = "levelwright.ns2_minimap"
    bl_label = "Render Minimap"
    bl_options = set()  # the level stays as it is

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = declared.string(default="*.tga", options={"HIDDEN"})
    size: int = declared.integer(name="Pixels", description="Of each side", default=SIZE, min=64, max=4096)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask where to, of a level that has a minimap."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            _extents(level)
        except SceneError as error:
            return refuse(self, context, error)
        self.filepath = str(Path(level.name).with_suffix(".tga"))
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Render it. Raises SceneError, OSError."""
        extents = _extents(level)
        if not self.filepath:
            raise SceneError("name a file for the picture")
        target = chosen_files.to_write(Path(bpy.path.abspath(self.filepath)), ".tga")
        for line in files.write_atomically(target, picture(level, extents, self.size)):
            self.report({"WARNING"}, line)
        self.report({"INFO"}, f"wrote {target.name}: the game looks for it in maps/overviews, by the level's name")


def _extents(level: bpy.types.Collection) -> bpy.types.Object:
    """The entity that says what the minimap shows. Raises SceneError where there is none."""
    found = [obj for obj in level.all_objects if obj.get(CLASS) == EXTENTS]
    if not found:
        raise SceneError(f"{level.name} has no {EXTENTS}, which says what the minimap shows: add one")
    return found[0]


def picture(level: bpy.types.Collection, extents: bpy.types.Object, size: int) -> bytes:
    """The picture as a TGA, transparent where nothing is: Spark's z goes right and its x up, as Blender's x and
    y do when one looks down.
    """
    root = needed_root(level)
    place = transforms.seen(extents, root)
    scale = np.linalg.norm(place[:3, :3], axis=0)
    reach = REACHES[extents.get(LEGACY) is not False and not _is_off(extents.get(LEGACY))] * float(scale[:2].max())
    scene = bpy.data.scenes.new(showable("levelwright minimap"))
    camera = bpy.data.cameras.new("levelwright minimap")
    holder = bpy.data.objects.new("levelwright minimap", camera)
    try:
        scene.collection.children.link(level)
        scene.collection.objects.link(holder)
        far = _height(level) + 1.0
        holder.matrix_world = root.matrix_world @ Matrix.Translation(Vector((*place[:2, 3].tolist(), far)))
        camera.type, camera.ortho_scale, camera.clip_end = "ORTHO", 2 * reach, 4 * far + 1e4
        scene.camera = holder
        with _as_overview(level):
            return _rendered(scene, size)
    finally:
        for block in (holder, camera):
            bpy.data.batch_remove([block])
        bpy.data.scenes.remove(scene)


def _is_off(value: object) -> bool:
    """Whether a property says no, as a number does."""
    return isinstance(value, int | float) and not value


def _height(level: bpy.types.Collection) -> float:
    """How high anything of a level reaches at most, metres above its root."""
    corners = [obj.matrix_world @ Vector(corner) for obj in level.all_objects for corner in obj.bound_box]
    return max((abs(corner.z) for corner in corners), default=0.0)


@contextmanager
def _as_overview(level: bpy.types.Collection) -> Iterator[None]:
    """Hide what the minimap doesn't show for a while."""
    held = lists.lists_of(level)
    was = held.commander
    held.commander, held.overview = True, True
    visibility.show(level)
    try:
        yield
    finally:
        held.commander, held.overview = was, False
        visibility.show(level)


def _rendered(scene: bpy.types.Scene, size: int) -> bytes:
    """The picture that a scene's camera sees, drawn as the solid viewport does, by materials' images."""
    output = scene.render
    configure(output, engine="BLENDER_WORKBENCH", film_transparent=True)
    output.resolution_x = output.resolution_y = size
    output.resolution_percentage = 100
    shading = always(always(scene.display).shading)
    shading.light, shading.color_type, shading.show_backface_culling = "STUDIO", "TEXTURE", True
    shading.show_cavity = True
    configure(stage.view_settings_of(scene), view_transform="Standard")
    output.image_settings.file_format, output.image_settings.color_mode = "TARGA_RAW", "RGBA"
    return images.rendered(scene)


CLASSES = (
    LEVELWRIGHT_OT_ns2_commander_view,
    LEVELWRIGHT_OT_ns2_grid,
    LEVELWRIGHT_OT_ns2_snap_grid,
    LEVELWRIGHT_OT_ns2_minimap,
)
