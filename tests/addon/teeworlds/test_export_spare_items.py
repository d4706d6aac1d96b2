# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is edited in Blender: items that nothing in the scene stands for stay, in their order and with their ids."""

from collections.abc import Callable

import bpy
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import animation
from levelwright.addon.teeworlds import layout

from formats.teeworlds import read
from tests.addon.teeworlds.export_helpers import exported, group, image, imported, layer, part
from tests.formats.teeworlds_edits import crowded, lost, spare

Level = bpy.types.Collection


def action(level: Level, number: int) -> bpy.types.Action:
    return originals.resources(level, layout.ENVELOPE)[number]


def move_key(level: Level) -> None:
    found = action(level, 0)
    curve = animation.fcurves(found, animation.slot(found))[0]
    curve.keyframe_points[-1].co.x += 50


def remove_group(level: Level) -> None:
    for obj in list(group(level, 0).all_objects):
        bpy.data.objects.remove(obj)
    bpy.data.collections.remove(level.children[0])


def add_image(level: Level) -> None:
    made = bpy.data.images.new("new", 16, 16)
    originals.set_resource(level, layout.IMAGE, 9, made)


EDITS: dict[str, Callable[[Level], object]] = {
    "author": lambda level: level.__setitem__("author", "else"),
    "name of a layer": lambda level: layer(level, 3).__setitem__("layer_name", "other"),
    "name of a group": lambda level: part(level, layout.GROUP, 1).__setitem__("group_name", "other"),
    "automapper": lambda level: layer(level, 3).__setitem__("automapper_seed", 8),
    "a key": move_key,
    "no envelope": lambda level: bpy.data.actions.remove(action(level, 0)),
    "no layer": lambda level: bpy.data.objects.remove(layer(level, 3)),
    "no group": remove_group,
    "no image": lambda level: bpy.data.images.remove(image(level, 0)),
    "another image": add_image,
    "no sound": lambda level: bpy.data.sounds.remove(originals.resources(level, layout.SOUND)[0]),
    "another order": lambda level: layer(level, 0).__setitem__(layout.ORDER, 5),
}


@pytest.mark.parametrize("edit", EDITS)
def test_spare_items_stay(edit: str) -> None:
    data = crowded().build()
    level = imported(data)
    assert exported(level) == data
    EDITS[edit](level)
    edited = exported(level)
    assert edited != data
    assert lost(spare(read(data)), edited) == []
