# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cuts and hollows of a `.3dt` leave of its brushes, as the editor's CSG works it out before it compiles.

The preview is objects of its own, made anew each time, which are never exported; while it is there, the brushes
themselves are wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import bpy
import numpy as np
from mathutils import Matrix

from ....formats.arrays import Singles
from ....formats.genesis import csg, geometry
from ....formats.genesis.editor_level import EditorBrush, EditorFace, Level3dt
from ....formats.genesis.geometry import APPEARANCES, FaceAppearance, Geometry
from ....formats.solid_leaks import Sealing
from ...scene.blender_types import Value
from ...scene.geometry import meshes
from ...scene.kept import identity, originals
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.work.progress import Steps
from .. import layout
from ..brushes.build import put
from ..context import Destination
from ..faces.build import MeshArrays, mesh_arrays, texture_sizes
from ..materials.build import Materials

NAME = "Preview"
SHOWN_AS = "levelwright_shown_as"
"""On brushes that the preview turned into wire: how they were displayed before."""
_Display = Literal["BOUNDS", "WIRE", "SOLID", "TEXTURED"]
_DISPLAYS: tuple[_Display, ...] = get_args(_Display)


def collection_of(level: bpy.types.Collection) -> bpy.types.Collection | None:
    """The collection of a level's preview, if it is there."""
    return next((child for child in level.children if identity.kind_of(child) == layout.PREVIEW), None)


def build(
    collection: bpy.types.Collection, level: Level3dt, materials: Materials, sealing: Sealing | None = None
) -> Steps[None]:
    """Show what is left of the brushes of `level`, which is what the collection's scene says. Nothing is changed before
    the last step.

    sealing: of the level; with it, only faces of the world that look into rooms are shown, as far as it doesn't move.
    Raises SceneError where there are none.
    """
    pieces = yield from csg.carved.steps(level)
    shown = _shapes(pieces, materials, sealing)
    remove(collection)
    token = identity.Token(_token(collection))
    home = make_collection(collection)
    parents = _model_parents(collection, level)
    for model_id, (shape, arrays) in shown.items():
        obj = bpy.data.objects.new(showable(f"{NAME} {model_id}"), _mesh(shape, arrays, materials))
        identity.stamp(obj, token, layout.PREVIEW, -1)
        obj.hide_select = True
        parent, inverse = parents.get(model_id, (materials.importing.root, None))
        put(obj, Destination(home, parent, inverse), np.zeros(3, np.float32))
    show_as_wire(_brushes(collection))
    materials.importing.report.count("convex parts in the preview", len(pieces))


def _shapes(
    pieces: Sequence[csg.CsgPiece], materials: Materials, sealing: Sealing | None
) -> dict[int, tuple[Geometry, MeshArrays]]:
    """The shape and the mesh of each group of models, by its number: pieces of one move together. sealing: see `build`.

    Raises SceneError.
    """
    by_model: dict[int, list[tuple[int, EditorBrush]]] = {}
    for number, piece in enumerate(pieces):
        faces = [_face(face, points) for face, points in piece.faces]
        brush = EditorBrush(piece.brush.name, piece.flags, piece.brush.model_id, faces=faces)
        by_model.setdefault(brush.model_id, []).append((number, brush))
    shown = {}
    for model_id, rows in by_model.items():
        shape = geometry.of_editor(rows)
        arrays = mesh_arrays(shape, texture_sizes(shape, materials), apart=False)
        shown[model_id] = shape, arrays if sealing is None or model_id else _of_rooms(arrays, sealing)
    return shown


def _mesh(shape: Geometry, arrays: MeshArrays, materials: Materials) -> bpy.types.Mesh:
    codes = shape.texture[arrays.with_corners] * APPEARANCES + shape.appearance[arrays.with_corners]
    unique, slots = np.unique(codes, return_inverse=True)
    mesh = meshes.build(
        NAME,
        arrays.positions,
        arrays.corners,
        arrays.corner_starts[arrays.with_corners],
        uvs={layout.UV: arrays.uvs},
        attributes={"alpha": ("FACE", "FLOAT", shape.fields["alpha"][arrays.with_corners])},
        material_index=slots.reshape(-1),
        report=materials.importing.report,
    )
    for code in unique.tolist():
        mesh.materials.append(materials.get(shape.names[code // APPEARANCES], FaceAppearance(code % APPEARANCES)))
    return mesh


def _of_rooms(arrays: MeshArrays, sealing: Sealing) -> MeshArrays:
    """The faces that look into rooms, of brushes that don't move. Raises SceneError where none does."""
    starts = np.append(arrays.corner_starts[arrays.with_corners], len(arrays.corners)).astype(np.int64)
    positions = layout.from_blender(arrays.positions.astype(np.float64))
    inner = sealing.inner_polygons(positions, arrays.corners.astype(np.int64), starts)
    if not inner.any():
        raise SceneError("no face looks into a room that is closed: the level leaks", mend=layout.FIND_LEAKS)
    counts, corners = np.diff(starts), np.repeat(inner, np.diff(starts))
    faces = arrays.with_corners[inner]
    first = np.zeros_like(arrays.corner_starts)
    first[faces] = np.cumsum(counts[inner]) - counts[inner]
    return replace(
        arrays, corners=arrays.corners[corners], corner_starts=first, with_corners=faces, uvs=arrays.uvs[corners]
    )


def make_collection(level: bpy.types.Collection) -> bpy.types.Collection:
    """Make the collection of a level's preview."""
    home = bpy.data.collections.new(showable(f"{level.name} preview"))
    identity.stamp(home, identity.Token(_token(level)), layout.PREVIEW, 0)
    level.children.link(home)
    return home


def show_as_wire(objects: list[bpy.types.Object]) -> None:
    """Show brushes as wire as long as the preview is there."""
    for obj in objects:
        obj[SHOWN_AS] = [obj.display_type, str(int(obj.hide_render))]
        obj.display_type, obj.hide_render = "WIRE", True


def remove(collection: bpy.types.Collection) -> None:
    """Remove the preview, and show the brushes as they were."""
    home = collection_of(collection)
    if home is None:
        return
    made = list(home.objects)
    meshes_of = Counter(obj.data for obj in made if obj.data is not None)
    own = [mesh for mesh, users in meshes_of.items() if mesh.users == users]  # live ones share the brush's
    bpy.data.batch_remove([*made, *own, home])
    for obj in _brushes(collection):
        if obj.get(SHOWN_AS) is not None:
            obj.display_type, obj.hide_render = _shown_as(obj[SHOWN_AS])
            del obj[SHOWN_AS]


def _shown_as(kept: Value) -> tuple[_Display, bool]:
    """How a brush was displayed, and whether it was hidden in renders; as most are where somebody changed that."""
    display, hidden = kept if isinstance(kept, list) and len(kept) == 2 else ("TEXTURED", "0")
    return next((known for known in _DISPLAYS if known == display), "TEXTURED"), hidden == "1"


def _brushes(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    found = (obj for obj in collection.all_objects if obj.type == "MESH")
    return [obj for obj in found if identity.kind_of(obj) != layout.PREVIEW]


def _token(collection: bpy.types.Collection) -> int:
    info = originals.describe(collection)
    return int(info.token) if info else 0


def _face(face: EditorFace, points: Singles) -> EditorFace:
    made = EditorFace(points, face.texture, face.flags, face.light, face.mip_map_bias, face.translucency)
    made.reflectivity, made.rotate, made.shift = face.reflectivity, face.rotate, face.shift
    made.scale, made.light_scale = face.scale, face.light_scale
    return made


def _model_parents(collection: bpy.types.Collection, level: Level3dt) -> dict[int, tuple[bpy.types.Object, Matrix]]:
    """What each model's brushes are children of, and their parent inverse."""
    found: dict[int, tuple[bpy.types.Object, Matrix]] = {}
    moving = {
        mark.record: obj
        for obj in collection.all_objects
        if (mark := identity.stamped(obj)) is not None and mark.kind == layout.MOTION
    }
    for record, model in enumerate(level.models):
        parent = moving.get(record)
        child = next((obj for obj in parent.children if obj.type == "MESH"), None) if parent is not None else None
        if parent is not None and child is not None:
            found[model.model_id] = (parent, child.matrix_parent_inverse.copy())
    return found
