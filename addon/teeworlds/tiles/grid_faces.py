# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of a layer that is a mesh with a face a tile.

While an edit runs, a cell that has a face gets its new tile by the face's attributes, which takes no time. Faces that
come and go need the whole mesh to be made anew: that is done once, at the end. Until then new tiles are shown by a mesh
of their own, and faces whose tile was erased show nothing (index 0).
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ranges
from ....formats.arrays import Array, Bools, Int32s, Integers, Ints, Singles
from ....formats.teeworlds import tile_faces
from ....formats.teeworlds import tiles as tile_geometry
from ....formats.teeworlds.tile_faces import TILE_FIELDS, UV_TILE, TileFaces, corner_positions
from ...scene import attributes
from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes, quads
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from . import memory
from .reshape import reshape

Cells = Ints
_BLOCK = 1 << 13  # faces that are worked on at a time, so that what is made on the way stays in the processor's cache


class FaceStore:
    """The faces of a layer, by cell."""

    def __init__(self, layer: bpy.types.Object, kind: str, shape: tuple[int, int], offset: tuple[int, int]) -> None:
        """Read a layer's mesh. offset: column and row of the cell at the object's origin. Raises SceneError for faces
        without four corners, and for attributes that hold no whole number a face.
        """
        mesh = layer.data
        if not isinstance(mesh, bpy.types.Mesh):
            raise SceneError(f"{layer.name} isn't a mesh", [layer])
        self.layer, self.mesh, self.kind, self.shape, self.offset = layer, mesh, kind, shape, offset
        self._preview: bpy.types.Object | None = None
        if not quads.are_quads(mesh):
            raise SceneError(f"{layer.name}: not all of its faces have four corners, as tiles do", [layer])
        self._memory = memory.take(mesh)
        count = len(mesh.polygons)
        self._read_corners()
        self._points = self._memory.positions[: 4 * count].reshape(-1, 4, 3)[..., :2]
        self._missing = [name for name in (*TILE_FIELDS[kind].attributes, UV_TILE) if mesh.attributes.get(name) is None]
        self._had_uvs = mesh.uv_layers.get(layout.UV) is not None
        self._attributes = {
            name: self._face_attribute(name, count) for name in (*TILE_FIELDS[kind].attributes, UV_TILE)
        }
        self._uvs = self._memory.uvs[: 4 * count].reshape(-1, 4, 2)
        if self._had_uvs:
            attributes.read(mesh, layout.UV, "CORNER", self._memory.uvs)
        else:
            self._uvs[:] = 0
        self._saved: list[tuple[Integers, dict[str, Int32s], Singles]] = []
        """Faces with the attributes and UVs that they had, in the order in which they were painted."""
        told = self._told()
        if mesh.attributes.get(UV_TILE) is None:  # of 0.3 or made by a script: its faces are what they show
            self._save(np.arange(count))
            self._attributes |= {name: field.copy() for name, field in told.items()}
            self._attributes[UV_TILE] = tile_faces.made_for(kind, told)
        cells, numbers = self._cells(), np.arange(count, dtype=np.int32)
        shown = (cells >= 0) & (told["index"] > 0)
        if not shown.all():
            cells, numbers = cells[shown], numbers[shown]
            told = {name: field[shown] for name, field in told.items()}
        places = cells.astype(np.intp)
        self._face = np.full(shape[0] * shape[1], -1, np.int32)
        """The number of the face of each cell, -1 for none."""
        self._face[places] = numbers
        below = np.zeros(0, np.intp)
        if np.count_nonzero(self._face >= 0) < len(numbers):
            below = np.flatnonzero(self._face[places] != numbers)
        self._doubles = numbers[below], cells[below]
        """Faces that lie below another of their cell, and their cells: an export would refuse both."""
        self.values: dict[str, Int32s] = {}
        for name, field in told.items():
            self.values[name] = np.zeros(shape, np.int32)
            self.values[name].reshape(-1)[places] = field
        self._new = np.zeros(shape[0] * shape[1], np.bool_)
        """Cells with a tile that has no face yet."""
        self._erased = np.zeros(count, np.bool_)
        self._painted = False

    def _read_corners(self) -> None:
        """Put the corners of the faces, in the object's space, into the memory's positions."""
        mesh, (made, other) = self.mesh, self._memory
        corner_verts = attributes.read(mesh, ".corner_vert", room=other)
        if corner_verts is None:  # there is no face
            return
        if len(mesh.vertices) == len(corner_verts) and ranges.are_in_order(corner_verts):
            attributes.read(mesh, "position", room=made)
        else:
            made[: len(corner_verts)] = np.asarray(attributes.read(mesh, "position"))[corner_verts]

    def _cells(self) -> Int32s:
        """The cell of each face, by its middle: row * width + column; -1 for those outside of the layer."""
        height, width = self.shape
        cells = np.empty(len(self._points), np.int32)
        for start in range(0, len(cells), _BLOCK):
            block = slice(start, start + _BLOCK)
            x, y = ((self._points[block, 0, axis] + self._points[block, 2, axis]) / 2 for axis in range(2))
            column = np.floor(x).astype(np.int32) + np.int32(self.offset[0])
            row = np.floor(-y).astype(np.int32) + np.int32(self.offset[1])
            inside = (column.view(np.uint32) < width) & (row.view(np.uint32) < height)  # negative ones are huge
            cells[block] = np.where(inside, row * np.int32(width) + column, -1)
        return cells

    def _face_attribute(self, name: str, count: int) -> Int32s:
        stored: bpy.types.Attribute | None = self.mesh.attributes.get(name)
        if stored is None:
            return np.zeros(count, np.int32)
        return attributes.whole_numbers(self.layer, name, stored.domain, attributes.read(self.mesh, name))

    def _told(self) -> dict[str, Int32s]:
        """Which tile each face is: by its attributes where UVs and corners say the same, and else by the rule."""
        told = {name: self._attributes[name] for name in TILE_FIELDS[self.kind].attributes}
        odd = np.flatnonzero(~self._plain(told))
        if len(odd):
            told = {name: field.copy() for name, field in told.items()}
            corners = self._points[odd] * np.array((1, -1), np.float64)
            made = None if self.mesh.attributes.get(UV_TILE) is None else self._attributes[UV_TILE][odd]
            some = {name: field[odd] for name, field in told.items()}
            uvs = None if self.mesh.uv_layers.get(layout.UV) is None else self._uvs[odd]
            faces = TileFaces(corners, uvs, np.zeros(len(odd), np.int32), some, made)
            decided, unreadable = tile_faces.decide(faces, tile_geometry.locate(corners, tile_faces.SNAP)[1], self.kind)
            decided["index"][unreadable] = some["index"][unreadable]
            for name, field in decided.items():
                told[name][odd] = field
        return told

    def _plain(self, told: dict[str, Int32s]) -> Bools:
        """Which faces are as an import makes them: with the UVs of their attributes, and corners in the usual order."""
        plain: Bools = self._attributes[UV_TILE] == tile_faces.made_for(self.kind, told)
        flags = told.get("flags", told["index"] & 0)
        for start in range(0, len(plain), _BLOCK):
            block = slice(start, start + _BLOCK)
            expected = tile_geometry.corner_uvs(told["index"][block], flags[block])
            plain[block] &= tile_geometry.same_uvs(self._uvs[block], expected)
            points = self._points[block]
            left, low, right, top = points[:, 0, 0], points[:, 1, 1], points[:, 2, 0], points[:, 3, 1]
            plain[block] &= (left == points[:, 1, 0]) & (right == points[:, 3, 0]) & (left < right)
            plain[block] &= (low == points[:, 2, 1]) & (top == points[:, 0, 1]) & (low < top)
        return plain

    def _save(self, faces: Integers) -> None:
        """Keep what faces are, which are about to be painted."""
        old = {name: field[faces] for name, field in self._attributes.items()}
        self._saved.append((faces, old, self._uvs[faces]))

    def put(self, cells: Cells) -> None:
        """Show what `values` now has in these cells."""
        faces = self._face[cells]
        there = faces >= 0
        below = self._doubles[0][np.isin(self._doubles[1], cells)]
        if len(below):
            self._save(below)
            self._erased[below] = True
            self._attributes["index"][below] = 0
        if there.any():
            self._paint(faces[there], cells[there])
        bare = cells[~there]
        if len(bare):
            self._new[bare] = self.values["index"].reshape(-1)[bare] > 0
            self._show_new()
        self.mesh.update_tag()

    def _paint(self, faces: Integers, cells: Cells) -> None:
        """Give faces the tiles of their cells. Erased ones have UVs made for another index, and so show nothing."""
        values = {name: field.reshape(-1)[cells] for name, field in self.values.items()}
        self._painted = True
        self._save(faces)
        self._erased[faces] = values["index"] == 0
        shown = faces[values["index"] > 0]
        made = self._attributes[UV_TILE]
        made[faces[(values["index"] == 0) & (made[faces] % tile_faces.INDICES == 0)]] = 1
        for name, field in values.items():
            self._attributes[name][faces] = field
            attributes.write(self.mesh, name, "FACE", "INT", self._attributes[name])
        told = {name: self._attributes[name][shown] for name in values}
        corners = tile_geometry.locate(self._points[shown] * np.array((1, -1), np.float32), tile_faces.SNAP)[1]
        uvs = tile_geometry.corner_uvs(told["index"], told.get("flags", told["index"] & 0))
        self._uvs[shown] = np.take_along_axis(uvs, np.maximum(corners, 0)[..., None].astype(np.intp), axis=1)
        off = (corners < 0).any(axis=1)
        self._attributes[UV_TILE][shown] = np.where(off, 0, tile_faces.made_for(self.kind, told))
        self._write_made()

    def _write_made(self) -> None:
        attributes.write(self.mesh, UV_TILE, "FACE", "INT", self._attributes[UV_TILE])
        if self.mesh.uv_layers.get(layout.UV) is None:
            self.mesh.uv_layers.new(name=layout.UV, do_init=False)
        attributes.write(self.mesh, layout.UV, "CORNER", "FLOAT2", self._uvs)

    def _added(self) -> tuple[Singles, dict[str, tuple[Domain, Kind, Array]], Array]:
        """Corners [4n, 3], face attributes and UVs [4n, 2] of the tiles that have no face yet."""
        cells = np.flatnonzero(self._new)
        values = {name: field.reshape(-1)[cells] for name, field in self.values.items()}
        row, column = np.divmod(cells.astype(np.int32), np.int32(max(self.shape[1], 1)))
        positions = corner_positions(column, row, self.shape)
        positions[:, :2] -= np.array((self.offset[0], -self.offset[1]), np.float32)
        uvs = tile_geometry.corner_uvs(values["index"], values.get("flags", values["index"] & 0))
        made = {**values, UV_TILE: tile_faces.made_for(self.kind, values)}
        faces: dict[str, tuple[Domain, Kind, Array]] = {name: ("FACE", "INT", field) for name, field in made.items()}
        return positions, faces, uvs.reshape(-1, 2)

    def _show_new(self) -> None:
        """Show the tiles that have no face yet by an object that goes when the edit ends."""
        positions, faces, uvs = self._added()
        mesh = meshes.build(f"{self.layer.name} stroke", positions, uvs={layout.UV: uvs}, attributes=faces, smooth=True)
        for material in self.mesh.materials:
            mesh.materials.append(material)
        if self._preview is not None:
            old = self._preview.data
            self._preview.data = mesh
            if isinstance(old, bpy.types.Mesh):
                bpy.data.meshes.remove(old)
            return
        preview = bpy.data.objects.new(showable(mesh.name), mesh)
        preview.parent, preview.color = self.layer, self.layer.color
        if self.layer.get(layout.ENVELOPE_COLOR) is not None:
            preview[layout.ENVELOPE_COLOR] = self.layer[layout.ENVELOPE_COLOR].to_list()
        for collection in self.layer.users_collection:
            collection.objects.link(preview)
        self._preview = preview

    def _hide_new(self) -> None:
        if self._preview is not None:
            mesh = self._preview.data
            bpy.data.objects.remove(self._preview)
            if isinstance(mesh, bpy.types.Mesh):
                bpy.data.meshes.remove(mesh)
            self._preview = None

    def finish(self) -> None:
        """Take erased faces out of the mesh, and add those of new tiles."""
        self._hide_new()
        if self._new.any() or self._erased.any():
            positions, faces, uvs = self._added()
            known = {**self._attributes, layout.UV: self._memory.uvs, "position": self._memory.positions}
            reshape(self.mesh, ~self._erased, positions, faces, {layout.UV: uvs}, known)
        self.mesh.update_tag()
        self._let_go()

    def _let_go(self) -> None:
        """The edit is over: nothing is read any more."""
        memory.give_back(self._memory)
        self._attributes.clear()
        del self._memory, self._uvs, self._points

    def restore(self) -> None:
        """Give the faces the attributes and UVs back that they had."""
        self._hide_new()
        if self._painted:
            for faces, old, uvs in reversed(self._saved):
                self._uvs[faces] = uvs
                for name, field in old.items():
                    self._attributes[name][faces] = field
            for name, field in self._attributes.items():
                attributes.write(self.mesh, name, "FACE", "INT", field)
            attributes.write(self.mesh, layout.UV, "CORNER", "FLOAT2", self._uvs)
            for name in self._missing:
                self.mesh.attributes.remove(self.mesh.attributes[name])
            if not self._had_uvs:
                self.mesh.uv_layers.remove(self.mesh.uv_layers[layout.UV])
        self.mesh.update_tag()
        self._let_go()
