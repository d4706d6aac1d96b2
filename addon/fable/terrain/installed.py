# SPDX-License-Identifier: GPL-3.0-or-later
"""What an installed game says of the ground: its textures, and of each theme which of them it has (fable.md §8).

Archives are large: of one the lists are read, and a texture when it is first shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import bpy
import numpy as np

from ....formats.binary import Budget, FormatError
from ....formats.fable import big, definitions, textures
from ....formats.fable.big import ArchiveEntry
from ....formats.fable.definitions import ThemeDefinition
from ....formats.reach import AllowedFolders
from ...scene.disk import content_folders
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import Report
from .. import content

TEXTURE = "levelwright_fable_texture"
"""On an image: which texture of the game's it shows."""
MAIN = "GBANK_MAIN"
"""How the name of the bank begins whose numbers definitions have."""
_MADE_OF = (".TGA", ".tga")


@dataclass(frozen=True)
class InstalledGame:
    """The installed game, as far as it was found: without any, all of it is empty."""

    reach: AllowedFolders
    archive: Path | None = None
    entries: tuple[ArchiveEntry, ...] = ()
    themes: Mapping[str, ThemeDefinition] = field(default_factory=dict)
    """What the game's definitions say, by theme."""

    @cached_property
    def by_name(self) -> dict[str, ArchiveEntry]:
        """The textures by name; of equal ones the first counts."""
        return {entry.name: entry for entry in reversed(self.entries)}

    @cached_property
    def _by_number(self) -> dict[int, ArchiveEntry]:
        return {entry.number: entry for entry in reversed(self.entries) if entry.bank.startswith(MAIN)}

    @property
    def depths(self) -> dict[str, float]:
        """How deep water is over each theme."""
        return {name: theme.water_depth for name, theme in self.themes.items()}

    def of_theme(self, theme: str) -> ArchiveEntry | None:
        """The texture that the game has for a theme: the one that its definition names, else one of its own name."""
        found = self.themes.get(theme)
        entry = self._by_number.get(found.base_texture) if found is not None and found.base_texture else None
        names = (theme, *(theme + ending for ending in _MADE_OF)) if theme else ()
        return entry or next((self.by_name[name] for name in names if name in self.by_name), None)

    def image(self, entry: ArchiveEntry, budget: Budget) -> bpy.types.Image:
        """A texture as a packed image; the one that the .blend has already will do. budget: pixels that may be made.

        Raises FormatError for a texture that can't be read, OSError.
        """
        key = f"{entry.bank}/{entry.name}"
        known = next(
            (one for one in bpy.data.images if one.get(TEXTURE) == showable(key) and images.was_packed(one)), None
        )
        if known is not None:
            return known
        if self.archive is None:
            raise FileNotFoundError("no archive of textures")
        with self.reach.open(self.archive) as file:
            texture = textures.read_texture(entry, big.read_entry(file, entry), budget)
        made = _image(entry.name, texture)
        made[TEXTURE] = showable(key)
        return made


def _image(name: str, texture: textures.Texture) -> bpy.types.Image:
    if texture.code:
        return images.from_dds(name, texture.width, texture.height, texture.code.encode(), texture.data)
    pixels = np.frombuffer(texture.data, np.uint8).reshape(texture.height, texture.width, 4)
    return images.from_rgba(name, pixels[..., [2, 1, 0, 3]])


def find_game(folders: Iterable[Path], report: Report) -> InstalledGame:
    """Read the lists of the game in these folders; what can't be read of them is warned of, and left out."""
    reach = content_folders.reach(folders, report)
    archive, game, names = (content.find(reach, name) for name in (content.ARCHIVE, content.DEFINITIONS, content.NAMES))
    entries: tuple[ArchiveEntry, ...] = ()
    themes: Mapping[str, ThemeDefinition] = {}
    if archive is not None:
        with _told(archive, report), reach.open(archive) as file:
            entries = tuple(big.read_entries(file, textures.KIND))
    if game is not None and names is not None:
        with _told(game, report):
            themes = definitions.read_themes(reach.read(game), reach.read(names))
    return InstalledGame(reach, archive, entries, themes)


@contextmanager
def _told(path: Path, report: Report) -> Iterator[None]:
    """Warn of a file of the game's that can't be read."""
    try:
        yield
    except (FormatError, OSError) as error:
        report.warn(f"{path.name} of the game can't be read: {error}")
