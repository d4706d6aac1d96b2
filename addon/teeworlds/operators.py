# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps made in Blender, layers added to them, and the images that layers show.

What is made here looks as if it had been imported, but isn't a record of any file: its stamps say -1.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...formats import teeworlds
from ...formats.teeworlds.quads import default_quads
from ...formats.teeworlds.tile_faces import TILE_FIELDS
from ..scene.fields import declared
from ..scene.interface.sidebar import AskingOperator
from ..scene.kept import identity, originals
from ..scene.reports import Report, SceneError
from . import importer, info, layout
from .image_tools.assign import set_image
from .layout import NEW
from .quads import build as quads
from .settings import ImportSettings
from .sounds import layer_build as sound_layers
from .sounds.build import LevelSounds
from .structure.map_operator import MapOperator, make_object_active
from .structure.parts import all_layers, game_size, group_of, restack, tile_kind, token_of
from .structure.placement import placement_in
from .tiles import build as tiles
from .view import game_view

PHYSICS = tuple(kind for kind in TILE_FIELDS if kind not in ("TILES", "GAME"))
"""Kinds of physics layers that a map may lack."""
LAYER_KINDS = [
    *((kind, kind.title(), f"A tile layer: {kind.lower()}") for kind in TILE_FIELDS),
    ("QUADS", "Quads", "A layer of pictures with four corners anywhere"),
    ("SOUNDS", "Sounds", "A layer of places where a sound is heard"),
]


def new_map(context: bpy.types.Context, name: str, width: int, height: int, room: bool = False) -> bpy.types.Collection:
    """Make a map (sizes in tiles), linked to the scene; nothing was imported for it. Raises FormatError.

    room: its game layer has walls and a spawn; otherwise it is empty.
    """
    level = teeworlds.new_room(width, height) if room else teeworlds.new_level(width, height)
    return importer.build_scene(context, level, None, name, ImportSettings(physics=True), Report())


def settings_text(level: bpy.types.Collection) -> bpy.types.Text:
    """The text block with a map's server settings, made if it has none."""
    text = originals.resources(level, layout.SETTINGS).get(0)
    return text if isinstance(text, bpy.types.Text) else info.settings_text(level, token_of(level))


def add_tile_layer(
    level: bpy.types.Collection,
    group: bpy.types.Collection,
    kind: str,
    name: str,
    size: tuple[int, int],
    image: int = -1,
) -> bpy.types.Object:
    """Add a tile layer of air. `kind`: name of the TileKind; `size`: width and height in tiles; `image`: its record."""
    layer = teeworlds.TileLayer.new(teeworlds.TileKind[kind], *size, name, image=image)
    return _placed(level, tiles.build(layer, placement_in(level, group), tiles.source(layer), plane=False))


def add_physics_layers(level: bpy.types.Collection, kinds: Sequence[str]) -> list[bpy.types.Object]:
    """Add the physics layers of these kinds (names of TileKinds) that a map lacks, and return them.

    Raises SceneError for a map without a game layer, whose group they belong to.
    """
    there = {tile_kind(layer) for layer in all_layers(level)}
    game = next((layer for layer in all_layers(level) if tile_kind(layer) == "GAME"), None)
    group = group_of(level, game)
    if group is None:
        raise SceneError("the map has no game layer, which the others belong to")
    missing = [kind for kind in kinds if kind not in there]
    return [add_tile_layer(level, group, kind, kind.title(), game_size(level)) for kind in missing]


def _physics_group(level: bpy.types.Collection, kind: str) -> bpy.types.Collection | None:
    """The group that a new physics layer belongs to: that of the game layer; None for other kinds, or without one.

    Raises SceneError where the map has one of the kind.
    """
    if kind not in (*PHYSICS, "GAME"):
        return None
    layers = {tile_kind(layer): layer for layer in all_layers(level)}
    if kind in layers:
        raise SceneError(f"the map has a {kind.lower()} layer: {layers[kind].name}", [layers[kind]])
    return group_of(level, layers.get("GAME"))


def add_quad_layer(
    level: bpy.types.Collection, group: bpy.types.Collection, name: str, image: int = -1
) -> bpy.types.Object:
    """Add a quad layer with one quad, 64 px wide, at the group's origin."""
    layer = teeworlds.QuadLayer.new(name, image, default_quads([(0, 0)]))
    return _placed(level, quads.build(layer, placement_in(level, group)))


def add_sound_layer(
    level: bpy.types.Collection, group: bpy.types.Collection, name: str, sound: int = -1
) -> bpy.types.Object:
    """Add a sound layer without sources."""
    layer = teeworlds.SoundLayer.new(name, sound)
    return _placed(level, sound_layers.build(layer, placement_in(level, group), LevelSounds.of_level(level)))


def _placed(level: bpy.types.Collection, layer: bpy.types.Object) -> bpy.types.Object:
    identity.stamp(layer, token_of(level), layout.LAYER, NEW)
    restack(level)
    return layer


class EditSettings(MapOperator):
    """Show the map's server settings in the text editor, a line a command; made if it has none"""

    bl_idname = "levelwright.teeworlds_edit_settings"
    bl_label = "Server Settings"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show it where a text editor is open, and say what it is called."""
        text = settings_text(level)
        for area in context.screen.areas if context.screen else ():
            space = area.spaces.active
            if isinstance(space, bpy.types.SpaceTextEditor):
                space.text = text
        self.report({"INFO"}, f"The settings are in the text {text.name!r}")


class AddLayer(MapOperator):
    """Add a layer in front of the others of the active group"""

    bl_idname = "levelwright.teeworlds_add_layer"
    bl_label = "Add Layer"
    needs_group = True

    kind: str = declared.menu(name="Kind", items=LAYER_KINDS)
    title: str = declared.string(name="Name", description="Up to 11 bytes", maxlen=11)
    width: int = declared.integer(name="Width", description="In tiles; 0 = that of the game layer", min=0)
    height: int = declared.integer(name="Height", description="In tiles; 0 = that of the game layer", min=0)
    resource: int = declared.integer(
        name="Image or Sound", description="Its number in the map, -1 = none", default=-1, min=-1
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make the layer and make it the active object. Raises SceneError for a second physics layer of a kind."""
        group = _physics_group(level, self.kind) or self.group(context, level)
        if self.kind == "QUADS":
            made = add_quad_layer(level, group, self.title, self.resource)
        elif self.kind == "SOUNDS":
            made = add_sound_layer(level, group, self.title, self.resource)
        else:
            width, height = game_size(level)
            size = (self.width or width, self.height or height)
            made = add_tile_layer(level, group, self.kind, self.title, size, self.resource)
            if self.kind != "TILES":
                game_view.show_physics(level, True)
        make_object_active(context, made)


class AddPhysicsLayers(MapOperator, AskingOperator):
    """Add the physics layers that the map lacks, empty, to the group of the game layer"""

    bl_idname = "levelwright.teeworlds_add_physics_layers"
    bl_label = "Add Physics Layers"

    kinds: set[str] = declared.choices(
        name="Kinds",
        items=[(kind, kind.title(), f"A layer of {kind.lower()} tiles") for kind in PHYSICS],
        default=set(PHYSICS),
    )

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for a map that lacks some."""
        there = {tile_kind(layer) for layer in all_layers(level)}
        return "The map has all of them" if there.issuperset(PHYSICS) else super().lacks(context, level)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Make those that aren't there, and make the last one the active object."""
        made = add_physics_layers(level, [kind for kind in PHYSICS if kind in self.kinds])
        if made:
            game_view.show_physics(level, True)
            make_object_active(context, made[-1])
        return bool(made)


class SetImage(MapOperator):
    """Show this image on the active layer"""

    bl_idname = "levelwright.teeworlds_set_image"
    bl_label = "Set Layer Image"
    needs_layer = True
    layer_kind = "IMAGE"

    record: int = declared.integer(name="Image", description="Its number in the map, -1 = none", default=-1, min=-1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Set it."""
        set_image(level, self.layer(context), self.record)


CLASSES = (EditSettings, AddLayer, AddPhysicsLayers, SetImage)
