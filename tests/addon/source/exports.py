# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of edited maps: what comes out, and which lumps are others."""

from collections.abc import Sequence

import bpy
import numpy as np
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, importer, layout
from levelwright.addon.source.settings import ExportSettings, ImportSettings
from levelwright.formats import source
from levelwright.formats.source.differences import differences

from tests.addon import kept
from tests.formats import source_room

ROOM = source.write(source.read(bytes(source_room.write(source_room.room()))))
"""The map of tests.formats.source_room."""


class Scene:
    """A map that was imported: its objects by kind and record, and what an export makes of it."""

    def __init__(self, data: bytes = ROOM, **options: object) -> None:
        self.data = data
        settings = ImportSettings(**{"worldlights": True, "lightmaps": "none", **options})
        self.level = kept.opened(
            data + repr(settings).encode(),
            lambda: importer.import_level(bpy.context, data, "room.bsp", settings, Report()),
        )
        self.report = Report()

    def objects(self, kind: str = layout.ENTITY) -> dict[int, bpy.types.Object]:
        """The objects of a kind by record; of several of one record the last."""
        marks = ((identity.stamped(obj), obj) for obj in self.level.all_objects)
        return {mark.record: obj for mark, obj in marks if mark is not None and mark.kind == kind}

    def export(self, **settings: object) -> source.Level:
        """The map that an export writes, read again."""
        self.report = Report()
        return source.read(exporter.export_level(bpy.context, self.level, ExportSettings(**settings), self.report))

    def changed(self, made: source.Level) -> list[str]:
        """The lumps that are others than those of the original, by the names of messages, without their numbers."""
        found = differences(source.read(self.data), made)
        return [each.name.partition("(")[2].replace(")", "") for each in found]


def copied(obj: bpy.types.Object, linked: bool = False) -> bpy.types.Object:
    """Another object like this one, as Shift+D makes it, or (linked) Alt+D."""
    made = obj.copy()
    if obj.data is not None and not linked:
        made.data = obj.data.copy()
    for collection in obj.users_collection:
        collection.objects.link(made)
    return made


def removed(obj: bpy.types.Object) -> None:
    bpy.data.objects.remove(obj)


def close(one: Sequence[float], other: Sequence[float], tolerance: float = 1e-3) -> bool:
    return bool(np.abs(np.subtract(one, other)).max() < tolerance)
