# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces: those that all games share, and the editor's own two ways to lay one.

New faces remember what a tool gave them (layout.TEXTURES): so they are no longer laid as the editor lays new ones.
"""

from __future__ import annotations

import bmesh
import bpy
import numpy as np

from ....formats import matrices, ns2
from ....formats.arrays import Floats, Indices, Records
from ....formats.counting import number_of
from ....formats.ns2 import texture_mapping
from ....formats.ns2.editing import TEXTURE
from ....formats.ns2.editing.mappings import USUAL_SCALE
from ....formats.ns2.texture_mapping import Mapping
from ....formats.texture_planes import FlatTextures
from ...scene import attributes
from ...scene.blender_types import Value
from ...scene.fields import declared
from ...scene.geometry.edit_mode import readable
from ...scene.interface.texture_tools import (
    AlignTexture,
    FitTexture,
    Selection,
    ShiftTexture,
    TexturePanel,
    TextureTool,
    TurnTexture,
)
from ...scene.kept import identity, originals
from ...scene.level import root_of
from ...scene.reports import SceneError
from .. import layout


class _OnFaces(TextureTool):
    """What the tools of this game share."""

    uv_map = layout.UV

    def charts(
        self, obj: bpy.types.Object, faces: list[bmesh.types.BMFace]
    ) -> tuple[list[bmesh.types.BMFace], Indices]:
        """Polygons on both sides of a bridge are one face: all of it, also where only some are selected."""
        with readable(obj) as mesh:
            found = attributes.read(mesh, layout.BRIDGE, "EDGE")
        bridges = set() if found is None else set(np.flatnonzero(found).tolist())
        if not bridges:
            return super().charts(obj, faces)
        numbers: dict[bmesh.types.BMFace, int] = {}
        for count, face in enumerate(faces):
            waiting = [face] if face not in numbers else []
            while waiting:
                part = waiting.pop()
                numbers[part] = count
                beyond = (other for edge in part.edges if edge.index in bridges for other in edge.link_faces)
                waiting += [other for other in beyond if other not in numbers]
        return list(numbers), np.unique(list(numbers.values()), return_inverse=True)[1].reshape(-1)

    def prepare(self, working: bmesh.types.BMesh) -> None:
        """New faces remember their angle, scale and offset."""
        floats = working.faces.layers.float
        for name in layout.TEXTURES if _has_new_faces(working) else ():
            if floats.get(name) is None:
                floats.new(name)

    def after_laying(self, level: bpy.types.Collection, part: Selection) -> None:
        """Let new faces remember their angle, scale and offset."""
        ids = part.working.faces.layers.int.get(identity.ID)
        pairs = zip(part.faces, part.charts.tolist(), strict=True)
        new = [(face, chart) for face, chart in pairs if ids is None or face[ids] == 0]
        if not new:
            return
        points, normals = below_root(level, part.textures)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = texture_mapping.solve(points, normals, part.textures.uv, part.textures.charts).mapping
        values = [np.asarray(getattr(found, name)).reshape(len(normals), -1)[:, place] for name, place in TEXTURE]
        layers: list[Value] = [part.working.faces.layers.float.get(name) for name in layout.TEXTURES]
        for face, chart in new:
            for layer, column in zip(layers, values, strict=True):
                face[layer] = column[chart] if np.isfinite(column[chart]) else 0.0


def _has_new_faces(working: bmesh.types.BMesh) -> bool:
    ids = working.faces.layers.int.get(identity.ID)
    return ids is None or any(face[ids] == 0 for face in working.faces if face.select)


class _Straight(_OnFaces):
    """Those that begin with a texture that isn't slanted: one that a mapping group projects on a face that looks
    elsewhere may be, and no angle, scale and offset of the face's own would say it once it was turned or scaled.
    """

    def lay(self, context: bpy.types.Context, part: Selection) -> FlatTextures:
        """Straighten, and lay."""
        part.textures = part.textures.straightened()
        return super().lay(context, part)


def below_root(level: bpy.types.Collection, textures: FlatTextures) -> tuple[Floats, Floats]:
    """The points and normals of textures as the level has them: below its root, in Spark's axes."""
    root = root_of(level)
    matrix = matrices.inverse(np.array(root.matrix_world, np.float64)) if root is not None else np.eye(4)
    points = textures.points @ matrix[:3, :3].T + matrix[:3, 3]
    normals = textures.normals @ matrices.inverse(matrix[:3, :3])
    return layout.from_blender(points), layout.from_blender(normals)


class LEVELWRIGHT_OT_ns2_texture_fit(_Straight, FitTexture):
    """Let the texture fit the selected faces: so often on each of them, or on all together"""

    bl_idname = "levelwright.ns2_texture_fit"


class LEVELWRIGHT_OT_ns2_texture_turn(_Straight, TurnTexture):
    """Turn the texture on the selected faces, about the middle of each"""

    bl_idname = "levelwright.ns2_texture_turn"


class LEVELWRIGHT_OT_ns2_texture_shift(_OnFaces, ShiftTexture):
    """Shift the texture on the selected faces"""

    bl_idname = "levelwright.ns2_texture_shift"


class LEVELWRIGHT_OT_ns2_texture_align(_Straight, AlignTexture):
    """Turn the texture of the selected faces as one looks at them, along an edge, or let it run on from a neighbour"""

    bl_idname = "levelwright.ns2_texture_align"


class LEVELWRIGHT_OT_ns2_texture_lay(_OnFaces):
    """Lay the texture of the selected faces as the editor does: as on new faces, or as the level says"""

    bl_idname = "levelwright.ns2_texture_lay"
    bl_label = "Lay Texture"

    how: str = declared.menu(
        name="How",
        items=[
            ("WORLD", "As on New Faces", "Along the world's axes, 1,024 pixels in 128 inches"),
            ("LEVEL", "As in the Level", "By angle, scale and offset of the level, where the faces are now"),
        ],
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it. Raises SceneError."""
        self._level = level
        return super().change(context, level)

    def lay(self, _context: bpy.types.Context, part: Selection) -> FlatTextures:
        """By angle, scale and offset: usual ones, or those of the file."""
        points, normals = below_root(self._level, part.textures)
        count = len(normals)
        angle, scale, offset = np.zeros(count), np.full((count, 2), USUAL_SCALE), np.zeros((count, 2))
        if self.how == "LEVEL":
            records = _file_records(self._level)
            chosen = np.full(count, -1, np.intp)
            chosen[part.charts] = _records_of(part, self._level) - 1
            known = np.flatnonzero((chosen >= 0) & (chosen < len(records)))
            if len(known) < count:
                raise SceneError(
                    f"{count - len(known)} of {number_of(count, 'faces are')} new: the level doesn't say how they lie"
                )
            angle, scale, offset = (records[name][chosen].astype(np.float64) for name in ("angle", "scale", "offset"))
        charts = part.textures.charts
        uv = texture_mapping.coordinates(points, normals, Mapping(angle, scale, offset), charts)
        return FlatTextures.of(part.textures.points, uv, charts, part.textures.normals)


def _file_records(level: bpy.types.Collection) -> Records:
    """The faces of a level's file."""
    original = originals.find(level)
    return (ns2.read(original.data) if original is not None else ns2.new_level()).mesh.faces.records


def _records_of(part: Selection, level: bpy.types.Collection) -> Indices:
    """The number + 1 in the level's file of each selected face, 0: it is new."""
    layers = part.working.faces.layers.int
    ids, checks = layers.get(identity.ID), layers.get(identity.CHECK)
    info = originals.describe(level)
    if ids is None or checks is None or info is None:
        return np.zeros(len(part.faces), np.intp)
    found = np.array([(face[ids], face[checks]) for face in part.faces], np.int32).reshape(-1, 2)
    return identity.valid_ids(found[:, 0].copy(), found[:, 1].copy(), info.token).astype(np.intp)


class LEVELWRIGHT_PT_ns2_textures(TexturePanel, bpy.types.Panel):
    """Textures of selected faces."""

    bl_parent_id = "LEVELWRIGHT_PT_ns2"
    fit, turn = LEVELWRIGHT_OT_ns2_texture_fit, LEVELWRIGHT_OT_ns2_texture_turn
    shift, align = LEVELWRIGHT_OT_ns2_texture_shift, LEVELWRIGHT_OT_ns2_texture_align

    def draw_rows(self, column: bpy.types.UILayout) -> None:
        """Draw the buttons, and those of this game."""
        super().draw_rows(column)
        row = column.row(align=True)
        for how, text in (("WORLD", "As on New Faces"), ("LEVEL", "As in the Level")):
            row.operator(LEVELWRIGHT_OT_ns2_texture_lay.bl_idname, text=text).how = how


CLASSES = (
    LEVELWRIGHT_OT_ns2_texture_fit,
    LEVELWRIGHT_OT_ns2_texture_turn,
    LEVELWRIGHT_OT_ns2_texture_shift,
    LEVELWRIGHT_OT_ns2_texture_align,
    LEVELWRIGHT_OT_ns2_texture_lay,
    LEVELWRIGHT_PT_ns2_textures,
)
