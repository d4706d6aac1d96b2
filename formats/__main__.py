# SPDX-License-Identifier: GPL-3.0-or-later
"""The library on the command line: `python -m formats info | check | verify | dump FILE...`, `diff A B`, or
`levelformats ...`.
"""

import argparse
import json
import os
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import numpy as np

from . import FORMATS, FormatError, format_of
from .arrays import Array
from .binary import Problem
from .diff import compare, first_difference, read_any
from .format import AnyLevel, Document, Format
from .inventory import describe, inventory, kind_of
from .solid_leaks import examine

JSON = str | int | float | bool | None


HELP = {
    "info": "print what is in a level, a model, a texture, a material, or a folder of them, in short",
    "check": "say what the level's game or its compiler would refuse or misread, leaks too",
    "verify": "read every record, write the level back and compare the bytes",
    "dump": "print everything decoded as JSON (bytes in base64)",
    "diff": "say record by record what differs between two levels of a game",
}
"""What each verb does."""


STOPPED = 130
"""The exit code where somebody pressed Ctrl+C, as shells have it."""


def main(arguments: list[str] | None = None, program: str = "levelformats") -> int:
    """Run a verb over files. Returns the exit code: 0, or 1 if a file was refused, damaged or came out different.

    Of `diff`: 0 if the levels are the same, 1 if they differ, 2 if one is refused. program: its name, for messages.
    """
    options = _parsed(sys.argv[1:] if arguments is None else arguments, program)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of files and of things may be such that a terminal can't show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = int(options.verb(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read our output has enough
        _drop_output()
        return 1
    except OSError as error:  # files' own errors are told where they happen
        _drop_output()
        print(f"{program}: standard output: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{program}: stopped", file=sys.stderr)
        return STOPPED


def _drop_output() -> None:
    """Let what is still to be printed go nowhere: Python would complain of it when it ends."""
    with suppress(OSError, ValueError):  # ValueError: it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parsed(words: list[str], program: str) -> argparse.Namespace:
    """What a command line asks for. Options may stand anywhere behind the verb, between files, too."""
    parser, verbs = _parser(program)
    if words and words[0] in verbs:
        return verbs[words[0]].parse_intermixed_args(words[1:])
    return parser.parse_args(words)


def _parser(program: str) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the command line, and those of the verbs."""
    parser = argparse.ArgumentParser(
        prog=program, description=f"Reads game levels: {', '.join(form.title for form in FORMATS)}."
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    made = {}
    runs = {"info": _info, "check": _check, "verify": _verify, "dump": _dump, "diff": _diff}
    for name, title in HELP.items():
        usage = f"{program} diff [-h] A B" if name == "diff" else None
        sub = verbs.add_parser(name, help=title, description=f"{title[:1].upper()}{title[1:]}.", usage=usage)
        sub.add_argument("files", nargs=2 if name == "diff" else "+", metavar="FILE")
        made[name] = sub
        if name == "info":
            sub.add_argument("--json", action="store_true", help="as JSON; of several files as a list")
        if name in ("info", "verify"):
            sub.add_argument("--check", action="store_true", help="with what the level's game would refuse or misread")
        if name == "check":
            sub.add_argument("--leak-file", action="store_true", help="write the compiler's leak file beside the level")
        sub.set_defaults(verb=runs[name])
    return parser, made


def _refused(file: str, error: FormatError | OSError) -> str:
    """The line for a file that cannot be read; it names the file only once."""
    if isinstance(error, FormatError):
        error.file = None
        return f"refused {file}: {error}"
    return f"refused {file}: {error.strerror or error}"


# -------------------------------------------------------------------------------------------------------------- verify


def _verify(options: argparse.Namespace) -> int:
    lines = [_verified(file, options.check) for file in options.files]
    return max(lines)


def _verified(file: str, check: bool) -> int:
    """Print a file's line; returns 0 if all is well with it. check: also print what its game would say, a line each."""
    start = time.perf_counter()
    try:
        data = Path(file).read_bytes()
        level = read_any(data)
        form = format_of(level)
        for value in _walk(form.verbs.contents(level)):
            if isinstance(value, FormatError):
                raise value
        written = form.verbs.write(level)
        problems = [*form.verbs.check(level), *_leaks(form, level)[0]] if check else []
    except (FormatError, OSError) as error:
        print(_refused(file, error), flush=True)
        return 1
    if written != data:
        offset = first_difference(data, written)
        print(f"differs {file}: {offset}, {form.verbs.section_at(level, offset)}", flush=True)
        return 1
    print(f"ok {file} {form.key} {len(data)} {time.perf_counter() - start:.3f}", flush=True)
    for problem in problems:
        print(f"    {problem}", flush=True)
    return int(any(problem.severity == "error" for problem in problems))


def _leaks(form: Format, level: AnyLevel) -> tuple[list[Problem], tuple[str, bytes] | None]:
    """What a compiler would say of leaks; and of a level that leaks the ending of the leak file, and the file."""
    if form.leaks is None:
        return [], None
    sealing = examine(form.leaks.space(level))
    line = None if sealing.flood.is_sealed else (form.leaks.ENDING, form.leaks.leak_file(sealing.flood.line))
    return list(sealing.problems(form.leaks.SEVERITY)), line


def _walk(value: object) -> Iterator[object]:
    """Every leaf of contents."""
    if isinstance(value, dict):
        for part in value.values():
            yield from _walk(part)
    elif isinstance(value, list | tuple | Iterator):
        for part in value:
            yield from _walk(part)
    else:
        yield value


# --------------------------------------------------------------------------------------------------------------- check


def _check(options: argparse.Namespace) -> int:
    return max([_checked(file, options.leak_file) for file in options.files])


def _checked(file: str, leak_file: bool) -> int:
    """Print a line for each problem of a file; returns 0 if none of them is an error."""
    try:
        level = read_any(Path(file).read_bytes())
        form = format_of(level)
        leaks, line = _leaks(form, level)
        found = [*form.verbs.check(level), *leaks]
    except (FormatError, OSError) as error:
        print(_refused(file, error), flush=True)
        return 1
    for problem in found:
        print(f"{file}: {problem}", flush=True)
    if not found:
        print(f"ok {file}", flush=True)
    is_written = _write_leak(Path(file).with_suffix(line[0]), line[1]) if leak_file and line else True
    return int(not is_written or any(problem.severity == "error" for problem in found))


def _write_leak(made: Path, data: bytes) -> bool:
    """Write a compiler's leak file, whole or not at all, and say so; returns whether that went well."""
    new = made.with_name(f"{made.name}.new")
    try:
        new.write_bytes(data)
        new.replace(made)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        print(f"not written {made}: {error.strerror}", flush=True)
        return False
    print(f"wrote {made}", flush=True)
    return True


# ---------------------------------------------------------------------------------------------------------------- diff


def _diff(options: argparse.Namespace) -> int:
    """Print what differs, a line each."""
    found = []
    for file in options.files:
        try:
            data = Path(file).read_bytes()
            found.append((data, format_of(read_any(data))))
        except (FormatError, OSError) as error:
            print(_refused(file, error), file=sys.stderr)
            return 2
    (was, form), (now, its) = found
    if was == now:
        return 0
    if form is not its:
        print(f"{options.files[0]} is a {form.title}, {options.files[1]} a {its.title}", file=sys.stderr)
        return 2
    for difference in compare(was, now):
        print(difference, flush=True)
    return 1


# ---------------------------------------------------------------------------------------------------------------- info


def _info(options: argparse.Namespace) -> int:
    summaries: list[Document] = []
    failed = False
    for file in options.files:
        try:
            summaries.append(_summary(file, options.check))
        except (FormatError, OSError) as error:
            print(_refused(file, error), file=sys.stderr)
            failed = True
    if options.json:
        whole: object = summaries[0] if len(options.files) == 1 and summaries else summaries
        _JsonWriter(sys.stdout).document(whole)
    else:
        for summary in summaries:
            sys.stdout.write(_text(summary))
    return int(failed)


def _summary(file: str, check: bool) -> Document:
    """What is in a level, a file that levels name, or a folder of both. Raises FormatError, OSError."""
    path = Path(file)
    if path.is_dir():
        return {"file": file, "title": "folder"} | inventory(path)
    known = kind_of(path.suffix.lower())
    data = path.read_bytes()
    if known is not None:
        form, kind = known
        title = f"{form.key}: one of its {kind.title}"
        return {"file": file, "format": form.key, "title": title, "bytes": len(data)} | describe(path, kind)
    level = read_any(data)
    form = format_of(level)
    head = {"file": file, "format": form.key, "title": form.title, "bytes": len(data)}
    problems = {"problems": [str(problem) for problem in form.verbs.check(level)]} if check else {}
    return head | form.verbs.summary(level) | problems


def _text(summary: Document) -> str:
    """A summary for people: `name: value`, nested things indented; what there is none of is left out."""
    title = f"{summary.pop('file')}: {summary.pop('title')}"
    if "bytes" in summary:
        title += f", {summary.pop('bytes')} bytes"
    return "\n".join([title, *_lines(summary, "  ")]) + "\n"


def _lines(value: Document | list[Document], indent: str) -> Iterator[str]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in pairs:
        if part is None or part == [] or part == "":
            continue
        if isinstance(part, dict) or (isinstance(part, list) and not all(isinstance(item, int) for item in part)):
            yield f"{indent}{name}:"
            yield from _lines(part, indent + "  ")
        else:
            shown = " ".join(map(str, part)) if isinstance(part, list) else part
            yield f"{indent}{name}: {shown}"


# ---------------------------------------------------------------------------------------------------------------- dump


def _dump(options: argparse.Namespace) -> int:
    writer = _JsonWriter(sys.stdout)

    def documents() -> Iterator[Document]:
        for file in options.files:
            try:
                level = read_any(Path(file).read_bytes())
            except (FormatError, OSError) as error:
                print(_refused(file, error), file=sys.stderr)
                writer.errors += 1
                yield {"file": file, "error": _refused(file, error)}
                continue
            form = format_of(level)
            yield {"file": file, "format": form.key} | form.verbs.contents(level)

    writer.document(next(documents()) if len(options.files) == 1 else documents())
    return int(writer.errors > 0)


class _JsonWriter:
    """Writes JSON piece by piece: iterators become lists, arrays nested lists, records of them columns, bytes base64.

    A FormatError becomes {"error": its text} and is counted.
    """

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.errors = 0

    def document(self, value: object) -> None:
        """Write a value and end the line."""
        self.value(value, "\n")
        self.out.write("\n")

    def value(self, value: object, newline: str) -> None:
        """Write a value; `newline` begins its further lines."""
        if isinstance(value, dict):
            self.block("{}", ((json.dumps(str(name)) + ": ", part) for name, part in value.items()), newline)
        elif isinstance(value, FormatError):
            self.errors += 1
            self.value({"error": str(value)}, newline)
        elif isinstance(value, bytes):
            self.out.write(f'"{b64encode(value).decode()}"')
        elif isinstance(value, np.ndarray):
            self.array(value, newline)
        elif isinstance(value, list | tuple) and all(isinstance(part, JSON) for part in value):
            self.out.write(json.dumps(value))
        elif isinstance(value, list | tuple | Iterator):
            self.block("[]", (("", part) for part in value), newline)
        else:
            self.out.write(json.dumps(value))

    def block(self, brackets: str, parts: Iterator[tuple[str, object]], newline: str) -> None:
        """Write a list or an object, a line a part."""
        inner = newline + "  "
        separator = ""
        self.out.write(brackets[0])
        for name, part in parts:
            self.out.write(separator + inner + name)
            self.value(part, inner)
            separator = ","
        self.out.write((newline if separator else "") + brackets[1])

    def array(self, array: Array, newline: str) -> None:
        """Write an array: fields as an object of columns; a line for each row."""
        if array.dtype.names:
            self.value({name: array[name] for name in array.dtype.names}, newline)
        elif array.ndim > 1:
            self.block("[]", (("", row) for row in array), newline)
        else:
            self.out.write(json.dumps(array.tolist(), separators=(",", ":")))


if __name__ == "__main__":
    sys.exit(main())
