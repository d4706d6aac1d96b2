# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a level: what the editor calls entities, props and lights (ns2.md §3.3, §10)."""

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..binary import Cursor, FormatError
from .chunks import HEADER, Chunk, header, read_str8, str8, str16
from .records import FLOAT_TYPES, INT_TYPES, LAYER_FORMAT, MASK_WORDS, NO_GROUP, TEXT_TYPES, PropertyType

Value = str | bool | int | float | tuple[float, ...]

PROPERTY = 2  # id of the chunk of a property; 1 is an older kind that no known level has
CUBEMAP = "reflection_probe_cubemap"  # name of editor data

_INT = struct.Struct("<i")
_THREE = struct.Struct("<III")
_PROPERTY = struct.Struct("<III")  # of its chunk: id, length; count of bytes of the name
_PROPERTY_HEADER = struct.Struct("<4xI")
_COUNTS_SINCE = 10  # properties are counted, and editor data stands behind them


class Property(NamedTuple):
    """A property as it is stored. It can't be changed, only replaced: `Entity.set`."""

    name: str
    type: int  # PropertyType
    components: int  # how many floats; 1 for other types
    raw: bytes  # the value's bytes
    animated: int = 0  # in all known levels
    id: int = PROPERTY  # of its chunk; one of another id has no name, and all its bytes in `raw`

    @classmethod
    def of(cls, name: str, kind: PropertyType, value: Value) -> "Property":
        """A new property. Raises FormatError if the value is none of that type."""
        what = f"property {name!r}"
        try:
            if kind in TEXT_TYPES and isinstance(value, str):
                return cls(name, int(kind), 1, str16(value))
            if kind in INT_TYPES and isinstance(value, int):
                return cls(name, int(kind), 1, _INT.pack(value))
            if kind in FLOAT_TYPES and not isinstance(value, str) and value != ():
                floats = value if isinstance(value, tuple) else (value,)
                return cls(name, int(kind), len(floats), struct.pack(f"<{len(floats)}f", *floats))
        except (struct.error, OverflowError) as error:
            raise FormatError(f"{value!r}: {error}", what) from None
        raise FormatError(f"{value!r} is no value of type {PropertyType(kind).name}", what)

    @property
    def value(self) -> Value:
        """Text, a whole number, a truth, a float, or a tuple of several. Raises FormatError if `raw` is no such."""
        size = len(self.raw)
        if self.type in FLOAT_TYPES and size == 4 * self.components and size:
            floats: tuple[float, ...] = struct.unpack(f"<{self.components}f", self.raw)
            return floats[0] if self.components == 1 else floats
        if self.type in INT_TYPES and size == 4:
            number = int.from_bytes(self.raw, "little", signed=True)
            return bool(number) if self.type == PropertyType.BOOL else number
        if self.type in TEXT_TYPES and size >= 4 and size == 4 + 2 * int.from_bytes(self.raw[:4], "little"):
            return str(self.raw[4:], "utf-16-le", "surrogatepass")
        message = f"{size} bytes are no value of type {self.type} with {self.components} components"
        raise FormatError(message, f"property {self.name!r}")

    def with_value(self, value: Value) -> "Property":
        """The same property with another value. Raises FormatError if it is none of the type.

        Of a NaN that stays NaN, the bits stay too.
        """
        if self.type not in FLOAT_TYPES | TEXT_TYPES | INT_TYPES:
            raise FormatError(f"is of type {self.type}, which is not known", f"property {self.name!r}")
        new = Property.of(self.name, PropertyType(self.type), value)
        if new.components != self.components:
            message = f"{new.components} components, the property has {self.components}"
            raise FormatError(message, f"property {self.name!r}")
        raw = new.raw
        if self.type in FLOAT_TYPES and len(raw) == len(self.raw):
            before, after = np.frombuffer(self.raw, "<f4"), np.frombuffer(raw, "<f4")
            kept = np.isnan(before) & np.isnan(after)
            raw = np.where(kept, before.view("<u4"), after.view("<u4")).astype("<u4").tobytes()
        return self._replace(raw=raw)


def get(properties: list[Property], name: str) -> Property | None:
    """The first property of a name."""
    return next((each for each in properties if each.name == name), None)


def assign(properties: list[Property], name: str, value: Value, kind: PropertyType | None) -> None:
    """Give the first property of a name another value in its place, or append one of type `kind`."""
    for place, each in enumerate(properties):
        if each.name == name:
            properties[place] = each.with_value(value)
            return
    if kind is None:
        raise FormatError("there is none, and its type is not given", f"property {name!r}")
    properties.append(Property.of(name, kind, value))


@dataclass(slots=True, eq=False)
class EditorData:
    """Named bytes behind the properties of an object, from version 10 on: `reflection_probe_cubemap`."""

    name: str
    data: bytes


@dataclass(slots=True, eq=False)
class Entity:
    """An object. `properties` stands in the file's order; a name may be there twice."""

    class_name: str
    properties: list[Property] = field(default_factory=list)
    layers: int | None = None  # a mask: bit k is the layer of id k; None: in no layer
    group: int = NO_GROUP  # an id; version 4 says 0 for none
    editor_data: list[EditorData] = field(default_factory=list)

    def copy(self) -> "Entity":
        """Another object that is the same."""
        data = [EditorData(each.name, each.data) for each in self.editor_data]
        return Entity(self.class_name, list(self.properties), self.layers, self.group, data)

    def get(self, name: str) -> Value | None:
        """The value of the first property of a name; None if there is none. Raises FormatError for broken bytes."""
        found = get(self.properties, name)
        return None if found is None else found.value

    def get_all(self, name: str) -> list[Value]:
        """The values of all properties of a name."""
        return [each.value for each in self.properties if each.name == name]

    def set(self, name: str, value: Value, kind: PropertyType | None = None) -> None:
        """Give the first property of a name another value, or append one of type `kind`.

        Raises FormatError if the value is none of the property's type or has more or fewer components, or if there is
        no such property and no `kind`.
        """
        assign(self.properties, name, value, kind)

    def remove(self, name: str) -> None:
        """Take away all properties of a name."""
        self.properties[:] = [each for each in self.properties if each.name != name]


# -------------------------------------------------------------------------------------------------------------- bytes


def decode_entities(chunks: list[Chunk], version: int) -> list[Entity]:
    """All objects of a level, one a chunk. Raises FormatError.

    Properties that are byte for byte the same become one object (they can't be changed), which halves the time.
    """
    known: dict[bytes, Property] = {}
    entities = []
    for number, chunk in enumerate(chunks):
        try:
            entities.append(_decode_entity(bytes(chunk.data), chunk.offset, version, known))
        except FormatError as error:
            raise error.about(f"{error.reading} of object {number}") from None
    return entities


def _decode_entity(data: bytes, base: int, version: int, known: dict[bytes, Property]) -> Entity:
    cursor = Cursor(data, base=base)
    layers = cursor.u32("layers") if version <= 4 else _read_layers(cursor)
    group = cursor.u32("group")
    entity = Entity(read_str8(cursor, "class"), [], layers, group)
    counted = version >= _COUNTS_SINCE
    count = cursor.u32("number of properties") if counted else None
    decode_properties(cursor, count, known, entity.properties)
    if not counted:
        return entity
    for _ in range(cursor.u32("editor data")):
        name = read_str8(cursor, "name of editor data")
        entity.editor_data.append(EditorData(name, bytes(cursor.take(cursor.u32("editor data"), "editor data"))))
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes behind it", "editor data")
    return entity


def _read_layers(cursor: Cursor) -> int | None:
    has = cursor.u32("layers")
    if has > 1:
        cursor.offset -= 4
        raise cursor.error(f"{has} stands where 0 or 1 should", "layers")
    return read_mask(cursor, cursor.u32("format of the layers")) if has else None


def read_mask(cursor: Cursor, form: int = LAYER_FORMAT) -> int:
    """A count of words and the words, as one number."""
    size = cursor.u32("size of the layer mask")
    if form != LAYER_FORMAT or size != MASK_WORDS:
        message = f"format {form}, {size} words; known is format {LAYER_FORMAT}, {MASK_WORDS} words"
        raise cursor.error(message, "layers")
    return int.from_bytes(cursor.take(4 * size, "layers"), "little")


def mask_bytes(mask: int) -> bytes:
    """What `read_mask` reads. Raises FormatError."""
    try:
        return MASK_WORDS.to_bytes(4, "little") + mask.to_bytes(4 * MASK_WORDS, "little")
    except OverflowError:
        raise FormatError(f"{mask:#x} has bits beyond the {32 * MASK_WORDS} of a mask", "layers") from None


def decode_properties(cursor: Cursor, count: int | None, known: dict[bytes, Property], into: list[Property]) -> None:
    """Read properties: `count` of them, or all that there are. Raises FormatError.

    This is most of what the objects of a level take: it works on the bytes, and tells the cursor at the end.
    """
    what = "properties"
    if count is not None and count * HEADER > cursor.left:
        raise cursor.error(f"{count} of at least {HEADER} bytes, but {cursor.left} bytes are left", what)
    start = cursor.offset
    data = bytes(cursor.take(cursor.left, what))
    size, at, left, unpack = len(data), 0, -1 if count is None else count, _PROPERTY_HEADER.unpack_from
    while at < size and left:
        left -= 1
        end = at + HEADER + unpack(data, at)[0] if size - at >= HEADER else size + 1
        if end > size:
            cursor.offset = start + at
            raise cursor.error(f"reaches beyond the {size - at} bytes that are left", what)
        chunk = data[at:end]
        found = known.get(chunk)
        if found is None:
            found = known[chunk] = _decode_property(chunk, cursor.base + start + at)
        into.append(found)
        at = end
    cursor.offset = start + at
    if left > 0:
        raise cursor.error(f"{left} more are claimed, but no bytes are left", what)


def _decode_property(chunk: bytes, offset: int) -> Property:
    """A property from its chunk with its header."""
    if len(chunk) >= _PROPERTY.size:
        number, _, size = _PROPERTY.unpack_from(chunk)
        behind = _PROPERTY.size + size
        if number == PROPERTY and behind + _THREE.size <= len(chunk):
            name = str(chunk[_PROPERTY.size : behind], "utf-8", "surrogateescape")
            kind, components, animated = _THREE.unpack_from(chunk, behind)
            return Property(name, kind, components, chunk[behind + _THREE.size :], animated)
    number = int.from_bytes(chunk[:4], "little")
    if number == PROPERTY:
        raise FormatError(f"{len(chunk)} bytes have no room for its name and type", "property", offset)
    return Property("", -1, 0, chunk[HEADER:], 0, number)


def encode_entities(entities: list[Entity], version: int) -> list[bytes]:
    """The chunks of objects, without headers. Raises FormatError."""
    known: dict[Property, bytes] = {}
    chunks = []
    for number, entity in enumerate(entities):
        try:
            chunks.append(_encode_entity(entity, version, known))
        except FormatError as error:
            raise error.about(f"{error.reading} of object {number} ({entity.class_name})") from None
    return chunks


def _encode_entity(entity: Entity, version: int, known: dict[Property, bytes]) -> bytes:
    if not 0 <= entity.group <= NO_GROUP:
        raise FormatError(f"{entity.group} is no id", "group")
    group = entity.group.to_bytes(4, "little")
    if version <= 4:
        mask = entity.layers or 0
        if mask >> 32:
            raise FormatError(f"{mask:#x} has bits beyond the 32 of a mask of version 4", "layers")
        parts = [mask.to_bytes(4, "little"), group]
    elif entity.layers is None:
        parts = [b"\0\0\0\0", group]
    else:
        parts = [_THREE.pack(1, LAYER_FORMAT, MASK_WORDS), mask_bytes(entity.layers)[4:], group]
    parts.append(str8(entity.class_name, "class"))
    if version >= _COUNTS_SINCE:
        parts.append(len(entity.properties).to_bytes(4, "little"))
    parts += encode_properties(entity.properties, known)
    if version >= _COUNTS_SINCE:
        parts.append(len(entity.editor_data).to_bytes(4, "little"))
        for each in entity.editor_data:
            parts += [str8(each.name, "editor data"), len(each.data).to_bytes(4, "little"), each.data]
    elif entity.editor_data:
        raise FormatError(f"version {version} has none", "editor data")
    return b"".join(parts)


def encode_properties(properties: list[Property], known: dict[Property, bytes]) -> list[bytes]:
    """The chunks of properties, with headers; `known`: those made before. Raises FormatError."""
    parts = []
    for each in properties:
        data = known.get(each)
        if data is None:
            data = known[each] = _encode_property(each)
        parts.append(data)
    return parts


def _encode_property(each: Property) -> bytes:
    body = each.raw
    if each.id == PROPERTY:
        what = f"property {each.name!r}"
        try:
            fixed = _THREE.pack(each.type, each.components, each.animated)
        except struct.error as error:
            raise FormatError(str(error), what) from None
        body = str8(each.name, what) + fixed + each.raw
    return header(each.id, len(body)) + body


def no_group(version: int) -> int:
    """What an object's `group` says where it is in none."""
    return 0 if version <= 4 else NO_GROUP
