# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes Genesis3D texture libraries and `.3dt` texts from plain values; the samples are made with it.

It shares no code with `formats`, so that the library can be tested against it; binary maps are put together by
tests/formats/genesis_bytes.py. Facts: genesis.md §2-3.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Pairs = Sequence[tuple[str, str]]
SKY_SIDES = ("Left", "Right", "Top", "Bottom", "Front", "Back")

# -------------------------------------------------------------------------------------------------- texture libraries
TIME = (0x8D6EC000, 0x01BF2A3C)
"""When files were made: two halves of a Windows FILETIME, some day of 1999."""


def txl(textures: Mapping[str, NDArray[np.uint8]]) -> bytes:
    """A VF00 library of 8-bit bitmaps; pictures are uint8 [h, w, 4], top row first, of at most 256 colours."""
    data, nodes = b"", []
    for name, picture in textures.items():
        bitmap = gebm(picture)
        nodes.append(_node(name, 0, len(bitmap), 24 + len(data)))
        data += bitmap
    tree = _node("", 2, 0, 0) + b"".join(node + _END for node in reversed(nodes)) + _END + _END
    directory = b"DT01" + struct.pack("<i", 8 + len(tree)) + tree
    end = 24 + len(data)
    return struct.pack("<4sHH4i", b"VF00", 0, 0x7C, 0, end, end, end + len(directory)) + data + directory


_END = b"\xff\xff\xff\xff"


def _node(name: str, attributes: int, size: int, offset: int) -> bytes:
    """A file or folder of the directory; the list of what is in it follows."""
    raw = name.encode("latin-1") + b"\0"
    return struct.pack("<ii", 0, len(raw)) + raw + struct.pack("<2IIiii", *TIME, attributes, size, offset, 0)


def gebm(picture: NDArray[np.uint8]) -> bytes:
    """A GeBm: version 0x40, size as two logarithms, format 1 (8-bit) with a palette of XRGB words, one mip map."""
    height, width = picture.shape[:2]
    colors, numbers = np.unique(picture[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    if len(colors) > 255:
        raise ValueError(f"{len(colors)} colours")
    size = (width.bit_length() - 1) << 4 | (height.bit_length() - 1)
    palette = np.zeros((len(colors), 4), np.uint8)
    palette[:, :3] = colors[:, ::-1]
    head = b"GeBm" + bytes((0x40, 1 | 8, 1, 0, size, 13, len(colors)))
    return head + palette.tobytes() + b"\0" + numbers.astype(np.uint8).tobytes() + b"\x0f"


# ------------------------------------------------------------------------------------------------------- editor's text
@dataclass(frozen=True)
class Skin:
    """How a face looks. flags: those of the editor; scale: units a texel."""

    texture: str
    flags: int = 0
    rotate: int = 0
    shift: tuple[int, int] = (0, 0)
    scale: tuple[float, float] = (1.0, 1.0)
    light: int = 300
    alpha: float = 255.0
    bias: float = 1.0
    reflect: float = 1.0
    light_scale: float = 2.0


@dataclass(frozen=True)
class Face:
    """A side of a brush: its corners, clockwise as seen from outside."""

    points: tuple[Vector, ...]
    skin: Skin


@dataclass(frozen=True)
class Brush:
    """A leaf brush, or one that is made of others. flags: those of the editor."""

    name: str
    flags: int
    faces: tuple[Face, ...] = ()
    children: tuple[Brush, ...] = ()
    model: int = 0
    group: int = 0
    hull: float = 1.0


@dataclass(frozen=True)
class Model:
    """A world model; motion: the text of its motion, with LF."""

    name: str
    number: int
    origin: Vector
    motion: str


@dataclass(frozen=True)
class EditorLevel:
    """What a `.3dt` holds. settings: all lines from CompileInfo on."""

    library: str
    headers: str
    brushes: Sequence[Brush]
    entities: Sequence[Pairs]
    models: Sequence[Model]
    groups: Sequence[str]
    sky: Sequence[str]
    settings: str
    groups_of_entities: Mapping[int, int] = field(default_factory=dict)


def numbers(*values: float) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def text_3dt(level: EditorLevel) -> bytes:
    """A `.3dt` of version 1.31 with line ends of Windows."""
    lines = ["3dtVersion 1.31", f'TextureLib "{_quoted(level.library)}"', f'HeadersDir "{_quoted(level.headers)}"']
    lines += [f"NumEntities {len(level.entities)}", f"NumModels {len(level.models)}", f"NumGroups {len(level.groups)}"]
    lines += _brush_list(level.brushes)
    lines += ["Class CEntList", f"EntCount {len(level.entities)}", "CurEnt 0"]
    for number, pairs in enumerate(level.entities):
        lines += _entity(pairs, level.groups_of_entities.get(number, 0))
    for model in level.models:
        lines += [f'Model "{_quoted(model.name)}"', f"\tModelId {model.number}", f"\tCurrentKeyTime {numbers(0)}"]
        lines += ["\tTransform", numbers(1, 0, 0, 0, 1, 0, 0, 0, 1, *model.origin) + " ", "\tMotion 1"]
        lines += model.motion.splitlines()
    for number, name in enumerate(level.groups):
        lines += [f'Group "{_quoted(name)}"', f"\tGroupId {number}", "\tVisible 1", "\tLocked 0"]
        lines.append(f"Color {numbers(255, 255, 255)}")
    lines += ["Sky", *(f'{bool(name):d} "{name}"' for name in level.sky)]
    lines += [f"Axis {numbers(0, 1, 0)}", f"Speed {numbers(2)}", f"Scale {numbers(1)}"]
    return "\r\n".join([*lines, *level.settings.splitlines(), ""]).encode("latin-1")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _brush_list(brushes: Sequence[Brush]) -> list[str]:
    lines = [f"Brushlist {len(brushes)}"]
    for brush in brushes:
        signed = brush.flags - (brush.flags >> 31 << 32)
        lines += [f'Brush "{_quoted(brush.name)}"', f"\tFlags {signed}", f"\tModelId {brush.model}"]
        lines += [
            f"\tGroupId {brush.group}",
            f"\tHullSize {numbers(brush.hull)}",
            f"\tType {1 if brush.children else 2}",
        ]
        if brush.children:
            lines += _brush_list(brush.children)
        else:
            lines.append(f"\tBrushFaces {len(brush.faces)}")
            lines += [line for face in brush.faces for line in _face(face)]
    return lines


def _face(face: Face) -> list[str]:
    skin = face.skin
    lines = [f"NumPoints {len(face.points)}", f"Flags {skin.flags | 0x200}", f"Light {skin.light}"]
    lines += [f"MipMapBias {numbers(skin.bias)}", f"Translucency {numbers(skin.alpha)}"]
    lines += [f"Reflectivity {numbers(skin.reflect)}", *(f"\tVec3d {numbers(*point)}" for point in face.points)]
    shift, scale = "{} {}".format(*skin.shift), numbers(*skin.scale)
    lines.append(f'\tTexInfo Rotate {skin.rotate} Shift {shift} Scale {scale} Name "{skin.texture}"')
    return ["\t\t" + line for line in lines] + [f"\t\tLightScale {numbers(skin.light_scale, skin.light_scale)}"]


def _entity(pairs: Pairs, group: int) -> list[str]:
    place = next(value for key, value in pairs if key.lower() == "origin")
    lines = ["CEntity", "eStyle 0", f"eOrigin {place} 2", "eFlags 0", f"eGroup {group}", f"ePairCount {len(pairs)}"]
    return [*lines, *(f'Key {key} Value "{_quoted(value)}"' for key, value in pairs), "End CEntity"]
