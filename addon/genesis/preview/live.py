# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts and hollows of a `.3dt` shown by Boolean modifiers: the hole follows the cut, while it is moved or reshaped.

Each brush that is cut gets an object on top of it that shares its mesh and has a modifier for each cut that takes
something away from it: those behind it in the level, of the same model (see `formats.genesis.csg`), that stand near it.
The brush itself has no modifier, so that an export knows nothing of it. What the compiler gets is the other preview:
this one keeps brushes whole that the editor splits into convex parts, and makes the inner cut of a hollow brush as it
is shown, not as it will be made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.arrays import Floats
from ...scene.blender_types import expect, mesh_of
from ...scene.kept import identity, originals
from ...scene.kept.identity import kind_of
from ...scene.reports import Report, SceneError
from .. import layout
from ..parts.collect import collect_parts
from ..parts.level import SceneBrush
from ..parts.placement import matrix_of
from . import compiled

NEAR = 1.0
"""Of its own size: how far a cut may be moved before the preview has to be made again."""


@dataclass(frozen=True, eq=False)
class _Solid:
    """An object with a mesh, and the box that it fills in its model, below the root."""

    object: bpy.types.Object
    low: Floats
    high: Floats

    def is_near(self, cut: _Solid) -> bool:
        reach = NEAR * (cut.high - cut.low)
        return bool((cut.low - reach <= self.high).all() and (cut.high + reach >= self.low).all())


def build(collection: bpy.types.Collection, report: Report) -> None:
    """Show what cuts leave of a level's brushes, for as long as the preview is there. Raises SceneError."""
    info = originals.describe(collection)
    if info is None:
        raise SceneError(f"{collection.name} is not a level")
    compiled.remove(collection)
    found = collect_parts(collection, info.token, Report())
    solids = {id(brush): _solid(brush, found.root) for brush in found.all_brushes() if _has_mesh(brush)}
    cuts: dict[bpy.types.Object, list[_Solid]] = {}
    targets: dict[bpy.types.Object, _Solid] = {}
    for brush, cutters in [*_hollow_cuts(found.brushes), *_cuts(found.brushes)]:
        solid = solids.get(id(brush))
        near = [cut for one in cutters if (cut := solids.get(id(one))) is not None and solid and solid.is_near(cut)]
        if solid is not None and near:
            targets[solid.object] = solid
            cuts.setdefault(solid.object, []).extend(near)
    home = compiled.make_collection(collection)
    token = identity.Token(info.token)
    shown = [bpy.data.objects.new(f"{obj.name} cut", obj.data) for obj in targets]
    for obj, above in zip(shown, targets, strict=True):
        identity.stamp(obj, token, layout.PREVIEW, -1)
        obj.parent = above
        obj.hide_select = True
        obj.hide_viewport = above.hide_viewport
        for cut in dict.fromkeys(cuts[above]):
            modifier = expect(bpy.types.BooleanModifier, obj.modifiers.new(cut.object.name, "BOOLEAN"))
            modifier.operation, modifier.object = "DIFFERENCE", cut.object
            modifier.solver, modifier.material_mode = "EXACT", "TRANSFER"
            modifier.show_expanded = False
        home.objects.link(obj)
    compiled.show_as_wire(list(targets))
    report.count("brushes with live cuts", len(shown))


def _has_mesh(brush: SceneBrush) -> bool:
    return brush.children is None and brush.object.type == "MESH" and kind_of(brush.object) != layout.BRUSHES


def _solid(brush: SceneBrush, root: bpy.types.Object | None) -> _Solid:
    mesh = mesh_of(brush.object)
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    matrix = matrix_of(brush.object, root, None)
    positions = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return _Solid(brush.object, positions.min(axis=0, initial=np.inf), positions.max(axis=0, initial=-np.inf))


def _is(brush: SceneBrush, role: str) -> bool:
    return bool(brush.object.get(role))


def _leaves(brush: SceneBrush) -> list[SceneBrush]:
    return [brush] if brush.children is None else [leaf for child in brush.children for leaf in _leaves(child)]


def _hollow_cuts(brushes: list[SceneBrush]) -> Iterator[tuple[SceneBrush, list[SceneBrush]]]:
    """Brushes with the cuts inside hollow ones that cut them: those before them in their list."""
    for number, brush in enumerate(brushes):
        if _is(brush, "hidden"):
            continue
        if brush.children is not None:
            yield from _hollow_cuts(brush.children)
        if _is(brush, "hollow_cut"):
            for target in brushes[:number]:
                yield from ((leaf, [brush]) for leaf in _leaves(target) if not _is(leaf, "cut"))


def _cuts(brushes: list[SceneBrush]) -> Iterator[tuple[SceneBrush, list[SceneBrush]]]:
    """Brushes with the cuts behind them, of their model."""
    behind: list[tuple[SceneBrush, list[SceneBrush]]] = []
    for brush in reversed(brushes):
        if _is(brush, "cut"):
            parts = [leaf for leaf in _leaves(brush) if brush.children is None or not _is(leaf, "hollow_cut")]
            if not _is(brush, "hidden"):
                behind.append((brush, parts))
            continue
        cutters = [part for cut, parts in reversed(behind) if cut.model is brush.model for part in parts]
        yield from ((leaf, cutters) for leaf in _leaves(brush) if not _is(leaf, "cut"))
