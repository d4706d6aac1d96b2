# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's menu: all of its operators."""

from collections.abc import Iterator

import bpy

from ..scene.interface.menus import MenuEntry, MenuSection, Rows, Values, each, entries
from ..scene.kept import originals
from . import layout
from .automapping.rules import rule_sets
from .image_tools.operators import can_embed
from .motion.operators import KINDS
from .operators import LAYER_KINDS
from .stamp.tool import LEVELWRIGHT_TOOL_teeworlds_stamp
from .structure.map_operator import active_layer, active_map
from .view import entities
from .view.operators import SWITCHES


def _resources(kind: str, none: str = "") -> Rows:
    """A row for each image, or sound, of the active map. none: the text of one for none."""

    def rows(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
        level = active_map(context)
        if level is None:
            return
        if none:
            yield none, {"record": -1}
        for record, block in originals.resources(level, kind).items():
            yield f"{record}: {block.name}", {"record": record}

    return rows


def _images_to_embed(embed: bool) -> Rows:
    """A row for each image of the active map that can be put into its file, or be left out of it."""

    def rows(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
        level = active_map(context)
        for record, image in (originals.resources(level, layout.IMAGE) if level is not None else {}).items():
            if isinstance(image, bpy.types.Image) and can_embed(image, embed):
                yield f"{record}: {image.name}", {"record": record, "embed": embed}

    return rows


def _automappers(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """The rules that the image of the active layer has."""
    level, layer = active_map(context), active_layer(context)
    if level is None or layer is None:
        return
    yield "None", {"number": -1}
    for number, rules in enumerate(rule_sets(level, layer)):
        yield rules.name or str(number), {"number": number}


def _switches(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """What can be shown or hidden, and is not."""
    level = active_map(context)
    for key, switch in SWITCHES.items() if level is not None else ():
        is_on = level is not None and switch.get(context, level)
        yield f"{'Hide' if is_on else 'Show'} {switch.title}", {"what": key, "on": not is_on}


def _art(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """The pictures that a client has of entities."""
    for identifier, title, _ in entities.items(context) if active_map(context) is not None else ():
        yield title, {"art": identifier}


MENU = (
    MenuSection(
        "Map",
        "what-can-be-edited",
        entries("new_map", "edit_settings", "resize_map", "shift_map", "crop_map", "widen_map"),
    ),
    MenuSection(
        "Groups",
        "what-can-be-edited",
        entries(
            "add_group",
            "add_clip",
            MenuEntry("move_group", "Move Group Forward", {"steps": 1}),
            MenuEntry("move_group", "Move Group Backward", {"steps": -1}),
            "remove_group",
        ),
    ),
    MenuSection(
        "Layers",
        "what-can-be-edited",
        entries(
            MenuEntry("add_layer", rows=each("kind", LAYER_KINDS)),
            "add_physics_layers",
            MenuEntry("move_layer", "Move Layer Forward", {"steps": 1}),
            MenuEntry("move_layer", "Move Layer Backward", {"steps": -1}),
            "move_to_group",
            "remove_layer",
        ),
    ),
    MenuSection(
        "Tiles",
        "the-stamp-tool",
        entries(
            MenuEntry("wm.tool_set_by_id", "Stamp Tiles", {"name": LEVELWRIGHT_TOOL_teeworlds_stamp.bl_idname}),
            "save_stamp",
            "put_tiles",
            "fill_tiles",
            MenuEntry("automap", values={"selected": False}),
            MenuEntry("automap", "Automap Selected", {"selected": True}),
            MenuEntry("choose_automapper", rows=_automappers),
            MenuEntry("new_automapper_seed", "New Automapper Seed"),
        ),
    ),
    MenuSection(
        "Images",
        "what-can-be-edited",
        entries(
            "add_image",
            MenuEntry("set_image", rows=_resources(layout.IMAGE, "None")),
            MenuEntry("replace_image", rows=_resources(layout.IMAGE)),
            MenuEntry("embed_image", rows=_images_to_embed(True)),
            MenuEntry("embed_image", "Make Image External", rows=_images_to_embed(False)),
            MenuEntry("remove_image", rows=_resources(layout.IMAGE)),
        ),
    ),
    MenuSection(
        "Animation",
        "animation",
        entries(
            "animate_quad",
            "paint_quad_colors",
            MenuEntry("new_envelope", rows=each("kind", KINDS)),
            MenuEntry("use_envelope", "Use Envelope on Selected", {"record": -1}),
            MenuEntry("stop_envelope", rows=each("kind", KINDS)),
            MenuEntry("select_players", "Select Users of Envelope", {"record": -1}),
            MenuEntry("remove_envelope", values={"record": -1}),
        ),
    ),
    MenuSection(
        "Sounds",
        "what-can-be-edited",
        entries(
            "add_sound",
            MenuEntry("set_sound", rows=_resources(layout.SOUND, "None")),
            MenuEntry("remove_sound", rows=_resources(layout.SOUND)),
            "add_source",
        ),
    ),
    MenuSection(
        "View",
        "what-becomes-what",
        entries(
            "view_as_game",
            "end_game_view",
            MenuEntry("switch_view", rows=_switches),
            MenuEntry("show_entities", rows=_art),
            "play",
            "stop_playing",
        ),
    ),
)
