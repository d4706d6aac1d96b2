# SPDX-License-Identifier: GPL-3.0-or-later
"""Which picture each theme of the ground has: the one that was chosen for it, one of the user's, or the game's own.

Who chose which is kept with the level, in its list of themes, and in the preferences, for levels that are opened later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy

from ....formats.binary import Budget
from ....formats.reach import AllowedFolders
from ...scene.disk import content_folders
from ...scene.fields import declared
from ...scene.media import images
from .. import content
from .installed import InstalledGame

CHOICES = "fable_pictures"
"""The preference that has the choices: a line each, "GROUND_GRASS = GRASS_01"."""
NO_PICTURE = ":none"
"""What is chosen for a theme that shall have its colour."""
_BETWEEN = " = "

PREFERENCES: Mapping[str, object] = {CHOICES: declared.string(options={"HIDDEN"})}
"""What of the preferences this is kept in."""


def choices() -> dict[str, str]:
    """The textures that were chosen for themes, by theme."""
    lines = str(getattr(content_folders.preferences(), CHOICES, "")).splitlines()
    return {theme: texture for theme, between, texture in (line.partition(_BETWEEN) for line in lines) if between}


def remember(theme: str, texture: str) -> None:
    """Keep which texture was chosen for a theme; "" for none."""
    held = content_folders.preferences()
    if held is None:
        return
    now = {**choices(), theme: texture}
    setattr(held, CHOICES, "\n".join(f"{one}{_BETWEEN}{now[one]}" for one in sorted(now) if now[one]))
    if bpy.context.preferences is not None:
        bpy.context.preferences.is_dirty = True


@dataclass(frozen=True)
class ThemePictures:
    """Where the pictures of a level's themes are looked for."""

    folders: AllowedFolders
    """The user's own, with images named like themes."""
    game: InstalledGame
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Textures of the game's, by theme; NO_PICTURE for none."""
    known: Mapping[str, bpy.types.Image] = field(default_factory=dict)
    """What themes are known to show already, by theme."""
    pixels: Budget = field(default_factory=Budget.of_pixels)

    @property
    def any(self) -> bool:
        """Whether there is anywhere to look."""
        return bool(self.folders.folders or self.game.entries or self.known)

    def find(self, theme: str) -> bpy.types.Image | None:
        """Return the picture of a theme. Raises FormatError, OSError or RuntimeError where it can't be read."""
        choice = self.chosen.get(theme, "")
        if choice == NO_PICTURE:
            return None
        if theme in self.known:
            return self.known[theme]
        entry = self.game.by_name.get(choice)
        if entry is None:
            path = self.folders.find(theme, content.ENDINGS)
            if path is not None:
                return images.load(path, self.folders, check_existing=True)
            entry = self.game.of_theme(theme)
        return None if entry is None else self.game.image(entry, self.pixels)
