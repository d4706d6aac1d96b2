# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as it looks, whatever is hidden: modifiers, shape keys and constraints of objects wherever they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..blender_types import expect
from ..fates.ledger import Fates, fate_of
from ..kept import identity
from ..reports import Report, SceneError, listed

_SIMULATE = frozenset(("CLOTH", "COLLISION", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "PARTICLE_SYSTEM", "SOFT_BODY"))
_NORMALS = frozenset(("NORMAL_EDIT", "WEIGHTED_NORMAL"))
"""Types of modifiers that do something else than to shape a mesh."""


@contextmanager
def shown(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Depsgraph]:
    """Give a depsgraph in which all these objects are evaluated, hidden and excluded ones too.

    They are linked into a scene that exists only for this, at the current frame and with the current camera: the
    user's scene, its collections and what is hidden in them aren't touched. Objects in edit mode are flushed.
    """
    scene = context.scene
    objects = list(dict.fromkeys(objects))
    for obj in objects:
        if obj.mode == "EDIT":
            obj.update_from_editmode()
    stage = bpy.data.scenes.new("levelwright evaluation")
    hidden = [obj for obj in objects if obj.hide_viewport]
    try:
        if scene is not None:
            stage.frame_current, stage.frame_subframe = scene.frame_current, scene.frame_subframe
            stage.camera = scene.camera
        for obj in hidden:
            obj.hide_viewport = False
        for obj in objects:
            stage.collection.objects.link(obj)
        layer = stage.view_layers[0]
        layer.update()
        if layer.depsgraph is None:  # never: `update` makes it
            raise SceneError("Blender evaluates nothing here")
        yield layer.depsgraph
    finally:
        for obj in hidden:
            obj.hide_viewport = True
        bpy.data.scenes.remove(stage)


def tell_of_instances(context: bpy.types.Context, objects: Iterable[bpy.types.Object], report: Report) -> None:
    """Warn of what objects show beside their meshes, as it looks: instances that geometry nodes, particles, vertices or
    faces make, and collections that new objects show. Hidden objects show none.
    """
    able = [obj for obj in objects if _may_instance(obj)]
    if not able:
        return
    depsgraph = context.evaluated_depsgraph_get()
    makers = {one.parent.original for one in depsgraph.object_instances if one.is_instance and one.parent is not None}
    makers &= set(able)
    if makers:
        found = [obj for obj in able if obj in makers]
        report.warn(
            f"{listed([obj.name for obj in found])}: the instances shown there aren't written. Make them real: by the "
            "node Realize Instances, or Object > Apply > Make Instances Real",
            found,
        )


def tell_of_modifiers(objects: Iterable[bpy.types.Object], fates: Fates, report: Report) -> None:
    """Warn of modifiers that are on and do something else than to shape a mesh, by the names of their objects."""
    found: dict[tuple[str, str], list[bpy.types.Object]] = defaultdict(list)
    for obj in objects:
        mark = identity.stamped(obj)
        if mark is not None and not fate_of(fates, mark.kind, "modifiers").is_written:  # the ledger tells of the edit
            continue
        for modifier in obj.modifiers:
            name = _title(modifier)
            if not modifier.show_viewport:
                continue
            if modifier.type in _SIMULATE:
                found[name, "the file has the shape of the current frame, and nothing that is simulated"].append(obj)
            elif modifier.type in _NORMALS and mark is not None:
                fate = fate_of(fates, mark.kind, "custom normals")
                if not fate.is_written:
                    found[name, fate.why].append(obj)
    for (name, why), those in found.items():
        names = listed([obj.name for obj in dict.fromkeys(those)])
        report.warn(f"{names}: what the modifier {name} does isn't written: {why}", those)


def _title(modifier: bpy.types.Modifier) -> str:
    """What Blender calls modifiers of this type."""
    types = expect(bpy.types.EnumProperty, modifier.bl_rna.properties["type"])
    return str(types.enum_items[modifier.type].name)


def _may_instance(obj: bpy.types.Object) -> bool:
    """Whether an object may show instances that nothing else tells of."""
    if obj.instance_type == "COLLECTION":  # of those that an import made, the ledger tells
        return identity.stamped(obj) is None
    nodes = any(modifier.type == "NODES" for modifier in obj.modifiers)
    return nodes or obj.instance_type != "NONE" or bool(obj.particle_systems)
