# SPDX-License-Identifier: GPL-3.0-or-later
"""The palettes and sounds of the sidebar's lists, back to the level: names that were changed, added or taken away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....formats import fable
from ....formats.arrays import Records
from ....formats.counting import number_of
from ....formats.fable.level import Level
from ....formats.fable.records import PALETTE_SLOTS
from ...scene.reports import SceneError
from .build import names_of
from .lists import Palettes

FIRST_FREE = 2
"""The first slot for a new theme: 0 is none, 1 the theme that stands in for those that are missing."""


def slots_of_layers(level: Level, names: Palettes, groups: Iterable[str]) -> dict[str, int]:
    """The slot of each weight layer. level: as it was read; names: its palettes now; groups: the layers that there are.

    A theme that was renamed keeps its layer, also where that has the old name still.
    """
    there = set(groups)
    now, before = names.layers(), names_of(level).layers()
    found = {}
    for slot, (name, old) in enumerate(zip(now, before, strict=True)):
        renamed = name and old and name not in there and old in there and old not in now
        if name:
            found[old if renamed else name] = slot
    return found


def add_theme(names: Palettes, name: str, slots: Iterable[int] = range(FIRST_FREE, PALETTE_SLOTS)) -> int:
    """Give a theme the first free slot, and return that. Raises SceneError where there is none, or for a bad name."""
    slot = next((slot for slot in slots if slot not in names.used_themes), None)
    if slot is None:
        raise SceneError(f"theme {name!r}: all {PALETTE_SLOTS} slots of the palette are in use")
    _encoded(name, f"theme in slot {slot}")
    names.themes[slot] = name
    names.used_themes.add(slot)
    return slot


def collect_palettes(level: Level, names: Palettes) -> Iterator[str]:
    """Put names that differ into a level, and say which did. Raises SceneError for names that a level can't have."""
    was = names_of(level)
    for what, palette, old, now, old_used, now_used in (
        ("theme", level.ground_palette, was.themes, names.themes, was.used_themes, names.used_themes),
        (
            "atmosphere",
            level.atmosphere_palette,
            was.atmospheres,
            names.atmospheres,
            was.used_atmospheres,
            names.used_atmospheres,
        ),
    ):
        for slot in sorted(old_used | now_used):
            if slot not in now_used:
                _set(palette, slot, b"", 0)
                yield f"{what} {old[slot]!r} is taken out of slot {slot}"
            elif slot not in old_used or old[slot] != now[slot]:
                _set(palette, slot, _encoded(now[slot], f"{what} in slot {slot}"), int(palette["value"][slot]) or slot)
                yield f"{what} {now[slot]!r} is in slot {slot}"
    # What Blender can't hold of a name is what stands behind a NUL.
    shown = [name.partition("\0")[0] for name in level.sounds]
    if shown != names.sounds:
        kept = dict(zip(shown, level.sounds, strict=True))
        for number, name in enumerate(names.sounds, 1):
            _encoded(name, f"sound {number}")
        level.sounds = [kept.get(name, name) for name in names.sounds]
        yield f"{number_of(len(level.sounds), 'sounds')}: " + ", ".join(names.sounds)


def _set(palette: Records, slot: int, name: bytes, value: int) -> None:
    palette["name"][slot] = name
    palette["value"][slot] = value


def _encoded(name: str, what: str) -> bytes:
    try:
        return fable.palette_name(name)
    except ValueError as error:
        raise SceneError(f"{what} can't have this name in a level: {error}") from error
