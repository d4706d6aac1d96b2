# SPDX-License-Identifier: GPL-3.0-or-later
"""A tile layer as arrays, whichever way it lies in Blender: read once, changed cell by cell, in one edit.

What works on cells (stamps, automappers) goes through here: it neither knows faces nor pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import bpy
import numpy as np

from ....formats.arrays import Int32s, Integers, Ints
from ....formats.teeworlds.stamps import Rectangle
from ....formats.teeworlds.tile_faces import SNAP
from ...scene.geometry import meshes, transforms
from ...scene.kept.identity import ancestor
from ...scene.reports import SceneError
from .. import layout
from ..structure.parts import tile_kind
from .grid_faces import FaceStore
from .grid_pixels import PixelStore

Cells = Ints


class Store(Protocol):
    """Where the tiles of a layer lie."""

    values: dict[str, Int32s]
    """[h, w] each."""

    def put(self, cells: Cells) -> None:
        """Show what `values` now has in these cells."""

    def finish(self) -> None:
        """The edit is over."""

    def restore(self) -> None:
        """Give back what was there at first; `values` isn't used any more."""


class TileGrid:
    """The tiles of a layer, for one edit: `put` as often as wanted, then `finish` or `restore`."""

    def __init__(self, layer: bpy.types.Object) -> None:
        """Read a layer. Raises SceneError for what can't be edited cell by cell: see `refuse`."""
        kind = tile_kind(layer)
        if kind is None or layer.get(layout.STORAGE) == layout.KEPT:
            raise SceneError(f"{layer.name} isn't a layer of tiles that can be painted", [layer])
        refuse(layer)
        values, _ = layout.read_properties(layer, layout.TileLayerProperties)
        self.layer, self.kind = layer, kind
        self.shape = (values.height, values.width)
        """Height and width, in tiles."""
        self.offset = offset_of(layer)
        """Column and row of the cell at the object's origin."""
        plane = layer.get(layout.STORAGE) == layout.PLANE
        self._store: Store = (PixelStore if plane else FaceStore)(layer, kind, self.shape, self.offset)
        self._before: dict[str, Int32s] | None = None

    @property
    def values(self) -> Mapping[str, Int32s]:
        """What each cell shows, int32 [h, w] by attribute (TILE_FIELDS); index 0 is air. Change it by `put` alone."""
        return self._store.values

    def put(self, cells: Cells, values: Mapping[str, Integers | int]) -> None:
        """Change cells, at once. cells: int64 [k], row * width + column, each once.

        values: by attribute, one for all or [k]; what isn't given stays, and is 0 where there was air. Index 0 is air.
        """
        if not len(cells):
            return
        if self._before is None:
            self._before = {name: field.copy() for name, field in self._store.values.items()}
        index = self._store.values["index"].reshape(-1)
        air = np.broadcast_to(values.get("index", index[cells]), len(cells)) == 0
        changed = np.zeros(len(cells), np.bool_)
        for name, field in self._store.values.items():
            flat = field.reshape(-1)
            new = np.where(air, 0, np.broadcast_to(values.get(name, flat[cells]), len(cells))).astype(np.int32)
            changed |= flat[cells] != new
            flat[cells] = new
        if changed.any():
            self._store.put(cells[changed])

    def undo(self, cells: Cells) -> None:
        """Put into cells what was there before the edit."""
        if self._before is not None:
            self.put(cells, {name: field.reshape(-1)[cells] for name, field in self._before.items()})

    def changed(self) -> Rectangle | None:
        """The smallest rectangle with all cells that differ from what was there at first; None where none does."""
        if self._before is None:
            return None
        differs = np.zeros(self.shape, np.bool_)
        for name, field in self._before.items():
            differs |= field != self._store.values[name]
        rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
        if not len(rows):
            return None
        x, y = int(columns[0]), int(rows[0])
        return x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1

    def finish(self) -> bool:
        """End the edit; False: nothing differs from what was there at first, and the scene is as it was."""
        if self.changed() is None:
            self.restore()
            return False
        self._store.finish()
        return True

    def restore(self) -> None:
        """End the edit, and give back what was there at first."""
        self._store.restore()
        if self._before is not None:
            self._store.values = self._before


def refuse(layer: bpy.types.Object) -> None:
    """Raise SceneError for a layer that is in edit mode, has modifiers, or is linked from another file."""
    if layer.mode != "OBJECT":
        raise SceneError(f"{layer.name} is in edit mode: tiles are painted in object mode", [layer])
    if layer.library or (layer.data is not None and layer.data.library):
        raise SceneError(f"{layer.name} is linked from another file: Object > Relations > Make Local", [layer])
    if meshes.needs_evaluation(layer):
        raise SceneError(f"{layer.name} has modifiers or shape keys: apply them to paint tiles", [layer])


def offset_of(layer: bpy.types.Object) -> tuple[int, int]:
    """Column and row of the cell whose top left corner is the layer object's origin.

    Raises SceneError for a layer that is turned, scaled or off the grid.
    """
    above = ancestor(layer, layout.GROUP)
    matrix = transforms.compose(layer, above) if above is not None else np.eye(4)
    place = matrix[:2, 3]
    straight = np.abs(matrix[:2, :2] - np.eye(2)).max() <= SNAP / 1024 and np.abs(matrix[:2, 2]).max() <= SNAP
    if not straight or np.abs(place - np.rint(place)).max() > SNAP:
        raise SceneError(
            f"{layer.name} is turned, scaled or off the grid: apply its transforms to paint tiles", [layer]
        )
    return int(np.rint(place[0])), -int(np.rint(place[1]))
