# SPDX-License-Identifier: GPL-3.0-or-later
"""What a format is to the library: a folder in formats/ with a title, endings of files, and the same few verbs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Protocol, TypeVar, runtime_checkable

from .arrays import Floats
from .binary import Buffer, FormatError, Problem, Severity
from .row_keys import Meaning
from .solid_leaks import Space
from .steps import Steps

Made = TypeVar("Made")
AnyLevel = Any
"""A level of any format: each has a class of its own, or several."""
Document = dict[str, Any]
"""Names, each with what JSON, numpy or another such dictionary hold; or an iterator of those."""


def tried(part: Callable[..., Made], *of: object) -> Made | FormatError:
    """Return a part of a level's contents; where it can't be decoded, the FormatError that says why."""
    try:
        return part(*of)
    except FormatError as error:
        return error


class Columns(Document):
    """A table, each field as an array of one value a record; of records within records further such tables."""

    meaning: Callable[[], Steps[Meaning | None]] | None = None
    """What says which of its rows mean the same as rows of another such table, whatever their numbers; None: their
    order counts, or what they name isn't known.
    """


@runtime_checkable
class Verbs(Protocol):
    """What the package of every format offers, so that knowing one is knowing all."""

    TITLE: str
    """What a level of the format is called: "Source map"."""
    ENDINGS: tuple[str, ...]
    """Endings of its files' names, with the dot, the usual one first."""
    Level: type | UnionType
    """The class (or union of classes) of its levels."""

    def identify(self, data: Buffer, /) -> bool:
        """Whether these bytes are of the format, by magic and structure: no other format's are."""

    def read(self, data: Buffer, /) -> AnyLevel:
        """Read a level: cheap, parts are decoded when they are first asked for. Raises FormatError."""

    def write(self, level: AnyLevel, /) -> bytes:
        """Return a level's bytes: what nobody changed comes out as it came in. Raises FormatError."""

    def check(self, level: AnyLevel, /) -> list[Problem]:
        """Return what the level's game would refuse or misread."""

    def contents(self, level: AnyLevel, /) -> Document:
        """Everything in a level, decoded, by name; what can't be is a FormatError in its place."""

    def summary(self, level: AnyLevel, /) -> Document:
        """What is in a level, in short."""

    def section_at(self, level: AnyLevel, offset: int, /) -> str:
        """Say which part of the file this byte of it belongs to."""


class LeakVerbs(Protocol):
    """What a format whose levels have to be sealed offers as its module `leaks`."""

    ENDING: str
    """How names of its compiler's leak files end, with the dot."""
    SEVERITY: Severity
    """Of a leak: whether the compiler fails."""

    def space(self, level: AnyLevel, /) -> Space:
        """What of a level counts for leaks. Raises FormatError."""

    def leak_file(self, line: Floats, /) -> bytes:
        """Return the compiler's leak file of a way out, float64[n, 3] points from an entity on."""


@dataclass(frozen=True, slots=True)
class ContentKind:
    """A kind of file that levels name: models, textures, materials."""

    title: str
    """In the plural: "models"."""
    describe: Callable[[bytes, Callable[[str], bytes | None]], Document]
    """What is in a file, in short, of its bytes, and what gives those of the file beside it that is called the same but
    for an ending, None where there is none. Raises FormatError.
    """


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it is called, and the package with its verbs."""

    key: str
    """Its folder's name: "source"."""
    verbs: Verbs
    """The package of that folder."""

    @property
    def title(self) -> str:
        """What a level of the format is called: "Source map"."""
        return self.verbs.TITLE

    @property
    def endings(self) -> tuple[str, ...]:
        """Endings of its files' names, with the dot, the usual one first."""
        return self.verbs.ENDINGS

    @property
    def leaks(self) -> LeakVerbs | None:
        """What finds leaks; None where levels need not be sealed."""
        return getattr(self.verbs, "leaks", None)

    @property
    def content(self) -> Mapping[str, ContentKind]:
        """The kinds of files that its levels name, by the endings of their names, with the dot."""
        found: Mapping[str, ContentKind] = getattr(self.verbs, "CONTENT", {})
        return found

    def identify(self, data: Buffer) -> bool:
        """Whether these bytes are of the format, by magic and structure."""
        return bool(self.verbs.identify(data))
