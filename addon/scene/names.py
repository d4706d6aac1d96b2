# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of levels as Blender can hold them: the one place where they enter names, properties and text blocks."""

from __future__ import annotations


def showable(text: str) -> str:
    """Return a text as the name of something in Blender: on one line, without what ends it or what UTF-8 lacks."""
    if text.isascii() and text.isprintable():
        return text
    line = text.replace("\0", "").replace("\n", " ").replace("\r", " ")
    return line.encode("utf-8", "replace").decode()


def showable_lines(text: str) -> str:
    """Return a text as a text block or a property holds it: its lines stay, ended by a line feed."""
    return text.replace("\0", "").replace("\r\n", "\n").encode("utf-8", "replace").decode()


def file_name_of(path: str) -> str:
    """Return the name at the end of a path that a .blend holds: where it leads to is somebody else's."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return "" if name in (".", "..") or ":" in name or "\0" in name else name
