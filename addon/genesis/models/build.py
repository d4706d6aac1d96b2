# SPDX-License-Identifier: GPL-3.0-or-later
"""World models: an empty where the model turns about, and one below it that its motion moves."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ....formats.genesis import Motion
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.media import animation
from ...scene.names import showable
from .. import layout
from ..context import Destination, ImportContext
from ..motions.build import build_motion, pose_at

SIZE = 24.0
"""Units: how large the empties are drawn."""


@dataclass(frozen=True)
class WorldModel:
    """A model of either kind of file."""

    record: int
    """Its stamp's."""
    name: str
    origin: tuple[float, float, float]
    """What it turns about, in the level's axes."""
    motion: Motion | None
    properties: layout.ModelProperties
    key_time: float = 0.0
    """Seconds: where in the motion its brushes stand as the file has them."""


def build_model(
    importing: ImportContext, model: WorldModel, empties: bpy.types.Collection, brushes: bpy.types.Collection
) -> Destination:
    """Make a model's empties in a collection, and say where its brushes go."""
    name = showable(model.name) or f"Model {model.record}"
    empty = importing.object_of(name, layout.MODEL, model.record, homes=(empties,))
    empty.empty_display_size = SIZE
    place = layout.to_blender(model.origin)
    empty.location = place.tolist()
    properties.write(empty, model.properties)
    transforms.remember(empty)
    moved = importing.object_of(f"{name} motion", layout.MOTION, model.record, homes=(empties,))
    moved.empty_display_size = SIZE / 2
    moved.empty_display_type = "ARROWS"
    moved.parent = empty
    moved.rotation_mode = "QUATERNION"
    pose = np.eye(4)
    if model.motion is not None:
        action = build_motion(importing, model.motion, model.record, moved)
        pose = pose_at(action, float(animation.frame_of(model.key_time, importing.scene)))
        importing.report.count("motions")
    importing.report.count("models")
    pose[:3, 3] += np.array(empty.location)
    inverse = np.eye(4)  # of a turn and a shift
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -inverse[:3, :3] @ pose[:3, 3]
    return Destination(brushes, moved, Matrix(inverse.tolist()))
