"""Motions of world models: keys of rotation and translation, and events (genesis-map-notes §1.4).

In a `.map` a motion is text without a length: it has to be read to find its end. The engine also accepts a binary form
(`motion_binary`). Times are seconds. Keys are relative to the level as it stands: rotations are about the model's
`origin`, translations in units, both in the level's axes (y up).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

import numpy as np
import numpy.typing as npt

from ..binary import Buffer, FormatError
from .text import fixed

TEXT_TAG, BINARY_TAG = b"MOTN", b"MTNB"
LINE_SIZE = 255  # characters of a line, its end included, that the engine reads
TOLERANCE = 1e-4  # between steps of time and between axes, for the writer to shorten them
PATH_NAME = "FixedPath"  # the name of the only path, in motions that the editor writes

Floats = npt.NDArray[np.float64]
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\Z")
_LARGEST = 3.4028235e38


class Interpolation(IntEnum):
    """How the engine goes from a key to the next; of rotations and of translations."""

    LINEAR = 0
    SLERP = 1  # of rotations
    SQUAD = 2
    HERMITE = 1  # of translations
    HERMITE_ZERO_DERIVATIVE = 2


class Compression(IntFlag):
    """What a writer leaves out of keys."""

    HINGE = 1  # rotations about one axis: angles only
    LINEAR_TIME = 2  # equal steps of time: the start and the step only


@dataclass(slots=True, eq=False)
class Track:
    """Keys of rotation or translation: `times` float64[n], `values` float64[n, 4] (w, x, y, z) or [n, 3]."""

    times: Floats
    values: Floats
    interpolation: int = 1
    looped: bool = False
    axis: tuple[float, float, float] | None = None  # of rotations that are read as angles about it

    @property
    def is_rotation(self) -> bool:
        """Whether its values are quaternions."""
        return self.values.shape[1] == 4

    @property
    def compression(self) -> Compression:
        """What can be left out of these keys, by the rules of the engine's writer."""
        found = Compression(0)
        steps = np.diff(self.times)
        if len(steps) > 1 and bool((np.abs(steps - steps[0]) <= TOLERANCE).all()):
            found |= Compression.LINEAR_TIME
        if self.is_rotation and len(self.times) > 3 and self.hinge() is not None:
            found |= Compression.HINGE
        return found

    def hinge(self) -> tuple[tuple[float, float, float], Floats] | None:
        """The axis and the angles (radians) about it, if all rotations are about one axis; else None.

        As in the engine's writer, a track with a key that does not rotate has no axis; unless it was read with one.
        """
        w, sines = self.values[:, 0], self.values[:, 1:]
        lengths = np.linalg.norm(sines, axis=1)
        if self.axis is not None:
            axis = np.array(self.axis)
        elif len(w) and bool((lengths > 1e-9).all()):
            axis = sines[0] / lengths[0]
        else:
            return None
        along = sines @ axis
        away = np.abs(sines - along[:, None] * axis)
        if bool((away > TOLERANCE * lengths[:, None]).any()) or (self.axis is None and bool((along < 0).any())):
            return None
        x, y, z = axis.tolist()
        angles: Floats = 2.0 * np.arctan2(along, w)
        return (x, y, z), angles


@dataclass(slots=True, eq=False)
class Path:
    """A path: rotation and translation, each None if it has no keys."""

    rotation: Track | None = None
    translation: Track | None = None


@dataclass(slots=True, eq=False)
class Event:
    """Something that happens at a time; the game knows what its text means."""

    time: float
    text: str


@dataclass(slots=True, eq=False)
class Motion:
    """A motion. The editor's have one path, named "FixedPath" in a `.map` and "PathInfo" in a `.3dt`."""

    paths: list[Path]
    names: list[str] | None = field(default_factory=lambda: [PATH_NAME])  # of the paths; None where names are left out
    events: list[Event] = field(default_factory=list)
    name: str = ""
    maintain_names: bool = True
    checksum: int | None = None  # of the names, where the file's is not what follows from them
    binary: bool = False
    #: the bytes it was read from; `write` gives them back as long as they say the same
    source: bytes | None = field(default=None, repr=False)


def name_checksum(names: Sequence[str]) -> int:
    """The checksum of path names, an int32."""
    total = 0
    for name in names:
        total = (total + sum(name.encode("latin-1"))) * 3
    return (total + 2**31) % 2**32 - 2**31


def read(data: Buffer, offset: int = 0) -> tuple[Motion, int]:
    """Read the motion that begins at `offset`, text or binary; returns it and the offset of its end.

    Lines may end in LF (`.map`) or CR LF (`.3dt` on Windows). Raises FormatError.
    """
    from . import motion_binary  # that module builds on this one

    raw = bytes(data)
    tag = raw[offset : offset + 4]
    if tag == TEXT_TAG:
        reader = _Reader(raw, offset)
        motion, end = _read_text(reader), reader.offset
    elif tag == BINARY_TAG:
        motion, end = motion_binary.read(raw, offset)
    else:
        raise FormatError(f"starts with {tag!r}, neither MOTN nor MTNB", "motion", offset)
    motion.source = raw[offset:end]
    return motion, end


def write(motion: Motion) -> bytes:
    """Return a motion's bytes: those it was read from if it still says the same."""
    made = _render(motion)
    if motion.source is not None and _render(read(motion.source)[0]) == made:
        return motion.source
    return made


def _render(motion: Motion) -> bytes:
    from . import motion_binary

    if motion.names is not None and len(motion.names) != len(motion.paths):
        raise FormatError(f"{len(motion.paths)} paths with {len(motion.names)} names", "motion")
    return motion_binary.render(motion) if motion.binary else _render_text(motion)


# ---------------------------------------------------------------------------------------------------------------- text


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
            raise self.error(f"{text!r} is no line of text", what)
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


def _read_text(reader: _Reader) -> Motion:
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


def quaternions(axis: tuple[float, float, float], angles: npt.ArrayLike) -> Floats:
    """Rotations (w, x, y, z) by angles (radians) about an axis of length 1: float64[n, 4]."""
    halves = np.asarray(angles, np.float64) / 2
    return np.column_stack([np.cos(halves), np.sin(halves)[:, None] * np.array(axis)])


def _render_text(motion: Motion) -> bytes:
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
        raise FormatError(f"{error.object[error.start]!r} is no Latin-1 character", "motion") from None


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
