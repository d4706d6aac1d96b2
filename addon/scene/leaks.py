# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks of levels that have to be sealed: found, drawn as a curve, written as the compiler's own file; and the faces
that nobody ever sees, selected.

A game says how by a `Finder`; its operators and its panel are classes of its own below those here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import bpy
import numpy as np

from ...formats.arrays import Bools, Floats, Ints
from ...formats.format import LeakVerbs
from ...formats.solid_leaks import Sealing
from .disk import chosen_files, files
from .fields import declared
from .geometry import meshes, transforms
from .interface.sidebar import LevelOperator, LevelPanel, Result, tell
from .interface.stoppable import StoppableTool
from .kept import identity, originals
from .level import needed_root
from .names import showable
from .reports import Report, SceneError
from .view import stage
from .work.progress import Steps, Stepwise

LEAK = "levelwright_leak"
"""On the curve of a leak."""
THICK = 2.0
"""Units: the curve's radius."""
_STANDS = 2.0
"""Units that an entity's object may be off the place that a leak begins at."""
_RED = (1.0, 0.05, 0.02, 1.0)


@dataclass(frozen=True)
class StillFaces:
    """The faces of a mesh object."""

    object: bpy.types.Object
    data: meshes.MeshData
    positions: Floats
    """float64[n, 3], below the root, in Blender's axes."""
    still: Bools
    """bool[faces], those that never move, so that what is hidden stays so."""


@dataclass(frozen=True)
class Finder:
    """What a game says of leaks."""

    verbs: LeakVerbs
    """Of its library."""
    kind: str
    """The stamp of what is made for show."""
    entities: frozenset[str]
    """Kinds of objects that a leak may begin at."""
    examine: Callable[[bpy.types.Context, bpy.types.Collection], Steps[Sealing]]
    """Floods the level that a scene shows."""
    faces: Callable[[bpy.types.Context, bpy.types.Collection], Sequence[StillFaces]]
    """Gives those that may be hidden."""
    from_blender: Callable[[Floats], Floats] = np.asarray
    """float64[n, 3] points of Blender's axes in the level's."""
    to_blender: Callable[[Floats], Floats] = np.asarray
    """The other way."""


@Stepwise
def find(
    context: bpy.types.Context, collection: bpy.types.Collection, finder: Finder, report: Report
) -> Steps[list[bpy.types.Object]]:
    """Look for a leak, draw it, and tell; returns the curve and the object that it begins at, none of a sealed level.

    An earlier curve goes: nothing is changed before the last step. Raises what `Finder.examine` does, and SceneError.
    """
    root = needed_root(collection)
    sealing = yield from finder.examine(context, collection)
    yield
    remove(collection)
    for what, count in sealing.counts().items():
        report.count(what, count)
    for problem in sealing.problems(finder.verbs.SEVERITY):
        report.warn(f"{problem.place}: {problem.message}")
    line = sealing.flood.line
    if not len(line):
        return []
    points = finder.to_blender(line)
    begins = _standing(collection, finder.entities, root, points[0])
    return [_draw(collection, root, finder.kind, points), *begins]


def curve_of(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """The curve of a level's leak, if it is there."""
    return next((obj for obj in collection.objects if obj.get(LEAK) is not None), None)


def remove(collection: bpy.types.Collection) -> None:
    """Remove the curve of a leak."""
    obj = curve_of(collection)
    if obj is not None:
        data = obj.data
        bpy.data.objects.remove(obj)
        if isinstance(data, bpy.types.Curve) and not data.users:
            bpy.data.curves.remove(data)


def _draw(collection: bpy.types.Collection, root: bpy.types.Object, kind: str, points: Floats) -> bpy.types.Object:
    """Draw a way out as a curve, in front of everything."""
    curve = bpy.data.curves.new(showable(f"{collection.name} leak"), "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", THICK, 1
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).astype(np.float32).reshape(-1))
    obj = bpy.data.objects.new(showable(f"{collection.name} leak"), curve)
    info = originals.describe(collection)
    identity.stamp(obj, info.token if info is not None else 0, kind, -1)
    obj[LEAK] = True
    obj.parent = root
    obj.color, obj.show_in_front, obj.hide_render = _RED, True, True
    collection.objects.link(obj)
    return obj


def line_of(curve: bpy.types.Object) -> Floats:
    """The points of a leak's curve, float64[n, 3], below the root, in Blender's axes."""
    data = curve.data
    if not isinstance(data, bpy.types.Curve):
        return np.empty((0, 3))
    points = [point.co[:3] for spline in data.splines for point in spline.points]
    return np.array(points, np.float64).reshape(-1, 3)


def _standing(
    collection: bpy.types.Collection, kinds: frozenset[str], root: bpy.types.Object, place: Floats
) -> list[bpy.types.Object]:
    """The object of one of these kinds that is nearest to a place, if it is near."""
    found = [
        obj
        for obj in collection.all_objects
        if (identity.kind_of(obj) or "") in kinds and not transforms.needs_evaluation(obj, root)
    ]
    if not found:
        return []
    away = np.array([np.linalg.norm(transforms.seen(obj, root)[:3, 3] - place) for obj in found])
    return [found[int(away.argmin())]] if away.min() <= _STANDS else []


@Stepwise
def hidden(
    context: bpy.types.Context, collection: bpy.types.Collection, finder: Finder, report: Report
) -> Steps[list[tuple[StillFaces, Ints]]]:
    """The faces that nobody ever sees, of each object that has some. Raises as `find` does."""
    sealing = yield from finder.examine(context, collection)
    for problem in sealing.problems(finder.verbs.SEVERITY):
        report.warn(f"{problem.place}: {problem.message}. So faces towards the void aren't known")
    made = []
    for shown in finder.faces(context, collection):
        yield
        first = np.append(shown.data.face_starts, len(shown.data.corner_verts)).astype(np.int64)
        corners = shown.data.corner_verts.astype(np.int64)
        within, beyond = sealing.hidden_polygons(finder.from_blender(shown.positions), corners, first)
        report.count("faces inside solid", int((within & shown.still).sum()))
        report.count("faces towards the void", int((beyond & shown.still).sum()))
        faces = np.flatnonzero((within | beyond) & shown.still)
        if len(faces):
            made.append((shown, faces))
    return made


def placed(obj: bpy.types.Object, root: bpy.types.Object | None) -> StillFaces | None:
    """The faces of a mesh object that stays where it is; None where modifiers or the like make others of them."""
    if not isinstance(obj.data, bpy.types.Mesh):
        return None
    if meshes.needs_evaluation(obj) or transforms.needs_evaluation(obj, root):
        return None
    data = meshes.read(obj)
    matrix = transforms.seen(obj, root)
    if not len(data.face_starts) or np.linalg.det(matrix[:3, :3]) <= 0:
        return None
    positions = data.positions.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return StillFaces(obj, data, positions, np.ones(len(data.face_starts), np.bool_))


class _OfFinder(LevelOperator):
    """Base of what follows."""

    finder: ClassVar[Finder]
    needs_mode = "OBJECT"

    def tell(self, level: bpy.types.Collection, report: Report) -> None:
        """Show what was found, and keep it as a text block."""
        report.to_text(f"{level.name} leaks")
        tell(self, level, report)


class FindLeaks(StoppableTool, _OfFinder):
    """Find out whether the level is sealed, as its compiler would, and draw the way out as a curve where it isn't"""

    bl_label = "Find Leaks"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Flood it."""
        report = Report(f"{level.name} is sealed")
        found = yield from find.steps(context, level, self.finder, report)
        if report.warnings:
            report.title = f"{level.name} leaks" if found else level.name
        if found:
            stage.select_only(context, found)
        self.tell(level, report)


class RemoveLeak(_OfFinder):
    """Remove the curve of the leak"""

    bl_label = "Remove Leak"

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if curve_of(level) is not None else "No leak is drawn: Find Leaks draws it"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove(level)


class WriteLeakFile(RemoveLeak):
    """Write the leak that is drawn as the compiler writes it, for the editor"""

    bl_label = "Write Leak File"
    bl_options = {"REGISTER"}

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask where to."""
        level = self.level(context)
        if level is None or context.window_manager is None:
            return {"CANCELLED"}
        self.filepath = str(Path(level.name).with_suffix(self.finder.verbs.ENDING))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Write it."""
        curve = curve_of(level)
        if curve is None or not self.filepath:
            raise SceneError("there is no leak to write, or no file to write it to")
        data = self.finder.verbs.leak_file(self.finder.from_blender(line_of(curve)))
        path = chosen_files.to_write(Path(bpy.path.abspath(self.filepath)), self.finder.verbs.ENDING)
        for said in files.write_atomically(path, data):
            self.report({"WARNING"}, said)
        self.report({"INFO"}, f"wrote {path.name}")


class SelectHiddenFaces(StoppableTool, _OfFinder):
    """Select the faces of brushes that nobody ever sees: those inside other brushes, and those that face the void"""

    bl_label = "Select Hidden Faces"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[bool | None]:
        """Flood the level and see what the flood doesn't touch."""
        report = Report(level.name)
        found = yield from hidden.steps(context, level, self.finder, report)
        for shown, faces in found:
            meshes.select_faces(shown.object, faces)
        stage.select_only(context, [shown.object for shown, _ in found])
        self.tell(level, report)
        return None


class LeakPanel(LevelPanel):
    """Mixed into the sidebar's part about leaks. operators: those of the game."""

    operators: ClassVar[Sequence[type[bpy.types.Operator]]]
    anchor = "leaks"

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the buttons."""
        column = self.layout.column(align=True)
        for operator in self.operators:
            column.operator(operator.bl_idname)
