# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of brushes as properties of their objects, and back."""

from __future__ import annotations

from ....formats.genesis.editor_level import EditorBrush
from ....formats.genesis.records import BrushFlag, EditorBrushFlag
from .. import layout


def is_see_through(flags: int) -> bool:
    """Whether nothing of a brush with these flags, of a `.map`, is drawn by the engine."""
    if flags & int(BrushFlag.CLIP | BrushFlag.HINT):
        return True
    return bool(flags & BrushFlag.AREA) and not flags & BrushFlag.SOLID


_MAP_FLAGS = {one.name.lower(): int(one) for one in BrushFlag if one.name and not one.name.startswith("USER")}
_EDITOR_FLAGS = {one.name.lower(): int(one) for one in EditorBrushFlag if one.name}
_EDITOR_FLAGS["cut"] = _EDITOR_FLAGS.pop("subtract")
_EDITOR_FLAGS["hollow_cut"] = _EDITOR_FLAGS.pop("hollowcut")
_KNOWN_MAP = sum(_MAP_FLAGS.values())
_KNOWN_EDITOR = sum(_EDITOR_FLAGS.values())


def map_properties(flags: int) -> layout.BrushProperties:
    """The properties for the flags of a `.map` brush."""
    bits = {name: bool(flags & bit) for name, bit in _MAP_FLAGS.items()}
    return layout.BrushProperties(**bits, contents=flags >> 16 & 0xFFFF, other_flags=flags & 0xFFFF & ~_KNOWN_MAP)


def map_flags(values: layout.BrushProperties) -> int:
    """The flags that a `.map` brush with these properties has: the inverse of `map_properties`."""
    bits = sum(bit for name, bit in _MAP_FLAGS.items() if getattr(values, name))
    return bits | values.other_flags | values.contents << 16


def editor_properties(brush: EditorBrush) -> layout.EditorBrushProperties:
    """The properties of a `.3dt` brush."""
    flags = brush.flags & 0xFFFFFFFF
    bits = {name: bool(flags & bit) for name, bit in _EDITOR_FLAGS.items()}
    return layout.EditorBrushProperties(
        **bits, contents=flags >> 16, other_flags=0, brush_name=brush.name, hull_size=brush.hull_size
    )


def editor_flags(values: layout.EditorBrushProperties) -> int:
    """The flags that a `.3dt` brush with these properties has, unsigned."""
    return sum(bit for name, bit in _EDITOR_FLAGS.items() if getattr(values, name)) | values.contents << 16


def named_twice(values: layout.BrushProperties) -> int:
    """The bits of `other_flags` that have properties of their own."""
    return values.other_flags & (_KNOWN_EDITOR if isinstance(values, layout.EditorBrushProperties) else _KNOWN_MAP)
