# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit of the world would change is told by its brushes first, and by numbers of rows last."""

import bpy
from levelwright.addon import changes
from levelwright.addon.scene.issues import findings

from tests.addon.source.worlds import World, translate
from tests.formats.source_hall import CRATE


def test_a_moved_brush_comes_before_rows_that_only_have_other_numbers() -> None:
    scene = World()
    with scene.selected(CRATE):
        translate(32, 0, 0)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[scene.level.name]
    assert bpy.ops.levelwright.show_changes(source_world="edit") == {"FINISHED"}
    groups = findings.changes(scene.level)
    titles = [group.title for group in groups]
    assert titles[-1] == f"changes: {changes.NUMBERING}"
    assert all("renumbered" in line.message for line in groups[-1].lines)
    named = [title.removeprefix("changes: ") for title in titles]
    assert named.index("brushes") < named.index("lump 1 (PLANES)"), named
    (brush,) = (line for group in groups if group.title == "changes: brushes" for line in group.lines)
    assert brush.message.startswith(f"brush {CRATE}: firstside")
    assert list(brush.objects) == [scene.object_of(CRATE).name]
    assert not [line for group in groups[:-1] for line in group.lines if "renumbered" in line.message]
    text = changes.text_of(scene.level)
    assert text is not None
    lines = [line.body for line in text.lines if line.body][1:]
    assert "(BRUSHES)" in lines[0] or "(FACES)" in lines[0]
    assert "renumbered" in lines[-1]
