# SPDX-License-Identifier: GPL-3.0-or-later
"""What a brush contains, reckoned from the textures of its sides as vbsp does.

What is seen through (windows, grates, water, slime) comes from any side, all else from the first one; func_detail,
func_ladder and func_water add a bit of their own (source.md "BRUSHES"). What a side contains is in its material, which
is part of the game; of tool textures it is known, of others it can be told by the brushes that have faces of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import and_, or_

from ..records import Contents

THROUGH = int(Contents.WINDOW | Contents.GRATE | Contents.WATER | Contents.SLIME)
"""What comes from any side."""
OF_CLASSES = {"info_ladder": int(Contents.LADDER), "func_water": int(Contents.WATER)}
"""What brushes of entities contain besides, whatever their textures. An info_ladder was a func_ladder."""
_CLIP = int(Contents.PLAYERCLIP | Contents.MONSTERCLIP)
_DETAIL, _VISIBLE = int(Contents.DETAIL), 0xFF
_OF_BRUSH = int(Contents.TRANSLUCENT | Contents.DETAIL | Contents.MOVEABLE | Contents.AREAPORTAL | Contents.SOLID)

#: A side of each tool texture, by how its name begins; the first that fits. As in maps of CS:GO, Left 4 Dead 2 and
#: Garry's Mod that have a brush of each.
_TOOLS: tuple[tuple[str, int], ...] = (
    ("tools/toolsclip", _CLIP | _DETAIL),
    ("tools/toolsplayerclip", int(Contents.PLAYERCLIP) | _DETAIL),
    ("tools/toolsnpcclip", int(Contents.MONSTERCLIP) | _DETAIL),
    ("tools/toolsgrenadeclip", int(Contents.CURRENT_90) | _DETAIL),
    ("tools/toolsdroneclip", int(Contents.CURRENT_180) | _DETAIL),
    ("tools/toolsinvisibleladder", int(Contents.GRATE | Contents.LADDER)),
    ("tools/climb", int(Contents.GRATE | Contents.LADDER | Contents.TEAM2)),
    ("tools/toolsinvisible", int(Contents.GRATE)),
    ("tools/toolsblockbullets", int(Contents.WINDOW)),
    ("tools/toolsblock_los", int(Contents.BLOCKLOS) | _DETAIL),
    ("tools/toolsblocklight", int(Contents.OPAQUE) | _DETAIL),
    ("tools/toolshint", 0),
    ("tools/toolsskip", 0),
    ("tools/toolsnodraw", int(Contents.SOLID)),
    ("tools/toolsareaportal", int(Contents.SOLID)),
    ("tools/toolsoccluder", int(Contents.SOLID)),
    ("tools/toolstrigger", int(Contents.SOLID)),
    ("tools/toolssky", int(Contents.SOLID)),
    ("tools/hulkwall", int(Contents.WINDOW)),
    ("tools/invismetal", int(Contents.WINDOW)),
    ("effects/tankwall", int(Contents.WINDOW)),
)


@cache
def of_tool(name: str) -> int | None:
    """What a side of a tool texture contains; None for other materials."""
    folded = name.lower()
    return next((contents for start, contents in _TOOLS if folded.startswith(start)), None)


def of_brush(sides: Sequence[int]) -> int:
    """What a brush contains, of what its sides do, in their order: at least one."""
    through = reduce(or_, sides) & THROUGH
    if not through:
        return sides[0]
    return (sides[0] | through | int(Contents.TRANSLUCENT)) & ~int(Contents.SOLID)


def same(one: int, other: int) -> bool:
    """Whether a brush contains the same, but for what says that it is detail."""
    return not (one ^ other) & 0xFFFFFFFF & ~_DETAIL


class SideContents(dict[str, int | None]):
    """What sides of materials contain, by the materials' names: of tools, and of what was learned; None of others."""

    def __init__(self, learned: Mapping[str, int]) -> None:
        super().__init__()
        self._learned = learned

    def __missing__(self, name: str) -> int | None:
        tool = of_tool(name)
        self[name] = found = self._learned.get(name.lower()) if tool is None else tool
        return found

    def of_sides(self, names: Sequence[str], wanted: int) -> list[int]:
        """What sides of materials contain. wanted: what their brush is to: materials that aren't known may be why."""
        other = wanted & ~int(Contents.TRANSLUCENT)
        return [other if (contents := self[name]) is None else contents for name in names]


def learned(seen: Iterable[tuple[str, int]]) -> SideContents:
    """What is known of materials. seen: those of faces, each with what its brush contains."""
    found: dict[str, list[int]] = {}
    for name, contents in set(seen):
        if of_tool(name) is None:
            found.setdefault(name.lower(), []).append(contents)
    return SideContents({name: _side(reduce(and_, contents)) for name, contents in found.items()})


def lead(sides: Sequence[int], wanted: int) -> int:
    """Which side has to be the first for a brush to contain what is wanted; -1: whichever is, it won't."""
    through = reduce(or_, sides) & THROUGH
    for place, first in enumerate(sides):
        if same(of_brush((first, through)), wanted):
            return place
    return -1


def _side(contents: int) -> int:
    own = contents & ~_OF_BRUSH & 0xFFFFFFFF
    return own if own & (_VISIBLE | _CLIP) else own | int(Contents.SOLID)  # what is nothing else is solid
