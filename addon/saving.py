# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done before a .blend is saved: pack paintings, which Blender would lose; deflate large originals."""

import bpy
from bpy.app.handlers import persistent

from .scene import images, originals


@persistent  # type: ignore[untyped-decorator]
def prepare(*_: object) -> None:
    """Pack each image that an import packed and that was painted since; deflate. A handler of `save_pre`."""
    for image in list(bpy.data.images):
        if image.is_dirty and images.was_packed(image):
            image.pack()
    originals.deflate_large()


def register() -> None:
    """Look after the levels from now on."""
    bpy.app.handlers.save_pre.append(prepare)


def unregister() -> None:
    """Undo `register`."""
    bpy.app.handlers.save_pre.remove(prepare)
