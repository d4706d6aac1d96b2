# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces, as all games have them."""

from ..scene.interface import texture_tools
from ..scene.registering import in_turn
from . import layout

CLASSES = texture_tools.classes_of("genesis", layout.FORMAT, layout.UV)
register, unregister = in_turn(*CLASSES)
