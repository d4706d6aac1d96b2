# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/walk: what it reads on the screen, what it lists, and one path in a window of a real Blender."""

import os
from pathlib import Path

import pytest

from scripts import screen_text, walk, window

SYSTEM = os.environ.get("LEVELWRIGHT_REAL_BLENDER", "")
HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"


def row(line: int, x: int, y: int, text: str) -> str:
    """Return a line of tesseract's table, with letters of 7 x 10 pixels on the screen."""
    scale = screen_text.ENLARGED
    left, top, width, height = (scale * value for value in (x, y, 7 * len(text), 10))
    return f"5\t1\t1\t1\t{line}\t1\t{left}\t{top}\t{width}\t{height}\t90\t{text}\n"


SCREEN = screen_text.words(
    HEAD
    + row(1, 50, 100, "Export")
    + row(1, 96, 100, "All")
    + row(1, 121, 100, "Collections")
    + row(2, 50, 80, "Export")
    + row(3, 50, 120, "Oriver")
    + row(4, 50, 140, 'Find"')
    + row(4, 90, 140, "lnstalled")
    + row(4, 160, 140, "Games"),
    corner=(10, 20),
)


def test_what_stands_alone_is_found_before_a_part_of_a_longer_text() -> None:
    """The entry Export, not Export All Collections above or below it."""
    places = screen_text.find("Export", SCREEN)
    assert [place[:2] for place in places] == [(81, 105), (81, 125)]
    assert places[0].fits == 1.0 > places[1].fits


def test_a_text_is_found_where_letters_are_misread() -> None:
    """An l for an I, and a quotation mark; what is too different is not found."""
    assert screen_text.find("Find Installed Games", SCREEN)[0][:2] == (132, 165)
    assert screen_text.find("Quit", SCREEN) == []


def test_a_text_that_goes_down_is_found_where_it_stands() -> None:
    """As on tabs: what is read from left to right is so far from the upper edge."""
    place = screen_text.Place(30, 8, 1.0)
    assert screen_text.downward(place, (1290, 60, 40, 620)) == (1322, 90, 1.0)
    assert "-rotate 270" in screen_text.command("shot.png", (0, 0, 1, 1), is_downward=True)


def test_only_tools_that_are_not_there_are_installed(tmp_path: Path) -> None:
    """Debian's `import` is a link to /etc/alternatives, which is another folder inside."""
    assert window.lacking(tmp_path) == list(window.TOOLS.values())
    for tool in window.TOOLS:
        (tmp_path / "usr" / tool).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "usr" / tool).symlink_to("/etc/alternatives/not-here")
    assert window.lacking(tmp_path) == []


def test_all_paths_are_listed_with_what_is_walked(capsys: pytest.CaptureFixture[str]) -> None:
    """Each has a sentence."""
    assert walk.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(walk.PATHS)
    assert all(line.endswith(".") and len(line) > 60 for line in lines)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Before anything is started."""
    with pytest.raises(SystemExit) as ended:
        walk.main([str(tmp_path / "out"), "no-such-path"])
    assert ended.value.code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.skipif(not SYSTEM or os.geteuid() != 0, reason="LEVELWRIGHT_REAL_BLENDER names no Blender, or no root")
@pytest.mark.skipif(
    "LEVELWRIGHT_WALK" not in os.environ, reason="LEVELWRIGHT_WALK isn't set: a busy machine is slow to draw"
)
def test_one_path_in_a_window(tmp_path: Path) -> None:
    """A drop, the dialog by mouse, the menu Levelwright, the search: each step happened, and was pictured."""
    assert walk.main([str(tmp_path), "menu-and-search", "--display", "97"]) == 0
    pictures = sorted(file.name for file in tmp_path.glob("menu-and-search-*.png"))
    assert pictures == ["menu-and-search-01-menu.png", "menu-and-search-02-search.png"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert all(name in page for name in pictures)
