# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what to look at that an export, or its check, made last: kept with the level, a click selects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import bpy
import numpy as np

from .meshes import select_faces
from .reports import LevelFinding, SceneError

FINDINGS = "levelwright_findings"
"""On a level's collection: JSON, a list of lines."""


class KeptFinding(NamedTuple):
    """A line of the list. objects: their names. mend: the name of an operator that mends it, or "". faces: indices of
    the faces that are meant, by the names of their objects.
    """

    message: str
    objects: list[str]
    mend: str
    faces: dict[str, list[int]]


def keep(collection: bpy.types.Collection, findings: Iterable[LevelFinding]) -> None:
    """Keep a list in the place of the last one."""
    lines = [
        (
            one.message,
            [obj.name for obj in one.objects],
            one.mend,
            {obj.name: np.asarray(numbers).tolist() for obj, numbers in one.faces.items()},
        )
        for one in findings
    ]
    if lines:
        collection[FINDINGS] = json.dumps(lines)
    elif collection.get(FINDINGS) is not None:
        del collection[FINDINGS]


def kept(collection: bpy.types.Collection) -> list[KeptFinding]:
    """The list that a level has; none where there is none, or it can't be read."""
    text = collection.get(FINDINGS)
    try:
        lines = json.loads(text) if isinstance(text, str) else []
        return [
            KeptFinding(str(message), list(map(str, names)), str(mend), _faces(*faces))
            for message, names, mend, *faces in lines  # levels that 0.3.0 saved have no faces here
        ]
    except (TypeError, ValueError, AttributeError):
        return []


def _faces(found: Mapping[str, Iterable[int]] | None = None) -> dict[str, list[int]]:
    """Faces as they were kept. Raises TypeError, ValueError, AttributeError for anything else."""
    return {str(name): [int(number) for number in numbers] for name, numbers in (found or {}).items()}


def select(context: bpy.types.Context, collection: bpy.types.Collection, number: int) -> None:
    """Select the objects of a line, and no others, and the faces of theirs that it is about: in edit mode they are
    seen. Raises SceneError where there are none, or none any more.
    """
    lines = kept(collection)
    if not 0 <= number < len(lines) or not lines[number].objects:
        raise SceneError("that line is about the level as a whole")
    layer = context.view_layer
    wanted = set(lines[number].objects)
    found = [obj for obj in collection.all_objects if obj.name in wanted]
    there = [obj for obj in found if layer is not None and obj.name in layer.objects]
    if layer is None or not there:
        raise SceneError(f"{', '.join(lines[number].objects)}: not in this scene any more")
    for obj in layer.objects:
        obj.select_set(False)
    for obj in there:
        obj.hide_set(False)
        obj.select_set(True)
    layer.objects.active = there[0]
    for obj in there:
        if isinstance(obj.data, bpy.types.Mesh) and obj.name in lines[number].faces:
            select_faces(obj, lines[number].faces[obj.name])
