# SPDX-License-Identifier: GPL-3.0-or-later
"""From files to scenes and back: what the operators, the panel and the command line share, for every game.

An import is all or nothing, however many files it was given. An export writes the file only after all of it was made,
and read back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from .. import formats
from ..formats.binary import FormatError
from . import games
from .fable import worlds
from .fable.settings import WorldSettings
from .scene import files, originals, stage
from .scene.progress import progress
from .scene.reports import Report, SceneError

FAILURES = (FormatError, SceneError, OSError)
"""What all of this raises for what users give it: operators report these."""
_NEVER_MADE = ("libraries", "screens", "window_managers", "workspaces")  # by an import; and Blender won't remove them


def import_files(
    context: bpy.types.Context,
    paths: Sequence[Path],
    settings: Callable[[games.Game], Any],
    report: Report,
    only: games.Game | None = None,
) -> list[bpy.types.Collection]:
    """Import levels, each into a collection of its own, and return those; on an error nothing is left behind.

    The last one is made the active collection, so that new objects become a part of it.
    settings: gives the options for a game. only: the game that the files have to be of; otherwise their bytes tell.
    Raises FormatError naming the file, SceneError, or OSError.
    """
    collections = []
    with _nothing_left_behind(context), progress(len(paths), "files") as step:
        for path in paths:
            data = path.read_bytes()
            game = only or games.identify(data, str(path))
            try:
                own = Report(path.name)
                collection = game.side.import_level(context, data, path, settings(game), own)
            except FormatError as error:
                raise error.in_file(path) from error
            _keep_report(collection, own, "import")
            report.merge(own)
            collections.append(collection)
            step()
    if collections:
        originals.make_active(context, collections[-1])
    return collections


def export_file(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    path: Path,
    settings: Any,
    report: Report,
    form: games.Form | None = None,
) -> None:
    """Write a level's collection to a file of its game, and its other parts to files of the same name beside it.

    form: what the game's levels are written as, None: as they are. settings: those of it, else of the game's export.
    All files are as they were unless everything went well. Raises SceneError naming the objects at fault, or where the
    game's levels can't be written at all, FormatError, or OSError.
    """
    game = game_of(collection)
    with _reported(collection, report):
        if form is not None:
            data = form.export(context, collection, settings, report)
            files.write_atomically(path, data, verify=form.check, backup=getattr(settings, "backup", False))
            return
        chosen = game.for_file(settings, path) if game.for_file is not None else settings
        made = game.writer.export_level(context, collection, chosen, report)
        parts = {path.suffix: made} if isinstance(made, bytes) else made
        contents: dict[Path, tuple[bytes, Callable[[bytes], object]]] = {}
        for ending, data in parts.items():
            if not contents:
                contents[path] = data, partial(formats.read, format=game.format.key)
            else:  # what came in broken goes out again: only what was made now is checked
                check = bytes if originals.holds(collection, data) else game.beside[ending.lower()]
                contents[path.with_suffix(ending)] = data, check
        files.write_together(contents, backup=getattr(chosen, "backup", False))
        if len(contents) > 1:
            report.note(f"written: {', '.join(file.name for file in contents)}")


def check_export(context: bpy.types.Context, collection: bpy.types.Collection, settings: Any, report: Report) -> None:
    """Do all that an export does, and report it, without writing a file. Raises as `export_file` does."""
    game = game_of(collection)
    with _reported(collection, report):
        made = game.writer.export_level(context, collection, settings, report)
        parts = [made] if isinstance(made, bytes) else made.values()
        report.note(f"nothing is written: this was a check. {sum(map(len, parts))} bytes could be")


def import_world(
    context: bpy.types.Context, path: Path, world: WorldSettings, settings: Any, report: Report
) -> bpy.types.Collection:
    """Open the levels of a world's map (`.wld`) at their places, and return the world's collection.

    settings: the options for the levels. Files that are missing are named in the report. On an error nothing is left
    behind: FormatError naming the file, SceneError, or OSError.
    """
    data = path.read_bytes()

    def import_levels(paths: Sequence[Path]) -> list[bpy.types.Collection]:
        return import_files(context, paths, lambda _: settings, report, games.by_key("fable"))

    with _nothing_left_behind(context):
        return worlds.import_form(context, data, path, world, import_levels, report)


def export_world(context: bpy.types.Context, name: str, path: Path, report: Report) -> None:
    """Write the map of the world of this name ("": the active or only one) with its levels where they are now.

    The levels themselves aren't written. Raises SceneError naming the objects at fault, or OSError.
    """
    data = worlds.export_form(context, worlds.choose(context, name), None, report)
    files.write_atomically(path, data, verify=worlds.check)


def attach_original(context: bpy.types.Context, name: str, path: Path) -> None:
    """Give the level of this name (or the active one) the file back that it was imported from.

    Raises SceneError where the file's hash is another one, FormatError where it is no level, or OSError.
    """
    data = path.read_bytes()
    level = bpy.data.collections.get(name) if name else originals.level_of(context) or context.collection
    if level is None:
        raise SceneError(f"no collection {name} to attach {path.name} to")
    originals.reattach(level, data, games.identify(data, str(path)).format.key, file_name=path.name)


def game_of(collection: bpy.types.Collection) -> games.Game:
    """Return the game that a level's collection belongs to; SceneError for a collection that is no level."""
    info = originals.describe(collection)
    if info is None:
        raise SceneError(f"{collection.name} is no level: no game made it")
    try:
        return games.by_key(info.format)
    except KeyError:
        raise SceneError(f"{collection.name}: this version of Levelwright exports no {info.format} levels") from None


def choose(context: bpy.types.Context, name: str = "", game: games.Game | None = None) -> bpy.types.Collection:
    """Return the level to export: the one named, else the active collection's, else the scene's only one.

    game: the one that it has to be of. Raises SceneError with the levels that there are.
    """
    level = None if name else originals.level_of(context)
    if level is None and context.scene is not None:
        level = originals.level_named(context.scene, name)
    if level is None:
        raise SceneError("there is no scene to export from")
    if game is not None and game_of(level) is not game:
        raise SceneError(f"{level.name} is no {game.format.title}")
    return level


def file_name(collection: bpy.types.Collection) -> str:
    """Return the name to suggest for a level's file: that of the imported one, else the collection's."""
    info = originals.describe(collection)
    return (info and info.file_name) or bpy.path.clean_name(collection.name) + game_of(collection).format.endings[0]


def report_of(collection: bpy.types.Collection) -> bpy.types.Text | None:
    """Return the text block with what the last import or export of a level said."""
    texts = originals.resources(collection, "reports")
    text = texts.get(0)
    return text if isinstance(text, bpy.types.Text) else None


def _keep_report(collection: bpy.types.Collection, report: Report, what: str) -> None:
    text = report.to_text(f"{collection.name} {what}")
    originals.set_resource(collection, "reports", 0, text)


@contextmanager
def _reported(collection: bpy.types.Collection, report: Report) -> Iterator[None]:
    """Keep the report of an export, whatever comes of it: why it was refused is told in it."""
    try:
        yield
    except FAILURES as error:
        report.warn(f"refused, nothing was written: {error}")
        _keep_report(collection, report, "export")
        raise
    _keep_report(collection, report, "export")


@contextmanager
def _nothing_left_behind(context: bpy.types.Context) -> Iterator[None]:
    """Remove every data-block that was made inside when an exception leaves it, and let the scene and the windows look
    as before.
    """
    before = {block.session_uid for block in _data_blocks()}
    looks = stage.looks(context)
    try:
        yield
    except BaseException:
        bpy.data.batch_remove([block for block in _data_blocks() if block.session_uid not in before])
        stage.look_again(looks)
        raise


def _data_blocks() -> Iterator[bpy.types.ID]:
    """Give every data-block that removing makes sense for."""
    for table in bpy.data.bl_rna.properties:
        if table.type == "COLLECTION" and table.identifier not in _NEVER_MADE:
            yield from getattr(bpy.data, table.identifier)
