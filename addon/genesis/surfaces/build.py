# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a compiled level's models as mesh objects, one each."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ....formats.genesis import CompiledLevel
from ....formats.genesis.compiled import geometry
from ....formats.genesis.compiled.surfaces import DrawnFaces
from ....formats.genesis.geometry import Geometry
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.work.progress import Steps
from .. import layout
from ..brushes.build import one_each, put
from ..context import Destination, ImportContext
from ..faces.build import CornerValues, MeshMaker, keep_baselines, mesh_arrays, texture_sizes
from ..lightmaps import build as lightmaps
from ..materials.build import Materials


def build_surfaces(
    importing: ImportContext,
    level: CompiledLevel,
    drawn: DrawnFaces,
    materials: Materials,
    destinations: dict[int, Destination],
) -> Steps[Geometry]:
    """Make the objects, lit by the level's lightmaps, and return their shape. destinations: by the numbers of models.

    Raises FormatError for faces that aren't sound.
    """
    shape = geometry.of_compiled(level, drawn)
    yield
    light = lightmaps.build(importing, level, drawn, shape.faces)
    yield
    materials.baked = light.group
    shape = replace(shape, fields=shape.fields | light.types)
    arrays = mesh_arrays(shape, texture_sizes(shape, materials), apart=False)
    keep_baselines(importing.collection, arrays)
    kept = np.repeat(np.diff(shape.polygons.first_corner) > 0, np.diff(drawn.starts))
    more = CornerValues({layout.LIGHTMAP_UV: light.uvs[kept]}, {layout.VERTEX_LIGHT: light.vertex_light[kept]})
    maker = MeshMaker(importing, shape, arrays, materials, one_each(len(shape.counts)), more)
    lost = int((np.diff(shape.polygons.first_corner) == 0).sum())
    if lost:
        importing.report.left_out("faces without three corners", lost)
    for model in np.flatnonzero(shape.counts).tolist():
        destination = destinations.get(model)
        if destination is None:
            importing.report.left_out(f"faces of model {model}, which no entity is", int(shape.counts[model]))
            continue
        name = f"{destination.collection.name} surfaces" if model else "World surfaces"
        obj = bpy.data.objects.new(showable(name), maker.make(name, model))
        identity.stamp(obj, importing.token, layout.SURFACES, model)
        put(obj, destination, arrays.origins[model])
        transforms.remember(obj)
        yield
    importing.report.count("faces", len(shape.faces))
    return shape
