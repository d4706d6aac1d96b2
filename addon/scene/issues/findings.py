# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of findings that a level keeps: of its import, of its last export or check, of the last tool, and of what
an export would change.

They are kept as JSON on the level's collection, so that saving and appending take them along. Those of a tool are
undone with it; those of exports and checks, which are no edits, stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Literal

import bpy
import numpy as np

from ....formats.counting import alike, number_of
from ..blender_types import Value
from ..geometry.meshes import needs_evaluation
from ..kept import undone
from ..names import showable_lines
from ..reports import LevelFinding, SceneError, Sort
from .showing import Places, show

List = Literal["import", "export", "tool", "changes"]
KEYS: dict[List, str] = {
    "export": undone.stays("levelwright_findings"),
    "import": "levelwright_findings_import",
    "tool": "levelwright_findings_tool",
    "changes": undone.stays("levelwright_findings_changes"),
}
"""On a level's collection: JSON, a list of lines each. That of exports is called as version 0.3.0 called it."""
SORTS: tuple[Sort, ...] = ("error", "look", "missing", "left out", "warning", "change")
"""In the order of the sidebar."""
_VARYING = re.compile(r"""'[^']*'|"[^"]*"|\S*[/\\]\S*|[-+]?\d[\d.,]*""")
"""What differs between messages of one kind: quoted names, paths, numbers."""
_QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """A line of a list: see `LevelFinding`. Objects are their names."""

    message: str
    objects: Sequence[str] = ()
    mend: str = ""
    faces: Mapping[str, Sequence[int]] = field(default_factory=dict)
    points: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sort: Sort = "look"
    title: str = ""
    count: int = 1
    name: str = ""

    @property
    def is_about_parts(self) -> bool:
        """Whether there is something for the line to select."""
        return bool(self.objects or self.faces or self.points or self.name)


_PLAIN = asdict(KeptFinding(""))


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Lines of one kind: one line of the list, which unfolds."""

    sort: Sort
    title: str
    lines: tuple[KeptFinding, ...] = ()

    @property
    def key(self) -> str:
        """What it is known by when the list is made again."""
        return f"{self.sort} {self.title}"

    @property
    def heading(self) -> str:
        """Its line: that of its only member, or how many there are: "885 models missing"."""
        if len(self.lines) == 1:
            return self.lines[0].message
        return number_of(sum(line.count for line in self.lines), self.title)

    @property
    def mend(self) -> str:
        """What mends all of it: the name of an operator, "" where they differ."""
        found = {line.mend for line in self.lines}
        return found.pop() if len(found) == 1 else ""


# ---------------------------------------------------------------------------------------------------------------- keep


def keep(collection: bpy.types.Collection, findings: Iterable[LevelFinding], which: List = "export") -> None:
    """Keep a list in the place of the last one.

    Lines that say of no object what they are about are about those that they name, as all warnings do: "Wall: ...".
    """
    lines = list(findings)
    names: frozenset[str] = frozenset()
    if any(line.sort in ("warning", "left out") and not line.objects for line in lines):
        names = frozenset(obj.name for obj in collection.all_objects)
    if lines:
        collection[KEYS[which]] = showable_lines(json.dumps([_shortened(line, names) for line in lines]))
    elif collection.get(KEYS[which]) is not None:
        del collection[KEYS[which]]


def _shortened(line: LevelFinding, names: frozenset[str]) -> dict[str, object]:
    """A line as it is kept: what is as usual is left out. names: of the level's objects."""
    objects = [obj.name for obj in line.objects] or [*dict.fromkeys(_named(line.message, names))]
    shown: dict[str, object] = {
        "message": line.message,
        "objects": objects,
        "mend": line.mend,
        "faces": _selectable(line, line.faces),
        "points": _selectable(line, line.points),
        "sort": line.sort,
        "title": line.title or _common(line.message, objects),
        "count": line.count,
        "name": line.name,
    }
    return {key: value for key, value in shown.items() if value and value != _PLAIN[key]}


def _selectable(line: LevelFinding, elements: Places) -> dict[str, list[int]]:
    """The elements of a line by the names of objects; of errors without those that modifiers made."""
    those = {obj: numbers for obj, numbers in elements.items() if line.sort != "error" or not needs_evaluation(obj)}
    return {obj.name: np.asarray(numbers).tolist() for obj, numbers in those.items()}


def _named(message: str, names: frozenset[str]) -> Iterator[str]:
    """Names of objects that a message begins with, or has in quotes."""
    if not names:
        return
    for part in message.partition(": ")[0].split(", "):
        words = part.split(" ")
        found = (" ".join(words[:number]) for number in range(len(words), 0, -1))
        yield from [name for name in found if name in names][:1]
    yield from (name for name in _QUOTED.findall(message) if name in names)


def _common(message: str, objects: Sequence[str]) -> str:
    """What a message has in common with others of its kind, after their number: "x its colour isn't written"."""
    head, colon, rest = message.partition(": ")
    if colon and any(head.startswith(name) for name in objects):
        message = rest
    for name in sorted(objects, key=len, reverse=True):
        message = message.replace(name, "...")
    return f"\N{MULTIPLICATION SIGN} {_VARYING.sub('...', message).lstrip('.,: ')}"


# ---------------------------------------------------------------------------------------------------------------- read


def kept(collection: bpy.types.Collection, which: List = "export") -> list[KeptFinding]:
    """A list that a level has; none where there is none, or it can't be read."""
    return list(_parsed(_text(collection, which)))


def issues(collection: bpy.types.Collection) -> tuple[FindingGroup, ...]:
    """What there is to tell of a level, grouped: by its last export or check, the last tool, and its import."""
    groups = _grouped(*(_text(collection, which) for which in ("export", "tool", "import")))
    return tuple(sorted(groups, key=lambda group: SORTS.index(group.sort)))


def changes(collection: bpy.types.Collection) -> tuple[FindingGroup, ...]:
    """What an export would change, as it was when that was last asked for, grouped."""
    return _grouped(_text(collection, "changes"))


def _text(collection: bpy.types.Collection, which: List) -> str:
    """A list as a level keeps it, "" where it has none."""
    text = collection.get(KEYS[which])
    return text if isinstance(text, str) else ""


@lru_cache(maxsize=16)
def _grouped(*texts: str) -> tuple[FindingGroup, ...]:
    """The groups of lists as they are kept. Kept as long as those lists are: panels ask at each redraw."""
    found: dict[tuple[Sort, str], list[KeptFinding]] = {}
    for same in dict.fromkeys(_Same(line) for text in texts for line in _parsed(text)):
        found.setdefault((same.line.sort, alike(_title(same.line))), []).append(same.line)
    return tuple(FindingGroup(sort, _title(lines[0]), tuple(lines)) for (sort, _), lines in found.items())


def _title(line: KeptFinding) -> str:
    return line.title or line.message


class _Same:
    """A line that is the same as others that say the same of the same."""

    def __init__(self, line: KeptFinding) -> None:
        self.line = line
        self._key = line.sort, line.message, line.mend

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=16)
def _parsed(text: str) -> tuple[KeptFinding, ...]:
    try:
        return tuple(_read(line) for line in json.loads(text))
    except (TypeError, ValueError, AttributeError, KeyError):
        return ()


def _read(line: Value) -> KeptFinding:
    """A line as it was kept. Raises TypeError, ValueError, AttributeError, KeyError for anything else."""
    if not isinstance(line, dict):  # as version 0.3.0 kept it
        message, names, mend, *faces = line
        return KeptFinding(str(message), [*map(str, names)], str(mend), _elements(*faces))
    given = _PLAIN | {key: value for key, value in line.items() if key in _PLAIN}
    if given["sort"] not in SORTS:
        raise ValueError(given["sort"])
    texts = {key: str(given[key]) for key in ("message", "mend", "title", "name")}
    elements = {key: _elements(given[key]) for key in ("faces", "points")}
    objects = [*map(str, given["objects"])]
    return KeptFinding(**{**given, **texts, **elements, "objects": objects, "count": int(given["count"])})


def _elements(found: Mapping[str, Iterable[int]] | None = None) -> dict[str, list[int]]:
    return {str(name): [int(number) for number in numbers] for name, numbers in (found or {}).items()}


# -------------------------------------------------------------------------------------------------------------- select


def select(context: bpy.types.Context, collection: bpy.types.Collection, lines: Sequence[KeptFinding]) -> list[str]:
    """Select the objects of lines, and no others, with the faces and vertices that they are about in edit mode, and
    let the 3D views look at them. Returns the names of what was hidden and is shown again.

    Raises SceneError where there are none, or none any more.
    """
    wanted = {name for line in lines for name in (*line.objects, *line.faces, *line.points)}
    by_name = {obj.name: obj for obj in collection.all_objects}
    found = {name: by_name[name] for name in sorted(wanted) if name in by_name}
    objects = [*found.values(), *_naming(collection, {line.name for line in lines if line.name})]
    if not objects:
        names = sorted(wanted)
        if names:
            raise SceneError(f"{', '.join(names[:5])}: not in this scene any more")
        if any(line.name for line in lines):
            raise SceneError("no object of the level names it itself: another file does, as a model its materials")
        raise SceneError("that line is about the level as a whole")
    faces = _of_objects(found, [line.faces for line in lines])
    points = _of_objects(found, [line.points for line in lines])
    return show(context, list(dict.fromkeys(objects)), faces, points)


def _of_objects(found: Mapping[str, bpy.types.Object], those: Iterable[Mapping[str, Sequence[int]]]) -> Places:
    together: dict[bpy.types.Object, list[int]] = {}
    for places in those:
        for name, numbers in places.items():
            if name in found:
                together.setdefault(found[name], []).extend(numbers)
    return {obj: np.unique(np.asarray(numbers, np.int64)) for obj, numbers in together.items()}


def _naming(collection: bpy.types.Collection, names: set[str]) -> list[bpy.types.Object]:
    """The objects that name one of these files: in a property of theirs, of their data, or of a material of theirs, or
    by an image that a material shows.
    """
    if not names:
        return []
    wanted = {_plain(name) for name in names}
    known: dict[int, bool] = {}

    def names_it(block: bpy.types.ID | None) -> bool:
        if block is None:
            return False
        if block.session_uid not in known:
            known[block.session_uid] = not wanted.isdisjoint(map(_plain, _texts(block)))
        return known[block.session_uid]

    return [
        obj
        for obj in collection.all_objects
        if names_it(obj) or names_it(obj.data) or any(names_it(slot.material) for slot in obj.material_slots)
    ]


def _texts(block: bpy.types.ID) -> Iterator[str]:
    """What a data-block is called, and what its properties say; of a material what its images are called, too."""
    yield block.name
    for key in block.keys():  # noqa: SIM118 - a block of Blender's, no dictionary
        if isinstance(value := block[key], str):
            yield value
    tree = block.node_tree if isinstance(block, bpy.types.Material) else None
    for node in tree.nodes if tree is not None else ():
        if isinstance(node, bpy.types.ShaderNodeTexImage) and node.image is not None:
            yield node.image.name


def _plain(name: str) -> str:
    return name.replace("\\", "/").lower()
