# SPDX-License-Identifier: GPL-3.0-or-later
"""How many entities an export says that it changed."""

from collections.abc import Callable
from typing import Any

import bpy
import pytest
from levelwright.addon.ns2.layers import lists
from levelwright.addon.scene.reports import Report

from tests.addon.ns2.entity_helpers import exported, level_bytes, object_of, opened

DATA = level_bytes()


def _brighter(_level: bpy.types.Collection, obj: Any) -> None:
    obj.data.energy *= 2


def _in_another_layer(level: bpy.types.Collection, obj: Any) -> None:
    lists.homes(level, "layers")[1].objects.link(obj)


@pytest.mark.parametrize("edit", [_brighter, _in_another_layer])
def test_a_changed_entity_is_counted(edit: Callable[[bpy.types.Collection, Any], None]) -> None:
    level, report = opened(DATA), Report()
    edit(level, object_of(level, "light_point"))
    exported(level, report)
    assert "entities: 1 changed" in report.lines()
