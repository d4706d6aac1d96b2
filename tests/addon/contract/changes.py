# SPDX-License-Identifier: GPL-3.0-or-later
"""How each aspect of a data-block is changed, as an artist would: `addon.scene.fates.aspects` says which there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from levelwright.addon.scene import attributes
from levelwright.addon.scene.fates import aspects, ledger
from levelwright.addon.scene.fates.aspects import OURS
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import animation


def applies(block: Any, aspect: str) -> bool:
    is_object = isinstance(block, bpy.types.Object)
    if aspect in ("materials", "vertex groups", "modifiers"):
        return is_object and block.type == "MESH"
    if aspect in ("display size", "instancing"):
        return is_object and block.type == "EMPTY"
    if aspect == ledger.COPIED:
        return is_object
    if aspect == ledger.DELETED:
        if isinstance(block, bpy.types.Collection):
            return originals.describe(block) is None
        return isinstance(block, bpy.types.Object | bpy.types.Text | bpy.types.Action)
    if aspect in ("data",):
        return is_object and block.data is not None
    if aspect in ("vertices", "faces", "materials of faces", "smooth shading", "custom normals", "shape keys"):
        return len(block.data.polygons) > 0
    if aspect.startswith(aspects.LIST) and ":" in aspect:
        return bool(aspects.values(block).get(aspect))
    if aspect.startswith(aspects.ATTRIBUTE):
        return len(block.data.attributes[aspect.removeprefix(aspects.ATTRIBUTE)].data) > 0
    return True


def by_group(aspect: str) -> bool:
    return aspect.startswith(aspects.GROUPS)


def change(block: Any, aspect: str) -> None:
    """Change a property, an attribute, or a setting of the data."""
    if aspect.startswith(aspects.PROPERTY):
        key = aspect.removeprefix(aspects.PROPERTY)
        holder = block if key in block else block.data
        holder[key] = _another(holder[key])
    elif aspect.startswith(aspects.ATTRIBUTE):
        _change_attribute(block.data, aspect.removeprefix(aspects.ATTRIBUTE))
    elif aspect.startswith(aspects.LIST):
        _change_list(block, aspect)
    else:
        identifier = aspect.partition(" ")[2].replace(" ", "_")
        setattr(block.data, identifier, _another_setting(block.data, identifier))


def _change_list(block: Any, aspect: str) -> None:
    """Change a field of the first item of a list in the sidebar, or a switch beside the lists."""
    title, _, key = aspect.partition(": ")
    for prop in block.bl_rna.properties:
        owner = getattr(block, prop.identifier) if prop.identifier.startswith(OURS) else None
        for field in owner.bl_rna.properties if owner is not None else ():
            if aspects.list_title(prop, field) == title:
                holder = getattr(owner, field.identifier)[0] if key else owner
                setattr(holder, key or field.identifier, _another_setting(holder, key or field.identifier))


def _another(value: Any) -> Any:
    """Another value of the same type, as near as can be seen."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value < 2**31 - 1 else value - 1
    if isinstance(value, float):
        return value + 1.0
    if isinstance(value, str):
        number = re.search(r"\d+", value)
        if number is None:
            return f"{value}x"
        return f"{value[: number.start()]}{(int(number[0]) + 1) % 256}{value[number.end() :]}"
    if hasattr(value, "to_list"):
        value = value.to_list()
    if isinstance(value, list) and value:
        return [_another(value[0]), *value[1:]]
    return value


def _another_setting(data: Any, identifier: str) -> Any:
    prop, value = data.bl_rna.properties[identifier], getattr(data, identifier)
    if prop.type == "BOOLEAN":
        return not value
    if prop.type == "ENUM":
        names = [item.identifier for item in prop.enum_items]
        return names[(names.index(value) + 1) % len(names)] if not prop.is_enum_flag else {names[0]} ^ set(value)
    if prop.type == "STRING":
        return f"{value}x"
    if getattr(prop, "is_array", False):
        return [0.25 if abs(value[0] - 0.25) > 0.01 else 0.75, *value[1:]]
    if prop.type == "INT":
        return value + 1 if value < prop.hard_max else value - 1
    larger = value * 1.5 + 0.25
    return larger if larger <= prop.hard_max else value * 0.5


def _change_attribute(mesh: Any, name: str) -> None:
    found = mesh.attributes[name]
    values = attributes.read(mesh, name, found.domain)
    changed = ~values if values.dtype == bool else values.copy()
    if values.dtype != bool:
        flat = changed.reshape(len(changed), -1)
        flat[0, 0] = flat[0, 0] + (1 if values.dtype.kind == "i" else (0.25 if flat[0, 0] < 0.7 else -0.25))
    attributes.write(mesh, name, found.domain, found.data_type, changed)


def _rename(block: Any, _: str) -> None:
    block.name = "another name"


def _move(obj: Any, _: str) -> None:
    obj.location.x += 2.0


def _turn(obj: Any, _: str) -> None:
    obj.rotation_mode = "XYZ"
    obj.rotation_euler.z += 1.5707963


def _scale(obj: Any, _: str) -> None:
    obj.scale = [2 * value for value in obj.scale]


def _move_by_delta(obj: Any, _: str) -> None:
    obj.delta_location.x += 2.0


def _put_below(obj: Any, _: str) -> None:
    parent = bpy.data.objects.new("a new parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location = (2.0, 0.0, 0.0)
    parent.parent = obj.parent
    obj.parent = parent


def _rename_data(obj: Any, _: str) -> None:
    obj.data.name = "another name"


def _other_material(obj: Any, _: str) -> None:
    present = {slot.material for slot in obj.material_slots}
    others = [each for each in bpy.data.materials if each not in present]
    said = {_texts(each) for each in present if each is not None}
    others.sort(key=lambda each: _texts(each) in said)  # another of the same texture would be no edit of the level
    other = others[0] if others else None
    if not obj.material_slots:
        obj.data.materials.append(other)
    obj.material_slots[0].material = other


def _texts(material: Any) -> tuple[str, ...]:
    """What a material says of itself in text: which texture of the game it is."""
    return tuple(value for key, value in sorted(material.items()) if isinstance(value, str) and key != identity.STAMP)


def _add_modifier(obj: Any, _: str) -> None:
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.direction, modifier.strength, modifier.mid_level = "X", 2.0, 0.0


def _add_constraint(obj: Any, _: str) -> None:
    constraint = obj.constraints.new("LIMIT_LOCATION")
    constraint.use_min_x, constraint.min_x, constraint.owner_space = True, 1000.0, "LOCAL"


def _animate(obj: Any, _: str) -> None:
    obj.keyframe_insert("location", frame=1)
    obj.location.x += 2.0
    obj.keyframe_insert("location", frame=20)


def _add_vertex_group(obj: Any, _: str) -> None:
    obj.vertex_groups.new(name="another group").add([0], 1.0, "REPLACE")


def _instance_collection(obj: Any, _: str) -> None:
    obj.instance_type, obj.instance_collection = "COLLECTION", bpy.data.collections.new("instanced")


def _recolor(obj: Any, _: str) -> None:
    obj.color = (0.25, 0.5, 0.75, 0.5)


def _display_size(obj: Any, _: str) -> None:
    obj.empty_display_size *= 2.0


def _move_vertices(obj: Any, _: str) -> None:
    """Move all vertices: each format can hold that."""
    positions = attributes.read(obj.data, "position", "POINT")
    positions[:, 0] += 2.0
    obj.data.attributes["position"].data.foreach_set("vector", positions.ravel())
    obj.data.update()


def _delete_face(obj: Any, _: str) -> None:
    import bmesh

    edited = bmesh.new()
    edited.from_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    bmesh.ops.delete(edited, geom=[edited.faces[0]], context="FACES_ONLY")
    edited.to_mesh(obj.data)
    edited.free()


def _other_slots(obj: Any, _: str) -> None:
    mesh = obj.data
    while len(mesh.materials) < 2:
        mesh.materials.append(next(each for each in bpy.data.materials if each.name not in mesh.materials))
    polygon = mesh.polygons[0]
    polygon.material_index = (polygon.material_index + 1) % len(mesh.materials)


def _shade(obj: Any, _: str) -> None:
    for polygon in obj.data.polygons:
        polygon.use_smooth = not polygon.use_smooth


def _bend_normals(obj: Any, _: str) -> None:
    obj.data.normals_split_custom_set([(0.6, 0.0, 0.8)] * len(obj.data.loops))


def _add_shape_key(obj: Any, _: str) -> None:
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="moved", from_mix=False)
    for point in key.points:
        point.co.x += 2.0
    key.value = 1.0


def _change_points(obj: Any, _: str) -> None:
    spline = obj.data.splines[0]
    point = (spline.bezier_points or spline.points)[0]
    point.co.x += 2.0


def _change_text(block: Any, _: str) -> None:
    if isinstance(block, bpy.types.Text):
        block.from_string(block.as_string() + "another line\n")
    else:
        block.data.body += "x"


def _change_nodes(block: Any, _: str) -> None:
    tree = block if isinstance(block, bpy.types.NodeTree) else block.node_tree
    tree.nodes.new("ShaderNodeRGB" if tree.bl_idname == "ShaderNodeTree" else "NodeReroute")


def _paint(image: Any, _: str) -> None:
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    image.pixels.foreach_set(1.0 - pixels)
    image.update()


def _color_space(image: Any, _: str) -> None:
    image.alpha_mode = "PREMUL" if image.alpha_mode != "PREMUL" else "STRAIGHT"


def _move_keys(action: Any, _: str) -> None:
    for curve in animation.fcurves(action, animation.slot(action)):
        for point in curve.keyframe_points:
            point.co.y += 1.0
            point.handle_left.y += 1.0
            point.handle_right.y += 1.0
        curve.update()


def _copy(obj: Any, _: str) -> None:
    made = obj.copy()
    if obj.data is not None:
        made.data = obj.data.copy()
    for home in obj.users_collection:
        home.objects.link(made)
    made.location.x += 2.0


def _delete(block: Any, _: str) -> None:
    table: Any = next(
        each
        for kind, each in (
            (bpy.types.Object, bpy.data.objects),
            (bpy.types.Collection, bpy.data.collections),
            (bpy.types.Text, bpy.data.texts),
            (bpy.types.Action, bpy.data.actions),
        )
        if isinstance(block, kind)
    )
    table.remove(block)


CHANGES: dict[str, Callable[[Any, str], None]] = {
    "name": _rename,
    "location": _move,
    "rotation": _turn,
    "scale": _scale,
    "delta transform": _move_by_delta,
    "parent": _put_below,
    "data": _rename_data,
    "materials": _other_material,
    "modifiers": _add_modifier,
    "constraints": _add_constraint,
    "animation": _animate,
    "vertex groups": _add_vertex_group,
    "instancing": _instance_collection,
    "color": _recolor,
    "display size": _display_size,
    "vertices": _move_vertices,
    "faces": _delete_face,
    "materials of faces": _other_slots,
    "smooth shading": _shade,
    "custom normals": _bend_normals,
    "shape keys": _add_shape_key,
    "points": _change_points,
    "text": _change_text,
    "nodes": _change_nodes,
    "pixels": _paint,
    "color space": _color_space,
    "keys": _move_keys,
    ledger.COPIED: _copy,
    ledger.DELETED: _delete,
}
