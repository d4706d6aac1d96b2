# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels from nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...formats import fable
from ...formats.fable.records import ROOT_EDGE
from ..scene.fields.options import new_name, option
from ..scene.reports import Report, SceneError
from . import importer
from .settings import ImportSettings


def new_level(
    context: bpy.types.Context, name: str, width: int, height: int, theme: str = "", z: float = 0.0
) -> bpy.types.Collection:
    """Make a flat level, all walkable, linked to the scene; nothing was imported for it.

    width, height: units, multiples of 32. theme: the name of the ground's theme; without one it has a stand-in.
    Raises SceneError for what no level can have.
    """
    try:
        level = fable.new_level(width, height, themes=[theme] if theme else [], z=z)
    except ValueError as error:
        raise SceneError(f"a level can't be like this: {error}") from error
    return importer.build_scene(context, level, None, Path(name), ImportSettings(), Report())


@dataclass(frozen=True)
class NewSettings:
    """What a new level is like."""

    name: str = new_name()
    width: int = option(96, "Width", "Along x, in units: a multiple of 32", minimum=32, maximum=1024, step=ROOT_EDGE)
    height: int = option(96, "Height", "Along y, in units: a multiple of 32", minimum=32, maximum=1024, step=ROOT_EDGE)
    z: float = option(32.0, "Ground", "How high the ground lies", minimum=0, maximum=2047)
    theme: str = option("GROUND_GRASS_NO_LOCAL_DETAIL", "Theme", "Name of the ground's theme in the game")


def make(context: bpy.types.Context, settings: NewSettings, _report: Report) -> bpy.types.Collection:
    """Make the level of File > New. Raises SceneError for what no level can have."""
    return new_level(context, settings.name, settings.width, settings.height, settings.theme, settings.z)
