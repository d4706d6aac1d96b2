# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and values back from custom properties, places from objects, and what lights say of their entities.

Text that still says what the scene says stays as it is; only what was edited is written anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from mathutils import Euler
from mathutils import Matrix as BlenderMatrix

from ....formats.genesis.editor_level import EditorEntity
from ....formats.genesis.entities import CLASSNAME, ORIGIN, KeyValues
from ....formats.genesis.text import fixed
from ...scene import transforms
from ...scene.reports import Report, SceneError
from .. import layout, values
from ..light import kinds as lights
from ..light.kinds import COMPILED
from ..scene_parts import Matrix
from . import build as entities
from .build import Types

_KINDS = ("string", "int", "float", "color", "point")
MOVED = 1e-3
"""Units by which a place may be off its text and leave it: Blender keeps single precision."""
TURNED = 1e-3
"""Degrees, likewise."""
ALIKE = 1e-4
"""Share by which a light's numbers may differ from what its keys make of it."""
HALF_STEP = 1 / 1020
"""Half a step of a colour's 0 to 255, halved again."""
_SKIPPED = frozenset((layout.ORDER, layout.TEXTURE))


def read_pairs(id_block: bpy.types.ID, record: KeyValues, whole: bool = True) -> list[str]:
    """Give a record the pairs that a data-block's custom properties say. Returns the keys that were edited.

    whole: the properties were made of the record, so that one that is absent was deleted. Raises SceneError for values
    that no text can hold.
    """
    shown = dict(entities.shown_pairs(record))
    edited = []
    present = {key: values.plain(id_block[key]) for key in _keys(id_block)}
    for key, text in shown.items():
        if key not in present:
            if whole:
                record.remove(key)
                edited.append(key)
        elif not _says(present[key], text):
            record.set(key, _text(id_block, key, present[key]))
            edited.append(key)
    for key, value in present.items():
        if key not in shown and isinstance(value, int | float | str | bytes | list):
            record.set(key, _text(id_block, key, value))
            edited.append(key)
    return edited


def _keys(id_block: bpy.types.ID) -> list[str]:
    names: Iterable[str] = id_block.keys()
    return [key for key in names if not key.lower().startswith(entities.RESERVED) and key not in _SKIPPED]


def _says(value: Any, text: str) -> bool:
    """Whether a property is what the import makes of a text, whatever the type of its key was then."""
    for kind in _KINDS:
        made = values.as_property(kind, text)
        if isinstance(made, list) == isinstance(value, list) and made == value and not _is_text_of_number(made, value):
            return True
    return False


def _is_text_of_number(made: Any, value: Any) -> bool:
    return isinstance(made, str | bytes) != isinstance(value, str | bytes)


def _text(id_block: bpy.types.ID, key: str, value: Any) -> str:
    if isinstance(value, list) and not all(isinstance(one, int | float) for one in value):
        raise SceneError(
            f"{id_block.name}: property {key}: a list of text is no value of an entity", _objects(id_block)
        )
    text = values.as_text(value)
    if "\0" in text or (not text.isascii() and text.encode("latin-1", "ignore").decode("latin-1") != text):
        raise SceneError(
            f"{id_block.name}: property {key}: a level's text is Latin-1, without NULs", _objects(id_block)
        )
    return text


def _objects(id_block: bpy.types.ID) -> list[bpy.types.Object]:
    return [id_block] if isinstance(id_block, bpy.types.Object) else []


def read_entity(
    obj: bpy.types.Object,
    record: KeyValues,
    new: bool,
    matrix: Matrix,
    root: bpy.types.Object | None,
    types: Types,
    scale: float,
    report: Report,
) -> list[str]:
    """Lay an entity's object over its record: pairs, place, angles, light. Returns the keys that were edited.

    new: the record was made for this object, or it is a copy whose place counts. matrix: where it is below the root.
    types: the classes that are known. scale: metres a unit, of the import.
    """
    before = KeyValues(list(record.pairs))
    edited = read_pairs(obj, record)
    if new and CLASSNAME not in record:
        record.pairs.insert(0, (CLASSNAME, _light_class(obj) or ""))
    channels = transforms.changed_channels(obj, root)
    moved = new or bool(channels)
    if moved and _read_place(record, not before.pairs, layout.from_blender(matrix[:3, 3]), report, obj):
        edited.append(ORIGIN)
    if isinstance(obj.data, bpy.types.Light):
        edited += _read_light(obj.data, record, before, scale, report)
    turned = bool(channels - {transforms.LOCATION, transforms.SCALE})
    typed = entities.ANGLES in (key.lower() for key in edited)
    if typed and not before.pairs:  # made in Blender: what was turned since counts, and where nothing was, the property
        typed = not turned or (obj.get(transforms.BASELINE) is None and _is_upright(_turn_of(obj, matrix)))
    if (turned or new or CLASSNAME in edited) and not typed and _read_angles(obj, record, matrix, types, report):
        edited.append(entities.ANGLES)
    return list(dict.fromkeys(edited))


def _light_class(obj: bpy.types.Object) -> str | None:
    """The class of an entity that a Blender light is."""
    if not isinstance(obj.data, bpy.types.Light):
        return None
    return COMPILED.get(obj.data.type)


def _read_place(record: KeyValues, fresh: bool, place: Any, report: Report, obj: bpy.types.Object) -> bool:
    """Write where an entity is, if it moved. fresh: nothing says where it was."""
    was = record.origin
    if was is None and isinstance(record, EditorEntity) and not fresh:
        was = record.place
    if was is not None and np.abs(place - np.array(was)).max() <= MOVED + np.abs(place).max() * 1e-6:
        return False
    text = record.get(ORIGIN)
    if text is not None and "." in text:
        record.set(ORIGIN, " ".join(fixed(float(one) + 0.0) for one in place))
    else:
        whole = [round(float(one)) for one in place]
        if np.abs(place - np.array(whole)).max() > 0.01:
            report.warn(f"{obj.name} was moved to whole units: the places of entities are stored in those")
        record.set(ORIGIN, " ".join(map(str, whole)))
    if isinstance(record, EditorEntity):
        x, y, z = (float(round(float(one))) for one in place)
        record.place = (x, y, z)
    return True


def _read_angles(obj: bpy.types.Object, record: KeyValues, matrix: Matrix, types: Types, report: Report) -> bool:
    """Write the angles of an entity that was turned, if its class has any."""
    turn = _turn_of(obj, matrix)
    text = record.get(entities.ANGLES)
    if text is None and entities.type_of(entities.ANGLES, record.classname, types) != "point":
        shines_all_around = isinstance(obj.data, bpy.types.Light) and obj.data.type != "SPOT"
        if not shines_all_around and not _is_upright(turn):
            report.left_out("turns of entities whose classes have no angles, as far as is known")
        return False
    was = [] if text is None else values.as_property("point", text)
    if not isinstance(was, list):
        return False
    is_light = isinstance(obj.data, bpy.types.Light)
    euler = BlenderMatrix(turn.tolist()).to_euler(values.ROTATION_MODE)
    x, y, z = values.angles((euler.x, euler.y, euler.z), is_light)
    now = _rotation_of(values.rotation([x, y, z], is_light))
    if was and np.abs(now - _rotation_of(values.rotation(was, is_light))).max() <= math.radians(TURNED):
        return False
    record.set(entities.ANGLES, " ".join(fixed(one + 0.0) for one in (x, y, z)))
    return True


def _turn_of(obj: bpy.types.Object, matrix: Matrix) -> Matrix:
    """How an object is turned, float64 [3, 3]: without its scale. Raises SceneError for a scale of 0."""
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if not (lengths > 0).all():
        raise SceneError(f"{obj.name}: its scale is 0, so it has no direction", [obj])
    return np.asarray(matrix[:3, :3] / lengths)


def _is_upright(turn: Matrix) -> bool:
    return bool(np.abs(turn - np.eye(3)).max() <= math.radians(TURNED))


def _rotation_of(euler: tuple[float, float, float]) -> Matrix:
    return np.array(Euler(euler, values.ROTATION_MODE).to_matrix(), np.float64)


def _read_light(light: Any, record: KeyValues, before: KeyValues, scale: float, report: Report) -> list[str]:
    """Write what was edited of a Blender light: a light or a spotlight, brightness, reach, colour, a spotlight's cone.

    before: the record without the edits of properties, which go before those of the light.
    """
    edited = []
    was = record.classname.lower()
    if was in COMPILED.values() and COMPILED.get(light.type, was) != was:
        record.set(CLASSNAME, COMPILED[light.type])
        edited.append(CLASSNAME)
    kind = lights.kind_of(record.classname) or lights.KINDS[COMPILED.get(light.type, COMPILED["POINT"])]
    look = lights.look(kind, lights.told(before.pairs), scale)
    brightness = round(lights.brightness_of(kind, light.energy, look.cutoff, scale))
    color = lights.color_of((light.color[0], light.color[1], light.color[2]))
    cone = light.spot_size if light.type == "SPOT" else look.spot_size
    reach = light.cutoff_distance if kind.reach else look.cutoff
    same_color = all(abs(one - other) <= HALF_STEP for one, other in zip(light.color, look.color, strict=True))
    for key, value, same in (
        (kind.brightness, brightness, _alike(light.energy, look.energy)),
        (kind.reach, round(reach / scale), _alike(reach, look.cutoff)),
        (kind.color, color, same_color),
        (kind.arc, round(lights.arc_of(cone)), _alike(cone, look.spot_size)),
    ):
        fresh = key not in before and not before.pairs
        if key and (not same or fresh) and record.get(key) == before.get(key):
            record.set(key, values.as_text(value))
            edited.append(key)
    if not kind.brightness and not _alike(light.energy, look.energy):
        report.warn(f"{light.name}: a {record.classname} has no brightness of its own: its power is not exported")
    return edited


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= ALIKE * max(abs(one), abs(other))
