# SPDX-License-Identifier: GPL-3.0-or-later
"""The things of the `.tng` beside a level, as empties: see `layout` for what becomes what."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from mathutils import Matrix

from ....formats.binary import FormatError
from ....formats.fable import tng
from ....formats.fable.placement import placement_of
from ...scene.blender_types import EmptyShape
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from .values import sources

DISPLAY: dict[str, tuple[EmptyShape, float]] = {
    "Marker": ("PLAIN_AXES", 0.5),
    "Object": ("CUBE", 0.4),
    "Building": ("CUBE", 2.0),
    "AICreature": ("CONE", 0.8),
    "TrackNode": ("CIRCLE", 0.6),
    "Village": ("SPHERE", 3.0),
    "Thing": ("ARROWS", 0.6),
    "Holy Site": ("SPHERE", 1.0),
}
"""What empties of each kind look like: their shape, and how large it is, units. A cone points to its front."""
OTHERS: tuple[EmptyShape, float] = ("ARROWS", 0.6)


def build_things(importing: ImportContext) -> Steps[None]:
    """Make an object of each thing of the level's `.tng`; without one, only the collection that new things go into."""
    data = importing.part(layout.TNG)
    if data is None:
        importing.collection_of("Things", layout.THINGS, layout.NO_THINGS)
        return
    try:
        things = tng.read(data)
    except FormatError as error:
        importing.report.warn(f"the things beside the level can't be read, so they stay as they are: {error}")
        return
    home = importing.collection_of("Things", layout.THINGS)
    number = 0
    with progress(sum(len(section.things) for section in things.sections), "things") as step:
        for record, section in enumerate(things.sections):
            collection = importing.collection_of(showable(section.name) or "-", layout.THING_SECTION, record, home)
            properties.put(collection, layout.SECTION_NAME, showable(section.name))
            found = section.things
            yield from _build_section(importing, collection, found, number, step)
            number += len(found)
    importing.report.count("things", number)


def _build_section(
    importing: ImportContext,
    collection: bpy.types.Collection,
    things: list[tng.Thing],
    first: int,
    step: Callable[..., None],
) -> Steps[None]:
    """Make the things of a section, of which the first has this record; in Blender's order of names, which is quick."""
    names = [name_of(thing) for thing in things]
    made: list[bpy.types.Object | None] = [None] * len(things)
    for at in sorted(range(len(things)), key=names.__getitem__):
        obj = bpy.data.objects.new(showable(names[at]), None)
        obj.parent = importing.root
        identity.stamp(obj, importing.token, layout.THING, first + at)
        fill(obj, things[at])
        made[at] = obj
        step()
        yield
    for one in made:
        if one is not None:
            collection.objects.link(one)


def name_of(thing: tng.Thing) -> str:
    """What to call a thing's object: as scripts do, otherwise as its class."""
    script = thing.script_name
    return showable((script if script and script != "NULL" else thing.definition_type) or thing.kind) or "-"


def fill(obj: bpy.types.Object, thing: tng.Thing) -> None:
    """Give an object the place, the shape and the properties of a thing."""
    obj.empty_display_type, obj.empty_display_size = DISPLAY.get(thing.kind, OTHERS)
    placement = placement_of(thing)
    if placement.position is not None:
        obj.location = placement.position
    if placement.frame is not None:
        obj.rotation_euler = Matrix(placement.frame).transposed().to_euler()
    if placement.scale is not None:
        obj.scale = (placement.scale,) * 3
    properties.put(obj, layout.NEW_THING, thing.kind)
    for key, source in sources(thing, placement).items():
        value = source.value
        properties.put(obj, key, value.encode() if isinstance(value, str) and "\0" in value else value)
    transforms.remember(obj)
