# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each part of a Fable level lives in a Blender scene: what importer, exporter, panel and operators agree on.

Axes are the game's: x east, y north, z up, one unit to a cell, nothing scaled; positions are local to the map. All is
relative to the level's root empty: moving that edits nothing (levels of a `.wld` have theirs at the map's place). What
isn't below it, as a new empty, is where it is seen.

    <level>                     collection, stamp "level": LevelProperties, and the palettes and sounds (see `palettes`)
      <level>                   empty, stamp "root": the parent of everything
      Terrain                   mesh object, stamp "terrain": the height cells
      Water                     mesh object, stamp "water": for show, where themes of water are painted
      Atmosphere                mesh object, stamp "game_map": the game map; only there where the file has one
      Navigation                collection, stamp "navigation": see `navigation`
        <section>               collection, stamp "section", record = its place in the directory
      Things                    collection, stamp "things": what the `.tng` beside the level holds; see `things`
        <section>               collection, stamp "thing_section", record = its place in the `.tng`

    <world>                     collection, stamp "world": a `.wld`, and those of its levels that were opened

**Terrain.** Vertex i is the height cell (x, y) of i = y * columns + x, and stands at (x, y, height * 2048): all exact
(a power of two). Heights that aren't finite are shown at 0. Faces are the squares between four cells, in the same
order; where the map header has no "plus one" there are width x height vertices, otherwise one more each way. Points
have record_id = i + 1 and record_check (kept.identity), of the level's own token: a cell is found by these and by its
XY, never by the order of the vertices. Attributes of points: CELL_FIELDS (what paints and scripts edit), FLAGS
(booleans: see there which bits), and weight layers; THEME_COLOR and what else `materials` makes is for show only.

**Weight layers.** Slot numbers can't be painted (half of slot 3 and slot 7 is slot 5): each theme of the ground palette
has a vertex group instead, which weight painting edits. Its name is that of the theme (`layer_names`: cut to 63 bytes,
and followed by the slot where another slot has the name already). A cell's weight in a layer is the sum, over its three
slots, of the strengths with that slot, of 255; sums are clamped to 0..255 (a third strength may be below 0). Slots
without a layer (slot 0, others that have neither name nor value) have no weights: a layer's vertices that have weight 0
are not in its group. `theme_weights.of_cells` says what weights cells have: their bits follow from the file's integers
alone (k / 255 as float32), so that it serves as the baseline, and nothing else need be kept.
Of one cell, weights that differ from the original's (by round(weight * 255)) win over the attributes theme_1..3 and
strength_1..2; else of these, what differs from the original's is written as it is. Operators that paint set both.

**Game map.** Face k is the cell of its row and column in `Level.game_map` (rows upwards: k = row * columns + column),
4 units wide, and lies over the terrain for show: its vertices' places mean nothing. Faces have record_id = k + 1,
record_check and GAME_FIELDS. In maps before version 3, sounds are in the cells' `old_sound`; later, that is garbage.

**Palettes and sounds.** Ordered lists on the level's collection; slots and sound numbers are places in them. Got and
put by `palettes.lists`. Whose sounds count follows from the option "map_version" that the import kept. The original
has what the lists don't show: the slots' values, junk behind the names' NUL.
That option is also how sounds are told in the scene when LevelProperties.map_version, which is what will be written, is
another one. A slot is used where its name isn't empty or its value isn't 0.

**Navigation** is hidden at first. Each layer of a section is a mesh object, stamp "leaves" (record: `leaves_record`), a
quad a leaf, over the ground for show: only what it covers seen from above means anything. Faces have record_id = the
running number of the node over all sections + 1 and record_check, LEAF_FIELDS, `level` for show (edge = 32 / 2^level),
DOOR (0: none, else the number n of the list of UIDs in the object's property DOOR_n, whose things open it) and CLOSED.
Leaves can't be moved, added or deleted in Blender: they follow from the ground. Action points are empties, stamp
"action_point" (record: the running number over all sections), in their section's collection: x, y and POINT_LAYER; an
empty there that has no stamp, or that of another one there, is a new one. POINTS on the collection says that they were
made. A section that can't be read, and a layer whose object is gone, stays as it is in the original. LAYERS and LINKS
on the collection have what no mesh shows, for levels that are built as new.
A section is called as its collection; one whose collection and objects are gone goes. A collection that was added to
*Navigation* is a new section: a copy of the one whose leaves, or whose stamp, are in it, else made of the ground.

**Things** are empties, one for each, stamp "thing": their record is the running number over all sections of the `.tng`.
A section's name is that of its collection, or SECTION_NAME on it: whichever was changed (`section_name`). Place,
rotation and ObjectScale are the object's: local x is a thing's right, y its front (RHSetForward), z its top (RHSetUp).
All else is custom properties, in the file's order: NEW_THING is the kind ("Marker"), "Health" a statement of the thing,
"CTCDoor.Open" one of its component CTCDoor, and "CTCEditor" a component without any that are shown; further ones of a
name have "#2", "#3" behind it ("ScriptName#2").
Values are switches (TRUE, FALSE), whole numbers, decimal ones, three coordinates (C3DCoordF), or text without quotes;
numbers beyond 32 bits, as UIDs, are text. What has a name over 63 bytes stays in the file. A property that says what
the file does leaves its text; one that is deleted goes, with its component if that shows none any more; a new one is
added at the end. Objects with the stamp of a thing that is there already are copies: new things like it, with UIDs of
the level's counter. An empty without a stamp, but with a DefinitionType, is a new thing; with the first one, a level
that had no `.tng` gets one. The place where a creature starts (InitialPos, in the world) moves along with it, and with
the map; coordinates in the world that cameras have (CoordBase) with the map alone.

**Worlds.** The collection has the bytes of the `.wld` (WORLD) and its file's name (WORLD_NAME). A level's collection
has MAP: the number of its map among the world's, and the world's token. Its root empty lies at MapX, MapY; nothing else
of a map is edited in Blender.

What the scene doesn't hold (junk words of the headers, the two zero bytes of a cell, the script-brush block) is in the
original, and stays as it is there. The bytes of the `.tng` travel as a part of the original, under its file name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ...formats.arrays import Array, Bools, Records
from ...formats.fable.records import GAME_CELL_EDGE
from ..scene.attributes import Kind
from ..scene.fates.aspects import GONE
from ..scene.fates.ledger import COPIED, DELETED, KEPT, WRITTEN, Fate, Fates, aside, follows, read_only, unset
from ..scene.fields.properties import setting
from ..scene.geometry.loose import LOOSE
from ..scene.kept.identity import is_named, stamped, unnumbered
from ..scene.names import showable
from ..scene.reports import SceneError

FORMAT = "fable"
"""The originals' format."""

# Stamps: the `kind` of scene.kept.identity.stamp.
LEVEL, ROOT, TERRAIN, GAME_MAP = "level", "root", "terrain", "game_map"
NAVIGATION, SECTION = "navigation", "section"
THINGS, THING_SECTION, THING = "things", "thing_section", "thing"
WORLD_STAMP = "world"
MATERIAL = "material"
WATER = "water"
"""The surface of a level's water, which is in no file: made of the themes of water, and for show."""
PREVIEW = "preview"
"""Made for show only (a sun, ...): never exported, safe to delete."""

# Navigation: stamps, face attributes, property keys.
LEAVES, ACTION_POINT = "leaves", "action_point"
LEAF_FIELDS: dict[str, int] = {"region": 2**31 - 2, "preference": 255}
"""INT face attributes of leaves, and the highest value of each. Preference: 0 path, 128 other ground, 64 above."""
DOOR, CLOSED = "door", "closed"
POINT_LAYER = "layer"
POINTS = "levelwright_action_points"
LAYERS = "levelwright_layers"
"""On a section's collection: how many leaves each of its layers has, from the lowest on."""
LINKS = "levelwright_links"
"""On a section's collection: record_ids of leaves of different layers that are neighbours, two after two."""

FOLLOWED = "levelwright_followed"
"""On the terrain: the heights that things stood on when they last followed the ground, float32 by cells; none: those
of the original.
"""

# Things: files, and property keys.
TNG = ".tng"
NO_THINGS = -1
"""The record of the collection for things, of a level that came without a `.tng`."""
NEW_THING = "NewThing"
"""On things: their kind, as the file has it."""
SECTION_NAME = "XXXSectionStart"
"""On a section's collection: its name, as the file has it."""
BARE_TEXTS = ("ScriptName", "OverridingBrainName")
"""Statements whose texts have no quotes around them; those of all others do, where they aren't numbers."""

SCRIPT_BRUSHES = "levelwright_script_brushes"
"""On the level's collection: how many script brushes its file has, where there are any."""

# Worlds: property keys.
WORLD, WORLD_NAME, MAP = "levelwright_world", "levelwright_world_name", "levelwright_map"

NAME_BYTES = 63
"""What the name of a vertex group may have in Blender 4."""

SLOTS = 3
"""Themes, or atmospheres, of one cell."""


@dataclass(frozen=True, slots=True)
class CellField:
    """An attribute that is a field of a record, or one of its numbers."""

    field: str
    """The record's field."""
    part: int | None = None
    """Which of its numbers; None where it has only one."""
    kind: Kind = "INT"
    """The type of the attribute."""

    def of(self, records: Records) -> Array:
        """The field of each record: a view, of the records' shape."""
        values: Array = records[self.field]
        return values if self.part is None else values[..., self.part]


CELL_FIELDS: dict[str, CellField] = {
    "theme_1": CellField("themes", 0),
    "theme_2": CellField("themes", 1),
    "theme_3": CellField("themes", 2),
    "strength_1": CellField("strengths", 0),
    "strength_2": CellField("strengths", 1),
    "old_sound": CellField("old_sound"),
}
"""INT point attributes of the terrain: bytes of a height cell. The third strength is what is left of 255."""

FLAGS: dict[str, int] = {"walkable": 0x01, "camera": 0xFF, "shore": 0xFF, "path": 0xFF}
"""BOOLEAN point attributes of the terrain: field of a height cell -> the bits of its byte of which one must be set.

The engine keeps bit 0 of walkable. A flag that is as in the original keeps the original's byte; others become 0 or 1.
"""

GAME_FIELDS: dict[str, CellField] = {
    "atmosphere_1": CellField("themes", 0),
    "atmosphere_2": CellField("themes", 1),
    "atmosphere_3": CellField("themes", 2),
    "strength_1": CellField("strengths", 0),
    "strength_2": CellField("strengths", 1),
    "sound": CellField("sound"),
}
"""INT face attributes of the game map's object: bytes of a game map cell."""

THEME_COLOR = "theme_color"
"""Point attribute of the terrain, for show: the colours of a cell's themes, blended by their strengths."""

IMAGE_WEIGHTS = "image_weights_"
"""Point attributes of the terrain, for show: IMAGE_WEIGHTS + n has the weights of four themes that have an image."""

OVERLAY_COLOR = "overlay_color"
"""Face attribute of the terrain, for show: colours of the sounds or atmospheres, while they are shown."""

GROUND_COLOR = "ground_color"
"""Point attribute of the terrain, for show where themes have images: THEME_COLOR, with these as seen from afar."""

SOLID_COLOR = "solid_color"
"""Point attribute of the terrain, for show in solid views: the themes' colours with what is shown over them."""

SHOWN_COLORS = (
    *(THEME_COLOR, OVERLAY_COLOR, GROUND_COLOR, SOLID_COLOR),
    *(f"{IMAGE_WEIGHTS}{number}" for number in range(6)),
)
"""What of the terrain is made for show."""

GAME_MAP_LIFT = 1.0
"""How far the game map's object lies over the terrain, units."""

CELLS_A_GAME_CELL = GAME_CELL_EDGE


@dataclass
class LevelProperties:
    """On the level's collection."""

    thing_uid_counter: int = setting(
        0, "Number that the next new thing gets: more than the low half of any thing's UID", 0, 2**64 - 1
    )
    checksum: int = setting(
        0, "Ties the level to its baked terrain, as far as is known; the game does not check it", 0, 2**32 - 1
    )
    map_version: int = setting(
        3, "3 in all known levels: below 3 the sounds are those of the terrain, below 2 there are no atmospheres", 0, 3
    )
    """As the level is written. One above 3 is shown as 3, and stays."""


def leaves_record(section: int, layer: int) -> int:
    """The record of the object with a section's leaves of a layer (0 to 255)."""
    return section * 256 + layer


def layer_name(section: str, layer: int) -> str:
    """What the object with the leaves of a section's layer is called."""
    return f"{showable(section) or '-'} layer {layer}"


def section_and_layer(record: int) -> tuple[int, int]:
    """The section and the layer of the object with this `leaves_record`."""
    return divmod(record, 256)


def section_collections(home: bpy.types.Collection, kind: str, token: int | None) -> dict[bpy.types.Collection, int]:
    """The collections of sections in a level's *Navigation* or *Things*, and which section of the file each one is.

    kind: of their stamps. token: the level's. -1 for those that were added, directly in `home` and not around others.
    """
    found: dict[bpy.types.Collection, int] = {}
    for child in home.children_recursive:
        mark = stamped(child)
        if mark is not None and mark.kind == kind and mark.token == token:
            found[child] = mark.record
    new = [child for child in home.children if child not in found and not found.keys() & set(child.children_recursive)]
    return {child: found.get(child, -1) for child in (*found, *new)}


def is_called(name: str, given: str) -> bool:
    """Whether a name is the one that was given, but for what Blender made of it, also of a number that it had."""
    return is_named(name, given) or unnumbered(name) == unnumbered(given)


def section_name(collection: bpy.types.Collection, was: str | None) -> str:
    """The name that a collection gives a section of things or of navigation: by its own name, or by its property.

    was: as the file has it (of a copy: the name of what it is a copy of), None for a new section. Raises SceneError for
    names that no section can have, and where collection and property were both given other ones.
    """
    said = collection.get(SECTION_NAME)
    if said is not None and not isinstance(said, str):
        raise SceneError(f"collection {collection.name!r}: property {SECTION_NAME} must be a text")
    if was is not None and said in (was, showable(was), was.partition("\0")[0]):
        said = None
    name = unnumbered(collection.name)
    renamed = was is None or not is_called(collection.name, showable(was) or "-")
    if said is None and not renamed and was is not None:
        return was
    if said is not None and renamed and was is not None and said != name:
        raise SceneError(f"collection {collection.name!r}: its property {SECTION_NAME} calls it {said!r}")
    found = name if said is None else said
    if not found or not found.isascii() or any(one in found for one in ' ;"\t\r\n'):
        raise SceneError(
            f"collection {collection.name!r}: {found!r} can't be the name of a section: it must be of ASCII "
            "characters, and blanks, quotes and semicolons can't be in it"
        )
    return found


def flag(cells: Records, name: str) -> Bools:
    """A flag of each cell, of the cells' shape: see FLAGS."""
    shown: Bools = cells[name] & FLAGS[name] != 0
    return shown


def layer_names(names: Sequence[str], used: Sequence[bool] | Bools) -> list[str]:
    """The name of each slot's weight layer, "" for none. names: those of the ground palette's slots. used: whether a
    slot is in use (slot 0 never has a layer).

    A name that is empty, too long for a vertex group, or an earlier slot's already, gets the slot behind it.
    """
    layers: list[str] = []
    taken = {""}
    for slot, (name, in_use) in enumerate(zip(names, used, strict=True)):
        if slot == 0 or not in_use:
            layers.append("")
            continue
        layer = showable(name)
        if layer in taken or len(layer.encode()) > NAME_BYTES:
            layer = f"{layer.encode()[: NAME_BYTES - 4].decode(errors='ignore')} {slot}".lstrip()
        taken.add(layer)
        layers.append(layer)
    return layers


def _written(*aspects: str, prefix: str = "") -> dict[str, Fate]:
    return {prefix + one: WRITTEN for one in aspects}


_PLACE = ("location", "rotation", "scale", "delta transform", "parent", "constraints")
_THERE = (COPIED, DELETED)
_STILL = read_only("a level has no motion: things are where they are at the current frame")
_FOR_SHOW = follows("the ground, which it lies over for show")
_LOOKS = aside("the game has pictures of its own")
_DISPLAY = aside("it is how Blender displays it")
_SURFACE = {"smooth shading": _LOOKS, "custom normals": _LOOKS, "materials": _LOOKS, "materials of faces": _LOOKS}

FATES: Fates = {
    "*": {
        "animation": unset(_STILL),
        "instancing": unset(read_only("levels have no instances of collections")),
        "color": unset(_DISPLAY),
        LOOSE: WRITTEN,  # they are refused as vertices of no cell, or told with the other vertices
    },
    LEVEL: {**_written("thing_uid_counter", "checksum", "map_version", prefix="property "), **_written("list *")},
    TERRAIN: {
        **_SURFACE,
        **_written(*_PLACE, *_THERE, "vertices", "faces", "modifiers", "shape keys", "vertex groups"),
        **_written(*CELL_FIELDS, *FLAGS, prefix="attribute "),
        **_written(*SHOWN_COLORS, prefix="attribute "),  # `terrain.for_show` tells of edits
        "attribute *": follows("the themes and what *Show* shows"),
    },
    GAME_MAP: {
        **_SURFACE,
        **_written("faces", *_THERE),
        **_written(*GAME_FIELDS, prefix="attribute "),
        **dict.fromkeys(("location", "rotation", "scale", "parent", "vertices"), _FOR_SHOW),
        **dict.fromkeys(("delta transform", "constraints", "modifiers", "shape keys"), unset(_FOR_SHOW)),
    },
    NAVIGATION: _written(DELETED),
    SECTION: _written("name", DELETED),
    LEAVES: {
        **_SURFACE,
        **_written(*_PLACE, *_THERE, "faces", "modifiers", "shape keys", "property *"),
        **_written(*LEAF_FIELDS, DOOR, CLOSED, prefix="attribute "),
        "attribute level": follows("the size of the leaf"),
        "constraints": unset(read_only("leaves stay where they are")),
        "vertices": _FOR_SHOW,
    },
    ACTION_POINT: {
        **_written("location", "delta transform", "parent", "constraints", *_THERE, f"property {POINT_LAYER}"),
        **dict.fromkeys(("name", "display size"), _DISPLAY),
        **dict.fromkeys(("color", "data"), unset(_DISPLAY)),
        "*": unset(read_only("an action point is a place and a layer")),
        "property *": read_only("an action point is a place and a layer"),
    },
    THINGS: _written(DELETED),
    THING_SECTION: {**_written("name", f"property {SECTION_NAME}", DELETED), f"{GONE}*": KEPT},
    THING: _written(*_THERE, "property *", "*"),  # what isn't written, `things.collect` tells: there are many of them
    MATERIAL: {"nodes": _LOOKS},
    WATER: {"*": aside("it follows from the ground and the themes of water")},
}
"""What becomes of edits."""
