# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export would change in the imported file: a list of findings, record by record, and a text with all of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from .. import formats
from ..formats.arrays import Ints
from ..formats.counting import one_of
from ..formats.diff import Unlike, comparing, differing
from ..formats.format import AnyLevel
from . import levels
from .game import Game, RecordPlace
from .scene import attributes, reports
from .scene.issues import findings
from .scene.kept import identity, originals
from .scene.names import showable
from .scene.reports import LevelFinding
from .scene.work.progress import Steps, Stepwise, progress

ROWS = 1000
"""Rows of a table that are told one by one."""
LISTED = 1000
"""Lines of one kind that the list has; the text has all of them."""
TEXT = 3
"""The number of the text among a level's reports."""
NOTHING = "nothing would change"
NUMBERING = "only numbers of rows"
_HEAD = re.compile(r"[^\[(]*")
_COMPARED = "compared at "
_KEY = re.compile(r"(?:\.(?:pairs|properties)|^)\[\d+\] \((.+?)\)(?:\.value|\[1\])?")
"""A key of an entity, as levels hold it among others, with its name."""
_KIND = re.compile(r" \([^)]*\)")
"""What a record is of, behind its number."""
_PART = re.compile(r"[\w ]+\[\d+\] \((?P<name>.*?)\)(?=\.)")


class _Change(NamedTuple):
    """A difference, and where it is: what such records are called, and which one of which kind it is, -1: none."""

    unlike: Unlike
    title: str
    rest: str
    """Of its place, what stands behind the record."""
    place: RecordPlace | None = None
    record: int = -1


@Stepwise
def keep(collection: bpy.types.Collection, made: Mapping[str, bytes]) -> Steps[int]:
    """Compare what an export made (files by their names) with the imported files, and keep the list and the text.

    Returns the number of changes. Raises SceneError where the imported file is gone, FormatError.
    """
    game, original = levels.game_of(collection), originals.find(collection)
    found: list[_Change] = []
    if original is None:
        lines = [LevelFinding("the level was made in Blender: all of its file is new", sort="change", title="files")]
    else:
        before = {original.file_name: original.data, **original.parts}
        with progress(len(made), "files compared") as step:
            for name, data in made.items():
                yield step(0)
                found += yield from _of_file(game, before, name, data)
                step()
        found.sort(key=_rank)
        lines = _lines(collection, original, found) or [LevelFinding(NOTHING, sort="change", title="files")]
    findings.keep(collection, lines, "changes")
    _keep_text(collection, found or lines)
    changed = sum(change.unlike.rows for change in found if not change.unlike.is_numbering)
    return changed or len(found) or (len(lines) if original is None else 0)


def _of_file(game: Game, before: Mapping[str, bytes], name: str, data: bytes) -> Steps[list[_Change]]:
    """What differs in one file."""
    ending = Path(name).suffix.lower()
    was = next((each for known, each in before.items() if Path(known).suffix.lower() == ending), None)
    if was is None:
        what = "a file beside the level" if ending in game.beside else "another kind of file than the imported one"
        return [_Change(Unlike(name, "", f"{len(data)} bytes: {what}"), "files", "")]
    if ending in game.beside:
        document = game.contents_beside.get(ending)
        if document is None:
            return (
                [_Change(Unlike(name, f"{len(was)} bytes", f"{len(data)} bytes"), "files", "")] if was != data else []
            )
        held = document(was)
        return (yield from _all_located(game, held, differing(held, document(data), rows=ROWS)))
    level = formats.read(was, game.key)
    yield
    return (yield from _all_located(game, level, comparing(was, data, ROWS)))


def _all_located(game: Game, level: AnyLevel, unlike: Iterable[Unlike | None]) -> Steps[list[_Change]]:
    """Each difference with what its game says of its place."""
    found = []
    for each in unlike:
        if each is not None:
            found.append(_located(game, level, each))
        yield
    return found


def _located(game: Game, level: AnyLevel, unlike: Unlike) -> _Change:
    """A difference with what its game says of its place, else by the first words of that: "mesh.faces" are faces."""
    if unlike.is_numbering:
        part = _PART.match(unlike.place)
        return _Change(unlike, NUMBERING, part["name"] if part is not None else unlike.place)
    for place in game.places:
        match = re.match(place.pattern, unlike.place)
        if match is not None:
            numbers = [int(group) for group in match.groups() if group is not None and group.isdigit()]
            record = place.number(level, numbers) if place.number is not None else (numbers or [-1])[-1]
            is_new = not unlike.was and match.end() == len(unlike.place)
            return _Change(unlike, place.title, unlike.place[match.end() :], place, -1 if is_new else record)
    part = _PART.match(unlike.place)
    if part is not None:
        return _Change(unlike, part["name"], unlike.place[part.end() :].lstrip("."))
    head = _HEAD.match(unlike.place)
    words = head[0].strip().split(".") if head is not None else [""]
    return _Change(unlike, words[:2][-1], unlike.place)


# --------------------------------------------------------------------------------------------------------------- lines


def _lines(
    collection: bpy.types.Collection, original: originals.Original, found: Iterable[_Change]
) -> list[LevelFinding]:
    """The changes as lines: those of one title one after another, with the objects or faces that are their records."""
    grouped: dict[str, list[_Change]] = defaultdict(list)
    for change in found:
        grouped[change.title].append(change)
    objects = _objects(collection, original.token)
    lines = []
    for title, changes in grouped.items():
        shown = changes[:LISTED]
        faces = _faces(collection, original.token, shown)
        lines += [_line(change, objects, faces) for change in shown]
        if len(changes) > len(shown):
            rest = sum(change.unlike.rows for change in changes[LISTED:])
            lines.append(
                LevelFinding(f"{rest:,} more: the text has them", sort="change", title=_many(title), count=rest)
            )
    return lines


def _rank(change: _Change) -> int:
    """What the scene shows comes first, then what else is other, and what only has other numbers last."""
    return 2 if change.unlike.is_numbering else int(change.place is None)


def _many(title: str) -> str:
    return f"changes: {title}"


def _line(
    change: _Change,
    objects: Mapping[tuple[str, int], list[bpy.types.Object]],
    faces: Mapping[int, list[tuple[bpy.types.Object, int]]],
) -> LevelFinding:
    unlike, place = change.unlike, change.place
    those = [obj for kind in place.kinds for obj in objects.get((kind, change.record), ())] if place else []
    where = faces.get(change.record, []) if place is not None and _shows_faces(place) else []
    if unlike.was and unlike.now:
        said = f"{unlike.was} \N{RIGHTWARDS ARROW} {unlike.now}"
    else:
        said = f"new: {unlike.now}" if unlike.now else f"gone: {unlike.was}"
    kind = _KIND.match(change.rest)
    number = f"{one_of(change.title)} {change.record}{kind[0] if kind else ''}" if change.record >= 0 else ""
    named = ", ".join(obj.name for obj in those[:2]) or number
    rest = _KEY.sub(r".\1", change.rest[kind.end() :] if kind and named else change.rest)
    where_said = ": ".join(filter(None, (named, rest.lstrip(".")))) or unlike.place
    indices: dict[bpy.types.Object, Ints] = {obj: np.array([number]) for obj, number in where}
    return LevelFinding(
        showable(f"{where_said}: {said}"),
        tuple(dict.fromkeys([*those, *indices])),
        faces=indices,
        sort="change",
        title=_many(change.title),
        count=unlike.rows,
    )


def _objects(collection: bpy.types.Collection, token: int) -> dict[tuple[str, int], list[bpy.types.Object]]:
    """The objects that stand for the original's records."""
    found: dict[tuple[str, int], list[bpy.types.Object]] = defaultdict(list)
    for obj in collection.all_objects:
        mark = identity.stamped(obj)
        if mark is not None and mark.token == token and mark.record >= 0:
            found[mark.kind, mark.record].append(obj)
    return found


def _faces(
    collection: bpy.types.Collection, token: int, changes: Iterable[_Change]
) -> dict[int, list[tuple[bpy.types.Object, int]]]:
    """By record the faces of meshes that stand for it."""
    named = [change for change in changes if change.place is not None and _shows_faces(change.place)]
    wanted = {change.record for change in named}
    found: dict[int, list[tuple[bpy.types.Object, int]]] = defaultdict(list)
    if not wanted:
        return found
    attribute = named[0].place.numbered_by if named[0].place is not None else ""
    for obj in collection.all_objects:
        if isinstance(obj.data, bpy.types.Mesh) and not obj.data.is_editmode:
            records = _numbers(obj.data, attribute, token)
            for face in np.flatnonzero(np.isin(records, list(wanted))).tolist():
                found[int(records[face])].append((obj, face))
    return found


def _shows_faces(place: RecordPlace) -> bool:
    return place.are_faces or bool(place.numbered_by)


def _numbers(mesh: bpy.types.Mesh, attribute: str, token: int) -> Ints:
    """The records that faces of a mesh stand for, int64[faces], -1 or less: none."""
    if not attribute:
        return identity.read_ids(mesh, "FACE", token).astype(np.int64) - 1
    found = attributes.read(mesh, attribute, "FACE")
    is_whole = found is not None and found.dtype.kind == "i" and found.ndim == 1
    return found.astype(np.int64) - 1 if found is not None and is_whole else np.zeros(0, np.int64)


# ---------------------------------------------------------------------------------------------------------------- text


def compared_at(collection: bpy.types.Collection) -> str:
    """When the list was made, "18:58"; "" where there is none."""
    text = text_of(collection)
    return text.lines[0].body.removeprefix(_COMPARED) if text is not None and text.lines else ""


def text_of(collection: bpy.types.Collection) -> bpy.types.Text | None:
    """The text of all changes, None where that was never asked for."""
    text = originals.resources(collection, originals.REPORTS).get(TEXT)
    return text if isinstance(text, bpy.types.Text) else None


def _keep_text(collection: bpy.types.Collection, found: Iterable[_Change | LevelFinding]) -> None:
    """Keep all of it as a text block."""
    lines = [one.message if isinstance(one, LevelFinding) else str(one.unlike) for one in found]
    text = reports.text_of(f"{collection.name} changes", [f"{_COMPARED}{datetime.now():%H:%M}", *lines])
    originals.set_resource(collection, originals.REPORTS, TEXT, text)
