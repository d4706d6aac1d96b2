# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes first-light.map, the sample that the README's commands and the golden pictures use.

    python tests/samples/first_light.py

A landscape that holds one of everything: all eight turns of a tile, quads with colours and one envelope of each curve
kind, groups with parallax, a clipped group, all kinds of physics layers, an automapper, a sound. All pictures and
sounds are ours (art.py, opus.py).
"""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))
import art
import mapfile
import opus
from mapfile import MapFile, name_words

TARGET = Path(__file__).with_suffix(".map").with_name("first-light.map")
WIDTH, HEIGHT = 64, 32
PX, FIXED = 32, 1024
TURNS = (0, 1, 2, 3, 8, 9, 10, 11)
"""The eight orientations of a tile: mirrored in x, in y, both; each turned by 90 degrees as well."""
CURVES = ("step", "linear", "slow", "fast", "smooth", "bezier")

GROUND = [22] * 12 + [21] * 10 + [22] * 10 + [23, 24] + [25] * 10 + [24, 23, 22, 21, 20] + [19] * 15
"""Map row of the topmost ground tile of each column."""
POND = (33, 22, 46, 25)
"""Cells that the pond fills: left, top, right, bottom."""

Tiles = NDArray[np.uint8]
Point = tuple[float, float]


def blank() -> Tiles:
    """uint8 [HEIGHT, WIDTH, 2]: index and flags of an empty layer."""
    return np.zeros((HEIGHT, WIDTH, 2), np.uint8)


def ground_tiles() -> Tiles:
    tiles = blank()
    for x, top in enumerate(GROUND):
        tiles[top, x, 0], tiles[top + 1 :, x, 0] = 2, 1
        before, after = GROUND[max(x - 1, 0)], GROUND[min(x + 1, WIDTH - 1)]
        if before > top:
            tiles[top, x] = 4, 0
        elif after > top:
            tiles[top, x] = 4, 1
    return tiles


def house_tiles() -> Tiles:
    tiles = blank()
    tiles[16:21, 13:20, 0] = 5
    tiles[20, 16, 0] = 0
    tiles[15, 14:19, 0] = 5
    return tiles


def window_tiles() -> Tiles:
    tiles = blank()
    tiles[17, (14, 18), 0] = 6
    tiles[20, 16] = 6, 8
    return tiles


def sign_tiles() -> Tiles:
    """A row of signs and a row of slopes, one in each orientation; cell 255 at the ends."""
    tiles = blank()
    for number, flags in enumerate(TURNS):
        tiles[9, 24 + 2 * number] = 7, flags
        tiles[11, 24 + 2 * number] = 4, flags
    tiles[10, (22, 40), 0] = 255
    return tiles


def flower_tiles() -> Tiles:
    tiles = blank()
    for x in (3, 5, 9, 22, 25, 30, 50, 55, 60):
        tiles[GROUND[x] - 1, x] = 8, x & 1
    return tiles


def pond_tiles() -> Tiles:
    tiles = blank()
    left, top, right, bottom = POND
    tiles[top, left - 1 : right + 1, 0] = 17
    tiles[top + 1 : bottom + 1, left - 1 : right + 1, 0] = 16
    return tiles


def fence_tiles() -> Tiles:
    tiles = blank()
    tiles[28, ::1, 0] = 18
    tiles[28, ::9, 0] = 0
    return tiles


def game_tiles() -> Tiles:
    """Solid ground and signs, an unhookable house roof, a deadly pond bed, and where players start (index 192)."""
    tiles = blank()
    tiles[..., 0] = np.isin(ground_tiles()[..., 0], (1, 2))
    tiles[15, 14:19, 0] = 3
    tiles[25, 35:43, 0] = 2
    tiles[20, (6, 8), 0] = 192
    return tiles


def tile_bytes(tiles: Tiles) -> bytes:
    """Records of 4 bytes: index, flags, skip, unused."""
    return np.concatenate([tiles, np.zeros_like(tiles)], axis=2).tobytes()


def quad_bytes(
    corners: Sequence[Point],
    colors: Sequence[Sequence[int]],
    uvs: Sequence[Point] | None = None,
    pivot: Point | None = None,
    move: tuple[int, int] = (-1, 0),
    tint: tuple[int, int] = (-1, 0),
) -> bytes:
    """A quad record: corners TL, TR, BL, BR in tiles, a colour a corner, texture coordinates in textures.

    move, tint: its position and colour envelope and their time offsets in ms.
    """
    middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
    points = [round(value * PX * FIXED) for point in [*corners, pivot or middle] for value in point]
    texture = [round(value * FIXED) for point in uvs or ((0, 0), (1, 0), (0, 1), (1, 1)) for value in point]
    return struct.pack("<38i", *points, *(value for color in colors for value in color), *texture, *move, *tint)


def rectangle(left: float, top: float, width: float, height: float) -> list[Point]:
    right, bottom = left + width, top + height
    return [(left, top), (right, top), (left, bottom), (right, bottom)]


WHITE = [(255, 255, 255, 255)] * 4


class Scene:
    """Adds groups, layers and envelopes to a MapFile in draw order."""

    def __init__(self) -> None:
        self.map = MapFile()
        self.layers_done = 0
        self.points: list[tuple[int, ...]] = []
        self.tangents: list[tuple[int, ...]] = []

    def image(self, name: str, pixels: art.Picture) -> int:
        height, width = pixels.shape[:2]
        name_at = self.map.text(name)
        return self.map.item(mapfile.IMAGE, 1, width, height, 0, name_at, self.map.blob(pixels.tobytes()))

    def envelope(self, name: str, channels: int, points: Iterable[tuple[int, int, Sequence[int]]]) -> int:
        """points: time in ms, curve kind, 4 values; a point whose curve is 5 swings by +-a second and +-two tiles."""
        start, bend = len(self.points), False
        for time, curve, values in points:
            self.points.append((time, curve, *values))
            tangents = [0] * 16
            if bend:
                tangents[0:2], tangents[4:6] = (-900, -900), (48 * FIXED, -24 * FIXED)
            bend = curve == CURVES.index("bezier")
            if bend:
                tangents[8:10], tangents[12:14] = (700, 700), (32 * FIXED, 64 * FIXED)
            self.tangents.append(tuple(tangents))
        count = len(self.points) - start
        return self.map.item(mapfile.ENVELOPE, 2, channels, start, count, *name_words(name, 8), 1)

    def group(
        self,
        name: str,
        layers: int,
        offset: tuple[int, int] = (0, 0),
        parallax: tuple[int, int] = (100, 100),
        clip: tuple[int, int, int, int] | None = None,
    ) -> int:
        """A group of the next `layers` layers; offset and clip (left, top, width, height) in tiles."""
        box = (0, 0, 0, 0, 0) if clip is None else (1, *(PX * value for value in clip))
        first = self.layers_done
        return self.map.item(
            mapfile.GROUP, 3, *(PX * value for value in offset), *parallax, first, layers, *box, *name_words(name)
        )

    def tiles(
        self,
        name: str,
        tiles: Tiles,
        image: int = 0,
        color: Sequence[int] = (255, 255, 255, 255),
        tint: tuple[int, int] = (-1, 0),
        detail: bool = False,
    ) -> None:
        self._tilemap(name, 0, color, tint, image, self.map.blob(tile_bytes(tiles)), [-1] * 5, detail)

    def physics(self, name: str, flag: int, records: bytes) -> None:
        """A physics layer; all but the game layer keep their records in a blob of their own beside a dummy."""
        if flag == 1:
            self._tilemap(name, flag, (255,) * 4, (-1, 0), -1, self.map.blob(records), [-1] * 5)
            return
        dummy = self.map.blob(bytes(4 * WIDTH * HEIGHT))
        fields = [-1] * 5
        fields[(2, 4, 8, 16, 32).index(flag)] = self.map.blob(records)
        self._tilemap(name, flag, (255,) * 4, (-1, 0), -1, dummy, fields)

    def _tilemap(
        self,
        name: str,
        flag: int,
        color: Sequence[int],
        tint: tuple[int, int],
        image: int,
        data: int,
        fields: list[int],
        detail: bool = False,
    ) -> None:
        self.map.item(
            mapfile.LAYER,
            0,
            2,
            int(detail),
            3,
            WIDTH,
            HEIGHT,
            flag,
            *color,
            *tint,
            image,
            data,
            *name_words(name),
            *fields,
        )
        self.layers_done += 1

    def quads(self, name: str, quads: Sequence[bytes], image: int = -1, detail: bool = False) -> None:
        data = self.map.blob(b"".join(quads))
        self.map.item(mapfile.LAYER, 0, 3, int(detail), 2, len(quads), data, image, *name_words(name))
        self.layers_done += 1

    def sounds(self, name: str, sources: Sequence[bytes], sound: int) -> None:
        data = self.map.blob(b"".join(sources))
        self.map.item(mapfile.LAYER, 0, 10, 0, 2, len(sources), data, sound, *name_words(name))
        self.layers_done += 1

    def automapper(self, group: int, layer: int, config: int, seed: int) -> None:
        kind = self.map.extended_type("mapitemtype-automapper-config@ddnet.tw")
        self.map.item(kind, 1, group, layer, config, seed, 1)

    def finish(self, tangents: bool) -> MapFile:
        self.map.item(mapfile.POINTS, *(word for point in self.points for word in point))
        if not tangents:
            return self.map
        kind = self.map.extended_type("mapitemtype-envpoints-bezier@ddnet.tw")
        self.map.item(kind, *(word for tangents in self.tangents for word in tangents))
        return self.map


def first_light(tangents: bool = True) -> MapFile:
    """The whole sample. tangents: with DDNet's item for bezier curves, which map_resave before 2023 crashes on."""
    scene = Scene()
    file = scene.map
    file.item(mapfile.VERSION, 1)
    settings = ("tune_zone 1 gravity 0.25", "tune_zone_enter 1 The air is thin here", "sv_deepfly 0")
    texts = [file.text(text) for text in ("Levelwright", "1", "Drawn and synthesised by code", "GPL-3.0-or-later")]
    file.item(mapfile.INFO, 1, *texts, file.blob("".join(line + "\0" for line in settings).encode()))
    scene.image("first_light", art.tile_sheet())
    sun, cloud, ball = (scene.image(draw.__name__, draw()) for draw in (art.sun, art.cloud, art.ball))
    noise = random.Random(7)
    wind = opus.ogg_opus([bytes([opus.FULLBAND_20_MS, 0]) + noise.randbytes(8) for _ in range(60)])
    name = file.text("wind")
    file.item(mapfile.SOUND, 1, 0, name, file.blob(wind), len(wind))

    turn, drift, glow, swell = _envelopes(scene)
    curves = [
        scene.envelope(
            name,
            3,
            [
                (0, kind, (0, 0, 0, 0)),
                (1000, kind, (0, -64 * FIXED, 90 * FIXED, 0)),
                (2000, kind, (0, 0, 180 * FIXED, 0)),
            ],
        )
        for kind, name in enumerate(CURVES)
    ]

    _sky(scene, sun, turn)
    scene.group("Hills", 1, (0, 4), (40, 60))
    far, near = (92, 122, 150, 255), (124, 160, 140, 255)
    scene.quads(
        "Hills",
        [
            quad_bytes([(-20, 12), (4, 6), (-24, 30), (12, 30)], [far, far, near, near]),
            quad_bytes([(6, 8), (17, 10), (2, 30), (30, 30)], [far, near, far, near]),
            quad_bytes([(20, 11), (34, 5), (14, 30), (52, 30)], [far, far, near, near]),
        ],
    )
    scene.group("Clouds", 1, (-3, 0), (60, 80))
    scene.quads(
        "Clouds",
        [
            quad_bytes(rectangle(4, 4, 6, 3), WHITE, move=(drift, 0), tint=(glow, 0)),
            quad_bytes(rectangle(16, 2, 8, 4), WHITE, move=(drift, 1500), tint=(glow, 900)),
            quad_bytes([(27, 6), (33, 5), (27.5, 8), (33, 8.5)], WHITE),
        ],
        cloud,
    )
    scene.group("Back", 4)
    scene.tiles("House", house_tiles(), color=(255, 226, 204, 255))
    scene.tiles("Windows", window_tiles(), tint=(glow, 250), detail=True)
    scene.tiles("Signs", sign_tiles())
    scene.quads(
        "Banner",
        [
            quad_bytes(
                [(13, 12.5), (20, 12), (13, 14), (20, 14.5)],
                [(255, 90, 90, 255), (90, 255, 90, 255), (90, 90, 255, 160), (255, 255, 90, 255)],
                uvs=((-0.5, 0), (3, 0), (-0.5, 1), (3, 1)),
            ),
        ],
        ball,
    )
    _game(scene, curves, ball)
    left, top, right, bottom = POND
    scene.group("Pond", 2, clip=(left, top, right - left, bottom - top))
    scene.quads("Reflection", [quad_bytes(rectangle(36, 22.5, 4, 4), WHITE, move=(swell, 0))], sun)
    scene.tiles("Water", pond_tiles(), color=(255, 255, 255, 230))
    scene.group("Front", 1, (3, 0), (130, 110))
    scene.tiles("Fence", fence_tiles(), color=(60, 50, 70, 255), detail=True)
    return scene.finish(tangents)


def _envelopes(scene: Scene) -> tuple[int, int, int, int]:
    turn = scene.envelope("sun turns", 3, [(0, 1, (0, 0, 0, 0)), (8000, 1, (0, 0, 360 * FIXED, 0))])
    drift = scene.envelope(
        "drift", 3, [(0, 4, (0, 0, 0, 0)), (3000, 4, (96 * FIXED, 8 * FIXED, 0, 0)), (6000, 4, (0, 0, 0, 0))]
    )
    glow = scene.envelope(
        "glow",
        4,
        [(0, 1, (1024, 1024, 1024, 1024)), (1000, 2, (1024, 820, 512, 900)), (2500, 3, (1024, 1024, 1024, 1024))],
    )
    swell = scene.envelope(
        "swell", 3, [(0, 5, (0, 0, 0, 0)), (2000, 5, (160 * FIXED, 0, 0, 0)), (4000, 1, (0, 0, 0, 0))]
    )
    scene.envelope("gusts", 1, [(0, 1, (1024, 0, 0, 0)), (1500, 1, (400, 0, 0, 0)), (3000, 1, (1024, 0, 0, 0))])
    return turn, drift, glow, swell


def _sky(scene: Scene, sun: int, turn: int) -> None:
    """A gradient and the sun, fixed to the screen: its middle is (0, 0)."""
    scene.group("Sky", 2, parallax=(0, 0))
    high, low = (70, 120, 200, 255), (250, 200, 160, 255)
    scene.quads("Gradient", [quad_bytes(rectangle(-100, -60, 200, 120), [high, high, low, low])])
    scene.quads("Sun", [quad_bytes(rectangle(10, -11, 7, 7), WHITE, move=(turn, 0))], sun)


def _game(scene: Scene, curves: Sequence[int], ball: int) -> None:
    """The group of the physics layers, with the ground and the balls that show the curve kinds."""
    group = scene.group("Game", 10)
    first = scene.layers_done
    colors = [
        (236, 92, 80, 255),
        (240, 170, 70, 255),
        (230, 226, 90, 255),
        (110, 206, 110, 255),
        (90, 160, 236, 255),
        (190, 120, 226, 255),
    ]
    scene.quads(
        "Curves",
        [
            quad_bytes(rectangle(24 + 3 * kind, 16, 1.5, 1.5), [color] * 4, move=(curves[kind], 0))
            for kind, color in enumerate(colors)
        ],
        ball,
    )
    scene.tiles("Ground", ground_tiles())
    scene.automapper(group, scene.layers_done - 1 - first, 2, 1234)
    scene.tiles("Flowers", flower_tiles(), color=(255, 255, 255, 240))
    scene.physics("Game", 1, tile_bytes(game_tiles()))
    front = blank()
    front[20, 48:50, 0], front[18, 52:56, 0] = 9, 5
    scene.physics("Front", 8, tile_bytes(front))
    tele = np.zeros((HEIGHT, WIDTH, 2), np.uint8)
    tele[20, 2:4], tele[18, 60] = (1, 26), (1, 27)
    scene.physics("Tele", 2, tele.tobytes())
    speedup = np.zeros((HEIGHT, WIDTH), "u1, u1, u1, u1, <i2")  # force, max_speed, type, unused, angle
    speedup[20, 24:28] = (20, 60, 28, 0, 0)
    speedup[20, 28:30] = (10, 0, 28, 0, 270)
    scene.physics("Speedup", 4, speedup.tobytes())
    switch = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    switch[20, 16], switch[19, 22] = (1, 24, 0, 5), (1, 22, 0, 3)
    scene.physics("Switch", 16, switch.tobytes())
    tune = np.zeros((HEIGHT, WIDTH, 2), np.uint8)
    tune[4:8, 44:54] = 1, 68
    scene.physics("Tune", 32, tune.tobytes())
    circle = struct.pack("<13i", 8 * PX * FIXED, 16 * PX * FIXED, 1, 1, 0, 80, -1, 0, 4, 0, 1, 12 * PX, 0)
    box = struct.pack(
        "<13i", 50 * PX * FIXED, 15 * PX * FIXED, 1, 0, 2, 40, curves[1], 300, -1, 0, 0, 10 * PX * FIXED, 6 * PX * FIXED
    )
    scene.sounds("Wind", [circle, box], 0)


if __name__ == "__main__":
    TARGET.write_bytes(bytes(first_light()))
    print(f"{TARGET}: {TARGET.stat().st_size} bytes")
