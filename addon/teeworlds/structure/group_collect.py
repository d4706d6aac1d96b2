# SPDX-License-Identifier: GPL-3.0-or-later
"""A group's collection back to its record: names, parallax, offset by its root empty, clip rectangle by its empty."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Floats
from ....formats.teeworlds import Group
from ...scene.geometry import transforms
from ...scene.kept.identity import kind_of
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import GroupProperties, read_properties
from . import clips
from . import group_build as groups
from .collect import GroupInstance

AT_REST = (0, 0, 100, 100, False)
"""Offset, parallax and clipping that the engine gives the game layer's group, whatever the file says."""


def write(scene: GroupInstance, group: Group, game: bool, report: Report) -> None:
    """Write what was edited of a group. `game`: it holds the game layer, which nothing may move.

    Raises SceneError for transforms that a group can't have, FormatError for a name that is too long.
    """
    before = _frame(group)
    values, changed = read_properties(scene.root, GroupProperties)
    if "group_name" in changed or scene.record < 0:
        group.name = values.group_name
    for name in ("parallax_x", "parallax_y", "use_clip"):
        if name in changed or scene.record < 0:
            setattr(group, name, getattr(values, name))
    _write_offset(scene.root, group, report)
    _write_clip(scene, group, report)
    if game and _frame(group) not in (before, AT_REST):
        raise SceneError(
            f"{scene.root.name}: the game layer's group can't have an offset, a parallax other than 100 or a clip "
            "rectangle: the game ignores them. Move its layers instead",
            [scene.root],
        )


def _frame(group: Group) -> tuple[int, int, int, int, bool]:
    return (group.offset_x, group.offset_y, group.parallax_x, group.parallax_y, group.use_clip)


def _write_offset(root: bpy.types.Object, group: Group, report: Report) -> None:
    matrix = transforms.compose(root, deltas=False)  # parallax previews by the deltas
    if np.abs(matrix[:2, :2] - np.eye(2)).max() > 1e-4:
        raise SceneError(f"{root.name}: a group can be moved, but not turned or scaled; turn its layers", [root])
    place = matrix[:2, 3]
    if (place == np.array(groups.location_of(group)[:2], np.float32)).all():
        return
    group.offset_x, group.offset_y = groups.offset_of((place[0], place[1]))
    _warn_between_pixels(root, np.array([group.offset_x, group.offset_y]) / layout.TILE * (-1, 1), place, report)


def _write_clip(scene: GroupInstance, group: Group, report: Report) -> None:
    empties = [obj for obj in scene.collection.objects if kind_of(obj) == layout.CLIP]
    if not empties:
        if group.use_clip:
            raise SceneError(
                f"{scene.root.name}: it is clipped (use_clip), but has no clip rectangle: add one in the sidebar",
                [scene.root],
            )
        group.clip_x = group.clip_y = group.clip_w = group.clip_h = 0
        return
    if len(empties) > 1:
        raise SceneError(f"{scene.root.name}: a group has one clip rectangle, here are {len(empties)}", empties)
    matrix = transforms.compose(empties[0])
    if np.abs(matrix[[0, 1], [1, 0]]).max() > 1e-4 * np.abs(matrix[:2, :2]).max():
        raise SceneError(f"{empties[0].name}: a clip rectangle can't be turned", empties)
    place, half = matrix[:2, 3], np.abs(matrix[[0, 1], [0, 1]])
    was_place, was_half = (np.array(numbers[:2], np.float32) for numbers in clips.clip_transform(group))
    if (place == was_place).all() and (half == np.abs(was_half)).all():
        return
    group.clip_x, group.clip_y, group.clip_w, group.clip_h = clips.clip_of((place[0], place[1]), (half[0], half[1]))
    now_place, _ = clips.clip_transform(group)
    _warn_between_pixels(empties[0], np.array(now_place[:2]), place, report)


def _warn_between_pixels(obj: bpy.types.Object, now: Floats, shown: Floats, report: Report) -> None:
    if np.abs(now - shown).max() > 1 / 16 / layout.TILE:
        report.warn(f"{obj.name} was moved to whole pixels: its place is stored in those")
