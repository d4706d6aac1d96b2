# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of edits of an NS2 level, kind by kind: see `scene.fates.ledger`. What isn't named here is told by name.

What is written is read by a step of the export, which writes it, refuses it, or speaks of it.
"""

from __future__ import annotations

from ...formats.ns2.records import MASK_WORDS
from ..scene.fates.aspects import GONE
from ..scene.fates.ledger import COPIED, DELETED, KEPT, WRITTEN, Fates, aside, follows, read_only, unset, written
from ..scene.geometry.loose import LOOSE
from ..scene.kept import identity
from . import layout

_PLACE = ("location", "rotation", "scale", "delta transform", "parent", "constraints", COPIED, DELETED)
_SHAPE = ("vertices", "faces", "shape keys", "modifiers", "materials", "materials of faces", "smooth shading")
_OF_FACES = (layout.UV, layout.BRIDGE, layout.MAPPING_GROUP, layout.VERTEX_GROUP, layout.EDGE_GROUP, layout.FACE_GROUP)
_LIGHT = ("color", "energy", "type", "cutoff distance", "use shadow", "specular factor")
_CAMERA = ("angle", "angle x", "angle y", "lens", "lens unit", "sensor width", "sensor height", "sensor fit")
_SPEAKER = ("volume", "distance reference", "distance max", "pitch")
_MODEL_FILE = read_only("a level has only the path of a prop's model, or the scale of a box")
_NAME_COUNTS = aside("without it the material's name counts")
_MATERIAL_FILE = read_only("a level has only a material's path: the material itself is a file")
_NO_SETTING = read_only("entities have no such setting")
_IN_SIDEBAR = read_only("the sidebar's lists say which layers and groups there are")


FATES: Fates = {
    "*": {
        "animation": unset(read_only("a level has what is seen in the current frame, and nothing that moves")),
        "vertex groups": unset(aside("they are for Blender alone")),
        "instancing": unset(read_only("a level has no instances of collections")),
        LOOSE: WRITTEN,
    },
    identity.LEVEL: {
        **written("property *", "list *"),
        f"{GONE}*": KEPT,
        **dict.fromkeys(
            (
                f"list ns2 {switch}"
                for switch in ("hide undrawn", "show all", "commander", "layers: solo", "groups: solo")
            ),
            aside("it is how Blender displays it"),
        ),
        "list ns2 groups: pathing": aside("only layers have it"),
    },
    layout.VIEWPORTS: {**written("text"), DELETED: read_only("the level's views stay as they were")},
    layout.GEOMETRY: {
        **written(_PLACE, _SHAPE),
        **written(f"attribute {name}" for name in _OF_FACES),
        **written(f"attribute {layout.LAYERS}{word}" for word in range(MASK_WORDS)),
        **dict.fromkeys(
            (f"attribute {name}" for name in layout.TEXTURES), aside("new faces lie so while their UVs agree")
        ),
        f"attribute {layout.HIDDEN}": WRITTEN,  # by the lists: `visibility.tell_edits`
        "custom normals": follows("smooth and hard edges"),
    },
    layout.ENTITY: {
        **written(_PLACE, _SHAPE, "property *", "display size", f"attribute {layout.UV}", "custom normals"),
        f"{GONE}{layout.CLASS}": KEPT,
        **written("name", "data", "color"),  # `entities.names` tells of them
        **written(f"light {name}" for name in (*_LIGHT, "spot size", "spot blend")),
        "light use custom distance": read_only("a level's lights always have a distance"),
        "light shadow soft size": read_only("a level's lights are points"),
        **written(f"camera {name}" for name in _CAMERA),
        **written(f"speaker {name}" for name in _SPEAKER),
        **dict.fromkeys(("light *", "speaker *"), unset(_NO_SETTING)),
        "camera *": _NO_SETTING,
        "attribute *": unset(_MODEL_FILE),
    },
    **{kind: written("name", DELETED) for kind in (layout.LAYER, layout.GROUP)},  # the lists count: the export says so
    **{kind: {DELETED: _IN_SIDEBAR} for kind in (layout.LAYER_HOMES, layout.GROUP_HOMES, layout.ENTITIES)},
    layout.MATERIAL_KIND: {
        **written("name", f"property {layout.MATERIAL}"),
        f"{GONE}*": _NAME_COUNTS,
        "nodes": _MATERIAL_FILE,
    },
}
"""What the export of a level reads, and why it doesn't read other things."""
