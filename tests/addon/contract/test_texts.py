# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of levels that Blender can't hold as they are: a level with one opens, or is refused as damaged."""

import random
import re
from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import FormatError

from tests.addon.contract.registered import LEVELS

TEXT = re.compile(rb"[A-Za-z0-9_/.\\ :-]{5,}|(?:[A-Za-z0-9_/. -]\0){4,}")
"""Of a letter a byte, or of UTF-16."""
STRANGE = (b"\xff", b"\xc3", b"\xed", b"\xd8", b"\xdc", b"\x80", b"\0", b"\n", b"\r", b"\t", b"\x1b", b"\x7f")


def spoiled(data: bytes, seed: int) -> bytes:
    """A level of which some texts have a strange byte."""
    rng = random.Random(seed)
    found = [match.span() for match in TEXT.finditer(data)]
    result = bytearray(data)
    for begin, end in rng.sample(found, min(len(found), rng.randint(1, 3))):
        place = rng.randrange(begin, end)
        result[place : place + 1] = rng.choice(STRANGE)
    return bytes(result)


def opens_or_is_refused(game: Game, sample: Path, data: bytes, folder: Path) -> bool:
    """Whether a level opens; then it can be written, too."""
    file = folder / sample.name
    file.write_bytes(data)
    for beside in sample.parent.glob(f"{sample.stem}.*"):
        if beside.suffix in game.beside:
            (folder / beside.name).write_bytes(beside.read_bytes())
    try:
        (level,) = levels.import_files(bpy.context, [file], lambda _: game.import_settings(), Report(), game)
    except (FormatError, SceneError) as error:
        assert str(error)
        return False
    try:
        _, settings = game.writer
        levels.export_file(bpy.context, level, folder / f"again{sample.suffix}", settings(), Report())
    finally:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return True


@LEVELS
@pytest.mark.parametrize("count", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_strange_bytes_in_texts_stop_no_import(game: Game, sample: Path, tmp_path: Path, count: int) -> None:
    data = sample.read_bytes()
    assert sum(opens_or_is_refused(game, sample, spoiled(data, seed), tmp_path) for seed in range(count))
