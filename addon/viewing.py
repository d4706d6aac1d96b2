# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at levels: which kinds of objects 3D views show, into rooms from outside, and from where players begin.

All of it is for the eye: nothing here changes what an export writes.
"""

from __future__ import annotations

from typing import cast

import bpy

from . import levels
from .scene.blender_types import Icon
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.interface.sidebar import (
    CATEGORY,
    OBJECT_MODE,
    Result,
    allows,
    layout_of,
    refuse,
)
from .scene.kept import originals
from .scene.names import showable
from .scene.registering import called, in_turn
from .scene.reports import SceneError
from .scene.view import interior, kinds, spawns, stage


def _level(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The level of the active collection, else the scene's only one."""
    level = originals.level_of(context)
    try:
        return level if level is None or levels.game_of(level) else None
    except SceneError:  # the sidebar says what is wrong with it
        return None


def _views(context: bpy.types.Context) -> list[bpy.types.SpaceView3D]:
    """The 3D view that one looks at, else all."""
    space = context.space_data
    return [space] if isinstance(space, bpy.types.SpaceView3D) else list(stage.viewports(context))


def _places(context: bpy.types.Context, level: bpy.types.Collection) -> list[spawns.Spawn]:
    """Where players begin in a level. Raises SceneError where that is nowhere."""
    game = levels.game_of(level)
    found = list(game.spawns(context, level)) if game.spawns is not None else []
    if not found:
        raise SceneError(f"{level.name} has no place where players begin")
    return found


class _OnLevel(Declared):
    """Mixed into operators and panels that are about the active level of any game."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return allows(cls, _level(context) is not None, "There is no level in this scene")


class LEVELWRIGHT_OT_show_kind(_OnLevel, bpy.types.Operator):
    """Show or hide all objects of a kind in 3D views, or show them alone. Renders and exports take no notice"""

    bl_idname = "levelwright.show_kind"
    bl_label = "Show Kind of Objects"
    bl_options = {"REGISTER", "UNDO"}

    kind: str = declared.string(
        name="Kind", description="What the list calls it: Lights, Triggers, Props; empty for all kinds"
    )
    action: str = declared.menu(
        name="Action",
        items=(
            ("TOGGLE", "Toggle", "Hide it where any is shown, else show it"),
            ("SHOW", "Show", "Show all of the kind"),
            ("HIDE", "Hide", "Hide all of the kind"),
            ("ONLY", "Only", "Show the kind, and hide all others"),
        ),
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level, and for Object Mode: what is worked on can't be hidden."""
        return allows(cls, context.mode == "OBJECT", OBJECT_MODE) and super().poll(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Switch it."""
        level = _level(context)
        if level is None:
            return {"CANCELLED"}
        kind_of = levels.game_of(level).kind_shown
        found = {one.name: one for one in kinds.count(level, kind_of)}
        wanted = {self.kind} & found.keys() if self.kind else set(found)
        if not wanted:
            return refuse(self, context, SceneError(f"{level.name} has no {self.kind}"))
        is_shown = any(found[name].visible for name in wanted)
        on = not is_shown if self.action == "TOGGLE" else self.action != "HIDE"
        kinds.switch(context, level, kind_of, wanted, on)
        if self.action == "ONLY" and len(wanted) < len(found):
            kinds.switch(context, level, kind_of, found.keys() - wanted, False)
        return {"FINISHED"}


class LEVELWRIGHT_OT_interior_view(_OnLevel, bpy.types.Operator):
    """Show the faces of the level from their front only, so that rooms can be looked into; or from both sides again"""

    bl_idname = "levelwright.interior_view"
    bl_label = "Interior View"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Switch it, in the level's materials and in the view."""
        level = _level(context)
        if level is None:
            return {"CANCELLED"}
        views = _views(context)
        on = not (views[0].shading.show_backface_culling if views else interior.is_open(level))
        interior.show(level, on)
        for space in views:
            space.shading.show_backface_culling = on
        return {"FINISHED"}


class _FromSpawn(_OnLevel, bpy.types.Operator):
    """What operators share that look from where players begin: each time from the next place."""

    number: int = declared.integer(name="Place", description="Which of them, from 0 on", default=-1, min=-1)
    level: str = declared.string(name="Level", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Go on to the next place: what was chosen last is remembered until Blender ends."""
        level = _level(context)
        name = level.name if level is not None else ""
        self.number = self.number + 1 if self.level == name else 0
        self.level = name
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Look from there."""
        level = _level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            places = _places(context, level)
        except SceneError as error:
            return refuse(self, context, error)
        self.number = max(self.number, 0) % len(places)
        spawn = places[self.number]
        for space in _views(context):
            spawn.show(space)
        self.report({"INFO"}, showable(f"{spawn.name}: place {self.number + 1} of {len(places)}"))
        return self.go(context, spawn)

    def go(self, _context: bpy.types.Context, _spawn: spawns.Spawn) -> Result:
        """Do what comes after."""
        return {"FINISHED"}


class LEVELWRIGHT_OT_go_to_spawn(_FromSpawn):
    """Look from where players begin, in their direction; again, from the next such place"""

    bl_idname = "levelwright.go_to_spawn"
    bl_label = "Go to Spawn"
    bl_options = {"REGISTER"}


class LEVELWRIGHT_OT_fly_from_spawn(_FromSpawn):
    """Walk or fly through the level from where players begin, as Preferences > Navigation say; again, from the next"""

    bl_idname = "levelwright.fly_from_spawn"
    bl_label = "Fly from Spawn"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level that has depth."""
        level = _level(context)
        has_depth = level is None or not levels.game_of(level).is_flat
        return super().poll(context) and allows(cls, has_depth, "This level is flat: there is nothing to fly through")

    def go(self, context: bpy.types.Context, _spawn: spawns.Spawn) -> Result:
        """Start Blender's own navigation in the view."""
        area = context.area
        window = next((one for one in area.regions if one.type == "WINDOW"), None) if area is not None else None
        if window is None or area is None or area.type != "VIEW_3D" or bpy.app.background:
            return {"FINISHED"}
        with context.temp_override(area=area, region=window):
            bpy.ops.view3d.navigate("INVOKE_DEFAULT")
        return {"FINISHED"}


class LEVELWRIGHT_OT_camera_at_spawn(_OnLevel, bpy.types.Operator):
    """Put a camera where players first appear, and make it the one that renders: it is no part of the level"""

    bl_idname = "levelwright.camera_at_spawn"
    bl_label = "Camera at Spawn"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        level, scene = _level(context), stage.scene_of(context)
        if level is None:
            return {"CANCELLED"}
        look = levels.game_of(level).look_from_spawn
        render = scene.render
        aspect = render.resolution_x * render.pixel_aspect_x / (render.resolution_y * render.pixel_aspect_y)
        try:
            is_made = look is not None and look(context, level, aspect) is not None
        except SceneError as error:
            return refuse(self, context, error)
        if not is_made:
            return refuse(self, context, SceneError(f"{level.name} has no place where players begin"))
        return {"FINISHED"}


def _draw_from_spawn(layout: bpy.types.UILayout) -> None:
    layout.operator(LEVELWRIGHT_OT_go_to_spawn.bl_idname, icon="VIEW3D")
    layout.operator(LEVELWRIGHT_OT_fly_from_spawn.bl_idname, icon="VIEW_PAN")


class LEVELWRIGHT_PT_kinds(_OnLevel, bpy.types.Panel):
    """Which kinds of objects of the level are shown"""

    bl_label = "Level Objects"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 13

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a line a kind: an eye, what it is called, how many there are."""
        layout, level = layout_of(self), _level(context)
        if level is None:
            return
        layout.label(text=level.name, icon="OUTLINER_COLLECTION")
        found = kinds.shown(context, level, levels.game_of(level).kind_shown)
        column = layout.column(align=True)
        for one in found:
            _draw_kind(column.row(align=True), one)
        row = layout.row(align=True)
        for text, action in (("Show All", "SHOW"), ("Hide All", "HIDE")):
            button = row.operator(LEVELWRIGHT_OT_show_kind.bl_idname, text=text)
            button.kind, button.action = "", action


def _draw_kind(row: bpy.types.UILayout, one: kinds.KindCount) -> None:
    eye: Icon = "HIDE_OFF" if one.visible else "HIDE_ON"
    for text, icon, weight in (("", eye, 1.0), (one.name, kinds.KINDS[one.name], 6.5)):
        part = row.row(align=True)
        part.ui_units_x, part.alignment = weight, "LEFT"
        button = part.operator(LEVELWRIGHT_OT_show_kind.bl_idname, text=text, icon=icon, emboss=False)
        button.kind, button.action = one.name, "TOGGLE"
    number = row.row(align=True)
    number.alignment = "RIGHT"
    number.label(text=f"{one.total:,}" if one.visible in (0, one.total) else f"{one.visible:,} / {one.total:,}")
    alone = number.operator(LEVELWRIGHT_OT_show_kind.bl_idname, text="", icon="SOLO_OFF", emboss=False)
    alone.kind, alone.action = one.name, "ONLY"


class LEVELWRIGHT_PT_view(_OnLevel, bpy.types.Panel):
    """How the level is looked at."""

    bl_label = "View"
    bl_category = CATEGORY
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons."""
        layout, level = layout_of(self), _level(context)
        if level is None:
            return
        layout.popover(LEVELWRIGHT_PT_kinds.__name__, icon="FILTER")
        column = layout.column(align=True)
        _draw_from_spawn(column)
        column.operator(LEVELWRIGHT_OT_camera_at_spawn.bl_idname, icon="CAMERA_DATA")
        if levels.game_of(level).is_one_sided:
            space = context.space_data
            is_open = isinstance(space, bpy.types.SpaceView3D) and bool(
                space.shading and space.shading.show_backface_culling
            )
            layout.operator(LEVELWRIGHT_OT_interior_view.bl_idname, icon="MOD_SOLIDIFY", depress=is_open)


CLASSES: tuple[type, ...] = (
    LEVELWRIGHT_OT_show_kind,
    LEVELWRIGHT_OT_interior_view,
    LEVELWRIGHT_OT_go_to_spawn,
    LEVELWRIGHT_OT_fly_from_spawn,
    LEVELWRIGHT_OT_camera_at_spawn,
    LEVELWRIGHT_PT_kinds,
    LEVELWRIGHT_PT_view,
)


def _draw_in_header(header: bpy.types.Header, context: bpy.types.Context) -> None:
    if _level(context) is not None:
        layout_of(cast(bpy.types.Menu, header)).popover(LEVELWRIGHT_PT_kinds.__name__, text="", icon="FILTER")


def _draw_in_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    if _level(context) is not None:
        layout = layout_of(menu)
        layout.separator()
        _draw_from_spawn(layout)


register, unregister = in_turn(
    *CLASSES,
    called(bpy.types.VIEW3D_HT_header, _draw_in_header),
    called(bpy.types.VIEW3D_MT_view, _draw_in_menu),
)
