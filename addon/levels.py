# SPDX-License-Identifier: GPL-3.0-or-later
"""From files to scenes and back: what the operators, the panel and the command line share, for every game.

An import is all or nothing, however many files it was given. An export writes the file only after all of it was made,
and read back.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import bpy

from .. import formats
from ..formats.binary import FormatError
from ..formats.counting import number_of
from . import games
from .game import Form, Game, Settings
from .scene.disk import chosen_files, files, journal, known_files
from .scene.fates import ledger
from .scene.fields import level_options
from .scene.geometry import evaluated, loose
from .scene.interface import stoppable
from .scene.issues import findings
from .scene.kept import originals
from .scene.names import file_name_of
from .scene.reports import FAILURES, Report, SceneError, text_of
from .scene.view import stage, startup
from .scene.view.stage import scene_of
from .scene.work.progress import Steps, Stepwise, progress, steps_of


@Stepwise
def import_files(
    context: bpy.types.Context,
    paths: Sequence[Path],
    settings: Callable[[Game], Settings],
    report: Report,
    only: Game | None = None,
    contents: Mapping[Path, bytes] | None = None,
) -> Steps[list[bpy.types.Collection]]:
    """Import levels, each into a collection of its own, and return those; on an error nothing is left behind, nor where
    the steps are closed before all are done.

    The last one is made the active collection, so that new objects become a part of it.
    settings: gives the options for a game. only: the game that the files have to be of; otherwise their bytes tell.
    contents: what to take for the bytes of some of the files.
    Where nothing else is in the scene, what a new file of Blender's has in it is put away, if nobody has touched it.
    Raises FormatError naming the file, SceneError, or OSError.
    """
    with stage.cleared(context) as spare:
        collections = yield from _import_files(context, paths, settings, report, only, contents, spare)
    if collections:
        stage.present(context, collections[-1])
    return collections


def _import_files(
    context: bpy.types.Context,
    paths: Sequence[Path],
    settings: Callable[[Game], Settings],
    report: Report,
    only: Game | None,
    contents: Mapping[Path, bytes] | None,
    spare: Sequence[bpy.types.Object],
) -> Steps[list[bpy.types.Collection]]:
    """Do what `import_files` does, but leave what is `spare`, which the reports say is put away."""
    collections: list[bpy.types.Collection] = []
    with stoppable.nothing_left_behind(context), progress(len(paths), "files" if len(paths) > 1 else "") as step:
        for path in paths:
            given = contents.get(path) if contents else None
            own = Report(path.name)
            told = () if collections else spare
            collections.append((yield from _import_file(context, path, given, settings, own, only, told)))
            report.merge(own)
            if len(paths) > 1:  # out of sight until all are made: drawing one between steps would take as long again
                scene_of(context).collection.children.unlink(collections[-1])
            step()
        for collection in collections if len(paths) > 1 else ():
            scene_of(context).collection.children.link(collection)
    return collections


def _import_file(
    context: bpy.types.Context,
    path: Path,
    given: bytes | None,
    settings: Callable[[Game], Settings],
    report: Report,
    only: Game | None,
    spare: Sequence[bpy.types.Object],
) -> Steps[bpy.types.Collection]:
    """Import one level, and return its collection, linked to the scene. given: what to take for the file's bytes.

    spare: what its report says is put away.

    There is no step after it was linked: what a window then draws is whole.
    """
    with progress(1, f"reading {path.name}") as step:
        yield step(0)
        _recover(path, report)
        data = chosen_files.read(path) if given is None else given
        game = only or games.identify(data, str(path))
    try:
        with _uncollected(), progress(1, f"{game.kind_of(path.name).label} {path.name}"):
            collection = yield from steps_of(game.import_level, context, data, path, settings(game), report)
            if game.fates:
                ledger.enter(collection, game.fates)
    except FormatError as error:
        raise error.in_file(path) from error
    known_files.imported(collection, path)
    if given is not None and path.is_file():  # then the file itself is known, too, and not another's change
        known_files.exported(collection, {path: path.read_bytes()})
    startup.tell(spare, report)
    _keep_report(collection, report, "import")
    return collection


@Stepwise
def import_form(
    context: bpy.types.Context,
    path: Path,
    game: Game,
    form: Form,
    settings: Settings,
    of_levels: Settings,
    report: Report,
) -> Steps[bpy.types.Collection]:
    """Open a file of another form, with the levels that it is about, and return the collection of all of it.

    settings: the form's options. of_levels: those of the levels. On an error nothing is left behind: FormatError naming
    the file, SceneError, or OSError.
    """
    if form.import_form is None:
        raise SceneError(f"{path.name}: such files can be written, but not opened")
    _recover(path, report)
    data = chosen_files.read(path)

    def import_levels(
        paths: Sequence[Path], contents: Mapping[Path, bytes] | None = None
    ) -> Steps[list[bpy.types.Collection]]:
        made = yield from _import_files(context, paths, lambda _: of_levels, report, game, contents, spare)
        opened.extend(made)
        return made

    opened: list[bpy.types.Collection] = []
    with stage.cleared(context) as spare, stoppable.nothing_left_behind(context):
        try:
            collection = yield from form.import_form(context, data, path, settings, import_levels, report)
        except FormatError as error:
            raise error if error.file else error.in_file(path) from error
    if opened:
        stage.present(context, opened[-1])
    known_files.exported(collection, {path: data})
    return collection


@Stepwise
def export_file(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    path: Path,
    settings: Settings,
    report: Report,
    refuse_changed: bool = False,
) -> Steps[None]:
    """Write a level's collection to a file of its game, and its other parts to files of the same name beside it.

    All files are as they were unless everything went well; there is no step in which they are written. Nothing else
    is left where the steps are closed before all are done. refuse_changed: don't replace what others have written
    there since the import or the last export, which is otherwise a warning. Raises SceneError naming the objects at
    fault, or where the game's levels can't be written at all, FormatError, or OSError.
    """
    game = game_of(collection)
    export_level, _ = game.writer
    with _reported(collection, report), progress(1, f"writing {path.name}"), progress(4) as step:
        chosen = game.for_file(settings, path) if game.for_file is not None else settings
        made = yield from steps_of(export_level, context, collection, chosen, report)
        yield step()
        yield from _tell_of_edits(context, collection, report)
        yield step()
        parts = {path.suffix: made} if isinstance(made, bytes) else made
        yield from _look_over(context, collection, next(iter(parts.values())), report)
        yield step()
        report.refuse_doubts()
        contents: dict[Path, tuple[bytes, Callable[[bytes], object]]] = {}
        for ending, data in parts.items():
            if not contents:
                contents[path] = data, partial(formats.read, format=game.key)
            else:  # what came in broken goes out again: only what was made now is checked
                check = bytes if originals.holds(collection, data) else game.beside[ending.lower()]
                contents[path.with_suffix(ending)] = data, check
        _write(collection, contents, chosen, report, refuse_changed)
        findings.keep(collection, (), "changes")  # what would change has
        level_options.keep(collection, chosen)
        if len(contents) > 1:
            report.note(f"written: {', '.join(file.name for file in contents)}")


@Stepwise
def export_form(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    path: Path,
    form: Form,
    settings: Settings,
    report: Report,
    refuse_changed: bool = False,
) -> Steps[None]:
    """Write a collection to a file of another form. refuse_changed, and what it raises: as of `export_file`."""
    if form.export_form is None:
        raise SceneError(f"{path.name}: such files can be opened, but not written")
    with _reported(collection, report), progress(1, f"writing {path.name}"):
        data = yield from steps_of(form.export_form, context, collection, settings, report)
        evaluated.tell_of_instances(context, collection.all_objects, report)
        report.refuse_doubts()
        _write(collection, {path: (data, form.check)}, settings, report, refuse_changed)


def changed_since(collection: bpy.types.Collection, path: Path) -> list[str]:
    """Return the names of the files that an export to path would replace though others have written them since the
    import or the last export. For dialogs: what was read once is not read again.
    """
    info = originals.describe(collection)
    endings = [ending for game in games.GAMES if info is not None and game.key == info.format for ending in game.beside]
    paths = dict.fromkeys([path, *map(path.with_suffix, endings)]) if path.name else ()
    try:
        return [file.name for file in paths if known_files.changed(collection, file, quick=True)]
    except OSError:  # the export says what is wrong there
        return []


@Stepwise
def check_export(
    context: bpy.types.Context, collection: bpy.types.Collection, report: Report, settings: Settings | None = None
) -> Steps[dict[str, bytes]]:
    """Do all that an export does, and report it, without writing a file: return the files by their names, the level's
    own first.

    settings: the export's; None: the usual ones. Raises as `export_file` does.
    """
    game = game_of(collection)
    export_level, usual = game.writer
    path = Path(file_name(collection))
    with _reported(collection, report), progress(1, f"checking {collection.name}"), progress(3) as step:
        chosen = usual() if settings is None else settings
        made = yield from steps_of(export_level, context, collection, chosen, report)
        yield step()
        yield from _tell_of_edits(context, collection, report)
        yield step()
        parts = (
            {path.name: made} if isinstance(made, bytes) else {path.with_suffix(end).name: made[end] for end in made}
        )
        yield from _look_over(context, collection, next(iter(parts.values())), report)
        level_options.keep(collection, chosen)
        size = number_of(sum(map(len, parts.values())), "bytes")
        report.note(f"nothing is written: this was a check. {size} could be")
    return parts


def attach_original(context: bpy.types.Context, name: str, path: Path) -> None:
    """Give the level of this name (or the active one) the file back that it was imported from.

    Raises SceneError where the file's hash is another one, FormatError where it is no level, or OSError.
    """
    data = chosen_files.read(path)
    level = bpy.data.collections.get(name) if name else originals.level_of(context) or context.collection
    if level is None:
        raise SceneError(f"no collection {name} to attach {path.name} to")
    originals.reattach(level, data, games.identify(data, str(path)).key, file_name=path.name)


def game_of(collection: bpy.types.Collection) -> Game:
    """Return the game that a level's collection belongs to; SceneError for a collection that is no level."""
    info = originals.describe(collection)
    if info is None:
        raise SceneError(f"{collection.name} is no level: no game made it")
    try:
        return games.by_key(info.format)
    except KeyError:
        raise SceneError(f"{collection.name}: this version of Levelwright exports no {info.format} levels") from None


def choose(
    context: bpy.types.Context, name: str = "", game: Game | None = None, form: Form | None = None
) -> bpy.types.Collection:
    """Return the level to export: the one named, else the active collection's, else the scene's only one.

    game: the one that it has to be of. form: what it is written as, which may be of another collection than a level.
    Raises SceneError with the levels that there are.
    """
    if form is not None and form.choose is not None:
        return form.choose(context, name)
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
    known = file_name_of(info.file_name) if info is not None else ""
    return known or bpy.path.clean_name(collection.name) + game_of(collection).format.endings[0]


def report_of(collection: bpy.types.Collection) -> bpy.types.Text | None:
    """Return the text block with what the last import or export of a level said."""
    texts = originals.resources(collection, originals.REPORTS)
    text = texts.get(0)
    return text if isinstance(text, bpy.types.Text) else None


def whole_report(collection: bpy.types.Collection) -> bpy.types.Text | None:
    """Return a text block with what the last export or check of a level said, and its import below; None: nothing."""
    texts = originals.resources(collection, originals.REPORTS)
    said = [(title, texts.get(number)) for title, number in (("Last export or check", 2), ("Import", 1))]
    parts = [f"{title}\n\n{text.as_string()}" for title, text in said if isinstance(text, bpy.types.Text)]
    if not parts:
        return None
    whole = text_of(f"{collection.name} report", parts)
    originals.set_resource(collection, originals.REPORTS, 4, whole)
    return whole


def _recover(path: Path, report: Report) -> None:
    """Undo an export into a file's folder that was interrupted, before the file is read."""
    for line in journal.recover(path):
        report.warn(line)


def _write(
    collection: bpy.types.Collection,
    contents: Mapping[Path, tuple[bytes, Callable[[bytes], object]]],
    settings: Settings,
    report: Report,
    refuse_changed: bool,
) -> None:
    """Write an export's files, and tell what had to be said before, or couldn't be kept of those that are replaced."""
    _recover(next(iter(contents)), report)
    changed = [path.name for path in contents if known_files.changed(collection, path)]
    if changed and refuse_changed:
        raise SceneError(f"{' and '.join(changed)}: changed since it was imported or exported from this .blend")
    for name in changed:
        report.warn(f"{name} is replaced, though it was changed since it was imported or exported from this .blend")
    for line in files.write_together(contents, backup=getattr(settings, "backup", False)):
        report.warn(line)
    known_files.exported(collection, {path: data for path, (data, _) in contents.items()})


def _tell_of_edits(context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> Steps[None]:
    """Warn of what was edited, or is shown, and reaches no file."""
    fates = game_of(collection).fates
    yield from ledger.tell.steps(collection, fates, report)
    evaluated.tell_of_instances(context, collection.all_objects, report)
    evaluated.tell_of_modifiers(collection.all_objects, fates, report)
    yield
    loose.tell(context, collection.all_objects, fates, report)


def _look_over(
    context: bpy.types.Context, collection: bpy.types.Collection, made: bytes, report: Report
) -> Steps[None]:
    """Let the game add to the report's findings."""
    look_over = game_of(collection).preflight
    if look_over is not None:
        yield from steps_of(look_over, context, collection, made, report)


def _keep_report(collection: bpy.types.Collection, report: Report, what: Literal["import", "export"]) -> None:
    """Keep what there is to tell as a text block and as a list."""
    findings.keep(collection, report.issues(), what)
    text = report.to_text(f"{collection.name} {what}")
    for number in (0, 1 + ("import", "export").index(what)):  # the last one, and one of each
        originals.set_resource(collection, originals.REPORTS, number, text)


@contextmanager
def _reported(collection: bpy.types.Collection, report: Report) -> Iterator[None]:
    """Keep the report of an export and its findings, whatever comes of it: why it was refused is told in them. Of one
    that is stopped there is none.
    """
    try:
        yield
    except GeneratorExit:
        raise
    except BaseException as error:
        if isinstance(error, FAILURES):
            report.refuse(error)
        _keep_report(collection, report, "export")
        raise
    _keep_report(collection, report, "export")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let Python look for no garbage inside: an import makes many objects that all stay to its end, and looking through
    them, and all of Blender's and its extensions', took 2 % of the time of imports of Source maps. While an import
    waits for its next slice, `Work` has it as others have it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
