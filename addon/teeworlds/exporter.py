# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a map: the embedded original with everything laid over it that was edited.

Nothing is decided by comparing files: each part of the scene is compared with the record that it came from, and writes
only what differs. So what nobody touched stays as it is, bit for bit, with all that Blender can't show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...formats import teeworlds
from ...formats.binary import FormatError, Problem
from ..scene import evaluated, meshes, originals, properties, transforms
from ..scene.progress import progress
from ..scene.reports import Report, SceneError
from . import layout
from .envelopes import build as envelopes
from .envelopes.collect import EnvelopeReader
from .groups.collect import write_group
from .images.collect import ImageTable
from .layers.collect import (
    Kind,
    LayerScene,
    Matrix,
    materials_of,
    read_properties,
    shown_images,
    write_common,
    write_tile_layer,
)
from .layout import LevelProperties, QuadLayerProperties, SoundLayerProperties, TileLayerProperties
from .quads import collect as quad_reader
from .settings import ExportSettings
from .sounds import collect as sound_reader
from .structure.collect import SceneGroup, SceneLayer, kind_of, read_structure
from .structure.merge import check_physics, lay_structure


def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> bytes:
    """The map that a level's collection shows. Writes no file.

    Raises SceneError, naming objects and faces, for scenes that no map can hold, and FormatError for names that are too
    long and the like.
    """
    original = originals.require(collection, settings.build_as_new)
    level = teeworlds.read(original.data) if original else _empty_level()
    export = _Export(context, collection, level, original.token if original else None, report)
    export.run()
    if settings.profile != "preserve":
        profile: Any = settings.profile
        level, dropped = teeworlds.convert(level, profile, settings.drop)
        for what in dropped:
            report.left_out(what)
    data = teeworlds.write(level)
    if original is None or data != original.data:
        _refuse_new_problems(level, original.data if original else None)
    return data


@dataclass
class _Edit:
    """A layer of the scene on its way to its record: what can only be written once the envelopes have their numbers.

    `new`: the record was made for this object, so everything is written, not only what was edited.
    """

    scene: LayerScene
    layer: teeworlds.Layer
    new: bool
    state: tuple[Any, ...]
    records: Any = None
    envelope: tuple[int, int] = (-1, 0)


class _Export:
    def __init__(
        self,
        context: bpy.types.Context,
        collection: bpy.types.Collection,
        level: teeworlds.Level,
        token: int | None,
        report: Report,
    ) -> None:
        self.collection = collection
        self.level = level
        self.token = token
        self.report = report
        self.context = context
        self.groups = read_structure(collection, token, report)
        self._images_before = len(level.images)
        self._showing_none: list[teeworlds.TileLayer | teeworlds.QuadLayer] = []
        self.images = ImageTable(collection, level, report)
        self.sounds = sound_reader.SoundTable(collection, level, report)
        if context.scene is None:
            raise SceneError("there is no scene to export from")
        fps = envelopes.scene_fps(context.scene)
        self.envelopes = EnvelopeReader(collection, None if token is None else level, fps, report)
        self.made: set[int] = set()  # ids of the layers that no record stood for

    def run(self) -> None:
        """Lay the whole scene over the level."""
        before = list(self.level.layers)
        placed = lay_structure(self.level, self.groups, self._record, _has_object)
        check_physics(self.level, placed, whole=self.token is None)
        game = self.level.game_layer
        with self._evaluation() as depsgraph:
            edits = [
                self._read(scene_layer, layer, scene_group, depsgraph)
                for scene_group, _, layers in placed
                for scene_layer, layer in layers
            ]
            for what in self.envelopes.apply(self.level):
                self.report.note(what)
            for scene_group, group, _ in placed:
                with _naming(scene_group.root):
                    write_group(scene_group, group, game is not None and group is game[0], self.report)
            with progress(len(edits), "layers") as step:
                for edit in edits:
                    with _naming(edit.scene.object):
                        self._write(edit)
                    step()
        self._write_info()
        self._keep_none()
        self.images.remove_deleted()
        self.sounds.remove_deleted()
        self._tell(before, edits)

    def _record(self, obj: bpy.types.Object, template: teeworlds.Layer | None) -> teeworlds.Layer | None:
        """The record for a layer's object; None where it only stood for one that isn't there."""
        layer = template
        if obj.get("tile_kind") is not None and (template is None or isinstance(template, teeworlds.TileLayer)):
            values, _ = read_properties(obj, TileLayerProperties)
            if template is None or template.tile_kind.name != values.tile_kind:
                layer = teeworlds.TileLayer.new(teeworlds.TileKind[values.tile_kind], 0, 0)
        elif template is None and obj.get("sound") is not None:
            layer = teeworlds.SoundLayer.new()
        elif template is None and obj.get("image") is not None:
            layer = teeworlds.QuadLayer.new()
        if layer is not None and layer is not template:
            if obj.get(layout.STORAGE) == layout.KEPT:
                self.report.left_out(f"layer {obj.name!r} (its records are only in the original)")
                return None
            self.made.add(id(layer))
        return layer

    @contextmanager
    def _evaluation(self) -> Iterator[bpy.types.Depsgraph | None]:
        """A depsgraph with all that modifiers, shape keys or constraints act on; None where they act on nothing."""
        objects = [
            obj
            for group in self.groups
            for layer in group.layers
            for obj in (layer.object, *layer.object.children_recursive)
        ]
        acted_on = [
            obj
            for obj in objects
            if transforms.needs_evaluation(obj) or (obj.type == "MESH" and meshes.needs_evaluation(obj))
        ]
        if not acted_on:
            yield None
            return
        roots = [group.root for group in self.groups]
        with evaluated.shown(self.context, [*roots, *acted_on]) as depsgraph:
            yield depsgraph

    def _read(
        self,
        scene_layer: SceneLayer,
        layer: teeworlds.Layer,
        group: SceneGroup,
        depsgraph: bpy.types.Depsgraph | None,
    ) -> _Edit:
        """Look at a layer's object, and tell the envelopes what it plays; nothing is written yet."""
        obj = scene_layer.object
        new = id(layer) in self.made
        ids_token = None if new or self.token is None else layout.element_token(self.token, scene_layer.record)
        scene = LayerScene(obj, _matrix(obj, group.root, depsgraph), ids_token, depsgraph)
        edit = _Edit(scene, layer, new, _state(layer))
        with _naming(obj):
            if isinstance(layer, teeworlds.TileLayer):
                values, _ = read_properties(obj, TileLayerProperties)
                was = (-1, 0) if new else (layer.color_envelope, layer.color_envelope_offset)
                said = (values.color_envelope, values.color_envelope_offset)
                played = self.envelopes.played(obj, teeworlds.EnvelopeKind.COLOR)
                numbers, offsets = self.envelopes.assign(
                    teeworlds.EnvelopeKind.COLOR, played, _arrays(was), _arrays(said)
                )
                edit.envelope = int(numbers[0]), int(offsets[0])
            elif isinstance(layer, teeworlds.QuadLayer):
                edit.records = quad_reader.read(scene, None if new else layer, self.envelopes)
            elif isinstance(layer, teeworlds.SoundLayer):
                edit.records = sound_reader.read(scene, None if new else layer, self.envelopes)
        return edit

    def _write(self, edit: _Edit) -> None:
        """Write what was edited of a layer into its record."""
        if isinstance(edit.layer, teeworlds.TileLayer):
            self._write_tiles(edit, edit.layer)
        elif isinstance(edit.layer, teeworlds.QuadLayer):
            self._write_quads(edit, edit.layer)
        elif isinstance(edit.layer, teeworlds.SoundLayer):
            self._write_sources(edit, edit.layer)

    def _write_tiles(self, edit: _Edit, layer: teeworlds.TileLayer) -> None:
        values, changed = self._properties(edit, TileLayerProperties)
        write_tile_layer(edit.scene, layer, values, changed)
        layer.color_envelope, layer.color_envelope_offset = edit.envelope
        drawn, was = layer.tile_kind == teeworlds.TileKind.TILES, layer.image
        layer.image = self._image(edit, layer, values.image, "image" in changed, drawn)
        if drawn:
            self.images.warn_uneven(layer.image, was, edit.scene.object.name)

    def _write_quads(self, edit: _Edit, layer: teeworlds.QuadLayer) -> None:
        values, changed = self._properties(edit, QuadLayerProperties)
        write_common(layer, values, changed)
        if edit.records is not None:
            layer.set_quads(edit.records)
        layer.image = self._image(edit, layer, values.image, "image" in changed, True)

    def _write_sources(self, edit: _Edit, layer: teeworlds.SoundLayer) -> None:
        values, changed = self._properties(edit, SoundLayerProperties)
        write_common(layer, values, changed)
        if edit.records is not None:
            layer.set_sources(edit.records)
        layer.sound = self.sounds.of_layer(edit.scene.object, layer.sound, values.sound)

    @staticmethod
    def _properties(edit: _Edit, cls: type[Kind]) -> tuple[Kind, frozenset[str]]:
        """A layer's properties, and which are to be written: those that were edited, all for a new record."""
        values, changed = read_properties(edit.scene.object, cls)
        return values, frozenset(vars(values)) if edit.new else changed

    def _image(
        self,
        edit: _Edit,
        layer: teeworlds.TileLayer | teeworlds.QuadLayer,
        said: int,
        edited: bool,
        drawn: bool,
    ) -> int:
        """The number of a layer's image: as its material shows it or its property tells it, whichever was edited.

        said: a record number, as the level's resources have them. `drawn`: its material shows its image.
        """
        obj, was = edit.scene.object, layer.image
        block, number = self.images.block(said if edit.new else was), was
        materials = materials_of(obj) if drawn else []
        shown = [image for material in materials[:1] for image in shown_images(obj, material) if image != block]
        if len(shown) > 1:
            names = ", ".join(repr(image.name) for image in shown)
            raise SceneError(f"{obj.name}: a layer has one image, its material shows {len(shown)}: {names}", [obj])
        if shown and edited and not edit.new and shown[0] != self.images.block(said):
            raise SceneError(
                f"{obj.name}: its property image says {said}, its material shows {shown[0].name!r}: both were edited",
                [obj],
            )
        if shown:
            block, number = shown[0], self.images.number_of(shown[0])
        elif edited:
            named = self.images.number(said)
            if named is None and not edit.new:
                raise SceneError(f"{obj.name}: there is no image {said}", [obj])
            block, number = self.images.block(said), -1 if named is None else named
        elif was >= self._images_before:
            self._showing_none.append(layer)
        for material in materials:
            for image in shown_images(obj, material):
                if image != block:
                    name = "none" if block is None else repr(block.name)
                    self.report.warn(
                        f"{obj.name}: material {material.name!r} shows image {image.name!r}, the map will show {name}: "
                        "a layer has one image, to be set in the sidebar"
                    )
        return number

    def _keep_none(self) -> None:
        """Let layers whose number named no image go on showing none, also where that number is now a new image's."""
        for layer in self._showing_none:
            if layer.image < len(self.level.images):
                layer.image = -1

    def _write_info(self) -> None:
        """Who made the map, and the server settings."""
        try:
            values, changed = properties.read(self.collection, LevelProperties)
        except ValueError as error:
            raise SceneError(str(error)) from error
        text = originals.resources(self.collection, layout.SETTINGS).get(0)
        lines = text.as_string().split("\n") if isinstance(text, bpy.types.Text) else []
        while lines and not lines[-1]:
            lines.pop()
        info = self.level.info or teeworlds.Info.new()
        whole = self.token is None
        for name in vars(values) if whole else changed:
            setattr(info, name, getattr(values, name))
        # A line that isn't UTF-8 can't be shown as it is: its record stays where it was not edited.
        records = {layout.readable(line): line for line in info.settings}
        before = [layout.readable(line) for line in info.settings]
        while before and not before[-1]:
            before.pop()
        if lines != before:
            info.settings = [records.get(line, line) for line in lines]
        if self.level.info is None and (whole or changed or lines):
            self.level.info = info

    def _tell(self, before: list[teeworlds.Layer], edits: list[_Edit]) -> None:
        """Count everything, and name each layer that was edited."""
        kinds = {
            teeworlds.TileLayer: "tile layers",
            teeworlds.QuadLayer: "quad layers",
            teeworlds.SoundLayer: "sound layers",
        }
        self.report.count("groups", len(self.level.groups))
        for edit in edits:
            self.report.count(kinds[type(edit.layer)])
        for name in ("images", "envelopes", "sounds"):
            self.report.count(name, len(getattr(self.level, name)))
        known = {id(layer) for layer in before}
        for edit in edits:
            if id(edit.layer) not in known:
                self.report.note(f"layer {edit.scene.object.name} is new")
            elif _state(edit.layer) != edit.state:
                self.report.note(f"layer {edit.scene.object.name} changed")
        left = {id(layer) for layer in self.level.layers}
        for layer in before:
            if id(layer) not in left:
                self.report.note(f"{layer.title} removed")


def _has_object(layer: teeworlds.Layer) -> bool:
    """Whether an import makes an object of a layer."""
    return not isinstance(layer, teeworlds.UnknownLayer)


def _state(layer: teeworlds.Layer) -> tuple[Any, ...]:
    """What tells whether a record was written to: its words, and which blobs it has."""
    return (layer.item.words.tobytes(), *(id(layer.blob(word)) for word in layer.blob_words()))


def _arrays(reference: tuple[int, int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    number, offset = reference
    return np.array([number], np.int32), np.array([offset], np.int32)


def _matrix(obj: bpy.types.Object, root: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> Matrix:
    """A layer's transform relative to its group's root, float64 [4, 4].

    A layer that was put into another group's collection still hangs below the root of the one that it came from: what
    it holds stays where it is in the group, as when the game's editor moves a layer.
    """
    above = obj.parent
    while above is not None and kind_of(above) != layout.GROUP:
        above = above.parent
    if above is not None:
        return transforms.compose(obj, above, depsgraph)
    to_level = transforms.compose(obj, None, depsgraph)
    return np.asarray(np.linalg.solve(transforms.compose(root, deltas=False), to_level), np.float64)


@contextmanager
def _naming(obj: bpy.types.Object) -> Iterator[None]:
    """Turn what the library refuses into an error that names the object."""
    try:
        yield
    except FormatError as error:
        raise SceneError(f"{obj.name}: {error.message}", [obj]) from error


def _empty_level() -> teeworlds.Level:
    """A map with nothing in it, for a scene that has no original."""
    level = teeworlds.new_level()
    level.groups.clear()
    return level


def _refuse_new_problems(level: teeworlds.Level, original: bytes | None) -> None:
    """Raise SceneError with what DDNet would refuse in the map, unless it already refused that in the original."""
    found = _errors(level)
    if found and original is not None:
        known = Counter(map(_what, _errors(teeworlds.read(original))))
        found = [one for one in found if known.subtract([_what(one)]) or known[_what(one)] < 0]
    if found:
        named = "; ".join(f"{one.place}: {one.message}" for one in found[:5])
        raise SceneError(f"the game would refuse the map: {named}{' ...' if len(found) > 5 else ''}")


def _errors(level: teeworlds.Level) -> list[Problem]:
    return [one for one in teeworlds.check(level, "ddnet") if one.severity == "error"]


def _what(problem: Problem) -> str:
    """A problem without its numbers, which change with what stands before it."""
    return re.sub(r"\d+", "0", problem.message)
