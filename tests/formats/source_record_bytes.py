# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs records of Source maps with struct and nothing of ours: what the tables of records are tested with.

A record is a line of `name:format` in the order of the file; formats are struct's, `3x` is padding, `4(HBBBx)` stands
for records within the record. Values that nobody gives are counted up, so that no two fields are alike.
"""

import re
import struct
from collections.abc import Sequence
from itertools import count

Value = int | float | bytes | Sequence[int | float]

VECTOR = "3f"
RGBE = "(3Bb)"

FACE_LIGHT = "lightofs:i area:f lightmap_mins:2i lightmap_size:2i orig_face:i"
FACE_16 = "planenum:H side:B on_node:B firstedge:i numedges:h texinfo:h dispinfo:h surface_fog_volume_id:h"
FACE_32 = "planenum:I side:B on_node:B :2x firstedge:i numedges:i texinfo:i dispinfo:i surface_fog_volume_id:i"
DISP_16 = "edge_neighbors:8(HBBBx) corner_neighbors:4(4HBx) allowed_verts:10I"
DISP_32 = "edge_neighbors:8(IBBBx) corner_neighbors:4(4IB3x) allowed_verts:10I"
DISP_START = "start_position:3f disp_vert_start:i disp_tri_start:i"
DISP_SHAPE = "power:i min_tess:I smoothing_angle:f contents:I"
DISP_LIGHT = "lightmap_alpha_start:i lightmap_sample_position_start:i"
LEAF_16 = (
    "contents:I cluster:h area_flags:H mins:3h maxs:3h firstleafface:H numleaffaces:H firstleafbrush:H "
    "numleafbrushes:H leaf_water_data_id:h"
)
LEAF_LISTS_32 = "firstleafface:I numleaffaces:I firstleafbrush:I numleafbrushes:I leaf_water_data_id:i"
LIGHT = (
    "style:i stopdot:f stopdot2:f exponent:f radius:f constant_attn:f linear_attn:f quadratic_attn:f flags:i "
    "texinfo:i owner:i"
)
OVERLAY_SHAPE = "u:2f v:2f uv_points:12f origin:3f basis_normal:3f"
PROP = (
    "origin:3f angles:3f prop_type:H first_leaf:H leaf_count:H solid:B flags:B skin:i fade_min_dist:f "
    "fade_max_dist:f lighting_origin:3f"
)
PROP_2013 = (
    PROP.replace("flags:B", "unused:B") + " forced_fade_scale:f min_dx_level:H max_dx_level:H flags:I "
    "lightmap_res_x:H lightmap_res_y:H"
)
PROP_LEVELS = "min_cpu_level:B max_cpu_level:B min_gpu_level:B max_gpu_level:B diffuse_modulation:4B"
PROP_8 = f"{PROP} forced_fade_scale:f {PROP_LEVELS}"
PROP_10 = f"{PROP_8} disable_x360:B :3x flags_ex:I"
DETAIL = "origin:3f angles:3f detail_model:H leaf:H lighting:(3Bb) light_styles:I light_style_count:B"

#: The name of a table in formats/source/records_*.py -> what it says.
RECORDS = {
    "PLANE": "normal:3f dist:f type:i",
    "VERTEX": "point:3f",
    "EDGE": "v:2H",
    "EDGE_32": "v:2I",
    "SURFEDGE": "edge:i",
    "FACE": f"{FACE_16} styles:4B {FACE_LIGHT} num_prims:H first_prim_id:H smoothing_groups:I",
    "FACE_18": f"average:4{RGBE} {FACE_16} styles:4B {FACE_LIGHT} num_prims:H first_prim_id:H smoothing_groups:I",
    "FACE_17": f"average:4{RGBE} {FACE_16} styles:4B {FACE_LIGHT} smoothing_groups:I",
    "FACE_17_DAY_NIGHT": f"average:8{RGBE} {FACE_16} styles:8B day:8B night:8B {FACE_LIGHT} smoothing_groups:I",
    "FACE_32": f"{FACE_32} styles:4B {FACE_LIGHT} num_prims:I first_prim_id:I smoothing_groups:I",
    "FACE_32_V2": f"{FACE_32} styles:4B unknown:i {FACE_LIGHT} num_prims:I first_prim_id:I smoothing_groups:I",
    "FACE_32_V2_STYLES_LAST": (
        f"{FACE_32} unknown:i styles:4B {FACE_LIGHT} num_prims:I first_prim_id:I smoothing_groups:I"
    ),
    "FACE_STRATA": f"{FACE_32} styles:4B {FACE_LIGHT} shadows_num_prims:I first_prim_id:I smoothing_groups:I",
    "FACEID": "hammer_face_id:H",
    "FACEID_32": "hammer_face_id:I",
    "FACE_MACRO_TEXTURE_INFO": "macro_texture_name_id:H",
    "FACEBRUSH": "brush:H",
    "FACEBRUSH_32": "brush:I",
    "FACEBRUSHLIST": "count:H start:H",
    "FACEBRUSHLIST_32": "count:I start:I",
    "PRIMITIVE": "type:B :x first_index:H index_count:H first_vert:H vert_count:H",
    "PRIMITIVE_32": "type:B :3x first_index:I index_count:I first_vert:I vert_count:I",
    "PRIMVERT": "pos:3f",
    "PRIMINDEX": "index:H",
    "PRIMINDEX_32": "index:I",
    "VERTNORMAL": "normal:3f",
    "VERTNORMALINDEX": "normal:H",
    "VERTNORMALINDEX_32": "normal:I",
    "BRUSH": "firstside:i numsides:i contents:I",
    "BRUSHSIDE": "planenum:H texinfo:h dispinfo:h bevel:B thin:B",
    "BRUSHSIDE_32": "planenum:I texinfo:i dispinfo:i bevel:i",
    "BRUSHSIDE_STRATA": "planenum:I texinfo:i dispinfo:i bevel:B thin:B :2x",
    "MODEL": "mins:3f maxs:3f origin:3f headnode:i firstface:i numfaces:i",
    "MODEL_52": "mins:3f maxs:3f origin:3f unknown:i headnode:i firstface:i numfaces:i",
    "TEXINFO": "texture_vecs:8f lightmap_vecs:8f flags:I texdata:i",
    "TEXINFO_96": "texture_vecs:8f lightmap_vecs:8f :24x flags:I texdata:i",
    "TEXDATA": "reflectivity:3f name_string_table_id:i width:i height:i view_width:i view_height:i",
    "TEXDATA_STRING": "offset:i",
    "NODE": "planenum:i children:2i mins:3h maxs:3h firstface:H numfaces:H area:h :2x",
    "NODE_32": "planenum:i children:2i mins:3i maxs:3i firstface:I numfaces:I area:h :2x",
    "NODE_FLOAT": "planenum:i children:2i mins:3f maxs:3f firstface:I numfaces:I area:h :2x",
    "LEAF": f"{LEAF_16} :2x",
    "LEAF_AMBIENT": f"{LEAF_16} cube:6{RGBE} :2x",
    "LEAF_32": f"contents:I cluster:i area_flags:I mins:3i maxs:3i {LEAF_LISTS_32}",
    "LEAF_FLOAT": f"contents:I cluster:i area_flags:I mins:3f maxs:3f {LEAF_LISTS_32}",
    "LEAFFACE": "face:H",
    "LEAFFACE_32": "face:I",
    "LEAFBRUSH": "brush:H",
    "LEAFBRUSH_32": "brush:I",
    "LEAFMINDISTTOWATER": "distance:H",
    "LEAFWATERDATA": "surface_z:f min_z:f surface_texinfo:h :2x",
    "LEAFWATERDATA_32": "surface_z:f min_z:f surface_texinfo:i",
    "AREA": "numareaportals:i firstareaportal:i",
    "AREAPORTAL": "portal_key:H otherarea:H first_clip_portal_vert:H clip_portal_verts:H planenum:i",
    "AREAPORTAL_32": "portal_key:I otherarea:I first_clip_portal_vert:I clip_portal_verts:I planenum:i",
    "CLIPPORTALVERT": "point:3f",
    "CUBEMAP": "origin:3i size:B :3x",
    "PORTAL": "firstportalvert:i numportalverts:i planenum:i clusters:2H",
    "CLUSTER": "firstportal:i numportals:i",
    "PORTALVERT": "vertex:H",
    "CLUSTERPORTAL": "portal:H",
    "PROPCOLLISION": "hull_count:i hull_start:i",
    "PROPHULL": "vert_count:i vert_start:i surface_prop:i contents:I",
    "PROPHULLVERT": "point:3f",
    "PROPHULLTRIS": "index_start:i index_count:i",
    "OCCLUDER": "flags:i firstpoly:i polycount:i mins:3f maxs:3f",
    "OCCLUDER_V2": "flags:i firstpoly:i polycount:i mins:3f maxs:3f area:i",
    "OCCLUDER_POLY": "firstvertexindex:i vertexcount:i planenum:i",
    "OCCLUDER_VERTEX": "vertex:i",
    "DISPINFO": f"{DISP_START} {DISP_SHAPE} map_face:H :2x {DISP_LIGHT} {DISP_16}",
    "DISPINFO_17": f"start_position:3f disp_vert_start:i {DISP_SHAPE} map_face:H :2x {DISP_LIGHT} {DISP_16}",
    "DISPINFO_22": (f"{DISP_START} {DISP_SHAPE} map_face:H :2x {DISP_LIGHT} unknown:i {DISP_16}"),
    "DISPINFO_23": (f"{DISP_START} {DISP_SHAPE} unknown_contents:i map_face:H :2x {DISP_LIGHT} unknown:i {DISP_16}"),
    "DISPINFO_STRATA": f"{DISP_START} {DISP_SHAPE} map_face:I {DISP_LIGHT} {DISP_32}",
    "DISPINFO_32": (f"{DISP_START} power:i smoothing_angle:f min_tess:I contents:I map_face:I {DISP_LIGHT} {DISP_32}"),
    "DISPVERT": "vec:3f dist:f alpha:f",
    "DISPTRI": "tags:H",
    "DISPLIGHTMAPALPHA": "alpha:B",
    "DISPLIGHTMAPSAMPLEPOSITION": "value:B",
    "DISPMULTIBLEND": "multiblend:4f alphablend:4f colors:12f",
    "WORLDLIGHT": f"origin:3f intensity:3f normal:3f cluster:i type:i {LIGHT}",
    "WORLDLIGHT_V1": f"origin:3f intensity:3f normal:3f shadow_cast_offset:3f cluster:i type:i {LIGHT}",
    "WORLDLIGHT_V2": f"origin:3f intensity:3f normal:3f shadow_cast_offset:3f cluster:i type:i mode:B :3x {LIGHT}",
    "LEAF_AMBIENT_LIGHTING": f"cube:6{RGBE} x:B y:B z:B :x",
    "LEAF_AMBIENT_CUBE": f"cube:6{RGBE}",
    "LEAF_AMBIENT_INDEX": "count:H first:H",
    "LEAF_AMBIENT_INDEX_32": "count:I first:I",
    "LIGHTMAP_PAGE": f"pixels:32768B palette:256{RGBE}",
    "LIGHTMAP_PAGE_INFO": f"page:B offset:2B :x average:{RGBE}",
    "MAP_FLAGS": "flags:I",
    "OVERLAY": f"id:i texinfo:h face_count_and_render_order:H faces:64i {OVERLAY_SHAPE}",
    "OVERLAY_23": f"id:i texinfo:h face_count_and_render_order:H faces:64i {OVERLAY_SHAPE} unknown:i",
    "OVERLAY_32": f"id:i texinfo:i face_count_and_render_order:H :2x faces:64i {OVERLAY_SHAPE}",
    "OVERLAY_32_TINT": f"id:i texinfo:i face_count_and_render_order:H :2x faces:64i {OVERLAY_SHAPE} tint:4B",
    "WATEROVERLAY": f"id:i texinfo:h face_count_and_render_order:H faces:256i {OVERLAY_SHAPE}",
    "WATEROVERLAY_32": f"id:i texinfo:i face_count_and_render_order:H :2x faces:256i {OVERLAY_SHAPE}",
    "OVERLAY_V3": (
        "id:i texinfo:i flags:H render_order:H face_offset:i face_count:i u:2f v:2f uv_points:8f basis_u:3f origin:3f "
        "basis_normal:3f tint:4B"
    ),
    "OVERLAY_FADE": "fade_dist_min_sq:f fade_dist_max_sq:f",
    "OVERLAY_SYSTEM_LEVEL": "min_cpu_level:B max_cpu_level:B min_gpu_level:B max_gpu_level:B",
    "PROP_V4": PROP,
    "PROP_V5": f"{PROP} forced_fade_scale:f",
    "PROP_V5_TARGETNAME": f"{PROP} forced_fade_scale:f :128x",
    "PROP_V6": f"{PROP} forced_fade_scale:f min_dx_level:H max_dx_level:H",
    "PROP_V6_TARGETNAME": f"{PROP} forced_fade_scale:f min_dx_level:H max_dx_level:H :128x",
    "PROP_V6_136": f"{PROP} forced_fade_scale:f min_dx_level:H max_dx_level:H :72x",
    "PROP_V7_COLOR": f"{PROP} forced_fade_scale:f min_dx_level:H max_dx_level:H diffuse_modulation:4B",
    "PROP_SDK2013": PROP_2013,
    "PROP_SDK2013_COLOR": f"{PROP_2013} diffuse_modulation:4B",
    "PROP_SDK2013_COLOR_EX": f"{PROP_2013} diffuse_modulation:4B flags_ex:I",
    "PROP_V8": PROP_8,
    "PROP_V9": f"{PROP_8} disable_x360:B :3x",
    "PROP_V9_76": (
        "origin:3f angles:3f prop_type:H first_leaf:H leaf_count:H solid:B flags:B :4x skin:i fade_min_dist:f "
        "fade_max_dist:f unknown_origin:3f forced_fade_scale:f min_cpu_level:B max_cpu_level:B min_gpu_level:B "
        "max_gpu_level:B disable_x360:B diffuse_modulation:4B :3x"
    ),
    "PROP_V10": PROP_10,
    "PROP_V11": f"{PROP_10} uniform_scale:f",
    "PROP_V13": f"{PROP_10} scale:3f",
    "PROP_LEAF": "leaf:H",
    "PROP_LEAF_32": "leaf:I",
    "PROP_SCALE": "prop:i scale:3f",
    "DETAIL_SPRITE": "ul:2f lr:2f tex_ul:2f tex_lr:2f",
    "DETAIL_V4": (f"{DETAIL} sway_amount:B shape_angle:B shape_size:B orientation:B :3x type:B :3x scale:f"),
    "DETAIL_V2": f"{DETAIL} :3x",
    "COLOR_VARIABLE": ":64x",
    "DETAIL_LIGHTSTYLE": f"lighting:{RGBE} style:B",
}


def formats(spec: str) -> list[tuple[str, str]]:
    """The names and struct formats of a record's fields, groups written out."""
    fields = []
    for field in spec.split():
        name, form = field.split(":")
        grouped = re.fullmatch(r"(\d*)\((.*)\)", form)
        fields.append((name, grouped[2] * int(grouped[1] or 1) if grouped else form))
    return fields


def values(form: str, start: "count[int]") -> list[int]:
    """As many different small values as a format takes; they fit a signed byte."""
    length = len(struct.unpack("<" + form, bytes(struct.calcsize("<" + form))))
    return [next(start) % 127 + 1 for _ in range(length)]


def sample(spec: str, seed: int = 0, **given: Value) -> dict[str, list[int | float]]:
    """The values of all fields by name: those given, or counted up from `seed`."""
    start = count(seed)
    made: dict[str, list[int | float]] = {}
    for name, form in formats(spec):
        if name:
            value = given.get(name)
            made[name] = (
                values(form, start) if value is None else [value] if isinstance(value, int | float) else [*value]
            )
    return made


def pack(spec: str, made: dict[str, list[int | float]], byte_order: str = "<", junk: int = 0xCD) -> bytes:
    """A record's bytes; pads are filled with `junk`."""
    parts = []
    for name, form in formats(spec):
        if name:
            parts.append(struct.pack(byte_order + form, *made[name]))
        else:
            parts.append(bytes([junk]) * struct.calcsize("<" + form))
    return b"".join(parts)


def record(name: str, seed: int = 0, byte_order: str = "<", **given: Value) -> bytes:
    """One record of RECORDS."""
    return pack(RECORDS[name], sample(RECORDS[name], seed, **given), byte_order)


def records(name: str, number: int, byte_order: str = "<", **given: Value) -> bytes:
    """Several records of RECORDS, with other values in each."""
    return b"".join(record(name, 7 * each, byte_order, **given) for each in range(number))
