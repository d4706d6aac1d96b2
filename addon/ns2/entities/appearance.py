# SPDX-License-Identifier: GPL-3.0-or-later
"""What each entity is in Blender: a light, a speaker, a camera, a prop's mesh, a box, or an empty of some shape.

It follows from the class's hints for the editor, and otherwise from the properties that the entity has: `model` makes
it a prop, `scale` without one a box, `eventName` a speaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....formats.ns2.entity_classes import ANGLES, ORIGIN, Classes
from ....formats.ns2.records import PropertyType
from ...scene.blender_types import EmptyShape
from .custom_properties import LOCATION, ROTATION, SCALE, PropertySlot

LIGHT_POINT, LIGHT_SPOT, SPEAKER, CAMERA, PROP, BOX, EMPTY = (
    "POINT",
    "SPOT",
    "SPEAKER",
    "CAMERA",
    "PROP",
    "BOX",
    "EMPTY",
)
ICONS = "models/system/editor/"
"""Models of the editor's own: icons, and the boxes of triggers."""

_SHAPES: tuple[tuple[tuple[str, ...], EmptyShape, float], ...] = (
    (("tech_point",), "CIRCLE", 2.0),
    (("resource_point",), "CIRCLE", 1.0),
    (("power_point", "gamerules"), "CUBE", 0.5),
    (("cinematic",), "SINGLE_ARROW", 0.75),
    (("skybox",), "SPHERE", 1.0),
    (("waypoint", "destination", "target_point"), "PLAIN_AXES", 0.5),
    (("logic_", "emitter", "listener", "trigger", "timer"), "CUBE", 0.25),
)
"""Parts of classes' names -> their empties: of what shape, and how large, metres."""
OTHERS: tuple[EmptyShape, float] = ("ARROWS", 0.5)
"""Of spawns and all else: the red arrow is the front."""
_RANGED = ("ambient_light", "reflection_probe", "color_grading")
"""Hints of classes whose empties are as large as they reach."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How entities of a class with certain properties are shown."""

    kind: str
    """LIGHT_POINT, SPEAKER, PROP, ..."""
    channels: tuple[tuple[str, str], ...]
    """Properties that are a channel of the object: name, channel."""
    links: Mapping[str, str] = field(default_factory=dict)
    """What of the Blender data is which property ("radius": "distance"), see `object_data`."""
    model: str = ""
    """The property that names a prop's model."""
    file: str = ""
    """Where there is no such property: the model that all of the class have."""
    shape: tuple[EmptyShape, float] = OTHERS
    """Of an empty: what it is, and its size, metres."""
    centred: bool = False
    """A box is about its origin, and as large as the object's scale (decals); otherwise it is one of a trigger."""


class Appearances:
    """Finds the appearance of each class and set of properties once."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._known: dict[tuple[str, tuple[PropertySlot, ...]], Appearance] = {}

    def of(self, class_name: str, slots: tuple[PropertySlot, ...]) -> Appearance:
        """How entities of a class with these properties are shown (slots without channels)."""
        key = (class_name, slots)
        if key not in self._known:
            self._known[key] = self._find(class_name, slots)
        return self._known[key]

    def _find(self, class_name: str, slots: tuple[PropertySlot, ...]) -> Appearance:
        has = {slot.name: slot for slot in reversed(slots) if slot.key}
        hints = {hint.kind: hint.values for hint in reversed(self.classes.hints(class_name))}
        placed = ((ORIGIN, LOCATION), (ANGLES, ROTATION))

        def named(values: Mapping[str, str], *tags: str) -> dict[str, str]:
            return {tag: values[tag] for tag in tags or values if values.get(tag) in has}

        for hint, kind in (("point_light", LIGHT_POINT), ("spot_light", LIGHT_SPOT)):
            if hint in hints:
                return Appearance(kind, placed, named(hints[hint]))
        if "sound" in hints or "eventName" in has:
            return Appearance(
                SPEAKER, placed, named(hints.get("sound", {}), "volume", "min_distance", "max_distance", "pitch")
            )
        if "camera" in class_name:
            return Appearance(CAMERA, placed, {"fov": "fov"} if "fov" in has else {})
        for hint in _RANGED:
            if hint in hints:
                return Appearance(EMPTY, placed, named(hints[hint], "radius"), shape=("SPHERE", 1.0))
        if "decal" in hints and _is_vector(has.get(hints["decal"].get("extents", ""))):
            extents = (hints["decal"]["extents"], SCALE)
            return Appearance(BOX, (*placed, extents), centred=True)
        model = hints.get("model", {})
        scale = next((one for one in (model.get("scale", ""), "scale") if _is_vector(has.get(one))), "")
        sizes = ((scale, SCALE),) if scale else ()
        for path in (model.get("file", ""), "model"):
            if path in has and has[path].type == PropertyType.FILE_NAME:
                return Appearance(PROP, (*placed, *sizes), model=path)
        file = model.get("file", "")
        if file.endswith(".model") and not file.startswith(ICONS):
            return Appearance(PROP, (*placed, *sizes), file=file, shape=_shape(class_name))
        if scale:
            return Appearance(BOX, (*placed, *sizes))
        if "sphere" in hints and "model" not in hints and named(hints["sphere"], "radius"):
            return Appearance(EMPTY, placed, named(hints["sphere"], "radius"), shape=("SPHERE", 1.0))
        return Appearance(EMPTY, placed, shape=_shape(class_name))


def _is_vector(slot: PropertySlot | None) -> bool:
    return slot is not None and slot.type == PropertyType.REAL and slot.components == 3


def _shape(class_name: str) -> tuple[EmptyShape, float]:
    for parts, shape, size in _SHAPES:
        if any(part in class_name for part in parts):
            return shape, size
    return OTHERS
