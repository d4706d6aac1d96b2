# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that can be asked of a map, part after part: what the bench times and the fuzz asks of damaged maps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from formats.source import Level, LumpId, geometry
from formats.source.faces import displacements
from formats.source.light import ambient, lighting, rgbe, sample_positions
from formats.source.placed import overlay_quads
from formats.source.records import RGBE
from formats.source.sections import detail_props, face_brushes
from formats.source.tables import fields, overlay_lists
from formats.source.tree import brushes

_PIECE = 1 << 16  # luxels: as floats, they take three times as much room
_FACES = (LumpId.FACES, LumpId.ORIGINALFACES, LumpId.FACES_HDR)
_AMBIENT = (
    (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_INDEX),
    (LumpId.LEAF_AMBIENT_LIGHTING_HDR, LumpId.LEAF_AMBIENT_INDEX_HDR),
)


def columns(records: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Every field of a table, copied out of it in this machine's byte order."""
    for name in records.dtype.names or ():
        column = records[name]
        if column.dtype.names:
            yield from columns(column)
        else:
            yield column.astype(column.dtype.newbyteorder("="))


def tables(level: Level) -> Iterator[object]:
    for lump in level.lumps:
        if level.layout(lump).dtype is not None:
            yield from columns(level.table(lump))
    yield fields.prim_counts(level.table(geometry.drawn_faces(level)))
    yield fields.areas(level.table(LumpId.LEAFS))


def entities(level: Level) -> Iterator[object]:
    for entity in level.entities:
        yield entity.pairs, entity.outputs


def pak(level: Level) -> Iterator[object]:
    for name in level.pak.names:
        yield level.pak.read(name)


def visibility(level: Level) -> Iterator[object]:
    yield level.visibility


def lists(level: Level) -> Iterator[object]:
    yield level.texture_names.names
    yield level.occlusion
    yield level.physcollide
    yield level.physdisp
    if level.version >= 21 and not level.file.form.version_first and len(level.bytes_of(LumpId.CLUSTERS)):
        yield face_brushes.pairs(level.table(LumpId.CLUSTERS), level.table(LumpId.PORTALS))


def props(level: Level) -> Iterator[object]:
    static = level.static_props
    if static is not None:
        yield static.models
        yield from columns(static.leafs)
        if static.props is not None:
            yield from columns(static.props)
            for number in range(0, len(static.props), 64):
                yield static.leafs_of(number)
    detail = level.detail_props
    if detail is not None:
        yield detail.models
        yield from columns(detail.details)
        if detail.sprites is not None:
            yield from columns(detail.sprites)
    for name in ("dplt", "dplh"):
        if name in level.game_lumps:
            styles = detail_props.read_lighting(level.game_lumps.bytes_of(name), level.byte_order)
            yield rgbe.decode(styles["lighting"])


def polygons(level: Level) -> Iterator[object]:
    """Of all three lumps of faces; of those that are drawn, normals, triangles, and coordinates of every corner."""
    drawn = geometry.polygons(level)
    for lump in _FACES:
        if len(level.bytes_of(lump)) and lump != geometry.drawn_faces(level):
            yield geometry.polygons(level, lump)
    yield geometry.area_normals(drawn)
    yield geometry.corner_normals(level, drawn)
    yield geometry.triangles(level, drawn)
    faces, texinfos = level.table(geometry.drawn_faces(level)), level.table(LumpId.TEXINFO)
    owner = drawn.corner_face
    textured = geometry.valid_texinfos(level, faces)[owner]
    owner, points = owner[textured], drawn.positions[drawn.corners[textured]]
    yield geometry.texture_coordinates(points, texinfos, level.table(LumpId.TEXDATA), faces["texinfo"][owner])
    yield geometry.luxels(points, texinfos, faces["texinfo"][owner], faces["lightmap_mins"][owner])


def displaced(level: Level) -> Iterator[object]:
    if len(level.bytes_of(LumpId.DISPINFO)):
        found = displacements.displacements(level, geometry.polygons(level))
        positions = found.positions(level.table(LumpId.DISP_VERTS))
        yield displacements.normals(found, positions)
    yield sample_positions.decode(level.bytes_of(LumpId.DISP_LIGHTMAP_SAMPLE_POSITIONS))


def light(level: Level) -> Iterator[object]:
    """Every luxel of every style and sample of both lighting lumps, as linear floats, and where each face's stand."""
    for lump, blocks in lighting.lightmaps(level).items():
        data = level.bytes_of(lump)
        if not blocks.extra:  # nothing but colours: rows of one table
            colors = np.frombuffer(data, RGBE, len(data) // RGBE.itemsize)
            yield blocks.lightmap()
            yield from (rgbe.decode(colors[start : start + _PIECE]) for start in range(0, len(colors), _PIECE))
            continue
        for style in range(int(blocks.styles.max(initial=0))):
            for sample in range(int(blocks.samples.max(initial=0))):
                offsets, _ = lighting.luxel_offsets(blocks, style, sample)
                yield rgbe.decode(lighting.colors_at(data, offsets))
            averages = blocks.averages(style)
            yield rgbe.decode(lighting.colors_at(data, averages[averages >= 0]))
            yield blocks.extras(style)


def ambient_light(level: Level) -> Iterator[object]:
    leafs = level.table(LumpId.LEAFS)
    for lump, index in _AMBIENT:
        if len(level.bytes_of(lump)):
            samples = ambient.samples(
                leafs, level.table(lump), level.table(index) if len(level.bytes_of(index)) else None
            )
            yield rgbe.decode(samples.cubes)
    if "cube" in (leafs.dtype.names or ()):
        yield rgbe.decode(ambient.samples(leafs).cubes)


def overlays(level: Level) -> Iterator[object]:
    data = level.bytes_of(LumpId.OVERLAYS)
    if level.version_of(LumpId.OVERLAYS) >= 3:
        lists_of_faces = overlay_lists.read(data)
        records = lists_of_faces.overlays
        yield [lists_of_faces.faces_of(number) for number in range(len(records))]
    else:
        records = level.table(LumpId.OVERLAYS)
        yield overlay_lists.face_lists(records)
    yield overlay_quads.corners(records)
    yield overlay_quads.texture_corners(records)


def solids(level: Level) -> Iterator[object]:
    yield brushes.solids(level)
    yield brushes.of_models(level)


DECODED: dict[str, Callable[[Level], Iterator[object]]] = {
    part.__name__: part
    for part in (
        tables, entities, pak, visibility, lists, props, polygons, displaced, light, ambient_light, overlays
    )
}  # fmt: skip
"""What a map holds. `solids`, the polyhedra of brushes, is made of it."""


def decode(level: Level) -> Level:
    """Decode everything; what was made of a part is let go before the next."""
    for part in DECODED.values():
        deque(part(level), maxlen=0)
    return level
