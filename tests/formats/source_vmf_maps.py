# SPDX-License-Identifier: GPL-3.0-or-later
"""The room with more brushes in it, for what becomes of them in a VMF."""

import numpy as np

from formats.source import LumpId
from formats.source.content import keyvalues
from formats.source.entities.text import Entity
from formats.source.tables import geometry, tree
from formats.source.vmf import of_level, write
from tests.formats.source_room import rows
from tests.formats.source_vmf import solids_of

SOLID_LEAF = 0
AXES = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]


def grown(level, lump, more):
    """The first of new records of a table."""
    old = level.table(lump)
    level.set_table(lump, np.concatenate([old, more.astype(old.dtype)]))
    return len(old)


def texture(level, name, flags=0):
    """The number of a new texinfo with that material."""
    data = level.bytes_of(LumpId.TEXDATA_STRING_DATA)
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, bytes(data) + name.encode() + b"\0")
    string = grown(level, LumpId.TEXDATA_STRING_TABLE, rows(geometry.TEXDATA_STRING, offset=[len(data)]))
    texdata = grown(level, LumpId.TEXDATA, rows(geometry.TEXDATA, ((0.5,) * 3, string, 64, 64, 64, 64)))
    flat = [(1, 0, 0, 5), (0, -1, 0, 7)]
    return grown(level, LumpId.TEXINFO, rows(geometry.TEXINFO, (flat, flat, flags, texdata)))


def add_box(level, low, high, contents, textures=-1, listed=True):
    """The number of a new brush of six sides, those of the lower ends first along each axis; listed: in a leaf."""
    dists = [sign * end[axis] for axis in range(3) for sign, end in ((-1, low), (1, high))]
    pairs = [
        (sign * np.array(normal), sign * dist) for normal, dist in zip(AXES, dists, strict=True) for sign in (1, -1)
    ]
    plane = grown(
        level, LumpId.PLANES, rows(geometry.PLANE, normal=[n for n, _ in pairs], dist=[dist for _, dist in pairs])
    )
    numbers = np.broadcast_to(textures, 6)
    side = grown(level, LumpId.BRUSHSIDES, rows(geometry.BRUSHSIDE, planenum=plane + 2 * np.arange(6), texinfo=numbers))
    brush = grown(level, LumpId.BRUSHES, rows(geometry.BRUSH, (side, 6, int(contents))))
    if listed:
        first = level.table(LumpId.LEAFBRUSHES)["brush"].tolist()
        level.set_table(LumpId.LEAFBRUSHES, rows(tree.LEAFBRUSH, brush=[*first, brush]))
        leafs = level.table(LumpId.LEAFS).copy()
        leafs["numleafbrushes"][SOLID_LEAF] += 1
        level.set_table(LumpId.LEAFS, leafs)
    return brush


def add_entity(level, classname, **keys):
    """The place of a new entity."""
    level.entities.append(
        Entity([("classname", classname), *((key.replace("__", "."), str(v)) for key, v in keys.items())])
    )
    return len(level.entities) - 1


def portals(level, polygons):
    """Area portals with polygons float[k, 3] by their keys, between the areas 1 and 2: one to each side."""
    points = np.concatenate([np.asarray(loop, float) for loop in polygons.values()])
    level.set_table(LumpId.CLIPPORTALVERTS, rows(tree.CLIPPORTALVERT, point=points))
    first, records = 0, [(0, 0, 0, 0, 0)]
    for key, loop in polygons.items():
        records += [(key, 1, first, len(loop), 0), (key, 2, first, len(loop), 0)]
        first += len(loop)
    level.set_table(LumpId.AREAPORTALS, rows(tree.AREAPORTAL, *records))


def areas(level, left, right):
    """Let the two leafs of the room be of these areas."""
    leafs = level.table(LumpId.LEAFS).copy()
    leafs["area_flags"][1:] = left, right
    level.set_table(LumpId.LEAFS, leafs)


def written(level):
    """The text, what it is as blocks, and its solids by their class."""
    made = write(of_level(level))
    whole = keyvalues.parse(made.data)
    found = {}
    for solid in solids_of(whole):
        found.setdefault(solid.classname, []).append(solid)
    return made, whole, found


def box_of(solid):
    """The lowest and highest corner of a solid of axial sides."""
    ends = np.zeros((2, 3))
    for normal, dist in zip(solid.normals, solid.dists, strict=True):
        axis = int(np.abs(normal).argmax())
        ends[int(normal[axis] > 0), axis] = dist * normal[axis]
    return [tuple(end) for end in ends.tolist()]


def entities_of(whole, classname):
    return [entity for kind, entity in whole.blocks() if kind == "entity" and entity.get("classname") == classname]
