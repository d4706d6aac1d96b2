# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of models (`.mdl`): those of versions 44 to 49, and those of Bloodlines (2531), which has its vertices there.

Layouts: `studio.h` of the Source SDK (studiohdr_t and what it refers to); of 2531 what public descriptions of it say
(those of Crowbar and of Bloodlines' modders), held against five models of a mod.
"""

from dataclasses import dataclass

import numpy as np

from ..records import VECTOR, Dtype, record


@dataclass(frozen=True, slots=True)
class MdlLayout:
    """The records of a model: fields of one name mean the same in both."""

    header: Dtype
    texture: Dtype
    sub_model: Dtype
    mesh: Dtype
    eyeball: Dtype
    bone: Dtype
    has_vertices: bool
    """Whether its vertices are in the `.mdl`."""


_BOUNDS = (
    ("eye_position", VECTOR),
    ("illumination_position", VECTOR),
    ("hull_min", VECTOR),
    ("hull_max", VECTOR),
    ("view_min", VECTOR),
    ("view_max", VECTOR),
    ("flags", "<i4"),
)
_BONES = (("bone_count", "<i4"), ("bone_offset", "<i4"))
_TEXTURES = (
    ("texture_count", "<i4"),
    ("texture_offset", "<i4"),
    ("folder_count", "<i4"),
    ("folder_offset", "<i4"),
    ("skin_width", "<i4"),  # textures of a skin
    ("skin_count", "<i4"),
    ("skin_offset", "<i4"),
    ("part_count", "<i4"),
    ("part_offset", "<i4"),
)
_MODEL = (
    ("type", "<i4"),
    ("radius", "<f4"),
    ("count", "<i4"),  # meshes
    ("offset", "<i4"),
    ("vertex_count", "<i4"),
    ("vertex_start", "<i4"),  # in bytes: of the vertices in the .vvd, or from this record on
    ("tangent_start", "<i4"),
)
_MESH = (
    ("material", "<i4"),  # a column of the skins
    ("model_offset", "<i4"),
    ("vertex_count", "<i4"),
    ("vertex_start", "<i4"),  # of the model's
    ("flexes", "<i4", 2),
    ("kind", "<i4"),  # 1: an eye
    ("parameter", "<i4"),  # which of the model's eyes
)
_EYEBALL = (
    ("name_offset", "<i4"),
    ("bone", "<i4"),
    ("origin", VECTOR),  # in the bone's space, as what follows
    ("z_offset", "<f4"),
    ("radius", "<f4"),
    ("up", VECTOR),
    ("forward", VECTOR),
    ("texture", "<i4"),
    ("unused", "<i4"),  # Bloodlines: the iris' texture
    ("iris_scale", "<f4"),
)
BODY_PART = record(("name_offset", "<i4"), ("count", "<i4"), ("base", "<i4"), ("offset", "<i4"), size=16)  # models
STANDARD = MdlLayout(
    header=record(
        ("id", "S4"),
        ("version", "<i4"),
        ("checksum", "<i4"),
        ("name", "V64"),
        ("length", "<i4"),
        *_BOUNDS,
        *_BONES,
        ("animation", "<i4", 10),  # hit boxes, sequences
        *_TEXTURES,
        size=240,
    ),
    texture=record(("name_offset", "<i4"), ("flags", "<i4"), ("used", "<i4"), ("rest", "V52"), size=64),
    sub_model=record(
        ("name", "V64"),
        *_MODEL,
        ("attachments", "<i4", 2),
        ("eyeball_count", "<i4"),
        ("eyeball_offset", "<i4"),
        ("rest", "V40"),
        size=148,
    ),
    mesh=record(*_MESH, ("rest", "V84"), size=116),
    eyeball=record(*_EYEBALL, ("rest", "V108"), size=172),
    bone=record(("rest", "V96"), ("pose_to_bone", "<f4", (3, 4)), ("more", "V72"), size=216),
    has_vertices=False,
)
TROIKA = MdlLayout(
    header=record(
        ("id", "S4"),
        ("version", "<i4"),
        ("checksum", "<i4"),
        ("name", "V128"),
        ("length", "<i4"),
        ("halves", VECTOR),
        *_BOUNDS,
        ("more", "V8"),
        *_BONES,
        ("animation", "<i4", 11),
        *_TEXTURES,
        size=328,
    ),
    texture=record(("name_offset", "<i4"), ("rest", "V16"), size=20),
    sub_model=record(
        ("name", "V128"),
        *_MODEL,
        ("vertex_form", "<i4"),
        ("low", VECTOR),  # of vertices in a small form: the least coordinates, and how much a step is
        ("step", VECTOR),
        ("attachments", "<i4", 2),
        ("eyeball_count", "<i4"),
        ("eyeball_offset", "<i4"),
        ("rest", "V24"),
        size=224,
    ),
    mesh=record(*_MESH, ("rest", "V28"), size=60),
    eyeball=record(*_EYEBALL, ("rest", "V76"), size=140),
    bone=record(("rest", "V88"), ("pose_to_bone", "<f4", (3, 4)), ("more", "V24"), size=160),
    has_vertices=True,
)
LAYOUTS = {**dict.fromkeys(range(44, 50), STANDARD), 2531: TROIKA}
"""By version."""

#: A vertex as all forms of it are given.
POINT = np.dtype([("position", "<f4", 3), ("normal", "<f4", 3), ("uv", "<f4", 2)])
