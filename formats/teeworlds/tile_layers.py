# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of tiles: drawn ones, and those that the game plays on (teeworlds.md §3)."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Records
from ..binary import FormatError
from .datafile import Blob, Item
from .items import NO_NAME, Automapper, Word
from .layers import Layer
from .records import TILE, TILE_RECORDS, TILE_RECORDS_2010, LayerKind, TileKind
from .tiles import compress_runs, expand_runs

_WIDTH, _HEIGHT = 4, 5
DATA = 14  # the word that names the blob of plain tiles
_FIRST_PHYSICS_WORD = {False: 15, True: 18}  # without and with a name
_PHYSICS_WORDS = (TileKind.TELE, TileKind.SPEEDUP, TileKind.FRONT, TileKind.SWITCH, TileKind.TUNE)
# The kind that flags stand for: of several bits the lowest, as the game looks for them.
_KINDS = [TileKind(flags & -flags) for flags in range(64)]


def refuse_too_large(width: int, height: int, record: np.dtype[np.void]) -> None:
    """Raise FormatError for a layer whose tiles no file can hold: sizes of blobs are int32 (teeworlds.md §2)."""
    if width * height * max(record.itemsize, TILE.itemsize) >= 2**31:
        raise FormatError(f"a layer of {width} x {height} tiles is larger than a map can hold")


class TileLayer(Layer):
    """A grid of tiles: drawn ones, or one of the layers that the game plays on."""

    NEWEST = (0, LayerKind.TILES, 0, 3, 0, 0, 0, 255, 255, 255, 255, -1, 0, -1, -1, *NO_NAME, -1, -1, -1, -1, -1)
    FORMS = ((15, 2), (18, 3), (23, 3))
    NAME_WORD = 15

    tile_flags = Word(6)  # TileKind and bits that nobody knows
    color_envelope = Word(11, -1)  # < 0 or beyond the last: none
    color_envelope_offset = Word(12)  # ms
    image = Word(13, -1)

    def __init__(self, item: Item, blobs: Sequence[Blob] = ()) -> None:
        super().__init__(item, blobs)
        self.automapper: Automapper | None = None
        self._runs: tuple[bytes, Records] | None = None  # and what they stand for

    @classmethod
    def new(
        cls,
        tile_kind: TileKind,
        width: int,
        height: int,
        name: str = "",
        *,
        image: int = -1,
        color: tuple[int, int, int, int] = (255, 255, 255, 255),
        color_envelope: int = -1,
        color_envelope_offset: int = 0,
        detail: bool = False,
    ) -> "TileLayer":
        """Return a layer of air, in the form that DDNet writes (version 3). Raises FormatError for one too large."""
        refuse_too_large(width, height, TILE_RECORDS[tile_kind])
        layer = cls.fresh()
        layer.tile_flags = int(tile_kind)
        layer.name, layer.image, layer.color, layer.detail = name, image, color, detail
        layer.color_envelope, layer.color_envelope_offset = color_envelope, color_envelope_offset
        layer.set_tiles(np.zeros((height, width), TILE_RECORDS[tile_kind]))
        return layer

    def copy(self) -> "TileLayer":  # noqa: D102 - inherited
        twin = super().copy()
        twin.automapper = self.automapper and self.automapper.copy()
        return twin

    @property
    def width(self) -> int:
        """In tiles; `set_tiles` sets it."""
        return self.get(_WIDTH, 0)

    @property
    def height(self) -> int:
        """In tiles; `set_tiles` sets it."""
        return self.get(_HEIGHT, 0)

    @property
    def tile_kind(self) -> TileKind:
        """What the layer is for. Where several bits are set, the one that the game looks at first."""
        return _KINDS[self.tile_flags & 63]

    @property
    def has_name(self) -> bool:
        """Whether the item has a name (version 3 on)."""
        return self.version >= 3 and len(self.item) >= 18

    @property
    def name(self) -> str:
        """Its name, up to 11 bytes; "" before version 3."""
        return self.name_at(15, 3) if self.has_name else ""

    @name.setter
    def name(self, text: str) -> None:
        if text and not self.has_name:
            words = self.item.words
            self.item.words = np.concatenate((words[:15], np.array(NO_NAME, words.dtype), words[15:]))
            self.item.set(3, 3)
            self._own = {word if word < 15 else word + 3: blob for word, blob in self._own.items()}
        if text != self.name:
            self.put_name(15, 3, text)

    @property
    def color(self) -> tuple[int, int, int, int]:
        """Red, green, blue, alpha, 0-255."""
        return (self.get(7, 255), self.get(8, 255), self.get(9, 255), self.get(10, 255))

    @color.setter
    def color(self, rgba: Sequence[int]) -> None:
        for word, value in enumerate(rgba, 7):
            self.put(word, int(value), 255)

    def _physics_word(self) -> int | None:
        """The word that names the blob of a tele, speedup, front, switch or tune layer; None for others."""
        kind = self.tile_kind
        if kind not in _PHYSICS_WORDS:
            return None
        return _FIRST_PHYSICS_WORD[self.has_name] + _PHYSICS_WORDS.index(kind)

    def _tiles_word(self) -> int:
        """The word that names the blob with the tiles.

        InfClass maps of 2016 have tele and other layers without the word of their kind: their tiles are in `data`.
        """
        physics = self._physics_word()
        return physics if physics is not None and physics < len(self.item) else DATA

    def blob_words(self) -> tuple[int, ...]:  # noqa: D102 - inherited
        physics = self._physics_word()
        return (DATA,) if physics is None else (DATA, physics)

    @property
    def runs(self) -> bool:
        """Whether the tiles are run-length coded (version 4: vanilla 0.7)."""
        return self.version >= 4 and self._tiles_word() == DATA

    def forget(self) -> None:
        """Let go of what was decoded; it is decoded again when it is next asked for."""
        super().forget()
        self._runs = None

    def _record(self, size: int) -> np.dtype[np.void]:
        """The record that the file has, by the size of its blob."""
        if self._tiles_word() == DATA:
            return TILE
        old = TILE_RECORDS_2010.get(self.tile_kind)
        if old is not None and 0 < size == self.width * self.height * old.itemsize:
            return old
        return TILE_RECORDS[self.tile_kind]

    def _tile_bytes(self) -> bytes:
        need = self.width * self.height * TILE_RECORDS[self.tile_kind].itemsize
        data = self.blob_data(self._tiles_word(), "tiles", need)
        if data is None:
            raise FormatError("it has none")
        return data

    def tiles(self) -> Records:
        """The tiles, structured [height, width], read-only. Raises FormatError where there are too few.

        The record is that of the layer's kind (TILE_RECORDS); in alphas of 2010 that of their time, with fewer fields,
        and TILE for a physics layer that lacks its own blob. Runs (version 4) are expanded, their skip is then 0.
        """
        try:
            return self._decoded()
        except FormatError as error:
            raise error.about(f"tiles of {self.title}") from None

    def _decoded(self) -> Records:
        width, height = self.width, self.height
        if width < 0 or height < 0:
            raise FormatError(f"its size is {width} x {height}")
        data = self._tile_bytes()
        count = width * height
        if self.runs:
            return self._expanded(data, count).reshape(height, width)
        record = self._record(len(data))
        if len(data) < count * record.itemsize:
            raise FormatError(f"{len(data)} bytes for {width} x {height} records of {record.itemsize}")
        tiles: Records = np.frombuffer(data, record, count).reshape(height, width)
        return tiles

    def _expanded(self, data: bytes, count: int) -> Records:
        """What runs stand for; the last result is kept."""
        if self._runs is None or self._runs[0] is not data or len(self._runs[1]) != count:
            if len(data) % TILE.itemsize:
                raise FormatError(f"{len(data)} bytes are no whole number of records")
            blob = self.blob(DATA)
            if blob is not None:
                blob.charge(len(data) + count * TILE.itemsize, "tiles")
            tiles = expand_runs(np.frombuffer(data, TILE), count)
            tiles.flags.writeable = False
            self._runs = (data, tiles)
        return self._runs[1]

    def set_tiles(self, tiles: Records) -> None:
        """Set the tiles (structured [h, w], in the record that :meth:`tiles` has), and with them the layer's size.

        Version 4 is written in the runs that the game writes. Bytes beyond the tiles stay if the size does. The dummy
        that stands beside the tiles of a physics layer gets the new size. Raises FormatError for a wrong record.
        """
        try:
            old: Records | None = self.tiles()
        except FormatError:
            old = None  # none yet, or damaged
        record = self._record(0) if old is None else old.dtype
        if tiles.dtype != record or tiles.ndim != 2:
            raise FormatError(f"tiles must be {record} [h, w], not {tiles.dtype} {tiles.shape}", self.title)
        runs, word = self.runs, self._tiles_word()
        data, rest = (compress_runs(tiles) if runs else tiles).tobytes(), b""
        if old is not None and old.shape == tiles.shape:
            if runs and old.tobytes() == tiles.tobytes():
                return  # although its runs may not be those that the game writes
            rest = b"" if runs else self._tile_bytes()[len(data) :]
        height, width = tiles.shape
        if (height, width) != (self.height, self.width) and word != DATA:
            self.put_blob(DATA, bytes(TILE.itemsize * width * height))
        self.put(_WIDTH, width)
        self.put(_HEIGHT, height)
        self.put_blob(word, data + rest if rest else data)
