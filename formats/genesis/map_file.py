# SPDX-License-Identifier: GPL-3.0-or-later
"""Binary `.map` files (genesis.md §1): what the editor gives to the compiler."""

import struct
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from ..arrays import Int32s
from ..binary import Buffer, Cursor, FormatError
from . import motion_file, typedefs
from .entities import Entity, PackedBrushes
from .level import EntityLevel
from .records import FACE, FaceArray

TAG = b"NCBF"  # the editor writes it as the number 0x4642434E
VERSION = 1
HAS_MOTION = 1

BRUSH = np.dtype([("entity", "<i4"), ("flags", "<u4"), ("first_face", "<i4"), ("num_faces", "<i4")])

_HEADER = struct.Struct("<i4si")
_BRUSH_HEADER = struct.Struct("<Ii")
_INT = struct.Struct("<i")
_ROW = np.dtype((np.void, FACE.itemsize))  # a face as bytes: numpy copies records field by field
_ALIKE = 16  # brushes with equally many faces in a row, after which more such are expected


@dataclass(slots=True, eq=False)
class MapLevel(EntityLevel):
    """A level as the compiler reads it. Its lists may be changed freely.

    Entity 0 is the world; then come world models, point entities and definitions of types, in this order in files that
    the editor wrote. `trailing`: bytes behind the counted entities, which the compiler ignores.
    """

    kind: ClassVar[Literal["map", "3dt", "bsp"]] = "map"

    entities: list[Entity] = field(default_factory=list)
    version: int = VERSION
    tag: bytes = TAG
    trailing: bytes = b""

    def table(self) -> tuple["np.ndarray[tuple[int], np.dtype[np.void]]", FaceArray]:
        """All brushes as records of BRUSH and all their faces as one array of FACE, in the file's order.

        `entity` is a number in `entities`; the faces of a brush begin at `first_face`. A copy, to compute with.
        """
        packed = [entity.packed() for entity in self.entities]
        table = np.zeros(sum(len(one.counts) for one in packed), BRUSH)
        table["entity"] = np.repeat(np.arange(len(packed)), [len(one.counts) for one in packed])
        table["flags"] = np.concatenate([np.empty(0, np.uint32), *(one.flags for one in packed)])
        table["num_faces"] = np.concatenate([np.empty(0, np.int64), *(one.counts for one in packed)])
        table["first_face"] = np.cumsum(table["num_faces"]) - table["num_faces"]
        rows = [np.empty(0, _ROW), *(one.faces.view(_ROW) for one in packed if len(one.faces))]
        return table, np.concatenate(rows).view(FACE)


def new_level() -> MapLevel:
    """An empty level with the keys that the editor gives a world, and its own four classes."""
    world = Entity(
        [
            ("TextureLib", ""),
            ("SkyAxis", "1.000000 0.000000 0.000000"),
            ("SkyRotation", "10.000000"),
            ("SkyDrawScale", "1.000000"),
        ]
    )
    return MapLevel([world, *typedefs.entities(typedefs.BUILTIN)])


def identify(data: Buffer) -> bool:
    """Whether these bytes are a binary `.map`: its tag, and a number of entities that fits."""
    if len(data) < _HEADER.size:
        return False
    _, tag, count = _HEADER.unpack(bytes(data[: _HEADER.size]))
    return bool(tag == TAG) and 0 <= count <= len(data) // 12


def read(data: Buffer) -> MapLevel:
    """Read a binary `.map`. Raises FormatError.

    Another version than 1 is read (the compiler looks at neither version nor tag); another tag is refused: without it
    nothing says that these bytes are a level.
    """
    data = bytes(data)
    cursor = Cursor(data)
    version = cursor.i32("version")
    tag = bytes(cursor.take(4, "tag"))
    if tag != TAG:
        raise FormatError(f"tag {tag!r} of version {version}: a Genesis3D map has {TAG!r}", "header", 4)
    count = cursor.i32("number of entities")
    _fits(cursor, count, 12, "entities")
    level = MapLevel(version=version)
    level.entities = [_read_entity(cursor, data, number) for number in range(count)]
    level.trailing = data[cursor.offset :]
    return level


def _fits(cursor: Cursor, count: int, size: int, what: str) -> None:
    """Refuse a count of things of at least `size` bytes that the rest of the file has no room for."""
    if count < 0:
        raise cursor.error(f"their number is negative ({count})", what)
    if count * size > cursor.left:
        raise cursor.error(f"{count} of at least {size} bytes, but {cursor.left} bytes are left", what)


def _read_entity(cursor: Cursor, data: bytes, number: int) -> Entity:
    where = f"entity {number}"
    entity = Entity(brushes=_read_brushes(cursor, data, where))
    entity.flags = cursor.u32(f"flags of {where}")
    if entity.flags == HAS_MOTION:
        try:
            entity.motion, cursor.offset = motion_file.read(data, cursor.offset)
        except FormatError as error:
            raise error.about(f"{error.reading} of {where}") from None
    count = cursor.i32(f"number of pairs of {where}")
    _fits(cursor, count, 8, f"pairs of {where}")
    entity.pairs = [(_string(cursor, data, where), _string(cursor, data, where)) for _ in range(count)]
    return entity


def _read_brushes(cursor: Cursor, data: bytes, where: str) -> PackedBrushes:
    count = cursor.i32(f"number of brushes of {where}")
    _fits(cursor, count, _BRUSH_HEADER.size, f"brushes of {where}")
    # The headers first: the faces between them are copied into one array, which brushes are parts of.
    flags: list[int] = []
    counts: list[int] = []
    runs = []
    offset, unpack, size = cursor.offset, _BRUSH_HEADER.unpack_from, FACE.itemsize
    alike, last = 0, -1
    while len(counts) < count:
        if offset + _BRUSH_HEADER.size > len(data):
            cursor.offset = offset
            cursor.need(_BRUSH_HEADER.size, f"brush {len(counts)} of {where}")
        flag, faces = unpack(data, offset)
        if not 0 <= faces * size <= len(data) - offset - _BRUSH_HEADER.size:
            cursor.offset = offset + _BRUSH_HEADER.size
            _fits(cursor, faces, size, f"faces of brush {len(counts)} of {where}")
        alike, last = (alike + 1 if faces == last else 0), faces
        stride = _BRUSH_HEADER.size + faces * size
        if alike < _ALIKE:
            run = 1
            flags.append(flag)
        else:
            run = _run(data, offset, faces, stride, count - len(counts))
            flags += np.ndarray(run, "<u4", data, offset, (stride,)).tolist()
        counts += [faces] * run
        runs.append((offset + _BRUSH_HEADER.size, run, faces, stride))
        offset += run * stride
    cursor.offset = offset
    table = np.empty(sum(counts), _ROW)
    first = 0
    for start, run, faces, stride in runs:
        rows: FaceArray = np.ndarray((run, faces), _ROW, data, start, (stride, size))
        table[first : first + run * faces].reshape(run, faces)[:] = rows
        first += run * faces
    return PackedBrushes(np.array(flags, np.uint32), np.array(counts, np.int64), table.view(FACE))


def _run(data: bytes, offset: int, faces: int, stride: int, limit: int) -> int:
    """How many of up to `limit` brushes, from the one at `offset` on, have that many faces and lie within the data."""
    limit = min(limit, (len(data) - offset) // stride)
    counts: Int32s = np.ndarray(limit, "<i4", data, offset + 4, (stride,))
    found, size = 0, 64
    while found < limit:
        others = np.flatnonzero(counts[found : found + size] != faces)
        if len(others):
            return found + int(others[0])
        found, size = found + size, size * 4
    return limit


def _string(cursor: Cursor, data: bytes, where: str) -> str:
    """A length and that many bytes, without a NUL."""
    length = cursor.i32(f"length of a text of {where}")
    start = cursor.offset
    cursor.skip(length, f"text of {where}")
    return data[start : cursor.offset].decode("latin-1")


def write(level: MapLevel) -> bytes:
    """Return the level's bytes. Raises FormatError for what the format cannot hold."""
    parts = [_HEADER.pack(level.version, level.tag, len(level.entities))]
    for number, entity in enumerate(level.entities):
        try:
            parts += _entity_parts(entity)
        except FormatError as error:
            raise error.about(f"{error.reading} of entity {number}".lstrip()) from None
    parts.append(level.trailing)
    return b"".join(parts)


def _entity_parts(entity: Entity) -> list[bytes]:
    if (entity.motion is not None) != (entity.flags == HAS_MOTION):
        has = "a" if entity.motion is not None else "no"
        raise FormatError(f"flags {entity.flags} of an entity with {has} motion: 1 stands for one", "flags")
    parts = [_INT.pack(len(entity.brushes))]
    for brush in entity.brushes:
        if brush.faces.dtype != FACE:
            raise FormatError("the faces of a brush are not records of FACE", "brushes")
        parts += (_BRUSH_HEADER.pack(brush.flags & 0xFFFFFFFF, len(brush.faces)), brush.faces.tobytes())
    parts.append(struct.pack("<I", entity.flags))
    if entity.motion is not None:
        parts.append(motion_file.write(entity.motion))
    parts.append(_INT.pack(len(entity.pairs)))
    for pair in entity.pairs:
        for text in pair:
            try:
                raw = text.encode("latin-1")
            except UnicodeEncodeError as error:
                bad = error.object[error.start]
                raise FormatError(f"{text!r}: {bad!r} is not a Latin-1 character", "pairs") from None
            parts += (_INT.pack(len(raw)), raw)
    return parts
