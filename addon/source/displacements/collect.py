# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements back to the map: where vertices were sculpted to, alphas and blends that were painted, tags, and what
the attributes say of the way that vertices go.

A vertex that lies where the import put it keeps its bits, unless its attributes were edited: then it goes where these
say. One of which both were edited is refused, if the two differ. Borders stay closed: vertices that lie in one place go
together, whichever displacement's was moved (`formats.source.edits.displacements`). The grid itself can't change.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ....formats import matrices, ranges, source
from ....formats.arrays import Array, Bools, Floats, Ints, Reals, Records, Singles
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits, geometry
from ....formats.source.edits.changes import FARTHEST
from ....formats.source.faces import displacements
from ....formats.source.faces.displacements import Displacements
from ...scene.attributes import Domain
from ...scene.geometry import meshes
from ...scene.kept import baselines, identity
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..faces.scene_surfaces import placed, records
from ..world import collect as world

_OPAQUE = 255.0
SAME_PLACE = 1e-3
"""Units: where a vertex was moved to, and where its direction and distance lead, may differ by this."""
_ALIKE = 0.02
"""Units: a displacement and its brush that were moved alike may differ by this, which floats of meshes make of it."""
_KEPT = ": the grid of a displacement can't be changed"
NO_MORE = "a map can't get more displacements than it was compiled with"


@dataclass(slots=True, eq=False)
class SceneDisplacements:
    """All displacements as the scene shows them: n vertices of DISP_VERTS, t triangles of DISP_TRIS."""

    positions: Floats
    """float64[n, 3]: in the map's units."""
    colors: Singles
    """float32[n, 3]: the painted alphas."""
    tags: Ints
    """int64[t]: of each triangle; -1: not shown."""
    ways: Records
    """[n]: DISP_VERTS, with `vec` and `dist` as the attributes have them."""
    blends: dict[str, Singles] = field(default_factory=dict)
    """float32[n, 4] each, by the attribute's name."""


def objects_of(scene: SceneLevel) -> list[bpy.types.Object]:
    """The objects that are displacements, each one or all in one."""
    return [one.object for kind in (layout.DISPLACEMENT, layout.DISPLACEMENTS) for one in scene.instances(kind)]


def is_shown(scene: SceneLevel) -> bool:
    """Whether the import made displacements."""
    return scene.is_shown(layout.DISPLACEMENT) or scene.is_shown(layout.DISPLACEMENTS)


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Change the displacements that were edited. Raises SceneError, with vertices selected, for other grids."""
    if not is_shown(scene):
        kinds = (layout.DISPLACEMENT, layout.DISPLACEMENTS)
        foreign = [one.object for kind in kinds for one in scene.instances(kind) if one.record < 0]
        if foreign:
            raise SceneError(f"{foreign[0].name}: {NO_MORE}", foreign)
        return
    base = baselines.load(scene.collection, layout.BASE)
    verts = scene.before.table(LumpId.DISP_VERTS)
    if base is None or base.shape != (len(verts), 3):
        raise SceneError(f"{scene.collection.name}: what the import made of displacements is gone from the collection")
    grids = displacements.displacements(scene.before, geometry.readable_polygons(scene.before))
    collector = _DisplacementCollector(scene, grids, base)
    shown = collector.read()
    _go_along(collector, shown)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = (shown.positions.astype(np.float32) != base).any(axis=1)
    collector.refuse(
        moved & ~np.isfinite(shown.positions).all(axis=1), "vertices have positions that are NaN or infinite"
    )
    collector.refuse(moved & (np.abs(shown.positions) > FARTHEST).any(axis=1), "vertices lie outside of the world")
    positions = np.where(moved[:, None], shown.positions, grids.positions(verts)) if moved.any() else None
    led = _led(collector, verts, shown, moved)
    ways = (shown.ways["vec"], shown.ways["dist"]) if led.any() else None
    alphas, tags = _alphas(collector, verts["alpha"], shown.colors, report), _tags(scene, shown.tags)
    if positions is not None or ways is not None or alphas is not None or tags is not None:
        _report(edits.displacements.change(level, positions, alphas, tags, ways), grids, moved | led, report)
    if led.any():
        report.count("vertices with other directions or distances", int(led.sum()))
    if level.file.is_changed(LumpId.PHYSDISP) and not len(level.bytes_of(LumpId.PHYSDISP)):
        report.note("hulls of displacements (PHYSDISP) are left out: they were those of the old places")
    if shown.blends:
        _blends(collector, level, shown.blends, report)


def _go_along(collector: _DisplacementCollector, shown: SceneDisplacements) -> None:
    """Have displacements that moved just as the brushes that they lie on be where they were: those take them along.

    Raises SceneError for those that moved otherwise.
    """
    base = collector.base
    with np.errstate(over="ignore", invalid="ignore"):
        still = (shown.positions.astype(np.float32) == base).all(axis=1)
    if still.all():
        return
    for number, move in collector.going.items():
        own = collector.grids.owner == number
        if move is None:
            shown.positions[own] = base[own]
            continue
        goal = base[own].astype(np.float64) @ move[:3, :3].T + move[:3, 3]
        alike = (np.abs(goal - shown.positions[own]) <= _ALIKE).all(axis=1)
        if np.count_nonzero(alike) > np.count_nonzero(still[own]):
            back = matrices.inverse(move)
            there = shown.positions[own] @ back[:3, :3].T + back[:3, 3]
            shown.positions[own] = np.where(alike[:, None], base[own], there)
        elif not still[own].any():
            collector.refuse(
                own, "vertices moved otherwise than the brush that they lie on: move both alike, or one of them alone"
            )


def _led(collector: _DisplacementCollector, verts: Records, shown: SceneDisplacements, moved: Bools) -> Bools:
    """bool[n]: vertices whose direction or distance was edited. Raises SceneError for what can't be, and for those that
    were moved elsewhere, too.
    """
    edited = np.zeros(len(verts), np.bool_)
    for name in ("vec", "dist"):
        then, now = (np.ascontiguousarray(table[name], "<f4").view(np.uint32) for table in (verts, shown.ways))
        edited |= (then != now).reshape(len(verts), -1).any(axis=1)
    names = f"{layout.DIRECTION!r} or {layout.DISTANCE!r}"
    finite = np.isfinite(shown.ways["vec"]).all(axis=1) & np.isfinite(shown.ways["dist"])
    collector.refuse(edited & ~finite, f"vertices have a {names} that is NaN or infinite")
    goal = collector.grids.positions(shown.ways)
    collector.refuse(edited & (np.abs(goal) > FARTHEST).any(axis=1), f"vertices have a {names} out of the world")
    with np.errstate(over="ignore", invalid="ignore"):
        apart = (np.abs(goal - shown.positions) > SAME_PLACE).any(axis=1)
    collector.refuse(edited & moved & apart, f"vertices were moved that have other {names}, too: either says where")
    return edited


def _report(changed: Ints, grids: Displacements, moved: Bools, report: Report) -> None:
    if len(changed):
        report.count("displacements edited", len(changed))
    if moved.any():
        touched = np.unique(grids.owner[moved & (grids.owner >= 0)])
        followed = np.setdiff1d(changed, touched)
        if len(followed):
            report.note(f"at the borders, displacements {', '.join(map(str, followed.tolist()))} went along")


def _alphas(collector: _DisplacementCollector, before: Reals, colors: Singles, report: Report) -> Floats | None:
    """float64[n], 0 to 255: alphas with those that were painted; None if none was. Raises SceneError for NaN."""
    with np.errstate(invalid="ignore"):
        finite = np.where(np.isfinite(before), before, np.float32(0)).astype(np.float32)
    grey = finite / np.float32(_OPAQUE)
    painted = (colors != grey[:, None]).any(axis=1)
    if not painted.any():
        return None
    collector.refuse(
        painted & ~np.isfinite(colors).all(axis=1), f"vertices have a {layout.ALPHA!r} that is NaN or infinite"
    )
    beyond = painted & ((colors < 0) | (colors > 1)).any(axis=1)
    if beyond.any():
        report.warn(
            f"of displacements, {number_of(int(beyond.sum()), 'vertices were')} painted beyond 0 to 1, which is all "
            "there is"
        )
    shade = colors.astype(np.float64).mean(axis=1).clip(0, 1) * _OPAQUE
    return np.asarray(np.where(painted, shade, finite))


def _tags(scene: SceneLevel, shown: Ints) -> Ints | None:
    """int64[t]: tags with those that were edited; None if none was. Raises SceneError where the map has none."""
    try:
        table = scene.before.table(LumpId.DISP_TRIS)
    except FormatError:  # the import left them out as well
        table = None
    before = np.zeros(len(shown), np.int64)
    if table is not None:
        count = min(len(table), len(before))
        before[:count] = table["tags"][:count]
    edited = np.flatnonzero((shown >= 0) & (shown != before))
    if not len(edited):
        return None
    if table is None or edited[-1] >= len(table):
        raise SceneError("tags of displacements were edited, but maps of this version have none", objects_of(scene))
    made = table["tags"].astype(np.int64)
    made[edited] = shown[edited]
    return made


def _blends(collector: _DisplacementCollector, level: source.Level, blends: dict[str, Singles], report: Report) -> None:
    """Put weights of four textures into the map where they were painted. Raises SceneError where it has none."""
    table = level.table(LumpId.DISP_MULTIBLEND).copy()
    having = displacements.blended(collector.grids, len(table))
    if having is None:
        return
    touched = np.zeros(len(table), np.bool_)
    for name, values in blends.items():
        was = np.zeros_like(values)
        was[having] = table[name]
        painted = (values.view(np.uint32) != was.view(np.uint32)).any(axis=1)
        collector.refuse(
            painted & ~np.isfinite(values).all(axis=1), f"vertices have a {name!r} that is NaN or infinite"
        )
        collector.refuse(painted & ~having, f"vertices have a {name!r}, but the map blends no four textures there")
        table[name][painted[having]] = values[painted]
        touched |= painted[having]
    if touched.any():
        level.set_table(LumpId.DISP_MULTIBLEND, table)
        report.count("vertices with other blends", int(touched.sum()))


class _DisplacementCollector:
    """Reads all objects into arrays of the map's order, and refuses what isn't the map's grid."""

    def __init__(self, scene: SceneLevel, grids: Displacements, base: Reals) -> None:
        self.scene, self.grids, self.base = scene, grids, base
        self.token = layout.displacement_token(scene.token)
        self.objects = objects_of(scene)
        self.points: list[Ints] = []
        self.faces: list[Ints] = []

    def read(self) -> SceneDisplacements:
        """Return all vertices and triangles, each once. Raises SceneError."""
        data = [self.scene.mesh(obj) for obj in self.objects]
        self.points = [records(mesh, "POINT", self.token) for mesh in data]
        self.faces = [records(mesh, "FACE", self.token) for mesh in data]
        places = [placed(mesh.positions, self.scene.matrix(obj)) for obj, mesh in zip(self.objects, data, strict=True)]
        count, total = len(self.base), len(self.grids.triangles)
        positions = self.base.astype(np.float64)
        ways = self.scene.before.table(LumpId.DISP_VERTS).copy()
        colors, tags = np.zeros((count, 3), np.float32), np.full(total, -1, np.int64)
        blends = {
            name: np.zeros((count, 4), np.float32)
            for name in layout.BLENDS
            if data and all(mesh.attribute(name, "POINT") is not None for mesh in data)
        }
        self._refuse_others(places)
        self._refuse_missing()
        self._refuse_triangles(data)
        loose = ~self._shown()
        if loose.any():  # records that no displacement has, or one that goes with its brush: as they are
            alpha = np.nan_to_num(self.scene.before.table(LumpId.DISP_VERTS)["alpha"]) / np.float32(_OPAQUE)
            colors[loose] = alpha[loose, None]
            table = self.scene.before.table(LumpId.DISP_MULTIBLEND)
            having = displacements.blended(self.grids, len(table))
            for name, values in blends.items() if having is not None else ():
                values[having] = table[name]
        for obj, mesh, points, faces, here in zip(self.objects, data, self.points, self.faces, places, strict=True):
            positions[points] = here
            for key, name, width in ((layout.DIRECTION, "vec", 3), (layout.DISTANCE, "dist", 1)):
                ways[name][points] = self._attribute(obj, mesh, key, "POINT", width)
            colors[points] = self._attribute(obj, mesh, layout.ALPHA, "POINT", 4)[:, :3]
            tags[faces] = self._attribute(obj, mesh, layout.TAGS, "FACE", 1)
            for name, values in blends.items():
                values[points] = self._attribute(obj, mesh, name, "POINT", 4)
        return SceneDisplacements(positions, colors, tags, ways, blends)

    def _attribute(self, obj: bpy.types.Object, mesh: meshes.MeshData, name: str, domain: Domain, width: int) -> Array:
        values = mesh.attribute(name, domain)
        if values is None or (values.shape[1] if values.ndim > 1 else 1) != width:
            raise SceneError(f"{obj.name}: its attribute {name!r} is gone, or is of another type", [obj])
        return values

    def _refuse_others(self, places: list[Floats]) -> None:
        """Vertices that the map hasn't, or has once."""
        new = [np.flatnonzero((own < 0) | (own >= len(self.base))) for own in self.points]
        self._refuse(new, f"vertices are new{_KEPT}")
        every = np.concatenate([*self.points, np.zeros(0, np.int64)])
        near = np.concatenate([*places, np.zeros((0, 3))]) - self.base[every]
        kept = identity.nearest_instances(every + 1, (near * near).sum(axis=1))
        first = ranges.starts([len(own) for own in self.points])
        self._refuse(
            [np.flatnonzero(~kept[start:end]) for start, end in itertools.pairwise(first.tolist())],
            f"vertices come from copies, and {NO_MORE}{_KEPT}",
        )

    def refuse(self, bad: Bools, what: str) -> None:
        """Raise SceneError for vertices bool[n] of the map, if there are any, with them selected. Only after `read`."""
        if bad.any():
            self._refuse([np.flatnonzero(bad[own]) for own in self.points], what)

    def _refuse(self, found: list[Ints], what: str) -> None:
        points = {obj: each for obj, each in zip(self.objects, found, strict=True) if len(each)}
        if points:
            names = ", ".join(obj.name for obj in points)
            seen = {obj: each for obj, each in points.items() if not meshes.needs_evaluation(obj)}
            count = sum(map(len, points.values()))
            raise SceneError(f"{names}: {number_of(count, what)}", points, points=seen)

    @cached_property
    def going(self) -> dict[int, Floats | None]:
        """The displacements that go along with the brushes that they lie on."""
        return world.displaced(self.scene)

    def _goes(self, owners: Ints) -> Bools:
        """bool[n]: which displacements int64[n] are taken away with the brushes that they lie on."""
        return np.isin(owners, [number for number, move in self.going.items() if move is None])

    def _shown(self) -> Bools:
        """bool[n]: the vertices that there are. Only after `_refuse_others`."""
        there = np.zeros(len(self.base), np.bool_)
        for own in self.points:
            there[own] = True
        return there

    def _refuse_missing(self) -> None:
        owner = self.grids.owner
        short = np.unique(owner[~self._shown() & (owner >= 0)])
        short = short[~self._goes(short)]
        if len(short):
            holding = [
                obj
                for obj, own in zip(self.objects, self.points, strict=True)
                if not len(own) or np.isin(owner[own], short).any()
            ]
            names = f"{listed([obj.name for obj in holding])}: " if holding else ""
            numbers = listed([str(number) for number in short.tolist()])
            raise SceneError(
                f"{names}vertices of displacements {numbers} were deleted{_KEPT}, nor can it go"
                f"{world.goes_with(self.scene, short)}",
                holding,
            )

    def _refuse_triangles(self, data: list[meshes.MeshData]) -> None:
        """Faces that aren't the map's triangles, and triangles that aren't there."""
        wanted = np.sort(self.grids.triangles, axis=1)
        there = np.zeros(len(wanted), np.bool_)
        bad: dict[bpy.types.Object, Ints] = {}
        for obj, mesh, points, faces in zip(self.objects, data, self.points, self.faces, strict=True):
            known = (mesh.face_sizes == 3) & (faces >= 0) & (faces < len(wanted))
            whole = np.flatnonzero(known)
            corners = points[mesh.corner_verts[mesh.face_starts[whole][:, None] + np.arange(3)]]
            same = (np.sort(corners.reshape(-1, 3), axis=1) == wanted[faces[whole]]).all(axis=1)
            known[whole[~same]] = False
            if not known.all():
                bad[obj] = np.flatnonzero(~known)
            there[faces[known]] = True
        if bad:
            names = ", ".join(obj.name for obj in bad)
            seen = {obj: each for obj, each in bad.items() if not meshes.needs_evaluation(obj)}
            raise SceneError(f"{names}: faces are others than the map's triangles{_KEPT}", bad, faces=seen)
        short = np.zeros(len(self.base), np.bool_)
        short[self.grids.triangles[np.intersect1d(np.flatnonzero(~there), self._grid_triangles())]] = True
        if short.any() and not self._goes(self.grids.owner[short]).all():
            holding = [obj for obj, own in zip(self.objects, self.points, strict=True) if short[own].any()]
            raise SceneError(f"triangles of displacements were deleted{_KEPT}, nor have holes", holding)

    def _grid_triangles(self) -> Ints:
        """Those that displacements have."""
        return ranges.flat(self.grids.first_triangle, 2 * (self.grids.edge - 1) ** 2)
