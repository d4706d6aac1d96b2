# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import or export tells the user: counts, warnings, what was missing and what was left out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import bpy

from ...formats.arrays import Integers
from ...formats.reach import AllowedFolders
from .names import showable, showable_lines

SHOWN = 20
"""Warnings that `Report.forward` shows one by one; the rest are in the text block."""
NAMED = 5
"""Names that one message has."""


def listed(names: Sequence[str]) -> str:
    """Return the first of the names, for a message: 'a, b, c, d, e and 3 more'."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _named(finding: LevelFinding) -> str:
    """A line of the list, with the objects that it is about."""
    return finding.message + (f": {listed([obj.name for obj in finding.objects])}" if finding.objects else "")


class SceneError(Exception):
    """A scene that can't be exported, or an import that can't be done, in words for the artist.

    objects: the objects at fault. faces, points: object -> indices of its faces, of its vertices at fault. Operators
    select them.
    """

    def __init__(
        self,
        message: str,
        objects: Iterable[bpy.types.Object] = (),
        faces: Mapping[bpy.types.Object, Integers] | None = None,
        points: Mapping[bpy.types.Object, Integers] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.faces = dict(faces or {})
        self.points = dict(points or {})
        self.objects = list(dict.fromkeys([*objects, *self.faces, *self.points]))


@dataclass(frozen=True)
class LevelFinding:
    """A line of the list that an export makes before it writes: what to look at, where, and how to mend it."""

    message: str
    objects: tuple[bpy.types.Object, ...] = ()
    """Those that the line selects."""
    mend: str = ""
    """Name of an operator that mends it on the active level; "": none does."""
    faces: Mapping[bpy.types.Object, Integers] = field(default_factory=dict, hash=False)
    """Indices of the faces of objects that the line selects."""


class Report:
    """Collects what happened; nothing is shown until `forward` or `to_text`.

    is_strict: nothing may be written where there is something to warn of.
    """

    def __init__(self, title: str = "", is_strict: bool = False) -> None:
        self.title = title
        self.is_strict = is_strict
        self.counts: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.findings: list[LevelFinding] = []
        self._missing: dict[str, list[str]] = {}
        self._left_out: Counter[str] = Counter()
        self._reaches: list[AllowedFolders] = []

    def count(self, kind: str, n: int = 1) -> None:
        """Add n to the number of things of this kind (plural, as the summary shows it: "tile layers")."""
        self.counts[kind] += n

    def warn(self, message: str) -> None:
        """Note something that the user should look at; the same message twice is kept once."""
        if message not in self.warnings:
            self.warnings.append(message)

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

    def missing(self, kind: str, name: str) -> None:
        """Note a file that wasn't found (kind in the plural: "images"); each name is listed once."""
        names = self._missing.setdefault(kind, [])
        if name not in names:
            names.append(name)

    def left_out(self, what: str, n: int = 1) -> None:
        """Note n things that weren't imported or exported (plural: "sound layers of unknown version")."""
        self._left_out[what] += n

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
        doubts = [*self.warnings, *(f"missing {kind}: {listed(names)}" for kind, names in self._missing.items())]
        doubts += [f"left out: {n} {what}" for what, n in self._left_out.items()]
        if doubts:
            more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
            raise SceneError(f"strict: nothing is written, because of a warning: {doubts[0]}{more}")

    def merge(self, other: Report) -> None:
        """Add all that another report holds (several files in one import)."""
        self.counts.update(other.counts)
        self._left_out.update(other._left_out)
        self.notes += other.notes
        self.findings += other.findings
        self._reaches += other._reaches
        for message in other.warnings:
            self.warn(message)
        for kind, names in other._missing.items():
            for name in names:
                self.missing(kind, name)

    def summary(self) -> str:
        """One line: '2 groups, 17 tile layers; 1 missing: images grass_main; left out: 3 sounds; 1 warning'."""
        parts = [", ".join(f"{n} {kind}" for kind, n in self.counts.items() if n) or "nothing"]
        for kind, names in self._missing.items():
            parts.append(f"{len(names)} missing {kind}: {listed(names)}")
        if self._left_out:
            parts.append("left out: " + ", ".join(f"{n} {what}" for what, n in self._left_out.items()))
        if self.warnings:
            parts.append(f"{len(self.warnings)} warning{'s' if len(self.warnings) > 1 else ''}")
        line = "; ".join(parts)
        return f"{self.title}: {line}" if self.title else line

    def lines(self) -> list[str]:
        """Return everything, a line each: the summary, what was missing and left out, the warnings, the notes."""
        lines = [self.summary()]
        for kind, names in self._missing.items():
            lines += [f"missing {kind}: {name}" for name in names]
        lines += [f"left out: {n} {what}" for what, n in self._left_out.items()]
        lines += [f"warning: {message}" for message in self.warnings]
        lines += [f"to look at: {_named(finding)}" for finding in self.findings]
        return [*lines, *self.notes, *self._reached()]

    def _reached(self) -> list[str]:
        """Which folders content was looked for in, in one line."""
        touched: Counter[str] = Counter()
        for reach in self._reaches:
            touched.update({str(folder): count for folder, count in reach.touched.items()})
        outside = list(dict.fromkeys(path for reach in self._reaches for path in reach.refused))
        folders = ", ".join(f"{folder} ({n} folder{'s' if n > 1 else ''})" for folder, n in touched.items())
        lines = [f"content was looked for in {folders}"] if folders else []
        return [*lines, f"outside of these, so not looked for: {listed(outside)}"] if outside else lines

    def to_text(self, name: str) -> bpy.types.Text:
        """Write all lines into the text block of this name (made when there is none) and return it."""
        name = showable(name)
        text = bpy.data.texts.get(name) or bpy.data.texts.new(showable(name))
        text.clear()
        text.write(showable_lines("\n".join(self.lines()) + "\n"))
        return text

    def log(self) -> None:
        """Write all lines to the console that Blender was started from."""
        sys.stderr.write("".join(f"{line}\n" for line in self.lines()))

    def forward(self, operator: bpy.types.Operator) -> None:
        """Show the summary and the first warnings through an operator's report."""
        for message in self.warnings[:SHOWN]:
            operator.report({"WARNING"}, showable_lines(message))
        if len(self.warnings) > SHOWN:
            operator.report({"WARNING"}, f"{len(self.warnings) - SHOWN} more warnings: see the report's text block")
        for kind, names in self._missing.items():
            operator.report({"WARNING"}, showable_lines(f"missing {kind}: {', '.join(names)}"))
        if self._left_out:
            named = ", ".join(f"{n} {what}" for what, n in self._left_out.items())
            operator.report({"WARNING"}, showable_lines(f"left out: {named}"))
        operator.report({"INFO"}, showable_lines(self.summary()))
