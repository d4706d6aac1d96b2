# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports and exports: an operator for each kind of file that a game declares, and one for levels of any game."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..formats.counting import number_of
from . import chosen_levels, games, levels, remembered
from .common_options import COMMON, shared
from .game import FileKind, Form, Game, Settings
from .scene import wording
from .scene.disk import chosen_files
from .scene.fields import declared, level_options, options
from .scene.fields.declared import Declared
from .scene.interface.sidebar import Result, layout_of, refuse
from .scene.interface.stoppable import Stoppable
from .scene.names import showable
from .scene.registering import in_turn
from .scene.reports import FAILURES, Report, listed
from .scene.view import stage
from .scene.work.progress import Steps

NOTE_LETTERS = 30
"""Of a note in a line, beside its icon: what the file browser's sidebar is wide at first (looked at in 5.2)."""
POPUP_WIDTH = 400
"""Of the dialog after a drop, in pixels at Blender's usual size: the longest title of an option fits."""
POPUP_LETTERS = 60
"""Of a note in a line of it."""
GAME_LEVEL = "import_scene.game_level"
"""The operator that opens levels of any game."""


class _Import(Declared, ImportHelper, bpy.types.Operator):
    """What all imports share: several files, one undo step, the report."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    reads_scene = False

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: declared.Groups[bpy.types.OperatorFileListElement] = declared.collection(
        bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}
    )
    directory: str = declared.string(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})

    form: ClassVar[Form | None] = None
    """What the files are, where they aren't levels themselves."""
    left_out: str = declared.string(
        name="Left out", description="Dropped files that are of no game", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}
    )

    @property
    def paths(self) -> list[Path]:
        """The files that were chosen."""
        names = [Path(self.directory, file.name) for file in self.files if file.name]
        return names or [Path(bpy.path.abspath(self.filepath))]

    def run(self, context: bpy.types.Context, report: Report) -> Steps[None]:
        """Import the files. Raises what `FAILURES` has."""
        raise NotImplementedError

    def work(self, context: bpy.types.Context) -> Steps[Result]:
        """Import the files, or say why not."""
        report = Report()
        try:
            yield from self.run(context, report)
        except FAILURES as error:
            return refuse(self, context, error)
        report.forward(self, is_listed=self.form is None)
        return {"FINISHED"}

    @property
    def of_what(self) -> str:
        """What the files are, for the title of a dialog."""
        raise NotImplementedError

    @property
    def is_dropped(self) -> bool:
        """Whether the files are known before anything is asked."""
        return self.properties.is_property_set("filepath") or bool(self.files)

    def draw_left_out(self) -> None:
        """Show which of the files aren't imported."""
        if self.left_out:
            _show(self, self.left_out, "ERROR", POPUP_LETTERS)

    def ask(self, context: bpy.types.Context) -> Result:
        """Show the options where the files are known, as after a drop; otherwise the file browser."""
        manager = stage.window_manager_of(context)
        if not self.is_dropped:
            manager.fileselect_add(self)
            return {"RUNNING_MODAL"}
        files = wording.within(self.paths[0].name) if len(self.paths) == 1 else number_of(len(self.paths), "files")
        title = f"{files}: {self.of_what}"
        return set(manager.invoke_props_dialog(self, width=POPUP_WIDTH, title=title, confirm_text="Import"))


class _ImportOfGame(_Import):
    """The import of one kind of files, with the options of their game."""

    game: ClassVar[Game]

    @property
    def of_form(self) -> type[Settings] | None:
        """The settings that the form has besides those of the levels; None: there are none."""
        return self.form.import_settings if self.form is not None else None

    @property
    def of_what(self) -> str:
        """What the files are."""
        return self.game.format.title if self.form is None else self.form.label

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Begin with the options that were last chosen. What is no such file is refused before anything is asked."""
        if self.form is not None and self.is_dropped:
            try:
                for path in self.paths:
                    self.form.check(chosen_files.read(path))
            except FAILURES as error:
                return refuse(self, context, error)
        for settings in (self.of_form, self.game.import_settings):
            if settings is not None:
                remembered.offer(self, context, settings)
        return self.ask(context)

    def run(self, context: bpy.types.Context, report: Report) -> Steps[None]:
        """Import the files, and remember the options. Raises what `FAILURES` has."""
        chosen = options.from_properties(self.game.import_settings, self)
        own = None if self.of_form is None else options.from_properties(self.of_form, self)
        if self.form is None:
            yield from levels.import_files.steps(context, self.paths, lambda _: chosen, report, self.game)
        else:
            for path in self.paths:
                yield from levels.import_form.steps(context, path, self.game, self.form, own, chosen, report)
        for settings in (chosen, own):
            if settings is not None and remembered.by_hand(self):
                remembered.keep(context, settings)

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options."""
        self.draw_left_out()
        for settings in (self.of_form, self.game.import_settings):
            if settings is not None:
                options.draw(settings, layout_of(self), self)


class _ImportAny(_Import):
    """The import of levels of any game: it has the options of all, each behind its game's key."""

    opened: str = declared.string(
        name="Options of",
        description="The game whose options are unfolded",
        options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"},
    )

    @property
    def of_what(self) -> str:
        """What the files are."""
        return "levels of several games"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask what there is to choose for the games of the files; those of one game are its own operator's."""
        if self.is_dropped:
            found = chosen_levels.look(self.paths)
            if found.others and not self._leave_out(found):
                return {"CANCELLED"}
            if len(found.games) == 1:
                return self._hand_on(context, found.games[0])
        for game in games.GAMES:
            remembered.offer(self, context, game.import_settings, f"{game.key}_")
        return self.ask(context)

    def _leave_out(self, found: chosen_levels.ChosenLevels) -> bool:
        """Say which files are of no game, and leave them out; whether others are left."""
        if not found.games:
            self.report({"ERROR"}, _of_no_game(found))
            return False
        self.left_out = f"{_of_no_game(found)}; left out"
        self.report({"WARNING"}, self.left_out)
        others = {path.name for path in found.others}
        for index in reversed(range(len(self.files))):
            if Path(self.files[index].name).name in others:
                self.files.remove(index)
        return True

    def _hand_on(self, context: bpy.types.Context, game: Game) -> Result:
        """Let the operator of a game ask: its dialog has the game's presets."""
        given = remembered.given_to(self, context, game.import_settings, f"{game.key}_")
        importing = getattr(bpy.ops.import_scene, game.files[0].operator)
        names = [{"name": path.name} for path in self.paths]
        where = {"filepath": str(self.paths[0]), "directory": str(self.paths[0].parent), "files": names}
        importing("INVOKE_DEFAULT", **where, left_out=self.left_out, **given)
        return {"CANCELLED"}

    def run(self, context: bpy.types.Context, report: Report) -> Steps[None]:
        """Import the files, and remember the options. Raises what `FAILURES` has."""
        made = yield from levels.import_files.steps(context, self.paths, self.chosen, report)
        if remembered.by_hand(self):
            for game in {level_game.key: level_game for level_game in map(levels.game_of, made)}.values():
                remembered.keep(context, self.chosen(game))

    def chosen(self, game: Game) -> Settings:
        """Return the options for a game's levels."""
        return options.from_properties(game.import_settings, self, f"{game.key}_")

    def draw(self, context: bpy.types.Context) -> None:
        """Show the options of the files' game; where they are of several, what these share, and theirs folded."""
        self.draw_left_out()
        layout = layout_of(self)
        selected = chosen_levels.in_file_browser(context)
        known = self.paths if self.is_dropped else []
        found = chosen_levels.look(known if selected is None else selected)
        if found.others:
            _show(self, _of_no_game(found), "ERROR")
        if len(found.games) == 1:
            layout.label(text=found.games[0].format.title, icon="OPTIONS")
            options.draw(found.games[0].import_settings, layout, self, f"{found.games[0].key}_")
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        if not found.games:
            for option in COMMON:
                layout.prop(self, option.key)
        for titles, common in shared(found.games).items():
            box = layout.box().column()
            box.label(text=titles)
            for option in common:
                box.prop(self, option.key)
        for game in found.games:
            header, body = layout.panel_prop(self, f"opened_{game.key}")
            paths = found.of_games[game.key]
            levels_of = paths[0].name if len(paths) == 1 else number_of(len(paths), "levels")
            header.label(text=showable(f"{game.title}: {levels_of}"))
            if body is not None:
                options.draw(game.import_settings, body, self, f"{game.key}_")


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
        except FAILURES as error:
            return refuse(self, context, error)
        self.collection = level.name
        name = (
            levels.file_name(level)
            if self.form is None
            else Path(levels.file_name(level)).stem + self.form.suffix + self.kind.ending
        )
        self.filepath = str(Path(bpy.data.filepath).parent / name)
        if self.choices is not None:
            given = remembered.given_to(self, context, self.choices)
            remembered.offer(self, context, self.choices)
            if self.form is None:
                own = options.remembered_properties(self.choices).keys() - given.keys()
                level_options.restore(level, self, only=own)
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work(self, context: bpy.types.Context) -> Steps[Result]:
        """Export the level, or say why not."""
        report = Report()
        try:
            path = chosen_files.to_write(Path(bpy.path.abspath(self.filepath)))
            level = levels.choose(context, self.collection, self.game, self.form)
            settings = None if self.choices is None else options.from_properties(self.choices, self)
            if self.form is None:
                yield from levels.export_file.steps(context, level, path, settings, report)
            else:
                yield from levels.export_form.steps(context, level, path, self.form, settings, report)
        except FAILURES as error:
            return refuse(self, context, error)
        if settings is not None and remembered.by_hand(self):
            remembered.keep(context, settings)
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


def _of_no_game(found: chosen_levels.ChosenLevels) -> str:
    """Return what is said of files that are of no game."""
    return showable(f"{listed([path.name for path in found.others])}: no level of a game that Levelwright knows")


def _show(operator: bpy.types.Operator, note: str, icon: Literal["INFO", "ERROR"], letters: int = NOTE_LETTERS) -> None:
    """Show a note in a box of an operator's dialog, in lines of so many letters."""
    box = layout_of(operator).box().column(align=True)
    for number, line in enumerate(textwrap.wrap(note, letters)):
        box.label(text=line, icon="BLANK1" if number else icon)


def _operator(
    base: type, name: str, tooltip: str, shown: dict[str, object], **members: object
) -> type[bpy.types.Operator]:
    """Return an operator's class, whose work is `Stoppable`. name: "import_scene.source_bsp". shown: its properties by
    name.
    """
    category, _, word = name.partition(".")
    body = {"__doc__": tooltip, "__module__": __name__, "__annotations__": shown, "bl_idname": name, **members}
    made: type[bpy.types.Operator] = type(f"{category.upper()}_OT_{word}", (Stoppable, base), body)
    return made


def _filter(endings: list[str]) -> str:
    """Return the property by which the file browser shows files with these endings."""
    return declared.string(default=";".join(f"*{ending}" for ending in endings), options={"HIDDEN"})


def _levels_of(game: Game) -> str:
    """Return what all of a game's files are called in titles that have to fit a button: "Source Map"."""
    noun = game.format.title.split(" ")[-1]
    return f"{game.title} {noun.capitalize()}"


def _import_operator(game: Game, kind: FileKind) -> type[bpy.types.Operator]:
    """Return the operator that opens a kind of files."""
    form = kind if isinstance(kind, Form) else None
    endings = [kind.ending] if form is not None else [each.ending for each in game.files]
    shown = {"filter_glob": _filter(endings)} | options.properties(game.import_settings)
    if form is not None and form.import_settings is not None:
        shown |= options.properties(form.import_settings)
    name = f"import_scene.{kind.operator}"
    label = f"Import {_levels_of(game) if form is None else kind.title}"
    return _operator(_ImportOfGame, name, kind.opens, shown, bl_label=label, game=game, form=form)


def _export_operator(game: Game, kind: FileKind) -> type[bpy.types.Operator]:
    """Return the operator that writes a kind of files."""
    form = kind if isinstance(kind, Form) else None
    settings = form.export_settings if form is not None else game.export_settings
    shown = {"filter_glob": _filter([kind.ending])} | (options.properties(settings) if settings is not None else {})
    members = {"filename_ext": kind.ending, "game": game, "kind": kind, "form": form}
    name = f"export_scene.{kind.operator}"
    label = f"Export {_levels_of(game) if form is None and len(game.files) == 1 else kind.title}"
    return _operator(_Export, name, kind.writes, shown, bl_label=label, **members)


def _unfolded(key: str) -> object:
    """Return the property that says whether a game's options are unfolded: one game's at a time, as screens end."""

    def get(operator: bpy.types.bpy_struct) -> bool:
        return getattr(operator, "opened", "") == key

    def put(operator: bpy.types.bpy_struct, is_open: bool) -> None:
        setattr(operator, "opened", key if is_open else "")  # noqa: B010 - the stubs don't know it

    return declared.boolean(get=get, set=put, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})


def _import_any() -> type[bpy.types.Operator]:
    """Return the operator that opens levels of every game."""
    shown: dict[str, object] = {"filter_glob": _filter(games.endings())}
    shown |= {option.key: option.deferred() for option in COMMON}  # first: what is said of a game itself comes after
    for game in games.GAMES:
        shown |= {f"opened_{game.key}": _unfolded(game.key)}
        shown |= options.properties(game.import_settings, f"{game.key}_")
    tooltip = "Open levels of any game that Levelwright knows: each file's bytes tell which, not its ending"
    return _operator(_ImportAny, GAME_LEVEL, tooltip, shown, bl_label="Import Game Level")


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
        except FAILURES as error:
            return refuse(self, context, error)
        return {"FINISHED"}


CLASSES: tuple[type[bpy.types.Operator], ...] = (
    _import_any(),
    *(_import_operator(game, kind) for game, kind in imports()),
    *(_export_operator(game, kind) for game, kind in exports()),
    LEVELWRIGHT_OT_attach_original,
)
register, unregister = in_turn(*CLASSES)
