# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail props: grass and the like. Models are instances, all sprites are one mesh."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Bytes, Indices, Records
from ....formats.binary import FormatError
from ....formats.source.numbers import doubles
from ....formats.source.placed import orientation
from ....formats.source.sections.detail_props import DetailProps
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext
from .boxes import box, show_box
from .models import Models

HOME = "Detail Props"
MATERIAL = "detail/detailsprites"
"""The material of sprites, unless the world's entity names another one."""
_WORLD_KEY = "detailmaterial"
_MODEL, _CROSS = 0, 2
_BOX = 8.0


def prepare(importing: ImportContext, known: Models) -> Steps[None] | None:
    """Make the meshes of detail props; what is returned makes the objects. Raises FormatError."""
    lump = importing.level.detail_props
    if lump is None or not len(lump.details):
        return None
    details = lump.details
    kinds = details["type"] if "type" in (details.dtype.names or ()) else np.zeros(len(details), np.uint8)
    numbers = np.flatnonzero(kinds == _MODEL)
    sprites = np.flatnonzero(kinds != _MODEL)
    used, which = np.unique(details["detail_model"][numbers], return_inverse=True)
    shown = [_mesh(known, lump, int(model)) for model in used]
    sheet = _sheet(importing, lump, sprites, kinds[sprites]) if len(sprites) and lump.sprites is not None else None
    return _place(importing, details, numbers, [shown[number] for number in which.reshape(-1).tolist()], sheet)


def _mesh(known: Models, lump: DetailProps, model: int) -> bpy.types.Mesh:
    names = lump.models
    if model >= len(names):
        raise FormatError(f"model {model} of {len(names)}", "detail props")
    found = known.of(names[model])
    return found if found is not None else box(names[model], [-_BOX, -_BOX, 0], [_BOX, _BOX, 2 * _BOX])


def _place(
    importing: ImportContext,
    details: Records,
    numbers: Indices,
    shown: list[bpy.types.Mesh],
    sheet: bpy.types.Mesh | None,
) -> Steps[None]:
    home = importing.group(HOME)
    width = len(str(len(details)))
    places = doubles(details["origin"]).tolist()
    angles = doubles(details["angles"]).tolist()
    for number, mesh in zip(numbers.tolist(), shown, strict=True):
        obj = bpy.data.objects.new(f"Detail {number:0{width}}", mesh)
        obj.parent = importing.root
        if mesh.get(layout.MODEL_PATH) is None:
            show_box(obj)
        identity.stamp(obj, importing.token, layout.DETAIL_PROP, number)
        obj.location, obj.rotation_euler = places[number], layout.euler(angles[number])
        home.objects.link(obj)
        yield
    if sheet is not None:
        importing.object_of(sheet.name, layout.DETAIL_SPRITES, 0, sheet, (home,))
    importing.report.count("detail props", len(details))


def _sheet(importing: ImportContext, lump: DetailProps, numbers: Indices, kinds: Bytes) -> bpy.types.Mesh:
    """One mesh of all sprites: an upright quad each, crosses and tris two of them. Faces have DETAIL = number + 1.

    The game turns most of them to the camera; here they look where their angles let them.
    """
    details, sprites = lump.details, lump.sprites
    if sprites is None:
        raise FormatError("has no sprites", "detail props")
    kind = details["detail_model"].astype(np.int64)
    if (kind[numbers] >= len(sprites)).any():
        raise FormatError(f"sprite {kind[numbers].max()} of {len(sprites)}", "detail props")
    twice = np.flatnonzero(kinds >= _CROSS)
    own = np.concatenate([np.arange(len(numbers)), twice])
    turn = np.concatenate([np.zeros(len(numbers)), np.full(len(twice), 90.0)])
    order = np.argsort(own, kind="stable")
    own, turn = numbers[own[order]], turn[order]
    sprite = sprites[kind[own]]
    scale = doubles(details["scale"][own])[:, None]
    low, high = sprite["lr"] * scale, sprite["ul"] * scale
    corners = np.zeros((len(own), 4, 3))
    corners[:, :, 1] = np.stack([low[:, 0], high[:, 0], high[:, 0], low[:, 0]], axis=1)
    corners[:, :, 2] = np.stack([low[:, 1], low[:, 1], high[:, 1], high[:, 1]], axis=1)
    angles = doubles(details["angles"][own])
    angles[:, 1] += turn
    points = (
        np.einsum("nij,nkj->nki", orientation.rotations(angles), corners) + doubles(details["origin"][own])[:, None]
    )
    (left, top), (right, bottom) = sprite["tex_ul"].T, sprite["tex_lr"].T
    uvs = np.stack(
        [np.stack([u, 1 - v], axis=1) for u, v in ((right, bottom), (left, bottom), (left, top), (right, top))], axis=1
    )
    mesh = meshes.build(
        "Detail Sprites",
        points.reshape(-1, 3).astype(np.float32),
        uvs={layout.UV: uvs.reshape(-1, 2).astype(np.float32)},
        attributes={layout.DETAIL: ("FACE", "INT", (own + 1).astype(np.int32))},
        report=importing.report,
    )
    name = next((entity.get(_WORLD_KEY) for entity in importing.level.entities.of_class("worldspawn")), None)
    mesh.materials.append(importing.materials.of((name or MATERIAL).replace("\\", "/").lower()))
    return mesh
