# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes: the solids that collide, a mesh object for each kind of contents (source.md "BRUSHES").

They are what an export as VMF is made of: where each entity has them, with the textures that the editor's file had.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ranges, source
from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.source import LumpId, vmf
from ....formats.source.vmf.uv import size_of, uv_of
from ...scene.geometry import meshes
from ...scene.kept import baselines
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext
from . import collect

_LEAST_CORNERS = 3


def build_meshes(importing: ImportContext) -> Steps[list[tuple[str, bpy.types.Mesh]]]:
    """Make a mesh for each kind of contents, with its title; see `layout` for what polygons have.

    Raises FormatError where even the shapes can't be read.
    """
    try:
        solids, sizes = vmf.compiled(importing.level).solids, vmf.sizes(importing.level)
    except FormatError as error:
        solids, sizes = vmf.bare(importing.level), {}
        importing.report.warn(
            f"brushes have no textures, and those of entities lie where their models have them: {error}"
        )
    corners = np.diff(solids.first_corner)
    solid = ranges.owners(np.diff(solids.first_side))
    contents = contents_of(importing.level, solids.brushes)[solid]
    made = []
    for value in np.unique(contents[corners > 0]).tolist():
        sides = np.flatnonzero((corners > 0) & (contents == value))
        places = ranges.flat(solids.first_corner[sides], corners[sides])
        owners = np.repeat(sides, corners[sides])
        # Corners at one place of one solid are one vertex.
        rows = np.column_stack([solid[owners], solids.corners[places]])
        kept = distinct(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1), owners)
        if not len(kept):
            continue
        places, owners = places[kept], owners[kept]
        sides, counts = np.unique(owners, return_counts=True)
        vertices, corner_vertices = np.unique(rows[kept], axis=0, return_inverse=True)
        names = [solids.names[side] for side in sides.tolist()]
        used = list(dict.fromkeys(names))
        number = {name: slot for slot, name in enumerate(used)}
        texels = np.einsum("nki,ni->nk", solids.vectors[owners, :, :3], solids.corners[places])
        texels += solids.vectors[owners, :, 3]
        mesh = meshes.build(
            f"{importing.collection.name} {collect.title_of(value)}",
            vertices[:, 1:],
            corner_vertices.reshape(-1),
            ranges.starts(counts)[:-1],
            {layout.UV: uv_of(texels, np.repeat([size_of(name, sizes) for name in names], counts, axis=0))},
            {
                layout.SIDE: ("FACE", "INT", solids.records[sides] + 1),
                layout.CONTENTS: ("FACE", "INT", contents[sides].view(np.int32)),
                layout.BRUSH: ("FACE", "INT", solids.brushes[solid[sides]] + 1),
            },
            np.array([number[name] for name in names]) if len(used) > 1 else None,
            report=importing.report,
        )
        for name in used:
            mesh.materials.append(importing.materials.of(name, size=size_of(name, sizes)))
            yield
        made.append((collect.title_of(value), mesh))
    importing.report.count("brushes", len(solids))
    open_ones = len(solids) - len(np.unique(solid[corners > 0]))
    if open_ones:
        importing.report.left_out("brushes that enclose nothing", open_ones)
    return made


def distinct(vertices: Ints, owners: Ints) -> Ints:
    """int64[k]: the corners of faces without those that repeat the one before, and without faces that are a line then.

    vertices: int64[c], owners: int64[c], ascending, the face of each. Edges that are no longer than rounding is have
    one vertex twice, in both of their faces: what is left is as closed as before.
    """
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    before = np.arange(len(vertices)) - 1
    before[first] = np.append(first[1:], len(vertices)) - 1
    kept = np.flatnonzero(vertices != vertices[before])
    _, place, counts = np.unique(owners[kept], return_inverse=True, return_counts=True)
    return np.asarray(kept[counts[place.reshape(-1)] >= _LEAST_CORNERS])


def place(importing: ImportContext, made: list[tuple[str, bpy.types.Mesh]]) -> None:
    """Make the objects of the meshes, in the hidden collection of brushes."""
    sums, names = [], []
    for number, (title, mesh) in enumerate(made):
        obj = importing.object_of(title, layout.BRUSHES, number, mesh, (importing.group(layout.BRUSH_HOME),))
        sums.append(collect.checksum(meshes.read(obj)))
        names.append(obj.name)
    importing.collection[layout.BRUSH_NAMES] = "\n".join(names)
    baselines.store(importing.collection, layout.BRUSH_SUMS, np.array(sums, np.int64))


def contents_of(level: source.Level, brushes: Ints) -> NDArray[np.uint32]:
    """The contents of brushes, uint32[n]."""
    return np.asarray(level.table(LumpId.BRUSHES)["contents"].astype(np.uint32)[brushes])
