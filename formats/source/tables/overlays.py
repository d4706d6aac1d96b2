# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of overlays (source.md §2.7, §2.9)."""

from ..records import RGBA, VECTOR, Dtype, Field, Fields, record

FACE_COUNT = 64  # slots for an overlay's faces
WATER_FACE_COUNT = 256

_SHORT_ID: Fields = (("id", "<i4"), ("texinfo", "<i2"), ("face_count_and_render_order", "<u2"))
_LONG_ID: Fields = (("id", "<i4"), ("texinfo", "<i4"), ("face_count_and_render_order", "<u2"), ("pad", "V2"))


def _overlay(head: Fields, faces: int, *tail: Field, size: int) -> Dtype:
    return record(
        *head,  # face count: 14 bits; render order: 2
        ("faces", "<i4", faces),  # unused slots are 0
        ("u", "<f4", 2),
        ("v", "<f4", 2),
        ("uv_points", VECTOR, 4),  # corners on the basis; z of the first three: basis U; z of the last 1: V is flipped
        ("origin", VECTOR),
        ("basis_normal", VECTOR),
        *tail,
        size=size,
    )


OVERLAY = _overlay(_SHORT_ID, FACE_COUNT, size=352)
#: Dota 2's beta.
OVERLAY_23 = _overlay(_SHORT_ID, FACE_COUNT, ("unknown", "<i4"), size=356)
#: Strata, lump version 1; and Vindictus, whose word for face count and render order is a long one.
OVERLAY_32 = _overlay(_LONG_ID, FACE_COUNT, size=356)
#: Strata, lump version 2.
OVERLAY_32_TINT = _overlay(_LONG_ID, FACE_COUNT, ("tint", RGBA), size=360)
WATEROVERLAY = _overlay(_SHORT_ID, WATER_FACE_COUNT, size=1120)
WATEROVERLAY_32 = _overlay(_LONG_ID, WATER_FACE_COUNT, size=1124)

#: Strata, lump version 3: behind the counts of overlays and faces, and the faces (`overlay_lists`).
OVERLAY_V3 = record(
    ("id", "<i4"),
    ("texinfo", "<i4"),
    ("flags", "<u2"),  # 1: basis V is flipped; 2: the tint is the number of a colour variable
    ("render_order", "<u2"),
    ("face_offset", "<i4"),
    ("face_count", "<i4"),
    ("u", "<f4", 2),
    ("v", "<f4", 2),
    ("uv_points", "<f4", (4, 2)),
    ("basis_u", VECTOR),
    ("origin", VECTOR),
    ("basis_normal", VECTOR),
    ("tint", RGBA),
    size=108,
)

OVERLAY_FADE = record(("fade_dist_min_sq", "<f4"), ("fade_dist_max_sq", "<f4"), size=8)  # one an overlay
#: Left 4 Dead: one an overlay; what a machine must have to show it.
OVERLAY_SYSTEM_LEVEL = record(
    ("min_cpu_level", "u1"), ("max_cpu_level", "u1"), ("min_gpu_level", "u1"), ("max_gpu_level", "u1"), size=4
)
