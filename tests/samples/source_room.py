# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes source_room.bsp: the sample of Source.

    python -m tests.samples.source_room

A room that holds one of everything: tiles, a displacement that blends grass and rock, a pool, a lamp that shines, a
fence with holes, walls that are patched and that mirror, a ceiling without a material, a piece of sky; a door that
stands ajar, two crates of a model of our own, a sign on the wall and a stain on the floor; light of two styles, baked
here from two lamps without shadows, in LDR and HDR. Units are the game's, z is up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from formats import source
from formats.source import Level, LumpId, new_level
from formats.source.entities.text import Entity
from formats.source.light import rgbe
from formats.source.records import NO_STYLE, EmitType, SurfaceFlag
from formats.source.tables import displacements as disp
from formats.source.tables import geometry, lights, overlays, props, tree
from tests.samples import source_art

MAP = Path(__file__).parent / "source_room.bsp"
WIDTH, DEPTH, HEIGHT = 512.0, 384.0, 192.0
MIDDLE = WIDTH / 2
LUXEL = 32.0
HALL = 32
"""The style of the second lamp."""
LAMPS = (((128.0, 128.0, 176.0), (1.0, 0.8, 0.5), 26000.0), ((440.0, 250.0, 120.0), (0.4, 0.6, 1.0), 16000.0))
"""Place, colour and strength; the second one has the style HALL."""
FLAT = 400.0
"""What keeps lamps from being ever so bright near by: light is strength / (FLAT + distance**2)."""
AMBIENT = (0.05, 0.06, 0.08)
POWER = 3
SIDE = 2**POWER + 1
DOOR_AT, DOOR_YAW = (208.0, 368.0, 0.0), -35
BOUNDS = np.array([[0, 0, 0], [WIDTH, DEPTH, HEIGHT]])

Point = Sequence[float]
Floats = NDArray[np.float64]


@dataclass
class Face:
    """Corners from the upper left one, clockwise as seen from the front; texels a unit; whether lamps light it."""

    corners: Sequence[Point]
    material: str
    flags: int = 0
    scale: float = 0.5
    hill: bool = False

    @property
    def axes(self) -> Floats:
        """Right and down, of length 1."""
        first, right, _, down = (np.asarray(point, np.float64) for point in self.corners)
        return np.array([(right - first) / _length(right - first), (down - first) / _length(down - first)])

    @property
    def normal(self) -> Floats:
        """Towards who looks at it."""
        right, down = self.axes
        return np.asarray(np.cross(down, right))

    @property
    def lit(self) -> bool:
        return not self.flags & (SurfaceFlag.NOLIGHT | SurfaceFlag.WARP)


def _length(vector: Floats) -> float:
    return float(np.sqrt((vector * vector).sum()))


def box(low: Point, high: Point, material: str, sides: str = "nsewtb") -> Iterator[Face]:
    """The sides of a box, seen from outside: north, south, east, west, top, bottom."""
    (x, y, z), (east, north, top) = low, high
    corners = {
        "n": [(east, north, top), (x, north, top), (x, north, z), (east, north, z)],
        "s": [(x, y, top), (east, y, top), (east, y, z), (x, y, z)],
        "e": [(east, y, top), (east, north, top), (east, north, z), (east, y, z)],
        "w": [(x, north, top), (x, y, top), (x, y, z), (x, north, z)],
        "t": [(x, north, top), (east, north, top), (east, y, top), (x, y, top)],
        "b": [(x, y, z), (east, y, z), (east, north, z), (x, north, z)],
    }
    for side in sides:
        yield Face(corners[side], material)


def inside(face: Face) -> Face:
    """The same face, seen from the other side."""
    first, right, low, down = face.corners
    return Face([right, first, down, low], face.material, face.flags, face.scale, face.hill)


def rooms_faces() -> list[Face]:
    """Those of the world."""
    floor = next(box((0, 0, 0), (MIDDLE, DEPTH, 0), "room/tiles", "t"))
    ground = next(box((MIDDLE, 0, 0), (WIDTH, DEPTH, 0), "room/ground", "t"))
    ceiling = next(box((0, 0, HEIGHT), (MIDDLE, DEPTH, HEIGHT), "room/gone", "b"))
    sky = next(box((MIDDLE, 0, HEIGHT), (WIDTH, DEPTH, HEIGHT), "tools/toolsskybox", "b"))
    ground.hill = True
    sky.flags = SurfaceFlag.SKY | SurfaceFlag.NOLIGHT
    walls = {"n": "room/brick", "s": "room/brick", "w": "room/brick_cold", "e": "room/brick_wet"}
    made = [floor, ground, ceiling, sky]
    for side, material in walls.items():
        made += [inside(face) for face in box((0, 0, 0), (WIDTH, DEPTH, HEIGHT), material, side)]
    made[-1].flags = SurfaceFlag.BUMPLIGHT
    water = next(box((0, 224, 20), (160, DEPTH, 20), "room/water", "t"))
    water.flags = SurfaceFlag.WARP
    made += [water, *box((160, 208, 0), (176, DEPTH, 28), "room/stone", "ewts")]
    made += box((0, 208, 0), (160, 224, 28), "room/stone", "nts")
    made += box((96, 96, 180), (160, 160, HEIGHT), "room/lamp", "nsewb")
    made.append(Face([(320, 300, 96), (448, 300, 96), (448, 300, 0), (320, 300, 0)], "room/fence"))
    return made


def door() -> list[Face]:
    """Those of the door, about its hinge."""
    made = list(box((0, -4, 0), (64, 4, 112), "room/boards"))
    for face in made:
        face.flags = SurfaceFlag.NOLIGHT
    return made


# -------------------------------------------------------------------------------------------------------------- light


def light(points: Floats, normals: Floats, style: int) -> Floats:
    """The light of a lamp on points [n, 3] of faces with normals [n, 3]."""
    (x, y, z), color, strength = LAMPS[style]
    way = np.array([x, y, z]) - points
    square = (way * way).sum(axis=1)
    toward = np.maximum((way * normals).sum(axis=1), 0) / np.sqrt(square)
    lit = np.outer(strength * toward / (square + FLAT), color)
    return lit + AMBIENT if style == 0 else lit


def bump_normals(face: Face) -> list[Floats]:
    """The normal, and on bumped faces the three directions of the bump basis."""
    right, down = face.axes
    basis = [(np.sqrt(2 / 3), 0.0), (-np.sqrt(1 / 6), np.sqrt(1 / 2)), (-np.sqrt(1 / 6), -np.sqrt(1 / 2))]
    turned = [along * right - up * down + np.sqrt(1 / 3) * face.normal for along, up in basis]
    return [face.normal, *(turned if face.flags & SurfaceFlag.BUMPLIGHT else [])]


@dataclass
class Baker:
    """Collects the lighting lumps."""

    low: bytearray = field(default_factory=bytearray)
    high: bytearray = field(default_factory=bytearray)

    def bake(self, face: Face, record: NDArray[np.void]) -> None:
        """Add a face's block: average colours, then each style's lightmaps; its record says where it lies."""
        first, right, _, down = (np.asarray(point, np.float64) for point in face.corners)
        columns, rows = int(_length(right - first) / LUXEL), int(_length(down - first) / LUXEL)
        record["lightmap_size"] = columns, rows
        v, u = (part.reshape(-1, 1) for part in np.mgrid[: rows + 1, : columns + 1])
        points = first + (right - first) * u / max(columns, 1) + (down - first) * v / max(rows, 1)
        near = record["styles"]
        near[:] = 0, HALL, NO_STYLE, NO_STYLE
        record["lightofs"] = len(self.low) + 8
        layers = [
            light(points, np.broadcast_to(normal, points.shape), style)
            for style in (0, 1)
            for normal in bump_normals(face)
        ]
        for lump, brightest in ((self.low, 1.0), (self.high, 16.0)):
            colors = [rgbe.encode(np.minimum(layer, brightest)) for layer in layers]
            averages = [colors[-1][:1], colors[0][:1]]  # of the last style first
            lump += b"".join(part.tobytes() for part in (*averages, *colors))


# ---------------------------------------------------------------------------------------------------------- the lumps


def level() -> Level:
    """The map."""
    made = new_level()
    world, moving = rooms_faces(), door()
    faces = [*world, *moving]
    _surfaces(made, faces)
    models = np.zeros(2, geometry.MODEL)
    models["mins"], models["maxs"] = [BOUNDS[0], (0, -4, 0)], [BOUNDS[1], (64, 4, 112)]
    models["headnode"], models["firstface"], models["numfaces"] = [0, 6], [0, len(world)], [len(world), len(moving)]
    made.set_table(LumpId.MODELS, models)
    _tree(made, len(world))
    _hill(made, world)
    _sign(made, world)
    _crates(made)
    for name, data in source_art.files():
        made.pak.put(name, data)
    made.entities[0].set("skyname", "sky_room")
    made.entities.extend(Entity(list(pairs)) for pairs in entities())
    return source.read(source.write(made))


def _surfaces(made: Level, faces: Sequence[Face]) -> None:
    """Planes, vertices, edges, texinfos, faces and their light."""
    names = list(dict.fromkeys([*(face.material for face in faces), "room/sign"]))
    points = list(dict.fromkeys(tuple(map(float, point)) for face in faces for point in face.corners))
    planes, edges, texinfos = [], [(0, 0)], []
    records = np.zeros(len(faces), geometry.FACE)
    baker = Baker()
    for number, (face, record) in enumerate(zip(faces, records, strict=True)):
        normal, first = face.normal, np.asarray(face.corners[0], np.float64)
        corners = [points.index(tuple(map(float, point))) for point in face.corners]
        record["firstedge"], record["numedges"] = len(edges) - 1, 4
        edges += zip(corners, [*corners[1:], corners[0]], strict=True)
        planes += [(normal, float(normal @ first)), (-normal, -float(normal @ first))]
        record["planenum"], record["texinfo"], record["orig_face"] = 2 * number, number, number
        record["dispinfo"] = 0 if face.hill else -1
        record["lightofs"], record["styles"], record["surface_fog_volume_id"] = -1, NO_STYLE, -1
        texels = face.axes * face.scale
        luxels = face.axes / LUXEL
        texture = np.column_stack([texels, -texels @ first])
        texinfos.append((texture, np.column_stack([luxels, -luxels @ first]), face.flags, names.index(face.material)))
        if face.lit:
            baker.bake(face, record)
    upright = np.array([[0, 0, 0, 0], [0, 0, 0, 0]])
    texinfos.append((upright, upright, SurfaceFlag.NOLIGHT, names.index("room/sign")))
    made.set_table(LumpId.PLANES, _rows(geometry.PLANE, normal=[p for p, _ in planes], dist=[d for _, d in planes]))
    made.set_table(LumpId.VERTEXES, _rows(geometry.VERTEX, point=points))
    made.set_table(LumpId.EDGES, _rows(geometry.EDGE, v=edges))
    made.set_table(LumpId.SURFEDGES, _rows(geometry.SURFEDGE, edge=range(1, len(edges))))
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES):
        made.set_table(lump, records)
    made.set_bytes(LumpId.LIGHTING, bytes(baker.low))
    made.set_bytes(LumpId.LIGHTING_HDR, bytes(baker.high))
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        made.set_table(lump, _lamps())
    made.set_table(LumpId.TEXINFO, np.array(texinfos, geometry.TEXINFO))
    texdata = np.zeros(len(names), geometry.TEXDATA)
    texdata["reflectivity"], texdata["name_string_table_id"] = (0.4, 0.35, 0.3), range(len(names))
    for side in ("width", "height", "view_width", "view_height"):
        texdata[side] = source_art.SIZE
    made.set_table(LumpId.TEXDATA, texdata)
    text = [name.encode("ascii") + b"\0" for name in names]
    made.set_bytes(LumpId.TEXDATA_STRING_DATA, b"".join(text))
    starts = np.cumsum([0, *map(len, text[:-1])])
    made.set_table(LumpId.TEXDATA_STRING_TABLE, _rows(geometry.TEXDATA_STRING, offset=starts))


def _lamps() -> NDArray[np.void]:
    """The lamps as a compiler leaves them; without any, the game would show the room fully bright (see `light`)."""
    places, colors, strengths = (np.array(column) for column in zip(*LAMPS, strict=True))
    return _rows(
        lights.WORLDLIGHT,
        origin=places,
        intensity=colors * strengths[:, None],
        type=[EmitType.POINT] * len(LAMPS),
        style=[0, HALL],
        constant_attn=[FLAT] * len(LAMPS),
        quadratic_attn=[1] * len(LAMPS),
        texinfo=[-1] * len(LAMPS),
    )


def _rows(dtype: np.dtype[np.void], **columns: object) -> NDArray[np.void]:
    made = np.zeros(len(next(iter(columns.values()))), dtype)  # type: ignore[arg-type]
    for name, column in columns.items():
        made[name] = list(column) if isinstance(column, range) else column
    return made


def _tree(made: Level, faces: int) -> None:
    """The room is one leaf: what is behind any of its six sides is solid. The door has a node of its own."""
    planes = made.table(LumpId.PLANES)
    first = len(planes)
    outer = np.zeros(12, geometry.PLANE)
    outer["normal"] = [turn * axis for axis in (*np.eye(3), *-np.eye(3)) for turn in (1, -1)]
    outer["dist"] = [turn * dist for dist in (*BOUNDS[0], *-BOUNDS[1]) for turn in (1, -1)]
    made.set_table(LumpId.PLANES, np.concatenate([planes, outer]))
    nodes = np.zeros(7, tree.NODE)
    nodes["planenum"] = [*range(first, first + 12, 2), first]
    nodes["children"] = [(number + 1, -1) for number in range(5)] + [(-2, -1), (-1, -1)]
    nodes["mins"], nodes["maxs"] = BOUNDS[0], BOUNDS[1]
    nodes["numfaces"][5] = faces
    made.set_table(LumpId.NODES, nodes)
    leafs = np.zeros(2, tree.LEAF)
    leafs["contents"], leafs["cluster"], leafs["leaf_water_data_id"] = [1, 0], [-1, 0], -1
    leafs["mins"][1], leafs["maxs"][1], leafs["numleaffaces"][1] = BOUNDS[0], BOUNDS[1], faces
    made.set_table(LumpId.LEAFS, leafs)
    made.set_table(LumpId.LEAFFACES, _rows(tree.LEAFFACE, face=range(faces)))


def _hill(made: Level, faces: Sequence[Face]) -> None:
    """The displacement: higher, and more rock, towards its far corner."""
    number, face = next((number, face) for number, face in enumerate(faces) if face.hill)
    info = np.zeros(1, disp.DISPINFO)
    info["start_position"], info["power"], info["map_face"] = face.corners[0], POWER, number
    info["min_tess"], info["allowed_verts"] = 0x80000000, 0xFFFFFFFF
    info["edge_neighbors"]["neighbor"] = info["corner_neighbors"]["neighbors"] = disp.NO_NEIGHBOR
    made.set_table(LumpId.DISPINFO, info)
    i, j = (part.reshape(-1) / (SIDE - 1) for part in np.mgrid[:SIDE, :SIDE])
    verts = np.zeros(SIDE * SIDE, disp.DISPVERT)
    verts["dist"] = 90 * i * (1 - j) * (1 - i * (1 - j) / 2) + 24 * i * (1 - i) * 4 * j * (1 - j)
    verts["vec"][verts["dist"] > 0] = (0, 0, 1)
    verts["alpha"] = 255 * np.clip(2 * j - 0.5, 0, 1)
    made.set_table(LumpId.DISP_VERTS, verts)
    made.set_table(LumpId.DISP_TRIS, _rows(disp.DISPTRI, tags=[2 | 4] * (2 * (SIDE - 1) ** 2)))


def _sign(made: Level, faces: Sequence[Face]) -> None:
    """The overlay on the wall in the north."""
    number = next(number for number, face in enumerate(faces) if face.material == "room/brick")
    sign = np.zeros(1, overlays.OVERLAY)
    sign["id"], sign["texinfo"], sign["face_count_and_render_order"] = 1, len(made.table(LumpId.TEXINFO)) - 1, 1
    sign["faces"][0, 0] = number
    sign["u"], sign["v"] = (0, 1), (1, 0)
    sign["uv_points"] = [(-32, -32, 1), (-32, 32, 0), (32, 32, 0), (32, -32, 0)]  # basis U is +x
    sign["origin"], sign["basis_normal"] = (256, DEPTH, 140), (0, -1, 0)
    made.set_table(LumpId.OVERLAYS, sign)
    made.set_table(LumpId.OVERLAY_FADES, np.array([(-1, 0)], overlays.OVERLAY_FADE))


def _crates(made: Level) -> None:
    """Two static props, one on top of the other, with different skins."""
    crates = np.zeros(2, props.PROP_V6)
    crates["origin"], crates["angles"] = [(200, 110, 0), (206, 116, 32)], [(0, 20, 0), (0, -25, 0)]
    crates["leaf_count"], crates["solid"], crates["skin"], crates["forced_fade_scale"] = 1, 6, [0, 1], 1.0
    crates["fade_min_dist"], crates["fade_max_dist"] = -1, 0
    crates["lighting_origin"] = crates["origin"] + np.float32([0, 0, 16])
    name = source_art.CRATE.encode("ascii").ljust(128, b"\0")
    words = [np.int32(value).tobytes() for value in (1, 1, len(crates))]
    made.game_lumps.set_bytes(
        "sprp", words[0] + name + words[1] + np.uint16(1).tobytes() + words[2] + crates.tobytes(), 6
    )


def entities() -> Iterator[Sequence[tuple[str, str]]]:
    """What is placed, but for the world."""
    (lamp, color, _), (hall, cold, _) = LAMPS
    yield ("classname", "light"), ("origin", _text(lamp)), ("_light", f"{_bytes(color)} 300")
    yield (
        *(("classname", "light"), ("origin", _text(hall)), ("_light", f"{_bytes(cold)} 200"), ("style", str(HALL))),
        *(("targetname", "hall"), ("OnUser1", "door,Open,,0,-1")),
    )
    yield ("classname", "light_environment"), ("origin", "400 64 180"), ("pitch", "-60"), ("_light", "255 240 220 100")
    yield ("classname", "info_player_start"), ("origin", "48 48 1"), ("angles", "0 45 0")
    yield ("classname", "ambient_generic"), ("origin", "80 300 24"), ("message", "room/drip.wav"), ("radius", "400")
    yield (
        *(("classname", "func_door_rotating"), ("targetname", "door"), ("model", "*1"), ("origin", _text(DOOR_AT))),
        *(("angles", f"0 {DOOR_YAW} 0"), ("speed", "100")),
    )
    yield ("classname", "infodecal"), ("origin", "96 150 0"), ("texture", "room/stain")


def _text(point: Point) -> str:
    return " ".join(f"{axis:g}" for axis in point)


def _bytes(color: Point) -> str:
    return " ".join(str(round(part * 255)) for part in color)


def data() -> bytes:
    """The file's bytes."""
    return source.write(level())


if __name__ == "__main__":
    MAP.write_bytes(data())
    print(f"{MAP.name}: {len(data())} bytes")
