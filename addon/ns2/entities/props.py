# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of props: of their `.model` where it is found, otherwise boxes; and the boxes of triggers and decals.

All users of a model share one mesh, which knows the model's path (MODEL). Boxes have edges only: they are seen in the
viewport, in every mode, and never in a render.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.ns2 import model as model_file
from ....formats.ns2.model import Model
from ...scene.geometry import meshes, shapes
from ...scene.names import showable, storable
from ...scene.reports import Report
from .. import layout
from ..context import ImportContext
from ..materials.build import Materials

MODEL = "model"
"""On meshes of props: the path of the model, as levels name it."""
MISSING = 0.25
"""Half the edge of the box that stands for a model that wasn't found, metres."""
TRIGGER = 0.25
"""Half extents of a trigger's box of scale 1, and how far its middle is above its origin, metres: a quarter of the
scale (ns2.md §7)."""

_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit], np.int32)


def box(name: str, half: float, raised: float) -> bpy.types.Mesh:
    """The edges of a cube, so far above its origin."""
    corners = np.array([[at >> axis & 1 for axis in range(3)] for at in range(8)], np.float32) * 2 - 1
    positions = corners * np.float32(half) + np.array([0, 0, raised], np.float32)
    none = np.zeros(0, np.int32)
    made = meshes.build(name, positions, none, none, smooth=True, edges=(_EDGES, none))
    shapes.remember(made)
    return made


class Props:
    """Makes each mesh when it is first asked for."""

    def __init__(self, importing: ImportContext, materials: Materials) -> None:
        self.importing, self.materials = importing, materials
        self._models: dict[str, bpy.types.Mesh] = {}
        self._boxes: dict[bool, bpy.types.Mesh] = {}
        self._absent: set[str] = set()

    def model(self, path: str) -> bpy.types.Mesh:
        """The mesh of a model; a box where it isn't found, can't be read, or isn't wanted."""
        if path not in self._models:
            mesh = self._load(path)
            if mesh is None:
                self._absent.add(path)
                mesh = box(_title(path), MISSING, MISSING)
            if showable(path) == path:
                mesh[MODEL] = storable(path)
            self._models[path] = mesh
        return self._models[path]

    def is_found(self, path: str) -> bool:
        """Whether a model that was asked for is shown as it is."""
        return path in self._models and path not in self._absent

    def box(self, centred: bool) -> bpy.types.Mesh:
        """The box of a trigger of scale 1; or one about its origin that is as large as the scale of its object."""
        if centred not in self._boxes:
            self._boxes[centred] = box("Decal", 1.0, 0.0) if centred else box("Trigger", TRIGGER, TRIGGER)
        return self._boxes[centred]

    def _load(self, path: str) -> bpy.types.Mesh | None:
        if self.importing.settings.props != "models" or not path:
            return None
        file = self.importing.find(path)
        if file is None:
            self.importing.report.missing("models", path)
            return None
        try:
            model = model_file.read(self.importing.content.read(file))
            for flaw in model.flaws:
                self.importing.report.warn(f"{path}: {flaw}")
            return self._build(path, model)
        except (FormatError, OSError) as error:
            self.importing.report.warn(f"{path}: {error}")
            return None

    def _build(self, path: str, model: Model) -> bpy.types.Mesh:
        vertices = model.vertices
        corners = model.triangles.astype(np.int32).reshape(-1)
        starts = np.arange(0, len(corners), 3, dtype=np.int32)
        materials, numbers = np.unique(model.triangle_materials(), return_inverse=True)
        mesh = meshes.build(
            _title(path),
            layout.to_blender(vertices["position"]),
            corners,
            starts,
            {layout.UV: model.uv()[corners]},
            material_index=numbers.astype(np.int32),
            smooth=True,
            report=Report(),  # triangles that are there twice are shown once: nobody need know
        )
        for number in materials.tolist() if model.materials else ():
            mesh.materials.append(self.materials.get(model.materials[number]))
        normals = layout.to_blender(vertices["normal"])
        if len(normals) == len(mesh.vertices) and len(mesh.polygons) and np.isfinite(normals).all():
            mesh.normals_split_custom_set_from_vertices(normals)
        shapes.remember(mesh)
        return mesh


def _title(path: str) -> str:
    return showable(path).rsplit("/", 1)[-1].removesuffix(".model") or "(no model)"
