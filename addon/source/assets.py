# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map becomes assets: models and skins of static props, classes of entities, brushes, overlays, materials.

Brush entities are assets of their brushes, which are whole: faces that nobody sees aren't among those of a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ...formats import linked, source
from ...formats.arrays import Ints
from ...formats.binary import FormatError
from ...formats.source.entities import brush_classes
from ...formats.source.entities.text import CLASSNAME, MODEL, TARGETNAME
from ...formats.source.records import Contents
from ...formats.source.tree import brushes
from ..scene import assets
from ..scene.assets import AssetRules, Candidate, text_property
from ..scene.geometry import mesh_parts, meshes
from ..scene.geometry.mesh_parts import MeshPart
from ..scene.kept import identity, originals
from ..scene.kept.identity import kind_of
from . import layout
from .collecting.scene_level import shows_faces
from .entities import classes, stand_ins
from .overlays import build as overlays
from .props.build import LIGHTING_ORIGIN

_OTHERS = frozenset((TARGETNAME, "parentname", "target", "hammerid", LIGHTING_ORIGIN))
"""Names of entities, and numbers of the editor's."""
_SHAPES = ("EMPTY", "LIGHT", "SPEAKER", "CAMERA")
_BRUSHES, _BRUSH_ENTITIES = "Brushes", "Brush Entities"
"""Catalogs."""
_MOST_BRUSHES, _LARGEST = 64, 2048.0
"""Of a set of brushes that is an asset; and units that it is long, wide and high."""
_TOUCHING = 0.5
"""Units that the boxes of brushes may be apart that touch."""


def _object_key(obj: bpy.types.Object) -> str:
    model = text_property(obj, MODEL)
    if kind_of(obj) == layout.STATIC_PROP and model:
        return _of_skin(model, obj.get(layout.SKIN))
    classname = text_property(obj, CLASSNAME)
    if kind_of(obj) == layout.OVERLAY:
        return f"overlay/{_material_of(obj)}" if _material_of(obj) else ""
    if kind_of(obj) != layout.ENTITY or not classname:
        return ""
    if classname == classes.DECAL:
        return f"{classname}/{text_property(obj, 'texture')}" if obj.type == "MESH" else ""
    if obj.type in _SHAPES:
        return classname
    has_model = obj.type == "MESH" and model.endswith(".mdl") and not shows_faces(obj)
    return f"{_of_skin(model, obj.get(layout.SKIN))} ({classname})" if has_model else ""


def _of_skin(model: str, skin: object) -> str:
    return f"{model} skin {skin}" if isinstance(skin, int) and skin else model


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, layout.MATERIAL) if kind_of(material) == layout.MATERIAL_KIND else ""


def _material_of(obj: bpy.types.Object) -> str:
    """The name in the map of what an overlay shows; "" where it shows nothing."""
    material = obj.material_slots[0].material if obj.material_slots else None
    return text_property(material, layout.MATERIAL) if material is not None else ""


def _forgets(obj: bpy.types.Object) -> Iterator[str]:
    keys: Iterable[str] = obj.keys()
    for key in list(keys):
        value = obj[key]
        is_list_of_text = isinstance(value, list) and any(isinstance(one, str) for one in value)
        is_of_others = key in (overlays.ID, *overlays.LEVELS) and kind_of(obj) == layout.OVERLAY
        if key in _OTHERS or is_list_of_text or is_of_others:  # outputs, which name other entities
            yield key


def _stand_alone(obj: bpy.types.Object) -> None:
    """Let overlays and decals lie flat, and not above the faces that they were on."""
    if kind_of(obj) == layout.OVERLAY or text_property(obj, CLASSNAME) == classes.DECAL:
        obj.delta_location = (0.0, 0.0, 0.0)
        assets.lie_flat(obj)
        stand_ins.StandInShapes().remember(obj)


def _pieces(level: bpy.types.Collection) -> Iterator[Candidate]:
    """Give brush entities, one of each class, and sets of detail brushes of the world that touch."""
    original = originals.find(level)
    if original is None:
        return
    read = source.read(original.data, salvage=True)
    try:
        models = brushes.of_models(read)
    except FormatError:
        models = np.full(len(read.table(source.LumpId.BRUSHES)), -1, np.int64)
    solids = [
        _Solids(meshes.read(obj), models) for obj in level.all_objects if kind_of(obj) == layout.BRUSHES and obj.data
    ]
    yield from _brush_entities(level, original.token, read, solids)
    for one in solids:
        for part in one.sets():
            yield _set_of_brushes(level, part)


class _Solids:
    """The brushes of a mesh in the collection of brushes: all with the same contents. models: int64[brushes]."""

    def __init__(self, data: meshes.MeshData, models: Ints) -> None:
        self.data = data
        number = data.attribute(layout.BRUSH, "FACE")
        self.brush = np.zeros(0, np.int64) if number is None else number.astype(np.int64) - 1
        known = (self.brush >= 0) & (self.brush < len(models))
        self.model = np.where(known, models[np.where(known, self.brush, 0)] if len(models) else -1, -1)
        contents = data.attribute(layout.CONTENTS, "FACE")
        self.is_detail = contents is not None and bool(len(contents)) and bool(contents[0] & int(Contents.DETAIL))

    def of_model(self, model: int) -> MeshPart:
        """The faces of a model's brushes."""
        return MeshPart(self.data, np.flatnonzero(self.model == model))

    def sets(self) -> Iterator[MeshPart]:
        """Give detail brushes of the world that touch, as far as they are no larger than assets are."""
        faces = np.flatnonzero(self.model <= 0)
        if not self.is_detail or not len(faces):
            return
        numbers, brush = np.unique(self.brush[faces], return_inverse=True)
        label = linked.components(len(numbers), *_touching(self.data, faces, brush.reshape(-1), len(numbers)))
        for one in np.unique(label).tolist():
            part = MeshPart(self.data, faces[label[brush.reshape(-1)] == one])
            low, high = part.box
            if np.count_nonzero(label == one) <= _MOST_BRUSHES and (high - low).max() <= _LARGEST:
                yield part


def _touching(data: meshes.MeshData, faces: Ints, brush: Ints, count: int) -> tuple[Ints, Ints]:
    """Which brushes have boxes that touch, int64[k] both ways round. brush: int64[f], of each face one of `count`."""
    part = MeshPart(data, faces)
    owner = np.repeat(brush, data.face_sizes[faces])
    points = data.positions[data.corner_verts[part.corners]]
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, owner, points)
    np.maximum.at(high, owner, points)
    pairs = [
        np.flatnonzero(((low - _TOUCHING <= high[one]) & (high + _TOUCHING >= low[one])).all(axis=1))
        for one in range(count)
    ]
    return np.repeat(np.arange(count), [len(one) for one in pairs]), np.concatenate(pairs)


def _set_of_brushes(level: bpy.types.Collection, part: MeshPart) -> Candidate:
    names = [text_property(material, layout.MATERIAL).rpartition("/")[2] for material in part.materials]
    title = f"{mesh_parts.size_of(*part.box)} {names[0] if names else ''}".rstrip()
    mesh = mesh_parts.build(title, [part], (layout.CONTENTS,))
    obj = assets.piece(title, mesh, level, layout.BRUSHES)
    return Candidate(obj, f"{part.shape_key()}/{title}", _BRUSHES, is_piece=True)


def _brush_entities(
    level: bpy.types.Collection, token: int, read: source.Level, solids: list[_Solids]
) -> Iterator[Candidate]:
    """Give an entity of each class that has a brush model: with its brushes or, where there are none, its faces."""
    objects = {identity.record_of(obj, token): obj for obj in level.all_objects if kind_of(obj) == layout.ENTITY}
    known = set[str]()
    for record, entity in enumerate(read.entities):
        obj, model = objects.get(record), entity.model
        if obj is None or not model or entity.classname in known or brush_classes.is_of_compiler(entity.classname):
            continue
        made = _brush_entity(obj, [part for one in solids if len((part := one.of_model(model)).faces)])
        if made is not None:
            known.add(entity.classname)
            yield Candidate(made, entity.classname, _BRUSH_ENTITIES, is_piece=True)


def _brush_entity(obj: bpy.types.Object, parts: list[MeshPart]) -> bpy.types.Object | None:
    """A brush entity without its model, which is made of its mesh when it is exported; None where it has no mesh."""
    if not parts and isinstance(obj.data, bpy.types.Mesh) and obj.data.polygons:
        parts = [mesh_parts.whole(meshes.read(obj))]
    if not parts:
        return None
    made = assets.alone(obj, ASSETS)
    mesh = mesh_parts.build(obj.name, parts, (layout.CONTENTS, layout.FLAGS, layout.SMOOTHING_GROUPS))
    if layout.LIGHTMAP_UV in mesh.uv_layers:
        mesh.uv_layers.remove(mesh.uv_layers[layout.LIGHTMAP_UV])
    made.data = mesh
    made.rotation_euler = (0.0, 0.0, 0.0)  # brushes lie as they are turned
    del made[MODEL]
    return made


ASSETS = AssetRules(
    object_key=_object_key,
    material_key=_material_key,
    forgets=_forgets,
    stand_alone=_stand_alone,
    pieces=_pieces,
    upright=frozenset((layout.STATIC_PROP, layout.OVERLAY)),
    options={"lightmaps": "none", "brushes": "true"},
)
