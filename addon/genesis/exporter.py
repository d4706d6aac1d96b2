# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a level: the embedded original with all that was edited merged into it.

Each part of the scene is compared with the record that it came from, and writes only what differs. So what nobody
touched stays as it is, bit for bit, with all that Blender can't show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import bpy

from ...formats import genesis
from ...formats.binary import FormatError
from ...formats.genesis import CompiledLevel, convert
from ...formats.genesis.compiled import decompile
from ...formats.genesis.editor_level import Level3dt
from ...formats.genesis.map_file import MapLevel
from ..scene.disk import chosen_files, content_folders
from ..scene.fates import gate
from ..scene.kept import originals
from ..scene.names import showable
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, Stepwise
from . import compiled_exporter, editor_exporter, layout, map_exporter
from .classes.types import declared_types, define_classes
from .context import ExportContext
from .materials import embedded, library, write
from .settings import ExportSettings, FileExport


@Stepwise
def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[bytes]:
    """The first of the files that `export_files` gives, which is the level."""
    made = yield from export_files.steps(context, collection, settings, report)
    return next(iter(made.values()))


@Stepwise
def export_files(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[Mapping[str, bytes]]:
    """The files that a level's collection shows, by their endings: the level, `.map`, `.3dt` or `.bsp` as
    `settings.container` says, and of one that was decompiled or made in Blender its texture library. Writes no file.

    Raises SceneError, naming objects and faces, for scenes that no level can hold and for what the compiler or the
    engine would refuse, and FormatError for texts that are too long and the like.
    """
    original = originals.require(collection, settings.build_as_new)
    options = originals.options_of(collection)
    kind = str(options.get(layout.KIND, "map"))
    before = genesis.read(original.data) if original is not None else None
    yield
    is_known = isinstance(before, {"3dt": Level3dt, "bsp": CompiledLevel}.get(kind, MapLevel))
    token = original.token if original is not None and is_known else None
    scale = float(options.get("scale", layout.SCALE))
    exporting = ExportContext(context, collection, token, scale, settings, report)
    level: genesis.AnyGenesisLevel
    if kind == "bsp":
        level = yield from compiled_exporter.merged(before if isinstance(before, CompiledLevel) else None, exporting)
        define_classes(level, settings, report)
    elif kind == "3dt":
        level = yield from editor_exporter.merged(before if isinstance(before, Level3dt) else None, exporting)
    else:
        level = yield from map_exporter.merged(before if isinstance(before, MapLevel) else None, exporting)
        define_classes(level, settings, report)
    yield
    if settings.container not in ("as_imported", kind):
        if settings.container == "bsp":
            raise SceneError(
                f"{collection.name} is a .{kind}: only the game's compiler makes a .bsp of it, from the .map"
            )
        made = yield from _converted(level, settings, report)
        yield
        beside = _with_library(made, level, settings, collection.name, report)
        beside |= _with_own_library(made, collection, settings, report)
        yield from gate.refuse_new.steps(genesis.check, made, None, report)
        data = yield from genesis.write.steps(made)
        return {f".{settings.container}": data, **beside}
    if original is not None and not report.notes and not exporting.changed:
        return {f".{kind}": original.data}
    beside = {} if isinstance(level, CompiledLevel) else _with_own_library(level, collection, settings, report)
    data = yield from genesis.write.steps(level)
    yield
    if original is None or data != original.data:
        came = None if original is None else partial(genesis.read, original.data)
        yield from gate.refuse_new.steps(genesis.check, level, came, report)
    return {f".{kind}": data, **beside}


def _with_library(
    made: MapLevel | Level3dt, level: genesis.AnyGenesisLevel, settings: ExportSettings, name: str, report: Report
) -> dict[str, bytes]:
    """The texture library of a level that was decompiled, which it names from now on; nothing for other levels."""
    if not isinstance(level, CompiledLevel):
        return {}
    file, before = _beside(settings, name)
    with _going_into(file):
        data, refused = embedded.written_beside(level, before)
    for line in refused:
        report.warn(f"not in {file.name}: {line}")
    return _naming(made, file, data)


def _with_own_library(
    made: MapLevel | Level3dt, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> dict[str, bytes]:
    """The texture library of a level that was made in Blender and names none yet: it names this one."""
    if not write.is_library_own(collection):
        return {}
    file, before = _beside(settings, collection.name)
    with _going_into(file):
        data = write.library_of(collection, before, report)
    return _naming(made, file, data)


def _beside(settings: ExportSettings, name: str) -> tuple[Path, bytes | None]:
    """Which file a level's texture library is, and what is in it, if it is there."""
    target = settings.file if isinstance(settings, FileExport) else None
    file = (target or Path(name)).with_suffix(library.ENDING)
    is_there = target is not None and content_folders.named_file(str(file)) is not None
    return file, chosen_files.read(file) if is_there else None


@contextmanager
def _going_into(file: Path) -> Iterator[None]:
    """Say which file it is about where the texture library that is there can't be read."""
    try:
        yield
    except FormatError as error:
        raise SceneError(
            f"{file.name}: the level's textures would go into this file, which is there: {error}"
        ) from error


def _naming(made: MapLevel | Level3dt, file: Path, data: bytes) -> dict[str, bytes]:
    """Let a level name its texture library, and return that by its ending."""
    named = showable(f".\\{file.name}")
    if isinstance(made, Level3dt):
        made.texture_library = named
    elif made.world is not None:
        made.world.set(layout.TEXTURE_LIBRARY, named)
    return {library.ENDING: data}


def _converted(level: genesis.AnyGenesisLevel, settings: ExportSettings, report: Report) -> Steps[MapLevel | Level3dt]:
    """The level as one of the other kind."""
    made: MapLevel | Level3dt
    if isinstance(level, CompiledLevel):
        level, left_out = yield from decompile.to_map.steps(level)
        for what in left_out:
            report.left_out(what)
        report.note("decompiled: what the compiler filled beyond the walls is solid, and names of brushes are lost")
        if settings.container == "map":
            return level
    if isinstance(level, Level3dt):
        made, left_out = yield from convert.to_map.steps(level, declared_types(settings, level, report))
    else:
        made, left_out = convert.to_3dt(level)
        if level.typedefs:
            report.left_out("definitions of classes, which a .3dt takes from the game's headers", len(level.typedefs))
    for what in left_out:
        report.left_out(what)
    report.note(f"converted from .{level.kind} to .{made.kind}")
    return made
