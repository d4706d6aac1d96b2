# SPDX-License-Identifier: GPL-3.0-or-later
"""Quad layers to objects (teeworlds.md §3, §5); `collect` is the way back.

Quads without an envelope share the mesh of their layer's object; those that an envelope moves or colours are objects
of their own below it, with their pivot as origin. The layer's quads are drawn in order: each lies QUAD_STEP above the
one before, and where shared quads come after animated ones they are in a further mesh, since what blends is sorted by
objects.

A quad is a face of four corners: top left, bottom left, bottom right, top right, which Blender splits as the game does.
One that is folded over that diagonal is two triangles with the same id. Attributes of the faces: record id (see
`kept.identity`), PIVOT (shared meshes only), and the ENVELOPES: numbers + 1, so that 0 is none as Blender leaves it
on new faces, and offsets in ms. Of the corners: COLOR, the file's values / 255, and UV, v up.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.arrays import Bools, Indices, Int32s, Records, Singles
from ....formats.binary import FormatError
from ....formats.teeworlds.quad_faces import corner_colors, corner_offsets, corner_positions, corner_uvs
from ....formats.teeworlds.quads import folded
from ....formats.teeworlds.records import EnvelopeKind
from ...scene import attributes
from ...scene.blender_types import elements_of
from ...scene.fields import properties
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.names import showable, storable
from .. import layout
from ..layout import QuadLayerProperties
from ..structure.placement import LayerPlacement

Quads = Records

ENVELOPES = {EnvelopeKind.POSITION: "position_envelope", EnvelopeKind.COLOR: "color_envelope"}
"""The field of a quad, and the attribute of its face, that names its envelope; with OFFSET, the time offset."""
OFFSET = "_offset"


def build(layer: teeworlds.QuadLayer, placement: LayerPlacement) -> bpy.types.Object:
    """Make the object of a quad layer, and below it those of its animated quads."""
    name = f"{placement.number} {layout.readable(layer.name) or 'Quads'}"
    try:
        quads, storage = layer.quads(), layout.MESH
    except FormatError as error:
        quads, storage = np.zeros(0, teeworlds.QUAD), layout.KEPT
        placement.report.warn(f"layer {name!r} shows no quads: {error}")
    animated = np.zeros(len(quads), np.bool_)
    for kind, field in ENVELOPES.items():
        animated |= _moving(placement, kind, quads[field])
    first, *later = _shared_runs(animated)
    step = min(layout.QUAD_STEP, layout.STEP / (len(quads) + 1))
    obj = bpy.data.objects.new(showable(name), _shared_mesh(name, layer, quads, first, 0, step, placement))
    obj[layout.STORAGE] = storable(storage)
    properties.write(obj, QuadLayerProperties(layer.name, layer.detail, layer.image))
    placement.place(obj)
    for run in later:
        title = f"{name} quads {run[0]}-{run[-1]}"
        child = bpy.data.objects.new(
            showable(title), _shared_mesh(title, layer, quads, run, int(run[0]), step, placement)
        )
        child.location = (0.0, 0.0, int(run[0]) * step)
        placement.place_below(child, obj, layout.QUAD, int(run[0]))
    _build_animated(layer, quads, np.flatnonzero(animated), step, obj, placement)
    placement.report.count("quad layers")
    placement.report.count("quads", len(quads))
    return obj


def _moving(placement: LayerPlacement, kind: EnvelopeKind, numbers: Int32s) -> Bools:
    """Which of these numbers name envelopes of the kind."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([placement.envelopes.moves(kind, number) for number in distinct.tolist()], np.bool_)[places]


def _shared_runs(animated: Bools) -> Iterator[Indices]:
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
    numbers: Indices,
    first: int,
    step: float,
    placement: LayerPlacement,
) -> bpy.types.Mesh:
    """A mesh of quads where they lie in the layer, the first of them at depth 0."""
    some = quads[numbers]
    points = corner_positions(some)
    corners = np.zeros((len(some), 4, 3), np.float32)
    corners[..., :2] = points[:, :4]
    corners[..., 2] = ((numbers - first) * step)[:, None]
    mesh = _mesh(name, some, numbers, corners, placement)
    faces = 1 + folded(points)
    pivots = np.zeros((len(some), 3), np.float32)
    pivots[:, :2] = points[:, 4]
    attributes.write(mesh, layout.PIVOT, "FACE", "FLOAT_VECTOR", np.repeat(pivots, faces, axis=0))
    mesh.materials.append(placement.materials.quads(layer.image, placement.clip))
    return mesh


def _mesh(name: str, quads: Quads, numbers: Indices, corners: Singles, placement: LayerPlacement) -> bpy.types.Mesh:
    """A mesh of quads (records `numbers` of the layer) with all that faces and corners hold but the pivot."""
    split = folded(corners)
    table = np.where(split[:, None], (0, 1, 2, 0, 2, 3), (0, 1, 2, 3, 0, 0))
    used = np.arange(6) < np.where(split, 6, 4)[:, None]
    quad, corner = np.nonzero(used)[0], table[used]
    faces = np.repeat(np.arange(len(quads)), 1 + split)
    sizes = np.where(split[faces], 3, 4)
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
        smooth=True,  # nothing shades it, so no attribute has to say otherwise
    )
    identity.write_ids(mesh, "FACE", numbers[faces] + 1, placement.element_token)
    return mesh


def _references(quads: Quads) -> dict[str, Int32s]:
    """The attributes that tell the envelopes of quads, [n] each."""
    names = ENVELOPES.values()
    return {name: quads[name] + 1 for name in names} | {name + OFFSET: quads[name + OFFSET] for name in names}


def _build_animated(
    layer: teeworlds.QuadLayer,
    quads: Quads,
    numbers: Indices,
    step: float,
    parent: bpy.types.Object,
    placement: LayerPlacement,
) -> None:
    """Make an object of each of these quads, moved by its envelopes."""
    some = quads[numbers]
    pivots = corner_positions(some)[:, 4].astype(np.float64)
    corners = np.zeros((len(some), 4, 3), np.float32)
    corners[..., :2] = corner_offsets(some)
    colored = _moving(placement, EnvelopeKind.COLOR, some["color_envelope"])
    made = _single_meshes(f"{parent.name} quad", layer, some, numbers, corners, colored, placement)
    for row, (number, mesh) in enumerate(zip(numbers.tolist(), made, strict=True)):
        obj = bpy.data.objects.new(showable(f"{parent.name} quad {number}"), mesh)
        x, y = pivots[row].tolist()
        obj.location = (x, y, number * step)
        placement.place_below(obj, parent, layout.QUAD, number)
        for kind, field in ENVELOPES.items():
            placement.envelopes.play(obj, kind, int(some[field][row]), int(some[field + OFFSET][row]))


def _single_meshes(
    name: str,
    layer: teeworlds.QuadLayer,
    quads: Quads,
    numbers: Indices,
    corners: Singles,
    colored: Bools,
    placement: LayerPlacement,
) -> Iterator[bpy.types.Mesh]:
    """A mesh of each quad. All but folded ones are copies of one, filled with their own values: three times as fast."""
    ids = (numbers + 1).astype(np.int32)
    values = {
        "position": ("vector", corners.reshape(-1, 12)),
        layout.UV: ("vector", corner_uvs(quads).reshape(-1, 8)),
        layout.COLOR: ("color", corner_colors(quads).reshape(-1, 16)),
        identity.ID: ("value", ids[:, None]),
        identity.CHECK: ("value", identity.checks(placement.element_token, ids)[:, None]),
        **{field: ("value", references[:, None]) for field, references in _references(quads).items()},
    }
    split = folded(corners)
    templates: dict[bool, bpy.types.Mesh] = {}
    for row in range(len(quads)):
        tinted = bool(colored[row])
        template = templates.get(tinted)
        if template is None or split[row]:
            one = slice(row, row + 1)
            mesh = _mesh(name, quads[one], numbers[one], corners[one], placement)
            mesh.materials.append(placement.materials.quads(layer.image, placement.clip, tinted))
            if not split[row]:
                templates[tinted] = mesh
        else:
            mesh = template.copy()
            for attribute, (field, rows) in values.items():
                elements_of(mesh.attributes[attribute]).foreach_set(field, rows[row])
        yield mesh
