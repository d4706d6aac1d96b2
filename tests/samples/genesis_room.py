# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes genesis_room.map, .3dt, .txl and .h: the sample of Genesis3D.

    python -m tests.samples.genesis_room

A room that holds one of everything: it is a hollow brush under a sky; two cuts make a doorway and a window in a wall
across it, with a door that slides and a pane; there are a fan that turns, a mirror, a lamp, water, lights, a ramp, a
pillar. The `.3dt` is what an artist would have drawn, the `.map` what the editor would make of it. All pictures are
ours (genesis_art.py). Units are inches, y is up; whole numbers nearly everywhere, so that the planes are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.formats import genesis_bytes
from tests.samples import genesis_art, genesis_files
from tests.samples.genesis_files import Brush, EditorLevel, Face, Model, Skin, Vector

FOLDER = Path(__file__).parent
MAP, EDITOR, LIBRARY, HEADER = (FOLDER / f"genesis_room.{ending}" for ending in ("map", "3dt", "txl", "h"))

# Flags of brushes and faces, as the editor has them, and what the `.map` has instead.
SOLID, WINDOW, WAVY, DETAIL, HOLLOW_CUT, EMPTY, CUT = 0x1, 0x2, 0x4, 0x8, 0x10, 0x40, 0x80
CLIP, HOLLOW, AREA, WATER = 0x100, 0x400, 0x8000, 0x10000
MIRROR, FULL_BRIGHT, SKY, LIGHT, GOURAUD, TRANSPARENT = 0x1, 0x2, 0x4, 0x8, 0x40, 0x800
BRUSH_FLAGS = {SOLID: 0x1, WINDOW: 0x2, WAVY: 0x10, DETAIL: 0x20, EMPTY: 0x4, CLIP: 0x40, AREA: 0x100, WATER: WATER}
FACE_FLAGS = {MIRROR: 0x1, FULL_BRIGHT: 0x2, SKY: 0x4, LIGHT: 0x8, GOURAUD: 0x20, TRANSPARENT: 0x10}

DEFAULT, FURNITURE, WET = range(3)
GROUPS = ("Default", "Furniture", "Wet")
DOOR, FAN = 1, 2

BRICK, TILES, PLASTER = Skin("brick"), Skin("tiles"), Skin("plaster")
WALLS = Skin("plaster", shift=(0, 8), scale=(1.5, 3.0))
BOARDS = Skin("boards", rotate=90, scale=(0.75, 0.75), light_scale=1.0)

HINGE = """Rotation 1 4
Keys 4 1 3 0
0.000000 1.000000 Start T,Delta T
0.000000 1.000000 0.000000 Axis
0.000000
1.570796
3.141593
4.712389
"""
STILL = """Translation 1 1
Keys 4 1 2 0
0.000000 1.000000 Start T,Delta T
0.000000 0.000000 0.000000
0.000000 0.000000 0.000000
0.000000 0.000000 0.000000
0.000000 0.000000 0.000000
"""
NO_TURN = """Rotation 1 4
Keys 3 1 0 0
0.000000 1.000000 0.000000 0.000000 0.000000
1.500000 1.000000 0.000000 0.000000 0.000000
4.000000 1.000000 0.000000 0.000000 0.000000
"""
SLIDE = """Translation 1 1
Keys 3 1 0 0
0.000000 0.000000 0.000000 0.000000
1.500000 0.000000 0.000000 -96.000000
4.000000 0.000000 0.000000 0.000000
"""


@dataclass(frozen=True)
class Box:
    """A box with a skin for each of its sides +x, -x, +y, -y, +z, -z."""

    low: Vector
    high: Vector
    skins: tuple[Skin, ...]

    def faces(self) -> tuple[Face, ...]:
        return tuple(Face(self.side(number), skin) for number, skin in enumerate(self.skins))

    def side(self, number: int) -> tuple[Vector, ...]:
        """The corners of a side, clockwise as seen from outside."""
        axis, outwards = number // 2, number % 2 == 0
        across, up = (axis + 1) % 3, (axis + 2) % 3
        corners = []
        for right, above in ((0, 0), (0, 1), (1, 1), (1, 0)) if outwards else ((0, 0), (1, 0), (1, 1), (0, 1)):
            point = [0.0, 0.0, 0.0]
            point[axis] = (self.high if outwards else self.low)[axis]
            point[across] = (self.high if right else self.low)[across]
            point[up] = (self.high if above else self.low)[up]
            corners.append((point[0], point[1], point[2]))
        return tuple(corners)

    def without(self, hole: Box) -> list[Box]:
        """What a cut leaves: for each side of the hole in turn the part in front of it; those take the hole's skins."""
        if any(hole.low[axis] >= self.high[axis] or hole.high[axis] <= self.low[axis] for axis in range(3)):
            return [self]
        rest, parts = self, []
        for number, skin in enumerate(hole.skins):
            axis, high = number // 2, number % 2 == 0
            where = (hole.high if high else hole.low)[axis]
            if not rest.low[axis] < where < rest.high[axis]:
                continue
            parts.append(rest.limited(axis, high, where, skin))
            rest = rest.limited(axis, not high, where, skin)
        return parts

    def limited(self, axis: int, above: bool, where: float, skin: Skin) -> Box:
        """The part above or below a place on an axis."""
        end = list(self.low if above else self.high)
        end[axis] = where
        skins = list(self.skins)
        skins[2 * axis + above] = skin
        moved = (end[0], end[1], end[2])
        return replace(self, low=moved if above else self.low, high=self.high if above else moved, skins=tuple(skins))


def box(low: Vector, high: Vector, skin: Skin, **sides: Skin) -> Box:
    """A box of one skin, but for the sides that are named: right, left, top, bottom, front, back."""
    names = ("right", "left", "top", "bottom", "front", "back")
    return Box(low, high, tuple(sides.get(name, skin) for name in names))


SHELL = box((-272, -16, -208), (272, 208, 208), BRICK)
INSIDE = box(
    (-256, 0, -192), (256, 192, 192), WALLS,
    top=Skin("sky_top", SKY), bottom=Skin("tiles", scale=(1.0, 1.0), shift=(32, 0)),
)  # fmt: skip
PARTITION = box((64, 0, -192), (80, 192, 192), BRICK)
DOORWAY = box((56, 8, -48), (88, 128, 48), BOARDS)
OPENING = box((56, 64, 96), (88, 128, 160), Skin("boards", shift=(5, 9), scale=(0.5, 0.5)))
LEAF = box((68, 8, -48), (76, 128, 48), Skin("door", shift=(32, 0), scale=(1.5, 2.0)))
BLADE = box((-176, 168, -8), (-80, 172, 8), BOARDS)
PANE = box((70, 64, 96), (74, 128, 160), Skin("glass", TRANSPARENT, alpha=110))
GLASS_OF_MIRROR = box(
    (-192, 48, -192), (-96, 144, -188), Skin("boards"), front=Skin("mirror", MIRROR, alpha=100, reflect=0.5)
)
BULB = box((56, 144, -16), (64, 160, 16), Skin("lamp", FULL_BRIGHT | LIGHT, light=600, scale=(0.25, 0.25), bias=0.5))
POOL = box(
    (112, 0, -160), (224, 24, -32), Skin("water", TRANSPARENT, alpha=150), top=Skin("water", TRANSPARENT, 30, alpha=150)
)
BLOCKER = box((32, 0, -192), (40, 96, -96), Skin("lamp"))
CRATE = box((-64, 0, 64), (-16, 48, 112), Skin("boards", GOURAUD, scale=(0.75, 0.75)), top=Skin("boards", 0, 45))

OCTAGON = [(28, -12), (28, 12), (12, 28), (-12, 28), (-28, 12), (-28, -12), (-12, -28), (12, -28)]
"""Corners of the pillar about its middle: x and z, clockwise as seen from above."""


def pillar(x: float, z: float, height: float) -> tuple[Face, ...]:
    ring = [(x + across, z + along) for across, along in OCTAGON]
    sides = []
    for (ax, az), (bx, bz) in zip(ring, [*ring[1:], ring[0]], strict=True):
        corners = ((ax, 0, az), (bx, 0, bz), (bx, height, bz), (ax, height, az))
        sides.append(Face(corners, replace(BRICK, scale=(0.5, 0.5))))
    top = tuple((px, height, pz) for px, pz in ring)
    bottom = tuple((px, 0.0, pz) for px, pz in reversed(ring))
    return (*sides, Face(top, TILES), Face(bottom, TILES))


def ramp() -> tuple[Face, ...]:
    """Rises to the right."""
    skin, slope = Skin("plaster"), Skin("tiles", rotate=45, scale=(0.5, 0.5), shift=(7, -3))
    front, back = -96.0, -192.0
    a, b, c = (-64.0, 0.0), (32.0, 0.0), (32.0, 48.0)  # x and y of the corners: foot, below the top, top
    return (
        Face(((*a, front), (*c, front), (*b, front)), skin),
        Face(((*a, back), (*b, back), (*c, back)), skin),
        Face(((*a, front), (*b, front), (*b, back), (*a, back)), skin),
        Face(((*b, front), (*c, front), (*c, back), (*b, back)), skin),
        Face(((*a, front), (*a, back), (*c, back), (*c, front)), slope),
    )


def solid(name: str, shape: Box | tuple[Face, ...], flags: int, model: int = 0, group: int = DEFAULT) -> Brush:
    return Brush(name, flags, shape.faces() if isinstance(shape, Box) else shape, model=model, group=group)


def brushes() -> list[Brush]:
    """All brushes as the editor has them, cuts behind what they cut."""
    hollow = [
        Brush("room", SOLID | HOLLOW, SHELL.faces(), hull=16),
        Brush("room", SOLID | CUT | HOLLOW_CUT, INSIDE.faces(), hull=16),
    ]
    return [
        Brush("room", SOLID | HOLLOW, children=tuple(hollow), hull=16),
        solid("wall", PARTITION, SOLID),
        solid("doorway", DOORWAY, SOLID | CUT),
        solid("window", OPENING, SOLID | CUT),
        *rest(),
    ]


def rest() -> list[Brush]:
    """The brushes that no cut meets."""
    return [
        solid("pane", PANE, WINDOW),
        solid("pillar", pillar(-160, 96, 192), SOLID | DETAIL),
        solid("ramp", ramp(), SOLID),
        solid("mirror", GLASS_OF_MIRROR, SOLID | DETAIL, group=FURNITURE),
        solid("lamp", BULB, SOLID | DETAIL, group=FURNITURE),
        solid("crate", CRATE, SOLID | DETAIL, group=FURNITURE),
        solid("pool", POOL, EMPTY | WAVY | WATER, group=WET),
        solid("blocker", BLOCKER, CLIP),
        solid("door", LEAF, SOLID | AREA, DOOR),
        solid("blade", BLADE, SOLID, FAN, FURNITURE),
    ]


def compiled() -> list[Brush]:
    """The brushes of the `.map`: what the cuts leave of the room and the wall, and the rest."""
    wall = [part for piece in PARTITION.without(OPENING) for part in piece.without(DOORWAY)]
    room = [solid("room", part, SOLID) for part in SHELL.without(INSIDE)]
    return [*room, *(solid("wall", part, SOLID) for part in wall), *rest()]


HEADER_TEXT = """// The classes of the sample's entities.
#pragma GE_BrushContents
typedef enum
{
	Water = 0x00010000,
} Contents;

#pragma GE_Type("Player.ico")
typedef struct StartPlace
{
#pragma GE_Published
	geVec3d	Origin;
	int	Team;
#pragma GE_Origin(Origin)
#pragma GE_DefaultValue(Team, "1")
#pragma GE_Documentation(Team, "Which team starts here")
} StartPlace;

#pragma GE_Type("Door.ico")
typedef struct SlidingDoor
{
#pragma GE_Private
	geBoolean	Moving;
#pragma GE_Published
	geVec3d	Origin;
	geWorld_Model	*Model;
	float	Wait;
	geBoolean	Locked;
	char	*Sound;
#pragma GE_Origin(Origin)
#pragma GE_DefaultValue(Wait, "2.5")
#pragma GE_Documentation(Wait, "Seconds that it stays open")
#pragma GE_DefaultValue(Locked, "0")
} SlidingDoor;
"""
CLASSES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("light", genesis_bytes.LIGHT),
    ("spotlight", (("DummyRadius", "int"), *genesis_bytes.LIGHT, ("angles", "point"), ("arc", "int"))),
    ("ModelOrigin", (("origin", "point"),)),
    ("Camera", (("origin", "point"), ("angles", "point"))),
    ("StartPlace", (("Origin", "point"), ("Team", "int"))),
    (
        "SlidingDoor",
        (("Moving", "int"), ("Origin", "point"), ("Model", "model"), ("Wait", "float"), ("Locked", "int"),
         ("Sound", "string")),
    ),
)  # fmt: skip
"""Classes and their fields, in the order of declaration: the editor's own, then those of HEADER_TEXT."""

ENTITIES: tuple[tuple[tuple[str, str], ...], ...] = (
    (("classname", "StartPlace"), ("Origin", "-216 40 0"), ("Team", "1"), ("%name%", "Start1")),
    (("classname", "light"), ("color", "255 214 160"), ("light", "340"), ("origin", "-72 136 24"), ("style", "0"),
     ("%name%", "light1")),
    (("classname", "light"), ("color", "150 190 255"), ("light", "280"), ("origin", "176 128 32"), ("style", "0"),
     ("%name%", "light2")),
    (("angles", "0 0 -90"), ("arc", "36"), ("classname", "spotlight"), ("color", "255 255 255"), ("light", "400"),
     ("origin", "-40 184 88"), ("style", "0"), ("%name%", "spotlight1")),
    (("classname", "SlidingDoor"), ("Locked", "0"), ("Model", "door1"), ("Origin", "72 64 0"), ("Sound", "slide.wav"),
     ("Wait", "2.5"), ("%name%", "SlidingDoor1")),
)  # fmt: skip
CAMERA = (("angles", "180 0 0"), ("classname", "Camera"), ("origin", "0 96 0"), ("%name%", "Camera1"))

SKY_FACES = ("sky_side", "sky_side", "sky_top", "", "sky_side", "sky_side")


def motions(names: str, checksum: int) -> dict[int, str]:
    """The motions of the models as text; names: that of the only path, which editor and compiler call otherwise."""
    slide = genesis_bytes.motion(
        NO_TURN, SLIDE, events=[("1.500000", "open"), ("4.000000", "shut")], names=[names], checksum=checksum
    )
    turn = genesis_bytes.motion(HINGE, STILL, names=[names], checksum=checksum)
    return {DOOR: slide.decode("latin-1"), FAN: turn.decode("latin-1")}


MODELS = {DOOR: ("door1", (72.0, 64.0, 0.0)), FAN: ("fan1", (-128.0, 170.0, 0.0))}


def editor_level() -> EditorLevel:
    """The sample as the editor has it."""
    texts = motions("PathInfo", 2379)
    settings = EDITOR_SETTINGS.replace(
        "ENTITIES", "\n".join([f"EntityVis {len(CLASSES)}", *(f'"{name}" 1' for name, _ in reversed(CLASSES))])
    )
    return EditorLevel(
        library=f".\\{LIBRARY.name}",
        headers=".",
        brushes=brushes(),
        entities=[*ENTITIES, CAMERA],
        models=[Model(name, number, origin, texts[number]) for number, (name, origin) in MODELS.items()],
        groups=GROUPS,
        sky=SKY_FACES,
        settings=settings,
    )


# --------------------------------------------------------------------------------------------------- the compiled level
def face_bytes(face: Face) -> bytes:
    """The record of a face: its plane, and the texture vectors by the editor's rule (genesis.md §1.7)."""
    skin = face.skin
    a, b, c = (np.array(point, np.float64) for point in face.points[:3])
    normal = np.cross(a - b, c - b)
    normal /= np.linalg.norm(normal)
    normal += 0.0  # no -0.0
    angle = np.radians(-skin.rotate)
    sine, cosine = (float(np.float32(value)) for value in (np.sin(angle), np.cos(angle)))
    axis = int(np.abs(normal).argmax())
    u = ((0.0, sine, cosine), (cosine, 0.0, sine), (cosine, sine, 0.0))[axis]
    v = ((0.0, -cosine, sine), (-sine, 0.0, cosine), (sine, -cosine, 0.0))[axis]
    return genesis_bytes.face(
        tuple(normal.tolist()), float(normal @ a), flags=_mapped(skin.flags, FACE_FLAGS), bias=skin.bias,
        alpha=skin.alpha, light=skin.light, reflect=skin.reflect, name=skin.texture,
        u=tuple(value / skin.light_scale for value in u), v=tuple(value / skin.light_scale for value in v),
        scale=(skin.scale[0] / skin.light_scale, skin.scale[1] / skin.light_scale), offset=skin.shift,
    )  # fmt: skip


def _mapped(flags: int, table: dict[int, int]) -> int:
    return sum(there for here, there in table.items() if flags & here)


def _brushes_of(model: int, made: Iterable[Brush]) -> list[bytes]:
    return [
        genesis_bytes.brush([face_bytes(face) for face in brush.faces], _mapped(brush.flags, BRUSH_FLAGS))
        for brush in made
        if brush.model == model
    ]


def map_bytes() -> bytes:
    """The sample as the editor writes it for the compiler."""
    made, texts = compiled(), motions("FixedPath", 2679)
    sky = [(f"Sky{side}", name) for side, name in zip(genesis_files.SKY_SIDES, SKY_FACES, strict=True) if name]
    numbers = genesis_files.numbers
    world = [("TextureLib", f".\\{LIBRARY.name}"), ("SkyAxis", numbers(0, 1, 0)), ("SkyRotation", numbers(2))]
    entities = [genesis_bytes.entity(_brushes_of(0, made), pairs=[*world, ("SkyDrawScale", numbers(1)), *sky])]
    for number, (name, origin) in MODELS.items():
        pairs = [("classname", "%Model%"), ("%name%", name), ("origin", numbers(*origin))]
        motion = texts[number].encode("latin-1")
        entities.append(genesis_bytes.entity(_brushes_of(number, made), motion=motion, pairs=pairs))
    entities += [genesis_bytes.entity(pairs=pairs) for pairs in ENTITIES]
    entities += [genesis_bytes.typedef(name, fields) for name, fields in reversed(CLASSES)]
    return genesis_bytes.level(entities)


def files() -> dict[Path, bytes]:
    """What each of the committed files holds."""
    pictures = {name: genesis_art.picture(name) for name in genesis_art.TEXTURES}
    return {
        MAP: map_bytes(),
        EDITOR: genesis_files.text_3dt(editor_level()),
        LIBRARY: genesis_files.txl(pictures),
        HEADER: HEADER_TEXT.encode(),
    }


def _view(name: str, zoom: float, angles: Sequence[float], place: Sequence[float]) -> str:
    numbers = genesis_files.numbers
    return f"{name} 1\nZoom {numbers(zoom)}\nPitchRollYaw {numbers(*angles)}\nCamPos {numbers(*place)}\n"


EDITOR_SETTINGS = (
    """CompileInfo
Filename ".\\\\genesis_room.map"
Vis 1
Light 1
Bsp 1
Preview 0
MinLight 0
SuppressHidden 0
EntitiesOnly 0
VisDetail 0
Verbose 0
ExtraSamples 0
LightScale 1.000000
Radiosity 0
NumBounce 10
PatchSize 128.000000
FastPatch 1
ReflectScale 1.000000
MinLight 16.000000 16.000000 16.000000
VisVerbose 0
FullVis 1
SortPortals 1
BspVerbose 0
EntityVerbose 0
ShowGroups 0
ENTITIES
Grid 1
Type 1
Snap 1
Metric 10
Texel 8
Rotation 15
BspRebuild 1
"""
    + _view("TexturedView", 1, (3.141593, 1.570796, 0), (-216, 96, 0))
    + _view("TopView", 0.5, (3.141593, 0, 0), (0, 0, 0))
    + _view("FrontView", 0.5, (3.141593, 0, 0), (0, 96, 0))
    + _view("SideView", 0.5, (3.141593, 0, 0), (0, 96, 0))
    + """ArchTemplate
NumSlits 4
Thickness 16.000000
Width 96.000000
Radius 160.000000
WallSize 16.000000
Style 0
EndAngle 180.000000
StartAngle 0.000000
TCut 0
BoxTemplate
Solid 0
TCut 0
TSheet 0
Thickness 16.000000
XSizeBot 96.000000
XSizeTop 96.000000
YSize 96.000000
ZSizeBot 96.000000
ZSizeTop 96.000000
ConeTemplate
Style 0
Width 96.000000
Height 128.000000
VerticalStrips 6
Thickness 8.000000
TCut 0
CylinderTemplate
BotXOffset 0.000000
BotXSize 96.000000
BotZOffset 0.000000
BotZSize 96.000000
Solid 0
Thickness 8.000000
TopXOffset 0.000000
TopXSize 96.000000
TopZOffset 0.000000
TopZSize 96.000000
VerticalStripes 8
YSize 192.000000
RingLength 0.000000
TCut 0
SpheroidTemplate
HorizontalBands 4
VerticalBands 8
YSize 96.000000
Solid 0
Thickness 8.000000
TCut 0
StaircaseTemplate
Height 96.000000
Length 96.000000
NumberOfStairs 6
Width 64.000000
MakeRamp 0
TCut 0
TemplatePos 0.000000 96.000000 0.000000
DrawScale 1.000000
LightmapScale 2.000000
"""
)

if __name__ == "__main__":
    for path, data in files().items():
        path.write_bytes(data)
        print(f"{path.name}: {len(data)} bytes")
