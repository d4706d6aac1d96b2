# SPDX-License-Identifier: GPL-3.0-or-later
"""A level with nothing in it, as the editor would begin one."""

import numpy as np

from .faces import FaceLayers, Faces
from .level import EditorSettings, Level
from .mesh import Mesh
from .objects import Property, Value
from .records import EDGE9, MAPPING_GROUP, VERSION, VERTEX13, PropertyType
from .triangles import GeometryGroups, Triangles

WHITE = 0xFFFFFFFF

_PATHING: tuple[tuple[str, PropertyType, Value], ...] = (
    ("Voxel Size", PropertyType.DISTANCE, 0.2),
    ("Voxel Height", PropertyType.DISTANCE, 0.2),
    ("Agent Radius", PropertyType.DISTANCE, 0.5),
    ("Agent Height", PropertyType.DISTANCE, 1.0),
    ("Agent Max Climb", PropertyType.DISTANCE, 1.0),
    ("Agent Max Slope", PropertyType.ANGLE, np.pi / 4),
    ("Min Region Area", PropertyType.INTEGER, 64),
    ("Merged Region Area", PropertyType.INTEGER, 400),
    ("Max Edge Length", PropertyType.DISTANCE, 12.0),
    ("Max Edge Error", PropertyType.DISTANCE, 1.0),
    ("Max Poly Vertices", PropertyType.INTEGER, 6),
    ("Detail Sample Distance", PropertyType.DISTANCE, 1.0),
    ("Detail Sample Max Error", PropertyType.DISTANCE, 0.1),
)

# Of each of the four views: how it is drawn, along what it looks, where its camera is.
_VIEWS = (
    ("textured", "perspective", (0, 0, 0)),
    ("wireframe", "negative_y", (0, 1000, 0)),
    ("wireframe", "negative_z", (0, 0, 1000)),
    ("wireframe", "negative_x", (1000, 0, 0)),
)


def new_level() -> Level:
    """An empty level of version 10. The lists of layers, groups and objects are empty, and so is its mesh."""
    level = Level(VERSION)
    level.mesh = new_mesh()
    level.viewports = new_viewports()
    level.custom_colors = [WHITE] * 16
    level.editor_settings = [new_pathing()]
    return level


def new_mesh() -> Mesh:
    """A mesh of version 10 with nothing in it."""
    mesh = Mesh(VERSION)
    mesh.materials = []
    mesh.vertices = np.zeros(0, VERTEX13)
    mesh.edges = np.zeros(0, EDGE9)
    mesh.faces = Faces.empty()
    mesh.face_layers = FaceLayers.none(0)
    mesh.mapping_groups = np.zeros(0, MAPPING_GROUP)
    mesh.geometry_groups = GeometryGroups.empty()
    mesh.triangles = Triangles.empty()
    return mesh


def new_pathing() -> EditorSettings:
    """The settings of the navigation mesh with the editor's defaults: what 27 of 37 real levels have."""
    return EditorSettings("Pathing", 0, [Property.of(name, kind, value) for name, kind, value in _PATHING])


def new_viewports() -> str:
    """The editor's four views, looking at the origin."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<viewports>"]
    for mode, view, place in _VIEWS:
        lines += ["  <viewport>", f"    <render_mode>{mode}</render_mode>", f"    <view>{view}</view>"]
        shown = (("edges", True), ("triangulation", False), ("post_processing", True), ("shadows", True))
        lines += [f"    <show_{what}>{str(on).lower()}</show_{what}>" for what, on in shown]
        lines.append("    <camera_position>")
        lines += [f"      <{axis}>{value:.6f}</{axis}>" for axis, value in zip("xyz", place, strict=True)]
        lines += ["    </camera_position>", "    <camera_zoom>9.000000</camera_zoom>"]
        if view == "perspective":
            lines += ["    <camera_yaw>0.000000</camera_yaw>", "    <camera_pitch>0.000000</camera_pitch>"]
        lines.append("  </viewport>")
    lines += ["  <expanded_viewport>0</expanded_viewport>", "  <split_horizontal>50.000000</split_horizontal>"]
    return "\n".join([*lines, "  <split_vertical>50.000000</split_vertical>", "</viewports>", ""])
