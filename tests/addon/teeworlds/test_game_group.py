# SPDX-License-Identifier: GPL-3.0-or-later
"""The group that layers are moved to where none is chosen."""

import bpy
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.teeworlds.structure.parts import game_group, groups_of

from tests.addon.teeworlds.export_helpers import exported, layer, names, opened
from tests.formats.teeworlds_bytes import whole_map


def test_a_layer_is_moved_to_the_game_layers_group_unless_another_is_chosen() -> None:
    level = opened(whole_map().build())
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_move_to_group()
    assert names(exported(level))[1][1][-1] == "Sky", "in front of what is in it"


def test_a_level_without_a_game_layer_has_its_front_group_chosen() -> None:
    level = opened(whole_map().build())
    numbers = range(len(groups_of(level)))
    assert [game_group(groups_of(level)[:number]) for number in numbers] == [0, 0, *[1 for _ in numbers[2:]]]
    assert game_group(groups_of(level)[2:]) == len(numbers) - 3


def test_a_map_whose_game_layers_group_was_deleted_says_so() -> None:
    level = opened(whole_map().build())
    home = next(child for child in level.children if layer(level, 2) in set(child.all_objects))
    for obj in list(home.all_objects):
        bpy.data.objects.remove(obj)
    bpy.data.collections.remove(home)
    with pytest.raises(SceneError, match=r"no game layer \(group 1 .*, with it, was deleted\)"):
        exported(level)
