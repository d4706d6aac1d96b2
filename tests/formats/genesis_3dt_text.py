# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes `.3dt` text of every version, line by line: what the library is tested against.

Imports nothing of the library, on purpose. Facts: genesis.md §2.

    text = level((1, 31), [multi("room", [leaf("room", flags=0x401), leaf("room", flags=0x91)], flags=0x401)])
"""

from __future__ import annotations

from collections.abc import Sequence

Vector = tuple[float, float, float]
Version = tuple[int, int]
IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
VERSIONS: tuple[Version, ...] = tuple((1, minor) for minor in range(2, 35))

MOTION = """\
MOTN 0.F0
NameID\x20
MaintainNames 1
PathCount 1
NameChecksum 2379
Events 0
NameArray 1
SBLK 0.F0
Strings 1
PathInfo
PathArray 1
PATH 0.F2
Rotation 1 4
Keys 2 1 0 0
0.000000 1.000000 0.000000 0.000000 0.000000
2.500000 1.000000 0.000000 0.000000 0.000000
Translation 1 1
Keys 2 1 0 0
0.000000 0.000000 0.000000 0.000000
2.500000 0.000000 128.000000 0.000000
"""

SETTINGS = """\
CompileInfo
Filename ".\\\\room.map"
Vis 1
SuppressHidden 0
VisDetail 1
ShowGroups 0
DrawScale 1.000000
LightmapScale 2.000000
"""


def numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def word(text: str, quoted: bool) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if quoted else text


def face(
    points: Sequence[Vector], version: Version = (1, 31), *, flags: int = 512, light: int = 300, bias: float = 1.0,
    translucency: float = 255.0, reflectivity: float = 1.0, rotate: float = 0, shift: tuple[int, int] = (0, 0),
    scale: tuple[float, float] = (1.0, 1.0), texture: str = "brick", light_scale: tuple[float, float] = (2.0, 2.0),
    transform: Sequence[float] = IDENTITY, position: Vector = (0, 0, 0), value: float = 0.0,
) -> str:  # fmt: skip
    minor = version[1]
    text = f"\t\tNumPoints {len(points)}\n"
    if minor >= 8:
        text += f"\t\tFlags {flags}\n"
    if 8 <= minor < 25:
        text += f"\t\tFaceValue {value:.6f}\n"
    if minor >= 13:
        text += f"\t\tLight {light}\n"
    if minor >= 25:
        text += f"\t\tMipMapBias {bias:.6f}\n"
    if minor >= 27:
        text += f"\t\tTranslucency {translucency:.6f}\n\t\tReflectivity {reflectivity:.6f}\n"
    for point in points:
        text += f"\t\t\tVec3d {numbers(point)}\n"
    angle = f"{rotate:.6f}" if minor >= 33 else f"{rotate:d}"
    text += f"\t\t\tTexInfo Rotate {angle} Shift {shift[0]} {shift[1]} Scale {numbers(scale)}"
    text += f" Name {word(texture, minor >= 24)}\n"
    if minor >= 17:
        text += f"\t\tLightScale {numbers(light_scale)}\n"
    if minor >= 32:
        text += f"\tTransform\t{numbers(transform)} \n\tPos\t{numbers(position)} \n"
    return text


def box_points(low: Vector, high: Vector) -> list[list[Vector]]:
    """Six faces, clockwise seen from outside: +x, -x, +y, -y, +z, -z."""
    (a, b, c), (d, e, f) = low, high
    return [
        [(d, b, c), (d, b, f), (d, e, f), (d, e, c)],
        [(a, b, c), (a, e, c), (a, e, f), (a, b, f)],
        [(a, e, c), (d, e, c), (d, e, f), (a, e, f)],
        [(a, b, c), (a, b, f), (d, b, f), (d, b, c)],
        [(a, b, f), (a, e, f), (d, e, f), (d, b, f)],
        [(a, b, c), (d, b, c), (d, e, c), (a, e, c)],
    ]


def head(
    name: str, version: Version, flags: int, kind: int, model: int = 0, group: int = 0, hull: float = 16.0,
    translucency: int = 0,
) -> str:  # fmt: skip
    minor = version[1]
    text = f"Brush {word(name, minor >= 24)}\n\tFlags {flags}\n"
    text += f"\tModelId {model}\n\tGroupId {group}\n" if minor >= 3 else f"\tEntityId {model}\n"
    text += f"\tHullSize {hull:.6f}\n"
    if 17 <= minor < 27:
        text += f"\tTranslucency {translucency}\n"
    if minor >= 15:
        text += f"\tType {kind}\n"
    return text


def leaf(
    name: str = "box", version: Version = (1, 31), low: Vector = (-64, -64, -64), high: Vector = (64, 64, 64), *,
    flags: int = 1, model: int = 0, group: int = 0, hull: float = 16.0, haze: int = 0, **look: object,
) -> str:  # fmt: skip
    faces = box_points(low, high)
    text = head(name, version, flags, 2, model, group, hull, haze) + f"\tBrushFaces {len(faces)}\n"
    return text + "".join(face(points, version, **look) for points in faces)  # type: ignore[arg-type]


def multi(
    name: str, children: Sequence[str], version: Version = (1, 31), *, flags: int = 1, model: int = 0, group: int = 0,
    hull: float = 16.0,
) -> str:  # fmt: skip
    return head(name, version, flags, 1, model, group, hull) + f"Brushlist {len(children)}\n" + "".join(children)


def hollow(name: str, low: Vector, high: Vector, hull: float = 16.0, version: Version = (1, 31), model: int = 0) -> str:
    """A shell and the cut inside it; the cut's own points are the shell's, as they are made anew anyway."""
    shell = leaf(name, version, low, high, flags=0x401, hull=hull, model=model)
    inner = leaf(name, version, low, high, flags=0x91, hull=hull, model=model)
    return multi(name, [shell, inner], version, flags=0x401, hull=hull, model=model)


def entity(
    pairs: Sequence[tuple[str, str]], version: Version = (1, 31), origin: tuple[int, int, int] = (0, 0, 0),
    flags: int = 0, group: int = 0,
) -> str:  # fmt: skip
    minor = version[1]
    x, y, z = origin
    text = f"CEntity\neStyle 0\neOrigin {x} {y} {z} 2\n"
    if minor < 21:
        text += f"eRenderOrigin {x} {y} {z} 2\n"
    text += f"eFlags {flags}\neGroup {group}\nePairCount {len(pairs)}\n"
    for key, value in pairs:
        text += f"Key {key} Value {word(value, True)}\n" if minor >= 14 else f"K {key}\nV {value}\n"
    return text + "End CEntity\n"


def model(
    name: str, number: int, version: Version = (1, 31), time: float = 0.0, origin: Vector = (0, 0, 0),
    motion: str | None = MOTION,
) -> str:  # fmt: skip
    minor = version[1]
    text = f"Model {word(name, minor >= 19)}\n\tModelId {number}\n"
    if minor >= 7:
        text += f"\tCurrentKeyTime {time:.6f}\n\tTransform\n{numbers((*IDENTITY[:9], *origin))} \n"
    if minor >= 5:
        text += f"\tMotion {int(motion is not None)}\n" + (motion or "")
    return text


def group(name: str, number: int, version: Version = (1, 31), visible: int = 1) -> str:
    text = f"Group {word(name, version[1] >= 19)}\n\tGroupId {number}\n\tVisible {visible}\n\tLocked 0\n"
    return text + ("Color 255.000000 128.000000 0.000000\n" if version[1] >= 9 else "")


def sky(version: Version = (1, 31), names: Sequence[str] = ("lf", "rt", "", "dn", "ft", "bk")) -> str:
    minor = version[1]
    text = "Sky\n"
    for name in names:
        text += f"{int(bool(name))} {word(name, True) if minor >= 14 else 'x' + name}\n"
    if minor >= 26:
        text += "Axis 1.000000 0.000000 0.000000\nSpeed 10.000000\n"
    if minor >= 28:
        text += "Scale 1.500000\n"
    return text


def level(
    version: Version = (1, 31), brushes: Sequence[str] = (), entities: Sequence[str] = (), models: Sequence[str] = (),
    groups: Sequence[str] = (), settings: str = SETTINGS,
) -> str:  # fmt: skip
    minor = version[1]
    text = f"3dtVersion 1.{minor}\n"
    if minor < 16:
        text += "PalLoc c:\\pal.pal\n"
    text += 'TextureLib "..\\\\a b.txl"\n' if minor >= 18 else "WadLoc ..\\a.txl\n"
    if minor >= 31:
        text += 'HeadersDir "..\\\\src;..\\\\src\\\\fx"\n'
    if minor >= 33:
        text += 'ActorsDir "actors"\nPawnIni "pawn.ini"\n'
    if minor < 15:
        text += f"NumBrushes {len(brushes)}\n"
    text += f"NumEntities {len(entities)}\nNumModels {len(models)}\n"
    if minor >= 3:
        text += f"NumGroups {len(groups)}\n"
    if minor >= 15:
        text += f"Brushlist {len(brushes)}\n"
    text += "".join(brushes)
    text += f"Class CEntList\nEntCount {len(entities)}\nCurEnt 0\n" + "".join(entities) + "".join(models)
    if minor >= 3:
        text += "".join(groups)
    if minor >= 12:
        text += sky(version)
    if minor >= 20:
        text += settings
    return text


def whole_level(version: Version = (1, 31)) -> str:
    """A level with everything that its version knows."""
    minor = version[1]
    look = {"rotate": 12.5 if minor >= 33 else 45, "shift": (3, -4), "scale": (0.5, 2.0), "light_scale": (4.0, 8.0)}
    shell = leaf("room 1" if minor >= 24 else "room1", version, (-256, 0, -256), (256, 256, 256), flags=0x401)
    inner = leaf("room", version, (-240, 16, -240), (240, 240, 240), flags=0x91)
    first = multi("room", [shell, inner], version, flags=0x401)
    brushes = [*([first] if minor >= 15 else [shell, inner]), leaf("door", version, flags=1, model=1, **look)]
    brushes.append(leaf("cut", version, (0, 0, 200), (64, 64, 300), flags=128, group=1))
    brushes.append(leaf("water", version, flags=-2147418108, haze=100))  # bit 31, USER1, WAVY
    entities = [
        entity([("classname", "light"), ("light", "150"), ("origin", "10 20 -30"), ("%name%", "light1")], version,
               (10, 20, -30)),
        entity([("classname", "Camera"), ("%name%", 'a \\ b "c"' if minor >= 14 else "a b c")], version, group=1),
    ]  # fmt: skip
    models = [model("door", 1, version, 2.5, (0, 64, 0)), model("still", 2, version, motion=None)]
    groups = [group("Default", 0, version), group("g1", 1, version, 0)]
    return level(version, brushes, entities, models, groups)
