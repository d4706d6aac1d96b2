# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of tiny levels, and both ways of them."""

from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

from ...formats import tiny
from ..game import FileKind, Game, NewLevel, RecordPlace
from ..scene.disk.content_folders import ContentFolder
from ..scene.fates import gate
from ..scene.fates.ledger import COPIED, DELETED, WRITTEN, Fates
from ..scene.geometry import transforms
from ..scene.kept import identity, originals
from ..scene.level import ImportContext, root_of
from ..scene.reports import Report
from ..scene.view import stage

GEM = "gem"
FATES: Fates = {
    GEM: {"location": WRITTEN, "delta transform": WRITTEN, "parent": WRITTEN, COPIED: WRITTEN, DELETED: WRITTEN}
}


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import."""

    size: float = field(default=1.0, metadata={"tooltip": "Metres that a gem is shown in", "min": 0.0})


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    build_as_new: bool = field(
        default=False, metadata={"tooltip": "Take nothing from the imported file", "is_remembered": False}
    )


def import_level(
    context: bpy.types.Context, data: bytes, file: Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Make an empty a gem."""
    level = tiny.read(data)
    importing = ImportContext.begin(context, "tiny", level, data, file, settings, report)
    for number, place in enumerate(level.gems.tolist()):
        made = importing.object_of(f"Gem {number}", GEM, number)
        made.location = np.nan_to_num(place)
        made.empty_display_size = settings.size
        transforms.remember(made)
    report.count("gems", len(level.gems))
    collection = importing.finish()
    if importing.alone:
        stage.look_at(context, collection, np.nan_to_num(level.gems))
    return collection


def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> bytes:
    """Write the gems that were moved, without those that were deleted, and new ones behind them."""
    original = originals.require(collection, settings.build_as_new)
    level = tiny.read(original.data) if original is not None else tiny.Level(np.zeros((0, 3), np.float32))
    root, token = root_of(collection), original.token if original is not None else None
    gems = [obj for obj in collection.all_objects if identity.kind_of(obj) == GEM]
    for other in (obj for obj in collection.all_objects if identity.kind_of(obj) is None):
        report.left_out(f"object {other.name!r} (it is no gem)")
    gems.sort(key=lambda obj: (identity.record_of(obj, token) < 0, identity.record_of(obj, token)))
    places = []
    for gem in gems:
        record = identity.record_of(gem, token)
        kept = record >= 0 and transforms.unchanged(gem, root)
        places.append(level.gems[record] if kept else transforms.compose(gem, root)[:3, 3])
    level.gems = np.array(places, np.float32).reshape(-1, 3)
    before = (lambda: tiny.read(original.data)) if original is not None else None
    gate.refuse_new(tiny.check, level, before, report)
    return tiny.write(level)


@dataclass(frozen=True)
class NewSettings:
    """What a new level is like."""

    gems: int = field(default=3, metadata={"tooltip": "How many there are", "min": 1})


def make(context: bpy.types.Context, settings: NewSettings, report: Report) -> bpy.types.Collection:
    """Make a level of gems in a row."""
    level = tiny.Level(np.arange(settings.gems * 3, dtype=np.float32).reshape(-1, 3))
    return import_level(context, tiny.write(level), Path("new.tiny"), ImportSettings(), report)


GAME = Game(
    key="tiny",
    files=(
        FileKind(
            ending=".tiny",
            operator="tiny_level",
            label="Tiny level",
            opens="Open tiny levels as scenes, one collection each",
            writes="Write the level of the active collection as a tiny level",
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_level,
    export_settings=ExportSettings,
    places=(RecordPlace(r"gems\[(\d+)\]", "gems", (GEM,)),),
    fates=FATES,
    new=NewLevel(
        operator="tiny_new_level", label="Tiny level", tooltip="Make a level of gems", settings=NewSettings, make=make
    ),
    folders=(ContentFolder("tiny_directory", "Tiny game", "Folder with the game's gems", "LEVELWRIGHT_TINY"),),
)
