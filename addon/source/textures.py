# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces, as all games have them."""

from ..scene.interface import texture_tools
from . import layout

CLASSES = texture_tools.classes_of("source", layout.FORMAT, layout.UV)
