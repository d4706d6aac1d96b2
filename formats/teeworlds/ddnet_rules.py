# SPDX-License-Identifier: GPL-3.0-or-later
"""What DDNet (its `map_test` of 2026-08) accepts, as rules over a container (teeworlds.md §2 and §3).

An error is a map that DDNet refuses to load; a warning is a blob that it takes for missing while it loads the rest. The
rules read words and bytes, not our model of a level: what we understand and what DDNet accepts are two questions.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Int32s
from ..binary import FormatError, Problem
from ..counting import number_of
from .datafile import Blob, Datafile, Item
from .records import TILE_RECORDS, ItemKind, LayerKind, TileKind
from .tiles import unread_runs

MAP_VERSION = 1
GROUP_WORDS = 7  # of the oldest group
LAYER_WORDS = 3
TILE_LAYER_WORDS = 15  # up to the blob of tiles; a version 2 layer's physics blobs follow
NAMED_TILE_LAYER_WORDS = 18  # from version 3 a name stands between
PHYSICS = (TileKind.TELE, TileKind.SPEEDUP, TileKind.FRONT, TileKind.SWITCH, TileKind.TUNE)  # in the order of the words
ANY_PHYSICS = TileKind.GAME | TileKind.TELE | TileKind.SPEEDUP | TileKind.FRONT | TileKind.SWITCH | TileKind.TUNE


@dataclass(slots=True)
class _TileLayer:
    """A tile layer whose words are in order."""

    place: str
    kind: TileKind
    version: int
    width: int
    height: int
    blob: int

    @property
    def count(self) -> int:
        return self.width * self.height


def problems(file: Datafile, without: Collection[Blob] = ()) -> list[Problem]:
    """All that DDNet objects to in a container; it loads the map unless one of them is an error.

    without: blobs that aren't looked into.
    """
    found = [*_container(file), *_map_version(file)]
    layers: list[_TileLayer] = []
    refused = False
    for place, item in _layers(file, found):
        if len(item) < LAYER_WORDS:
            found.append(Problem(place, f"has {len(item)} words, {LAYER_WORDS} are needed"))
        elif item.words[1] == LayerKind.TILES:
            try:
                layers.append(_tile_layer(place, item))
            except FormatError as error:
                found.append(Problem(place, error.message))
                refused = True
    games = [layer for layer in layers if layer.kind == TileKind.GAME]
    if not games and not refused:
        found.append(Problem("map", "the game layer is missing"))
    found += _tile_blobs(file, layers, games[-1] if games else None, {id(blob) for blob in without})
    return found


def _container(file: Datafile) -> Iterator[Problem]:
    """Rules for the tables that :meth:`Datafile.read` does not need itself."""
    seen: set[int] = set()
    for number, row in enumerate(file.item_types):
        place = f"item type {number}"
        if not 0 <= row.type <= 0xFFFF:
            yield Problem(place, f"type {row.type} is no 16-bit number")
        if row.type in seen:
            yield Problem(place, f"type {row.type} has another row")
        seen.add(row.type)
        if not row.items:
            yield Problem(place, f"type {row.type} has no items")
        if row.type != ItemKind.UUID_INDEX:
            for key, count in sorted(Counter(item.id for item in row.items).items()):
                if count > 1:
                    yield Problem(place, f"items of type {row.type} share the id {key}", count=count - 1)
    for number, blob in enumerate(file.blobs):
        if not blob.stored(file.version):
            yield Problem(f"blob {number}", "takes no bytes in the file")


def _map_version(file: Datafile) -> Iterator[Problem]:
    for item in file.items(ItemKind.VERSION):
        if item.id == 0:
            if not len(item):
                yield Problem("map", "the version item is empty")
            elif item.words[0] != MAP_VERSION:
                yield Problem("map", f"version {item.words[0]}, {MAP_VERSION} is known")
            return
    yield Problem("map", "the version item is missing")


def _layers(file: Datafile, found: list[Problem]) -> Iterator[tuple[str, Item]]:
    """The layers of all groups with their places, each once; problems of the groups go to `found`."""
    layers = file.items(ItemKind.LAYER)
    used: set[int] = set()
    for number, group in enumerate(file.items(ItemKind.GROUP)):
        place = f"group {number}"
        if len(group) < GROUP_WORDS:
            found.append(Problem(place, f"has {len(group)} words, {GROUP_WORDS} are needed"))
            continue
        start, count = int(group.words[5]), int(group.words[6])
        if start < 0 or count < 0 or start + count > len(layers):
            found.append(
                Problem(place, f"claims {number_of(count, 'layers')} from {start} on, the map has {len(layers)} in all")
            )
            continue
        for layer in range(start, start + count):
            layer_place = f"layer {layer - start} of group {number}"
            if layer in used:
                found.append(Problem(layer_place, "is in another group too"))
            else:
                used.add(layer)
                yield layer_place, layers[layer]


def _tile_layer(place: str, item: Item) -> _TileLayer:
    """Read a tile layer's words as DDNet does; raises FormatError with what it refuses."""
    words = item.words.tolist()
    if len(words) < TILE_LAYER_WORDS:
        raise FormatError(f"has {len(words)} words, a tile layer needs {TILE_LAYER_WORDS}")
    version, width, height, flags = words[3:7]
    if not 2 <= version <= 4:
        raise FormatError(f"tile layer version {version}: 2 to 4 are known")
    kind = TileKind(flags & ANY_PHYSICS)
    if kind.value & (kind.value - 1):
        raise FormatError(f"flags {flags} make it several physics layers at once")
    first = TILE_LAYER_WORDS if version == 2 else NAMED_TILE_LAYER_WORDS
    if len(words) < first:
        raise FormatError(f"has {len(words)} words, a tile layer of version {version} needs {first}")
    blob = words[14]
    if kind in PHYSICS:
        word = first + PHYSICS.index(kind)
        if word >= len(words):
            raise FormatError(f"has {len(words)} words, a {kind.name} layer of version {version} needs {word + 1}")
        blob = words[word]
    if width < 2 or height < 2:
        raise FormatError(f"{width} x {height} tiles: each side must be at least 2")
    if width * height >= 1 << 31:
        raise FormatError(f"{width} x {height} tiles are too many")
    if version > 2 and not _is_text(item.words[15:18]):
        raise FormatError("its name is no UTF-8")
    if kind == TileKind.TILES and not all(0 <= channel <= 255 for channel in words[7:11]):
        raise FormatError(f"colour {tuple(words[7:11])} leaves 0 to 255")
    return _TileLayer(place, kind, version, width, height, blob)


def _is_text(words: Int32s) -> bool:
    raw = words.astype(">i4").tobytes()[:-1]
    try:
        bytes((byte + 128) & 255 for byte in raw).split(b"\0", 1)[0].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _tile_blobs(
    file: Datafile, layers: list[_TileLayer], game: _TileLayer | None, without: set[int]
) -> Iterator[Problem]:
    """Whether each layer has tiles of its own, and each blob decodes to what its layer needs.

    without: ids of those that aren't looked into.
    """
    owners: dict[int, _TileLayer] = {}
    for layer in layers:
        if not 0 <= layer.blob < len(file.blobs):
            yield Problem(layer.place, f"its tiles are blob {layer.blob}, the map has {len(file.blobs)}")
        elif layer.blob in owners:
            yield Problem(layer.place, f"its tiles, blob {layer.blob}, are those of {owners[layer.blob].place}")
        else:
            owners[layer.blob] = layer
        if game and layer.kind in PHYSICS and layer.count < game.count:
            sizes = f"{layer.width} x {layer.height} < {game.width} x {game.height}"
            yield Problem(layer.place, f"is smaller than the game layer ({sizes})")
    for number, blob in enumerate(file.blobs):
        if id(blob) in without:
            continue
        owner = owners.get(number)
        try:
            data = blob.data(f"blob {number}")
            message, count = _wrong_tiles(owner, data) if owner else ("", 0)
        except FormatError as error:
            message, count = error.message, 1
        if blob.size == 0:
            message, count = "its size is given as 0", 1
        if message:
            place = f"{owner.place}: " if owner else ""
            yield Problem(f"blob {number}", place + message, "error" if owner and owner is game else "warning", count)


def _wrong_tiles(layer: _TileLayer, data: bytes) -> tuple[str, int]:
    """Why DDNet makes no tiles of a layer's blob, and how many tiles or runs that is about; "" if it does."""
    dtype = TILE_RECORDS[layer.kind]
    tiles = np.frombuffer(data, dtype, len(data) // dtype.itemsize)
    runs = layer.version >= 4
    if runs:
        if layer.kind not in (TileKind.TILES, TileKind.GAME):
            return f"a {layer.kind.name} layer cannot hold runs (version {layer.version})", 1
        covered = len(tiles) + int(tiles["skip"].sum(dtype=np.intp))
        if covered < layer.count:
            return f"the runs end after {covered} of {layer.count} tiles", layer.count - covered
        unread = unread_runs(tiles, layer.count)
        if unread:
            return f"{unread} of {number_of(len(tiles), 'runs are')} left over", unread
    elif len(tiles) < layer.count:
        return f"{len(tiles)} of {layer.count} tiles", layer.count - len(tiles)
    else:
        tiles = tiles[: layer.count]
    names = dtype.names or ()
    for name in ("skip", "reserved"):
        if name in names and not (runs and name == "skip"):
            wrong = np.flatnonzero(tiles[name])
            if len(wrong):
                return f"tile {wrong[0]} has {name} {tiles[name][wrong[0]]}, not 0", len(wrong)
    return "", 0
