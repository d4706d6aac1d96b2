# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch files (`.lmp`): a map's entities alone, which the game takes in the place of those in the map (source.md §2.1).

One is opened together with its map: the level's original is the map as the game has it then. What else the file says
is kept on the level, so that it is written as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import bpy

from ...formats import source
from ...formats.binary import FormatError
from ...formats.reach import AllowedFolders
from ...formats.source import LumpId, PatchFile, lump_name, patch_file
from ...formats.source.differences import differences
from ..scene.disk import content_folders
from ..scene.kept import baselines, originals
from ..scene.reports import Report, SceneError, listed
from ..scene.work.progress import Steps, Stepwise
from . import exporter, layout
from .settings import IGNORE, REFUSE, SAME, ExportSettings, LmpSettings, PatchSettings

ImportLevels = Callable[[Sequence[Path], Mapping[Path, bytes]], Steps[list[bpy.types.Collection]]]
"""Imports levels, with what to take for the bytes of their files, and returns the collection of each."""
LMP_NOTE = "The file holds entities alone. The game takes it as <map>_l_0.lmp beside the map."
"""What has to be known before an export."""


def import_patch(
    _context: bpy.types.Context,
    data: bytes,
    file: Path,
    settings: PatchSettings,
    import_levels: ImportLevels,
    report: Report,
) -> Steps[bpy.types.Collection]:
    """Open a patch file's map with its entities in the place of the map's, and return the level's collection.

    Raises FormatError naming the file, and SceneError for one that holds no entities, whose map isn't beside it, or
    that was made for another revision of the map.
    """
    patch = patch_file.read(data)
    if patch.lump != LumpId.ENTITIES:
        raise SceneError(f"{file.name}: it is for {lump_name(patch.lump)}, only entities can be opened")
    reach = content_folders.reach([file.parent], report)
    path = _map_beside(file, reach)
    try:
        level = source.read(reach.read(path), salvage=True)
    except FormatError as error:
        raise error.in_file(path) from error
    if patch.revision != level.revision:
        what = f"{file.name}: it was made for revision {patch.revision} of the map, {path.name} is {level.revision}"
        if settings.revision == SAME:
            raise SceneError(f"{what}. Map Revision, an option of the import, says whether that matters")
        report.warn(f"{what}: brush models may be those of other entities")
    patch.apply(level)
    (collection,) = yield from import_levels([path], {path: source.write(level)})
    head = PatchFile(patch.lump, patch.version, patch.revision, b"", patch.gap, patch.trailing)
    baselines.put_bytes(collection, layout.PATCH, patch_file.write(head))
    report.note(f"{path.name} has the entities of {file.name}, also when it is exported as .bsp")
    return collection


@Stepwise
def export_patch(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: LmpSettings, report: Report
) -> Steps[bytes]:
    """The patch file with a level's entities. Raises SceneError, with objects and faces at fault, or FormatError.

    What else was edited is refused or, if the settings say so, left out and named.
    """
    own = Report()
    moved = IGNORE if settings.others == IGNORE else REFUSE
    chosen = ExportSettings(geometry=moved, world=moved)
    data = yield from exporter.export_level.steps(context, collection, chosen, own)
    yield
    original = originals.require(collection)
    if original is None:  # export_level has refused that
        raise ValueError(collection.name)
    before, level = source.read(original.data, salvage=True), source.read(data, salvage=True)
    entities = lump_name(LumpId.ENTITIES)
    others = [one.name for one in differences(before, level) if one.name != entities]
    if others and settings.others == REFUSE:
        raise SceneError(
            f"{collection.name}: a patch file holds entities alone, but these were edited, too: {listed(others)}. "
            "Other Edits, an option of the export, leaves them out"
        )
    for warning in own.warnings:
        report.warn(warning)
    for name in others:
        report.left_out(f"edits of {name} (a patch file holds entities alone)")
    made = PatchFile.of(level, LumpId.ENTITIES)
    was = opened_from(collection)
    if was is not None:
        made.gap, made.trailing = was.gap, was.trailing
        made.revision = was.revision if level.revision == before.revision else level.revision
    report.count("entities", len(level.entities))
    name = original.file_name or f"{collection.name}.bsp"
    report.note(f"the game takes it as {patch_file.name_of(name, 0)} beside {name}, of revision {made.revision}")
    return patch_file.write(made)


def check_patch(data: bytes) -> None:
    """Read a file back. Raises FormatError."""
    patch_file.read(data)


def opened_from(collection: bpy.types.Collection) -> PatchFile | None:
    """The patch file that a level's entities were opened from, without its data; None for a map's own."""
    kept = collection.get(layout.PATCH)
    try:
        return patch_file.read(kept) if isinstance(kept, bytes) else None
    except FormatError:
        return None


def _map_beside(file: Path, reach: AllowedFolders) -> Path:
    """The map that a patch file's name says it is for. Raises SceneError where it isn't beside it."""
    named = patch_file.map_of(file.name)
    if named is None:
        raise SceneError(f"{file.name}: its name doesn't say which map it is for: room_l_0.lmp is, for room.bsp")
    wanted = f"{named[0]}.bsp"
    found = reach.find(wanted)
    if found is None:
        raise SceneError(f"{file.name}: its map {wanted} isn't beside it")
    return found
