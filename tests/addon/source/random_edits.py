# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits that a map can hold, and whether two scenes show the same map."""

import math
import random
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from levelwright.addon.scene.geometry import meshes, transforms
from levelwright.addon.scene.kept import originals
from levelwright.addon.source import layout
from levelwright.addon.source.collecting import scene_level
from levelwright.addon.source.entities import custom_properties

from tests.addon.source.exports import Scene, copied, removed

KINDS = (layout.ENTITY, layout.STATIC_PROP, layout.OVERLAY, layout.CUBEMAP, layout.WORLDLIGHT)
SURFACES = (layout.DISPLACEMENT, layout.MODEL)
Move = Callable[[bpy.types.Object, random.Random], None]


def objects_of(here: Scene, kind: str) -> list[bpy.types.Object]:
    """The objects of a kind, in the order that their records are written in; of models those of the world."""
    with scene_level.read(bpy.context, here.level, originals.find(here.level)) as scene:
        return [one.object for one in scene.instances(kind) if kind != layout.MODEL or one.record == 0]


def edit(here: Scene, chance: random.Random, move: dict[str, Move], kinds: Sequence[str], deletes: bool = True) -> str:
    """Do one edit of an object of one of these kinds; what it was. move: how objects of a kind go elsewhere."""
    kind = chance.choice(kinds)
    objects = objects_of(here, kind)
    if not objects:
        return "nothing"
    obj = chance.choice(objects)
    if kind in SURFACES:
        (_sculpt if kind == layout.DISPLACEMENT else _lay_texture)(obj, chance)
        return f"change {kind}"
    what = chance.choice(["move", "move", "change", "copy", "delete" if deletes else "move"])
    if what == "delete":
        removed(obj)
    elif what == "copy":
        obj = copied(obj, linked=chance.random() < 0.5)
        move[kind](obj, chance)
    elif what == "move":
        move[kind](obj, chance)
    else:
        _change(obj, kind, chance)
    return f"{what} {kind}"


def _sculpt(obj: bpy.types.Object, chance: random.Random) -> None:
    """Move a vertex of a displacement that no other one shares, and paint another."""
    mesh = obj.data
    edge = math.isqrt(len(mesh.vertices))
    inside = [row * edge + column for row in range(1, edge - 1) for column in range(1, edge - 1)]
    vertex = mesh.vertices[chance.choice(inside)]
    vertex.co = [value + chance.uniform(-3, 3) for value in vertex.co]
    mesh.attributes[layout.ALPHA].data[chance.choice(inside)].color = (chance.random(),) * 3 + (1,)


def _lay_texture(obj: bpy.types.Object, chance: random.Random) -> None:
    """Move, scale and slant the texture of a face."""
    face = chance.choice(obj.data.polygons)
    uvs = obj.data.uv_layers[layout.UV].uv
    slant, scale, shift = chance.uniform(-0.5, 0.5), chance.uniform(0.5, 2), chance.uniform(-1, 1)
    for corner in face.loop_indices:
        u, v = uvs[corner].vector
        uvs[corner].vector = (u * scale + v * slant + shift, v + shift)


def _change(obj: bpy.types.Object, kind: str, chance: random.Random) -> None:
    if kind == layout.ENTITY:
        key = chance.choice(["targetname", "health", "spawnflags", "Message"])
        obj[key] = chance.choice(["", "a name", 12, 0.25, "tr\u00e9s"])
    elif kind == layout.STATIC_PROP:
        obj["skin"] = chance.randrange(5)
    elif kind == layout.OVERLAY:
        obj["render_order"] = chance.randrange(4)
    elif kind == layout.CUBEMAP:
        obj["cubemapsize"] = chance.randrange(1, 8)
    else:
        obj["intensity"] = [chance.uniform(0, 50) for _ in range(3)]


def assert_alike(one: Scene, other: Scene, kinds: Sequence[str] = KINDS) -> None:
    """Assert that the second scene, of what the first one was exported as, shows the same."""
    for kind in kinds:
        objects = objects_of(one, kind)
        made = objects_of(other, kind)
        assert len(objects) == len(made), kind
        for obj, again in zip(objects, made, strict=True):
            (_assert_same_surface if kind in SURFACES else _assert_like)(kind, obj, again)


def _assert_same_surface(kind: str, obj: bpy.types.Object, again: bpy.types.Object) -> None:
    first, second = meshes.read(obj), meshes.read(again)
    assert np.abs(first.positions - second.positions).max() < 0.01
    assert np.array_equal(first.corner_verts, second.corner_verts)
    if kind == layout.DISPLACEMENT:
        alphas = [each.attribute(layout.ALPHA, "POINT")[:, 0] for each in (first, second)]
        assert np.abs(alphas[0] - alphas[1]).max() < 1e-4
    else:
        assert np.abs(first.uv(layout.UV) - second.uv(layout.UV)).max() < 1e-3


def _assert_like(kind: str, obj: bpy.types.Object, again: bpy.types.Object) -> None:
    first, second = (transforms.compose(each, deltas=False) for each in (obj, again))
    if kind == layout.OVERLAY:  # what is turned there is a quad that is turned here
        corners = []
        for each, matrix in ((obj, first), (again, second)):
            points = np.array([vertex.co[:] for vertex in each.data.vertices])
            corners.append(points @ matrix[:3, :3].T + matrix[:3, 3])
        assert np.abs(corners[0] - corners[1]).max() < 0.01
        assert obj["render_order"] == again["render_order"]
        return
    apart = 0.51 if kind == layout.CUBEMAP else 1e-3
    assert np.abs(first[:3, 3] - second[:3, 3]).max() < apart, (obj.name, again.name)
    if kind in (layout.ENTITY, layout.STATIC_PROP):
        assert np.abs(first[:3, :3] - second[:3, :3]).max() < 1e-4, (obj.name, again.name)
    keys = {layout.ENTITY: custom_properties.written_keys(obj), layout.STATIC_PROP: ["skin", "model"],
            layout.CUBEMAP: ["cubemapsize"], layout.WORLDLIGHT: ["intensity", "style"]}[kind]  # fmt: skip
    for key in keys:
        if key in ("angles", "pitch"):
            continue  # the rotation has won
        now, then = (custom_properties.as_values(each.get(key)) for each in (obj, again))
        if kind == layout.WORLDLIGHT:
            assert np.allclose([float(part) for part in now[0].split()], [float(part) for part in then[0].split()])
        else:
            assert now == then, (obj.name, key)


def anywhere(low: Sequence[float], high: Sequence[float], turns: bool = True) -> Move:
    """Moves to anywhere in a box, and turns."""

    def move(obj: bpy.types.Object, chance: random.Random) -> None:
        obj.location = [round(chance.uniform(a, b), chance.randrange(4)) for a, b in zip(low, high, strict=True)]
        if turns:
            obj.rotation_euler.z = math.radians(chance.choice([0, 45, chance.uniform(-180, 180)]))

    return move


def nearby(units: float) -> Move:
    """Moves by a few units, and turns; but for brush entities, decals and ropes, which can't all be turned."""

    def move(obj: bpy.types.Object, chance: random.Random) -> None:
        for axis in range(3):
            obj.location[axis] += chance.uniform(-units, units)
        still = str(obj.get("model", "")).startswith("*") or obj.get("classname") == "infodecal"
        if not still and not isinstance(obj.data, bpy.types.Curve):
            obj.rotation_euler.z += chance.uniform(-1, 1)

    return move
