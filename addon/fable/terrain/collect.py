# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain back to height cells: what was edited of each one, and nothing else.

Cells are found by the identity of their vertices and by their places. Heights, fields and flags are compared with the
record, weights with what the record's strengths make of them; only what differs is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from ....formats.arrays import Bools, Floats, Indices, Records, Singles
from ....formats.counting import number_of
from ....formats.fable import stored_heights, theme_resolution, theme_weights
from ....formats.fable.geometry import finite_heights
from ....formats.fable.records import HEIGHT_SCALE, PALETTE_SLOTS
from ...scene.geometry import meshes, transforms, vertex_groups
from ...scene.reports import Report, SceneError
from .. import layout
from ..cells import MeshCells, match_cells, refuse
from ..palettes.lists import Palettes
from ..settings import CLAMP_HINT, ExportSettings

NEAR = 1 / 256
"""How far beside its place a vertex may lie, units: what turning something there and back leaves."""
BLEND = ("themes", "strengths")
_AT_ONCE = 1 << 16
"""Cells whose weights are resolved at a time."""
TOP = np.nextafter(np.float32(HEIGHT_SCALE), np.float32(-np.inf))
"""The largest height there is."""


@dataclass
class Ground:
    """What the terrain's object makes of the cells."""

    cells: Records
    """CELL [rows, columns], a copy, as they are now."""
    edited: Counter[str] = field(default_factory=Counter)
    """How many of them got other heights, themes, ..."""

    def count(self, what: str, cells: Bools) -> None:
        """Note which cells were edited, if any: bool[cells]."""
        self.edited += Counter({what: int(np.count_nonzero(cells))})


class TerrainMesh:
    """A terrain's object at one moment. token: of its ids. depsgraph: holds the object if it must be evaluated."""

    def __init__(
        self,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        root: bpy.types.Object | None,
        token: int,
        settings: ExportSettings,
        depsgraph: bpy.types.Depsgraph | None,
        report: Report,
    ) -> None:
        self.context, self.object, self.token = context, obj, token
        self.settings, self.depsgraph, self.report = settings, depsgraph, report
        self._data = meshes.read(obj, depsgraph, [*layout.CELL_FIELDS, *layout.FLAGS])
        self._points = _moved(self._data.positions, transforms.seen(obj, root, depsgraph))

    def size(self) -> tuple[int, int]:
        """Rows and columns of cells that the vertices reach over, for a level that no file says the size of."""
        if not len(self._points):
            raise SceneError(f"{self.object.name}: it has no vertices", [self.object])
        with np.errstate(invalid="ignore"):
            most = np.rint(self._points[:, :2].max(axis=0))
        if not (np.abs(most) < 2**15).all():
            raise SceneError(f"{self.object.name}: its vertices are too far away", [self.object])
        return int(most[1]) + 1, int(most[0]) + 1

    def heights(self) -> Singles:
        """How high each cell lies, float32[rows, columns]. Raises SceneError where cells are missing, or moved."""
        shape = self.size()
        cells = self._cells(shape)
        made: Singles = self._points[cells.indices, 2].astype(np.float32).reshape(shape)
        return made

    def unknown_layers(self, layers: dict[str, int]) -> dict[str, Indices]:
        """The vertex groups that aren't weight layers, nothing that modifiers use, and have weights; which vertices."""
        others = [group.name for group in self.object.vertex_groups if group.name not in layers]
        used = {
            getattr(modifier, each.identifier)
            for modifier in self.object.modifiers
            for each in modifier.bl_rna.properties
            if each.type == "STRING"
        }
        wanted = [name for name in others if name not in used]
        found = vertex_groups.read(self.context, self.object, self.depsgraph, wanted) if wanted else ()
        return {name: np.flatnonzero(values) for name, values in found if values.any()}

    def selectable(self, points: Sequence[Indices]) -> dict[bpy.types.Object, Indices]:
        """Vertices as a SceneError has them; none where modifiers made them."""
        return {} if meshes.needs_evaluation(self.object) else {self.object: np.unique(np.concatenate(points))}

    def collect(self, cells: Records, names: Palettes, layers: dict[str, int], new: bool = False) -> Ground:
        """Return cells, CELL [rows, columns], with what was edited in the scene.

        names: the palettes as they'll be written. layers: the slot of each weight layer. new: the cells are no file's:
        attributes tell what there was before weights were painted. Raises SceneError, with the vertices at fault.
        """
        mesh = self._cells(cells.shape)
        ground = Ground(cells.copy())
        flat, before = ground.cells.reshape(-1), cells.reshape(-1)
        self._heights(mesh, flat, ground)
        if new:
            self._fields(mesh, flat, names, np.zeros(len(flat), np.bool_), ground)
            before = flat.copy()
        painted = self._themes(mesh, before, flat, layers)
        if not new:
            self._fields(mesh, flat, names, painted, ground)
        self._flags(mesh, flat, ground)
        ground.count(
            "themes", (flat["themes"] != before["themes"]).any(1) | (flat["strengths"] != before["strengths"]).any(1)
        )
        rows, columns = cells.shape
        if len(self._data.face_starts) != max(rows - 1, 0) * max(columns - 1, 0):
            self.report.warn(
                f"{self.object.name}: faces were added or deleted, which isn't written: cells are vertices"
            )
        unknown = int(np.count_nonzero(~mesh.known))
        if unknown:
            many = number_of(unknown, "vertices were")
            self.report.warn(
                f"{self.object.name}: {many} made anew: heights and weights are exported, "
                "flags and slots stay as they were there"
            )
        return ground

    # ---- where the cells are

    def _cells(self, shape: tuple[int, ...]) -> MeshCells:
        """Find the vertex of each cell. Raises SceneError unless every cell has one, in its place, and none is left."""
        rows, columns = shape
        ids = self._data.ids("POINT", self.token)
        ids[ids > rows * columns] = 0
        with np.errstate(invalid="ignore"):
            place = np.rint(self._points[:, :2])
            near = (np.abs(self._points[:, :2] - place) <= NEAR).all(axis=1)
            near &= ((place >= 0) & (place < (columns, rows))).all(axis=1)
        x, y = np.where(near[:, None], place, 0).astype(np.intp).T
        cells = np.where(near, y * columns + x, -1)
        if self.settings.snap:
            cells = np.where(ids > 0, ids - 1, cells)
        moved = (ids > 0) & (cells != ids - 1)
        indices, extra, missing = match_cells(np.where(moved, -1, cells), rows * columns)
        if len(extra) or len(missing):
            self._refuse_places(cells, moved, extra, missing, shape)
        return MeshCells(self.object, "POINT", self._data, ids, indices, self.report)

    def _refuse_places(
        self, cells: Indices, moved: Bools, extra: Indices, missing: Indices, shape: tuple[int, ...]
    ) -> None:
        """Say what is wrong with the vertices' places, and select them; of missing ones, those around."""
        columns = shape[1]
        sideways = np.flatnonzero(moved)
        double = np.setdiff1d(extra[cells[extra] >= 0], sideways)
        strange = np.setdiff1d(extra[cells[extra] < 0], sideways)
        parts = []
        for found, text in (
            (sideways, "moved sideways"),
            (double, "where another one is"),
            (strange, "not of a cell (added, merged or outside)"),
        ):
            if len(found):
                parts.append(f"{len(found)} {'vertex is' if len(found) == 1 else 'vertices are'} {text}")
        lost = np.setdiff1d(missing, self._data.ids("POINT", self.token)[sideways] - 1)
        if len(lost):
            y, x = divmod(int(lost[0]), columns)
            what = "cell has no vertex" if len(lost) == 1 else "cells have no vertex"
            parts.append(f"{len(lost)} {what}, the first at x {x}, y {y}")
        at = np.concatenate([sideways, double, strange, self._around(lost, cells, shape)])
        hint = "; the option Snap puts what was moved sideways back" if len(sideways) else ""
        refuse(self.object, "POINT", f"a level's cells stay where they are: {'; '.join(parts)}{hint}", np.unique(at))

    @staticmethod
    def _around(missing: Indices, cells: Indices, shape: tuple[int, ...]) -> Indices:
        """The vertices beside cells that have none."""
        gone = np.zeros((shape[0] + 2, shape[1] + 2), np.bool_)
        y, x = np.divmod(missing, shape[1])
        for down in range(3):
            for right in range(3):
                gone[y + down, x + right] = True
        return np.flatnonzero((cells >= 0) & gone[1:-1, 1:-1].reshape(-1)[cells])

    # ---- what was edited

    def _heights(self, mesh: MeshCells, flat: Records, ground: Ground) -> None:
        z = self._points[mesh.indices, 2].astype(np.float32)
        edited = z != finite_heights(flat)
        mesh.refuse("a height is NaN", np.isnan(z))
        wrong = edited & ~((z >= 0) & (z <= TOP))
        if self.settings.clamp:
            z = np.clip(z, 0, TOP)
            wrong[:] = False
        mesh.refuse(f"a height isn't at least 0 and less than {HEIGHT_SCALE:g}", wrong, CLAMP_HINT)
        flat["height"][edited] = stored_heights(z[edited])
        ground.count("heights", edited)

    def _themes(self, mesh: MeshCells, before: Records, flat: Records, layers: dict[str, int]) -> Bools:
        """Resolve the cells whose weights were painted; returns which."""
        painted = np.zeros(len(flat), np.bool_)
        found, touched = self._weights(mesh, before, layers)
        if not found:
            return painted
        for hit in touched.values():
            painted |= hit
        rows = np.flatnonzero(painted)
        if not len(rows):
            return painted
        slots = np.array(sorted(found), np.uint8)
        theme_of = np.full(PALETTE_SLOTS, theme_resolution.NONE)
        theme_of[slots] = np.arange(len(slots))
        lost = 0
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            try:
                made = theme_resolution.resolve(
                    np.stack([found[slot][some] for slot in slots.tolist()], axis=1),
                    np.stack([touched[slot][some] for slot in slots.tolist()], axis=1),
                    before["themes"][some],
                    theme_of,
                    slots,
                    sums="fit" if self.settings.clamp else "refuse",
                    fourth="fit" if self.settings.drop_themes else "refuse",
                )
            except theme_resolution.BlendError as error:
                cells = np.zeros(len(flat), np.bool_)
                cells[some[error.cells]] = True
                mesh.refuse(f"{error.message} were painted there", cells, _hint(error.message))
                raise
            flat["themes"][some], flat["strengths"][some] = made.slots, made.strengths
            lost += int(np.count_nonzero(made.reduced))
        if lost:
            self.report.left_out("fourth themes of cells", lost)
        return painted

    def _weights(
        self, mesh: MeshCells, before: Records, layers: dict[str, int]
    ) -> tuple[dict[int, Singles], dict[int, Bools]]:
        """The weights of cells in the layers where there are any, by slot, and which were painted: [cells] each.

        A layer that isn't there any more has no weights. Without any layer there is nothing to read.
        """
        slots = list(layers.values())
        has_layer = np.zeros(PALETTE_SLOTS, np.bool_)
        has_layer[slots] = True
        original = theme_weights.of_cells(before, has_layer)
        starts = np.searchsorted(original.slots, np.arange(PALETTE_SLOTS + 1))
        found: dict[int, Singles] = {}
        touched: dict[int, Bools] = {}
        total = np.zeros(len(before), np.float32)

        def keep(slot: int, now: Singles) -> None:
            was = np.zeros(len(before), np.uint8)
            part = slice(starts[slot], starts[slot + 1])
            was[original.cells[part]] = original.weights[part]
            hit = np.rint(now * theme_weights.FULL) != was
            if was.any() or hit.any():
                found[slot], touched[slot] = np.where(hit, now, was / np.float32(theme_weights.FULL)), hit
                np.add(total, now, out=total)

        names = [group.name for group in self.object.vertex_groups if group.name in layers]
        if not names:
            return found, touched
        for name, values in vertex_groups.read(self.context, self.object, self.depsgraph, names):
            keep(layers[name], values[mesh.indices])
        for slot in set(slots) - {layers[name] for name in names}:
            keep(slot, np.zeros(len(before), np.float32))
        blank = ~mesh.known & (total == 0)  # a vertex that was made anew, and not of others
        for hit in touched.values():
            hit &= ~blank
        return found, touched

    def _fields(self, mesh: MeshCells, flat: Records, names: Palettes, painted: Bools, ground: Ground) -> None:
        """Write what scripts and operators put into attributes; where weights were painted, those tell the themes."""
        before = flat.copy()
        edited_strengths = np.zeros(len(flat), np.bool_)
        for name, each in layout.CELL_FIELDS.items():
            values = mesh.whole(name)
            if values is None:
                continue
            edited = mesh.known & (values != each.of(before))
            if each.field in BLEND:
                edited &= ~painted
            wrong = edited & ((values < 0) | (values > 0xFF))
            if each.field == "themes":
                used = np.zeros(PALETTE_SLOTS, np.bool_)
                used[[0, *names.used_themes]] = True
                wrong |= edited & ~used[np.clip(values, 0, 0xFF)]
                mesh.refuse(f"attribute {name} is a slot that the palette doesn't use", wrong)
            elif self.settings.clamp:
                values = np.clip(values, 0, 0xFF)
            else:
                mesh.refuse(f"attribute {name} isn't within 0 and 255", wrong, CLAMP_HINT)
            each.of(flat)[edited] = values[edited]
            if each.field == "strengths":
                edited_strengths |= edited
        over = edited_strengths & (flat["strengths"].sum(axis=1, dtype=np.intp) > theme_weights.FULL)
        if not self.settings.clamp:
            mesh.refuse("the strengths are more than 255 in all", over, CLAMP_HINT)
        flat["strengths"][over, 1] = theme_weights.FULL - flat["strengths"][over, 0]
        ground.count("old sounds", flat["old_sound"] != before["old_sound"])

    @staticmethod
    def _flags(mesh: MeshCells, flat: Records, ground: Ground) -> None:
        for name in layout.FLAGS:
            values = mesh.values(name)
            if values is None:
                continue
            now = values if values.dtype == np.bool_ else values >= 0.5
            edited = mesh.known & (now != layout.flag(flat, name))
            flat[name][edited] = now[edited]
            ground.count(name, edited)


def _hint(what: str) -> str:
    """What lifts the refusal of a blend; numbers that are NaN can't be brought anywhere."""
    if "NaN" in what:
        return ""
    return "The option Drop themes leaves the weakest out" if "three" in what else CLAMP_HINT


def _moved(points: Singles, matrix: Floats) -> Floats:
    """Points relative to the level's root, float64[n, 3]; the same numbers where nothing moves them."""
    exact = points.astype(np.float64)
    if np.array_equal(matrix, np.eye(4)):
        return exact
    with np.errstate(invalid="ignore"):  # an infinite place becomes NaN, and is refused as one that was moved
        moved: Floats = exact @ matrix[:3, :3].T + matrix[:3, 3]
    return moved
