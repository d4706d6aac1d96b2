# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of the faces of an edited world, asked of points: by brushes and planes alone, without its own code."""

import numpy as np

from formats import convex
from formats.source import Level, LumpId, geometry
from formats.source.edits.brush_pieces import Piece
from formats.source.light import lighting
from formats.source.tree import brushes, leaf_tree
from formats.source.tree.leaf_tree import LeafTree
from formats.source.world import Carved

E = LumpId
SOLID = 1
UNDRAWN = 0x80 | 0x100 | 0x200
BEFORE = 0.05  # units before a face that a point is asked at
EDGE = 0.3  # units from an edge within which points say nothing


class Map:
    """A level as points see it."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.tree = LeafTree(level)
        self.contents = level.table(E.LEAFS)["contents"].astype(np.int64)
        self.faces = level.table(geometry.drawn_faces(level))
        self.planes = level.table(E.PLANES)
        self.polygons = geometry.polygons(level)
        model = level.table(E.MODELS)[0]
        self.world = np.arange(int(model["firstface"]), int(model["firstface"]) + int(model["numfaces"]))
        self.of_world = brushes.of_models(level) == 0

    def by_plane(self) -> dict[int, list[np.ndarray]]:
        """The polygons of the world's faces on each plane, but of displaced ones."""
        found: dict[int, list[np.ndarray]] = {}
        for face in self.world.tolist():
            if self.faces["dispinfo"][face] < 0:
                found.setdefault(int(self.faces["planenum"][face]), []).append(self.ring(face))
        return found

    def ring(self, face: int) -> np.ndarray:
        first, end = self.polygons.first_corner[face : face + 2]
        return self.polygons.positions[self.polygons.corners[first:end]].astype(np.float64)

    def normal(self, face: int) -> np.ndarray:
        return self.planes["normal"][self.faces["planenum"][face]].astype(np.float64)

    def before(self, faces: np.ndarray, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points before faces, float64[n, 3], and the face of each, int64[n]."""
        points = [inside_points(self.ring(face), count, random) + BEFORE * self.normal(face) for face in faces.tolist()]
        owners = np.repeat(faces, [len(each) for each in points]) if len(faces) else np.zeros(0, np.int64)
        return owners, np.concatenate([np.zeros((0, 3)), *points])

    def side_planes(self, brush: int) -> tuple[np.ndarray, np.ndarray]:
        """Planes float64[n, 4] of a brush without bevels, and their sides' rows."""
        row, sides = self.level.table(E.BRUSHES)[brush], self.level.table(E.BRUSHSIDES)
        rows = np.arange(int(row["firstside"]), int(row["firstside"]) + int(row["numsides"]))
        rows = rows[sides["bevel"][rows] == 0]
        used = self.planes[sides["planenum"][rows]]
        return np.column_stack([used["normal"], used["dist"]]).astype(np.float64), rows

    def solid(self, points: np.ndarray, but: int = -1, reach: float = -BEFORE / 4) -> np.ndarray:
        """bool[n]: in a solid leaf, or in a solid brush of the world other than one, made larger by `reach`."""
        if not len(points):
            return np.zeros(0, np.bool_)
        leafs = self.tree.of_points(points)
        found = self.contents[leafs] & SOLID > 0
        wanted = self.level.table(E.BRUSHES)["contents"].astype(np.int64) & SOLID > 0
        low, high = points.min(axis=0), points.max(axis=0)
        for brush in np.flatnonzero(wanted & self.of_world).tolist():
            planes, _ = self.side_planes(brush)
            if brush == but or not len(planes):
                continue
            corners = np.where(planes[:, :3] > 0, low, high)  # of the points' box, the one that is deepest
            if ((planes[:, :3] * corners).sum(axis=1) - planes[:, 3]).max() > max(reach, 0):
                continue
            left = np.flatnonzero(~found)
            found[left[(points[left] @ planes[:, :3].T - planes[:, 3]).max(axis=1) < reach]] = True
        return found


def inside_points(ring: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Points of a convex polygon, not at its edges; fewer of thin ones."""
    shares = random.dirichlet(np.ones(len(ring)), count)
    return points_in(ring, shares @ ring)


def points_in(ring: np.ndarray, points: np.ndarray, edge: float = EDGE) -> np.ndarray:
    """Those of points on its plane that are within a convex polygon by a distance."""
    return points[depth(ring, points) > edge]


def depth(ring: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How far points on its plane lie within a convex polygon: units, negative outside."""
    arms = ring - ring[0]
    normal = np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0)
    edges = np.roll(ring, -1, axis=0) - ring
    out = np.cross(normal, edges)
    lengths = np.sqrt((out * out).sum(axis=1))
    if not lengths.any():
        return np.full(len(points), -1.0)
    out = out[lengths > 0] / lengths[lengths > 0, None]
    return -((points[:, None] - ring[lengths > 0]) * out).sum(axis=2).max(axis=1)


def unlisted(level: Level, faces: np.ndarray, random: np.random.Generator, count: int = 40) -> tuple[int, int]:
    """How many points before faces are in an empty leaf that doesn't list the face, and how many were asked."""
    here = Map(level)
    owners, listed = leaf_tree.faces(level)
    pairs = set(zip(owners.tolist(), listed.tolist(), strict=True))
    bad = asked = 0
    for face in faces.tolist():
        points = inside_points(here.ring(face), count, random) + BEFORE * here.normal(face)
        leafs = here.tree.of_points(points)
        leafs = leafs[here.contents[leafs] & SOLID == 0]
        asked += len(leafs)
        bad += sum((leaf, face) not in pairs for leaf in leafs.tolist())
    return bad, asked


def corners_of(piece: Piece) -> np.ndarray:
    """The corners of a piece."""
    return np.asarray(convex.from_planes(piece.normals, piece.dists, [len(piece.dists)]).positions)


def buried(
    before: Level, after: Level, faces: np.ndarray, random: np.random.Generator, count: int = 40
) -> tuple[int, int, int]:
    """How many points before new faces are in something solid, how many in gaps and behind slivers thinner than what
    is told (solid at `BEFORE` units, but not nearer or not farther), and how many were asked. Left out are points on
    what was a face before that a detail covers, or that were in something solid then: such faces stay.
    """
    here, old = Map(after), Map(before)
    owners, points = here.before(faces, count, random)
    far = here.solid(points)
    owners, deep = owners[far], points[far]
    normals = here.planes["normal"][here.faces["planenum"][owners]].astype(np.float64)
    covered = (here.contents[here.tree.of_points(deep)] & SOLID == 0) | old.solid(deep)
    on = deep - BEFORE * normals
    flat = old.world[old.faces["dispinfo"][old.world] < 0]
    heights = np.column_stack(
        [old.planes["normal"][old.faces["planenum"][flat]], old.planes["dist"][old.faces["planenum"][flat]]]
    )
    rest = np.zeros(len(on), np.bool_)
    for place in np.flatnonzero(covered).tolist():
        there = (np.abs(heights[:, :3] @ on[place] - heights[:, 3]) < 0.02) & (heights[:, :3] @ normals[place] > 0.99)
        rest[place] = any((depth(old.ring(face), on[place][None]) > 0).all() for face in flat[there].tolist())
    near = here.solid(on + BEFORE / 2.5 * normals) & here.solid(on + 5 * BEFORE * normals) & ~rest
    return int(near.sum()), int((~near & ~rest).sum()), len(points)


def hidden(level: Level, faces: np.ndarray, random: np.random.Generator, count: int = 40) -> tuple[int, int]:
    """How many points before faces are in something solid, and how many were asked."""
    here = Map(level)
    points = [inside_points(here.ring(face), count, random) + BEFORE * here.normal(face) for face in faces.tolist()]
    asked = np.concatenate([np.zeros((0, 3)), *points])
    return int(here.solid(asked).sum()), len(asked)


def side_cover(
    level: Level,
    wanted: list[tuple[int, int]],
    random: np.random.Generator,
    count: int = 60,
    before: Level | None = None,
) -> tuple[int, int, int, int]:
    """Points on sides (brush, row of BRUSHSIDES) that are seen: how many no face covers, how many two do, how many
    that aren't seen a face of no other side covers, and how many were asked.

    before: what was edited; points that were seen there without a face, as compilers leave some, aren't asked.
    """
    here, old = Map(level), None if before is None else Map(before)
    sides, flags = level.table(E.BRUSHSIDES), level.table(E.TEXINFO)["flags"]
    bare = twice = asked = buried = 0
    by_plane = here.by_plane()
    were = {} if old is None else old.by_plane()
    for brush, row in wanted:
        if flags[sides["texinfo"][row]] & UNDRAWN or not level.table(E.BRUSHES)["contents"][brush] & SOLID:
            continue  # of two panes of glass one hides the other
        solids = brushes.solids(level, np.array([brush]))
        place = int(np.flatnonzero(solids.sides == row)[0])
        first, end = solids.polygons.first_corner[place : place + 2]
        ring = solids.polygons.positions[solids.polygons.corners[first:end]][::-1]
        if len(ring) < 3:
            continue
        points = inside_points(ring, count, random)
        plane = int(sides["planenum"][row])
        normal = here.planes["normal"][plane].astype(np.float64)
        seen = ~here.solid(points + BEFORE * normal, but=brush, reach=BEFORE / 4)  # not through seams of what touches
        deep = np.array([np.full(len(points), -1.0), *(depth(each, points) for each in by_plane.get(plane, []))])
        near = (np.abs(deep) < EDGE).any(axis=0)
        covers = (deep > 0).sum(axis=0)
        if old is not None and plane < len(old.planes):
            then = np.array([np.full(len(points), -1.0), *(depth(each, points) for each in were.get(plane, []))])
            near |= (
                (then < EDGE).all(axis=0) & ~old.solid(points + BEFORE * normal) & old.solid(points - BEFORE * normal)
            )
        asked += int((seen & ~near).sum())
        bare += int((seen & ~near & (covers == 0)).sum())
        twice += int((seen & ~near & (covers > 1)).sum())
        buried += int((~seen & ~near & (covers > 0)).sum())
    return bare, twice, buried, asked


def junctions(level: Level, faces: np.ndarray, corners: np.ndarray) -> int:
    """How many corners float64[n, 3] lie on edges of faces, a unit from their ends at least, and are none of these."""
    here, found = Map(level), 0
    for face in faces.tolist():
        ring = here.ring(face)
        low, high = ring.min(axis=0) - 0.02, ring.max(axis=0) + 0.02
        near = np.unique(corners[((corners >= low) & (corners <= high)).all(axis=1)], axis=0)
        own = np.abs(near[:, None] - ring).max(axis=2).min(axis=1, initial=np.inf) < 1
        near = near[~own]
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            length = max(float(np.linalg.norm(end - start)), 1e-9)
            along = (near - start) @ (end - start) / length
            off = np.abs(near - start - along[:, None] * (end - start) / length).max(axis=1, initial=0)
            found += int(((off < 0.02) & (along > 0) & (along < length)).sum())
    return found


def corners_of_faces(level: Level, faces: np.ndarray) -> np.ndarray:
    """The corners of faces, float64[n, 3]."""
    here = Map(level)
    return np.concatenate([np.zeros((0, 3)), *(here.ring(face) for face in faces.tolist())])


def luxels_of(level: Level) -> dict[LumpId, dict[int, bytes]]:
    """The bytes of each face's block, with its averages, by lump and face."""
    found = {}
    for lump, blocks in lighting.lightmaps(level).items():
        data = bytes(level.bytes_of(lump))
        first, end = blocks.offset - blocks.header, blocks.offset + blocks.size
        found[lump] = {
            face: data[a:b] for face, a, b in zip(blocks.faces.tolist(), first.tolist(), end.tolist(), strict=True)
        }
    return found


def new_faces(before: Level, after: Level) -> tuple[np.ndarray, dict[int, int]]:
    """Faces of the world that were not there, by their corners; and of the others which each was."""
    was, now = Map(before), Map(after)

    def key(here: Map, face: int) -> tuple[bytes, bytes]:
        return here.ring(face).tobytes(), here.normal(face).tobytes()

    known: dict[tuple[bytes, bytes], list[int]] = {}
    for face in was.world.tolist():
        known.setdefault(key(was, face), []).append(face)
    fresh, same = [], {}
    for face in now.world.tolist():
        places = known.get(key(now, face))
        if places:
            same[face] = places.pop(0)
        else:
            fresh.append(face)
    return np.array(fresh, np.int64), same


def changed_sides(level: Level, carved: Carved) -> list[tuple[int, int]]:
    """The sides of brushes that have another shape, as (brush, row of BRUSHSIDES)."""
    here = Map(level)
    return [(brush, int(row)) for brush in carved.shapes for row in here.side_planes(brush)[1]]
