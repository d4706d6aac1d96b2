# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each part of a Source map lives in a Blender scene: what importer, exporter, panel and operators agree on.

Meshes and locations hold the map's units exactly, z up as in the game; the level's root empty has the scale (0.01905:
metres). Polygons run the other way round (the game's are clockwise), and v is upwards. All that follows is relative to
that root: moving or scaling it edits nothing.

    <level>                     collection, stamp "level"
      <level>                   empty, stamp "root": the parent of everything
      World                     collection, stamp GROUP: the faces of model 0
        Tools, Sky, Water, NoDraw   collections, stamp GROUP: faces that are better hidden, and water
      Displacements             collection, stamp GROUP
      Brush Entities            collection, stamp GROUP: objects with the meshes of models 1 and up
        Triggers                collection, stamp GROUP: those of tool textures or without faces, hidden
      Brushes                   collection, stamp GROUP (option): what collides, a mesh object for each kind of contents
      Leafs                     collection, stamp GROUP (option): the clusters of visibility as boxes
      Entities, Static Props, Overlays, ...   collections, stamp GROUP: what the other parts of the import make

A part is in the collection that `ImportContext.group` makes when it is first asked for. Hidden collections are hidden
by Disable in Viewports and Disable in Renders: for show only, an export takes no notice.

**Worlds and models** are mesh objects, stamp "model", record = the model's number. The faces of model 0 are several
objects: those of each kind (KINDS) in the collection of the kind, with option "split" one for each material or
cluster; which object a face is in means nothing. The object of a brush model lies where its entity is: mesh positions
are relative to the entity's origin. It is also the entity's object, with a stamp of its own, if entities are imported.

*Vertices* have VERTEX_ID = number in VERTEXES + 1 and VERTEX_CHECK (as kept.identity makes them), *faces* record_id =
number in the drawn lump (FACES, or FACES_HDR where only that one is filled) + 1 and record_check. Faces that share all
vertices with another one, or pass one twice, have vertices of their own: several with one vertex id at the very same
place are one vertex. Faces with T-junctions are polygons with all of their corners. Faces also have the attributes
TEXINFO, ORIGINAL_FACE, SMOOTHING_GROUPS and FLAGS. UV has the texture coordinates, LIGHTMAP_UV the places in the atlas
(only where the map has lightmaps), LIGHT_STYLES the styles of those. Faces of displacements are no faces of a model's
mesh. Corners have custom normals where the map's are not those of the planes.

A brush model without faces (a trigger, a clip) has a mesh of its brushes' sides in their place: numbered behind all
faces, their vertices behind all of VERTEXES, in the order of the baselines SIDE_*.

**Displacements** are mesh objects, stamp "displacement", record = number in DISPINFO, or, joined, one object with the
stamp "displacements". Triangles and vertices have ids under a token of their own (`displacement_token`), so that they
are never taken for faces of the world: vertices the number in DISP_VERTS + 1, triangles that of DISP_TRIS + 1.
Vertices have DISTANCE and DIRECTION, the file's very bits (a vertex is unmoved if its position is the one that the
original gives, see BASE), ALPHA = alpha / 255 as grey, and BORDER: vertices of different displacements that lie in one
place have the same number, and have to be moved together. BLEND1 .. BLEND4 where the map blends four textures.
Triangles have TAGS (DispTriTag) and FACE, the map's face, as its number + 1. Objects of one each have
`displacements.info.DisplacementProperties`.

**Brushes** are mesh objects, stamp "brushes", one for each kind of contents that there is, where their entities have
them: faces have SIDE, BRUSH and CONTENTS, UV and the material of the editor's file. They are what an export as VMF is
made of, and edits of the world (`world`), with any other meshes in their collection; without the option for these, of a
.bsp only CONTENTS counts. BRUSH_SUMS tells whether they are as imported. For reference are the **clusters**, one mesh
object, stamp "clusters": a box each, faces with CLUSTER. What `visibility.show` hides is marked with UNSEEN, and copies
that it makes of meshes of which a part is seen are stamped PREVIEW.

**Materials** are stamped "material", record = number in the table of texture names, with the property MATERIAL, the
name as in the map. **Lightmaps** are images, stamp "lightmap", see `lightmaps.build`: one for each lump, style slot and
bump sample, all of one layout; the raw blocks in the original stay the truth.

**Entities** are objects, stamp "entity", record = number in the entity lump, in a collection below Entities that their
class is sorted into (`entities.classes`). The world's pairs are properties of the level's collection. All pairs are
custom properties under their own keys, in the file's order; keys that repeat, and outputs, are lists of text
(`entities.custom_properties`). The origin is the location and no property; the rotation shows `angles` (or the older
`angle`; and `pitch`, of lights): an edited property wins over it. A property that is equal to what `as_property` makes
of the original's text leaves that text as it is. Brush entities are the object of their model, and decals a quad on the
nearest face where the materials say how large it is; models that are found are the mesh of their entity, ropes a curve
to the next one (from its own origin), `ladders` and `lights.lamps` say what these are.

**Static props** are instances, stamp "static_prop", record = place in the lump: PropProperties, the mesh of their model
and skin (MODEL_PATH and SKIN on it) or a box, rotation, scale. Those with baked light have a mesh each, with
VERTEX_LIGHT, which stays with the pak's file. **Overlays** are quads, stamp "overlay", record = place
in the lump: vertices in the order of the handles, relative to the overlay's origin, the object's location; its delta
location lifts it off its faces for show. What the lumps beside it say are properties, see `overlays.build.beside`.
LIGHTMAP_UV, of it and of decals, is that of the face beneath, for show too. **Cubemaps** are light probes, stamp
"cubemap", record = place in the lump. **Area portals** and **occluders** are one mesh object each, stamps "areaportals"
and "occluders", record 0; faces have PORTAL_KEY, or OCCLUDER, OCCLUDER_FLAGS and OCCLUDER_AREA. **Compiled lights**
(option) are lamps and empties, hidden, stamp "worldlight", record = place in the lump: LightProperties, and
`lights.build.INTENSITY`. For reference only are **detail props** (option; stamps "detail_prop", record = place in the
lump, and "detail_sprites": one mesh, faces with DETAIL) and **water overlays** (stamp "water_overlay", like overlays).
The **3D skybox** is a copy of what is around the sky camera, stamp PREVIEW. The **sky** is the scene's world, stamp
SKY_WORLD (see `sky.build`), for show too; so is the light that the scene gets without one.

**The map's revision** is a property of the level's collection, see `revision`; the world's `mapversion` goes with it.

**Files of the pak** that an export adds, replaces and removes are a list on the level's collection: see `pak.files`.

**Baselines** on the level's collection: BASE, BRUSH_SUMS, SIDE_*, ATLAS, ATLAS_SIZE, SKINS, OVERLAY_CORNERS,
OVERLAY_UVS, SHADES, SHAPES and SHOWN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...formats.arrays import Array, Integers
from ..scene.attributes import Domain, Kind
from ..scene.kept import identity

FORMAT = "source"
"""The originals' format."""
SCALE = 0.01905
"""Metres a unit: a sixteenth of a foot, as level designers count."""

# Stamps: the `kind` of scene.kept.identity.stamp.
LEVEL, ROOT, GROUP = "level", "root", "group"
MODEL, DISPLACEMENT, DISPLACEMENTS, BRUSHES = "model", "displacement", "displacements", "brushes"
MATERIAL_KIND, IMAGE, LIGHTMAP, SKY_WORLD = "material", "image", "lightmap", "sky"
BAKED_LIGHT = "baked_light"
"""Kind of resource: the node group of the lightmaps, see `lightmaps.build`."""
LIGHT, BAKED, PROP_LIGHT, PROP_BAKED = "Light", "Baked", "Prop Light", "Prop Baked"
"""Its outputs: light and how much it counts, of lightmaps and, where any are lit, of static props' vertices."""
ENTITY, STATIC_PROP, OVERLAY, CUBEMAP = "entity", "static_prop", "overlay", "cubemap"
AREAPORTALS, OCCLUDERS = "areaportals", "occluders"
DETAIL_PROP, DETAIL_SPRITES, WORLDLIGHT = "detail_prop", "detail_sprites", "worldlight"
CLUSTERS, WATER_OVERLAY = "clusters", "water_overlay"
PREVIEW = "preview"
"""Made for show only: never exported, safe to delete."""

# Names of collections in the level's.
WORLD, DISPLACEMENT_HOME, BRUSH_ENTITIES, TRIGGERS, BRUSH_HOME, LEAF_HOME = (
    "World",
    "Displacements",
    "Brush Entities",
    "Triggers",
    "Brushes",
    "Leafs",
)
TOOLS, SKY, WATER, NODRAW = "Tools", "Sky", "Water", "NoDraw"
KINDS = (WORLD, TOOLS, SKY, WATER, NODRAW)
"""What a face is, by its texinfo's flags and its material's name: see `faces.build`."""
HIDDEN = frozenset((TOOLS, SKY, NODRAW, TRIGGERS, BRUSH_HOME, LEAF_HOME))

# Keys of properties.
MATERIAL, SHADER = "material", "shader"
"""On materials: the name as in the map; the VMT's shader. Its parameters stand there by their own names ("$..")."""

# Mesh attributes.
UV, LIGHTMAP_UV, IRIS_UV = "UVMap", "Lightmap", "Iris"
"""IRIS_UV: on eyes of models, of eyes that look ahead."""
VERTEX_ID, VERTEX_CHECK = "vertex_id", "vertex_check"
"""INT, points."""
TEXINFO, ORIGINAL_FACE, SMOOTHING_GROUPS, FLAGS = "texinfo", "original_face", "smoothing_groups", "flags"
"""INT, faces: numbers in TEXINFO and ORIGINALFACES (-1: none), bits (as an int32), SurfaceFlags of the texinfo."""
DISTANCE, DIRECTION, ALPHA, BORDER = "displacement_distance", "displacement_direction", "displacement_alpha", "border"
"""FLOAT, FLOAT_VECTOR, FLOAT_COLOR, INT; points of displacements."""
BLENDS = ("multiblend", "alphablend")
"""FLOAT_COLOR, points of displacements with four textures."""
LIGHT_STYLES = tuple(f"light_style_{slot}" for slot in range(1, 9))
"""INT, faces and triangles: the light style of each slot of the face's lightmaps; not of slots that are all style 0."""
VERTEX_LIGHT = "vertex_light"
"""FLOAT_COLOR, points of static props that the compiler lit: light, 1 shows a texture as it is; never 0."""
TAGS, FACE = "tags", "face"
"""INT, triangles of displacements."""
SPLIT_BRUSHES = "levelwright.source_split_brushes"
"""The operator that makes convex brushes of those that aren't."""
SIDE, BRUSH, CONTENTS = "side", "brush", "contents"
"""INT, polygons of brushes: numbers in BRUSHSIDES and BRUSHES + 1; Contents of the brush, as an int32."""

# Keys of scene.kept.baselines on the level's collection.
BASE = "displacement_positions"
"""float32[n, 3]: where the import put each vertex of DISP_VERTS."""
BRUSH_SUMS = "brush_sums"
"""int64[n]: a checksum of each mesh of brushes, as `brushes.collect.checksum` makes it."""
BRUSH_NAMES = "levelwright_brush_names"
"""Text on the level's collection: the names of the objects of brushes, a line each."""
SIDE_POINTS, SIDE_CORNERS, SIDE_ROWS = "side_points", "side_corners", "side_rows"
"""float32[v, 3], int32[c], int32[p, 4]: the sides that stand in for faces, as `side_faces.to_arrays` makes them."""
ATLAS = "lightmap_atlas"
"""int32[faces, 2]: the pixel of each face's first luxel, from the image's top left; -1: no lightmap."""
ATLAS_SIZE = "lightmap_atlas_size"
"""int32[2]: width and height of the images, in pixels."""
WHITE = "lightmap_white"
"""float32[2]: where in the images all is that has no lightmap, v upwards."""

SKINS = "prop_skins"
"""int32[props]: the skin of the mesh that the import gave each static prop; -1: a box."""
OVERLAY_CORNERS, OVERLAY_UVS = "overlay_corners", "overlay_uvs"
"""float32[overlays, 4, 3] and [overlays, 4, 2]: the vertices that the import made of overlays; u and v of each."""
SHADES = "worldlight_shades"
"""float32[lights, 4]: colour and power that the import gave each compiled light."""
SHAPES = "worldlight_shapes"
"""float32[lights, 4]: what the import gave each compiled light of `lights.build.shape_of`."""
SHOWN = "levelwright_shown"
"""Text on the level's collection: the kinds of objects that the import made. One that is gone of these is deleted."""

OWN_NAME = "levelwright_name"
"""On materials of which the map has no texture, those of models and decals: what the import called MATERIAL."""
PATCH = "levelwright_patch"
"""On the level's collection: the patch file that its entities were opened from, bytes, without the data."""

MODEL_PATH, SKIN = "model_path", "skin"
"""On meshes of models: the file's name in small letters, and the skin."""
PORTAL_KEY, OCCLUDER = "portal_key", "occluder"
"""INT, faces of area portals and occluders: the key that the door's entity has; the number in the lump."""
OCCLUDER_FLAGS, OCCLUDER_AREA = "occluder_flags", "occluder_area"
"""INT, faces of occluders: of their occluder, 1: it is off at first; and the area that it is in, where the map says."""
DETAIL = "detail"
"""INT, faces of detail sprites: place in the lump + 1."""
CLUSTER = "cluster"
"""INT, faces of the clusters' boxes: the cluster + 1."""
UNSEEN = "levelwright_unseen"
"""On objects that `visibility.show` hid: 1 in viewports, 2 in renders, 3 in both; 0 on the copies of those seen in
part. On the level's collection: the cluster that is looked from."""

_OF_DISPLACEMENTS = 0x44495350


def euler(angles: Sequence[float]) -> tuple[float, float, float]:
    """Pitch, yaw and roll (degrees; turns about y, z and x, the last one first) as an Euler rotation (XYZ, radians)."""
    pitch, yaw, roll = angles
    return math.radians(roll), math.radians(pitch), math.radians(yaw)


def displacement_token(token: int) -> int:
    """The token that the ids of displacements' vertices and triangles are checked with."""
    value = (int(token) ^ _OF_DISPLACEMENTS) & 0xFFFFFFFF
    return identity.Token(value - (value >> 31 << 32))


def vertex_ids(records: Integers, token: int) -> dict[str, tuple[Domain, Kind, Array]]:
    """The attributes that say which records the points of a mesh are, int[n]."""
    ids = (records + 1).astype(np.int32)
    return {VERTEX_ID: ("POINT", "INT", ids), VERTEX_CHECK: ("POINT", "INT", identity.checks(token, ids))}
