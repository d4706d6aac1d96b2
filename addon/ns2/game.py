# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Natural Selection 2."""

import bpy

from ..game import FileKind, Game, RecordPlace
from ..scene.sidebar import register_classes, unregister_classes
from ..scene.spawns import Spawns
from . import layout, operators, panel, selecting, view
from .content import NS2
from .entities import operators as entity_operators
from .entities import panel as entity_panel
from .exporter import export_level
from .faces import operators as face_operators
from .faces import textures
from .fates import FATES
from .importer import import_level
from .layers import operators as layer_operators
from .layers import panel as layer_panel
from .layers import properties
from .mapping_groups import operators as mapping_operators
from .mapping_groups import panel as mapping_panel
from .mapping_groups import properties as mapping_properties
from .settings import ExportSettings, ImportSettings

CLASSES = tuple(
    cls
    for part in (
        operators,
        view,
        selecting,
        layer_operators,
        face_operators,
        mapping_operators,
        entity_operators,
        panel,  # the others are in it, in this order
        textures,
        layer_panel,
        mapping_panel,
        entity_panel,
    )
    for cls in part.CLASSES
)


def register() -> None:
    """Register the game's own properties, operators and panels, and its entry in File > New."""
    properties.register()
    mapping_properties.register()
    register_classes(CLASSES)
    bpy.types.TOPBAR_MT_file_new.append(operators.add_to_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(operators.add_to_new_menu)
    unregister_classes(CLASSES)
    mapping_properties.unregister()
    properties.unregister()


PLACES = (
    RecordPlace(r"objects\[(\d+)\]", "entities", (layout.ENTITY,)),
    RecordPlace(r"mesh\.faces\.(?:angle|offset|scale|mapping_group|material)\[(\d+)\]", "faces", are_faces=True),
    RecordPlace(r"mesh\.face layers\.\w+\[(\d+)\]", "layers of faces", are_faces=True),
)
GAME = Game(
    key="ns2",
    files=(
        FileKind(
            ending=".level",
            operator="ns2_level",
            label="NS2 level",
            opens="Open levels of Natural Selection 2 (.level) as scenes, one collection each",
            writes="Write the level of the active collection as the Spark editor and Natural Selection 2 read it",
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_level,
    export_settings=ExportSettings,
    folders=(NS2,),
    is_one_sided=True,
    places=PLACES,
    look_from_spawn=Spawns("class_name", ("ready_room_start", "player_start", "spawn_location", "team_location"), 1.6),
    fates=FATES,
    register=register,
    unregister=unregister,
)
