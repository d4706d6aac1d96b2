# SPDX-License-Identifier: GPL-3.0-or-later
"""Without a window: the verbs of `levelwright`, for Blender's --command and for scripts/levelwright alike."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

import bpy

from ..formats import __main__ as library
from ..formats.counting import number_of
from . import asset_library, batch, worker
from .batch import FAILED as FILE_FAILED
from .batch import SECONDS
from .conversion import convert, is_known_ending, refuse_options, refuse_place
from .picture import PictureSettings
from .scene.blender_types import gives
from .scene.disk import files
from .scene.fields.options import UsageError
from .scene.fields.properties import fields
from .scene.reports import in_words

COMMAND = "levelwright"
LIBRARY = ("info", "check", "verify", "diff", "dump")
"""The library's verbs, here too."""
ASSETS = "assets"
_SCENES = {"import": False, "export": True}
"""Verbs that open only .blend files, or only others."""
OK, FAILED, USAGE, STOPPED = 0, 1, 2, library.STOPPED

_registered: list[object] = []  # what bpy.utils.register_cli_command gave, to be handed back


def program(arguments: Sequence[str]) -> int:
    """`main`, of a process that does nothing else."""
    return main(arguments, is_program=True)


def main(arguments: Sequence[str], *, is_program: bool = False) -> int:
    """Run a command line (without the program's name) and return the process's exit code.

    0: done. 1: something could not be done, and the error is on standard error; of `diff`: the levels differ. 2: the
    command line makes no sense. 130: stopped by Ctrl+C. is_program: the process ends afterwards, so what Blender prints
    of its work, a line for each step of a picture, may go nowhere from here on.
    """
    words = list(arguments)
    try:
        _hear_ctrl_c()
        if words == [batch.WORKER]:
            return worker.serve()
        if words and words[0] in LIBRARY:
            return library.main(words, COMMAND)
        options = _parsed(words)
        if is_program:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        options.option = _pairs(options.option) | _picture_options(options)
        run: Callable[[argparse.Namespace], int] = _many if _is_batch(options) else _one
        return (_assets if options.command == ASSETS else run)(options)
    except SystemExit as stop:  # argparse has said what is wrong, or shown the help
        return USAGE if stop.code else OK
    except UsageError as error:
        _say(str(error))
        return USAGE
    except worker.FAILURES as error:
        _say(in_words(error))
        return FAILED
    except KeyboardInterrupt:
        _say("stopped")
        return STOPPED


def _hear_ctrl_c() -> None:
    """Let Ctrl+C raise KeyboardInterrupt: Blender's own handler takes note of the first one and forgets it, and ends in
    the middle of a file at the second.
    """
    with suppress(ValueError):  # no program, but a part of one
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _assets(options: argparse.Namespace) -> int:
    """IN... --out DIR: a library for the asset browser."""
    refuse_options(options.option)
    inputs = [Path(name).absolute() for name in options.files]
    failed = asset_library.make(inputs, _out_folder(options.out).absolute(), options.option, _say)
    return FAILED if failed else OK


def _out_folder(name: str) -> Path:
    """Return the folder that --out names, there or not. Raises UsageError where it names none."""
    if not name:
        raise UsageError("where to? --out DIR")
    out = Path(name)
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is no folder")
    return out


def _is_batch(options: argparse.Namespace) -> bool:
    return bool(options.out) or any(Path(name).is_dir() for name in options.files[:-1])


def _one(options: argparse.Namespace) -> int:
    """IN OUT: in this process, with all that there is to tell."""
    if len(options.files) != 2:
        raise UsageError("give IN and OUT, or of several files --out DIR and what they become: --to .blend")
    of_many = [name for name in ("recursive", "force", "jobs", "timeout") if getattr(options, name)]
    if of_many:
        raise UsageError(f"--{of_many[0]}: only with --out")
    source, target = map(Path, options.files)
    batch.refuse_other(source, _SCENES.get(options.command))
    if options.to and target.suffix.lower() != options.to:
        raise UsageError(f"{target}: `{options.command}` makes {options.to} files")
    if options.report:  # it has what became of the file, whatever that is
        report_to = _report_place(options.report, [source, target])
        request = {"source": str(source), "target": str(target), "level": options.level, "options": options.option}
        request |= {"refuse_changed": options.refuse_changed, "strict": options.strict}
        outcome = {"source": str(source), "target": str(target)} | worker.answer(request, is_alone=True)
        _write_report(report_to, [outcome])
        _tell(outcome)
        return FAILED if outcome["status"] == FILE_FAILED else OK
    report = convert(source, target, options.level, options.option, options.refuse_changed, is_strict=options.strict)
    for line in report.lines():
        _say(line)
    return OK


def _many(options: argparse.Namespace) -> int:
    """Many files into a folder, by processes of their own: a line for each."""
    if not options.to:
        raise UsageError("what do they become? --to .blend, .glb, .png, or as levels do")
    out = _out_folder(options.out)
    if options.level:
        raise UsageError("--level: only of one file")
    if not is_known_ending(options.to):
        raise UsageError(f"--to {options.to}: nothing that can be written has this ending")
    refuse_options(options.option)
    jobs = batch.plan(
        [Path(name) for name in options.files], out, options.to, options.recursive, _SCENES.get(options.command)
    )
    out.mkdir(parents=True, exist_ok=True)  # reports may go there, too
    report_to = _report_place(options.report, chain.from_iterable(jobs)) if options.report else None
    request = batch.Request(
        options=options.option,
        refuse_changed=options.refuse_changed,
        is_strict=options.strict,
        is_forced=options.force,
        seconds=options.timeout or SECONDS,
    )
    outcomes = batch.run(jobs, options.jobs or os.cpu_count() or 1, request, _tell)
    if report_to is not None:
        _write_report(report_to, outcomes)
    counts = {status: sum(each["status"] == status for each in outcomes) for status in batch.STATUSES}
    stopped = counts.pop(batch.STOPPED)
    _say(", ".join(f"{count} {status}" for status, count in counts.items()))
    if stopped:
        _say(f"stopped: {number_of(stopped, 'files')} left")
        return STOPPED
    return FAILED if counts[FILE_FAILED] else OK


def _report_place(name: str, others: Iterable[Path]) -> Path:
    """Return where a report goes. Raises UsageError, before anything is done, where it can't or mustn't go there.

    others: the files that the command reads and makes.
    """
    path = Path(name)
    refuse_place(path)
    if os.path.realpath(path) in map(os.path.realpath, others):
        raise UsageError(f"--report {path}: the report would replace this file")
    return path


def _tell(outcome: batch.Outcome) -> None:
    """Say what became of a file, in a line."""
    if outcome["status"] == FILE_FAILED:
        source, error = outcome["source"], str(outcome["error"])
        line = f"failed {source}: {error.removeprefix(f'{source}: ')}"
    elif "seconds" not in outcome:
        line = f"{outcome['status']} {outcome['target']}"
    else:
        doubts = [outcome[name] for name in ("warnings", "missing", "left_out")]
        number = sum(len(each) for each in doubts if isinstance(each, list | dict))
        told = f", {number} to look at" if number else ""
        line = f"{outcome['status']} {outcome['target']} ({outcome['seconds']} s{told})"
    _say(line)


def _write_report(path: Path, outcomes: Sequence[batch.Outcome]) -> None:
    """Write a JSON list with a line a file."""
    lines = ",\n".join(json.dumps(outcome) for outcome in outcomes)
    for line in files.write_atomically(path, f"[\n{lines}\n]\n".encode()):
        _say(line)


def _pairs(words: Iterable[str]) -> dict[str, str]:
    """Return `key=value` words as a dictionary."""
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--option {word}: it has to be KEY=VALUE")
        pairs[key] = value
    return pairs


def _picture_options(options: argparse.Namespace) -> dict[str, str]:
    """What the flags of `picture` give, as options."""
    given = {field.name: getattr(options, field.name, None) for field in fields(PictureSettings)}
    return {name: str(value) for name, value in given.items() if value is not None}


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return what a command line asks for. Options may stand anywhere behind the verb, between files, too."""
    parser, verbs = _parser()
    if words and words[0] in verbs:
        return verbs[words[0]].parse_intermixed_args(words[1:], argparse.Namespace(command=words[0]))
    return parser.parse_args(words)


def _parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the command line, and those of the verbs."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Game levels to Blender scenes and back.")
    verbs = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    made = {}
    for verb, (title, ending, description) in _VERBS.items():
        made[verb] = verbs.add_parser(verb, help=title, description=f"{description} {_MANY}", usage=_usage(verb))
        _add_files(made[verb], ending)
    for field in fields(PictureSettings):
        tooltip = field.tooltip[:1].lower() + field.tooltip[1:]
        if field.type is bool:
            made["picture"].add_argument(f"--{field.name}", action="store_true", default=None, help=tooltip)
        else:
            words = {"choices": field.choices} if field.choices else {"metavar": "N"}
            made["picture"].add_argument(f"--{field.name}", help=tooltip, **words)
    assets = verbs.add_parser(ASSETS, help="make a library for Blender's asset browser of levels", description=_ASSETS)
    assets.add_argument("files", nargs="+", metavar="IN", help="levels of any game; folders, with all below them")
    assets.add_argument("--out", default="", metavar="DIR", help="the library's folder")
    assets.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the imports")
    for verb in LIBRARY:
        verbs.add_parser(verb, help=library.HELP[verb])
    return parser, made | {ASSETS: assets}


_VERBS = {
    "convert": (
        "turn IN into OUT, or many files into files in a folder",
        "",
        "Turn a level or a .blend into what OUT's ending says: a level, a .blend, a .glb, a .png picture, of a Source "
        "map a .vmf or .lmp.",
    ),
    "import": ("levels to .blend files", ".blend", "Turn levels into .blend files."),
    "export": (
        "what is in .blend files to levels",
        "",
        "Turn .blend files into what OUT's ending says: levels.",
    ),
    "picture": ("pictures of levels", ".png", "Make .png pictures of levels and .blend files."),
}
"""Verbs that make files: what they do, in short; the ending of what they make ("": any); what they do."""

_MANY = (
    "An existing OUT is replaced once all went well. With --out each of the files, and of those in folders, becomes a "
    "file in DIR; those that are up to date are left alone, and one that fails stops none of the others."
)

_ASSETS = (
    "Make a library for Blender's asset browser: of each level what can be dragged into others, a .blend a level, "
    "with previews, and catalogs by game. What two levels have becomes one asset. A level that fails stops no other."
)


def _usage(verb: str) -> str:
    """Return the two forms of a verb that makes files."""
    to = "" if _VERBS[verb][1] else " --to ENDING"
    return f"{COMMAND} {verb} IN OUT [OPTION]...\n       {COMMAND} {verb} IN...{to} --out DIR [OPTION]..."


def _add_files(command: argparse.ArgumentParser, ending: str) -> None:
    """Give a verb the arguments that all verbs have that make files. ending: of the files that it makes."""
    command.add_argument("files", nargs="+", metavar="IN... OUT", help="files; with --out folders, too, and no OUT")
    if ending:
        command.set_defaults(to=ending)
    else:
        command.add_argument(
            "--to", type=_ending, default="", metavar="ENDING", help="what files become: .blend, .glb, .png, .vmf, .map"
        )
    command.add_argument("--out", default="", metavar="DIR", help="the folder for what is made of several files")
    command.add_argument("--recursive", action="store_true", help="look in the folders of folders, too")
    command.add_argument("--jobs", type=_count, default=0, metavar="N", help="processes at a time; 0: one a processor")
    command.add_argument("--force", action="store_true", help="make files again that are up to date")
    command.add_argument("--timeout", type=_seconds, metavar="SECONDS", help=f"for one file; {SECONDS:g}")
    command.add_argument("--report", default="", metavar="FILE.json", help="write what became of each file")
    command.add_argument("--strict", action="store_true", help="warnings are errors: nothing is written then")
    command.add_argument("--level", default="", metavar="NAME", help="the level to write, where a .blend holds several")
    command.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the import, export or picture"
    )
    command.add_argument(
        "--refuse-changed",
        action="store_true",
        help="don't replace a level that another program changed since it was imported or exported",
    )


def _ending(word: str) -> str:
    """An ending as files have it: with its dot, in small letters; "" stays."""
    return word and f".{word.lower().removeprefix('.')}"


def _count(word: str) -> int:
    """A number of processes. Raises argparse's error."""
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"{word!r} isn't a number of processes")
    return int(word)


def _seconds(word: str) -> float:
    """A time. Raises argparse's error."""
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{word!r} isn't a number of seconds above 0")
    return seconds


def _say(line: str) -> None:
    sys.stderr.write(f"{COMMAND}: {line}\n")


def register() -> None:
    """Register the command for `blender --background --command levelwright`."""
    _registered.append(gives(bpy.utils.register_cli_command)(COMMAND, program))


def unregister() -> None:
    """Undo `register`."""
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())
