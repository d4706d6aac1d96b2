# SPDX-License-Identifier: GPL-3.0-or-later
"""A level that is deleted and purged leaves nothing behind."""

import bpy
import numpy as np
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.settings import ExportSettings, ImportSettings
from levelwright.addon.fable.terrain import overlays
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report

from tests.samples import fable_vale

NEVER_MADE = ("screens", "window_managers", "workspaces", "libraries")


def blocks() -> set[str]:
    """The names of all data-blocks, with their types."""
    tables = [one.identifier for one in bpy.data.bl_rna.properties if one.type == "COLLECTION"]
    return {f"{table} {one.name}" for table in tables if table not in NEVER_MADE for one in getattr(bpy.data, table)}


def test_nothing_is_left_of_a_level_that_was_deleted_and_purged(tmp_path):
    bpy.context.scene.world = bpy.data.worlds.new("mine")  # an empty scene gets one, which is the scene's
    picture = images.from_rgba("any", np.full((2, 2, 4), 255, np.uint8))
    for theme in fable_vale.THEMES:
        (tmp_path / f"{theme}.png").write_bytes(bytes(picture.packed_file.data))
    bpy.data.images.remove(picture)
    before = blocks()
    settings = ImportSettings(textures_directory=str(tmp_path))
    level = import_level(bpy.context, fable_vale.LEVEL.read_bytes(), fable_vale.LEVEL, settings, Report())
    for kind in overlays.KINDS:
        overlays.show(level, kind)
    export_level(bpy.context, level, ExportSettings(), Report())
    made = {name.partition(" ")[0] for name in blocks() - before}
    assert made >= {"collections", "objects", "meshes", "materials", "node_groups", "images", "lights"}
    bpy.data.batch_remove([*level.all_objects, *level.children_recursive, level])
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert blocks() == before
