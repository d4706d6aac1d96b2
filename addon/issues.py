# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's lists of findings: what there is to tell of the active level, and what an export would change.

A list is drawn from what the level keeps (`findings`), whenever Blender draws it. Blender's own part in it is a row of
numbers (`FindingRows`), as many as there may be lines: so nothing has to be brought up to date when a level is made the
active one, or is undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import bpy

from . import levels
from .scene import wording
from .scene.blender_types import Icon, Value
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.interface import sidebar
from .scene.interface.sidebar import ItemList, Result, refuse
from .scene.issues import findings
from .scene.issues.findings import FindingGroup, KeptFinding
from .scene.kept import originals
from .scene.names import showable_lines
from .scene.registering import Both, added_property, in_turn
from .scene.reports import FAILURES, SceneError, Sort, in_words
from .scene.view import stage

Which = Literal["issues", "changes"]
ICONS: dict[Sort, Literal["CANCEL", "VIEWZOOM", "LIBRARY_DATA_BROKEN", "REMOVE", "ERROR", "GREASEPENCIL"]] = {
    "error": "CANCEL",
    "look": "VIEWZOOM",
    "missing": "LIBRARY_DATA_BROKEN",
    "left out": "REMOVE",
    "warning": "ERROR",
    "change": "GREASEPENCIL",
}
STATE = "levelwright_findings"
"""Of the window manager: what is chosen in the lists."""
ROWS = 8
"""Lines of a list before it is scrolled."""
FIRST_ROWS = 64
"""Rows that there are before any level is: more than most lists have folded."""
SEARCHED = 8
"""Lines from which on there is a field to search them."""
TOOLTIP = 1200
"""Letters of a tooltip."""
PADDING = 0.4
"""Around what a line says, in icons: with less, it isn't as far to the left as others."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of the list as it is drawn: a group's own, or one in a group."""

    group: FindingGroup
    line: KeptFinding | None = None
    """None: the whole group."""
    number: int = -1
    """Of the line in its group."""

    @property
    def text(self) -> str:
        """What it says: in a group of missing files only their names, since the group says the rest."""
        if self.line is None:
            return self.group.heading
        return self.line.name or self.line.message

    def text_within(self, width: float, measured: wording.Measure) -> str:
        """What it says in so many pixels: of a missing file that is alone of its kind its name, where there is no room
        for more.
        """
        only = self.group.lines[0] if len(self.group.lines) == 1 else None
        return only.name if only is not None and only.name and measured(self.text) > width else self.text

    @property
    def lines(self) -> Sequence[KeptFinding]:
        """What it stands for."""
        return self.group.lines if self.line is None else [self.line]

    @property
    def mend(self) -> str:
        """The name of the operator that mends it, "" if none does."""
        return self.group.mend if self.line is None else self.line.mend

    @property
    def is_about_parts(self) -> bool:
        """Whether it selects something."""
        return any(line.is_about_parts for line in self.lines)

    def whole(self) -> str:
        """All that it says, for a tooltip."""
        if self.line is not None or len(self.group.lines) == 1:
            return self.lines[0].message
        text = "\n".join(line.name or line.message for line in self.group.lines[:20])
        more = len(self.group.lines) - 20
        return f"{self.group.heading}:\n{text}" + (f"\nand {more:,} more" if more > 0 else "")


def groups_of(level: bpy.types.Collection, which: Which) -> tuple[FindingGroup, ...]:
    """The groups of a list of a level."""
    return findings.issues(level) if which == "issues" else findings.changes(level)


def shown_lines(groups: Sequence[FindingGroup], unfolded: set[str], search: str = "") -> list[ShownLine]:
    """The lines of a list, top to bottom: groups, with their lines where they are unfolded.

    search: only lines with this text in them, whatever is unfolded.
    """
    wanted = search.lower()
    found = []
    for group in groups:
        inside = [ShownLine(group, line, number) for number, line in enumerate(group.lines)]
        if wanted:
            inside = [one for one in inside if wanted in one.lines[0].message.lower() or wanted in group.title.lower()]
        if not inside:
            continue
        if len(group.lines) == 1:
            found.append(ShownLine(group))
            continue
        found.append(ShownLine(group))
        if wanted or group.key in unfolded:
            found += inside
    return found


# --------------------------------------------------------------------------------------------------------------- state

_unfolded: dict[Which, set[str]] = {"issues": set(), "changes": set()}
_drawn: dict[Which, list[ShownLine]] = {"issues": [], "changes": []}
"""The lines of the lists as they are drawn now: Blender asks for each by its number."""


class FindingRow(Declared, bpy.types.PropertyGroup):
    """A line of a list, by its number."""

    def _is_open(self) -> bool:
        return (found := self._group()) is not None and found[1].key in _unfolded[found[0]]

    def _set_open(self, is_open: bool) -> None:
        found = self._group()
        if found is not None:
            which, group = found
            (_unfolded[which].add if is_open else _unfolded[which].discard)(group.key)

    def _group(self) -> tuple[Which, FindingGroup] | None:
        which: Which = "changes" if self.is_of_changes else "issues"
        lines = _drawn[which]
        return (which, lines[self.number].group) if self.number < len(lines) else None

    number: int = declared.integer()
    is_of_changes: bool = declared.boolean()
    is_open: bool = declared.boolean(
        name="Unfold", description="Show the single ones", get=_is_open, set=_set_open, options={"SKIP_SAVE"}
    )


class FindingRows(Declared, bpy.types.PropertyGroup):
    """What the window manager holds of a list."""

    rows: declared.Groups[FindingRow] = declared.collection(FindingRow)
    active: int = declared.integer(name="Line")
    search: str = declared.string(
        name="Search", description="Show the lines that have this in them", options={"TEXTEDIT_UPDATE", "SKIP_SAVE"}
    )


class FindingState(Declared, bpy.types.PropertyGroup):
    """What is chosen in the lists."""

    issues: FindingRows = declared.pointer(FindingRows)
    changes: FindingRows = declared.pointer(FindingRows)


def _rows(context: bpy.types.Context, which: Which) -> FindingRows:
    state: FindingState = getattr(stage.window_manager_of(context), STATE)
    return state.issues if which == "issues" else state.changes


def _grow(which: Which, wanted: int) -> None:
    """Let a list have so many rows at least: not while it is drawn."""
    rows = _rows(bpy.context, which).rows
    while len(rows) < wanted:
        row = rows.add()
        row.number, row.is_of_changes = len(rows) - 1, which == "changes"


# ---------------------------------------------------------------------------------------------------------------- list


class _FindingList(ItemList):
    """A list of findings."""

    def filter_items(self, context: bpy.types.Context | None, data: Value, property_name: str | None) -> Value:  # noqa: ARG002
        """Show as many rows as there are lines."""
        rows, shown = len(getattr(data, property_name or "")), len(_drawn[self.which])
        flag = self.bitflag_filter_item
        return [flag] * min(shown, rows) + [0] * max(rows - shown, 0), []

    which: ClassVar[Which]
    bitflag_filter_item: int

    def draw_filter(self, _context: object, _layout: object) -> None:
        """Show none of Blender's: the panel has a field to search."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, _active_property: str) -> None:
        """Draw a line: its mark, what it says, and the button that mends it."""
        lines = _drawn[self.which]
        if item.number >= len(lines):
            return
        context, one, row = bpy.context, lines[item.number], row.row(align=True)
        is_group = one.line is None and len(one.group.lines) > 1
        indent = float(len(lines) > ROWS)  # of the bar that scrolls them
        if is_group:
            arrow: Icon = "DOWNARROW_HLT" if item.is_open else "RIGHTARROW"
            row.prop(item, "is_open", text="", icon=arrow, emboss=False)
            indent += 1
        elif one.line is not None:
            row.separator(factor=1.5)
            indent += 1.7  # without a mark, a button keeps more room beside its text
        icon = ICONS[one.group.sort] if one.line is None else "NONE"
        mend = "" if one.line is not None and one.mend == one.group.mend else one.mend  # the group's button does
        measured, title = wording.measure(context), sidebar.title_of(mend) if mend else ""
        width = wording.room(context, indent + (one.line is None) + bool(title) + PADDING)
        is_wide = bool(title) and measured(f"{one.text} {title}") + wording.ICON < width
        if measured(one.text) > width and is_group:  # then what it says is worth more than its mark
            icon, width = "NONE", width + wording.ICON
        told = row.grid_flow(columns=1, align=True).row(align=True)  # takes the room that is left, as no row does
        told.alignment = "LEFT"
        text = wording.shortened(one.text_within(width, measured), width, measured)
        button = told.operator(LEVELWRIGHT_OT_select_finding.bl_idname, text=text, icon=icon, emboss=False)
        _address(button, self.which, one)
        if title:
            mending = row.row(align=True)
            mending.alignment = "RIGHT"
            name = LEVELWRIGHT_OT_mend_finding.bl_idname
            button = mending.operator(name, text=title if is_wide else "", icon="TOOL_SETTINGS")
            _address(button, self.which, one)


def _address(button: Value, which: Which, one: ShownLine) -> None:
    """Tell an operator's button which line it is about."""
    button.which, button.group, button.number = which, one.group.key, one.number


class LEVELWRIGHT_UL_issues(_FindingList, bpy.types.UIList):
    """What there is to tell of a level."""

    which: ClassVar[Which] = "issues"


class LEVELWRIGHT_UL_changes(_FindingList, bpy.types.UIList):
    """What an export would change."""

    which: ClassVar[Which] = "changes"


def draw_list(
    layout: bpy.types.UILayout, context: bpy.types.Context, level: bpy.types.Collection, which: Which
) -> None:
    """Draw a list of a level, with what the chosen line says in full below."""
    state, groups = _rows(context, which), groups_of(level, which)
    total = sum(1 + len(group.lines) for group in groups)
    if len(state.rows) < total and not bpy.app.timers.is_registered(_GROWING[which]):
        bpy.app.timers.register(_GROWING[which], first_interval=0.0)
    if sum(len(group.lines) for group in groups) > SEARCHED:
        layout.prop(state, "search", text="", icon="VIEWZOOM")
    _drawn[which] = shown_lines(groups, _unfolded[which], state.search)
    if len(_drawn[which]) > len(state.rows):
        layout.label(text="...")
        return
    name = LEVELWRIGHT_UL_issues.__name__ if which == "issues" else LEVELWRIGHT_UL_changes.__name__
    rows = min(max(len(_drawn[which]), 2), ROWS)
    layout.template_list(name, "", state, "rows", state, "active", rows=rows, maxrows=ROWS)
    if 0 <= state.active < len(_drawn[which]):
        _draw_chosen(layout.box().column(align=True), context, which, _drawn[which][state.active])


def _draw_chosen(column: bpy.types.UILayout, context: bpy.types.Context, which: Which, one: ShownLine) -> None:
    """Draw what a line says in full, and its buttons with their names."""
    text = one.group.heading if one.line is None else one.line.message
    for line in wording.wrapped(text, wording.room(context, 1), wording.measure(context)):
        column.label(text=line)
    if one.is_about_parts:
        button = column.operator(LEVELWRIGHT_OT_select_finding.bl_idname, text="Select", icon="RESTRICT_SELECT_OFF")
        _address(button, which, one)
    if one.mend:
        mending = column.operator(
            LEVELWRIGHT_OT_mend_finding.bl_idname, text=sidebar.title_of(one.mend), icon="TOOL_SETTINGS"
        )
        _address(mending, which, one)


def _grow_issues() -> None:
    _grow_for("issues")


def _grow_changes() -> None:
    _grow_for("changes")


_GROWING = {"issues": _grow_issues, "changes": _grow_changes}


def _start_growing() -> None:
    for grow in _GROWING.values():
        bpy.app.timers.register(grow, first_interval=0.0)


def _stop_growing() -> None:
    for grow in _GROWING.values():
        if bpy.app.timers.is_registered(grow):
            bpy.app.timers.unregister(grow)


def _grow_for(which: Which) -> None:
    """Give a list the rows that the levels of the .blend need, and draw it anew."""
    totals = [sum(1 + len(group.lines) for group in groups_of(level, which)) for level in originals.levels()]
    _grow(which, max([FIRST_ROWS, *totals]))
    stage.redraw(bpy.context.window_manager)


# ----------------------------------------------------------------------------------------------------------- operators


class _OfLine(Declared, bpy.types.Operator):
    """Base of the operators about a line of the active level's lists."""

    which: str = declared.menu(
        name="List",
        items=[("issues", "Issues", "What there is to tell"), ("changes", "Changes", "What an export would change")],
        options={"SKIP_SAVE"},
    )
    collection: str = declared.string(name="Level", options={"HIDDEN", "SKIP_SAVE"})
    group: str = declared.string(name="Kind", options={"HIDDEN", "SKIP_SAVE"})
    number: int = declared.integer(name="Line", default=-1, min=-1, options={"SKIP_SAVE"})

    def found(self, context: bpy.types.Context) -> tuple[bpy.types.Collection, ShownLine]:
        """The level and the line. Raises SceneError where there is no such line any more."""
        level = levels.choose(context, self.collection)
        groups = groups_of(level, "changes" if self.which == "changes" else "issues")
        if self.group:
            group = next((one for one in groups if one.key == self.group), None)
            lines = group.lines if group is not None else []
            if group is not None and self.number < len(lines):
                return level, ShownLine(group, lines[self.number] if self.number >= 0 else None, self.number)
        else:
            every = [ShownLine(group, line) for group in groups for line in group.lines]
            if 0 <= self.number < len(every):
                return level, every[self.number]
        raise SceneError("that line is about the level as it was: check it again")


class LEVELWRIGHT_OT_select_finding(_OfLine):
    """Select what this line is about, its faces in edit mode, and look at it"""

    bl_idname = "levelwright.select_finding"
    bl_label = "Select What Was Found"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def description(cls, context: bpy.types.Context, properties: object) -> str:
        """Say all that the line says."""
        return _whole(context, properties) or cls.__doc__ or ""

    def execute(self, context: bpy.types.Context) -> Result:
        """Select the objects."""
        try:
            level, one = self.found(context)
            _choose(context, "changes" if self.which == "changes" else "issues", one)
            told = findings.select(context, level, one.lines)
        except FAILURES as error:
            return refuse(self, context, error)
        if told:
            more = f" and {len(told) - 3} more" if len(told) > 3 else ""
            self.report({"INFO"}, f"was hidden, and is shown again: {', '.join(told[:3])}{more}")
        return {"FINISHED"}


class LEVELWRIGHT_OT_mend_finding(_OfLine):
    """Select what this line is about, and mend it"""

    bl_idname = "levelwright.mend_finding"
    bl_label = "Mend What Was Found"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def description(cls, context: bpy.types.Context, properties: object) -> str:
        """Say what mends it."""
        one = _line_of(context, properties)
        operator = sidebar.operator_of(one.mend) if one is not None and one.mend else None
        return cls.__doc__ or "" if operator is None else f"{operator.get_rna_type().name}: {_tooltip(operator)}"

    def execute(self, context: bpy.types.Context) -> Result:
        """Run the operator that mends it."""
        try:
            level, one = self.found(context)
            if not one.mend:
                raise SceneError("nothing mends that but you")
            if any(line.objects or line.faces or line.points for line in one.lines):
                findings.select(context, level, one.lines)
        except FAILURES as error:
            return refuse(self, context, error)
        operator = sidebar.operator_of(one.mend)
        if operator is None or not operator.poll():
            return refuse(self, context, SceneError(f"{sidebar.title_of(one.mend)} can't be done here"))
        try:
            operator("EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT")
        except RuntimeError as error:
            return refuse(self, context, SceneError(in_words(error)))
        return {"FINISHED"}


def _tooltip(operator: Value) -> str:
    """What an operator's tooltip says, without a full stop: Blender adds one."""
    return str(operator.get_rna_type().description).rstrip(".")


def _choose(context: bpy.types.Context, which: Which, one: ShownLine) -> None:
    """Make a line the chosen one of its list, so that the panel says it in full."""
    places = [(each.group.key, each.number) for each in _drawn[which]]
    if (one.group.key, one.number) in places:
        _rows(context, which).active = places.index((one.group.key, one.number))


def _line_of(context: bpy.types.Context, properties: Value) -> ShownLine | None:
    """The line that a button is about."""
    level = originals.level_of(context)
    groups = groups_of(level, properties.which) if level is not None else []
    group = next((one for one in groups if one.key == properties.group), None)
    if group is None or properties.number >= len(group.lines):
        return None
    return ShownLine(group, group.lines[properties.number] if properties.number >= 0 else None, properties.number)


def _whole(context: bpy.types.Context, properties: object) -> str:
    one = _line_of(context, properties)
    return "" if one is None else showable_lines(one.whole()[:TOOLTIP])


CLASSES = (
    FindingRow,
    FindingRows,
    FindingState,
    LEVELWRIGHT_UL_issues,
    LEVELWRIGHT_UL_changes,
    LEVELWRIGHT_OT_select_finding,
    LEVELWRIGHT_OT_mend_finding,
)
register, unregister = in_turn(
    *CLASSES,
    added_property(bpy.types.WindowManager, STATE, declared.pointer(FindingState)),
    Both(_start_growing, _stop_growing),
)
