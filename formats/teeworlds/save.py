# SPDX-License-Identifier: GPL-3.0-or-later
"""From a level to a container in which only what was edited differs from the one that was read.

Nothing here looks at what a map means, and nothing is packed anew that isn't changed: rows of items, the groups'
ranges, the points' table and the blobs' order each stay as they were wherever they still say what the level says.
"""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

import numpy as np

from ..binary import FormatError
from .datafile import FIRST_NAMED_TYPE, Blob, Datafile, Item, ItemType, Words
from .items import Automapper, GroupExtra, Record
from .layers import Group, Layer
from .level import PRE_0_4, Level
from .points import WIDE_VERSION, Envelope, is_wide, lay_out
from .records import AUTOMAPPER, ENVELOPE_TANGENTS, GROUP_EX, WORD, ItemKind
from .tile_layers import TileLayer

FIRST_UUID_TYPE = 0xFFFE  # DDNet counts down from here


def datafile_of(level: Level) -> Datafile:
    """Return the container for a level as it is now; the level itself stays as it is."""
    return _Assembly(level).run()


class _Assembly:
    def __init__(self, level: Level) -> None:
        self.level = level
        self.rows = [ItemType(row.type, list(row.items)) for row in level.file.item_types]
        self.changed: dict[int, Item] = {}  # id(item) -> its new form
        self.uuids = level.file.uuids()

    def run(self) -> Datafile:
        level, file = self.level, self.level.file
        blobs = file.blobs
        if level.era != PRE_0_4:
            self.info()
            self.row(ItemKind.IMAGE, level.images)
            self.row(ItemKind.SOUND, level.sounds)
            self.envelopes()
            self.groups()
            self.automappers()
            blobs = self.blobs()
        return Datafile(
            file.magic,
            file.version,
            file.crude_size,
            file.crude_swaplen,
            [ItemType(row.type, [self.changed.get(id(item), item) for item in row.items]) for row in self.rows],
            blobs,
        )

    # ------------------------------------------------------------------------------------------------------------ items

    def set(self, item: Item, word: int, value: int) -> None:
        """Set a word in the container that is written, not in the level."""
        if int(self.changed.get(id(item), item).words[word]) != value:
            self.change(item).set(word, value)

    def change(self, item: Item) -> Item:
        """The form of an item that may be changed."""
        if id(item) not in self.changed:
            self.changed[id(item)] = Item(item.type, item.id, item.words.copy())
        return self.changed[id(item)]

    def find_row(self, kind: int) -> ItemType | None:
        return next((row for row in self.rows if row.type == kind), None)

    def row(self, kind: int, records: Sequence[Record]) -> None:
        """Make the records' items those of a type."""
        self.items(kind, [record.item for record in records])

    def items(self, kind: int, items: list[Item]) -> None:
        """Make `items` those of a type. Ids that counted up from 0 still do; others stay, new items get free ones."""
        row = self.find_row(kind)
        old = [] if row is None else row.items
        if len(old) == len(items) and all(a is b for a, b in zip(old, items, strict=True)):
            return
        if row is None:
            row = ItemType(kind)
            place = next((i for i, other in enumerate(self.rows) if other.type & 0xFFFF > kind), len(self.rows))
            self.rows.insert(place, row)
        counted = all(item.id == number for number, item in enumerate(old))
        known = {id(item) for item in old}
        free = max((item.id for item in old), default=-1) + 1
        for number, item in enumerate(items):
            if counted:
                wanted = number
            elif id(item) in known:
                wanted = item.id
            else:
                wanted, free = free, free + 1
            if wanted > 0xFFFF:
                raise FormatError(f"too many items of type {kind}: their ids have 16 bits", "datafile")
            if (item.type, item.id) != (kind, wanted):
                changed = self.change(item)
                changed.type, changed.id = kind, wanted
        row.items = items
        if not items:
            self.rows.remove(row)

    def uuid_items(self, uuid: UUID, items: list[Item]) -> None:
        """Make `items` those of the type that has this UUID; an unused number for it is found if there is none."""
        kinds = [kind for kind, name in self.uuids.items() if name == uuid and self.find_row(kind)]
        if len(kinds) > 1:  # registered twice: what is left stays where it is, new items join the last
            left = {id(item) for item in items}
            for kind in kinds[:-1]:
                row = self.find_row(kind)
                mine = [item for item in (row.items if row else []) if id(item) in left]
                self.items(kind, mine)
                left -= {id(item) for item in mine}
            items = [item for item in items if id(item) in left]
        if not kinds and not items:
            return
        kind = kinds[-1] if kinds else self.register(uuid)
        self.items(kind, items)
        if not items:
            index = self.level.file.items(ItemKind.UUID_INDEX)
            mark = [kind, *np.frombuffer(uuid.bytes, ">i4").tolist()]
            self.items(ItemKind.UUID_INDEX, [item for item in index if [item.id, *item.words.tolist()] != mark])

    def register(self, uuid: UUID) -> int:
        """The number of the type with this UUID, new if the file has none."""
        for kind, name in self.uuids.items():
            if name == uuid:
                return kind
        taken = {row.type & 0xFFFF for row in self.rows} | set(self.uuids)
        kind = next(number for number in range(FIRST_UUID_TYPE, FIRST_NAMED_TYPE - 1, -1) if number not in taken)
        self.uuids[kind] = uuid
        index = Item(ItemKind.UUID_INDEX, kind, np.frombuffer(uuid.bytes, ">i4").astype(WORD))
        row = self.find_row(ItemKind.UUID_INDEX)
        if row is None:
            self.rows.append(ItemType(ItemKind.UUID_INDEX, [index]))
        else:
            row.items.append(index)
        return kind

    def info(self) -> None:
        """The info item; later ones, which nobody reads, stay."""
        rest = self.level.file.items(ItemKind.INFO)[1:]
        self.items(ItemKind.INFO, ([self.level.info.item] if self.level.info else []) + rest)

    # -------------------------------------------------------------------------------------------------------- envelopes

    def envelopes(self) -> None:
        """The envelopes, and the table of points if one of them has other points, or they are others."""
        level, before = self.level, self.level.before.envelopes
        self.row(ItemKind.ENVELOPE, level.envelopes)
        same = len(before) == len(level.envelopes) and all(
            a is b and a.own_points is None for a, b in zip(before, level.envelopes, strict=True)
        )
        if same:
            return
        known = {id(envelope) for envelope in before}
        wide = is_wide(level.envelopes)
        table, starts = lay_out(level.point_table, before, level.envelopes)
        for envelope, start in zip(level.envelopes, starts, strict=True):
            self.lengthen(envelope.item, Envelope.NEWEST[:4])
            self.set(envelope.item, Envelope.START, start)
            if envelope.own_points is not None or id(envelope) not in known:
                self.set(envelope.item, Envelope.COUNT, len(envelope.points))
            if wide and id(envelope) not in known:
                self.set(envelope.item, Envelope.VERSION_WORD, WIDE_VERSION)
        items = level.file.items(ItemKind.ENVELOPE_POINTS)
        first = items[0] if items else Item(ItemKind.ENVELOPE_POINTS, 0, np.zeros(0, WORD))
        self.words(first, table.pack(wide))
        self.items(ItemKind.ENVELOPE_POINTS, [first, *items[1:]])
        self.tangents(None if wide or table.tangents is None else table.pack_tangents())

    def words(self, item: Item, words: Words) -> None:
        """Set all words of an item in the container that is written."""
        if not np.array_equal(item.words, words):
            self.change(item).words = words

    def tangents(self, words: Words | None) -> None:
        """DDNet's item with the points' tangents."""
        items = self.level.uuid_items(ENVELOPE_TANGENTS)
        if words is None:
            self.uuid_items(ENVELOPE_TANGENTS, items[1:])
            return
        first = items[0] if items else Item(0, 0, np.zeros(0, WORD))
        self.words(first, words)
        self.uuid_items(ENVELOPE_TANGENTS, [first, *items[1:]])

    # ------------------------------------------------------------------------------------------------ groups and layers

    def groups(self) -> None:
        """The groups, their ranges of layers, and what DDNet once stored beside them."""
        level = self.level
        self.row(ItemKind.GROUP, level.groups)
        layers = self.layer_order()
        self.row(ItemKind.LAYER, layers)
        if layers is not level.file_layers:
            self.group_ranges(layers)
        self.group_extras()

    def group_ranges(self, layers: list[Layer]) -> None:
        """Which of `layers` each group has."""
        level = self.level
        places = {id(layer): place for place, layer in enumerate(layers)}
        regular = dict(zip(map(id, level.before.groups), _regular(level), strict=True))
        as_read = dict(zip(map(id, level.before.groups), level.before.layers, strict=True))
        position = 0
        for group in level.groups:
            start, count = group.start_layer, max(group.num_layers, 0)
            unchanged = start >= 0 and layers[start : start + count] == group.layers
            # One that claims more layers than there are does so only if it came like that.
            unchanged &= count == len(group.layers) or group.layers == as_read.get(id(group))
            if not unchanged or (not group.layers and regular.get(id(group), True)):
                start = places[id(group.layers[0])] if group.layers else position
                if layers[start : start + len(group.layers)] != group.layers:
                    raise FormatError(
                        f"group {group.name!r} has layers that are in another group, too, and no longer side by side: "
                        "delete them in one of the two"
                    )
                self.lengthen(group.item, Group.NEWEST[:7])
                self.set(group.item, 5, start)
                self.set(group.item, 6, len(group.layers))
            position = start + len(group.layers)

    def lengthen(self, item: Item, words: Sequence[int]) -> None:
        """Give an item that is too short, as damaged ones are, the rest of `words`."""
        now = self.changed.get(id(item), item).words
        if len(now) < len(words):
            self.change(item).words = np.concatenate((now, np.array(words[len(now) :], WORD)))

    def layer_order(self) -> list[Layer]:
        """Every layer, in the order of the file: that of the groups, unless the file had another and it still does."""
        level = self.level
        now = [group.layers for group in level.groups]
        if level.groups == level.before.groups and now == level.before.layers:
            return level.file_layers
        order = {id(layer): layer for layers in now for layer in layers}
        uses, old_uses = (
            Counter(id(layer) for layers in groups for layer in layers) for groups in (now, level.before.layers)
        )
        for key, layer in order.items():
            if uses[key] > max(old_uses[key], 1):
                raise FormatError(f"{layer.title} is in two groups, or twice in one")
        return [*order.values(), *(layer for layer in level.orphans if id(layer) not in order)]

    def group_extras(self) -> None:
        """GROUP_EX items belong to groups by their place: groups before the last that has one need one, and all of them
        where there are further items, which are no group's.
        """
        extras = [group.extra for group in self.level.groups]
        spare = self.level.uuid_items(GROUP_EX)[len(self.level.before.groups) :]
        while extras and extras[-1] is None and not spare:
            extras.pop()
        filled = [extra.item if extra else GroupExtra.fresh().item for extra in extras]
        self.uuid_items(GROUP_EX, filled + spare)

    def automappers(self) -> None:
        """The automappers, which follow their layers."""
        level = self.level
        places = {
            id(layer): (g, n)
            for g, group in enumerate(level.groups)
            for n, layer in enumerate(group.layers)
            if isinstance(layer, TileLayer)
        }
        kept: list[Item] = []
        known: set[int] = set()
        last = {id(layer): mapper for mapper, layer in level.automappers if layer is not None}
        for mapper, layer in level.automappers:
            known.add(id(mapper))
            replaced = layer is not None and last[id(layer)] is mapper and layer.automapper is not mapper
            if layer is None:
                kept.append(mapper.item)
            elif id(layer) in places and not replaced:
                kept.append(mapper.item)
                self.place_automapper(mapper, layer, *places[id(layer)])
        for drawn in level.layers:
            if isinstance(drawn, TileLayer) and drawn.automapper is not None and id(drawn.automapper) not in known:
                kept.append(drawn.automapper.item)
                self.place_automapper(drawn.automapper, drawn, *places[id(drawn)])
        self.uuid_items(AUTOMAPPER, kept)

    def place_automapper(self, mapper: Automapper, layer: TileLayer, group: int, number: int) -> None:
        """Let an automapper name its layer, unless it still does: damaged maps may have a layer in several places."""
        if len(mapper.item) >= 3 and self.level.layer_at(mapper.group, mapper.layer) is not layer:
            self.set(mapper.item, 1, group)
            self.set(mapper.item, 2, number)

    # ------------------------------------------------------------------------------------------------------------ blobs

    def blobs(self) -> list[Blob]:
        """Every blob in order, with the records' words set to their new numbers.

        A changed blob takes the place of the old one. What was named and no longer is goes; what nothing ever named
        stays. A new one follows the one that DDNet's editor would write before it.
        """
        level, file = self.level, self.level.file
        named = [
            (record, word, blob)
            for record in level.records()
            for word in record.blob_words()
            if (blob := record.blob(word)) is not None
        ]
        in_use = {id(blob) for _, _, blob in named}
        slots: list[Blob | None] = [
            None if number in level.before.blobs and id(blob) not in in_use else blob
            for number, blob in enumerate(file.blobs)
        ]
        placed = {id(blob): number for number, blob in enumerate(file.blobs)}
        followers: dict[int, list[Blob]] = {}
        anchor = -1
        for record, word, blob in named:
            if id(blob) in placed:
                anchor = placed[id(blob)] if placed[id(blob)] >= -1 else anchor
                continue
            number = record.file_blob(word) if record.blobs is file.blobs else None
            if number is not None and slots[number] is None:
                slots[number] = blob
                placed[id(blob)] = anchor = number
            else:
                followers.setdefault(anchor, []).append(blob)
                placed[id(blob)] = anchor
        order = list(followers.get(-1, []))
        for number, slot in enumerate(slots):
            if slot is not None:
                order.append(slot)
            order += followers.get(number, [])
        numbers = {id(blob): number for number, blob in enumerate(order)}
        for record, word, blob in named:
            self.set(record.item, word, numbers[id(blob)])
        return order


def _regular(level: Level) -> list[bool]:
    """Whether each group that was read begins where the one before it ended."""
    position = 0
    found = []
    for group in level.before.groups:
        found.append(group.start_layer == position)
        position = group.start_layer + max(group.num_layers, 0)
    return found
