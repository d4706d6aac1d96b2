# SPDX-License-Identifier: GPL-3.0-or-later
"""Each kind of problem that `fable.check` finds, brought into a level at place 0, 1 or 2: for the contract of the gate.

Places are height cells, cells of the game map, sounds, themes and sections of navigation: the level has four of each.
Levels may come from the extension's copy of the library: new sections are of the class of those that are there.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from formats import fable
from formats.fable.records import GAME_CELL_EDGE, MAX_SOUNDS

Bring = Callable[[fable.Level, int], None]
SIDE = 64
NAMES = ("A", "B", "C", "D")
ABSENT = 9999
"""An index that no node has."""


def clean() -> bytes:
    """A level without a problem: four sections of navigation around a hole, and four of all that has names."""
    themes, atmospheres, sounds = ([f"{what}_{name}" for name in NAMES] for what in ("GROUND", "ENVIRONMENT", "SOUND"))
    level = fable.new_level(
        SIDE, SIDE, themes=themes, atmospheres=atmospheres, sounds=sounds, z=10.0, with_navigation=False
    )
    level.cells["walkable"][8, 8] = 0
    made = fable.new_navigation(fable.weights(level.cells))
    level.sections = [fable.Section.new(name, made) for name in NAMES]
    return fable.write(level)


# ------------------------------------------------------------------------------------------------------------- header


def header(name: str, value: int) -> Bring:
    """A field of the map header that is not as in known levels."""

    def bring(level: fable.Level, place: int) -> None:
        level.map_header[name] = value

    return bring


def odd_width(level: fable.Level, place: int) -> None:
    """One unit too wide a map; its navigation is taken out, for that would be of another size."""
    level.map_header["width"] = SIDE - 31
    level.cells = level.cells[:, : level.width + 1]
    if level.game_map is not None:
        level.game_map = level.game_map[:, : level.width // GAME_CELL_EDGE]
    level.sections = []


def many_sounds(level: fable.Level, place: int) -> None:
    """More sounds than cells can name."""
    level.sounds += [f"EXTRA_{place}_{number}" for number in range(MAX_SOUNDS + 1)]


def no_sound_count(level: fable.Level, place: int) -> None:
    """A sound count of 0, which does not count silence."""
    level.sounds, level.map_header["sound_count"] = [], 0


def sound_twice(level: fable.Level, place: int) -> None:
    """A sound's name once more."""
    level.sounds.append(level.sounds[place])


def slot_0(palette: str) -> Bring:
    """A theme where there is none."""

    def bring(level: fable.Level, place: int) -> None:
        getattr(level, palette)["name"][0] = b"THEME"
        getattr(level, palette)["value"][0] = 1

    return bring


def switched_off(palette: str) -> Bring:
    """A theme with a name, but without a value; no cell shows it."""

    def bring(level: fable.Level, place: int) -> None:
        getattr(level, palette)["name"][10 + place] = f"UNUSED_{NAMES[place]}".encode()

    return bring


def nameless(palette: str) -> Bring:
    """A theme with a value, but without a name."""

    def bring(level: fable.Level, place: int) -> None:
        getattr(level, palette)["value"][10 + place] = 10 + place

    return bring


def cut_brushes(level: fable.Level, place: int) -> None:
    """A script-brush block too short for its header."""
    level.brushes = level.brushes[:100]


def brush(level: fable.Level, place: int) -> None:
    """One more brush."""
    block = level.brush_header().copy()
    block["brush_count"] = int(block["brush_count"]) + 1
    level.brushes = block.tobytes()


def gap(name: str) -> Bring:
    """A byte where known levels have none."""

    def bring(level: fable.Level, place: int) -> None:
        setattr(level, name, getattr(level, name) + b"\1")

    return bring


# -------------------------------------------------------------------------------------------------------------- cells


def cell(name: str, value: Any) -> Bring:
    """A field of a height cell."""

    def bring(level: fable.Level, place: int) -> None:
        level.cells = level.cells.copy()
        level.cells[name][20, place] = value

    return bring


def game_cell(name: str, value: Any) -> Bring:
    """A field of a cell of the game map."""

    def bring(level: fable.Level, place: int) -> None:
        if level.game_map is not None:
            level.game_map = level.game_map.copy()
            level.game_map[name][5, place] = value

    return bring


def unknown_old_sound(level: fable.Level, place: int) -> None:
    """A sound that is not there, in an old map, whose height cells name the sounds."""
    level.map_header["map_version"] = 2
    cell("old_sound", 200)(level, place)


def no_cells(level: fable.Level, place: int) -> None:
    """No height cells at all."""
    level.cells = level.cells[:0]


def no_game_map(level: fable.Level, place: int) -> None:
    """A level that can't be written: its version has a game map."""
    level.game_map = None


# --------------------------------------------------------------------------------------------------------- navigation


def section(level: fable.Level, place: int) -> fable.Section:
    """The section of a place."""
    if level.sections is None:
        raise AssertionError("the clean level has sections")
    return level.sections[place]


def no_directory(level: fable.Level, place: int) -> None:
    """A level with navigation of the old form."""
    level.sections = None


def section_twice(level: fable.Level, place: int) -> None:
    """A section's name once more."""
    own = section(level, place)
    if level.sections is not None:
        level.sections.append(type(own).new(own.name, own.navigation))


def section_gap(level: fable.Level, place: int) -> None:
    """A byte before a section."""
    section(level, place).gap += b"\1"


def no_end_mark(level: fable.Level, place: int) -> None:
    """A section that can't be read."""
    own = section(level, place)
    if level.sections is not None:
        level.sections[place] = type(own)(own.name, bytes(own.payload())[:-4] + b"MARK", offset=0xABC << place)


def navigation(change: Callable[[fable.Navigation], dict[str, Any]]) -> Bring:
    """Other fields in a section's navigation."""

    def bring(level: fable.Level, place: int) -> None:
        own = section(level, place)
        own.navigation = dataclasses.replace(own.navigation, **change(own.navigation))

    return bring


def smaller(tree: fable.Navigation) -> dict[str, Any]:
    """Navigation for a map of another size."""
    made = tree.header.copy()
    made["width"] = 32
    return {"header": made}


def leaf_with(name: str, value: Any) -> Bring:
    """A field of a section's last leaf."""

    def change(tree: fable.Navigation) -> dict[str, Any]:
        nodes = tree.nodes.copy()
        nodes[name][np.flatnonzero(nodes["leaf"])[-1]] = value
        return {"nodes": nodes}

    return navigation(change)


def same_index(tree: fable.Navigation) -> dict[str, Any]:
    """Two internal nodes of one index: those are named by none but their parents."""
    nodes = tree.nodes.copy()
    inner = np.flatnonzero((nodes["leaf"] == 0) & (nodes["blocked"] == 0))
    nodes["index"][inner[0]] = nodes["index"][inner[1]]
    return {"nodes": nodes}


def absent_child(tree: fable.Navigation) -> dict[str, Any]:
    """A child that is not there."""
    nodes = tree.nodes.copy()
    inner = np.flatnonzero((nodes["leaf"] == 0) & (nodes["blocked"] == 0))
    nodes["children"][inner[0], 0] = ABSENT
    return {"nodes": nodes}


def absent_neighbour(tree: fable.Navigation) -> dict[str, Any]:
    """A neighbour that is not there."""
    neighbours = tree.neighbours.copy()
    neighbours[0] = ABSENT
    return {"neighbours": neighbours}


def one_sided(tree: fable.Navigation) -> dict[str, Any]:
    """A leaf that no longer names a neighbour which still names it: it names itself instead."""
    neighbours = tree.neighbours.copy()
    neighbours[0] = tree.nodes["index"][np.flatnonzero(tree.nodes["neighbour_count"])[0]]
    return {"neighbours": neighbours}


def stray_point(tree: fable.Navigation) -> dict[str, Any]:
    """An action point on a layer that is not there."""
    return {"positions": np.append(tree.positions, np.array([(5.0, 5.0, 7)], fable.POSITION))}


def tail(tree: fable.Navigation) -> dict[str, Any]:
    """A byte behind the end mark."""
    return {"tail": tree.tail + b"\1"}


CASES: dict[str, Bring] = {
    "width": odd_width,
    "plus_one": header("plus_one", 2),
    "map version": header("map_version", 2),
    "too many sounds": many_sounds,
    "sound count": no_sound_count,
    "sound twice": sound_twice,
    "ground slot 0": slot_0("ground_palette"),
    "atmosphere slot 0": slot_0("atmosphere_palette"),
    "ground theme off": switched_off("ground_palette"),
    "atmosphere off": switched_off("atmosphere_palette"),
    "ground theme without a name": nameless("ground_palette"),
    "atmosphere without a name": nameless("atmosphere_palette"),
    "brushes cut": cut_brushes,
    "brushes": brush,
    "header gap": gap("header_gap"),
    "map gap": gap("map_gap"),
    "directory gap": gap("directory_gap"),
    "trailing": gap("trailing"),
    "no cells": no_cells,
    "height": cell("height", np.nan),
    "ground strengths": cell("strengths", (200, 100)),
    "ground theme": cell("themes", (99, 0, 0)),
    "walkable": cell("walkable", 3),
    "camera": cell("camera", 3),
    "shore": cell("shore", 2),
    "path": cell("path", 2),
    "zero_9": cell("zero_9", 1),
    "zero_18": cell("zero_18", 1),
    "walkable, camera shut": cell("camera", 0),
    "old sound": unknown_old_sound,
    "atmosphere strengths": game_cell("strengths", (200, 100)),
    "atmosphere": game_cell("themes", (99, 0, 0)),
    "sound": game_cell("sound", 99),
    "cannot be written": no_game_map,
    "no directory": no_directory,
    "section twice": section_twice,
    "section gap": section_gap,
    "section cannot be read": no_end_mark,
    "navigation size": navigation(smaller),
    "node layer": leaf_with("layer", 9),
    "node region": leaf_with("region", 99),
    "node index": navigation(same_index),
    "node child": navigation(absent_child),
    "node neighbour": navigation(absent_neighbour),
    "node neighbour one way": navigation(one_sided),
    "action point": navigation(stray_point),
    "navigation tail": navigation(tail),
}

SINGLE: frozenset[str] = frozenset(
    (
        "width",
        "plus_one",
        "map version",
        "sound count",
        "ground slot 0",
        "atmosphere slot 0",
        "brushes cut",
        "no cells",
        "cannot be written",
        "no directory",
    )
)
