# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of exports share: a way in and out of Blender, and what differs between two levels."""

from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np
from levelwright.addon.fable import layout
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.settings import ExportSettings, ImportSettings
from levelwright.addon.scene import attributes
from levelwright.addon.scene.level import first_of
from levelwright.addon.scene.reports import Report
from levelwright.formats import fable

from tests.formats import fable_bytes as build

THEMES = ((b"", 0), (b"INVALID_THEME_STANDIN", 9), (b"GRASS", 11), (b"SAND", 12), (b"ROCK", 13), (b"MUD", 14))


def cell(x: int, y: int) -> bytes:
    """Sand over grass to the east, rock on top of that in the north; one cell in five remembers mud."""
    sand = min(x * 8, 200)
    themes = (2, 3, 4 if y > 16 else (5 if (x + y) % 5 == 0 else 0))
    return build.height_cell(
        (x * x + y) / 2048 / 8,
        themes,
        (255 - sand - (40 if y > 16 else 0), sand),
        walkable=0 if (x - 10) ** 2 + (y - 10) ** 2 < 16 else 1,
        path=int(x == 20),
        shore=int(y == 0),
    )


LEVEL = build.Lev(
    ground=THEMES,
    atmospheres=((b"", 0), (b"ENVIRONMENT_DAY", 3), (b"ENVIRONMENT_FOG", 4)),
    sounds=(b"SOUND_SEA", b"SOUND_WIND"),
    cell=cell,
    game=lambda x, y: build.game_cell((1, 2, 0), (200, 55), (x + y) % 3),
    sections=((b"NULL", build.ONE_ROOT), (b"Q_Quest", build.ONE_ROOT)),
)


def imported(data: bytes | None = None, file: str | Path = "test.lev", **settings: object) -> bpy.types.Collection:
    level = LEVEL.build() if data is None else data
    return import_level(bpy.context, level, file, ImportSettings(**settings), Report())


def exported(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> bytes:
    """The bytes of the `.lev`."""
    made = export_level(bpy.context, level, ExportSettings(**settings), Report() if report is None else report)
    return made[".lev"] if isinstance(made, Mapping) else made


def reopened(level: bpy.types.Collection, folder: Path) -> bpy.types.Collection:
    """The level after saving the .blend and opening it again."""
    name, path = level.name, folder / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.collections[name]


def terrain(level: bpy.types.Collection) -> bpy.types.Object:
    return first_of(level, layout.TERRAIN)


def game_map(level: bpy.types.Collection) -> bpy.types.Object:
    return first_of(level, layout.GAME_MAP)


def positions(obj: bpy.types.Object) -> np.ndarray:
    return attributes.read(obj.data, "position")


def place(obj: bpy.types.Object, values: np.ndarray) -> None:
    attributes.write(obj.data, "position", "POINT", "FLOAT_VECTOR", values)
    obj.data.update()


def set_values(obj: bpy.types.Object, name: str, where: object, value: object) -> None:
    """Set an attribute of some elements."""
    attribute = obj.data.attributes[name]
    values = attributes.read(obj.data, name)
    values[where] = value
    attributes.write(obj.data, name, attribute.domain, attribute.data_type, values)


def paint(obj: bpy.types.Object, theme: str, vertices: list[int], weight: float) -> None:
    """Weight painting: one theme, nothing else."""
    group = obj.vertex_groups.get(theme) or obj.vertex_groups.new(name=theme)
    group.add(vertices, weight, "REPLACE")


def activate(obj: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def changed_bytes(before: bytes, after: bytes) -> list[int]:
    """Where two files of one length differ."""
    assert len(before) == len(after)
    return np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8)).tolist()


def changed_cells(before: bytes, after: bytes, part: str = "cells") -> dict[tuple[int, int], set[str]]:
    """(x, y) of each cell, or game map cell (`part="game_map"`), that differs -> its fields that do; all else is equal.

    What lies outside those records must be the same bytes.
    """
    old, new = fable.read(before), fable.read(after)
    was, now = getattr(old, part), getattr(new, part)
    found: dict[tuple[int, int], set[str]] = {}
    for name in was.dtype.names:
        a, b = (np.ascontiguousarray(one[name]).view(np.uint8).reshape(*one.shape, -1) for one in (was, now))
        for y, x in np.argwhere((a != b).any(axis=-1)).tolist():
            found.setdefault((x, y), set()).add(name)
    setattr(new, part, was)
    assert fable.write(new) == before
    return found
