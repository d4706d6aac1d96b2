# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level may reach: names that lead out are followed nowhere, whoever asks for them."""

import os
import sys
from pathlib import Path

import pytest

from formats import reach as module
from formats.binary import FormatError
from formats.reach import AllowedFolders, is_own_folder, largest, steps
from tests.watching import outside, watched

LEADING_OUT = (
    "../secret",
    "nature/../../secret",
    "..\\secret",
    "/etc/passwd",
    "\\etc\\passwd",
    "//host/share/a",
    "\\\\host\\share\\a",
    "\\\\?\\C:\\a",
    "\\\\.\\pipe\\a",
    "C:\\secret",
    "c:secret",
    "nature:stream",
    "a\0b",
    "",
    ".",
    "x" * 5000,
    "/".join("x" * 3000),
    "CON",
    "nature/aux.png",
    "nul .txt",
    "Com1",
    "lpt9.vmt",
    "CONIN$",
    "/dev/zero",
)
"""Names that name nothing."""
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "Nature").mkdir(parents=True)
    second.mkdir()
    (first / "Grass_Main.PNG").touch()
    (first / "Nature" / "Leaf.tga").touch()
    (second / "grass_main.png").touch()
    (second / "only.png").write_bytes(b"only")
    (tmp_path / "secret.png").touch()
    return first, second


def test_find(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = folders
    reach = AllowedFolders([first, tmp_path / "none", second])
    assert reach.find("grass_main", [".png"]) == first / "Grass_Main.PNG"
    assert reach.find("grass_main.png") == first / "Grass_Main.PNG"
    assert reach.find("grass_main.png", folders=[second]) == second / "grass_main.png"
    assert reach.find("only", [".tga", ".png"]) == second / "only.png"
    assert reach.find("nature\\leaf", [".png", ".tga"]) == first / "Nature" / "Leaf.tga"
    assert reach.find("missing", [".png"]) is None
    assert reach.find("nature") is None, "a folder is no file"
    assert reach.find("grass_main.png/leaf.tga") is None, "a file is no folder"
    assert reach.folder(first, "NATURE") == first / "Nature"
    assert reach.folder(first, "grass_main.png") is None
    assert reach.read(second / "only.png") == b"only"
    assert [one.name for one in reach.entries(first)] == ["Grass_Main.PNG", "Nature"]
    assert reach.touched == {first: 2, second: 1}
    assert reach.refused == {}


@pytest.mark.parametrize("name", LEADING_OUT)
def test_names_that_lead_out(folders: tuple[Path, Path], name: str) -> None:
    first, _ = folders
    reach = AllowedFolders([first])
    assert steps(name) is None
    with watched() as seen:
        assert reach.find(name, [".png", ""]) is None
        assert reach.folder(first, name) is None
        place = reach.place(first, name.replace("\\", "/"))
    assert place in (None, first), "an empty path is the folder itself"
    assert outside(seen, [first]) == []


def test_places(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = folders
    reach = AllowedFolders([first, second])
    assert reach.place(first, str(second)) == second, "absolute, but in reach"
    assert reach.place(first, "nature/../../second/only.png") == second / "only.png"
    with watched() as seen:
        assert reach.place(first, "../secret.png") is None
        assert reach.place(first, str(tmp_path / "first_secret")) is None, "not below, only alike"
        assert list(reach.entries(tmp_path)) == []
        with pytest.raises(FileNotFoundError):
            reach.open(tmp_path / "secret.png")
    assert outside(seen, [first, second]) == []
    names = {Path(os.path.normpath(path)).name for path in reach.refused}
    assert names == {"secret.png", "first_secret", tmp_path.name}


@posix
def test_links_are_followed_within_only(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = folders
    for name, target in {
        "in.png": "Nature/Leaf.tga", "other.png": str(second / "only.png"), "up": "..", "out.png": "../secret.png",
        "host.png": "//host/share/a.png", "root": "/", "zero.png": "/dev/zero", "loop": "loop", "a": "b/b", "b": "a/a",
        "back": "../second", "self": ".",
    }.items():  # fmt: skip
        (first / name).symlink_to(target)
    reach = AllowedFolders([first, second])
    with watched() as seen:
        assert reach.find("in.png") == first / "Nature" / "Leaf.tga"
        assert reach.find("other.png") == second / "only.png"
        assert reach.find("back/only.png") == second / "only.png"
        assert reach.find("self/self/in.png") == first / "Nature" / "Leaf.tga"
        for name in ("up/secret.png", "out.png", "host.png", "root/etc/passwd", "zero.png", "loop", "a", "a/a/x"):
            assert reach.find(name) is None, name
        assert {one.name for one in reach.entries(first)} >= {"in.png", "back", "self"}
        assert not {"up", "out.png", "host.png", "root", "zero.png"} & {one.name for one in reach.entries(first)}
    assert outside(seen, [first, second]) == []
    assert "//host/share/a.png" in reach.refused


@posix
def test_a_chosen_folder_may_be_a_link(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, _ = folders
    (tmp_path / "chosen").symlink_to(first)
    (first / "absolute").symlink_to(first / "Nature")
    reach = AllowedFolders([tmp_path / "chosen"])
    assert reach.find("absolute/leaf.tga") == tmp_path / "chosen" / "Nature" / "Leaf.tga"
    assert reach.place(first, str(first / "grass_main.png")) == tmp_path / "chosen" / "Grass_Main.PNG"
    assert is_own_folder(first / "Nature")
    assert not any(map(is_own_folder, (tmp_path / "chosen", first / "Grass_Main.PNG", first / "none", Path("a\0"))))


@posix
def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "a.png").touch()
    reach = AllowedFolders([tmp_path])
    assert reach.find("pipe.png") is None
    assert [one.name for one in reach.entries(tmp_path)] == ["a.png"]
    (tmp_path / "a.png").unlink()
    os.mkfifo(tmp_path / "a.png")
    assert reach.find("a.png") is not None, "it was a file when the folder was listed"
    with pytest.raises(OSError, match="is no file"):
        reach.open(tmp_path / "a.png")
    (tmp_path / "a.png").unlink()
    (tmp_path / "a.png").symlink_to("/dev/zero")
    with pytest.raises(OSError):
        reach.open(tmp_path / "a.png")


def test_large_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (largest("A.VMT"), largest("a.vtf")) == (module.LARGEST_TEXT, module.LARGEST)
    for name in ("a.vmt", "a.vtf"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(largest(name) + 1)  # a sparse file: no room is taken
        for verb in (AllowedFolders([tmp_path]).size, AllowedFolders([tmp_path]).read):
            with pytest.raises(FormatError, match="bytes: of more than"):
                verb(tmp_path / name)
    monkeypatch.setattr(module, "LARGEST", 4)
    (tmp_path / "b.vtf").write_bytes(b"1234")
    assert AllowedFolders([tmp_path]).read(tmp_path / "b.vtf") == b"1234"


def test_nothing_is_in_reach_of_nothing(tmp_path: Path) -> None:
    reach = AllowedFolders([tmp_path / "none", "a\0b"])
    assert (reach.folders, reach.find("a"), reach.place(tmp_path, "a"), reach.touched) == ((), None, None, {})
