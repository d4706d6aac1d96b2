# SPDX-License-Identifier: GPL-3.0-or-later
"""The binary form of motions, MTNB, that actors have and that the engine accepts anywhere (genesis.md §1.4)."""

import struct

import numpy as np

from ..binary import Cursor, FormatError
from .motion import Compression, Event, Motion, Path, Track, name_checksum, quaternions

TAG = b"MTNB"
_VERSION = 0xF0
_PATH_VERSION = 0x1001
_LEAF = 2
_HAS_EVENTS, _HAS_NAMES = 1, 2
_HAS_ROTATION, _HAS_TRANSLATION = 1, 2
_EVENTS_TAG, _NAMES_TAG = b"TKEB", b"SBKB"
_KEY = np.dtype([("time", "<f4"), ("offset", "<i4")])


def read(data: bytes, offset: int) -> tuple[Motion, int]:
    """Read the motion that begins at `offset`; returns it and the offset of its end. Raises FormatError."""
    cursor = Cursor(data, offset)
    _tag(cursor, TAG, "motion")
    _version(cursor, _VERSION, "motion")
    word = cursor.u32("name of the motion")
    length, maintain, node = word & 0xFFFF, word >> 16 & 0xFF, word >> 24
    if node != _LEAF:
        raise cursor.error(f"node {node}: only motions without parts ({_LEAF}) can be read", "motion")
    name = bytes(cursor.take(length, "name of the motion")).removesuffix(b"\0").decode("latin-1")
    motion = Motion([], None, name=name, maintain_names=maintain != 0, binary=True)
    count, checksum = cursor.i32("number of paths"), cursor.i32("NameChecksum")
    flags = cursor.u32("flags of the motion")
    if count < 0 or count * 4 > cursor.left:
        raise cursor.error(f"{count} paths, but {cursor.left} bytes are left", "motion")
    if flags & ~(_HAS_EVENTS | _HAS_NAMES):
        raise cursor.error(f"flags {flags:#x}, known are 1 and 2", "motion")
    if flags & _HAS_EVENTS:
        motion.events = _read_events(cursor)
    if flags & _HAS_NAMES:
        motion.names = _read_names(cursor)
        if len(motion.names) != count:
            raise cursor.error(f"{count} paths, but {len(motion.names)} names", "motion")
    motion.paths = [_read_path(cursor) for _ in range(count)]
    motion.checksum = None if checksum == name_checksum(motion.names or []) else checksum
    return motion, cursor.offset


def _tag(cursor: Cursor, tag: bytes, what: str) -> None:
    found = bytes(cursor.take(4, what))
    if found != tag:
        raise cursor.error(f"{found!r} stands where {tag!r} should", what)


def _version(cursor: Cursor, version: int, what: str) -> None:
    found = cursor.u32(what)
    if found != version:
        raise cursor.error(f"version {found:#x}, known is {version:#x}", what)


def _text(block: bytes, offset: int, cursor: Cursor, what: str) -> str:
    end = block.find(b"\0", offset) if 0 <= offset <= len(block) else -1
    if end < 0:
        raise cursor.error(f"a text at {offset} of {len(block)} bytes has no end", what)
    return block[offset:end].decode("latin-1")


def _read_events(cursor: Cursor) -> list[Event]:
    _tag(cursor, _EVENTS_TAG, "events")
    _version(cursor, _VERSION, "events")
    texts = bytes(cursor.take(cursor.i32("size of events"), "texts of events"))
    count, size = cursor.i32("number of events"), cursor.i32("size of an event")
    if size != _KEY.itemsize:
        raise cursor.error(f"{size} bytes an event, known are {_KEY.itemsize}", "events")
    keys = cursor.array(_KEY, count, "events").tolist()
    return [Event(time, _text(texts, offset, cursor, "events")) for time, offset in keys]


def _read_names(cursor: Cursor) -> list[str]:
    """A table of offsets, and the texts, in one block that the offsets count from."""
    _tag(cursor, _NAMES_TAG, "names of paths")
    count, size = cursor.i32("number of names"), cursor.i32("size of names")
    block = cursor.take(size, "names of paths")
    offsets = Cursor(block).array("<i4", count, "names of paths").tolist()
    return [_text(bytes(block), offset, cursor, "names of paths") for offset in offsets]


def _read_path(cursor: Cursor) -> Path:
    header = cursor.u32("path")
    if header >> 16 != _PATH_VERSION:
        raise cursor.error(f"version {header >> 16:#x}, known is {_PATH_VERSION:#x}", "path")
    translation = _read_track(cursor, 3) if header & _HAS_TRANSLATION else None
    rotation = _read_track(cursor, 4) if header & _HAS_ROTATION else None
    return Path(rotation, translation)


def _read_track(cursor: Cursor, width: int) -> Track:
    block = Cursor(cursor.take(cursor.i32("size of keys"), "keys"), base=cursor.offset)
    word, count = block.u32("keys"), block.i32("number of keys")
    interpolation, bits, looped = word >> 16, word >> 8 & 0xFF, word & 0xFF
    if interpolation > 2 or bits & ~3 or (bits & Compression.HINGE and width == 3):
        raise block.error(f"interpolation {interpolation}, compression {bits} of keys of {width} numbers", "keys")
    if bits & Compression.LINEAR_TIME:
        start, step = block.array("<f4", 2, "start and step of keys").tolist()
        if not 0 <= count * 4 <= block.left:
            raise block.error(f"{count} keys, but {block.left} bytes are left", "keys")
        times = start + step * np.arange(count)
    else:
        times = block.array("<f4", count, "times of keys").astype(np.float64)
    axis = None
    if bits & Compression.HINGE:
        x, y, z = block.array("<f4", 3, "axis of keys").tolist()
        axis = (x, y, z)
        values = quaternions(axis, block.array("<f4", count, "keys"))
    else:
        values = block.array(("<f4", (width,)), count, "keys").astype(np.float64)
    if block.left:
        raise block.error(f"{block.left} bytes too many", "keys")
    return Track(times, values, interpolation, looped != 0, axis)


def render(motion: Motion) -> bytes:
    """Return a motion in the binary form. Raises FormatError."""
    name = _ended(motion.name) if motion.name else b""
    names = [_ended(text) for text in motion.names or []]
    if len(name) > 0xFFFF:
        raise FormatError(f"its name has {len(name)} characters", "motion")
    flags = _HAS_EVENTS * bool(motion.events) | _HAS_NAMES * (motion.names is not None)
    checksum = name_checksum(motion.names or []) if motion.checksum is None else motion.checksum
    word = len(name) | motion.maintain_names << 16 | _LEAF << 24
    parts = [TAG, struct.pack("<II", _VERSION, word), name]
    parts.append(struct.pack("<iiI", len(motion.paths), checksum, flags))
    if motion.events:
        texts = [_ended(event.text) for event in motion.events]
        keys = np.zeros(len(texts), _KEY)
        keys["time"] = [event.time for event in motion.events]
        keys["offset"] = _offsets(texts, 0)
        parts += [_EVENTS_TAG, struct.pack("<Ii", _VERSION, sum(map(len, texts))), *texts]
        parts += [struct.pack("<ii", len(keys), _KEY.itemsize), keys.tobytes()]
    if motion.names is not None:
        table = _offsets(names, 4 * len(names)).astype("<i4").tobytes()
        parts += [_NAMES_TAG, struct.pack("<ii", len(names), len(table) + sum(map(len, names))), table, *names]
    for path in motion.paths:
        parts.append(_path_header(path))
        parts += [_track_block(track) for track in (path.translation, path.rotation) if track is not None]
    return b"".join(parts)


def _ended(text: str) -> bytes:
    try:
        return text.encode("latin-1") + b"\0"
    except UnicodeEncodeError as error:
        raise FormatError(f"{error.object[error.start]!r} is not a Latin-1 character", "motion") from None


def _offsets(texts: list[bytes], first: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    lengths = np.array([len(text) for text in texts], np.int64)
    return first + np.cumsum(lengths) - lengths


def _path_header(path: Path) -> bytes:
    rotation, translation = path.rotation, path.translation
    word = _PATH_VERSION << 16
    word |= (1 if translation is None else translation.interpolation) << 9
    word |= (4 if rotation is None else 3 + rotation.interpolation) << 2
    word |= _HAS_TRANSLATION * (translation is not None) | _HAS_ROTATION * (rotation is not None)
    return struct.pack("<I", word)


def _track_block(track: Track) -> bytes:
    compression = track.compression
    hinge = track.hinge() if compression & Compression.HINGE else None
    times = track.times
    if compression & Compression.LINEAR_TIME:
        times = np.array([times[0], times[1] - times[0]])
    values = track.values if hinge is None else np.concatenate([hinge[0], hinge[1]])
    word = track.interpolation << 16 | int(compression) << 8 | track.looped
    block = struct.pack("<Ii", word, len(track.times)) + times.astype("<f4").tobytes() + values.astype("<f4").tobytes()
    return struct.pack("<i", len(block)) + block
