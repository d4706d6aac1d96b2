# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of planes, faces, brushes, models and textures (source.md §2.1, §2.4, §2.7, §2.9)."""

from ..records import RGBE, VECTOR, Dtype, record

#: `type`: 0, 1 and 2 are planes across x, y and z, 3, 4 and 5 the others by the axis that they are nearest to.
PLANE = record(("normal", VECTOR), ("dist", "<f4"), ("type", "<i4"), size=20)
VERTEX = record(("point", VECTOR), size=12)
EDGE = record(("v", "<u2", 2), size=4)
EDGE_32 = record(("v", "<u4", 2), size=8)
SURFEDGE = record(("edge", "<i4"), size=4)  # negative: the edge -edge, walked from v[1] to v[0]

# -------------------------------------------------------------------------------------------------------------- faces

_LUXELS = (("lightmap_mins", "<i4", 2), ("lightmap_size", "<i4", 2))  # size: one less than there are, along s and t
_PRIMS_16 = (("num_prims", "<u2"), ("first_prim_id", "<u2"))  # num_prims: 15 bits; bit 15: no dynamic shadows

_FACE_HEAD = (
    ("planenum", "<u2"),
    ("side", "u1"),  # always planenum & 1
    ("on_node", "u1"),
    ("firstedge", "<i4"),
    ("numedges", "<i2"),
    ("texinfo", "<i2"),  # -1: none
    ("dispinfo", "<i2"),  # -1: no displacement
    ("surface_fog_volume_id", "<i2"),
)
_FACE_LIGHT = (
    ("styles", "u1", 4),  # NO_STYLE: none, and none follows
    ("lightofs", "<i4"),  # bytes into the lighting lump; -1: no lightmap
    ("area", "<f4"),
    *_LUXELS,
    ("orig_face", "<i4"),
)

FACE = record(*_FACE_HEAD, *_FACE_LIGHT, *_PRIMS_16, ("smoothing_groups", "<u4"), size=56)

#: v18: the average light of each style stands before the face, not before its lightmap.
FACE_18 = record(("average", RGBE, 4), *_FACE_HEAD, *_FACE_LIGHT, *_PRIMS_16, ("smoothing_groups", "<u4"), size=72)
#: v17 of Half-Life 2's beta: no primitives yet.
FACE_17 = record(("average", RGBE, 4), *_FACE_HEAD, *_FACE_LIGHT, ("smoothing_groups", "<u4"), size=68)
#: v17 of Bloodlines: eight styles, and others for day and night.
FACE_17_DAY_NIGHT = record(
    ("average", RGBE, 8),
    *_FACE_HEAD,
    ("styles", "u1", 8),
    ("day", "u1", 8),
    ("night", "u1", 8),
    ("lightofs", "<i4"),
    ("area", "<f4"),
    *_LUXELS,
    ("orig_face", "<i4"),
    ("smoothing_groups", "<u4"),
    size=104,
)

_FACE_HEAD_32 = (
    ("planenum", "<u4"),
    ("side", "u1"),
    ("on_node", "u1"),
    ("pad", "V2"),
    ("firstedge", "<i4"),
    ("numedges", "<i4"),
    ("texinfo", "<i4"),
    ("dispinfo", "<i4"),
    ("surface_fog_volume_id", "<i4"),
)
#: Vindictus, lump version 1: 32-bit indices.
FACE_32 = record(
    *_FACE_HEAD_32,
    *_FACE_LIGHT,
    ("num_prims", "<u4"),
    ("first_prim_id", "<u4"),
    ("smoothing_groups", "<u4"),
    size=72,
)
_FACE_TAIL_32 = (*_FACE_LIGHT[1:], ("num_prims", "<u4"), ("first_prim_id", "<u4"), ("smoothing_groups", "<u4"))
#: Vindictus, lump version 2. On which side of the styles the unknown word stands, sources don't agree: see `layouts`.
FACE_32_V2 = record(*_FACE_HEAD_32, ("styles", "u1", 4), ("unknown", "<i4"), *_FACE_TAIL_32, size=76)
FACE_32_V2_STYLES_LAST = record(*_FACE_HEAD_32, ("unknown", "<i4"), ("styles", "u1", 4), *_FACE_TAIL_32, size=76)
#: Strata, lump version 2: bit 0 of `shadows_num_prims` is whether the face has dynamic shadows, the rest a count.
FACE_STRATA = record(
    *_FACE_HEAD_32,
    *_FACE_LIGHT,
    ("shadows_num_prims", "<u4"),
    ("first_prim_id", "<u4"),
    ("smoothing_groups", "<u4"),
    size=72,
)

FACEID = record(("hammer_face_id", "<u2"), size=2)  # one a face
FACEID_32 = record(("hammer_face_id", "<u4"), size=4)
FACE_MACRO_TEXTURE_INFO = record(("macro_texture_name_id", "<u2"), size=2)  # of the string table; 0xFFFF: none

#: CS:GO: which brushes a face was made of (source.md §2.4).
FACEBRUSH = record(("brush", "<u2"), size=2)
FACEBRUSH_32 = record(("brush", "<u4"), size=4)
FACEBRUSHLIST = record(("count", "<u2"), ("start", "<u2"), size=4)  # one a face, of the face brushes
FACEBRUSHLIST_32 = record(("count", "<u4"), ("start", "<u4"), size=8)

# --------------------------------------------------------------------------------------------- primitives and normals

#: A triangulation of a face with T-junctions: type 0, indices into the face's own corners (source.md §2.4).
PRIMITIVE = record(
    ("type", "u1"),
    ("pad", "V1"),
    ("first_index", "<u2"),
    ("index_count", "<u2"),
    ("first_vert", "<u2"),
    ("vert_count", "<u2"),
    size=10,
)
PRIMITIVE_32 = record(
    ("type", "u1"),
    ("pad", "V3"),
    ("first_index", "<u4"),
    ("index_count", "<u4"),
    ("first_vert", "<u4"),
    ("vert_count", "<u4"),
    size=20,
)
PRIMVERT = record(("pos", VECTOR), size=12)
PRIMINDEX = record(("index", "<u2"), size=2)
PRIMINDEX_32 = record(("index", "<u4"), size=4)
VERTNORMAL = record(("normal", VECTOR), size=12)
VERTNORMALINDEX = record(("normal", "<u2"), size=2)  # one a corner of a face, the faces in order
VERTNORMALINDEX_32 = record(("normal", "<u4"), size=4)

# ------------------------------------------------------------------------------------------------- brushes and models

BRUSH = record(("firstside", "<i4"), ("numsides", "<i4"), ("contents", "<u4"), size=12)
#: Before v21, the SDK has a short for `bevel`; its bytes are these, also on consoles.
BRUSHSIDE = record(
    ("planenum", "<u2"),
    ("texinfo", "<i2"),
    ("dispinfo", "<i2"),  # never a real index (source.md §2.2)
    ("bevel", "u1"),  # 1: for collision only
    ("thin", "u1"),  # CS:GO
    size=8,
)
#: Vindictus.
BRUSHSIDE_32 = record(("planenum", "<u4"), ("texinfo", "<i4"), ("dispinfo", "<i4"), ("bevel", "<i4"), size=16)
#: Strata.
BRUSHSIDE_STRATA = record(
    ("planenum", "<u4"),
    ("texinfo", "<i4"),
    ("dispinfo", "<i4"),
    ("bevel", "u1"),
    ("thin", "u1"),
    ("pad", "V2"),
    size=16,
)

_MODEL_HEAD = (("mins", VECTOR), ("maxs", VECTOR), ("origin", VECTOR))  # origin: always 0
MODEL = record(*_MODEL_HEAD, ("headnode", "<i4"), ("firstface", "<i4"), ("numfaces", "<i4"), size=48)
#: Dark Messiah.
MODEL_52 = record(
    *_MODEL_HEAD, ("unknown", "<i4"), ("headnode", "<i4"), ("firstface", "<i4"), ("numfaces", "<i4"), size=52
)

# ----------------------------------------------------------------------------------------------------------- textures

_TEXINFO_VECS = (
    ("texture_vecs", "<f4", (2, 4)),  # s and t in texels: dot(xyz, point) + offset
    ("lightmap_vecs", "<f4", (2, 4)),  # in luxels; from these, the face's lightmap_mins are taken away
)
TEXINFO = record(*_TEXINFO_VECS, ("flags", "<u4"), ("texdata", "<i4"), size=72)  # flags: SurfaceFlag
#: Dark Messiah.
TEXINFO_96 = record(*_TEXINFO_VECS, ("unknown", "V24"), ("flags", "<u4"), ("texdata", "<i4"), size=96)

TEXDATA = record(
    ("reflectivity", VECTOR),
    ("name_string_table_id", "<i4"),
    ("width", "<i4"),  # texture coordinates are texels divided by these
    ("height", "<i4"),
    ("view_width", "<i4"),
    ("view_height", "<i4"),
    size=32,
)
TEXDATA_STRING = record(("offset", "<i4"), size=4)  # into the string data

FACES: tuple[Dtype, ...] = (
    FACE, FACE_17, FACE_17_DAY_NIGHT, FACE_18, FACE_32, FACE_32_V2, FACE_32_V2_STYLES_LAST, FACE_STRATA,
)  # fmt: skip
