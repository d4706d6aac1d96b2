# SPDX-License-Identifier: GPL-3.0-or-later
"""Each kind of problem that `teeworlds.check` finds, brought into a map at place 0, 1 or 2: for the gate's contract.

Places are groups after the game's, their layers, item types that no game knows, blobs that nothing names, and tiles of
the game layer. Levels may come from the extension's copy of the library: what is added is of the classes found there.
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from formats import teeworlds
from formats.binary import Budget
from formats.teeworlds import Level, TileKind, TileLayer
from formats.teeworlds.records import WORD, ItemKind

Bring = Callable[[Level, int], None]
PLACES = 4
WIDTH, HEIGHT = 4, 3
CELLS = WIDTH * HEIGHT
TYPE = 0x100
"""The first of the item types that no game knows, each with one item."""
WIDTH_WORD, FLAGS, GREEN, DATA, NAME = 4, 6, 8, 14, 15
"""Words of a tile layer."""
PHYSICS = (TileKind.TELE, TileKind.SPEEDUP, TileKind.FRONT, TileKind.SWITCH, TileKind.TUNE)


def clean() -> bytes:
    """A map without a problem: behind the game's group four with a tile layer each, and four items of unknown types."""
    level = teeworlds.new_level(WIDTH, HEIGHT)
    for place in range(PLACES):
        group = teeworlds.Group.new(f"Group {place}")
        group.layers.append(TileLayer.new(TileKind.TILES, WIDTH, HEIGHT, f"Tiles {place}"))
        level.groups.append(group)
    row = type(level.file.item_types[0])
    for place in range(PLACES):
        item = teeworlds.Item(TYPE + place, 0, np.zeros(1, WORD))
        level.file.item_types.append(row(TYPE + place, [item]))
    return teeworlds.write(level)


def layer_at(level: Level, place: int) -> TileLayer:
    """The drawn layer of a place."""
    layer: Any = level.groups[1 + place].layers[0]  # Any: the extension's copy of the class is another
    assert layer.tile_kind == TileKind.TILES
    return layer


def game(level: Level) -> TileLayer:
    """The game layer."""
    found = level.game_layer
    assert found is not None
    return found[1]


# ---- the container


def add_row(number: int, items: int) -> Bring:
    """A row of item types: of the type `number` + place."""

    def bring(level: Level, place: int) -> None:
        row, item = type(level.file.item_types[0]), type(level.file.item_types[0].items[0])
        made = [item(number + place, one, np.zeros(1, WORD)) for one in range(items)]
        level.file.item_types.append(row(number + place, made))

    return bring


def shared_id(level: Level, place: int) -> None:
    """Two items of a type with one id."""
    (row,) = (row for row in level.file.item_types if row.type == TYPE + place)
    row.items.append(row.items[0].copy())


def add_blob(stored: bytes, size: int) -> Bring:
    """A blob that nothing names: what is stored of it, and the size that the map claims."""

    def bring(level: Level, place: int) -> None:
        blob = type(level.file.blobs[0])
        level.file.blobs.append(blob(memoryview(stored), size, True, Budget.unlimited(), 0))

    return bring


def set_version(*words: int) -> Bring:
    """Other words for the version item."""

    def bring(level: Level, place: int) -> None:
        level.file.items(ItemKind.VERSION)[0].words = np.array(words, WORD)

    return bring


def no_version(level: Level, place: int) -> None:
    """No version item."""
    level.file.item_types[:] = [row for row in level.file.item_types if row.type != ItemKind.VERSION]


def layer_in_two_groups(level: Level, place: int) -> None:
    """A layer that was put into a second group: no map can be written of that."""
    level.groups[1].layers.append(level.groups[2].layers[0])


# ---- groups and layers


def short_group(level: Level, place: int) -> None:
    """A group whose item has a word too few."""
    item = level.groups[1 + place].item
    item.words = item.words[:6]


def group_beyond(level: Level, place: int) -> None:
    """A group that claims more layers than there are."""
    level.groups[1 + place].item.set(6, 99)


def group_overlap(level: Level, place: int) -> None:
    """A group that claims the next one's layer, too."""
    level.groups[1 + place].item.set(6, 2)


def cut(length: int, **words: int) -> Bring:
    """A layer whose item has only so many words; with flags for another kind."""

    def bring(level: Level, place: int) -> None:
        item = layer_at(level, place).item
        if "flags" in words:
            item.set(FLAGS, words["flags"])
        item.words = item.words[:length]

    return bring


def set_words(start: int, *values: int) -> Bring:
    """A layer with other words."""

    def bring(level: Level, place: int) -> None:
        layer_at(level, place).item.set_range(start, np.array(values, WORD))

    return bring


def no_game_layer(level: Level, place: int) -> None:
    """The game layer made a drawn one."""
    game(level).item.set(FLAGS, int(TileKind.TILES))


def shared_tiles(level: Level, place: int) -> None:
    """A layer whose tiles are those of the game layer."""
    layer_at(level, place).item.set(DATA, int(game(level).item.words[DATA]))


def small_physics(level: Level, place: int) -> None:
    """A tele layer that is smaller than the game layer."""
    level.groups[1 + place].layers.append(type(game(level)).new(TileKind.TELE, 2, 2))


def physics_runs(kind: TileKind) -> Bring:
    """A layer of a kind that has no runs, in the version that has them."""

    def bring(level: Level, place: int) -> None:
        made = type(game(level)).new(kind, WIDTH, HEIGHT)
        made.item.set(3, 4)
        level.groups[1 + place].layers.append(made)

    return bring


# ---- tiles and their blobs


def tiles(words: tuple[int, ...], version: int = 3) -> Bring:
    """A layer whose blob holds these tiles, four bytes each, and no more."""

    def bring(level: Level, place: int) -> None:
        layer = layer_at(level, place)
        layer.item.set(3, version)
        layer.put_blob(DATA, np.array(words, "<u4").tobytes())

    return bring


def game_bytes(change: Callable[[bytes, int], bytes], version: int = 3) -> Bring:
    """Other tiles for the game layer: what `change` makes of its bytes and a place."""

    def bring(level: Level, place: int) -> None:
        layer = game(level)
        layer.item.set(3, version)  # 4: air in runs of one tile each
        blob = layer.blob(DATA)
        assert blob is not None
        layer.put_blob(DATA, change(blob.data(), place))

    return bring


def with_byte(offset: int) -> Callable[[bytes, int], bytes]:
    """Sets a byte of the tile at a place."""
    return lambda data, place: data[: 4 * place + offset] + b"\x07" + data[4 * place + offset + 1 :]


def game_blob(stored: bytes, size: int) -> Bring:
    """A damaged blob for the game layer."""

    def bring(level: Level, place: int) -> None:
        layer = game(level)
        old = layer.blob(DATA)
        assert old is not None
        level.file.blobs[level.file.blobs.index(old)] = type(old)(memoryview(stored), size, True, Budget.unlimited(), 0)

    return bring


PACKED = zlib.compress(b"abc")
DAMAGED = {
    "size 0": (PACKED, 0),
    "negative size": (PACKED, -3),
    "nothing stored": (b"", 3),
    "too short for its size": (PACKED, 1 << 20),
    "no zlib stream": (b"abcdef", 3),
    "too few bytes": (PACKED, 4),
    "too many bytes": (PACKED, 2),
    "cut short": (PACKED[:-2], 3),
}
"""Blobs as they are stored, and the sizes that they claim."""

ONCE: dict[str, Bring] = {
    "no version": no_version,
    "empty version": set_version(),
    "other version": set_version(2),
    "no game layer": no_game_layer,
    "cannot be written": layer_in_two_groups,
    **{f"game tiles: {name}": game_blob(*blob) for name, blob in DAMAGED.items()},
}

CASES: dict[str, Bring] = {
    "item type beyond 16 bits": add_row(0x10000, 1),
    "item type twice": add_row(TYPE, 1),
    "item type without items": add_row(2 * TYPE, 0),
    "shared id": shared_id,
    **{f"blob: {name}": add_blob(*blob) for name, blob in DAMAGED.items()},
    "short group": short_group,
    "group beyond the layers": group_beyond,
    "groups overlap": group_overlap,
    "layer of two words": cut(2),
    "tile layer of four words": cut(4),
    "tile layer without its name": cut(17),
    **{f"{kind.name} layer without its word": cut(18, flags=kind) for kind in PHYSICS},
    "other layer version": set_words(3, 5),
    "several kinds at once": set_words(FLAGS, 3),
    "too narrow": set_words(WIDTH_WORD, 1),
    "too large": set_words(WIDTH_WORD, 1 << 16, 1 << 16),
    "name is no UTF-8": set_words(NAME, 0x7F808080),
    "colour beyond 255": set_words(GREEN, 256),
    "tiles of no blob": set_words(DATA, 9999),
    "shared tiles": shared_tiles,
    "smaller than the game layer": small_physics,
    **{f"{kind.name} layer with runs": physics_runs(kind) for kind in PHYSICS},
    "too few tiles": tiles((0,) * (CELLS - 1)),
    "skip": tiles((0, 7 << 16, *(0,) * (CELLS - 2))),
    "reserved": tiles((0, 7 << 24, *(0,) * (CELLS - 2))),
    "runs end too soon": tiles((10 << 16,), version=4),
    "runs left over": tiles((11 << 16, 0), version=4),
    "reserved in runs": tiles((11 << 16 | 7 << 24,), version=4),
    "game tiles: too few": game_bytes(lambda data, _: data[:-4]),
    "game tiles: skip": game_bytes(with_byte(2)),
    "game tiles: reserved": game_bytes(with_byte(3)),
    "game tiles: runs end too soon": game_bytes(lambda data, _: data[:-4], version=4),
    "game tiles: runs left over": game_bytes(lambda data, _: data + bytes(4), version=4),
    "game tiles: reserved in runs": game_bytes(with_byte(3), version=4),
    **ONCE,
}
SINGLE = frozenset(ONCE)
