# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baked with Cycles, and put into the images that a level's lightmaps are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import bpy
import numpy as np

from ....formats.arrays import Bools, Singles
from ..blender_types import Node, Value, always, channels_of, configure, default_of, expect, set_default
from ..kept import identity
from ..reports import SceneError
from ..work.progress import Steps, Stepwise, progress
from . import stage

Light = Singles


@Stepwise
def bake(
    context: bpy.types.Context,
    name: str,
    objects: Sequence[bpy.types.Object],
    size: tuple[int, int],
    uv_layer: str,
    samples: int,
    bounces: int,
) -> Steps[tuple[Light, Bools]]:
    """The light that falls on objects, direct and indirect, in an image of `size`: float32[pixels, 3], 1 is white, and
    which pixels a surface covers, bool[pixels]; row by row from the top.

    name: of the level, for the error. uv_layer: where surfaces are in the image. samples: rays a pixel. Their materials
    have to have nodes. Raises SceneError where Cycles can't bake.
    """
    width, height = size
    picture = bpy.data.images.new("levelwright bake", width, height, alpha=True, float_buffer=True)
    with ExitStack() as stack:
        stack.callback(bpy.data.images.remove, picture)
        stack.enter_context(_renderer(context, samples, bounces))
        stack.enter_context(_into(picture, objects))
        with progress(len(objects), "objects baked") as step:
            for number, obj in enumerate(objects):
                yield step(0)
                _bake_one(context, name, obj, uv_layer, clear=not number)
                step()
        rows = pixels_of(picture)
    finite = np.isfinite(rows[:, :3]).all(axis=1)
    return np.maximum(rows[:, :3], 0), (rows[:, 3] > 0) & finite


def _bake_one(context: bpy.types.Context, name: str, obj: bpy.types.Object, uv_layer: str, clear: bool) -> None:
    """Let Cycles bake an object, as it does with several one after another. Raises SceneError."""
    with _selected(context, [obj]):
        try:
            done: Value = bpy.ops.object.bake(
                type="DIFFUSE",
                pass_filter={"DIRECT", "INDIRECT"},
                target="IMAGE_TEXTURES",
                save_mode="INTERNAL",
                use_clear=clear,
                margin=0,
                uv_layer=uv_layer,
            )
        except RuntimeError as error:
            raise SceneError(f"Cycles can't bake {name}: {error}") from error
    if "FINISHED" not in done:
        raise SceneError(f"baking {name} was cancelled")


def surfaces(
    level: bpy.types.Collection, kinds: Collection[str], uv_map: str, only_selected: bool
) -> list[bpy.types.Object]:
    """The meshes of a level with these kinds of stamps and this UV map that viewports and renders show.

    Raises SceneError for one without a material.
    """
    hidden = {child for child in level.children_recursive if child.hide_render}
    found = []
    for obj in level.all_objects:
        data = obj.data
        if identity.kind_of(obj) not in kinds or not isinstance(data, bpy.types.Mesh):
            continue
        if uv_map not in data.uv_layers or not len(data.polygons):
            continue
        away = obj.hide_render or hidden.issuperset(obj.users_collection)
        if not away and obj.visible_get() and (obj.select_get() or not only_selected):
            found.append(obj)
    _refuse_bare(found)
    return found


def _refuse_bare(objects: Sequence[bpy.types.Object]) -> None:
    """Raise SceneError, naming the object, for one that has no material, or one without nodes: it can't be baked."""
    bare = [obj for obj in objects if not obj.material_slots or any(map(_has_no_nodes, obj.material_slots))]
    if bare:
        raise SceneError(f"{bare[0].name}: what has no material, or one without nodes, can't be baked", bare)


def _has_no_nodes(slot: bpy.types.MaterialSlot) -> bool:
    return slot.material is None or slot.material.node_tree is None


def pixels_of(image: bpy.types.Image) -> Light:
    """An image's pixels, float32[pixels, channels], row by row from the top."""
    width, height = image.size
    values = np.empty(width * height * image.channels, np.float32)
    channels_of(image).foreach_get(values)
    return np.ascontiguousarray(values.reshape(height, width, -1)[::-1]).reshape(-1, image.channels)


def put_pixels(image: bpy.types.Image, rows: Light) -> None:
    """Give an image other pixels, as `pixels_of` has them, and keep it in the .blend."""
    width, height = image.size
    channels_of(image).foreach_set(np.ascontiguousarray(rows.reshape(height, width, -1)[::-1], np.float32).reshape(-1))
    image.update()
    image.pack()


@contextmanager
def hidden(objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Keep objects out of renders inside."""
    shown = [obj for obj in objects if not obj.hide_render]
    for obj in shown:
        obj.hide_render = True
    try:
        yield
    finally:
        for obj in shown:
            obj.hide_render = False


@contextmanager
def _renderer(context: bpy.types.Context, samples: int, bounces: int) -> Iterator[None]:
    """The scene's renderer as it is for baking."""
    scene = stage.scene_of(context)
    was = scene.render.engine
    configure(scene.render, engine="CYCLES")
    cycles: Value = scene.cycles
    kept = {name: getattr(cycles, name) for name in ("samples", "max_bounces", "diffuse_bounces", "use_denoising")}
    cycles.samples, cycles.use_denoising = samples, False
    cycles.max_bounces = cycles.diffuse_bounces = bounces
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(cycles, name, value)
        scene.render.engine = was


@contextmanager
def world_light(context: bpy.types.Context, color: tuple[float, ...]) -> Iterator[None]:
    """A world that shines in one colour instead of the scene's."""
    scene = stage.scene_of(context)
    was, world = scene.world, stage.plain_world("levelwright sky", color)
    scene.world = world
    try:
        yield
    finally:
        scene.world = was
        bpy.data.worlds.remove(world)


@contextmanager
def valued(tree: bpy.types.ID | None, name: str, value: float) -> Iterator[None]:
    """A number in the value nodes of a name of a node tree (None: of none)."""
    nodes = [node for node in tree.nodes if node.name == name] if isinstance(tree, bpy.types.NodeTree) else []
    kept = [default_of(node.outputs[0]) for node in nodes]
    for node in nodes:
        set_default(node.outputs[0], value)
    try:
        yield
    finally:
        for node, was in zip(nodes, kept, strict=True):
            set_default(node.outputs[0], was)


@contextmanager
def _into(picture: bpy.types.Image, objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Materials that say that Cycles is to bake into an image: their active node is one with it."""
    made: list[tuple[bpy.types.NodeTree, Node, Node | None]] = []
    found = dict.fromkeys(slot.material for obj in objects for slot in obj.material_slots)
    for material in found:
        if material is not None:
            tree = always(material.node_tree)
            active = tree.nodes.active
            node = expect(bpy.types.ShaderNodeTexImage, tree.nodes.new("ShaderNodeTexImage"))
            node.image = picture
            tree.nodes.active = node
            made.append((tree, node, active))
    try:
        yield
    finally:
        for of, added, active in made:
            of.nodes.remove(added)
            of.nodes.active = active


@contextmanager
def _selected(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Exactly these objects selected, the first one active."""
    layer = stage.view_layer_of(context)
    kept, active = [obj for obj in layer.objects if obj.select_get()], layer.objects.active
    for obj in kept:
        obj.select_set(False)
    for obj in objects:
        obj.select_set(True)
    layer.objects.active = objects[0]
    try:
        yield
    finally:
        for obj in objects:
            obj.select_set(False)
        for obj in kept:
            obj.select_set(True)
        layer.objects.active = active
