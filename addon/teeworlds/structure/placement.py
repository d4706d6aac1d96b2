# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a layer's object goes in the scene, and what it is made with."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ....formats import teeworlds
from ...scene.kept import identity
from ...scene.kept.identity import kind_of
from ...scene.reports import Report
from .. import layout
from ..envelopes.build import Envelopes
from ..materials.build import Clip, Materials
from .clips import clips_of
from .group_build import BuiltGroup
from .parts import group_root, groups_of, layers_of, token_of


@dataclass(frozen=True)
class LayerPlacement:
    """The place of one layer in a level's scene."""

    token: int
    """The level's."""
    report: Report
    number: int
    """Of the layer in the map: its stamp's record."""
    order: int
    """Of the layer in its group."""
    group: BuiltGroup
    materials: Materials
    envelopes: Envelopes

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
        obj[layout.ORDER] = int(self.order)
        obj.location = (0.0, 0.0, layout.depth(self.number, physics))
        obj.parent = self.group.root
        (self.group.physics if physics else self.group.collection).objects.link(obj)

    def place_below(self, obj: bpy.types.Object, parent: bpy.types.Object, kind: str, record: int) -> None:
        """Put an object below another of the layer: stamped as a record of the layer, in its group's collection."""
        identity.stamp(obj, self.token, kind, record)
        obj.parent = parent
        self.group.collection.objects.link(obj)


def placement_in(level: bpy.types.Collection, group: bpy.types.Collection) -> LayerPlacement:
    """Where the importer's builders put what is new in a group of a level: in front of the group's other layers."""
    root, token = group_root(group), token_of(level)
    physics = next((child for child in group.children if kind_of(child) == layout.PHYSICS), None)
    number = sum(len(layers_of(one)) for one in groups_of(level))
    built = BuiltGroup(number, group, root, token, clips_of(level).get(root), physics)
    envelopes = Envelopes([], teeworlds.new_level(), 1.0)
    return LayerPlacement(token, Report(), number, len(layers_of(group)), built, Materials.of_level(level), envelopes)
