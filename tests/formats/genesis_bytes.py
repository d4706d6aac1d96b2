# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds binary Genesis3D maps byte by byte, from struct alone: what the library is tested against.

Imports nothing of the library, on purpose. Facts: genesis.md §1.

    data = level([entity([brush(box())], pairs=[("TextureLib", "a.txl")]), light(), typedef("light", LIGHT)])
"""

import struct
from collections.abc import Sequence

Vector = tuple[float, float, float]
Pairs = Sequence[tuple[str | bytes, str | bytes]]

AXES: tuple[Vector, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
LIGHT = (("light", "int"), ("color", "color"), ("style", "int"), ("origin", "point"))


def raw(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")


def string(text: str | bytes) -> bytes:
    """A length and the characters, without a NUL."""
    return struct.pack("<i", len(raw(text))) + raw(text)


def face(
    normal: Vector = (0, 1, 0), dist: float = 64.0, *, flags: int = 0, bias: float = 1.0, alpha: float = 255.0,
    light: float = 300.0, reflect: float = 1.0, name: str | bytes = "rock", u: Vector = (0.5, -0.0, 0.0),
    v: Vector = (0.0, -0.5, -0.0), scale: tuple[float, float] = (0.5, 0.5), offset: tuple[float, float] = (0.0, 0.0),
) -> bytes:  # fmt: skip
    """108 bytes; a name of 32 bytes is taken as it is, with what stands behind its NUL."""
    return (
        struct.pack("<i4f", flags, bias, alpha, light, reflect)
        + raw(name).ljust(32, b"\0")
        + struct.pack("<5f", *u, scale[0], offset[0])
        + struct.pack("<5f", *v, scale[1], offset[1])
        + struct.pack("<4f", *normal, dist)
    )


def box(low: Vector = (-64, -64, -64), high: Vector = (64, 64, 64), **fields: object) -> list[bytes]:
    """Six faces: +x, -x, +y, -y, +z, -z."""
    dists = [high[axis] * (sign > 0) - low[axis] * (sign < 0) for axis in range(3) for sign in (1, -1)]
    return [face(normal, dist, **fields) for normal, dist in zip(AXES, dists, strict=True)]  # type: ignore[arg-type]


def sliver() -> list[bytes]:
    """What the editor's CSG leaves between nearly parallel planes: top and bottom have changed places by a hair.

    No point is behind all six planes, so that they close nothing; the compiler's tolerance is far greater than that.
    """
    top, bottom = face((0, 1, 0), 64), face((0, -1, 0), -64.004)
    sides = box((-32, 0, -32), (32, 64, 32))
    return [top, bottom, *sides[:2], *sides[4:]]


def brush(faces: Sequence[bytes], flags: int = 1, count: int | None = None) -> bytes:
    return struct.pack("<Ii", flags, len(faces) if count is None else count) + b"".join(faces)


def entity(brushes: Sequence[bytes] = (), *, flags: int | None = None, motion: bytes = b"", pairs: Pairs = ()) -> bytes:
    data = struct.pack("<i", len(brushes)) + b"".join(brushes)
    data += struct.pack("<I", int(bool(motion)) if flags is None else flags) + motion
    return data + struct.pack("<i", len(pairs)) + b"".join(string(key) + string(value) for key, value in pairs)


def light(origin: str = "0 0 0", **more: str) -> bytes:
    pairs = [("classname", "light"), ("%name%", "light1"), ("light", "150"), ("origin", origin), *more.items()]
    return entity(pairs=pairs)


def typedef(name: str, fields: Sequence[tuple[str, str]]) -> bytes:
    pairs: list[tuple[str, str]] = [("classname", "%typedef%"), ("%typename%", name)]
    for key, kind in fields:
        pairs += [(key, kind), ("%defaultvalue%", "")]
    return entity(pairs=pairs)


def model(motion: bytes = b"", name: str = "door", brushes: Sequence[bytes] | None = None) -> bytes:
    pairs = [("classname", "%Model%"), ("%name%", name), ("origin", "16.000000 0.000000 8.000000")]
    return entity([brush(box())] if brushes is None else brushes, motion=motion, pairs=pairs)


def level(
    entities: Sequence[bytes],
    *,
    version: int = 1,
    tag: bytes = b"NCBF",
    count: int | None = None,
    trailing: bytes = b"",
) -> bytes:
    head = struct.pack("<i4si", version, tag, len(entities) if count is None else count)
    return head + b"".join(entities) + trailing


# ------------------------------------------------------------------------------------------------------------- motions
ROTATION = """Rotation 1 4
Keys 3 1 0 0
0.000000 1.000000 0.000000 0.000000 0.000000
1.500000 0.707107 0.000000 0.707107 0.000000
4.000000 1.000000 0.000000 0.000000 0.000000
"""
TRANSLATION = """Translation 1 1
Keys 3 1 0 0
0.000000 0.000000 0.000000 0.000000
1.500000 0.000000 96.500000 -0.000000
4.000000 0.000000 0.000000 0.000000
"""
# Angles about y at equal steps of time; places at equal steps of time.
HINGE = """Rotation 1 4
Keys 4 1 3 0
0.000000 0.500000 Start T,Delta T
0.000000 1.000000 0.000000 Axis
0.250000
0.500000
1.000000
-1.500000
"""
STEADY = """Translation 1 1
Keys 3 1 2 1
0.000000 0.250000 Start T,Delta T
0.000000 0.000000 0.000000
8.000000 0.000000 0.000000
16.000000 0.000000 0.000000
"""


def motion(
    rotation: str = ROTATION, translation: str = TRANSLATION, *, name: str = "", events: Sequence[tuple[str, str]] = (),
    names: Sequence[str] | None = ("FixedPath",), checksum: int = 2679, path: str = "0.F2", end: str = "\n",
) -> bytes:  # fmt: skip
    """The text of a motion with one path."""
    text = (
        f"MOTN 0.F0\nNameID {name}\nMaintainNames 1\nPathCount 1\nNameChecksum {checksum}\nEvents {len(events) > 0:d}\n"
    )
    if events:
        text += f"TKEV 0.F0\nDataSize {sum(len(what) + 1 for _, what in events)}\nTimeKeys {len(events)}\n"
        offset = 0
        for time, what in events:
            text += f"{time} {offset}\n{what}\n"
            offset += len(what) + 1
    text += f"NameArray {names is not None:d}\n"
    if names is not None:
        text += f"SBLK 0.F0\nStrings {len(names)}\n" + "".join(each + "\n" for each in names)
    text += f"PathArray 1\nPATH {path}\n{rotation}{translation}"
    return text.replace("\n", end).encode("latin-1")


def keys(interpolation: int, compression: int, looped: int, count: int, *floats: float) -> bytes:
    """A block of keys of a binary motion."""
    block = struct.pack("<Ii", interpolation << 16 | compression << 8 | looped, count)
    block += struct.pack(f"<{len(floats)}f", *floats)
    return struct.pack("<i", len(block)) + block


def binary_motion(
    paths: Sequence[tuple[bytes, bytes]], *, name: bytes = b"Idle\0", names: Sequence[bytes] | None = (b"FixedPath",),
    events: Sequence[tuple[float, bytes]] = (), checksum: int = 2679, node: int = 2,
) -> bytes:  # fmt: skip
    """A binary motion; a path is its block of translation keys and its block of rotation keys, empty for none."""
    data = b"MTNB" + struct.pack("<II", 0xF0, len(name) | 1 << 16 | node << 24) + name
    data += struct.pack("<iiI", len(paths), checksum, bool(events) | (names is not None) << 1)
    if events:
        texts = [text + b"\0" for _, text in events]
        data += b"TKEB" + struct.pack("<Ii", 0xF0, len(b"".join(texts))) + b"".join(texts)
        data += struct.pack("<ii", len(events), 8)
        for number, (time, _) in enumerate(events):
            data += struct.pack("<fi", time, len(b"".join(texts[:number])))
    if names is not None:
        ended = [each + b"\0" for each in names]
        table = [4 * len(ended) + len(b"".join(ended[:number])) for number in range(len(ended))]
        block = struct.pack(f"<{len(table)}i", *table) + b"".join(ended)
        data += b"SBKB" + struct.pack("<ii", len(ended), len(block)) + block
    for translation, rotation in paths:
        kinds = (translation[6] if translation else 1) << 9 | (3 + rotation[6] if rotation else 4) << 2
        data += struct.pack("<I", 0x1001 << 16 | kinds | bool(translation) << 1 | bool(rotation))
        data += translation + rotation
    return data


# ------------------------------------------------------------------------------------------------------- whole levels
def room(*more: bytes, pairs: Pairs = (("TextureLib", "gedit.txl"),)) -> bytes:
    """Six walls about the origin, a light, and the class of the light."""
    walls = []
    for axis in range(3):
        for sign in (-1, 1):
            low, high = [-272.0] * 3, [272.0] * 3
            (low if sign > 0 else high)[axis] = 256.0 * sign
            walls.append(brush(box(tuple(low), tuple(high))))  # type: ignore[arg-type]
    return level([entity(walls, pairs=pairs), *more, light(), typedef("light", LIGHT)])


def whole_level() -> bytes:
    """Something of everything: all face fields, motions of each kind, repeated keys, bytes behind the entities."""
    odd = [
        face((1, 0, 0), 64, flags=0x7FFF8055, bias=0.25, alpha=128, light=1.5, reflect=-0.0, name=b"a\0garbage\xa5"),
        face((-1, 0, 0), 64, flags=-1, u=(-0.0, 0.0, -0.0), v=(1e-40, float("inf"), float("nan")), name=b"x" * 32),
        *box()[2:],
    ]
    doors = [
        model(motion(events=[("1.000000", "open"), ("2.500000", "shut it")], name="door")),
        model(motion(HINGE, STEADY), "hinge"),
        model(motion("Rotation 0 4\n", "Translation 0 1\n", names=None, checksum=0), "still"),
        model(
            binary_motion([(keys(1, 2, 0, 3, 0, 0.5, *range(9)), keys(1, 1, 1, 4, 0, 1, 3, 4, 0, 1, 0, 0.5, 1, 2, 3))],
                          events=[(0.5, b"ring")]),
            "binary",
        ),
    ]  # fmt: skip
    world = entity(
        [brush(box((-300, -300, -300), (300, -290, 300)), 0xFFFF0001), brush(odd, 0x42), brush([], 0)],
        pairs=[("TextureLib", ".\\gedit.txl"), ("SkyTop", ""), ("note", "caf\xe9"), ("note", b"\0\xff\x80"), ("", "")],
    )
    others = [
        light("8 16 -24", color="255 128 0"), entity(flags=7, pairs=[("classname", "Nobody")]), entity(),
        typedef("light", LIGHT),
    ]  # fmt: skip
    return level([world, *doors, *others], trailing=b"and more\0")
