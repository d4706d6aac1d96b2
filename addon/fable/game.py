# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Fable: The Lost Chapters."""

from ...formats.fable import tng
from ..game import FileKind, Form, Game, NewLevel, RecordPlace
from ..scene.view.spawns import Spawns
from . import kinds, layout, new_level, register, unregister, worlds
from .assets import ASSETS
from .content import GAME as INSTALLED
from .content import THEMES
from .exporter import BAKED, export_level
from .importer import import_level
from .menu import MENU
from .settings import ExportSettings, ImportSettings, WorldSettings
from .terrain import pictures
from .terrain.gltf_materials import make_gltf_materials

WORLD = Form(
    ending=worlds.ENDING,
    operator="fable_wld",
    label="Fable world",
    opens="Open levels of Fable at their places in the world, as its map (.wld) has them",
    writes="Write the map of the active world (.wld) with its levels where they are now; the levels themselves stay",
    import_form=worlds.import_form,
    import_settings=WorldSettings,
    export_form=worlds.export_form,
    check=worlds.check,
    choose=worlds.choose,
)
_SPAWNS = Spawns(kinds.DEFINITION, kinds.SPAWNS, 1.7, ahead="Y")
PLACES = (
    RecordPlace(
        r"sections\[(\d+)\](?: \([^)]*\))?\.things\[(\d+)\]",
        "things",
        (layout.THING,),
        number=lambda held, at: sum(len(section["things"]) for section in held["sections"][: at[0]]) + at[1],
    ),
)
GAME = Game(
    key="fable",
    files=(
        FileKind(
            ending=".lev",
            operator="fable_lev",
            label="Fable level",
            opens="Open levels of Fable: The Lost Chapters as terrain, with the things beside them, one collection "
            "each",
            writes="Write the level of the active collection, and its things beside it. The game's picture of the "
            "ground is baked",
            note=BAKED,
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_level,
    export_settings=ExportSettings,
    beside={layout.TNG: tng.read},
    contents_beside={layout.TNG: tng.contents},
    places=PLACES,
    forms=(WORLD,),
    new=NewLevel(
        operator="fable_new_level",
        label="Fable level",
        tooltip="Make a flat Fable level, to be sculpted and painted",
        settings=new_level.NewSettings,
        make=new_level.make,
    ),
    label="Fable",
    menu=MENU,
    folders=(THEMES, INSTALLED),
    preferences=pictures.PREFERENCES,
    spawns=_SPAWNS.places,
    look_from_spawn=_SPAWNS,
    kind_shown=kinds.kind_shown,
    assets=ASSETS,
    fates=layout.FATES,
    gltf_materials=make_gltf_materials,
    register=register,
    unregister=unregister,
)
