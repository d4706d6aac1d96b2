# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawn faces of a map as arrays in Blender's order, all at once; and meshes of any of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np

from ....formats import face_rings, ranges
from ....formats.arrays import Array, Bools, Int32s, Ints, Records, Singles
from ....formats.binary import FormatError
from ....formats.source import LumpId, geometry
from ....formats.source.faces import vertex_normals
from ....formats.source.faces.side_faces import SideFaces
from ....formats.source.geometry import Polygons
from ....formats.source.numbers import singles
from ....formats.source.records import SurfaceFlag
from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..lightmaps.build import Lightmaps

Layers = dict[str, tuple[Domain, Kind, Array]]

_FACE_CORNERS = 3
_TOOL_FLAGS = SurfaceFlag.TRIGGER | SurfaceFlag.HINT | SurfaceFlag.SKIP
_TOOLS_FOLDER = "tools"
_DRAWN_TOOLS = ("toolsblack", "toolswhite", "toolsdotted")
"""Tool textures that the game draws."""


@dataclass(frozen=True)
class RenderedFaces:
    """f rendered faces with c corners; corners run anticlockwise, each face's from its first one in the file."""

    importing: ImportContext
    """The import."""
    polygons: Polygons
    """The file's."""
    records: Records
    """[f]: the file's."""
    corners: Ints
    """int64[c]: vertices."""
    source: Ints
    """int64[c]: the file's corner that each one is."""
    uv: Singles
    """float32[c, 2]: places in the texture, v upwards."""
    lightmap_uv: Singles | None
    """float32[c, 2]: places in the lightmaps, v upwards; None without lightmaps."""
    light_styles: dict[str, Int32s]
    """See `Lightmaps`."""
    smooth: Bools
    """bool[f]: faces with other normals than their planes'."""
    normals: Singles
    """float32[n, 3]: the map's, and before them 0, which stands for the plane's."""
    normal: Ints
    """int64[c]: which of `normals` each corner has."""
    names: Ints
    """int64[f]: numbers in the table of texture names; -1: none."""
    sizes: Ints
    """int64[names, 2]: pixels of the textures."""
    texture_names: list[str]
    """The table of texture names."""
    kinds: Ints
    """int64[f]: places in layout.KINDS."""
    flags: Int32s
    """int32[f]: SurfaceFlags."""
    drawable: Bools
    """bool[f]: what can be in a mesh."""
    first_id: int = 0
    """The number of the first face: sides that stand in for faces are numbered on behind these."""
    first_vertex: int = 0
    """The number of the first vertex, alike."""

    @cached_property
    def alone(self) -> Bools:
        """bool[f]: faces that pass a vertex twice, or have the very ones of a face before them: see `_vertices`."""
        return face_rings.unsound(self.corners, np.diff(self.polygons.first_corner), len(self.polygons.positions))

    def material(self, name: int) -> bpy.types.Material:
        """The material of a number in the table of names; -1: of faces that have none."""
        known = self.texture_names[name] if 0 <= name < len(self.texture_names) else ""
        size = self.sizes[name].tolist() if known else (64, 64)
        return self.importing.materials.of(known, True, (size[0], size[1]), bool(self._watery[name]))

    def materials(self, numbers: Ints) -> Steps[None]:
        """Make the materials of faces int64[n] one by one: the many of a large mesh take long."""
        used, _ = ranges.distinct(self.names[numbers] + 1, len(self.texture_names) + 1)
        with progress(len(used), "materials") as step:
            for number in used.tolist():
                self.material(number - 1)
                yield step()

    @cached_property
    def _watery(self) -> Bools:
        """bool[names + 1]: which names of textures water has; the last one stands for none."""
        found = np.zeros(len(self.texture_names) + 1, np.bool_)
        found[self.names[self.kinds == layout.KINDS.index(layout.WATER)]] = True
        return found

    def mesh(self, name: str, numbers: Ints) -> bpy.types.Mesh:
        """A mesh of faces int64[n], ascending and all drawable, with what `layout` says of them."""
        corner = self.polygons.first_corner
        begin, end = (int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else (0, 0)
        places: slice | Ints
        which: slice | Ints = numbers
        if end - begin == len(numbers):  # all of a stretch, as most models are: nothing has to be copied
            which, places = slice(begin, end), slice(int(corner[begin]), int(corner[end]))
            starts = corner[begin : end + 1] - corner[begin]
        else:
            counts = corner[numbers + 1] - corner[numbers]
            places, starts = ranges.flat(corner[numbers], counts), ranges.starts(counts)
        used, slots = ranges.distinct(self.names[which] + 1, len(self.texture_names) + 1)
        smooth = self.smooth[which]
        rough = bool(smooth.any())
        material = slots if len(used) > 1 else None
        uvs = {layout.UV: self.uv[places]}
        if self.lightmap_uv is not None:
            uvs[layout.LIGHTMAP_UV] = self.lightmap_uv[places]
        attributes = cut(self._face_layers, which)
        if rough:
            attributes["sharp_face"] = ("FACE", "BOOLEAN", ~smooth)

        vertices, corners = self._vertices(which, np.diff(starts), self.corners[places])
        layers = attributes | cut(self._vertex_layers, vertices)
        points, report = self.polygons.positions.take(vertices, axis=0), self.importing.report
        mesh = meshes.build(name, points, corners, starts[:-1], uvs, layers, material, rough, report=report, sound=True)
        for number in used.tolist():
            mesh.materials.append(self.material(number - 1))
        if rough:
            shared, of_corners = ranges.distinct(self.normal[places], len(self.normals))
            rows = self.normals[shared].tolist()  # of arrays, Blender makes an object a row
            mesh.normals_split_custom_set([rows[row] for row in of_corners.tolist()])
        return mesh

    @cached_property
    def _face_layers(self) -> Layers:
        """What faces say of themselves: of all of them."""
        ids = np.arange(1, len(self.records) + 1, dtype=np.int32) + np.int32(self.first_id)
        values = {
            layout.TEXINFO: self.records["texinfo"].astype(np.int32),
            layout.ORIGINAL_FACE: self.records["orig_face"].astype(np.int32),
            layout.SMOOTHING_GROUPS: self.records["smoothing_groups"].astype(np.uint32).view(np.int32),
            layout.FLAGS: self.flags,
            **self.light_styles,
        }
        layers = identity.id_attributes(self.importing.token, ids, "FACE")
        return layers | {key: ("FACE", "INT", values[key]) for key in values}

    @cached_property
    def _vertex_layers(self) -> Layers:
        """The attributes of all the file's vertices."""
        numbers = np.arange(len(self.polygons.positions)) + self.first_vertex
        return layout.vertex_ids(numbers, self.importing.token)

    def _vertices(self, which: slice | Ints, counts: Ints, corners: Ints) -> tuple[Ints, Ints]:
        """The file's vertices that a mesh has, and the place of each corner's among them.

        Faces share them, but for those that Blender can't hold so, in the few meshes with such faces. which: the faces.
        counts: corners of each.
        """
        count = len(self.polygons.positions)
        apart = self.alone[which]
        if not apart.any() or not face_rings.unsound(corners, counts, count).any():
            return ranges.distinct(corners, count)
        alone = np.repeat(apart, counts)
        shared, places = ranges.distinct(corners[~alone], count)
        found = np.empty(len(corners), np.int64)
        found[~alone] = places
        found[alone] = len(shared) + np.arange(int(alone.sum()))
        return np.concatenate([shared, corners[alone]]), found


def cut(layers: Layers, which: slice | Ints) -> Layers:
    """Layers of some elements alone."""
    return {name: (domain, kind, values[which]) for name, (domain, kind, values) in layers.items()}


def prepare(importing: ImportContext, lightmaps: Lightmaps | None) -> RenderedFaces:
    """All drawn faces of a map. Raises FormatError for lumps that don't fit together."""
    records = importing.level.table(geometry.drawn_faces(importing.level))
    return _prepared(importing, importing.polygons, records, lightmaps)


def prepare_sides(importing: ImportContext, lightmaps: Lightmaps | None, sides: SideFaces) -> RenderedFaces:
    """The sides that stand in for the faces of models without any; `layout` has their numbers. Raises FormatError."""
    level = importing.level
    found = _prepared(importing, sides.polygons, sides.records(level), None, flat=True)
    return replace(
        found,
        lightmap_uv=None if lightmaps is None else lightmaps.plain(len(found.corners)),
        first_id=len(level.table(geometry.drawn_faces(level))),
        first_vertex=len(level.table(LumpId.VERTEXES)),
    )


def _prepared(
    importing: ImportContext, polygons: Polygons, records: Records, lightmaps: Lightmaps | None, flat: bool = False
) -> RenderedFaces:
    """Faces as arrays. flat: none has other normals than its plane's."""
    texinfos, texdata, texture_names = importing.texinfos, importing.texdata, importing.texture_names
    first, counts = polygons.first_corner[:-1], np.diff(polygons.first_corner)
    owner = polygons.corner_face
    source = np.repeat(2 * first + counts, counts)
    source -= np.arange(len(owner))
    begin = first[counts > 0]
    source[begin] = begin  # the first corner stays the first
    corners = polygons.corners[source]
    points = polygons.positions.take(corners, axis=0)

    textured = (records["texinfo"] >= 0) & (records["texinfo"] < len(texinfos))
    texinfo = np.where(textured, records["texinfo"], 0).astype(np.int64)
    sizes = np.full((len(texture_names), 2), 512, np.int64)
    named = texdata[(texdata["name_string_table_id"] >= 0) & (texdata["name_string_table_id"] < len(sizes))]
    sizes[named["name_string_table_id"]] = np.column_stack([named["width"], named["height"]])
    flags = np.append(texinfos["flags"].astype(np.uint32), np.uint32(0)).view(np.int32)  # the last: of no texinfo
    names = np.append(_names(texinfos, texdata, len(texture_names)), -1)
    kinds, which = _kinds(flags, names, texture_names), np.where(textured, texinfo, -1)
    uv = np.zeros((len(corners), 2), np.float32)
    if len(texinfos):
        uv = singles(geometry.texture_coordinates(points, texinfos, texdata, texinfo[owner], np.float32))
    np.subtract(1, uv[:, 1], out=uv[:, 1])
    smooth, normals, normal = _normals(importing, polygons, source, owner, flat)
    return RenderedFaces(
        importing,
        polygons,
        records,
        corners,
        source,
        uv,
        None if lightmaps is None else lightmaps.coordinates(points, records, texinfos, texinfo, owner),
        {} if lightmaps is None else lightmaps.styles,
        smooth,
        normals,
        normal,
        names[which],
        sizes,
        texture_names,
        kinds[which],
        flags[which],
        (counts >= _FACE_CORNERS) & (records["dispinfo"] < 0),
    )


def _names(texinfos: Records, texdata: Records, count: int) -> Ints:
    """The number of each texinfo's name, -1 where it has none that is there."""
    names = np.full(len(texinfos), -1, np.int64)
    known = (texinfos["texdata"] >= 0) & (texinfos["texdata"] < len(texdata))
    names[known] = texdata["name_string_table_id"][texinfos["texdata"][known]]
    names[(names < 0) | (names >= count)] = -1
    return names


def _kinds(flags: Int32s, names: Ints, texture_names: list[str]) -> Ints:
    """What faces of each texinfo are, as places in layout.KINDS."""
    tools, skies, nodraws = (np.zeros(len(texture_names) + 1, np.bool_) for _ in range(3))  # the last one: no name
    for number, name in enumerate(texture_names):
        folder, _, own = name.lower().replace("\\", "/").rpartition("/")
        if folder == _TOOLS_FOLDER and not own.startswith(_DRAWN_TOOLS):
            skies[number] = own.startswith("toolsskybox")
            nodraws[number] = own.startswith("toolsnodraw")
            tools[number] = True
    world, tool, sky, water, nodraw = range(len(layout.KINDS))
    kinds = np.full(len(flags), world)
    kinds[tools[names] | (flags & _TOOL_FLAGS > 0)] = tool
    kinds[nodraws[names] | (flags & SurfaceFlag.NODRAW > 0)] = nodraw
    kinds[flags & SurfaceFlag.WARP > 0] = water
    kinds[skies[names] | (flags & (SurfaceFlag.SKY | SurfaceFlag.SKY2D) > 0)] = sky
    return kinds


def _normals(
    importing: ImportContext, polygons: Polygons, source: Ints, owner: Ints, flat: bool
) -> tuple[Bools, Singles, Ints]:
    """Which faces have other normals than their planes', and these: `smooth`, `normals` and `normal` of
    `RenderedFaces`. flat: none has, whatever the map says.
    """
    rounded = np.zeros(len(polygons.first_corner) - 1, np.bool_)
    try:
        found = None if flat else vertex_normals.smooth(importing.level, polygons, lambda: importing.area_normals)
    except FormatError as error:
        importing.report.warn(f"faces are flat: {error}")
        found = None
    if found is None:
        return rounded, np.zeros((1, 3), np.float32), np.zeros(len(source), np.int64)
    smooth, numbers = (each[source] for each in found)
    rounded[owner[smooth]] = True
    normals = importing.level.table(LumpId.VERTNORMALS)["normal"]
    return (
        rounded,
        np.concatenate([np.zeros((1, 3), np.float32), normals]),
        np.where(smooth, numbers.astype(np.int64) + 1, 0),
    )
