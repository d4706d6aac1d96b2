# SPDX-License-Identifier: GPL-3.0-or-later
"""The room of source_room with an area portal between its halves, and two occluders."""

import struct

import numpy as np

from formats import source
from formats.source import Level, LumpId
from formats.source.edits import flat_polygons
from tests.formats import source_room

PORTAL = [(0, -64, 0), (0, 64, 0), (0, 64, 96), (0, -64, 96)]
"""Clockwise, seen from the left half."""
TWIN = [PORTAL[2], PORTAL[1], PORTAL[0], PORTAL[3]]
"""As the other half sees it, with another corner first."""
KEY = 7
BETWEEN = 12
"""The plane that parts the halves: it looks along +x, the next one along -x."""
FIRST = [(-200, -64, 16), (-200, -64, 80), (-200, 64, 80), (-200, 64, 16)]
SECOND = [(-180, -64, 16), (-180, -64, 80), (-180, 64, 80), (-180, 64, 16)]
ALONE = [(100, -20, 32), (100, 0, 64), (100, 20, 32)]


def room(version: int = 2) -> Level:
    """The room. version: of OCCLUSION: from 2 on, occluders have an area."""
    level = source_room.room()
    _fill(level, LumpId.CLIPPORTALVERTS, point=[*PORTAL, *TWIN, (9, 9, 9)])
    _fill(level, LumpId.AREAS, numareaportals=[0, 1, 1], firstareaportal=[0, 1, 2])
    _fill(level, LumpId.AREAPORTALS, portal_key=[0, KEY, KEY], otherarea=[0, 2, 1], first_clip_portal_vert=[0, 0, 4],
          clip_portal_verts=[0, 4, 4], planenum=[0, BETWEEN + 1, BETWEEN])  # fmt: skip
    points = np.asarray(level.table(LumpId.VERTEXES)["point"])
    start = len(points)
    _fill(level, LumpId.VERTEXES, point=[*points.tolist(), *FIRST, *SECOND, *ALONE])
    planes = level.table(LumpId.PLANES)
    normals = [*planes["normal"].tolist(), *[(1, 0, 0), (-1, 0, 0)] * 3]
    _fill(level, LumpId.PLANES, normal=normals, dist=[*planes["dist"].tolist(), -200, 200, -180, 180, 100, -100])
    own = len(planes)
    tail = (lambda area: struct.pack("<i", area)) if version >= 2 else (lambda area: b"")
    lump = struct.pack("<i", 2)
    lump += struct.pack("<3i6f", 0, 0, 2, -200, -64, 16, -180, 64, 80) + tail(1)
    lump += struct.pack("<3i6f", 1, 2, 1, 100, -20, 32, 100, 20, 64) + tail(2)
    lump += struct.pack("<i", 3) + struct.pack("<9i", 0, 4, own, 4, 4, own + 2, 8, 3, own + 4)
    lump += struct.pack("<i", 11) + struct.pack("<11i", *range(start, start + 11))
    level.set_bytes(LumpId.OCCLUSION, lump)
    level.file.entries["version"][LumpId.OCCLUSION] = version
    level.entities.append(source.Entity([("classname", "func_areaportal"), ("portalnumber", str(KEY))]))
    level.entities.append(source.Entity([("classname", "func_occluder"), ("occludernum", "0")]))
    return source.read(source.write(level))


def _fill(level: Level, lump: LumpId, **columns: object) -> None:
    table = np.zeros(len(next(iter(columns.values()))), level.table(lump).dtype)  # type: ignore[arg-type]
    for name, values in columns.items():
        table[name] = values
    level.set_table(lump, table)


def portal(level: Level, row: int) -> list[tuple[float, ...]]:
    """The polygon that a record of AREAPORTALS has."""
    record = level.table(LumpId.AREAPORTALS)[row]
    first, count = int(record["first_clip_portal_vert"]), int(record["clip_portal_verts"])
    return [tuple(point) for point in level.table(LumpId.CLIPPORTALVERTS)["point"][first : first + count].tolist()]


def occluder(level: Level, number: int) -> list[list[tuple[float, ...]]]:
    """The polygons of an occluder, which have to lie in their planes and look the same way."""
    lump = level.occlusion
    points = level.table(LumpId.VERTEXES)["point"]
    record = lump.occluders[number]
    first = int(record["firstpoly"])
    found = []
    for poly in lump.polys[first : first + int(record["polycount"])]:
        start = int(poly["firstvertexindex"])
        loop = points[lump.vertices["vertex"][start : start + int(poly["vertexcount"])]]
        plane = level.table(LumpId.PLANES)[poly["planenum"]]
        assert np.abs(loop @ plane["normal"] - plane["dist"]).max() < 1e-3
        assert flat_polygons.normal_of(loop.astype(np.float64)) @ plane["normal"] > 0
        found.append([tuple(point) for point in loop.tolist()])
    return found


def moved(loop: list[tuple[float, ...]], *by: float) -> list[tuple[float, ...]]:
    """A polygon elsewhere."""
    return [tuple(np.add(point, by).tolist()) for point in loop]
