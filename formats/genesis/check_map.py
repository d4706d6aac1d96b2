# SPDX-License-Identifier: GPL-3.0-or-later
"""What the compiler or the engine would refuse or misread in a `.map` (genesis.md §1.4-1.11).

An error keeps the level from being compiled or loaded, or makes something else of it; a warning is worth a look.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ..arrays import Ints
from ..binary import FormatError, Problem
from ..counting import number_of
from . import brushes, motion, typedefs
from .entities import MODEL, MODEL_KEY, Entity
from .level import EntityLevel
from .map_file import HAS_MOTION, VERSION, MapLevel
from .records import EDITOR_NAME_SIZE, NAME_SIZE, WORLD_BOUND, FaceArray, FaceFlag, texture_names
from .typedefs import TypeDef

MAX_ENTITIES, MAX_MODELS = 4096, 2048
MAX_TEXINFOS, MAX_TEXTURES, MAX_PLANES = 8192, 1024, 32000
MAX_ENTITY_DATA = 200_000  # bytes
MAX_EVENTS = 255  # characters of all events of a motion, with an end each
MAX_INTENSITY, MAX_STYLE = 2500, 254  # of lights
MAX_MIRROR_ALPHA = 240
EDITOR_VALUE_SIZE = 99  # characters

TEXTURE_LIBRARY = "TextureLib"
NO_LIBRARY = "names no texture library: without one the compiler stops"
INWARDS = "is inside out: its normals point inwards, so that the compiler makes no brush of it"

_BUFFERS = {"classname": 63, "target": 31, "targetname": 31}  # characters that the compiler's lights have room for


def check(level: MapLevel) -> list[Problem]:
    """What the compiler or the engine would refuse or misread."""
    with np.errstate(all="ignore"):  # hostile floats
        return [*_file(level), *_brushes(level), *entity_problems(level)]


def entity_problems(level: EntityLevel) -> Iterator[Problem]:
    """What is wrong with the entities of a level, their motions and their classes."""
    yield from _entities(level)
    yield from _classes(level)


def title(level: EntityLevel, number: int) -> str:
    """An entity in words: "entity 3 (light, light1)"."""
    entity = level.entities[number]
    names = ("world",) if number == 0 else tuple(filter(None, (entity.classname, entity.name)))
    return f"entity {number}" + (f" ({', '.join(names)})" if names else "")


def _file(level: MapLevel) -> Iterator[Problem]:
    if level.version != VERSION:
        yield Problem("map", f"version {level.version}, known is {VERSION}", "warning")
    if level.trailing:
        count = len(level.entities)
        message = f"{len(level.trailing)} bytes behind the last of {number_of(count, 'entities')} are ignored"
        yield Problem("map", message, "warning", len(level.trailing))
    if not level.entities:
        yield Problem("map", "has no entities, and so no world")
    if not any("origin" in entity for entity in level.points):
        yield Problem("map", "no entity but the world and models has an origin: the compiler finds no valid entities")
    if level.entities and not (level.entities[0].get(TEXTURE_LIBRARY) or "").strip():
        yield Problem("map", NO_LIBRARY, "warning")
    size = sum(8 + sum(10 + len(key) + len(value) for key, value in entity.pairs) for entity in level.entities)
    for count, limit, what in (
        (len(level.entities), MAX_ENTITIES, "entities"),
        (1 + sum(bool(entity.brushes) for entity in level.entities[1:]), MAX_MODELS, "models"),
        (size, MAX_ENTITY_DATA, "bytes of entities"),
    ):
        yield from _limit(count, limit, what)


def _limit(count: int, limit: int, what: str) -> Iterator[Problem]:
    if count > limit:
        yield Problem("map", f"{count} {what}, {limit} are allowed", count=count)


# -------------------------------------------------------------------------------------------------- brushes and faces


def _brushes(level: MapLevel) -> Iterator[Problem]:
    table, faces = level.table()
    if not len(table):
        return
    normals, dists = brushes.face_planes(faces)
    solid = brushes.from_planes(normals, dists, table["num_faces"])
    turned = brushes.inside_out(normals, dists, table["num_faces"], solid.closed)
    sizes = np.diff(solid.first_corner)
    owners = np.repeat(np.arange(len(table)), table["num_faces"])
    shown = np.bincount(owners, sizes > 0, len(table))
    if not shown.any():
        yield Problem("map", "no brush encloses anything: are normals turned inwards?")
    first_brush = np.cumsum([0, *(len(entity.brushes) for entity in level.entities)])

    def place(brush: int) -> str:
        number = int(table["entity"][brush])
        return f"brush {brush - first_brush[number]} of {title(level, number)}"

    for brush in np.flatnonzero(turned).tolist():
        yield Problem(place(brush), INWARDS)
    for brush in np.flatnonzero(~solid.closed & ~turned).tolist():
        what = "leaves gaps" if shown[brush] else "encloses nothing"
        yield Problem(place(brush), f"{what}: its planes do not close", "warning")
    idle = (sizes == 0) & solid.closed[owners]
    for brush, count in counted(owners[idle]):
        yield Problem(place(brush), f"{count} of its faces bound nothing", "warning", count)
    vertex_brush = np.repeat(np.arange(len(table)), np.diff(solid.first_vertex))
    far = np.abs(solid.positions).max(axis=1, initial=0.0) > WORLD_BOUND
    for brush in np.unique(vertex_brush[far]).tolist():
        if solid.closed[brush]:
            yield Problem(place(brush), f"reaches out of the world, which ends at {WORLD_BOUND}")
    for mask, message in _face_rules(faces):
        for brush, count in counted(owners[mask]):
            yield Problem(place(brush), f"{count} of its faces {message}", "warning", count)
    yield from _textures(faces)


def counted(numbers: Ints) -> Iterator[tuple[int, int]]:
    """Each number once, with how often it is there. numbers: int[n]."""
    found, counts = np.unique(numbers, return_counts=True)
    yield from zip(found.tolist(), counts.tolist(), strict=True)


def _face_rules(faces: FaceArray) -> Iterator[tuple[np.ndarray, str]]:  # type: ignore[type-arg]
    yield (faces["normal"] == 0).all(axis=1), "have no normal: they are left out"
    yield (faces["draw_scale_x"] == 0) | (faces["draw_scale_y"] == 0), "have a texture scale of 0"
    mirror = (faces["flags"] & FaceFlag.MIRROR != 0) & (faces["alpha"] > MAX_MIRROR_ALPHA)
    yield mirror, f"are mirrors with an alpha above {MAX_MIRROR_ALPHA}"
    vectors = np.column_stack([faces[name] for name in ("u_vec", "v_vec", "normal", "dist")])
    yield ~np.isfinite(vectors).all(axis=1), "have numbers that are not finite"


def _textures(faces: FaceArray) -> Iterator[Problem]:
    names = texture_names(faces)
    for name, count in Counter(names).items():
        if len(name) >= NAME_SIZE:
            yield Problem(
                f"texture {name!r}", f"has no end within {NAME_SIZE} bytes, on {number_of(count, 'faces')}", count=count
            )
        elif len(name) > EDITOR_NAME_SIZE:
            message = f"{len(name)} characters, the editor holds {EDITOR_NAME_SIZE}; on {number_of(count, 'faces')}"
            yield Problem(f"texture {name!r}", message, "warning", count)
    infos = np.column_stack([np.unique(names, return_inverse=True)[1], faces["flags"]]).astype("<i4")
    fields = ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y", "alpha", "mip_map_bias",
              "face_light", "reflective_scale")  # fmt: skip
    floats = np.column_stack([faces[name] for name in fields]) + np.float32(0)
    planes = np.column_stack([faces["normal"], faces["dist"]]) + np.float32(0)
    planes *= np.where(planes[np.arange(len(planes)), np.abs(planes[:, :3]).argmax(axis=1)] < 0, -1, 1)[:, None]
    for rows, limit, what in (
        (np.column_stack([infos, floats.view("<i4")]), MAX_TEXINFOS, "ways in which textures lie"),
        (np.round(planes, 2), MAX_PLANES // 2, "planes"),
    ):
        if len(rows) > limit:
            yield from _limit(len(np.unique(rows, axis=0)), limit, what)
    yield from _limit(len(set(names)), MAX_TEXTURES, "textures")


# ------------------------------------------------------------------------------------------------------------ entities


def _entities(level: EntityLevel) -> Iterator[Problem]:
    for number, entity in enumerate(level.entities):
        place = title(level, number)
        if entity.flags > HAS_MOTION:
            yield Problem(place, f"flags {entity.flags} are taken for 0", "warning")
        if entity.motion is not None:
            yield from motion_problems(place, entity.motion)
        for key, value in entity.pairs:
            yield from _pair(place, key.lower(), value)


def motion_problems(place: str, moves: motion.Motion) -> Iterator[Problem]:
    """What is wrong with a motion."""
    size = sum(len(event.text) + 1 for event in moves.events)
    if size > MAX_EVENTS and not moves.binary:
        yield Problem(place, f"events of {size} characters, {MAX_EVENTS} are allowed", count=size)
    tracks = [track for path in moves.paths for track in (path.rotation, path.translation) if track is not None]
    early = sum(int(np.count_nonzero(np.diff(track.times) <= 0)) for track in tracks)
    if early:
        yield Problem(
            place,
            f"{number_of(early, 'keys of its motion do', 'key of its motion does')} not come after the one before",
            "warning",
            early,
        )


def editor_room(place: str, key: str, value: str) -> Iterator[Problem]:
    """Say of a value that the editor has no room for it."""
    size = len(value)
    if size > EDITOR_VALUE_SIZE:
        yield Problem(place, f"{key} has {size} characters, the editor holds {EDITOR_VALUE_SIZE}", "warning", size)


def _pair(place: str, key: str, value: str) -> Iterator[Problem]:
    room = _BUFFERS.get(key)
    if room is not None and len(value) > room:
        yield Problem(place, f"{key} has {len(value)} characters, {room} are allowed", count=len(value))
    elif not key.startswith("texturelib"):
        yield from editor_room(place, key, value)
    if key.startswith(("light", "_light")) or key in ("style", "ltype"):
        limit = MAX_STYLE if key in ("style", "ltype") else MAX_INTENSITY
        try:
            number = typedefs.parse("float", value)
        except FormatError:
            return  # the name of a type, in a definition
        if isinstance(number, float) and not 0 <= number <= limit:
            yield Problem(place, f"{key} is {number:g}, allowed is 0 to {limit}", "warning")


# ------------------------------------------------------------------------------------------------------------- classes


def _classes(level: EntityLevel) -> Iterator[Problem]:
    definitions: dict[str, TypeDef] = {}
    for number, entity in enumerate(level.entities):
        if number and entity.is_typedef:
            try:
                made = typedefs.from_entity(entity)
            except FormatError as error:
                yield Problem(title(level, number), str(error))
                continue
            if made.name.lower() in definitions:
                yield Problem(title(level, number), f"defines {made.name} again", "warning")
            definitions.setdefault(made.name.lower(), made)
    for made in definitions.values():
        for each in made.fields:
            if each.type not in typedefs.BASIC and each.type.lower() not in definitions:
                yield Problem(f"class {made.name}", f"{each.name} is of the class {each.type}, which is not defined")
    named = {entity.name.lower(): entity for entity in reversed(level.entities) if entity.name}
    unknown: Counter[str] = Counter()
    for number, entity in enumerate(level.entities):
        if number == 0 or entity.is_typedef or entity.classname == MODEL:
            continue
        definition = definitions.get(entity.classname.lower())
        if definition is None:
            unknown[entity.classname] += 1
        else:
            yield from _instance(title(level, number), entity, definition, named)
    for name, count in unknown.items():
        message = f"is not defined: the game does not see its {number_of(count, 'entities')}"
        yield Problem(f"class {name!r}", message, "warning", count)


def _instance(place: str, entity: Entity, definition: TypeDef, named: dict[str, Entity]) -> Iterator[Problem]:
    """An entity against its class."""
    if definition.origin and definition.origin not in entity:
        yield Problem(place, f"has no {definition.origin}, which {definition.name} has: it has no place", "warning")
    for key, value in entity.pairs:
        if key.lower() == "classname" or key.startswith("%"):
            continue
        each = definition.field(key)
        if each is None:
            yield Problem(place, f"{definition.name} defines no {key}: the engine refuses the whole level")
        elif each.type == "model" or each.type not in typedefs.BASIC:
            target = named.get(value.lower())
            if target is None or (each.type == "model" and not (target.brushes or MODEL_KEY in target)):
                kind = "world model" if each.type == "model" else "entity"
                yield Problem(place, f"{key} names the {kind} {value!r}, which there is not")
        else:
            try:
                typedefs.parse(each.type, value)
            except FormatError as error:
                yield Problem(place, f"{key}: {error.message}", "warning")
