# SPDX-License-Identifier: GPL-3.0-or-later
"""World lights, which light moving models: WORLDLIGHTS and WORLDLIGHTS_HDR, a list each (source.md §2.6, §3)."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...binary import FormatError
from ..level import Level
from ..lumps import LumpId, lump_name
from ..records import EmitType
from ..tree.leaf_tree import LeafTree, clusters
from .changes import Changes, Fields, numbered, put, room_for

_SKIES = (EmitType.SKYLIGHT, EmitType.SKYAMBIENT)  # which shine from everywhere
_FALLING = (EmitType.POINT, EmitType.SPOTLIGHT, EmitType.QUAKELIGHT)
_ATTENUATIONS = ("constant_attn", "linear_attn", "quadratic_attn")
_COSINES = frozenset(("stopdot", "stopdot2"))
_STYLES = 64  # of the engine
_EVERYWHERE = 1.0  # quadratic_attn of a light that nothing is said of


def change(level: Level, lump: LumpId, lights: Mapping[int, Fields]) -> None:
    """Change fields of the lights of one lump, by number. A light that moves gets the cluster where it then is.

    Raises FormatError for fields that this version hasn't or cannot hold, for lights within walls or that would be
    infinitely bright, for cosines beyond 1, styles that the engine hasn't, and for clusters and texinfos that aren't
    there.
    """
    changes = _changes(level, lump)
    table = changes.table(lump)
    numbered(list(lights), len(table), lump)
    for number, fields in lights.items():
        _set(changes, lump, number, fields)
        if fields.keys() & {"type", *_ATTENUATIONS}:
            _check_falloff(table[number], f"light {number} in {lump.name}")
    _find_clusters(changes, lump, [n for n, fields in lights.items() if "origin" in fields and "cluster" not in fields])
    changes.apply()


def add(level: Level, lump: LumpId, lights: Sequence[Fields]) -> list[int]:
    """Add lights behind the others of one lump, "origin", "intensity" and "type" at least; returns their numbers.

    Raises FormatError as `change` does, and for more lights than compilers allow.
    """
    changes = _changes(level, lump)
    table = changes.table(lump)
    room_for(level, lump, len(table), len(lights))
    numbers = list(range(len(table), len(table) + len(lights)))
    made = np.zeros(len(lights), table.dtype)
    made["quadratic_attn"] = _EVERYWHERE
    changes.append(lump, made)
    for number, fields in zip(numbers, lights, strict=True):
        lacking = [name for name in ("origin", "intensity", "type") if name not in fields]
        if lacking:
            raise FormatError(f"a new light needs {', '.join(lacking)}", lump_name(lump))
        _set(changes, lump, number, fields)
    _find_clusters(changes, lump, [n for n, fields in zip(numbers, lights, strict=True) if "cluster" not in fields])
    changes.apply()
    return numbers


def remove(level: Level, lump: LumpId, numbers: Collection[int]) -> None:
    """Remove lights of one lump; those behind move up. Raises FormatError for numbers that aren't there."""
    changes = _changes(level, lump)
    table = changes.table(lump)
    changes.set_table(lump, np.delete(table, numbered(list(numbers), len(table), lump)))
    changes.apply()


def _changes(level: Level, lump: LumpId) -> Changes:
    if lump not in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        raise FormatError("has no world lights", lump_name(lump))
    return Changes(level)


def _set(changes: Changes, lump: LumpId, number: int, fields: Fields) -> None:
    what = f"light {number} in {lump.name}"
    put(changes.table(lump), number, fields, what)
    kind = int(changes.table(lump)["type"][number])
    if kind not in set(EmitType):
        raise FormatError(f"type {kind} is none of {', '.join(each.name.lower() for each in EmitType)}", what)
    for name in _COSINES & fields.keys():
        if abs(float(changes.table(lump)[name][number])) > 1:
            raise FormatError(f"{name} is {fields[name]}, a cosine is -1 to 1", what)
    if "style" in fields and not 0 <= int(changes.table(lump)["style"][number]) < _STYLES:
        raise FormatError(f"style {fields['style']}, 0 to {_STYLES - 1} are allowed", what)
    texinfos = len(changes.level.table(LumpId.TEXINFO)) if "texinfo" in fields else 0
    if "texinfo" in fields and not -1 <= int(changes.table(lump)["texinfo"][number]) < texinfos:
        raise FormatError(f"texinfo {fields['texinfo']} isn't there, there are {texinfos}", what)
    clusters_there = _clusters(changes.level) if "cluster" in fields else 0
    if "cluster" in fields and not -1 <= int(changes.table(lump)["cluster"][number]) < clusters_there:
        raise FormatError(f"cluster {fields['cluster']} isn't there, there are {clusters_there}", what)


def _clusters(level: Level) -> int:
    """How many clusters a map has; one that vvis did not see tells by its leafs."""
    visibility = level.visibility
    return (
        visibility.clusters if visibility is not None else int(level.table(LumpId.LEAFS)["cluster"].max(initial=-1)) + 1
    )


def _check_falloff(light: np.void, what: str) -> None:
    """Raise FormatError for a light that would be divided by 0 everywhere, or at some distance."""
    attenuations = [float(light[name]) for name in _ATTENUATIONS]
    if int(light["type"]) in _FALLING and not (min(attenuations) >= 0 < max(attenuations)):
        raise FormatError(f"{', '.join(_ATTENUATIONS)} are {attenuations}: one has to be above 0, none below", what)


def _find_clusters(changes: Changes, lump: LumpId, numbers: Sequence[int]) -> None:
    if not numbers:
        return
    table = changes.table(lump)
    rows = list(numbers)
    places = table["origin"][rows].astype(np.float64)
    found = clusters(changes.level, LeafTree(changes.level).of_points(places))
    lost = (found < 0) & ~np.isin(table["type"][rows], _SKIES)
    if lost.any():
        number = rows[int(lost.argmax())]
        raise FormatError(f"lies within a wall or outside of the map: {places[lost][0].tolist()}", f"light {number}")
    table["cluster"][rows] = found
