# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that fit the sidebar: nothing is cut in the middle of a word."""

import bpy
import pytest
from levelwright.addon.scene import wording

PATH = "missing models: models/props_c17/furniture/deep/chair01a.mdl"


def letters(text: str) -> float:
    """The width of a text whose letters are one wide."""
    return len(text)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, PATH),
        (52, "missing models: models/props_c17/…/chair01a.mdl"),
        (40, "missing models: models/…/chair01a.mdl"),
        (30, "missing models: …/chair01a.mdl"),
        (20, "missing models:…"),
    ],
)
def test_folders_in_the_middle_go_first_and_then_words_at_the_end(width: int, shown: str) -> None:
    assert wording.shortened(PATH, width, letters) == shown


def test_what_fits_stays_and_a_single_word_is_left_to_blender() -> None:
    assert wording.shortened("as it is", 8, letters) == "as it is"
    assert wording.shortened("Donaudampfschiff", 5, letters) == "Donaudampfschiff"


@pytest.mark.parametrize("width", [8, 12, 17, 33, 80])
def test_lines_hold_all_of_a_text_and_end_between_words_or_folders(width: int) -> None:
    lines = wording.wrapped(f"{PATH} is gone\nand more", width, letters)
    assert "".join(lines).replace(" ", "") == f"{PATH}isgoneandmore".replace(" ", "")
    pieces = [
        "missing",
        "models:",
        "models/",
        "props_",
        "c17/",
        "furniture/",
        "deep/",
        "chair01a.",
        "mdl",
        "is",
        "gone",
        "and",
    ]
    for line in lines:
        assert len(line) <= width or line in [*pieces, "more"]
        rest = line.replace(" ", "")
        for piece in [*pieces, "more"]:
            rest = rest.replace(piece, "", 1)
        assert not rest, line


def test_without_a_window_there_is_a_usual_room() -> None:
    assert wording.room(bpy.context) == pytest.approx(wording.ROOM * wording.LETTER)
    assert wording.measure(bpy.context)("four") == pytest.approx(4 * wording.LETTER)


def test_names_of_files_keep_their_endings() -> None:
    assert wording.within("level.map") == "level.map"
    assert wording.within(f"{'x' * 200}.map") == f"{'x' * 26}\N{HORIZONTAL ELLIPSIS}{'x' * 9}.map"


def test_a_number_stays_with_what_it_counts() -> None:
    counts = "room.map: 11 envelopes, 1 sound layer"
    assert wording.wrapped(counts, 14, letters) == ["room.map:", "11 envelopes,", "1 sound layer"]
    assert wording.wrapped(counts, 30, letters) == ["room.map: 11 envelopes,", "1 sound layer"]
    assert wording.wrapped("1 0 0 -> 0.5 1", 5, letters) == ["1 0 0", "->", "0.5 1"]
