# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of binary `.map` files and the flags of both kinds of file (genesis.md §1, §1.5, §1.6).

Lengths are units of one inch, which is also one texel at scale 1; x right, y up, z towards the viewer. Normals point
out of the solid, and dot(normal, P) == dist on the plane.
"""

from enum import IntFlag
from functools import lru_cache

import numpy as np

from ..arrays import Records

FaceArray = Records  # of FACE

FACE = np.dtype(
    [
        ("flags", "<i4"),  # FaceFlag; unknown bits reach the compiled level unchanged
        ("mip_map_bias", "<f4"),  # 1
        ("alpha", "<f4"),  # 0..255; used only with FaceFlag.TRANSLUCENT
        ("face_light", "<f4"),  # intensity of FaceFlag.LIGHT; the editor's default is 300
        ("reflective_scale", "<f4"),  # 1
        ("tex_name", "V32"),  # ends at a NUL; what stands behind it is whatever lay in the writer's memory
        ("u_vec", "<f4", (3,)),  # texels: U = dot(P, u_vec) / draw_scale_x + offset_x
        ("draw_scale_x", "<f4"),
        ("offset_x", "<f4"),
        ("v_vec", "<f4", (3,)),  # V grows downwards on walls
        ("draw_scale_y", "<f4"),
        ("offset_y", "<f4"),
        ("normal", "<f4", (3,)),
        ("dist", "<f4"),
    ]
)

NAME_SIZE = 32  # of tex_name: 31 characters and a NUL; the compiler's strcpy runs on without one
EDITOR_NAME_SIZE = 15  # characters that the editor allows
WORLD_BOUND = 15192  # the compiler's world reaches from minus this to this
MAX_TEXTURE_SIZE = 256


class BrushFlag(IntFlag):
    """Flags of a brush in a `.map`. The compiler makes flags of 0 EMPTY."""

    SOLID = 0x1  # blocks view and movement
    WINDOW = 0x2  # visible, blocks movement, can be seen through
    EMPTY = 0x4  # visible, does not block: water
    TRANSLUCENT = 0x8  # set by the compiler where faces are
    WAVY = 0x10  # its surface is animated
    DETAIL = 0x20  # does not hide what is behind it
    CLIP = 0x40  # invisible, blocks movement
    HINT = 0x80  # invisible, splits the level
    AREA = 0x100  # separates areas; doors
    FLOCKING = 0x200  # is not cut by other brushes
    SHEET = 0x400  # one visible side: face 0
    USER1 = 0x10000  # this and all above: contents that the game's header names (GE_BrushContents)
    USER2 = 0x20000
    USER3 = 0x40000
    USER4 = 0x80000
    USER5 = 0x100000
    USER6 = 0x200000
    USER7 = 0x400000
    USER8 = 0x800000
    USER9 = 0x1000000
    USER10 = 0x2000000
    USER11 = 0x4000000
    USER12 = 0x8000000
    USER13 = 0x10000000
    USER14 = 0x20000000
    USER15 = 0x40000000
    USER16 = 0x80000000


class EditorBrushFlag(IntFlag):
    """Flags of a brush in a `.3dt`; the upper 16 bits are those of BrushFlag."""

    SOLID = 0x1
    WINDOW = 0x2
    WAVY = 0x4
    DETAIL = 0x8
    HOLLOWCUT = 0x10  # the inner brush of a hollow one
    TRANSLUCENT = 0x20  # moves to the faces when a file before 1.30 is loaded
    EMPTY = 0x40
    SUBTRACT = 0x80  # a cut
    CLIP = 0x100
    FLOCKING = 0x200
    HOLLOW = 0x400
    SHEET = 0x800
    HIDDEN = 0x1000
    LOCKED = 0x2000
    HINT = 0x4000
    AREA = 0x8000


class FaceFlag(IntFlag):
    """Flags of a face in a `.map`."""

    MIRROR = 0x1
    FULLBRIGHT = 0x2
    SKY = 0x4
    LIGHT = 0x8  # gives light: face_light
    TRANSLUCENT = 0x10  # alpha counts
    GOURAUD = 0x20
    FLAT = 0x40
    NO_LIGHTMAP = 0x8000  # set by the compiler


class EditorFaceFlag(IntFlag):
    """Flags of a face in a `.3dt`. Of FULLBRIGHT, GOURAUD and FLAT the editor sets at most one."""

    MIRROR = 0x1
    FULLBRIGHT = 0x2
    SKY = 0x4
    LIGHT = 0x8
    SELECTED = 0x10
    FIXEDHULL = 0x20
    GOURAUD = 0x40
    FLAT = 0x80
    TEXTURELOCKED = 0x100
    VISIBLE = 0x200
    SHEET = 0x400
    TRANSPARENT = 0x800


USER_CONTENTS = 0xFFFF0000  # the game's own bits of brush flags, the same in both files

_BRUSH = {EditorBrushFlag[name]: flag for name, flag in BrushFlag.__members__.items() if not name.startswith("USER")}
_FACE = {
    EditorFaceFlag[name]: FaceFlag[name] for name in ("MIRROR", "FULLBRIGHT", "SKY", "LIGHT", "GOURAUD", "FLAT")
} | {EditorFaceFlag.TRANSPARENT: FaceFlag.TRANSLUCENT}


@lru_cache
def brush_flags_from_editor(flags: int) -> int:
    """The `.map` flags of a `.3dt` brush; roles that only the editor knows (cut, hollow, hidden...) have none."""
    return (flags & USER_CONTENTS) | sum(of_map for of_editor, of_map in _BRUSH.items() if flags & of_editor)


@lru_cache
def brush_flags_to_editor(flags: int) -> int:
    """The `.3dt` flags of a `.map` brush; bits 11 to 15, which mean nothing, are dropped."""
    return (flags & USER_CONTENTS) | sum(of_editor for of_editor, of_map in _BRUSH.items() if flags & of_map)


@lru_cache
def face_flags_from_editor(flags: int) -> int:
    """The `.map` flags of a `.3dt` face."""
    return sum(of_map for of_editor, of_map in _FACE.items() if flags & of_editor)


@lru_cache
def face_flags_to_editor(flags: int) -> int:
    """The `.3dt` flags of a `.map` face; bits without a counterpart are dropped."""
    return sum(of_editor for of_editor, of_map in _FACE.items() if flags & of_map)


def texture_names(faces: FaceArray) -> list[str]:
    """The texture's name of each of FACE [n], up to its NUL (or all 32 characters if there is none), as Latin-1."""
    raw = np.ascontiguousarray(faces["tex_name"]).view("u1").reshape(-1, NAME_SIZE)
    ended = np.logical_or.accumulate(raw == 0, axis=1)
    names: list[str] = np.char.decode(np.where(ended, 0, raw).astype("u1").view("S32")[:, 0], "latin-1").tolist()
    return names


def texture_field(name: str) -> bytes:
    """The 32 bytes of a texture's name, filled up with NULs.

    Raises ValueError for a name of more than 31 characters, or that Latin-1 has no bytes for.
    """
    raw = name.encode("latin-1")
    if len(raw) >= NAME_SIZE:
        raise ValueError(f"texture {name!r}: {len(raw)} characters, {NAME_SIZE - 1} are allowed")
    return raw.ljust(NAME_SIZE, b"\0")


def new_faces(count: int) -> FaceArray:
    """FACE [count] with the editor's defaults; planes and texture vectors are zero."""
    faces = np.zeros(count, FACE)
    faces["mip_map_bias"] = faces["reflective_scale"] = faces["draw_scale_x"] = faces["draw_scale_y"] = 1
    faces["alpha"] = 255
    faces["face_light"] = 300
    return faces
