# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what is in `bpy.data` into plain lists and arrays: the first half of `replay`.

It knows no game: settings are read by RNA reflection, those that differ from a fresh data block's.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

Settings = list[tuple[str, Any]]

VALUE_FIELDS = {
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "INT8": ("value", np.int8, 1),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color_srgb", np.float32, 4),
    "INT32_2D": ("value", np.int32, 2),
    "QUATERNION": ("value", np.float32, 4),
}


@dataclass(frozen=True, slots=True)
class Reference:
    """A pointer to another data block, by collection and name."""

    kind: str
    name: str


@dataclass(slots=True)
class Recorded:
    """A data block: how it is made, its settings and custom properties."""

    name: str
    settings: Settings = field(default_factory=list)
    properties: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the interface shows of properties, by their keys: tooltips, limits, menus."""
    parts: dict[str, Any] = field(default_factory=dict)


KINDS = {
    "images": "IMAGE",
    "sounds": "SOUND",
    "texts": "TEXT",
    "node_groups": "NODETREE",
    "materials": "MATERIAL",
    "meshes": "MESH",
    "speakers": "SPEAKER",
    "cameras": "CAMERA",
    "lights": "LIGHT",
    "lightprobes": "LIGHT_PROBE",
    "curves": "CURVE",
    "worlds": "WORLD",
    "actions": "ACTION",
    "objects": "OBJECT",
    "collections": "COLLECTION",
}
"""What of `bpy.data` is recorded, in the order in which it is made again, and the types of these data blocks."""
_KIND_OF = {id_type: kind for kind, id_type in KINDS.items()}
UNPLAYED = {
    "name",
    "rna_type",
    "users",
    "use_fake_user",
    "animation_data",
    "parent",
    "data",
    "active_material",
    "bl_idname",
    "type",
    "filepath",
    "filepath_raw",
    "packed_file",
    "source",
    "pixels",
    "active",
    "active_index",
    "select",
    "slots",
    "tag",
    "session_uid",
    "name_full",
    "is_evaluated",
    "matrix_world",
    "matrix_local",
    "matrix_basis",
    "matrix_parent_inverse",
    "library_weak_reference",
    "asset_data",
    "preview",
    "location_absolute",
    "internal_links",
    "dimensions",
    "texture_mesh",
    "texspace_location",
    "texspace_size",
    "children",
    "objects",
    "bl_label",
    "bl_description",
    "bl_icon",
    "bl_static_type",
    "action",
    "action_slot",
    "action_slot_handle",
    "last_slot_identifier",
    "fcurves",
    "strip_time",
    "frame_end",
    "frame_start_raw",
    "frame_end_raw",
    "frame_start_ui",
    "frame_end_ui",
    "frame_range",
    "shape_key_add_rest_position",
    "active_shape_key_index",
    "show_only_shape_key",
    "use_shape_key_edit_mode",
    "default_closed",
    "color_tag",
    "use_auto_smooth",
    "animation_filter",
}
"""RNA properties that aren't settings: made with the block, derived from others, or of the user interface."""


def settings_of(struct: Any, fresh: Any = None) -> Settings:
    """The writable RNA values of `struct` that differ from those of a `fresh` one, else from their defaults."""
    found: Settings = []
    for prop in struct.bl_rna.properties:
        if prop.is_readonly or prop.identifier in UNPLAYED:
            continue
        value = getattr(struct, prop.identifier)
        if prop.type == "POINTER":
            if isinstance(value, bpy.types.ID):
                found.append((prop.identifier, reference(value)))
        elif prop.type in {"BOOLEAN", "INT", "FLOAT"} and getattr(prop, "is_array", False):
            flat = np.array(value).ravel()
            usual = np.array(getattr(fresh, prop.identifier) if fresh else prop.default_array).ravel()
            if flat.size and not np.array_equal(flat, usual[: flat.size]):
                found.append((prop.identifier, value[:]))
        elif prop.type != "COLLECTION" and value != (getattr(fresh, prop.identifier) if fresh else prop.default):
            found.append((prop.identifier, value))
    return found


def reference(block: bpy.types.ID) -> Reference | None:
    """Where `block` is found again, or None for what isn't replayed (scenes)."""
    kind = _KIND_OF.get(block.id_type)
    return None if kind is None or block.is_embedded_data else Reference(kind, block.name)


def _pointer(block: bpy.types.ID | None) -> Reference | None:
    return None if block is None else reference(block)


def properties_of(block: bpy.types.ID) -> dict[str, Any]:
    """The custom properties of `block`, nested groups as dictionaries."""
    return {key: _plain(value) for key, value in block.items()}


def shown_of(block: bpy.types.ID) -> dict[str, dict[str, Any]]:
    """What the interface shows of the custom properties of `block`, where that isn't what it shows of any."""
    found = {}
    for key in block.keys():  # noqa: SIM118 - a block of Blender's, no dictionary
        if isinstance(block[key], bool | int | float | str) or hasattr(block[key], "typecode"):
            ui = block.id_properties_ui(key).as_dict()
            told = {name: value for name, value in ui.items() if name in _TOLD and value not in _UNTOLD}
            if told:
                found[key] = told
    return found


_TOLD = ("description", "min", "max", "soft_min", "soft_max", "subtype", "items")
_INT, _FLOAT = 2**31 - 1, float(np.finfo(np.float32).max)
_UNTOLD = ("", "NONE", None, -_INT - 1, _INT, -_FLOAT, _FLOAT, -1e308, 1e308)


def _plain(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return reference(value)
    if hasattr(value, "keys"):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return np.array(value) if hasattr(value, "typecode") else value


def record_blocks() -> dict[str, list[Recorded]]:
    """Everything that is in `bpy.data` now, by kind."""
    blocks = {kind: list(getattr(bpy.data, kind)) for kind in KINDS}
    fresh = {
        "images": bpy.data.images.new("fresh", 1, 1),
        "texts": bpy.data.texts.new("fresh"),
        "node_groups": bpy.data.node_groups.new("fresh", "ShaderNodeTree"),
        "materials": bpy.data.materials.new("fresh"),
        "meshes": bpy.data.meshes.new("fresh"),
        "actions": bpy.data.actions.new("fresh"),
        "worlds": bpy.data.worlds.new("fresh"),
        "curves": bpy.data.curves.new("fresh", "CURVE"),
        "objects": bpy.data.objects.new("fresh", None),
        "collections": bpy.data.collections.new("fresh"),
    }
    weighted = {obj.data: obj for obj in reversed(blocks["objects"]) if obj.vertex_groups}
    readers = _READERS | {"meshes": lambda mesh: _read_mesh(mesh, weighted.get(mesh))}
    recorded = {kind: [readers[kind](block) for block in blocks[kind]] for kind in KINDS}
    for kind in KINDS:
        usual = fresh.get(kind)
        for block, of_block in zip(blocks[kind], recorded[kind], strict=True):
            alike = isinstance(usual, type(block))  # a tree of geometry nodes has more settings than one of shaders
            of_block.settings = settings_of(block, usual if alike else None)
    bpy.data.batch_remove(fresh.values())
    return recorded


def _read(block: Any, **parts: Any) -> Recorded:
    return Recorded(block.name, [], properties_of(block), shown_of(block), parts)


def _read_image(image: Any) -> Recorded:
    packed = bytes(image.packed_file.data) if image.packed_file else None
    rows = _png_rows(packed) if packed else None
    return _read(image, size=tuple(image.size), packed=packed, rows=rows, space=image.colorspace_settings.name)


def _png_rows(packed: bytes) -> bytes | None:
    """The rows of a PNG file that the importer made of pixels (one IDAT chunk, level 1); None for a file it took."""
    made = packed[37:43] == b"IDAT\x78\x01"
    return zlib.decompressobj().decompress(packed[41:]) if made else None


def _read_sound(sound: Any) -> Recorded:
    return _read(sound, path=sound.filepath, packed=bytes(sound.packed_file.data) if sound.packed_file else None)


def _read_mesh(mesh: Any, weighted: Any) -> Recorded:
    """A mesh; weighted: an object of it that has vertex groups, or None."""
    attributes = []
    for attribute in mesh.attributes:
        # Hidden ones and "position" are written by the recipe of `_make_meshes`.
        if attribute.name[0] != "." and attribute.name != "position" and attribute.data_type in VALUE_FIELDS:
            is_uv = attribute.data_type == "FLOAT2" and attribute.domain == "CORNER"
            attributes.append((attribute.name, attribute.data_type, attribute.domain, is_uv, _values(attribute)))
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    return _read(
        mesh,
        positions=_values(mesh.attributes["position"]) if mesh.vertices else None,
        starts=starts,
        corners=_values(mesh.attributes[".corner_vert"]) if mesh.loops else None,
        edges=_values(mesh.attributes[".edge_verts"]) if mesh.edges else None,
        corner_edges=_values(mesh.attributes[".corner_edge"]) if mesh.loops else None,
        separate=len(mesh.edges) == len(mesh.loops) == len(mesh.vertices),
        attributes=attributes,
        normals=_normals(mesh),
        weights=_weights(mesh, weighted),
        materials=[reference(material) for material in mesh.materials if material],
    )


def _normals(mesh: Any) -> tuple[bool, NDArray[np.float32]] | None:
    """The custom normals, float32 [n, 3], and whether they are those of vertices, which are fewer, or of corners."""
    if not mesh.has_custom_normals:
        return None
    normals, corners = np.empty((len(mesh.loops), 3), np.float32), np.empty(len(mesh.loops), np.int32)
    mesh.corner_normals.foreach_get("vector", normals.reshape(-1))
    mesh.loops.foreach_get("vertex_index", corners)
    of_vertices = np.zeros((len(mesh.vertices), 3), np.float32)
    of_vertices[corners] = normals
    alike = np.abs(of_vertices[corners] - normals).max() < 1e-4  # they are stored in few bits
    return bool(alike), of_vertices if alike else normals


def _weights(mesh: Any, user: Any) -> tuple[list[str], list[tuple[int, list[int], float]]]:
    """Names of the vertex groups, and which vertices have which weight in which: as few as `add` needs calls."""
    if user is None:
        return [], []
    found = [(each.group, each.weight, vertex.index) for vertex in mesh.vertices for each in vertex.groups]
    runs = [
        (group, [vertex for *_, vertex in run], weight)
        for (group, weight), run in groupby(sorted(found), key=itemgetter(0, 1))
    ]
    return [group.name for group in user.vertex_groups], runs


def _values(attribute: Any) -> NDArray[Any]:
    name, dtype, width = VALUE_FIELDS[attribute.data_type]
    values = np.empty(len(attribute.data) * width, dtype)
    attribute.data.foreach_get(name, values)
    return values


def _read_nodes(tree: Any) -> dict[str, Any]:
    nodes = []
    number = {}
    untouched = bpy.data.node_groups.new("untouched", tree.bl_idname)
    for node in tree.nodes:
        number[node.name] = len(number)
        fresh = untouched.nodes.new(node.bl_idname)
        if hasattr(node, "node_tree"):  # it has its sockets from there
            fresh.node_tree = node.node_tree
        inputs = [
            (index, _socket_value(socket))
            for index, (socket, usual) in enumerate(zip_longest(node.inputs, fresh.inputs))
            if not socket.is_linked and _socket_value(socket) != _socket_value(usual)
        ]
        nodes.append((node.bl_idname, node.name, settings_of(node, fresh), inputs))
    bpy.data.node_groups.remove(untouched)
    links = [
        (
            number[link.from_node.name],
            list(link.from_node.outputs).index(link.from_socket),
            number[link.to_node.name],
            list(link.to_node.inputs).index(link.to_socket),
        )
        for link in tree.links
    ]
    return {"nodes": nodes, "links": links}


def _socket_value(socket: Any) -> Any:
    value = getattr(socket, "default_value", None)
    return value[:] if hasattr(value, "__len__") and not isinstance(value, str) else value


def _read_material(material: Any) -> Recorded:
    return _read(material, **(_read_nodes(material.node_tree) if material.node_tree else {}))


def _read_curve_object(curve: Any) -> Recorded:
    """A curve of straight lines, as ropes are, or any other without its splines."""
    splines = []
    for spline in curve.splines:
        points = np.empty(len(spline.points) * 4, np.float32)
        spline.points.foreach_get("co", points)
        splines.append((spline.type, points))
    materials = [reference(material) for material in curve.materials if material]
    return _read(curve, splines=splines, materials=materials)


def _read_group(tree: Any) -> Recorded:
    sockets = [
        (item.name, item.in_out, item.socket_type) for item in tree.interface.items_tree if item.item_type == "SOCKET"
    ]
    return _read(tree, type=tree.bl_idname, sockets=sockets, **_read_nodes(tree))


def _read_action(action: Any) -> Recorded:
    curves = []
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                curves += [(bag.slot.identifier, _read_curve(curve)) for curve in bag.fcurves]
    slots = [(slot.identifier, slot.target_id_type, slot.name_display) for slot in action.slots]
    markers = [(marker.name, marker.frame) for marker in action.pose_markers]
    return _read(action, slots=slots, curves=curves, markers=markers)


def _read_curve(curve: Any) -> dict[str, Any]:
    count = len(curve.keyframe_points)
    keys = {}
    for name, width, dtype in (
        ("co", 2, np.float32),
        ("interpolation", 1, np.int32),
        ("easing", 1, np.int32),
        ("handle_left_type", 1, np.int32),
        ("handle_right_type", 1, np.int32),
        ("handle_left", 2, np.float32),
        ("handle_right", 2, np.float32),
    ):
        keys[name] = np.empty(count * width, dtype)
        curve.keyframe_points.foreach_get(name, keys[name])
    return {
        "path": curve.data_path,
        "index": curve.array_index,
        "keys": keys,
        "modifiers": [(modifier.type, settings_of(modifier)) for modifier in curve.modifiers],
    }


def _read_object(obj: Any) -> Recorded:
    constraints = [(constraint.type, settings_of(constraint)) for constraint in obj.constraints]
    modifiers = [(modifier.name, modifier.type, settings_of(modifier)) for modifier in obj.modifiers]
    return _read(
        obj,
        data=_pointer(obj.data),
        parent=_pointer(obj.parent),
        inverse=[list(r) for r in obj.matrix_parent_inverse],
        constraints=constraints,
        modifiers=modifiers,
        tracks=_read_tracks(obj.animation_data),
        action=_read_assigned(obj.animation_data),
        slots=[(slot.link, _pointer(slot.material)) for slot in obj.material_slots if slot.link == "OBJECT"],
        drivers=_read_drivers(obj),
        hidden=obj.hide_get(),
    )


def _read_tracks(animation: Any) -> list[Any]:
    return [
        (
            track.name,
            [(strip.name, strip.frame_start, reference(strip.action), settings_of(strip)) for strip in track.strips],
        )
        for track in (animation.nla_tracks if animation else ())
    ]


def _read_assigned(animation: Any) -> tuple[Reference | None, str] | None:
    """The action that plays without a strip, and its slot."""
    if animation is None or animation.action is None:
        return None
    return reference(animation.action), animation.action_slot.identifier if animation.action_slot else ""


def _read_drivers(obj: Any) -> list[Any]:
    return [
        (
            curve.data_path,
            curve.array_index if hasattr(obj.path_resolve(curve.data_path), "__len__") else None,
            curve.driver.type,
            curve.driver.expression,
            [
                (
                    variable.name,
                    variable.type,
                    [
                        (
                            target.id_type if variable.type == "SINGLE_PROP" else None,
                            _pointer(target.id),
                            target.data_path,
                            settings_of(target),
                        )
                        for target in variable.targets
                    ],
                )
                for variable in curve.driver.variables
            ],
        )
        for curve in (obj.animation_data.drivers if obj.animation_data else ())
    ]


def _read_collection(collection: Any) -> Recorded:
    return _read(
        collection,
        children=[child.name for child in collection.children],
        objects=[obj.name for obj in collection.objects],
        tag=collection.color_tag,
    )


def _read_text(text: Any) -> Recorded:
    return _read(text, body=text.as_string())


_READERS: dict[str, Callable[[Any], Recorded]] = {
    "images": _read_image,
    "sounds": _read_sound,
    "texts": _read_text,
    "node_groups": _read_group,
    "materials": _read_material,
    "speakers": _read,
    "cameras": _read,
    "lights": lambda light: _read(light, type=light.type),
    "lightprobes": lambda probe: _read(probe, type=probe.type),
    "curves": _read_curve_object,
    "worlds": _read_material,
    "actions": _read_action,
    "objects": _read_object,
    "collections": _read_collection,
}
