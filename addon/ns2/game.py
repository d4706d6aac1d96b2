# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Natural Selection 2."""

from ..game import FileKind, Game
from . import register, unregister
from .content import NS2
from .exporter import export_level
from .importer import import_level
from .settings import ExportSettings, ImportSettings

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
    register=register,
    unregister=unregister,
)
