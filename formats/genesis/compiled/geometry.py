# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a compiled level, as arrays like those of brushes: a "brush" is all faces of a model."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ...convex import Polygons
from .. import geometry
from ..geometry import Geometry
from ..records import FaceArray, FaceFlag, new_faces
from .level import CompiledLevel
from .records import ChunkId
from .surfaces import DrawnFaces

FIELDS = ("flags", "face_light", "mip_map_bias", "alpha", "reflective_scale", "u_vec", "v_vec")


def of_compiled(level: CompiledLevel, drawn: DrawnFaces) -> Geometry:
    """The geometry of a level's faces, those of each model one after another (`DrawnFaces` has their numbers).

    Raises FormatError.
    """
    models = len(level.table(ChunkId.MODELS))
    faces = records(level, drawn)
    counts = np.bincount(drawn.model, minlength=models).astype(np.int64)
    fields = {name: faces[name] for name in FIELDS}
    for name in ("draw_scale", "offset"):
        fields[name] = np.column_stack([faces[f"{name}_x"], faces[f"{name}_y"]])
    names, texture = geometry.texture_numbers(faces)
    flags = np.zeros(models, np.uint32)
    appearance = geometry.appearances(faces["flags"], flags, counts)
    polygons = geometry.sound(_polygons(drawn, models))
    return Geometry(np.arange(models), flags, counts, faces, fields, names, texture, appearance, polygons)


def records(level: CompiledLevel, drawn: DrawnFaces) -> FaceArray:
    """The faces as those of a `.map` would be."""
    infos = level.table(ChunkId.TEXINFOS)[drawn.texinfo]
    names = level.table(ChunkId.TEXTURES)["name"]
    planes = level.table(ChunkId.PLANES)[drawn.side >> 1]
    faces = new_faces(len(infos))
    for name in (*FIELDS, "draw_scale_x", "draw_scale_y", "offset_x", "offset_y"):
        faces[name] = infos[name]
    known = (infos["texture"] >= 0) & (infos["texture"] < len(names))
    faces["tex_name"][known] = names[infos["texture"][known]]
    signs = np.where(drawn.side & 1, -1, 1).astype(np.float32)
    faces["normal"], faces["dist"] = planes["normal"] * signs[:, None], planes["dist"] * signs
    return faces


def _polygons(drawn: DrawnFaces, models: int) -> Polygons:
    """The polygons, with vertices of each model's own. A mesh has one face of the same vertices, which goes through
    each once: faces that are there twice (water has two sides) have own vertices, as have corners that a face repeats.
    """
    owner = ranges.owners(np.diff(drawn.starts))
    span = int(drawn.vertices.max(initial=0)) + 1
    visits = _before(owner * span + drawn.vertices)
    layer = _again(drawn)[owner] * (int(visits.max(initial=0)) + 1) + visits
    layers = int(layer.max(initial=0)) + 1
    places = (drawn.model[owner] * layers + layer) * span + drawn.vertices
    keys, chosen, corners = np.unique(places, return_index=True, return_inverse=True)
    return Polygons(
        drawn.points[chosen].reshape(-1, 3),
        np.searchsorted(keys, np.arange(models + 1) * layers * span).astype(np.int64),
        corners.reshape(-1).astype(np.int64),
        drawn.starts,
        np.ones(models, np.bool_),
    )


def _again(drawn: DrawnFaces) -> Ints:
    """How many faces before each one have the same vertices: int64[f]."""
    made = np.zeros(len(drawn.numbers), np.int64)
    sizes = np.diff(drawn.starts)
    for size in np.unique(sizes[sizes > 0]).tolist():
        alike = np.flatnonzero(sizes == size)
        rings = np.sort(drawn.vertices[drawn.starts[alike, None] + np.arange(size)], axis=1)
        _, like = np.unique(rings, axis=0, return_inverse=True)
        made[alike] = _before(like.reshape(-1))
    return made


def _before(values: Ints) -> Ints:
    """How many values before each one are equal to it: int64[n]."""
    _, counts = np.unique(values, return_counts=True)
    made = np.empty(len(values), np.int64)
    made[np.argsort(values, kind="stable")] = ranges.flat(np.zeros_like(counts), counts)
    return made


def vertex_lit(faces: FaceArray) -> Bools:
    """Which faces, FACE [n], have light at their corners instead of a lightmap: bool[n]."""
    return np.asarray(faces["flags"] & int(FaceFlag.GOURAUD | FaceFlag.FLAT) != 0)


def grid(faces: FaceArray, points: Floats, owners: Ints) -> Floats:
    """Where points float64[c, 3] of faces (records of FACE; `owners` int[c] says whose) are on the grid of luxels.

    float64[c, 2]: whole numbers are luxels. As the engine does: rounded to single precision before.
    """
    along = np.empty((len(points), 2))
    for axis, name in enumerate(("u_vec", "v_vec")):
        products = points * faces[name].astype(np.float64)[owners]
        along[:, axis] = products.sum(axis=1).astype(np.float32)
    return along / LUXEL


LUXEL = 16.0
"""Units of u_vec and v_vec a luxel."""
