# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of exports share: a way in and out of Blender, and what differs between two levels."""

from pathlib import Path

import bpy
import numpy as np
from levelwright.addon.genesis.exporter import export_level
from levelwright.addon.genesis.importer import import_level
from levelwright.addon.genesis.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis

from tests.formats.genesis_bytes import LIGHT, entity, face, light, typedef
from tests.formats.genesis_bytes import brush as brush_bytes
from tests.formats.genesis_bytes import level as map_level


def imported(data: bytes, file: str | Path = "test.map", **settings: object) -> bpy.types.Collection:
    return import_level(bpy.context, data, file, ImportSettings(**settings), Report())


def exported(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> bytes:
    return export_level(bpy.context, level, ExportSettings(**settings), Report() if report is None else report)


def reopened(level: bpy.types.Collection, folder: Path) -> bpy.types.Collection:
    """The level after saving the .blend and opening it again."""
    name, path = level.name, folder / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.collections[name]


def part(level: bpy.types.Collection, kind: str, record: int) -> bpy.types.Object:
    """The object of a record: kind "brush", "entity", "model", "motion"..."""
    for obj in level.all_objects:
        mark = identity.stamped(obj)
        if mark is not None and (mark.kind, mark.record) == (kind, record):
            return obj
    raise LookupError(f"{kind} {record}")


def brush(level: bpy.types.Collection, record: int) -> bpy.types.Object:
    return part(level, "brush", record)


def positions(obj: bpy.types.Object) -> np.ndarray:
    values = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3)


def place(obj: bpy.types.Object, values: np.ndarray) -> None:
    obj.data.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(values, np.float32).reshape(-1))
    obj.data.update()


def uvs(obj: bpy.types.Object) -> np.ndarray:
    values = np.empty(2 * len(obj.data.loops), np.float32)
    obj.data.uv_layers[0].uv.foreach_get("vector", values)
    return values.reshape(-1, 2)


def set_uvs(obj: bpy.types.Object, values: np.ndarray) -> None:
    obj.data.uv_layers[0].uv.foreach_set("vector", np.ascontiguousarray(values, np.float32).reshape(-1))


def changes(before: bytes, after: bytes) -> dict[tuple[int, int, int], set[str]]:
    """The fields that differ of each face (entity, brush, face) of two maps with the same brushes."""
    found = {}
    old, new = genesis.read(before), genesis.read(after)
    for number, (one, other) in enumerate(zip(old.entities, new.entities, strict=True)):
        for row, (was, now) in enumerate(zip(one.brushes, other.brushes, strict=True)):
            if was.flags != now.flags:
                found[number, row, -1] = {"flags"}
            for side, (a, b) in enumerate(zip(was.faces, now.faces, strict=True)):
                fields = {name for name in genesis.FACE.names if a[name].tobytes() != b[name].tobytes()}
                if fields:
                    found[number, row, side] = fields
    return found


UP, DOWN = 2, 3  # faces of `laid_box`: +x -x +y -y +z -z


def laid_box(low=(-64, -64, -64), high=(64, 64, 64), **fields):
    """A box whose textures lie as the editor lays them: along the face, 0.5 a unit, scale 0.5."""
    u = [(0, 0, 0.5), (0, 0, 0.5), (0.5, 0, 0), (0.5, 0, 0), (0.5, 0, 0), (0.5, 0, 0)]
    v = [(0, -0.5, 0), (0, -0.5, 0), (0, 0, -0.5), (0, 0, -0.5), (0, -0.5, 0), (0, -0.5, 0)]
    normals = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    dists = [high[axis] * (sign > 0) - low[axis] * (sign < 0) for axis in range(3) for sign in (1, -1)]
    rows = zip(normals, dists, u, v, strict=True)
    return [face(normal, float(dist), u=one, v=two, **fields) for normal, dist, one, two in rows]


def sample(*boxes, more=()):
    """A level of some boxes, a light, and its class."""
    boxes = boxes or (laid_box(),)
    world = entity([brush_bytes(one) for one in boxes], pairs=[("TextureLib", "a.txl")])
    return map_level([world, *more, light("8 16 -24"), typedef("light", LIGHT)])
