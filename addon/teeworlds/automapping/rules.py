# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules that a layer may be drawn by: those of its image, looked for where the games have them."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.teeworlds.automap_rules import RuleSet, read_rules
from ...scene.disk import content_folders
from ...scene.kept import originals
from ...scene.reports import Report
from .. import content, layout
from ..layout import ImageProperties, read_properties

ENDING = ".rules"
_FRESH = 5.0
"""Seconds after which the folders are looked through again: panels ask each time that they are drawn."""


def rule_sets(level: bpy.types.Collection, layer: bpy.types.Object) -> tuple[RuleSet, ...]:
    """The rules of the image that a layer shows, by the number that layers have for them; none where there are none."""
    image = originals.resources(level, layout.IMAGE).get(int(layer.get("image", -1)))
    if not isinstance(image, bpy.types.Image):
        return ()
    shown = Path(bpy.path.abspath(image.filepath)).stem  # where 0.7 has another image of the name: "grass_main_0.7"
    name = read_properties(image, ImageProperties)[0].image_name or layout.plain_name(image.name)
    names = dict.fromkeys((shown, name) if shown.startswith(name) else (name,))
    return _found(tuple(names), tuple(content.rule_folders()), int(time.monotonic() / _FRESH))


@lru_cache(16)
def _found(names: tuple[str, ...], folders: tuple[Path, ...], _now: int) -> tuple[RuleSet, ...]:
    reach = content_folders.reach(folders, Report())
    for name in names:
        path = reach.find(name, [ENDING])
        if path is not None:
            try:
                return tuple(_parsed(reach.read(path)))
            except (OSError, FormatError):
                continue
    return ()


@lru_cache(16)
def _parsed(data: bytes) -> list[RuleSet]:
    return read_rules(data)
