# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baked anew for faces of a `.bsp` that are lit at their corners (genesis.md §4.5).

Each such face is baked into a patch of an image that is thrown away, and a corner gets what the patch has beside it: at
the corner itself Cycles would meet the surfaces that end there. Smooth faces (GOURAUD) have one light at a vertex, the
mean of theirs; flat ones have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import atlas, ranges
from ....formats.arrays import Bools, Floats, Ints, Singles
from ....formats.genesis.records import FaceFlag
from ....formats.luxel_pixels import Light, LuxelPixels, spread
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import meshes
from ...scene.reports import SceneError
from ...scene.view import baking
from ...scene.work.progress import Steps
from .. import layout

PATCH = 8
"""Pixels a side of a face's patch."""
_UV = "levelwright corners"
_AWAY = -1.0
"""U and V of all other faces: beside the image."""


@dataclass(frozen=True, slots=True, eq=False)
class CornerLit:
    """The faces of an object that are lit at their corners: f faces with c corners."""

    object: bpy.types.Object
    corners: Ints
    """[c]: numbers in the mesh, one face's after another's."""
    owners: Ints
    """[c]: the face of each, from 0."""
    vertices: Ints
    """[c]."""
    smooth: Bools
    """[c]: whether the light of a vertex is one."""
    places: Floats
    """[c, 2]: on the face's patch, in pixels from its top left."""

    @property
    def count(self) -> int:
        """How many faces."""
        return int(self.owners.max(initial=-1)) + 1


def lit_at_corners(objects: Sequence[bpy.types.Object]) -> list[CornerLit]:
    """The faces of objects that are lit at their corners; objects without any are left out.

    Raises SceneError for objects whose shape isn't that of their mesh.
    """
    found = [_of(obj) for obj in objects]
    return [each for each in found if each is not None]


def _of(obj: bpy.types.Object) -> CornerLit | None:
    if meshes.needs_evaluation(obj):
        raise SceneError(f"{obj.name}: what has modifiers or shape keys can't be baked at its corners", [obj])
    mesh = meshes.read(obj, names=("flags", layout.VERTEX_LIGHT))
    flags, light = mesh.attribute("flags", "FACE"), mesh.attribute(layout.VERTEX_LIGHT, "CORNER")
    if flags is None or light is None:
        return None
    faces = np.flatnonzero(flags & int(FaceFlag.GOURAUD | FaceFlag.FLAT))
    if not len(faces):
        return None
    sizes = mesh.face_sizes[faces].astype(np.int64)
    corners, owners = ranges.flat(mesh.face_starts[faces], sizes), ranges.owners(sizes)
    vertices = mesh.corner_verts[corners].astype(np.int64)
    smooth = (flags[faces] & int(FaceFlag.FLAT) == 0)[owners]
    points = mesh.positions[vertices].astype(np.float64)
    return CornerLit(obj, corners, owners, vertices, smooth, _places(points, ranges.starts(sizes), owners))


def _places(points: Floats, starts: Ints, owners: Ints) -> Floats:
    """Where corners are on patches, float64[c, 2]: as seen along the axis that the face looks along most."""
    following = np.arange(1, len(points) + 1)
    following[starts[1:] - 1] = starts[:-1]
    normals = np.add.reduceat(np.cross(points, points[following]), starts[:-1])
    kept = np.array([[1, 2], [0, 2], [0, 1]])[np.abs(normals).argmax(axis=1)]
    flat = np.take_along_axis(points, kept[owners], axis=1)
    low, high = np.minimum.reduceat(flat, starts[:-1]), np.maximum.reduceat(flat, starts[:-1])
    span = np.where(high > low, high - low, 1.0)
    return np.asarray((flat - low[owners]) / span[owners] * PATCH)


def bake(
    context: bpy.types.Context, name: str, found: Sequence[CornerLit], samples: int, bounces: int
) -> Steps[list[tuple[CornerLit, Light]]]:
    """The light of the corners of faces, float32[c, 3], 1 is white, NaN where none could be had.

    name: of the level, for the error. samples: rays a pixel. Raises SceneError where Cycles can't bake.
    """
    counts = [each.count for each in found]
    sizes = np.full((sum(counts), 2), PATCH, np.int64)
    packed = atlas.pack(sizes)
    pixels, first = atlas.pixels_of(packed, sizes)
    where = LuxelPixels(packed.width, packed.height, sizes, pixels, first)
    size = packed.width, packed.height
    patches = np.split(np.column_stack([packed.x, packed.y]), np.cumsum(counts)[:-1])
    uvs = [(patch[each.owners] + each.places) / size for each, patch in zip(found, patches, strict=True)]
    with _laid_out(found, uvs):
        objects = [each.object for each in found]
        baked, covered = yield from baking.bake.steps(context, name, objects, size, _UV, samples, bounces)
    light, _ = spread(baked, covered, where, np.arange(len(sizes)))
    made = []
    for each, patch in zip(found, patches, strict=True):
        column, row = (patch[each.owners] + each.places.astype(np.int64).clip(0, PATCH - 1)).T
        made.append((each, _smoothed(each, light[row * packed.width + column])))
    return made


def _smoothed(lit: CornerLit, light: Light) -> Light:
    """The light of corners, one at each vertex of smooth faces."""
    known = lit.smooth & np.isfinite(light[:, 0])
    vertices = lit.vertices[known]
    many = np.maximum(np.bincount(vertices), 1)
    made = light.copy()
    for channel in range(light.shape[1]):
        made[known, channel] = (np.bincount(vertices, light[known, channel]) / many)[vertices]
    return made


def put(lit: CornerLit, light: Singles) -> int:
    """Give corners their light, float32[c, 3], 255 is white; those with NaN keep theirs. Returns how many got one."""
    mesh = mesh_of(lit.object)
    values = attributes.read(mesh, layout.VERTEX_LIGHT, "CORNER")
    known = np.isfinite(light[:, 0])
    if values is None:
        return 0
    values[lit.corners[known]] = light[known]
    attributes.write(mesh, layout.VERTEX_LIGHT, "CORNER", "FLOAT_VECTOR", values)
    return int(known.sum())


@contextmanager
def _laid_out(found: Sequence[CornerLit], uvs: Sequence[Floats]) -> Iterator[None]:
    """A UV map with the faces on their patches inside. uvs: float64[c, 2] of each object, v downwards."""
    layers = []
    for lit, places in zip(found, uvs, strict=True):
        mesh = mesh_of(lit.object)
        shown = mesh.uv_layers.active_index
        layer = mesh.uv_layers.new(name=_UV, do_init=False)
        values = np.full((len(mesh.loops), 2), _AWAY, np.float32)
        values[lit.corners] = np.column_stack([places[:, 0], 1 - places[:, 1]])
        layer.uv.foreach_set("vector", values.reshape(-1))
        layers.append((mesh, layer.name, shown))
    try:
        yield
    finally:
        for mesh, name, shown in layers:
            mesh.uv_layers.remove(mesh.uv_layers[name])
            mesh.uv_layers.active_index = shown
