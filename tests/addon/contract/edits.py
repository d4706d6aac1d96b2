# SPDX-License-Identifier: GPL-3.0-or-later
"""One edit of each thing that an import shows, made in Blender as an artist would, and what an export makes of it.

The edits follow from the aspects that a level's data-blocks have (`addon.scene.fates.aspects`), so a new kind of
object, a new property or a new game is tried without a line here. Only how an aspect is changed is written down.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from levelwright.addon import games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fates import aspects, ledger
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.kept import level_blocks
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import FormatError

from tests.addon.contract import changes
from tests.fuzz.scenes import empty_file

WRITTEN, REFUSED, TOLD, SILENT = "written", "refused by name", "told", "silent"
LOST, NAMELESS = "written as something else", "refused without a name"
GOOD = (WRITTEN, REFUSED, TOLD)
CLOSE = 0.02
"""By how much of itself a number may differ when it is read again: files hold bytes where Blender has floats."""


@dataclass(frozen=True)
class Edit:
    """One aspect of one data-block."""

    settings: Any
    """Of the import."""
    kind: str
    block: str
    """Its name right after the import."""
    type: str
    aspect: str


@dataclass(frozen=True)
class Outcome:
    """What an export made of an edit."""

    edit: Edit
    result: str
    said: str
    """The lines of the report, or of the error, that name the data-block."""


def imported(game: Game, sample: Path, settings: Any) -> bpy.types.Collection:
    empty_file()
    (level,) = levels.import_files(bpy.context, [sample], lambda _: settings, Report(), game)
    return level


def edits(game: Game, sample: Path) -> list[Edit]:
    """One edit for each aspect that a kind of data-blocks has, of the first data-block that has it.

    First with the usual options, then what else there is with everything shown that an option can show.
    """
    return list(_edits(game.key, sample))


@cache
def _edits(key: str, sample: Path) -> tuple[Edit, ...]:
    """The same of a game's key: many tests ask of the same few samples."""
    game = games.by_key(key)
    found: dict[tuple[str, str], Edit] = {}
    switches = (each.name for each in properties.fields(game.import_settings) if each.type is bool)
    for settings in (game.import_settings(), game.import_settings(**dict.fromkeys(switches, True))):
        _add_edits(found, imported(game, sample, settings), settings)
    return tuple(found.values())


def _add_edits(found: dict[tuple[str, str], Edit], level: bpy.types.Collection, settings: Any) -> None:
    for block in level_blocks.blocks(level):
        for name in (*aspects.names(block.id_block), ledger.COPIED, ledger.DELETED):
            if (name in changes.CHANGES or changes.by_group(name)) and changes.applies(block.id_block, name):
                made = Edit(settings, block.kind, block.id_block.name, type(block.id_block).__name__, name)
                found.setdefault((block.kind, name), made)


def outcome(game: Game, sample: Path, edit: Edit, settings: Any = None) -> Outcome | None:
    """Import a sample, make an edit, export, and read that again. None where the edit changes nothing.

    settings: of the export; the usual ones if it is None.
    """
    original = sample.read_bytes()
    level = imported(game, sample, edit.settings)
    before = _shown(level)
    (block,) = (one for one in level_blocks.blocks(level) if _is(one, edit))
    name, key = block.id_block.name, block.key
    try:
        changes.CHANGES.get(edit.aspect, changes.change)(block.id_block, edit.aspect)
    except Exception as error:
        raise RuntimeError(f"{edit} can't be made") from error
    bpy.context.view_layer.update()
    after = _shown(level)
    if after == before:
        return None
    names = {name, *(one.id_block.name for one in level_blocks.blocks(level) if one.key == key)}
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / sample.name
        try:
            levels.export_file(bpy.context, level, target, settings or levels.game_of(level).writer[1](), report)
        except (SceneError, FormatError) as error:
            objects = {obj.name for obj in getattr(error, "objects", ())}
            words = (*names, edit.aspect.partition(" ")[2])
            named = edit.aspect == ledger.DELETED or objects & names or any(one in str(error) for one in words if one)
            return Outcome(edit, REFUSED if named else NAMELESS, str(error))
        told = dict.fromkeys([*report.lines()[1:], *report.notes])  # the first line counts, or is the first note
        lines = [line for line in told if any(one in line for one in names)]
        said = "; ".join(lines)
        if target.read_bytes() == original and not parts_differ(target, sample):
            return Outcome(edit, TOLD if said else SILENT, said)
        again = _shown(imported(game, target, edit.settings))
    if _reached(edit.aspect, key, before, after, again):
        return Outcome(edit, WRITTEN, said)
    return Outcome(edit, TOLD if said else LOST, said)


def parts_differ(target: Path, sample: Path) -> bool:
    beside = (path for path in target.parent.iterdir() if path != target)
    return any(path.read_bytes() != sample.with_suffix(path.suffix).read_bytes() for path in beside)


def _is(block: level_blocks.LevelBlock, edit: Edit) -> bool:
    return (block.kind, block.id_block.name, type(block.id_block).__name__) == (edit.kind, edit.block, edit.type)


Shown = dict[str, dict[str, list[Any]]]
"""By key of the data-blocks and aspect, the values."""


def _shown(level: bpy.types.Collection) -> Shown:
    found: Shown = defaultdict(lambda: defaultdict(list))
    for block in level_blocks.blocks(level):
        found[block.key]["#"].append(block.id_block.name)
        for name, value in aspects.values(block.id_block).items():
            found[block.key][name].append(plain(value))
    return {key: dict(each) for key, each in found.items()}


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def _reached(aspect: str, key: str, before: Shown, after: Shown, again: Shown) -> bool:
    """Whether a level that was read again shows the edit."""
    if aspect in (ledger.COPIED, ledger.DELETED):
        other = again.get(key) != before.get(key)  # it is there with nothing in it, or with its copies in one mesh
        counts = [sum(len(each["#"]) for each in shown.values()) for shown in (before, again)]
        return other or counts[0] != counts[1]
    now, was, wanted = (each.get(key, {}).get(aspect, [None]) for each in (again, before, after))
    if _close(now, wanted):
        return True
    exact = aspect.startswith(aspects.PROPERTY) or aspect in ("name", "text", "color")
    # Blender's faces and places are many ways to say the same: whichever way, the record shows it now
    return not exact and again.get(key) != before.get(key) and (now != was or aspect in _WAYS)


_WAYS = (
    "vertices",
    "materials of faces",
    "location",
    "rotation",
    "scale",
    "delta transform",
    "parent",
    "constraints",
    "modifiers",
    "shape keys",
)


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return bool(
            one == other or abs(one - other) <= CLOSE * max(1.0, abs(one), abs(other)) / (1 if abs(other) < 1 else 10)
        )
    return bool(one == other)


# ---- how each aspect is changed


def all_outcomes(game: Game, sample: Path) -> list[Outcome]:
    """Try each edit of a sample; those that change nothing are left out."""
    found = (outcome(game, sample, each) for each in edits(game, sample))
    return [each for each in found if each is not None]
