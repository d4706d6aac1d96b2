# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural Selection 2: `.level` files of the Spark editor, and what it copies to the clipboard.

A `Level` has a `mesh`, `entities` (props, lights, everything that is placed), `layers` and `groups`; `viewports`,
`custom_colors` and `editor_settings` are the editor's own. The mesh is tables: `vertices`, `edges`, `faces` with their
loops, `face_layers`, `mapping_groups`, `geometry_groups`, `triangles`. Metres, Y up, right-handed.

    level = read(data)
    for entity in level.entities:
        if entity.class_name == "light_point":
            entity.set("intensity", 2.0)
    data = write(level)

`clipboard` parses and builds what is copied; `as_v10` converts older levels; `cubemap` decodes what reflection probes
have seen; `names` are those that mean something to the game; `flaws` finds faces that overlap or cover nothing;
`entity_classes` knows what entities can be placed, with the defaults of their properties; `editing` shows the mesh as
polygons, and lays edits of those over it.
"""

from . import clipboard, cubemap, flaws, names
from .blank import new_level, new_mesh, new_pathing
from .check import check
from .contents import contents, summary
from .convert import as_v10
from .faces import FaceLayers, Faces
from .kinds import KINDS as CONTENT
from .level import Color, EditorSettings, Group, Layer, Level
from .level_file import identify, read, section_at, write
from .mesh import Mesh
from .objects import CUBEMAP, EditorData, Entity, Property, Value, no_group
from .rebuild import triangles_of
from .records import (
    EDGE8,
    EDGE9,
    FACE,
    MAPPING_GROUP,
    MEMBER,
    NO_GROUP,
    NO_MAPPING_GROUP,
    TRIANGLE3,
    TRIANGLE6,
    VERTEX12,
    VERTEX13,
    PropertyType,
    layers_of,
    mask_of,
    new_edges,
    new_faces,
    new_vertices,
)
from .removal import drop_groups, move_layers
from .triangles import GeometryGroups, GroupTable, Triangles

TITLE = "Natural Selection 2 level"
ENDINGS = (".level",)

__all__ = [
    "CONTENT",
    "CUBEMAP",
    "EDGE8",
    "EDGE9",
    "ENDINGS",
    "FACE",
    "MAPPING_GROUP",
    "MEMBER",
    "NO_GROUP",
    "NO_MAPPING_GROUP",
    "TITLE",
    "TRIANGLE3",
    "TRIANGLE6",
    "VERTEX12",
    "VERTEX13",
    "Color",
    "EditorData",
    "EditorSettings",
    "Entity",
    "FaceLayers",
    "Faces",
    "GeometryGroups",
    "Group",
    "GroupTable",
    "Layer",
    "Level",
    "Mesh",
    "Property",
    "PropertyType",
    "Triangles",
    "Value",
    "as_v10",
    "check",
    "clipboard",
    "contents",
    "cubemap",
    "drop_groups",
    "flaws",
    "identify",
    "layers_of",
    "mask_of",
    "move_layers",
    "names",
    "new_edges",
    "new_faces",
    "new_level",
    "new_mesh",
    "new_pathing",
    "new_vertices",
    "no_group",
    "read",
    "section_at",
    "summary",
    "triangles_of",
    "write",
]
