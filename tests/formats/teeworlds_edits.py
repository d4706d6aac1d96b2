# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of edits look at: what a level holds once it is written, and what of it is not as it was."""

from formats.teeworlds import (
    Level,
    read,
    write,
)
from formats.teeworlds.datafile import Datafile
from tests.formats.teeworlds_bytes import Map


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
