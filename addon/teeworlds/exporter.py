# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a map: the embedded original with everything merged into it that was edited.

Three steps: `_collect` finds what the scene holds, `_compare` compares each part with the record that it came from and
writes only what differs, and `_save` makes the bytes. So what nobody touched stays as it is, bit for bit, with all that
Blender can't show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import bpy

from ...formats import teeworlds
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ..scene.blender_types import Value
from ..scene.fates import gate
from ..scene.kept import originals
from ..scene.reports import Report, SceneError, naming
from ..scene.work.progress import Steps, Stepwise, progress
from . import info
from .envelopes.build import scene_fps
from .envelopes.collect import EnvelopeTable
from .images.collect import ImageTable
from .quads import collect as quads
from .settings import ExportSettings
from .sounds import layer_collect as sound_layers
from .sounds.collect import SoundTable
from .structure import collect as structure
from .structure import group_collect as groups
from .structure import layer_collect as layers
from .structure.collect import GroupInstance
from .structure.layer_collect import SceneLayer
from .structure.merge import MergedGroup, MergedLayer, check_physics, merge
from .tiles import collect as tiles


@Stepwise
def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[bytes]:
    """The map that a level's collection shows. Writes no file.

    Raises SceneError, naming objects and faces, for scenes that no map can hold, and FormatError for names that are too
    long and the like.
    """
    original = originals.require(collection, settings.build_as_new)
    level = teeworlds.read(original.data) if original else _empty_level()
    scene = _collect(context, collection, level, original.token if original else None, report)
    yield
    with layers.evaluation(context, scene.groups) as depsgraph, progress(3) as part:
        merged = yield from _compare(scene, level, depsgraph, report, part)
    return (yield from _save(level, original.data if original else None, settings, _places(level, merged), report))


# ---- collect


@dataclass(frozen=True)
class _Scene:
    """What a level's collection holds."""

    collection: bpy.types.Collection
    token: int | None
    """The level's; None where there is no original, so that no record is known and everything is written."""
    groups: list[GroupInstance]
    """With their layers, in draw order."""
    images: ImageTable
    sounds: SoundTable
    envelopes: EnvelopeTable


def _collect(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: teeworlds.Level,
    token: int | None,
    report: Report,
) -> _Scene:
    """Find what the scene holds, and which records of the level it stands for; the level stays as it is."""
    if context.scene is None:
        raise SceneError("there is no scene to export from")
    instances = structure.collect(collection, token, report)
    images, sounds = ImageTable(collection, level, report), SoundTable(collection, level, report)
    envelopes = EnvelopeTable(collection, None if token is None else level, scene_fps(context.scene), report)
    return _Scene(collection, token, instances, images, sounds, envelopes)


# ---- compare


@dataclass(frozen=True)
class _Kind:
    """What is done with one kind of layer."""

    title: str
    """Plural, for the report."""
    collect: Callable[[SceneLayer, Any, EnvelopeTable], object]
    """Finds what refers to envelopes; writes nothing."""
    write: Callable[[SceneLayer, Any, Any, Any], None]
    """Writes into the record what was edited, and what `collect` found."""
    table: Callable[[_Scene], ImageTable | SoundTable]
    """What numbers the layers' images or sounds, for `write`."""


_KINDS: dict[type[teeworlds.Layer], _Kind] = {
    teeworlds.TileLayer: _Kind("tile layers", tiles.collect, tiles.write, attrgetter("images")),
    teeworlds.QuadLayer: _Kind("quad layers", quads.collect, quads.write, attrgetter("images")),
    teeworlds.SoundLayer: _Kind("sound layers", sound_layers.collect, sound_layers.write, attrgetter("sounds")),
}


@dataclass(frozen=True)
class _Edit:
    """A layer on its way from the scene to its record."""

    scene: SceneLayer
    layer: teeworlds.Layer
    """The record."""
    state: tuple[object, ...]
    """The record's, as it was read (see `_state`)."""
    found: object
    """What the kind's `collect` found."""

    @property
    def kind(self) -> _Kind:
        """What is done with it."""
        return _KINDS[type(self.layer)]


def _compare(
    scene: _Scene,
    level: teeworlds.Level,
    depsgraph: bpy.types.Depsgraph | None,
    report: Report,
    part: Callable[[], None],
) -> Steps[list[MergedGroup]]:
    """Write into the level what differs in the scene, and return which group and layer is which.

    Records name images, sounds and envelopes by number: new images and sounds come before the layers that show them,
    envelopes get their new numbers when all layers were compared by the old ones, and what was deleted goes last.
    part: to be called after each of two parts.
    """
    before = list(level.layers)
    merged = merge(level, scene.groups, report)
    check_physics(level, merged, whole=scene.token is None)
    scene.images.apply()
    scene.sounds.apply()
    edits = yield from _edits(merged, scene, depsgraph, report)
    part()
    for what in scene.envelopes.apply(level):
        report.note(what)
    _write_groups(level, merged, report)
    with progress(len(edits), "layers compared") as step:
        for edit in edits:
            with naming(edit.scene.object):
                edit.kind.write(edit.scene, edit.layer, edit.found, edit.kind.table(scene))
            _refuse_shared(edit, edits)
            yield step()
    part()
    info.write(scene.collection, level, scene.token is None, report)
    scene.images.remove_deleted()
    scene.sounds.remove_deleted()
    _report_changes(level, before, edits, report)
    return merged


def _refuse_shared(edit: _Edit, edits: list[_Edit]) -> None:
    """Refuse an edit of a layer that a damaged map has in several groups: the objects of the others say otherwise."""
    objects = [other.scene.object for other in edits if other.layer is edit.layer]
    if len(objects) > 1 and _state(edit.layer) != edit.state:
        raise SceneError(
            f"{', '.join(obj.name for obj in objects)}: the map has this layer in "
            f"{number_of(len(objects), 'places')}; to edit it, delete all but one of them",
            objects,
        )


def _edits(
    merged: list[MergedGroup], scene: _Scene, depsgraph: bpy.types.Depsgraph | None, report: Report
) -> Steps[list[_Edit]]:
    """Collect all layers; nothing is written yet."""
    edits = []
    with progress(sum(len(group.layers) for group in merged), "layers") as step:
        for group in merged:
            for one in group.layers:
                edits.append(_edit(one, group, scene, depsgraph, report))
                yield step()
    return edits


def _edit(
    one: MergedLayer, group: MergedGroup, scene: _Scene, depsgraph: bpy.types.Depsgraph | None, report: Report
) -> _Edit:
    """Collect a layer."""
    found = layers.collect(one, group.instance, scene.token, depsgraph, report)
    with naming(found.object):
        collected = _KINDS[type(one.layer)].collect(found, one.layer, scene.envelopes)
    return _Edit(found, one.layer, _state(one.layer), collected)


def _write_groups(level: teeworlds.Level, merged: list[MergedGroup], report: Report) -> None:
    game = level.game_layer
    for one in merged:
        with naming(one.instance.root):
            groups.write(one.instance, one.group, game is not None and one.group is game[0], report)


def _state(layer: teeworlds.Layer) -> tuple[object, ...]:
    """What tells whether a record was written to: its words, and which blobs it has."""
    return (layer.item.words.tobytes(), *(id(layer.blob(word)) for word in layer.blob_words()))


def _report_changes(level: teeworlds.Level, before: list[teeworlds.Layer], edits: list[_Edit], report: Report) -> None:
    """Count everything, and name each layer that was edited. before: the original's layers."""
    report.count("groups", len(level.groups))
    for edit in edits:
        report.count(edit.kind.title)
    for name in ("images", "envelopes", "sounds"):
        report.count(name, len(getattr(level, name)))
    known = {id(layer) for layer in before}
    for edit in edits:
        if id(edit.layer) not in known:
            report.note(f"layer {edit.scene.object.name} is new")
        elif _state(edit.layer) != edit.state:
            report.note(f"layer {edit.scene.object.name} changed")
    left = {id(layer) for layer in level.layers}
    for layer in before:
        if id(layer) not in left:
            report.note(f"{layer.title} removed")


# ---- save


def _places(level: teeworlds.Level, merged: list[MergedGroup]) -> gate.Objects:
    """The objects of groups and layers by what the library calls those."""
    found = {f"group {number}": one.instance.root for number, one in enumerate(merged)}
    objects = {id(one.layer): one.instance.object for group in merged for one in group.layers}
    for number, group in enumerate(level.groups):
        for place, layer in enumerate(group.layers):
            if id(layer) in objects:
                found[f"layer {place} of group {number}"] = objects[id(layer)]
    return found


def _save(
    level: teeworlds.Level, original: bytes | None, settings: ExportSettings, objects: gate.Objects, report: Report
) -> Steps[bytes]:
    """The level's bytes in the form that was chosen; `objects`: by what errors call their places.

    Raises SceneError for a map that the game would refuse, or that the form can't hold.
    """
    edited = level
    if settings.profile != "preserve":
        profile: Value = settings.profile
        try:
            level, dropped = teeworlds.convert(level, profile, settings.drop)
        except FormatError as error:
            raise SceneError(*gate.named(str(error), objects)) from error
        for what in dropped:
            report.left_out(gate.named(what, objects)[0])
        objects = {}  # the places of what was converted have other numbers
    yield
    data = teeworlds.write(level)
    yield
    if original is None or data != original:
        before = (lambda: teeworlds.read(original)) if original is not None else None
        same = teeworlds.unedited_blobs(level) if original is not None and level is edited else frozenset()
        yield from gate.refuse_new.steps(partial(teeworlds.check, without=same), level, before, report, "map", objects)
    return data


def _empty_level() -> teeworlds.Level:
    """A map with nothing in it, for a scene that has no original."""
    level = teeworlds.new_level()
    level.groups.clear()
    return level
