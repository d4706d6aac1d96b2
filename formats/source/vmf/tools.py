# SPDX-License-Identifier: GPL-3.0-or-later
"""Tool textures, where the compiler took them away.

vbsp gives sides without a face, which are most sides of invisible brushes, any other texinfo with the same flags: a
clip brush may be left with "nodraw" on all sides, and would come back as a wall. What a brush is, its contents still
say; so the texture that gives these contents stands in.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...arrays import Ints
from ..records import Contents, SurfaceFlag
from . import side_contents

FOLDER = "tools/"
NODRAW, AREAPORTAL = "tools/toolsnodraw", "tools/toolsareaportal"
SEEN = Contents.SOLID | Contents.WINDOW | Contents.GRATE
CLIP = Contents.PLAYERCLIP | Contents.MONSTERCLIP

#: What stands in for textures that are lost: of those that make a brush's contents, or nearly, the first.
_STAND_INS = (
    NODRAW,
    "tools/toolsclip",
    "tools/toolsplayerclip",
    "tools/toolsnpcclip",
    "tools/toolsgrenadeclip",
    "tools/toolsdroneclip",
    "tools/toolsinvisible",
    "tools/toolsinvisibleladder",
    "tools/climb",
    "tools/toolsblockbullets",
    "tools/toolsblock_los",
    "tools/toolsblocklight",
    "tools/toolsskip",
)
_KEPT = ("tools/toolshint", "tools/toolsskip", "tools/toolssky", "tools/toolstrigger")

#: Sides whose texinfo still has these flags.
_BY_FLAGS: tuple[tuple[SurfaceFlag, str], ...] = (
    (SurfaceFlag.HINT, "tools/toolshint"),
    (SurfaceFlag.SKIP, "tools/toolsskip"),
    (SurfaceFlag.SKY2D, "tools/toolsskybox2d"),
    (SurfaceFlag.SKY, "tools/toolsskybox"),
    (SurfaceFlag.TRIGGER, "tools/toolstrigger"),
)


@cache
def of_contents(contents: int) -> str:
    """The tool texture that makes a brush of these contents, or of such as differ least."""
    if contents & Contents.AREAPORTAL:
        return AREAPORTAL
    wanted = contents & ~int(Contents.DETAIL) & 0xFFFFFFFF
    return min(_STAND_INS, key=lambda name: ((_alone(name) ^ wanted) & ~int(Contents.DETAIL)).bit_count())


def _alone(name: str) -> int:
    return side_contents.of_brush((side_contents.of_tool(name) or 0,))


def contents_of(name: str) -> int | None:
    """The contents of a brush with this tool texture; None for a texture that makes a brush solid, or is no tool."""
    contents = side_contents.of_tool(name)
    return None if contents == int(Contents.SOLID) else contents


def of_flags(flags: int) -> str:
    """The tool texture of a texinfo with these flags; "" if it is none's."""
    return next((name for flag, name in _BY_FLAGS if flags & flag), "")


def restored(
    wanted: Ints,
    owners: Ints,
    names: Sequence[str],
    faces: Sequence[bool],
    flags: Sequence[int],
    known: side_contents.SideContents,
) -> tuple[list[str], int]:
    """The materials of sides, and how many brushes were given the tool texture of their contents.

    wanted: int64[brushes], what textures have to make them contain; owners: int64[n], the brush of each side. names: ""
    for none. faces: which sides have a face: they keep their material. flags: of the sides' texinfos. known: of
    materials.
    """
    made = [name or of_flags(flag) for name, flag in zip(names, flags, strict=True)]
    contents = wanted.tolist()
    firsts = np.searchsorted(owners, np.arange(len(contents) + 1)).tolist()
    count = 0
    for brush, own in enumerate(contents):
        sides = range(firsts[brush], firsts[brush + 1])
        hidden = [side for side in sides if not faces[side]]
        # Something that is seen says what the brush is; so does a texture that makes what it contains.
        told = len(hidden) < len(sides) or any(_tells(made[side], own, known) for side in hidden)
        wrong = [side for side in hidden if not made[side] or not told or _misleads(made[side], own, known)]
        for side in wrong:
            made[side] = NODRAW if told and own & SEEN else of_contents(own)
        count += bool(wrong) and not told
        free = [side for side in hidden if not made[side].lower().startswith(_KEPT)]
        if told and free and side_contents.lead(known.of_sides([made[side] for side in sides], own), own) < 0:
            made[free[0]] = of_contents(own)
    return made, count


def _tells(name: str, wanted: int, known: side_contents.SideContents) -> bool:
    """Whether a side of this material may be why a brush contains what is wanted."""
    if not name:
        return False
    contents = known[name]
    if contents is None:  # an ordinary texture makes what is seen
        return bool(wanted & (SEEN | Contents.WATER | Contents.SLIME)) or name.lower().startswith(FOLDER)
    return name.lower().startswith(_KEPT) or side_contents.same(side_contents.of_brush((contents,)), wanted)


def _misleads(name: str, wanted: int, known: side_contents.SideContents) -> bool:
    """Whether a side of this material would make something else of a brush that contains what is wanted."""
    contents = known[name]
    if contents is None:
        return False
    if contents & side_contents.THROUGH & ~wanted:
        return True
    tool = side_contents.of_tool(name) is not None and not contents & Contents.SOLID
    return tool and contents != 0 and not contents & wanted & ~int(Contents.DETAIL)
