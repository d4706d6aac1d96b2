# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's list of mapping groups as records: what was edited of it, with all bits of what wasn't.

Levels that 0.3.0 saved have no list: theirs are those of the file, and what was pasted, which it kept as a baseline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ....formats.arrays import Array, Records
from ....formats.ns2.records import MAPPING_GROUP
from ...scene.kept import baselines
from ...scene.reports import SceneError
from .. import layout

if TYPE_CHECKING:
    from ...scene.fields.declared import Groups
    from .properties import Ns2MappingGroup, Ns2MappingGroups

KEY = "levelwright_ns2_mapping"
"""The property of collections that holds the list: a `properties.Ns2MappingGroups`."""
FIELDS = {"angle": 1, "scale": 2, "offset": 2, "normal": 3}
"""Of groups: name -> how many numbers it has."""
_PASTED = "mapping_groups"


def held(collection: bpy.types.Collection) -> Ns2MappingGroups:
    """The list as Blender has it."""
    found: Ns2MappingGroups = getattr(collection, KEY)
    return found


def shown(name: str, values: Array) -> Array:
    """A field of records as the list shows it: in Blender's axes, 0 for what isn't finite."""
    axes = layout.to_blender(values) if name == "normal" else values
    return np.where(np.isfinite(axes), axes, np.float32(0))


def collect_groups(collection: bpy.types.Collection, before: Records) -> Records:
    """The mapping groups of a level. before: MAPPING_GROUP records, those of the file.

    Raises SceneError for an edited group whose numbers aren't finite, or which looks nowhere.
    """
    state = held(collection)
    if not state.listed:
        return np.concatenate([before, _pasted(collection)])
    items = state.groups
    numbers, records = (_values(items, name, 1, np.int32)[:, 0] for name in ("number", "record"))
    result = np.zeros(len(items), MAPPING_GROUP)
    result["id"] = numbers.view(np.uint32)
    known = (records >= 0) & (records < len(before))
    known[known] = before["id"][records[known]] == result["id"][known]
    result[known] = before[records[known]]
    for name, width in FIELDS.items():
        now = _values(items, name, width, np.float32)
        edited = (now != shown(name, result[name]).reshape(now.shape)) | ~known[:, None]
        says = np.isfinite(now).all(axis=1) & (now.any(axis=1) | (name != "normal"))
        wrong = np.flatnonzero(edited.any(axis=1) & ~says)
        if len(wrong):
            number, is_what = result["id"][wrong[0]], "0" if name == "normal" else "NaN or infinite"
            raise SceneError(f"{collection.name}: mapping group {number}: its {name} is {is_what}")
        if name == "normal":
            now, edited = layout.from_blender(now), layout.from_blender(edited)
        result[name] = np.where(edited, now, result[name].reshape(now.shape)).reshape(result[name].shape)
    return result


def _values(items: Groups[Ns2MappingGroup], name: str, width: int, dtype: type[np.generic]) -> Array:
    """A property of all items, [items, width]."""
    values = np.zeros(len(items) * width, dtype)
    items.foreach_get(name, values)
    return values.reshape(-1, width)


def _pasted(collection: bpy.types.Collection) -> Records:
    """Groups that were pasted into a level that has no list; most have none."""
    found = baselines.load(collection, _PASTED)
    if found is None or found.dtype.itemsize != MAPPING_GROUP.itemsize:
        return np.zeros(0, MAPPING_GROUP)
    return found.view(MAPPING_GROUP).reshape(-1)
