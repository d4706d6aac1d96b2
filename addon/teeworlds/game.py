# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Teeworlds and DDNet."""

from ..game import FileKind, Game, RecordPlace
from . import layout
from .content import CLIENT, MAPRES, SERVER
from .exporter import export_level
from .fates import FATES
from .gltf_materials import make_gltf_materials
from .importer import import_level
from .panel import register, unregister
from .settings import ExportSettings, ImportSettings
from .view.game_view import look_from_spawn

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
    places=PLACES,
    look_from_spawn=look_from_spawn,
    fates=FATES,
    folders=(MAPRES, CLIENT, SERVER),
    gltf_materials=make_gltf_materials,
    register=register,
    unregister=unregister,
)
