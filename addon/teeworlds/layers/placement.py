# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a layer's object goes in the scene, and what it is made with."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...scene import identity
from ...scene.reports import Report
from .. import layout
from ..context import ImportContext
from ..envelopes.build import Envelopes
from ..groups.build import BuiltGroup
from ..materials.build import Clip, Materials


@dataclass(frozen=True)
class LayerPlacement:
    """The place of one layer in a level's scene."""

    importing: ImportContext
    number: int
    """Of the layer in the map: its stamp's record."""
    order: int
    """Of the layer in its group."""
    group: BuiltGroup
    materials: Materials
    envelopes: Envelopes

    @property
    def token(self) -> int:
        """The level's."""
        return self.importing.token

    @property
    def report(self) -> Report:
        """The import's."""
        return self.importing.report

    @property
    def clip(self) -> Clip | None:
        """What clips the layer."""
        return self.group.clip

    @property
    def element_token(self) -> int:
        """The token of the ids of the layer's tiles, quads or sources."""
        return layout.element_token(self.token, self.number)

    def place(self, obj: bpy.types.Object, physics: bool = False) -> None:
        """Put the layer's object where it belongs: stamped, in order, below its group's root, in its collection."""
        identity.stamp(obj, self.token, layout.LAYER, self.number)
        obj[layout.ORDER] = self.order
        obj.location = (0.0, 0.0, layout.depth(self.number, physics))
        obj.parent = self.group.root
        (self.group.physics if physics else self.group.collection).objects.link(obj)

    def place_below(self, obj: bpy.types.Object, parent: bpy.types.Object, kind: str, record: int) -> None:
        """Put an object below another of the layer: stamped as a record of the layer, in its group's collection."""
        identity.stamp(obj, self.token, kind, record)
        obj.parent = parent
        self.group.collection.objects.link(obj)
