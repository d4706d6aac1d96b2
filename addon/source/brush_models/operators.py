# SPDX-License-Identifier: GPL-3.0-or-later
"""New brush entities: boxes at the 3D cursor, and what was drawn or imported as brushes of the world; and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....formats.arrays import Bools
from ....formats.binary import FormatError
from ....formats.source.edits import brush_models
from ....formats.source.entities import brush_classes
from ....formats.source.entities.text import CLASSNAME
from ....formats.source.records import Contents
from ...scene import attributes
from ...scene.fields import declared
from ...scene.geometry import meshes
from ...scene.interface.sidebar import AskingOperator, LevelOperator
from ...scene.kept import identity
from ...scene.names import showable, storable
from ...scene.reports import Report, SceneError
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known
from ..brushes.operators import box
from ..context import ImportContext
from . import whole

_WALL = "dev/dev_measuregeneric01"
_OF_BRUSHES = (layout.SIDE, layout.BRUSH)
_OF_FACES = (
    *(identity.ID, identity.CHECK, layout.VERTEX_ID, layout.VERTEX_CHECK, layout.TEXINFO, layout.ORIGINAL_FACE),
    *(layout.SMOOTHING_GROUPS, layout.FLAGS, *layout.LIGHT_STYLES),
)
"""Attributes that say which records a mesh's elements are: what stands for others has none."""


def add_brush_entity(
    context: bpy.types.Context, level: bpy.types.Collection, classname: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add a box that is a brush entity, its corners on the grid. place: its middle, units below the root.

    Raises SceneError.
    """
    importing = importing_into(context, level, report)
    _check_class(importing, classname)
    material = brush_classes.TRIGGER_TEXTURE if brush_classes.is_trigger(classname) else _WALL
    made = box(importing, classname, material, place)
    for _, mesh in _meshes([made]):
        _center(made, mesh)
    made[CLASSNAME] = storable(classname)
    importing.group(layout.BRUSH_ENTITIES).objects.link(made)
    return made


def make_entities(
    context: bpy.types.Context, level: bpy.types.Collection, objects: Iterable[bpy.types.Object], classname: str
) -> list[bpy.types.Object]:
    """Make a brush entity of each of some meshes: of brushes in the collection of these, or drawn. Of one that is in
    Edit Mode, those parts that are selected; the rest stays a brush. Raises SceneError.
    """
    importing = importing_into(context, level, Report())
    _check_class(importing, classname)
    wanted = [(obj, mesh) for obj, mesh in _meshes(objects) if len(mesh.polygons)]
    for obj, _ in wanted:
        if identity.kind_of(obj) not in (None, layout.BRUSHES) or obj.get(CLASSNAME) is not None:
            raise SceneError(f"{obj.name}: it is no brush, but stands for something else of the map", [obj])
        if meshes.needs_evaluation(obj):
            raise SceneError(f"{obj.name}: apply its modifiers and shape keys first", [obj])
    return [_entity(importing, obj, mesh, classname) for obj, mesh in wanted]


def make_brushes(
    context: bpy.types.Context, level: bpy.types.Collection, objects: Iterable[bpy.types.Object]
) -> list[bpy.types.Object]:
    """Make brushes of the world of the meshes of brush entities, which are deleted. Raises SceneError."""
    importing = importing_into(context, level, Report())
    wanted = [(obj, mesh) for obj, mesh in _meshes(objects) if obj.get(CLASSNAME) is not None]
    for obj, mesh in wanted:
        if not len(mesh.polygons):
            raise SceneError(f"{obj.name}: it has no faces to be a brush", [obj])
    return [_brush(importing, obj, mesh) for obj, mesh in wanted]


def _meshes(objects: Iterable[bpy.types.Object]) -> list[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """Those of objects that have meshes, with these."""
    return [(obj, obj.data) for obj in objects if isinstance(obj.data, bpy.types.Mesh)]


def _check_class(importing: ImportContext, classname: str) -> None:
    """Raise SceneError for what is no class of brush entities."""
    known_classes = {entity.classname for entity in importing.level.entities if entity.model}
    if not classname.isascii() or not classname.isprintable() or '"' in classname:
        raise SceneError(f"{classname!r} can't be the name of a class")
    if not brush_classes.has_model(classname, known_classes):
        raise SceneError(f"{classname!r} is no class of brush entities, as func_door, func_brush, trigger_multiple are")


def _entity(importing: ImportContext, obj: bpy.types.Object, mesh: bpy.types.Mesh, classname: str) -> bpy.types.Object:
    """A brush entity of a mesh, or of its selected parts."""
    edited = mesh.is_editmode
    if edited:
        obj.update_from_editmode()
    chosen = _chosen(mesh) if edited else np.ones(len(mesh.polygons), np.bool_)
    if not chosen.any():
        raise SceneError(f"{obj.name}: none of its faces is selected", [obj])
    own = mesh.copy()
    _keep(own, chosen)
    _forget(own, _OF_BRUSHES)
    made = _beside(obj, classname, own)
    _center(made, own)
    made[CLASSNAME] = storable(classname)
    importing.group(layout.BRUSH_ENTITIES).objects.link(made)
    if edited:
        _keep(mesh, ~chosen)
    else:
        bpy.data.objects.remove(obj)
    return made


def _brush(importing: ImportContext, obj: bpy.types.Object, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """A brush of the world in the place of a brush entity."""
    own = whole.closed(importing, obj, mesh) or mesh.copy()
    if layout.CONTENTS not in own.attributes:
        contents = np.full(len(own.polygons), _contents(importing, obj), np.uint32)
        attributes.write(own, layout.CONTENTS, "FACE", "INT", contents.view(np.int32))
    _forget(own, _OF_FACES)
    made = _beside(obj, "Brush", own)
    home = importing.group(layout.BRUSH_HOME)
    home.hide_viewport = False
    home.objects.link(made)
    bpy.data.objects.remove(obj)
    return made


def _beside(obj: bpy.types.Object, name: str, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """An object of a mesh where another one is, in no collection yet."""
    made: bpy.types.Object = bpy.data.objects.new(showable(name), mesh)
    made.parent, made.matrix_parent_inverse = obj.parent, obj.matrix_parent_inverse
    made.matrix_basis = obj.matrix_basis
    return made


def _contents(importing: ImportContext, obj: bpy.types.Object) -> int:
    """The contents of an entity's brushes: of the map's own those that they have, else SOLID."""
    record = identity.record_of(obj, importing.token)
    entities = importing.level.entities
    model = entities[record].model if 0 <= record < len(entities) else None
    try:
        pieces = brush_models.pieces(importing.level, model) if model else []
    except FormatError:
        pieces = []
    return pieces[0].contents if pieces else int(Contents.SOLID)


def _chosen(mesh: bpy.types.Mesh) -> Bools:
    """bool[polygons]: those of parts that hang together of which a face is selected."""
    form = bmesh.new()
    form.from_mesh(mesh)
    stack = [face for face in form.faces if face.select]
    found = {face.index for face in stack}
    while stack:
        for vertex in stack.pop().verts:
            fresh = [face for face in vertex.link_faces if face.index not in found]
            found.update(face.index for face in fresh)
            stack += fresh
    form.free()
    chosen = np.zeros(len(mesh.polygons), np.bool_)
    chosen[list(found)] = True
    return chosen


def _keep(mesh: bpy.types.Mesh, chosen: Bools) -> None:
    """Take all polygons but the chosen ones out of a mesh, which may be in Edit Mode."""
    form = bmesh.from_edit_mesh(mesh) if mesh.is_editmode else bmesh.new()
    if not mesh.is_editmode:
        form.from_mesh(mesh)
    gone = [face for face, stays in zip(form.faces, chosen.tolist(), strict=True) if not stays]
    bmesh.ops.delete(form, geom=gone, context="FACES")
    if mesh.is_editmode:
        bmesh.update_edit_mesh(mesh)
    else:
        form.to_mesh(mesh)
        form.free()


def _forget(mesh: bpy.types.Mesh, names: Iterable[str]) -> None:
    """Remove attributes of a mesh."""
    for name in names:
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])


def _center(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """Put an object's origin into the middle of its mesh, on a whole unit: what turns, turns about it."""
    points = attributes.read(mesh, "position", "POINT")
    if points is None or not len(points):
        return
    middle = Vector(np.round((points.min(axis=0) + points.max(axis=0)) / 2).tolist())
    mesh.transform(Matrix.Translation(-middle))
    obj.location = obj.matrix_basis @ middle


def _brush_classes(_: object, context: bpy.types.Context, text: str) -> list[str]:
    """Classes of the map's brush entities, and a few that all games have."""
    usual = ("func_brush", "func_door", "func_illusionary", "trigger_multiple", "trigger_once")
    own = [name for name in known(context, layout.ENTITY, CLASSNAME, text) if brush_classes.has_model(name, ())]
    return sorted({*own, *(name for name in usual if text.casefold() in name)})


class AddBrushEntity(AddAtCursor):
    """Add a box to the Source map at the 3D cursor that is a brush entity, as doors and triggers are"""

    bl_idname = "levelwright.source_add_brush_entity"
    bl_label = "Add Brush Entity"
    add = staticmethod(add_brush_entity)

    what: str = declared.string(
        name="Class", description="What it is, such as func_brush, trigger_multiple", search=_brush_classes,
        default="func_brush",
    )  # fmt: skip


class MakeBrushEntity(AskingOperator):
    """Make a brush entity of each of the selected brushes and meshes; in Edit Mode, of the parts that are selected"""

    bl_idname = "levelwright.source_make_brush_entity"
    bl_label = "Make Brush Entity"
    bl_options = {"REGISTER", "UNDO"}
    needs_selection = True
    format_key = layout.FORMAT
    failures = (SceneError, FormatError, OSError)

    what: str = declared.string(
        name="Class", description="What it is, such as func_brush, trigger_multiple", search=_brush_classes,
        default="func_brush",
    )  # fmt: skip

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Make them, and select them alone where that can be."""
        made = make_entities(context, level, _selected(context, level), self.what)
        _select(context, made)
        return bool(made)


class MakeWorldBrush(LevelOperator):
    """Make brushes of the world of the selected brush entities, whose entities are deleted"""

    bl_idname = "levelwright.source_make_world_brush"
    bl_label = "Make World Brush"
    bl_options = {"REGISTER", "UNDO"}
    needs_selection = True
    format_key = layout.FORMAT
    failures = (SceneError, FormatError, OSError)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Make them, and select them alone."""
        if context.mode != "OBJECT":
            raise SceneError("leave Edit Mode first")
        made = make_brushes(context, level, _selected(context, level))
        _select(context, made)
        return bool(made)


def _selected(context: bpy.types.Context, level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The selected objects of a level; in Edit Mode those that are edited."""
    inside = set(level.all_objects)
    chosen = context.objects_in_mode if context.mode == "EDIT_MESH" else context.selected_objects
    return [obj for obj in chosen or () if obj in inside]


def _select(context: bpy.types.Context, made: Sequence[bpy.types.Object]) -> None:
    """Have objects selected alone; not in Edit Mode, where what is edited stays so."""
    layer = context.view_layer
    if layer is None or context.mode != "OBJECT":
        return
    layer.update()  # what was just made isn't in it yet
    for obj in layer.objects:
        obj.select_set(obj in made)
    layer.objects.active = next((obj for obj in made if obj.name in layer.objects), None)
