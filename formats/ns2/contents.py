# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level holds, for people to read: a summary, and everything decoded."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from ..binary import FormatError
from ..format import Document, tried
from .faces import FaceLayers
from .level import EditorSettings, Group, Layer, Level
from .meanings import MeshTables
from .mesh import Mesh
from .objects import Entity, Property, Value
from .parts import Parts
from .records import LEVEL_ORDER, MESH_ORDER, ChunkId, PropertyType, layers_of
from .triangles import GeometryGroups, GroupTable, Triangles


def summary(level: Level) -> Document:
    """Return the outlines: sizes, names, counts. What can't be decoded says so."""
    return {
        "version": level.version,
        "mesh": _try(lambda: _mesh_summary(level.mesh)),
        "materials": _try(lambda: level.mesh.materials),
        "layers": _try(lambda: [layer.name for layer in level.layers]),
        "groups": _try(lambda: [group.name for group in level.groups]),
        "objects": _try(lambda: dict(Counter(entity.class_name for entity in level.entities).most_common())),
        "pathing": _try(lambda: _settings_summary(level.pathing)),
        "unknown chunks": _unknown(level, LEVEL_ORDER) + _try_unknown(level),
    }


def _try(part: Callable[[], object]) -> object:
    try:
        return part()
    except FormatError as error:
        return str(error)


def _mesh_summary(mesh: Mesh) -> Document:
    positions = mesh.positions
    triangles = mesh.triangles
    finite = positions[np.isfinite(positions).all(axis=1)]
    corners = (finite.min(axis=0), finite.max(axis=0)) if len(finite) else ()
    return {
        "vertices": len(positions),
        "edges": len(mesh.edges),
        "smooth edges": int(mesh.smooth.sum()) or None,
        "faces": len(mesh.faces),
        "faces with holes": int((np.diff(mesh.faces.face_loops) > 1).sum()) or None,
        "triangles": None if triangles is None else len(triangles.triangles),
        "ghost vertices": None if triangles is None else len(triangles.ghosts) or None,
        "smoothed normals": None if triangles is None else len(triangles.normals) or None,
        "mapping groups": len(mesh.mapping_groups) or None,
        "from, to (metres)": [" ".join(f"{value:g}" for value in corner) for corner in corners],
    }


def _settings_summary(settings: EditorSettings | None) -> Document | None:
    return None if settings is None else {each.name: each.value for each in settings.properties}


def _unknown(parts: Parts, known: tuple[int, ...]) -> list[str]:
    return [f"{chunk.id}: {len(chunk.data)} bytes" for chunk in parts.chunks if chunk.id not in known]


def _try_unknown(level: Level) -> list[str]:
    try:
        return [f"{each} of the mesh" for each in _unknown(level.mesh, MESH_ORDER)]
    except FormatError:
        return []


def contents(level: Level) -> Document:
    """Return everything decoded: fields under their names, bulk data as arrays, bytes as they are.

    Its lists are iterators: go through it once. What can't be decoded is a FormatError in its place.
    """
    return {
        "version": level.version,
        "chunks": [chunk.id for chunk in level.chunks if chunk.id != ChunkId.OBJECT],
        "mesh": tried(lambda: _mesh(level.mesh)),
        "objects": tried(lambda: (_entity(entity) for entity in level.entities)),
        "layers": tried(lambda: [_listed(layer) for layer in level.layers]),
        "groups": tried(lambda: [_listed(group) for group in level.groups]),
        "viewports": tried(lambda: level.viewports),
        "custom colors": tried(lambda: [f"{color:08x}" for color in level.custom_colors]),
        "editor settings": tried(lambda: [_settings(settings) for settings in level.editor_settings]),
        "unknown chunks": _unknown_contents(level, LEVEL_ORDER),
    }


def _unknown_contents(parts: Parts, known: tuple[int, ...]) -> list[Document]:
    return [{"id": chunk.id, "data": bytes(chunk.data)} for chunk in parts.chunks if chunk.id not in known]


def _mesh(mesh: Mesh) -> Document:
    tables = MeshTables(mesh)
    return {
        "materials": tried(lambda: mesh.materials),
        "vertices": tried(tables.vertices),
        "edges": tried(tables.edges),
        "faces": tried(tables.faces),
        "loops": tried(tables.loops),
        "members of loops": tried(tables.members),
        "face layers": tried(lambda: _face_layers(mesh.face_layers)),
        "mapping groups": tried(lambda: mesh.mapping_groups),
        "geometry groups": tried(lambda: _geometry_groups(mesh.geometry_groups, tables)),
        "triangles": tried(lambda: _triangles(mesh.triangles, tables)),
        "unknown chunks": _unknown_contents(mesh, MESH_ORDER),
    }


def _face_layers(layers: FaceLayers) -> Document:
    return {"has": layers.has, "masks": layers.masks}


def _geometry_groups(groups: GeometryGroups, tables: MeshTables) -> Document:
    return {kind: _group_table(kind, getattr(groups, kind), tables) for kind in ("vertices", "edges", "faces")}


def _group_table(kind: str, table: GroupTable, tables: MeshTables) -> Document:
    return {"ids": table.ids, "first": table.starts, "members": tables.grouped(kind, table)}


def _triangles(triangles: Triangles | None, tables: MeshTables) -> Document | None:
    if triangles is None:
        return None
    return {
        "ghosts": triangles.ghosts,
        "normals": triangles.normals,
        "of faces": tables.triangles_of_faces(triangles),
        "triangles": tables.triangles(triangles),
    }


def _entity(entity: Entity) -> Document:
    return {
        "class": entity.class_name,
        "layers": None if entity.layers is None else layers_of(entity.layers),
        "group": entity.group,
        "properties": [_property(each) for each in entity.properties],
        "editor data": [{"name": each.name, "data": each.data} for each in entity.editor_data],
    }


def _property(each: Property) -> Document:
    if not each.name and each.type < 0:
        return {"id": each.id, "data": each.raw}
    known = each.type in PropertyType.__members__.values()
    told = {
        "name": each.name,
        "type": PropertyType(each.type).name.lower() if known else each.type,
        "components": each.components,
        "animated": each.animated,
        "value": tried(lambda: _plain(each.value)),
    }
    return told if known and _says_all(each) else told | {"bytes": each.raw}


def _says_all(each: Property) -> bool:
    """Whether a property's value gives its bytes: else these are told, too."""
    try:
        return Property.of(each.name, PropertyType(each.type), each.value).raw == each.raw
    except FormatError:
        return False


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def _listed(each: Layer | Group) -> Document:
    return {"name": each.name, "id": each.id, "visible": each.visible, "color": list(each.color)}


def _settings(settings: EditorSettings) -> Document:
    return {
        "id": settings.id,
        "name": settings.name,
        "layers": layers_of(settings.layers),
        "properties": [_property(each) for each in settings.properties],
    }
