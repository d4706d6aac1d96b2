# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of envelopes, and what plays them."""

from __future__ import annotations

import bpy

from ....formats.teeworlds.records import EnvelopeKind
from ...scene.blender_types import Icon, Value
from ...scene.fields import declared
from ...scene.interface.sidebar import ItemList, LevelPanel, draw_items
from ...scene.registering import added_property, in_turn
from .. import layout
from ..envelopes import own_keys
from ..structure.map_operator import OnMap, active_map
from . import operators, playing
from .operators import CHOSEN, AnimateQuad, NewEnvelope, PaintQuadColors, RemoveEnvelope, SelectPlayers, UseEnvelope

ICONS: dict[str, Icon] = {"POSITION": "ORIENTATION_GLOBAL", "COLOR": "COLOR", "SOUND": "SPEAKER"}


class LEVELWRIGHT_UL_teeworlds_envelopes(ItemList, bpy.types.UIList):
    """The map's envelopes: kind, name, how many play it, whether it runs on the game's time."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, _active_property: str) -> None:
        """Draw an envelope; a double click edits its name."""
        kind = playing.kind_of_envelope(item).name
        line = row.row(align=True)
        line.prop(item, '["envelope_name"]', text="", emboss=False, icon=ICONS[kind])
        right = line.row(align=True)
        right.alignment = "RIGHT"
        # The level that holds it is one of its users.
        right.label(text=str(max(item.users - 1 - item.use_fake_user, 0)), icon="USER")
        right.prop(item, '["synchronized"]', text="", icon="TIME")

    def filter_items(self, context: bpy.types.Context | None, data: Value, property_name: str | None) -> Value:
        """Show those of the active map alone."""
        level = active_map(context) if context is not None else None
        held = set(playing.envelopes(level).values()) if level is not None else set()
        actions = getattr(data, property_name or "")
        return [self.bitflag_filter_item if action in held else 0 for action in actions], []


class LEVELWRIGHT_PT_teeworlds_envelopes(OnMap, LevelPanel, bpy.types.Panel):
    """What moves in the active map."""

    bl_label = "Teeworlds Animation"
    anchor = "animation"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons of the active object, and the list."""
        column = self.layout.column(align=True)
        column.operator(AnimateQuad.bl_idname, icon="ANIM")
        column.operator(PaintQuadColors.bl_idname, icon="VPAINT_HLT")
        obj = context.active_object
        if obj is not None and own_keys.takes_own_keys(obj) and obj.get(layout.ENVELOPE_COLOR) is not None:
            column.prop(obj, f'["{layout.ENVELOPE_COLOR}"]', text="Color")
        buttons = draw_items(
            self.layout, LEVELWRIGHT_UL_teeworlds_envelopes, "", (bpy.data, "actions"), (context.window_manager, CHOSEN)
        )
        buttons.operator_menu_enum(NewEnvelope.bl_idname, "kind", text="", icon="ADD")
        buttons.operator(RemoveEnvelope.bl_idname, text="", icon="REMOVE").record = -1
        line = self.layout.row(align=True)
        line.operator(UseEnvelope.bl_idname).record = -1
        line.operator(SelectPlayers.bl_idname).record = -1
        line = self.layout.row(align=True)
        line.label(text="Stop:")
        for kind in EnvelopeKind:
            line.operator(operators.StopEnvelope.bl_idname, text=kind.name.title()).kind = kind.name


register, unregister = in_turn(
    added_property(bpy.types.WindowManager, CHOSEN, declared.integer(name="Envelope", default=-1))
)
"""What remembers the line of the list that is chosen."""


CLASSES = (*operators.CLASSES, LEVELWRIGHT_UL_teeworlds_envelopes, LEVELWRIGHT_PT_teeworlds_envelopes)
