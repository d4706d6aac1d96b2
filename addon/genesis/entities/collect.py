# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and values back from custom properties, places from objects, and what lights say of their entities.

Text that still says what the scene says stays as it is; only what was edited is written anew.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable

import bpy
import numpy as np
from mathutils import Euler
from mathutils import Matrix as BlenderMatrix

from ....formats.arrays import Floats
from ....formats.genesis.editor_level import PLACELESS, POINT, EditorEntity
from ....formats.genesis.entities import CLASSNAME, NAME, ORIGIN, Entity, KeyValues
from ....formats.genesis.text import fixed
from ....formats.genesis.typedefs import TypeDef
from ...scene.blender_types import lamp_of
from ...scene.fields import properties
from ...scene.fields.properties import as_python
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.reports import Report, SceneError, naming
from .. import layout
from ..classes import values
from ..classes.types import Types, type_of
from ..context import ExportContext, numbered_name
from ..light.collect import collect_light, light_class
from ..parts.level import SceneEntity
from ..parts.placement import MOVED, Matrix, matrix_of
from .build import ANGLES, RESERVED, shown_pairs

_KINDS = ("string", "int", "float", "color", "point")
TURNED = 1e-3
"""Degrees, likewise."""


def collect_pairs(id_block: bpy.types.ID, record: KeyValues, report: Report, whole: bool = True) -> list[str]:
    """Give a record the pairs that a data-block's custom properties say. Returns the keys that were edited.

    whole: the properties were made of the record, so that one that is absent was deleted. Raises SceneError for values
    that no text can hold; new ones are told.
    """
    properties.tell_of_nested(id_block, report)
    shown = dict(shown_pairs(record))
    edited = []
    present = {key: as_python(id_block[key]) for key in _keys(id_block)}
    for key, text in shown.items():
        if key not in present:
            if whole:
                record.remove(key)
                edited.append(key)
        elif not isinstance(present[key], int | float | str | bytes | list):
            raise SceneError(
                f"{id_block.name}: property {key}: neither text nor numbers, so it can't be the value of an entity",
                _objects(id_block),
            )
        elif not _says(present[key], text):
            record.set(key, _text(id_block, key, present[key]))
            edited.append(key)
    for key, value in present.items():
        if key not in shown and not (properties.is_nested(value) or properties.is_registered(id_block, key)):
            record.set(key, _text(id_block, key, value))
            edited.append(key)
    return edited


def _keys(id_block: bpy.types.ID) -> list[str]:
    names: Iterable[str] = id_block.keys()
    return [key for key in names if not key.lower().startswith(RESERVED)]


def _says(value: object, text: str) -> bool:
    """Whether a property is what the import makes of a text, whatever the type of its key was then."""
    for kind in _KINDS:
        made = values.as_property(kind, text)
        if isinstance(made, list) == isinstance(value, list) and made == value and not _is_text_of_number(made, value):
            return True
    return False


def _is_text_of_number(made: object, value: object) -> bool:
    return isinstance(made, str | bytes) != isinstance(value, str | bytes)


def _text(id_block: bpy.types.ID, key: str, value: object) -> str:
    if isinstance(value, list) and not all(isinstance(one, int | float) for one in value):
        raise SceneError(
            f"{id_block.name}: property {key}: a list of text can't be the value of an entity", _objects(id_block)
        )
    text = values.as_text(value)
    if "\0" in text or (not text.isascii() and text.encode("latin-1", "ignore").decode("latin-1") != text):
        raise SceneError(
            f"{id_block.name}: property {key}: a level's text is Latin-1, without NULs", _objects(id_block)
        )
    return text


def _objects(id_block: bpy.types.ID) -> list[bpy.types.Object]:
    return [id_block] if isinstance(id_block, bpy.types.Object) else []


def collect_map_entity(
    exporting: ExportContext,
    part: SceneEntity,
    entity: Entity,
    root: bpy.types.Object | None,
    types: Types,
    taken: Container[str],
) -> None:
    """Give an entity of a `.map` what its object says. taken: names of the other entities, in lower case.

    Raises SceneError for what no entity can be.
    """
    obj = part.object
    fresh = part.record < 0 or part.copied
    with naming(obj):
        edited = collect_entity(exporting, obj, entity, fresh, root, types)
        if fresh and NAME not in edited:
            entity.set(NAME, name_of(obj, entity, taken))
    if edited and not fresh:
        exporting.note(f"entity {obj.name} changed: {', '.join(edited)}")


def name_of(obj: bpy.types.Object, record: KeyValues, taken: Container[str]) -> str:
    """The name of a new entity, which no other has: that of the one it was copied from, else its object's.

    taken: the others' names, in lower case.
    """
    own = identity.unnumbered(obj.name).encode("latin-1", "ignore").decode("latin-1")
    shown = record.name or own or record.classname
    return numbered_name(shown, taken) if shown.lower() in taken else shown


def collect_entity(
    exporting: ExportContext,
    obj: bpy.types.Object,
    record: KeyValues,
    new: bool,
    root: bpy.types.Object | None,
    types: Types,
) -> list[str]:
    """Merge what an entity's object says into its record: pairs, place, angles, light. Returns the edited keys.

    new: the record was made for this object, or it is a copy whose place counts. types: the classes that are known.
    """
    evaluates = transforms.needs_evaluation(obj, root)
    matrix = matrix_of(obj, root, exporting.context.evaluated_depsgraph_get() if evaluates else None)
    report = exporting.report
    before = KeyValues(list(record.pairs))
    edited = collect_pairs(obj, record, report)
    if new and CLASSNAME not in record:
        record.pairs.insert(0, (CLASSNAME, light_class(obj) or ""))
    known = types.get(record.classname.lower())
    channels = transforms.changed_channels(obj, root)
    moved = new or evaluates or bool(channels)
    place = layout.from_blender(matrix[:3, 3])
    if moved and _collect_place(record, not before.pairs, place, _place_key(record, known), report, obj):
        edited.append(ORIGIN)
    if isinstance(obj.data, bpy.types.Light):
        edited += collect_light(lamp_of(obj.data), record, before, exporting.scale, report)
    turned = evaluates or bool(channels - {transforms.LOCATION, transforms.SCALE})
    typed = ANGLES in (key.lower() for key in edited)
    if typed and not before.pairs:  # made in Blender: what was turned since counts, and where nothing was, the property
        typed = not turned or (obj.get(transforms.BASELINE) is None and _is_upright(_turn_of(obj, matrix)))
    all_around = isinstance(obj.data, bpy.types.PointLight)  # a new one is turned by nobody's wish: nothing shows it
    told = Report() if all_around and not before.pairs else report
    if (turned or new or CLASSNAME in edited) and not typed and _collect_angles(obj, record, matrix, types, told):
        edited.append(ANGLES)
    if known is not None:
        known.spell(record, edited if before.pairs and CLASSNAME not in edited else None)
        if isinstance(record, EditorEntity) and not before.pairs:
            record.style = POINT if known.origin else PLACELESS
    return list(dict.fromkeys(edited))


def _place_key(record: KeyValues, known: TypeDef | None) -> str:
    """The key of an entity's place; "" for an entity that has none. known: its class.

    In a `.3dt` the place is no key alone. For a class that nobody knows it isn't written as one: the editor makes the
    key, and spells it as the class does; one in another case it would keep, and leave out when it compiles.
    """
    if known is not None and known.origin:
        return known.origin
    return ORIGIN if ORIGIN in record or (known is None and not isinstance(record, EditorEntity)) else ""


def _collect_place(
    record: KeyValues, fresh: bool, place: Floats, key: str, report: Report, obj: bpy.types.Object
) -> bool:
    """Write where an entity is, if it moved. fresh: nothing says where it was. key: that of its place, "" for none."""
    was = record.origin
    if was is None and isinstance(record, EditorEntity) and not fresh:
        was = record.place
    if was is not None and np.abs(place - np.array(was)).max() <= MOVED + np.abs(place).max() * 1e-6:
        return False
    whole = [round(float(one)) for one in place]
    text = record.get(key) if key else None
    if was is not None and not (text is not None and "." in text) and was == tuple(map(float, whole)):
        report.warn(f"{obj.name}: it was moved by less than half a unit, and stays: places of entities are whole units")
        return False
    if text is not None and "." in text:
        record.set(key, " ".join(fixed(float(one) + 0.0) for one in place))
    elif key:
        if np.abs(place - np.array(whole)).max() > 0.01:
            report.warn(f"{obj.name} was moved to whole units: the places of entities are stored in those")
        record.set(key, " ".join(map(str, whole)))
    elif not isinstance(record, EditorEntity):
        if np.abs(place).max() <= MOVED:  # as an import shows it
            return False
        report.warn(f"{obj.name}: entities of the class {record.classname} have no place: where it is isn't written")
        return False
    if isinstance(record, EditorEntity):
        x, y, z = map(float, whole)
        record.place = (x, y, z)
    return True


def _collect_angles(obj: bpy.types.Object, record: KeyValues, matrix: Matrix, types: Types, report: Report) -> bool:
    """Write the angles of an entity that was turned, if its class has any."""
    turn = _turn_of(obj, matrix)
    text = record.get(ANGLES)
    if text is None and type_of(ANGLES, record.classname, types) != "point":
        if not _is_upright(turn):
            report.warn(f"{obj.name} was turned, but its class has no angles, as far as is known")
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
    record.set(ANGLES, " ".join(fixed(one + 0.0) for one in (x, y, z)))
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
