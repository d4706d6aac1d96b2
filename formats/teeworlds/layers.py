# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and layers (teeworlds.md §3)."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..arrays import Records
from ..binary import FormatError
from .datafile import Blob, Item
from .items import NO_NAME, Flag, GroupExtra, Record, Word
from .records import (
    OLD_SOURCE,
    QUAD,
    SOURCE,
    ItemKind,
    LayerFlag,
    LayerKind,
    SourceShape,
)


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
            data = self.blob_data(_RECORDS, "records", count * record.itemsize) or b""
            if count < 0 or count * record.itemsize > len(data):
                raise FormatError(f"{len(data)} bytes for {count} records of {record.itemsize}")
        except FormatError as error:
            raise error.about(f"records of {self.title}") from None
        return np.frombuffer(data, record, count)

    def set_records(self, records: Records) -> None:
        """Set the records, if that changes anything. A layer that loses them all gets a blob with an empty one, as
        DDNet writes it.
        """
        record = self._record()
        if records.dtype != record or records.ndim != 1:
            raise FormatError(f"needs {record} [n], not {records.dtype} {records.shape}", self.title)
        data, rest = records.tobytes(), b""
        try:
            old: Records | None = self.records()
        except FormatError:
            old = None  # damaged: the new ones replace it
        if old is not None and len(old) == len(records):
            if old.tobytes() == data:
                return
            rest = (self.blob_data(_RECORDS, "records", len(data)) or b"")[len(data) :]
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
        layer.put_blob(_RECORDS, bytes(QUAD.itemsize))
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
        layer.put_blob(_RECORDS, bytes(SOURCE.itemsize))
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
