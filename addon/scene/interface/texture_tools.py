# SPDX-License-Identifier: GPL-3.0-or-later
"""Laying textures on the selected faces of meshes in edit mode, as level editors do: fit, turn, shift, align, run on.

A game's operators are those of this module with its prefix. What they change are UVs, as any edit of UVs; where
polygons are one face of the game's (round a hole), it says so by `TextureTool.charts`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import bmesh
import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ....formats.arrays import Floats, Indices
from ....formats.counting import number_of
from ....formats.texture_planes import FlatTextures
from ..blender_types import Value, mesh_of
from ..fields import declared
from ..geometry.edit_mode import edited_meshes
from ..reports import SceneError
from . import texture_lock
from .sidebar import LevelOperator, LevelPanel

HALF = (0.5, 0.5)


@dataclass(slots=True, eq=False)
class Selection:
    """The selected faces of one mesh in edit mode."""

    object: bpy.types.Object
    working: bmesh.types.BMesh
    faces: list[bmesh.types.BMFace]
    charts: Indices
    """[faces]: which of them have one texture."""
    textures: FlatTextures
    """In the world's axes; corners are the faces', one face behind the other."""

    @property
    def active(self) -> int | None:
        """The chart of the face that was selected last; None where there is no such face among them."""
        face = self.working.faces.active
        return int(self.charts[self.faces.index(face)]) if face is not None and face in self.faces else None


class TextureTool(LevelOperator):
    """Base of what follows."""

    needs_mode = "EDIT_MESH"

    uv_map: ClassVar[str]
    """The name of the map that the game's textures lie by."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "uv_map"):
            texture_lock.uv_maps[cls.format_key] = cls.uv_map

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Lay the textures of the selected faces anew. Raises SceneError where none is selected."""
        count = 0
        for part in list(self._selections(context)):
            before = uvs(part, self.uv_map)
            textures = self.lay(context, part)
            write(part, textures, self.coordinates(textures, before), self.uv_map)
            self.after_laying(level, part)
            count += len(part.faces)
        if not count:
            raise SceneError("no face is selected")
        self.report({"INFO"}, number_of(count, "faces"))
        return True

    def lay(self, context: bpy.types.Context, part: Selection) -> FlatTextures:
        """How textures lie then. Raises SceneError."""
        raise NotImplementedError

    def coordinates(self, textures: FlatTextures, _before: Floats) -> Floats:
        """The UVs of the corners, [k, 2], for textures that lie so. _before: what they were."""
        return textures.uv

    def prepare(self, working: bmesh.types.BMesh) -> None:
        """Give a mesh the layers that the game needs, before its faces are looked at (new ones make these stale)."""

    def after_laying(self, level: bpy.types.Collection, part: Selection) -> None:
        """Do what the game needs after the UVs were written: nothing."""

    def charts(
        self, _obj: bpy.types.Object, faces: list[bmesh.types.BMFace]
    ) -> tuple[list[bmesh.types.BMFace], Indices]:
        """The faces that the tool is used on where some are selected, and the chart of each, from 0 on: those that are
        one of the game's have one texture. These, each by itself.
        """
        return faces, np.arange(len(faces))

    def _selections(self, context: bpy.types.Context) -> Iterator[Selection]:
        for obj in edited_meshes(context):
            mesh = mesh_of(obj)
            working = bmesh.from_edit_mesh(mesh)
            if not any(face.select and not face.hide for face in working.faces):
                continue
            if working.loops.layers.uv.get(self.uv_map) is None:
                working.loops.layers.uv.new(self.uv_map)
            self.prepare(working)
            faces = [face for face in working.faces if face.select and not face.hide]
            faces, charts = self.charts(obj, faces)
            yield Selection(obj, working, faces, charts, read(obj, working, faces, charts, self.uv_map))


def read(
    obj: bpy.types.Object, working: bmesh.types.BMesh, faces: list[bmesh.types.BMFace], charts: Indices, uv_map: str
) -> FlatTextures:
    """How textures lie on faces of a mesh in edit mode, each of a chart, by this UV map."""
    points = np.array([loop.vert.co for face in faces for loop in face.loops], np.float64)
    uv = _uvs(working, faces, uv_map)
    matrix = np.array(obj.matrix_world, np.float64)
    points = points @ matrix[:3, :3].T + matrix[:3, 3]
    sizes = np.array([len(face.loops) for face in faces])
    corners = np.repeat(charts, sizes)
    normals = FlatTextures.normals_of(points, sizes, corners)
    if np.linalg.det(matrix[:3, :3]) < 0:  # mirrored ones show the side that they did
        normals = -normals
    return FlatTextures.of(points, uv, corners, normals)


def _layer(working: bmesh.types.BMesh, uv_map: str) -> Value:
    """A UV map of a mesh in edit mode, which there is."""
    return working.loops.layers.uv.get(uv_map)


def uvs(part: Selection, uv_map: str) -> Floats:
    """The UVs of the corners of a selection, [k, 2]."""
    return _uvs(part.working, part.faces, uv_map)


def _uvs(working: bmesh.types.BMesh, faces: list[bmesh.types.BMFace], uv_map: str) -> Floats:
    layer = _layer(working, uv_map)
    return np.array([loop[layer].uv for face in faces for loop in face.loops], np.float64)


def write(part: Selection, textures: FlatTextures, coordinates: Floats, uv_map: str) -> None:
    """Give the corners of a selection other textures, and these UVs [k, 2]; where they aren't finite they stay."""
    layer = _layer(part.working, uv_map)
    corners = [loop for face in part.faces for loop in face.loops]
    for loop, uv in zip(corners, coordinates.tolist(), strict=True):
        if math.isfinite(uv[0] + uv[1]):
            loop[layer].uv = uv
    mesh = mesh_of(part.object)
    part.textures = textures
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


class FitTexture(TextureTool):
    """Let the texture fit the selected faces: so often on each of them, or on all together"""

    bl_label = "Fit Texture"

    repeats: Sequence[float] = declared.vector(
        name="Repeats", description="How often it repeats", size=2, default=(1.0, 1.0), step=50
    )
    together: bool = declared.boolean(name="Together", description="On all selected faces as one")

    def lay(self, _context: bpy.types.Context, part: Selection) -> FlatTextures:
        """Fit."""
        return part.textures.fitted((self.repeats[0], self.repeats[1]), self.together)


class TurnTexture(TextureTool):
    """Turn the texture on the selected faces, about the middle of each"""

    bl_label = "Turn Texture"

    angle: float = declared.number(
        name="Angle", description="Against the clock, as one looks at it", subtype="ANGLE", default=math.pi / 2
    )

    def lay(self, _context: bpy.types.Context, part: Selection) -> FlatTextures:
        """Turn."""
        return part.textures.turned(self.angle)


class ShiftTexture(TextureTool):
    """Shift the texture on the selected faces"""

    bl_label = "Shift Texture"

    by: Sequence[float] = declared.vector(
        name="By", description="Repeats to the right and up", size=2, default=HALF, step=50
    )

    def lay(self, _context: bpy.types.Context, part: Selection) -> FlatTextures:
        """Shift."""
        return part.textures.shifted((self.by[0], self.by[1]))

    def coordinates(self, _textures: FlatTextures, before: Floats) -> Floats:
        """Shifted exactly, on bent faces and slivers, too, where no flat texture gives what there is."""
        return np.asarray(before - np.array(self.by, np.float64))


class AlignTexture(TextureTool):
    """Turn the texture of the selected faces as one looks at them, along an edge, or let it run on from a neighbour"""

    bl_label = "Align Texture"

    to: str = declared.menu(
        name="To",
        items=[
            ("VIEW", "View", "Upright as one looks at it now"),
            ("EDGE", "Edge", "Along the edge that was selected last, or the longest of each face"),
            ("NEIGHBOUR", "Neighbour", "Running on from the face that was selected last, over the selected ones"),
        ],
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Align. Raises SceneError where there is nothing to align to."""
        if self.to == "VIEW":
            _view_of(context)
        return super().change(context, level)

    def lay(self, context: bpy.types.Context, part: Selection) -> FlatTextures:
        """Align."""
        if self.to == "NEIGHBOUR":
            return _run_on(part)
        if self.to == "EDGE":
            directions = _edges(part)
            return part.textures.along(part.textures.nearest_side(directions))
        right = np.array(_view_of(context) @ Vector((1, 0, 0)))
        return part.textures.along(np.broadcast_to(right, part.textures.normals.shape))


def _view_of(context: bpy.types.Context) -> Quaternion:
    """How the 3D view is turned that one looks at. Raises SceneError where there is none."""
    region: bpy.types.RegionView3D | None = getattr(context.space_data, "region_3d", None)
    if region is None:
        raise SceneError("there is no 3D view to align to")
    turned: Quaternion = region.view_rotation
    return turned


def _edges(part: Selection) -> Floats:
    """For each chart the direction of the active edge, or else of its longest edge, [c, 3] in the world."""
    turn = np.array(part.object.matrix_world, np.float64)[:3, :3]
    active = part.working.select_history.active
    made = np.zeros((len(part.textures.normals), 3))
    longest = np.zeros(len(made))
    if isinstance(active, bmesh.types.BMEdge):
        made[:] = turn @ np.array(active.verts[1].co - active.verts[0].co)
        return _unit(made)
    for face, chart in zip(part.faces, part.charts.tolist(), strict=True):
        for edge in face.edges:
            along = turn @ np.array(edge.verts[1].co - edge.verts[0].co)
            length = float(np.linalg.norm(along))
            if length > longest[chart] * (1 + 1e-6):
                made[chart], longest[chart] = along, length
    return _unit(made)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny))


def _run_on(part: Selection) -> FlatTextures:
    """The textures when that of the active face runs on over edges between selected faces, the nearest first."""
    start = part.active
    if start is None:
        raise SceneError("select the face last that the texture is to run on from")
    matrix = part.object.matrix_world
    known, waiting, textures = {start}, deque([start]), part.textures
    of_face = dict(zip(part.faces, part.charts.tolist(), strict=True))
    members: dict[int, list[bmesh.types.BMFace]] = {}
    for face, chart in of_face.items():
        members.setdefault(chart, []).append(face)
    while waiting:
        source = waiting.popleft()
        for edge in (edge for face in members[source] for edge in face.edges):
            for other in edge.link_faces:
                chart = of_face.get(other)
                if chart is None or chart in known:
                    continue
                ends = [np.array(matrix @ vertex.co, np.float64) for vertex in edge.verts]
                textures = textures.run_on(chart, source, ends[0], ends[1])
                known.add(chart)
                waiting.append(chart)
    return textures


class TexturePanel(LevelPanel):
    """Mixed into the sidebar's part about textures. fit, turn, shift, align: the game's operators."""

    bl_label = "Textures"
    needs_mode = "EDIT_MESH"
    anchor = "what-can-be-edited"

    fit: ClassVar[type[FitTexture]]
    turn: ClassVar[type[TurnTexture]]
    shift: ClassVar[type[ShiftTexture]]
    align: ClassVar[type[AlignTexture]]

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons."""
        self.draw_rows(self.layout.column(align=True))
        texture_lock.draw(self.layout.column(align=True), context)

    def draw_rows(self, column: bpy.types.UILayout) -> None:
        """Draw the buttons of all games."""
        row = column.row(align=True)
        for together, text in ((False, "Fit"), (True, "Fit Together")):
            row.operator(self.fit.bl_idname, text=text).together = together
        row = column.row(align=True)
        row.operator(self.turn.bl_idname, text="Turn by 90\N{DEGREE SIGN}").angle = math.pi / 2
        for text, by in (("Half Right", (0.5, 0.0)), ("Half Up", (0.0, 0.5))):
            row.operator(self.shift.bl_idname, text=text).by = by
        row = column.row(align=True)
        for to, text in (("VIEW", "To View"), ("EDGE", "To Edge"), ("NEIGHBOUR", "Run On")):
            row.operator(self.align.bl_idname, text=text).to = to


def classes_of(game: str, format_key: str, uv_map: str) -> tuple[type, ...]:
    """Make the operators and the panel of a game whose textures need but their UVs laid; register them in order.

    game: as operators' names begin. format_key, uv_map: of its levels, and of what their textures lie by.
    """
    own: dict[str, object] = {"format_key": format_key, "uv_map": uv_map}
    made = {}
    for word, base in {"fit": FitTexture, "turn": TurnTexture, "shift": ShiftTexture, "align": AlignTexture}.items():
        named = {"__doc__": base.__doc__, "__module__": __name__, "bl_idname": f"levelwright.{game}_texture_{word}"}
        made[word] = type(f"LEVELWRIGHT_OT_{game}_texture_{word}", (base,), {**own, **named})
    parent = {"__module__": __name__, "bl_parent_id": f"LEVELWRIGHT_PT_{game}", "format_key": format_key}
    panel = type(f"LEVELWRIGHT_PT_{game}_textures", (TexturePanel, bpy.types.Panel), {**parent, **made})
    return (*made.values(), panel)
