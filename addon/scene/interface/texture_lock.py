# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that stay right while faces are moved in edit mode, as level editors lock them: on the faces, or in place.

Blender tells of each change, also of those while the mouse drags. What the UVs are then is worked out of a reference:
places and UVs of the faces round the selected vertices when these were selected, and with proportional editing of those
nearest to them. So nothing adds up, and what is moved back has the bits that it had. It needs no steps of undo of its
own: UVs are written while the tool runs, and the step that it makes has them. Where that step was made before Blender
told (a slow drag), undo and redo bring UVs that were written here on the way (`_Watch.written`), and are worked out
anew. UVs that came from elsewhere, as of a tool that lays textures, are the new reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import bmesh
import bpy
import numpy as np
from mathutils.kdtree import KDTree

from ....formats.arrays import Floats, Indices, Singles
from ....formats.texture_planes import FlatTextures
from ..blender_types import Value, persistent
from ..fields import declared
from ..kept import originals
from ..registering import Both, added_property, called, in_turn

KEY = "levelwright_textures"
"""The property of the window manager that holds the setting: of the session, so that undo leaves it alone."""
STRETCH, FACES, LEVEL = "STRETCH", "FACES", "LEVEL"
KEPT = 16
"""References of before that are remembered, for when undo brings them back."""
MOST = 20_000
"""Corners that are looked at while the mouse drags: of larger selections those of faces at the rim alone, since what is
moved or turned as a whole carries its textures by itself; with proportional editing the nearest ones.
"""

uv_maps: dict[str, str] = {}
"""By key of a game whose levels have such textures: the name of the UV map that they lie by."""


def _switched(_settings: bpy.types.bpy_struct, _context: bpy.types.Context) -> None:
    """Begin anew, at what is in edit mode now."""
    _forget()
    _look_again()


def _forget() -> None:
    _watches.clear()
    _kept.clear()


class LevelTextures(declared.Declared, bpy.types.PropertyGroup):
    """What becomes of textures when faces are moved."""

    moving: str = declared.menu(
        name="While Moving",
        description="What becomes of textures when faces, edges and vertices are moved in edit mode",
        items=[
            (STRETCH, "Stretch", "Textures are stretched with their faces, as Blender does it"),
            (FACES, "Lock", "Faces carry their textures along; none is stretched: reshaped faces show more or less"),
            (LEVEL, "In Place", "Textures stay where they are in the level, and faces move over them"),
        ],
        update=_switched,
    )


def settings(context: bpy.types.Context) -> LevelTextures:
    """The session's setting."""
    found: LevelTextures = getattr(context.window_manager, KEY)
    return found


@dataclass(slots=True, eq=False)
class _Faces:
    """The faces of a mesh in edit mode that are looked at, as they are now."""

    faces: list[bmesh.types.BMFace]
    corners: list[bmesh.types.BMLoop]
    points: Singles
    """[k, 3]: of the corners, in the object's space."""
    uv: Singles
    """[k, 2]."""
    sizes: Indices
    """Corners of each."""
    which: bytes
    """Which faces of which mesh are round the selected vertices."""


@dataclass(slots=True, eq=False)
class _Watch:
    """What faces were like before they were moved."""

    which: bytes
    faces: list[int]
    """Their numbers."""
    points: Singles
    uv: Singles
    sizes: Indices
    written: set[int] = field(default_factory=set)
    """Hashes of UVs that were written for these faces since, those that a moment later weren't right any more among
    them.
    """

    def moved(self, points: Singles, matrix: Floats, moving: str) -> Singles:
        """The UVs for corners at these points now. matrix: of the object."""
        if (points == self.points).all():
            return self.uv
        charts = np.repeat(np.arange(len(self.sizes)), self.sizes)
        before, after = (part.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3] for part in (self.points, points))
        side = np.sign(np.linalg.det(matrix[:3, :3]))
        old, new = (FlatTextures.normals_of(part, self.sizes, charts) * side for part in (before, after))
        uv = self.uv.astype(np.float64)
        textures = FlatTextures.of(before, uv, charts, old)
        found = textures.carried(uv, after, new) if moving == FACES else textures.in_place(uv, after)
        return found.astype(np.float32)


_watches: dict[int, _Watch] = {}
"""By `session_uid` of meshes in edit mode."""
_kept: dict[bytes, _Watch] = {}
"""By what they are about, the last references."""


def _look_at(obj: bpy.types.Object) -> None:
    """Bring the textures of an object in edit mode in line with where its faces are."""
    moving = settings(bpy.context).moving
    mesh = obj.data
    if moving == STRETCH or not isinstance(mesh, bpy.types.Mesh) or not mesh.is_editmode:
        return
    uv_map = _uv_map_of(obj)
    working = bmesh.from_edit_mesh(mesh)
    layer = working.loops.layers.uv.get(uv_map) if uv_map else None
    if layer is None:
        return
    watch = _watches.get(mesh.session_uid)
    now = _watched(mesh, working, layer, moving, watch)
    known = watch is not None and watch.which == now.which and np.array_equal(watch.sizes, now.sizes)
    if watch is None or not known or not ((now.uv == watch.uv).all() or hash(now.uv.tobytes()) in watch.written):
        _watches[mesh.session_uid] = _reference(now)
        return
    wanted = watch.moved(now.points, np.array(obj.matrix_world, np.float64), moving)
    if (wanted == now.uv).all():
        return
    watch.written.add(hash(wanted.tobytes()))
    other = np.flatnonzero((wanted != now.uv).any(axis=1))
    for number, uv in zip(other.tolist(), wanted[other].tolist(), strict=True):
        now.corners[number][layer].uv = uv
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _uv_map_of(obj: bpy.types.Object) -> str | None:
    """The UV map that the textures of an object's level lie by; None for what is in none that has such."""
    for level in originals.levels():
        if obj.name in level.all_objects and (uv_map := uv_maps.get(originals.format_of(level))):
            return uv_map
    return None


def _watched(
    mesh: bpy.types.Mesh, working: bmesh.types.BMesh, layer: Value, moving: str, watch: _Watch | None
) -> _Faces:
    """The faces that a drag may move, as they are now: see MOST. watch: what was looked at before, which is still right
    where the same is selected.
    """
    found = _selected(working, moving)
    spreads = _spreads(bpy.context)
    counts = (mesh.session_uid, len(working.verts), len(working.edges), len(working.faces))
    numbers = [(face.index, len(face.loops)) for face in found]
    which = np.array([counts[:2], counts[2:], (spreads, len(found)), *numbers], np.int64).tobytes()
    if spreads and watch is not None and watch.which == which:
        working.faces.ensure_lookup_table()
        found = [working.faces[number] for number in watch.faces]
    elif spreads:
        found = _nearest(working)
    corners = [loop for face in found for loop in face.loops]
    points = np.array([loop.vert.co[:] for loop in corners], np.float32).reshape(-1, 3)
    uv = np.array([loop[layer].uv[:] for loop in corners], np.float32).reshape(-1, 2)
    sizes = np.array([len(face.loops) for face in found], np.intp)
    return _Faces(found, corners, points, uv, sizes, which)


def _spreads(context: bpy.types.Context) -> bool:
    """Whether what is near the selected vertices is moved, too."""
    tools = context.tool_settings
    return tools is not None and tools.use_proportional_edit


def _selected(working: bmesh.types.BMesh, moving: str) -> list[bmesh.types.BMFace]:
    """The faces round the selected vertices, by number: see MOST."""
    found = {face for vertex in working.verts if vertex.select for face in vertex.link_faces if not face.hide}
    if moving == FACES and sum(len(face.verts) for face in found) > MOST:
        found = {face for face in found if not all(vertex.select for vertex in face.verts)}
    working.faces.index_update()
    return sorted(found, key=lambda face: face.index)


def _nearest(working: bmesh.types.BMesh) -> list[bmesh.types.BMFace]:
    """The faces nearest to the selected vertices, by number: all that aren't hidden, up to MOST corners. Those that are
    selected as a whole come last: they need it least.
    """
    shown = [face for face in working.faces if not face.hide]
    if sum(len(face.verts) for face in shown) <= MOST:
        return shown
    selected = [vertex.co[:] for vertex in working.verts if vertex.select]
    tree = KDTree(len(selected))
    for number, place in enumerate(selected):
        tree.insert(place, number)
    tree.balance()
    far = [tree.find(vertex.co[:])[2] if selected else 0.0 for vertex in working.verts]
    working.verts.index_update()
    near = [min(far[vertex.index] for vertex in face.verts) for face in shown]
    order = sorted(range(len(shown)), key=lambda at: (all(vertex.select for vertex in shown[at].verts), near[at]))
    ends = np.cumsum([len(shown[at].verts) for at in order])
    return sorted((shown[at] for at in order[: int(np.searchsorted(ends, MOST))]), key=lambda face: face.index)


def _reference(now: _Faces) -> _Watch:
    """What these faces are like now, with what was written for them when they were like this before."""
    key = now.which + now.points.tobytes() + now.uv.tobytes()
    found = _kept.pop(key, None)
    if found is None:
        found = _Watch(now.which, [face.index for face in now.faces], now.points, now.uv, now.sizes)
    _kept[key] = found
    while len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return found


def _edited(depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Object]:
    """The objects in edit mode that Blender tells a change of."""
    for update in depsgraph.updates:
        block = update.id.original if update.id is not None else None
        if isinstance(block, bpy.types.Object) and block.mode == "EDIT" and block.type == "MESH":
            yield block


def _look_again() -> None:
    """Look at what is in edit mode now."""
    view_layer = bpy.context.view_layer
    for obj in view_layer.objects if view_layer is not None else ():
        _look_at(obj)


@persistent
def _follow(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Let textures follow. A handler of `depsgraph_update_post`."""
    if depsgraph is None or settings(bpy.context).moving == STRETCH:
        return
    for obj in list(_edited(depsgraph)):
        _look_at(obj)


@persistent
def _subscribe(*_: object) -> None:
    """Be told when proportional editing is switched on, of which no depsgraph is. A handler of `load_post`: other files
    end that.
    """
    bpy.msgbus.clear_by_owner(_watches)
    key: Value = (bpy.types.ToolSettings, "use_proportional_edit")
    bpy.msgbus.subscribe_rna(key=key, owner=_watches, args=(), notify=_look_again)


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the setting, and what it can't do with what is edited now."""
    layout.label(text="While moving")
    layout.row(align=True).prop(settings(context), "moving", expand=True)
    if settings(context).moving != STRETCH and _spreads(context) and _is_large(context.edit_object):
        layout.label(text=f"Only the nearest {MOST:,} corners: others stretch", icon="INFO")


def _is_large(obj: bpy.types.Object | None) -> bool:
    """Whether a mesh has more corners than are looked at."""
    mesh = obj.data if obj is not None else None
    return isinstance(mesh, bpy.types.Mesh) and mesh.is_editmode and len(mesh.loops) > MOST


register, unregister = in_turn(
    LevelTextures,
    added_property(bpy.types.WindowManager, KEY, declared.pointer(LevelTextures)),
    Both(unregister=_forget),
    called(bpy.app.handlers.depsgraph_update_post, _follow),
    called(bpy.app.handlers.load_post, _subscribe),
    Both(_subscribe, partial(bpy.msgbus.clear_by_owner, _watches)),
)
"""Textures follow from now on."""
