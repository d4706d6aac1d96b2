# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and colours that artists gave to objects of entities: a level has a place for neither, so they are noted.

What an import gave follows from the entity and its layers, and isn't kept: a level may have thousands of entities.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ....formats import ns2
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.reports import Report, listed
from .. import layout
from ..layers import visibility
from . import ambience

MODEL_ENDING = ".model"
BOXES = ("Decal", "Trigger", "(no model)")
"""What the meshes of boxes are called."""
NO_CLASS = "(no class)"
_NEAR = 1e-5


def title_of(text: str) -> str:
    """What an import calls something after a text: the last part of a model's path."""
    return showable(text).rsplit("/", 1)[-1].removesuffix(MODEL_ENDING)


class GivenNames:
    """What one export finds of such names and colours."""

    def __init__(self, collection: bpy.types.Collection) -> None:
        colors = {(1.0, 1.0, 1.0, 1.0)}
        for each in (visibility.colors(collection, "layers"), visibility.colors(collection, "groups")):
            colors |= {tuple(np.array(color, np.float32).tolist()) for color in each.values()}
        self._colors = colors
        self._named, self._data_named, self._colored = list[str](), list[str](), list[str]()

    def look_at(self, obj: bpy.types.Object, entity: ns2.Entity, texts: Iterable[object], file: str) -> None:
        """Note an object that isn't called, or coloured, as an import does it.

        texts: what the entity's properties say, as they came. file: the model of its class.
        """
        given = {title_of(text) for text in (*texts, file) if isinstance(text, str)}
        given |= {showable(entity.class_name), NO_CLASS}
        if not any(identity.is_named(obj.name, each) for each in given):
            self._named.append(obj.name)
        if obj.data is not None and not any(identity.is_named(obj.data.name, each) for each in (*given, *BOXES)):
            self._data_named.append(obj.name)
        color = tuple(obj.color)
        if color not in self._colors:
            light = ambience.colors_of(entity).mean(axis=(0, 1)) if entity.class_name == layout.AMBIENT_LIGHT else None
            if light is None or np.abs(light.clip(0, 1) - color[:3]).max() > _NEAR:
                self._colored.append(obj.name)

    def tell(self, report: Report) -> None:
        """Say what was found."""
        for names, what in (
            (self._named, "their names are for Blender alone: a level has none but in properties"),
            (self._data_named, "the names of their data are for Blender alone"),
            (self._colored, "their colours only show those of layers and groups"),
        ):
            if names:
                report.note(f"{listed(names)}: {what}")
