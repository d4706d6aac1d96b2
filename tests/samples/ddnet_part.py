# SPDX-License-Identifier: GPL-3.0-or-later
"""A small DDNet part, made in Blender from nothing by the add-on's operators and Blender's own, as the how-to tells.

docs/teeworlds-part.md shows it; tests/addon/teeworlds/test_made_from_nothing.py has it accepted by the game's programs.
Needs Blender. The picture, the sound and the automapper's rules are ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
from PIL import Image

from tests.samples import art, opus

WIDTH, HEIGHT = 44, 22
FPS = 24
WHITE = (1.0, 1.0, 1.0, 1.0)
RULES = """
[Meadow]
Index 1

NewRun
Index 2
Pos 0 -1 EMPTY
"""
"""Earth everywhere, grass where there is nothing above."""
SOLID, FREEZE, SPAWN, START, FINISH = 1, 9, 192, 33, 34
TELE_IN, TELE_OUT, SPEEDUP, EARTH = 26, 27, 28, 1
GROUND = ((0, 16, 13, 21), (14, 18, 25, 21), (26, 14, 43, 21))
"""Cells of earth: left, top, right, bottom."""


def ops() -> Any:
    """The add-on's operators."""
    return bpy.ops.levelwright


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Let the picture and its rules be found as a game's: `mapres` and `editor/automap` below a folder."""
    for name in ("mapres", "editor/automap"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    Image.fromarray(art.tile_sheet()).save(folder / "mapres" / "meadow.png")
    Image.fromarray(art.ball()).save(folder / "ball.png")
    (folder / "editor" / "automap" / "meadow.rules").write_text(RULES, encoding="utf-8")
    (folder / "hum.opus").write_bytes(opus.ogg_opus([opus.SILENCE] * 50))
    before = os.environ.get("LEVELWRIGHT_MAPRES")
    os.environ["LEVELWRIGHT_MAPRES"] = str(folder / "mapres")
    try:
        yield
    finally:
        os.environ.pop("LEVELWRIGHT_MAPRES")
        if before is not None:
            os.environ["LEVELWRIGHT_MAPRES"] = before


def active() -> bpy.types.Object:
    """The active object."""
    obj: bpy.types.Object | None = bpy.context.view_layer.objects.active
    assert obj is not None
    return obj


def activate(obj: bpy.types.Object) -> None:
    """Make an object the active one and the only one that is selected."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def stamp(layer: bpy.types.Object, index: int, *areas: tuple[int, int, int, int], **fields: int) -> None:
    """Stamp a tile into rectangles (left, top, right, bottom) of a layer; fields: of physics tiles (number, ...)."""
    activate(layer)
    for name, value in fields.items():
        setattr(bpy.context.window_manager.levelwright_teeworlds_stamp, name, value)
    ops().teeworlds_choose_tile(index=index)
    for left, top, right, bottom in areas:
        ops().teeworlds_stamp(mode="RECTANGLE", x=left, y=top, to_x=right, to_y=bottom)


def add_layer(kind: str, title: str, resource: int = -1) -> bpy.types.Object:
    """Add a layer to the active group."""
    ops().teeworlds_add_layer(kind=kind, title=title, resource=resource)
    return active()


def new_map() -> bpy.types.Object:
    """Step 1: a map with a game layer, which is returned: walls, freeze, spawns, start and finish."""
    bpy.context.scene.render.fps = FPS
    ops().teeworlds_new_map(name="part", width=WIDTH, height=HEIGHT, room=False)
    game = next(obj for obj in bpy.context.scene.objects if obj.get("tile_kind") is not None)
    bpy.context.view_layer.update()
    stamp(game, SOLID, *GROUND, (0, 0, 43, 0), (0, 0, 0, 21), (43, 0, 43, 21))
    stamp(game, FREEZE, (14, 17, 25, 17))
    stamp(game, SPAWN, (3, 15, 5, 15))
    stamp(game, START, (8, 12, 8, 15))
    stamp(game, FINISH, (40, 10, 40, 13))
    return game


def add_physics() -> None:
    """Step 2: a pair of teleporters, and a speedup."""
    tele = add_layer("TELE", "Tele")
    stamp(tele, TELE_IN, (24, 15, 25, 16), number=1)
    stamp(tele, TELE_OUT, (11, 14, 11, 14), number=1)
    speedup = add_layer("SPEEDUP", "Speedup")
    stamp(speedup, SPEEDUP, (9, 15, 12, 15), force=6, max_speed=0, angle=0)


def add_ground(folder: Path) -> bpy.types.Object:
    """Step 3: a layer of earth, which the automapper draws over."""
    ops().teeworlds_add_image(filepath=str(folder / "mapres" / "meadow.png"))
    ground = add_layer("TILES", "Ground", 0)
    ops().teeworlds_choose_automapper(number=0)
    stamp(ground, EARTH, *GROUND)
    ops().teeworlds_automap()
    return ground


def add_art(folder: Path) -> bpy.types.Object:
    """Step 4: a ball that rolls over the gap and back, and reddens: a quad, keyed as any object. Returns it."""
    ops().teeworlds_add_image(filepath=str(folder / "ball.png"))
    add_layer("QUADS", "Ball", 1)
    ops().teeworlds_animate_quad()
    ball = active()
    for frame, x, turn, color in ((0, 13, 0.0, WHITE), (48, 27, -7.0, (1.0, 0.3, 0.2, 1.0)), (96, 13, 0.0, WHITE)):
        ball.location[:2] = x, -13
        ball.rotation_euler.z = turn
        ball["envelope_color"] = color
        for path in ("location", "rotation_euler", '["envelope_color"]'):
            ball.keyframe_insert(path, frame=frame)
    ops().teeworlds_animate_quad()
    return ball


def add_sound(folder: Path) -> bpy.types.Object:
    """Step 5: a hum over the freeze, which swells. Returns the source."""
    ops().teeworlds_add_sound(filepath=str(folder / "hum.opus"))
    add_layer("SOUNDS", "Hum", 0)
    bpy.context.scene.cursor.location = (20, -16, 0)
    ops().teeworlds_add_source(shape="CIRCLE")
    source = active()
    ops().teeworlds_new_envelope(kind="SOUND", title="swell")
    for frame, volume in ((0, 1.0), (24, 0.25)):
        strip = source.data.animation_data.nla_tracks[0].strips[0]
        for curve in curves_of(strip.action):
            curve.keyframe_points[0 if frame == 0 else -1].co.y = volume
    return source


def add_sky() -> bpy.types.Object:
    """Step 6: a sky behind everything, which stays where the player is: a group of its own with a quad, coloured at its
    corners. Returns the layer.
    """
    ops().teeworlds_add_group(title="Sky")
    active()["parallax_x"] = active()["parallax_y"] = 0
    ops().teeworlds_move_group(steps=-9)
    sky = add_layer("QUADS", "Sky")
    sky.scale = (40, 40, 1)
    ops().teeworlds_paint_quad_colors()
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh: Any = sky.data
    for corner, loop in enumerate(mesh.loops):
        high = mesh.vertices[loop.vertex_index].co.y > 0
        mesh.attributes["corner_color"].data[corner].color = (0.35, 0.6, 0.9, 1) if high else (0.95, 0.85, 0.7, 1)
    return sky


def curves_of(action: bpy.types.Action) -> list[Any]:
    """The F-curves of an action, whatever the version of Blender."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    strips = [strip for layer in action.layers for strip in layer.strips]
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


STEPS: tuple[Callable[..., object], ...] = (new_map, add_physics, add_ground, add_art, add_sound, add_sky)


def make(folder: Path) -> None:
    """Make the part in the scene that is open. folder: for the picture, the rules and the sound."""
    with installed(folder):
        for step in STEPS:
            step(*([folder] if step.__code__.co_argcount else []))
