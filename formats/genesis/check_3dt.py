# SPDX-License-Identifier: GPL-3.0-or-later
"""What the editor or the compiler would refuse or misread in a `.3dt` (genesis.md §1.7-1.9, §2).

Keys of entities are not held against their classes here: those stand in the game's headers, not in the file.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ..binary import Problem
from ..counting import number_of
from . import brushes
from .check_map import INWARDS, NO_LIBRARY, counted, editor_room, motion_problems
from .contents_3dt import walk
from .editor_level import EditorBrush, Level3dt
from .records import EDITOR_NAME_SIZE, WORLD_BOUND

MAX_BENT = 0.1  # units that a point of a face may lie off its plane
CAMERA = "Camera"


def check(level: Level3dt) -> list[Problem]:
    """What the editor or the compiler would refuse or misread."""
    with np.errstate(all="ignore"):  # hostile floats
        return [*_level(level), *_brushes(level), *_solids(level.leaves()), *_entities(level)]


def _level(level: Level3dt) -> Iterator[Problem]:
    if not any(entity.classname != CAMERA and entity.is_placed for entity in level.entities):
        yield Problem("level", "no entity but the camera: the compiler finds no valid entities")
    if not level.texture_library.strip():
        yield Problem("level", NO_LIBRARY, "warning")
    for kind, numbers in (
        ("model", [model.model_id for model in level.models]),
        ("group", [group.group_id for group in level.groups]),
    ):
        for number, count in sorted(Counter(numbers).items()):
            if count > 1:
                yield Problem(f"{kind} {number}", f"is the number of {count} {kind}s", "warning", count)
    for model in level.models:
        if model.motion is not None:
            yield from motion_problems(f"model {model.name!r}", model.motion)


def _brushes(level: Level3dt) -> Iterator[Problem]:
    models = {0, *(model.model_id for model in level.models)}
    groups = {0, *(group.group_id for group in level.groups)}
    for brush in walk(level.brushes):
        place = f"brush {brush.name!r}"
        if brush.model_id not in models:
            yield Problem(place, f"belongs to model {brush.model_id}, which there is not", "warning")
        if brush.group_id not in groups:
            yield Problem(place, f"belongs to group {brush.group_id}, which there is not", "warning")
        for name, count in sorted(Counter(face.texture for face in brush.faces).items()):
            if len(name) > EDITOR_NAME_SIZE:
                message = f"{len(name)} characters, {EDITOR_NAME_SIZE} are allowed; on {number_of(count, 'faces')}"
                yield Problem(place, f"texture {name!r} has {message}", count=count)
        flat = sum(0 in face.scale or 0 in face.light_scale for face in brush.faces)
        if flat:
            yield Problem(place, f"{flat} of its faces have a texture scale or a light scale of 0", count=flat)


def _solids(leaves: list[EditorBrush]) -> Iterator[Problem]:
    """The shapes of brushes, from the points of their faces."""
    faces = [face for brush in leaves for face in brush.faces]
    points = np.concatenate([np.empty((0, 3)), *(face.points[::-1] for face in faces)]).astype(np.float64)
    first = np.cumsum([0, *(len(face.points) for face in faces)])
    normals, dists, bent = brushes.planes(points, np.arange(len(points)), first)
    counts = np.array([len(brush.faces) for brush in leaves], np.int64)
    normals[(normals == 0).all(axis=1)] = np.nan
    solid = brushes.from_planes(normals, dists, counts)
    turned = brushes.inside_out(normals, dists, counts, solid.closed)
    owners = np.repeat(np.arange(len(leaves)), counts)
    point_owners = np.repeat(owners, np.diff(first))
    # Slivers that the CSG left have no end, as nothing closes them: the compiler goes by their planes (as in a `.map`).
    far = (np.abs(points) > WORLD_BOUND).any(axis=1) & solid.closed[point_owners]
    far |= ~np.isfinite(points).all(axis=1)

    def place(number: int) -> str:
        return f"brush {leaves[number].name!r}"

    for number, count in counted(owners[np.isnan(normals).any(axis=1)]):
        yield Problem(place(number), f"{count} of its faces have no area", count=count)
    for number, count in counted(owners[bent > MAX_BENT]):
        yield Problem(place(number), f"{count} of its faces have points that do not lie in a plane", "warning", count)
    for number in np.flatnonzero(turned).tolist():
        yield Problem(place(number), INWARDS)
    for number in np.flatnonzero(~solid.closed & ~turned).tolist():
        yield Problem(place(number), "its planes do not close", "warning")
    for number in np.unique(point_owners[far]).tolist():
        yield Problem(place(number), f"reaches out of the world, which ends at {WORLD_BOUND}")


def _entities(level: Level3dt) -> Iterator[Problem]:
    for number, entity in enumerate(level.entities):
        place = f"entity {number} ({', '.join(filter(None, (entity.classname, entity.name)))})"
        if not entity.classname:
            yield Problem(place, "has no classname")
        for key, value in entity.pairs:
            yield from editor_room(place, key, value)
