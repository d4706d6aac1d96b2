# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Teeworlds and DDNet."""

from ..game import FileKind, Game
from . import layout
from .content import CLIENT, MAPRES, SERVER
from .exporter import export_level
from .fates import FATES
from .gltf_materials import make_gltf_materials
from .importer import import_level
from .kinds import kind_shown
from .panel import register, unregister
from .settings import ExportSettings, ImportSettings
from .view.game_view import look_from_spawn, spawns

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
    is_flat=True,
    spawns=spawns,
    look_from_spawn=look_from_spawn,
    kind_shown=kind_shown,
    fates=FATES,
    folders=(MAPRES, CLIENT, SERVER),
    gltf_materials=make_gltf_materials,
    register=register,
    unregister=unregister,
)
