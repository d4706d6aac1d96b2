# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level says of itself: the pairs of a `.map`'s world, the head and the editor settings of a `.3dt`."""

from __future__ import annotations

import bpy

from ....formats.genesis import class_text
from ....formats.genesis.editor_level import SKY_SIDES, Level3dt
from ....formats.genesis.entities import KeyValues
from ...scene.fields import properties
from ...scene.kept import identity, originals
from ...scene.names import showable, showable_lines
from .. import layout
from ..classes import values
from ..classes.types import Types
from ..context import ImportContext
from ..entities.build import shown_pairs, write_values

WORLD_CLASS = "worldspawn"


def build_map_world(importing: ImportContext, world: KeyValues, types: Types) -> None:
    """Put the pairs of a `.map`'s world on the level's collection. types: the classes that are known."""
    typed = {key: values.as_property(layout.WORLD_TYPES.get(key, "string"), text) for key, text in shown_pairs(world)}
    write_values(importing.collection, typed, WORLD_CLASS, types)


def hold_types(importing: ImportContext, own: Types | None) -> None:
    """Hold the classes that a `.map` defines as a text. own: None where they can't be read."""
    if own is not None:
        _hold_text(importing, layout.TYPEDEFS, "types", class_text.write(own.values()))


def editor_properties(level: Level3dt) -> layout.EditorLevelProperties:
    """What a `.3dt` says of itself."""
    written = layout.EditorLevelProperties(
        level.texture_library, level.headers_directory, level.actors_directory, level.pawn_ini
    )
    if level.sky is not None:
        written.SkyAxis = level.sky.axis
        written.SkyRotation, written.SkyDrawScale = level.sky.speed, level.sky.scale
        for side, face in zip(SKY_SIDES, level.sky.faces, strict=False):
            setattr(written, f"Sky{side}", face.texture if face.apply else f"-{face.texture}")
    return written


def build_editor_level(importing: ImportContext, level: Level3dt) -> None:
    """Put what a `.3dt` says of itself on its collection, and its editor settings in a text."""
    properties.write(importing.collection, editor_properties(level))
    if level.settings:
        _hold_text(importing, layout.SETTINGS, "settings", level.settings)


def _hold_text(importing: ImportContext, kind: str, title: str, body: str) -> None:
    text = bpy.data.texts.new(showable(f"{importing.collection.name} {title}"))
    text.write(showable_lines(body))
    identity.stamp(text, importing.token, kind, 0)
    originals.set_resource(importing.collection, kind, 0, text)
