# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that users choose: none, folders, files that aren't there, and names that no text is."""

import os
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import commands, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import LEVELS


def operators(game: Game, sample: Path) -> tuple[Any, Any]:
    """What opens and what writes such files."""
    kind = next(kind for kind in game.files if kind.ending == sample.suffix)
    return getattr(bpy.ops.import_scene, kind.operator), getattr(bpy.ops.export_scene, kind.operator)


@LEVELS
def test_what_is_no_file_is_refused_in_plain_words(game: Game, sample: Path, tmp_path: Path) -> None:
    opens, writes = operators(game, sample)
    folder = tmp_path / "folder"
    folder.mkdir()
    missing = tmp_path / f"missing{sample.suffix}"
    for path, words in ((folder, "is a folder, choose a file in it"), (missing, "there is no such file")):
        with pytest.raises(RuntimeError, match=words) as caught:
            opens(filepath=str(path))
        assert path.name in str(caught.value)
        assert "Errno" not in str(caught.value)
    for chosen in ({}, {"filepath": ""}, {"directory": str(tmp_path), "files": [{"name": ""}]}):
        with pytest.raises(RuntimeError, match="no file was chosen"):
            opens(**chosen)
    opens(filepath=str(sample))
    for path, words in ((folder, "is a folder, give the file a name"), (missing / "x", "there is no such folder")):
        with pytest.raises(RuntimeError, match=words):
            writes(filepath=str(path))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are texts")
@LEVELS
def test_names_of_files_that_are_no_text_are_opened_and_written(game: Game, sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"maps \xff")
    folder.mkdir()
    for beside in sample.parent.glob(f"{sample.stem}.*"):
        name = os.fsdecode(b"caf\xe9") + beside.suffix
        (folder / name).write_bytes(beside.read_bytes())
    file, target = folder / f"{os.fsdecode(b'caf')}\udce9{sample.suffix}", folder / f"\udcff{sample.suffix}"
    opens, writes = operators(game, sample)
    assert opens(filepath=str(file)) == {"FINISHED"}
    assert writes(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == sample.read_bytes()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (level,) = levels.import_files(bpy.context, [file], lambda each: each.import_settings(), Report())
    assert level.name == "caf?"
    text = levels.report_of(level)
    assert text is not None
    assert text.as_string().startswith(f"caf?{sample.suffix}: ")
    assert commands.main(["convert", str(file), str(target)]) == commands.OK
    assert target.read_bytes() == sample.read_bytes()
