# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Genesis3D."""

from ...formats.genesis import txl
from ..game import FileKind, Game
from ..scene.spawns import Spawns
from . import leaks, operators, panel, textures
from .content import TEXTURES
from .exporter import export_files
from .fates import FATES
from .importer import import_level
from .kinds import kind_shown
from .materials import library
from .preflight import preflight
from .settings import ExportSettings, ImportSettings, for_file


def register() -> None:
    """Register the game's own panels and operators."""
    operators.register()
    panel.register()
    leaks.register()
    textures.register()


def unregister() -> None:
    """Undo `register`."""
    textures.unregister()
    leaks.unregister()
    panel.unregister()
    operators.unregister()


_SPAWNS = Spawns("classname", ("playerstart", "player_start", "startplace", "start"), 60.0)
GAME = Game(
    key="genesis",
    files=(
        FileKind(
            ending=".map",
            operator="genesis_map",
            label="Genesis3D map",
            opens="Open what Genesis3D's compiler reads (.map) as scenes, one collection each",
            writes="Write the level of the active collection as Genesis3D's compiler reads it, with cuts and hollows "
            "carved",
        ),
        FileKind(
            ending=".3dt",
            operator="genesis_3dt",
            label="Genesis3D level",
            opens="Open levels of Genesis3D's editors (.3dt) as scenes, one collection each",
            writes="Write the level of the active collection as Genesis3D's editors open it",
        ),
        FileKind(
            ending=".bsp",
            operator="genesis_bsp",
            label="Genesis3D compiled level",
            opens="Open what the game loads (.bsp) as scenes: as it is drawn, or decompiled to brushes",
            writes="Write the compiled level of the active collection: the imported one with what was edited in place",
            note="Only entities, textures, light and how textures lie can be edited in place",
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_files,
    export_settings=ExportSettings,
    for_file=for_file,
    beside={library.ENDING: txl.read},
    preflight=preflight,
    folders=(TEXTURES,),
    is_one_sided=True,
    spawns=_SPAWNS.places,
    look_from_spawn=_SPAWNS,
    kind_shown=kind_shown,
    fates=FATES,
    register=register,
    unregister=unregister,
)
