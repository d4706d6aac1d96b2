# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import or export tells the user: counts, warnings, what was missing and what was left out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import bpy

from ...formats.arrays import Integers
from ...formats.binary import FormatError
from ...formats.counting import number_of, one_of
from ...formats.reach import AllowedFolders
from .names import showable, showable_lines

SHOWN = 3
"""Lines that `Report.forward` shows where no list of the sidebar has them."""
NAMED = 5
"""Names that one message has."""
_TITLES = {"error": "errors", "look": "things to look at", "warning": "warnings"}
"""What the sorts of lines are called that have no titles of their own."""


SET_FOLDER = "levelwright.set_game_folder"
"""The operator that mends what is missing: it shows where the game's folders are named."""
REFUSED = "refused, nothing was written: "
"""What the text begins with that says why."""
WHERE = "the Levelwright tab of the sidebar (N) lists them under Issues"

Sort = Literal["error", "look", "missing", "left out", "warning", "change"]
"""What a line of the list is about: why an export was refused; what to look at before a level is used; a file that
wasn't found; what wasn't imported or exported; what the user should know; what an export would change."""


def listed(names: Sequence[str]) -> str:
    """Return the first of the names, for a message: 'a, b, c, d, e and 3 more'."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _named(finding: LevelFinding) -> str:
    """A line of the list, with the objects that it is about."""
    return finding.message + (f": {listed([obj.name for obj in finding.objects])}" if finding.objects else "")


def text_of(name: str, lines: Iterable[str]) -> bpy.types.Text:
    """Return the text block of this name, made when there is none, with these lines in the place of what it held."""
    name = showable(name)
    text = bpy.data.texts.get(name) or bpy.data.texts.new(showable(name))
    text.clear()
    text.write(showable_lines("\n".join(lines) + "\n"))
    return text


def in_words(error: Exception) -> str:
    """What went wrong, in a line that names the file, without numbers of errors and what Blender puts before it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = str(error).strip().removeprefix("Error: ").splitlines()
    is_traceback = any(line.endswith("Traceback (most recent call last):") for line in lines)  # of an add-on's operator
    return lines[-1] if is_traceback else "\n".join(lines)


class SceneError(Exception):
    """A scene that can't be exported, or an import that can't be done, in words for the artist.

    objects: the objects at fault. faces, points: object -> indices of its faces, of its vertices at fault. Operators
    select them. mend: name of an operator that mends it where these are selected; "": none does. parts: what it
    consists of, where that is several things.
    """

    def __init__(
        self,
        message: str,
        objects: Iterable[bpy.types.Object] = (),
        faces: Mapping[bpy.types.Object, Integers] | None = None,
        points: Mapping[bpy.types.Object, Integers] | None = None,
        mend: str = "",
        parts: Iterable[LevelFinding] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.faces = dict(faces or {})
        self.points = dict(points or {})
        self.objects = list(dict.fromkeys([*objects, *self.faces, *self.points]))
        self.mend = mend
        self.parts = tuple(parts)

    def lines(self) -> list[LevelFinding]:
        """It as lines of the list of findings."""
        whole = LevelFinding(self.message, tuple(self.objects), self.mend, self.faces, self.points, "error")
        return list(self.parts) or [whole]


@contextmanager
def naming(obj: bpy.types.Object) -> Iterator[None]:
    """Turn what the library refuses into an error that names the object."""
    try:
        yield
    except FormatError as error:
        raise SceneError(f"{obj.name}: {error.message}", [obj]) from error


FAILURES = (FormatError, SceneError, OSError)
"""What may be raised that is the user's to know: `in_words` says it."""


@dataclass(frozen=True)
class LevelFinding:
    """A line of the list of findings: what an import or an export has to tell, where, and how it is mended."""

    message: str
    objects: tuple[bpy.types.Object, ...] = ()
    """Those that the line selects."""
    mend: str = ""
    """Name of an operator that mends it where those are selected, or on the active level; "": none does."""
    faces: Mapping[bpy.types.Object, Integers] = field(default_factory=dict, hash=False)
    """Indices of the faces of objects that the line selects."""
    points: Mapping[bpy.types.Object, Integers] = field(default_factory=dict, hash=False)
    """Indices of the vertices of objects that the line selects."""
    sort: Sort = "look"
    title: str = ""
    """What several such are called, after their number: "models missing"; "": what they say in common."""
    count: int = 1
    """For how many things it stands."""
    name: str = ""
    """What isn't there: the line selects what names it."""


class Report:
    """Collects what happened; nothing is shown until `forward` or `to_text`.

    is_strict: nothing may be written where there is something to warn of.
    """

    def __init__(self, title: str = "", is_strict: bool = False) -> None:
        self.title = title
        self.is_strict = is_strict
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []
        self.findings: list[LevelFinding] = []
        self._warnings: dict[str, LevelFinding] = {}
        self._missing: dict[str, dict[str, str]] = {}
        self._left_out: Counter[str] = Counter()
        self._named: set[str] = set()
        """Of what was left out, the things that are called by their names."""
        self._reaches: list[AllowedFolders] = []

    def count(self, kind: str, n: int = 1) -> None:
        """Add n to the number of things of this kind (plural, as the summary shows it: "tile layers")."""
        self.counts[kind] += n

    def warn(
        self,
        message: str,
        objects: Iterable[bpy.types.Object] = (),
        faces: Mapping[bpy.types.Object, Integers] | None = None,
        mend: str = "",
        title: str = "",
    ) -> None:
        """Note something that the user should look at; the same message twice is kept once.

        objects: those that it is about; none: those that it names. The others: as of `LevelFinding`.
        """
        if message not in self._warnings:
            meant = dict(faces or {})
            objects = tuple(dict.fromkeys([*objects, *meant]))
            self._warnings[message] = LevelFinding(message, objects, mend, meant, sort="warning", title=title)

    @property
    def warnings(self) -> list[str]:
        """What was noted by `warn`, in that order."""
        return list(self._warnings)

    def refuse(self, error: Exception) -> None:
        """Note why an export is refused, unless the game has said it, and what mends it, as a finding."""
        lines = error.lines() if isinstance(error, SceneError) else [LevelFinding(in_words(error), sort="error")]
        said = {one.message for one in self.findings}
        self.findings += [line for line in lines if line.message not in said]
        self.warn(f"{REFUSED}{in_words(error)}")

    def note(self, message: str) -> None:
        """Note something worth reading that isn't wrong (what an export changed): it is listed, but not shown."""
        self.notes.append(message)

    def find(
        self,
        message: str,
        objects: Iterable[bpy.types.Object] = (),
        mend: str = "",
        faces: Mapping[bpy.types.Object, Integers] | None = None,
    ) -> None:
        """Add a line to the list of what to look at before the level is used. mend: an operator's name. faces: object
        -> indices of its faces.
        """
        meant = dict(faces or {})
        self.findings.append(LevelFinding(message, tuple(dict.fromkeys([*objects, *meant])), mend, meant))

    def missing(self, kind: str, name: str, mend: str = SET_FOLDER) -> None:
        """Note a file that wasn't found (kind in the plural: "images"); each name is listed once. mend: the name of an
        operator that mends it, "": none does.
        """
        self._missing.setdefault(kind, {}).setdefault(name, mend)

    def issues(self) -> list[LevelFinding]:
        """All that has to be told, as lines of the list of findings."""
        found = [*self.findings]
        for kind, names in self._missing.items():
            one, title = one_of(kind), f"{kind} missing"
            found += [
                LevelFinding(f"missing {one}: {name}", (), mend, sort="missing", title=title, name=name)
                for name, mend in names.items()
            ]
        for what, n in self._left_out.items():
            message = f"left out: {self._counted(what)}"
            found.append(LevelFinding(message, sort="left out", title="left out", count=n))
        return [*found, *(line for line in self._warnings.values() if not line.message.startswith(REFUSED))]

    def in_short(self) -> str:
        """How many of what have to be told, "" where nothing has: "885 models missing, 2 left out, 12 warnings"."""
        counts: Counter[str] = Counter()
        for line in self.issues():
            counts[_TITLES.get(line.sort, line.title)] += line.count
        return ", ".join(number_of(n, title) for title, n in counts.items())

    def left_out(self, what: str, n: int | None = None) -> None:
        """Note n things that weren't imported or exported (plural: "sound layers of unknown version"), or one by its
        name ("layer 'Sky'").
        """
        if n is None:
            self._named.add(what)
        self._left_out[what] += 1 if n is None else n

    def _counted(self, what: str) -> str:
        """What was left out, with its number, if it isn't called by its name."""
        return what if what in self._named else number_of(self._left_out[what], what)

    def looked_in(self, reach: AllowedFolders) -> None:
        """Note a reach: which of its folders content was looked for in is listed, and what was named out of them."""
        self._reaches.append(reach)

    @property
    def missing_names(self) -> dict[str, list[str]]:
        """The missing files by kind, in the order they were noted."""
        return {kind: list(names) for kind, names in self._missing.items()}

    @property
    def left_out_counts(self) -> dict[str, int]:
        """How many things of which kinds were left out."""
        return dict(self._left_out)

    def refuse_doubts(self) -> None:
        """Call it before anything is written: in a strict report warnings, what is missing and what was left out are
        errors (SceneError).
        """
        if not self.is_strict:
            return
        doubts = [*self.warnings, *(f"missing {kind}: {listed([*names])}" for kind, names in self._missing.items())]
        doubts += [f"left out: {self._counted(what)}" for what in self._left_out]
        if doubts:
            more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
            raise SceneError(f"strict: nothing is written, because of a warning: {doubts[0]}{more}")

    def merge(self, other: Report) -> None:
        """Add all that another report holds (several files in one import)."""
        self.counts.update(other.counts)
        self._left_out.update(other._left_out)
        self._named |= other._named
        self.notes += other.notes
        self.findings += other.findings
        self._reaches += other._reaches
        for message, line in other._warnings.items():
            self._warnings.setdefault(message, line)
        for kind, names in other._missing.items():
            for name, mend in names.items():
                self.missing(kind, name, mend)

    def counted(self) -> str:
        """What came in or went out: '2 groups, 17 tile layers'; where nothing did, the first note, which says why; of
        what was refused that it was.
        """
        if any(message.startswith(REFUSED) for message in self.warnings):
            return REFUSED.removesuffix(": ")
        counts = ", ".join(number_of(n, kind) for kind, n in self.counts.items() if n)
        return counts or next(iter(self.notes), "nothing")

    def summary(self) -> str:
        """One line: '2 groups, 17 tile layers; 1 missing image: grass_main; left out: 3 sounds; 1 warning'."""
        parts = [self.counted()]
        for kind, names in self._missing.items():
            parts.append(f"{number_of(len(names), f'missing {kind}')}: {listed([*names])}")
        if self._left_out:
            parts.append("left out: " + ", ".join(map(self._counted, self._left_out)))
        if self.warnings:
            parts.append(number_of(len(self.warnings), "warnings"))
        line = "; ".join(parts)
        return f"{self.title}: {line}" if self.title else line

    def lines(self) -> list[str]:
        """Return everything, a line each: the summary, what was missing and left out, the warnings, the notes."""
        lines = [self.summary()]
        for kind, names in self._missing.items():
            lines += [f"missing {one_of(kind)}: {name}" for name in names]
        lines += [f"left out: {self._counted(what)}" for what in self._left_out]
        lines += [f"warning: {message}" for message in self.warnings]
        lines += [f"to look at: {_named(finding)}" for finding in self.findings]
        notes = [note for number, note in enumerate(self.notes) if number or note != self.counted()]  # said above
        return [*lines, *notes, *self._reached()]

    def _reached(self) -> list[str]:
        """Which folders content was looked for in, in one line."""
        touched: Counter[str] = Counter()
        for reach in self._reaches:
            touched.update({str(folder): count for folder, count in reach.touched.items()})
        outside = list(dict.fromkeys(path for reach in self._reaches for path in reach.refused))
        folders = ", ".join(f"{folder} ({number_of(n, 'folders')})" for folder, n in touched.items())
        lines = [f"content was looked for in {folders}"] if folders else []
        return [*lines, f"outside of these, so not looked for: {listed(outside)}"] if outside else lines

    def to_text(self, name: str) -> bpy.types.Text:
        """Write all lines into the text block of this name (made when there is none) and return it."""
        return text_of(name, self.lines())

    def log(self) -> None:
        """Write all lines to the console that Blender was started from."""
        sys.stderr.write("".join(f"{line}\n" for line in self.lines()))

    def forward(self, operator: bpy.types.Operator, is_listed: bool = True) -> None:
        """Show the counts through an operator's report, and where to find the rest. is_listed: whether the list of the
        sidebar has what there is to tell; otherwise the first lines are shown, too.
        """
        short = self.in_short()
        if short and is_listed:
            operator.report({"WARNING"}, f"{short}: {WHERE}")
        elif short:
            found = self.issues()
            for line in found[:SHOWN]:
                operator.report({"WARNING"}, showable_lines(line.message))
            if len(found) > SHOWN:
                operator.report({"WARNING"}, f"{len(found) - SHOWN} more: the text block of the report has them")
        title = f"{self.title}: " if self.title else ""
        operator.report({"INFO"}, showable_lines(title + self.counted()))
