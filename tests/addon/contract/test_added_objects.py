# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Blender can add to a level, with something in it or empty: the export works, or names the object."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fates.ledger import fate_of
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.geometry.loose import LOOSE
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import FormatError

from tests.addon.contract.registered import LEVELS
from tests.addon.contract.test_promises import imported

NAME = "what was added"
data: Any = bpy.data


def silent(font: Any) -> Any:
    """A text without letters."""
    font.body = ""
    return font


EMPTY: dict[str, Callable[[], Any]] = {
    "MESH": lambda: data.meshes.new(NAME),
    "CURVE": lambda: data.curves.new(NAME, "CURVE"),
    "SURFACE": lambda: data.curves.new(NAME, "SURFACE"),
    "FONT": lambda: silent(data.curves.new(NAME, "FONT")),
    "META": lambda: data.metaballs.new(NAME),
    "CURVES": lambda: data.hair_curves.new(NAME),
    "POINTCLOUD": lambda: data.pointclouds.new(NAME),
    "VOLUME": lambda: data.volumes.new(NAME),
    "GREASEPENCIL": lambda: getattr(data, "grease_pencils_v3", data.grease_pencils).new(NAME),
    "GPENCIL": lambda: data.grease_pencils.new(NAME),
    "ARMATURE": lambda: data.armatures.new(NAME),
    "LATTICE": lambda: data.lattices.new(NAME),
    "EMPTY": lambda: None,
    "LIGHT": lambda: data.lights.new(NAME, "AREA"),
    "LIGHT_PROBE": lambda: data.lightprobes.new(NAME, "VOLUME"),
    "CAMERA": lambda: data.cameras.new(NAME),
    "SPEAKER": lambda: data.speakers.new(NAME),
}
"""Data of an object of each type, with nothing in it."""
TYPES = [item.identifier for item in bpy.types.Object.bl_rna.properties["type"].enum_items]
TYPES = [kind for kind in TYPES if kind != ("GPENCIL" if bpy.app.version >= (4, 3) else "GREASEPENCIL")]
VARIANTS: list[tuple[str, dict[str, str]]] = [
    *(("object.light_add", {"type": kind}) for kind in ("POINT", "SUN", "SPOT", "AREA")),
    *(("object.lightprobe_add", {"type": kind}) for kind in ("SPHERE", "PLANE", "VOLUME")),
    *(("object.metaball_add", {"type": kind}) for kind in ("BALL", "CAPSULE", "PLANE", "ELLIPSOID", "CUBE")),
    *(("object.effector_add", {"type": kind}) for kind in ("FORCE", "WIND", "GUIDE")),
    *(("object.empty_add", {"type": kind}) for kind in ("PLAIN_AXES", "CUBE", "IMAGE")),
]
"""Operators that add several kinds of objects."""


def operators() -> Iterator[tuple[str, dict[str, str]]]:
    """All operators that may add an object, with what to add."""
    yield from VARIANTS
    given = {name for name, _ in VARIANTS}
    for category in ("object", "mesh", "curve", "surface"):
        for word in dir(getattr(bpy.ops, category)):
            name = f"{category}.{word}"
            adds = word.endswith("_add") if category == "object" else word.startswith("primitive_")
            if adds and name not in given:
                yield name, {}


def empty_objects(level: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """An object of each type, with nothing in it, in a level's collection; each goes before the next one comes."""
    for kind in TYPES:
        yield from once(level, bpy.data.objects.new(NAME, EMPTY[kind]()))


def added_objects(level: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """What each operator adds, with what it puts into it."""
    for name, options in operators():
        category, _, word = name.partition(".")
        before = set(bpy.data.objects)
        try:
            getattr(getattr(bpy.ops, category), word)(**options)
        except RuntimeError:  # it wants something else than a scene in object mode
            continue
        for obj in [obj for obj in bpy.data.objects if obj not in before]:
            for home in tuple(obj.users_collection):
                home.objects.unlink(obj)
            obj.name = NAME
            yield from once(level, obj)


def once(level: bpy.types.Collection, obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    try:
        level.objects.link(obj)
    except RuntimeError:  # an instance of the level's own collection
        bpy.data.objects.remove(obj)
        return
    bpy.context.view_layer.update()
    yield obj
    bpy.data.objects.remove(obj)


@LEVELS
@pytest.mark.parametrize("added", [empty_objects, pytest.param(added_objects, marks=pytest.mark.slow)])
def test_every_object_that_blender_adds_is_exported_or_named(
    game: Game, sample: Path, added: Callable[[bpy.types.Collection], Iterator[bpy.types.Object]]
) -> None:
    level = imported(game, sample)
    seen, wrong, unedited = set[str](), list[str](), Report()
    levels.check_export(bpy.context, level, unedited)
    for obj in added(level):
        kind = f"{obj.type} {getattr(obj.data, 'type', '')}"
        seen.add(obj.type)
        report = Report()
        try:
            levels.check_export(bpy.context, level, report)
            is_named = any(obj.name in line for line in report.lines())
            is_written = report.notes[-1] != unedited.notes[-1]  # it has more bytes
            if obj.type not in meshes.SURFACES and not (is_named or is_written):
                wrong.append(f"{kind}: nothing is said of it")
        except (SceneError, FormatError) as error:
            if obj.name not in str(error):
                wrong.append(f"{kind}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are tried, too
            wrong.append(f"{kind}: {type(error).__name__} {error}")
    assert not wrong
    assert seen >= set(TYPES) - {"LATTICE"}  # which only a menu adds


@LEVELS
def test_objects_without_a_surface_stop_no_export(game: Game, sample: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    for kind in ("CURVE", "SURFACE", "FONT", "META", "MESH"):
        level.objects.link(bpy.data.objects.new(f"a {kind} without a surface", EMPTY[kind]()))
    bpy.context.view_layer.update()
    _, settings = levels.game_of(level).writer
    levels.export_file(bpy.context, level, tmp_path / sample.name, settings(), Report())
    assert (tmp_path / sample.name).read_bytes() == sample.read_bytes()


@LEVELS
def test_instances_are_told(game: Game, sample: Path) -> None:
    """What an object shows beside its mesh: as geometry nodes and particles do, so do its vertices here."""
    level, report = imported(game, sample), Report()
    meshes = [obj for obj in level.all_objects if obj.type == "MESH" and obj.visible_get()]
    if not meshes:  # of a game whose levels have none
        meshes.append(data.objects.new("a mesh", quad()))
        level.objects.link(meshes[0])
    shown = meshes[0]
    child = data.objects.new(NAME, quad())
    child.parent, shown.instance_type = shown, "VERTS"
    bpy.context.scene.collection.objects.link(child)
    levels.check_export(bpy.context, level, report)
    assert [line for line in report.warnings if shown.name in line and "instances" in line]


def of_kinds(level: bpy.types.Collection) -> dict[str, bpy.types.Object]:
    """An object with faces of each kind in a level."""
    found = [obj for obj in level.all_objects if isinstance(obj.data, bpy.types.Mesh) and obj.data.polygons]
    return {mark.kind: obj for obj in found if (mark := identity.stamped(obj)) is not None}


@LEVELS
def test_modifiers_that_simulate_are_told(game: Game, sample: Path) -> None:
    level, silent_kinds = imported(game, sample), list[str]()
    for kind, obj in of_kinds(level).items():
        cloth = obj.modifiers.new("cloth", "CLOTH")
        report = Report()
        levels.check_export(bpy.context, level, report)
        if not any(obj.name in line for line in (*report.warnings, *report.notes)):
            silent_kinds.append(kind)
        obj.modifiers.remove(cloth)
    assert not silent_kinds


@LEVELS
def test_loose_vertices_and_edges_are_written_refused_or_told(game: Game, sample: Path) -> None:
    level, silent_kinds = imported(game, sample), list[str]()
    unedited = Report()
    levels.check_export(bpy.context, level, unedited)
    assert not [line for line in unedited.lines() if "loose" in line]
    for kind, obj in of_kinds(level).items():
        mesh: Any = obj.data
        kept, before, report = mesh.copy(), len(mesh.vertices), Report()
        mesh.vertices.add(3)
        mesh.edges.add(1)
        mesh.edges[-1].vertices = before, before + 1
        with suppress(SceneError):
            levels.check_export(bpy.context, level, report)
            written = fate_of(game.fates, kind, LOOSE).is_written and report.notes[-1] != unedited.notes[-1]
            if not written and not any(obj.name in line for line in (*report.warnings, *report.notes)):
                silent_kinds.append(kind)
            lines = [line for line in report.warnings if "loose" in line]
            assert all(line.startswith(f"{obj.name}: 1 loose vertex and 1 loose edge, not written") for line in lines)
        obj.data = kept
        data.meshes.remove(mesh)
    assert not silent_kinds


def quad() -> Any:
    made = data.meshes.new(NAME)
    made.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    return made
