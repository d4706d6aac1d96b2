# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of levels as Blender can hold them: whatever they are, Blender takes what is made of them."""

import bpy
import pytest
from levelwright.addon.scene.names import showable, showable_lines, storable
from levelwright.addon.scene.reports import Report

TEXTS = [
    "plain",
    "",
    "Grüße ☃",
    "byte \udcff",
    "half \ud800",
    "other half \udc00",
    "two\nlines",
    "a\r\nb",
    "a\0b",
    "no signs \ufffe\uffff",
]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_names_are_on_one_line_and_blender_takes_them(text: str) -> None:
    shown = showable(text)
    assert bpy.data.objects.new(shown, None).name == (shown or "Object")
    assert not set(shown) & set("\n\r\0")
    assert showable(shown) == shown


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_properties_hold_bytes_that_are_no_utf_8(text: str) -> None:
    obj = bpy.data.objects.new("x", None)
    obj["text"] = storable(text)
    assert obj["text"] == storable(text)
    assert storable(text) == text or "half" in text or "\0" in text


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text_blocks_give_back_what_they_were_given(text: str) -> None:
    block = bpy.data.texts.new("x")
    block.write(showable_lines(text))
    assert block.as_string() == showable_lines(text)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_reports_are_texts_whatever_they_name(text: str) -> None:
    report = Report()
    report.warn(f"{text} is broken")
    report.missing("materials", text)
    report.left_out(text)
    block = report.to_text(text or "report")
    assert f"warning: {showable_lines(text)} is broken" in block.as_string()
