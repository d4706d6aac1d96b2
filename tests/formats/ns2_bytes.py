# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds `.level` files byte by byte, from struct alone: what the library is tested against.

Imports nothing of the library, on purpose. Facts: ns2.md §2, §3, §5.

    data = level(10, mesh=mesh(10, HOLED), objects=[entity(10, "light_point", [origin(1, 2, 3)])])
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

NONE = 0xFFFFFFFF
Loop = Sequence[tuple[int, int]]  # flipped, edge


def u32(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def f32(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def str8(text: str) -> bytes:
    return u32(len(text)) + text.encode("ascii")


def str16(text: str) -> bytes:
    return u32(len(text)) + text.encode("utf-16-le")


def chunk(number: int, data: bytes) -> bytes:
    return u32(number, len(data)) + data


@dataclass(frozen=True)
class Face:
    """A face: its loops (border first), and what lies beside it."""

    loops: Sequence[Loop]
    angle: float = 0.0
    offset: tuple[float, float] = (0.25, -0.0)
    scale: tuple[float, float] = (0.30758, -0.30758)
    mapping_group: int = NONE
    material: int = 0
    layers: bytes | None = None  # a mask of 32 bytes
    triangles: Sequence[tuple[int, ...]] = ()  # of three vertices, or of those and three normals

    def record(self) -> bytes:
        parts = [f32(self.angle, *self.offset, *self.scale), u32(self.mapping_group, self.material)]
        parts.append(u32(len(self.loops) - 1))
        for loop in self.loops:
            parts += [u32(len(loop)), *(u32(*member) for member in loop)]
        return b"".join(parts)


@dataclass(frozen=True)
class Shape:
    """Geometry, whichever version writes it."""

    points: Sequence[tuple[float, float, float]]
    edges: Sequence[tuple[int, int]]
    faces: Sequence[Face]
    smooth: frozenset[int] = frozenset()
    materials: Sequence[str] = ("materials/dev/dev_floor_grid.material",)
    mapping: Sequence[bytes] = ()
    groups: Sequence[Sequence[tuple[int, Sequence[int]]]] = ((), (), ())
    ghosts: Sequence[tuple[float, float, float]] = ()
    normals: Sequence[tuple[float, float, float]] = ()
    extra: bytes = field(default=b"")  # chunks behind the others


def mapping_group(number: int, normal: tuple[float, float, float] = (0, 1, 0)) -> bytes:
    return u32(number) + f32(0.5, 1.0, 2.0, 0.25, 0.75, *normal)


def mask(*layers: int) -> bytes:
    return sum(1 << layer for layer in layers).to_bytes(32, "little")


def layer_mask(layers: bytes | None) -> bytes:
    return u32(0) if layers is None else u32(1, 8) + layers


def group_lists(groups: Sequence[Sequence[tuple[int, Sequence[int]]]]) -> bytes:
    lists = []
    for kind in groups:
        lists.append(u32(len(kind)))
        lists += [u32(number, len(members), *members) for number, members in kind]
    return b"".join(lists)


def triangles(version: int, shape: Shape) -> bytes:
    parts = []
    if version >= 7:
        parts += [u32(len(shape.ghosts)), *(f32(*ghost) for ghost in shape.ghosts)]
    if version >= 9:
        parts += [u32(len(shape.normals)), *(f32(*normal) for normal in shape.normals)]
    parts.append(u32(len(shape.faces), sum(len(face.triangles) for face in shape.faces)))
    for face in shape.faces:
        parts.append(u32(len(face.triangles)))
        for triangle in face.triangles:
            whole = (*triangle, *[len(shape.normals)] * 3)[:6]
            parts.append(u32(*whole[: 6 if version >= 9 else 3]))
    return b"".join(parts)


def mesh(version: int, shape: Shape, *, clipboard: bool = False) -> bytes:
    """The chunks of a mesh, in the order in which the editor writes them."""
    flag = b"\x01" if version >= 9 else b""
    vertices = b"".join(f32(*point) + flag for point in shape.points)
    edges = b"".join(
        u32(*edge) + (bytes([number in shape.smooth]) if version >= 9 else b"")
        for number, edge in enumerate(shape.edges)
    )
    count = len(shape.faces)
    if version < 6:
        face_layers = bytes(8 * count)
    else:
        masks = (None if clipboard else face.layers for face in shape.faces)
        face_layers = u32(count, 2) + b"".join(layer_mask(each) for each in masks)
    parts = [
        chunk(4, u32(len(shape.materials)) + b"".join(str8(name) for name in shape.materials)),
        chunk(1, u32(len(shape.points)) + vertices),
        chunk(2, u32(len(shape.edges)) + edges),
        chunk(3, u32(count) + b"".join(face.record() for face in shape.faces)),
        chunk(6, face_layers),
        chunk(7, u32(len(shape.mapping)) + b"".join(shape.mapping)),
    ]
    if version >= 6:
        parts.append(chunk(8, bytes(12) if clipboard else group_lists(shape.groups)))
    if not clipboard:
        parts.append(chunk(5, triangles(version, shape)))
    return b"".join(parts) + shape.extra


def prop(name: str, kind: int, raw: bytes, components: int = 1) -> bytes:
    return chunk(2, str8(name) + u32(kind, components, 0) + raw)


def floats(name: str, kind: int, *values: float) -> bytes:
    return prop(name, kind, f32(*values), len(values))


def origin(x: float, y: float, z: float) -> bytes:
    return floats("origin", 9, x, y, z)


def entity(
    version: int, name: str, properties: Sequence[bytes], layers: bytes | None = None, group: int | None = None,
    editor_data: Sequence[tuple[str, bytes]] = (),
) -> bytes:  # fmt: skip
    """The body of an object."""
    mask = u32(0) if layers is None else u32(1, 2, 8) + layers
    head = (layers or bytes(4))[:4] if version <= 4 else mask
    head += u32((0 if version <= 4 else NONE) if group is None else group) + str8(name)
    if version < 10:
        return head + b"".join(properties)
    data = b"".join(str8(key) + u32(len(value)) + value for key, value in editor_data)
    return head + u32(len(properties)) + b"".join(properties) + u32(len(editor_data)) + data


def listed(version: int, names: Sequence[tuple[str, int]], *, groups: bool = False, visible: int = 1) -> bytes:
    """Layers or groups."""
    parts = [u32(len(names))]
    for name, number in names:
        parts.append(str16(name) + u32(visible) + b"\xff\x80\x40\x20")
        if version > 4 or groups:
            parts.append(u32(number))
    return b"".join(parts)


def settings(layers: bytes = bytes(32)) -> bytes:
    """Chunk 7."""
    properties = [floats("Agent Radius", 9, 0.5), prop("Max Poly Vertices", 3, struct.pack("<i", 6))]
    head = str16("Pathing") + u32(8) + layers
    return chunk(0x7E374C8E, chunk(0, head) + chunk(1, b"".join(properties)))


VIEWPORTS = '<?xml version="1.0" encoding="UTF-8"?>\n<viewports>\n</viewports>\n'


def level(
    version: int, *, mesh: bytes | None = None, objects: Sequence[bytes] = (), layers: bytes | None = None,
    groups: bytes | None = None, viewports: str | None = VIEWPORTS, colors: Sequence[int] | None = None,
    editor: bytes | None = None, extra: bytes = b"",
) -> bytes:  # fmt: skip
    """A file; `extra`: chunks behind the others."""
    parts = [b"LVL", bytes([version])]
    parts += [] if mesh is None else [chunk(2, mesh)]
    parts += [chunk(1, each) for each in objects]
    parts += [] if layers is None else [chunk(3, layers)]
    parts += [] if groups is None else [chunk(5, groups)]
    parts += [] if viewports is None else [chunk(4, str16(viewports))]
    parts += [] if colors is None else [chunk(6, u32(len(colors), *colors))]
    parts += [] if editor is None else [chunk(7, editor)]
    return b"".join(parts) + extra


def clipboard(mesh: bytes | None = None, objects: Sequence[bytes] = ()) -> bytes:
    """What the editor copies; `mesh` made with clipboard=True, `objects` of version 10."""
    parts = []
    if mesh is not None:
        parts.append(u32(1, len(mesh) + 2) + struct.pack("<H", 2) + mesh)
    if objects:
        body = b"".join(chunk(1, each) for each in objects)
        parts.append(u32(1, len(body) + 2) + struct.pack("<H", 1) + body)
    return b"".join(parts)


# -------------------------------------------------------------------------------------------------------------- samples


def square(first: int) -> Loop:
    """Four edges, one behind the other."""
    return [(0, first + step) for step in range(4)]


def reverse(first: int) -> Loop:
    return [(1, first + step) for step in (3, 2, 1, 0)]


# A floor of 4 x 4 m with a hole of 2 x 2 m, which is filled by a second face that shares the hole's edges; a third
# hangs on edge 0 and is smooth with the first. Up is +Y: borders go round it against the clock.
HOLED = Shape(
    points=(
        (0, 0, 0), (0, 0, 4), (4, 0, 4), (4, 0, 0), (1, 0, 1), (1, 0, 3), (3, 0, 3), (3, 0, 1), (0, -2, 0), (0, -2, 4),
    ),
    edges=((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (8, 9), (0, 8), (9, 1)),
    faces=(
        Face(
            [square(0), reverse(4)], 0.5, mapping_group=7, layers=mask(3, 200),
            triangles=((0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)),
        ),
        Face([square(4)], float("nan"), material=1, layers=mask(3), triangles=((4, 5, 6), (4, 6, 7))),
        Face([[(1, 0), (0, 9), (0, 8), (0, 10)]], triangles=((1, 0, 8), (1, 8, 9))),
    ),
    smooth=frozenset({0}),
    materials=("materials/dev/dev_floor_grid.material", "materials/biodome/biodome_grass.material"),
    mapping=(mapping_group(7),),
    groups=(((1, (0, 3)), (2, (9,))), ((1, (2,)),), ((1, (0, 2)),)),
)  # fmt: skip

PROP = (origin(1.5, -2, 0.1), floats("angles", 7, 0, 0.5, -3), floats("scale", 2, 1, -1, 1),
        prop("model", 4, str16("models/props/rock.model")), prop("castsShadows", 1, u32(1)))  # fmt: skip
MOVER = (origin(0, 0, 0), floats("angles", 7, 0, 0, 0), prop("direction", 10, struct.pack("<i", -1)),
         prop("name", 0, str16("door \u00e9\u2603")), prop("direction", 10, struct.pack("<i", 3)))  # fmt: skip


def whole(version: int) -> bytes:
    """A level with one of everything that its version has."""
    shape = HOLED
    if version in (7, 9):
        shape = Shape(**{**HOLED.__dict__, "ghosts": ((0, 0, 2.0),)})
    if version >= 9:
        faces = (*HOLED.faces[:2], Face(HOLED.faces[2].loops, triangles=((1, 0, 8, 0, 0, 1), (1, 8, 9, 0, 1, 1))))
        shape = Shape(**{**shape.__dict__, "normals": ((0.6, 0.8, 0.0),), "faces": faces})
    probe = [("reflection_probe_cubemap", bytes([10, 128, 20, 130]) * 24576)]
    return level(
        version,
        mesh=mesh(version, shape),
        objects=[
            entity(version, "prop_static", PROP, layers=mask(0) if version <= 4 else mask(3, 200)),
            entity(version, "func_moveable", MOVER, group=1),
            entity(version, "reflection_probe", [origin(0, 1, 0), floats("angles", 7, 0, 0, 0)], editor_data=probe),
        ],
        layers=listed(version, [("Vents", 3), ("Lights", 200)]),
        groups=listed(version, [("CollisionGeometry", 1), ("Group", 2)], groups=True),
        colors=[0xFFFFFFFF] * 15 + [0xFF102030] if version >= 7 else None,
        editor=settings(mask(3)) if version >= 9 else None,
    )
