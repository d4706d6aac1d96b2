# SPDX-License-Identifier: GPL-3.0-or-later
"""What can do nothing now is greyed: an operator that may be called does something, or lacks what no poll can know."""

from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import ALL, IDS
from tests.addon.contract.test_operators import idname, operator, own_operators
from tests.fuzz.scenes import empty_file

FILE, ANSWER, LOOKS, OTHERS = (
    "is told a file by its dialog",
    "is told by its dialog, or its button, what it is about: polls don't know that",
    "would have to read the level for an answer, at each move of the mouse over its button",
    "looks for files or programs, on each of the disks",
)
MAY_FAIL = {
    "levelwright.activate_level": ANSWER,
    "levelwright.add_folder": ANSWER,
    "levelwright.attach_original": FILE,
    "levelwright.camera_at_spawn": LOOKS,
    "levelwright.copy_report": ANSWER,
    "levelwright.export_level": FILE,
    "levelwright.fable_add_name": ANSWER,
    "levelwright.fable_fill_water": LOOKS,
    "levelwright.fable_drop": LOOKS,
    "levelwright.fable_resize": ANSWER,
    "levelwright.fly_from_spawn": LOOKS,
    "levelwright.genesis_find_leaks": LOOKS,
    "levelwright.genesis_make_model": LOOKS,
    "levelwright.genesis_select_hidden": LOOKS,
    "levelwright.genesis_write_textures": FILE,
    "levelwright.go_to_spawn": LOOKS,
    "levelwright.make_asset_library": ANSWER,
    "levelwright.mend_finding": ANSWER,
    "levelwright.move_folder": ANSWER,
    "levelwright.ns2_copy": FILE,
    "levelwright.ns2_minimap": LOOKS,
    "levelwright.ns2_paste": FILE,
    "levelwright.ns2_select_like": ANSWER,
    "levelwright.ns2_show_properties": LOOKS,
    "levelwright.remove_folder": ANSWER,
    "levelwright.select_finding": ANSWER,
    "levelwright.set_game_folder": ANSWER,
    "levelwright.show_report": ANSWER,
    "levelwright.source_add_entity": ANSWER,
    "levelwright.source_add_overlay": ANSWER,
    "levelwright.source_add_static_prop": ANSWER,
    "levelwright.source_cut_brushes": LOOKS,
    "levelwright.source_make_brush_entity": LOOKS,
    "levelwright.source_make_world_brush": LOOKS,
    "levelwright.source_mark_hidden": LOOKS,
    "levelwright.source_pak_files": FILE,
    "levelwright.source_pak_image": ANSWER,
    "levelwright.source_pak_remove": ANSWER,
    "levelwright.source_pak_text": ANSWER,
    "levelwright.source_select_hidden": LOOKS,
    "levelwright.source_show_seen": LOOKS,
    "levelwright.source_split_brushes": LOOKS,
    "levelwright.teeworlds_add_image": FILE,
    "levelwright.teeworlds_add_sound": FILE,
    "levelwright.teeworlds_embed_image": ANSWER,
    "levelwright.teeworlds_play": OTHERS,
    "levelwright.teeworlds_remove_envelope": ANSWER,
    "levelwright.teeworlds_replace_image": FILE,
    "levelwright.teeworlds_resize_map": ANSWER,
    "levelwright.teeworlds_select_players": ANSWER,
    "levelwright.teeworlds_shift_map": ANSWER,
    "levelwright.teeworlds_use_envelope": ANSWER,
    "levelwright.teeworlds_widen_map": LOOKS,
}
"""Operators that may be called without a fitting selection, and do nothing then but say why."""


def opened(game: Game | None, sample: Path | None) -> None:
    """A new file, with a level where one is given, of which nothing is selected."""
    empty_file()
    if game is not None and sample is not None:
        levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    select(None)


def select(chosen: bpy.types.Object | None) -> None:
    """Make an object the active one, selected alone; None: none."""
    layer: Any = bpy.context.view_layer
    for obj in layer.objects:
        obj.select_set(obj == chosen)
    layer.objects.active = chosen


def root() -> bpy.types.Object:
    return next(obj for obj in originals.levels()[0].all_objects if obj.parent is None)


def asked(game: Game | None) -> list[Any]:
    """The operators that menus have: all games' own without a level, else those of its game and of all games."""
    others = [f"levelwright.{one.key}_" for one in games.GAMES if game is not None and one is not game]
    return [
        cls
        for cls in own_operators()
        if "INTERNAL" not in getattr(cls, "bl_options", ())
        and idname(cls).startswith("levelwright.")
        and not idname(cls).startswith(tuple(others))
    ]


def answer(cls: Any) -> str:
    """What an operator answers that may be called, and does nothing; "" where it does something."""
    try:
        return "" if operator(cls)() == {"FINISHED"} else "nothing was done"
    except RuntimeError as refused:
        return str(refused)


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize(
    ("game", "sample"),
    [(None, None), *(pytest.param(*each, marks=pytest.mark.slow) for each in ALL)],
    ids=["no level", *IDS],
)
def test_what_can_do_nothing_is_greyed(game: Game | None, sample: Path | None) -> None:
    """With nothing selected, and with the level's root, which stands for none of its records."""
    wrong = {}
    opened(game, sample)
    for cls in asked(game):
        for is_root in (False, True) if game is not None else (False,):
            select(root() if is_root else None)
            if not operator(cls).poll():
                continue
            said = answer(cls)
            if not said:
                opened(game, sample)
            elif idname(cls) not in MAY_FAIL:
                wrong[idname(cls)] = said
    assert wrong == {}


def test_what_may_fail_is_registered() -> None:
    assert MAY_FAIL.keys() <= {idname(cls) for cls in own_operators()}
