# SPDX-License-Identifier: GPL-3.0-or-later
"""The text form of motions, MOTN: that of `.map` and `.3dt` files (genesis.md §1.4).

It has no length: it has to be read to find its end.
"""

import re
from collections.abc import Sequence

import numpy as np

from ..binary import FormatError
from .motion import Compression, Event, Motion, Path, Track, name_checksum, quaternions
from .text import fixed

TAG = b"MOTN"
LINE_SIZE = 255  # characters of a line, its end included, that the engine reads
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\Z")
_LARGEST = 3.4028235e38


def read(data: bytes, offset: int) -> tuple[Motion, int]:
    """Read the motion that begins at `offset`; returns it and the offset of its end. Raises FormatError."""
    reader = _Reader(data, offset)
    return _read_motion(reader), reader.offset


class _Reader:
    """Reads lines as the engine does."""

    def __init__(self, data: bytes, offset: int) -> None:
        self.data = data
        self.offset = self.start = offset

    def error(self, message: str, what: str) -> FormatError:
        return FormatError(message, what, self.start)

    def line(self, what: str) -> str:
        """The next line without its end; `start` is where it began."""
        self.start = self.offset
        end = self.data.find(b"\n", self.offset, self.offset + LINE_SIZE)
        if end < 0:
            raise self.error(f"no line of less than {LINE_SIZE} characters", what)
        self.offset = end + 1
        text = self.data[self.start : end].removesuffix(b"\r").decode("latin-1")
        if "\0" in text or "\r" in text:
            raise self.error(f"{text!r} is not a line of text", what)
        return text

    def word(self, label: str) -> str:
        """What follows a label on its line."""
        line = self.line(label)
        if not line.lower().startswith(label.lower()):
            raise self.error(f"{line!r} stands where {label} should", label)
        return line[len(label) :]

    def integers(self, label: str, count: int) -> list[int]:
        return self.parse_integers(self.word(label), count, label)

    def parse_integers(self, text: str, count: int, what: str) -> list[int]:
        words = text.split()[:count]
        if len(words) < count or not all(re.fullmatch(r"[-+]?\d{1,10}", word) for word in words):
            raise self.error(f"{text.strip()!r} is not {count} whole number{'s' * (count > 1)}", what)
        return [int(word) for word in words]

    def floats(self, text: str, count: int, what: str) -> list[float]:
        words = text.split()[:count]
        if len(words) < count or not all(_NUMBER.match(word) for word in words):
            raise self.error(f"{text.strip()!r} is not {count} number{'s' * (count > 1)}", what)
        values = [float(word) for word in words]
        if any(abs(value) > _LARGEST for value in values):
            raise self.error(f"{text.strip()!r} is beyond the largest float", what)
        return values

    def tag(self, tag: str, versions: Sequence[str]) -> str:
        """A block's first line: its tag and version; returns the version."""
        version = self.word(tag).strip()
        if version not in versions:
            raise self.error(f"{tag} of version {version!r}, known are {', '.join(versions)}", "motion")
        return version

    def count(self, label: str) -> int:
        (count,) = self.integers(label, 1)
        if count < 0:
            raise self.error(f"its count is negative ({count})", label)
        return count


_ITEMS = ("MaintainNames", "PathCount", "NameChecksum", "Events", "NameArray", "PathArray")


def _read_motion(reader: _Reader) -> Motion:
    """The engine takes the items in any order, and the motion to end when it has had all six; NameID is optional."""
    reader.tag("MOTN", ("0.F0",))
    motion = Motion([], None)
    path_count = checksum = 0
    left = list(_ITEMS)
    while left:
        line = reader.line("motion")
        label, _, rest = line.partition(" ")
        if label == "NameID":
            motion.name = rest
            continue
        if label not in left:
            raise reader.error(f"{line!r} stands where one of {', '.join(left)} should", "motion")
        left.remove(label)
        (value,) = reader.parse_integers(rest, 1, label)
        if label == "MaintainNames":
            motion.maintain_names = value != 0
        elif label == "PathCount":
            path_count = value
        elif label == "NameChecksum":
            checksum = value
        elif label == "Events" and value:
            motion.events = _read_events(reader)
        elif label == "NameArray" and value:
            reader.tag("SBLK", ("0.F0",))
            motion.names = [reader.line("names of paths") for _ in range(reader.count("Strings"))]
        elif label == "PathArray":
            motion.paths = [_read_path(reader) for _ in range(value)]
    if path_count != len(motion.paths) or (motion.names is not None and len(motion.names) != path_count):
        names = "no" if motion.names is None else len(motion.names)
        raise reader.error(f"PathCount {path_count}, but {len(motion.paths)} paths and {names} names", "motion")
    motion.checksum = None if checksum == name_checksum(motion.names or []) else checksum
    return motion


def _read_events(reader: _Reader) -> list[Event]:
    reader.tag("TKEV", ("0.F0",))
    reader.count("DataSize")
    events = []
    for _ in range(reader.count("TimeKeys")):
        (time,) = reader.floats(reader.line("time of an event"), 1, "time of an event")
        events.append(Event(time, reader.line("text of an event")))
    return events


def _read_path(reader: _Reader) -> Path:
    version = reader.tag("PATH", ("0.F2", "0.F1"))
    numbers = 2 if version == "0.F2" else 1  # whether there are keys, and how they are interpolated: "Keys" says it too
    rotation = _read_track(reader, 4) if reader.integers("Rotation", numbers)[0] else None
    translation = _read_track(reader, 3) if reader.integers("Translation", numbers)[0] else None
    return Path(rotation, translation)


def _read_track(reader: _Reader, width: int) -> Track:
    count, interpolation, bits, looped = reader.integers("Keys", 4)
    if count < 0:
        raise reader.error(f"its count is negative ({count})", "Keys")
    if interpolation not in (0, 1, 2):
        raise reader.error(f"interpolation {interpolation}, known are 0, 1 and 2", "Keys")
    if bits & ~3 or (bits & Compression.HINGE and width == 3):
        raise reader.error(f"compression {bits} of keys of {width} numbers", "Keys")
    start = step = 0.0
    if bits & Compression.LINEAR_TIME:
        start, step = reader.floats(reader.line("start and step of keys"), 2, "start and step of keys")
    axis = None
    if bits & Compression.HINGE:
        x, y, z = reader.floats(reader.line("axis of keys"), 3, "axis of keys")
        axis = (x, y, z)
        width = 1
    timed = not bits & Compression.LINEAR_TIME
    rows = [reader.floats(reader.line("a key"), width + timed, "a key") for _ in range(count)]
    table = np.array(rows, np.float64).reshape(count, width + timed)
    times = table[:, 0] if timed else start + step * np.arange(count)
    values = table[:, timed:]
    return Track(times, quaternions(axis, values[:, 0]) if axis else values, interpolation, looped != 0, axis)


def render(motion: Motion) -> bytes:
    """Return a motion in the text form. Raises FormatError."""
    names = motion.names or []
    lines = [
        "MOTN 0.F0",
        f"NameID {motion.name}",
        f"MaintainNames {int(motion.maintain_names)}",
        f"PathCount {len(motion.paths)}",
        f"NameChecksum {name_checksum(names) if motion.checksum is None else motion.checksum}",
        f"Events {int(bool(motion.events))}",
    ]
    if motion.events:
        lines += ["TKEV 0.F0", f"DataSize {sum(len(event.text) + 1 for event in motion.events)}"]
        lines.append(f"TimeKeys {len(motion.events)}")
        offset = 0
        for event in motion.events:
            lines += [f"{fixed(event.time)} {offset}", event.text]
            offset += len(event.text) + 1
    lines.append(f"NameArray {int(motion.names is not None)}")
    if motion.names is not None:
        lines += ["SBLK 0.F0", f"Strings {len(names)}", *names]
    lines.append(f"PathArray {len(motion.paths)}")
    for path in motion.paths:
        lines.append("PATH 0.F2")
        lines += _track_lines("Rotation", path.rotation, 3)
        lines += _track_lines("Translation", path.translation, 0)
    for line in lines:
        if len(line) + 1 >= LINE_SIZE or "\n" in line or "\r" in line or "\0" in line:
            raise FormatError(f"{line!r} cannot be a line of a motion", "motion")
    try:
        return ("\n".join(lines) + "\n").encode("latin-1")
    except UnicodeEncodeError as error:
        raise FormatError(f"{error.object[error.start]!r} is not a Latin-1 character", "motion") from None


def _track_lines(label: str, track: Track | None, first_type: int) -> list[str]:
    if track is None:
        return [f"{label} 0 {first_type + 1}"]
    if not (np.isfinite(track.times).all() and np.isfinite(track.values).all()):
        raise FormatError("a key is not finite", f"{label.lower()} of a motion")
    compression = track.compression
    lines = [
        f"{label} 1 {first_type + track.interpolation}",
        f"Keys {len(track.times)} {track.interpolation} {int(compression)} {int(track.looped)}",
    ]
    table = track.values
    hinge = track.hinge() if compression & Compression.HINGE else None
    if compression & Compression.LINEAR_TIME:
        start, second = track.times[:2].tolist()
        lines.append(f"{fixed(start)} {fixed(second - start)} Start T,Delta T")
    else:
        table = np.column_stack([track.times, table])
    if hinge is not None:
        axis, angles = hinge
        lines.append(f"{' '.join(map(fixed, axis))} Axis")
        table = angles[:, None] if compression & Compression.LINEAR_TIME else np.column_stack([track.times, angles])
    lines += [" ".join(map(fixed, row)) for row in table.tolist()]
    return lines
