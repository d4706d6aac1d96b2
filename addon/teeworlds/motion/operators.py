# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons for what moves: quads of their own, envelopes made, shared, shown and removed."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.counting import number_of
from ....formats.teeworlds.records import EnvelopeKind
from ...scene.blender_types import elements_of
from ...scene.fields import declared
from ...scene.geometry import meshes
from ...scene.reports import SceneError
from ...scene.view import stage
from .. import layout
from ..envelopes import own_keys
from ..envelopes.build import scene_fps
from ..structure.map_operator import MapOperator, make_object_active
from . import playing, quads

CHOSEN = "levelwright_teeworlds_envelope"
"""Property of the window manager: which of the .blend's actions the list of envelopes has chosen."""
KINDS = [
    (EnvelopeKind.POSITION.name, "Position", "Moves and turns quads, moves sound sources"),
    (EnvelopeKind.COLOR.name, "Color", "Multiplies the colours of quads and of layers of tiles"),
    (EnvelopeKind.SOUND.name, "Sound", "The volume of sound sources"),
]

NO_QUADS = "The active object has no quads"


def chosen_envelope(context: bpy.types.Context, level: bpy.types.Collection, record: int) -> int:
    """The record of an envelope: the one given or, for -1, the one chosen in the list. SceneError without one."""
    held = playing.envelopes(level)
    if record >= 0:
        if record not in held:
            raise SceneError(f"{level.name} has no envelope {record}")
        return record
    number = getattr(context.window_manager, CHOSEN, -1)
    action = bpy.data.actions[number] if 0 <= number < len(bpy.data.actions) else None
    found = next((record for record, one in held.items() if one == action), None)
    if found is None:
        raise SceneError("choose an envelope in the list")
    return found


def choose(context: bpy.types.Context, action: bpy.types.Action) -> None:
    """Choose an envelope in the list."""
    setattr(context.window_manager, CHOSEN, list(bpy.data.actions).index(action))


def _selected(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects, or else the active one."""
    return [*context.selected_objects] or [obj for obj in (context.active_object,) if obj is not None]


def _fps(context: bpy.types.Context) -> float:
    return scene_fps(stage.scene_of(context))


class AnimateQuad(MapOperator):
    """Let the selected quads be keyed as animators do. Quads that share a mesh become objects of their own (select them
    in edit mode); keys that objects have on location, rotation and colour become envelopes, which repeat
    """

    bl_idname = "levelwright.teeworlds_animate_quad"
    bl_label = "Animate Quad"

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for quads, or what else can have keys."""
        there = any(map(own_keys.takes_own_keys, _selected(context)))
        return super().lacks(context, level) if there else "Select quads, or sound sources"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Take quads out of the active object's mesh, or make envelopes of the selected objects' keys."""
        obj = context.active_object
        if obj is not None and own_keys.takes_own_keys(obj) and quads.is_shared(obj):
            self._separate(context, level, obj)
            return
        keyed = [one for one in _selected(context) if own_keys.takes_own_keys(one)]
        made = [action for one in keyed for action in playing.adopt(level, one, _fps(context))]
        if not made:
            raise SceneError(
                "select quads of a layer in edit mode, or objects of quads with keys on location, rotation or colour"
            )
        choose(context, made[0])
        self.report({"INFO"}, f"{number_of(len(made), 'envelopes')}: {', '.join(action.name for action in made)}")

    def _separate(self, context: bpy.types.Context, level: bpy.types.Collection, obj: bpy.types.Object) -> None:
        if obj.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        mesh = obj.data
        count = len(mesh.polygons) if isinstance(mesh, bpy.types.Mesh) else 0
        chosen = np.ones(count, np.bool_)
        if count > 1 and isinstance(mesh, bpy.types.Mesh):
            mesh.polygons.foreach_get("select", chosen)
        if not chosen.any():
            raise SceneError(f"{obj.name}: select its quads in edit mode", [obj])
        made = quads.separate(level, obj, chosen)
        make_object_active(context, made[0], made)
        self.report({"INFO"}, f"{number_of(len(made), 'quads')} can be keyed now: location, rotation, colour")


class NewEnvelope(MapOperator):
    """Add an envelope that changes nothing yet; the selected objects play it, where it is of their kind"""

    bl_idname = "levelwright.teeworlds_new_envelope"
    bl_label = "New Envelope"

    kind: str = declared.menu(name="Kind", items=KINDS)
    title: str = declared.string(name="Name", description="Up to 31 bytes", maxlen=31)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it, and let what is selected play it."""
        kind, players = EnvelopeKind[self.kind], []
        for obj in _selected(context):
            try:
                playing.player(obj, kind)
            except SceneError:
                continue
            players.append(obj)
        action = playing.new_envelope(level, kind, self.title, _fps(context))
        playing.use(level, players, action, 0, _fps(context))
        choose(context, action)
        self.report({"INFO"}, f"{action.name}: {number_of(len(players), 'objects play', 'object plays')} it")


class UseEnvelope(MapOperator):
    """Let all selected objects play this envelope instead of the one that they have"""

    bl_idname = "levelwright.teeworlds_use_envelope"
    bl_label = "Use on Selected"
    needs_resource = layout.ENVELOPE

    record: int = declared.integer(name="Envelope", description="-1 = the one chosen in the list", default=-1, min=-1)
    offset: int = declared.integer(name="Ahead", description="By how many milliseconds it runs ahead")

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for what is to play it."""
        return super().lacks(context, level) or ("" if _selected(context) else "Select what is to play it")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Share it."""
        record = chosen_envelope(context, level, self.record)
        playing.use(level, _selected(context), playing.envelopes(level)[record], self.offset, _fps(context))


class StopEnvelope(MapOperator):
    """Let the selected objects play no envelope of this kind any more; the envelope stays in the map"""

    bl_idname = "levelwright.teeworlds_stop_envelope"
    bl_label = "Stop Envelope"
    idle = "None of what is selected plays such an envelope"

    kind: str = declared.menu(name="Kind", items=KINDS)

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for what may play one."""
        blocks = (id_block for obj in _selected(context) for id_block in (obj, obj.data))
        there = any(getattr(id_block, "animation_data", None) is not None for id_block in blocks)
        return super().lacks(context, level) if there else "None of what is selected plays an envelope"

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> bool:
        """Stop it."""
        kind = EnvelopeKind[self.kind]
        data = [obj.data if kind is EnvelopeKind.SOUND else obj for obj in _selected(context)]
        return sum(playing.stop(id_block, kind) for id_block in data if id_block is not None) > 0


class SelectPlayers(MapOperator):
    """Select the objects that play this envelope"""

    bl_idname = "levelwright.teeworlds_select_players"
    bl_label = "Select Users"
    needs_resource = layout.ENVELOPE

    record: int = declared.integer(name="Envelope", description="-1 = the one chosen in the list", default=-1, min=-1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Select them, and nothing else."""
        record = chosen_envelope(context, level, self.record)
        layer = stage.view_layer_of(context)
        players = [
            obj for obj in playing.players_of(level, playing.envelopes(level)[record]) if obj.name in layer.objects
        ]
        if not players:
            raise SceneError(f"nothing in this scene plays envelope {record}")
        for obj in layer.objects:
            obj.select_set(obj in players)
        layer.objects.active = players[0]


class RemoveEnvelope(MapOperator):
    """Remove an envelope from the map; what plays it stands still"""

    bl_idname = "levelwright.teeworlds_remove_envelope"
    bl_label = "Remove Envelope"
    needs_resource = layout.ENVELOPE

    record: int = declared.integer(name="Envelope", description="-1 = the one chosen in the list", default=-1, min=-1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        playing.remove(level, chosen_envelope(context, level, self.record))


class PaintQuadColors(MapOperator):
    """Paint the colours of the corners of the active object's quads with Blender's vertex paint"""

    bl_idname = "levelwright.teeworlds_paint_quad_colors"
    bl_label = "Paint Quad Colors"

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for quads."""
        obj = context.active_object
        there = obj is not None and own_keys.takes_own_keys(obj) and isinstance(obj.data, bpy.types.Mesh)
        return super().lacks(context, level) if there else NO_QUADS

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Make their attribute the one that is painted, and begin."""
        obj = context.active_object
        mesh = obj.data if obj is not None else None
        if obj is None or not isinstance(mesh, bpy.types.Mesh):
            raise SceneError(NO_QUADS)
        if meshes.needs_evaluation(obj):
            raise SceneError(f"{obj.name}: apply its modifiers and shape keys first", [obj])
        colors = mesh.color_attributes
        if obj.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        if colors.get(layout.COLOR) is None:
            made = colors.new(layout.COLOR, "FLOAT_COLOR", "CORNER")
            elements_of(made).foreach_set("color", np.ones(4 * len(mesh.loops), np.float32))
        colors.active_color = colors[layout.COLOR]
        bpy.ops.object.mode_set(mode="VERTEX_PAINT")


CLASSES = (
    AnimateQuad,
    NewEnvelope,
    UseEnvelope,
    StopEnvelope,
    SelectPlayers,
    RemoveEnvelope,
    PaintQuadColors,
)
