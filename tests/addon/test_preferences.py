# SPDX-License-Identifier: GPL-3.0-or-later
"""Where external images are looked for."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.disk import content_folders
from levelwright.addon.teeworlds.content import MAPRES


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty home, so that games installed on this machine play no part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "APPDATA", MAPRES.variable):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def within(folder: Path) -> list[Path]:
    return [found for found in MAPRES.folders() if folder in found.parents]


@pytest.fixture
def chosen():
    """Give the extension's preferences, and leave them as they were."""
    entry = bpy.context.preferences.addons["levelwright"].preferences
    yield entry
    entry.property_unset("mapres_directory")


def test_installed_games_are_found(home: Path) -> None:
    assert within(home) == []
    ours = home / ".local" / "share" / "ddnet" / "mapres"
    steam = home / ".steam" / "steam" / "steamapps" / "common" / "Teeworlds" / "data" / "mapres"
    for folder in (ours, steam):
        folder.mkdir(parents=True)
    assert within(home) == [ours, steam]


def test_the_users_folder_comes_first_whatever_it_is_called(
    home: Path, chosen, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = home / ".local" / "share" / "ddnet" / "mapres"
    mine, games, other = home / "my images", home / "game", home / "other"
    for folder in (installed, mine, games / "mapres", other):
        folder.mkdir(parents=True)
    chosen.mapres_directory = str(mine)
    monkeypatch.setenv(MAPRES.variable, f"{games}:{home / 'nowhere'}:{other}")
    assert within(home) == [mine, games / "mapres", other, installed]


def test_a_folder_that_is_gone_is_left_out(home: Path, chosen) -> None:
    chosen.mapres_directory = str(home / "gone")
    assert within(home) == []


def test_without_an_entry_in_the_preferences_the_usual_places_count(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_folders, "base_package", "not enabled here")
    folder = home / ".teeworlds" / "mapres"
    folder.mkdir(parents=True)
    assert within(home) == [folder]
