# SPDX-License-Identifier: GPL-3.0-or-later
"""What the game would refuse or misread in a level (fable.md §2).

An error keeps the level or a part of it from working as it says; a warning is worth a look.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Integers, Ints, Records
from ..binary import FormatError, Problem
from ..counting import number_of
from .lev_file import write
from .level import Level, Section, strengths
from .nodes import Navigation
from .records import MAX_SOUNDS, ROOT_EDGE, palette_names


def check(level: Level) -> list[Problem]:
    """What the game would refuse or misread."""
    with np.errstate(all="ignore"):  # hostile floats
        return [*_header(level), *_cells(level), *_game_map(level), *_navigation(level), *_writes(level)]


def _writes(level: Level) -> Iterator[Problem]:
    try:
        write(level)
    except FormatError as error:
        yield Problem("level", f"cannot be written: {error}")


def _header(level: Level) -> Iterator[Problem]:
    place, width, height = "map header", level.width, level.height
    if width % ROOT_EDGE or height % ROOT_EDGE or not width or not height:
        yield Problem(place, f"{width} x {height} units: sides are multiples of {ROOT_EDGE}")
    if level.map_header["plus_one"] != 1:
        yield Problem(place, f"plus_one is {level.map_header['plus_one']}, in known levels 1", "warning")
    if level.map_version != 3:
        yield Problem(place, f"map version {level.map_version}, in known levels 3", "warning")
    if len(level.sounds) > MAX_SOUNDS:
        yield Problem("sounds", f"{len(level.sounds)} names, cells can only name {MAX_SOUNDS}", count=len(level.sounds))
    if level.map_header["sound_count"] == 0:
        yield Problem("sounds", "a count of 0: it counts silence too, so it is 1 where there are no sounds", "warning")
    for name, times in _repeated(level.sounds):
        yield Problem(f"sound {name!r}", f"is there {times} times", "warning", times - 1)
    for title, palette in (("ground palette", level.ground_palette), ("atmosphere palette", level.atmosphere_palette)):
        names = palette_names(palette)
        if names[0] or palette["value"][0]:
            yield Problem(title, "slot 0 stands for no theme, but is used", "warning")
        for slot, (name, value) in enumerate(zip(names, palette["value"].tolist(), strict=True)):
            if name and not value:
                yield Problem(f"{title}: {name!r}", "its value is 0, which switches it off", "warning")
            elif value and not name:
                yield Problem(f"{title}: slot {slot}", "it is used, but has no name", "warning")
    try:
        count = int(level.brush_header()["brush_count"])
    except FormatError as error:
        yield Problem("script-brush block", str(error))
    else:
        if count:
            yield Problem(
                "script-brush block", f"{number_of(count, 'brushes')}: their layout is not known", "warning", count
            )
    for title, gap in (
        ("bytes behind the file header", level.header_gap),
        ("bytes behind the map", level.map_gap),
        ("bytes behind the directory", level.directory_gap),
        ("trailing bytes", level.trailing),
    ):
        if gap:
            yield Problem(title, f"{len(gap)} of them; known levels have none", "warning", len(gap))


def _repeated(names: list[str]) -> list[tuple[str, int]]:
    """The names that are there more than once, sorted, and how many times."""
    return sorted((name, times) for name, times in Counter(names).items() if times > 1)


def _cells(level: Level) -> Iterator[Problem]:
    cells = level.cells
    if not cells.size:
        yield Problem("height cells", "there are none")
        return
    height = cells["height"]
    used = (palette_names(level.ground_palette), level.ground_palette["value"])
    yield from _at("height cells", ~((height >= 0) & (height < 1)), "world height is not at least 0 and less than 2048")
    yield from _blend("height cells", cells, used)
    for name in ("walkable", "camera", "shore", "path"):
        yield from _at("height cells", cells[name] > 1, f"{name} is neither 0 nor 1", "warning")
    for name in ("zero_9", "zero_18"):  # in the place: numbers in messages don't tell kinds apart
        yield from _at(f"height cells, {name}", cells[name] != 0, "is not 0, which it is in known levels", "warning")
    stuck = (cells["walkable"] & 1 == 1) & (cells["camera"] & 1 == 0)
    yield from _at("height cells", stuck, "walkable, so the camera passes, though closed to it", "warning")
    if level.map_version < 3:
        unknown = cells["old_sound"] > len(level.sounds)
        yield from _at("height cells", unknown, "old_sound names a sound that is not there")


def _game_map(level: Level) -> Iterator[Problem]:
    if level.game_map is None:
        return
    used = (palette_names(level.atmosphere_palette), level.atmosphere_palette["value"])
    yield from _blend("game map", level.game_map, used)
    if level.map_version >= 3:
        yield from _at("game map", level.game_map["sound"] > len(level.sounds), "sound names a sound that is not there")


def _blend(place: str, cells: Records, used: "tuple[list[str], npt.NDArray[np.uint32]]") -> Iterator[Problem]:
    """Whether strengths add up, and belong to themes that are there; slot 0 is nothing on purpose."""
    names, values = used
    weight = strengths(cells)
    missing = np.array([bool(slot) and (not names[slot] or not values[slot]) for slot in range(len(names))])
    yield from _at(place, weight[..., 2] < 0, "strengths exceed 255")
    shown = (weight > 0) & missing[cells["themes"]]
    yield from _at(place, shown.any(axis=-1), "shows a theme that the palette does not have", "warning")


def _at(place: str, wrong: Bools, message: str, severity: Literal["error", "warning"] = "error") -> Iterator[Problem]:
    """One problem for all cells that are wrong, with the first of them."""
    count = int(np.count_nonzero(wrong))
    if count:
        y, x = (int(part) for part in np.unravel_index(int(wrong.argmax()), wrong.shape))
        yield Problem(place, f"{message}: {number_of(count, 'cells')}, the first at x {x}, y {y}", severity, count)


# --------------------------------------------------------------------------------------------------------- navigation


def _navigation(level: Level) -> Iterator[Problem]:
    if level.sections is None:
        yield Problem("navigation", "has no directory: the game reads a tree of the old form", "warning")
        return
    names = [section.name for section in level.sections]
    for name, times in _repeated(names):
        yield Problem(f"section {name!r}", f"is there {times} times", count=times - 1)
    for section in level.sections:
        yield from _section(level, section)


def _section(level: Level, section: Section) -> Iterator[Problem]:
    place = f"section {section.name!r}"
    if section.gap:
        yield Problem(place, f"{len(section.gap)} bytes before it; known levels have none", "warning", len(section.gap))
    try:
        tree = section.navigation
    except FormatError as error:
        yield Problem(place, str(error))
        return
    if (float(tree.header["width"]), float(tree.header["height"])) != (level.width, level.height):
        size = f"{tree.header['width']:g} x {tree.header['height']:g}"
        yield Problem(place, f"is for {size} units, the map has {level.width} x {level.height}")
    for number, message in _tree(tree):
        yield Problem(place, f"{message}: {number_of(number, 'nodes')}", count=number)
    beyond = int(np.count_nonzero((tree.positions["layer"] < 0) | (tree.positions["layer"] >= tree.layer_count)))
    if beyond:
        yield Problem(place, f"{number_of(beyond, 'action points are')} on no layer", count=beyond)
    if tree.tail:
        count = len(tree.tail)
        yield Problem(place, f"{count} bytes behind its end mark; known levels have none", "warning", count)


def _tree(tree: Navigation) -> Iterator[tuple[int, str]]:
    """What is wrong with nodes, and with how many."""
    nodes = tree.nodes
    placed = (nodes["switchable"] != 0) | (nodes["blocked"] == 0)
    leaf = placed & (nodes["leaf"] != 0)
    own = nodes["index"][placed]
    indices, counts = np.unique(own, return_counts=True)
    named = np.repeat(np.arange(len(nodes)), nodes["neighbour_count"])
    leaves = np.unique(nodes["index"][leaf])
    children = nodes["children"][placed & ~leaf]
    links, back = (np.unique(pair) for pair in _both_ways(nodes["index"][named], tree.neighbours))
    rules = (
        (np.count_nonzero(placed & (nodes["layer"] >= tree.layer_count)), "on no layer"),
        (np.count_nonzero(leaf & ((nodes["region"] < 0) | (nodes["region"] >= tree.region_count))), "of no region"),
        (int(counts[counts > 1].sum()), "have the index of another one"),
        (np.count_nonzero(~np.isin(children, indices) & (children != 0)), "named as children are not there"),
        (np.count_nonzero(~np.isin(tree.neighbours, leaves)), "named as neighbours are not leaves"),
        (np.count_nonzero(~np.isin(links, back)), "name a neighbour that does not name them"),
    )
    yield from ((int(count), message) for count, message in rules if count)


def _both_ways(first: Integers, second: Integers) -> Iterator[Ints]:
    """Pairs of 32-bit numbers as one number each, and those of the pairs turned round."""
    high, low = first.astype(np.int64), second.astype(np.int64)
    yield high << 32 | (low & 0xFFFFFFFF)
    yield low << 32 | (high & 0xFFFFFFFF)
