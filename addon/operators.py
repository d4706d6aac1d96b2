# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import and File > Export: an operator for each kind of file that a game declares, no logic."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import games, levels
from .game import FileKind, Form, Game, Settings
from .scene import chosen_files, declared, options, stage
from .scene.blender_types import Value, gives
from .scene.declared import Declared
from .scene.reports import Report
from .scene.sidebar import Result, layout_of, refuse, register_classes, unregister_classes

NOTE_LETTERS = 30
"""Of a note in a line, beside its icon: what the file browser's sidebar is wide at first (looked at in 5.2)."""
GAME_LEVEL = "import_scene.game_level"
"""The operator that opens levels of any game."""


class _Import(Declared, ImportHelper, bpy.types.Operator):
    """What all imports share: several files, one undo step, the report."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: declared.Groups[bpy.types.OperatorFileListElement] = declared.collection(
        bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}
    )
    directory: str = declared.string(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})

    game: ClassVar[Game | None] = None
    """The game whose files these have to be; None where their bytes tell."""
    form: ClassVar[Form | None] = None
    """What the files are, where they aren't levels themselves."""

    def prefix(self, game: Game) -> str:
        """Return what stands before the names of a game's options."""
        return "" if self.game else f"{game.key}_"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show the options when files were dropped, otherwise the file browser."""
        returned: Result = gives(self.invoke_popup)(context)
        return returned

    def chosen(self, game: Game) -> Settings:
        """Return the options for a game's levels."""
        return options.from_properties(game.import_settings, self, self.prefix(game))

    def execute(self, context: bpy.types.Context) -> Result:
        """Import the files."""
        names = [Path(self.directory, file.name) for file in self.files if file.name]
        paths = names or [Path(bpy.path.abspath(self.filepath))]
        report = Report()
        try:
            if self.form is None:
                levels.import_files(context, paths, self.chosen, report, self.game)
            elif self.game is not None:
                own = self.form.import_settings
                settings = None if own is None else options.from_properties(own, self)
                for path in paths:
                    levels.import_form(context, path, self.game, self.form, settings, self.chosen(self.game), report)
        except levels.FAILURES as error:
            return refuse(self, context, error)
        report.forward(self, is_listed=self.form is None)
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options, those of several games each in a panel."""
        layout = layout_of(self)
        if self.form is not None and self.form.import_settings is not None:
            options.draw(self.form.import_settings, layout, self)
        for game in games.GAMES if self.game is None else (self.game,):
            header, body = layout.panel(f"LEVELWRIGHT_{game.key}")
            header.label(text=game.format.title)
            if body is not None:
                options.draw(game.import_settings, body, self, self.prefix(game))


class _Export(Declared, ExportHelper, bpy.types.Operator):
    """What all exports share: which level, one file, the report."""

    bl_options = {"PRESET"}

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_PRESET"})
    collection: str = declared.string(
        name="Level",
        description="Name of the level's collection; empty for the level of the active collection",
        options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"},
    )

    game: ClassVar[Game]
    kind: ClassVar[FileKind]
    """The kind of file that is written."""
    form: ClassVar[Form | None] = None
    """What the game's levels are written as, None: as they are."""

    @property
    def choices(self) -> type[Settings] | None:
        """The settings that the options are; None: there are none."""
        return self.form.export_settings if self.form else self.game.export_settings

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Suggest the name that the level was imported from."""
        try:
            level = levels.choose(context, self.collection, self.game, self.form)
        except levels.FAILURES as error:
            return refuse(self, context, error)
        self.collection = level.name
        name = (
            levels.file_name(level)
            if self.form is None
            else Path(levels.file_name(level)).stem + self.form.suffix + self.kind.ending
        )
        self.filepath = str(Path(bpy.data.filepath).parent / name)
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Export the level."""
        report = Report()
        try:
            path = chosen_files.to_write(Path(bpy.path.abspath(self.filepath)))
            level = levels.choose(context, self.collection, self.game, self.form)
            settings = None if self.choices is None else options.from_properties(self.choices, self)
            if self.form is None:
                levels.export_file(context, level, path, settings, report)
            else:
                levels.export_form(context, level, path, self.form, settings, report)
        except levels.FAILURES as error:
            return refuse(self, context, error)
        report.forward(self)
        report.log()
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options, and what has to be known before."""
        if self.choices is not None:
            options.draw(self.choices, layout_of(self), self)
        if self.kind.note:
            _show(self, self.kind.note, "INFO")
        level = bpy.data.collections.get(self.collection)
        path = Path(bpy.path.abspath(self.filepath))
        names = "" if level is None else " and ".join(levels.changed_since(level, path))
        if names:
            _show(self, f"{names}: changed since it was imported or exported from this .blend. It is replaced", "ERROR")


def _show(operator: bpy.types.Operator, note: str, icon: Literal["INFO", "ERROR"]) -> None:
    """Show a note in a box of an operator's dialog, in lines as wide as the sidebar."""
    box = layout_of(operator).box().column(align=True)
    for number, line in enumerate(textwrap.wrap(note, NOTE_LETTERS)):
        box.label(text=line, icon="BLANK1" if number else icon)


def _operator(
    base: type, name: str, tooltip: str, shown: dict[str, Value], **members: object
) -> type[bpy.types.Operator]:
    """Return an operator's class. name: "import_scene.source_bsp". shown: its properties by name."""
    category, _, word = name.partition(".")
    body = {"__doc__": tooltip, "__module__": __name__, "__annotations__": shown, "bl_idname": name, **members}
    made: type[bpy.types.Operator] = type(f"{category.upper()}_OT_{word}", (base,), body)
    return made


def _filter(endings: list[str]) -> str:
    """Return the property by which the file browser shows files with these endings."""
    return declared.string(default=";".join(f"*{ending}" for ending in endings), options={"HIDDEN"})


def _import_operator(game: Game, kind: FileKind) -> type[bpy.types.Operator]:
    """Return the operator that opens a kind of files."""
    form = kind if isinstance(kind, Form) else None
    shown = {"filter_glob": _filter([kind.ending])} | options.properties(game.import_settings)
    if form is not None and form.import_settings is not None:
        shown |= options.properties(form.import_settings)
    name = f"import_scene.{kind.operator}"
    return _operator(_Import, name, kind.opens, shown, bl_label=f"Import {kind.title}", game=game, form=form)


def _export_operator(game: Game, kind: FileKind) -> type[bpy.types.Operator]:
    """Return the operator that writes a kind of files."""
    form = kind if isinstance(kind, Form) else None
    settings = form.export_settings if form is not None else game.export_settings
    shown = {"filter_glob": _filter([kind.ending])} | (options.properties(settings) if settings is not None else {})
    members = {"filename_ext": kind.ending, "game": game, "kind": kind, "form": form}
    name = f"export_scene.{kind.operator}"
    return _operator(_Export, name, kind.writes, shown, bl_label=f"Export {kind.title}", **members)


def _import_any() -> type[bpy.types.Operator]:
    """Return the operator that opens levels of every game: it has the options of all, each behind its game's key."""
    shown = {"filter_glob": _filter(games.endings())}
    for game in games.GAMES:
        shown |= options.properties(game.import_settings, f"{game.key}_")
    tooltip = "Open levels of any game that Levelwright knows: each file's bytes tell which, not its ending"
    return _operator(_Import, GAME_LEVEL, tooltip, shown, bl_label="Import Game Level")


def imports() -> Iterator[tuple[Game, FileKind]]:
    """Give the kinds of files that can be opened, in the order of menus."""
    for game in games.GAMES:
        yield from ((game, kind) for kind in game.files)
        yield from ((game, form) for form in game.forms if form.import_form is not None)


def exports() -> Iterator[tuple[Game, FileKind]]:
    """Give the kinds of files that can be written, in the order of menus."""
    for game in games.GAMES:
        yield from ((game, kind) for kind in game.files if game.export_level is not None)
        yield from ((game, form) for form in game.forms if form.export_form is not None)


class LEVELWRIGHT_OT_attach_original(Declared, ImportHelper, bpy.types.Operator):
    """Give a level back the file that it was imported from: the very same bytes, whatever the file is called now"""

    bl_idname = "levelwright.attach_original"
    bl_label = "Attach Original"
    bl_options = {"REGISTER", "UNDO"}

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    collection: str = declared.string(name="Level", options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Compare the file's hash with the one that was imported, and attach it."""
        try:
            levels.attach_original(context, self.collection, Path(bpy.path.abspath(self.filepath)))
        except levels.FAILURES as error:
            return refuse(self, context, error)
        return {"FINISHED"}


CLASSES: tuple[type[bpy.types.Operator], ...] = (
    _import_any(),
    *(_import_operator(game, kind) for game, kind in imports()),
    *(_export_operator(game, kind) for game, kind in exports()),
    LEVELWRIGHT_OT_attach_original,
)


def _text(kind: FileKind) -> str:
    """Return a kind of files as menus have it: "Source map (.bsp)"."""
    return f"{getattr(kind, 'menu', '') or kind.label} ({kind.ending})"


def _import_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = layout_of(menu)
    layout.operator(GAME_LEVEL, text=f"Game level ({', '.join(games.endings())})")
    for _, kind in imports():
        layout.operator(f"import_scene.{kind.operator}", text=_text(kind))


def _export_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = layout_of(menu)
    for _, kind in exports():
        layout.operator(f"export_scene.{kind.operator}", text=_text(kind))


def register() -> None:
    """Register the operators and the menu entries."""
    register_classes(CLASSES)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    unregister_classes(CLASSES)
