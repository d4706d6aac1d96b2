# SPDX-License-Identifier: GPL-3.0-or-later
"""One file into another: a level, a world or a .blend becomes what the ending of the other says."""

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeAlias

import bpy

from ..formats.binary import FormatError
from . import blend_preview, games, levels
from .game import Form, Game, Settings
from .picture import PictureSettings, render
from .scene.blender_types import Value, always
from .scene.disk import files
from .scene.fields.options import UsageError, from_text, refuse_unknown
from .scene.fields.properties import setting
from .scene.kept import originals
from .scene.media import images
from .scene.reports import Report, SceneError, in_words

Chosen: TypeAlias = dict[type, Settings]
"""What was chosen, by the classes of settings."""
SceneWriter: TypeAlias = Callable[[Path, Settings, Report], None]
"""Makes a file of the scene."""


@dataclass(frozen=True)
class BlendSettings:
    """How a scene is saved."""

    preview: bool = setting(True, "A picture of it in the .blend, for file browsers; the file isn't compressed then")


def convert(
    source: Path,
    target: Path,
    level: str = "",
    options: Mapping[str, str] | None = None,
    refuse_changed: bool = False,
    *,
    for_others: bool = False,
    is_strict: bool = False,
) -> Report:
    """Turn a level, a world or a .blend into a level, a world, a .blend, a .glb or a .png, as the endings say, and
    report.

    level: the name of the level to export where the .blend holds several. options: for the import, the export or the
    picture, by the names of their settings. refuse_changed: don't replace a level that another program changed since
    the import or the last export. for_others: options that neither side has are for other files, and are left alone.
    is_strict: write nothing where there is something to warn of. Raises UsageError, FormatError, SceneError, OSError,
    or RuntimeError.
    """
    if not source.is_file():
        raise UsageError(f"{source}: no such file")
    refuse_place(target)
    wanted = _Target.of(target)
    wanted.refuse_flags(level, refuse_changed)
    given = _Source.of(source)
    known = [*given.settings, *wanted.settings]
    if not for_others:
        refuse_unknown(options or {}, known)
    chosen: Chosen = {cls: from_text(cls, options or {}) for cls in known}
    report, taken = Report(target.name, is_strict), Report(is_strict=is_strict)
    given.open(bpy.context, chosen, taken)
    taken.refuse_doubts()
    if wanted.write_scene is not None:
        wanted.write_scene(target.absolute(), chosen[wanted.settings[0]] if wanted.settings else None, report)
        if given.game is None:
            report.count("levels", len(originals.levels(bpy.context.scene)))
    else:
        taken.counts.clear()  # the export counts the same things again
        wanted.export(bpy.context, level, chosen, report, refuse_changed)
    report.merge(taken)
    return report


@dataclass(frozen=True)
class _Source:
    """What is turned into something."""

    path: Path
    game: Game | None
    """None: it is a .blend."""
    form: Form | None
    """None: it is a .blend, or a level as its game has it."""

    @classmethod
    def of(cls, path: Path) -> Self:
        """See what a file is. Raises UsageError, FormatError."""
        form = _form(path.suffix, opened=True)
        return cls(path, None if path.suffix.lower() == ".blend" else _game_of(path, form), form)

    @property
    def settings(self) -> list[type]:
        """What can be chosen of how it is opened."""
        found: list[type | None] = [self.game.import_settings if self.game is not None else None]
        found += [self.form.import_settings if self.form is not None else None]
        return [one for one in found if one is not None]

    def open(self, context: bpy.types.Context, chosen: Chosen, report: Report) -> None:
        """Make it the scene. Raises FormatError, SceneError, OSError, RuntimeError."""
        if self.game is None:
            bpy.ops.wm.open_mainfile(filepath=str(self.path.absolute()), load_ui=False)
            return
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        of_levels = chosen[self.game.import_settings]
        if self.form is None:
            levels.import_files(context, [self.path], lambda _: of_levels, report, self.game)
            return
        own = chosen.get(self.form.import_settings) if self.form.import_settings else None
        levels.import_form(context, self.path, self.game, self.form, own, of_levels, report)


@dataclass(frozen=True)
class _Target:
    """What something is turned into."""

    path: Path
    form: Form | None
    """None: a scene, or a level as its game has it."""
    games: list[Game]
    """Those that have such files; none: it is a scene."""
    write_scene: SceneWriter | None
    """What writes it, if it is one."""

    @classmethod
    def of(cls, path: Path) -> Self:
        """See what a file is to be by its ending. Raises UsageError for one that nothing is written with."""
        form, ending = _form(path.suffix), path.suffix.lower()
        written = [game for game in games.GAMES if ending in game.format.endings or form in game.forms]
        write_scene = _SCENES.get(ending)
        if not written and write_scene is None:
            others = [form.ending for game in games.GAMES for form in game.forms if form.export_form is not None]
            endings = ", ".join([*games.endings(), *others, *_SCENES])
            raise UsageError(f"{path}: write what? The ending has to be one of {endings}")
        return cls(path, form, written, write_scene)

    @property
    def settings(self) -> list[type]:
        """What can be chosen of how it is written."""
        found: list[type | None] = [game.export_settings for game in self.games]
        if self.form is not None:
            found = [self.form.export_settings]
        return [one for one in (*found, _SETTINGS.get(self.path.suffix.lower())) if one is not None]

    def refuse_flags(self, level: str, refuse_changed: bool) -> None:
        """Raise UsageError for what is only of levels, where it is none."""
        if level and not self.games:
            name = self.path.name
            raise UsageError(f"--level {level}: only with a level's ending, {name} gets all that is in the scene")
        if refuse_changed and not self.games:
            raise UsageError(f"--refuse-changed: only with a level's ending, {self.path.name} is replaced")

    def export(
        self, context: bpy.types.Context, level: str, chosen: Chosen, report: Report, refuse_changed: bool
    ) -> None:
        """Export a level of the scene. Raises UsageError, FormatError, SceneError, OSError."""
        collection = levels.choose(context, level, form=self.form)
        if self.form is None:
            _, settings = _refuse_other_game(self.path, collection, self.games).writer
            levels.export_file(context, collection, self.path, chosen[settings], report, refuse_changed)
            return
        if self.form.choose is None:
            _refuse_other_game(self.path, collection, self.games)
        own = chosen.get(self.form.export_settings) if self.form.export_settings else None
        levels.export_form(context, collection, self.path, self.form, own, report, refuse_changed)


def refuse_place(target: Path) -> None:
    """Raise UsageError where no file can be written: in the place of a folder, or in none."""
    if not target.parent.is_dir():
        raise UsageError(f"{target}: its folder does not exist")
    if target.is_dir():
        raise UsageError(f"{target}: is a folder")


def refuse_options(options: Mapping[str, str]) -> None:
    """Raise UsageError for an option that no import, export or picture of any game has, or a value that fits none."""
    settings: list[type] = [PictureSettings, BlendSettings]
    for game in games.GAMES:
        settings += [cls for cls in (game.import_settings, game.export_settings) if cls is not None]
        settings += [form.export_settings for form in game.forms if form.export_settings is not None]
        settings += [form.import_settings for form in game.forms if form.import_settings is not None]
    refuse_unknown(options, settings)


def is_known_ending(ending: str) -> bool:
    """Whether a file with this ending can be written: `.blend`, `.glb`, `.png`, those of levels and other forms."""
    return ending in _SCENES or ending in games.endings() or _form(ending) is not None


def _form(ending: str, opened: bool = False) -> Form | None:
    """Return the form with this ending that can be written, or opened; None where there is none."""
    forms = (form for game in games.GAMES for form in game.forms)
    able = (form for form in forms if (form.import_form if opened else form.export_form) is not None)
    return next((form for form in able if form.ending == ending.lower()), None)


def _game_of(source: Path, form: Form | None) -> Game:
    """Return the game that a file is of: its bytes tell, but for those of another form."""
    if form is not None:
        return next(game for game in games.GAMES if form in game.forms)
    return games.identify(source.read_bytes(), str(source))


def _refuse_other_game(target: Path, collection: bpy.types.Collection, written: Sequence[Game]) -> Game:
    """Return the game of a level. Raises UsageError where a file with this ending is no level of it."""
    game = levels.game_of(collection)
    if game not in written:
        raise UsageError(f"{target}: {collection.name} is a {game.format.title}, which has another ending")
    return game


def _save(target: Path, settings: Settings, report: Report) -> None:
    if not settings.preview:
        _save_scene(target, target)
        return
    beside = target.with_name(f".levelwright-{os.getpid()}.blend")  # where relative paths are the same
    try:
        _save_scene(
            beside, target, compress=False
        )  # before: the picture needs cameras and lights that aren't the scene's
        blend = _with_picture(beside.read_bytes(), report)
    finally:
        beside.unlink(missing_ok=True)
    for line in files.write_atomically(target, blend):
        report.warn(line)


def _save_scene(path: Path, target: Path, **options: Value) -> None:
    """Save the scene. target: how the file is called where that fails, for which it raises OSError."""
    try:
        with _without_backups():
            bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False, **options)
    except RuntimeError as error:  # of a full disk Blender says "Success", or that there is no such file
        why = in_words(error)
        raise OSError(f"{target}: can't be saved: is there room, may its folder be written to? ({why})") from error


def _with_picture(blend: bytes, report: Report) -> bytes:
    """A .blend with a picture of the scene; as it is, and said why, where none can be made."""
    side = blend_preview.LONGER_SIDE
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "preview.png")
        try:
            render(bpy.context, picture, PictureSettings(width=side, height=side * 9 // 16, samples=4), report)
            return blend_preview.with_preview(blend, images.to_rgba(bpy.data.images.load(str(picture))))
        except (RuntimeError, SceneError, FormatError) as error:
            report.note(f"The .blend has no picture for file browsers: {in_words(error)}")
    return blend


@contextmanager
def _without_backups() -> Iterator[None]:
    """Let Blender save without keeping what was there as `.blend1`: what is made here can be made again."""
    preferences = always(bpy.context.preferences)
    paths = preferences.filepaths
    kept, paths.save_version = paths.save_version, 0
    try:
        yield
    finally:
        paths.save_version = kept


def _export_gltf(target: Path, _: Settings, report: Report) -> None:
    for level in originals.levels(bpy.context.scene):
        gltf_materials = levels.game_of(level).gltf_materials
        if gltf_materials is not None:
            gltf_materials(level, report)
    logging.disable(logging.WARNING)  # the exporter's own option for that fails
    try:
        with _made(target, report) as path:
            bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", use_renderable=True, export_extras=True)
    except RuntimeError as error:  # Ctrl+C within an operator of Python's
        if str(error).rstrip().endswith(KeyboardInterrupt.__name__):
            raise KeyboardInterrupt from error
        raise
    finally:
        logging.disable(logging.NOTSET)


def _render(target: Path, settings: Settings, report: Report) -> None:
    with _made(target, report) as path:
        render(bpy.context, path, settings, report)


@contextmanager
def _made(target: Path, report: Report) -> Iterator[Path]:
    """Give the path of a file to be made; it becomes the target once all went well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, target.name)
        yield path
        report.refuse_doubts()
        for line in files.write_atomically(target, path.read_bytes()):
            report.warn(line)


_SCENES: dict[str, SceneWriter] = {
    ".blend": _save,
    ".glb": _export_gltf,
    ".png": _render,
}
"""What makes a file of the scene, by its ending."""
_SETTINGS: dict[str, type] = {".blend": BlendSettings, ".png": PictureSettings}
"""Their options."""
