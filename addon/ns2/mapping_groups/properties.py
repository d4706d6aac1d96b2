# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of collections that hold a level's list of mapping groups; what is edited there is seen at once."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...scene.blender_types import expect
from ...scene.fields import declared
from ...scene.fields.declared import Declared
from ...scene.registering import added_property, in_turn
from . import textures
from .collect import KEY


def _edited(item: Ns2MappingGroup, _context: bpy.types.Context) -> None:
    textures.show(expect(bpy.types.Collection, item.id_data), item)


class Ns2MappingGroup(Declared, bpy.types.PropertyGroup):
    """A mapping group. number: its id, an int32 bit pattern. record: its place in the original's list, -1: new."""

    number: int = declared.integer()
    record: int = declared.integer(default=-1)
    angle: float = declared.number(
        name="Angle", description="How far the texture is turned", subtype="ANGLE", update=_edited
    )
    scale: Sequence[float] = declared.vector(
        name="Scale",
        description="How often the texture repeats a metre, across and up",
        size=2,
        default=(1.0, 1.0),
        precision=4,
        update=_edited,
    )
    offset: Sequence[float] = declared.vector(
        name="Offset", description="How many repeats the texture is moved by", size=2, precision=4, update=_edited
    )
    normal: Sequence[float] = declared.vector(
        name="Normal",
        description="What the texture looks at: the direction in which it is projected on the faces",
        size=3,
        default=(0.0, 0.0, 1.0),
        subtype="XYZ",
        update=_edited,
    )


class Ns2MappingGroups(Declared, bpy.types.PropertyGroup):
    """The mapping groups of a level. listed: whether all are here; not so in levels that 0.3.0 saved."""

    groups: declared.Groups[Ns2MappingGroup] = declared.collection(Ns2MappingGroup)
    active: int = declared.integer(min=0)
    listed: bool = declared.boolean()


CLASSES = (Ns2MappingGroup, Ns2MappingGroups)
register, unregister = in_turn(*CLASSES, added_property(bpy.types.Collection, KEY, declared.pointer(Ns2MappingGroups)))
