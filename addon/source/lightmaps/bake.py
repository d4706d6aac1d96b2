# SPDX-License-Identifier: GPL-3.0-or-later
"""Light baked anew with Cycles into the images of lightmaps, from where an export takes it: see `collect`.

Baked is what vrad puts into the first style: the light that falls on surfaces, direct and indirect, of all lights that
can't be switched. Lights with a name or a style of their own don't shine meanwhile: their styles stay as they are. The
sky shines as `_ambient` of the map's light_environment says, as far as it is seen.
Luxels beside their face, which a compiler lights too, get the light of their neighbours in the same lightmap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.source import LumpId, changed_faces, geometry
from ....formats.source.entities import CLASSNAME
from ....formats.source.luxel_pixels import LuxelPixels, spread
from ...scene import attributes, chosen_files, identity, originals, stage
from ...scene.blender_types import Node, NodeTree, Value
from ...scene.reports import Report, SceneError
from .. import layout
from ..lights import lamps
from . import build, collect

Ints = NDArray[np.int64]
Light = NDArray[np.float32]

HDR, LDR, BOTH = "hdr", "ldr", "both"
_WANTED = {
    HDR: (LumpId.LIGHTING_HDR,),
    LDR: (LumpId.LIGHTING,),
    BOTH: (LumpId.LIGHTING, LumpId.LIGHTING_HDR),
}
ALL, NEW, REACH = "all", "new", "reach"
_KINDS = frozenset((layout.MODEL, layout.ENTITY, layout.DISPLACEMENT, layout.DISPLACEMENTS))
_STYLE, _NAME = "style", "targetname"
"""Keys of lights that can be switched."""
_SUN, _AMBIENT = "light_environment", "_ambient"


@dataclass(frozen=True)
class BakeSettings:
    """How light is baked."""

    samples: int = 64
    """Rays a luxel."""
    bounces: int = 4
    """Of light; 0: only what falls straight on surfaces."""
    images: str = BOTH
    """HDR, LDR or BOTH."""
    selected: bool = False
    """Only the selected objects; all of the level cast light and shadows anyhow."""
    scene_world: bool = False
    """The scene's world shines, not the map's sky."""
    faces: str = ALL
    """ALL, NEW: those that the map `before` hasn't, or REACH: also those that see what changed since."""
    before: str = ""
    """File of an earlier version of the map, for NEW and REACH."""


def bake(
    context: bpy.types.Context, level: bpy.types.Collection, settings: BakeSettings, report: Report
) -> list[bpy.types.Image]:
    """Bake the light of a level's visible surfaces; returns the images that have it now, packed.

    Raises SceneError for levels without lightmaps, and where nothing can be baked; FormatError and OSError for a map
    `before` that can't be read.
    """
    original = originals.find(level)
    held = collect.shown(level)
    wanted = {lump: held[lump, 0, 0] for lump in _WANTED[settings.images] if (lump, 0, 0) in held}
    if original is None or not wanted:
        raise SceneError(f"{level.name} has no such lightmaps: import it with baked light")
    before = source.read(original.data)
    if build.is_unlit(before):
        report.warn(f"{level.name} has no compiled lights: the game shows all of it fully bright, whatever is baked")
    where = collect.places(level, before)
    if context.mode != "OBJECT":
        raise SceneError("light is baked in Object Mode")
    objects = _objects(level, settings)
    if not objects:
        raise SceneError(f"{level.name}: no surface with a lightmap is visible" + " and selected" * settings.selected)
    asked = _asked(before, settings)
    shown = {obj: _faces_of(obj, original.token, len(asked)) for obj in objects}
    objects = [obj for obj in objects if asked[shown[obj]].any()]
    if not objects:
        raise SceneError(f"{level.name}: no visible surface is new against {Path(settings.before).name}")
    baked, covered = _baked(context, level, objects, where, settings)
    faces = np.zeros(len(asked), np.bool_)
    for obj in objects:
        faces[shown[obj]] = asked[shown[obj]]
    for lump, image in wanted.items():
        chosen = faces & _steady(before, lump)
        light, count = spread(baked, covered, where, np.flatnonzero(chosen))
        _write(image, where, light, np.isfinite(light[:, 0]))
        report.count(f"luxels baked ({build.TITLES[lump]})", count)
        left = int((faces & ~chosen & (np.diff(where.first) > 0)).sum())
        if left:
            report.left_out(f"faces ({build.TITLES[lump]}) whose first style is that of a light with a name", left)
    return list(wanted.values())


def _asked(level: source.Level, settings: BakeSettings) -> NDArray[np.bool_]:
    """bool[faces]: those that are to be baked. Raises SceneError, FormatError and OSError for the map `before`."""
    if settings.faces == ALL:
        return np.ones(len(level.table(geometry.drawn_faces(level))), np.bool_)
    if not settings.before:
        raise SceneError("which faces are new is told by an earlier version of the map: choose its file")
    earlier = source.read(chosen_files.read(Path(bpy.path.abspath(settings.before))))
    find = changed_faces.new if settings.faces == NEW else changed_faces.within_reach
    return find(earlier, level)


def _objects(level: bpy.types.Collection, settings: BakeSettings) -> list[bpy.types.Object]:
    """The objects of surfaces that are seen in viewports and in renders."""
    hidden = {child for child in level.children_recursive if child.hide_render}
    found = []
    for obj in level.all_objects:
        data = obj.data
        if identity.kind_of(obj) not in _KINDS or not isinstance(data, bpy.types.Mesh):
            continue
        if layout.LIGHTMAP_UV not in data.uv_layers or not len(data.polygons):
            continue
        away = obj.hide_render or hidden.issuperset(obj.users_collection)
        if not away and obj.visible_get() and (obj.select_get() or not settings.selected):
            found.append(obj)
    bare = [obj for obj in found if not obj.material_slots or any(map(_has_no_nodes, obj.material_slots))]
    if bare:
        raise SceneError(f"{bare[0].name}: what has no material, or one without nodes, can't be baked", bare)
    return found


def _has_no_nodes(slot: bpy.types.MaterialSlot) -> bool:
    return slot.material is None or slot.material.node_tree is None


def _faces_of(obj: bpy.types.Object, token: identity.Token, count: int) -> Ints:
    """The map's faces that an object shows."""
    mesh: Value = obj.data
    if identity.kind_of(obj) in (layout.DISPLACEMENT, layout.DISPLACEMENTS):
        owners = attributes.read(mesh, layout.FACE, "FACE")
        numbers = np.zeros(0, np.int64) if owners is None else owners.astype(np.int64) - 1
    else:
        numbers = identity.read_ids(mesh, "FACE", token).astype(np.int64) - 1
    return np.asarray(np.unique(numbers[(numbers >= 0) & (numbers < count)]))


def _steady(before: source.Level, lump: LumpId) -> NDArray[np.bool_]:
    """bool[faces]: whose first lightmap is that of style 0."""
    count = len(before.table(geometry.drawn_faces(before)))
    hdr = lump == LumpId.LIGHTING_HDR and len(before.bytes_of(LumpId.FACES_HDR)) > 0
    styles = before.table(LumpId.FACES_HDR if hdr else LumpId.FACES)["styles"][:count, 0]
    steady = np.zeros(count, np.bool_)
    steady[: len(styles)] = styles == 0
    return steady


# --------------------------------------------------------------------------------------------------------------- Cycles


def _baked(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    objects: Sequence[bpy.types.Object],
    where: LuxelPixels,
    settings: BakeSettings,
) -> tuple[Light, NDArray[np.bool_]]:
    """What Cycles bakes: light float32[pixels, 3], 1 is white, and which pixels a surface covers; from the top."""
    picture = bpy.data.images.new("levelwright bake", where.width, where.height, alpha=True, float_buffer=True)
    with ExitStack() as stack:
        stack.callback(bpy.data.images.remove, picture)
        stack.enter_context(_renderer(context, settings))
        if not settings.scene_world:
            stack.enter_context(_sky(context, level))
        stack.enter_context(_lit_by_blender(level))
        stack.enter_context(_as_compilers_see(level))
        stack.enter_context(_into(picture, objects))
        stack.enter_context(_selected(context, objects))
        try:
            done: Value = bpy.ops.object.bake(
                type="DIFFUSE",
                pass_filter={"DIRECT", "INDIRECT"},
                target="IMAGE_TEXTURES",
                save_mode="INTERNAL",
                use_clear=True,
                margin=0,
                uv_layer=layout.LIGHTMAP_UV,
            )
        except RuntimeError as error:
            raise SceneError(f"Cycles can't bake {level.name}: {error}") from error
        if "FINISHED" not in done:
            raise SceneError(f"baking {level.name} was cancelled")
        values = np.empty(where.width * where.height * 4, np.float32)
        pixels: Value = picture.pixels
        pixels.foreach_get(values)
    rows = np.ascontiguousarray(values.reshape(where.height, where.width, 4)[::-1]).reshape(-1, 4)
    finite = np.isfinite(rows[:, :3]).all(axis=1)
    return np.maximum(rows[:, :3], 0), (rows[:, 3] > 0) & finite


@contextmanager
def _renderer(context: bpy.types.Context, settings: BakeSettings) -> Iterator[None]:
    """The scene's renderer as it is for baking."""
    scene: Value = stage.scene_of(context)
    was = scene.render.engine
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    kept = {name: getattr(cycles, name) for name in ("samples", "max_bounces", "diffuse_bounces", "use_denoising")}
    cycles.samples, cycles.use_denoising = settings.samples, False
    cycles.max_bounces = cycles.diffuse_bounces = settings.bounces
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(cycles, name, value)
        scene.render.engine = was


@contextmanager
def _sky(context: bpy.types.Context, level: bpy.types.Collection) -> Iterator[None]:
    """A world that shines as the map's sky does where no sun is."""
    scene = stage.scene_of(context)
    suns = [obj.get(_AMBIENT) for obj in level.all_objects if obj.get(CLASSNAME) == _SUN]
    ambient = next((text for text in suns if isinstance(text, str)), "")
    color, brightness = lamps.light_color(ambient)
    was, world = scene.world, stage.plain_world("levelwright sky", tuple(part * brightness for part in color))
    scene.world = world
    try:
        yield
    finally:
        scene.world = was
        bpy.data.worlds.remove(world)


@contextmanager
def _lit_by_blender(level: bpy.types.Collection) -> Iterator[None]:
    """Surfaces lit by Blender's lights, not by the lightmaps that they have."""
    group: Value = originals.resources(level, layout.BAKED_LIGHT).get(0)
    nodes = [node for node in group.nodes if node.name == build.BAKED] if group is not None else []
    kept = [node.outputs[0].default_value for node in nodes]
    for node in nodes:
        node.outputs[0].default_value = 0.0
    try:
        yield
    finally:
        for node, value in zip(nodes, kept, strict=True):
            node.outputs[0].default_value = value


@contextmanager
def _as_compilers_see(level: bpy.types.Collection) -> Iterator[None]:
    """Only lights that can't be switched, and no copy of what is around the sky camera: it is small where it stands."""
    hidden = [obj for obj in level.all_objects if not obj.hide_render and (_is_switched(obj) or _is_scenery(obj))]
    for obj in hidden:
        obj.hide_render = True
    try:
        yield
    finally:
        for obj in hidden:
            obj.hide_render = False


def _is_switched(obj: bpy.types.Object) -> bool:
    return obj.type == "LIGHT" and bool(obj.get(_NAME) or str(obj.get(_STYLE, "0")) not in ("0", ""))


def _is_scenery(obj: bpy.types.Object) -> bool:
    """Whether an object is for show only, as the 3D skybox is, but not since others are hidden (`visibility.show`)."""
    return identity.kind_of(obj) == layout.PREVIEW and obj.get(layout.UNSEEN) is None


@contextmanager
def _into(picture: bpy.types.Image, objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Materials that say that Cycles is to bake into an image: their active node is one with it."""
    made: list[tuple[NodeTree, Node, Node]] = []
    found = dict.fromkeys(slot.material for obj in objects for slot in obj.material_slots)
    for material in found:
        if material is not None:
            tree: NodeTree = material.node_tree
            active = tree.nodes.active
            node = tree.nodes.new("ShaderNodeTexImage")
            node.image = picture
            tree.nodes.active = node
            made.append((tree, node, active))
    try:
        yield
    finally:
        for tree, node, active in made:
            tree.nodes.remove(node)
            tree.nodes.active = active


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


# --------------------------------------------------------------------------------------------------------------- luxels


def _write(image: bpy.types.Image, where: LuxelPixels, light: Light, known: NDArray[np.bool_]) -> None:
    """Put light into an image, and keep it in the .blend."""
    collect.picture(image, where)  # raises for one of another size
    values = np.empty(where.width * where.height * image.channels, np.float32)
    pixels: Value = image.pixels
    pixels.foreach_get(values)
    rows = values.reshape(where.height, where.width, -1)[::-1].reshape(-1, image.channels)
    rows[known, :3] = light[known] * np.float32(build.WHITE)
    pixels.foreach_set(np.ascontiguousarray(rows.reshape(where.height, where.width, -1)[::-1]).reshape(-1))
    image.update()
    image.pack()
