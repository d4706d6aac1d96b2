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
        Triggers                collection, stamp GROUP: those that are nothing but tool textures, hidden
      Brushes                   collection, stamp GROUP (option): what collides, a mesh object for each kind of contents
      Entities, Static Props, Overlays, ...   collections, stamp GROUP: what the other parts of the import make

A part is in the collection that `Site.group` makes when it is first asked for. Hidden collections are hidden by
Disable in Viewports and Disable in Renders: for show only, an export takes no notice.

**Worlds and models** are mesh objects, stamp "model", record = the model's number. The faces of model 0 are several
objects: those of each kind (KINDS) in the collection of the kind, with option "split" one for each material; which
object a face is in means nothing. The object of a brush model lies where its entity is: mesh positions are relative to
the entity's origin. It is also the entity's object, with a stamp of its own, if entities are imported.

*Vertices* have record_id = number in VERTEXES + 1, *faces* record_id = number in the drawn lump (FACES, or FACES_HDR
where only that one is filled) + 1. Faces that share all vertices with another one, or pass one twice, have vertices
of their own: bearers of one vertex id at the very same place are one vertex. Faces with T-junctions are polygons with
all of their corners. Faces also have the attributes TEXINFO, ORIGINAL_FACE, SMOOTHING_GROUPS and FLAGS. UV has the
texture coordinates, LIGHTMAP_UV the places in the atlas (only where the map has lightmaps). Faces of displacements are
no faces of a model's mesh. Corners have custom normals where the map's are not those of the planes.

**Displacements** are mesh objects, stamp "displacement", record = number in DISPINFO, or, joined, one object with the
stamp "displacements". Triangles and vertices have ids under a token of their own (`displacement_token`), so that they
are never taken for faces of the world: vertices the number in DISP_VERTS + 1, triangles that of DISP_TRIS + 1.
Vertices have DISTANCE and DIRECTION, the file's very bits (a vertex is unmoved if its position is the one that the
original gives, see BASE), ALPHA = alpha / 255 as grey, and BORDER: vertices of different displacements that lie in one
place have the same number, and have to be moved together. BLEND1 .. BLEND4 where the map blends four textures.
Triangles have TAGS (DispTriTag) and FACE, the map's face, as its number + 1.

**Materials** are stamped "material", record = number in the table of texture names, with the property MATERIAL, the
name as in the map. **Lightmaps** are images, stamp "lightmap", see `lightmaps`: one for each lump, style slot and bump
sample, all of one layout; the raw blocks in the original stay the truth.

**Baselines** on the level's collection: BASE, ATLAS.
"""

from __future__ import annotations

from ..scene import identity

FORMAT = "source"
"""The originals' format."""
SCALE = 0.01905
"""Metres a unit: a sixteenth of a foot, as level designers count."""

# Stamps: the `kind` of scene.identity.stamp.
LEVEL, ROOT, GROUP = "level", "root", "group"
MODEL, DISPLACEMENT, DISPLACEMENTS, BRUSHES = "model", "displacement", "displacements", "brushes"
MATERIAL_KIND, IMAGE, LIGHTMAP = "material", "image", "lightmap"
PREVIEW = "preview"
"""Made for show only: never exported, safe to delete."""

# Names of collections in the level's.
WORLD, DISPLACEMENT_HOME, BRUSH_ENTITIES, TRIGGERS, BRUSH_HOME = (
    "World",
    "Displacements",
    "Brush Entities",
    "Triggers",
    "Brushes",
)
TOOLS, SKY, WATER, NODRAW = "Tools", "Sky", "Water", "NoDraw"
KINDS = (WORLD, TOOLS, SKY, WATER, NODRAW)
"""What a face is, by its texinfo's flags and its material's name: see `faces.kinds`."""
HIDDEN = frozenset((TOOLS, SKY, NODRAW, TRIGGERS, BRUSH_HOME))

# Keys of properties.
MATERIAL = "material"
"""On materials: the name as in the map."""

# Mesh attributes.
UV, LIGHTMAP_UV = "UVMap", "Lightmap"
TEXINFO, ORIGINAL_FACE, SMOOTHING_GROUPS, FLAGS = "texinfo", "original_face", "smoothing_groups", "flags"
"""INT, faces: numbers in TEXINFO and ORIGINALFACES (-1: none), bits (as an int32), SurfaceFlags of the texinfo."""
DISTANCE, DIRECTION, ALPHA, BORDER = "displacement_distance", "displacement_direction", "displacement_alpha", "border"
"""FLOAT, FLOAT_VECTOR, FLOAT_COLOR, INT; points of displacements."""
BLENDS = ("multiblend", "alphablend")
"""FLOAT_COLOR, points of displacements with four textures."""
TAGS, FACE = "tags", "face"
"""INT, triangles of displacements."""
SIDE, CONTENTS = "side", "contents"
"""INT, polygons of brushes: number in BRUSHSIDES + 1; BrushContents of the brush, as an int32."""

# Keys of scene.baselines on the level's collection.
BASE = "displacement_positions"
"""float32[n, 3]: where the import put each vertex of DISP_VERTS."""
ATLAS = "lightmap_atlas"
"""int32[faces, 2]: the pixel of each face's first luxel, from the image's top left; -1: no lightmap."""

_OF_DISPLACEMENTS = 0x44495350


def displacement_token(token: int) -> int:
    """The token that the ids of displacements' vertices and triangles are checked with."""
    value = (int(token) ^ _OF_DISPLACEMENTS) & 0xFFFFFFFF
    return identity.Token(value - (value >> 31 << 32))


def readable(text: str) -> str:
    """A text of a map as the name of something in Blender: without characters that end it, or that UTF-8 lacks."""
    plain = text.replace("\0", "").replace("\n", " ").replace("\r", " ")
    return plain.encode("utf-8", "replace").decode()
