# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties back to world models: their names, what they turn about, and their motions."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import bpy
import numpy as np

from ....formats.genesis.editor_level import IDENTITY, EditorModel, Level3dt
from ....formats.genesis.entities import NAME, ORIGIN, Entity
from ....formats.genesis.map_file import HAS_MOTION
from ....formats.genesis.motion import PATH_NAME, Motion
from ....formats.genesis.text import fixed
from ...scene import properties, transforms
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext, naming, numbered_name
from ..motions.collect import collect_motion
from ..parts.level import SceneModel
from ..parts.places import MOVED, matrix_of

Properties = TypeVar("Properties", bound=layout.ModelProperties)

EDITOR_PATH_NAME = "PathInfo"
"""The name of the path of a model's motion in a `.3dt`."""


def collect_map_model(
    exporting: ExportContext, model: SceneModel, entity: Entity, root: bpy.types.Object | None, taken: set[str]
) -> None:
    """Give the entity of a `.map`'s model what its empty says. taken: names of the other entities, in lower case.

    Raises SceneError for what no model can be.
    """
    obj = model.object
    fresh = model.record < 0 or model.copied
    with naming(obj):
        values, edited = _properties(obj, layout.ModelProperties)
        changes = []
        if "model_name" in edited or (fresh and values.model_name):
            entity.set(NAME, values.model_name)
            changes.append("name")
        if model.copied and "model_name" not in edited:
            name = entity.name or obj.name
            entity.set(NAME, numbered_name(name, taken) if name.lower() in taken else name)
        matrix = matrix_of(obj, root, None)
        place = layout.from_blender(matrix[:3, 3])
        was = entity.origin
        moved = fresh or bool(transforms.changed_channels(obj, root))
        if moved and (was is None or np.abs(place - np.array(was)).max() > MOVED):
            entity.set(ORIGIN, " ".join(fixed(float(one) + 0.0) for one in place))
            changes.append("origin")
        before = entity.motion
        motion = collect_motion(model, before, exporting.scene, PATH_NAME, matrix, exporting.report)
        if motion is not before:
            entity.motion = motion
            entity.flags = HAS_MOTION if motion is not None and _moves(motion) else 0
            entity.motion = motion if entity.flags else None
            changes.append("motion")
        if changes and not fresh:
            exporting.note(f"model {obj.name} changed: {', '.join(changes)}")


def _moves(motion: Motion) -> bool:
    """Whether a motion has more than one key: else the editor writes none."""
    tracks = [track for path in motion.paths for track in (path.rotation, path.translation) if track is not None]
    return any(len(track.times) > 1 for track in tracks)


class ModelIds:
    """The ids that the models of a scene have in the level, and those that the original's had."""

    def __init__(self, level: Level3dt) -> None:
        self._of: dict[int, int] = {}  # by id() of SceneModel
        self._old = {model.model_id for model in level.models}

    def add(self, part: SceneModel, model: EditorModel) -> None:
        """Say which model of the level a model of the scene is."""
        self._of[id(part)] = model.model_id

    def of(self, part: SceneModel | None, was: int) -> int:
        """The id for a brush of a model of the scene, None: of none. was: that of its record."""
        if part is not None:
            return self._of[id(part)]
        return was if was not in self._old else 0


def collect_editor_models(
    exporting: ExportContext, level: Level3dt, parts: list[SceneModel], root: bpy.types.Object | None
) -> ModelIds:
    """Give a `.3dt` the models of the scene. Raises SceneError for what no model can be."""
    ids = ModelIds(level)
    old = list(level.models)
    kept: list[EditorModel] = []
    new: list[EditorModel] = []
    for part in parts:
        record = old[part.record] if 0 <= part.record < len(old) else None
        if record is None or part.copied:
            number = max((one.model_id for one in (*old, *new)), default=0) + 1
            made = EditorModel(part.object.name, number)
            if record is not None:
                made = replace(record, model_id=number, name=part.object.name, span=None)
            new.append(made)
            exporting.note(f"model {part.object.name} is new")
        else:
            made = record
            kept.append(made)
        ids.add(part, made)
        with naming(part.object):
            changes = _collect_editor_model(exporting, part, made, record is None or part.copied, root)
        if changes and made in kept:
            exporting.note(f"model {part.object.name} changed: {', '.join(changes)}")
    for model in old:
        if not any(model is one for one in kept):
            exporting.note(f"model {model.name} removed")
    exporting.replace_list(level, "models", [*(one for one in old if any(one is two for two in kept)), *new])
    return ids


def _collect_editor_model(
    exporting: ExportContext, part: SceneModel, made: EditorModel, fresh: bool, root: bpy.types.Object | None
) -> list[str]:
    """Write what differs of a model; returns what that is. fresh: the record was made for this object."""
    obj = part.object
    values, edited = _properties(obj, layout.EditorModelProperties)
    if part.record < 0 and obj.get(properties.BASELINE) is not None:
        edited = frozenset(vars(values))
    changes = []
    if "model_name" in edited:
        made.name = values.model_name
        changes.append("name")
    if "key_time" in edited:
        made.key_time = values.key_time
        changes.append("key time")
    matrix = matrix_of(obj, root, None)
    place = layout.from_blender(matrix[:3, 3])
    moved = fresh or bool(transforms.changed_channels(obj, root))
    if moved and np.abs(place - np.array(made.origin)).max() > MOVED:
        turned = made.transform[:9] if len(made.transform) == 12 else IDENTITY[:9]
        made.transform = (*turned, *(float(one) + 0.0 for one in place))
        changes.append("origin")
    motion = collect_motion(part, made.motion, exporting.scene, EDITOR_PATH_NAME, matrix, exporting.report)
    if motion is not made.motion:
        made.motion = motion
        changes.append("motion")
    return changes


def key_time_of(model: SceneModel) -> float:
    """Seconds: where in its motion a `.3dt`'s model stands. Raises SceneError for a property that is not a number."""
    return _properties(model.object, layout.EditorModelProperties)[0].key_time


def _properties(obj: bpy.types.Object, cls: type[Properties]) -> tuple[Properties, frozenset[str]]:
    """A model's properties, and which were edited."""
    try:
        return properties.read(obj, cls)
    except ValueError as error:
        raise SceneError(str(error), [obj]) from error
