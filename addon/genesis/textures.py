# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for the textures of selected faces, as all games have them."""

from ..scene.interface import texture_tools
from ..scene.interface.sidebar import register_classes, unregister_classes
from . import layout

CLASSES = texture_tools.classes_of("genesis", layout.FORMAT, layout.UV)


def register() -> None:
    """Register operators and panel."""
    register_classes(CLASSES)


def unregister() -> None:
    """Undo `register`."""
    unregister_classes(CLASSES)
