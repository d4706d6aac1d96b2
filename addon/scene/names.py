# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of levels as Blender can hold them: the one place where they enter names, properties and text blocks."""

from __future__ import annotations

_NO_SIGNS = str.maketrans("\ufffe\uffff", "??")
"""Blender strips these from names, and takes a text block with one for Latin-1."""


def showable(text: str) -> str:
    """Return a text as the name of something in Blender: on one line, without what ends it or what UTF-8 lacks."""
    if text.isascii() and text.isprintable():
        return text
    line = text.replace("\0", "").replace("\n", " ").replace("\r", " ")
    return line.encode("utf-8", "replace").decode().translate(_NO_SIGNS)


def storable(text: str) -> str:
    """Return a text as a custom property holds it: exactly, bytes that aren't UTF-8 too, but without NULs.

    Half a UTF-16 pair, on which Blender crashes (4.5), becomes a question mark.
    """
    if text.isascii():
        return text.replace("\0", "")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text.replace("\0", "")


def showable_lines(text: str) -> str:
    """Return a text as a text block or a property holds it: its lines stay, ended by a line feed."""
    lines = text.replace("\0", "").replace("\r\n", "\n")
    return lines if lines.isascii() else lines.encode("utf-8", "replace").decode().translate(_NO_SIGNS)


def file_name_of(path: str) -> str:
    """Return the name at the end of a path that a .blend holds: where it leads to is somebody else's."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return "" if name in (".", "..") or ":" in name or "\0" in name else name
