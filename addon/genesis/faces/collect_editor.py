# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides of solids as faces of a `.3dt`: corners, and textures in the editor's own parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import bpy
import numpy as np

from ....formats.arrays import Bools, Floats, Ints
from ....formats.counting import number_of
from ....formats.genesis import textures
from ....formats.genesis.convert import lock
from ....formats.genesis.editor_level import EditorFace, Points
from ....formats.genesis.records import EditorFaceFlag, FaceArray
from ...scene.reports import Report, SceneError
from ..materials.collect import checked_name
from ..shapes.collect import Matrix, Shape
from .collect import FaceCollector, MeshFaces, SideRecords

SAME_POINT = 2e-3
"""Units by which a corner may be off one of the record's and still be that."""
OFF_GRID = 1.0
"""Texels by which whole degrees and texels may move a texture without a warning."""
TOO_FAR = 8.0
"""Texels, likewise, beyond which the texture would not be what the scene shows."""
DECIMALS = 6
"""Of numbers in the file."""
TOO_LARGE = 2.0**31
"""What numbers of a locked texture stay below."""
LOCKS = (1, 32)
"""The version since which faces have axes and a place for a locked texture."""
TURNS = (1, 33)
"""The version since which textures turn by parts of a degree."""
_FIELDS = {
    "flags": "flags",
    "face_light": "light",
    "mip_map_bias": "mip_map_bias",
    "alpha": "translucency",
    "reflective_scale": "reflectivity",
    "rotate": "rotate",
    "shift": "shift",
    "scale": "scale",
    "light_scale": "light_scale",
}

Parameters = dict[str, Any]
"""Of an EditorFace, by the names of its fields."""


@dataclass
class FaceChanges:
    """What changed of a brush's faces."""

    counts: Counter[str] = field(default_factory=Counter)
    """What changed -> of how many faces."""
    kept: list[EditorFace] = field(default_factory=list)
    """The record's faces that are still there."""


def collect_editor_faces(
    shape: Shape, source: MeshFaces, collector: FaceCollector, records: list[EditorFace], version: tuple[int, int]
) -> tuple[list[EditorFace], FaceChanges]:
    """The faces of a solid: its records' own where nothing of them changed.

    records: all faces of the original. version: of the level. Raises SceneError for textures that the editor can't lay
    so.
    """
    if not shape.rings:  # it is as it was
        shape.rings = [_backwards(records[record].points.astype(np.float64)) for record in shape.records.tolist()]
    sides = collector.collect(shape, source)
    on_purpose = (shape.faces >= 0) & source.uv_edited[shape.faces] & (shape.records >= 0)
    if shape.brush < 0 and collector.settings.new_textures == "uv":
        on_purpose |= shape.records < 0
    _refuse_fine_turns(shape, source.object, sides, version)
    placed = _parameters(shape, source.object, sides, on_purpose, version, collector.report)
    changes = FaceChanges()
    result = []
    stays = shape.whole and shape.move is None
    for side, record in enumerate(shape.records.tolist()):
        was = records[record] if record >= 0 else None
        if was is None or sides.renamed[side]:
            checked_name(sides.names[side], source.object, int(shape.faces[side]))
        points = was.points if was is not None and stays else _points(shape.rings[side], was, shape)
        if was is not None and not len(shape.rings[side]) and shape.move is not None:
            points = _moved(was.points, shape.move)  # of a face that no mesh can show
        if was is None:
            result.append(_new_face(sides, side, points, placed[side]))
            changes.counts["faces added"] += 1
            continue
        made = {}
        if points.shape != was.points.shape or points.tobytes() != was.points.tobytes():
            made["points"] = points
            changes.counts["faces with other corners"] += 1
        rest = {_FIELDS[name]: _value(name, sides, side) for name in _FIELDS if sides.edited[name][side]}
        if sides.renamed[side]:
            rest["texture"] = sides.names[side]
        if rest:
            changes.counts["faces with other properties"] += 1
        placement = placed[side]
        if placement is not None:
            rest |= placement
            changes.counts["texture placements"] += 1
        kept = replace(was, **made, **rest) if made or rest else was
        changes.kept.append(was)
        result.append(kept)
    return result, changes


def _refuse_fine_turns(shape: Shape, obj: bpy.types.Object, sides: SideRecords, version: tuple[int, int]) -> None:
    """Raise SceneError where somebody turned a texture by a part of a degree, which a version has no number for."""
    turned = sides.edited["rotate"] & (sides.fields["rotate"] % 1 != 0) & (shape.faces >= 0)
    if version < TURNS and turned.any():
        raise SceneError(
            f"{obj.name}: attribute rotate of {number_of(int(turned.sum()), 'faces')}: before version 1.33 textures "
            "turn by whole degrees",
            [obj],
            {obj: shape.faces[turned].astype(np.int32)},
        )


def _value(name: str, faces: SideRecords, side: int) -> Any:
    value = faces.fields[name][side].tolist()
    if name == "face_light":
        return round(value)
    return tuple(value) if isinstance(value, list) else value


def _new_face(faces: SideRecords, side: int, points: Points, placement: Parameters | None) -> EditorFace:
    values = {_FIELDS[name]: _value(name, faces, side) for name in _FIELDS}
    return EditorFace(points, faces.names[side], **(values | (placement or {})))


def _backwards(ring: Floats) -> Floats:
    """A ring the other way round, from the same corner on."""
    return np.asarray(ring[(-np.arange(len(ring))) % max(len(ring), 1)])


def _points(ring: Floats, was: EditorFace | None, shape: Shape) -> Points:
    """A side's corners as the file has them, float32 [n, 3], clockwise seen from outside.

    Corners that are where the record has one are that, bit for bit; they begin with the record's first if they can.
    """
    points = _backwards(ring).astype(np.float32)
    if was is None or not len(was.points) or not len(points) or (shape.whole and shape.move is not None):
        return points + np.float32(0)
    away = np.abs(points[:, None] - was.points[None]).max(axis=2)
    nearest = away.argmin(axis=1)
    near = away[np.arange(len(points)), nearest] <= SAME_POINT
    points[near] = was.points[nearest[near]]
    first = np.flatnonzero(near & (nearest == nearest[near].min() if near.any() else near))
    if len(first):
        points = np.roll(points, int(nearest[first[0]]) - int(first[0]), axis=0)
    return points


def _moved(points: Points, move: Matrix) -> Points:
    """The points of a face, moved with its brush; the other way round where that is mirrored."""
    made = (points @ move[:3, :3].T + move[:3, 3]).astype(np.float32)
    return np.asarray(made[::-1] if np.linalg.det(move[:3, :3]) < 0 else made)


def _parameters(
    shape: Shape,
    obj: bpy.types.Object,
    faces: SideRecords,
    on_purpose: Bools,
    version: tuple[int, int],
    report: Report,
) -> list[Parameters | None]:
    """The editor's parameters of sides whose textures lie in another way than their records say, None for the others.

    Shifts are whole texels, and before version 1.33 turns whole degrees. Since version 1.32 a texture that lies in
    another way is locked to its face, and so stays one that was; before, it comes as near as it can. on_purpose: [k],
    whose UVs somebody edited: SceneError is raised for those that don't come near.
    """
    result: list[Parameters | None] = [None] * len(shape.records)
    sides = np.flatnonzero(faces.vectors | (shape.records < 0))
    if not len(sides):
        return result
    wanted: FaceArray = faces.faces[sides]
    locks = version >= LOCKS
    if not locks:
        wanted = textures.upright(wanted)
    settings = textures.parameters(wanted)
    for name in ("scale", "light_scale"):  # as the text will say it: far from 0, much follows from that
        said = np.round(settings[name], DECIMALS)
        settings[name] = np.where(said != 0, said, settings[name])
    rotate = np.round(settings["rotate"], DECIMALS if version >= TURNS else 0)
    made = wanted.copy()
    textures.lay(made, rotate, settings["scale"], 0.0, settings["light_scale"])
    if not locks:
        mirrored = (made["v_vec"] * wanted["v_vec"]).sum(axis=1) < 0
        settings["scale"][mirrored, 1] *= -1
        made["draw_scale_y"][mirrored] *= -1
    shift, off = _shifts(wanted, made, [shape.rings[side] for side in sides])
    flags = faces.fields["flags"][sides].astype(np.int64)
    numbers = np.column_stack([settings["shift"], settings["scale"], settings["light_scale"]])
    locked = locks & (np.abs(numbers) < TOO_LARGE).all(axis=1)
    locked &= ((flags & int(EditorFaceFlag.TEXTURELOCKED)) != 0) | (off > OFF_GRID)
    far = (off > TOO_FAR) & ~locked
    if (far & on_purpose[sides]).any():
        _refuse_far(shape, obj, sides[far])
    coarse = (off > OFF_GRID) & ~locked
    if coarse.any():
        report.warn(
            f"{obj.name}: the textures of {number_of(int(coarse.sum()), 'faces')} moved by up to "
            f"{off[coarse].max():.1f} texels: the editor's numbers are whole"
            + (", and its textures lie along the axes, not skewed" if far.any() else "")
        )
    for number, side in enumerate(sides.tolist()):
        one = settings[number]
        made_of: Parameters = {
            "rotate": float(rotate[number]),
            "shift": (int(shift[number, 0]), int(shift[number, 1])),
            "scale": (float(one["scale"][0]), float(one["scale"][1])),
            "light_scale": (float(one["light_scale"][0]), float(one["light_scale"][1])),
        }
        if locked[number]:
            made_of["shift"] = (int(one["shift"][0]), int(one["shift"][1]))
            made_of["flags"] = int(flags[number]) | int(EditorFaceFlag.TEXTURELOCKED)
            made_of["rotate"], made_of["transform"], made_of["position"] = lock(
                wanted[number], made_of["light_scale"], made_of["scale"], made_of["shift"]
            )
        elif flags[number] & EditorFaceFlag.TEXTURELOCKED:
            made_of["flags"] = int(flags[number]) & ~int(EditorFaceFlag.TEXTURELOCKED)
        result[side] = made_of
    return result


def _shifts(wanted: FaceArray, made: FaceArray, rings: Sequence[Points]) -> tuple[Floats, Floats]:
    """By how many whole texels textures have to be shifted to come nearest, float64[k, 2], and how far off they are
    then, float64[k]. made: the sides without a shift. rings: the corners of each.
    """
    owners = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    points = np.concatenate([np.empty((0, 3)), *rings])
    texel, bare = textures.texels(wanted, points, owners), textures.texels(made, points, owners)
    sizes = np.maximum(np.bincount(owners, minlength=len(rings)), 1)
    shift = np.column_stack([np.bincount(owners, column, len(rings)) for column in (texel - bare).T]) / sizes[:, None]
    shift = np.round(np.nan_to_num(shift))
    off = np.zeros(len(rings))
    np.maximum.at(off, owners, np.nan_to_num(np.abs(texel - bare - shift[owners]).max(axis=1, initial=0.0)))
    return shift, off


def _refuse_far(shape: Shape, obj: bpy.types.Object, sides: Ints) -> NoReturn:
    meshed = shape.faces[sides]
    raise SceneError(
        f"{obj.name}: the textures of {number_of(len(sides), 'faces')} lie in a way that the editor has no "
        "numbers for: it lays them on along the axes, shifted by whole texels, turned by whole degrees, and not "
        "skewed. Give the faces straight UVs",
        [obj],
        {obj: meshed[meshed >= 0].astype(np.int32)},
    )
