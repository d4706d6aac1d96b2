# SPDX-License-Identifier: GPL-3.0-or-later
"""What Levelwright has to know of Valve's Source engine."""

from ..game import FileKind, Form, Game
from . import content, register, unregister
from .exporter import export_level
from .importer import import_level
from .plain import make_plain
from .settings import ExportSettings, ImportSettings, VmfSettings
from .vmf_exporter import VMF_NOTE, check_vmf, export_vmf

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
    forms=(VMF,),
    folders=(content.GAME, content.DEFINITION),
    gltf_materials=make_plain,
    register=register,
    unregister=unregister,
)
