# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Genesis3D."""

from collections.abc import Sequence

import bpy

from ...formats import genesis
from ...formats.genesis import txl
from ..game import FileKind, Game, NewLevel, RecordPlace
from ..scene.registering import in_turn
from . import layout, leaks, new_level, operators, panel, textures
from .assets import ASSETS
from .content import TEXTURES
from .exporter import export_files
from .fates import FATES
from .importer import import_level
from .kinds import kind_shown
from .materials import library
from .menu import MENU
from .preflight import preflight
from .settings import ExportSettings, ImportSettings, for_file
from .view import SPAWNS

register, unregister = in_turn(operators, panel, leaks, textures)


def _is_source(level: bpy.types.Collection) -> bool:
    """Whether a level is what the compiler or the editor reads."""
    return not operators.is_compiled(level)


def _brush_number(level: genesis.AnyGenesisLevel, numbers: Sequence[int]) -> int:
    """The running number of a brush: of one of an entity's in a `.map`, of one in the list of a `.3dt`."""
    if isinstance(level, genesis.MapLevel):
        entity, brush = numbers
        return sum(len(each.brushes) for each in level.entities[:entity]) + brush
    if isinstance(level, genesis.Level3dt):
        wanted = level.brushes[numbers[0]]
        return next((number for number, brush, _ in level.numbered_brushes() if brush is wanted), -1)
    return -1


PLACES = (
    RecordPlace(
        r"entities\[(\d+)\](?: \([^)]*\))?\.brushes\[(\d+)\]",
        "brushes",
        (layout.BRUSH, layout.BRUSHES),
        number=_brush_number,
    ),
    RecordPlace(r"(?:entities|ENTITIES)\[(\d+)\]", "entities", (layout.ENTITY, layout.MODEL)),
    RecordPlace(r"brushes\[(\d+)\]", "brushes", (layout.BRUSH, layout.BRUSHES), number=_brush_number),
    RecordPlace(r"models\[(\d+)\]", "models", (layout.MODEL,)),
)
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
            suits=_is_source,
        ),
        FileKind(
            ending=".3dt",
            operator="genesis_3dt",
            label="Genesis3D level",
            opens="Open levels of Genesis3D's editors (.3dt) as scenes, one collection each",
            writes="Write the level of the active collection as Genesis3D's editors open it",
            suits=_is_source,
        ),
        FileKind(
            ending=".bsp",
            operator="genesis_bsp",
            label="Genesis3D compiled level",
            opens="Open what the game loads (.bsp) as scenes: as it is drawn, or decompiled to brushes",
            writes="Write the compiled level of the active collection: the imported one with what was edited in place",
            suits=operators.is_compiled,
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
    new=NewLevel(
        operator="genesis_new_level",
        label="Genesis3D level",
        tooltip="Make a Genesis3D level: a room with a light, or an empty one. Meshes put into it are brushes",
        settings=new_level.NewSettings,
        make=new_level.make,
    ),
    folders=(TEXTURES,),
    show_rooms=operators.look_into,
    label="Genesis3D",
    menu=MENU,
    is_one_sided=True,
    spawns=SPAWNS.places,
    look_from_spawn=SPAWNS,
    kind_shown=kind_shown,
    assets=ASSETS,
    places=PLACES,
    fates=FATES,
    register=register,
    unregister=unregister,
)
