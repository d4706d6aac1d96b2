# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of world models: keys of rotation and translation, and events (genesis.md §1.4).

They are read and written by `motion_file`. Times are seconds. Keys are relative to the level as it stands: rotations
are about the model's `origin`, translations in units, both in the level's axes (y up).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

import numpy as np
import numpy.typing as npt

from ..arrays import Floats

TOLERANCE = 1e-4  # between steps of time and between axes, for the writer to shorten them
PATH_NAME = "FixedPath"  # the name of the only path, in motions that the editor writes


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

    def said(self) -> tuple[object, ...]:
        """All that it says, to compare: equal means the same bits."""
        return self.times.tobytes(), self.values.tobytes(), self.interpolation, self.looped, repr(self.axis)

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

    def said(self) -> tuple[object, ...]:
        """All that it says, to compare: equal means the same bits."""
        tracks = [each.said() if each is not None else None for path in self.paths
                  for each in (path.rotation, path.translation)]  # fmt: skip
        events = [(repr(event.time), event.text) for event in self.events]
        return self.name, self.maintain_names, self.names, self.checksum, self.binary, events, tracks


def name_checksum(names: Sequence[str]) -> int:
    """The checksum of path names, an int32."""
    total = 0
    for name in names:
        total = (total + sum(name.encode("latin-1"))) * 3
    return (total + 2**31) % 2**32 - 2**31


def quaternions(axis: tuple[float, float, float], angles: npt.ArrayLike) -> Floats:
    """Rotations (w, x, y, z) by angles (radians) about an axis of length 1: float64[n, 4]."""
    halves = np.asarray(angles, np.float64) / 2
    return np.column_stack([np.cos(halves), np.sin(halves)[:, None] * np.array(axis)])
