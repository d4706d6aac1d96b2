# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edited Blender light says of its entity."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ....formats.binary import FormatError
from ....formats.genesis.entities import CLASSNAME, KeyValues
from ...scene.blender_types import Lamp
from ...scene.reports import Report
from ..classes import values
from . import kinds
from .kinds import COMPILED

ALIKE = 1e-4
"""Share by which a light's numbers may differ from what its keys make of it."""
HALF_STEP = 1 / 1020
"""Half a step of a colour's 0 to 255, halved again."""


def light_class(obj: bpy.types.Object) -> str | None:
    """The class of an entity that a Blender light is."""
    if not isinstance(obj.data, bpy.types.Light):
        return None
    return COMPILED.get(obj.data.type)


def collect_light(light: Lamp, record: KeyValues, before: KeyValues, scale: float, report: Report) -> list[str]:
    """Write what was edited of a Blender light: a light or a spotlight, brightness, reach, colour, a spotlight's cone.

    scale: metres a unit. before: the record without the edits of properties, which go before those of the light.
    Raises FormatError for what is no number.
    """
    edited = []
    was = record.classname.lower()
    if was in COMPILED.values() and COMPILED.get(light.type, was) != was:
        record.set(CLASSNAME, COMPILED[light.type])
        edited.append(CLASSNAME)
    kind = kinds.class_of(record.classname) or kinds.LIGHT_CLASSES[COMPILED.get(light.type, COMPILED["POINT"])]
    was_shown = kinds.appearance(kind, kinds.light_values(before.pairs), scale)
    cone = light.spot_size if isinstance(light, bpy.types.SpotLight) else was_shown.spot_size
    reach = light.cutoff_distance if kind.reach else was_shown.cutoff
    same_color = all(
        abs(one - other) <= HALF_STEP or _alike(one, other)
        for one, other in zip(light.color[:], was_shown.color, strict=True)
    )
    said: tuple[tuple[str, Callable[[], int | list[int]], bool], ...] = (
        (
            kind.brightness,
            lambda: round(kinds.brightness_of(kind, light.energy, was_shown.cutoff, scale)),
            _alike(light.energy, was_shown.energy),
        ),
        (kind.reach, lambda: round(reach / scale), _alike(reach, was_shown.cutoff)),
        (kind.color, lambda: kinds.color_of((light.color[0], light.color[1], light.color[2])), same_color),
        (kind.arc, lambda: round(kinds.arc_of(cone)), _alike(cone, was_shown.spot_size)),
    )
    for key, value, same in said:
        fresh = key not in before and not before.pairs
        if key and (not same or fresh) and record.get(key) == before.get(key):
            try:
                record.set(key, values.as_text(value()))
            except (OverflowError, ValueError) as error:
                raise FormatError(f"the {key} that its light shows is infinite or NaN") from error
            edited.append(key)
    if before.pairs and kind.type != light.type:
        report.warn(f"{light.name}: a {record.classname} is no {light.type.lower()} light: it stays what it is")
    has_reach = "SUN" not in (kind.type, light.type)
    if before.pairs and has_reach and not kind.reach and not _alike(light.cutoff_distance, was_shown.cutoff):
        report.warn(f"{light.name}: a {record.classname} reaches as far as it is bright: its distance is not exported")
    shown = was_shown if before.pairs else kinds.appearance(kind, kinds.light_values(record.pairs), scale)
    if not kind.brightness and not _alike(light.energy, shown.energy):
        report.warn(f"{light.name}: a {record.classname} has no brightness of its own: its power is not exported")
    return edited


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= ALIKE * max(abs(one), abs(other))
