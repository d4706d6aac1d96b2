# SPDX-License-Identifier: GPL-3.0-or-later
"""The speakers of sound layers back to their records: the other way of `layer_build`."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.arrays import Records
from ....formats.teeworlds.records import EnvelopeKind, SourceShape
from ...scene.blender_types import expect
from ...scene.geometry import transforms
from ...scene.kept import baselines, identity
from ...scene.reports import Report, SceneError
from .. import layout
from ..envelopes.collect import EnvelopeTable
from ..layout import FIXED, TILE, SoundLayerProperties, read_properties
from ..structure.layer_collect import SceneLayer, write_common
from .collect import SoundTable
from .layer_build import ELEMENT, UNIT, SourceProperties, distances, shown_source

Sources = Records

_SIZES = {"CIRCLE": ("radius",), "RECTANGLE": ("width", "height")}
_ROUNDING = 4 * float(np.finfo(np.float32).eps)


def collect(scene: SceneLayer, layer: teeworlds.SoundLayer, envelopes: EnvelopeTable) -> Sources | None:
    """The sources of a layer, SOURCE [n], envelopes numbered as `envelopes` exports them: a speaker each.

    `scene`: the layer's object. `layer`: its record, as it was read. None where the record's sources can't be read, so
    that they stay as they are. Those with a record keep its order, new ones and copies follow in the order of their
    names. Raises SceneError for what a source can't be.
    """
    if scene.object.get(layout.STORAGE) == layout.KEPT:
        return None
    original: Sources = np.zeros(0, teeworlds.SOURCE) if scene.new else layer.sources()
    found: list[tuple[int, bool, str, Sources]] = []
    for obj in sorted(scene.parts, key=lambda one: one.name):
        if obj.type == "SPEAKER":
            record = _record(obj, scene, len(original))
            was = original[record : record + 1] if record >= 0 else np.zeros(0, teeworlds.SOURCE)
            source = _source(obj, was, scene, envelopes)
            same_place = bool(len(was)) and bool((source[["x", "y"]] == was[["x", "y"]]).all())
            found.append((record if record >= 0 else len(original), not same_place, obj.name, source))
    found.sort(key=lambda one: one[:3])
    first = {record: number for number, (record, *_) in reversed(list(enumerate(found)))}
    kept = [one[3] for number, one in enumerate(found) if one[0] < len(original) and first[one[0]] == number]
    rest = [one[3] for number, one in enumerate(found) if one[0] >= len(original) or first[one[0]] != number]
    return np.asarray(np.concatenate([original[:0], *kept, *rest]))


def write(scene: SceneLayer, layer: teeworlds.SoundLayer, sources: Sources | None, sound_table: SoundTable) -> None:
    """Write into a layer's record what was edited of it; `sources`: what `collect` returned.

    Raises SceneError, or FormatError for a name that is too long.
    """
    values, changed = scene.properties(SoundLayerProperties)
    write_common(scene, layer, values, changed)
    if sources is not None:
        layer.set_sources(sources)
    layer.sound = sound_table.of_layer(scene.object, scene.parts, layer.sound, values.sound)


def _record(obj: bpy.types.Object, scene: SceneLayer, count: int) -> int:
    """The record that a speaker is or was copied from, -1 for none of this layer's."""
    stamp = identity.stamped(obj)
    if stamp is None or stamp.kind != layout.SOURCE or scene.ids_token is None or not 0 <= stamp.record < count:
        return -1
    return stamp.record if baselines.same(obj, ELEMENT, np.int32(scene.ids_token)) else -1


def _source(obj: bpy.types.Object, was: Sources, scene: SceneLayer, envelopes: EnvelopeTable) -> Sources:
    """The record of a speaker, SOURCE [1]; `was`: the one that it came from, [0] for a new one."""
    source = was.copy() if len(was) else np.zeros(1, teeworlds.SOURCE)
    data = expect(bpy.types.Speaker, obj.data)
    position, sound = envelopes.played(obj, EnvelopeKind.POSITION), envelopes.played(data, EnvelopeKind.SOUND)
    references = ((EnvelopeKind.POSITION, position, "position_envelope"), (EnvelopeKind.SOUND, sound, "sound_envelope"))
    for kind, played, key in references:
        before = (
            (source[key], source[f"{key}_offset"]) if len(was) else (np.full(1, -1, np.int32), np.zeros(1, np.int32))
        )
        source[key], source[f"{key}_offset"] = envelopes.assign(kind, played, before)
    # Without its strip an object keeps the delta of the frame that was shown last.
    moves = position is not None or bool(envelopes.shown(EnvelopeKind.POSITION, was["position_envelope"]).any())
    rest = envelopes.rest(obj)
    matrix = scene.matrix
    if obj != scene.object:  # from the asset browser a source is a layer by itself
        matrix = matrix @ transforms.compose(obj, scene.object, scene.depsgraph, deltas=not moves, at=rest)
    for axis, key, scale in ((0, "x", UNIT), (1, "y", -UNIT)):
        place = matrix[axis, 3] * scale
        if len(was) and abs(place - int(was[key][0])) <= max(0.5, _ROUNDING * abs(place)):
            continue
        if not abs(place) < 2**31:
            raise SceneError(f"{obj.name}: too far away: a map ends 65,536 tiles from its origin", [obj])
        source[key] = round(place)
    _write_properties(obj, source, was, np.linalg.norm(matrix[:2, :2], axis=0).tolist(), scene.report)
    return source


def _write_properties(obj: bpy.types.Object, source: Sources, was: Sources, scale: list[float], report: Report) -> None:
    """Everything that SourceProperties tell, where it isn't what the record shows. scale: of the object, x and y."""
    values, changed = read_properties(obj, SourceProperties)
    idle = sorted(changed & set(_SIZES["RECTANGLE" if values.shape == "CIRCLE" else "CIRCLE"]))
    if idle and "shape" not in changed:
        report.warn(f"{obj.name}: its {' and '.join(idle)} isn't written: a {values.shape.lower()} has no such size")
    shown = shown_source(was[0]) if len(was) else None
    _take_distances(obj, values, shown)
    if max(abs(factor - 1) for factor in scale) > 1e-5:
        values.width, values.height = values.width * scale[0], values.height * scale[1]
        values.radius = round(values.radius * max(scale))
    for key in ("looping", "panning", "delay", "falloff"):
        if shown is None or getattr(values, key) != getattr(shown, key):
            source[key] = int(getattr(values, key))
    shape = SourceShape[values.shape]
    sizes = _SIZES[values.shape]
    if (
        shown is not None
        and shown.shape == values.shape
        and all(getattr(values, k) == getattr(shown, k) for k in sizes)
    ):
        return
    if shown is None or shown.shape != values.shape:
        source["shape"], source["height"] = shape, 0
    if shape is SourceShape.CIRCLE:
        source["width"] = min(values.radius, 2**31 - 1)
    else:
        source["width"], source["height"] = (
            min(round(side * FIXED), 2**31 - 1) for side in (values.width, values.height)
        )


def _take_distances(obj: bpy.types.Object, values: SourceProperties, shown: SourceProperties | None) -> None:
    """Let the speaker's own distances decide about a circle whose properties weren't edited."""
    if values.shape != SourceShape.CIRCLE.name or shown is None or values.shape != shown.shape:
        return
    reach, full = distances(shown)
    data = expect(bpy.types.Speaker, obj.data)
    if values.radius == shown.radius and data.distance_max != reach:
        values.radius = round(data.distance_max * TILE)
    if values.falloff == shown.falloff and (data.distance_max, data.distance_reference) != (reach, full):
        values.falloff = min(max(round(255 * data.distance_reference / (data.distance_max or 1.0)), 0), 255)
