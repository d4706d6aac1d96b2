# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done before a .blend is saved: pack paintings, which Blender would lose; deflate originals. And
when levels are deleted: let go of the world that the scene has for them.
"""

import bpy

from .scene.blender_types import persistent
from .scene.kept import originals
from .scene.media import images
from .scene.registering import called, in_turn
from .scene.view import stage


@persistent
def prepare(*_: object) -> None:
    """Pack each image that an import packed and that was painted since; deflate. A handler of `save_pre`."""
    for image in list(bpy.data.images):
        if image.is_dirty and images.was_packed(image):
            image.pack()
    originals.deflate()
    stage.let_go_of_worlds()


@persistent
def follow(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Let the world of deleted levels go. A handler of `depsgraph_update_post`."""
    if depsgraph is None or depsgraph.id_type_updated("SCENE") or depsgraph.id_type_updated("COLLECTION"):
        stage.let_go_of_worlds()


register, unregister = in_turn(
    called(bpy.app.handlers.save_pre, prepare), called(bpy.app.handlers.depsgraph_update_post, follow)
)
