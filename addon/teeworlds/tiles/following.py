# SPDX-License-Identifier: GPL-3.0-or-later
"""UVs follow the attributes that any tool of Blender's wrote into a tile layer.

Materials look tiles up by the attributes, so what was written is seen at once wherever materials are drawn. Solid views
and the UV editor know UVs alone: so layers follow after each change that Blender tells of. That needs no step of undo:
it follows from the attributes, and undo, which may give back UVs of before, is told as a change, too.
"""

from __future__ import annotations

import bpy

from ...scene.blender_types import persistent
from ...scene.registering import called, in_turn
from .. import layout
from .faces import follow


@persistent
def _follow_changed(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Let the layers follow whose meshes were changed. A handler of `depsgraph_update_post`."""
    if depsgraph is None or not depsgraph.id_type_updated("MESH"):
        return
    changed = [update.id for update in depsgraph.updates if update.is_updated_geometry]
    for evaluated in changed:
        block = evaluated.original if evaluated is not None else None
        if isinstance(block, bpy.types.Object) and block.get(layout.STORAGE) is not None:
            follow(block)


register, unregister = in_turn(called(bpy.app.handlers.depsgraph_update_post, _follow_changed))
