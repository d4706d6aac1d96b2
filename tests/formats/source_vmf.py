# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests compare maps with: displacements and boxes as editors wrote them to VMF files."""

from dataclasses import dataclass

import numpy as np

from formats.source.content import keyvalues


def written(path):
    """The displacements of a VMF: start, vertices a side, and the field [n, 3] that its rows give."""
    whole = keyvalues.parse(path.read_bytes())
    revision = int(whole.block("versioninfo").get("mapversion"))
    found = []
    for kind, entity in whole.blocks():
        solids = entity.blocks() if kind in ("world", "entity") else ()
        sides = (side for name, solid in solids if name == "solid" for _, side in solid.blocks())
        for info in (side.block("dispinfo") for side in sides if side.block("dispinfo")):
            edge = 2 ** int(info.get("power")) + 1
            start = np.array(info.get("startposition").strip("[]").split(), np.float64)

            def numbers(name, parts, info=info, edge=edge):
                lines = [info.block(name).get(f"row{i}") for i in range(edge)]
                return np.array(" ".join(lines).split(), np.float64).reshape(edge * edge, parts)

            field = numbers("normals", 3) * numbers("distances", 1) + numbers("offsets", 3)
            found.append((start, edge, field, numbers("alphas", 1)[:, 0]))
    return revision, found


def written_solids(path):
    """The revision of a VMF, and the solids of its world that are boxes: float[6] each, low and high."""
    whole = keyvalues.parse(path.read_bytes())
    boxes = []
    for name, solid in whole.block("world").blocks():
        sides = [side for kind, side in solid.blocks() if kind == "side"] if name == "solid" else []
        if not sides or any(side.block("dispinfo") for side in sides):
            continue
        points = np.array(
            [side.get("plane").translate(str.maketrans("()", "  ")).split() for side in sides], np.float64
        )
        points = points.reshape(-1, 3, 3)
        normals = np.cross(points[:, 2] - points[:, 0], points[:, 1] - points[:, 0])
        normals /= np.sqrt((normals**2).sum(axis=1))[:, None]
        dists = (points[:, 0] * normals).sum(axis=1)
        # Of a box, the planes across each axis say where it ends.
        axis = np.abs(normals).argmax(axis=1)
        if len(sides) != 6 or np.abs(normals).max(axis=1).min() < 1 - 1e-9:
            continue
        low, high = np.zeros(3), np.zeros(3)
        for side in range(6):
            sign = normals[side, axis[side]]
            (high if sign > 0 else low)[axis[side]] = dists[side] * sign
        boxes.append([*low, *high])
    return int(whole.block("versioninfo").get("mapversion")), boxes


@dataclass
class Solid:
    """A solid of a VMF: n sides with normals [n, 3], dists [n], texels a unit and shifts [n, 2, 4]."""

    entity: keyvalues.Block
    sides: list[keyvalues.Block]
    normals: np.ndarray
    dists: np.ndarray

    @property
    def classname(self) -> str:
        return self.entity.get("classname")

    @property
    def materials(self) -> list[str]:
        return [side.get("material").lower() for side in self.sides]

    @property
    def ids(self) -> list[str]:
        return [side.get("id") for side in self.sides]

    @property
    def displaced(self) -> bool:
        return any(side.block("dispinfo") for side in self.sides)

    @property
    def axes(self) -> np.ndarray:
        texts = [side.get(name).translate(str.maketrans("[]", "  ")).split() for side in self.sides for name in AXES]
        numbers = np.array(texts, np.float64).reshape(-1, 2, 5)
        numbers[:, :, :3] /= numbers[:, :, 4:]
        return numbers[:, :, :4]

    @property
    def luxels(self) -> np.ndarray:
        return np.array([side.get("lightmapscale") for side in self.sides], np.float64)


AXES = ("uaxis", "vaxis")


def compiled_planes(points):
    """Normals float32[n, 3] and dists float32[n] of three points each, in float32 and in vbsp's order."""
    three = points.astype(np.float32)
    normals = np.cross(three[:, 0] - three[:, 1], three[:, 2] - three[:, 1])
    normals /= np.sqrt((normals * normals).sum(axis=1))[:, None]
    return normals, (three[:, 0] * normals).sum(axis=1)


def points_of(sides):
    """The three points of sides: float64[n, 3, 3]."""
    texts = [side.get("plane").translate(str.maketrans("()", "  ")).split() for side in sides]
    return np.array(texts, np.float64).reshape(-1, 3, 3)


def solids_of(whole):
    """All solids of a VMF, those of its world first."""
    found = []
    for kind, entity in whole.blocks():
        for name, solid in entity.blocks() if kind in ("world", "entity") else ():
            if name == "solid":
                sides = [side for part, side in solid.blocks() if part == "side"]
                points = points_of(sides)
                normals = np.cross(points[:, 0] - points[:, 1], points[:, 2] - points[:, 1])
                normals /= np.sqrt((normals**2).sum(axis=1))[:, None]
                found.append(Solid(entity, sides, normals, (points[:, 0] * normals).sum(axis=1)))
    return found


def same_sides(one, other, angle=2e-4, off=0.02):
    """The place among the other solid's sides of each of one's, int[n]; None if they aren't the same solid."""
    if len(one.dists) != len(other.dists):
        return None
    near = np.abs(one.normals[:, None] - other.normals[None]).max(axis=2) < angle
    near &= np.abs(one.dists[:, None] - other.dists[None]) < off
    return near.argmax(axis=1) if near.any(axis=1).all() and near.any(axis=0).all() else None
