# SPDX-License-Identifier: GPL-3.0-or-later
"""How physics layers look: pictures drawn here, with a colour and a short word for each kind of tile.

Not the games' own entity pictures: those are art of their authors. Numbers (tele, switch, tune zone, speed, delay) are
no part of the pictures: the shader writes them from the tiles' fields, so that they follow edits. A tile that nobody
gave a word shows its index.
"""

from __future__ import annotations

from functools import lru_cache

import bpy
import numpy as np

from ....formats import bitmap_font
from ....formats.arrays import Bytes
from ....formats.teeworlds.stamps import KNOWN
from ...scene.blender_types import Socket
from ...scene.kept import identity
from ...scene.media import images
from . import entities, shading
from .shading import Picture, ShaderTree

Pixels = Bytes

CELL = 64
"""Pixels of a tile's picture."""

OPACITY = 200
INK = (245, 245, 235)

COLORS = {
    "stone": (124, 124, 132),
    "steel": (86, 92, 104),
    "red": (200, 54, 54),
    "dark": (58, 58, 66),
    "ice": (74, 92, 190),
    "deep": (92, 60, 150),
    "green": (70, 150, 76),
    "blue": (58, 110, 200),
    "gold": (198, 150, 40),
    "teal": (40, 140, 140),
    "pink": (180, 80, 150),
}

# Entries: index or first-last, colour, up to two words of five letters (DDNet's names of the tiles, shortened); {}
# counts the tiles of an entry.
_SOLID = """
1 stone SOLID | 2 red DEATH | 3 steel NO_HOOK | 4 dark NO_LASER | 5 teal HOOK_CUT | 6 teal HOOK_THRU | 9 ice FREEZ
11 green UN_FREEZ | 12 deep DEEP_FREEZ | 13 green DEEP_UNFRZ | 16 gold WALL_JUMP | 17 gold ENDLS_HOOK | 18 dark END_OFF
19 gold HIT_ON | 20 dark HIT_OFF | 21 pink SOLO_ON | 22 dark SOLO_OFF | 32 gold REFIL_JUMP | 33 green START
34 red FINIS | 35-59 gold CP_{} | 60 blue STOP_1WAY | 61 blue STOP_2WAY | 62 blue STOP_ALL | 64 gold OLD_SPEED
65 gold OLD_FAST | 66 teal HOOK_ALL | 67 teal HOOK_DIR | 71 dark OLD_LASER | 72 pink NO_COLL | 73 gold ENDLS_HOOK
74 pink NO_HIT | 75 pink NO_HOOKP | 76 pink TEAM_OPEN | 79 green TIME_ADD | 88 gold COLL_OFF | 89 dark JUMPS_OFF
90 dark JET_OFF | 91 dark HOOKP_OFF | 95 red TIME_SUB | 96 gold TGUN_ON | 97 dark TGUN_OFF | 98 teal TGUN_OK
99 blue TGUN_BLUE | 104 gold COLL_ON | 105 gold JUMPS_ON | 106 gold JET_ON | 107 gold HOOKP_ON | 112 gold TGREN_ON
113 dark TGREN_OFF | 128 gold TLAS_ON | 129 dark TLAS_OFF | 144 ice LIVE_FREEZ | 145 green LIVE_UNFRZ | 190-191 dark OFF
"""
_ENTITIES = """
192 green SPAWN | 193 red SPAWN | 194 blue SPAWN | 195 red FLAG | 196 blue FLAG | 197 teal ARMOR | 198 pink HEART
199 gold SHOT_GUN | 200 gold GRENA_DE | 201 gold NINJA | 202 gold LASER
"""
_TABLES = {
    "GAME": _SOLID + "|" + _ENTITIES,
    "FRONT": _SOLID + "|" + _ENTITIES,
    "TELE": """
10 red IN | 14 gold IN_WEAPN | 15 teal IN_HOOK | 26 blue IN | 27 green OUT | 29 gold CHECK | 30 gold CHECK_OUT
31 blue CHECK_IN | 63 red CHECK_IN
""",
    "SWITCH": """
7 gold JUMPS | 9 ice FREEZ | 12 deep DEEP | 13 green UN_DEEP | 19 gold HIT_ON | 20 dark HIT_OFF | 22 green OPEN_T
23 red CLOSE_T | 24 green OPEN | 25 red CLOSE | 79 green TIME_ADD | 95 red TIME_SUB | 144 ice LIVE_FREEZ
145 green LIVE_UN | 203-255 pink DOOR
""",
    "TUNE": "68 teal TUNE",
}
NUMBERS = {"TELE": ("number",), "TUNE": ("number",), "SWITCH": ("number", "delay"), "SPEEDUP": ("force", "max_speed")}
"""By kind the fields that the shader writes: at the lower edge, at the upper edge."""

DIGITS = "NUMBER"
"""Stands for the kinds where the tileset of the numbers is meant: 0-255, each at the lower edge of its cell."""


def _rows(table: str) -> dict[int, tuple[str, str]]:
    """Index -> (colour, words) of a table."""
    rows = {}
    for entry in table.replace("\n", "|").split("|"):
        if entry.strip():
            numbers, color, words = entry.split()
            first, _, last = numbers.partition("-")
            for count, number in enumerate(range(int(first), int(last or first) + 1), 1):
                rows[number] = (color, words.format(count))
    return rows


def _write(cell: Pixels, text: str, middle: int) -> None:
    """Write a line into a cell [CELL, CELL, 4], its middle at this height from above, with a dark rim."""
    mask = bitmap_font.text(text, 2)[:, : CELL - 4]
    tall, wide = mask.shape
    top, left = middle - tall // 2 - 1, (CELL - wide) // 2 - 1
    rim = np.pad(mask, 1)
    rim[1:] |= rim[:-1]
    rim[:, 1:] |= rim[:, :-1]
    cell[top : top + tall + 2, left : left + wide + 2][rim] = (0, 0, 0, 255)
    cell[top + 1 : top + tall + 1, left + 1 : left + wide + 1][mask] = (*INK, 255)


def _field(color: str) -> Pixels:
    """A bevelled field."""
    cell = np.empty((CELL, CELL, 4), np.uint8)
    shade = np.array(COLORS[color], np.float32)
    cell[..., :3] = shade
    cell[:3, :, :3] = cell[:, :3, :3] = np.minimum(shade * 1.35, 255)
    cell[-3:, :, :3] = cell[:, -3:, :3] = shade * 0.6
    cell[..., 3] = OPACITY
    return cell


def _arrow() -> Pixels:
    """A speedup: an arrow to the right on nothing, for the shader to turn."""
    y, x = np.mgrid[:CELL, :CELL] / (CELL - 1) * 2 - 1
    head = (x > 0.05) & (np.abs(y) < (0.85 - x) * 0.75)
    shaft = (np.abs(x + 0.4) < 0.45) & (np.abs(y) < 0.22)
    cell = np.zeros((CELL, CELL, 4), np.uint8)
    cell[head | shaft] = (*COLORS["gold"], 235)
    return cell


@lru_cache
def _numbers() -> Pixels:
    """0-255 on nothing, each in the middle of its cell: uint8 [256, CELL, CELL, 4]."""
    cells = np.zeros((256, CELL, CELL, 4), np.uint8)
    for number, cell in enumerate(cells):
        _write(cell, str(number), CELL // 2)
    return cells


def draw(kind: str) -> Pixels:
    """The tileset of a kind of physics layer (or DIGITS), uint8 [1024, 1024, 4]; what has no word shows its index."""
    if kind == DIGITS:
        cells = np.roll(_numbers(), CELL // 2 - 10, axis=1)
    else:
        cells = np.where(_numbers()[..., 3:], _numbers(), _field("dark"))
        if kind == "SPEEDUP":
            cells[list(KNOWN[kind])] = _arrow()
        for number, (color, words) in _rows(_TABLES.get(kind, "")).items():
            cells[number] = _field(color)
            lines = words.split("_")
            for line, text in enumerate(lines):
                _write(cells[number], text, CELL * (line + 1) // (len(lines) + 1))
    return cells.reshape(16, 16, CELL, CELL, 4).swapaxes(1, 2).reshape(16 * CELL, 16 * CELL, 4)


def _image(kind: str) -> bpy.types.Image:
    """The tileset of a kind of physics layer, or of the numbers, shared by all levels of the .blend."""
    name = _name(kind)
    if name in bpy.data.images and len(bpy.data.images[name].packed_files):
        return bpy.data.images[name]
    image = images.from_file_bytes(name, _png(kind), non_color=True)
    image.alpha_mode = "CHANNEL_PACKED"
    return image


def _name(kind: str) -> str:
    return f"Levelwright {kind.lower()} tiles"


def is_drawing(image: bpy.types.Image) -> bool:
    """Whether an image is one of these pictures: no image of a map."""
    return identity.unnumbered(image.name) in {_name(kind) for kind in (*_TABLES, "SPEEDUP", DIGITS)}


@lru_cache
def _png(kind: str) -> bytes:
    """The tileset of a kind of physics layer as a file, drawn once a session."""
    return images.png(draw(kind))


def picture(kind: str) -> Picture:
    """The tileset of a kind of physics layer (a name of TileKind) as materials use it."""
    shared = "GAME" if kind == "FRONT" else kind
    return Picture(_image(shared), 16 * CELL, 16 * CELL)


def shade(
    tree: ShaderTree, kind: str, uv: Socket, place: Socket, values: dict[str, Socket], inner: Socket | None = None
) -> dict[str, Socket]:
    """Add nodes that draw tiles of a physics layer; returns the surface's Texture and Texture_Alpha.

    uv: in the tileset. place: in the layer (tiles, y up), which the numbers follow. values: the tiles' fields. inner:
    the place that a speedup's arrow follows; None: the same.
    """
    tileset = picture(kind)
    if kind == "SPEEDUP":
        uv = _turned(tree, place if inner is None else inner, values)
    base = tree.put("ShaderNodeTexImage", uv, image=tileset.image, interpolation="Closest")
    tree.tree.nodes.active = base
    found = entities.shade(tree, kind, uv, values, base.outputs["Color"], base.outputs["Alpha"])
    color, alpha = found["Color"], found["Alpha"]
    numbered = entities.numbered(tree, kind, values["index"], found["On"])
    for place_number, field in enumerate(NUMBERS.get(kind, ())):
        at = entities.number_place(tree, kind, place, values[field], place_number > 0, found["On"])
        cell = tree.group(shading.index(), Index=values[field], Place=at)
        over = tree.put("ShaderNodeTexImage", cell["UV"], image=_image(DIGITS), interpolation="Closest").outputs
        factor = tree.math("MULTIPLY", over["Alpha"], cell["Visible"])
        factor = factor if numbered is None else tree.math("MULTIPLY", factor, numbered)
        color = tree.lerp(tree.join(factor, factor, factor), color, over["Color"])
        alpha = tree.math("MAXIMUM", alpha, factor)
    return {"Texture": color, "Texture_Alpha": alpha}


def _turned(tree: ShaderTree, place: Socket, values: dict[str, Socket]) -> Socket:
    """UV of a speedup's arrow, turned by its angle (degrees, clockwise; int16 as read from bytes 0-65535)."""
    angle = values["angle"]
    angle = tree.math("SUBTRACT", angle, tree.math("MULTIPLY", tree.math("GREATER_THAN", angle, 32767.5), 65536.0))
    inner = tree.vector("FRACTION", place)
    turned = tree.put(
        "ShaderNodeVectorRotate", inner, (0.5, 0.5, 0.0), None, tree.math("RADIANS", angle), rotation_type="Z_AXIS"
    ).outputs[0]
    inside = tree.vector("MINIMUM", tree.vector("MAXIMUM", turned, (0, 0, 0)), (0.999, 0.999, 0))
    return tree.group(shading.index(), Index=values["index"], Place=inside)["UV"]
