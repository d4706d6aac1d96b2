# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be shown over the terrain's themes: where creatures may walk, what sounds where, ...

The flags are read by the shader as they are, and follow every edit; sounds and atmospheres are those of the game map's
object, coloured on the terrain's faces when they are switched on (or again: `show`).
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Array, Ints, Singles
from ....formats.fable import colors
from ...scene import attributes
from ...scene.blender_types import Node, default_of, mesh_of, set_default
from ...scene.geometry import meshes
from ...scene.level import first_of
from ...scene.media.materials import Nodes, Socket, node_group
from .. import layout
from ..palettes import lists
from . import for_show

KINDS: dict[str, tuple[str, str]] = {
    "themes": ("Themes", "The ground as it is"),
    "walkable": ("Walkable", "Green where creatures and the hero may walk, red where not"),
    "camera": ("Camera", "Green where the camera may pass, red where not"),
    "path": ("Path", "Yellow where creatures prefer to walk"),
    "shore": ("Shore", "Cyan where a cell is marked as shore"),
    "sound": ("Sound", "A colour for each sound of the game map"),
    "atmosphere": ("Atmosphere", "The atmospheres of the game map, a colour for each, blended"),
}
"""Overlay -> title, tooltip."""

NODE = "Overlay"
"""Name of the terrain material's node whose value is the place of the shown overlay in KINDS."""
STRENGTH = 0.6
"""How much of the ground an overlay covers."""

_GREEN, _RED, _YELLOW, _CYAN = (0.05, 0.6, 0.05), (0.8, 0.02, 0.02), (0.9, 0.6, 0.0), (0.0, 0.6, 0.8)
_FLAG_COLORS: dict[str, tuple[tuple[float, float, float] | None, tuple[float, float, float] | None]] = {
    "walkable": (_RED, _GREEN),
    "camera": (_RED, _GREEN),
    "path": (None, _YELLOW),
    "shore": (None, _CYAN),
}
"""Flag -> colours where it isn't and where it is set; None: nothing is shown."""


def add(nodes: Nodes, ground: Socket) -> Socket:
    """Add the overlay to a material that has the ground's colour, and return what is shown."""
    switch = nodes.add("ShaderNodeValue", label="Overlay")
    switch.name = NODE
    group = nodes.add("ShaderNodeGroup", node_tree=node_group("Levelwright Fable overlay", 1, _build))
    nodes.feed(group, Ground=ground, Overlay=switch.outputs[0])
    return group.outputs[0]


def _build(nodes: Nodes) -> None:
    """The group: each overlay's colour, over the ground where the switch has its number."""
    nodes.sockets({"Ground": "Color", "Overlay": "Float"}, {"Color": "Color"})
    given = nodes.add("NodeGroupInput")
    shown: Socket = given.outputs["Ground"]
    for number, kind in enumerate(KINDS):
        if kind == "themes":
            continue
        chosen = nodes.math("COMPARE", given.outputs["Overlay"], float(number), 0.5)
        covered = nodes.math("MULTIPLY", chosen, STRENGTH)
        if kind in _FLAG_COLORS:
            value = nodes.add("ShaderNodeAttribute", attribute_name=kind).outputs["Fac"]
            unset, is_set = _FLAG_COLORS[kind]
            tint = nodes.mix(value, (*(unset or is_set or _RED), 1.0), (*(is_set or _RED), 1.0))
            if unset is None:
                covered = nodes.math("MULTIPLY", covered, value)
        else:
            tint = nodes.add("ShaderNodeAttribute", attribute_name=layout.OVERLAY_COLOR).outputs["Color"]
        shown = nodes.mix(covered, shown, tint)
    nodes.link(shown, nodes.add("NodeGroupOutput").inputs[0])


def show(level: bpy.types.Collection, kind: str) -> bool:
    """Show an overlay, a key of KINDS, on a level's terrain; False where none has our material."""
    terrain = first_of(level, layout.TERRAIN)
    switch = _switch(terrain)
    if terrain is None or switch is None:
        return False
    if kind in ("sound", "atmosphere"):
        _color_faces(level, terrain, kind)
    set_default(switch.outputs[0], float(list(KINDS).index(kind)))
    return True


def ground_color(mesh: bpy.types.Mesh) -> str:
    """The attribute that has the ground's colours for what shows no images."""
    return layout.GROUND_COLOR if layout.GROUND_COLOR in mesh.attributes else layout.THEME_COLOR


def show_solid(level: bpy.types.Collection) -> None:
    """Colour the terrain's vertices by what is shown, for views that draw solid colours of attributes."""
    terrain = first_of(level, layout.TERRAIN)
    mesh = mesh_of(terrain) if terrain is not None else None
    name = ground_color(mesh) if mesh is not None else ""
    themes = attributes.read(mesh, name, "POINT") if mesh is not None and not mesh.is_editmode else None
    if terrain is None or mesh is None or themes is None:
        return
    kind = shown(level)
    if kind != "themes":
        name = layout.SOLID_COLOR
        attributes.write(mesh, name, "POINT", "FLOAT_COLOR", _covered(level, terrain, themes, kind))
        mesh.update()
    mesh.attributes.active_color = mesh.attributes[name]


def _covered(level: bpy.types.Collection, terrain: bpy.types.Object, themes: Array, kind: str) -> Array:
    """The colours of vertices, [n, 4], with what is shown over the themes."""
    made = themes.copy()
    if kind in _FLAG_COLORS:
        values = attributes.read(mesh_of(terrain), kind, "POINT")
        if values is None:
            return made
        for where, tint in zip((values == 0, values != 0), _FLAG_COLORS[kind], strict=True):
            if tint is not None:
                made[where, :3] = made[where, :3] * (1 - STRENGTH) + np.array(tint, np.float32) * STRENGTH
        return made
    _color_faces(level, terrain, kind)
    faces = attributes.read(mesh_of(terrain), layout.OVERLAY_COLOR, "FACE")
    corners = attributes.read(mesh_of(terrain), ".corner_vert")
    if faces is None or corners is None or len(corners) != 4 * len(faces):
        return made
    tints = made[:, :3].copy()
    tints[corners] = faces[:, :3].repeat(4, axis=0)
    made[:, :3] = made[:, :3] * (1 - STRENGTH) + tints * STRENGTH
    return made


def shown(level: bpy.types.Collection) -> str:
    """The overlay that a level's terrain shows, a key of KINDS."""
    switch = _switch(first_of(level, layout.TERRAIN))
    number = round(default_of(switch.outputs[0])) if switch is not None else 0
    return list(KINDS)[min(max(number, 0), len(KINDS) - 1)]


def _switch(terrain: bpy.types.Object | None) -> Node | None:
    """The node that says which overlay is shown, or None."""
    mesh = mesh_of(terrain) if terrain is not None else None
    for material in mesh.materials if mesh is not None else ():
        if material is not None and material.node_tree is not None and NODE in material.node_tree.nodes:
            return material.node_tree.nodes[NODE]
    return None


def _color_faces(level: bpy.types.Collection, terrain: bpy.types.Object, kind: str) -> None:
    """Colour the terrain's faces by the game map's object (or, in old maps, the sounds of the cells)."""
    names = lists.get(level)
    mesh = mesh_of(terrain)
    edited = mesh.is_editmode
    if edited:
        terrain.update_from_editmode()
    game_map = first_of(level, layout.GAME_MAP)
    ground = meshes.read(terrain) if not meshes.needs_evaluation(terrain) else None
    if game_map is None or ground is None or edited:
        return
    data = meshes.read(game_map)
    if kind == "sound":
        table = np.array([colors.distinct(name) for name in ("", *names.sounds)], np.float32)
        found = data.attribute("sound", "FACE")
        number = np.zeros(len(data.face_starts), np.int64) if found is None else found.astype(np.int64)
        tints = table[np.where((number >= 0) & (number < len(table)), number, 0)]
    else:
        tints = _atmospheres(data, names)
    rgba = np.ones((len(ground.face_starts), 4), np.float32)
    rgba[:, :3] = tints[_face_below(data, ground)]
    for_show.write(mesh, layout.OVERLAY_COLOR, "FACE", rgba)


def _atmospheres(data: meshes.MeshData, names: lists.Palettes) -> Singles:
    """The blended colour of each face of the game map, float32[f, 3]."""
    table = np.array([colors.distinct(name) for name in names.atmospheres], np.float32)
    count = len(data.face_starts)

    def numbers(name: str) -> Array:
        found = data.attribute(name, "FACE")
        return np.zeros(count, np.int32) if found is None else np.clip(found, 0, 255)

    first, second = numbers("strength_1"), numbers("strength_2")
    total = np.zeros((count, 3), np.float32)
    for part, amount in enumerate((first, second, np.maximum(255 - first - second, 0)), 1):
        total += table[numbers(f"atmosphere_{part}")] * (amount[:, None] / np.float32(255))
    return total


def _face_below(game_map: meshes.MeshData, terrain: meshes.MeshData) -> Ints:
    """Which face of the game map's object each face of the terrain lies in, by their middles; int64[f]."""

    def cell(data: meshes.MeshData) -> Ints:
        corners = data.positions[data.corner_verts, :2].astype(np.float64)
        middle = np.add.reduceat(corners, data.face_starts) / data.face_sizes[:, None]
        found: Ints = np.floor(middle / layout.CELLS_A_GAME_CELL).astype(np.int64)
        return found

    cells, wanted = cell(game_map), cell(terrain)
    low = cells.min(axis=0)
    shape = cells.max(axis=0) - low + 1
    table = np.zeros(shape, np.int64)
    table[tuple((cells - low).T)] = np.arange(len(cells))
    inside = np.clip(wanted - low, 0, shape - 1)
    faces: Ints = table[tuple(inside.T)]
    return faces
