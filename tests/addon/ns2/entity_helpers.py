# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of entities share: a level with one of everything, a way in and out of Blender, and what differs."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.importer import import_level
from levelwright.addon.ns2.layout import CLASS
from levelwright.addon.ns2.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

from tests.formats import ns2_bytes as nb

STRING, BOOL, REAL, INTEGER, FILE, COLOR, ANGLE, DISTANCE, CHOICE = 0, 1, 2, 3, 4, 5, 7, 9, 10
NAN = float("nan")
CUBEMAP = bytes(range(1, 251)) * 393 + bytes(54)  # 98,304 bytes, of all exponents


def placed(x: float, y: float, z: float, *angles: float) -> list[bytes]:
    return [nb.origin(x, y, z), nb.floats("angles", ANGLE, *(angles or (0.0, -0.0, 0.0)))]


def text(name: str, value: str, kind: int = STRING) -> bytes:
    return nb.prop(name, kind, nb.str16(value))


def whole(name: str, value: int, kind: int = INTEGER) -> bytes:
    return nb.prop(name, kind, struct.pack("<i", value))


LIGHT = [
    nb.floats("color", COLOR, 1.0, 0.5, 0.25),
    nb.floats("distance", DISTANCE, 4.0),
    nb.floats("intensity", REAL, 3.0),
]
LIGHT += [whole("casts_shadows", 0, BOOL), whole("specular", 1, BOOL)]
CONE = [nb.floats("innerAngle", ANGLE, 0.5), nb.floats("outerAngle", ANGLE, 0.75)]
SCALE = nb.floats("scale", REAL, 4.0, 2.0, 8.0)
DOOR = [whole("direction", -1, CHOICE), text("name", "door \u00e9\u2603"), whole("direction", 3, CHOICE)]
PLACES: dict[str, Sequence[bytes]] = {
    "prop_static": [*placed(1.5, -2, 0.1, 0.0, 0.5, -3.0), nb.floats("scale", REAL, 1.0, -1.0, 2.0),
                    text("model", "models/props/rock.model", FILE), whole("castsShadows", 1, BOOL)],
    "light_point": [*placed(1, 2, 3, 0.1, 0.2, 0.3), *LIGHT],
    "light_spot": [*placed(4, 5, 6, 0.1, 1.2, 0.3), *LIGHT, *CONE],
    "light_ambient": [*placed(7, 8, 9), *LIGHT[:3], nb.floats("color_dir_up", COLOR, 0.1, 0.2, 0.3)],
    "location": [*placed(10, 1, 2), SCALE, text("name", "Hub"), whole("showOnMinimap", 1, BOOL)],
    "decal": [*placed(0, 1, 0), nb.floats("extents", REAL, 3.0, 1.0, 2.0), text("material", "a.material", FILE)],
    "tech_point": [*placed(-3, 0, 2), whole("teamNumber", 2, CHOICE), whole("chooseWeight", 1)],
    "ambient_sound": [*placed(1, 1, 1), text("eventName", "sound/a", FILE), nb.floats("minFalloff", DISTANCE, 3.0),
                      nb.floats("maxFalloff", DISTANCE, 9.0), nb.floats("volume", REAL, 0.25),
                      nb.floats("pitch", REAL, 1.0)],
    "camera_origin": [*placed(2, 2, 2, 0.0, 0.25, 1.0), nb.floats("fov", REAL, 60.0)],
    "func_moveable": [*placed(0, 0, 0), *DOOR, nb.prop("torn", INTEGER, b"\x01"), nb.prop("", STRING, nb.str16("x"))],
    "lost": [nb.origin(NAN, 1.0, float("inf")), nb.floats("angles", ANGLE, NAN, 0.0, 0.0)],
}  # fmt: skip


def level_bytes(version: int = 10) -> bytes:
    """A level of one entity of each of PLACES, some in layers and groups, and of a probe that has seen something."""
    homes: dict[str, dict[str, Any]] = {
        "light_point": {"layers": nb.mask(0)},
        "light_spot": {"layers": nb.mask(0, 1) if version > 4 else nb.mask(1), "group": 5},
        "tech_point": {"group": 77},  # a group that is not there
    }
    objects = [nb.entity(version, name, parts, **homes.get(name, {})) for name, parts in PLACES.items()]
    probe = [*placed(3, 3, 3), nb.floats("distance", DISTANCE, 6.0), nb.floats("strength", REAL, 0.5)]
    seen = [("reflection_probe_cubemap", CUBEMAP), ("other", b"\0\1")] if version >= 10 else []
    objects.append(nb.entity(version, "reflection_probe", probe, editor_data=seen))
    layers = nb.listed(version, [("Rooms", 0), ("Lights", 1)])
    return nb.level(version, mesh=nb.mesh(version, nb.Shape((), (), ())), objects=objects,
                    layers=layers, groups=nb.listed(version, [("Low Lights", 5)], groups=True))  # fmt: skip


def opened(data: bytes, folder: Path | None = None, report: Report | None = None) -> bpy.types.Collection:
    settings = ImportSettings(game_directory=str(folder) if folder is not None else "")
    return import_level(bpy.context, data, "room.level", settings, report or Report())


def exported(collection: bpy.types.Collection, report: Report | None = None) -> bytes:
    return export_level(bpy.context, collection, ExportSettings(), report or Report())


def object_of(collection: bpy.types.Collection, class_name: str) -> Any:
    return next(obj for obj in collection.all_objects if obj.get(CLASS) == class_name)


def read(data: bytes) -> dict[str, ns2.Entity]:
    """Entities by class: the last of each."""
    return {entity.class_name: entity for entity in ns2.read(data).entities}


def differences(before: bytes, after: bytes) -> set[tuple[str, str]]:
    """Class and property of all that differs between levels with the same entities; asserts that nothing else does."""
    one, other = ns2.read(before), ns2.read(after)
    assert len(one.entities) == len(other.entities)
    found = set()
    for a, b in zip(one.entities, other.entities, strict=True):
        assert [each.name for each in a.properties] == [each.name for each in b.properties]
        found |= {(a.class_name, p.name) for p, q in zip(a.properties, b.properties, strict=True) if p != q}
        if a.class_name != b.class_name:
            found.add((a.class_name, "class"))
        if (a.layers, a.group) != (b.layers, b.group):
            found.add((a.class_name, "homes"))
        if [(d.name, d.data) for d in a.editor_data] != [(d.name, d.data) for d in b.editor_data]:
            found.add((a.class_name, "editor data"))
    one.entities = other.entities
    assert ns2.write(one) == after, "something else than entities differs"
    return found
