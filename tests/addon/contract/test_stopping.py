# SPDX-License-Identifier: GPL-3.0-or-later
"""An import that is stopped, at whichever step, leaves nothing behind, and the next one is as if it had not been."""

from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene import stage
from levelwright.addon.scene.progress import Steps, Stepwise, Work
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import ALL, IDS

STOPS = 12
"""After how many different steps each sample's import is stopped."""


def steps(game: Game, samples: list[Path]) -> Steps[list[bpy.types.Collection]]:
    made: Steps[list[bpy.types.Collection]] = levels.import_files.steps(
        bpy.context, samples, lambda _: game.import_settings(), Report(), game
    )
    return made


PARTS = ("view_settings", "unit_settings", "tool_settings", "render", "display", "cycles")
"""Of a scene: where imports, today or one day, may set something."""


def values(struct: Any) -> dict[str, object]:
    """The plain settings of a scene, a space, or a part of one."""
    plain = {each.identifier for each in struct.bl_rna.properties if each.type not in ("POINTER", "COLLECTION")}
    return {name: _plain(getattr(struct, name)) for name in plain - {"use_nodes"}}  # to ask for that one warns


def _plain(value: Any) -> object:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str | set) else value


def everything() -> dict[str, object]:
    """Every data-block there is, and all that the scene and the windows look like."""
    tables = [each.identifier for each in bpy.data.bl_rna.properties if each.type == "COLLECTION"]
    blocks = {name: [(one.name_full, one.session_uid, one.users) for one in getattr(bpy.data, name)] for name in tables}
    scene = bpy.context.scene
    looks: dict[str, object] = {"scene": values(scene), "world": repr(scene.world), "camera": repr(scene.camera)}
    looks |= {part: values(getattr(scene, part)) for part in PARTS if hasattr(scene, part)}
    for number, space in enumerate(stage.viewports(bpy.context)):
        looks[f"view {number}"] = [values(each) for each in (space.overlay, space.region_3d)] + [space.shading.type]
    return {**blocks, **looks, "keys": sorted(scene.keys())}


def changes(before: Any, after: Any, path: str = "") -> list[str]:
    """Where two of those differ."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [] if before == after else [f"{path}: {before} != {after}"]
    keys = dict.fromkeys([*before, *after])
    return [line for key in keys for line in changes(before.get(key), after.get(key), f"{path}.{key}")]


def count(game: Game, samples: list[Path]) -> int:
    """How many steps the import has."""
    done = sum(1 for _ in steps(game, samples))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return done


@pytest.mark.parametrize(("game", "sample"), ALL, ids=IDS)
def test_a_stop_leaves_nothing(game: Game, sample: Path, tmp_path: Path) -> None:
    total = count(game, [sample])
    assert not isinstance(game.import_level, Stepwise) or total > 2, "there are steps to stop at"
    before = everything()
    for number in sorted({1 + at * (total - 1) // STOPS for at in range(STOPS)} | {total}):
        work = Work(steps(game, [sample]))
        for _ in range(number):
            assert not work.run(0)
        assert work.meter.text.endswith(sample.name) or ": " in work.meter.text
        work.close()
        assert not changes(before, everything()), f"after step {number} of {total}"
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    assert level.name == sample.stem
    _, settings = game.writer
    levels.export_file(bpy.context, level, tmp_path / sample.name, settings(), Report())
    assert (tmp_path / sample.name).read_bytes() == sample.read_bytes()


def test_several_files_are_out_of_sight_until_all_are_there() -> None:
    game, sample = ALL[0]
    work = Work(steps(game, [sample, sample, sample]))
    while not work.run(0):
        assert not bpy.context.scene.collection.children
    assert [level.name for level in work.made or ()] == [child.name for child in bpy.context.scene.collection.children]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    before = everything()
    work = Work(steps(game, [sample, sample]))
    while not work.meter.text.startswith("files 1 / 2"):
        work.run(0)
    work.close()
    assert not changes(before, everything())


@pytest.mark.parametrize(("game", "sample"), ALL, ids=IDS)
def test_it_goes_forward_and_says_what_it_does(game: Game, sample: Path) -> None:
    work, fractions, texts = Work(steps(game, [sample])), [], []
    while not work.run(0):
        fractions.append(work.meter.fraction)
        texts.append(work.meter.text)
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    assert texts[0] == f"reading {sample.name}"
    assert all(text.startswith(f"{game.kind_of(sample.name).label} {sample.name}") for text in texts[1:])
