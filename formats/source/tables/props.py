# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of static and detail props, which are in game lumps, and of props' hulls (source.md §2.8).

The fields of static props by their version and measured size; one version may have several sizes. Angles are degrees:
pitch, yaw and roll about y, z and x.
"""

from ..records import RGBA, RGBE, VECTOR, Dtype, Fields, record

NAME_SIZE = 128  # bytes of a name in a dictionary
NAME = record(("name", f"V{NAME_SIZE}"), size=NAME_SIZE)  # ends at a NUL; junk may stand behind it

# ------------------------------------------------------------------------------------------------------- static props


def _v4(flags: str) -> Fields:
    """What all versions begin with: 56 bytes. `flags`: the name of the byte that later versions do not use."""
    return (
        ("origin", VECTOR),
        ("angles", VECTOR),
        ("prop_type", "<u2"),  # of the dictionary
        ("first_leaf", "<u2"),  # of the leaf list
        ("leaf_count", "<u2"),
        ("solid", "u1"),  # Solidity
        (flags, "u1"),
        ("skin", "<i4"),
        ("fade_min_dist", "<f4"),
        ("fade_max_dist", "<f4"),
        ("lighting_origin", VECTOR),
    )


_V4 = _v4("flags")
_V5 = (*_V4, ("forced_fade_scale", "<f4"))
_DX: Fields = (("min_dx_level", "<u2"), ("max_dx_level", "<u2"))
_V6 = (*_V5, *_DX)
_LEVELS: Fields = (
    ("min_cpu_level", "u1"),
    ("max_cpu_level", "u1"),
    ("min_gpu_level", "u1"),
    ("max_gpu_level", "u1"),
)
_COLOR: Fields = (("diffuse_modulation", RGBA),)
_V8 = (*_V5, *_LEVELS, *_COLOR)
_V9 = (*_V8, ("disable_x360", "u1"), ("pad", "V3"))  # junk in the pad
_V10 = (*_V9, ("flags_ex", "<u4"))  # StaticPropFlagEx

#: The SDK of 2013: the flags have moved behind, and in their old byte stands whatever lay in the compiler's memory.
_SDK2013: Fields = (
    *_v4("unused"),
    ("forced_fade_scale", "<f4"),
    *_DX,
    ("flags", "<u4"),
    ("lightmap_res_x", "<u2"),
    ("lightmap_res_y", "<u2"),
)
_TARGETNAME: Fields = (("targetname", "V128"),)

PROP_V4 = record(*_V4, size=56)
PROP_V5 = record(*_V5, size=60)
PROP_V5_TARGETNAME = record(*_V5, *_TARGETNAME, size=188)  # The Ship
PROP_V6 = record(*_V6, size=64)
PROP_V6_TARGETNAME = record(*_V6, *_TARGETNAME, size=192)  # Bloody Good Time
PROP_V6_136 = record(*_V6, ("unknown", "V72"), size=136)  # Dark Messiah
PROP_V7_COLOR = record(*_V6, *_COLOR, size=68)  # Left 4 Dead; of Zeno Clash, which means something else, too
PROP_SDK2013 = record(*_SDK2013, size=72)
PROP_SDK2013_COLOR = record(*_SDK2013, *_COLOR, size=76)  # Black Mesa
PROP_SDK2013_COLOR_EX = record(*_SDK2013, *_COLOR, ("flags_ex", "<u4"), size=80)
PROP_V8 = record(*_V8, size=68)
PROP_V9 = record(*_V9, size=72)
PROP_V9_76 = record(  # Dear Esther: its lighting origin is none
    *_V4[:7],
    ("unknown", "V4"),
    ("skin", "<i4"),
    ("fade_min_dist", "<f4"),
    ("fade_max_dist", "<f4"),
    ("unknown_origin", VECTOR),
    ("forced_fade_scale", "<f4"),
    *_LEVELS,
    ("disable_x360", "u1"),
    *_COLOR,
    ("pad", "V3"),
    size=76,
)
PROP_V10 = record(*_V10, size=76)
PROP_V11 = record(*_V10, ("uniform_scale", "<f4"), size=80)
PROP_V13 = record(*_V10, ("scale", VECTOR), size=88)  # Strata

#: Version and size -> record. The two of 80 bytes are told apart by the map's version: v20 is the SDK of 2013.
STATIC_PROPS: dict[tuple[int, int], Dtype] = {
    (4, 56): PROP_V4,
    (5, 60): PROP_V5,
    (5, 188): PROP_V5_TARGETNAME,
    (6, 60): PROP_V5,  # Vindictus, with a list of scales
    (6, 64): PROP_V6,
    (6, 136): PROP_V6_136,
    (6, 192): PROP_V6_TARGETNAME,
    (7, 64): PROP_V6,  # Vindictus, with a list of scales
    (7, 68): PROP_V7_COLOR,
    (7, 72): PROP_SDK2013,
    (8, 68): PROP_V8,
    (9, 72): PROP_V9,
    (9, 76): PROP_V9_76,
    (10, 72): PROP_SDK2013,
    (10, 76): PROP_V10,
    (11, 76): PROP_SDK2013_COLOR,
    (11, 80): PROP_V11,
    (12, 80): PROP_V11,
    (13, 88): PROP_V13,
}

#: Version -> size, where there are no props to measure; version 10 has 72 bytes up to v20.
USUAL_SIZES = {4: 56, 5: 60, 6: 64, 7: 68, 8: 68, 9: 72, 10: 76, 11: 80, 12: 80, 13: 88}

PROP_LEAF = record(("leaf", "<u2"), size=2)
PROP_LEAF_32 = record(("leaf", "<u4"), size=4)  # from version 12 on
#: Vindictus: props that are scaled.
PROP_SCALE = record(("prop", "<i4"), ("scale", VECTOR), size=16)

#: From Left 4 Dead 2 on (`public/bspfile.h` of Alien Swarm's branch), the lumps 22 to 25: the hulls of one thing,
PROPCOLLISION = record(("hull_count", "<i4"), ("hull_start", "<i4"), size=8)
#: a hull,
PROPHULL = record(("vert_count", "<i4"), ("vert_start", "<i4"), ("surface_prop", "<i4"), ("contents", "<u4"), size=16)
PROPHULLVERT = record(("point", VECTOR), size=12)
#: and its triangles' piece of the lump PROP_BLOB, of which no more is known.
PROPHULLTRIS = record(("index_start", "<i4"), ("index_count", "<i4"), size=8)

# ------------------------------------------------------------------------------------------------------- detail props

DETAIL_SPRITE = record(
    ("ul", "<f4", 2),  # upper left and lower right corner, in units from its origin
    ("lr", "<f4", 2),
    ("tex_ul", "<f4", 2),  # of the material detail/detailsprites
    ("tex_lr", "<f4", 2),
    size=32,
)
_DETAIL = (
    ("origin", VECTOR),
    ("angles", VECTOR),
    ("detail_model", "<u2"),  # of the models, or of the sprites
    ("leaf", "<u2"),
    ("lighting", RGBE),
    ("light_styles", "<u4"),  # first of the lightstyles lump
    ("light_style_count", "u1"),
)
DETAIL_V4 = record(
    *_DETAIL,
    ("sway_amount", "u1"),
    ("shape_angle", "u1"),
    ("shape_size", "u1"),
    ("orientation", "u1"),  # 0 normal, 1 turns to the screen, 2 turns to it about z
    ("pad_2", "V3"),  # junk in both
    ("type", "u1"),  # 0 model, 1 sprite, 2 cross, 3 tri
    ("pad_3", "V3"),
    ("scale", "<f4"),  # of sprites
    size=52,
)
#: Bloodlines: models alone.
DETAIL_V2 = record(*_DETAIL, ("pad", "V3"), size=40)

#: Of `dplt` (LDR) and `dplh` (HDR).
DETAIL_LIGHTSTYLE = record(("lighting", RGBE), ("style", "u1"), size=5)

#: Strata, `clvr`: the name of a colour; ends at a NUL.
COLOR_VARIABLE = record(("name", "V64"), size=64)
