# SPDX-License-Identifier: GPL-3.0-or-later
"""An import, an export or a check that is stopped, at whichever step, leaves nothing behind: the next one is as if
there had been none.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import changes as changes_of
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.interface import stoppable
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.view import stage
from levelwright.addon.scene.work.progress import Steps, Stepwise, Work

from tests.addon.contract.registered import ALL, LEVELS

STOPS, EXPORT_STOPS = 12, 4
"""After how many different steps each sample's import is stopped, and its export."""


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


@LEVELS
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


@LEVELS
def test_it_goes_forward_and_says_what_it_does(game: Game, sample: Path) -> None:
    work, fractions, texts = Work(steps(game, [sample])), [], []
    while not work.run(0):
        fractions.append(work.meter.fraction)
        texts.append(work.meter.text)
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    assert texts[0] == f"reading {sample.name}"
    assert all(text.startswith(f"{game.kind_of(sample.name).label} {sample.name}") for text in texts[1:])


Job = Callable[[Game, bpy.types.Collection, Path], Steps[Any]]


def export(game: Game, level: bpy.types.Collection, path: Path) -> Steps[Any]:
    _, settings = game.writer
    return levels.export_file.steps(bpy.context, level, path, settings(), Report())


def compare(_game: Game, level: bpy.types.Collection, _path: Path) -> Steps[Any]:
    """What *What Would Change?* does, and so *Check Export*, too."""
    made = yield from levels.check_export.steps(bpy.context, level, Report())
    return (yield from changes_of.keep.steps(level, made))


def edit(level: bpy.types.Collection) -> None:
    """Move one thing that exports write, where there is one: so that they have something to do."""
    placed = [obj for obj in level.all_objects if identity.kind_of(obj) in ("entity", "thing", "quads")]
    for obj in placed[:1]:
        obj.location.x += 1.0


def of_level(level: bpy.types.Collection) -> dict[str, object]:
    """All that a level keeps of itself, and how its objects are hidden and selected."""
    kept = {key: _plain_property(level[key]) for key in level.keys()}  # noqa: SIM118 - a block of Blender's
    objects = {obj.name: (obj.hide_viewport, obj.hide_get(), obj.select_get(), obj.mode) for obj in level.all_objects}
    return {"kept": kept, "objects": objects}


def _plain_property(value: Any) -> object:
    return next((getattr(value, name)() for name in ("to_dict", "to_list") if hasattr(value, name)), value)


@pytest.mark.parametrize("job", [export, pytest.param(compare, marks=pytest.mark.slow)])
@LEVELS
def test_a_stopped_export_leaves_nothing(game: Game, sample: Path, job: Job, tmp_path: Path) -> None:
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    edit(level)
    bpy.context.view_layer.update()
    path = tmp_path / sample.name
    path.write_bytes(b"what was there")
    total = sum(1 for _ in job(game, level, path))
    (tmp_path / sample.name).write_bytes(b"what was there")
    done = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    before = {**everything(), **of_level(level)}
    assert total > 2, "there are steps to stop at"
    for number in sorted({1 + at * (total - 1) // EXPORT_STOPS for at in range(EXPORT_STOPS)} | {total}):
        work = Work(job(game, level, path))
        for _ in range(number):
            assert not work.run(0)
        work.close()
        assert not changes(before, {**everything(), **of_level(level)}), f"after step {number} of {total}"
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == done, f"after step {number} of {total}"


def tools(game: Game) -> Iterator[tuple[str, Any]]:
    """The operators of a game that change the active level in steps: their names, and how scripts call them."""
    for name in dir(bpy.types):
        cls: Any = getattr(bpy.types, name)
        if isinstance(cls, type) and issubclass(cls, stoppable.StoppableTool) and cls.format_key == game.key:
            category, _, word = name.lower().partition("_ot_")
            yield name, getattr(getattr(bpy.ops, category), word)


class StopAfter:
    """What does the steps of an operator that a script calls: so many of them, then it is stopped."""

    def __init__(self, number: int) -> None:
        self.number, self.is_done = number, False

    def __call__(self, steps: Steps[Any]) -> Any:
        try:
            for _ in range(self.number):
                next(steps)
        except StopIteration as end:
            self.is_done = True
            return end.value
        steps.close()
        return {"CANCELLED"}


@pytest.mark.slow
@LEVELS
def test_a_stopped_tool_leaves_nothing(game: Game, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, call in tools(game):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
        bpy.context.view_layer.update()
        before = {**everything(), **of_level(level)}
        given = {"samples": 1} if "samples" in call.get_rna_type().properties else {}
        for number in (1, 2, 4, 16, 64) if call.poll() else ():
            stop = StopAfter(number)
            monkeypatch.setattr(stoppable, "drain", stop)
            with suppress(RuntimeError):  # what a sample is refused for
                call(**given)
            if stop.is_done:
                break
            assert not changes(before, {**everything(), **of_level(level)}), f"{name} after step {number}"
