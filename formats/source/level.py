# SPDX-License-Identifier: GPL-3.0-or-later
"""A Source map: lumps as bytes, as tables of records, and as what they mean; each is decoded when first asked for."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from ..arrays import Records
from ..binary import Budget, Buffer, FormatError
from .collision import physcollide
from .collision.physcollide import PhysCollide
from .container import lzma_lump
from .container.bsp_file import BspFile
from .container.game_lump import DETAIL_PROPS, STATIC_PROPS, GameLumps
from .container.pak import Pak
from .entities.text import Entities
from .lumps import LumpId, lump_name
from .records import ByteOrder
from .sections import detail_props, occlusion, static_props, texdata, visibility
from .sections.detail_props import DetailProps
from .sections.occlusion import Occlusion
from .sections.static_props import StaticProps
from .sections.texdata import Strings
from .sections.visibility import Visibility
from .tables import layouts
from .tables.layouts import Layout

# What lumps may decompress to: real maps stay below ten times their size.
_PLAIN_BYTES, _PLAIN_RATIO = 128 << 20, 16

View = TypeVar("View")


class Level:
    """A map. Lumps that nobody sets come out as they came in.

    What a lump means may be changed in place (`level.entities.append`); `write` looks for what is no longer as it was.
    `file`: header and lumps as they are stored; its `revision` and the versions in its `entries` may be written to.
    """

    __slots__ = ("_layouts", "_plain", "_props", "_salvage", "_views", "_wide", "budget", "file")

    def __init__(self, file: BspFile, salvage: bool = False) -> None:
        self.file = file
        self._salvage = salvage
        self.budget = Budget(_PLAIN_BYTES + _PLAIN_RATIO * file.size)
        self._plain: dict[int, memoryview] = {}
        self._layouts: dict[int, Layout] = {}
        self._views: dict[int, tuple[Any, Callable[[], bytes | None]]] = {}
        self._props: dict[str, StaticProps | DetailProps] = {}
        self._wide: bool | None = None

    @property
    def version(self) -> int:
        """Of the format: 17 to 27, or 42."""
        return self.file.version

    @property
    def revision(self) -> int:
        """Of the map: how often it was saved in the editor."""
        return self.file.revision

    @property
    def byte_order(self) -> ByteOrder:
        """Of numbers: "<", or ">" in maps of consoles. Tables of records have dtypes in it."""
        return self.file.form.byte_order

    @property
    def lumps(self) -> range:
        """The numbers of all lumps: 64, or 128 in maps of version 42."""
        return range(self.file.form.lumps)

    # ---------------------------------------------------------------------------------------------------- as bytes

    def bytes_of(self, lump: int) -> memoryview:
        """The bytes of a lump, decompressed: a read-only view. Raises FormatError."""
        self._store(lump)
        if lump not in self._plain:
            self._plain[lump] = self._decompressed(lump)
        return self._plain[lump]

    def _decompressed(self, lump: int) -> memoryview:
        lacks = self.file.cut(lump)
        if lacks:
            raise FormatError(f"{lacks} of its bytes lie behind the end of the file", lump_name(lump), self.file.size)
        stored = self.file.stored(lump)
        if self.file.entries["size"][lump] and lzma_lump.is_compressed(stored):
            return memoryview(lzma_lump.decode(stored, self.budget, lump_name(lump)))
        return memoryview(stored).toreadonly().cast("B")

    def set_bytes(self, lump: int, data: Buffer) -> None:
        """Give a lump other bytes, which are compressed if the old ones were. Raises FormatError."""
        self._views.pop(lump, None)
        if lump == LumpId.GAME_LUMP:
            self._props.clear()
        self._put(lump, bytes(data))

    def _put(self, lump: int, plain: bytes) -> None:
        stored = self.file.stored(lump)
        was_compressed = bool(self.file.entries["size"][lump]) and lzma_lump.is_compressed(stored)
        self._layouts.pop(lump, None)
        if lump == LumpId.NODES:
            self._wide = None
            self._layouts.clear()
        if was_compressed and plain:
            self.file.put(lump, lzma_lump.encode(plain), len(plain))
        else:
            self.file.put(lump, plain)
        self._plain[lump] = memoryview(plain)

    def version_of(self, lump: int) -> int:
        """The version of a lump's records."""
        return int(self.file.entries["version"][lump])

    # ------------------------------------------------------------------------------------------------ as records

    def layout(self, lump: int) -> Layout:
        """What records a lump holds; where it is no table of known records, why. Raises FormatError."""
        if lump not in self._layouts:
            self._layouts[lump] = layouts.choose(
                lump,
                self.version_of(
                    LumpId.FACES if lump == LumpId.ORIGINALFACES else lump
                ),  # its own is 0 (source.md §2.4)
                self.file.minor << 16 | self.version,
                self.bytes_of(lump),
                self.byte_order == ">",
                wide=self._has_wide_indices(),
                prop_collision=lump in layouts.PROP_COLLISION and self.has_prop_collision,
            )
        return self._layouts[lump]

    @property
    def has_prop_collision(self) -> bool:
        """Whether lumps 22 to 25 hold the collision of static props, as in Left 4 Dead 2, Portal 2 and Alien Swarm.

        CS:GO has lists of brushes there, one a face. Raises FormatError.
        """
        brushes, lists, triangles = (
            len(self.bytes_of(lump)) for lump in (LumpId.PORTALS, LumpId.CLUSTERS, LumpId.CLUSTERPORTALS)
        )
        if self.version < layouts.PROP_COLLISION_VERSION or not brushes + lists:
            return False
        faces = max(len(self.table(LumpId.FACES)), len(self.table(LumpId.FACES_HDR)))
        of_faces = lists in [faces * size for size in layouts.FACE_LIST_SIZES]
        return self.file.form.version_first or triangles > 0 or not of_faces

    def _has_wide_indices(self) -> bool:
        if self._wide is None:
            little = self.byte_order == "<"
            self._wide = little and layouts.has_wide_indices(
                self.bytes_of(LumpId.NODES), self.version_of(LumpId.NODES), self.version
            )
        return self._wide

    def table(self, lump: int) -> Records:
        """A lump as records: a read-only view. Raises FormatError if what its records are is not known."""
        layout = self.layout(lump)
        if layout.dtype is None:
            raise FormatError(layout.reason, lump_name(lump))
        return np.frombuffer(self.bytes_of(lump), layout.dtype)

    def set_table(self, lump: int, records: Records) -> None:
        """Give a lump other records, of the dtype that `table` gives. Raises FormatError."""
        layout = self.layout(lump)
        if layout.dtype is None:
            raise FormatError(layout.reason, lump_name(lump))
        if records.dtype != layout.dtype:
            raise FormatError(f"{records.dtype} is not {layout.dtype}", lump_name(lump))
        self.set_bytes(lump, records.tobytes())

    @property
    def opaque(self) -> Mapping[int, str]:
        """Which lumps that have bytes are no table of known records, and why."""
        found: dict[int, str] = {}
        for lump in self.lumps:
            try:
                layout = self.layout(lump)
            except FormatError as error:
                found[lump] = error.message
                continue
            if layout.dtype is None and len(self.bytes_of(lump)):
                found[lump] = layout.reason
        return MappingProxyType(found)

    # -------------------------------------------------------------------------------------------- as what they mean

    def _view(self, lump: int, decode: Callable[[Buffer], View], encode: Callable[[View], bytes | None]) -> View:
        """What a lump means; `encode` gives its bytes, or None where it is known that they are the same."""
        if lump not in self._views:
            view = decode(self.bytes_of(lump))
            self._views[lump] = view, lambda: encode(view)
        found: View = self._views[lump][0]
        return found

    def _store(self, lump: int) -> None:
        """Put the bytes of what was changed in place."""
        if lump == LumpId.GAME_LUMP:
            for name, props in self._props.items():
                data = props.to_bytes()
                if data != self.game_lumps.bytes_of(name):
                    self.game_lumps.set_bytes(name, data)
        if lump in self._views:
            encoded = self._views[lump][1]()
            if encoded is not None and encoded != self._plain[lump]:
                self._put(lump, encoded)

    def store(self) -> None:
        """Put the bytes of everything that was changed in place, as `write` does. Raises FormatError."""
        for lump in sorted(self._views):
            self._store(lump)

    @property
    def entities(self) -> Entities:
        """All entities, in order; the first is the world. Raises FormatError: with `salvage` only where none can be
        read, otherwise their `unread` says what can't be.
        """
        return self._view(LumpId.ENTITIES, Entities.salvage if self._salvage else Entities.decode, Entities.encode)

    @property
    def game_lumps(self) -> GameLumps:
        """The lumps in the game lump: static props and others. Raises FormatError."""
        place = int(self.file.entries["offset"][LumpId.GAME_LUMP])

        def decode(data: Buffer) -> GameLumps:
            return GameLumps(data, place, self.file.form.byte_order, self.budget, self.file.minor)

        return self._view(LumpId.GAME_LUMP, decode, lambda lumps: lumps.encode() if lumps.changed else None)

    @property
    def static_props(self) -> StaticProps | None:
        """Models that are part of the world; None if the map has no such lump, or an empty one. Raises FormatError."""
        if STATIC_PROPS not in self.game_lumps or not len(self.game_lumps.bytes_of(STATIC_PROPS)):
            return None
        if STATIC_PROPS not in self._props:
            data, version = self.game_lumps.bytes_of(STATIC_PROPS), self.game_lumps.version_of(STATIC_PROPS)
            self._props[STATIC_PROPS] = static_props.read(data, version, self.version, self.byte_order)
        found = self._props[STATIC_PROPS]
        return found if isinstance(found, StaticProps) else None

    @property
    def detail_props(self) -> DetailProps | None:
        """Grass and the like; None if the map has no such lump, or an empty one. Raises FormatError."""
        if DETAIL_PROPS not in self.game_lumps or not len(self.game_lumps.bytes_of(DETAIL_PROPS)):
            return None
        if DETAIL_PROPS not in self._props:
            data, version = self.game_lumps.bytes_of(DETAIL_PROPS), self.game_lumps.version_of(DETAIL_PROPS)
            self._props[DETAIL_PROPS] = detail_props.read(data, version, self.byte_order)
        found = self._props[DETAIL_PROPS]
        return found if isinstance(found, DetailProps) else None

    @property
    def occlusion(self) -> Occlusion | None:
        """What hides what is behind it; None if the lump is empty. Raises FormatError."""
        version = self.version_of(LumpId.OCCLUSION)

        def decode(data: Buffer) -> Occlusion | None:
            return occlusion.read(data, version, self.byte_order) if len(data) else None

        return self._view(LumpId.OCCLUSION, decode, lambda tables: None if tables is None else tables.to_bytes())

    @property
    def texture_names(self) -> Strings:
        """What the texdata name; to change them, set what `renamed` and `added` return. Raises FormatError."""
        return texdata.read(
            self.table(LumpId.TEXDATA_STRING_TABLE)["offset"], self.bytes_of(LumpId.TEXDATA_STRING_DATA)
        )

    @texture_names.setter
    def texture_names(self, names: Strings) -> None:
        self.set_bytes(LumpId.TEXDATA_STRING_TABLE, names.offsets.astype(self.byte_order + "i4").tobytes())
        self.set_bytes(LumpId.TEXDATA_STRING_DATA, names.data)

    @property
    def pak(self) -> Pak:
        """The files that the map brings along. Raises FormatError."""
        return self._view(
            LumpId.PAKFILE, lambda data: Pak(data, self.budget), lambda pak: pak.encode() if pak.changed else None
        )

    @property
    def visibility(self) -> Visibility | None:
        """Which clusters see and hear which; None if vvis did not run. To change it, set it. Raises FormatError."""
        return self._view(
            LumpId.VISIBILITY, lambda data: visibility.decode(data, self.byte_order, self.budget), lambda _: None
        )

    @visibility.setter
    def visibility(self, value: Visibility | None) -> None:
        self.set_bytes(LumpId.VISIBILITY, visibility.encode(value, self.byte_order))

    @property
    def physcollide(self) -> PhysCollide:
        """The collision of brush models. Raises FormatError."""
        return self._view(
            LumpId.PHYSCOLLIDE,
            lambda data: physcollide.decode(data, self.byte_order),
            lambda collide: physcollide.encode(collide, self.byte_order),
        )

    @property
    def physdisp(self) -> list[Buffer | None]:
        """The collision of each displacement; empty in maps of older compilers. Raises FormatError."""
        version = self.version_of(LumpId.PHYSDISP)
        return self._view(
            LumpId.PHYSDISP,
            lambda data: physcollide.decode_displacements(data, self.byte_order, version),
            lambda hulls: physcollide.encode_displacements(hulls, self.byte_order, version) if hulls else None,
        )
