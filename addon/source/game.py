# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Valve's Source engine."""

from functools import partial
from pathlib import Path

import bpy

from ..game import FileKind, Form, Game, NewLevel, RecordPlace
from ..scene.registering import Both, in_turn
from ..scene.view.spawns import Spawns
from . import content, edit_panel, layout, leaks, new_map, panel, textures
from .assets import ASSETS
from .exporter import export_level
from .fates import FATES
from .importer import import_level
from .kinds import kind_shown
from .lightmaps import panel as lightmaps_panel
from .materials.gltf_materials import make_gltf_materials
from .menu import MENU
from .overlays import lifting
from .pak import panel as pak_panel
from .patch_files import LMP_NOTE, check_patch, export_patch, import_patch
from .settings import ExportSettings, ImportSettings, LmpSettings, PatchSettings, VmfSettings
from .visibility import panel as visibility_panel
from .vmf_exporter import VMF_NOTE, check_vmf, export_vmf

_PRESETS = str(Path(__file__).parent)
"""The folder that `presets` is in: of the operators, as Blender looks for them."""
_CLASSES = (
    panel.LEVELWRIGHT_PT_source,  # those of things lie in it
    *visibility_panel.CLASSES,
    *edit_panel.CLASSES,
    *pak_panel.CLASSES,
    *lightmaps_panel.CLASSES,
    *leaks.CLASSES,
    *textures.CLASSES,
)
register, unregister = in_turn(
    Both(partial(bpy.utils.register_preset_path, _PRESETS), partial(bpy.utils.unregister_preset_path, _PRESETS)),
    *_CLASSES,
    Both(lifting.register, lifting.unregister),
)


VMF = Form(
    ending=".vmf",
    operator="source_vmf",
    label="Source VMF",
    menu="Source VMF, for Hammer and vbsp",
    writes="Write the level of the active collection for Hammer and vbsp, which compile what a map can't be changed to",
    note=VMF_NOTE,
    export_form=export_vmf,
    export_settings=VmfSettings,
    check=check_vmf,
)
LMP = Form(
    ending=".lmp",
    operator="source_lmp",
    label="Source entities",
    menu="Source entities, beside the map",
    suffix="_l_0",
    opens="Open a patch file (.lmp) with its map, which has to be beside it: the map with these entities",
    writes="Write the entities of the level of the active collection alone, which the game takes instead of the map's",
    note=LMP_NOTE,
    import_form=import_patch,
    import_settings=PatchSettings,
    export_form=export_patch,
    export_settings=LmpSettings,
    check=check_patch,
)
_SPAWNS = Spawns(
    "classname", ("info_player_start", "info_player", "info_survivor", "info_deathmatch", "info_coop"), 64.0
)


def _lump(name: str, rest: str) -> str:
    """The pattern of a place in a lump."""
    return rf"lumps\[\d+\] \(lump \d+ \({name}\)\)\.{rest}\[(\d+)\]"


PLACES = (
    RecordPlace(_lump("ENTITIES", "holds"), "entities", (layout.ENTITY,)),
    RecordPlace(_lump("FACES", "records"), "faces", are_faces=True),
    RecordPlace(_lump("BRUSHES", "records"), "brushes", numbered_by=layout.BRUSH),
    RecordPlace(_lump("CUBEMAPS", "records"), "cubemaps", (layout.CUBEMAP,)),
    RecordPlace(_lump("OVERLAYS", "records"), "overlays", (layout.OVERLAY,)),
    RecordPlace(_lump("WORLDLIGHTS", "records"), "lights", (layout.WORLDLIGHT,)),
    RecordPlace(_lump("GAME_LUMP", r"holds\[\d+\] \(sprp\)\.props"), "static props", (layout.STATIC_PROP,)),
)
GAME = Game(
    key="source",
    files=(
        FileKind(
            ending=".bsp",
            operator="source_bsp",
            label="Source map",
            opens="Open compiled maps of the Source engine (.bsp) as scenes, one collection each",
            writes="Write the level of the active collection as a compiled map: the imported one with what was edited",
        ),
    ),
    import_level=import_level,
    import_settings=ImportSettings,
    export_level=export_level,
    export_settings=ExportSettings,
    forms=(VMF, LMP),
    new=NewLevel(
        operator="source_new_level",
        label="Source map",
        tooltip="Make a Source map: a box of sky over a floor, with a spawn and a sun. Brushes are built into it",
        settings=new_map.NewSettings,
        make=new_map.make,
        home=new_map.home,
    ),
    label="Source",
    menu=MENU,
    is_one_sided=True,
    spawns=_SPAWNS.places,
    look_from_spawn=_SPAWNS,
    kind_shown=kind_shown,
    assets=ASSETS,
    places=PLACES,
    fates=FATES,
    folders=(content.GAME, content.DEFINITION),
    gltf_materials=make_gltf_materials,
    register=register,
    unregister=unregister,
)
