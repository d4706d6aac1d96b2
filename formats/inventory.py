# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in a folder: how many levels, models, textures and materials can be read, and which are refused, and why."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import FORMATS, read
from .binary import FormatError
from .format import ContentKind, Document, Format

_LEVELS, _FOLDERS = "levels", "folders"
_NAMED = 3
"""Of files that are refused for one reason, how many are named."""


@dataclass
class _Counts:
    """Of one kind of files: how many can be read, and which can't, by the reason."""

    read: int = 0
    refused: dict[str, list[str]] = field(default_factory=dict)

    def document(self) -> Document:
        why = {
            reason: f"{len(names)}: {', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"
            for reason, names in sorted(self.refused.items(), key=lambda one: -len(one[1]))
        }
        return {"read": self.read, "refused": sum(map(len, self.refused.values())), "why": why}


def inventory(folder: Path) -> Document:
    """Read all that is in a folder and below: counts by format and kind ("source models"). Raises OSError."""
    levels = {ending for form in FORMATS for ending in form.endings}
    counts: dict[str, _Counts] = {}
    for path in sorted(_files(folder, counts)):
        ending = path.suffix.lower()
        known = kind_of(ending)
        if known is None and ending not in levels:
            continue
        entry = counts.setdefault(f"{known[0].key} {known[1].title}" if known is not None else _LEVELS, _Counts())
        try:
            describe(path, known[1]) if known is not None else read(_bytes(path))
        except (FormatError, OSError) as error:
            entry.refused.setdefault(_reason(error), []).append(str(path.relative_to(folder)))
        else:
            entry.read += 1
    return {name: entry.document() for name, entry in sorted(counts.items())}


def kind_of(ending: str) -> tuple[Format, ContentKind] | None:
    """The format and the kind of content whose names end so (".mdl", in small letters); None for others."""
    return next(((form, form.content[ending]) for form in FORMATS if ending in form.content), None)


def describe(path: Path, kind: ContentKind) -> Document:
    """What is in a file of content, in short. Raises FormatError, OSError."""
    stem = path.stem.lower()
    names: dict[str, Path] = {}

    def beside(ending: str) -> bytes | None:
        if not names:
            names.update({one.name.lower(): one for one in path.parent.iterdir()})
        found = names.get(stem + ending)
        return None if found is None else _bytes(found)

    return kind.describe(_bytes(path), beside)


def _files(folder: Path, counts: dict[str, _Counts]) -> Iterator[Path]:
    """All files in a folder and below; folders that can't be looked into are counted as refused."""

    def refuse(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise error
        refused = counts.setdefault(_FOLDERS, _Counts()).refused
        refused.setdefault(_reason(error), []).append(str(Path(error.filename).relative_to(folder)))

    found = (Path(home, name) for home, _, names in os.walk(folder, onerror=refuse) for name in names)
    return (path for path in found if path.is_file())


def _bytes(path: Path) -> bytes:
    data = path.read_bytes()
    if not data:
        raise FormatError("it is empty")
    return data


def _reason(error: FormatError | OSError) -> str:
    """Why a file is refused, without the place in it, so that like ones are counted together."""
    if isinstance(error, OSError):
        return error.strerror or "it can't be read"
    return f"{error.reading}: {error.message}" if error.reading else error.message
