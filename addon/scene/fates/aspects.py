# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of a data-block and anybody can change there: its aspects, each with a name and a value.

An object has its name, its place, its parent, its custom properties, and all that its data shows: a mesh its vertices,
faces and attributes, a light its energy and size. How Blender displays a thing (hidden, in wireframe, locked) is no
aspect of it: it belongs to nobody's level. A value that animation or a driver sets has no aspect of its own, since it
is another one in each frame; what sets it has.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from operator import attrgetter
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, NodeTree, Object

from ....formats.arrays import Array
from .. import attributes
from ..blender_types import Socket, Value
from ..fields import properties
from ..kept import identity, originals
from ..media import animation, images

PROPERTY, ATTRIBUTE, LIST = "property ", "attribute ", "list "
"""What the names of aspects begin with that are a custom property, an attribute of a mesh, a list in the sidebar."""
GONE = "deleted property "
"""What is said of a custom property that was deleted begins so."""
OURS = "levelwright"
"""What the names of properties begin with that are for the extension alone: they are no aspects."""
_IDENTITY = frozenset((identity.ID, identity.CHECK, "vertex_id", "vertex_check"))
_SHAPE = frozenset(("position", "custom_normal", "sharp_face", "sharp_edge", "material_index"))
"""Attributes that have aspects of their own."""
_SIMPLE = frozenset(("BOOLEAN", "INT", "FLOAT", "ENUM", "STRING"))
_DISPLAY = re.compile(
    r"name|tag|use_(fake|extra)_user|show_.*|passepartout_.*|display_.*|pass_index|is_runtime_data|use_preview_world"
    r"|preview_.*|paint_.*|lineart|active_.*|is_embedded_data|is_missing"
)
"""What of lights, cameras and the like says how Blender displays them."""


class Aspect(NamedTuple):
    """One thing that Blender shows of a data-block."""

    name: str
    read: Callable[[Value], object]
    """Gives its value, of the data-block: a number, text, or nested sequences and arrays of them."""
    default: object = None
    """What it is of a data-block that was just made."""
    of_elements: bool = False
    """It has a value for each element of a mesh: arrays of different lengths can't be compared."""


COUNTS = 32
"""From this bit on a fingerprint has the number of elements, where an aspect is of elements."""


def fingerprint(value: object, default: object = None) -> int:
    """Return a number that tells whether a value has changed: 0 for the default and for nothing, else its CRC-32."""
    if not isinstance(value, np.ndarray) and (value is None or value == () or value == default):
        return 0
    return zlib.crc32(_bytes(value)) or 1


def names(block: bpy.types.ID) -> list[str]:
    """Return the names of a data-block's aspects, with those of an object's data."""
    data = data_of(block)
    return [aspect.name for holder in (block, data) if holder is not None for aspect in of(holder)]


def values(block: bpy.types.ID) -> dict[str, object]:
    """Return the values of a data-block's aspects by name, with those of an object's data: but for the default ones."""
    found: dict[str, object] = {}
    for holding in (nullcontext(block), readable_data(block)):
        with holding as holder:
            for aspect in of(holder) if holder is not None else ():
                value = aspect.read(holder)
                if fingerprint(value, aspect.default):
                    found.setdefault(aspect.name, value)  # data may have a property of the same name as its object
    return found


def of(holder: bpy.types.ID) -> Iterator[Aspect]:
    """Give each aspect of a data-block alone."""
    yield from static(holder)
    yield from custom_properties(holder)
    if isinstance(holder, Mesh):
        yield from mesh_attributes(holder)
    if isinstance(holder, Collection) and originals.describe(holder) is not None:
        yield from lists(holder)


@contextmanager
def readable_data(block: bpy.types.ID) -> Iterator[bpy.types.ID | None]:
    """Give the data of an object to read from: of a mesh in edit mode, which can't be read, a copy as it is now."""
    data = data_of(block)
    if not (isinstance(block, Object) and isinstance(data, Mesh) and data.is_editmode):
        yield data
        return
    block.update_from_editmode()
    copy = data.copy()
    try:
        yield copy
    finally:
        bpy.data.meshes.remove(copy)


def data_of(block: bpy.types.ID) -> bpy.types.ID | None:
    """Return the data of an object; None of one without, and of any other data-block."""
    return block.data if isinstance(block, Object) else None


def static(block: bpy.types.ID) -> Sequence[Aspect]:
    """Return the aspects that all data-blocks of this one's type have."""
    kind: Value = type(block)
    return _static(kind)


def custom_properties(block: bpy.types.ID, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Aspect]:
    """Give an aspect for each custom property that isn't the extension's own. wanted: says which, by their names."""
    keys: Iterable[str] = block.keys()
    for key in keys:
        if key.startswith(OURS) or key == "cycles" or not wanted(PROPERTY + key):
            continue
        if not properties.is_registered(block, key):  # the slowest of the questions
            yield Aspect(PROPERTY + key, partial(_property, key))


def mesh_attributes(mesh: bpy.types.Mesh, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Aspect]:
    """Give an aspect for each attribute that artists see, UV maps and colours included. wanted: says which."""
    for name in mesh.attributes.keys():  # noqa: SIM118 - iterating gives attributes
        if not name.startswith(".") and name not in _IDENTITY and name not in _SHAPE and wanted(ATTRIBUTE + name):
            yield Aspect(ATTRIBUTE + name, partial(_attribute, name), of_elements=True)


def lists(level: bpy.types.Collection) -> Iterator[Aspect]:
    """Give an aspect for each field of the lists of a level in the sidebar, and for each switch beside them."""
    kind: Value = type(level)
    for prop in _registered(kind):
        group: Value = prop.fixed_type.bl_rna if prop.type == "POINTER" else None
        for field in group.properties if group is not None else ():
            if field.type == "COLLECTION":
                for one in filter(_is_shown, field.fixed_type.bl_rna.properties):
                    read = partial(_of_list, prop.identifier, field.identifier, one.identifier)
                    yield Aspect(f"{list_title(prop, field)}: {one.identifier}", read, (), of_elements=True)
            elif _is_shown(field):
                read = partial(_beside_list, prop.identifier, field.identifier)
                yield Aspect(list_title(prop, field), read, field.default)


def list_title(prop: Value, field: Value) -> str:
    """Return what the aspects of a list begin with, and what a switch is called. prop: the group of both, as RNA."""
    return f"{LIST}{prop.identifier.removeprefix(OURS)[1:]} {field.identifier}".replace("_", " ")


def _is_shown(field: Value) -> bool:
    """Whether the sidebar shows a field of a list as one that can be changed: it has a label there."""
    return field.is_runtime and field.name != field.identifier and field.type in _SIMPLE


@cache
def _registered(kind: Value) -> tuple[Value, ...]:
    """The properties that the extension gave to all data-blocks of a kind."""
    return tuple(prop for prop in kind.bl_rna.properties if prop.is_runtime and prop.identifier.startswith(OURS))


def _of_list(key: str, items: str, field: str, block: bpy.types.ID) -> object:
    found: list[Value] = [getattr(item, field) for item in getattr(getattr(block, key), items)]
    return tuple(tuple(one) if hasattr(one, "__len__") and not isinstance(one, str) else one for one in found)


def _beside_list(key: str, field: str, block: bpy.types.ID) -> object:
    return getattr(getattr(block, key), field)


def _still(read: Callable[[Value], object], *paths: str) -> Callable[[Value], object]:
    """Read a value, but None where animation or a driver sets it: one of these data paths."""
    return lambda block: None if block.animation_data is not None and _is_set(block, paths) else read(block)


def _is_set(block: Value, paths: Iterable[str]) -> bool:
    """Whether animation or a driver sets one of these data paths of a data-block."""
    data = block.animation_data
    found = {one.data_path for one in data.drivers}
    actions = [data.action, *(strip.action for strip in animation.strips(block))]
    found.update(curve.data_path for action in actions if action is not None for curve in animation.fcurves(action))
    return not found.isdisjoint(paths)


def _property(key: str, block: Value) -> object:
    data = getattr(block, "animation_data", None)
    if data is not None and _is_set(block, (f'["{key}"]',)):
        return None
    value: Value = block.get(key)
    return value.to_list() if hasattr(value, "to_list") else value


def _attribute(name: str, mesh: bpy.types.Mesh) -> object:
    found: bpy.types.Attribute | None = mesh.attributes.get(name)
    if found is None:
        return None
    if found.data_type not in attributes.LAYOUT:
        return (found.data_type, found.domain)
    return attributes.read(mesh, name)


@cache
def _static(kind: type) -> tuple[Aspect, ...]:
    found = next((each for base, each in _OF.items() if issubclass(kind, base)), ())
    settings = next((word for base, word in _SETTINGS.items() if issubclass(kind, base)), None)
    return (*found, *(_of_rna(kind, settings) if settings is not None else ()))


def _of_rna(kind: Value, word: str) -> Iterator[Aspect]:
    """Every plain setting of a type of data-blocks."""
    for prop in kind.bl_rna.properties:
        if prop.is_readonly or prop.is_runtime or prop.type not in _SIMPLE or _DISPLAY.fullmatch(prop.identifier):
            continue
        if getattr(prop, "is_deprecated", False):  # asking for it warns (Blender 5.2)
            continue
        if prop.type == "ENUM":
            default = prop.default if not prop.is_enum_flag else None
        else:
            default = tuple(prop.default_array) if getattr(prop, "is_array", False) else prop.default
        yield Aspect(f"{word} {prop.identifier.replace('_', ' ')}", partial(_setting, prop.identifier), default)


_SWITCHES = {"cutoff_distance": "use_custom_distance", "temperature": "use_temperature"}
"""Settings that Blender greys out and ignores, and what turns them on."""


def _setting(identifier: str, block: Value) -> object:
    if identifier in _SWITCHES and not getattr(block, _SWITCHES[identifier], True):
        return None
    if block.animation_data is not None and _is_set(block, (identifier,)):
        return None
    value: Value = getattr(block, identifier)
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


# ---- values


def marks(wanted: Iterable[Aspect], holder: bpy.types.ID) -> dict[str, int]:
    """Return the fingerprints of aspects of a data-block by name, with the number of elements where they are of those.

    Aspects whose fingerprint is 0 are left out. An import waits for it at each object, so that it has no calls in it
    that it can do without.
    """
    found = {}
    for name, read, default, of_elements in wanted:
        value = read(holder)
        if value is None or (value.__class__ is not np.ndarray and value == default):
            continue
        if value.__class__ is str:
            found[name] = zlib.crc32(value.encode("utf-8", "surrogatepass")) or 1
        elif one := fingerprint(value, default):
            found[name] = one | len(value) << COUNTS if of_elements and isinstance(value, np.ndarray | tuple) else one
    return found


def comparable(one: int, other: int) -> bool:
    """Whether two marks are of as many elements; of none of elements they always are."""
    return not one or not other or one >> COUNTS == other >> COUNTS


def is_counted(one: int) -> bool:
    """Whether a mark is of elements, at least one."""
    return one >> COUNTS > 0


def _bytes(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, list | tuple):
        return b"(" + b",".join(_bytes(one) for one in value) + b")"
    return value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")


def _own_name(block: bpy.types.ID) -> str:
    return identity.unnumbered(block.name)


def _rotation(obj: bpy.types.Object) -> object:
    if obj.rotation_mode == "QUATERNION":
        return None if obj.rotation_quaternion[:] == (1.0, 0.0, 0.0, 0.0) else obj.rotation_quaternion[:]
    if obj.rotation_mode == "AXIS_ANGLE":
        return obj.rotation_axis_angle[:] if obj.rotation_axis_angle[0] else None
    return (obj.rotation_mode, *obj.rotation_euler[:]) if any(obj.rotation_euler[:]) else None


def _delta(obj: bpy.types.Object) -> object:
    deltas = (*obj.delta_location[:], *obj.delta_rotation_euler[:], *obj.delta_scale[:])
    return deltas if deltas != (0.0,) * 6 + (1.0,) * 3 else None


def _parent(obj: bpy.types.Object) -> object:
    parent = obj.parent
    return None if parent is None else identity.told_by(parent)


def _slots(holder: Value) -> tuple[str | None, ...]:
    return tuple(slot.material and _own_name(slot.material) for slot in holder.material_slots)


def _kinds(members: Iterable[Value]) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.type) for one in members)


def _animation(block: Value) -> object:
    data = block.animation_data
    if data is None:
        return None
    strips = tuple((strip.name, strip.frame_start, strip.frame_end) for strip in animation.strips(block))
    drivers = tuple((one.data_path, one.array_index) for one in data.drivers)
    return (data.action and data.action.name, strips, drivers) if data.action or strips or drivers else None


def _keys(action: bpy.types.Action) -> object:
    return [
        (curve.data_path, curve.array_index, [(*key.co[:], key.interpolation) for key in curve.keyframe_points])
        for curve in animation.fcurves(action, animation.slot(action))
    ]


def _vertices(mesh: bpy.types.Mesh) -> object:
    return attributes.read(mesh, "position", "POINT")  # fifty times as fast as from the vertices (blender.md §5)


def _faces(mesh: bpy.types.Mesh) -> object:
    return [attributes.face_starts(mesh), attributes.read(mesh, ".corner_vert", "CORNER")]


def _materials_of_faces(mesh: bpy.types.Mesh) -> object:
    found = attributes.read(mesh, "material_index", "FACE")
    return found if found is not None and found.any() else None


def _shading(mesh: bpy.types.Mesh) -> object:
    """Which faces and edges are sharp."""
    found = (attributes.read(mesh, "sharp_face", "FACE"), attributes.read(mesh, "sharp_edge", "EDGE"))
    sharp = [each for each in found if each is not None and each.any()]
    return np.concatenate(sharp) if sharp else None


def _normals(mesh: bpy.types.Mesh) -> object:
    if not mesh.has_custom_normals:
        return None
    found = np.empty(3 * len(mesh.loops), np.float32)
    mesh.corner_normals.foreach_get("vector", found)
    return np.rint(found * 64).astype(np.int8)  # Blender rounds them, and anew wherever it keeps them


def _shape_keys(mesh: bpy.types.Mesh) -> object:
    return tuple(key.name for key in mesh.shape_keys.key_blocks) if mesh.shape_keys is not None else None


def _splines(curve: bpy.types.Curve) -> object:
    found = []
    for spline in curve.splines:
        found += [_of_points(spline.points, "co", 4)]
        found += [_of_points(spline.bezier_points, name, 3) for name in ("co", "handle_left", "handle_right")]
    return found


def _of_points(points: Value, name: str, width: int) -> Array:
    values = np.empty((len(points), width), np.float32)
    points.foreach_get(name, values.reshape(-1))
    return values


def _pixels(image: bpy.types.Image) -> object:
    """What tells pictures apart without a look at each pixel: painted ones are dirty, packed again they are others.

    Files may be packed, and their paths be made relative: that edits no picture. To ask for the size would have Blender
    decode it.
    """
    packed, size = image.packed_file, image.get(images.SIZE)
    shown = packed.size if packed is not None else bpy.path.basename(image.filepath)
    if not images.seems_painted(image):  # the file as it was, packed or not
        own = size if packed is None else shown
        shown = own if image.get(images.BASELINE) is not None else bpy.path.basename(image.filepath)
    elif shown == size:
        shown = "painted"
    return (image.source, shown, image.is_dirty)


def _nodes(holder: Value) -> object:
    tree = holder if isinstance(holder, NodeTree) else holder.node_tree
    if tree is None:
        return None
    nodes = [(node.bl_idname, _image(node), *_inputs(node)) for node in tree.nodes]
    return repr((len(tree.links), nodes))  # a text is marked four times as fast as so many nested numbers


def _image(node: Value) -> str:
    """Which image a node shows, whatever its name is and whoever painted on it."""
    image = getattr(node, "image", None)
    return "" if image is None else image.get(images.BASELINE) or bpy.path.basename(image.filepath) or image.source


def _inputs(node: Value) -> Iterator[tuple[str, object]]:
    """The inputs of a node whose values aren't 0: a later Blender's nodes have more of them, and these are."""
    for socket in node.inputs:
        value = _socket(socket)
        if any(value) if isinstance(value, tuple) else value:
            yield socket.identifier, value


def _socket(socket: Socket) -> object:
    value: Value = getattr(socket, "default_value", None)
    return value if isinstance(value, int | float | str) or not hasattr(value, "__len__") else value[:]


def _sound(sound: bpy.types.Sound) -> object:
    return sound.packed_file.size if sound.packed_file is not None else sound.filepath


_NAME = Aspect("name", _own_name)
_NODES = Aspect("nodes", _nodes)
_OF: dict[type, tuple[Aspect, ...]] = {
    bpy.types.Object: (
        _NAME,
        Aspect("location", _still(lambda obj: obj.location[:], "location"), (0.0, 0.0, 0.0)),
        Aspect("rotation", _still(_rotation, "rotation_euler", "rotation_quaternion", "rotation_axis_angle")),
        Aspect("scale", _still(lambda obj: obj.scale[:], "scale"), (1.0, 1.0, 1.0)),
        Aspect("delta transform", _still(_delta, "delta_location", "delta_rotation_euler", "delta_scale")),
        Aspect("parent", _parent),
        Aspect("data", lambda obj: obj.data and _own_name(obj.data)),
        Aspect("materials", _slots),
        Aspect("modifiers", lambda obj: _kinds(obj.modifiers)),
        Aspect("constraints", lambda obj: _kinds(obj.constraints)),
        Aspect("animation", _animation),
        Aspect("vertex groups", lambda obj: tuple(group.name for group in obj.vertex_groups)),
        Aspect("instancing", lambda obj: obj.instance_collection and obj.instance_collection.name),
        Aspect("color", lambda obj: obj.color[:], (1.0, 1.0, 1.0, 1.0)),
        Aspect("display size", attrgetter("empty_display_size"), 1.0),
    ),
    bpy.types.Mesh: (
        Aspect("vertices", _vertices),
        Aspect("faces", _faces),
        Aspect("materials of faces", _materials_of_faces, of_elements=True),
        Aspect("smooth shading", _shading, of_elements=True),
        Aspect("custom normals", _normals, of_elements=True),
        Aspect("shape keys", _shape_keys),
    ),
    bpy.types.TextCurve: (Aspect("text", attrgetter("body")),),
    bpy.types.Curve: (Aspect("points", _splines),),
    bpy.types.Collection: (_NAME,),
    bpy.types.Material: (_NAME, _NODES),
    bpy.types.World: (_NAME, _NODES),
    bpy.types.NodeTree: (_NAME, _NODES),
    bpy.types.Image: (
        _NAME,
        Aspect("pixels", _pixels),
        Aspect("color space", lambda image: (image.colorspace_settings.name, image.alpha_mode)),
    ),
    bpy.types.Text: (_NAME, Aspect("text", lambda text: text.as_string())),
    bpy.types.Action: (_NAME, Aspect("keys", _keys)),
    bpy.types.Sound: (_NAME, Aspect("sound", _sound)),
}
_SETTINGS: dict[type, str] = {
    bpy.types.Light: "light",
    bpy.types.Camera: "camera",
    bpy.types.Speaker: "speaker",
    bpy.types.LightProbe: "probe",
}
"""Types whose every plain setting is an aspect, and what these are called."""
GROUPS = (PROPERTY, GONE, ATTRIBUTE, LIST, *(f"{word} " for word in _SETTINGS.values()))
"""What the names of aspects begin with of which there are many alike."""
