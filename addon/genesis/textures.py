# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces, as all games have them."""

import bpy

from ..scene.sidebar import register_classes, unregister_classes
from ..scene.texture_tools import AlignTexture, FitTexture, ShiftTexture, TexturePanel, TextureTool, TurnTexture
from . import layout


class _OnFaces(TextureTool):
    """Which UVs the tools change."""

    format_key = layout.FORMAT
    uv_map = layout.UV


class GenesisFitTexture(_OnFaces, FitTexture):
    """Let the texture fit the selected faces: so often on each of them, or on all together"""

    bl_idname = "levelwright.genesis_texture_fit"


class GenesisTurnTexture(_OnFaces, TurnTexture):
    """Turn the texture on the selected faces, about the middle of each"""

    bl_idname = "levelwright.genesis_texture_turn"


class GenesisShiftTexture(_OnFaces, ShiftTexture):
    """Shift the texture on the selected faces"""

    bl_idname = "levelwright.genesis_texture_shift"


class GenesisAlignTexture(_OnFaces, AlignTexture):
    """Turn the texture of the selected faces as one looks at them, along an edge, or let it run on from a neighbour"""

    bl_idname = "levelwright.genesis_texture_align"


class LEVELWRIGHT_PT_genesis_textures(TexturePanel, bpy.types.Panel):
    """Textures of selected faces."""

    bl_parent_id = "LEVELWRIGHT_PT_genesis"
    format_key = layout.FORMAT
    fit, turn, shift, align = GenesisFitTexture, GenesisTurnTexture, GenesisShiftTexture, GenesisAlignTexture


CLASSES = (
    GenesisFitTexture,
    GenesisTurnTexture,
    GenesisShiftTexture,
    GenesisAlignTexture,
    LEVELWRIGHT_PT_genesis_textures,
)


def register() -> None:
    """Register operators and panel."""
    register_classes(CLASSES)


def unregister() -> None:
    """Undo `register`."""
    unregister_classes(CLASSES)
