"""Paintings on packed images of levels are packed again before a .blend is saved: Blender itself would lose them."""

import bpy
from bpy.app.handlers import persistent

from .scene import images


@persistent  # type: ignore[untyped-decorator]
def pack_paintings(*_: object) -> None:
    """Pack each image that an import packed and that was painted since. A handler of `save_pre`."""
    for image in list(bpy.data.images):
        if image.is_dirty and images.was_packed(image):
            image.pack()


def register() -> None:
    """Look after the images from now on."""
    bpy.app.handlers.save_pre.append(pack_paintings)


def unregister() -> None:
    """Undo `register`."""
    bpy.app.handlers.save_pre.remove(pack_paintings)
