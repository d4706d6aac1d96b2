# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of older editors in today's terms: what the editor makes of them when it loads them (genesis.md §2)."""

from dataclasses import replace

import numpy as np

from .editor_level import VERSION, EditorBrush, EditorEntity, EditorFace, EditorModel, Group, Level3dt, Sky
from .editor_settings import new_settings
from .motion import Motion, Path
from .records import EditorBrushFlag, EditorFaceFlag

CENTIMETERS = 1 / 2.54  # units in one

_KEPT_1_10 = (
    EditorBrushFlag.DETAIL
    | EditorBrushFlag.HOLLOW
    | EditorBrushFlag.SUBTRACT
    | EditorBrushFlag.HOLLOWCUT
    | EditorBrushFlag.HIDDEN
    | EditorBrushFlag.LOCKED
)
_OLD_FACE_FLAGS = {  # before 1.13
    4: EditorFaceFlag.LIGHT,
    8: EditorFaceFlag.MIRROR,
    16: EditorFaceFlag.FULLBRIGHT,
    32: EditorFaceFlag.SKY,
}


def upgraded(level: Level3dt) -> Level3dt:
    """The same level as one of version 1.31, or of its own if that is newer; the level itself is not changed.

    Before 1.4 z was the other way; before 1.6 texture scales were centimetres, before 1.10 the places of entities and
    models; flags had other meanings, and translucency was the brush's.
    """
    convert = _Upgrade(level.version)
    version = max(level.version, VERSION)
    return Level3dt(
        version=version,
        texture_library=level.texture_library,
        headers_directory=level.headers_directory,
        actors_directory=level.actors_directory,
        pawn_ini=level.pawn_ini,
        brushes=[convert.brush(brush) for brush in level.brushes],
        entities=[convert.entity(entity) for entity in level.entities],
        current_entity=level.current_entity,
        models=[convert.model(model) for model in level.models],
        groups=[replace(group, span=None) for group in level.groups] or [Group("Default", 0)],
        sky=replace(level.sky, span=None) if level.sky is not None else Sky(),
        settings=level.settings or new_settings(level.newline),
        newline=level.newline,
    )


class _Upgrade:
    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version

    def before(self, minor: int) -> bool:
        return self.version < (1, minor)

    def brush(self, brush: EditorBrush) -> EditorBrush:
        flags = brush.flags
        if self.before(11):
            flags = (flags & int(_KEPT_1_10)) | int(EditorBrushFlag.SOLID)
        if self.before(25):
            flags &= ~int(EditorBrushFlag.FLOCKING)
        if self.before(29):
            flags &= ~int(EditorBrushFlag.SHEET)
        transparent = bool(flags & EditorBrushFlag.TRANSLUCENT)
        children = None if brush.children is None else [self.brush(child) for child in brush.children]
        return replace(
            brush,
            flags=flags & ~int(EditorBrushFlag.TRANSLUCENT),
            hull_size=max(brush.hull_size, 1.0),
            translucency=0,
            faces=[self.face(face, brush.translucency, transparent) for face in brush.faces],
            children=children,
            span=None,
            list_span=None,
        )

    def face(self, face: EditorFace, translucency: int, transparent: bool) -> EditorFace:
        flags = face.flags
        if self.before(13):
            flags = sum(int(now) for old, now in _OLD_FACE_FLAGS.items() if flags & old)
        if self.before(11):
            flags &= ~int(EditorFaceFlag.MIRROR | EditorFaceFlag.FULLBRIGHT | EditorFaceFlag.SKY)
        if self.before(25):
            flags &= ~int(EditorFaceFlag.GOURAUD | EditorFaceFlag.FLAT)
        if self.before(29):
            flags |= int(EditorFaceFlag.VISIBLE)
        if self.before(30):
            flags &= ~int(EditorFaceFlag.TRANSPARENT)
        if transparent:
            flags |= int(EditorFaceFlag.TRANSPARENT)
        points = face.points
        if self.before(4):
            points = points[::-1] * np.array([1, 1, -1], np.float32)
        scale = face.scale
        if self.before(6):
            scale = (scale[0] * CENTIMETERS, scale[1] * CENTIMETERS)
        return replace(
            face,
            points=points.copy(),
            flags=flags & ~int(EditorFaceFlag.SELECTED),
            scale=scale,
            light_scale=face.scale if self.before(17) else face.light_scale,
            translucency=float(min(max(translucency, 0), 255)) if self.before(27) else face.translucency,
            value=0.0,
            span=None,
        )

    def entity(self, entity: EditorEntity) -> EditorEntity:
        x, y, z = entity.place
        if self.before(4):
            z = -z
        factor = CENTIMETERS if self.before(10) else 1.0
        group = 0 if self.before(7) and entity.group_id == -1 else entity.group_id
        place = (x * factor, y * factor, z * factor)
        return replace(entity, pairs=list(entity.pairs), place=place, group_id=group, span=None)

    def model(self, model: EditorModel) -> EditorModel:
        motion = model.motion
        transform = model.transform
        if self.before(10):
            transform = (*transform[:9], *(CENTIMETERS * value for value in transform[9:]))
            motion = None if motion is None else _scaled(motion, CENTIMETERS)
        return replace(model, transform=transform, motion=motion, span=None)


def _scaled(motion: Motion, factor: float) -> Motion:
    """A motion with its translations scaled."""
    paths = []
    for path in motion.paths:
        track = path.translation
        paths.append(Path(path.rotation, None if track is None else replace(track, values=track.values * factor)))
    return replace(motion, paths=paths, source=None)
