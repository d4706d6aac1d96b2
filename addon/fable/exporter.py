# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a level: the embedded original with everything that was edited.

Each part of the scene is compared with the record that it came from, and writes only what differs. So what nobody
touched stays as it is, bit for bit, with all that Blender can't show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import bpy

from ...formats import fable
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ...formats.fable.map_versions import GAME_MAP_SINCE, NEWEST, change_map_version
from ...formats.fable.records import ROOT_EDGE
from ..scene.fates.gate import refuse_new
from ..scene.fields import properties
from ..scene.geometry import evaluated, meshes, transforms
from ..scene.kept import identity, originals
from ..scene.kept.identity import kind_of
from ..scene.level import only, root_of
from ..scene.reports import Report, SceneError, listed
from ..scene.work.progress import Steps, Stepwise
from . import layout
from .game_map.collect import collect_game_map
from .navigation.collect import collect_navigation
from .navigation.collect_whole import make_navigation
from .navigation.ground import follow_ground
from .palettes import lists
from .palettes.build import names_of
from .palettes.collect import add_theme, collect_palettes, slots_of_layers
from .settings import ExportSettings
from .terrain.collect import Ground, TerrainMesh
from .terrain.for_show import tell_edits
from .things.collect import collect_things
from .worlds.maps import MapMove, map_move

UNBAKED = "The retail game draws ground that is baked in FinalAlbion_RT.stb: a new level is seen once it is baked, too"
BAKED = (
    "The retail game draws the ground that is baked in FinalAlbion_RT.stb: what was changed here is used for walking, "
    "sounds and navigation, and is seen once the ground is baked anew (with FableForge, for example)"
)
"""What exports of changed ground, and their options, say (fable.md §0)."""


@Stepwise
def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[bytes | Mapping[str, bytes]]:
    """The `.lev` that a level's collection shows, and the `.tng` beside it if there is one. Writes no file.

    Raises SceneError, naming objects and vertices, for scenes that no level can hold, and FormatError for what can't be
    written.
    """
    export, made = yield from _collected(context, collection, settings, report)
    yield
    try:
        data = fable.write(made)
    except FormatError as error:
        raise SceneError(f"{collection.name} can't be written: {error}") from error
    if export.original is None or data != export.original.data:
        yield
        yield from export.refuse_new_problems(made)
    return data if export.things is None else {".lev": data, layout.TNG: export.things}


@Stepwise
def collect_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[tuple[fable.Level, bytes | None]]:
    """The level that a scene shows, and the bytes of its `.tng`, None without one. Raises SceneError as an export."""
    export, made = yield from _collected(context, collection, settings, report)
    return made, export.things


def _collected(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[tuple[_FableExport, fable.Level]]:
    original = originals.require(collection, settings.build_as_new)
    level = fable.read(original.data) if original is not None else None
    export = _FableExport(context, collection, level, original, settings, report)
    with export.evaluation() as depsgraph:
        return export, (yield from export.run(depsgraph))


class _FableExport:
    def __init__(
        self,
        context: bpy.types.Context,
        collection: bpy.types.Collection,
        level: fable.Level | None,
        original: originals.Original | None,
        settings: ExportSettings,
        report: Report,
    ) -> None:
        self.context, self.collection, self.level, self.original = context, collection, level, original
        self.settings, self.report = settings, report
        self.root = root_of(collection)
        terrain = only(collection, layout.TERRAIN)
        if terrain is None:
            raise SceneError(f"{collection.name!r} has no terrain: its object was deleted")
        self.terrain, self.game_map = terrain, only(collection, layout.GAME_MAP)
        self.things: bytes | None = None
        self.map_version: int | None = None

    @contextmanager
    def evaluation(self) -> Iterator[bpy.types.Depsgraph | None]:
        """A depsgraph with the cells' objects if modifiers, shape keys or constraints act on them; else None."""
        objects = [obj for obj in (self.terrain, self.game_map) if obj is not None]
        if not any(meshes.needs_evaluation(obj) or transforms.needs_evaluation(obj, self.root) for obj in objects):
            yield None
            return
        with evaluated.shown(self.context, [*objects, *filter(None, [self.root])]) as depsgraph:
            yield depsgraph

    def run(self, depsgraph: bpy.types.Depsgraph | None) -> Steps[fable.Level]:
        """Give the level all that was edited in the scene, and return it."""
        token = self._token(self.terrain)
        mesh = TerrainMesh(self.context, self.terrain, self.root, token, self.settings, depsgraph, self.report)
        level = self.level if self.level is not None else self._empty_level(mesh)
        yield
        before = level.cells
        self._collect_header(level)
        names = lists.get(self.collection)
        layers = slots_of_layers(level, names, [group.name for group in self.terrain.vertex_groups])
        self._unknown_layers(mesh, layers, names)
        try:
            for what in collect_palettes(level, names):
                self.report.note(what)
        except SceneError as error:
            raise SceneError(f"{self.collection.name}: {error}") from error
        ground = mesh.collect(before, names, layers, new=self.level is None)
        tell_edits(self.terrain, self.report)
        yield
        level.cells = ground.cells
        self._collect_game_map(level, names, depsgraph)
        self._collect_map_version(level)
        data = None
        if self.original is not None:
            data = next((part for name, part in self.original.parts.items() if name.lower().endswith(layout.TNG)), None)
        known = self.original.token if self.original is not None else None
        options = self.original.options if self.original is not None else {}
        yield
        self.things = yield from collect_things(
            self.context, self.collection, level, data, known, self.report, bool(options.get("things")), self._move()
        )
        yield
        collect_navigation(self.context, self.collection, level, known, self.report, bool(options.get("navigation")))
        yield
        if self.level is None:
            how = self.settings.ground_navigation
            make_navigation(self.context, self.collection, level, how, self.things, self.report)
        else:
            follow_ground(level, before, self.settings.ground_navigation, self.things, self.report)
        yield
        self._summarise(level, ground)
        return level

    def refuse_new_problems(self, made: fable.Level) -> Steps[None]:
        """Raise SceneError, with the objects at fault, for what the game would refuse, unless the level came so."""
        before = None if self.original is None else partial(fable.read, self.original.data)
        try:
            yield from refuse_new.steps(fable.check, made, before, self.report, f"level {self.collection.name}")
        except SceneError as error:
            kinds = {"height cells": layout.TERRAIN, "game map": layout.GAME_MAP, "section ": layout.LEAVES}
            wanted = {kind for place, kind in kinds.items() if f": {place}" in error.message}
            found = [obj for obj in self.collection.all_objects if kind_of(obj) in wanted]
            raise SceneError(error.message, found) from error

    def _token(self, obj: bpy.types.Object) -> int:
        """The token of an object's cells. Raises SceneError for one from another level, which has other cells."""
        mark = identity.stamped(obj)
        token = mark.token if mark is not None else 0
        if self.original is not None and token != self.original.token:
            raise SceneError(
                f"{obj.name} comes from another level than the collection's original: export with Build as New", [obj]
            )
        return token

    def _empty_level(self, mesh: TerrainMesh) -> fable.Level:
        """A level of the terrain's size that takes nothing from any file."""
        rows, columns = mesh.size()
        try:
            return fable.new_level(columns - 1, rows - 1, with_navigation=False)
        except ValueError as error:
            message = f"{self.terrain.name}: a new level's sides are multiples of {ROOT_EDGE}: {error}"
            raise SceneError(message, [self.terrain]) from error

    def _move(self) -> MapMove | None:
        """How the level was moved in its world."""
        try:
            return map_move(self.collection, self.root)
        except SceneError as error:
            self.report.warn(f"what its things have in the world stays as it was: {error}")
            return None

    def _collect_header(self, level: fable.Level) -> None:
        try:
            values, changed = properties.read(self.collection, layout.LevelProperties)
        except ValueError as error:
            raise SceneError(str(error)) from error
        gone = sorted(name for name in changed if self.collection.get(name) is None)
        if gone:
            raise SceneError(f"{self.collection.name}: property {listed(gone)} is gone, which every level has")
        fields = level.map_header.dtype.names or ()
        self.map_version = values.map_version if self.level is None or "map_version" in changed else None
        for name in sorted(set(vars(values)) if self.level is None else changed):
            if name == "map_version":
                continue
            if name in fields:
                level.map_header[name] = getattr(values, name)
                self.report.note(f"{name}: {getattr(values, name)}")
            elif getattr(values, name):
                raise SceneError(f"{self.collection.name}: this version of the map header has no {name}")

    def _collect_map_version(self, level: fable.Level) -> None:
        """Give the level the map version that its properties say; until now it has that of its objects."""
        if self.level is None:
            shown = min(int(originals.options_of(self.collection).get("map_version", NEWEST)), NEWEST)
            level.map_header["map_version"] = shown
            level.game_map = level.game_map if shown >= GAME_MAP_SINCE else None
        before = level.map_version
        if self.map_version is None or self.map_version == before:
            return
        change_map_version(level, self.map_version)
        self.report.note(f"map version: {self.map_version}, it was {before}")
        if level.game_map is None and self.game_map is not None:
            self.report.warn(f"map version {self.map_version} has no game map: {self.game_map.name} isn't written")

    def _unknown_layers(self, mesh: TerrainMesh, layers: dict[str, int], names: lists.Palettes) -> None:
        """Refuse weight layers that aren't themes, or make them themes."""
        if self.settings.unknown_themes == "ignore":
            return
        unknown = mesh.unknown_layers(layers)
        if unknown and self.settings.unknown_themes == "refuse":
            their_names = listed(
                [f"{name!r} ({number_of(len(points), 'vertices')})" for name, points in unknown.items()]
            )
            raise SceneError(
                f"{self.terrain.name}: the palette has no themes for its weight layers {their_names}. Add them to the "
                "palette, or choose what to do by the option Unknown themes",
                [self.terrain],
                points=mesh.selectable(list(unknown.values())),
            )
        for name, points in unknown.items():
            try:
                layers[name] = add_theme(names, name)
            except SceneError as error:
                at = mesh.selectable([points])
                raise SceneError(f"{self.terrain.name}: weight layer: {error}", [self.terrain], points=at) from error

    def _collect_game_map(
        self, level: fable.Level, names: lists.Palettes, depsgraph: bpy.types.Depsgraph | None
    ) -> None:
        if level.game_map is None or not level.game_map.size:
            return
        if self.game_map is None:
            if self.level is not None:
                raise SceneError(f"{self.collection.name!r} has no game map: its object (Atmosphere) was deleted")
            return
        token = self._token(self.game_map)
        level.game_map, edited = collect_game_map(
            self.game_map, level.game_map, names, token, self.settings, depsgraph, self.report
        )
        for what, count in edited.items():
            self.report.note(f"game map: {number_of(count, 'cells')} with other {what}")

    def _summarise(self, level: fable.Level, ground: Ground) -> None:
        """Count everything, and name what was edited."""
        self.report.count("cells", level.cells.size)
        self.report.count("themes", len(names_of(level).used_themes))
        self.report.count("sections of navigation", len(level.sections or ()))
        told = set[bpy.types.Object]()  # what is among the things, and empties of navigation, which are action points
        for home in self.collection.children_recursive:
            if kind_of(home) == layout.THINGS and self.things is not None:
                told.update(home.all_objects)
            elif kind_of(home) == layout.NAVIGATION:
                told.update(obj for obj in home.all_objects if obj.type == "EMPTY")
        strange = [obj for obj in self.collection.all_objects if kind_of(obj) is None and obj not in told]
        if strange:
            names = listed([repr(obj.name) for obj in strange])
            self.report.left_out(f"objects that aren't part of a Fable level ({names})", len(strange))
        if self.level is not None:
            for what, count in ground.edited.items():
                self.report.note(f"{self.terrain.name}: {number_of(count, 'cells')} with other {what}")
        if self.level is None:
            self.report.note(UNBAKED)
        elif ground.edited.keys() & {"heights", "themes"}:
            self.report.warn(BAKED)
