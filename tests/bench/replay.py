"""Make a Blender scene again with bare calls: the floor under the time of an import.

`record()` reads what an import left in `bpy.data` - meshes with all attributes, images with their packed bytes,
materials and node groups, actions with their F-curves, objects with parents, properties, drivers and strips, and the
collection tree - into plain lists and arrays. `Replay.run()` makes the same things anew with nothing but the calls of
the Blender API that create them. What the importer takes beyond that is its own thinking.

It knows no game: settings are read by RNA reflection, those that differ from their default.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
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
    parts: dict[str, Any] = field(default_factory=dict)


KINDS = (
    "images",
    "sounds",
    "texts",
    "node_groups",
    "materials",
    "meshes",
    "speakers",
    "cameras",
    "actions",
    "objects",
    "collections",
)
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
    """Where `block` is found again, or None for what isn't replayed (scenes, worlds)."""
    for kind in KINDS:
        if getattr(bpy.data, kind).get(block.name) == block:
            return Reference(kind, block.name)
    return None


def _pointer(block: bpy.types.ID | None) -> Reference | None:
    return None if block is None else reference(block)


def properties_of(block: bpy.types.ID) -> dict[str, Any]:
    """The custom properties of `block`, nested groups as dictionaries."""
    return {key: _plain(value) for key, value in block.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return reference(value)
    if hasattr(value, "keys"):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return np.array(value) if hasattr(value, "typecode") else value


# --- reading ---------------------------------------------------------------------------------------------------------


def record() -> Replay:
    """Everything that is in `bpy.data` now, as what `Replay.run` needs."""
    blocks = {kind: list(getattr(bpy.data, kind)) for kind in KINDS}
    fresh = {
        "images": bpy.data.images.new("fresh", 1, 1),
        "texts": bpy.data.texts.new("fresh"),
        "node_groups": bpy.data.node_groups.new("fresh", "ShaderNodeTree"),
        "materials": bpy.data.materials.new("fresh"),
        "meshes": bpy.data.meshes.new("fresh"),
        "actions": bpy.data.actions.new("fresh"),
        "objects": bpy.data.objects.new("fresh", None),
        "collections": bpy.data.collections.new("fresh"),
    }
    recorded = {kind: [_READERS[kind](block) for block in blocks[kind]] for kind in KINDS}
    for kind, usual in fresh.items():
        for block, of_block in zip(blocks[kind], recorded[kind], strict=True):
            of_block.settings = settings_of(block, usual)
    bpy.data.batch_remove(fresh.values())
    return Replay(recorded, [child.name for child in bpy.context.scene.collection.children])


def _read(block: Any, **parts: Any) -> Recorded:
    return Recorded(block.name, settings_of(block), properties_of(block), parts)


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


def _read_mesh(mesh: Any) -> Recorded:
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
        materials=[reference(material) for material in mesh.materials if material],
    )


def _values(attribute: Any) -> NDArray[Any]:
    name, dtype, width = VALUE_FIELDS[attribute.data_type]
    values = np.empty(len(attribute.data) * width, dtype)
    attribute.data.foreach_get(name, values)
    return values


def _ring_edges(corners: NDArray[np.int32], starts: NDArray[np.int32]) -> NDArray[np.int32]:
    """The edges of faces that share no vertices, as a flat array: the cheapest way to get them.

    `validate()`, which finds those of any mesh, takes five times as long as all the rest of a mesh.
    """
    edges = np.empty((len(corners), 2), np.int32)
    edges[:, 0] = corners
    edges[:-1, 1] = corners[1:]
    edges[starts[1:] - 1, 1] = starts[:-1]
    edges[-1, 1] = starts[-1]
    return edges.reshape(-1)


def _read_nodes(tree: Any) -> dict[str, Any]:
    nodes = []
    number = {}
    untouched = bpy.data.node_groups.new("untouched", "ShaderNodeTree")
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
    return _read(action, slots=slots, curves=curves)


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
    "meshes": _read_mesh,
    "speakers": _read,
    "cameras": _read,
    "actions": _read_action,
    "objects": _read_object,
    "collections": _read_collection,
}


# --- making ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Replay:
    """A recorded scene."""

    blocks: dict[str, list[Recorded]]
    roots: list[str]
    made: dict[Reference, Any] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    """Seconds that the last run spent on each kind of data block."""

    def counts(self) -> Counter[str]:
        return Counter({kind: len(blocks) for kind, blocks in self.blocks.items()})

    def run(self) -> None:
        """Make everything in the open (empty) file, linked to its scene, with one update at the end."""
        self.made.clear()
        self.shares.clear()
        start = time.perf_counter()
        for kind in KINDS:
            make = getattr(self, "_make_" + kind)
            for recorded in self.blocks[kind]:
                self.made[Reference(kind, recorded.name)] = make(recorded)
            start = self._spent(kind, start)
        for kind in KINDS:  # references may point forward, so they are laid last
            for recorded in self.blocks[kind]:
                block = self.made[Reference(kind, recorded.name)]
                self._set(block, recorded.settings)
                for key, value in recorded.properties.items():
                    block[key] = self._resolve(value)
        start = self._spent("settings and properties", start)
        self._link()
        start = self._spent("linking", start)
        bpy.context.view_layer.update()
        self._spent("update", start)

    def run_meshes(self) -> None:
        """Make the meshes alone, each on an object in the scene, with one update at the end."""
        for recorded in self.blocks["meshes"]:
            recorded.parts["materials"] = []
            obj = bpy.data.objects.new(recorded.name, self._make_meshes(recorded))
            bpy.context.scene.collection.objects.link(obj)
        bpy.context.view_layer.update()

    def _spent(self, what: str, start: float) -> float:
        now = time.perf_counter()
        self.shares[what] = now - start
        return now

    def _resolve(self, value: Any) -> Any:
        if isinstance(value, Reference):
            return self.made.get(value)
        if isinstance(value, dict):
            return {key: self._resolve(item) for key, item in value.items()}
        return value

    def _set(self, struct: Any, settings: Settings) -> None:
        for name, value in settings:
            with contextlib.suppress(AttributeError, TypeError):  # reflection lists a few that Blender locks by context
                setattr(struct, name, self._resolve(value))

    def _make_images(self, recorded: Recorded) -> Any:
        parts = recorded.parts
        if parts["rows"] is not None:  # pixels have to become a file: nothing else can be packed without loss
            start = time.perf_counter()
            zlib.compress(parts["rows"], 1)
            self.shares["pixels to PNG"] = self.shares.get("pixels to PNG", 0.0) + time.perf_counter() - start
        image = bpy.data.images.new(recorded.name, *parts["size"])
        if parts["packed"] is not None:
            image.pack(data=parts["packed"], data_len=len(parts["packed"]))
            image.source = "FILE"
        image.colorspace_settings.name = parts["space"]
        return image

    def _make_sounds(self, recorded: Recorded) -> Any:
        if recorded.parts["packed"] is None:
            return bpy.data.sounds.load(recorded.parts["path"])
        with tempfile.NamedTemporaryFile(suffix=".opus") as file:  # Blender loads sounds from files only
            file.write(recorded.parts["packed"])
            file.flush()
            sound = bpy.data.sounds.load(file.name)
            sound.pack()
        sound.name, sound.filepath = recorded.name, recorded.parts["path"]
        return sound

    def _make_texts(self, recorded: Recorded) -> Any:
        text = bpy.data.texts.new(recorded.name)
        text.write(recorded.parts["body"])
        return text

    def _make_speakers(self, recorded: Recorded) -> Any:
        return bpy.data.speakers.new(recorded.name)

    def _make_cameras(self, recorded: Recorded) -> Any:
        return bpy.data.cameras.new(recorded.name)

    def _make_node_groups(self, recorded: Recorded) -> Any:
        tree = bpy.data.node_groups.new(recorded.name, recorded.parts["type"])
        for name, way, kind in recorded.parts["sockets"]:
            tree.interface.new_socket(name, in_out=way, socket_type=kind)
        self._make_tree(tree, recorded.parts)
        return tree

    def _make_materials(self, recorded: Recorded) -> Any:
        material = bpy.data.materials.new(recorded.name)
        if "nodes" in recorded.parts:
            material.use_nodes = True
            material.node_tree.nodes.clear()
            self._make_tree(material.node_tree, recorded.parts)
        return material

    def _make_tree(self, tree: Any, parts: dict[str, Any]) -> None:
        nodes = []
        for kind, name, settings, inputs in parts["nodes"]:
            node = tree.nodes.new(kind)
            node.name = name
            self._set(node, settings)
            for index, value in inputs:
                node.inputs[index].default_value = value
            nodes.append(node)
        for source, output, target, entry in parts["links"]:
            tree.links.new(nodes[source].outputs[output], nodes[target].inputs[entry])

    def _make_meshes(self, recorded: Recorded) -> Any:
        mesh = bpy.data.meshes.new(recorded.name)
        parts = recorded.parts
        if parts["positions"] is not None:
            mesh.vertices.add(len(parts["positions"]) // 3)
            mesh.attributes["position"].data.foreach_set("vector", parts["positions"])
        if parts["corners"] is not None:
            mesh.loops.add(len(parts["corners"]))
            mesh.polygons.add(len(parts["starts"]))
            mesh.polygons.foreach_set("loop_start", parts["starts"])
            for name, values in ((".corner_vert", parts["corners"]), (".corner_edge", parts["corner_edges"])):
                attribute = mesh.attributes.get(name) or mesh.attributes.new(name, "INT", "CORNER")
                attribute.data.foreach_set("value", values)
        if parts["edges"] is not None:
            edges = _ring_edges(parts["corners"], parts["starts"]) if parts["separate"] else parts["edges"]
            mesh.edges.add(len(edges) // 2)
            mesh.attributes[".edge_verts"].data.foreach_set("value", edges)
        for name, kind, domain, is_uv, values in parts["attributes"]:
            if is_uv:
                mesh.uv_layers.new(name=name, do_init=False).uv.foreach_set("vector", values)
            else:
                attribute = mesh.attributes.get(name) or mesh.attributes.new(name, kind, domain)
                attribute.data.foreach_set(VALUE_FIELDS[kind][0], values)
        for material in parts["materials"]:
            mesh.materials.append(self._resolve(material))
        return mesh

    def _make_actions(self, recorded: Recorded) -> Any:
        action = bpy.data.actions.new(recorded.name)
        strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
        bags = {}
        for identifier, kind, name in recorded.parts["slots"]:
            bags[identifier] = strip.channelbag(action.slots.new(id_type=kind, name=name), ensure=True)
        for identifier, parts in recorded.parts["curves"]:
            curve = bags[identifier].fcurves.new(parts["path"], index=parts["index"])
            curve.keyframe_points.add(len(parts["keys"]["interpolation"]))
            for name, values in parts["keys"].items():
                curve.keyframe_points.foreach_set(name, values)
            for kind, settings in parts["modifiers"]:
                self._set(curve.modifiers.new(kind), settings)
            curve.update()
        return action

    def _make_objects(self, recorded: Recorded) -> Any:
        return bpy.data.objects.new(recorded.name, self._resolve(recorded.parts["data"]))

    def _make_collections(self, recorded: Recorded) -> Any:
        return bpy.data.collections.new(recorded.name)

    def _link(self) -> None:
        for recorded in self.blocks["objects"]:
            self._finish_object(self.made[Reference("objects", recorded.name)], recorded.parts)
        for recorded in self.blocks["collections"]:
            collection = self.made[Reference("collections", recorded.name)]
            collection.color_tag = recorded.parts["tag"]
            for name in recorded.parts["objects"]:
                collection.objects.link(self.made[Reference("objects", name)])
            for name in recorded.parts["children"]:
                collection.children.link(self.made[Reference("collections", name)])
        for name in self.roots:
            bpy.context.scene.collection.children.link(self.made[Reference("collections", name)])

    def _finish_object(self, obj: Any, parts: dict[str, Any]) -> None:
        if parts["parent"] is not None:
            obj.parent = self._resolve(parts["parent"])
            obj.matrix_parent_inverse = parts["inverse"]
        for slot, (link, material) in zip(obj.material_slots, parts["slots"], strict=False):
            slot.link, slot.material = link, self._resolve(material)
        for kind, settings in parts["constraints"]:
            self._set(obj.constraints.new(kind), settings)
        for name, kind, settings in parts["modifiers"]:
            self._set(obj.modifiers.new(name, kind), settings)
        for path, index, kind, expression, variables in parts["drivers"]:
            driver = obj.driver_add(path, -1 if index is None else index).driver
            driver.type = kind
            self._add_variables(driver, variables)
            driver.expression = expression
        for name, strips in parts["tracks"]:
            track = (obj.animation_data or obj.animation_data_create()).nla_tracks.new()
            track.name = name
            for strip_name, start, action, settings in strips:
                self._set(track.strips.new(strip_name, int(start), self._resolve(action)), settings)

    def _add_variables(self, driver: Any, variables: Iterable[Any]) -> None:
        for name, kind, targets in variables:
            variable = driver.variables.new()
            variable.name, variable.type = name, kind
            for target, (id_type, block, path, settings) in zip(variable.targets, targets, strict=True):
                if id_type is not None:
                    target.id_type = id_type
                target.id = self._resolve(block) if block is not None else bpy.context.scene
                target.data_path = path
                self._set(target, settings)
