# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each part of a Genesis3D level lives in a Blender scene: what importer, exporter and panel agree on.

Genesis (x, y, z), y up, is Blender (x, -z, y); meshes and locations hold units (inches) exactly, and the level's root
empty has the scale (0.0254: metres). All that follows is relative to that root: moving or scaling it edits nothing.
What isn't below it, as a new mesh, is where it is seen.

    <level>                     collection, stamp "level"; what the level itself says (see below)
      <level>                   empty, stamp "root": the parent of everything
      World                     collection, stamp "world": the world's brushes (only there in a `.map`)
      Group: <name>             collection, stamp "group": GroupProperties; its brushes and entities (only in a `.3dt`)
      Models                    collection, stamp "models"
        <model>                 empty, stamp "model": ModelProperties, location = what the model turns about
          <model> motion        empty, stamp "motion": its location and rotation_quaternion are the motion's, relative
                                to the model's empty, in an action; the parent of the model's brushes
      Entities                  collection, stamp "entities": point entities (only there in a `.map`)

In a `.map` a model's brushes and empties lie in a collection of the model's, stamp "model_collection", below Models; in
a `.3dt` the brushes lie in their group's collection. Which model a brush belongs to follows from its parents alone: the
first one stamped "model". Which group it belongs to follows from the collection stamped "group" that it is in.

**Brushes** are mesh objects, stamp "brush", with BrushProperties. Origins lie in the middle of the brush (whole units,
see ORIGINS); a mesh has its positions relative to that, and its object has neither rotation nor scale. A brush of a
model has the model's origin in its parent inverse, so that its location is one below the root, too.
A `.3dt` brush that is made of others (a hollow one: shell and cut) is an empty, stamp "brush", the parent of its
children, which are in its place in the order. Objects of one parent keep the file's order by their property ORDER.
A level with more than MANY_BRUSHES brushes has SHARED of them a mesh object, stamp "brushes" (record: the first one's
number): its faces carry BRUSH and BRUSH_FLAGS, its origin is that of the root or model, and BrushProperties are absent.

A stamp's record is the number in the original file: of "model" that in the list of entities (`.map`) or of models
(`.3dt`), of "entity" that in the list of entities, of "group" that in the list of groups, of "brush" the running number
over the whole level (`.map`: in the order of `MapLevel.table`; `.3dt`: in that of `Level3dt.numbered_brushes`). The ids
of mesh faces are running numbers over all faces of the level, in the file's order, under the level's own token: a face
stays the record it was when brushes are joined or separated.

**A `.bsp`** has the collections of a `.map`. In the place of brushes there is one mesh object for each model's faces,
stamp "surfaces", with MAP_FIELDS, and the ids of its faces are numbers in `compiled.DrawnFaces`.

**Faces** have the attributes of FACE_FIELDS and those of MAP_FIELDS or EDITOR_FIELDS, the UV map UV (u = U / width,
v = 1 - V / height of the texture) and a material, which has the texture's name as property TEXTURE (on materials
without it, and on those that were renamed: the name of the material). How a face looks follows from its flags; which of
the materials of a texture it has means nothing more. A size that texels need is the property TEXTURE_SIZE on the
material.

**Baselines** of the geometry are on the level's collection, for all faces and vertices of the level in one array each
(POSITIONS, VERTEX_STARTS, CORNERS, CORNER_STARTS, UVS, ORIGINS). A face is unchanged if its corners' positions and
UVs are the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...formats.arrays import Floats
from ..scene.attributes import Kind
from ..scene.fields.properties import setting

SCALE = 0.0254
"""Metres a unit: one inch."""

# Stamps: the `kind` of scene.kept.identity.stamp, beside its own LEVEL and ROOT.
WORLD, GROUP, MODELS, MODEL_COLLECTION = "world", "group", "models", "model_collection"
MODEL, MOTION, ENTITIES, ENTITY = "model", "motion", "entities", "entity"
BRUSH, BRUSHES = "brush", "brushes"
TYPEDEFS, SETTINGS = "typedefs", "settings"
"""Resources (texts), record 0: a `.map`'s definitions of types, as `class_text` writes them; a `.3dt`'s settings."""
IMAGE, MATERIAL = "image", "material"
"""Resources: the textures that a `.bsp` holds, by their numbers; materials."""
SURFACES = "surfaces"
"""Mesh objects of a `.bsp`: all faces of a model (the stamp's record: its number; 0 is the world)."""
LIGHTMAP, BAKED_LIGHT = "lightmap", "baked_light"
"""Resources of a `.bsp`: images of its lightmaps, by the place of the light type among a face's four; record 0, the
node group of which materials get their light."""
PREVIEW = "preview"
"""Made for show only (what cuts leave of brushes, glows of lights): never exported, safe to delete. On objects, and on
the collection of a preview."""
FIND_LEAKS = "levelwright.genesis_find_leaks"
"""The operator that shows where a level leaks."""

# Property keys.
ORDER = "order"
"""On brush objects: place among the brushes of the level or of their parent; ties by name."""
SEEN = "levelwright_seen"
"""On brush objects of a `.3dt`: which of HIDDEN and LOCKED the import made of it. What of Disable in Viewports and of
Disable Selection differs from that says whether the editor hides and locks it; hiding with H says nothing."""
HIDDEN, LOCKED = 1, 2
TEXTURE, TEXTURE_SIZE = "texture", "texture_size"
TEXTURE_LIBRARY = "TextureLib"
"""On the level's collection: its texture library. On the root it counts where the collection names none."""

MANY_BRUSHES = 8192
"""A level with more brushes than this (twice what the compiler takes) has several in one mesh object."""
SHARED = 1024
"""Brushes in such an object, at most."""

# Mesh attributes.
UV = "UVMap"
BRUSH_FLAGS = "brush_flags"
"""INT on faces of a mesh of several brushes: the flags of the brush, as an int32 (the first face's count)."""

LIGHTMAP_UV = "Lightmap"
"""Of a `.bsp`: where faces are in the images of its lightmaps."""
VERTEX_LIGHT = "vertex_light"
"""FLOAT_VECTOR on corners of a `.bsp`: their light, 0 to 255; 255 on faces with a lightmap."""
LIGHT_TYPES = ("light_type_1", "light_type_2", "light_type_3", "light_type_4")
"""INT on faces of a `.bsp`: which light each of a face's lightmaps is of, 255: none. Only there where one isn't 0."""

FACE_FIELDS: dict[str, Kind] = {
    "flags": "INT",
    "face_light": "FLOAT",
    "mip_map_bias": "FLOAT",
    "alpha": "FLOAT",
    "reflective_scale": "FLOAT",
}
"""Of all faces: FaceFlag in a `.map`, EditorFaceFlag in a `.3dt`; alpha 0..255."""
MAP_FIELDS: dict[str, Kind] = {
    "u_vec": "FLOAT_VECTOR",
    "v_vec": "FLOAT_VECTOR",
    "draw_scale": "FLOAT2",
    "offset": "FLOAT2",
}
"""Of `.map` faces, as in the file: u_vec and v_vec in the file's axes (y up); draw_scale and offset are (x, y)."""
EDITOR_FIELDS: dict[str, Kind] = {"rotate": "FLOAT", "shift": "INT32_2D", "scale": "FLOAT2", "light_scale": "FLOAT2"}
"""Of `.3dt` faces: the editor's TexInfo, rotate in degrees."""

# Keys of kept.baselines on the level's collection. b brushes with faces, v vertices, c corners, f faces of the level.
POSITIONS = "positions"
"""float32[v, 3], as in the mesh (Blender's axes, relative to ORIGINS)."""
VERTEX_STARTS = "vertex_starts"
"""int32[b + 1]: the first vertex of each brush with faces, in the file's order."""
CORNERS = "corners"
"""int32[c]: the vertex of each corner, a number in POSITIONS."""
CORNER_STARTS = "corner_starts"
"""int32[f + 1]: the first corner of each face; a face without corners was left out."""
UVS = "uvs"
"""float32[c, 2]."""
ORIGINS = "origins"
"""float32[b, 3]: where the object of each brush lies below the root, Blender's axes, whole units."""
LIBRARY = "library"
"""Of a level that was decompiled: uint8[n], the `.txl` of the textures that the `.bsp` held."""
ATLAS, ATLAS_SIZE = "atlas", "atlas_size"
"""Of a `.bsp`: int32[f, 2], the pixel of the first luxel of each face, from the top left, -1 without; int32[2], the
size of the images."""


@dataclass
class BrushProperties:
    """On brush objects, and on the empties of brushes that are made of others. The fields are the flags' names."""

    solid: bool = setting(True, "Blocks view and movement")
    window: bool = setting(False, "Visible, blocks movement, can be seen through")
    empty: bool = setting(False, "Visible, does not block: water")
    translucent: bool = setting(False, "Can be seen through; the compiler sets it where faces are translucent")
    wavy: bool = setting(False, "Its surface is animated")
    detail: bool = setting(False, "Does not hide what is behind it from the visibility calculation")
    clip: bool = setting(False, "Invisible, blocks movement")
    hint: bool = setting(False, "Invisible, splits the level for the visibility calculation")
    area: bool = setting(False, "Separates areas; doors")
    flocking: bool = setting(False, "Is not cut by other brushes")
    sheet: bool = setting(False, "Only one side is visible: its first face")
    contents: int = setting(
        0,
        "The game's own bits, which its header names (GE_BrushContents): in GTest 1 is water, 2 lava; in Reality "
        "Factory also 4 toxic gas, 8 zero gravity, 16 frozen, 32 sludge, 64 slow and 128 fast motion, 256 ladder",
        0,
        0xFFFF,
    )
    other_flags: int = setting(0, "Bits of the flags that have no meaning, as a number", 0, 0xFFFF)


@dataclass
class EditorBrushProperties(BrushProperties):
    """On the brushes of a `.3dt`."""

    brush_name: str = setting("", "Name of the brush in the editor")
    cut: bool = setting(False, "Takes its volume away from the brushes before it")
    hollow: bool = setting(False, "A room: a shell and the cut inside it")
    hollow_cut: bool = setting(False, "The cut inside a hollow brush")
    hidden: bool = setting(False, "Hidden in the editor; Disable in Viewports says it, too")
    locked: bool = setting(False, "Locked in the editor; Disable Selection says it, too")
    hull_size: float = setting(1.0, "Thickness of the walls of a hollow brush, units")


@dataclass
class GroupProperties:
    """On a group's collection."""

    group_name: str = setting("", "Name of the group in the editor")
    group_visible: bool = setting(True, "Shown in the editor")
    group_locked: bool = setting(False, "Locked in the editor")
    group_color: tuple[float, float, float] = setting(
        (255.0, 255.0, 255.0), "Colour of the group in the editor, 0 to 255"
    )


@dataclass
class ModelProperties:
    """On a model's empty."""

    model_name: str = setting("", "Name that entities refer to the model by")


@dataclass
class EditorModelProperties(ModelProperties):
    """On a model's empty, in a `.3dt`. The brushes stand where the motion is at `key_time`."""

    key_time: float = setting(0.0, "Time in the motion at which the model's brushes stand as they do, seconds")


@dataclass
class MotionProperties:
    """On a motion's action. Keys are those of the only path; times are the scene's frames from 0."""

    motion_name: str = setting("", "Name of the motion, mostly none")
    rotation_interpolation: int = setting(1, "0 linear, 1 slerp, 2 squad", minimum=0, maximum=2)
    translation_interpolation: int = setting(
        1, "0 linear, 1 Hermite, 2 Hermite with zero derivatives", minimum=0, maximum=2
    )
    rotation_looped: bool = setting(False, "The rotation's keys are marked as a loop")
    translation_looped: bool = setting(False, "The translation's keys are marked as a loop")


@dataclass
class EditorLevelProperties:
    """On the collection of a `.3dt`. The rest of its settings is a text, resource SETTINGS 0."""

    TextureLib: str = setting("", "The level's texture library")
    HeadersDir: str = setting("", "Folders of the game's headers, which define the types of entities, separated by ;")
    ActorsDir: str = setting("", "Folder of the actors (since version 1.33)")
    PawnIni: str = setting("", "File of the pawns (since version 1.33)")
    SkyAxis: tuple[float, float, float] = setting(
        (1.0, 0.0, 0.0), "What the sky turns about, in the level's axes (y up)"
    )
    SkyRotation: float = setting(10.0, "Degrees that the sky turns in a second")
    SkyDrawScale: float = setting(1.0, "Scale of the sky's textures")
    SkyLeft: str = setting("", "Texture of the sky's left side; a minus sign before it: not applied")
    SkyRight: str = setting("", "Texture of the sky's right side; a minus sign before it: not applied")
    SkyTop: str = setting("", "Texture of the sky's top; a minus sign before it: not applied")
    SkyBottom: str = setting("", "Texture of the sky's bottom; a minus sign before it: not applied")
    SkyFront: str = setting("", "Texture of the sky's front; a minus sign before it: not applied")
    SkyBack: str = setting("", "Texture of the sky's back; a minus sign before it: not applied")


# Entities. The pairs of a point entity are custom properties of its object under their own keys, in their order, typed
# as the level's %typedef% of its class says; those of a `.map`'s world are properties of the level's collection, typed
# by WORLD_TYPES. Keys that repeat stay in the original: the first one's value counts, as in the compiler. The place is
# the object's location (`origin`, in whatever case); `angles` is the rotation of spotlights and of what has no light.
# `values.as_property` and `values.as_text` turn a value's text into a property and back; a property that is equal to
# `as_property` of the original's text leaves that text as it is. Lights also have light, color and arc in the Light: a
# property that was edited wins; otherwise what of the Light differs from `light.kinds.appearance` of the original's
# values.
#
# Motions. Keys are compared with the baselines that `motions.build.keep_keys` made; events are pose markers, one that
# has the (shortened) text and the frame of an event of the original (`marker_of`) is that event. While a motion is
# there, the brushes of its model stand as at `key_time`, whatever frame is shown: their parent inverse takes that pose
# back.

WORLD_TYPES = {"SkyAxis": "point", "SkyRotation": "float", "SkyDrawScale": "float"}
"""Key of the world's entity -> type; all others are text."""


def to_blender(points: ArrayLike) -> Floats:
    """Genesis (x, y, z) to Blender (x, -z, y): [..., 3]; exact."""
    array = np.asarray(points, np.float64)
    return np.stack([array[..., 0], -array[..., 2], array[..., 1]], axis=-1)


def from_blender(points: ArrayLike) -> Floats:
    """Blender (x, y, z) to Genesis (x, z, -y): [..., 3]; the inverse of `to_blender`."""
    array = np.asarray(points, np.float64)
    return np.stack([array[..., 0], array[..., 2], -array[..., 1]], axis=-1)


def quaternion_to_blender(values: ArrayLike) -> Floats:
    """Rotations (w, x, y, z) in Genesis' axes to ones in Blender's: [..., 4]; exact."""
    array = np.asarray(values, np.float64)
    return np.concatenate([array[..., :1], to_blender(array[..., 1:])], axis=-1)


def quaternion_from_blender(values: ArrayLike) -> Floats:
    """The inverse of `quaternion_to_blender`."""
    array = np.asarray(values, np.float64)
    return np.concatenate([array[..., :1], from_blender(array[..., 1:])], axis=-1)


FORMAT = "genesis"
"""The originals' format, in either kind of file."""
KIND = "kind"
"""In the options of the original (scene.kept.originals): "map", "3dt" or "bsp", which kind of level the scene is."""
