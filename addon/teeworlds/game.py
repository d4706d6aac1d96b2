# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Teeworlds and DDNet."""

from ..game import FileKind, Game, NewLevel, RecordPlace
from . import layout, new_map
from .assets import ASSETS
from .content import CLIENT, MAPRES, SERVER
from .exporter import export_level
from .fates import FATES
from .gltf_materials import make_gltf_materials
from .importer import import_level
from .kinds import kind_shown
from .menu import MENU
from .panel import register, unregister
from .settings import ExportSettings, ImportSettings
from .view.game_view import frame, look_from_spawn, spawns

PLACES = (
    RecordPlace(
        r"groups\[(\d+)\](?: \([^)]*\))?\.layers\[(\d+)\]",
        "layers",
        (layout.LAYER,),
        number=lambda level, numbers: sum(len(group.layers) for group in level.groups[: numbers[0]]) + numbers[1],
    ),
    RecordPlace(r"groups\[(\d+)\]", "groups", (layout.GROUP,)),
    RecordPlace(r"envelopes\[(\d+)\]", "envelopes"),
    RecordPlace(r"images\[(\d+)\]", "images"),
    RecordPlace(r"sounds\[(\d+)\]", "sounds"),
)
GAME = Game(
    key=layout.FORMAT,
    files=(
        FileKind(
            ending=".map",
            operator="teeworlds_map",
            label="Teeworlds / DDNet map",
            opens="Open maps of Teeworlds and DDNet as scenes, one collection each",
            writes="Write the level of the active collection as a map of Teeworlds or DDNet",
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_level,
    export_settings=ExportSettings,
    new=NewLevel(
        operator=new_map.OPERATOR,
        label="Teeworlds map",
        tooltip="Make a map with a game layer: a room with a spawn, or an empty one",
        settings=new_map.NewSettings,
        make=new_map.make,
        first=new_map.game_layer,
    ),
    label="Teeworlds",
    menu=MENU,
    is_flat=True,
    frame=frame,
    spawns=spawns,
    places=PLACES,
    look_from_spawn=look_from_spawn,
    kind_shown=kind_shown,
    assets=ASSETS,
    fates=FATES,
    folders=(MAPRES, CLIENT, SERVER),
    gltf_materials=make_gltf_materials,
    register=register,
    unregister=unregister,
)
