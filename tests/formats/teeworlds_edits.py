# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of edits look at: what a level holds once it is written, and what of it is not as it was."""

from formats.teeworlds import (
    Level,
    read,
    write,
)
from formats.teeworlds.datafile import Datafile, Item
from formats.teeworlds.records import ENVELOPE_TANGENTS
from tests.formats.teeworlds_bytes import AUTOMAPPER, BEZIER, GROUP_EX, INDEX, INFO, POINTS, VERSION, Map, whole_map

OURS = (AUTOMAPPER, BEZIER, GROUP_EX)
UNKNOWN = bytes.fromhex("00112233445566778899aabbccddeeff")


def level_of(m: Map) -> Level:
    return read(m.build())


def blobs(level: Level) -> list[bytes]:
    """What the written file's blobs hold."""
    return [blob.data() for blob in Datafile.read(write(level)).blobs]


def stored(file: Datafile) -> list[bytes]:
    return [bytes(blob.stored(file.version)) for blob in file.blobs]


def words(file: Datafile) -> dict[tuple[int, int], list[int]]:
    return {(item.type, item.id): item.words.tolist() for item in file.all_items()}


def differences(level: Level, original: bytes) -> dict[tuple[int, int], list[int]]:
    """Which words of which items differ from the original's; an item that is gone or came is all of itself."""
    before, after = words(Datafile.read(original)), words(Datafile.read(write(level)))
    changed = {}
    for key in before.keys() | after.keys():
        old, new = before.get(key, []), after.get(key, [])
        places = [i for i in range(max(len(old), len(new))) if old[i : i + 1] != new[i : i + 1]]
        if places:
            changed[key] = places
    return changed


def crowded() -> Map:
    """A map with every kind of item, and between them items that nothing in a level shows."""
    m = whole_map()
    if m.point_words is not None:
        m.item(POINTS, m.point_words, 0)
        m.point_words = None
    m.item(VERSION, (3,), 7)
    m.item(INFO, (1, -1, -1, -1, -1, -1, 77), 5)
    m.item(POINTS, (900, 901), 3)
    m.item(8, (1, 2, 3), 40)
    m.item(9, (0, 32, 0), 2)
    m.item(9, (), 2)
    m.item(0x7FFF, (5,), 0xFFFF)
    m.item(0x8000, (6, 7), 1)
    m.uuid_item(UNKNOWN, (10, 11), 9)
    m.uuid_item(UNKNOWN, (12,), 4)
    m.uuid_item(BEZIER, (13,), 6)
    for zoom in (900, 901):  # beyond the last group's
        m.uuid_item(GROUP_EX, (1, zoom))
    m.automapper(7, 7)  # of no layer
    m.item(INDEX, (20,), m.uuid_type(AUTOMAPPER))
    m.item(INDEX, (1, 2), 0x9000)
    m.item(INDEX, (1, 2, 3, 4, 5), 0x9001)
    m.item(INDEX, (14, 15, 16, 17), 0x9001)
    return m


def spare(level: Level) -> list[Item]:
    """The items that no record of a level is a view of."""
    mappers = [mapper for mapper, layer in level.automappers if layer is not None]
    extras = [group.extra for group in level.groups if group.extra is not None]
    records = (level.info, *level.images, *level.sounds, *level.envelopes, *level.groups, *level.file_layers)
    owned = {id(record.item) for record in (*records, *mappers, *extras) if record is not None}
    points, tangents = level.file.items(POINTS)[0], level.uuid_items(ENVELOPE_TANGENTS)[0]
    owned |= {id(points), id(tangents)}
    owned |= {id(item) for item in level.file.items(INDEX) if item.words.astype(">i4").tobytes() in OURS}
    return [item for item in level.file.all_items() if id(item) not in owned]


def lost(spares: list[Item], data: bytes) -> list[str]:
    """What became of spare items in a file: those that are gone, have another id, or stand in another order.

    The ids of groups' extras and of automappers count up, also those of items that are no group's or layer's.
    """
    file = Datafile.read(data)
    kinds = {kind for kind, uuid in file.uuids().items() if uuid.bytes in (GROUP_EX, AUTOMAPPER)}

    def key(item: Item) -> tuple[int, int, bytes]:
        return item.type, -1 if item.type in kinds else item.id, item.words.tobytes()

    left, wanted = [key(item) for item in file.all_items()], [key(item) for item in spares]
    gone = [f"{one} is gone" for one in wanted if one not in left]
    kept = [one for one in left if one in wanted]
    return gone or ([] if kept == wanted else ["they stand in another order"])
