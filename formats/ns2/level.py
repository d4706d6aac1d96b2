# SPDX-License-Identifier: GPL-3.0-or-later
"""A Spark level: what a `.level` holds (ns2.md §2, §3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..binary import Buffer, Cursor, FormatError
from .chunks import Chunk, ended, join, read_str16, split, str16
from .mesh import Mesh, decode_mesh, encode_mesh
from .objects import (
    Entity,
    Property,
    Value,
    assign,
    decode_entities,
    decode_properties,
    encode_entities,
    encode_properties,
    get,
    mask_bytes,
    read_mask,
)
from .parts import Encode, Parts
from .records import LEVEL_ORDER, ChunkId, PropertyType

Color = tuple[int, int, int, int]  # red, green, blue, alpha

DEFAULT_COLOR: Color = (255, 255, 255, 0)  # alpha 0: no color
PATHING = 0x7E374C8E  # id of the only block of editor settings that is known


@dataclass(slots=True, eq=False)
class Layer:
    """A layer. What is in it says so by its id (in version 4, which knows no ids, by its number: `id` is that)."""

    name: str
    id: int
    visible: int = 1  # 0 or 1: in the editor
    color: Color = DEFAULT_COLOR


@dataclass(slots=True, eq=False)
class Group:
    """A group. Vertices, edges, faces and objects in it say so by its id."""

    name: str
    id: int
    visible: int = 1
    color: Color = DEFAULT_COLOR


@dataclass(slots=True, eq=False)
class EditorSettings:
    """A block of editor settings: "Pathing", from which the game's navigation mesh is made."""

    name: str
    layers: int  # a mask: bit k is the layer of id k
    properties: list[Property]  # "Agent Radius", ...
    id: int = PATHING

    def get(self, name: str) -> Value | None:
        """The value of the first property of a name; None if there is none. Raises FormatError for broken bytes."""
        found = get(self.properties, name)
        return None if found is None else found.value

    def set(self, name: str, value: Value, kind: PropertyType | None = None) -> None:
        """Give the first property of a name another value, or append one of type `kind`. Raises FormatError."""
        assign(self.properties, name, value, kind)


class Level(Parts):
    """A level: a mesh, objects, layers, groups, and what the editor keeps for itself.

    Everything is decoded when it is first asked for. The lists may be changed in place, or set.
    """

    __slots__ = ()

    ORDER = LEVEL_ORDER

    @property
    def mesh(self) -> Mesh:
        """The geometry; one without anything where the level has none."""
        version = self.version
        value: Mesh = self._get(ChunkId.MESH, lambda data, at: decode_mesh(data, at, version), lambda: Mesh(version))
        return value

    @mesh.setter
    def mesh(self, value: Mesh) -> None:
        self._set(ChunkId.MESH, value)

    @property
    def entities(self) -> list[Entity]:
        """The objects: props, lights, spawns, ..."""
        if ChunkId.OBJECT not in self._values:
            chunks = [chunk for chunk in self.chunks if chunk.id == ChunkId.OBJECT]
            self._values[ChunkId.OBJECT] = decode_entities(chunks, self.version)
        value: list[Entity] = self._values[ChunkId.OBJECT]
        return value

    @entities.setter
    def entities(self, value: list[Entity]) -> None:
        self._set(ChunkId.OBJECT, value)

    @property
    def layers(self) -> list[Layer]:
        """Layers in the order in which the editor shows them."""
        value: list[Layer] = self._get(ChunkId.LAYERS, self._decoder(Layer, self.version > 4), list)
        return value

    @layers.setter
    def layers(self, value: list[Layer]) -> None:
        self._set(ChunkId.LAYERS, value)

    @property
    def groups(self) -> list[Group]:
        """Groups; their ids start at 1."""
        value: list[Group] = self._get(ChunkId.GROUPS, self._decoder(Group, True), list)
        return value

    @groups.setter
    def groups(self, value: list[Group]) -> None:
        self._set(ChunkId.GROUPS, value)

    @property
    def viewports(self) -> str:
        """XML: cameras and modes of the editor's four views."""
        value: str = self._get(ChunkId.VIEWPORTS, _decode_viewports, str)
        return value

    @viewports.setter
    def viewports(self, value: str) -> None:
        self._set(ChunkId.VIEWPORTS, value)

    @property
    def custom_colors(self) -> list[int]:
        """The 16 colors that the editor's color dialog remembers, each 0xAARRGGBB; none in old levels."""
        value: list[int] = self._get(ChunkId.CUSTOM_COLORS, _decode_colors, list)
        return value

    @custom_colors.setter
    def custom_colors(self, value: list[int]) -> None:
        self._set(ChunkId.CUSTOM_COLORS, value)

    @property
    def editor_settings(self) -> list[EditorSettings]:
        """Blocks of settings; none in levels before version 9."""
        value: list[EditorSettings] = self._get(ChunkId.EDITOR_SETTINGS, _decode_settings, list)
        return value

    @editor_settings.setter
    def editor_settings(self, value: list[EditorSettings]) -> None:
        self._set(ChunkId.EDITOR_SETTINGS, value)

    @property
    def pathing(self) -> EditorSettings | None:
        """The settings of the navigation mesh, to be changed in place; None where there are none."""
        return next((each for each in self.editor_settings if each.name == "Pathing"), None)

    def written(self) -> list[Chunk]:
        """The level's chunks as they are now. Raises FormatError for what the version can't hold."""
        encoders: dict[int, Encode] = {
            ChunkId.MESH: encode_mesh,
            ChunkId.LAYERS: lambda value: _encode_listed(value, self.version > 4, "layer"),
            ChunkId.GROUPS: lambda value: _encode_listed(value, True, "group"),
            ChunkId.VIEWPORTS: str16,
            ChunkId.CUSTOM_COLORS: _encode_colors,
            ChunkId.EDITOR_SETTINGS: _encode_settings,
        }
        none = bytes(4)
        bare: dict[int, bytes] = {
            ChunkId.MESH: b"",
            ChunkId.LAYERS: none,
            ChunkId.GROUPS: none,
            ChunkId.CUSTOM_COLORS: none,
            ChunkId.EDITOR_SETTINGS: b"",
        }
        chunks = self._written(encoders, bare)
        if ChunkId.OBJECT in self._values:
            chunks = self._with_entities(chunks)
        return chunks

    def _with_entities(self, chunks: list[Chunk]) -> list[Chunk]:
        """Chunks with the objects as they are now, in the places of the objects that there were; the rest behind."""
        objects = [Chunk(ChunkId.OBJECT, data) for data in encode_entities(self.entities, self.version)]
        places = [at for at, chunk in enumerate(chunks) if chunk.id == ChunkId.OBJECT]
        first_new = places[-1] + 1 if places else self._place(ChunkId.OBJECT, chunks)
        new = objects[len(places) :]
        replaced = dict(zip(places, objects, strict=False))
        dropped = set(places[len(objects) :])
        kept = [replaced.get(at, chunk) for at, chunk in enumerate(chunks) if at not in dropped]
        first_new -= len(dropped)
        return [*kept[:first_new], *new, *kept[first_new:]]

    def _decoder(self, kind: "type[_Listed]", has_ids: bool) -> "Callable[[Buffer, int], list[_Listed]]":
        return lambda data, offset: _decode_listed(data, offset, kind, has_ids)


_Listed = TypeVar("_Listed", Layer, Group)


def _decode_listed(data: Buffer, offset: int, kind: type[_Listed], has_ids: bool) -> list[_Listed]:
    """The list of layers or of groups."""
    cursor, what = Cursor(data, base=offset), f"{kind.__name__.lower()}s"
    count = cursor.u32(what)
    cursor.need(12 * count, what)
    listed = []
    for number in range(count):
        name, visible = read_str16(cursor, what), cursor.u32(what)
        red, green, blue, alpha = cursor.take(4, what)
        listed.append(kind(name, cursor.u32(what) if has_ids else number, visible, (red, green, blue, alpha)))
    ended(cursor, what)
    return listed


def _encode_listed(listed: Sequence[Layer | Group], has_ids: bool, what: str) -> bytes:
    parts = [len(listed).to_bytes(4, "little")]
    for number, each in enumerate(listed):
        if not has_ids and each.id != number:
            raise FormatError(f"id {each.id}: in this version it is its number", f"{what} {number}")
        try:
            words = each.visible.to_bytes(4, "little") + bytes(each.color)
            parts += [str16(each.name), words, each.id.to_bytes(4, "little") if has_ids else b""]
        except (ValueError, OverflowError) as error:
            raise FormatError(str(error), f"{what} {number} ({each.name})") from None
        if len(each.color) != 4:
            raise FormatError(f"color {each.color} has not 4 components", f"{what} {number} ({each.name})")
    return b"".join(parts)


def _decode_viewports(data: Buffer, offset: int) -> str:
    cursor = Cursor(data, base=offset)
    text = read_str16(cursor, "viewports")
    ended(cursor, "viewports")
    return text


def _decode_colors(data: Buffer, offset: int) -> list[int]:
    cursor = Cursor(data, base=offset)
    colors: list[int] = cursor.array("<u4", cursor.u32("custom colors"), "custom colors").tolist()
    ended(cursor, "custom colors")
    return colors


def _encode_colors(colors: list[int]) -> bytes:
    try:
        return b"".join(word.to_bytes(4, "little") for word in (len(colors), *colors))
    except OverflowError as error:
        raise FormatError(str(error), "custom colors") from None


def _decode_settings(data: Buffer, offset: int) -> list[EditorSettings]:
    """Chunk 7: blocks, each of a chunk 0 with name and layers and a chunk 1 with properties."""
    what = "editor settings"
    blocks = []
    for block in split(data, 0, offset, what):
        parts = split(block.data, 0, block.offset, what)
        if [part.id for part in parts] != [0, 1]:
            found = ", ".join(str(part.id) for part in parts)
            raise FormatError(f"consist of chunks {found or 'none'}; known are 0, 1", what, block.offset)
        head = Cursor(parts[0].data, base=parts[0].offset)
        settings = EditorSettings(read_str16(head, what), read_mask(head), [], block.id)
        ended(head, what)
        decode_properties(Cursor(parts[1].data, base=parts[1].offset), None, {}, settings.properties)
        blocks.append(settings)
    return blocks


def _encode_settings(blocks: list[EditorSettings]) -> bytes:
    chunks = []
    for settings in blocks:
        head = str16(settings.name) + mask_bytes(settings.layers)
        body = b"".join(encode_properties(settings.properties, {}))
        chunks.append(Chunk(settings.id, join([Chunk(0, head), Chunk(1, body)])))
    return join(chunks)
