# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of edits of a Genesis3D level, kind by kind: see `fates.ledger`. What isn't named here is told by name.

What is written is read by a step of the export, which writes it, refuses it, or speaks of it.
"""

from __future__ import annotations

from ..scene.fates.aspects import GONE
from ..scene.fates.ledger import COPIED, DELETED, Fate, Fates, aside, follows, read_only, unset, written
from ..scene.fields import properties
from . import layout


def _properties(*classes: type) -> dict[str, Fate]:
    return written(f"property {each.name}" for cls in classes for each in properties.fields(cls))


_PLACE = ("location", "rotation", "scale", "delta transform", "parent", "constraints", "modifiers")
_OBJECT = (*_PLACE, COPIED, DELETED)
_SHAPE = ("vertices", "faces", "shape keys", "materials", "materials of faces", f"attribute {layout.UV}")
_FACES = (*layout.FACE_FIELDS, *layout.MAP_FIELDS, *layout.EDITOR_FIELDS, layout.BRUSH_FLAGS)
_LIGHT = ("type", "color", "energy", "cutoff distance", "spot size")
_SET = tuple(
    f"light {name}"
    for name in ("use custom distance", "shadow soft size", "spot blend", "angle", "diffuse factor", "specular factor")
)
"""What the import sets of lights, the same for all."""
_PLANES = unset(read_only("brushes have planes alone, and are lit as the flags of their faces say"))
_DISPLAY = unset(aside("it is how Blender displays it"))
_KEYS = read_only("it moves by the keys of its action alone")
_SORTS = {"*": aside("it only sorts what is in it")}
_BRUSH: dict[str, Fate] = {
    **written(_OBJECT, _SHAPE),
    **written(f"attribute {name}" for name in _FACES),
    **_properties(layout.EditorBrushProperties),
    **written(f"property {layout.ORDER}"),
    **written("smooth shading"),
    "custom normals": _PLANES,
    "color": _DISPLAY,
    "display size": aside("it is how Blender displays it"),  # of hollow brushes, which are empties
    "attribute *": unset(read_only("a level has no such thing of faces")),
    "property *": unset(read_only("a brush has no such thing")),
}

_COMPILED = "a compiled level's shapes and light are what the compiler made of its brushes"
_SURFACES: dict[str, Fate] = {
    **written(_OBJECT, _SHAPE),
    **written(f"attribute {name}" for name in (*layout.FACE_FIELDS, *layout.MAP_FIELDS, layout.VERTEX_LIGHT)),
    f"attribute {layout.LIGHTMAP_UV}": follows("how the texture lies"),
    **{f"attribute {name}": read_only(_COMPILED) for name in layout.LIGHT_TYPES},
    "smooth shading": read_only(_COMPILED),
    "custom normals": unset(read_only(_COMPILED)),
    **dict.fromkeys(("color", "display size"), _DISPLAY),
    "attribute *": unset(read_only("a level has no such thing of faces")),
    "property *": unset(read_only("a compiled level has no such thing of faces")),
}
_IMAGE: dict[str, Fate] = {**written("pixels"), "color space": read_only("the file's numbers are what they are")}

FATES: Fates = {
    "*": {
        "animation": unset(read_only("what moves in a level is a world model, by its motion")),
        "vertex groups": unset(aside("they are for Blender alone")),
        "instancing": unset(read_only("levels have no instances of collections")),
    },
    layout.WORLD: _SORTS,
    layout.MODELS: _SORTS,
    layout.MODEL_COLLECTION: _SORTS,
    layout.ENTITIES: _SORTS,
    "level": written("property *"),
    layout.GROUP: {**_properties(layout.GroupProperties), **written(COPIED, DELETED)},
    layout.BRUSH: _BRUSH,
    layout.BRUSHES: {**_BRUSH, f"attribute {layout.BRUSH}": follows("which brush a face was imported as")},
    layout.SURFACES: _SURFACES,
    layout.IMAGE: {**_IMAGE, DELETED: read_only("the level keeps a texture without its image")},
    layout.LIGHTMAP: {**_IMAGE, DELETED: read_only("the level keeps its light without its image")},
    layout.BAKED_LIGHT: {"*": aside("it shows the level's light, which Bake Lightmaps and painting edit")},
    layout.MODEL: {**written(_OBJECT), **_properties(layout.EditorModelProperties)},
    layout.MOTION: {
        **written("animation", "keys", "location", COPIED, DELETED),
        **_properties(layout.MotionProperties),
        **dict.fromkeys(("rotation", "scale", "delta transform", "parent", "constraints"), _KEYS),
    },
    layout.ENTITY: {
        **written(_OBJECT, "property *"),
        **written(f"light {name}" for name in _LIGHT),
        "scale": unset(read_only("an entity is a point")),
        "color": _DISPLAY,
        "materials": unset(read_only("an entity has no material")),
        **dict.fromkeys(_SET, read_only("no key of an entity says so")),
        "light *": unset(read_only("no key of an entity says so")),
    },
    layout.MATERIAL: {
        **written("name", f"property {layout.TEXTURE}"),
        f"{GONE}*": aside("without it the material's name counts"),
        f"property {layout.TEXTURE_SIZE}": aside("it only says what UVs are in texels"),
        "nodes": read_only("a level has the name of a texture alone: its picture is in the library"),
    },
    layout.TYPEDEFS: {**written("text"), DELETED: read_only("a level keeps its definitions without this text")},
    layout.SETTINGS: {**written("text"), DELETED: read_only("a level keeps its settings without this text")},
}
