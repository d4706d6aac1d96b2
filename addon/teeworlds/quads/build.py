# SPDX-License-Identifier: GPL-3.0-or-later
"""Quad layers to objects (teeworlds.md §3, §5); `quad_reader` is the way back.

Quads without an envelope share the mesh of their layer's object; those that an envelope moves or colours are objects
of their own below it, with their pivot as origin. The layer's quads are drawn in order: each lies QUAD_STEP above the
one before, and where shared quads come after animated ones they are in a further mesh, since what blends is sorted by
objects.

A quad is a face of four corners: top left, bottom left, bottom right, top right, which Blender splits as the game does.
One that is folded over that diagonal is two triangles with the same id. Attributes of the faces: record id (see
`scene.identity`), PIVOT (shared meshes only), and the ENVELOPES: numbers + 1, so that 0 is none as Blender leaves it
on new faces, and offsets in ms. Of the corners: COLOR, the file's values / 255, and UV, v up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.teeworlds import quads as quad_geometry
from ....formats.teeworlds.records import EnvelopeKind
from ...scene import attributes, identity, meshes, properties
from .. import layout
from ..layers.placement import Site
from ..layout import QuadLayerProperties

Quads = npt.NDArray[np.void]
Floats = npt.NDArray[np.float32]

UNIT = layout.FIXED * layout.TILE
"""Units of the file's lengths per Blender unit."""
COLOR_LIMIT = 255
ENVELOPES = {EnvelopeKind.POSITION: "position_envelope", EnvelopeKind.COLOR: "color_envelope"}
"""The field of a quad, and the attribute of its face, that names its envelope; with OFFSET, the time offset."""
OFFSET = "_offset"


def build(layer: teeworlds.QuadLayer, site: Site) -> bpy.types.Object:
    """Make the object of a quad layer, and below it those of its animated quads."""
    name = f"{site.number} {layout.readable(layer.name) or 'Quads'}"
    try:
        quads, storage = layer.quads(), layout.MESH
    except FormatError as error:
        quads, storage = np.zeros(0, teeworlds.QUAD), layout.KEPT
        site.report.warn(f"layer {name!r} shows no quads: {error}")
    animated = np.zeros(len(quads), np.bool_)
    for kind, field in ENVELOPES.items():
        animated |= _moving(site, kind, quads[field])
    first, *later = _shared_runs(animated)
    step = min(layout.QUAD_STEP, layout.STEP / (len(quads) + 1))
    obj = bpy.data.objects.new(name, _shared_mesh(name, layer, quads, first, 0, step, site))
    obj[layout.STORAGE] = storage
    properties.write(obj, QuadLayerProperties(layer.name, layer.detail, layer.image))
    site.place(obj)
    for run in later:
        title = f"{name} quads {run[0]}-{run[-1]}"
        child = bpy.data.objects.new(title, _shared_mesh(title, layer, quads, run, int(run[0]), step, site))
        _place(child, obj, int(run[0]), (0.0, 0.0, int(run[0]) * step), site)
    _build_animated(layer, quads, np.flatnonzero(animated), step, obj, site)
    site.report.count("quad layers")
    site.report.count("quads", len(quads))
    return obj


def corner_positions(quads: Quads) -> Floats:
    """Corners and pivot (the fifth) of quads as Blender has them: float32 [n, 5, 2], ring order, y up."""
    points = np.concatenate([quad_geometry.to_ring(quads["points"]), quads["points"][:, quad_geometry.PIVOT :]], axis=1)
    return np.asarray(points * np.array((1 / UNIT, -1 / UNIT)), np.float32)


def corner_uvs(quads: Quads) -> Floats:
    """Texture coordinates of quads: float32 [n, 4, 2], ring order, v up."""
    u, v = np.moveaxis(quad_geometry.to_ring(quads["texcoords"]).astype(np.float64) / layout.FIXED, -1, 0)
    return np.asarray(np.stack([u, 1 - v], axis=-1), np.float32)


def corner_colors(quads: Quads) -> Floats:
    """Colours of quads: float32 [n, 4, 4], ring order; 1.0 is 255."""
    return np.asarray(quad_geometry.to_ring(quads["colors"]).astype(np.float64) / COLOR_LIMIT, np.float32)


def _moving(site: Site, kind: EnvelopeKind, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which of these numbers name envelopes of the kind."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([site.envelopes.moves(kind, number) for number in distinct.tolist()], np.bool_)[places]


def _shared_runs(animated: npt.NDArray[np.bool_]) -> Iterator[npt.NDArray[np.intp]]:
    """The quads of each shared mesh, drawn before or between animated ones; the first is there even if it is empty."""
    still = np.flatnonzero(~animated)
    before = np.cumsum(animated)[still]
    yield still[before == 0]
    later = still[before > 0]
    if len(later):
        yield from np.split(later, np.flatnonzero(np.diff(later) > 1) + 1)


def _shared_mesh(
    name: str,
    layer: teeworlds.QuadLayer,
    quads: Quads,
    numbers: npt.NDArray[np.intp],
    first: int,
    step: float,
    site: Site,
) -> bpy.types.Mesh:
    """A mesh of quads where they lie in the layer, the first of them at depth 0."""
    some = quads[numbers]
    points = corner_positions(some)
    corners = np.zeros((len(some), 4, 3), np.float32)
    corners[..., :2] = points[:, :4]
    corners[..., 2] = ((numbers - first) * step)[:, None]
    mesh = _mesh(name, some, numbers, corners, site)
    faces = 1 + quad_geometry.folded(points)
    pivots = np.zeros((len(some), 3), np.float32)
    pivots[:, :2] = points[:, 4]
    attributes.write(mesh, layout.PIVOT, "FACE", "FLOAT_VECTOR", np.repeat(pivots, faces, axis=0))
    mesh.materials.append(site.materials.quads(layer.image, site.clip))
    return mesh


def _mesh(name: str, quads: Quads, numbers: npt.NDArray[np.intp], corners: Floats, site: Site) -> bpy.types.Mesh:
    """A mesh of quads (records `numbers` of the layer) with all that faces and corners hold but the pivot."""
    folded = quad_geometry.folded(corners)
    table = np.where(folded[:, None], (0, 1, 2, 0, 2, 3), (0, 1, 2, 3, 0, 0))
    used = np.arange(6) < np.where(folded, 6, 4)[:, None]
    quad, corner = np.nonzero(used)[0], table[used]
    faces = np.repeat(np.arange(len(quads)), 1 + folded)
    sizes = np.where(folded[faces], 3, 4)
    mesh = meshes.build(
        name,
        corners.reshape(-1, 3),
        (4 * quad + corner).astype(np.int32),
        (np.cumsum(sizes) - sizes).astype(np.int32),
        uvs={layout.UV: corner_uvs(quads)[quad, corner]},
        attributes={
            layout.COLOR: ("CORNER", "FLOAT_COLOR", corner_colors(quads)[quad, corner]),
            **{field: ("FACE", "INT", values[faces]) for field, values in _references(quads).items()},
        },
    )
    identity.write_ids(mesh, "FACE", numbers[faces] + 1, site.element_token)
    return mesh


def _references(quads: Quads) -> dict[str, npt.NDArray[np.int32]]:
    """The attributes that tell the envelopes of quads, [n] each."""
    names = ENVELOPES.values()
    return {name: quads[name] + 1 for name in names} | {name + OFFSET: quads[name + OFFSET] for name in names}


def _build_animated(
    layer: teeworlds.QuadLayer,
    quads: Quads,
    numbers: npt.NDArray[np.intp],
    step: float,
    parent: bpy.types.Object,
    site: Site,
) -> None:
    """Make an object of each of these quads, moved by its envelopes."""
    some = quads[numbers]
    pivots = corner_positions(some)[:, 4].astype(np.float64)
    around = quad_geometry.to_ring(some["points"]).astype(np.int64) - some["points"][:, quad_geometry.PIVOT :]
    corners = np.zeros((len(some), 4, 3), np.float32)
    corners[..., :2] = around * np.array((1 / UNIT, -1 / UNIT))
    colored = _moving(site, EnvelopeKind.COLOR, some["color_envelope"])
    made = _single_meshes(f"{parent.name} quad", layer, some, numbers, corners, colored, site)
    for row, (number, mesh) in enumerate(zip(numbers.tolist(), made, strict=True)):
        obj = bpy.data.objects.new(f"{parent.name} quad {number}", mesh)
        x, y = pivots[row].tolist()
        _place(obj, parent, number, (x, y, number * step), site)
        for kind, field in ENVELOPES.items():
            site.envelopes.play(obj, kind, int(some[field][row]), int(some[field + OFFSET][row]))


def _single_meshes(
    name: str,
    layer: teeworlds.QuadLayer,
    quads: Quads,
    numbers: npt.NDArray[np.intp],
    corners: Floats,
    colored: npt.NDArray[np.bool_],
    site: Site,
) -> Iterator[bpy.types.Mesh]:
    """A mesh of each quad. All but folded ones are copies of one, filled with their own values: three times as fast."""
    ids = (numbers + 1).astype(np.int32)
    values = {
        "position": ("vector", corners.reshape(-1, 12)),
        layout.UV: ("vector", corner_uvs(quads).reshape(-1, 8)),
        layout.COLOR: ("color", corner_colors(quads).reshape(-1, 16)),
        identity.ID: ("value", ids[:, None]),
        identity.CHECK: ("value", identity.checks(site.element_token, ids)[:, None]),
        **{field: ("value", references[:, None]) for field, references in _references(quads).items()},
    }
    folded = quad_geometry.folded(corners)
    templates: dict[bool, bpy.types.Mesh] = {}
    for row in range(len(quads)):
        tinted = bool(colored[row])
        template = templates.get(tinted)
        if template is None or folded[row]:
            one = slice(row, row + 1)
            mesh = _mesh(name, quads[one], numbers[one], corners[one], site)
            mesh.materials.append(site.materials.quads(layer.image, site.clip, tinted))
            if not folded[row]:
                templates[tinted] = mesh
        else:
            mesh = template.copy()
            attributes_of: Any = mesh.attributes
            for attribute, (field, rows) in values.items():
                attributes_of[attribute].data.foreach_set(field, rows[row])
        yield mesh


def _place(
    obj: bpy.types.Object, parent: bpy.types.Object, number: int, location: tuple[float, float, float], site: Site
) -> None:
    identity.stamp(obj, site.token, layout.QUAD, number)
    obj.location = location
    obj.parent = parent
    site.group.collection.objects.link(obj)
