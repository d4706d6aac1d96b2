# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of exports share: a way in and out of Blender, and what differs between two files, byte for byte."""

import struct
import zlib
from pathlib import Path

import bpy
import numpy as np
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.exporter import export_level
from levelwright.addon.teeworlds.importer import import_level
from levelwright.addon.teeworlds.settings import ExportSettings, ImportSettings

from tests.addon import kept
from tests.formats.teeworlds_bytes import GROUP, LAYER

Changes = tuple[dict[tuple[int, int], list[int]], list[int]]


def imported(data: bytes, report: Report | None = None, **settings: object) -> bpy.types.Collection:
    return import_level(bpy.context, data, "test.map", ImportSettings(**settings), report or Report())


def opened(data: bytes) -> bpy.types.Collection:
    """The level of a test that edits it."""
    return kept.opened(data, lambda: imported(data))


def exported(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> bytes:
    return export_level(bpy.context, level, ExportSettings(**settings), report or Report())


def reopened(level: bpy.types.Collection, folder: Path) -> bpy.types.Collection:
    """The level after saving the .blend and opening it again."""
    name, path = level.name, folder / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.collections[name]


def part(level: bpy.types.Collection, kind: str, record: int) -> bpy.types.Object:
    """The object of a record: kind "layer", "group" (its root), "clip", ..."""
    for obj in level.all_objects:
        mark = identity.stamped(obj)
        if mark is not None and (mark.kind, mark.record) == (kind, record):
            return obj
    raise LookupError(f"{kind} {record}")


def layer(level: bpy.types.Collection, record: int) -> bpy.types.Object:
    return part(level, layout.LAYER, record)


def group(level: bpy.types.Collection, record: int) -> bpy.types.Collection:
    return part(level, layout.GROUP, record).users_collection[0]


def image(level: bpy.types.Collection, record: int) -> bpy.types.Image:
    return originals.resources(level, layout.IMAGE)[record]


def parse(data: bytes) -> tuple[dict[tuple[int, int], tuple[int, ...]], list[bytes]]:
    """The items of a datafile (words by type and id) and its blobs, read with struct alone."""
    version, _, _, types, items, blobs, item_size, _ = struct.unpack_from("<8i", data, 4)
    at = 36 + 12 * types
    item_offsets = struct.unpack_from(f"<{items}i", data, at)
    at += 4 * items
    offsets = struct.unpack_from(f"<{blobs}i", data, at)
    at += 4 * blobs * (2 if version >= 4 else 1)
    found = {}
    for offset in item_offsets:
        key, size = struct.unpack_from("<Ii", data, at + offset)
        found[key >> 16, key & 0xFFFF] = struct.unpack_from(f"<{size // 4}i", data, at + offset + 8)
    stored = data[at + item_size :]
    ends = [*offsets[1:], len(stored)]
    return found, [zlib.decompress(stored[a:b]) for a, b in zip(offsets, ends, strict=True)]


def changes(before: bytes, after: bytes) -> Changes:
    """What differs: the numbers of the words of each item (type, id), all if it is new or gone, and of the blobs."""
    (old, old_blobs), (new, new_blobs) = parse(before), parse(after)
    words = {}
    for key in sorted(old.keys() | new.keys()):
        pair = [items.get(key, ()) for items in (old, new)]
        longest = max(map(len, pair))
        one, other = ([*values, *[None] * (longest - len(values))] for values in pair)
        differing = [number for number in range(longest) if one[number] != other[number]]
        if differing:
            words[key] = differing
    count = max(len(old_blobs), len(new_blobs))
    blobs = [number for number in range(count) if old_blobs[number : number + 1] != new_blobs[number : number + 1]]
    return words, blobs


def names(data: bytes) -> list[tuple[str, list[str]]]:
    """The groups of a map by name, each with the names of its layers, in order."""
    items, _ = parse(data)

    def text(values: tuple[int, ...]) -> str:
        raw = struct.pack(">3i", *values)
        return bytes((byte - 128) & 255 for byte in raw[:-1]).split(b"\0")[0].decode()

    layers = [words for key, words in sorted(items.items()) if key[0] == LAYER]
    titles = [text(words[15:18] if words[1] == 2 else words[7:10]) for words in layers]
    groups = [words for key, words in sorted(items.items()) if key[0] == GROUP]
    return [(text(words[12:15]), titles[words[5] : words[5] + words[6]]) for words in groups]


def corners(obj: bpy.types.Object) -> np.ndarray:
    """Positions of a mesh of quads without shared vertices, [faces, 4, 3], to be changed and given to `place`."""
    values = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 4, 3)


def place(obj: bpy.types.Object, positions: np.ndarray) -> None:
    obj.data.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(positions, np.float32).reshape(-1))
    obj.data.update()


def values(obj: bpy.types.Object, name: str) -> np.ndarray:
    found = np.empty(len(obj.data.polygons), np.int32)
    obj.data.attributes[name].data.foreach_get("value", found)
    return found


def face_at(obj: bpy.types.Object, x: int, y: int) -> int:
    """The face of the tile at a column and row."""
    centres = corners(obj).mean(axis=1)
    return int(np.flatnonzero((np.floor(centres[:, 0]) == x) & (np.floor(-centres[:, 1]) == y))[0])
