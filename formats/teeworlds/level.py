# SPDX-License-Identifier: GPL-3.0-or-later
"""A Teeworlds / DDNet map: live views of everything in it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from ..arrays import Records
from .datafile import Blob, Datafile, Item
from .items import Automapper, GroupExtra, Image, Info, Record, Sound
from .layers import Group, Layer, QuadLayer, SoundLayer, UnknownLayer
from .points import Envelope, PointTable, is_wide
from .records import (
    AUTOMAPPER,
    ENVELOPE_TANGENTS,
    GROUP_EX,
    OLD_COLLISION_MAP,
    OLD_TILEMAP,
    ItemKind,
    LayerKind,
    TileKind,
)
from .tile_layers import TileLayer

PRE_0_4 = "pre-0.4"


@dataclass(frozen=True, slots=True)
class Before:
    """What a level was when it was read."""

    envelopes: list[Envelope]
    groups: list[Group]
    layers: list[list[Layer]]  # of each group
    blobs: set[int]  # numbers of those that a record names


class Level:
    """A map. Its lists may be changed freely; `write` works out what that means for the file.

    Images, envelopes and sounds are named by their number in the list: append to those, and remove with
    :meth:`remove_image` and its like, which renumber what refers to them. Groups and layers may be inserted, removed
    and reordered at will.
    """

    def __init__(self, file: Datafile) -> None:
        self.file = file
        old = file.items(OLD_TILEMAP) or file.items(OLD_COLLISION_MAP)
        #: "map", or "pre-0.4" for maps of 2007: the same container, other items; those are all in `unknown`
        self.era = PRE_0_4 if old and not file.items(ItemKind.VERSION) else "map"
        self._uuids = file.uuids()
        self.info: Info | None = next((Info(item, file.blobs) for item in self._items(ItemKind.INFO)), None)
        self.images = [Image(item, file.blobs) for item in self._items(ItemKind.IMAGE)]
        self.sounds = [Sound(item, file.blobs) for item in self._items(ItemKind.SOUND)]
        self.envelopes, self.point_table = self._read_envelopes()
        self.file_layers = [_layer(item, file.blobs) for item in self._items(ItemKind.LAYER)]
        self.groups = self._read_groups()
        self.automappers = self._read_automappers()
        grouped = {id(layer) for layer in self.layers}
        #: layers of the file that are in no group; they stay in the file
        self.orphans = [layer for layer in self.file_layers if id(layer) not in grouped]
        #: what stood in the file, for `write` to see what changed
        self.before = Before(
            list(self.envelopes),
            list(self.groups),
            [list(group.layers) for group in self.groups],
            {
                number
                for record in self.records()
                for word in record.blob_words()
                if (number := record.file_blob(word)) is not None
            },
        )

    def _items(self, kind: int) -> list[Item]:
        return [] if self.era == PRE_0_4 else self.file.items(kind)

    def uuid_items(self, uuid: UUID) -> list[Item]:
        """The items of a type that this file names by UUID."""
        kinds = [kind for kind, name in self._uuids.items() if name == uuid]
        return [item for kind in kinds for item in self.file.items(kind)]

    def _read_envelopes(self) -> tuple[list[Envelope], PointTable]:
        items = self._items(ItemKind.ENVELOPE)
        envelopes = [Envelope(item) for item in items]
        points = next(iter(self._items(ItemKind.ENVELOPE_POINTS)), None)
        tangents = next(iter(self.uuid_items(ENVELOPE_TANGENTS)), None)
        table = PointTable.read(points, tangents, is_wide(envelopes))
        for envelope in envelopes:
            envelope._table = table
        return envelopes, table

    def _read_groups(self) -> list[Group]:
        extras = self.uuid_items(GROUP_EX)
        groups = []
        for number, item in enumerate(self._items(ItemKind.GROUP)):
            group = Group(item, self.file.blobs)
            start = group.start_layer
            if 0 <= start <= len(self.file_layers):
                group.layers = self.file_layers[start : start + max(group.num_layers, 0)]
            if number < len(extras):
                group.extra = GroupExtra(extras[number])
            groups.append(group)
        return groups

    def _read_automappers(self) -> list[tuple[Automapper, TileLayer | None]]:
        """Every automapper of the file with its layer; the last one of a layer is that layer's."""
        found: list[tuple[Automapper, TileLayer | None]] = []
        for item in self.uuid_items(AUTOMAPPER):
            mapper = Automapper(item)
            layer = self.layer_at(mapper.group, mapper.layer)
            target = layer if isinstance(layer, TileLayer) else None
            if target is not None:
                target.automapper = mapper
            found.append((mapper, target))
        return found

    def layer_at(self, group: int, layer: int) -> Layer | None:
        """The layer at this place of that group; None where there is none."""
        if 0 <= group < len(self.groups) and 0 <= layer < len(self.groups[group].layers):
            return self.groups[group].layers[layer]
        return None

    @property
    def layers(self) -> Iterator[Layer]:
        """Every layer of every group, in the order they are drawn in."""
        return (layer for group in self.groups for layer in group.layers)

    @property
    def game_layer(self) -> tuple[Group, TileLayer] | None:
        """The game layer and its group: as in the game, the last one if there are several."""
        found = None
        for group in self.groups:
            for layer in group.layers:
                if isinstance(layer, TileLayer) and layer.tile_kind == TileKind.GAME:
                    found = (group, layer)
        return found

    @property
    def unknown(self) -> list[Item]:
        """Items that nothing else here shows; they stay in the file."""
        if self.era == PRE_0_4:
            return list(self.file.all_items())
        shown = {int(kind) for kind in ItemKind}
        shown |= {kind for kind, uuid in self._uuids.items() if uuid in (AUTOMAPPER, ENVELOPE_TANGENTS, GROUP_EX)}
        return [item for row in self.file.item_types if row.type not in shown for item in row.items]

    def records(self) -> Iterator[Record]:
        """Every record that may name blobs, in the order in which DDNet's editor writes their blobs."""
        if self.info is not None:
            yield self.info
        yield from self.images
        yield from self.sounds
        yield from self.layers
        yield from self.orphans

    def remove_image(self, number: int) -> None:
        """Remove an image; layers that show it lose it, later images move up."""
        number = range(len(self.images))[number]
        del self.images[number]
        move = _renumbering(number, len(self.images))
        for layer in (*self.layers, *self.orphans):
            if isinstance(layer, TileLayer | QuadLayer):
                layer.image = move(layer.image)

    def remove_sound(self, number: int) -> None:
        """Remove a sound; layers that play it lose it, later sounds move up."""
        number = range(len(self.sounds))[number]
        del self.sounds[number]
        move = _renumbering(number, len(self.sounds))
        for layer in (*self.layers, *self.orphans):
            if isinstance(layer, SoundLayer):
                layer.sound = move(layer.sound)

    def remove_envelope(self, number: int) -> None:
        """Remove an envelope; what it moved stands still, later envelopes move up."""
        number = range(len(self.envelopes))[number]
        move = _renumbering(number, len(self.envelopes) - 1)
        layers = (*self.layers, *self.orphans)
        quads = [
            (layer, _moved(layer.quads(), ("position_envelope", "color_envelope"), move))
            for layer in layers
            if isinstance(layer, QuadLayer)
        ]
        sources = [
            (layer, _moved(layer.sources(), ("position_envelope", "sound_envelope"), move))
            for layer in layers
            if isinstance(layer, SoundLayer)
        ]
        # From here on nothing can fail.
        for quad_layer, records in quads:
            quad_layer.set_quads(records)
        for sound_layer, records in sources:
            sound_layer.set_sources(records)
        for layer in layers:
            if isinstance(layer, TileLayer):
                layer.color_envelope = move(layer.color_envelope)
        del self.envelopes[number]


_LAYERS: dict[int, type[Layer]] = {
    LayerKind.TILES: TileLayer,
    LayerKind.QUADS: QuadLayer,
    LayerKind.DEPRECATED_SOUNDS: SoundLayer,
    LayerKind.SOUNDS: SoundLayer,
}


def _layer(item: Item, blobs: Sequence[Blob]) -> Layer:
    """The view of a layer item for its kind."""
    number = int(item.words[1]) if len(item) > 1 else -1
    return _LAYERS.get(number, UnknownLayer)(item, blobs)


def _renumbering(removed: int, left: int) -> Callable[[int], int]:
    """What the numbers of a list become when one of its things is removed; numbers that name nothing stay."""
    return lambda number: -1 if number == removed else number - (removed < number <= left)


def _moved(records: Records, fields: tuple[str, ...], move: Callable[[int], int]) -> Records:
    """The records with the numbers in `fields` changed by `move`."""
    records = records.copy()
    for name in fields:
        values, places = np.unique(records[name], return_inverse=True)
        records[name] = np.array([move(int(value)) for value in values], np.int32)[places]
    return records
