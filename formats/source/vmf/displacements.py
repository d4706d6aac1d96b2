# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements in a VMF: a solid below each one's flat face, and the block `dispinfo` of its upper side.

vbsp leaves the brushes of displacements out of the map, all but the displaced faces. It compiles nothing else of them
either, so any solid that has the face as a side does.
"""

import numpy as np

from ...arrays import Array, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..content.keyvalues import Block
from ..faces import displacements
from ..faces.displacements import CORNERS, Displacements
from ..level import Level
from ..lumps import LumpId, lump_name
from ..records import DispInfoFlag, DispTriTag
from ..sections.texdata import Strings
from . import materials, texture_axes, tools
from .solids import WORLD, VmfSolids, hammer_ids, texture_names
from .text import numbers

DEPTH = 16.0
"""Units that the solid is deep."""
MOST_LUXELS = 126
"""Luxels along a displacement's side that vbsp allows: compilers before it had 128."""

_SIDES = 6
_UPPER = 0
#: Tags of a triangle here and in a VMF; what forces one or the other there is lost (source.md §2.2).
_TAGS = ((DispTriTag.WALKABLE, 1), (DispTriTag.BUILDABLE, 8), (DispTriTag.REMOVE, 64))
_FLAGS = int(DispInfoFlag.NO_PHYSICS_COLL | DispInfoFlag.NO_HULL_COLL | DispInfoFlag.NO_RAY_COLL)
_MULTIBLEND = ("multiblend", "alphablend")
_COLORS = "multiblend_color_"


def of_level(level: Level) -> Displacements | None:
    """The displacements of a map, None where there are none. Raises FormatError for what isn't there."""
    if not len(level.bytes_of(LumpId.DISPINFO)):
        return None
    return displacements.displacements(level, geometry.polygons(level))


@np.errstate(all="ignore")  # hostile floats
def solids(level: Level, found: Displacements) -> VmfSolids:
    """A solid for each displacement, whose first side is displaced. Raises FormatError for what isn't there.

    It goes down from the face along the axis that it faces most, so that whole corners stay whole.
    """
    polygons = geometry.polygons(level)
    count = len(found.faces)
    faces = level.table(geometry.drawn_faces(level))[found.faces]
    top = polygons.positions[polygons.corners[found.corners]].astype(np.float64)  # clockwise from the front
    top = np.nan_to_num(top, posinf=0.0, neginf=0.0)
    normals = _normals(top)
    down = np.zeros((count, 3))
    axis = np.abs(normals).argmax(axis=1)
    down[np.arange(count), axis] = -DEPTH * np.copysign(1.0, normals[np.arange(count), axis])
    bottom = top + down[:, None]
    following = np.roll(np.arange(CORNERS), -1)
    # Clockwise from outside: the upper side, its four edges, the lower side.
    edges = np.stack([top[:, following], top, bottom, bottom[:, following]], axis=2)
    quads = np.concatenate([top[:, None], edges, bottom[:, ::-1][:, None]], axis=1)
    flat = quads.reshape(-1, CORNERS, 3)
    planes = _normals(flat)
    maps_own = level.table(LumpId.PLANES)
    if not len(maps_own):
        raise FormatError("no planes for the faces of displacements", lump_name(LumpId.PLANES))
    on = maps_own[faces["planenum"].astype(np.int64).clip(max=len(maps_own) - 1)]
    planes[_UPPER::_SIDES] = on["normal"]  # the map's own, as of any other face
    dists = np.asarray((planes * flat.mean(axis=1)).sum(axis=1))
    dists[_UPPER::_SIDES] = on["dist"]

    texinfos = level.table(LumpId.TEXINFO)
    texinfo = faces["texinfo"].astype(np.int64)
    there = (texinfo >= 0) & (texinfo < len(texinfos))
    upper = np.arange(count) * _SIDES + _UPPER
    vectors = texture_axes.standard(planes)
    luxels = np.full(count * _SIDES, texture_axes.LUXEL)
    smoothing = np.zeros(count * _SIDES, np.uint32)
    ids, infos = np.zeros(count * _SIDES, np.int64), np.full(count * _SIDES, -1, np.int64)
    used = texinfos[texinfo[there]]
    own = used["texture_vecs"].astype(np.float64)
    good = texture_axes.usable(own, planes[upper[there]])
    vectors[upper[there][good]] = own[good]
    luxels[upper[there]] = _fewer(texture_axes.luxel_sizes(used["lightmap_vecs"]), faces["lightmap_size"][there])
    smoothing[upper] = faces["smoothing_groups"]
    ids[upper] = hammer_ids(level, len(polygons.first_corner) - 1)[found.faces]
    infos[upper] = np.arange(count)
    strings: Strings = level.texture_names
    known = [*materials.originals(level, texture_names(level, strings)), ""]
    names = [tools.NODRAW] * (count * _SIDES)
    for place, number in zip(upper.tolist(), np.where(there, texinfo, -1).tolist(), strict=True):
        names[place] = known[number] or tools.NODRAW
    return VmfSolids(
        np.full(count, WORLD, np.int64),
        np.zeros(count, np.bool_),
        np.full(count, -1, np.int64),
        np.arange(count + 1) * _SIDES,
        planes,
        dists,
        flat.reshape(-1, 3),
        np.arange(count * _SIDES + 1) * CORNERS,
        vectors,
        luxels,
        smoothing,
        names,
        ids,
        np.full(count * _SIDES, -1, np.int64),
        infos,
    )


def luxels(level: Level) -> Floats:
    """Units a luxel of each displacement as the map has it, float64[n]. Raises FormatError for what isn't there."""
    found = of_level(level)
    if found is None:
        return np.zeros(0)
    texinfos = level.table(LumpId.TEXINFO)
    number = level.table(geometry.drawn_faces(level))["texinfo"][found.faces].astype(np.int64)
    there = (number >= 0) & (number < len(texinfos))
    sizes = np.full(len(number), texture_axes.LUXEL)
    sizes[there] = texture_axes.luxel_sizes(texinfos[number[there]]["lightmap_vecs"])
    return sizes


def _fewer(sizes: Floats, counts: Ints) -> Floats:
    """Units a luxel float64[n], larger where a lightmap of so many luxels, int[n, 2], is larger than vbsp allows.

    They are whole, as vbsp reads them; one luxel more than there is room for is one at either end that is cut.
    """
    most = counts.astype(np.float64).max(axis=1, initial=0)
    larger = np.ceil(sizes * most / (MOST_LUXELS - 1))
    return np.where(most > MOST_LUXELS, larger, sizes)


def _normals(quads: Floats) -> Floats:
    """Out of the front of quads float64[n, 4, 3], which run clockwise: by their diagonals, as corners may be off."""
    areas = np.cross(quads[:, 3] - quads[:, 1], quads[:, 2] - quads[:, 0])
    lengths = np.sqrt((areas * areas).sum(axis=1, keepdims=True))
    return np.divide(areas, lengths, out=np.zeros_like(areas), where=lengths > 0)


def blocks(level: Level, found: Displacements) -> list[Block]:
    """The block `dispinfo` of each displacement: the field as the map has it, without offsets and elevation.

    Raises FormatError for vertices and triangles that aren't there.
    """
    verts = level.table(LumpId.DISP_VERTS)
    tags = level.table(LumpId.DISP_TRIS)["tags"] if len(level.bytes_of(LumpId.DISP_TRIS)) else None
    blends = level.table(LumpId.DISP_MULTIBLEND) if len(level.bytes_of(LumpId.DISP_MULTIBLEND)) else verts[:0]
    having = displacements.blended(found, len(blends))
    row = np.cumsum(having) - 1 if having is not None else np.zeros(0, np.int64)
    polygons = geometry.polygons(level)
    # The corner itself, not the place near it that the editor wrote: vbsp takes the nearest one.
    starts = polygons.positions[polygons.corners[found.corners[:, 0]]]
    made = []
    for number, info in enumerate(found.infos):
        first, edge = int(found.first_vertex[number]), int(found.edge[number])
        triangle = int(found.first_triangle[number])
        triangles = 2 * (edge - 1) ** 2
        own = None if tags is None else tags[triangle : triangle + triangles]
        if own is not None and len(own) < triangles:
            own = None
        part = slice(first, first + edge * edge)
        blend = None if having is None or not having[part].all() else blends[row[part]]
        made.append(_block(info, numbers(starts[number]), verts[part], own, edge, blend))
    return made


def _block(
    info: np.void, start: list[str], verts: Records, tags: Ints | None, edge: int, blends: Records | None
) -> Block:
    word, angle = int(info["min_tess"]), info["smoothing_angle"]
    is_flags = word & int(DispInfoFlag.IS_FLAGS) > 0
    shown = Block(
        [
            ("power", str(int(info["power"]))),
            ("startposition", f"[{' '.join(start)}]"),
            ("flags", str(word & _FLAGS if is_flags else 0)),
            ("elevation", "0"),
            ("subdiv", "0"),
        ]
    )
    if word and not is_flags:
        shown.entries.append(("mintess", str(word)))
    if angle and np.isfinite(angle):
        shown.entries.append(("smooth", numbers(np.array([angle]))[0]))
    zero = np.zeros((edge, edge * 3))
    upward = np.tile([0.0, 0.0, 1.0], (edge, edge))
    shown.entries += [
        ("normals", _rows(verts["vec"].reshape(edge, -1))),
        ("distances", _rows(verts["dist"].reshape(edge, -1))),
        ("offsets", _rows(zero)),
        ("offset_normals", _rows(upward)),
        ("alphas", _rows(verts["alpha"].reshape(edge, -1))),
    ]
    quads = edge - 1
    written = np.zeros(2 * quads * quads, np.int64)
    if tags is None:
        written[:] = sum(value for _, value in _TAGS[:2])
    else:
        for tag, value in _TAGS:
            written |= np.where(tags & int(tag), value, 0)
    shown.entries.append(("triangle_tags", _rows(written.reshape(quads, -1))))
    allowed = info["allowed_verts"].astype(np.uint32).view(np.int32)
    shown.entries.append(("allowed_verts", Block([(str(len(allowed)), " ".join(map(str, allowed.tolist())))])))
    if blends is not None:
        shown.entries += [(name, _rows(blends[name].reshape(edge, -1))) for name in _MULTIBLEND]
        colors = blends["colors"]
        shown.entries += [
            (f"{_COLORS}{layer}", _rows(colors[:, layer].reshape(edge, -1))) for layer in range(colors.shape[1])
        ]
    return shown


def _rows(table: Array) -> Block:
    """A row of the grid a line."""
    rows, columns = table.shape
    texts = numbers(table)
    return Block([(f"row{row}", " ".join(texts[row * columns : (row + 1) * columns])) for row in range(rows)])


def face_sides(found: Displacements, first_side: int, face_count: int) -> Ints:
    """The side of each drawn face that is displaced, int64[faces], -1: none; solids' sides count from first_side."""
    made = np.full(face_count, -1, np.int64)
    made[found.faces] = first_side + np.arange(len(found.faces)) * _SIDES + _UPPER
    return made
