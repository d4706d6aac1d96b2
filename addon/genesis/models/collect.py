# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties back to world models: their names, what they turn about, and their motions."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from functools import partial
from typing import TypeVar

import bpy
import numpy as np

from ....formats.genesis.editor_level import IDENTITY, EditorModel, Level3dt
from ....formats.genesis.entities import NAME, ORIGIN, Entity
from ....formats.genesis.map_file import HAS_MOTION
from ....formats.genesis.motion import PATH_NAME, Motion
from ....formats.genesis.text import fixed
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.reports import SceneError, naming
from .. import layout
from ..context import ExportContext, numbered_name
from ..motions.collect import collect_motion
from ..parts.level import SceneModel
from ..parts.merging import Ids, Merging
from ..parts.placement import MOVED, matrix_of

Properties = TypeVar("Properties", bound=layout.ModelProperties)

EDITOR_PATH_NAME = "PathInfo"
"""The name of the path of a model's motion in a `.3dt`."""


def collect_map_model(
    exporting: ExportContext, model: SceneModel, entity: Entity, root: bpy.types.Object | None, taken: Container[str]
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
            changes.append(_motion_of(model))
        if changes and not fresh:
            exporting.note(f"model {obj.name} changed: {', '.join(changes)}")


def _motion_of(model: SceneModel) -> str:
    """What changed where a motion did."""
    return "motion" if model.motion is not None else f"{model.object.name} motion is gone"


def _moves(motion: Motion) -> bool:
    """Whether a motion has more than one key: else the editor writes none."""
    tracks = [track for path in motion.paths for track in (path.rotation, path.translation) if track is not None]
    return any(len(track.times) > 1 for track in tracks)


def collect_editor_models(
    exporting: ExportContext, level: Level3dt, parts: list[SceneModel], root: bpy.types.Object | None
) -> Ids:
    """Give a `.3dt` the models of the scene. Raises SceneError for what no model can be."""
    merging = Merging(level.models)
    ids = Ids(model.model_id for model in level.models)
    for part in parts:
        name = part.object.name
        number = max((one.model_id for one in (*merging.before, *merging.new)), default=0) + 1
        model, fresh = merging.record_of(part, partial(_new_model, name, number))
        if fresh:
            exporting.note(f"model {name} is new")
        ids.add(part, model.model_id)
        with naming(part.object):
            changes = _collect_editor_model(exporting, part, model, fresh, root)
        if changes and not fresh:
            exporting.note(f"model {name} changed: {', '.join(changes)}")
    for _, model in merging.removed():
        exporting.note(f"model {model.name} removed")
    exporting.replace_list(level, "models", [*merging.kept(), *merging.new])
    return ids


def _new_model(name: str, number: int, example: EditorModel | None) -> EditorModel:
    return EditorModel(name, number) if example is None else replace(example, model_id=number, name=name, span=None)


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
        changes.append(_motion_of(part))
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
