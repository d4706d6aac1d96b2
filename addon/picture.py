# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of the scene: through a camera that is there, or from where one sees the level."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy
from mathutils import Euler, Matrix, Vector

from ..formats.binary import FormatError
from . import levels
from .scene.blender_types import Value, always, configure, expect
from .scene.fields.properties import setting
from .scene.kept import originals
from .scene.media import materials
from .scene.names import showable
from .scene.reports import Report, SceneError
from .scene.view import stage

LONGER_SIDE = 1280
LARGEST_SIDE = 16384
"""Pixels: a square of so many takes 4 GiB while it is drawn."""
VIEWS = ("auto", "camera", "top", "iso", "spawn")
ENGINES = ("auto", "eevee", "cycles", "workbench")
_ISOMETRIC = Euler((math.atan(math.sqrt(2.0)), 0.0, math.radians(45.0)))
"""From the front and right, the three axes at equal angles."""


def _side() -> int:
    """The field of one side of a picture."""
    text = "In pixels; 0 for the scene's or, from above, the level's proportions"
    return setting(0, text, minimum=0, maximum=LARGEST_SIDE)


@dataclass(frozen=True)
class PictureSettings:
    """From where a picture is taken, and how large and how good it is."""

    view: str = setting(
        "auto",
        "From where: auto takes the scene's camera if it has one, else top; iso shows all of it from a corner",
        choices=VIEWS,
    )
    width: int = _side()
    height: int = _side()
    samples: int = setting(
        8,
        "Samples a pixel: levels that are drawn flat need them for smooth edges only; noise is taken out of lit ones",
        minimum=1,
    )
    transparent: bool = setting(False, "Nothing is where the level isn't, in place of the background")
    engine: str = setting(
        "auto", "What draws it: auto takes eevee where there is a graphics processor, else cycles", choices=ENGINES
    )


def render(context: bpy.types.Context, path: Path, settings: PictureSettings, report: Report) -> None:
    """Write a picture of the scene as it renders.

    report: takes what of it isn't as it should be. Raises SceneError where the view that was asked for isn't there: no
    camera, no spawn.
    """
    scene = stage.scene_of(context)
    output = scene.render
    size = settings.width or output.resolution_x, settings.height or output.resolution_y
    view = settings.view if settings.view != "auto" else "camera" if scene.camera is not None else "top"
    if view == "camera" and scene.camera is None:
        raise SceneError("the scene has no camera to look through")
    if view == "spawn":
        output.resolution_x, output.resolution_y = size
        for collection in originals.levels(scene):
            _show_rooms(context, collection, report)
        _look_from_spawn(context, size[0] / size[1])
    elif view in ("top", "iso"):
        for collection in originals.levels(scene):
            _show_rooms(context, collection, report)
            _open(collection)
        whole = _look_at_all(context, Matrix.Identity(3) if view == "top" else _ISOMETRIC.to_matrix(), settings)
        size = settings.width or whole[0], settings.height or whole[1]
    output.resolution_x, output.resolution_y = size
    output.resolution_percentage = 100
    output.film_transparent = settings.transparent
    choose_engine(scene, settings)
    output.image_settings.file_format = "PNG"
    output.image_settings.color_mode = "RGBA" if settings.transparent else "RGB"
    output.use_file_extension = False
    output.filepath = showable(str(path))
    bpy.ops.render.render(write_still=True)


def choose_engine(scene: bpy.types.Scene, settings: PictureSettings) -> None:
    """Have the scene drawn by what was asked for, or by what is quickest here and looks the same."""
    engine_property = expect(bpy.types.EnumProperty, scene.render.bl_rna.properties["engine"])
    engines = {item.identifier for item in engine_property.enum_items}
    eevee = "BLENDER_EEVEE_NEXT" if "BLENDER_EEVEE_NEXT" in engines else "BLENDER_EEVEE"
    names = {"eevee": eevee, "cycles": "CYCLES", "workbench": "BLENDER_WORKBENCH"}
    cycles: Value = getattr(scene, "cycles", None)
    engine = settings.engine
    if engine == "auto":
        own = scene.render.engine
        is_quick = own not in (eevee, "CYCLES") or cycles is None or has_graphics_processor()
        engine = next((word for word, name in names.items() if name == own), "eevee") if is_quick else "cycles"
    if engine == "cycles" and cycles is None:
        raise SceneError("Cycles isn't there: enable its add-on, or choose another engine")
    configure(scene.render, engine=names[engine])
    if engine == "cycles":
        cycles.samples, cycles.use_adaptive_sampling = settings.samples, False
        cycles.use_denoising = _is_lit(scene.collection)
        cycles.max_bounces = min(cycles.max_bounces, 4)
        cycles.transparent_max_bounces = max(cycles.transparent_max_bounces, 64)
    elif engine == "eevee" and scene.eevee is not None:
        scene.eevee.taa_render_samples = settings.samples


def _is_lit(collection: bpy.types.Collection) -> bool:
    """Whether lamps light what is rendered: so few samples leave noise then, and in levels that are drawn flat none."""
    if collection.hide_render:
        return False
    has_lamp = any(obj.type == "LIGHT" and not obj.hide_render for obj in collection.objects)
    return has_lamp or any(map(_is_lit, collection.children))


def has_graphics_processor() -> bool:
    """Whether this machine has one to draw with; without it EEVEE takes minutes for what Cycles does in seconds."""
    if not sys.platform.startswith("linux"):
        return True
    folder = Path("/dev/dri")
    return (folder.is_dir() and any(folder.glob("renderD*"))) or Path("/dev/nvidia0").exists()


def _show_rooms(context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> None:
    """Show a level's rooms as its game does: with what is cut out of brushes, and without what closes them outside.

    The level is changed for good: the scene of a picture is thrown away.
    """
    game = levels.game_of(collection)
    if game.show_rooms is not None:
        try:
            game.show_rooms(context, collection)
        except (SceneError, FormatError) as error:
            report.note(f"{collection.name} is shown closed: {error}")


def _open(collection: bpy.types.Collection) -> None:
    """Have a level's faces seen from their front only, as in its game: see `_show_rooms`."""
    if not levels.game_of(collection).is_one_sided:
        return
    for material in materials.of_level(collection):
        tree = material.node_tree
        if tree is None:
            continue
        output = tree.get_output_node("ALL")
        if output is None or not output.inputs["Surface"].is_linked:
            continue
        nodes, links = tree.nodes, tree.links
        mix, geometry = nodes.new("ShaderNodeMixShader"), nodes.new("ShaderNodeNewGeometry")
        clear = nodes.new("ShaderNodeBsdfTransparent")
        shader = always(always(output.inputs["Surface"].links)[0].from_socket)
        links.new(geometry.outputs["Backfacing"], mix.inputs[0])
        links.new(shader, mix.inputs[1])
        links.new(clear.outputs[0], mix.inputs[2])
        links.new(mix.outputs[0], output.inputs["Surface"])


def _look_from_spawn(context: bpy.types.Context, aspect: float) -> None:
    """Put the camera where players begin, in the first level that says where that is."""
    for collection in originals.levels(context.scene):
        look = levels.game_of(collection).look_from_spawn
        if look is not None and look(context, collection, aspect) is not None:
            return
    raise SceneError("there is no place where players begin")


def _corners(context: bpy.types.Context) -> Iterator[Vector]:
    """Give corners of boxes around all that renders."""
    for instance in context.evaluated_depsgraph_get().object_instances:
        obj = instance.object
        if obj is not None and obj.type == "MESH" and not obj.hide_render:
            for corner in obj.bound_box:
                yield instance.matrix_world @ Vector(corner)


def _frame(scene: bpy.types.Scene) -> list[Vector]:
    """Corners of what the scene's levels are about; none where it is all that is there."""
    found: list[Vector] = []
    for collection in originals.levels(scene):
        frame = levels.game_of(collection).frame
        if frame is None:
            return []
        found += frame(collection)
    return found


def _look_at_all(context: bpy.types.Context, turned: Matrix, settings: PictureSettings) -> tuple[int, int]:
    """Put an orthographic camera before everything that renders, or what of it the levels are about.

    Returns the picture's size in the same proportions.

    turned: the camera's axes in the world.
    """
    scene = stage.scene_of(context)
    stage.view_layer_of(context).update()
    back = turned.transposed()
    corners = [back @ corner for corner in _corners(context)] or [Vector((-1.0, -1.0, 0.0)), Vector((1.0, 1.0, 0.0))]
    framed = [back @ corner for corner in _frame(scene)] or corners
    of_axes = (framed, framed, corners)  # all that is there is drawn, and the rest of it cut off
    low = Vector([min(corner[axis] for corner in those) for axis, those in enumerate(of_axes)])
    high = Vector([max(corner[axis] for corner in those) for axis, those in enumerate(of_axes)])
    size = [max(high[axis] - low[axis], 1e-3) for axis in range(3)]
    data = bpy.data.cameras.new("Picture")
    data.type = "ORTHO"
    aspect = settings.width / settings.height if settings.width and settings.height else size[0] / size[1]
    width, height = max(size[0], size[1] * aspect), max(size[1], size[0] / aspect)
    data.ortho_scale = max(width, height)
    data.clip_end = size[2] + 2.0
    camera = bpy.data.objects.new("Picture", data)
    camera.matrix_world = turned.to_4x4()
    camera.location = turned @ Vector(((low.x + high.x) / 2, (low.y + high.y) / 2, high.z + 1.0))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scale = LONGER_SIDE / max(size[0], size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
