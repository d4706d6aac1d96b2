# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for editing Source maps: what is added at the 3D cursor, and what the active entity says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import bpy

from ...formats.source.entities import CLASSNAME, Output
from ..scene import identity
from ..scene.reports import Report, SceneError
from . import edit, layout
from .brushes import operators
from .entities import custom_properties
from .panel import active_level

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
Add = Callable[[bpy.types.Context, bpy.types.Collection, str, Any, Report], bpy.types.Object]


def entity_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object, if it is an entity."""
    obj = context.active_object
    mark = identity.stamped(obj) if obj is not None else None
    is_entity = mark.kind == layout.ENTITY if mark is not None else obj is not None and obj.get(CLASSNAME) is not None
    return obj if is_entity else None


def _told(context: bpy.types.Context, kind: str, key: str, text: str) -> list[str]:
    """The texts that the map's objects of a kind have under a key, of those that hold `text`."""
    level = active_level(context)
    marked = [(obj, identity.stamped(obj)) for obj in level.all_objects] if level is not None else []
    found = {obj.get(key) for obj, mark in marked if mark is not None and mark.kind == kind}
    return sorted(each for each in found if isinstance(each, str) and text.casefold() in each.casefold())


def _classes(_: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The classes of the map's entities."""
    return _told(context, layout.ENTITY, CLASSNAME, text)


def _models(_: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The models of the map's static props."""
    return _told(context, layout.STATIC_PROP, "model", text)


def _materials(_: Any, _context: bpy.types.Context, text: str) -> list[str]:
    """The names of the map's materials."""
    found = {material.get(layout.MATERIAL) for material in bpy.data.materials}
    return sorted(each for each in found if isinstance(each, str) and text.casefold() in each.casefold())


class _Add(bpy.types.Operator):
    """What all operators share that add a thing at the 3D cursor."""

    bl_options = {"REGISTER", "UNDO"}
    what: str
    add: Add

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map, and for Object Mode."""
        return context.mode == "OBJECT" and active_level(context) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for what it is."""
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it, and select it alone."""
        level, scene, layer = active_level(context), context.scene, context.view_layer
        if level is None or scene is None or layer is None:
            return {"CANCELLED"}
        marks = ((obj, identity.stamped(obj)) for obj in level.all_objects)
        root = next((obj for obj, mark in marks if mark is not None and mark.kind == layout.ROOT), None)
        report = Report()
        try:
            if root is None:
                raise SceneError(f"{level.name} has no root empty")
            place = root.matrix_world.inverted_safe() @ scene.cursor.location
            made = type(self).add(context, level, self.what, place[:], report)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for message in report.warnings:
            self.report({"WARNING"}, message)
        layer.update()  # what was just made isn't in it yet
        for obj in layer.objects:
            obj.select_set(obj == made)
        if made.name in layer.objects:
            layer.objects.active = made
        return {"FINISHED"}


class AddEntity(_Add):
    """Add an entity to the Source map at the 3D cursor"""

    bl_idname = "levelwright.source_add_entity"
    bl_label = "Add Entity"
    add = staticmethod(edit.add_entity)

    what: bpy.props.StringProperty(
        name="Class", description="What it is: info_target, logic_relay, ...", search=_classes
    )


class AddStaticProp(_Add):
    """Add a static prop to the Source map at the 3D cursor"""

    bl_idname = "levelwright.source_add_static_prop"
    bl_label = "Add Static Prop"
    add = staticmethod(edit.add_static_prop)

    what: bpy.props.StringProperty(
        name="Model",
        description="Path of the model's file: models/props/crate.mdl",
        search=_models,
    )


class AddOverlay(_Add):
    """Add an overlay to the Source map, on the face next to the 3D cursor"""

    bl_idname = "levelwright.source_add_overlay"
    bl_label = "Add Overlay"
    add = staticmethod(edit.add_overlay)

    what: bpy.props.StringProperty(
        name="Material", description="Path of the material: decals/decalstain01a", search=_materials
    )


class AddBrush(_Add):
    """Add a box to the Source map's brushes at the 3D cursor, for an export as VMF"""

    bl_idname = "levelwright.source_add_brush"
    bl_label = "Add Brush"
    add = staticmethod(operators.add_brush)

    what: bpy.props.StringProperty(
        name="Material",
        description="Path of the material: dev/dev_measuregeneric01, tools/toolsplayerclip, ...",
        default="dev/dev_measuregeneric01",
        search=_materials,
    )


class EditOutput(bpy.types.Operator):
    """Change an output of the active entity, or add one"""

    bl_idname = "levelwright.source_edit_output"
    bl_label = "Output"
    bl_options = {"REGISTER", "UNDO"}

    key: bpy.props.StringProperty(name="Output", description="When it happens: OnTrigger, ...")
    place: bpy.props.IntProperty(default=-1, options={"HIDDEN", "SKIP_SAVE"})
    target: bpy.props.StringProperty(name="Target", description="The name of the entities that it goes to")
    input: bpy.props.StringProperty(name="Input", description="What they do: Open, Kill, ...")
    parameter: bpy.props.StringProperty(name="Parameter", description="What with")
    delay: bpy.props.FloatProperty(name="Delay", description="Seconds that pass before", min=0)
    times: bpy.props.IntProperty(name="Times", description="How often at most; -1: always", default=-1, min=-1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for an entity."""
        return entity_of(context) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show what the output says."""
        output = self._old(context)
        if output is not None:
            self.target, self.input, self.parameter = output.target, output.input, output.parameter
            self.delay, self.times = float(output.delay), int(float(output.times))
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result

    def _old(self, context: bpy.types.Context) -> Output | None:
        obj = entity_of(context)
        known = edit.outputs_of(obj) if obj is not None and self.place >= 0 else []
        return next((one for place, one in known if (one.name, place) == (self.key, self.place)), None)

    def execute(self, context: bpy.types.Context) -> Result:
        """Write it."""
        obj, old = entity_of(context), self._old(context)
        if obj is None or not self.key:
            return {"CANCELLED"}
        delay = old.delay if old is not None and float(old.delay) == self.delay else f"{self.delay:.6g}"
        times = old.times if old is not None and float(old.times) == self.times else str(self.times)
        rest = (old.more, old.separator) if old is not None else ()
        made = Output(self.key, self.target, self.input, self.parameter, delay, times, *rest)
        try:
            edit.set_output(obj, made, self.place if old is not None else None)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class RemoveOutput(bpy.types.Operator):
    """Take an output away from the active entity"""

    bl_idname = "levelwright.source_remove_output"
    bl_label = "Remove Output"
    bl_options = {"REGISTER", "UNDO"}

    key: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    place: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for an entity."""
        return entity_of(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove it."""
        obj = entity_of(context)
        if obj is None or (self.key, self.place) not in [(one.name, place) for place, one in edit.outputs_of(obj)]:
            return {"CANCELLED"}
        edit.remove_output(obj, self.key, self.place)
        return {"FINISHED"}


class LEVELWRIGHT_PT_source_edit(bpy.types.Panel):
    """What can be added, and the active entity."""

    bl_label = "Edit"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_source"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the operators; of an entity its properties and outputs."""
        column: Any = self.layout.column(align=True)
        for operator in (AddEntity, AddStaticProp, AddOverlay, AddBrush):
            column.operator(operator.bl_idname, icon="ADD")
        obj = entity_of(context)
        if obj is None:
            return
        outputs = edit.outputs_of(obj)
        column = self.layout.column()
        column.use_property_split = True
        for key in custom_properties.written_keys(obj):
            if not isinstance(obj[key], bytes | list):
                column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)
        column = self.layout.column(align=True)
        for place, output in outputs:
            row = column.row(align=True)
            change = row.operator(EditOutput.bl_idname, text=f"{output.name}: {output.target} {output.input}")
            change.key, change.place = output.name, place
            gone = row.operator(RemoveOutput.bl_idname, text="", icon="X")
            gone.key, gone.place = output.name, place
        column.operator(EditOutput.bl_idname, text="Add Output", icon="ADD")


CLASSES = (AddEntity, AddStaticProp, AddOverlay, AddBrush, EditOutput, RemoveOutput, LEVELWRIGHT_PT_source_edit)


def register() -> None:
    """Register the operators and the panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
