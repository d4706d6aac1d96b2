# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of edits of a Source map, kind by kind: see `scene.fates.ledger`. What isn't named here is told by name.

What is written is read by a step of the export, which writes it, refuses it, or speaks of it.
"""

from __future__ import annotations

from dataclasses import fields

from ..scene.fates.aspects import GONE
from ..scene.fates.ledger import (
    COPIED,
    DELETED,
    KEPT,
    UNDECLARED,
    WRITTEN,
    Fate,
    Fates,
    aside,
    follows,
    read_only,
    unset,
    written,
)
from . import layout
from .cubemaps.build import CUBEMAP_SIZE
from .displacements.info import DisplacementProperties
from .lights.build import INTENSITY, LightProperties
from .overlays.build import FADES, ID, LEVELS, ORDER
from .props.build import LIGHTING_ORIGIN, PropProperties

_PLACE = ("location", "rotation", "scale", "delta transform", "parent", "constraints", "modifiers")
_OBJECT = (*_PLACE, COPIED, DELETED)
_SHAPE = ("vertices", "faces", "shape keys", "modifiers")
_SURFACE = (*_SHAPE, "materials", "materials of faces", "smooth shading", "custom normals", "attribute UVMap")
_NUMBERS = tuple(
    f"attribute {name}" for name in (layout.TEXINFO, layout.ORIGINAL_FACE, layout.SMOOTHING_GROUPS, layout.FLAGS)
)
_LIGHT = ("color", "energy", "type", "use custom distance", "cutoff distance", "spot size", "spot blend", "angle")
_CAMERA = ("angle", "lens", "sensor width", "sensor height")
_BAKED = "the map's light, which Bake Lightmaps and painting edit"


def _properties(of: type, *others: str) -> dict[str, Fate]:
    """Those that a class of settings has as fields, and others."""
    return written(f"property {name}" for name in (*(one.name for one in fields(of)), *others))


_STYLES = {f"attribute {name}": follows(_BAKED) for name in layout.LIGHT_STYLES}
_SETTINGS = {"light *": unset(read_only("no key of an entity says so"))}
_NO_NORMALS = read_only("it has the normals of what is beneath it")
_MODEL_FILE = read_only("a map has only the name of its model: edit the model's file")
_OF_MATERIAL = read_only("a map has only a material's name: the material itself is a file, see Files in the Map")
_SHOWS_LIGHT = aside("it only shows the map's light")
_DISPLACEMENT = {
    **written(_OBJECT, _SURFACE),
    **_properties(DisplacementProperties),
    **written(f"attribute {name}" for name in (layout.DISTANCE, layout.DIRECTION, layout.ALPHA, layout.TAGS)),
    **written(f"attribute {name}" for name in layout.BLENDS),
    f"attribute {layout.BORDER}": follows("which vertices of neighbours lie in one place"),
    f"attribute {layout.FACE}": follows("the map's faces"),
    f"attribute {layout.LIGHTMAP_UV}": follows(_BAKED),
}

FATES: Fates = {
    "*": {
        "animation": unset(read_only("a map has what is seen in the current frame, and nothing that moves")),
        "vertex groups": unset(aside("they are for Blender alone")),
        "instancing": unset(read_only("a map has no instances of collections")),
        "color": unset(aside("it is how Blender displays it")),
        "property *": unset(UNDECLARED),
        **_STYLES,
    },
    layout.LEVEL: written("property *"),
    layout.GROUP: written(DELETED),
    layout.MODEL: written(_OBJECT, _SURFACE, _NUMBERS, f"attribute {layout.LIGHTMAP_UV}"),
    layout.ENTITY: {
        **written(_OBJECT, "property *", _SURFACE, _NUMBERS, f"attribute {layout.LIGHTMAP_UV}"),
        **written(f"light {name}" for name in _LIGHT),
        **written(f"camera {name}" for name in _CAMERA),
        **written("speaker volume", "speaker distance max"),
        **_SETTINGS,
        "points": follows("where the entities are that a rope runs between"),
        "color": follows("its keys rendercolor and renderamt"),
    },
    layout.STATIC_PROP: {
        **written(_OBJECT, "vertices", "shape keys", "color"),
        **_properties(PropProperties, LIGHTING_ORIGIN, layout.MODEL_PATH),
        f"{GONE}*": KEPT,
        **dict.fromkeys(("faces", "materials", "materials of faces", "smooth shading", "custom normals"), _MODEL_FILE),
        "attribute *": _MODEL_FILE,
        f"attribute {layout.VERTEX_LIGHT}": read_only("the compiler baked it: the pak's file with it stays as it is"),
    },
    layout.OVERLAY: {
        **written(_OBJECT, _SHAPE, "materials", "materials of faces", "attribute UVMap"),
        **written(f"property {name}" for name in (ID, ORDER, *FADES, *LEVELS)),
        f"{GONE}*": KEPT,
        "smooth shading": _NO_NORMALS,
        "custom normals": _NO_NORMALS,
        f"attribute {layout.LIGHTMAP_UV}": follows("the light of the faces beneath it"),
    },
    layout.CUBEMAP: {
        **written(_OBJECT, f"property {CUBEMAP_SIZE}"),
        "rotation": read_only("a cubemap has a place and a size alone"),
        "scale": read_only("a cubemap has a place and a size alone"),
    },
    layout.WORLDLIGHT: {
        **written(_OBJECT),
        **_properties(LightProperties, INTENSITY),
        **written(f"light {name}" for name in _LIGHT),
        **_SETTINGS,
        f"{GONE}*": KEPT,
    },
    layout.MATERIAL_KIND: {
        "nodes": _OF_MATERIAL,
        "property *": _OF_MATERIAL,
        f"property {layout.MATERIAL}": WRITTEN,
        f"{GONE}*": aside("without it the material's name counts"),
    },
    layout.IMAGE: {**written("pixels", COPIED, DELETED), "color space": _OF_MATERIAL},
    layout.LIGHTMAP: {**written("pixels"), "color space": read_only("light is kept in the map's own form of number")},
    layout.BAKED_LIGHT: {"*": _SHOWS_LIGHT},
    layout.SKY_WORLD: {"*": aside("it only shows the sky that the map names")},
    layout.BRUSHES: {
        **written(_OBJECT, _SHAPE, "materials", "materials of faces", "attribute UVMap"),
        f"attribute {layout.CONTENTS}": WRITTEN,
        f"attribute {layout.SIDE}": follows("the map's brushes"),
        f"attribute {layout.BRUSH}": follows("the map's brushes"),
        "smooth shading": follows("the flat sides that a brush has"),
        "custom normals": _NO_NORMALS,
    },
    layout.DISPLACEMENT: _DISPLACEMENT,
    layout.DISPLACEMENTS: _DISPLACEMENT,
    layout.AREAPORTALS: written(_OBJECT, _SHAPE, "attribute *"),
    layout.OCCLUDERS: written(_OBJECT, _SHAPE, "attribute *"),
    layout.DETAIL_PROP: {"*": read_only()},
    layout.DETAIL_SPRITES: {"*": read_only()},
    layout.WATER_OVERLAY: {"*": read_only()},
    layout.CLUSTERS: {"*": read_only()},
}
