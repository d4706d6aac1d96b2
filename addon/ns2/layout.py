# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each part of an NS2 level lives in a Blender scene: what importer, exporter, panel and operators agree on.

Spark's (x, y, z), y up, is Blender's (z, x, y): exact, and rotations and windings carry over. Metres; nothing is
scaled. All is relative to the level's root empty: moving that edits nothing.

    <level>                     collection, stamp "level": LevelProperties, lists of layers and groups (see `layers`)
      <level>                   empty, stamp "root": the parent of everything
      Geometry                  mesh object(s), stamp "geometry": the faces
      Entities                  collection, stamp "entities": objects in no layer and no group
      Layers                    collection, stamp "layers"
        <layer>                 collection, stamp "layer", record = the layer's id: the objects in it
      Groups                    collection, stamp "groups"
        <group>                 collection, stamp "group", record = the group's id: the objects in it

**Layers and groups** are two ordered lists on the level's collection, of id, name, visible, colour (see `layers`): they
say which there are, and what they are called (a collection that was renamed says it, too). Which ones an *object* is in
is said by the collections that it is linked to: any number of layers, and one group. Bits of a mask and group ids that
are in no list stay as the original has them. Which ones *faces* are in is said by their attributes, and by the
collections that their object is linked to: those of an import are in none of these; faces of another level are in those
of the same names (`other_levels`). What is hidden (in a layer or group that isn't visible, or one that the game doesn't
draw) is hidden by `visibility.show`: objects by Disable in Viewports, faces by the attribute HIDDEN and a modifier
named HIDING: both are for show, and an export takes no notice of them. Objects have the colour of their first layer
that has one, or of their group: for show, too.

**Mapping groups** are a list on the level's collection, too (`mapping_groups`): id, angle, scale, offset, and normal in
Blender's axes; what isn't finite is 0. Faces in them have the UVs that these give. Levels that 0.3.0 saved have none:
theirs are those of the original, and what was pasted.

**Geometry.** One mesh object, or several (option "split"): record = the running number of the object. Which object a
face is in means nothing, and neither do names: faces are who they are by their ids. Unstamped mesh objects in the
level, and those of another level, are new geometry.

*Vertices* have VERTEX_ID = vertex + 1 and VERTEX_CHECK (as kept.identity makes them; an attribute's name can't be that
of faces, too: `vertex_ids`), their place exactly as in the file (what is not finite: 0) and, where the level has such
groups, VERTEX_GROUP. Vertices that no polygon has are left out (they stay in the original), but for those of loose
edges, which the option "loose_edges" shows. A vertex may be there in several objects with the same id: those of one id
at the very same place are one vertex.

*Edges* have no ids: they are the pair of vertices that they join, and an edge of the file is found by the ids of its
two vertices. Where the file has several edges between two vertices, the one with the lowest number, of those that
polygons pass, is the one that is shown (`formats.ns2.editing`); an edit is one of all of them. EDGE_GROUP, where the
level has such groups. BRIDGE is set on cuts through faces with holes, which are no edges of the file.

An edge is **smooth** if it isn't sharp (`sharp_edge`) and no face at it is flat (`sharp_face`): as Blender shows it. So
faces without a smooth edge are flat, and of the others all edges that aren't smooth are sharp.

*Polygons* have record_id = face + 1 and record_check (kept.identity): those that a face with holes was cut into share
them. A face's polygons are joined across edges with BRIDGE only (`formats.ns2.joining`). Attributes: LAYERS + "0" to
"7" (the words of the mask, as int32 bit patterns; only those that the level uses: others are 0), FACE_GROUP,
MAPPING_GROUP: ids as int32 bit patterns, 0 for none; an attribute that is absent is 0 everywhere. The polygon's
material has the property MATERIAL, the path as in the file (materials without it, and those renamed to a path: their
name): slots mean nothing. UV has the texture coordinates of `formats.ns2.texture_mapping` (v upwards); what isn't
finite is 0. A face's own angle, scale and offset are in the original: they stay as long as the UVs of all its corners
are the same bits as in UVS. Faces that came from elsewhere have them as TEXTURES, which count while they give the UVs.

Faces that can't be shown (FAULTS says why) or only in part, edges and vertices that no polygon has, triangles and
smoothed normals are in the original only, and stay there as they are.

**Baselines** of the geometry are on the level's collection, of all polygons in the order of the faces of the file,
whatever objects they are in: POLYGON_FACES, POLYGON_STARTS, MEMBERS, BRIDGES, UVS, FAULTS. `shown` reads them. A
polygon of the scene is one of these if face id and vertex ids, in their cyclic order, are the same. What else a
polygon, an edge or a vertex had (position, groups, layers, material) follows exactly from the original.

**Materials** are stamped "material", record = their number in the file's list, and are held by the level as resources,
so that those that no face uses stay. **Viewports** are a text, resource VIEWPORTS 0.

**Entities** are objects, stamp "entity", record = number in the list of objects (-1: of no file). What each is, follows
from its class and its properties (`appearance`): a prop its model's mesh (all of one model share it; a box of edges
where it isn't found), a trigger or location a box of half its scale, a light, speaker or camera Blender's own, all else
an empty. CLASS is its class. Its properties are custom properties under their own names (a further one of a name has
"#2" behind it), typed as in the file: choices are numbers with a menu, angles radians, colours red, green, blue as the
editor has them. Only `origin`, `angles` and `scale` (a decal's `extents`) are the object's location, rotation_euler
(roll, pitch, yaw about x, y, z) and scale; of spotlights and cameras, which look along their own -z, the rotation has
`placements.TURN` behind it. TYPES holds the properties' names, types, order and keys: so a copy of an object is that
entity in another level, too. A property that says what the file does leaves its bytes as they are; a deleted one goes;
a new one is typed as its class knows it, otherwise by its value. What can't be shown (bytes that are no value, infinite
places) stays as it is in the original. Lights, speakers, cameras and the size of an empty say some properties, too
(`object_data`): of these an edited property wins, otherwise an edited light or speaker. A prop that was given the mesh
of another one has its model. A probe's picture is an image in its property `probes.KEY`. Ambient lights are empties of
their colour, and the world of a new scene (`ambience`), which is for show: stamp PREVIEW. An object without a stamp is
a new entity if it has CLASS, or is a point or spot light. Objects of the same record are copies: new entities like it.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...formats.arrays import Array, Int32s
from ...formats.ns2.editing import ShownPolygons, groups_shown
from ...formats.ns2.records import NO_GROUP
from ..scene.fields.properties import MAX_KEY, setting
from ..scene.geometry.meshes import MeshData
from ..scene.kept import baselines, identity
from ..scene.names import showable

FORMAT = "ns2"
"""The originals' format."""

# Stamps: the `kind` of scene.kept.identity.stamp.
GEOMETRY = "geometry"
ENTITIES, ENTITY = "entities", "entity"
LAYER_HOMES, LAYER, GROUP_HOMES, GROUP = "layers", "layer", "groups", "group"
MATERIAL_KIND, IMAGE, VIEWPORTS = "material", "image", "viewports"
"""Also the kinds of resources (scene.kept.originals)."""
PREVIEW = "preview"
"""Made for show only: never exported, safe to delete."""

# Mesh attributes, and the keys of properties.
UV = "UVMap"
VERTEX_ID, VERTEX_CHECK = "vertex_id", "vertex_check"
"""INT, points."""
VERTEX_GROUP, EDGE_GROUP, FACE_GROUP = "vertex_group", "edge_group", "face_group"
"""INT: id of the geometry group, 0 for none. The three know nothing of each other (ns2.md §3)."""
BRIDGE = "bridge"
"""BOOLEAN, edges."""
LAYERS = "layers_"
"""INT, faces: LAYERS + n is word n of the mask: bit k of it is the layer of id 32 * n + k."""
MAPPING_GROUP = "mapping_group"
"""INT, faces."""
TEXTURES = tuple(f"texture_{name}" for name in ("angle", "scale_u", "scale_v", "offset_u", "offset_v"))
"""FLOAT, faces that were pasted, or whose texture a tool laid: `editing.TEXTURE`, a face's own where it is new."""
HIDDEN = "levelwright_hidden"
"""BOOLEAN, faces: for show only, see `visibility.show`."""
HIDING = "Levelwright hidden"
"""Name of the modifier that takes HIDDEN faces out of sight."""
MATERIAL = "material"
"""On materials: the path as in the file."""
CLASS = "class_name"
"""On entities: their class."""
AMBIENT_LIGHT = "light_ambient"
"""A class whose objects have the colour of their light."""

# Keys of scene.kept.baselines on the level's collection: p polygons, c corners of polygons, n faces.
POLYGON_FACES = "polygon_faces"
"""int32[p]: the face of each polygon, ascending."""
POLYGON_STARTS = "polygon_starts"
"""int32[p + 1]: the first corner of each polygon."""
MEMBERS = "members"
"""int32[c]: the member of a loop that starts at the corner: Mesh.corners[members] are the vertices."""
BRIDGES = "bridges"
"""bool[c]: the edge from the corner to the next one is a bridge; else it is the member's."""
UVS = "uvs"
"""float32[c, 2]: as in the scene."""
FAULTS = "faults"
"""uint8[n]: formats.ns2.polygons.Fault of every face."""


@dataclass
class LevelProperties:
    """On the level's collection, besides the editor settings: see `level_settings`."""

    format_version: int = setting(10, "Version of the file format: 10, of 2013 and later, or what the file has", 4, 255)
    custom_colors: str = setting("", "The colours that the editor's dialog remembers, hexadecimal AARRGGBB each")


def shown(collection: bpy.types.Collection) -> ShownPolygons | None:
    """The baselines of a level's geometry; None where one is missing."""
    parts = [baselines.load(collection, key) for key in (POLYGON_FACES, POLYGON_STARTS, MEMBERS, BRIDGES, UVS, FAULTS)]
    found: list[Array] = [part for part in parts if part is not None]
    return ShownPolygons(*found) if len(found) == len(parts) else None


def keep_shown(collection: bpy.types.Collection, made: ShownPolygons) -> None:
    """Keep the baselines of a level's geometry."""
    for key, values in (
        (POLYGON_FACES, made.faces),
        (POLYGON_STARTS, made.starts),
        (MEMBERS, made.members),
        (BRIDGES, made.bridges),
        (UVS, made.uvs),
        (FAULTS, made.faults),
    ):
        baselines.store(collection, key, values)


def vertex_ids(mesh: MeshData, token: int) -> Int32s:
    """The number + 1 in the file of each vertex of a mesh, int32[v]: 0 where it is new, blended or another level's."""
    ids, check = mesh.attribute(VERTEX_ID, "POINT"), mesh.attribute(VERTEX_CHECK, "POINT")
    if ids is None or check is None or ids.dtype != np.int32 or check.dtype != np.int32:
        return np.zeros(len(mesh.positions), np.int32)
    return identity.valid_ids(ids, check, token)


def group_values(ids: NDArray[np.uint32]) -> Int32s:
    """Group ids of a file (NO_GROUP for none) as attributes have them: int32 bit patterns, 0 for none."""
    return np.where(ids == NO_GROUP, np.uint32(0), ids).view(np.int32)


def group_ids(values: Int32s) -> NDArray[np.uint32]:
    """The inverse of `group_values`."""
    return groups_shown(np.ascontiguousarray(values).view(np.uint32))


def to_blender(points: Array) -> Array:
    """Spark's (x, y, z) as Blender's (z, x, y): [..., 3], of the same dtype; exact."""
    return np.take(points, (2, 0, 1), axis=-1)


def from_blender(points: Array) -> Array:
    """The inverse of `to_blender`: [..., 3]."""
    return np.take(points, (1, 2, 0), axis=-1)


def holds(key: str) -> bool:
    """Say whether Blender can hold a custom property of this name."""
    return 0 < len(key.encode("utf-8", "surrogatepass")) <= MAX_KEY and showable(key) == key
