# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels and operators of all games share: registering, the level that they are about, and how they refuse."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import bpy

from .. import wording
from ..blender_types import Icon, Value, always, configure
from ..fields.declared import Declared
from ..geometry.meshes import needs_evaluation, select_faces, select_points
from ..issues import findings
from ..kept import originals
from ..names import showable_lines
from ..reports import FAILURES, Report, SceneError, in_words
from ..work import once

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import RegionTypeItems, SpaceTypeItems

CATEGORY = "Levelwright"
"""The tab of the sidebar."""
DOCUMENTATION = "levelwright.documentation"
"""The operator that opens a page of `docs/`."""
TAB_AFTER = 0.1
"""Seconds after which a sidebar that is shown has been drawn."""
NO_LEVEL = "No level is active: click its collection, or something in it, in the outliner"
NO_LEVEL_OF_GAME = "No level of this game is active: click its collection, or something in it, in the outliner"
NO_LEVEL_IN_SCENE = "There is no level in this scene"
NO_SELECTION = "No object is selected"
OBJECT_MODE = "Only in Object Mode"
EDIT_MODE = "Only in Edit Mode of a mesh"
MODES = {"OBJECT": OBJECT_MODE, "EDIT_MESH": EDIT_MODE}
"""What operators say that need a mode."""
_ADDON = f"{__name__.partition('.scene.')[0]}."
"""What the names of all modules of the add-on begin with."""
Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
"""What operators return: {"FINISHED"} or {"CANCELLED"}."""


def active_level(context: bpy.types.Context, format_key: str) -> bpy.types.Collection | None:
    """The level that the active collection is or lies in, else the scene's only one; None if it is another format's."""
    level = originals.level_of(context)
    return level if level is not None and originals.format_of(level) == format_key else None


def refuse(operator: bpy.types.Operator, context: bpy.types.Context, error: Exception) -> Result:
    """Report an error, and select what is at fault where the error knows."""
    if isinstance(error, SceneError) and error.objects and context.view_layer:
        for obj in context.view_layer.objects:
            obj.select_set(obj in error.objects)
        for select, places in ((select_faces, error.faces), (select_points, error.points)):
            for obj, elements in places.items():
                if not needs_evaluation(obj):  # what modifiers made can't be selected, nor what is a text or a curve
                    select(obj, elements)
        shown = [obj for obj in error.objects if obj.name in context.view_layer.objects]
        context.view_layer.objects.active = shown[0] if shown else None
    operator.report({"ERROR"}, showable_lines(in_words(error)))
    return {"CANCELLED"}


def tell(operator: bpy.types.Operator, level: bpy.types.Collection, report: Report) -> None:
    """Keep what a tool has to tell of a level in its list, in the place of what the last tool had; show the counts."""
    findings.keep(level, report.issues(), "tool")
    report.forward(operator)


def _choose_tab(pointer: int) -> None:
    """Choose the tab in an area's sidebar, if the area is still there."""
    manager = always(bpy.context.window_manager)
    areas = [area for window in manager.windows for area in window.screen.areas]
    area = next((one for one in areas if one.as_pointer() == pointer), None)
    region = next((one for one in area.regions if one.type == "UI"), None) if area is not None else None
    with suppress(AttributeError, TypeError):  # not in all versions of Blender
        configure(region, active_panel_category=CATEGORY)


def show_tab(context: bpy.types.Context) -> None:
    """Let a 3D view of the window show the sidebar's tab, which lists what was found: the view that was clicked in."""
    areas = [context.area, *(context.screen.areas if context.screen is not None else ())]
    area = next((one for one in areas if one is not None and one.type == "VIEW_3D"), None)
    space = area.spaces.active if area is not None else None
    if area is None or not isinstance(space, bpy.types.SpaceView3D):
        return
    space.show_region_ui = True
    # A sidebar that was never drawn has no tabs yet.
    bpy.app.timers.register(partial(_choose_tab, area.as_pointer()), first_interval=TAB_AFTER)


def layout_of(shown: bpy.types.Panel | bpy.types.Operator | bpy.types.Menu) -> bpy.types.UILayout:
    """What something is drawn into. Raises RuntimeError where it isn't being drawn."""
    if shown.layout is None:
        raise RuntimeError(f"{shown.bl_idname} has a layout only while it is drawn")
    return shown.layout


def allows(cls: type, is_met: bool, message: str) -> bool:
    """Give back whether a condition of an operator's `poll` is met; if not, the greyed button's tooltip says why."""
    if not is_met and issubclass(cls, bpy.types.Operator):  # panels have polls, too, and no tooltips
        cls.poll_message_set(message)
    return is_met


def draw_help(layout: bpy.types.UILayout, page: str) -> None:
    """Draw a button that opens a page of `docs/`: "teeworlds.md#animation"."""
    button = layout.operator(DOCUMENTATION, text="", icon="HELP", emboss=False)
    button.page = page


def operator_of(name: str) -> Value:
    """What runs the operator of a name, as `bpy.ops` has it; None where there is none."""
    category, _, verb = name.partition(".")
    module = getattr(bpy.ops, category, None)
    return getattr(module, verb, None) if verb in dir(module) else None


def title_of(name: str) -> str:
    """What an operator is called on buttons; its name where there is none of it."""
    operator = operator_of(name)
    return name if operator is None else str(operator.get_rna_type().name)


def draw_text(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Icon = "NONE") -> None:
    """Draw a text in lines as wide as the panel. icon: before the first line."""
    width = wording.room(context, icon != "NONE")
    for number, line in enumerate(wording.wrapped(text, width, wording.measure(context))):
        shown: Icon = "BLANK1" if number and icon != "NONE" else icon
        layout.label(text=line, icon=shown)


def draw_property(layout: bpy.types.UILayout, context: bpy.types.Context, owner: Value, key: str, title: str) -> None:
    """Draw a custom property: its title beside it where that has room, else in its field, or above a text."""
    path = f'["{bpy.utils.escape_identifier(key)}"]'
    column = layout.column()
    column.use_property_decorate = False
    if wording.is_title(title, context):
        column.use_property_split = True
        column.prop(owner, path, text=title)
        return
    column.use_property_split = False
    is_text = isinstance(owner[key], str)
    if is_text:
        column.label(text=title)
    column.prop(owner, path, text="" if is_text else title)


Chosen = tuple[object, str]
"""Whose property it is, and its name."""


def draw_items(
    layout: bpy.types.UILayout, items: type[bpy.types.UIList], key: str, where: Chosen, active: Chosen
) -> bpy.types.UILayout:
    """Draw a list as wide as the panel, so that names have room, and return the row of buttons below it.

    key: of the list, where several are of one class. where: its items. active: the number of the one that is chosen.
    """
    layout.template_list(items.__name__, key, *where, *active)
    return layout.row(align=True)


class OnLevel(Declared):
    """Mixed into panels and operators that are about a level of one game."""

    layout: bpy.types.UILayout
    """What it is drawn into: Blender gives it before it calls `draw`."""
    format_key: ClassVar[str]
    """The game's: the name of the folder in `addon` that the class is in, unless it says otherwise."""
    needs_mode: ClassVar[str] = ""
    """The mode that it needs, one of MODES; "": any."""
    needs_selection: ClassVar[bool] = False
    """Whether it is about what is selected, or in edit mode."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        folder, _, module = cls.__module__.partition(_ADDON)[2].partition(".")
        if module and folder != "scene" and "format_key" not in vars(cls):
            cls.format_key = folder

    @classmethod
    def level(cls, context: bpy.types.Context) -> bpy.types.Collection | None:
        """The active level, if it is one of the game."""
        return active_level(context, cls.format_key)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game, for a mode, and for what else there has to be."""
        level = cls.level(context)
        if level is None:
            return allows(cls, False, NO_LEVEL_OF_GAME)
        if cls.needs_mode not in ("", context.mode):
            return allows(cls, False, MODES[cls.needs_mode])
        if cls.needs_selection and not context.selected_objects and context.mode == "OBJECT":
            return allows(cls, False, NO_SELECTION)
        lack = cls.lacks(context, level)
        return allows(cls, not lack, lack)

    @classmethod
    def lacks(cls, _context: bpy.types.Context, _level: bpy.types.Collection) -> str:
        """Say why it can't be used with the active level now; "" where it can."""
        return ""


class LevelOperator(OnLevel, bpy.types.Operator):
    """Base of the operators that change the active level of a game."""

    bl_options = {"REGISTER", "UNDO"}
    failures: ClassVar[tuple[type[Exception], ...]] = FAILURES
    """What `change` may raise that is the user's to know."""
    idle: ClassVar[str] = "There was nothing to do"
    """What is said where `change` finds nothing to do."""

    def execute(self, context: bpy.types.Context) -> Result:
        """Change the active level, or say why not."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            done = self.change(context, level)
        except self.failures as error:
            return refuse(self, context, error)
        finally:
            once.forget()
        return self.answer(done)

    def answer(self, done: bool | None) -> Result:
        """What Blender is told, and the user where there was nothing to do. done: what `change` gives."""
        if done is False:
            self.report({"INFO"}, self.idle)
            return {"CANCELLED"}
        return {"FINISHED"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool | None:
        """Do what the operator is for; False: there was nothing to do. Raises what `failures` has."""
        raise NotImplementedError


class AskingOperator(LevelOperator):
    """Base of the operators whose options a dialog asks for first. Those that can be stopped have it behind their base:
    where the options are known, that begins.
    """

    confirm: ClassVar[str] = ""
    """What the dialog's button says; "": what the operator is called."""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the options."""
        if context.window_manager is None:
            return {"CANCELLED"}
        return set(context.window_manager.invoke_props_dialog(self, confirm_text=self.confirm or self.bl_label))


class SearchingOperator(LevelOperator):
    """Base of the operators whose `bl_property` is a menu: it is searched first, and what is found there taken."""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Let one search."""
        if context.window_manager is None:
            return {"CANCELLED"}
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}  # else Blender frees the operator, which the search needs, and makes a step of undo


class OnAnyLevel(Declared):
    """Mixed into operators and panels that are about a level of any game."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return allows(cls, bool(originals.levels(context.scene)), NO_LEVEL_IN_SCENE)


class LevelPanel(OnLevel):
    """Mixed into the panels that games have in the sidebar's tab."""

    bl_category = CATEGORY
    bl_space_type: SpaceTypeItems = "VIEW_3D"
    bl_region_type: RegionTypeItems = "UI"
    anchor: ClassVar[str] = ""
    """Of the heading in the game's page that tells of it; "": the page's top."""

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        """Draw the button that opens the game's page: panels in others without a heading of their own have none."""
        if self.anchor or not getattr(self, "bl_parent_id", ""):
            draw_help(self.layout, f"{self.format_key}.md#{self.anchor}")

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the active level, as Blender asks for it."""
        level = self.level(context)
        if level is not None:
            self.draw_level(context, level)

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw what there is of a level, in the place of `draw`."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game that is the active one, whichever level the active object is in."""
        return super().poll(context) and active_level(context, cls.format_key) is not None


class ItemList:
    """A list of the sidebar, beside bpy.types.UIList: how Blender asks for an item's line."""

    def draw_line(self, row: bpy.types.UILayout, item: object, active_property: str) -> None:
        """Draw an item. active_property: what of its owner says which item is chosen."""
        raise NotImplementedError

    def draw_item(  # Blender counts the parameters
        self,
        _context: bpy.types.Context,
        row: bpy.types.UILayout,
        _data: object,
        item: object,
        _icon: object,
        _active_data: object,
        active_property: str | None,
        _index: object = 0,
        _flag: object = 0,
    ) -> None:
        """Draw an item, as Blender asks for it."""
        self.draw_line(row, item, active_property or "")
