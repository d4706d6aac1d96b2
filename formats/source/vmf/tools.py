# SPDX-License-Identifier: GPL-3.0-or-later
"""Tool textures, where the compiler took them away.

vbsp gives sides without a face, which are most sides of invisible brushes, any other texinfo with the same flags: a
clip brush may be left with "nodraw" on all sides, and would come back as a wall. What a brush is, its contents still
say; so the texture that gives these contents stands in.
"""

from collections.abc import Sequence

import numpy as np

from ..geometry import Ints
from ..records import Contents, Records, SurfaceFlag

FOLDER = "tools/"
NODRAW = "tools/toolsnodraw"
SEEN = Contents.SOLID | Contents.WINDOW | Contents.GRATE
CLIP = Contents.PLAYERCLIP | Contents.MONSTERCLIP

#: What a brush with these contents, and none of what is seen, is made with: the first that fits.
_BY_CONTENTS: tuple[tuple[Contents, str], ...] = (
    (Contents.AREAPORTAL, "tools/toolsareaportal"),
    (CLIP, "tools/toolsclip"),
    (Contents.PLAYERCLIP, "tools/toolsplayerclip"),
    (Contents.MONSTERCLIP, "tools/toolsnpcclip"),
    (Contents.LADDER, "tools/toolsinvisibleladder"),
    (Contents.BLOCKLOS, "tools/toolsblock_los"),
    (Contents.SOLID, NODRAW),
    (Contents.GRATE, "tools/toolsinvisible"),
    (Contents.WINDOW, "tools/toolsblockbullets"),
    (Contents.OPAQUE, "tools/toolsblocklight"),
)

#: Tool textures by how their names begin, and what a brush that has them must contain one of.
_MEANS: tuple[tuple[str, Contents], ...] = (
    ("tools/toolsclip", CLIP),
    ("tools/toolsplayerclip", Contents.PLAYERCLIP),
    ("tools/toolsnpcclip", Contents.MONSTERCLIP),
    ("tools/toolsinvisibleladder", Contents.LADDER),
    ("tools/toolsinvisible", Contents.GRATE),
    ("tools/toolsblockbullets", Contents.GRATE | Contents.WINDOW),
    ("tools/toolsblock_los", Contents.BLOCKLOS),
    ("tools/toolsblocklight", Contents.OPAQUE),
    ("tools/toolsareaportal", Contents.AREAPORTAL),
    ("tools/toolsnodraw", Contents.SOLID),
)

#: Sides whose texinfo still has these flags.
_BY_FLAGS: tuple[tuple[SurfaceFlag, str], ...] = (
    (SurfaceFlag.HINT, "tools/toolshint"),
    (SurfaceFlag.SKIP, "tools/toolsskip"),
    (SurfaceFlag.SKY2D, "tools/toolsskybox2d"),
    (SurfaceFlag.SKY, "tools/toolsskybox"),
    (SurfaceFlag.TRIGGER, "tools/toolstrigger"),
)


def of_contents(contents: int) -> str:
    """The tool texture that makes a brush of these contents."""
    for wanted, name in _BY_CONTENTS:
        if contents & wanted == wanted:
            return name
    return NODRAW


def contents_of(name: str) -> Contents | None:
    """The contents of a brush with this tool texture; None for a texture that makes a brush solid, or is no tool."""
    folded = name.lower()
    return next((contents for contents, tool in _BY_CONTENTS if folded.startswith(tool) and tool != NODRAW), None)


def of_flags(flags: int) -> str:
    """The tool texture of a texinfo with these flags; "" if it is none's."""
    return next((name for flag, name in _BY_FLAGS if flags & flag), "")


def restored(
    brushes: Records, owners: Ints, names: Sequence[str], faces: Sequence[bool], flags: Sequence[int]
) -> tuple[list[str], int]:
    """The materials of sides, and how many brushes were given the tool texture of their contents.

    brushes: records; owners: int64[n], the brush of each side. names: "" for none. faces: which sides have a face:
    they keep their material. flags: of the sides' texinfos.
    """
    made = [name or of_flags(flag) for name, flag in zip(names, flags, strict=True)]
    contents = brushes["contents"].astype(np.int64).tolist()
    firsts = np.searchsorted(owners, np.arange(len(brushes) + 1)).tolist()
    count = 0
    for brush, wanted in enumerate(contents):
        sides = range(firsts[brush], firsts[brush + 1])
        hidden = [side for side in sides if not faces[side]]
        # Something that is seen says what the brush is; so does a tool texture that means what it contains.
        told = len(hidden) < len(sides) or any(_tells(made[side], wanted) for side in hidden)
        wrong = [side for side in hidden if not made[side] or not told or _misleads(made[side], wanted)]
        for side in wrong:
            made[side] = NODRAW if told and wanted & SEEN else of_contents(wanted)
        count += bool(wrong) and not told
    return made, count


def _meaning(name: str) -> Contents | None:
    folded = name.lower()
    return next((contents for start, contents in _MEANS if folded.startswith(start)), None)


def _tells(name: str, contents: int) -> bool:
    """Whether a side of this material may be why a brush has these contents."""
    if not name:
        return False
    meaning = _meaning(name)
    if meaning is None:  # an ordinary texture makes what is seen; sky, hints and triggers are what they are
        return bool(contents & (SEEN | Contents.WATER | Contents.SLIME)) or name.lower().startswith(FOLDER)
    if contents & CLIP and meaning & CLIP:
        return of_contents(contents) == of_contents(meaning)
    return bool(contents & meaning)


def _misleads(name: str, contents: int) -> bool:
    """Whether a side of this material would make something else of a brush with these contents."""
    meaning = _meaning(name)
    return meaning is not None and not name.lower().startswith(NODRAW) and not contents & meaning
