# SPDX-License-Identifier: GPL-3.0-or-later
"""New entities, and buttons for the outputs of the active one."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ....formats.source import numbers
from ....formats.source.entities.text import CLASSNAME, ORIGIN, Entity, Output
from ...scene.fields import declared
from ...scene.fields.declared import Declared
from ...scene.interface.sidebar import Result, allows, refuse
from ...scene.kept import identity
from ...scene.reports import Report, SceneError
from ...scene.view import stage
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known
from . import build as entities
from .outputs import outputs_of, remove_output, set_output


def add_entity(
    context: bpy.types.Context, level: bpy.types.Collection, classname: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add an entity of a class, with the defaults that the game definition has. place: units, below the root.

    Raises SceneError.
    """
    if not classname or not classname.isascii() or not classname.isprintable() or '"' in classname:
        raise SceneError(f"{classname!r} can't be the name of a class")
    importing = importing_into(context, level, report)
    definition = entities.types_of(importing).definitions.of(classname)
    keys = definition.keys.values() if definition is not None else ()
    pairs = [(key.name, key.default) for key in keys if key.default and key.name.lower() not in (CLASSNAME, ORIGIN)]
    pairs = [(CLASSNAME, classname), *pairs, (ORIGIN, " ".join(numbers.text(value) for value in place))]
    return entities.add(importing, Entity(pairs))


def entity_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object, if it is an entity."""
    obj = context.active_object
    if obj is None:
        return None
    kind = identity.kind_of(obj)
    return obj if kind == layout.ENTITY or (kind is None and obj.get(CLASSNAME) is not None) else None


def _classes(_: object, context: bpy.types.Context, text: str) -> list[str]:
    """The classes of the map's entities."""
    return known(context, layout.ENTITY, CLASSNAME, text)


class AddEntity(AddAtCursor):
    """Add an entity to the Source map at the 3D cursor"""

    bl_idname = "levelwright.source_add_entity"
    bl_label = "Add Entity"
    add = staticmethod(add_entity)

    what: str = declared.string(name="Class", description="What it is, as info_target, logic_relay", search=_classes)


class EditOutput(Declared, bpy.types.Operator):
    """Change an output of the active entity, or add one"""

    bl_idname = "levelwright.source_edit_output"
    bl_label = "Output"
    bl_options = {"REGISTER", "UNDO"}

    key: str = declared.string(name="Output", description="When it happens, such as OnTrigger")
    place: int = declared.integer(default=-1, options={"HIDDEN", "SKIP_SAVE"})
    target: str = declared.string(name="Target", description="The name of the entities that it goes to")
    input: str = declared.string(name="Input", description="What they do, such as Open, Kill")
    parameter: str = declared.string(name="Parameter", description="What with")
    delay: float = declared.number(name="Delay", description="Seconds that pass before", min=0)
    times: int = declared.integer(name="Times", description="How often at most; -1: always", default=-1, min=-1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for an entity."""
        return allows(cls, entity_of(context) is not None, "The active object is no entity of a Source map")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show what the output says."""
        output = self._old(context)
        if output is not None:
            self.target, self.input, self.parameter = output.target, output.input, output.parameter
            self.delay, self.times = float(output.delay), int(float(output.times))
        return stage.window_manager_of(context).invoke_props_dialog(self, confirm_text=self.bl_label)

    def _old(self, context: bpy.types.Context) -> Output | None:
        obj = entity_of(context)
        known = outputs_of(obj) if obj is not None and self.place >= 0 else []
        return next((one for place, one in known if (one.name, place) == (self.key, self.place)), None)

    def execute(self, context: bpy.types.Context) -> Result:
        """Write it."""
        obj, old = entity_of(context), self._old(context)
        if obj is None or not self.key:
            self.report({"INFO"}, "An output has to have a name")
            return {"CANCELLED"}
        delay = old.delay if old is not None and float(old.delay) == self.delay else f"{self.delay:.6g}"
        times = old.times if old is not None and float(old.times) == self.times else str(self.times)
        rest = (old.more, old.separator) if old is not None else ()
        made = Output(self.key, self.target, self.input, self.parameter, delay, times, *rest)
        try:
            set_output(obj, made, self.place if old is not None else None)
        except SceneError as error:
            return refuse(self, context, error)
        return {"FINISHED"}


class RemoveOutput(Declared, bpy.types.Operator):
    """Take an output away from the active entity"""

    bl_idname = "levelwright.source_remove_output"
    bl_label = "Remove Output"
    bl_options = {"REGISTER", "UNDO"}

    key: str = declared.string(options={"HIDDEN", "SKIP_SAVE"})
    place: int = declared.integer(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for an entity."""
        return allows(cls, entity_of(context) is not None, "The active object is no entity of a Source map")

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove it."""
        obj = entity_of(context)
        if obj is None or (self.key, self.place) not in [(one.name, place) for place, one in outputs_of(obj)]:
            self.report({"INFO"}, "The entity has no such output")
            return {"CANCELLED"}
        remove_output(obj, self.key, self.place)
        return {"FINISHED"}
