# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes ns2_room.level: the sample of Natural Selection 2.

    python -m tests.samples.ns2_room

A room with one of everything: a floor with two holes, of which one is a pit and out of the other comes a column with
smooth edges; a wall with two windows, one of them a niche with a glowing pane; a chamfered corner whose texture runs
on from the wall, by a mapping group; a slab in front of the niche that only collides; layers (one with an id in the
second word of the masks) and groups; lights of three kinds, a crate, a location, a spawn, a resource point. Names are
ours. All numbers follow from sums, products and roots, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from formats import ns2
from formats.ns2 import FaceLayers, Faces, GeometryGroups, GroupTable, PropertyType

LEVEL = Path(__file__).parent / "ns2_room.level"

FLOOR, WALL, METAL, COLUMN, PANE, CLIP = range(6)
MATERIALS = tuple(f"materials/room/{name}.material" for name in ("floor", "wall", "metal", "column", "pane", "clip"))
CRATE = "models/room/crate.model"

PATHING, VENTS, LIGHTS = 0, 1, 40
"""Layers."""
COLLISION, CEILING, MACHINES = 1, 2, 3
"""Groups."""
CORNER = 9
"""The mapping group of the wall in the east and the chamfer beside it."""

WIDTH, DEPTH, HEIGHT = 8.0, 6.0, 3.0
"""Along x, z and y."""
CHAMFER = 1.0
COLUMN_AT = (5.5, 3.0)
"""x and z."""
OCTAGON = ((0.75, 0.3125), (0.3125, 0.75), (-0.3125, 0.75), (-0.75, 0.3125))
"""x and z of one half of the column's outline, about its middle."""

Point = tuple[float, float, float]
Loop = Sequence[Point]


@dataclass
class Builder:
    """Collects faces; corners at one place are one vertex, sides between the same vertices one edge."""

    vertices: dict[Point, int] = field(default_factory=dict)
    edges: dict[tuple[int, int], int] = field(default_factory=dict)
    smooth: set[int] = field(default_factory=set)
    faces: list[tuple[float, tuple[float, float], tuple[float, float], int, int]] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    members: list[tuple[int, int]] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)

    def edge(self, one: Point, other: Point) -> tuple[int, int]:
        """A step of a loop: whether it passes the edge from its end, and the edge."""
        a, b = (self.vertices.setdefault(point, len(self.vertices)) for point in (one, other))
        number = self.edges.setdefault((min(a, b), max(a, b)), len(self.edges))
        return int(a > b), number

    def face(
        self,
        *loops: Loop,
        material: int,
        layers: Sequence[int] = (),
        group: int = ns2.NO_GROUP,
        angle: float = 0.0,
        scale: tuple[float, float] = (1.0, 1.0),
        offset: tuple[float, float] = (0.0, 0.0),
        mapping_group: int = ns2.NO_MAPPING_GROUP,
    ) -> None:
        """Add a face: its border against the clock as seen from its visible side, and holes with the clock."""
        self.faces.append((angle, offset, scale, mapping_group, material))
        self.loops.append(len(loops))
        for loop in loops:
            self.sizes.append(len(loop))
            self.members += [self.edge(*side) for side in sides(loop)]
        self.masks.append(ns2.mask_of(tuple(layers)))
        self.groups.append(group)

    def mesh(self) -> ns2.Mesh:
        """The mesh of the faces, with the triangles and normals that the editor gives it."""
        mesh = ns2.new_mesh()
        mesh.materials = list(MATERIALS)
        mesh.vertices = ns2.new_vertices(np.array(list(self.vertices)))
        mesh.edges = ns2.new_edges(
            np.array(list(self.edges)), [number in self.smooth for number in range(len(self.edges))]
        )
        members = np.array(self.members, np.uint32).view(ns2.MEMBER).reshape(-1)
        starts = (np.concatenate([[0], np.cumsum(each)]) for each in (self.loops, self.sizes))
        mesh.faces = Faces(np.array(self.faces, ns2.FACE), *starts, members)
        masks = b"".join(mask.to_bytes(32, "little") for mask in self.masks)
        mesh.face_layers = FaceLayers.of(np.frombuffer(masks, "<u4").reshape(-1, 8))
        group = (CORNER, 0.25, (0.75, 0.75), (0.125, 0.5), (-1.0, 0.0, 0.0))
        mesh.mapping_groups = np.array([group], ns2.MAPPING_GROUP)
        none = GroupTable.empty()
        mesh.geometry_groups = GeometryGroups(none, none, GroupTable.of(np.array(self.groups, np.uint32)))
        mesh.triangles = ns2.triangles_of(mesh)
        return mesh


def sides(loop: Loop) -> Iterator[tuple[Point, Point]]:
    """Each corner with the next one."""
    return zip(loop, [*loop[1:], loop[0]], strict=True)


def prism(bottom: Loop, height: float) -> Iterator[Loop]:
    """The sides above an outline: seen from outside if that goes against the clock, as seen from above, or else from
    inside.
    """
    for (ax, ay, az), (bx, by, bz) in sides(bottom):
        yield (ax, ay, az), (bx, by, bz), (bx, by + height, bz), (ax, ay + height, az)


def rectangle(x: Sequence[float], z: Sequence[float], y: float) -> Loop:
    """Seen from above, against the clock."""
    return (x[0], y, z[0]), (x[0], y, z[1]), (x[1], y, z[1]), (x[1], y, z[0])


def level() -> ns2.Level:
    """The level, of version 10."""
    made = ns2.new_level()
    made.mesh = geometry()
    made.layers = [
        ns2.Layer("Pathing", PATHING, color=(64, 200, 64, 255)),
        ns2.Layer("Vents", VENTS, color=(200, 160, 32, 255)),
        ns2.Layer("Lights", LIGHTS),
    ]
    made.groups = [
        ns2.Group("CollisionGeometry", COLLISION, color=(255, 0, 255, 255)),
        ns2.Group("CommanderInvisible", CEILING),
        ns2.Group("Machines", MACHINES, color=(80, 120, 255, 255)),
    ]
    made.entities = entities()
    return made


def geometry() -> ns2.Mesh:
    """All faces."""
    made = Builder()
    outline: Loop = [
        *((0.0, 0.0, 0.0), (0.0, 0.0, DEPTH), (WIDTH - CHAMFER, 0.0, DEPTH)),
        *((WIDTH, 0.0, DEPTH - CHAMFER), (WIDTH, 0.0, 0.0)),
    ]
    x, z = COLUMN_AT
    octagon = [*OCTAGON, *((-east, -north) for east, north in OCTAGON)]  # with the clock, as seen from above
    foot: Loop = [(x + east, 0.0, z + north) for east, north in reversed(octagon)]
    pit = rectangle((1.5, 3.5), (2.0, 4.0), 0.0)
    made.face(outline, pit[::-1], foot[::-1], material=FLOOR, layers=[PATHING], scale=(0.5, 0.5), angle=0.5)
    raised = [(east, HEIGHT, north) for east, _, north in outline]
    top = [(east, HEIGHT, north) for east, _, north in foot]
    made.face(raised[::-1], top, material=METAL, group=CEILING, scale=(0.5, -0.5))
    for number, side in enumerate(prism(foot, HEIGHT)):
        made.face(side, material=COLUMN, layers=[PATHING, VENTS], group=MACHINES, offset=(number * 0.25, 0.0))
        made.smooth.add(made.edge(side[1], side[2])[1])
    bottom = rectangle((1.5, 3.5), (2.0, 4.0), -1.0)
    made.face(bottom, material=METAL, layers=[VENTS])
    for side in prism(bottom[::-1], 1.0):
        made.face(side, material=METAL, layers=[VENTS], scale=(1.0, 0.5))
    for wall in prism(outline[::-1], HEIGHT):
        walled(made, wall)
    niche(made)
    slab = rectangle((1.0, 3.0), (4.75, 5.0), 0.5)
    for side in prism(slab, 0.25):
        made.face(side, material=CLIP, group=COLLISION)
    made.face(rectangle((1.0, 3.0), (4.75, 5.0), 0.75), material=CLIP, group=COLLISION)
    return made.mesh()


NICHE: Loop = ((1.25, 1.0, DEPTH), (2.75, 1.0, DEPTH), (2.75, 2.25, DEPTH), (1.25, 2.25, DEPTH))
GABLE: Loop = ((4.0, 1.0, DEPTH), (5.5, 1.25, DEPTH), (4.75, 2.5, DEPTH))
"""The windows, as holes: with the clock as seen from inside the room."""


def walled(made: Builder, wall: Loop) -> None:
    """A wall; that in the north has the windows, the one in the east and the chamfer are of the mapping group."""
    north = all(point[2] == DEPTH for point in wall)
    east = any(point[0] == WIDTH for point in wall) and any(point[2] > 0 for point in wall)
    holes = (NICHE, GABLE) if north else ()
    grouped = CORNER if east and not north else ns2.NO_MAPPING_GROUP
    made.face(wall, *holes, material=WALL, scale=(0.5, 0.5), offset=(0.25, 0.0), mapping_group=grouped)


def niche(made: Builder) -> None:
    """The niche behind the first window, with its pane."""
    back = [(x, y, z + 0.5) for x, y, z in NICHE]
    for (a, b), (c, d) in zip(sides(NICHE), sides(back), strict=True):
        made.face((b, a, c, d), material=METAL, layers=[LIGHTS])
    made.face(back[::-1], material=PANE, layers=[VENTS, LIGHTS], angle=0.25, scale=(0.75, 0.75))


# ----------------------------------------------------------------------------------------------------------- entities

REAL, COLOR, ANGLE, DISTANCE = PropertyType.REAL, PropertyType.COLOR, PropertyType.ANGLE, PropertyType.DISTANCE
BOOL, TEXT, FILE = PropertyType.BOOL, PropertyType.STRING, PropertyType.FILE_NAME

Given = tuple[str, PropertyType, ns2.Value]


def entities() -> list[ns2.Entity]:
    """All that is placed."""
    warm, cold = (1.0, 0.875, 0.625), (0.375, 0.625, 1.0)
    shadows: tuple[Given, ...] = (("casts_shadows", BOOL, True), ("specular", BOOL, True))
    cone: tuple[Given, ...] = (("innerAngle", ANGLE, 0.5), ("outerAngle", ANGLE, 0.75))
    sides_of_light = zip(("right", "left", "up", "down", "forward", "backward"), (1, 1, 2, 0, 1, 1), strict=True)
    ambient = tuple((f"color_dir_{side}", COLOR, (0.125 * k, 0.125 * k, 0.25 * k)) for side, k in sides_of_light)
    crate: tuple[Given, ...] = (
        ("scale", REAL, (1.0, -1.5, 1.0)),
        ("model", FILE, CRATE),
        ("castsShadows", BOOL, True),
    )
    location: tuple[Given, ...] = (
        ("scale", REAL, (2 * WIDTH, 2 * HEIGHT, 2 * DEPTH)),
        ("name", TEXT, "Sample Room"),
        ("showOnMinimap", BOOL, True),
    )
    return [
        placed("light_point", (2.5, 2.5, 2.0), *light(warm, 6.0, 2.0), *shadows, layers=[LIGHTS]),
        placed("light_spot", (7.0, 2.75, 1.0), *light(cold, 8.0, 6.0), *shadows, *cone, layers=[LIGHTS],
               angles=(0.0, 0.75, -0.75)),
        placed("light_ambient", (4.0, 1.5, 3.0), *light(warm, 8.0, 0.5), *ambient, layers=[LIGHTS]),
        placed("prop_static", (4.0, 0.75, 4.75), *crate, angles=(0.0, 0.0, 0.5), group=MACHINES),
        placed("location", (WIDTH / 2, 0.0, DEPTH / 2), *location),
        placed("ready_room_start", (1.0, 0.0, 1.0), angles=(0.0, 0.0, 0.75), layers=[PATHING]),
        placed("resource_point", (7.0, 0.0, 5.0), layers=[PATHING, VENTS]),
    ]  # fmt: skip


def light(color: tuple[float, float, float], distance: float, intensity: float) -> tuple[Given, ...]:
    return ("color", COLOR, color), ("distance", DISTANCE, distance), ("intensity", REAL, intensity)


def placed(
    kind: str,
    origin: Point,
    *properties: Given,
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0),
    layers: Sequence[int] = (),
    group: int = ns2.NO_GROUP,
) -> ns2.Entity:
    """An entity of class `kind`."""
    given: tuple[Given, ...] = (("origin", DISTANCE, origin), ("angles", ANGLE, angles), *properties)
    mask = ns2.mask_of(tuple(layers)) or None
    return ns2.Entity(kind, [ns2.Property.of(*each) for each in given], mask, group)


def data() -> bytes:
    """The file's bytes."""
    return ns2.write(level())


if __name__ == "__main__":
    LEVEL.write_bytes(data())
    print(f"{LEVEL.name}: {len(data())} bytes")
