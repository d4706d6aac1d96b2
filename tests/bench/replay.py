# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a Blender scene again with bare calls: the floor under the time of an import.

`record()` reads what an import left in `bpy.data` - meshes with all attributes, images with their packed bytes,
materials, worlds and node groups, curves, light probes, actions with their F-curves, objects with parents, drivers and
strips, properties and what the interface shows of these, and the collection tree. `Replay.run()` makes the same things
anew with nothing but the calls of the Blender API that create them. What the importer takes beyond that is its own
thinking.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .recording import KINDS, VALUE_FIELDS, Recorded, Reference, Settings, record_blocks

PNG = "pixels to PNG"
"""Name of the share of time that making files of embedded pictures takes; it is also part of "images"."""


def record() -> Replay:
    """Everything that is in the open file now, as what `Replay.run` needs."""
    return Replay(record_blocks(), [child.name for child in bpy.context.scene.collection.children])


@dataclass(slots=True)
class Replay:
    """A recorded scene."""

    blocks: dict[str, list[Recorded]]
    roots: list[str]
    made: dict[Reference, Any] = field(default_factory=dict)
    later: list[tuple[Any, str, Reference]] = field(default_factory=list)
    """Pointers to what wasn't made yet."""
    shares: dict[str, float] = field(default_factory=dict)
    """CPU seconds that the last run spent on each kind of data block."""

    def counts(self) -> Counter[str]:
        return Counter({kind: len(blocks) for kind, blocks in self.blocks.items()})

    def run(self) -> None:
        """Make everything in the open (empty) file, linked to its scene, with one update at the end."""
        self.made.clear()
        self.later.clear()
        self.shares.clear()
        start = time.process_time()
        for kind in KINDS:
            make = getattr(self, "_make_" + kind)
            for recorded in self.blocks[kind]:
                self.made[Reference(kind, recorded.name)] = make(recorded)
            start = self._spent(kind, start)
        for kind in KINDS:
            for recorded in self.blocks[kind]:
                block = self.made[Reference(kind, recorded.name)]
                self._set(block, recorded.settings)
                for key, value in recorded.properties.items():
                    block[key] = self._resolve(value)
                for key, told in recorded.shown.items():
                    block.id_properties_ui(key).update(**told)
        for struct, name, target in self.later:
            setattr(struct, name, self.made.get(target))
        start = self._spent("settings and properties", start)
        self._link()
        start = self._spent("linking", start)
        bpy.context.view_layer.update()
        self._spent("update", start)

    def run_meshes(self, edges: bool = True) -> None:
        """Make the meshes alone, each on an object in the scene, with one update at the end.

        edges: from ready arrays, too; otherwise Blender finds them (`validate()`), as for whoever has only faces.
        """
        for recorded in self.blocks["meshes"]:
            recorded.parts["materials"] = []
            obj = bpy.data.objects.new(recorded.name, self._make_meshes(recorded, edges))
            _weigh(obj, *recorded.parts["weights"])
            bpy.context.scene.collection.objects.link(obj)
        bpy.context.view_layer.update()

    def _spent(self, what: str, start: float) -> float:
        now = time.process_time()
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
            if isinstance(value, Reference) and value not in self.made:
                self.later.append((struct, name, value))
                continue
            with contextlib.suppress(AttributeError, TypeError):  # reflection lists a few that Blender locks by context
                setattr(struct, name, self._resolve(value))

    def _make_images(self, recorded: Recorded) -> Any:
        parts = recorded.parts
        if parts["rows"] is not None:  # pixels have to become a file: nothing else can be packed without loss
            start = time.process_time()
            zlib.compress(parts["rows"], 1)
            self.shares[PNG] = self.shares.get(PNG, 0.0) + time.process_time() - start
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

    def _make_lights(self, recorded: Recorded) -> Any:
        return bpy.data.lights.new(recorded.name, recorded.parts["type"])

    def _make_lightprobes(self, recorded: Recorded) -> Any:
        return bpy.data.lightprobes.new(recorded.name, recorded.parts["type"])

    def _make_curves(self, recorded: Recorded) -> Any:
        curve = bpy.data.curves.new(recorded.name, "CURVE")
        for kind, points in recorded.parts["splines"]:
            spline = curve.splines.new(kind)
            spline.points.add(len(points) // 4 - 1)
            spline.points.foreach_set("co", points)
        for material in recorded.parts["materials"]:
            curve.materials.append(self._resolve(material))
        return curve

    def _make_worlds(self, recorded: Recorded) -> Any:
        world = bpy.data.worlds.new(recorded.name)
        if "nodes" in recorded.parts:
            world.use_nodes = True
            world.node_tree.nodes.clear()
            self._make_tree(world.node_tree, recorded.parts)
        return world

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

    def _make_meshes(self, recorded: Recorded, ready_edges: bool = True) -> Any:
        mesh = bpy.data.meshes.new(recorded.name)
        parts = recorded.parts
        if parts["positions"] is not None:
            mesh.vertices.add(len(parts["positions"]) // 3)
            mesh.attributes["position"].data.foreach_set("vector", parts["positions"])
        if parts["corners"] is not None:
            mesh.loops.add(len(parts["corners"]))
            mesh.polygons.add(len(parts["starts"]))
            mesh.polygons.foreach_set("loop_start", parts["starts"])
            of_corners = [(".corner_vert", parts["corners"]), (".corner_edge", parts["corner_edges"])]
            for name, values in of_corners if ready_edges else of_corners[:1]:
                attribute = mesh.attributes.get(name) or mesh.attributes.new(name, "INT", "CORNER")
                attribute.data.foreach_set("value", values)
        if not ready_edges:
            mesh.validate()
        elif parts["edges"] is not None:
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
        if parts["normals"] is not None:  # there is no call that takes an array: of one, Blender makes an object a row
            of_vertices, normals = parts["normals"]
            if of_vertices:
                mesh.normals_split_custom_set_from_vertices(normals.tolist())
            else:
                mesh.normals_split_custom_set(normals.tolist())
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
        for name, frame in recorded.parts["markers"]:
            action.pose_markers.new(name).frame = frame
        return action

    def _make_objects(self, recorded: Recorded) -> Any:
        return bpy.data.objects.new(recorded.name, self._resolve(recorded.parts["data"]))

    def _make_collections(self, recorded: Recorded) -> Any:
        return bpy.data.collections.new(recorded.name)

    def _link(self) -> None:
        for recorded in self.blocks["meshes"]:
            if recorded.parts["weights"][0]:  # they are the mesh's, but only an object can set them
                mesh = self.made[Reference("meshes", recorded.name)]
                _weigh(next(obj for obj in bpy.data.objects if obj.data == mesh), *recorded.parts["weights"])
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
            obj.matrix_parent_inverse = Matrix(parts["inverse"])
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
        if parts["action"] is not None:
            animation = obj.animation_data_create()
            animation.action = self._resolve(parts["action"][0])
            animation.action_slot = animation.action.slots[parts["action"][1]]
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


def _weigh(obj: Any, names: list[str], runs: list[tuple[int, list[int], float]]) -> None:
    """Fill an object's vertex groups."""
    groups = [obj.vertex_groups.new(name=name) for name in names]
    for group, vertices, weight in runs:
        groups[group].add(vertices, weight, "REPLACE")


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
