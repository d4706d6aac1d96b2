"""A Source map: lumps as bytes, as tables of records, and as what they mean; each is decoded when first asked for."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ..binary import Budget, Buffer, FormatError
from . import layouts, lzma_lump
from .bsp_file import BspFile
from .layouts import Layout
from .lumps import LumpId, lump_name
from .records import Records

# What lumps may decompress to: real maps stay below ten times their size.
_PLAIN_BYTES, _PLAIN_RATIO = 128 << 20, 16


class Level:
    """A map. Lumps that nobody sets come out as they came in.

    `file`: header and lumps as they are stored; its `version`, `revision` and `entries` may be written to.
    """

    __slots__ = ("_layouts", "_plain", "_wide", "budget", "file")

    def __init__(self, file: BspFile) -> None:
        self.file = file
        self.budget = Budget(_PLAIN_BYTES + _PLAIN_RATIO * file.size)
        self._plain: dict[int, memoryview] = {}
        self._layouts: dict[int, Layout] = {}
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
    def byte_order(self) -> str:
        """Of numbers: "<", or ">" in maps of consoles. Tables of records have dtypes in it."""
        return self.file.form.byte_order

    @property
    def lumps(self) -> range:
        """The numbers of all lumps: 64, or 128 in maps of version 42."""
        return range(self.file.form.lumps)

    # ---------------------------------------------------------------------------------------------------- as bytes

    def bytes_of(self, lump: int) -> memoryview:
        """The bytes of a lump, decompressed: a read-only view. Raises FormatError."""
        if lump not in self._plain:
            self._plain[lump] = self._decompressed(lump)
        return self._plain[lump]

    def _decompressed(self, lump: int) -> memoryview:
        what = lump_name(lump)
        lacks = self.file.cut(lump)
        if lacks:
            raise FormatError(f"{lacks} of its bytes lie behind the end of the file", what, self.file.size)
        stored = self.file.stored(lump)
        if self.file.entries["size"][lump] and lzma_lump.is_compressed(stored):
            return memoryview(lzma_lump.decode(stored, self.budget, what))
        return memoryview(stored).toreadonly().cast("B")

    def set_bytes(self, lump: int, data: Buffer) -> None:
        """Give a lump other bytes, which are compressed if the old ones were. Raises FormatError."""
        plain = bytes(data)
        was_compressed = bool(self.file.entries["size"][lump])
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
                self.version_of(lump),
                self.file.minor << 16 | self.version,
                self.bytes_of(lump),
                self.byte_order == ">",
                wide=self._has_wide_indices(),
                version_first=self.file.form.version_first,
            )
        return self._layouts[lump]

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
