# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh of polygons as it is after it was edited: what `overlay` lays over the level's mesh."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Bools, Floats, Indices, Singles
from ...binary import FormatError
from ...counting import number_of
from ..mesh import Mesh
from ..records import MASK_WORDS, NO_GROUP
from ..walk import gather
from .shown import ShownMesh, groups_shown

Words = NDArray[np.uint32]

TEXTURE = (("angle", 0), ("scale", 0), ("scale", 1), ("offset", 0), ("offset", 1))
"""The columns of `EditedMesh.textures`: a field of faces, and which of its numbers."""


@dataclass(slots=True, eq=False)
class EditedMesh:
    """n vertices, e edges, p polygons with c corners, in Spark's axes; which records of the level's mesh they are."""

    positions: Singles
    """[n, 3], metres, finite."""
    rounding: Floats
    """[n]: metres that each may be off by rounding and still be where it was."""
    vertices: Indices
    """[n]: the vertex of the level that each is, -1: a new one."""
    vertex_groups: Words
    """[n]: id of a geometry group, NO_GROUP for none."""
    edges: Indices
    """[e, 2]: vertices."""
    smooth: Bools
    """[e]."""
    bridges: Bools
    """[e]: cuts through a face with holes, no edges of the level. The polygons on both sides are one face."""
    edge_groups: Words
    """[e]: id of a geometry group, NO_GROUP for none."""
    starts: Indices
    """[p + 1]: the first corner of each polygon."""
    corners: Indices
    """[c]: the vertex of each corner."""
    sides: Indices
    """[c]: the edge from each corner to the next one."""
    uvs: Singles
    """[c, 2]: v upwards; NaN where there are none."""
    faces: Indices
    """[p]: the face of the level that each polygon is (a part of), -1: a new one."""
    materials: Indices
    """[p]: into `MaterialEdits.paths`."""
    layers: Words
    """[p, 8]: words of the mask of layers."""
    face_groups: Words
    """[p]: id of a geometry group, NO_GROUP for none."""
    mapping_groups: Words
    """[p]: id of a mapping group, NO_MAPPING_GROUP for none."""
    textures: Singles
    """[p, 5]: the angle, scale and offset of a polygon's own that lay on it where it came from (`TEXTURE`), all 0: it
    says none. They are a new face's while they give its UVs."""
    fresh: Bools
    """[p]: made by hand: nothing says how a texture lies on it but its UVs."""

    @classmethod
    def of(cls, mesh: Mesh, shown: ShownMesh) -> "EditedMesh":
        """A mesh before anything of it is edited, as it is shown. Vertices that aren't finite are at 0."""
        polygons, groups = shown.polygons, mesh.geometry_groups
        faces = polygons.faces.astype(np.intp)
        count, real = len(mesh.vertices), shown.numbers >= 0
        smooth = np.ones(len(shown.edges), np.bool_)
        smooth[real] = mesh.smooth[shown.numbers[real]]
        edge_groups = np.full(len(shown.edges), NO_GROUP, np.uint32)
        edge_groups[real] = groups_shown(groups.edges.assignment(len(mesh.edges)))[shown.numbers[real]]
        layers = np.zeros((len(mesh.faces), MASK_WORDS), np.uint32)
        layers[:, : mesh.face_layers.masks.shape[1]] = mesh.face_layers.masks
        records = mesh.faces.records
        return cls(
            positions=np.where(np.isfinite(mesh.positions), mesh.positions, np.float32(0)),
            rounding=np.zeros(count),
            vertices=np.arange(count),
            vertex_groups=groups_shown(groups.vertices.assignment(count)),
            edges=shown.edges.astype(np.intp),
            smooth=smooth,
            bridges=shown.bridges,
            edge_groups=edge_groups,
            starts=polygons.starts.astype(np.intp),
            corners=shown.corners.astype(np.intp),
            sides=shown.corner_edges.astype(np.intp),
            uvs=polygons.uvs.copy(),
            faces=faces,
            materials=np.minimum(records["material"].astype(np.intp), len(mesh.materials))[faces],
            layers=layers[faces],
            face_groups=groups_shown(groups.faces.assignment(len(mesh.faces)))[faces],
            mapping_groups=groups_shown(records["mapping_group"])[faces],
            textures=np.zeros((len(faces), len(TEXTURE)), np.float32),
            fresh=np.zeros(len(faces), np.bool_),
        )

    def take(self, polygons: Array) -> "EditedMesh":
        """The same mesh with these polygons only: their numbers, in the order wanted, or a mask."""
        numbers = np.arange(len(self.faces))[polygons]
        starts, chosen = gather(self.starts, numbers)
        parts = ("faces", "materials", "layers", "face_groups", "mapping_groups", "textures", "fresh")
        corners = {name: getattr(self, name)[chosen] for name in ("corners", "sides", "uvs")}
        return replace(self, starts=starts, **corners, **{name: getattr(self, name)[numbers] for name in parts})

    @property
    def polygons(self) -> Indices:
        """The polygon of each corner, int[c]."""
        return np.repeat(np.arange(len(self.faces)), np.diff(self.starts))

    @property
    def following(self) -> Indices:
        """The next corner of each corner's polygon, int[c]."""
        after = np.arange(1, len(self.corners) + 1)
        after[self.starts[1:] - 1] = self.starts[:-1]
        return after


@dataclass(frozen=True, slots=True)
class MaterialEdits:
    """Which materials an edited mesh has, and what became of those of the level."""

    paths: list[str]
    """What the numbers in `EditedMesh.materials` mean; "" for no material."""
    listed: list[str]
    """The level's list, of which some may have new paths."""
    kept: frozenset[int]
    """Numbers in the level's list of those that stay, even where no face has them."""

    @classmethod
    def of(cls, mesh: Mesh) -> "MaterialEdits":
        """Those of a mesh of which none was edited: as `EditedMesh.of` numbers them."""
        return cls([*mesh.materials, ""], list(mesh.materials), frozenset(range(len(mesh.materials))))


@dataclass(frozen=True, slots=True)
class TextureRules:
    """How angle, scale and offset are found of faces that were edited or are new."""

    nearest: bool = False
    """Skewed UVs get the parameters that come nearest; else they are refused."""
    world: bool = False
    """Faces that were made by hand lie as the editor lays new ones, along the world's axes; else as their UVs."""
    lock: bool = True
    """Textures stay on faces that are moved, as their UVs do; else parameters stay, and the texture in the level."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that whoever edits should know of what became of an edit."""

    severity: Literal["warning", "note"]
    message: str
    polygons: Indices | None = field(default=None, compare=False)
    """What of the edited mesh it is about, int[k]; None: all of it."""
    are_bent: bool = field(default=False, compare=False)
    """Whether it is that they aren't flat."""


class RefusedFacesError(FormatError):
    """Edited faces that a level can't hold. The message has {} where their number belongs."""

    def __init__(self, message: str, polygons: Indices) -> None:
        """polygons: of the edited mesh, int[k]."""
        super().__init__(message.format(number_of(len(polygons), "faces")))
        self.polygons = polygons
