# SPDX-License-Identifier: GPL-3.0-or-later
"""What Steam has installed, as its library files say; and that such a file leads nowhere else."""

import os
from pathlib import Path

import pytest

from formats.source.content import steam
from formats.source.content.steam import Program, installed


def libraries(root: Path, *paths: str, old: bool = False) -> None:
    """Write Steam's list of libraries, with doubled backslashes as Steam has them."""
    quoted = [path.replace("\\", "\\\\") for path in paths]
    lines = [
        f'"{n}" "{path}"' if old else f'"{n}" {{ "path" "{path}" "apps" {{ "70" "1" }} }}'
        for n, path in enumerate(quoted)
    ]
    folder = root / "steamapps"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "libraryfolders.vdf").write_text('"libraryfolders" {\n' + "\n".join(lines) + "\n}\n", encoding="utf-8")


def program(library: Path, number: int, name: str, folder: str, there: bool = True) -> Path:
    """Write a program's manifest, and make its folder."""
    apps = library / "steamapps"
    (apps / "common").mkdir(parents=True, exist_ok=True)
    state = f'"AppState" {{ "appid" "{number}" "name" "{name}" "installdir" "{folder}" }}'
    (apps / f"appmanifest_{number}.acf").write_text(state, encoding="utf-8")
    if there:
        (apps / "common" / folder).mkdir(parents=True)
    return apps / "common" / folder


def test_programs_of_all_libraries_are_found(tmp_path: Path) -> None:
    root, other = tmp_path / "Steam", tmp_path / "Spielplatz \u00e4"
    first, second = program(root, 4920, "Natural Selection 2", "NS2"), program(other, 240, "Counter-Strike", "CSS")
    program(other, 9, "gone", "Gone", there=False)
    libraries(root, str(root), str(other), str(tmp_path / "unplugged"))
    (tmp_path / "link").symlink_to(root)
    found = installed([tmp_path / "link", root, tmp_path / "nowhere"])
    assert [path.resolve() for path in found.libraries] == [root, other]
    assert {(one.name, one.folder.resolve()) for one in found.programs} == {
        ("Natural Selection 2", first),
        ("Counter-Strike", second),
    }
    assert found.left_out == []


def test_lists_from_before_2021_are_read(tmp_path: Path) -> None:
    root, other = tmp_path / "Steam", tmp_path / "other"
    folder = program(other, 70, "Half-Life", "Half-Life")
    libraries(root, str(other), old=True)
    assert installed([root]).programs == [Program("Half-Life", folder)]


def test_mods_of_source_games_count_as_a_program(tmp_path: Path) -> None:
    mods = tmp_path / "steamapps" / "sourcemods"
    mods.mkdir(parents=True)
    (tmp_path / "steamapps" / "common").mkdir()
    assert [one.folder for one in installed([tmp_path]).programs] == [mods]


@pytest.mark.parametrize(
    "path", ["//host/share", "\\\\host\\share", "\\\\?\\UNC\\host\\share", "relative/one", "../up"]
)
def test_libraries_on_other_computers_are_left_out(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda one, **more: (asked.append(str(one)), real(one, **more))[1])
    libraries(tmp_path, path)
    found = installed([tmp_path])
    assert found.libraries == [tmp_path]
    assert len(found.left_out) == 1 and "it isn't on this computer" in found.left_out[0]
    assert not [one for one in asked if "host" in one]
    assert not steam.is_local(path)


@pytest.mark.parametrize("name", ["../../outside", "/etc", "a/b", "..", "C:\\\\Windows", "\\\\\\\\host\\\\share"])
def test_a_programs_folder_lies_in_its_library(tmp_path: Path, name: str) -> None:
    root = tmp_path / "Steam"
    (tmp_path / "outside").mkdir()
    program(root, 1, "hostile", name, there=False)
    found = installed([root])
    assert found.programs == []
    assert "is no name of a folder" in found.left_out[0]


def test_a_programs_folder_that_is_a_link_out_of_the_library_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "Steam"
    program(root, 1, "linked", "Linked", there=False)
    (tmp_path / "outside").mkdir()
    (root / "steamapps" / "common" / "Linked").symlink_to(tmp_path / "outside")
    assert installed([root]).programs == []


def test_there_are_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "Steam"
    for number in range(4):
        program(root, number, f"game {number}", f"game {number}")
    monkeypatch.setattr(steam, "MOST_PROGRAMS", 3)
    found = installed([root])
    assert len(found.programs) == 3
    assert found.left_out == [f"all but 3 programs of the library {root}"]
    monkeypatch.setattr(steam, "MOST_LIBRARIES", 2)
    many = [tmp_path / str(number) for number in range(5)]
    for folder in many:
        folder.mkdir()
    libraries(root, *map(str, many))
    assert len(installed([root]).libraries) == 2
    assert "more than 2 libraries" in installed([root]).left_out
    monkeypatch.setattr(steam, "LARGEST_FILE", 20)
    assert installed([root]).programs == []


def test_damaged_files_are_told(tmp_path: Path) -> None:
    root = tmp_path / "Steam"
    libraries(root)
    (root / "steamapps" / "libraryfolders.vdf").write_bytes(b'"a" {' * 99)
    found = installed([root])
    assert found.libraries == [root] and "64 deep" in found.left_out[0]
    for data in (b"", b"\0\xff\xfe{}}}", b'"libraryfolders" "x"', b'"libraryfolders" { "0" { "path" "" } }'):
        (root / "steamapps" / "libraryfolders.vdf").write_bytes(data)
        assert installed([root]).libraries == [root]
