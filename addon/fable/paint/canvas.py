# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting on cells: flags, themes, atmospheres and sounds, by a brush or on what is selected.

Flags and sounds are set, themes and atmospheres blended: what was painted gets its share, the others keep what is left
in their proportion, and of more than three the weakest goes; so that painting never makes a cell that can't be. Theme
slots and weight layers are written both, as `layout` has it.
"""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.fable import strengths, theme_resolution
from ....formats.fable import theme_weights as weights
from ....formats.fable.records import CELL, GAME_CELL, PALETTE_SLOTS
from ...scene import attributes, vertex_groups
from ...scene.reports import SceneError
from .. import layout
from ..cells import Ints
from ..palettes import lists as palettes
from ..terrain import materials, overlays

Amounts = NDArray[np.float64]


class Canvas:
    """What is painted on, during a stroke: the level's terrain or game map, in object mode.

    Its elements (vertices or faces) have `places`, float64[n, 2]: where the cells' middles are below the level's root.
    """

    def __init__(self, context: bpy.types.Context, level: bpy.types.Collection, target: str, name: str = "") -> None:
        """Begin to paint. target: a flag, "theme", "atmosphere" or "sound"; name: which one, "" for no sound.

        Raises SceneError where there is nothing to paint on, or nothing of this name.
        """
        kind = layout.GAME_MAP if target in ("atmosphere", "sound") else layout.TERRAIN
        obj = layout.object_of(level, kind)
        if obj is None or not isinstance(obj.data, bpy.types.Mesh):
            raise SceneError(f"{level.name} has no {'game map' if kind == layout.GAME_MAP else 'terrain'} to paint on")
        if obj.data.is_editmode:
            raise SceneError(f"{obj.name} is in edit mode", [obj])
        self.context, self.level, self.object, self.target = context, level, obj, target
        self.mesh: Any = obj.data
        self.places = _places(self.mesh, kind)
        names = palettes.read(level)
        self._blend: _Blend | None = None
        self._value = 1
        if target == "theme":
            self._blend = _Themes(context, obj, names, _slot(names.themes, name, target))
        elif target == "atmosphere":
            self._blend = _Blend(obj, GAME_CELL, "FACE", "atmosphere", _slot(names.atmospheres, name, target))
        elif target == "sound":
            if name and name not in names.sounds:
                raise SceneError(f"the level has no sound {name!r}")
            self._value = names.sounds.index(name) + 1 if name else 0
        elif target not in layout.FLAGS:
            raise SceneError(f"{target!r} is nothing to paint")

    def near(self, x: float, y: float, radius: float) -> tuple[Ints, Amounts]:
        """The elements within a radius (or the nearest one), and how near they are: 1 in the middle, 0 at the rim."""
        distance = np.hypot(self.places[:, 0] - x, self.places[:, 1] - y)
        found = np.flatnonzero(distance < radius)
        if not len(found) and len(distance) and distance.min() < layout.CELLS_A_GAME_CELL:
            found = np.array([distance.argmin()])
            return found, np.ones(len(found))
        return found, (1 - (distance[found] / radius) ** 2) ** 2

    def paint(self, elements: Ints, amounts: Amounts, erase: bool = False) -> None:
        """Paint elements, or take away from them. amounts: 0..1 each, for what is blended; flags are wholly set."""
        if not len(elements):
            return
        if self._blend is not None:
            self._blend.paint(elements, amounts, erase)
            return
        values = attributes.read(self.mesh, self.target)
        if values is None:
            raise SceneError(f"{self.object.name} has lost its attribute {self.target}", [self.object])
        if self.target == "sound":
            values[elements] = 0 if erase else self._value
        else:
            values[elements] = not erase
        attribute = self.mesh.attributes[self.target]
        attributes.write(self.mesh, self.target, attribute.domain, attribute.data_type, values)
        self.mesh.update()

    def finish(self) -> None:
        """End the stroke: what is drawn over the ground follows."""
        shown = overlays.shown(self.level)
        if shown == self.target and shown in ("sound", "atmosphere"):
            overlays.show(self.level, shown)


class _Blend:
    """Three slots and two strengths of each element, held in its attributes."""

    def __init__(self, obj: bpy.types.Object, dtype: np.dtype[np.void], domain: str, prefix: str, slot: int) -> None:
        self.object, self.prefix, self.slot = obj, prefix, slot
        self.mesh = cast(Any, obj.data)
        count = len(self.mesh.vertices if domain == "POINT" else self.mesh.polygons)
        self.records = np.zeros(count, dtype)
        for name, part in self._attributes():
            values = attributes.read(self.mesh, name)
            if values is None:
                raise SceneError(f"{obj.name} has lost its attribute {name}", [obj])
            part[:] = np.clip(values, 0, 0xFF)

    def _attributes(self) -> list[tuple[str, NDArray[np.uint8]]]:
        """The attributes and the parts of `records` that they are."""
        slots = [(f"{self.prefix}_{n + 1}", self.records["themes"][:, n]) for n in range(3)]
        return [*slots, *((f"strength_{n + 1}", self.records["strengths"][:, n]) for n in range(2))]

    def shares(self, elements: Ints) -> NDArray[np.float64]:
        """What of each slot elements have, [elements, 256], 1 in all; slot 0 has none."""
        some = self.records[elements]
        found = np.zeros((len(elements), PALETTE_SLOTS))
        np.add.at(found, (np.arange(len(elements))[:, None], some["themes"]), np.maximum(strengths(some), 0) / 255)
        found[:, 0] = 0
        return found

    def paint(self, elements: Ints, amounts: Amounts, erase: bool) -> None:
        """Blend the slot into elements, or out of them."""
        shares = self.shares(elements)
        own = shares[:, self.slot]
        goal = own * (1 - amounts) if erase else own + (1 - own) * amounts
        others = np.delete(shares, self.slot, axis=1).sum(axis=1)
        scale = np.divide(1 - goal, others, out=np.zeros_like(others), where=others > 0)
        shares *= scale[:, None]
        shares[:, self.slot] = goal
        able = (shares.sum(axis=1) > 0) & ~(erase & (others == 0))  # the only one can't be taken away
        elements, shares = elements[able], shares[able]
        if not len(elements):
            return
        there = np.flatnonzero(shares.any(axis=0))
        theme_of = np.full(PALETTE_SLOTS, theme_resolution.NONE)
        theme_of[there] = np.arange(len(there))
        made = theme_resolution.resolve(
            shares[:, there],
            np.ones((len(elements), len(there)), np.bool_),
            self.records["themes"][elements],
            theme_of,
            there.astype(np.uint8),
            sums="fit",
            fourth="fit",
        )
        self.records["themes"][elements], self.records["strengths"][elements] = made.slots, made.strengths
        self.write(elements)

    def write(self, elements: Ints) -> None:
        """Give elements, which were changed, what the records have."""
        for name, part in self._attributes():
            values = attributes.read(self.mesh, name)
            if values is not None:
                values[elements] = part[elements]
                attribute = self.mesh.attributes[name]
                attributes.write(self.mesh, name, attribute.domain, attribute.data_type, values)
        self.mesh.update()


class _Themes(_Blend):
    """The ground's themes: attributes, weight layers and the colours that are shown."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object, names: palettes.Palettes, slot: int) -> None:
        super().__init__(obj, CELL, "POINT", "theme", slot)
        self.names = names
        self.layers = {slot: name for slot, name in enumerate(names.layers()) if name}
        plain = bpy.data.objects.new("levelwright plain", self.mesh)  # the weights as painted: without any modifiers
        try:
            found = dict(vertex_groups.read(context, plain, names=list(self.layers.values())))
        finally:
            bpy.data.objects.remove(plain)
        empty = np.zeros(len(self.records), np.float32)
        self.weights = {slot: found.get(name, empty.copy()) for slot, name in self.layers.items()}
        self.rows = {slot: _row(values) for slot, values in self.weights.items()}

    def shares(self, elements: Ints) -> NDArray[np.float64]:
        """As the weight layers have them, which may be newer than the attributes."""
        found = np.zeros((len(elements), PALETTE_SLOTS))
        for slot, values in self.weights.items():
            found[:, slot] = values[elements]
        return found

    def write(self, elements: Ints) -> None:
        """Write attributes, weights and colours."""
        super().write(elements)
        now = np.rint(super().shares(elements) * weights.FULL).astype(np.uint8)
        groups: Any = self.object.vertex_groups
        for slot, name in self.layers.items():
            values, amounts = self.weights[slot], now[:, slot]
            changed = np.flatnonzero(np.rint(values[elements] * weights.FULL) != amounts)
            if not len(changed):
                continue
            group = groups.get(name) or groups.new(name=name)
            for amount in np.unique(amounts[changed]).tolist():
                vertices = elements[changed[amounts[changed] == amount]].tolist()
                if amount:
                    group.add(vertices, amount / weights.FULL, "REPLACE")
                else:
                    group.remove(vertices)
            values[elements[changed]] = amounts[changed] / np.float32(weights.FULL)
            self.rows[slot] = _row(values)
        materials.color(
            self.mesh, self.names, weights.of_layers((slot, *row) for slot, row in self.rows.items() if len(row[1]))
        )


def _row(values: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The weights of a layer that there are, 1..255, and of which vertices."""
    whole = np.rint(np.clip(values, 0, 1) * weights.FULL).astype(np.uint8)
    found = np.flatnonzero(whole)
    return whole[found], found


def _slot(names: list[str], name: str, what: str) -> int:
    if not name or name not in names:
        raise SceneError(f"the level has no {what} {name!r}: choose one in the sidebar's list")
    return names.index(name)


def _places(mesh: Any, kind: str) -> NDArray[np.float64]:
    """Where the cells' middles are, [n, 2]: of vertices their places, of faces the middles of their corners."""
    points = attributes.read(mesh, "position")
    if points is None:
        return np.zeros((0, 2))
    if kind == layout.TERRAIN:
        return points[:, :2].astype(np.float64)
    corners = attributes.read(mesh, ".corner_vert")
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    if corners is None or not len(starts):
        return np.zeros((0, 2))
    sizes = np.diff(starts, append=np.int32(len(corners)))
    middles: NDArray[np.float64] = np.add.reduceat(points[corners, :2].astype(np.float64), starts) / sizes[:, None]
    return middles


def selected(canvas: Canvas, context: bpy.types.Context) -> Ints:
    """The elements of a canvas that are selected; of the game map also those under what is selected of the terrain."""
    active = context.active_object
    if canvas.target in ("atmosphere", "sound") and active != canvas.object:
        terrain = layout.object_of(canvas.level, layout.TERRAIN)
        if terrain is None or active != terrain:
            return np.zeros(0, np.intp)
        places = _places(terrain.data, layout.TERRAIN)[_flags(terrain.data, "vertices")]
        edge = layout.CELLS_A_GAME_CELL
        wanted = {(int(x), int(y)) for x, y in np.unique(np.floor(places / edge), axis=0).tolist()}
        own = np.floor(canvas.places / edge).astype(int).tolist()
        return np.flatnonzero(np.array([(x, y) in wanted for x, y in own], np.bool_))
    return np.flatnonzero(_flags(canvas.mesh, "polygons" if canvas.target in ("atmosphere", "sound") else "vertices"))


def _flags(mesh: Any, elements: str) -> NDArray[np.bool_]:
    sequence = getattr(mesh, elements)
    found = np.zeros(len(sequence), np.bool_)
    sequence.foreach_get("select", found)
    return found
