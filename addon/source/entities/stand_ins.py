# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and curves that only stand for what an entity names: a model, a decal, a rope, a ladder's place.

A map has but the name, or where it is. What was done to such data is told, so it is kept what they were.
"""

from __future__ import annotations

import zlib

import bpy
import numpy as np
from bpy.types import Curve, Mesh

from ...scene.fates import aspects
from ...scene.geometry import shapes
from ...scene.kept import baselines, identity

_LOOKS = "looks"


class StandInShapes:
    """What data look like, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def remember(self, obj: bpy.types.Object) -> None:
        """Keep what an object's mesh or curve is like, with the data, which its copies have, too."""
        if obj.data is not None and obj.data.session_uid not in self._known:
            baselines.store(obj.data, _LOOKS, np.array([self._of(obj)], np.int64))

    def is_edited(self, obj: bpy.types.Object) -> bool:
        """Whether it is another one than was remembered, or modifiers, shape keys or the object's own materials show it
        otherwise.
        """
        if any(modifier.show_viewport for modifier in obj.modifiers):
            return True
        if isinstance(obj.data, Mesh | Curve) and obj.data.shape_keys is not None:
            return True
        if any(slot.link == "OBJECT" and slot.material is not None for slot in obj.material_slots):
            return True
        if isinstance(obj.data, Mesh) and shapes.is_edited(obj.data):
            return True
        was = None if obj.data is None else baselines.load(obj.data, _LOOKS)
        return was is not None and was.tolist() != [self._of(obj)]

    def _of(self, obj: bpy.types.Object) -> int:
        if obj.data is None:
            return 0
        known = obj.data.session_uid
        if known not in self._known:
            with aspects.readable_data(obj) as data:
                self._known[known] = 0 if data is None else _fingerprint(data)
        return self._known[known]


def _fingerprint(data: bpy.types.ID) -> int:
    found = (each for each in aspects.of(data) if not each.name.startswith(aspects.PROPERTY))
    marks = sorted((each.name, aspects.fingerprint(each.read(data), each.default)) for each in found)
    holder = data
    materials = [_name(each) for each in holder.materials] if hasattr(holder, "materials") else []
    return zlib.crc32(repr((marks, materials)).encode())


def _name(material: bpy.types.Material | None) -> object:
    """What tells materials apart whatever Blender calls them."""
    return None if material is None else identity.told_by(material)
