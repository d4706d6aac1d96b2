"""Groups and layers (teeworlds-map-notes §3)."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..binary import FormatError
from .datafile import Blob, Item
from .items import NO_NAME, Automapper, Flag, GroupExtra, Record, Word
from .records import (
    OLD_SOURCE,
    QUAD,
    SOURCE,
    TILE,
    TILE_RECORDS,
    TILE_RECORDS_2010,
    ItemKind,
    LayerFlag,
    LayerKind,
    SourceShape,
    TileKind,
)
from .tiles import compress_runs, expand_runs

Records = npt.NDArray[np.void]  # structured


class Group(Record):
    """A group of layers that scroll together, drawn in order. Lengths in px of the world, parallax in percent."""

    KIND = ItemKind.GROUP
    NEWEST = (3, 0, 0, 100, 100, 0, 0, 0, 0, 0, 0, 0, *NO_NAME)
    FORMS = ((7, 1), (12, 2), (15, 3))

    offset_x = Word(1)
    offset_y = Word(2)
    parallax_x = Word(3, 100)
    parallax_y = Word(4, 100)
    start_layer = Word(5)  # kept up to date when a level is written
    num_layers = Word(6)
    use_clip = Flag(7)
    clip_x = Word(8)  # in the world, not in the group
    clip_y = Word(9)
    clip_w = Word(10)
    clip_h = Word(11)

    def __init__(self, item: Item, blobs: Sequence[Blob] = ()) -> None:
        super().__init__(item, blobs)
        self.layers: list[Layer] = []
        self.extra: GroupExtra | None = None

    @classmethod
    def new(cls, name: str = "") -> "Group":
        """Return a group without layers, at offset 0, parallax 100."""
        group = cls.fresh()
        group.name = name
        return group

    @property
    def name(self) -> str:
        """Its name, up to 11 bytes."""
        return self.name_at(12, 3)

    @name.setter
    def name(self, text: str) -> None:
        self.put_name(12, 3, text)

    @property
    def parallax_zoom(self) -> int | None:
        """How much zooming moves the group, in percent; None in most maps (GROUP_EX, 2022-08 to 2023-10)."""
        return None if self.extra is None else self.extra.parallax_zoom

    @parallax_zoom.setter
    def parallax_zoom(self, value: int | None) -> None:
        if value is None:
            self.extra = None
        else:
            self.extra = self.extra or GroupExtra.fresh()
            self.extra.parallax_zoom = value


class Layer(Record):
    """What all layers have. Its class tells what it holds; UnknownLayer if nobody knows."""

    KIND = ItemKind.LAYER
    VERSION_WORD = 3
    NAME_WORD = 7

    flags = Word(2)  # LayerFlag

    @property
    def kind(self) -> LayerKind | int:
        """What the layer holds: the plain number if it is none of LayerKind."""
        number = self.get(1, -1)
        return LayerKind(number) if number in LayerKind.__members__.values() else number

    @property
    def detail(self) -> bool:
        """Whether players may switch it off ("high detail")."""
        return bool(self.flags & LayerFlag.DETAIL)

    @detail.setter
    def detail(self, value: bool) -> None:
        self.flags = self.flags & ~LayerFlag.DETAIL | (LayerFlag.DETAIL if value else 0)

    @property
    def name(self) -> str:
        """Its name, up to 11 bytes; "" in forms that have none."""
        return self.name_at(self.NAME_WORD, 3)

    @name.setter
    def name(self, text: str) -> None:
        self.put_name(self.NAME_WORD, 3, text)

    @property
    def title(self) -> str:
        """How errors call it."""
        return f"layer {self.name!r}" if self.name else "a layer without name"


class UnknownLayer(Layer):
    """A layer of a kind that no game has; kept as it is."""

    NEWEST = (0, 0, 0)
    NAME_WORD = 1 << 30  # unknown kinds have no name


_COUNT, _RECORDS = 4, 5  # words of layers that hold a list of records


def layer_of(item: Item, blobs: Sequence[Blob]) -> Layer:
    """The view of a layer item for its kind."""
    number = int(item.words[1]) if len(item.words) > 1 else -1
    return _LAYERS.get(number, UnknownLayer)(item, blobs)


_WIDTH, _HEIGHT = 4, 5
DATA = 14  # the word that names the blob of plain tiles
_FIRST_PHYSICS_WORD = {False: 15, True: 18}  # without and with a name
_PHYSICS_WORDS = (TileKind.TELE, TileKind.SPEEDUP, TileKind.FRONT, TileKind.SWITCH, TileKind.TUNE)
# The kind that flags stand for: of several bits the lowest, as the game looks for them.
_KINDS = [TileKind(flags & -flags) for flags in range(64)]


class TileLayer(Layer):
    """A grid of tiles: drawn ones, or one of the layers that the game plays on."""

    NEWEST = (0, 2, 0, 3, 0, 0, 0, 255, 255, 255, 255, -1, 0, -1, -1, *NO_NAME, -1, -1, -1, -1, -1)
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
        """Return a layer of air, in the form that DDNet writes (version 3)."""
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

    def _record(self, size: int) -> np.dtype[np.void]:
        """The record that the file has, by the size of its blob."""
        if self._tiles_word() == DATA:
            return TILE
        old = TILE_RECORDS_2010.get(self.tile_kind)
        if old is not None and 0 < size == self.width * self.height * old.itemsize:
            return old
        return TILE_RECORDS[self.tile_kind]

    def _tile_bytes(self) -> bytes:
        data = self.blob_data(self._tiles_word(), "tiles")
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


class RecordLayer(Layer):
    """A layer with a list of records in a blob."""

    FORMS = ((7, 1), (10, 2))
    RECORD: ClassVar[np.dtype[np.void]]

    count = Word(_COUNT)

    def blob_words(self) -> tuple[int, ...]:  # noqa: D102 - inherited
        return (_RECORDS,)

    def _record(self) -> np.dtype[np.void]:
        return self.RECORD

    def records(self) -> Records:
        """The records as they stand in the file, [n], read-only. Raises FormatError where there are too few."""
        count, record = self.count, self._record()
        if count == 0:
            return np.zeros(0, record)
        try:
            data = self.blob_data(_RECORDS, "records") or b""
            if count < 0 or count * record.itemsize > len(data):
                raise FormatError(f"{len(data)} bytes for {count} records of {record.itemsize}")
        except FormatError as error:
            raise error.about(f"records of {self.title}") from None
        return np.frombuffer(data, record, count)

    def set_records(self, records: Records) -> None:
        """Set the records. A layer without any gets a blob with an empty one, as DDNet writes it."""
        record = self._record()
        if records.dtype != record or records.ndim != 1:
            raise FormatError(f"needs {record} [n], not {records.dtype} {records.shape}", self.title)
        data, rest = records.tobytes(), b""
        try:
            old: Records | None = self.records()
        except FormatError:
            old = None  # damaged: the new ones replace it
        if old is not None and len(old) == len(records) and self.blob(_RECORDS) is not None:
            if old.tobytes() == data:
                return
            rest = (self.blob_data(_RECORDS, "records") or b"")[len(data) :]
        self.put(_COUNT, len(records))
        self.put_blob(_RECORDS, data + rest or bytes(record.itemsize))


class QuadLayer(RecordLayer):
    """Quads: pictures with four corners anywhere, that envelopes may move and colour."""

    NEWEST = (0, LayerKind.QUADS, 0, 2, 0, -1, -1, *NO_NAME)
    RECORD = QUAD

    image = Word(6, -1)

    @classmethod
    def new(cls, name: str = "", image: int = -1, quads: Records | None = None, detail: bool = False) -> "QuadLayer":
        """Return a layer with these quads (QUAD [n])."""
        layer = cls.fresh()
        layer.name, layer.image, layer.detail = name, image, detail
        layer.set_quads(np.zeros(0, QUAD) if quads is None else quads)
        return layer

    def quads(self) -> Records:
        """The quads in the order they are drawn in, QUAD [n], read-only. Raises FormatError where there are too few."""
        return self.records()

    def set_quads(self, quads: Records) -> None:
        """Set the quads (QUAD [n])."""
        self.set_records(quads)


class SoundLayer(RecordLayer):
    """Sources of one sound."""

    NEWEST = (0, LayerKind.SOUNDS, 0, 2, 0, -1, -1, *NO_NAME)
    RECORD = SOURCE

    sound = Word(6, -1)

    @classmethod
    def new(cls, name: str = "", sound: int = -1, sources: Records | None = None, detail: bool = False) -> "SoundLayer":
        """Return a layer with these sources (SOURCE [n])."""
        layer = cls.fresh()
        layer.name, layer.sound, layer.detail = name, sound, detail
        layer.set_sources(np.zeros(0, SOURCE) if sources is None else sources)
        return layer

    @property
    def deprecated(self) -> bool:
        """Whether it is of the kind of late 2014: circles only, always panning, without falloff."""
        return self.kind == LayerKind.DEPRECATED_SOUNDS

    def _record(self) -> np.dtype[np.void]:
        return OLD_SOURCE if self.deprecated else SOURCE

    def sources(self) -> Records:
        """The sources, SOURCE [n], read-only; deprecated ones as the circles that the game makes of them.

        Raises FormatError where there are too few.
        """
        records = self.records()
        if not self.deprecated:
            return records
        sources = np.zeros(len(records), SOURCE)
        for old, new in _OLD_SOURCE_FIELDS:
            sources[new] = records[old]
        sources["panning"] = 1
        sources["shape"] = SourceShape.CIRCLE
        sources.flags.writeable = False
        return sources

    def set_sources(self, sources: Records) -> None:
        """Set the sources (SOURCE [n]). Raises FormatError for what a deprecated layer cannot hold."""
        if not self.deprecated:
            self.set_records(sources)
            return
        lost = (sources["panning"] != 1) | (sources["falloff"] != 0) | (sources["shape"] != SourceShape.CIRCLE)
        if lost.any():
            number = int(np.flatnonzero(lost)[0])
            raise FormatError(f"source {number} is no panning circle without falloff, 2014 had no other", self.title)
        records = np.zeros(len(sources), OLD_SOURCE)
        for old, new in _OLD_SOURCE_FIELDS:
            records[old] = sources[new]
        self.set_records(records)


_OLD_SOURCE_FIELDS = [(name, "width" if name == "radius" else name) for name in OLD_SOURCE.names or ()]
_LAYERS: dict[int, type[Layer]] = {
    LayerKind.TILES: TileLayer,
    LayerKind.QUADS: QuadLayer,
    LayerKind.DEPRECATED_SOUNDS: SoundLayer,
    LayerKind.SOUNDS: SoundLayer,
}
