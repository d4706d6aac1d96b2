# SPDX-License-Identifier: GPL-3.0-or-later
"""Without a window: `levelwright convert IN OUT` and `levelwright check FILE...`, for Blender's --command and for
scripts/levelwright alike.
"""

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy

from ..formats import __main__ as library
from ..formats.binary import FormatError
from . import games, levels
from .game import Form, Game, Settings
from .picture import PictureSettings, render
from .scene import files, originals
from .scene.blender_types import gives
from .scene.options import UsageError, from_text, refuse_unknown
from .scene.reports import Report, SceneError

COMMAND = "levelwright"
CHECK = "check"
"""The library's verb, here too."""
OK, FAILED, USAGE = 0, 1, 2

_registered: list[object] = []  # what bpy.utils.register_cli_command gave, to be handed back


def main(arguments: Sequence[str]) -> int:
    """Run a command line (without the program's name) and return the process's exit code.

    0: done. 1: it could not be done, and the error is on standard error. 2: the command line makes no sense.
    """
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as stop:  # argparse has said what is wrong, or shown the help
        return USAGE if stop.code else OK
    if options.command == CHECK:
        return library.main([CHECK, *["--leak-file"] * options.leak_file, *options.files])
    try:
        chosen = _pairs(options.option)
        report = convert(Path(options.input), Path(options.output), options.level, chosen, options.refuse_changed)
    except UsageError as error:
        _say(str(error))
        return USAGE
    except (FormatError, SceneError, OSError, RuntimeError) as error:  # RuntimeError: Blender's own operators
        _say(str(error).strip().removeprefix("Error: "))
        return FAILED
    for line in report.lines():
        _say(line)
    return OK


def convert(
    source: Path, target: Path, level: str = "", options: dict[str, str] | None = None, refuse_changed: bool = False
) -> Report:
    """Turn a level, a world or a .blend into a level, a world, a .blend, a .glb or a .png, as the endings say, and
    report.

    level: the name of the level to export where the .blend holds several. options: for the import, the export or the
    picture, by the names of their settings. refuse_changed: don't replace a level that another program changed since
    the import or the last export. Raises UsageError, FormatError, SceneError, OSError, or RuntimeError.
    """
    given = options or {}
    if not source.is_file():
        raise UsageError(f"{source}: no such file")
    if not target.parent.is_dir():
        raise UsageError(f"{target}: its folder does not exist")
    if target.is_dir():
        raise UsageError(f"{target}: is a folder")
    target_form = _form(target.suffix)
    ending = target.suffix.lower()
    written = [game for game in games.GAMES if ending in game.format.endings or target_form in game.forms]
    picture = _SCENES.get(ending)
    if not written and picture is None:
        others = [form.ending for game in games.GAMES for form in game.forms if form.export_form is not None]
        endings = ", ".join([*games.endings(), *others, *_SCENES])
        raise UsageError(f"{target}: write what? The ending has to be one of {endings}")
    if level and not written:
        raise UsageError(f"--level {level}: only with a level's ending, {target.name} gets all that is in the scene")
    if refuse_changed and not written:
        raise UsageError(f"--refuse-changed: only with a level's ending, {target.name} is replaced")
    source_form = _form(source.suffix, opened=True)
    read = None if source.suffix.lower() == ".blend" else _game_of(source, source_form)
    imported = [read.import_settings] if read else []
    imported += [source_form.import_settings] if source_form and source_form.import_settings else []
    if target_form is not None:
        exported = [target_form.export_settings] if target_form.export_settings else []
    else:
        exported = [game.export_settings for game in written if game.export_settings]
    known = [*imported, *exported, *([PictureSettings] if picture is _render else [])]
    refuse_unknown(given, known)
    chosen: dict[type, Settings] = {cls: from_text(cls, given) for cls in known}

    report, taken = Report(target.name), Report()
    context = bpy.context
    if read is None:
        bpy.ops.wm.open_mainfile(filepath=str(source.absolute()), load_ui=False)
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        of_levels = chosen[read.import_settings]
        if source_form is not None:
            own = chosen.get(source_form.import_settings) if source_form.import_settings else None
            levels.import_form(context, source, read, source_form, own, of_levels, taken)
        else:
            levels.import_files(context, [source], lambda _: of_levels, taken, read)
    if picture is not None:
        picture(target.absolute(), chosen.get(PictureSettings, PictureSettings()), report)
        if read is None:
            report.count("levels", len(originals.levels(context.scene)))
    else:
        taken.counts.clear()  # the export counts the same things again
        collection = levels.choose(context, level, form=target_form)
        if target_form is not None:
            own = chosen.get(target_form.export_settings) if target_form.export_settings else None
            if target_form.choose is None:
                _refuse_other_game(target, collection, written)
            levels.export_form(context, collection, target, target_form, own, report, refuse_changed)
        else:
            game = _refuse_other_game(target, collection, written)
            _, settings = game.writer
            levels.export_file(context, collection, target, chosen[settings], report, refuse_changed)
    report.merge(taken)
    return report


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


def _save(target: Path, _: PictureSettings, __: Report) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(target), check_existing=False)


def _export_gltf(target: Path, _: PictureSettings, report: Report) -> None:
    for level in originals.levels(bpy.context.scene):
        gltf_materials = levels.game_of(level).gltf_materials
        if gltf_materials is not None:
            gltf_materials(level, report)
    logging.disable(logging.WARNING)  # the exporter's own option for that fails
    try:
        with _made(target, report) as path:
            bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", use_renderable=True, export_extras=True)
    finally:
        logging.disable(logging.NOTSET)


def _render(target: Path, settings: PictureSettings, report: Report) -> None:
    with _made(target, report) as path:
        render(bpy.context, path, settings)


@contextmanager
def _made(target: Path, report: Report) -> Iterator[Path]:
    """Give the path of a file to be made; it becomes the target once all went well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, target.name)
        yield path
        for line in files.write_atomically(target, path.read_bytes()):
            report.warn(line)


_SCENES: dict[str, Callable[[Path, PictureSettings, Report], None]] = {
    ".blend": _save,
    ".glb": _export_gltf,
    ".png": _render,
}


def _pairs(words: Iterable[str]) -> dict[str, str]:
    """Return `key=value` words as a dictionary."""
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--option {word}: it has to be KEY=VALUE")
        pairs[key] = value
    return pairs


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Game levels to Blender scenes and back.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    check = commands.add_parser(
        CHECK,
        help="say what is wrong with levels",
        description="Say what a level's game or its compiler would refuse or misread, leaks too.",
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="a level of any game")
    check.add_argument("--leak-file", action="store_true", help="write the compiler's leak file beside the level")
    command = commands.add_parser(
        "convert",
        help="turn IN into OUT",
        description="Turn a level or a .blend into a level, a .blend, a .glb or a .png picture, as OUT's ending says. "
        "An existing OUT is replaced once all went well.",
    )
    command.add_argument("input", metavar="IN", help="a level of any game, or a .blend")
    command.add_argument("output", metavar="OUT", help="a file ending in .blend, .glb, .png, or as levels do")
    command.add_argument("--level", default="", metavar="NAME", help="the level to write, where a .blend holds several")
    command.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the import, export or picture"
    )
    command.add_argument(
        "--refuse-changed",
        action="store_true",
        help="don't replace a level that another program changed since it was imported or exported",
    )
    return parser


def _say(line: str) -> None:
    sys.stderr.write(f"{COMMAND}: {line}\n")


def register() -> None:
    """Register the command for `blender --background --command levelwright`."""
    _registered.append(gives(bpy.utils.register_cli_command)(COMMAND, main))


def unregister() -> None:
    """Undo `register`."""
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())
