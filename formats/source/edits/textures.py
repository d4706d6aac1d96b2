# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of textures: what texdata name, and the size and colour that they tell of it (source.md §2.7, §3).

Faces know a texture by its texdata. Materials in the pak stay as they are, those of cubemaps among them.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...binary import FormatError
from ..check import MOST_BYTES
from ..level import Level
from ..lumps import LumpId, lump_name
from ..sections.texdata import Strings
from .changes import Changes, numbered, put, room_for


def change(
    level: Level,
    number: int,
    name: str | None = None,
    size: Sequence[int] | None = None,
    reflectivity: Sequence[float] | None = None,
) -> None:
    """Rename a texdata or have it name another texture, wherever it is used.

    name: path below materials/, without ending. size: width and height of the texture, by which texture coordinates
    are divided. reflectivity: its mean colour, linear, 0 to 1. What is left out stays.

    Other texdata of the same name keep theirs. Raises FormatError for a texdata that isn't there, a name that the lump
    cannot hold and values that are none.
    """
    changes = Changes(level)
    table = changes.table(LumpId.TEXDATA)
    numbered(number, len(table), LumpId.TEXDATA)
    put(table, number, _fields(size, reflectivity), f"texdata {number}")
    if name is not None:
        _rename(changes, number, name)
    changes.apply()


def add(level: Level, name: str, size: Sequence[int], reflectivity: Sequence[float] = (0.5, 0.5, 0.5)) -> int:
    """The number of the texdata that names a texture: one that is there, or else a new one.

    Raises FormatError as `change` does, and for one too many.
    """
    names, table = level.texture_names.names, level.table(LumpId.TEXDATA)
    for number, string in enumerate(table["name_string_table_id"].tolist()):
        if 0 <= string < len(names) and names[string].lower() == name.lower():
            return number
    changes = Changes(level)
    room_for(level, LumpId.TEXDATA, len(table))
    made = np.zeros(1, table.dtype)
    put(made, 0, _fields(size, reflectivity), f"texdata {len(table)}")
    strings, string = changes.names.added(_checked(name))
    made["name_string_table_id"] = string
    _set_names(changes, strings)
    number = changes.append(LumpId.TEXDATA, made)
    changes.apply()
    return number


def _fields(size: Sequence[int] | None, reflectivity: Sequence[float] | None) -> dict[str, npt.ArrayLike]:
    fields: dict[str, npt.ArrayLike] = {}
    if size is not None:
        if len(size) != 2 or min(size) < 1:
            raise FormatError(f"a texture of {' x '.join(map(str, size))} texels", lump_name(LumpId.TEXDATA))
        fields |= {"width": size[0], "height": size[1], "view_width": size[0], "view_height": size[1]}
    if reflectivity is not None:
        fields["reflectivity"] = reflectivity
    return fields


def _checked(name: str) -> str:
    if not name:
        raise FormatError("a texture needs a name", lump_name(LumpId.TEXDATA_STRING_DATA))
    return name


def _rename(changes: Changes, number: int, name: str) -> None:
    """Give a texdata another name: in the place of its old one, if nothing else has that."""
    table, strings = changes.table(LumpId.TEXDATA), changes.names
    string = int(table["name_string_table_id"][number])
    if not 0 <= string < len(strings.offsets):
        raise FormatError(f"its name is text {string}, there are {len(strings.offsets)}", f"texdata {number}")
    _checked(name)
    macros = changes.level.table(LumpId.FACE_MACRO_TEXTURE_INFO)
    users = int((table["name_string_table_id"] == string).sum())
    users += int((macros["macro_texture_name_id"] == string).sum())
    users += int((strings.offsets == strings.offsets[string]).sum()) - 1
    if users == 1:
        _set_names(changes, strings.renamed(string, name))
    elif strings.names[string] != name:
        strings, table["name_string_table_id"][number] = strings.added(name)
        _set_names(changes, strings)


def _set_names(changes: Changes, strings: Strings) -> None:
    lump = LumpId.TEXDATA_STRING_DATA
    if len(changes.names.data) <= MOST_BYTES[lump] < len(strings.data):
        size = len(strings.data)
        raise FormatError(f"{lump_name(lump)} would have {size} bytes, usual compilers allow {MOST_BYTES[lump]}")
    changes.names = strings
