# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked over before a level is written: what the compiler and the game need of it, a line each.

Whatever would make them refuse the level is the library's `check` to say. This list says more: what depends on other
files, what only the whole level tells, and where in the scene it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np

from ...formats import genesis, solid_leaks
from ...formats.binary import FormatError
from ...formats.genesis import CompiledLevel, txl, typedefs
from ...formats.genesis.entities import CLASSNAME, NAME
from ...formats.genesis.records import WORLD_BOUND, texture_names
from ..scene.disk import content_folders, known_files
from ..scene.kept import identity
from ..scene.reports import Report
from ..scene.work.progress import Steps, Stepwise, progress
from . import content, layout
from .classes.kept import kept_types
from .light import kinds
from .light.collect import light_class
from .materials import library
from .materials.names import texture_of
from .materials.write import WriteTextureLibrary, brushes_of, is_library_own
from .operators import is_compiled

STARTS = "start"
"""In the names of the classes that players begin at: DeathMatchStart, PlayerStart."""
NAMED = 20
"""Lines of one kind, at most."""


@Stepwise
def preflight(
    _context: bpy.types.Context, collection: bpy.types.Collection, made: bytes, report: Report
) -> Steps[None]:
    """Add to a report's findings what a level lacks. made: its file, as it is to be written."""
    try:
        level = genesis.read(made)
        if isinstance(level, CompiledLevel):  # nothing compiles it any more
            return
        yield
        entities = _entities(collection)
        if not is_compiled(collection) and not is_library_own(collection):  # whose textures are written along
            _textures(level, collection, report)
        _classes(level, collection, entities, report)
        yield
        with progress(1, "leaks"):
            yield from _places(level, entities, report)
    except FormatError as error:
        report.find(str(error))


def _entities(collection: bpy.types.Collection) -> list[tuple[bpy.types.Object, str]]:
    """The objects that stand for entities, each with its class."""
    found = []
    for obj in collection.all_objects:
        classname = obj.get(CLASSNAME) or light_class(obj)
        if identity.kind_of(obj) in (layout.ENTITY, None) and isinstance(classname, str):
            found.append((obj, classname))
    return found


def _say(report: Report, lines: Iterable[tuple[str, Iterable[bpy.types.Object]]]) -> None:
    """Add lines of one kind, as many as can be read."""
    every = list(lines)
    for message, objects in every[:NAMED]:
        report.find(message, objects)
    if len(every) > NAMED:
        report.find(
            f"and {len(every) - NAMED} more like that", [obj for _, objects in every[NAMED:] for obj in objects]
        )


# ------------------------------------------------------------------------------------------------------------ textures


def _textures(level: genesis.MapLevel | genesis.Level3dt, collection: bpy.types.Collection, report: Report) -> None:
    """Whether the library is there, and what it lacks."""
    if isinstance(level, genesis.MapLevel):
        named = (level.world.get(layout.TEXTURE_LIBRARY) if level.world is not None else None) or ""
        used = set(texture_names(level.table()[1]))
    else:
        named = level.texture_library
        used = {face.texture for brush in level.leaves() for face in brush.faces}
    if not named.strip():
        mend = WriteTextureLibrary.bl_idname
        report.find(f"{layout.TEXTURE_LIBRARY} names no texture library: without one the compiler stops", mend=mend)
        return
    beside = [*known_files.folders(collection), *([Path(bpy.data.filepath).parent] if bpy.data.filepath else [])]
    found = library.look(named, content_folders.reach([*beside, *content.TEXTURES.folders()], report))
    if not isinstance(found, txl.Library):
        report.find(f"{found}, so what it lacks isn't known", mend=WriteTextureLibrary.bl_idname)
        return
    having: dict[str, list[bpy.types.Object]] = {}
    for obj in brushes_of(collection):
        for slot in obj.material_slots:
            having.setdefault((texture_of(slot.material)[0] or "").lower(), []).append(obj)
    known = {texture.name.lower() for texture in found}
    _say(
        report,
        (
            (f"texture {name!r} isn't in {library.base_name(named)}: the compiler takes another", having.get(key, ()))
            for key, name in sorted({name.lower(): name for name in used}.items())
            if key and key not in known  # faces without a material have been told
        ),
    )


# ------------------------------------------------------------------------------------------------------------ entities


def _classes(
    level: genesis.MapLevel | genesis.Level3dt,
    collection: bpy.types.Collection,
    entities: list[tuple[bpy.types.Object, str]],
    report: Report,
) -> None:
    """Whether there is a place to begin at, and which classes the game won't know."""
    if not any(STARTS in classname.lower() for _, classname in entities):
        report.find("no player start: no entity is of a class whose name says Start")
    if isinstance(level, genesis.MapLevel):
        known = set(typedefs.read(level.typedefs))
    else:
        declared = kept_types(collection)
        if not declared:
            return  # a .3dt has none, and no headers were read
        known = {each.name.lower() for each in typedefs.BUILTIN} | set(declared)
    having: dict[str, list[bpy.types.Object]] = {}
    for obj, classname in entities:
        if classname.lower() not in known:
            having.setdefault(classname, []).append(obj)
    _say(report, ((f"class {name!r} is not defined: the game doesn't see it", some) for name, some in having.items()))


def _places(
    level: genesis.MapLevel | genesis.Level3dt, entities: list[tuple[bpy.types.Object, str]], report: Report
) -> Steps[None]:
    """Whether the level is sealed, and entities stand in it."""
    space = yield from genesis.leaks.space.steps(level)
    if not len(space.points) or not space.solid.any():
        return
    sealing = yield from solid_leaks.examine.steps(space)
    objects = {str(obj.get(NAME, identity.unnumbered(obj.name))).lower(): obj for obj, _ in entities}
    own = [objects.get(level.entities[number].name.lower()) for number in space.entities.tolist()]
    flood = sealing.flood
    beyond = (np.abs(space.points) > WORLD_BOUND).any(axis=1)
    outside = flood.inside & (flood.leafs == 0)
    if not flood.is_sealed:
        outside |= flood.inside & sealing.void()[flood.leafs]
    classes = [level.entities[number].classname for number in space.entities.tolist()]
    needs_room = np.array([STARTS in one.lower() or kinds.class_of(one) is not None for one in classes])
    for mask, message in (
        (beyond, f"is outside of the world, which ends at {WORLD_BOUND}"),
        (~flood.inside & ~beyond & needs_room, "is inside a solid brush"),
    ):
        _say(report, ((f"{space.names[row]} {message}", _there(own[row])) for row in np.flatnonzero(mask).tolist()))
    if outside.any() and not outside[flood.inside].all():
        message = "is outside of the level: for the compiler that is a leak"
        _say(report, ((f"{space.names[row]} {message}", _there(own[row])) for row in np.flatnonzero(outside).tolist()))
        return
    for problem in sealing.problems(genesis.leaks.SEVERITY):
        leak = own[flood.leak] if flood.leak >= 0 else None
        report.find(f"{problem.place} {problem.message}", _there(leak), "" if leak is None else layout.FIND_LEAKS)


def _there(obj: bpy.types.Object | None) -> list[bpy.types.Object]:
    return [] if obj is None else [obj]
