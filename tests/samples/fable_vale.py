# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes fable_vale.lev and .tng: the sample of Fable.

    python -m tests.samples.fable_vale

A valley with one of everything: a hill with rock on its steep sides and heather on top, a lake with a sandy shore that
nobody walks into, a path, a field, meadow that blends into grass; day in the west and haunted fog in the east, with
their sounds; a house with a door, an upper floor that is a layer of its own, and beds to lie on; things that look all
ways. Its quest has things and navigation of its own: there the door stands open. Names are ours. All numbers follow
from sums, products and roots, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formats import fable
from formats.fable.level import Section

FOLDER = Path(__file__).parent
LEVEL, THINGS = (FOLDER / f"fable_vale.{ending}" for ending in ("lev", "tng"))

SIDE = 64
GRASS, MEADOW, SAND, EARTH, ROCK, HEATHER, WATER, WHEAT = range(2, 10)
THEMES = tuple(
    "GROUND_VALE_" + name for name in ("GRASS", "MEADOW", "SAND", "PATH", "ROCK", "HEATHER", "WATER", "WHEAT")
)
DAY, HAUNTED = 1, 2
ATMOSPHERES = ("ENVIRONMENT_VALE_DAY", "ENVIRONMENT_VALE_HAUNTED")
LAKE, WIND, OWLS = 1, 2, 3
SOUNDS = ("SOUND_THEME_VALE_LAKE", "SOUND_THEME_VALE_WIND", "SOUND_THEME_VALE_OWLS")

HOUSE = (38, 6, 46, 14)
"""West, south, east, north; its walls are a unit thick, and its door is in the south wall."""
DOOR = (41, 6)
STAIRS = (44, 12)
BEDS = ((39.5, 12.5, 1), (42.0, 12.5, 1), (40.5, 8.0, 0))
"""Action points: x, y, layer."""
ORIGIN = (2592.0, 2112.0)
"""Of the map in its world: creatures have their first places there."""
DOOR_KEY, QUEST = 1033, "Q_ValeLights"
COUNTER = 1100

Grid = NDArray[np.float64]


def files() -> dict[Path, bytes]:
    """Both files' bytes."""
    return {LEVEL: fable.write(level()), THINGS: things()}


# ------------------------------------------------------------------------------------------------------------- ground


def level() -> fable.Level:
    """The `.lev`."""
    made = fable.new_level(SIDE, SIDE, themes=THEMES, atmospheres=ATMOSPHERES, sounds=SOUNDS, with_navigation=False)
    made.map_header["thing_uid_counter"], made.map_header["checksum"] = COUNTER, 0x5EED1E55
    y, x = np.mgrid[0 : SIDE + 1, 0 : SIDE + 1].astype(np.float64)
    z = ground(x, y)
    cells = made.cells
    cells["height"] = fable.stored_heights(np.rint(z * 256) / 256)
    cells["themes"], cells["strengths"] = blend(x, y, z)
    cells["walkable"] = (z > SHORE - 1) & (steepness(z) < 1.1) & ~walls(x, y)
    cells["camera"] = cells["walkable"] | (z <= SHORE - 1)
    cells["path"] = path(x, y) > 0.5
    cells["shore"] = z < SHORE + 0.5
    made.game_map = game_map(made)
    made.sections = navigation(cells)
    return made


SHORE = 19.0
"""World z up to which there is sand."""


def ground(x: Grid, y: Grid) -> Grid:
    """World z: it rises to the east; a hill in the north-east, the lake in the north-west."""
    z = 21 + x / 24 + y / 64
    z += 12 * bump(x - 45, y - 44, 18) + 5 * bump(x - 33, y - 51, 10)
    z -= 9 * bump(x - 15, y - 42, 15)
    level_ground = np.maximum(bump(x - 42, y - 10, 12), path(x, y))
    return z + (22 - z) * np.clip(level_ground * 2.5, 0, 1)


def bump(x: Grid, y: Grid, radius: float) -> Grid:
    """1 in the middle, 0 from the radius on, smooth."""
    near = np.clip(1 - (x * x + y * y) / (radius * radius), 0, 1)
    return near * near * (3 - 2 * near)


def path(x: Grid, y: Grid) -> Grid:
    """How much of the path is here: it comes from the south-west, passes the house and leaves in the east."""
    middle = 4 + 14 * bump(x - 16, 0 * y, 22) - 2 * bump(x - 41, 0 * y, 12)
    return np.clip(2.5 - np.abs(y - middle), 0, 1)


def steepness(z: Grid) -> Grid:
    """Units up a unit of way."""
    along_y, along_x = np.gradient(z)
    slope: Grid = np.sqrt(along_x * along_x + along_y * along_y)
    return slope


def walls(x: Grid, y: Grid) -> NDArray[np.bool_]:
    """Where the house's walls stand; not at its door."""
    west, south, east, north = HOUSE
    inside = (x >= west) & (x < east) & (y >= south) & (y < north)
    room = (x > west) & (x < east - 1) & (y > south) & (y < north - 1)
    return inside & ~room & ~((x == DOOR[0]) & (y == DOOR[1]))


def blend(x: Grid, y: Grid, z: Grid) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The themes of each cell, the three strongest of all that are there, and the strengths of the first two."""
    amounts = np.zeros((*x.shape, 10))
    amounts[..., GRASS] = 0.6
    amounts[..., MEADOW] = np.clip((y - 20) / 24, 0, 1)
    amounts[..., WHEAT] = 6 * np.clip(4 - np.maximum(abs(x - 12), abs(y - 6) * 2.5) / 2, 0, 1)
    amounts[..., SAND] = 5 * np.clip(SHORE + 1.5 - z, 0, 1)
    amounts[..., WATER] = 30 * np.clip((SHORE - 0.5 - z) * 2, 0, 1)
    amounts[..., ROCK] = 5 * np.clip((steepness(z) - 0.7) * 2.5, 0, 1)
    amounts[..., HEATHER] = 3 * np.clip((z - 31) / 4, 0, 1)
    amounts[..., EARTH] = 9 * path(x, y)
    order = np.argsort(-amounts, axis=-1, kind="stable")[..., :3]
    chosen = np.take_along_axis(amounts, order, axis=-1)
    chosen = np.where(chosen < 0.02, 0, chosen)
    strengths = np.rint(chosen / chosen.sum(axis=-1, keepdims=True) * 255)
    slots = np.where(chosen > 0, order, 0)
    rest = 255 - strengths[..., 0]
    strengths[..., 1] = np.where(slots[..., 2] == 0, rest, np.minimum(strengths[..., 1], rest))
    return slots.astype(np.uint8), strengths[..., :2].astype(np.uint8)


def game_map(made: fable.Level) -> NDArray[np.void]:
    """Day becomes haunted to the east; the lake, owls in the haunted part, wind on the hill."""
    cells: NDArray[np.void] = made.game_map.copy()
    y, x = np.mgrid[0 : SIDE // 4, 0 : SIDE // 4] * 4.0 + 2
    haunted = np.clip((x - 30) / 24, 0, 1)
    cells["themes"] = (DAY, HAUNTED, 0)
    cells["strengths"][..., 0] = np.rint((1 - haunted) * 255)
    cells["strengths"][..., 1] = 255 - cells["strengths"][..., 0]
    z = ground(x, y)
    cells["sound"] = np.select([z < SHORE, z > 30, haunted > 0.4], [LAKE, WIND, OWLS], 0)
    return cells


# --------------------------------------------------------------------------------------------------------- navigation


def navigation(cells: NDArray[np.void]) -> list[Section]:
    """That of every day, and that of the quest, where the door stands open."""
    west, south, east, north = HOUSE
    upstairs = np.full((SIDE, SIDE), fable.BLOCKED, np.int16)
    upstairs[south + 1 : north - 1, west + 1 : east - 1] = 64
    floor = fable.weights(cells)
    floor[STAIRS[1], STAIRS[0]] = 0  # a square of its own, like the door
    floor[DOOR[1], DOOR[0]] = 0
    upstairs[STAIRS[1], STAIRS[0]] = 0
    usual = replace(fable.new_navigation(floor), layer_count=2)
    usual = fable.rebuild(usual, 1, upstairs)
    positions = np.array(list(BEDS), fable.POSITION)
    usual = fable.rebuild(with_stairs(with_door(usual)), 0, floor)
    usual = replace(usual, positions=positions)
    opened = replace(usual, nodes=usual.nodes.copy())
    opened.nodes["blocked"][opened.nodes["switchable"] != 0] = 0
    return [Section.new("NULL", usual), Section.new(QUEST, opened)]


def leaf(nodes: NDArray[np.void], place: tuple[int, int], layer: int) -> int:
    """The number of the leaf of one unit at a place."""
    here = (nodes["x"] == place[0] + 0.5) & (nodes["y"] == place[1] + 0.5) & (nodes["layer"] == layer)
    (number,) = np.flatnonzero(here & (nodes["level"] == 5) & (nodes["leaf"] != 0)).tolist()
    return int(number)


def with_door(walked: fable.Navigation) -> fable.Navigation:
    """The door's leaf, which is closed."""
    nodes = walked.nodes.copy()
    door = leaf(nodes, DOOR, 0)
    nodes["switchable"][door] = nodes["blocked"][door] = nodes["key_count"][door] = 1
    nodes["region"][door] = 0
    return replace(walked, nodes=nodes, keys=np.array([DOOR_KEY], np.uint64))


def with_stairs(walked: fable.Navigation) -> fable.Navigation:
    """A link between the layers, both ways."""
    nodes = walked.nodes.copy()
    ends = [leaf(nodes, STAIRS, layer) for layer in (0, 1)]
    lists = np.split(walked.neighbours, walked.first_neighbours()[1:-1])
    for own, other in (ends, ends[::-1]):
        lists[own] = np.append(lists[own], nodes["index"][other])
        nodes["neighbour_count"][own] += 1
    return replace(walked, nodes=nodes, neighbours=np.concatenate(lists).astype(np.int32))


# ------------------------------------------------------------------------------------------------------------- things


def things() -> bytes:
    """The `.tng`, its lines ended as the game's editor ends them."""
    text = "Version 2;\n"
    for section, block in (("NULL", USUAL), (QUEST, OF_THE_QUEST)):
        text += f"\nXXXSectionStart {section};\n" + "".join(block) + "\nXXXSectionEnd;\n"
    return text.encode("ascii")


def thing(
    kind: str,
    number: int,
    definition: str,
    place: tuple[float, float],
    forward: tuple[float, float] = (0.0, 1.0),
    up: tuple[float, float, float] = (0.0, 0.0, 1.0),
    name: str = "NULL",
    component: str = "PhysicsStandard",
    more: str = "",
    values: Mapping[str, Any] | None = None,
) -> str:
    """A thing's text; it stands on the ground."""
    z = float(np.rint(ground(*(np.array(each) for each in place)) * 256) / 256)
    numbers = {"Position": (*place, z), "RHSetForward": (*forward, 0.0), "RHSetUp": up}
    axes = [
        f"{key}{axis} {value};" for key, vector in numbers.items() for axis, value in zip("XYZ", vector, strict=True)
    ]
    lines = [
        f"\nNewThing {kind};", "Player 4;", f"UID {fable.UID_BASE + number};", f'DefinitionType "{definition}";',
        f"ScriptName {name};", 'ScriptData "NULL";', "ThingGamePersistent FALSE;", "ThingLevelPersistent FALSE;",
        f"StartCTC{component};", *axes, f"EndCTC{component};", "StartCTCEditor;", "EndCTCEditor;",
        *filter(None, [more]), *(f"{key} {value};" for key, value in (values or {}).items()), "EndThing;",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def creature(number: int, definition: str, place: tuple[float, float], forward: tuple[float, float], name: str) -> str:
    """A creature, which also has its place in the world."""
    z = float(np.rint(ground(*(np.array(each) for each in place)) * 256) / 256)
    start = (place[0] + ORIGIN[0], place[1] + ORIGIN[1], z)
    initial = {f"InitialPos{axis}": value for axis, value in zip("XYZ", start, strict=True)}
    values = {"Health": 80.0, "OverridingBrainName": "NULL", "CanBeCourted": "FALSE", **initial}
    more = "StartCTCTargeted;\nTargetable TRUE;\nEndCTCTargeted;"
    return thing(
        "AICreature",
        number,
        definition,
        place,
        forward,
        name=name,
        component="PhysicsNavigator",
        more=more,
        values=values,
    )


CAMERA = """StartCTCCameraPointScripted;
CutInto FALSE;
FOV 72.0;
CoordBase C3DCoordF(2624.0,2120.0,24.5);
CoordAxisFwd C3DCoordF(0.6,0.8,0.0);
EndCTCCameraPointScripted;"""

USUAL = (
    thing(
        "Marker", 1001, "REGION_ENTRANCE_POINT", (2.0, 12.0), (1.0, 0.0), name="MK_VALE_WEST", values={"Health": 1.0}
    ),
    thing("Marker", 1002, "REGION_EXIT_POINT", (62.0, 4.0), (-1.0, 0.0), name="MK_VALE_EAST", values={"Health": 1.0}),
    thing("Marker", 1003, "NAVIGATION_SEED", (30.0, 10.0), values={"Health": 1.0}),
    thing("Building", 1032, "BUILDING_VALE_HOUSE", (42.0, 10.0), (0.0, -1.0), values={"Health": 1.0}),
    thing(
        "Object", DOOR_KEY, "OBJECT_VALE_DOOR", (41.5, 6.5), (0.0, -1.0), more="StartCTCDoor;\nOpen FALSE;\nEndCTCDoor;"
    ),
    thing("Object", 1034, "OBJECT_VALE_TREE", (24.0, 26.0), (0.6, 0.8), values={"ObjectScale": 1.5, "Health": 1.0}),
    thing("Object", 1035, "OBJECT_VALE_TREE", (20.5, 22.25), (-0.8, 0.6), values={"ObjectScale": 0.75}),
    thing("Object", 1036, "OBJECT_VALE_FALLEN_PILLAR", (45.0, 44.0), (0.0, 1.0), (0.6, 0.0, 0.8)),
    thing("Thing", 1037, "CAMERA_POINT_SCRIPTED", (32.0, 8.0), (0.6, 0.8), name="CAM_VALE", more=CAMERA),
    creature(1038, "CREATURE_VALE_FARMER", (12.0, 7.0), (0.8, -0.6), "FARMER"),
    thing("TrackNode", 1039, "TRACK_NODE", (16.0, 14.0)),
)
OF_THE_QUEST = (
    thing("Marker", 1050, "MARKER_BASIC", (45.0, 46.0), (0.0, -1.0), name="MK_LIGHTS", values={"Health": 1.0}),
    creature(1051, "CREATURE_VALE_GHOST", (46.0, 40.0), (-0.6, -0.8), "GHOST"),
)

if __name__ == "__main__":
    for file, data in files().items():
        file.write_bytes(data)
        print(f"{file.name}: {len(data)} bytes")
