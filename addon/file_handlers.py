# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag and drop, and collection exporters: which files each operator takes."""

import bpy
from bpy_extras.io_utils import poll_file_object_drop

from . import games, operators


class IO_FH_game_level(bpy.types.FileHandler):
    """Dropping levels on the 3D view or the outliner."""

    bl_idname = "IO_FH_game_level"
    bl_label = "Game level"
    bl_import_operator = operators.ImportGameLevel.bl_idname
    bl_file_extensions = ";".join(games.endings())

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Accept files where objects can be dropped."""
        return bool(poll_file_object_drop(context))


class IO_FH_teeworlds_map(bpy.types.FileHandler):
    """Maps among the exporters of a collection; it takes no drops, so that dropping asks no question."""

    bl_idname = "IO_FH_teeworlds_map"
    bl_label = "Teeworlds / DDNet map"
    bl_export_operator = operators.ExportTeeworldsMap.bl_idname
    bl_file_extensions = ".map"


class IO_FH_genesis_map(bpy.types.FileHandler):
    """Binary maps of Genesis3D among the exporters of a collection."""

    bl_idname = "IO_FH_genesis_map"
    bl_label = "Genesis3D map"
    bl_export_operator = operators.ExportGenesisMap.bl_idname
    bl_file_extensions = ".map"


class IO_FH_genesis_3dt(bpy.types.FileHandler):
    """Levels of Genesis3D's editors among the exporters of a collection."""

    bl_idname = "IO_FH_genesis_3dt"
    bl_label = "Genesis3D level"
    bl_export_operator = operators.ExportGenesis3dt.bl_idname
    bl_file_extensions = ".3dt"


class IO_FH_fable_wld(bpy.types.FileHandler):
    """Dropping worlds of Fable."""

    bl_idname = "IO_FH_fable_wld"
    bl_label = "Fable world"
    bl_import_operator = operators.ImportFableWorld.bl_idname
    bl_export_operator = operators.ExportFableWorld.bl_idname
    bl_file_extensions = ".wld"

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Accept files where objects can be dropped."""
        return bool(poll_file_object_drop(context))


class IO_FH_fable_lev(bpy.types.FileHandler):
    """Levels of Fable among the exporters of a collection."""

    bl_idname = "IO_FH_fable_lev"
    bl_label = "Fable level"
    bl_export_operator = operators.ExportFableLev.bl_idname
    bl_file_extensions = ".lev"


class IO_FH_ns2_level(bpy.types.FileHandler):
    """Levels of NS2 among the exporters of a collection."""

    bl_idname = "IO_FH_ns2_level"
    bl_label = "NS2 level"
    bl_export_operator = operators.ExportNs2Level.bl_idname
    bl_file_extensions = ".level"


class IO_FH_source_bsp(bpy.types.FileHandler):
    """Maps of the Source engine among the exporters of a collection."""

    bl_idname = "IO_FH_source_bsp"
    bl_label = "Source map"
    bl_export_operator = operators.ExportSourceBsp.bl_idname
    bl_file_extensions = ".bsp"


class IO_FH_source_vmf(bpy.types.FileHandler):
    """VMF among the exporters of a collection."""

    bl_idname = "IO_FH_source_vmf"
    bl_label = "Source VMF"
    bl_export_operator = operators.ExportSourceVmf.bl_idname
    bl_file_extensions = ".vmf"


CLASSES = (
    IO_FH_game_level,
    IO_FH_teeworlds_map,
    IO_FH_genesis_map,
    IO_FH_genesis_3dt,
    IO_FH_fable_lev,
    IO_FH_fable_wld,
    IO_FH_ns2_level,
    IO_FH_source_bsp,
    IO_FH_source_vmf,
)


def register() -> None:
    """Register the file handlers."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
