# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting on cells: flags, themes, atmospheres and sounds, by a brush or on what is selected.

Flags and sounds are set, themes and atmospheres blended: what was painted gets its share, the others keep what is left
in their proportion, and of more than three the weakest goes; so that painting never makes a cell that can't be. Theme
slots and weight layers are written both, as `layout` has it.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Array, Bools, Bytes, Floats, Indices, Records
from ....formats.fable import strengths, theme_resolution, theme_weights
from ....formats.fable.records import CELL, GAME_CELL, PALETTE_SLOTS
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import vertex_groups
from ...scene.level import first_of
from ...scene.reports import SceneError
from .. import layout
from ..palettes import lists
from ..terrain import materials, overlays

Amounts = Floats
_Dab = tuple[Indices, Records, dict[int, Amounts]]
"""What cells had before they were painted: the cells, their records, and their weights by slot."""


class Canvas:
    """What is painted on, during a stroke: the level's terrain or game map, in object mode.

    Its cells are vertices of the terrain, or faces of the game map. `middles`, float64[n, 2], are where they lie, below
    the level's root.
    """

    def __init__(self, context: bpy.types.Context, level: bpy.types.Collection, target: str, name: str = "") -> None:
        """Begin to paint. target: a flag, "theme", "atmosphere" or "sound"; name: which one, "" for no sound.

        Raises SceneError where there is nothing to paint on, or nothing of this name.
        """
        kind = layout.GAME_MAP if target in ("atmosphere", "sound") else layout.TERRAIN
        obj = first_of(level, kind)
        if obj is None or not isinstance(obj.data, bpy.types.Mesh):
            raise SceneError(f"{level.name} has no {'game map' if kind == layout.GAME_MAP else 'terrain'} to paint on")
        if obj.data.is_editmode:
            raise SceneError(f"{obj.name} is in edit mode", [obj])
        self.context, self.level, self.object, self.target = context, level, obj, target
        self.mesh = obj.data
        self.middles = _middles(self.mesh, kind)
        names = lists.get(level)
        self.painted = False
        """Whether any cell was changed."""
        self._blend: _Blend | None = None
        self._before: Array | None = None
        self._value = 1
        if target == "theme":
            self._blend = Themes(context, obj, names, _slot(names.themes, name, target))
        elif target == "atmosphere":
            self._blend = _Blend(obj, GAME_CELL, "FACE", "atmosphere", _slot(names.atmospheres, name, target))
        elif target == "sound":
            if name and name not in names.sounds:
                raise SceneError(f"the level has no sound {name!r}")
            self._value = names.sounds.index(name) + 1 if name else 0
        elif target not in layout.FLAGS:
            raise SceneError(f"{target!r} can't be painted")

    def near(self, x: float, y: float, radius: float) -> tuple[Indices, Amounts]:
        """The cells within a radius (or the nearest one), int[k], and how near they are, [k]: 1 in the middle, 0 at the
        rim.
        """
        distance = np.hypot(self.middles[:, 0] - x, self.middles[:, 1] - y)
        found = np.flatnonzero(distance < radius)
        if not len(found) and len(distance) and distance.min() < layout.CELLS_A_GAME_CELL:
            found = np.array([distance.argmin()])
            return found, np.ones(len(found))
        return found, (1 - (distance[found] / radius) ** 2) ** 2

    def paint(self, cells: Indices, amounts: Amounts, erase: bool = False) -> None:
        """Paint cells, or take away from them. amounts: 0 to 1 each, for what is blended; flags are wholly set."""
        if not len(cells):
            return
        self.painted = True
        if self._blend is not None:
            self._blend.paint(cells, amounts, erase)
            return
        values = attributes.read(self.mesh, self.target)
        if values is None:
            raise SceneError(f"{self.object.name} has lost its attribute {self.target}", [self.object])
        if self._before is None:
            self._before = values.copy()
        if self.target == "sound":
            values[cells] = 0 if erase else self._value
        else:
            values[cells] = not erase
        self._write(values)

    def _write(self, values: Array) -> None:
        attributes.rewrite(self.mesh, self.target, values)
        self.mesh.update()

    def restore(self) -> None:
        """Give the cells back what they had before the stroke."""
        if self._blend is not None:
            self._blend.restore()
        elif self._before is not None:
            self._write(self._before)
        self.painted = False

    def show(self) -> None:
        """Let what is drawn over the ground follow."""
        if overlays.shown(self.level) == ("themes" if self.target == "theme" else self.target):
            overlays.show_solid(self.level)

    def finish(self) -> None:
        """End the stroke: the overlay over the ground follows."""
        shown = overlays.shown(self.level)
        if shown == self.target and shown in ("sound", "atmosphere"):
            overlays.show(self.level, shown)
        self.show()


class _Blend:
    """Three slots and two strengths of each cell, held in its attributes."""

    def __init__(self, obj: bpy.types.Object, dtype: np.dtype[np.void], domain: str, prefix: str, slot: int) -> None:
        self.object, self.prefix, self.slot = obj, prefix, slot
        data = mesh_of(obj)
        self.mesh: bpy.types.Mesh = data
        count = len(self.mesh.vertices if domain == "POINT" else self.mesh.polygons)
        self.records = np.zeros(count, dtype)
        self.log: list[_Dab] = []
        for name, part in self._attributes():
            values = attributes.read(self.mesh, name)
            if values is None:
                raise SceneError(f"{obj.name} has lost its attribute {name}", [obj])
            part[:] = np.clip(values, 0, 0xFF)

    def _attributes(self) -> list[tuple[str, Bytes]]:
        """The attributes and the parts of `records` that they are."""
        slots = [(f"{self.prefix}_{n + 1}", self.records["themes"][:, n]) for n in range(3)]
        return [*slots, *((f"strength_{n + 1}", self.records["strengths"][:, n]) for n in range(2))]

    def shares(self, cells: Indices) -> Floats:
        """What of each slot cells have, [cells, 256], 1 in all; slot 0 has none."""
        some = self.records[cells]
        found = np.zeros((len(cells), PALETTE_SLOTS))
        np.add.at(found, (np.arange(len(cells))[:, None], some["themes"]), np.maximum(strengths(some), 0) / 255)
        found[:, 0] = 0
        return found

    def paint(self, cells: Indices, amounts: Amounts, erase: bool) -> None:
        """Blend the slot into cells, or out of them."""
        shares, able = theme_resolution.paint(self.shares(cells), self.slot, amounts, erase)
        cells, shares = cells[able], shares[able]
        if len(cells):
            self.put(cells, shares)

    def put(self, cells: Indices, shares: Amounts) -> None:
        """Give cells these shares of each slot, [cells, 256], of which three at most aren't 0."""
        self.log.append((cells, self.records[cells], self.weights_of(cells)))
        there = np.flatnonzero(shares.any(axis=0))
        theme_of = np.full(PALETTE_SLOTS, theme_resolution.NONE)
        theme_of[there] = np.arange(len(there))
        made = theme_resolution.resolve(
            shares[:, there],
            np.ones((len(cells), len(there)), np.bool_),
            self.records["themes"][cells],
            theme_of,
            there.astype(np.uint8),
            sums="fit",
            fourth="fit",
        )
        self.records["themes"][cells], self.records["strengths"][cells] = made.slots, made.strengths
        self.write(cells)

    def weights_of(self, _cells: Indices) -> dict[int, Amounts]:
        """The weight of cells in each layer, by slot; none where there are no layers."""
        return {}

    def restore(self) -> None:
        """Take all dabs back, the last first."""
        while self.log:
            cells, records, weights = self.log.pop()
            self.records[cells] = records
            self.give_back(cells, weights)

    def give_back(self, cells: Indices, _weights: dict[int, Amounts]) -> None:
        """Give cells what the records have, and their layers these weights."""
        self.write(cells)

    def write(self, cells: Indices) -> None:
        """Give cells, which were changed, what the records have."""
        for name, part in self._attributes():
            values = attributes.read(self.mesh, name)
            if values is not None:
                values[cells] = part[cells]
                attributes.rewrite(self.mesh, name, values)
        self.mesh.update()


class Themes(_Blend):
    """The ground's themes: attributes, weight layers and the colours that are shown."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object, names: lists.Palettes, slot: int) -> None:
        super().__init__(obj, CELL, "POINT", "theme", slot)
        self.names = names
        self.layers = {slot: name for slot, name in enumerate(names.layers()) if name}
        unmodified = bpy.data.objects.new("levelwright unmodified", self.mesh)  # the weights as they were painted
        try:
            found = dict(vertex_groups.read(context, unmodified, names=list(self.layers.values())))
        finally:
            bpy.data.objects.remove(unmodified)
        empty = np.zeros(len(self.records), np.float32)
        self.weights = {slot: found.get(name, empty.copy()) for slot, name in self.layers.items()}
        self.rows = {slot: theme_weights.of_values(values) for slot, values in self.weights.items()}

    def shares(self, cells: Indices) -> Floats:
        """As the weight layers have them, which may be newer than the attributes."""
        found = np.zeros((len(cells), PALETTE_SLOTS))
        for slot, values in self.weights.items():
            found[:, slot] = values[cells]
        return found

    def weights_of(self, cells: Indices) -> dict[int, Amounts]:
        """As they were painted."""
        return {slot: values[cells].astype(np.float64) for slot, values in self.weights.items()}

    def write(self, cells: Indices) -> None:
        """Write attributes, weights and colours."""
        super().write(cells)
        now = np.rint(super().shares(cells) * theme_weights.FULL)
        amounts = {slot: now[:, slot] / theme_weights.FULL for slot in self.layers}
        was = {slot: np.rint(values[cells] * theme_weights.FULL) for slot, values in self.weights.items()}
        self._put(cells, amounts, {slot: was[slot] != now[:, slot] for slot in self.layers})

    def give_back(self, cells: Indices, weights: dict[int, Amounts]) -> None:
        """Likewise, with the weights as they were painted."""
        super().write(cells)
        self._put(cells, weights, {slot: self.weights[slot][cells] != weights[slot] for slot in self.layers})

    def _put(self, cells: Indices, weights: dict[int, Amounts], differ: dict[int, Bools]) -> None:
        """Give cells weights, by slot, where they differ; and the colours that follow."""
        groups = self.object.vertex_groups
        for slot, name in self.layers.items():
            values = self.weights[slot]
            amounts = weights[slot].astype(np.float32)
            changed = np.flatnonzero(differ[slot])
            if not len(changed):
                continue
            group = groups.get(name) or groups.new(name=name)
            for amount in np.unique(amounts[changed]).tolist():
                vertices = cells[changed[amounts[changed] == np.float32(amount)]].tolist()
                if amount:
                    group.add(vertices, amount, "REPLACE")
                else:
                    group.remove(vertices)
            values[cells[changed]] = amounts[changed]
            self.rows[slot] = theme_weights.of_values(values)
        blend = theme_weights.of_layers((slot, *row) for slot, row in self.rows.items() if len(row[1]))
        materials.color(self.mesh, self.names, blend)


def _slot(names: list[str], name: str, what: str) -> int:
    if not name or name not in names:
        raise SceneError(f"the level has no {what} {name!r}: choose one in the sidebar's list")
    return names.index(name)


def _middles(mesh: bpy.types.Mesh, kind: str) -> Floats:
    """Where the cells' middles are, [n, 2]: of vertices their places, of faces the middles of their corners."""
    points = attributes.read(mesh, "position")
    if points is None:
        return np.zeros((0, 2))
    if kind == layout.TERRAIN:
        return points[:, :2].astype(np.float64)
    corners = attributes.read(mesh, ".corner_vert")
    starts = attributes.face_starts(mesh)
    if corners is None or not len(starts):
        return np.zeros((0, 2))
    sizes = np.diff(starts, append=np.int32(len(corners)))
    middles: Floats = np.add.reduceat(points[corners, :2].astype(np.float64), starts) / sizes[:, None]
    return middles


def selected(canvas: Canvas, context: bpy.types.Context) -> Indices:
    """The cells of a canvas that are selected, int[k]; of the game map also those over selected ones of the terrain."""
    active = context.active_object
    if canvas.target in ("atmosphere", "sound") and active != canvas.object:
        terrain = first_of(canvas.level, layout.TERRAIN)
        if terrain is None or active != terrain:
            return np.zeros(0, np.intp)
        ground = mesh_of(terrain)
        middles = _middles(ground, layout.TERRAIN)[_selection(ground, "vertices")]
        edge = layout.CELLS_A_GAME_CELL
        wanted = {(int(x), int(y)) for x, y in np.unique(np.floor(middles / edge), axis=0).tolist()}
        own = np.floor(canvas.middles / edge).astype(int).tolist()
        return np.flatnonzero(np.array([(x, y) in wanted for x, y in own], np.bool_))
    domain = "polygons" if canvas.target in ("atmosphere", "sound") else "vertices"
    return np.flatnonzero(_selection(canvas.mesh, domain))


def _selection(mesh: bpy.types.Mesh, domain: str) -> Bools:
    sequence = getattr(mesh, domain)
    found = np.zeros(len(sequence), np.bool_)
    sequence.foreach_get("select", found)
    return found
