# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export may not bring into a level: problems that the game would refuse, unless the level came with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import bpy

from ....formats.arrays import Integers
from ....formats.binary import Problem
from ..reports import LevelFinding, Report, SceneError, listed
from ..work.progress import Steps, Stepwise, progress, steps_of

NAMED = 5
"""Problems that an error names."""


def brought_in(before: Iterable[Problem], after: Iterable[Problem]) -> list[tuple[Problem, int]]:
    """Return the problems that a level has now and that `before` doesn't account for, each with how many are new.

    A problem is known by its kind and its place. What stands before it may have been added or deleted since, so that
    its place has another number: what is at no old place is accounted for by those of its kind that are gone from
    theirs. Counts add up: one NaN beside an old one is new.
    """
    at: Counter[tuple[str, str]] = Counter()
    known: Counter[str] = Counter()
    for one in before:
        at[one.kind, one.place] += one.count
        known[one.kind] += one.count
    unplaced = []
    for one in after:
        same = min(one.count, at[one.kind, one.place])
        at[one.kind, one.place] -= same
        known[one.kind] -= same
        if one.count > same:
            unplaced.append((one, one.count - same))
    found = []
    for one, count in unplaced:
        moved = min(count, known[one.kind])
        known[one.kind] -= moved
        if count > moved:
            found.append((one, count - moved))
    return found


Faces = Mapping[bpy.types.Object, Integers]
"""Indices of faces of objects."""
Blamed = Mapping[str, tuple[Sequence[bpy.types.Object], Faces]]
"""The objects that brought in problems which are about a level as a whole, by the places of these: those that did most
come first; and which of their faces."""
Objects = Mapping[str, bpy.types.Object]
"""The objects that stand for places of a level, by what problems call those: "layer 3 of group 1"."""


def named(text: str, objects: Objects) -> tuple[str, list[bpy.types.Object]]:
    """Return a text in which each place that is an object's is followed by the object's name, and those objects."""
    if not objects:
        return text, []
    places = "|".join(re.escape(place) for place in sorted(objects, key=len, reverse=True))
    pattern = re.compile(rf"\b(?:{places})\b")
    found = dict.fromkeys(objects[place] for place in pattern.findall(text))
    return pattern.sub(lambda match: f"{match[0]} ({objects[match[0]].name})", text), list(found)


@Stepwise
def refuse_new(
    check: Callable[..., list[Problem]],
    level: object,
    before: Callable[[], object] | None,
    report: Report,
    title: str = "level",
    objects: Objects | None = None,
    blamed: Blamed | None = None,
) -> Steps[None]:
    """Raise SceneError with what the game would refuse in a level, and warn of what is worth a look, unless it came so.

    check: of the format; a `Stepwise`, where it takes long. before: gives the level as it was imported, asked only if
    there are problems; None for one made in Blender. title: what the game calls a level. objects: those of the level's
    places. blamed: who is to blame for warnings.
    """
    with progress(2, "checks") as step:
        found = yield from steps_of(check, level)
        if not found:
            return
        yield step()
        old: list[Problem] = []
        if before is not None:
            came = before()
            yield
            old = yield from steps_of(check, came)
    new = brought_in(old, found)
    told = [(one, *named(_sentence(one, count), objects or {})) for one, count in new]
    errors = [LevelFinding(said, tuple(those), sort="error") for one, said, those in told if one.severity == "error"]
    if errors:
        more = f"\nand {len(errors) - NAMED} more" if len(errors) > NAMED else ""
        said = "\n".join(line.message for line in errors[:NAMED])
        at_fault = [obj for line in errors for obj in line.objects]
        raise SceneError(f"the game would refuse the {title}: {said}{more}", at_fault, parts=errors)
    for one, said, those in told:
        said = said.removeprefix(f"{one.severity}: ")  # a warning is called one where it is shown
        others, faces = (blamed or {}).get(one.place, ((), {}))
        if others:
            said += f"; most of what is new is of {listed([obj.name for obj in others])}"
        report.warn(said, [*those, *others], faces)


def _sentence(problem: Problem, count: int) -> str:
    """A problem in words; where the level came with some of it, how much is new."""
    return str(problem) if count == problem.count else f"{problem} ({count} of them new)"
