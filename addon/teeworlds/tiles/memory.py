# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of strokes on a layer that is a mesh: had ready before they begin.

Of a stroke on a large layer, memory that the system has yet to hand out takes most of the time. A stroke's own, 24 MB
for 300,000 tiles, is kept for the next one, and let go with the file. As much again is the mesh's: Blender shares its
arrays with undo steps and with what is drawn, and copies them as soon as anybody reads them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import NamedTuple

import bpy
import numpy as np

from ....formats.arrays import Singles
from ...scene.blender_types import elements_of, persistent
from ...scene.registering import Both, called, in_turn

SPARE = 1 << 12
"""Corners that there is room for behind those of the layer: of the faces of new tiles."""


class Memory(NamedTuple):
    """Memory for one layer; what is in it means nothing."""

    positions: Singles
    """[>= corners + SPARE, 3]"""
    uvs: Singles
    """[>= corners + SPARE, 2]"""


_free: list[Memory] = []
"""What no stroke uses: one or none."""
_lent: list[weakref.ref[Singles]] = []
"""The positions of what strokes use now; others, which only read a layer, forget theirs."""


def prepare(mesh: bpy.types.Mesh, names: Iterable[str]) -> None:
    """Have ready what a stroke on a layer needs. names: of the attributes that it reads.

    Where all is ready, or a stroke runs, it takes no time. 300,000 tiles take 20 to 60 ms after a stroke or an import.
    """
    if any(positions() is not None for positions in _lent):
        return
    for name in names:
        held: bpy.types.Attribute | None = mesh.attributes.get(name)
        if held is not None and len(elements_of(held)):
            elements_of(held)[0]  # whoever asks for an element gets the mesh an array of its own
    if len(mesh.polygons):
        mesh.polygons[0]
    if not _free or len(_free[0].positions) < len(mesh.loops) + SPARE:
        made = _new(len(mesh.loops))
        for part in made:
            part.fill(0)  # or the system hands it out only when it is used
        give_back(made)


def take(mesh: bpy.types.Mesh) -> Memory:
    """Return memory for a layer; `give_back` it when the stroke is over."""
    corners = len(mesh.loops)
    fits = bool(_free) and len(_free[0].positions) >= corners + SPARE
    memory = _free.pop() if fits else _new(corners)
    _lent[:] = [*(one for one in _lent if one() is not None), weakref.ref(memory.positions)]
    return memory


def _new(corners: int) -> Memory:
    rows = corners + SPARE
    return Memory(np.empty((rows, 3), np.float32), np.empty((rows, 2), np.float32))


def give_back(memory: Memory) -> None:
    """Keep memory for the next stroke, if it is the largest."""
    _lent[:] = [one for one in _lent if one() is not None and one() is not memory.positions]
    if not _free or len(_free[0].positions) < len(memory.positions):
        _free[:] = [memory]


@persistent
def _let_go(*_: object) -> None:
    """Keep nothing. A handler of `load_pre`."""
    _free.clear()
    _lent.clear()


register, unregister = in_turn(called(bpy.app.handlers.load_pre, _let_go), Both(unregister=_let_go))
