# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities and brushes (genesis.md §1.1-1.4, §1.9)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..arrays import Ints
from ..binary import FormatError
from .motion import Motion
from .records import FACE, FaceArray

CLASSNAME, ORIGIN, NAME = "classname", "origin", "%name%"
MODEL, TYPEDEF = "%Model%", "%typedef%"
MODEL_KEY = "Model"
"""The key that the compiler gives to entities with brushes: the number of their model."""

Vector = tuple[float, float, float]
_LARGEST = 3.4028235e38


@dataclass(slots=True, eq=False)
class Brush:
    """A convex solid: `faces` are records of FACE, in the file's order (face 0 of a sheet is its visible side).

    `faces` may be changed in place or replaced. As read, it is a part of the level's one array of faces.
    """

    flags: int  # BrushFlag and the game's own bits, unsigned
    faces: FaceArray = field(default_factory=lambda: np.empty(0, FACE))


@dataclass(slots=True, eq=False)
class KeyValues:
    """`pairs` of key and value. Keys may repeat and their order counts.

    Text is Latin-1: each character is one byte of the file.
    """

    pairs: list[tuple[str, str]] = field(default_factory=list)

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value of a key; as in the compiler, case does not count and the first of several wins."""
        found = self._find(key)
        return default if found is None else self.pairs[found][1]

    def set(self, key: str, value: str) -> None:
        """Give a key another value where it stands, or append the pair."""
        found = self._find(key)
        if found is None:
            self.pairs.append((key, value))
        else:
            self.pairs[found] = (self.pairs[found][0], value)

    def remove(self, key: str) -> None:
        """Remove the first pair of a key, if there is one."""
        found = self._find(key)
        if found is not None:
            del self.pairs[found]

    def _find(self, key: str) -> int | None:
        folded = key.lower()
        return next((number for number, pair in enumerate(self.pairs) if pair[0].lower() == folded), None)

    def __contains__(self, key: str) -> bool:
        return self._find(key) is not None

    def keys(self) -> Iterator[str]:
        """Every key, in order, repeated ones too."""
        return (key for key, _ in self.pairs)

    @property
    def classname(self) -> str:
        """The class; empty for a world that the editor wrote."""
        return self.get(CLASSNAME) or ""

    @property
    def name(self) -> str:
        """The name that other entities refer to it by."""
        return self.get(NAME) or ""

    @property
    def is_model(self) -> bool:
        """Whether it is a world model: brushes that may move."""
        return self.classname == MODEL

    @property
    def is_typedef(self) -> bool:
        """Whether it defines a type of entities. The compiler looks at every value, so this does too."""
        return any(value == TYPEDEF for _, value in self.pairs)

    @property
    def origin(self) -> Vector | None:
        """The place of a point entity, or what a world model turns about; None without one that is a place."""
        text = self.get(ORIGIN)
        if text is None:
            return None
        try:
            return numbers3(text)
        except FormatError:
            return None


@dataclass(frozen=True, slots=True)
class PackedBrushes:
    """Brushes as arrays: `flags` uint32[b], `counts` int64[b] and the faces of all, records of FACE, in their order."""

    flags: npt.NDArray[np.uint32]
    counts: Ints
    faces: FaceArray

    def unpack(self) -> list[Brush]:
        """A Brush each; their faces are parts of `faces`."""
        ends = np.cumsum(self.counts)
        rows = zip(self.flags.tolist(), (ends - self.counts).tolist(), ends.tolist(), strict=True)
        return [Brush(flags, self.faces[first:end]) for flags, first, end in rows]


class Entity(KeyValues):
    """The world, a world model, a point entity or the definition of a type: keys, values and brushes.

    flags: 1 where a motion follows; the compiler takes any other number for 0.
    """

    __slots__ = ("_brushes", "flags", "motion")

    def __init__(
        self,
        pairs: list[tuple[str, str]] | None = None,
        brushes: list[Brush] | PackedBrushes | None = None,
        flags: int = 0,
        motion: Motion | None = None,
    ) -> None:
        super().__init__([] if pairs is None else pairs)
        self._brushes = [] if brushes is None else brushes
        self.flags = flags
        self.motion = motion

    @property
    def brushes(self) -> list[Brush]:
        """The brushes, which may be changed. As long as nobody asked for them they are as they were read: arrays."""
        if isinstance(self._brushes, PackedBrushes):
            self._brushes = self._brushes.unpack()
        return self._brushes

    @brushes.setter
    def brushes(self, brushes: list[Brush]) -> None:
        self._brushes = brushes

    def packed(self) -> PackedBrushes:
        """The brushes as arrays, to compute with: they may be the entity's own."""
        if isinstance(self._brushes, PackedBrushes):
            return self._brushes
        counts = np.array([len(brush.faces) for brush in self._brushes], np.int64)
        flags = np.array([brush.flags & 0xFFFFFFFF for brush in self._brushes], np.uint32)
        faces = np.frombuffer(b"".join(brush.faces.tobytes() for brush in self._brushes), FACE)
        return PackedBrushes(flags, counts, faces)

    def __repr__(self) -> str:
        count = len(self.packed().counts)
        return f"<Entity {self.classname!r} {self.name!r}: {count} brushes, {len(self.pairs)} pairs>"


def numbers3(text: str) -> Vector:
    """Three numbers, as 32-bit floats hold them, of a value like "0 90 0". Raises FormatError."""
    try:
        x, y, z = (float(part) for part in text.split()[:3])
    except ValueError:
        raise FormatError(f"{text!r} is not three numbers", "a value") from None
    if not all(abs(one) <= _LARGEST for one in (x, y, z)):
        raise FormatError(f"{text!r} is not three numbers that 32-bit floats can hold", "a value")
    return x, y, z
