# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the documents: each sample as it is, and beside it the same level after an edit.

The right half is not the edited scene: it is the file that was exported from it, imported again. So a picture can only
be made where the edit arrives in the game's own format. Whoever reads the code finds edits by script here.

Two pictures are of real levels, which aren't in this repository: where these aren't at hand, the pictures stay.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

from scripts import extension, part_pictures
from tests.samples import fable_art, fable_vale, first_light, genesis_room, ns2_art, ns2_room, source_room

FOLDER = extension.ROOT / "docs" / "pictures"
REAL = Path(os.environ.get("LEVELWRIGHT_SHARED", extension.ROOT.parent / "shared")) / "corpus"
"""Where real levels are, on machines that have some."""
WIDTH, HEIGHT, GAP = 480, 320, 8
"""Pixels of each half, and between them."""
SAMPLES = 48
QUALITY = 82


@dataclass(frozen=True)
class Subject:
    """One game's picture."""

    level: Path
    operator: str
    """The name after import_scene. and export_scene."""
    aim: Callable[[], None]
    """Puts a camera into the scene."""
    edit: Callable[[], None]
    """Changes the scene."""
    content: Callable[[Path], Mapping[str, str]] = lambda _: {}
    """Writes what the game has for the level into a folder, and returns the import's options that name it."""
    engine: str = "CYCLES"
    """Cycles where light is reflected, or where EEVEE would compile a shader for a minute without a graphics card."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further options of the import."""
    frame: int = 0
    is_opened_again: bool = True
    """Whether the right half is the exported file; otherwise the edited scene, for what is in no file."""


def look(place: Sequence[float], target: Sequence[float], lens: float) -> None:
    """Put a camera at a place (metres), looking at a target, with a lens (mm)."""
    camera = bpy.data.cameras.new("Camera")
    camera.lens, camera.clip_start = lens, 0.01
    holder = bpy.context.scene.camera = bpy.data.objects.new("Camera", camera)
    bpy.context.scene.collection.objects.link(holder)
    holder.location = place
    holder.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()


def copied(name: str, **channels: Sequence[float]) -> bpy.types.Object:
    """Copy an object with its data into the same collections, as Shift+D does, and set channels of the copy."""
    source = bpy.data.objects[name]
    copy = source.copy()
    if source.data is not None:
        copy.data = source.data.copy()
    for collection in source.users_collection:
        collection.objects.link(copy)
    for channel, value in channels.items():
        setattr(copy, channel, value)
    return copy


# ----------------------------------------------------------------------------------------------------------- Teeworlds


def aim_teeworlds() -> None:
    """The game's own camera, a little farther away."""
    camera = bpy.context.scene.camera
    camera.location.x, camera.location.y = 33.0, -15.0
    camera.data.ortho_scale = 44.0


def edit_teeworlds() -> None:
    """Sunset, and a bridge over the pond: copies of a row of the house's bricks."""
    import bmesh  # bpy brings it along

    for name, colors in (
        ("0 Gradient", [(0.22, 0.14, 0.42, 1.0), (1.0, 0.62, 0.28, 1.0)]),
        ("2 Hills", [(0.42, 0.30, 0.45, 1.0), (0.26, 0.18, 0.32, 1.0)]),
    ):
        mesh = bpy.data.objects[name].data
        heights = np.array([mesh.vertices[loop.vertex_index].co.y for loop in mesh.loops])
        low = (heights < heights.mean()).astype(int)
        mesh.attributes["corner_color"].data.foreach_set("color", np.array(colors, np.float32)[low].ravel())
    bpy.data.objects["1 Sun quad 0"].location += Vector((-5.5, -3.0, 0.0))

    mesh = bpy.data.objects["4 House"].data
    form = bmesh.new()
    form.from_mesh(mesh)
    lowest = min(face.calc_center_median().y for face in form.faces)
    row = [face for face in form.faces if face.calc_center_median().y == lowest]
    for column in range(15):
        copy = bmesh.ops.duplicate(form, geom=[row[0]])["geom"]
        points = [part for part in copy if isinstance(part, bmesh.types.BMVert)]
        x, y = row[0].calc_center_median().xy
        where = Vector((31.5 + column - x, -21.5 - y, 0.0))
        bmesh.ops.translate(form, verts=points, vec=where)
    form.to_mesh(mesh)
    form.free()


# ----------------------------------------------------------------------------------------------------------- Genesis3D


def aim_genesis() -> None:
    """Across the room, at the wall with the door."""
    look((-5.08, 3.9, 1.2), (0.2, -0.9, 1.9), 18)


def edit_genesis() -> None:
    """A second window (a cut is a brush, too) with its pane, and crates on crates."""
    for name in ("window", "pane"):
        x, y, z = bpy.data.objects[name].location
        copied(name, location=(x, -y, z))
    crate = bpy.data.objects["crate"]
    width, _, height = (max(side) - min(side) for side in zip(*crate.bound_box, strict=True))
    copied("crate", location=crate.location + Vector((0, 0, height)), rotation_euler=(0, 0, 0.4))
    copied("crate", location=crate.location + Vector((-1.2 * width, 0.4 * width, 0)), rotation_euler=(0, 0, -0.3))


# --------------------------------------------------------------------------------------------------------------- Fable


def aim_fable() -> None:
    """All of the valley, from the south."""
    look((31, -34, 60), (32, 30, 19), 32)


def edit_fable() -> None:
    """A second hill, heather on its top, sculpted and painted; things go up with it, and the level grows northwards."""
    ground = bpy.data.objects["Terrain"]
    mesh = ground.data
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points)
    points = points.reshape(-1, 3)
    far = np.hypot(points[:, 0] - 49, points[:, 1] - 25) / 10
    rise = np.where(far < 1, 11 * (0.5 + 0.5 * np.cos(np.pi * np.minimum(far, 1))), 0)
    points[:, 2] += np.rint(rise * 256) / 256
    mesh.attributes["position"].data.foreach_set("vector", points.ravel())
    for group, low, high in (("GROUND_VALE_HEATHER", 6.0, 99.0), ("GROUND_VALE_ROCK", 2.5, 6.0)):
        chosen = np.flatnonzero((rise >= low) & (rise < high)).tolist()
        for other in ground.vertex_groups:
            other.remove(chosen)
        ground.vertex_groups[group].add(chosen, 1.0, "REPLACE")
    mesh.update()
    bpy.ops.levelwright.fable_follow_ground()
    bpy.ops.levelwright.fable_resize(north=32)


# ------------------------------------------------------------------------------------------------- Natural Selection 2


def aim_ns2() -> None:
    """From one corner of the room to the other."""
    look((0.25, 0.5, 2.0), (4.5, 5.0, 1.0), 18)


def edit_ns2() -> None:
    """Crates on crates, a bluer light, and panels in the place of the column's paint."""
    crate = bpy.data.objects["crate"]
    copied("crate", location=(4.75, 4.0, 1.8), scale=(0.6, 0.6, 0.6), rotation_euler=(0.0, 0.0, 1.0))
    copied("crate", location=crate.location + Vector((0.5, -1.3, -0.35)), scale=(0.8, 0.8, 0.8))
    bpy.data.objects["light_point"].data.color = (0.45, 0.65, 1.0)
    mesh = bpy.data.objects["Geometry"].data
    slots = [material.name for material in mesh.materials]
    for polygon in mesh.polygons:
        if slots[polygon.material_index] == "column":
            polygon.material_index = slots.index("metal")


def edit_ns2_textures() -> None:
    """The floor's texture turned and larger, the walls' upright and fitted, by the buttons that there are for it."""
    obj = bpy.context.view_layer.objects.active = bpy.data.objects["Geometry"]
    slots = [material.name for material in obj.data.materials]
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    tools = bpy.ops.levelwright
    for names, operator, options in (
        (("floor",), tools.ns2_texture_turn, {"angle": -0.5}),
        (("floor",), tools.ns2_texture_fit, {"repeats": (2.0, 2.0)}),
        (("wall",), tools.ns2_texture_turn, {"angle": math.pi / 2}),
        (("wall",), tools.ns2_texture_fit, {"repeats": (3.0, 6.0)}),
        (("column",), tools.ns2_texture_fit, {"repeats": (1.0, 2.0)}),
    ):
        for polygon in obj.data.polygons:
            polygon.select = slots[polygon.material_index] in names
        bpy.ops.object.mode_set(mode="EDIT")
        operator(**options)
        bpy.ops.object.mode_set(mode="OBJECT")


# --------------------------------------------------------------------------------------------------------- real levels


def aim_fields() -> None:
    """All of the level, from the south-west."""
    look((-34, 4, 78), (36, 74, 19), 40)


def edit_fields() -> None:
    """A pond that is dug into the fields and painted as water, level with the lake, and a knoll with sides on which
    nobody can walk; things go along with the ground.
    """
    ground = bpy.data.objects["Terrain"]
    mesh = ground.data
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points)
    x, y, z = points.reshape(-1, 3).T
    water = float(np.median([point.co.z for point in bpy.data.objects["Water"].data.vertices]))
    pond = np.clip(1.25 - np.hypot(x - 22, y - 84) / 11, 0, 1)
    dug = np.where(pond > 0, np.minimum(z, water + 1 - 3 * np.sqrt(pond)), z)
    knoll = np.clip(1 - np.hypot(x - 48, y - 84) / 12, 0, 1)
    z[:] = np.rint((dug + 10 * np.sin(knoll * np.pi / 2) ** 2) * 256) / 256
    mesh.attributes["position"].data.foreach_set("vector", points)
    depth = np.where(pond > 0, np.clip(water - z, 0, 2), 0)
    for index in np.flatnonzero(depth > 0).tolist():
        for other in ground.vertex_groups:
            other.remove([index])
        deep = round(float(depth[index]) / 2 * 255) / 255
        for name, share in (("WATER_DWLAKE_2", deep), ("WATER_DWLAKE_0", 1 - deep)):
            ground.vertex_groups[name].add([index], share, "REPLACE")
    blocked = mesh.attributes["walkable"].data
    for index in np.flatnonzero((knoll > 0.1) & (knoll < 0.75)).tolist():
        blocked[index].value = False
    mesh.update()
    bpy.ops.levelwright.fable_refresh()
    bpy.ops.levelwright.fable_follow_ground()
    bpy.ops.levelwright.fable_preview_navigation(how="patch")


def aim_panic() -> None:
    """Down into the middle of the level, without its ceilings."""
    look((-9, -17, 19), (0, -4, 1), 26)
    shading = bpy.context.scene.display.shading
    shading.color_type, shading.light, shading.show_backface_culling = "TEXTURE", "STUDIO", True


def edit_panic() -> None:
    """The floors' textures turned and larger, those of the walls fitted to them."""
    obj = bpy.context.view_layer.objects.active = bpy.data.objects["Geometry"]
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    tools = bpy.ops.levelwright
    for upright, operator, options in (
        (False, tools.ns2_texture_turn, {"angle": 0.6}),
        (False, tools.ns2_texture_fit, {"repeats": (1.5, 1.5)}),
        (True, tools.ns2_texture_fit, {"repeats": (2.0, 1.0)}),
    ):
        for polygon in obj.data.polygons:
            polygon.select = abs(polygon.normal.z) < 0.5 if upright else polygon.normal.z > 0.9
        bpy.ops.object.mode_set(mode="EDIT")
        operator(**options)
        bpy.ops.object.mode_set(mode="OBJECT")


# -------------------------------------------------------------------------------------------------------------- Source


def aim_source() -> None:
    """From one corner of the room to the other, in the map's units."""
    unit = bpy.data.objects["source_room"].scale.x
    look(Vector((24, 24, 130)) * unit, Vector((330, 260, 70)) * unit, 18)


def edit_source() -> None:
    """A hill that is higher and greener, more crates, and the sign elsewhere."""
    mesh = bpy.data.objects["Displacement 0"].data
    points = np.array([vertex.co for vertex in mesh.vertices])
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    inner = 1 - np.abs((points[:, :2] - low) / (high - low) * 2 - 1).max(axis=1)  # 0 at the border, which stays closed
    points[:, 2] += 60 * np.sin(inner * np.pi / 2) ** 2
    mesh.vertices.foreach_set("co", points.ravel())
    blend = mesh.attributes["displacement_alpha"].data
    for index in np.flatnonzero(inner > 0).tolist():
        blend[index].color = (0.0, 0.0, 0.0, 1.0)
    mesh.update()
    crate = bpy.data.objects["Prop 0 crate"]
    copied("Prop 0 crate", location=crate.location + Vector((-44, 18, 0)))
    copied("Prop 1 crate skin 1", location=crate.location + Vector((-52, 60, 0)), rotation_euler=(0, 0, 0.6))
    copied("Prop 0 crate", location=crate.location + Vector((-46, 36, 32)), rotation_euler=(0, 0, 0.3))
    bpy.data.objects["Overlay 0 sign"].location.x += 72


SUBJECTS: dict[str, Subject] = {
    "teeworlds": Subject(
        first_light.TARGET,
        "teeworlds_map",
        aim_teeworlds,
        edit_teeworlds,
        engine="EEVEE",
        options={"game_view": True},
    ),
    "genesis": Subject(
        genesis_room.EDITOR,
        "genesis_3dt",
        aim_genesis,
        edit_genesis,
        lambda _: {"texture_library": str(genesis_room.LIBRARY), "headers_directory": str(genesis_room.FOLDER)},
        options={"preview_cuts": "csg"},
        frame=12,
    ),
    "fable": Subject(
        fable_vale.LEVEL,
        "fable_lev",
        aim_fable,
        edit_fable,
        lambda folder: {"textures_directory": str(fable_art.write(folder))},
    ),
    "ns2": Subject(
        ns2_room.LEVEL,
        "ns2_level",
        aim_ns2,
        edit_ns2,
        lambda folder: {"game_directory": str(ns2_art.write(folder / "game"))},
    ),
    "ns2_textures": Subject(
        ns2_room.LEVEL,
        "ns2_level",
        aim_ns2,
        edit_ns2_textures,
        lambda folder: {"game_directory": str(ns2_art.write(folder / "game"))},
    ),
    "source": Subject(source_room.MAP, "source_bsp", aim_source, edit_source),
    "fable_real": Subject(
        REAL / "lev/BuffJesus__FQT/BarrowFields.lev", "fable_lev", aim_fields, edit_fields, is_opened_again=False
    ),
    "ns2_real": Subject(
        REAL / "ns2/DaanVanYperen__ns2-xeno-panic/x.0d675d6e.level",
        "ns2_level",
        aim_panic,
        edit_panic,
        engine="WORKBENCH",
        options={"entities": False},
    ),
}


def load(subject: Subject, level: Path, content: Mapping[str, str]) -> None:
    """Import a level into an empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    getattr(bpy.ops.import_scene, subject.operator)(filepath=str(level), **content, **subject.options)


def render(subject: Subject, target: Path) -> Image.Image:
    """Render the scene through the subject's camera."""
    subject.aim()
    scene = bpy.context.scene
    settings = scene.render
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = WIDTH, HEIGHT, 100
    if subject.engine == "CYCLES":
        settings.engine = "CYCLES"
        scene.cycles.samples, scene.cycles.use_denoising = SAMPLES, True
    elif subject.engine == "WORKBENCH":
        settings.engine = "BLENDER_WORKBENCH"
    else:
        settings.engine = "BLENDER_EEVEE_NEXT" if bpy.app.version < (5, 0) else "BLENDER_EEVEE"
        scene.eevee.taa_render_samples = 16
    settings.image_settings.file_format = "PNG"
    settings.filepath = str(target)
    scene.frame_set(subject.frame)
    bpy.ops.render.render(write_still=True)
    with Image.open(target) as image:
        return image.convert("RGB")


def draw(name: str, folder: Path) -> Path:
    """Make one picture; folder: for what it needs on the way. Returns the picture's path."""
    subject = SUBJECTS[name]
    content = subject.content(folder)
    load(subject, subject.level, content)
    before = render(subject, folder / "before.png")

    load(subject, subject.level, content)
    subject.edit()
    exported = folder / subject.level.name
    getattr(bpy.ops.export_scene, subject.operator)(filepath=str(exported))
    if exported.read_bytes() == subject.level.read_bytes():
        raise RuntimeError(f"{name}: the edit did not arrive in the exported file")
    if subject.is_opened_again:
        load(subject, exported, content)
    after = render(subject, folder / "after.png")

    picture = Image.new("RGB", (2 * WIDTH + GAP, HEIGHT), "white")
    picture.paste(before, (0, 0))
    picture.paste(after, (WIDTH + GAP, 0))
    target = FOLDER / f"{name}.webp"
    picture.save(target, quality=QUALITY, method=6)
    return target


def draw_part(folder: Path) -> list[Path]:
    """Make the pictures of the how-to; folder: for what they need on the way. Returns their paths."""
    targets = []
    for name, picture in part_pictures.draw(folder):
        targets.append(FOLDER / f"{name}.webp")
        picture.save(targets[-1], quality=QUALITY, method=6)
    return targets


def main() -> int:
    """Make the pictures of the games that are named, or of all."""
    parser = argparse.ArgumentParser(prog="scripts/pictures", description=(__doc__ or "").partition("\n")[0])
    every = [*SUBJECTS, part_pictures.NAME]
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(every)}; all without any")
    names = parser.parse_args().games or every
    unknown = [name for name in names if name not in every]
    if unknown:
        parser.error(f"no picture of {', '.join(unknown)}; there are {', '.join(every)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    loaded = extension.load()
    loaded.register()
    try:
        for name in names:
            if name in SUBJECTS and not SUBJECTS[name].level.exists():
                print(f"{name}: {SUBJECTS[name].level} isn't here, so its picture stays")
                continue
            with tempfile.TemporaryDirectory() as folder:
                targets = draw_part(Path(folder)) if name == part_pictures.NAME else [draw(name, Path(folder))]
            for target in targets:
                print(f"{target.relative_to(extension.ROOT)}: {math.ceil(target.stat().st_size / 1000)} kB")
    finally:
        loaded.unregister()  # bpy 4.5 hangs at exit while a class is registered
    return 0


if __name__ == "__main__":
    extension.run(main)
