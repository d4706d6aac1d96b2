# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Genesis3D."""

from collections.abc import Sequence

from ...formats import genesis
from ...formats.genesis import txl
from ..game import FileKind, Game, RecordPlace
from ..scene.spawns import Spawns
from . import layout, leaks, operators, panel, textures
from .content import TEXTURES
from .exporter import export_files
from .fates import FATES
from .importer import import_level
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
    places=PLACES,
    look_from_spawn=Spawns("classname", ("playerstart", "player_start", "startplace", "start"), 60.0),
    fates=FATES,
    register=register,
    unregister=unregister,
)
