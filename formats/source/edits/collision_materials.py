# SPDX-License-Identifier: GPL-3.0-or-later
"""What the triangles of the world's hulls are made of: rows of the `materialtable` in its text (source.md §2.8).

A triangle has the material of the brush side that it lies on, which is that of the side's texture. The textures' files
say which; what compilers made of those that the map has hulls of is there to be read.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from ..collision.physcollide_surface import MATERIAL, MOST_MATERIALS, Hull, Ledges
from ..lumps import LumpId
from .changes import Changes

_USUAL = "default"
"""The material of a texture that doesn't say one."""
_ENOUGH = 64
"""Triangles of a texture that tell its material: of some, vphysics has merged what was of two sides."""
_TABLE = re.compile(r"materialtable\s*\{([^{}]*)\}")
_ROW = re.compile(r'"([^"]*)"\s*"(\d+)"')


@dataclass(slots=True, eq=False)
class Materials:
    """The materials of textures."""

    changes: Changes
    text: str
    """The key-values of the world's collision."""
    known: Sequence[Ledges]
    """The hulls that the map has."""

    def given(self, hulls: Sequence[Hull]) -> list[Hull]:
        """Hulls with the materials that their brushes' sides now have; the text gets a row where one is missing."""
        if not hulls:
            return []
        textures = [_textures(hull, self.changes.table) for hull in hulls]
        wanted = np.unique(np.concatenate([np.zeros(0, np.int64), *textures]))
        known = self._known(wanted)
        made = []
        for hull, own in zip(hulls, textures, strict=True):
            rows = [known[texture] if texture in known else self.usual() for texture in own.tolist()]
            made.append(replace(hull, materials=np.array(rows, np.int64)))
        return made

    def renewed(self, hulls: Ledges, which: Ints) -> Ledges:
        """Hulls of which some, int64[k], get the materials that their brushes' sides now have; if these are what they
        were, the very same ones.
        """
        words, first = hulls.words.copy(), ranges.starts(hulls.counts)
        for number, hull in zip(which.tolist(), self.given([hulls.hull(n) for n in which.tolist()]), strict=True):
            part = slice(int(first[number]), int(first[number + 1]))
            words[part] = words[part] & ~(MOST_MATERIALS << MATERIAL) | _materials(hull) << MATERIAL
        return hulls if np.array_equal(words, hulls.words) else replace(hulls, words=words)

    def _hulls_of(self, having: Bools) -> Iterator[Hull]:
        """The hulls that the map came with of some brushes, bool[brushes]."""
        for own in self.known:
            there = (own.brushes >= 0) & (own.brushes < len(having))
            there[there] = having[own.brushes[there]]
            for number in np.flatnonzero(there).tolist():
                yield own.hull(number)

    def _known(self, wanted: Ints) -> dict[int, int]:
        """The materials of textures int64[n] that hulls have already: of several, what most of their triangles have."""
        tables = self.changes.level.table
        sides, brushes = tables(LumpId.BRUSHSIDES), tables(LumpId.BRUSHES)
        counts = brushes["numsides"].astype(np.int64)
        there = np.isin(_texdata(sides, tables(LumpId.TEXINFO)), wanted)[
            ranges.flat(brushes["firstside"].astype(np.int64), counts)
        ]
        having = np.bincount(ranges.owners(counts)[there], minlength=len(brushes)) > 0
        votes = {texture: np.zeros(MOST_MATERIALS + 1, np.int64) for texture in wanted.tolist()}
        for hull in self._hulls_of(having):
            textures = _textures(hull, tables)
            for texture in votes.keys() & set(textures.tolist()):
                votes[texture] += np.bincount(_materials(hull)[textures == texture], minlength=MOST_MATERIALS + 1)
            if all(many.sum() >= _ENOUGH for many in votes.values()):
                break
        return {texture: int(many.argmax()) for texture, many in votes.items() if many.any()}

    def usual(self) -> int:
        """The row of the material that textures have which say none; 0, none, where the table has no room for it."""
        table = _TABLE.search(self.text)
        rows = _ROW.findall(table[1]) if table is not None else []
        for name, number in rows:
            if name.lower() == _USUAL:
                return int(number)
        number = max((int(each) for _, each in rows), default=0) + 1
        if number > MOST_MATERIALS:
            return 0
        row = f'"{_USUAL}" "{number}"\n'
        if table is None:
            self.text += f"materialtable {{\n{row}}}\n"
        else:
            end = table.end() - 1
            self.text = self.text[:end] + row + self.text[end:]
        return number


def _texdata(sides: Records, texinfos: Records) -> Ints:
    """The texture of each side, int64[sides]; -1: none that is there."""
    numbers = sides["texinfo"].astype(np.int64)
    known = (numbers >= 0) & (numbers < len(texinfos))
    found = np.full(len(sides), -1, np.int64)
    found[known] = texinfos["texdata"][numbers[known]]
    return found


def _textures(hull: Hull, tables: Callable[[int], Records]) -> Ints:
    """The texture of the side that each triangle of a hull lies on: int64[t], -1: none that is there."""
    brushes, sides, planes, texinfos = (
        tables(lump) for lump in (LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.PLANES, LumpId.TEXINFO)
    )
    first = int(brushes["firstside"][hull.brush])
    own = sides[first : first + int(brushes["numsides"][hull.brush])]
    own = own[(own["bevel"] == 0) & (own["planenum"] < len(planes))]
    if not len(own):
        return np.full(len(hull.triangles), -1, np.int64)
    facing = _normals(hull) @ planes["normal"][own["planenum"]].astype(np.float64).T
    return np.asarray(_texdata(own, texinfos)[facing.argmax(axis=1)])


def _materials(hull: Hull) -> Ints:
    """Those of its triangles, int64[t]."""
    return np.zeros(len(hull.triangles), np.int64) if hull.materials is None else hull.materials


def _normals(hull: Hull) -> Floats:
    """Out of each triangle, float64[t, 3], as long as twice its area."""
    a, b, c = (hull.points[hull.triangles[:, corner]] for corner in range(3))
    return np.asarray(np.cross(b - a, c - a))
