# SPDX-License-Identifier: GPL-3.0-or-later
"""Which record of which import an object or a mesh element is: identity is data, never a name.

Data-blocks carry a stamp: kind of record, record number and the token of the import. Mesh elements carry two int32
attributes: an id = record number + 1 (0: new) and a check, a non-linear hash of token and id. Blender copies both when
elements are duplicated, joined or separated, averages them when elements are subdivided, bevelled or merged, and sets
0 on new ones: a pair that disagrees is a blend or comes from another level, so it is new.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Self

import bpy
import numpy as np

from ....formats import ranges
from ....formats.arrays import Array, Bools, Int32s, Integers, Reals
from .. import attributes
from ..attributes import Domain, Kind
from ..names import showable, storable

ID, CHECK = "record_id", "record_check"
"""Names of the two mesh attributes. Not plain "id": Blender 4 keeps that name for points, and refuses it on faces."""
STAMP = "levelwright"
"""Key of the stamp property on objects, collections, actions, images, ..."""
LEVEL, ROOT = "level", "root"
"""The kinds that every game uses: the level's collection, and the empty at its origin."""


class Token(int):
    """One import of one file: a random int32, never 0, that knows the sha256 of the file (`digest`, hex, or "")."""

    digest: str

    def __new__(cls, value: int, digest: str = "") -> Self:
        """Make a token of an int32 that is known already."""
        token = super().__new__(cls, value)
        token.digest = digest
        return token


def new_token(data: bytes | memoryview | None = None) -> Token:
    """Return a token for a new import, so that importing a file twice gives two levels.

    data: the imported bytes; stamps then name the file by its hash, for when its level gets lost.
    """
    value = secrets.randbelow(2**32 - 1) + 1
    return Token(value - (value >> 31 << 32), hashlib.sha256(data).hexdigest() if data is not None else "")


def id_attributes(token: int, ids: Int32s, domain: Domain) -> dict[str, tuple[Domain, Kind, Array]]:
    """Return the two attributes that say which record each element of a mesh is, as `meshes.build` takes them.

    ids: int32[n], the number of the record + 1 of each.
    """
    return {ID: (domain, "INT", ids), CHECK: (domain, "INT", checks(token, ids))}


def checks(token: int, ids: Integers) -> Int32s:
    """Return the check of each id, int32[n] within +-2**24, by a multiply-xorshift mix: averages of pairs aren't pairs.

    Blender averages in float32: kept to 25 bits, equal pairs average to themselves (a vertex merged with its copy keeps
    its id), and a blend of different ones passes once in 33 million.
    """
    mixed = ids.astype(np.uint32)
    mixed += np.uint32(token & 0xFFFFFFFF)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        mixed ^= mixed >> np.uint32(shift)
        mixed *= np.uint32(factor)
    mixed ^= mixed >> np.uint32(16)
    return mixed.view(np.int32) >> 7


def write_ids(mesh: bpy.types.Mesh, domain: Domain, ids: Integers, token: int) -> None:
    """Give each element of the domain its id (record number + 1; 0 for none) and check. ids: int[n]."""
    ids = np.ascontiguousarray(ids, np.int32)
    attributes.write(mesh, ID, domain, "INT", ids)
    attributes.write(mesh, CHECK, domain, "INT", checks(token, ids))


def valid_ids(ids: Integers, check: Integers, token: int) -> Int32s:
    """Return ids (int32[n]) with 0 wherever id and check (int32[n]) aren't a pair of this token."""
    ids = np.asarray(ids, np.int32)
    return np.where((ids > 0) & (checks(token, ids) == check), ids, 0).astype(np.int32, copy=False)


def read_ids(mesh: bpy.types.Mesh, domain: Domain, token: int) -> Int32s:
    """Return the id of each element of the domain, int32[n]: 0 where it is new, blended or from another level."""
    ids, check = attributes.read(mesh, ID, domain), attributes.read(mesh, CHECK, domain)
    if ids is None or check is None or ids.dtype != np.int32 or check.dtype != np.int32:
        sizes = {
            "POINT": len(mesh.vertices),
            "EDGE": len(mesh.edges),
            "FACE": len(mesh.polygons),
            "CORNER": len(mesh.loops),
        }
        return np.zeros(sizes[domain], np.int32)
    return valid_ids(ids, check, token)


def nearest_instances(ids: Integers, distances: Reals) -> Bools:
    """Say which elements keep their id: of several with one id the nearest to the record's geometry, then the first.

    ids: int[n], 0 = none (never kept). distances: float[n], any measure; NaN counts as farthest.
    """
    keep = np.zeros(len(ids), np.bool_)
    order = np.lexsort((np.nan_to_num(distances, nan=np.inf), ids))  # stable: equals stay in order
    ordered = np.asarray(ids)[order]
    keep[order[ranges.firsts(ordered) & (ordered != 0)]] = True
    return keep


_NUMBER = re.compile(r"\.\d{3,}$")
_CUT = 55
"""Bytes that Blender keeps of any name, whatever it adds: 63 have to do in versions before 5.0."""


class Stamp(NamedTuple):
    """What a data-block is: a record of a kind in the import with this token; digest begins its file's sha256."""

    token: int
    kind: str
    record: int
    digest: str = ""


def stamp(id_block: bpy.types.ID, token: int, kind: str, record: int) -> None:
    """Mark a data-block as a record. kind: one word. record: its number in the original, -1 where it has none."""
    digest = getattr(token, "digest", "")[:16]
    id_block[STAMP] = storable(f"{kind} {record} {int(token)} {digest}".rstrip())


def stamped(id_block: bpy.types.ID) -> Stamp | None:
    """Return a data-block's stamp; None where there is none, or none that can be read."""
    text = id_block.get(STAMP)
    return _parsed(text) if isinstance(text, str) else None


def told_by(id_block: bpy.types.ID) -> str:
    """Return what tells a data-block from others: its stamp, whatever Blender calls it, or the name of one without."""
    text = id_block.get(STAMP)
    return text if isinstance(text, str) and text else id_block.name


def kind_of(id_block: bpy.types.ID) -> str | None:
    """Return the kind of record that a data-block is stamped as; None for what the user added."""
    mark = stamped(id_block)
    return None if mark is None else mark.kind


def ancestor(obj: bpy.types.Object, kind: str) -> bpy.types.Object | None:
    """Return the nearest object above with a stamp of this kind; None where there is none."""
    above = obj.parent
    while above is not None and kind_of(above) != kind:
        above = above.parent
    return above


def record_of(id_block: bpy.types.ID, token: int | None) -> int:
    """Return the number of the record that a data-block is in the import with this token.

    -1 for none, another import's, and where there is no token.
    """
    mark = stamped(id_block)
    return mark.record if mark is not None and token is not None and mark.token == token else -1


@lru_cache(1 << 15)  # each object is asked for who it is several times, parents by each of their children
def _parsed(text: str) -> Stamp | None:
    parts = text.split(" ")
    try:
        return Stamp(int(parts[2]), parts[0], int(parts[1]), parts[3] if len(parts) > 3 else "")
    except (ValueError, IndexError):
        return None


def kinds(id_blocks: Iterable[bpy.types.ID]) -> set[str]:
    """Return the kinds of records that data-blocks are stamped as."""
    texts = {text for id_block in id_blocks if isinstance(text := id_block.get(STAMP), str)}
    return {text.partition(" ")[0] for text in texts}


def unnumbered(name: str) -> str:
    """Return a data-block's name without the number that Blender adds to names that are taken."""
    return _NUMBER.sub("", name) if "." in name else name


def is_named(name: str, given: str) -> bool:
    """Say whether a data-block's name is the one that it was given, but for what Blender added to it or cut off.

    given: as the level has it, or as it was shown.
    """
    bare, given = unnumbered(name), showable(given)
    return given in (name, bare) or (len(bare.encode()) >= _CUT and given.startswith(bare))


def unstamp(id_block: bpy.types.ID) -> None:
    """Make a data-block new: it is nobody's record any more."""
    if id_block.get(STAMP) is not None:
        del id_block[STAMP]
