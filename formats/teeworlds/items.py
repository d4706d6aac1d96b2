# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed views of a map's items (teeworlds.md §3): properties over their raw words, and over the blobs they name.

A word that the item is too short for reads as the documented default. Setting a property to what it is changes nothing;
setting one that is missing lengthens the item to the shortest form that has it.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ..arrays import Bytes
from ..binary import FormatError
from .datafile import Blob, Item
from .records import GROUP_EX, WORD, ItemKind, encode_text, text_to_words, words_to_text

SPARE_BYTES = 16 << 20  # that a blob may have beyond what its item needs; texts are no longer, either

NO_NAME = tuple(text_to_words("", 3, "name").tolist())
NO_LONG_NAME = tuple(text_to_words("", 8, "name").tolist())


class Record:
    """A typed view of one item. Its blobs are those that its words number, until others are put in their place."""

    KIND: ClassVar[int]
    NEWEST: ClassVar[tuple[int, ...]]  # the words of a fresh item, in its longest form
    FORMS: ClassVar[tuple[tuple[int, int], ...]] = ()  # (length, version) of the forms, shortest first
    VERSION_WORD: ClassVar[int] = 0

    def __init__(self, item: Item, blobs: Sequence[Blob] = ()) -> None:
        self.item = item
        self.blobs = blobs  # of the file that it was read from
        self._own: dict[int, Blob] = {}  # word -> the blob that it shall name

    @classmethod
    def fresh(cls) -> Self:
        """Return a record with an item of its own, in its newest form."""
        return cls(Item(int(cls.KIND), 0, np.array(cls.NEWEST, WORD)))

    def copy(self) -> Self:
        """Return the same with an item and blobs of its own."""
        twin = type(self)(self.item.copy(), self.blobs)
        for word in self.blob_words():
            blob = self.blob(word)
            if blob is not None:
                twin._own[word] = blob.clone()
        return twin

    @property
    def version(self) -> int:
        """The version that the item claims; its length says more."""
        return self.get(self.VERSION_WORD, 0)

    def get(self, word: int, default: int) -> int:
        """One word, or the default if the item is too short."""
        return int(self.item.words[word]) if word < len(self.item.words) else default

    def put(self, word: int, value: int, default: int = 0) -> None:
        """Set one word, if that changes anything. Raises FormatError if the value doesn't fit in 32 bits."""
        if self.get(word, default) == value:
            return
        self._extend(word)
        self.item.set(word, value)

    def _extend(self, word: int) -> None:
        """Lengthen the item to its shortest form that has `word`."""
        words = self.item.words
        if word < len(words):
            return
        length, version = next(form for form in self.FORMS if form[0] > word)
        self.item.words = np.concatenate((words, np.array(self.NEWEST[len(words) : length], WORD)))
        self.item.set(self.VERSION_WORD, max(version, self.version))

    def name_at(self, start: int, count: int) -> str:
        """The text of an I32String; "" if the item is too short."""
        return words_to_text(self.item.words[start : start + count]) if start + count <= len(self.item.words) else ""

    def put_name(self, start: int, count: int, text: str) -> None:
        """Set an I32String, if that changes anything."""
        if self.name_at(start, count) == text:
            return
        words = text_to_words(text, count, "name")
        self._extend(start + count - 1)
        self.item.set_range(start, words)

    def blob_words(self) -> tuple[int, ...]:
        """Which words name blobs, in the order in which the editors write these."""
        return ()

    def blob(self, word: int) -> Blob | None:
        """The blob that a word names; None where it names none."""
        if word in self._own:
            return self._own[word]
        index = self.get(word, -1)
        return self.blobs[index] if 0 <= index < len(self.blobs) else None

    def file_blob(self, word: int) -> int | None:
        """The number of the blob that the word names in the file that was read."""
        index = self.get(word, -1)
        return index if 0 <= index < len(self.blobs) else None

    def blob_data(self, word: int, what: str, need: int = 0) -> bytes | None:
        """The decoded bytes of a blob; None where there are none, or an unusable blob (size 0).

        `need`: how many the item's own numbers ask for. Raises FormatError for a blob that is absurdly longer.
        """
        blob = self.blob(word)
        if blob is None or blob.size == 0:
            return None
        if blob.size > 4 * need + SPARE_BYTES:
            raise FormatError(f"a blob of {blob.size} bytes where {need} are needed", what, blob.offset)
        return blob.data(what)

    def forget(self) -> None:
        """Let go of what was decoded; it is decoded again when it is next asked for."""
        for word in self.blob_words():
            blob = self.blob(word)
            if blob is not None:
                blob.forget()

    def put_blob(self, word: int, data: bytes | None) -> None:
        """Put other bytes in a blob's place, if that changes anything; None = no blob."""
        if data is None:
            self._own.pop(word, None)
            if self.file_blob(word) is not None:
                self.put(word, -1)
            return
        old = self.blob(word)
        if old is not None and old.size == len(data):
            try:
                if old.data() == data:
                    return
            except FormatError:
                pass  # damaged: the new bytes replace it
        self._extend(word)
        self._own[word] = Blob.new(data)

    def text(self, word: int, what: str) -> str | None:
        """The text in a blob up to its NUL; None where there is no blob."""
        data = self.blob_data(word, what)
        return None if data is None else data.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def put_text(self, word: int, text: str | None, what: str) -> None:
        """Set the text in a blob, if that changes anything; None (and "" where there was none) = no blob."""
        if self.text(word, what) != text and not (text == "" and self.blob(word) is None):
            self.put_blob(word, None if text is None else encode_text(text, what) + b"\0")


class Word:
    """A property: one word of the item."""

    def __init__(self, word: int, default: int = 0) -> None:
        self.word = word
        self.default = default

    def __get__(self, record: Record, owner: type) -> int:
        return record.get(self.word, self.default)

    def __set__(self, record: Record, value: int) -> None:
        record.put(self.word, int(value), self.default)


class Flag(Word):
    """A property: one word of the item, as a truth value; any number but 0 is true."""

    def __get__(self, record: Record, owner: type) -> bool:
        return record.get(self.word, self.default) != 0

    def __set__(self, record: Record, value: int) -> None:
        if (record.get(self.word, self.default) != 0) != bool(value):
            record.put(self.word, int(bool(value)), self.default)


class _Text:
    """A property: the text in the blob that a word names; None = no blob."""

    def __init__(self, word: int, what: str) -> None:
        self.word = word
        self.what = what

    def __get__(self, record: Record, owner: type) -> str | None:
        return record.text(self.word, self.what)

    def __set__(self, record: Record, value: str | None) -> None:
        record.put_text(self.word, value, self.what)


INFO_LIMITS = {"author": 31, "map_version": 15, "credits": 127, "license": 31, "settings": 255}
"""Bytes of Info's texts (of `settings`: of a command) that the games' editors read; they cut the rest off (teeworlds.md
§3.2)."""


def cut(text: str, limit: int) -> str:
    """What is left of a text of which only `limit` bytes are read: whole characters, as the games cut."""
    return text.encode("utf-8", "surrogateescape")[:limit].decode("utf-8", "ignore")


class Info(Record):
    """Who made the map, and the server's settings in it."""

    KIND = ItemKind.INFO
    NEWEST = (1, -1, -1, -1, -1, -1)
    FORMS = ((5, 1), (6, 1))

    author = _Text(1, "author")
    map_version = _Text(2, "map version")
    credits = _Text(3, "credits")
    license = _Text(4, "license")

    @classmethod
    def new(cls) -> "Info":
        """Return an item in which nothing is set."""
        return cls.fresh()

    def blob_words(self) -> tuple[int, ...]:  # noqa: D102 - inherited
        return (1, 2, 3, 4, 5)

    @property
    def settings(self) -> list[str]:
        """Server commands, e.g. "tune_zone 1 gravity 0.3"."""
        data = self.blob_data(5, "settings")
        if not data:
            return []
        return [line.decode("utf-8", "surrogateescape") for line in data.removesuffix(b"\0").split(b"\0")]

    @settings.setter
    def settings(self, lines: Sequence[str]) -> None:
        if self.settings != list(lines):
            self.put_blob(5, b"".join(encode_text(line, "settings") + b"\0" for line in lines) or None)


class Image(Record):
    """A picture: embedded as pixels, or external: the file `mapres/<name>.png` of the player's game."""

    KIND = ItemKind.IMAGE
    NEWEST = (1, 0, 0, 0, -1, -1)
    FORMS = ((6, 1), (7, 2))

    width = Word(1)  # of external ones what the author's file had
    height = Word(2)
    external = Flag(3)
    variant = Word(6, 1)  # 1 = RGBA, 0 = RGB (given up 2024); anything in version 1

    @classmethod
    def new(
        cls,
        name: str,
        pixels: Bytes | None = None,
        width: int = 0,
        height: int = 0,
        external: bool = False,
    ) -> "Image":
        """Return an image: embedded if there are `pixels` (uint8 [h, w, 4]), otherwise of the given size."""
        image = cls.fresh()
        image.name = name
        image.width, image.height, image.external = width, height, external
        if pixels is not None:
            image.set_pixels(pixels)
        return image

    def blob_words(self) -> tuple[int, ...]:  # noqa: D102 - inherited
        return (4, 5)

    @property
    def name(self) -> str:
        """Its name, without folder and ending."""
        return self.text(4, "image name") or ""

    @name.setter
    def name(self, text: str) -> None:
        self.put_text(4, text, "image name")

    def pixels(self) -> Bytes | None:
        """RGBA with straight alpha, uint8 [height, width, 4], top row first, read-only; None if it isn't embedded.

        RGB (variant 0) gets alpha 255. Raises FormatError where the bytes don't fit the size.
        """
        try:
            data = None if self.external else self.blob_data(5, "pixels", 4 * self.width * self.height)
            return None if data is None else self._decoded(data)
        except FormatError as error:
            raise error.about(f"pixels of image {self.name!r}") from None

    def _decoded(self, data: bytes) -> Bytes:
        width, height = self.width, self.height
        count = width * height
        if width < 0 or height < 0 or len(data) < 3 * count:
            raise FormatError(f"{len(data)} bytes for {width} x {height} px")
        if len(data) >= 4 * count:
            return np.frombuffer(data, np.uint8, 4 * count).reshape(height, width, 4)
        if len(data) != 3 * count:
            raise FormatError(f"{len(data)} bytes are neither RGB nor RGBA of {width} x {height} px")
        pixels = np.full((height, width, 4), 255, np.uint8)
        pixels[:, :, :3] = np.frombuffer(data, np.uint8).reshape(height, width, 3)
        pixels.flags.writeable = False
        return pixels

    def set_pixels(self, pixels: Bytes | None) -> None:
        """Embed `pixels` (uint8 [h, w, 4]), or make the image external (None).

        Opaque pixels of an RGB image stay RGB. Raises FormatError for another shape or type.
        """
        if pixels is None:
            self.external = True
            self.put_blob(5, None)
            return
        if pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.dtype != np.uint8:
            raise FormatError(f"pixels must be uint8 [h, w, 4], not {pixels.dtype} {pixels.shape}", "image")
        if not self.external and self.blob(5) is not None:
            try:
                old = self.pixels()
            except FormatError:
                old = None  # damaged: the new ones replace it
            if old is not None and np.array_equal(old, pixels):
                return
        rgb = self.version >= 2 and self.variant == 0 and bool((pixels[:, :, 3] == 255).all())
        self.height, self.width = pixels.shape[:2]
        self.external = False
        if self.version >= 2 and not rgb:
            self.variant = 1
        self.put_blob(5, (pixels[:, :, :3] if rgb else pixels).tobytes())


class Sound(Record):
    """A sound: Ogg/Opus, embedded or external (`mapres/<name>.opus`)."""

    KIND = ItemKind.SOUND
    NEWEST = (1, 0, -1, -1, 0)
    FORMS = ((5, 1),)

    DATA = 3  # the word that names its blob

    external = Flag(1)
    data_size = Word(4)  # deprecated: the blob's own size counts

    @classmethod
    def new(cls, name: str, data: bytes | None = None, external: bool = False) -> "Sound":
        """Return a sound: embedded if there is `data` (an Ogg/Opus file)."""
        sound = cls.fresh()
        sound.name, sound.external = name, external
        if data is not None:
            sound.set_data(data)
        return sound

    def blob_words(self) -> tuple[int, ...]:  # noqa: D102 - inherited
        return (2, self.DATA)

    @property
    def name(self) -> str:
        """Its name, without folder and ending."""
        return self.text(2, "sound name") or ""

    @name.setter
    def name(self, text: str) -> None:
        self.put_text(2, text, "sound name")

    def data(self) -> bytes | None:
        """The Ogg/Opus file; None if it isn't embedded."""
        try:
            blob = None if self.external else self.blob(self.DATA)
            return None if blob is None or blob.size == 0 else blob.data()
        except FormatError as error:
            raise error.about(f"sound {self.name!r}") from None

    def set_data(self, data: bytes | None) -> None:
        """Embed an Ogg/Opus file, or make the sound external (None)."""
        if data is None:
            self.external = True
            self.put_blob(self.DATA, None)
            return
        if not self.external and self.blob(self.DATA) is not None and self.data() == data:
            return
        self.external = False
        self.put_blob(self.DATA, bytes(data))
        self.data_size = len(data)


class GroupExtra(Record):
    """GROUP_EX: what DDNet of 2022-08 to 2023-10 stored beside a group."""

    KIND = ItemKind.UUID_INDEX  # of a type that each file numbers anew
    NEWEST = (1, 100)
    FORMS = ((2, 1),)
    UUID = GROUP_EX

    parallax_zoom = Word(1, 100)


class Automapper(Record):
    """Which rules the editor draws a tile layer with."""

    KIND = ItemKind.UUID_INDEX
    NEWEST = (1, 0, 0, -1, 0, 0)
    FORMS = ((6, 1),)

    group = Word(1)  # of its layer; kept up to date when a level is written
    layer = Word(2)  # in the group
    config = Word(3, -1)  # number of the rule set in the image's rules; -1 = none
    seed = Word(4)

    @classmethod
    def new(cls, config: int, seed: int = 0, automatic: bool = False) -> "Automapper":
        """Return a configuration for `TileLayer.automapper`."""
        mapper = cls.fresh()
        mapper.config, mapper.seed, mapper.automatic = config, seed, automatic
        return mapper

    @property
    def automatic(self) -> bool:
        """Whether the editor draws anew after each change."""
        return bool(self.get(5, 0) & 1)

    @automatic.setter
    def automatic(self, value: bool) -> None:
        self.put(5, self.get(5, 0) & ~1 | int(value))
