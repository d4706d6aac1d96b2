# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of entities, props and a pak, for tests of what an import makes of them."""

import struct
from collections.abc import Mapping, Sequence

import bpy
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import importer, layout
from levelwright.addon.source.settings import ImportSettings
from levelwright.formats import source
from levelwright.formats.source.new_level import new_level

Pairs = Sequence[tuple[str, str]]


def a_map(
    entities: Sequence[Pairs] = (),
    files: Mapping[str, bytes] | None = None,
    props: bytes = b"",
    props_version: int = 6,
    world: Pairs = (),
) -> source.Level:
    level = new_level()
    level.entities[0].pairs.extend(world)
    level.entities.extend(source.Entity(list(pairs)) for pairs in entities)
    for name, data in (files or {}).items():
        level.pak.put(name, data)
    if props:
        level.game_lumps.set_bytes("sprp", props, props_version)
    return level


def static_props(names: Sequence[str], records: Sequence[bytes]) -> bytes:
    """The lump: a dictionary, no leafs, and the records."""
    dictionary = struct.pack("<i", len(names)) + b"".join(name.encode().ljust(128, b"\0") for name in names)
    return dictionary + struct.pack("<ii", 0, len(records)) + b"".join(records)


def prop(
    kind: int = 0,
    origin: tuple[float, ...] = (0, 0, 0),
    angles: tuple[float, ...] = (0, 0, 0),
    skin: int = 0,
    lighting: tuple[float, ...] = (0, 0, 0),
    flags: int = 0,
) -> bytes:
    """A record of version 6."""
    return struct.pack(
        "<6f3HBBi2f3ffHH", *origin, *angles, kind, 0, 0, 6, flags, skin, -1.0, 900.0, *lighting, 1.0, 80, 0
    )


def shown(level: source.Level | bytes, **settings: object) -> tuple[bpy.types.Collection, Report]:
    data = level if isinstance(level, bytes) else source.write(level)
    report = Report()
    return importer.import_level(bpy.context, data, "test.bsp", ImportSettings(**settings), report), report


def objects(collection: bpy.types.Collection, kind: str = layout.ENTITY) -> dict[int, bpy.types.Object]:
    """The objects with a stamp of a kind, by their record."""
    marks = ((identity.stamped(obj), obj) for obj in collection.all_objects)
    return {mark.record: obj for mark, obj in marks if mark is not None and mark.kind == kind}
