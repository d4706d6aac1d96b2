# SPDX-License-Identifier: GPL-3.0-or-later
"""The entities view: the design hidden, the physics layers shown, with the art of the user's client if there is any.

What was hidden before is kept on the objects and collections themselves, so that all comes back as it was, also where
the .blend was saved and opened in between. Nothing of it is exported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy

from ....formats.teeworlds.tile_faces import UV_TILE
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.disk.content_folders import reach
from ...scene.kept.identity import kind_of
from ...scene.reports import Report
from .. import content, layout
from ..materials import entities as materials
from ..materials.build import Materials
from ..structure.parts import all_layers, physics_collections, tile_kind
from ..tiles import faces

KEPT = "levelwright_entities"
"""On objects and collections: how they were hidden before; on the level: that the view is on."""
VIEWPORT, RENDER = 1, 2
DRAWN = "drawn"
"""The art that is ours."""
ARROW = "editor/speed_arrow.png"
_FOLDERS = ("editor/entities_clear", "editor/entities", "assets/entities")
"""Below a client's data folder, the likeliest first: the client itself shows the clear ones."""
_DDNET_TILES = (4, 191)
"""Indices of the game layer that vanilla has no meaning for, first and last."""


def art(context: bpy.types.Context | None = None) -> dict[str, Path]:
    """The pictures of entities that the user has, by game type in small letters: "ddnet", "vanilla", "race", ..."""
    found: dict[str, Path] = {}
    folders = _data_folders(context)
    allowed = reach(folders, Report())
    for data in folders:
        for place in (allowed.folder(data, folder) for folder in _FOLDERS):
            for entry in allowed.entries(place) if place is not None else ():
                if entry.path.suffix.lower() == ".png" and not entry.is_folder:
                    found.setdefault(entry.path.stem.lower(), entry.path)
    return found


def _data_folders(context: bpy.types.Context | None) -> list[Path]:
    """The data folders of clients: DDNet's before those of 0.7, which has no such art."""
    return [folder.parent for folder in content.mapres_folders(False, context)]


def game_type(level: bpy.types.Collection) -> str:
    """The game type whose art a map is shown with: "ddnet" where it has layers or tiles of DDNet's, else "vanilla"."""
    for layer in all_layers(level):
        kind = tile_kind(layer)
        if kind in ("FRONT", "TELE", "SPEEDUP", "SWITCH", "TUNE"):
            return "ddnet"
        if kind == "GAME" and layer.get(layout.STORAGE) == layout.MESH and isinstance(layer.data, bpy.types.Mesh):
            index = None if layer.data.is_editmode else attributes.read(layer.data, "index", "FACE")
            if index is not None and ((index >= _DDNET_TILES[0]) & (index <= _DDNET_TILES[1])).any():
                return "ddnet"
    return "vanilla"


def is_on(level: bpy.types.Collection) -> bool:
    """Say whether a level is shown by its entities."""
    return level.get(KEPT) is not None


def set_entities(context: bpy.types.Context, level: bpy.types.Collection, on: bool, name: str = "") -> None:
    """Show a level by its entities, or as it was before. name: of the art (see `art`), DRAWN for ours; "" for that of
    the map's game type. Raises OSError or RuntimeError for art that can't be read.
    """
    if not on:
        _put_back(level)
        return
    found = art(context)
    tileset = None if name == DRAWN else found.get(name or game_type(level))
    if tileset is None:
        materials.hide()
    else:
        allowed = reach(_data_folders(context), Report())
        materials.show(tileset, allowed.find(ARROW), allowed)
    _renew(level)
    if not is_on(level):
        _hide_design(level)


def _hide_design(level: bpy.types.Collection) -> None:
    for obj in list(_design(level)):  # hiding one ends Blender's own iteration
        obj[KEPT] = VIEWPORT * obj.hide_viewport + RENDER * obj.hide_render
        obj.hide_viewport = obj.hide_render = True
    for child in physics_collections(level):
        child[KEPT] = VIEWPORT * child.hide_viewport + RENDER * child.hide_render
        child.hide_viewport = child.hide_render = False
    level[KEPT] = True


def _put_back(level: bpy.types.Collection) -> None:
    if not is_on(level):
        return
    blocks: list[bpy.types.Object | bpy.types.Collection] = [*level.all_objects, *level.children_recursive]
    for block in blocks:
        kept = block.get(KEPT)
        if isinstance(kept, int):
            block.hide_viewport, block.hide_render = bool(kept & VIEWPORT), bool(kept & RENDER)
            del block[KEPT]
    del level[KEPT]
    if not any(is_on(other) for other in bpy.data.collections):
        materials.hide()


def _design(level: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """The objects of what is only seen or heard: layers of drawn tiles, quads and sounds with all below, clips."""
    design = {layer for layer in all_layers(level) if tile_kind(layer) in (None, "TILES")}
    for obj in level.all_objects:
        above: bpy.types.Object | None = obj
        while above is not None and above not in design:
            above = above.parent
        if above is not None or kind_of(obj) == layout.CLIP:
            yield obj


def _renew(level: bpy.types.Collection) -> None:
    """Give physics layers of earlier versions materials that can show the art."""
    made = Materials.of_level(level)
    for layer in all_layers(level):
        kind = tile_kind(layer)
        if kind in (None, "TILES") or layer.get(layout.STORAGE) != layout.MESH:
            continue
        mesh = mesh_of(layer)
        if any(_shows_art(slot) for slot in mesh.materials) or mesh.is_editmode:
            continue
        if UV_TILE not in mesh.attributes:
            faces.settle(layer)
        mesh.materials.clear()
        mesh.materials.append(made.physics(str(kind)))


def _shows_art(material: bpy.types.Material | None) -> bool:
    tree = material.node_tree if material is not None else None
    groups = (materials.ENTITIES, materials.ARROW)
    return tree is not None and any(
        isinstance(node, bpy.types.ShaderNodeGroup)
        and node.node_tree is not None
        and node.node_tree.name.startswith(groups)
        for node in tree.nodes
    )


def items(context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    """The art that can be chosen, as a menu has it."""
    ours = (DRAWN, "Drawn", "Levelwright's own pictures")
    return [*((name, name, str(path)) for name, path in sorted(art(context).items())), ours]


def title() -> str:
    """What the art is called that is shown."""
    return f"Art: {materials.shown() or DRAWN}"
