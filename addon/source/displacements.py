"""Displacements: plain meshes of their triangles, with the file's field as attributes (source-bsp-notes §2.2, §2.3)."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...formats.binary import FormatError
from ...formats.source import LumpId, displacements, ranges
from ...formats.source.displacements import Displacements
from ..scene import baselines, identity, meshes
from ..scene.attributes import Domain, Kind
from . import layout
from .faces import Faces, Ints
from .lightmaps import Lightmaps
from .site import Site

_OPAQUE = 255.0


def build_meshes(site: Site, faces: Faces, lightmaps: Lightmaps | None) -> Hills | None:
    """Make a mesh for each displacement, or one of all; None without any.

    Raises FormatError for lumps that don't fit together.
    """
    if not len(site.level.bytes_of(LumpId.DISPINFO)):
        return None
    found = displacements.displacements(site.level, faces.polygons)
    made = Hills(site, faces, lightmaps, found)
    count = len(found.faces)
    site.report.count("displacements", count)
    if site.settings.displacements == "joined":
        made.meshes.append((-1, made.mesh(f"{site.collection.name} Displacements", np.arange(count))))
        return made
    digits = len(str(count))
    title = f"{site.collection.name} Displacement"
    for number in range(count):
        made.meshes.append((number, made.mesh(f"{title} {number:0{digits}}", np.array([number]))))
    return made


def place(site: Site, hills: Hills) -> None:
    """Make the objects of the meshes."""
    home = site.group(layout.DISPLACEMENT_HOME)
    digits = len(str(len(hills.meshes)))
    for number, mesh in hills.meshes:
        if number < 0:
            site.object_of("Displacements", layout.DISPLACEMENTS, 0, mesh, home)
        else:
            site.object_of(f"Displacement {number:0{digits}}", layout.DISPLACEMENT, number, mesh, home)


class Hills:
    """Arrays of all vertices and triangles; meshes are cut out of them. meshes: those that show the map, each with the
    number of its displacement, or -1 for one of all.
    """

    def __init__(self, site: Site, faces: Faces, lightmaps: Lightmaps | None, found: Displacements) -> None:
        self.meshes: list[tuple[int, bpy.types.Mesh]] = []
        self.site, self.faces, self.found = site, faces, found
        self.token = layout.displacement_token(site.token)
        self.verts = site.level.table(LumpId.DISP_VERTS)
        with np.errstate(all="ignore"):
            placed = found.positions(self.verts)
        self.places = layout.finite(placed)
        self.positions = np.where(np.isfinite(placed), placed, 0)
        self.uv = found.bilinear(_corner_values(faces.uv, faces.source)[found.corners]).astype(np.float32)
        self.lightmap_uv: NDArray[np.float32] | None = None
        if lightmaps is not None:
            luxels = found.bilinear(displacements.lightmap_corners(found, faces.records))
            owner = found.faces[np.maximum(found.owner, 0)]
            self.lightmap_uv = lightmaps.pixels(luxels, owner)
        self.border, self.normals = self._borders()
        alpha = np.where(np.isfinite(self.verts["alpha"]), self.verts["alpha"], 0) / np.float32(_OPAQUE)
        self.alpha = np.column_stack([alpha, alpha, alpha, np.ones_like(alpha)]).astype(np.float32)
        self.tags = self._tags()
        self.blends = self._blends()
        baselines.store(site.collection, layout.BASE, self.places)

    @np.errstate(all="ignore")  # hostile floats
    def _borders(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The number of the place that border vertices share (0: none), and normals that agree there."""
        normals = displacements.normals(self.found, self.positions)
        first, second = displacements.shared(self.found, self.positions)
        lowest = np.arange(len(normals))
        np.minimum.at(lowest, first, second)
        together = np.zeros(len(normals), np.bool_)
        together[first] = True
        border = np.where(together, lowest + 1, 0).astype(np.int32)
        total = normals.copy()
        np.add.at(total, first, normals[second])
        lengths = np.sqrt((total * total).sum(axis=1, keepdims=True))
        return border, np.divide(total, lengths, out=normals, where=lengths > 0)

    def _tags(self) -> NDArray[np.int32]:
        tags = np.zeros(len(self.found.triangles), np.int32)
        try:
            found = self.site.level.table(LumpId.DISP_TRIS)["tags"][: len(tags)]
        except FormatError as error:
            self.site.report.warn(f"displacements have no tags: {error}")
            return tags
        tags[: len(found)] = found
        return tags

    def _blends(self) -> dict[str, NDArray[np.float32]]:
        """The weights of four textures: rows for the displacements that say they have some, 0 for the others."""
        if not len(self.site.level.bytes_of(LumpId.DISP_MULTIBLEND)):
            return {}
        try:
            found = self.site.level.table(LumpId.DISP_MULTIBLEND)
        except FormatError as error:
            self.site.report.warn(f"blends of four textures can't be read: {error}")
            return {}
        having = displacements.blended(self.found, len(found))
        if having is None:
            self.site.report.left_out("blends of four textures, of no displacement", len(found))
            return {}
        blends = {name: np.zeros((len(self.verts), 4), np.float32) for name in layout.BLENDS}
        for name, values in blends.items():
            values[having] = found[name]
        return blends

    def boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the greatest coordinates of each displacement, float64[d, 3]."""
        counts = self.found.counts
        points, first = self.positions[ranges.flat(self.found.first_vertex, counts)], ranges.starts(counts)[:-1]
        return np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)

    def mesh(self, name: str, numbers: Ints) -> bpy.types.Mesh:
        """The mesh of displacements int64[n]."""
        found = self.found
        quads = (found.edge - 1) ** 2
        vertices = np.concatenate([found.first_vertex[n] + np.arange(found.counts[n]) for n in numbers.tolist()])
        rows = np.concatenate([found.first_triangle[n] + np.arange(2 * quads[n]) for n in numbers.tolist()])
        file_corners = found.triangles[rows][:, ::-1]
        corners = file_corners.reshape(-1)
        if len(numbers) == 1:
            triangles = file_corners - vertices[0]
        else:
            place = np.zeros(len(self.verts), np.int64)
            place[vertices] = np.arange(len(vertices))
            triangles = place[file_corners]
        owner = np.repeat(found.faces[numbers], 2 * quads[numbers])
        attributes: dict[str, tuple[Domain, Kind, Any]] = {
            identity.ID: ("FACE", "INT", rows + 1),
            identity.CHECK: ("FACE", "INT", identity.checks(self.token, rows + 1)),
            layout.DISTANCE: ("POINT", "FLOAT", self.verts["dist"][vertices]),
            layout.DIRECTION: ("POINT", "FLOAT_VECTOR", self.verts["vec"][vertices]),
            layout.ALPHA: ("POINT", "FLOAT_COLOR", self.alpha[vertices]),
            layout.BORDER: ("POINT", "INT", self.border[vertices]),
            layout.TAGS: ("FACE", "INT", self.tags[rows]),
            layout.FACE: ("FACE", "INT", owner + 1),
            **{key: ("FACE", "INT", styles[owner]) for key, styles in self.faces.light_styles.items()},
            **layout.vertex_ids(vertices, self.token),
            **{key: ("POINT", "FLOAT_COLOR", values[vertices]) for key, values in self.blends.items()},
        }
        uvs = {layout.UV: self.uv[corners]}
        if self.lightmap_uv is not None:
            uvs[layout.LIGHTMAP_UV] = self.lightmap_uv[corners]
        names = self.faces.names[owner]
        used, slots = np.unique(names, return_inverse=True)
        starts = np.arange(0, len(corners), 3)
        slot = slots if len(used) > 1 else None
        report, points = self.site.report, self.places[vertices]
        mesh = meshes.build(name, points, triangles, starts, uvs, attributes, slot, smooth=True, report=report)
        for number in used.tolist():
            mesh.materials.append(self.faces.material(number))
        mesh.normals_split_custom_set_from_vertices(self.normals[vertices].tolist())
        return mesh


def _corner_values(values: NDArray[np.float32], source: Ints) -> NDArray[np.float64]:
    """Values of Blender's corners as those of the file's corners."""
    given = np.empty(values.shape, np.float64)
    given[source] = values
    return given
