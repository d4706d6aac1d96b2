# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as meshes: one for each model and skin, however often it stands in the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.source.content import mdl
from ....formats.source.content.vtx import Group
from ...scene.geometry import meshes
from ...scene.geometry.shapes import remember
from ...scene.names import showable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext

_ENDING = ".mdl"
_NOWHERE = -1.0
"""Texture coordinates where there is no iris."""
EDITED = "what was done to the mesh is ignored: the map has only the name of its model"
"""The warning of exports."""


@dataclass
class Models:
    """The models of one import. Meshes are made by `prepare`, before any object is; `of` then finds them."""

    importing: ImportContext
    _read: dict[str, mdl.Model | None] = field(default_factory=dict, repr=False)
    _meshes: dict[tuple[str, int], bpy.types.Mesh] = field(default_factory=dict, repr=False)

    def of(self, path: str, skin: int = 0) -> bpy.types.Mesh | None:
        """The mesh of a model ("models/props/crate.mdl") and skin; None where the model is missing or unreadable.

        Skins that the model has not are its first one.
        """
        name = normal(path)
        model = self.model(name)
        if model is None:
            return None
        skin = skin if 0 <= skin < len(model.skins) else 0
        if (name, skin) not in self._meshes:
            self._meshes[name, skin] = self._build(name, model, skin)
        return self._meshes[name, skin]

    def prepare(self, wanted: Sequence[tuple[str, int]]) -> Steps[None]:
        """Make the meshes of these models and skins, in the order of their names."""
        listed = sorted(set(wanted))
        with progress(len(listed), "models") as step:
            for path, skin in listed:
                self.of(path, skin)
                yield step()

    def model(self, name: str) -> mdl.Model | None:
        """The model of a name, as `normal` has it; None where it is missing or unreadable, which the report says."""
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def groups(self, name: str) -> list[Group]:
        """The strip groups of a model that was read, which light of props goes by. Raises FormatError."""
        return mdl.load_groups(name, self.importing.content.read, self.importing.settings.level_of_detail)

    def _load(self, name: str) -> mdl.Model | None:
        """A model's files, read; None, and a line in the report, where they can't be, or one is missing."""
        content, report = self.importing.content, self.importing.report
        try:
            found = mdl.load(name, content.read, self.importing.settings.level_of_detail)
            lacking = mdl.missing(name, content.read) if found is None else []
        except FormatError as error:
            report.warn(f"model {name} is shown as a box: {error}")
            return None
        if found is None:
            report.missing("models", name)
            if lacking != [_ENDING]:
                report.warn(f"model {name} is shown as a box: it has no {' and no '.join(lacking)}")
        return found

    def _build(self, name: str, model: mdl.Model, skin: int) -> bpy.types.Mesh:
        title = showable(PurePosixPath(name).stem)
        used, corners = np.unique(model.triangles[:, ::-1], return_inverse=True)
        uv = model.uvs[used] * np.array([1, -1], np.float32) + np.array([0, 1], np.float32)
        corners = corners.reshape(-1).astype(np.int32)
        textures = model.skins[skin][model.triangle_column] if len(model.skins) else model.triangle_column
        shown, slots = np.unique(textures, return_inverse=True)
        uvs = {layout.UV: uv[corners]}
        if model.irises is not None:
            uvs[layout.IRIS_UV] = (np.nan_to_num(model.irises, nan=_NOWHERE) * [1, -1] + [0, 1])[used][corners]
        mesh = meshes.build(
            title if skin == 0 else f"{title} skin {skin}",
            model.positions[used],
            corners,
            np.arange(0, len(corners), 3, dtype=np.int32),
            uvs=uvs,
            material_index=slots.reshape(-1).astype(np.int32),
            smooth=True,
            report=self.importing.report,
        )
        mesh[layout.MODEL_PATH], mesh[layout.SKIN] = name, skin
        for texture in shown.tolist():
            mesh.materials.append(self._material(model, texture))
        if len(corners):
            finite = np.nan_to_num(model.normals[used])
            mesh.normals_split_custom_set_from_vertices(finite)
        remember(mesh)
        return mesh

    def _material(self, model: mdl.Model, texture: int) -> bpy.types.Material:
        paths = model.paths(texture)
        found = next(
            (path for path in paths if self.importing.content.read(f"materials/{path}.vmt") is not None), paths[0]
        )
        return self.importing.materials.of(found)


def normal(path: str) -> str:
    """A model's path as content is looked for: in small letters, with slashes."""
    return path.replace("\\", "/").lower()


def is_model(path: str) -> bool:
    """Whether a text names a model file, and not a brush model or a sprite."""
    return path.lower().endswith(_ENDING)
