# SPDX-License-Identifier: GPL-3.0-or-later
"""A first map: a box of sky over a floor, with a spawn and a sun, made without a compiler (source.md §4).

Its tree has one leaf that is empty, one cluster and one area; what is outside is solid. All else of it, brushes, faces,
collision, is put in as edits of a world are. It has no area portals, no water and nothing that hides: what is built
into it is seen from everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import ranges
from ..arrays import Floats, Records
from ..binary import FormatError
from . import edits, geometry, world
from .edits.brush_pieces import Piece
from .edits.changes import FARTHEST
from .entities.text import Entity
from .level import Level
from .light import rgbe
from .lumps import LumpId
from .new_level import BRANCHES, Branch, new_level
from .records import NO_STYLE, RGBE, Contents, EmitType, SurfaceFlag
from .sections.visibility import Visibility
from .vmf import texture_axes
from .world.lightmap_size import extents
from .world.rings import FlatRings

SKY_MATERIAL, OUTSIDE, FLOOR = "tools/toolsskybox", "tools/toolsnodraw", "dev/dev_measuregeneric01"
_SIZES = {SKY_MATERIAL: (64, 64), OUTSIDE: (64, 64), FLOOR: (512, 512)}
_FLAGS = {
    SKY_MATERIAL: SurfaceFlag.SKY | SurfaceFlag.NOLIGHT,
    OUTSIDE: SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT,
    FLOOR: SurfaceFlag(0),
}
LEAST = 128.0
"""Units: of the room each way."""
_WALL = 16.0
"""Units: how thick the box is."""
_AREA = 1
_GAMMA = 2.2
_EYES = 1.0
"""Units that the spawn is above the floor."""
_GIVEN_BACK = 0.5
"""Of the light on the floor."""
FIRST_WITH_HDR = 20
_CUBES = (
    (LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAF_AMBIENT_LIGHTING),
    (LumpId.LEAF_AMBIENT_INDEX_HDR, LumpId.LEAF_AMBIENT_LIGHTING_HDR),
)


@dataclass(frozen=True, slots=True)
class Sun:
    """A light_environment: the way that its light goes, and colours with strengths as the editor has them."""

    yaw: float = 60.0
    """Degrees, the way that light goes, about z from x on."""
    pitch: float = -50.0
    """Degrees, down."""
    light: tuple[int, int, int, int] = (255, 240, 215, 400)
    ambient: tuple[int, int, int, int] = (190, 205, 225, 120)

    @property
    def direction(self) -> Floats:
        """float64[3]: the way that its light goes."""
        yaw, pitch = np.radians([self.yaw, self.pitch])
        return np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])

    @staticmethod
    def intensity(color: Sequence[int]) -> Floats:
        """float64[3]: a colour with its strength as lumps have it, linear (source.md §2.6)."""
        return np.asarray((np.array(color[:3]) / 255) ** _GAMMA * color[3] / 255)


def sky_box(
    size: Sequence[float] = (2048.0, 2048.0, 1024.0),
    sky: str = "sky_day01_01",
    branch: Branch = BRANCHES["2013"],
    sun: Sun | None = None,
) -> Level:
    """A map with a box of sky, its floor's middle at 0 0 0.

    size: float[3], units of the room. sky: `skyname`. Raises FormatError for a size that no map has room for.
    """
    if not (np.isfinite(size).all() and min(size) >= LEAST and max(size) / 2 + _WALL <= FARTHEST >= size[2] + _WALL):
        raise FormatError(f"a room of {size} units: {LEAST:g} to {2 * FARTHEST:g} can be, half of it up", "map")
    sun = sun or Sun()
    level = new_level(1, branch)
    half = np.array([size[0] / 2, size[1] / 2])
    low, high = np.array([*-half, 0.0]), np.array([*half, float(size[2])])
    _empty_room(level, low, high)
    texdata = {name: edits.textures.add(level, name, _SIZES[name]) for name in _SIZES}
    pieces = _walls(level, texdata, low, high)
    _entities(level, sky, sun, low, high)
    world.apply(level, world.WorldEdits(added=pieces))
    _make_structural(level)
    _lights(level, sun)
    _shine(level, sun)
    return level


def _zeros(level: Level, lump: LumpId, count: int) -> Records:
    return np.zeros(count, level.table(lump).dtype)


def _empty_room(level: Level, low: Floats, high: Floats) -> None:
    """One leaf between six planes; what is beyond each is solid."""
    planes = _zeros(level, LumpId.PLANES, 12)
    planes["normal"] = np.repeat(np.concatenate([np.eye(3), np.eye(3)]), 2, axis=0) * np.tile([1, -1], 6)[:, None]
    planes["dist"] = np.repeat(np.concatenate([low, high]), 2) * np.tile([1, -1], 6)
    planes["type"] = np.repeat(np.tile(np.arange(3), 2), 2)
    level.set_table(LumpId.PLANES, planes)
    nodes = _zeros(level, LumpId.NODES, 6)
    nodes["planenum"] = np.arange(0, 12, 2)
    inner = [*range(1, 6), -2]
    nodes["children"] = [(inside, -1) if place < 3 else (-1, inside) for place, inside in enumerate(inner)]
    nodes["mins"], nodes["maxs"] = low - _WALL, high + _WALL
    nodes["area"] = _AREA
    level.set_table(LumpId.NODES, nodes)
    leafs = _zeros(level, LumpId.LEAFS, 2)
    leafs["contents"], leafs["cluster"], leafs["leaf_water_data_id"] = [int(Contents.SOLID), 0], [0, 0], -1
    leafs["mins"][1], leafs["maxs"][1], leafs["area_flags"][1] = low, high, _AREA
    level.set_table(LumpId.LEAFS, leafs)
    level.set_table(LumpId.AREAS, _zeros(level, LumpId.AREAS, 2))
    level.visibility = Visibility(np.ones((1, 1), np.uint8), np.ones((1, 1), np.uint8))
    distances = _zeros(level, LumpId.LEAFMINDISTTOWATER, 2)
    distances["distance"] = np.iinfo(np.uint16).max
    level.set_table(LumpId.LEAFMINDISTTOWATER, distances)
    models = _zeros(level, LumpId.MODELS, 1)
    models["mins"], models["maxs"] = low - _WALL, high + _WALL
    level.set_table(LumpId.MODELS, models)


def _walls(level: Level, texdata: dict[str, int], low: Floats, high: Floats) -> list[Piece]:
    """The six brushes around the room, each with the texinfos of its sides, which are put into the level."""
    normals = np.concatenate([-np.eye(3), np.eye(3)])
    rows = _zeros(level, LumpId.TEXINFO, 2 * len(normals))
    vectors = texture_axes.standard(normals)
    # First the sides that nobody sees, then those towards the room, each by the way that it looks: the floor up.
    names = [OUTSIDE] * 6 + [FLOOR if side == 5 else SKY_MATERIAL for side in range(6)]
    for number, name in enumerate(names):
        rows["texture_vecs"][number] = vectors[number % 6]
        rows["lightmap_vecs"][number] = vectors[number % 6] * texture_axes.SCALE / texture_axes.LUXEL
        rows["flags"][number], rows["texdata"][number] = int(_FLAGS[name]), texdata[name]
    level.set_table(LumpId.TEXINFO, rows)
    made = []
    for wall in range(6):
        axis, upper = wall % 3, wall >= 3
        near, far = low - _WALL, high + _WALL
        if upper:
            near[axis] = high[axis]
        else:
            far[axis] = low[axis]
        numbers = np.arange(6)
        facing = axis if upper else axis + 3  # the side that looks into the room
        numbers[facing] = 6 + facing
        made.append(Piece(normals.copy(), np.concatenate([-near, far]), numbers, int(Contents.SOLID)))
    return made


def _make_structural(level: Level) -> None:
    """Have the box be what a compiler makes of brushes that enclose a map: no details."""
    for lump in (LumpId.BRUSHES, LumpId.LEAFS):
        table = level.table(lump).copy()
        table["contents"] &= ~np.array(int(Contents.DETAIL), table["contents"].dtype)
        level.set_table(lump, table)


def _entities(level: Level, sky: str, sun: Sun, low: Floats, high: Floats) -> None:
    level.entities[0].set("skyname", sky)
    level.entities[0].set("world_mins", " ".join(f"{value:g}" for value in low - _WALL))
    level.entities[0].set("world_maxs", " ".join(f"{value:g}" for value in high + _WALL))
    level.entities[0].set("detailmaterial", "detail/detailsprites")
    level.entities[0].set("detailvbsp", "detail.vbsp")
    level.entities[0].set("maxpropscreenwidth", "-1")
    level.entities.append(
        Entity(
            [
                ("classname", "light_environment"),
                ("origin", "0 0 256"),
                ("angles", f"0 {sun.yaw:g} 0"),
                ("pitch", f"{sun.pitch:g}"),
                ("_light", " ".join(map(str, sun.light))),
                ("_ambient", " ".join(map(str, sun.ambient))),
                ("_lightHDR", "-1 -1 -1 1"),
                ("_lightscaleHDR", "1"),
                ("_ambientHDR", "-1 -1 -1 1"),
                ("_AmbientScaleHDR", "1"),
            ]
        )
    )
    level.entities.append(
        Entity([("classname", "info_player_start"), ("origin", f"0 0 {_EYES:g}"), ("angles", "0 0 0")])
    )


def _lights(level: Level, sun: Sun) -> None:
    """The world lights of sun and sky, which light models."""
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        if lump == LumpId.WORLDLIGHTS_HDR and level.version < FIRST_WITH_HDR:
            continue
        rows = _zeros(level, lump, 2)
        rows["type"] = [EmitType.SKYLIGHT, EmitType.SKYAMBIENT]
        rows["origin"] = (0, 0, 256)
        rows["intensity"] = [sun.intensity(sun.light), sun.intensity(sun.ambient)]
        rows["normal"][0] = sun.direction
        level.set_table(lump, rows)


def _shine(level: Level, sun: Sun) -> None:
    """Light on the faces and in the room: nothing throws a shadow yet, so that each face has one colour."""
    normals = level.table(LumpId.PLANES)["normal"].astype(np.float64)
    faces = level.table(geometry.drawn_faces(level)).copy()
    texinfos = level.table(LumpId.TEXINFO)[faces["texinfo"]]
    polygons = geometry.polygons(level)
    rings = FlatRings.of(np.split(polygons.positions[polygons.corners].astype(np.float64), polygons.first_corner[1:-1]))
    vectors = texinfos["lightmap_vecs"].astype(np.float64)
    faces["lightmap_mins"], faces["lightmap_size"] = extents(rings, vectors)
    colors = rgbe.encode(_light_on(sun, normals[faces["planenum"].astype(np.int64)]))
    unlit = texinfos["flags"] & int(SurfaceFlag.NOLIGHT) != 0
    counts = np.where(
        unlit, 0, 1 + (faces["lightmap_size"].astype(np.int64) + 1).prod(axis=1)
    )  # an average before them
    starts = ranges.starts(counts)[:-1]
    faces["lightofs"] = np.where(unlit, -1, (starts + 1) * RGBE.itemsize)
    faces["styles"] = NO_STYLE
    faces["styles"][~unlit, 0] = 0
    data = np.repeat(colors, counts).tobytes()
    for drawn, light in ((LumpId.FACES, LumpId.LIGHTING), (LumpId.FACES_HDR, LumpId.LIGHTING_HDR)):
        there = drawn == LumpId.FACES or level.version >= FIRST_WITH_HDR
        level.set_table(drawn, faces if there else faces[:0])
        level.set_bytes(light, data if there else b"")
    light_cube = rgbe.encode(_cube(sun))
    if level.version < FIRST_WITH_HDR:
        leafs = level.table(LumpId.LEAFS).copy()
        leafs["cube"][1:] = light_cube
        level.set_table(LumpId.LEAFS, leafs)
        return
    for index, cubes in _CUBES:
        rows, sample = _zeros(level, index, len(level.table(LumpId.LEAFS))), _zeros(level, cubes, 1)
        rows["count"][1:] = 1
        sample["cube"] = light_cube
        for axis in "xyz":
            sample[axis] = 128
        level.set_table(index, rows)
        level.set_table(cubes, sample)


def _light_on(sun: Sun, normals: Floats) -> Floats:
    """float64[n, 3]: the light of sun and sky on surfaces with normals float64[n, 3]."""
    toward = np.maximum(-(normals @ sun.direction), 0)
    return np.asarray(toward[:, None] * sun.intensity(sun.light) + sun.intensity(sun.ambient))


def _cube(sun: Sun) -> Floats:
    """float64[6, 3]: what reaches a point in the room from +x, -x, +y, -y, +z, -z; the floor gives half back."""
    sides = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float64)
    light = np.tile(sun.intensity(sun.ambient), (6, 1))
    light[5] = _light_on(sun, sides[4:5])[0] * _GIVEN_BACK
    return light
