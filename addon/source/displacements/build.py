# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements: plain meshes of their triangles, with the file's field as attributes (source.md §2.2, §2.3)."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ranges
from ....formats.arrays import Floats, Int32s, Ints, Singles
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.faces import displacements
from ....formats.source.faces.displacements import Displacements
from ....formats.source.numbers import singles
from ...scene.geometry import meshes
from ...scene.kept import baselines, identity
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..faces.build import Layers, RenderedFaces, cut
from ..lightmaps.build import Lightmaps
from . import info

_OPAQUE = 255.0


def build_meshes(
    importing: ImportContext, faces: RenderedFaces, lightmaps: Lightmaps | None
) -> Steps[DisplacementMeshes | None]:
    """Make a mesh for each displacement, or one of all; None without any.

    Raises FormatError for lumps that don't fit together.
    """
    if not len(importing.level.bytes_of(LumpId.DISPINFO)):
        return None
    found = displacements.displacements(importing.level, faces.polygons)
    made = DisplacementMeshes(importing, faces, lightmaps, found)
    count = len(found.faces)
    importing.report.count("displacements", count)
    if importing.settings.displacements == "joined":
        made.meshes.append((-1, made.mesh(f"{importing.collection.name} Displacements", np.arange(count))))
        return made
    digits = len(str(count))
    title = f"{importing.collection.name} Displacement"
    with progress(count, "displacements") as step:
        for number in range(count):
            made.meshes.append((number, made.mesh(f"{title} {number:0{digits}}", np.array([number]))))
            yield step()
    return made


def place(importing: ImportContext, disp_meshes: DisplacementMeshes) -> Steps[None]:
    """Make the objects of the meshes."""
    homes = (importing.group(layout.DISPLACEMENT_HOME),)
    digits = len(str(len(disp_meshes.meshes)))
    write = info.writer(disp_meshes.found.infos)
    for number, mesh in disp_meshes.meshes:
        if number < 0:
            importing.object_of("Displacements", layout.DISPLACEMENTS, 0, mesh, homes)
        else:
            name = f"Displacement {number:0{digits}}"
            write(importing.object_of(name, layout.DISPLACEMENT, number, mesh, homes), number)
        yield


class DisplacementMeshes:
    """Arrays of all vertices and triangles; meshes are cut out of them. meshes: those that show the map, each with the
    number of its displacement, or -1 for one of all.
    """

    def __init__(
        self, importing: ImportContext, faces: RenderedFaces, lightmaps: Lightmaps | None, found: Displacements
    ) -> None:
        self.meshes: list[tuple[int, bpy.types.Mesh]] = []
        self.importing, self.faces, self.found = importing, faces, found
        self.token = layout.displacement_token(importing.token)
        self.verts = importing.level.table(LumpId.DISP_VERTS)
        with np.errstate(all="ignore"):
            placed = found.positions(self.verts)
        self.places = singles(placed)
        self.positions = np.where(np.isfinite(placed), placed, 0)
        self.uv = found.bilinear(_corner_values(faces.uv, faces.source)[found.corners]).astype(np.float32)
        self.lightmap_uv: Singles | None = None
        if lightmaps is not None:
            luxels = found.bilinear(displacements.lightmap_corners(found, faces.records))
            owner = found.faces[np.maximum(found.owner, 0)]
            self.lightmap_uv = lightmaps.pixels(luxels, owner)
        border, self.normals = displacements.borders(found, self.positions)
        self.sizes = 2 * (found.edge - 1) ** 2
        one_after_another = (found.first_vertex, found.counts), (found.first_triangle, self.sizes)
        self.sound = all(np.array_equal(first, ranges.starts(counts)[:-1]) for first, counts in one_after_another)
        self.vertex_layers, self.triangle_layers = self._vertex_layers(border.astype(np.int32)), self._triangle_layers()
        baselines.store(importing.collection, layout.BASE, self.places)

    def _vertex_layers(self, border: Int32s) -> Layers:
        """What vertices say of themselves: of all of them."""
        verts = self.verts
        alpha = np.where(np.isfinite(verts["alpha"]), verts["alpha"], 0) / np.float32(_OPAQUE)
        return {
            layout.DISTANCE: ("POINT", "FLOAT", np.ascontiguousarray(verts["dist"])),
            layout.DIRECTION: ("POINT", "FLOAT_VECTOR", np.ascontiguousarray(verts["vec"])),
            layout.ALPHA: ("POINT", "FLOAT_COLOR", np.column_stack([alpha, alpha, alpha, np.ones_like(alpha)])),
            layout.BORDER: ("POINT", "INT", border),
            **layout.vertex_ids(np.arange(len(verts)), self.token),
            **{key: ("POINT", "FLOAT_COLOR", values) for key, values in self._blends().items()},
        }

    def _triangle_layers(self) -> Layers:
        """What triangles say of themselves: of all of them."""
        ids = np.arange(1, len(self.found.triangles) + 1, dtype=np.int32)
        return identity.id_attributes(self.token, ids, "FACE") | {layout.TAGS: ("FACE", "INT", self._tags())}

    def _tags(self) -> Int32s:
        tags = np.zeros(len(self.found.triangles), np.int32)
        try:
            found = self.importing.level.table(LumpId.DISP_TRIS)["tags"][: len(tags)]
        except FormatError as error:
            self.importing.report.warn(f"displacements have no tags: {error}")
            return tags
        tags[: len(found)] = found
        return tags

    def _blends(self) -> dict[str, Singles]:
        """The weights of four textures: rows for the displacements that say they have some, 0 for the others."""
        if not len(self.importing.level.bytes_of(LumpId.DISP_MULTIBLEND)):
            return {}
        try:
            found = self.importing.level.table(LumpId.DISP_MULTIBLEND)
        except FormatError as error:
            self.importing.report.warn(f"blends of four textures can't be read: {error}")
            return {}
        having = displacements.blended(self.found, len(found))
        if having is None:
            self.importing.report.left_out("blends of four textures, of no displacement", len(found))
            return {}
        blends = {name: np.zeros((len(self.verts), 4), np.float32) for name in layout.BLENDS}
        for name, values in blends.items():
            values[having] = found[name]
        return blends

    def boxes(self) -> tuple[Floats, Floats]:
        """The least and the greatest coordinates of each displacement, float64[d, 3]."""
        counts = self.found.counts
        points, first = self.positions[ranges.flat(self.found.first_vertex, counts)], ranges.starts(counts)[:-1]
        return np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)

    def mesh(self, name: str, numbers: Ints) -> bpy.types.Mesh:
        """The mesh of displacements int64[n]."""
        found = self.found
        sizes = self.sizes[numbers]
        vertices = ranges.index(found.first_vertex[numbers], found.counts[numbers])
        rows = ranges.index(found.first_triangle[numbers], sizes)
        file_corners = found.triangles[rows][:, ::-1]
        corners = file_corners.reshape(-1)
        if isinstance(vertices, slice):
            triangles = file_corners - vertices.start
        else:
            place = np.zeros(len(self.verts), np.int64)
            place[vertices] = np.arange(len(vertices))
            triangles = place[file_corners]
        faces = found.faces[numbers]
        owner = np.repeat(faces, sizes)
        attributes = cut(self.triangle_layers, rows)
        attributes[layout.FACE] = "FACE", "INT", owner + 1
        for key, styles in self.faces.light_styles.items():
            attributes[key] = "FACE", "INT", styles[owner]
        attributes |= cut(self.vertex_layers, vertices)
        uvs = {layout.UV: self.uv[corners]}
        if self.lightmap_uv is not None:
            uvs[layout.LIGHTMAP_UV] = self.lightmap_uv[corners]
        used, slots = ranges.distinct(self.faces.names[faces] + 1, len(self.faces.texture_names) + 1)
        starts = np.arange(0, len(corners), 3)
        slot = np.repeat(slots, sizes) if len(used) > 1 else None
        report, points = self.importing.report, self.places[vertices]
        mesh = meshes.build(
            name, points, triangles, starts, uvs, attributes, slot, smooth=True, report=report, sound=self.sound
        )
        for number in used.tolist():
            mesh.materials.append(self.faces.material(number - 1))
        mesh.normals_split_custom_set_from_vertices(self.normals[vertices].tolist())
        return mesh


def _corner_values(values: Singles, source: Ints) -> Floats:
    """Values of Blender's corners as those of the file's corners."""
    given = np.empty(values.shape, np.float64)
    given[source] = values
    return given
