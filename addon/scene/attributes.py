# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh attributes as arrays, one call each way; an array of the exact dtype is copied 40 times faster than another."""

from __future__ import annotations

import ctypes
from typing import Literal, get_args

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...formats.arrays import Array, Int32s
from ...formats.counting import number_of
from .blender_types import elements_of
from .names import showable
from .reports import SceneError

Domain = Literal["POINT", "EDGE", "FACE", "CORNER"]
Kind = Literal[
    "FLOAT", "INT", "BOOLEAN", "INT8", "FLOAT_VECTOR", "FLOAT_COLOR", "BYTE_COLOR", "FLOAT2", "INT32_2D", "QUATERNION"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What `read` reads; Blender has others, too."""

LAYOUT: dict[str, tuple[str, type[np.generic], int]] = {
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "INT8": ("value", np.int8, 1),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT2": ("vector", np.float32, 2),
    "INT32_2D": ("value", np.int32, 2),
    "QUATERNION": ("value", np.float32, 4),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
}
"""Attribute type -> name that Blender gives its values, their dtype, how many an element. Colours are those that
materials see, however they are stored.
"""

_MANY = 1 << 8
"""Faces that are worth asking where Blender keeps them."""


def write(mesh: bpy.types.Mesh, name: str, domain: Domain, kind: Kind, values: ArrayLike) -> None:
    """Write a whole attribute, replacing one of the same name. values: [count] or [count, width], see LAYOUT.

    Raises ValueError if the values don't fit the domain's elements, or if Blender has another use for the name.
    """
    if mesh.is_editmode:
        raise ValueError(f"{mesh.name}: attributes can't be written in edit mode")
    attributes = mesh.attributes
    attribute: bpy.types.Attribute | None = attributes.get(name)
    if attribute is not None and (attribute.domain != domain or attribute.data_type != kind):
        attributes.remove(attribute)
        attribute = None
    attribute = attribute or attributes.new(showable(name), kind, domain)
    if attribute is None:
        raise ValueError(f"{mesh.name}: Blender can't make an attribute {name!r} of {domain.lower()}s")
    _set(attribute, values, name)


def face_starts(mesh: bpy.types.Mesh) -> Int32s:
    """Return the first corner of each face, int32[f]."""
    starts = np.empty(len(mesh.polygons), np.int32)
    memory = _memory_of_starts(mesh)
    if memory is None:
        mesh.polygons.foreach_get("loop_start", starts)
    else:
        ctypes.memmove(starts.ctypes.data, memory, starts.nbytes)
    return starts


def set_face_starts(mesh: bpy.types.Mesh, starts: Int32s) -> None:
    """Set the first corner of each face. starts: int32[f]. Raises ValueError where there are more or fewer faces."""
    values = flat(starts, np.int32, 1, len(mesh.polygons), "loop_start")
    if len(values):
        mesh.polygons[-1].loop_start = int(values[-1])  # zeros all over would look right anywhere
    memory = _memory_of_starts(mesh)
    if memory is None:
        mesh.polygons.foreach_set("loop_start", values)
    else:
        ctypes.memmove(memory, values.ctypes.data, values.nbytes)


def _memory_of_starts(mesh: bpy.types.Mesh) -> int | None:
    """The address where Blender has the first corner of each face, int32 one behind the other.

    They are no attribute, so `foreach_get` and `foreach_set` go through them one by one: 300,000 take 12 - 27 ms, and
    1 ms this way. None where there are few, and where an address doesn't hold what Blender says is there.
    """
    faces, count = mesh.polygons, len(mesh.polygons)
    if count < _MANY:
        return None
    first, last = faces[0], faces[count - 1]
    address, end = first.as_pointer(), last.as_pointer()
    if end - address != ctypes.sizeof(ctypes.c_int32) * (count - 1):
        return None
    told = ctypes.c_int32.from_address(address).value, ctypes.c_int32.from_address(end).value
    return address if told == (first.loop_start, last.loop_start) else None


def rewrite(mesh: bpy.types.Mesh, name: str, values: ArrayLike) -> None:
    """Write a whole attribute that a mesh has already, of the domain and type that it has.

    Raises ValueError as `write` does, KeyError where there is none.
    """
    if mesh.is_editmode:
        raise ValueError(f"{mesh.name}: attributes can't be written in edit mode")
    _set(mesh.attributes[name], values, name)


def create(mesh: bpy.types.Mesh, name: str, domain: Domain, kind: Kind, values: ArrayLike) -> None:
    """Write an attribute that a mesh which was just made hasn't got yet: `write` without looking first.

    Raises ValueError as `write` does.
    """
    attribute = mesh.attributes.new(showable(name), kind, domain)
    if attribute is None:
        raise ValueError(f"{mesh.name}: Blender can't make an attribute {name!r} of {domain.lower()}s")
    _set(attribute, values, name)


def _set(attribute: bpy.types.Attribute, values: ArrayLike, name: str) -> None:
    field, dtype, width = LAYOUT[attribute.data_type]
    elements = elements_of(attribute)
    elements.foreach_set(field, flat(values, dtype, width, len(elements), name))


def read(mesh: bpy.types.Mesh, name: str, domain: Domain | None = None, room: Array | None = None) -> Array | None:
    """Return an attribute's values (a copy), [count] or [count, width]; None if there is none in that domain.

    room: 4-byte numbers, in whose memory the values are put where they fit and have 4 bytes each: they are lost then.
    Raises ValueError for a mesh in edit mode: Blender then gives no values. `meshes.read` does.
    """
    if mesh.is_editmode:
        raise ValueError(f"{mesh.name}: attributes can't be read in edit mode (meshes.read can)")
    attribute: bpy.types.Attribute | None = mesh.attributes.get(name)
    if attribute is None or attribute.data_type not in LAYOUT or (domain is not None and attribute.domain != domain):
        return None
    field, dtype, width = LAYOUT[attribute.data_type]
    elements = elements_of(attribute)
    shape = (len(elements), width) if width > 1 else (len(elements),)
    count = len(elements) * width
    if room is not None and np.dtype(dtype).itemsize == room.itemsize and count <= room.size:
        values = room.reshape(-1)[:count].view(dtype).reshape(shape)
    else:
        values = np.empty(shape, dtype)
    elements.foreach_get(field, values.reshape(-1))
    return values


def whole_numbers(obj: bpy.types.Object, name: str, domain: str, values: Array | None) -> Int32s:
    """An attribute of an object's mesh as whole numbers, one a face, whatever type a node or a script gave it.

    domain, values: as `read` gives them. Raises SceneError where it holds something else.
    """
    if values is not None and domain == "FACE" and values.ndim == 1:
        if values.dtype == np.int32:
            return values
        if (np.abs(values) < 2**31).all() and (values == np.floor(values)).all():
            return values.astype(np.int32)
    raise SceneError(f"{obj.name}: attribute {name} must hold one whole number a face", [obj])


def flat(values: ArrayLike, dtype: type[np.generic], width: int, count: int, name: str) -> Array:
    """Return values as one row [count * width] of the exact dtype. Raises ValueError where there are more or fewer."""
    array = np.ascontiguousarray(values, dtype).reshape(-1)
    if len(array) != count * width:
        raise ValueError(f"{name}: {len(array)} numbers for {number_of(count, 'elements')} of {width}")
    return array
