# SPDX-License-Identifier: GPL-3.0-or-later
"""Many files into many others: what is to be made of what, and processes that make it.

Each process is a Blender of its own, started once for many files, so that one that crashes or hangs in a file takes
nothing else along: the file failed, and the next one gets a fresh process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Self

import bpy

from .. import __package__ as base_package
from . import games
from .scene.disk import chosen_files
from .scene.fields.options import UsageError

WORKER = "worker"
"""The verb of the command line that a process is started with: it then reads requests and answers them, a line each."""
FILES_A_PROCESS = 100
"""After so many it is started anew: what Blender keeps of a closed scene adds up."""
LONGEST_ANSWER = 1 << 26
"""Bytes of what a process tells of a file."""
SECONDS = 600.0
"""After which a process that is still at one file is ended, where nobody says otherwise."""
SECONDS_TO_END = 20.0
WRITTEN, CURRENT, FAILED, STOPPED = "written", "up to date", "failed", "stopped"
"""What became of a file; stopped: Ctrl+C came before it was done."""
STATUSES = (WRITTEN, CURRENT, FAILED, STOPPED)

Outcome = dict[str, object]
"""What is told of a file: see docs/command-line.md."""


class Job(NamedTuple):
    """A file to make."""

    source: Path
    target: Path

    @property
    def is_current(self) -> bool:
        """Whether the target is there, and not older than the source and the files that are parts of its level."""
        try:
            made = self.target.stat().st_mtime_ns
            return all(made >= file.stat().st_mtime_ns for file in (self.source, *_beside(self.source)))
        except OSError:
            return False


def _beside(source: Path) -> Iterator[Path]:
    """Give the files that are parts of the level that a file holds, as far as they are there."""
    for game in games.GAMES:
        if source.suffix.lower() in game.format.endings:
            for ending in game.beside:
                if (file := source.with_suffix(ending)).is_file():
                    yield file


def refuse_other(file: Path, scenes: bool | None) -> None:
    """Raise UsageError for a file that isn't what is opened: .blend files (scenes), no .blend files, or all (None)."""
    if scenes is not None and scenes != _is_scene(file):
        why = "`export` is of .blend files" if scenes else "`import` is of levels, not of .blend files"
        raise UsageError(f"{file}: {why}")


def _is_scene(file: Path) -> bool:
    return file.suffix.lower() == ".blend"


def plan(inputs: Sequence[Path], out: Path, ending: str, is_recursive: bool, scenes: bool | None = None) -> list[Job]:
    """Return what is to be made: of each input, and of each level and .blend in input folders, a file in `out`.

    Files of a folder keep their places below it. Those that would become the same file keep their own endings before
    the new one. What is given twice is made once. scenes: only .blend files are opened, or none. Raises UsageError for
    an input that isn't there, and where there is nothing to do; OSError for a folder that can't be looked into.
    """
    found = _found(inputs, out, ending, is_recursive, scenes)
    if not found:
        raise UsageError("nothing to do: these folders hold no level and no .blend (--recursive looks in theirs, too)")
    targets = {file: out / below / f"{file.stem}{ending}" for file, below in found.items()}
    wanted = Counter(str(target).casefold() for target in targets.values())  # so do some file systems compare them
    full = {file: out / below / f"{file.name}{ending}" for file, below in found.items()}
    jobs = [
        Job(file, target if wanted[str(target).casefold()] == 1 else full[file]) for file, target in targets.items()
    ]
    together = Counter(str(job.target).casefold() for job in jobs)
    for job in jobs:
        if together[str(job.target).casefold()] > 1:
            raise UsageError(f"{job.target}: several of the files would become this one")
        if job.target.exists() and job.target.samefile(job.source):
            raise UsageError(f"{job.source}: would be replaced by what is made of it")
    return jobs


def _found(inputs: Sequence[Path], out: Path, ending: str, is_recursive: bool, scenes: bool | None) -> dict[Path, Path]:
    """The files that inputs name, each with the folder below `out` that it is for. Raises UsageError, OSError."""
    found: dict[str, tuple[Path, Path]] = {}
    for given in inputs:
        if given.is_dir():
            listed = (file for file in _files_in(given, out, ending, is_recursive) if scenes in (None, _is_scene(file)))
            files = [(file, file.relative_to(given).parent) for file in listed]
        elif given.is_file():
            refuse_other(given, scenes)
            files = [(given, Path())]
        else:
            raise UsageError(f"{given}: no such file or folder")
        for file, below in files:
            found.setdefault(os.path.abspath(file), (file, below))  # noqa: PTH100 - `..` goes, links stay
    return dict(found.values())


def _files_in(folder: Path, out: Path, ending: str, is_recursive: bool) -> list[Path]:
    """The levels and .blend files in a folder, by their endings, without what was made there. Raises OSError."""
    endings = {*games.endings(), ".blend"} - ({ending} if ending == ".blend" else set())
    made = out.resolve()
    listed = chosen_files.files_below(folder) if is_recursive else sorted(folder.iterdir())
    return [
        file
        for file in listed
        if file.suffix.lower() in endings and file.is_file() and (made == folder.resolve() or not _lies_in(file, made))
    ]


def _lies_in(file: Path, folder: Path) -> bool:
    return folder in file.resolve().parents


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What holds for all files of a batch."""

    options: Mapping[str, str]
    """Of imports, exports and pictures: a file takes those that are for it."""
    refuse_changed: bool = False
    is_strict: bool = False
    """What would be warned of fails."""
    is_forced: bool = False
    """Files that are up to date are made again."""
    seconds: float = SECONDS
    """After which a process that is still at one file is ended."""


def run(jobs: Sequence[Job], processes: int, request: Request, tell: Callable[[Outcome], None]) -> list[Outcome]:
    """Make all files and return what became of each, in the order of the jobs.

    processes: how many at a time. tell: called for each file that is done, in whatever order.
    A file that fails stops none of the others. Ctrl+C ends the processes; what isn't done then is STOPPED. Raises
    OSError where no process can be started.
    """
    outcomes: list[Outcome] = [{"source": str(job.source), "target": str(job.target)} for job in jobs]
    waiting = []
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.is_current and not request.is_forced:
            outcome["status"] = CURRENT
            tell(outcome)
        else:
            waiting.append((job, outcome))
    left = iter(waiting)

    async def work() -> None:
        async with _Process() as process:
            for job, outcome in left:
                outcome |= await process.make(job, request)
                tell(outcome)

    async def all_of_it() -> None:
        working = (work() for _ in range(max(1, min(processes, len(waiting)))))
        for ended in await asyncio.gather(*working, return_exceptions=True):  # when all have: none is left to itself
            if ended is not None:
                raise ended

    with suppress(KeyboardInterrupt):
        asyncio.run(all_of_it())
    for outcome in outcomes:
        outcome.setdefault("status", STOPPED)
    return outcomes


class _Process:
    """A Blender that makes files, started when it is first needed, and again where it ended."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._said: IO[str] | None = None
        self._made = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def make(self, job: Job, request: Request) -> Outcome:
        """Make one file and return what became of it. Raises OSError where no process can be started."""
        wanted: dict[str, object] = {"source": str(job.source), "target": str(job.target)}
        wanted |= {"options": dict(request.options)}
        wanted |= {"refuse_changed": request.refuse_changed, "strict": request.is_strict}
        process = await self._ready()
        try:
            line = await asyncio.wait_for(_ask(process, json.dumps(wanted)), request.seconds)
        except TimeoutError:
            process.kill()
            await self._end()
            return {"status": FAILED, "error": f"it took more than {request.seconds:g} seconds"}
        if line.endswith("\n"):
            self._made += 1
            answer: Outcome = json.loads(line)
            return answer
        why = await self._last_words(process)
        await self._end()
        return {"status": FAILED, "error": why}

    async def _ready(self) -> asyncio.subprocess.Process:
        """The process, as fresh as need be."""
        if self._process is None or self._process.returncode is not None or self._made >= FILES_A_PROCESS:
            await self._end()
            self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
            self._made = 0
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                *command(WORKER), stdin=pipe, stdout=pipe, stderr=self._said, limit=LONGEST_ANSWER
            )
        return self._process

    async def _last_words(self, process: asyncio.subprocess.Process) -> str:
        """Why the process ended, with the end of what it said."""
        code = await process.wait()
        said = ""
        if self._said is not None:
            self._said.seek(0)
            said = " ".join(self._said.read()[-2000:].split("\n")[-4:]).strip()
        return f"Blender ended in the middle of it (exit code {code}){': ' if said else ''}{said}"

    async def _end(self) -> None:
        process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), SECONDS_TO_END)
            except TimeoutError:
                process.kill()
                await process.wait()
        self._process = None  # not before: whoever is stopped here, asks again
        if self._said is not None:
            self._said.close()
            self._said = None


async def _ask(process: asyncio.subprocess.Process, question: str) -> str:
    """Send a line and return the answer; one without an end where the process ended."""
    if process.stdin is None or process.stdout is None:
        return ""
    try:
        process.stdin.write(f"{question}\n".encode())
        await process.stdin.drain()
        while (line := await process.stdout.readline()) and not line.startswith(b"{"):
            continue  # what Blender, or another extension, prints before the worker begins
    except (BrokenPipeError, ConnectionResetError, ValueError):  # ValueError: an endless line
        return ""
    return line.decode("utf-8", "replace")


def command(*words: str) -> list[str]:
    """The command line of a process that does what words say: of this Blender, or of the Python that has bpy as a
    module. It knows the extension also where the preferences that say so aren't saved yet, as on the first day.
    """
    if bpy.app.binary_path:
        enabled = ["--addons", base_package or ""]
        return [bpy.app.binary_path, "--background", *enabled, "--command", "levelwright", *words]
    return [sys.executable, str(Path(__file__).resolve().parent.parent / "scripts" / "extension.py"), *words]
