# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are, how they stand and how large they are, back from their objects: only numbers that changed."""

from __future__ import annotations

from typing import SupportsFloat

import bpy
import numpy as np

from ....formats.arrays import Floats
from ....formats.fable import tng
from ....formats.fable.placement import OBJECT_SCALE, ThingPlacement, placement_of
from ....formats.fable.text import coordinates, coordinates_text, set_number
from ...scene.geometry import transforms

Matrix = Floats

TURNED, TURNED_ALOFT = 2e-6, 2e-5
"""By how much a part of a direction may be off and count as not turned (the file has six decimals); and below parents
other than the root, whose transforms Blender rounds."""
ALIKE = 1e-6
"""Share by which a scale may be off, likewise."""
SQUARE = 1e-4
COORD_BASE = "CoordBase"
AGREES = 0.01
"""Units by which a camera's place and its CoordBase may differ: the files' do by less than 0.001."""
_AXES = "XYZ"
_ALL = frozenset((transforms.LOCATION, transforms.ROTATION, transforms.SCALE, transforms.DELTA, transforms.PARENT))
_CHAIN = frozenset((transforms.DELTA, transforms.PARENT))


def collect_placement(
    obj: bpy.types.Object,
    thing: tng.Thing,
    root: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph | None,
    fresh: bool,
    with_start: bool,
) -> bool:
    """Write where an object is to its thing, if it isn't where the import put it; whether that changed any text.

    fresh: no import put it anywhere. with_start: where a creature starts moves along. Raises ValueError for places that
    a thing can't have.
    """
    driven = transforms.needs_evaluation(obj, root)
    channels = _ALL if fresh or driven else transforms.changed_channels(obj, root)
    if not channels:
        return False
    matrix = transforms.seen(obj, root, depsgraph)
    if not np.isfinite(matrix).all():
        raise ValueError("its place is NaN or infinite")
    was = placement_of(thing)
    aloft = driven or bool(channels & _CHAIN)
    changed = False
    if channels & {transforms.LOCATION, *_CHAIN}:
        rounding = _rounding(root) if aloft else 0.0
        changed |= _collect_position(thing, was, matrix[:3, 3], rounding, with_start)
    if channels & {transforms.ROTATION, transforms.SCALE, *_CHAIN}:
        lengths = np.linalg.norm(matrix[:3, :3], axis=0)
        if not (lengths > 1e-9).all() or np.linalg.det(matrix[:3, :3]) < 0:
            raise ValueError("its scale is 0 or negative, which a thing can't have")
        changed |= _collect_frame(was, matrix[:3, :3] / lengths, TURNED_ALOFT if aloft else TURNED)
        changed |= _collect_scale(thing, was, lengths)
    return changed


def _rounding(root: bpy.types.Object | None) -> float:
    """By how much Blender may round a place of up to 1 unit, for parents other than the root: that may be far away."""
    reach = 0.0 if root is None else max(abs(one) for one in root.location[:])
    return float(np.finfo(np.float32).eps) * max(8.0, 2 * reach)


def _collect_position(thing: tng.Thing, was: ThingPlacement, now: Matrix, rounding: float, with_start: bool) -> bool:
    if was.position is None or was.body is None:
        if np.abs(now).max() > 0:
            raise ValueError("it has no place in its file, so it can't be moved")
        return False
    start = thing.initial_position if with_start else None
    changed = False
    for axis, name in enumerate(_AXES):
        old, new = was.position[axis], float(now[axis])
        near = max(rounding, float(8 * np.finfo(np.float32).eps) * abs(old)) if rounding else 0.0
        if np.float32(old) == np.float32(new) or abs(new - old) <= near:
            continue
        set_number(was.body, f"Position{name}", _decimals(new))
        if start is not None:
            set_number(thing.block, f"InitialPos{name}", _decimals(start[axis] + (new - old)))
        changed = True
    return changed


def _decimals(value: SupportsFloat) -> float:
    """A number as the file has it: six decimals, and 0 without a sign."""
    return round(float(value), 6) + 0.0


def move_with_map(thing: tng.Thing, origin: tuple[int, int], by: tuple[int, int]) -> bool:
    """Move what a thing has in the world along with its map; whether that changed any text.

    origin: of the map, before. by: how far it was moved. That is where a creature starts, and of a camera its CoordBase
    where that is the place of the camera in the world with the sign turned; files have others, of places where a map
    once was (fable.md §5): those stay.
    """
    changed = False
    start, place = thing.initial_position, thing.position
    for axis, name in enumerate(_AXES[:2]):
        if start is not None and by[axis]:
            set_number(thing.block, f"InitialPos{name}", _decimals(start[axis] + by[axis]))
            changed = True
    for block in thing.block.blocks() if place is not None else ():
        base = block.find(COORD_BASE)
        at = coordinates(base.value) if base is not None else None
        if base is None or at is None or place is None or not any(by):
            continue
        if all(abs(at[axis] + place[axis] + origin[axis]) < AGREES for axis in range(2)):
            moved = [at[axis] - by[axis] for axis in range(2)]
            block.set(COORD_BASE, coordinates_text((moved[0], moved[1], at[2])))
            changed = True
    return changed


def _collect_frame(was: ThingPlacement, now: Matrix, tolerance: float) -> bool:
    if abs(float(now[:, 1] @ now[:, 2])) > SQUARE:
        raise ValueError("it is sheared, which a thing can't be")
    off = np.abs(now - (np.eye(3) if was.frame is None else np.array(was.frame).T)) > tolerance
    if not off[:, 1:].any():
        return False
    if was.body is None:
        raise ValueError("it has no place in its file, so it can't be turned")
    for column, name in ((1, "RHSetForward"), (2, "RHSetUp")):
        for row, axis in enumerate(_AXES):
            if was.frame is None or off[row, column]:
                set_number(was.body, name + axis, _decimals(now[row, column]))
    return True


def _collect_scale(thing: tng.Thing, was: ThingPlacement, lengths: Matrix) -> bool:
    old, now = was.scale or 1.0, float(lengths.mean())
    if (np.abs(lengths - now) > SQUARE * now).any():
        raise ValueError(f"its scale differs between the axes: {OBJECT_SCALE} is one number")
    if abs(now - old) <= ALIKE * old:
        return False
    set_number(thing.block, OBJECT_SCALE, now)
    return True
