# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Natural Selection 2."""

from ..game import FileKind, Game, NewLevel, RecordPlace
from ..scene.registering import in_turn
from ..scene.view.spawns import Spawns
from . import kinds, layout, new_level, operators, panel, selecting, view
from .assets import ASSETS
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
from .layout import CLASS
from .mapping_groups import operators as mapping_operators
from .mapping_groups import panel as mapping_panel
from .mapping_groups import properties as mapping_properties
from .menu import MENU
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
register, unregister = in_turn(properties, mapping_properties, *CLASSES)


_SPAWNS = Spawns(CLASS, kinds.SPAWNS, 1.6)
PLACES = (
    RecordPlace(r"objects\[(\d+)\]", "entities", (layout.ENTITY,)),
    RecordPlace(r"mesh\.faces\[(\d+)\]", "faces", are_faces=True),
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
    new=NewLevel(
        operator="ns2_new_level",
        label="NS2 level",
        tooltip="Make a level of Natural Selection 2: a room, or an empty one. Mesh objects put into it are its faces",
        settings=new_level.NewSettings,
        make=new_level.make,
    ),
    folders=(NS2,),
    label="NS2",
    menu=MENU,
    is_one_sided=True,
    spawns=_SPAWNS.places,
    look_from_spawn=_SPAWNS,
    kind_shown=kinds.kind_shown,
    assets=ASSETS,
    places=PLACES,
    fates=FATES,
    register=register,
    unregister=unregister,
)
