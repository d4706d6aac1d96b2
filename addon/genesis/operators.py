# SPDX-License-Identifier: GPL-3.0-or-later
"""Making and changing levels in Blender: a new level, world models of brushes, point entities of the level's classes.

What is made here looks as if it had been imported, but is no record of any file: its stamps say -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Matrix

from ...formats import genesis
from ...formats.genesis import typedefs
from ...formats.genesis.entities import CLASSNAME, NAME, ORIGIN, KeyValues
from ...formats.genesis.map_file import MapLevel
from ...formats.genesis.typedefs import TypeDef
from ..scene import identity, originals
from ..scene.reports import Report, SceneError
from . import importer, layout
from .context import Site
from .entities import build as entities
from .models import build as models
from .models.build import Model
from .scene_parts import SURFACES, kind_of, matrix_of
from .settings import ImportSettings

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
Kind = Literal["map", "3dt"]
NEW = -1
"""Record of what is no record yet."""


def new_level(context: bpy.types.Context, name: str, kind: Kind) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it."""
    level = genesis.new_level("map") if kind == "map" else genesis.new_level("3dt")
    return importer.build_scene(context, level, None, name, ImportSettings(), Report())


def make_model(
    context: bpy.types.Context, level: bpy.types.Collection, brushes: Sequence[bpy.types.Object], name: str
) -> bpy.types.Object:
    """Make a world model of brushes, about their middle; they stay where they are. Returns its empty.

    Raises SceneError for objects that are no brushes.
    """
    wrong = [obj for obj in brushes if obj.type not in SURFACES or kind_of(obj) not in (None, layout.BRUSH)]
    if wrong or not brushes:
        raise SceneError(f"{wrong[0].name if wrong else 'nothing'} is no brush that a model can be made of", wrong)
    site = _site(context, level)
    places = {obj: matrix_of(obj, site.root, None) for obj in brushes}
    middle = np.round(np.mean([matrix[:3, 3] for matrix in places.values()], axis=0))
    origin: Any = layout.from_blender(middle)
    home = next((one for one in level.children if kind_of(one) == layout.MODELS), None)
    home = home or site.collection_of("Models", layout.MODELS)
    written: layout.ModelProperties = layout.ModelProperties(name)
    if not isinstance(site.level, MapLevel):
        written = layout.EditorModelProperties(name)
    about = Model(NEW, name, tuple(origin.tolist()), None, written)
    place = models.build(site, about, home, home)
    for obj, matrix in places.items():
        anything: Any = obj
        direct = obj.parent == site.root and np.array_equal(np.array(anything.matrix_parent_inverse), np.eye(4))
        anything.parent = place.parent
        anything.matrix_parent_inverse = place.inverse
        if not direct:
            anything.matrix_basis = Matrix(matrix.tolist())
    above = place.parent.parent
    if above is None:
        raise SceneError(f"{name}: its empty is gone")
    return above


def add_entity(
    context: bpy.types.Context, level: bpy.types.Collection, classname: str, place: Sequence[float]
) -> bpy.types.Object:
    """Make a point entity with its class's fields. place: below the level's root, in Blender's axes.

    Raises SceneError for a class that the level doesn't know.
    """
    site = _site(context, level)
    types = classes(level)
    made = types.get(classname.lower())
    if made is None:
        names = ", ".join(one.name for one in types.values())
        raise SceneError(f"the level defines no class {classname}: there are {names}")
    own = next((one for one in typedefs.BUILTIN if one.name == made.name), None)
    x, y, z = (round(float(one)) for one in layout.from_blender(np.array(place, np.float64)))
    record = KeyValues([(CLASSNAME, made.name), (NAME, _free_name(level, made.name))])
    for each in made.fields:
        if each.name.lower() == ORIGIN:
            record.pairs.append((each.name, f"{x} {y} {z}"))
        elif each.type in _DEFAULTS:
            plain = own.field(each.name) if own is not None else None  # definitions in a `.map` have lost the defaults
            record.pairs.append((each.name, each.default or (plain and plain.default) or _DEFAULTS[each.type]))
    homes = [one for one in level.children if kind_of(one) in (layout.ENTITIES, layout.GROUP)]
    obj = entities.build(site, record, NEW, types, homes[0] if homes else level)
    anything: Any = obj
    anything.location = [float(one) for one in layout.to_blender((x, y, z))]
    return obj


_DEFAULTS = {"int": "0", "float": "0", "color": "255 255 255", "point": "0 0 0", "string": ""}
"""Values of fields without a default, by their type; references (to models, entities) are left out."""


def classes(level: bpy.types.Collection) -> dict[str, TypeDef]:
    """The classes that a level's entities can be of, by name in lower case."""
    found = {each.name.lower(): each for each in typedefs.BUILTIN}
    original = originals.find(level)
    if original is not None:
        read = genesis.read(original.data)
        if isinstance(read, MapLevel):
            found |= entities.own_types(read, Report())
    return found


def _free_name(level: bpy.types.Collection, name: str) -> str:
    taken = {str(obj.get(NAME)).lower() for obj in level.all_objects}
    number = 1
    while f"{name}{number}".lower() in taken:
        number += 1
    return f"{name}{number}"


def _site(context: bpy.types.Context, level: bpy.types.Collection) -> Site:
    """What makers of parts of a level need. Raises SceneError where that is no level with a root."""
    info = originals.describe(level)
    root = next((obj for obj in level.all_objects if kind_of(obj) == layout.ROOT), None)
    if info is None or root is None or context.scene is None:
        raise SceneError(f"{level.name} is no Genesis3D level, or its root empty is gone")
    scale = float(info.options.get("scale", layout.SCALE))
    plain = genesis.new_level("3dt") if info.options.get(layout.KIND) == "3dt" else genesis.new_level("map")
    return Site(plain, level, root, identity.Token(info.token), context.scene, ImportSettings(scale=scale), Report())


# ----------------------------------------------------------------------------------------------------------- operators


def _level_of(context: bpy.types.Context) -> bpy.types.Collection | None:
    level = originals.level_of(context)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == layout.FORMAT else None


class NewLevel(bpy.types.Operator):
    """Make an empty Genesis3D level: meshes put into its collection become brushes"""

    bl_idname = "levelwright.new_genesis_level"
    bl_label = "New Genesis3D Level"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", default="level")
    kind: bpy.props.EnumProperty(
        name="Kind",
        items=(("map", ".map", "What the compiler reads"), ("3dt", ".3dt", "What the editor opens")),
        default="map",
    )

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        originals.make_active(context, new_level(context, self.name, self.kind))
        return {"FINISHED"}


class MakeModel(bpy.types.Operator):
    """Make a world model of the selected brushes: they move together, by its motion"""

    bl_idname = "levelwright.genesis_make_model"
    bl_label = "Make World Model"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", description="Name that entities refer to it by", default="door")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level and a selection."""
        return _level_of(context) is not None and bool(context.selected_objects)

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        level = _level_of(context)
        if level is None:
            return {"CANCELLED"}
        try:
            make_model(context, level, context.selected_objects, self.name)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def _class_items(_self: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    level = _level_of(context) if context is not None else None
    found = sorted(one.name for one in (classes(level) if level is not None else {}).values())
    _ITEMS[:] = [(name, name, "") for name in found]  # Blender needs the texts to live on
    return _ITEMS


_ITEMS: list[tuple[str, str, str]] = []


class AddEntity(bpy.types.Operator):
    """Add a point entity at the 3D cursor, with the fields of its class"""

    bl_idname = "levelwright.genesis_add_entity"
    bl_label = "Add Entity"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "classname"

    classname: bpy.props.EnumProperty(name="Class", description="Class of the entity", items=_class_items)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return _level_of(context) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask which class."""
        if context.window_manager is not None:
            context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        level = _level_of(context)
        root = next((obj for obj in level.all_objects if kind_of(obj) == layout.ROOT), None) if level else None
        if level is None or root is None or context.scene is None:
            return {"CANCELLED"}
        at = context.scene.cursor.location
        cursor = np.linalg.solve(np.array(root.matrix_world), [at.x, at.y, at.z, 1.0])[:3]
        obj = add_entity(context, level, self.classname, cursor.tolist())
        if context.view_layer is not None:
            context.view_layer.objects.active = obj
        return {"FINISHED"}


class LEVELWRIGHT_PT_genesis_edit(bpy.types.Panel):
    """What can be added to a level."""

    bl_label = "Edit"
    bl_category = "Levelwright"
    bl_parent_id = "LEVELWRIGHT_PT_genesis"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(AddEntity.bl_idname, icon="EMPTY_AXIS")
        column.operator(MakeModel.bl_idname, icon="OUTLINER_OB_GROUP_INSTANCE")


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(NewLevel.bl_idname, icon="FILE_NEW")


CLASSES = (NewLevel, MakeModel, AddEntity, LEVELWRIGHT_PT_genesis_edit)


def register() -> None:
    """Register the operators; after the panel that they are shown in."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
