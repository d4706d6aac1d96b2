# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene says of brushes' faces: planes, how textures lie on them, and the rest of their records.

Everything is done with records of FACE, also for a `.3dt`, whose texture parameters are laid on as vectors first and
found in the vectors again at the end.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.arrays import Array, Bools, Floats, Ints
from ....formats.counting import number_of
from ....formats.genesis import textures
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import EditorFaceFlag, FaceArray, new_faces
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..materials.collect import size_of
from ..materials.names import texture_of
from ..settings import ExportSettings
from ..shapes.collect import Shape

BENT = 0.25
"""Texels by which a corner's UV may miss what vectors can say; more, and the UVs are bent."""
SAME_TEXEL, ROUNDING = 4e-3, 4e-7
"""Texels, and share of the largest, that single-precision UVs may be off."""
OFF_GRID = 1.0
"""Texels by which the whole numbers of a `.3dt`'s texture parameters may move a texture without a warning."""

_DEFAULTS: dict[str, float] = {
    "flags": 0, "face_light": 300, "mip_map_bias": 1, "alpha": 255, "reflective_scale": 1,
    "u_vec": 0, "v_vec": 0, "draw_scale": 1, "offset": 0,
    "rotate": 0, "shift": 0, "scale": 1, "light_scale": textures.LIGHT_SCALE,
}  # fmt: skip
_VECTORS = ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y")
VISIBLE = 0x200
"""The EditorFaceFlag of every face that the editor makes."""


@dataclass(frozen=True)
class MeshFaces:
    """An object's mesh with f faces, and what was edited of them."""

    object: bpy.types.Object
    mesh: MeshData
    records: Ints
    """[f]: the face of the original that each is, -1: none."""
    uv_same: Bools
    """[f]: whose UVs are bit for bit what the import made."""
    uv_edited: Bools
    """[f]: whose UVs are others, though its corners are where they were: nothing but somebody's will does that. (Bevels
    and the like bend UVs a little on the way.)"""
    edited: dict[str, Bools]
    """Attribute -> which faces' values differ from their record's."""
    names: list[str | None]
    """Of each face its texture; None: it has no material."""
    sizes: Floats
    """[f, 2]: width and height of each face's texture, NaN where nothing says so."""
    renamed: Bools
    """Whether it has another texture than its record."""


@dataclass
class SideRecords:
    """The k sides of a shape as records."""

    faces: FaceArray
    """[k]: records of FACE; of a `.3dt`, what they would be in a `.map`."""
    names: list[str]
    """[k]: textures."""
    renamed: Bools
    """[k]: whether the texture is another than the record's."""
    vectors: Bools
    """[k]: whether the texture vectors are others than the record's."""
    fields: dict[str, Array]
    """Face attribute -> values, [k] or [k, n]."""
    edited: dict[str, Bools]
    """Face attribute -> [k], whether its value differs from the record's."""


def _of_levels(shape: Shape, source: MeshFaces) -> Bools:
    """Which sides came from a level, whichever that was: what attributes and UVs say of their textures was imported.

    What was made in Blender and joined to them has no number there.
    """
    numbers = source.mesh.attribute(identity.ID, "FACE")
    found = shape.faces >= 0
    if numbers is not None and numbers.dtype == np.int32:
        found[found] = numbers[shape.faces[found]] > 0
    return found & (numbers is not None)


class FaceCollector:
    """Collects the faces of a level from its scene."""

    def __init__(self, geometry: Geometry | None, kind: str, settings: ExportSettings, report: Report) -> None:
        """geometry: of the original, None where there is none. kind: of the file that the level is ("map", "3dt")."""
        self.geometry = geometry
        self.kind = kind
        self.settings = settings
        self.report = report
        self.kinds = layout.FACE_FIELDS | (layout.MAP_FIELDS if kind == "map" else layout.EDITOR_FIELDS)
        self.placement_fields = tuple(layout.MAP_FIELDS if kind == "map" else layout.EDITOR_FIELDS)
        self._missing: dict[str, list[bpy.types.Object]] = defaultdict(list)
        self._was = None if geometry is None else np.array([*geometry.names, ""], object)[geometry.texture]

    def compare(
        self, obj: bpy.types.Object, mesh: MeshData, records: Ints, uv_same: Bools, uv_edited: Bools
    ) -> MeshFaces:
        """Compare an object's faces with their records. records: of each face, -1: none."""
        known = records >= 0
        edited = {}
        for name in self.kinds:
            now = self._attribute(mesh, name)
            if now is None and known.any():
                self._missing[name].append(obj)
            differs = np.zeros(len(records), np.bool_)
            if self.geometry is not None and now is not None and known.any():
                was = self.geometry.fields[name][records[known]].astype(now.dtype, copy=False)
                other = np.ascontiguousarray(now[known]).view("<u4") != np.ascontiguousarray(was).view("<u4")
                differs[known] = other.reshape(len(was), -1).any(axis=1)
            edited[name] = differs
        names, sizes = self._textures(mesh)
        bare = sum(names[one] is None for one in np.flatnonzero(known).tolist())
        if bare:
            self.report.warn(
                f"{obj.name}: {number_of(bare, 'faces')} without a material, where the textures stay as they were"
            )
        if known.any() and mesh.uv() is None:
            self.report.warn(f"{obj.name}: without a UV map, its textures stay as they were", [obj])
        renamed = np.zeros(len(records), np.bool_)
        if self._was is not None and known.any():
            pairs = zip(self._was[records[known]], [names[one] for one in np.flatnonzero(known)], strict=True)
            renamed[known] = [now is not None and now != was for was, now in pairs]
        return MeshFaces(obj, mesh, records, uv_same, uv_edited, edited, names, sizes, renamed)

    def tell_of_missing(self) -> None:
        """Warn of the objects that were compared whose faces have lost an attribute, or have it as another type."""
        for name, objects in self._missing.items():
            self.report.warn(
                f"{listed([obj.name for obj in objects])}: attribute {name} of faces is gone, or is of another type: "
                "what it told stays as it was",
                objects,
            )

    def _attribute(self, mesh: MeshData, name: str) -> Array | None:
        """An attribute of faces, if it is of the kind that it should be."""
        found = mesh.attribute(name, "FACE")
        dtype = {"FLOAT": "f4", "FLOAT2": "f4", "FLOAT_VECTOR": "f4", "INT": "i4", "INT32_2D": "i4"}[self.kinds[name]]
        width = {"FLOAT2": 2, "FLOAT_VECTOR": 3, "INT32_2D": 2}.get(self.kinds[name])
        if found is None or found.dtype != np.dtype(dtype) or (found.shape[1:] != (() if width is None else (width,))):
            return None
        return found

    def _textures(self, mesh: MeshData) -> tuple[list[str | None], Floats]:
        slots = [self._texture(material) for material in mesh.materials] or [None]
        sizes = np.array([size_of(material) for material in mesh.materials] or [(np.nan, np.nan)])
        index = np.clip(mesh.material_index, 0, len(slots) - 1)
        return [slots[one] for one in index.tolist()], sizes[index]

    def _texture(self, material: bpy.types.Material | None) -> str | None:
        """The texture of a material; where its name says another one, that is told."""
        texture, told = texture_of(material)
        if told:
            self.report.warn(told)
        return texture

    def untouched(self, shape: Shape, source: MeshFaces) -> bool:
        """Whether nothing of a shape differs from its record."""
        if not shape.whole or shape.move is not None:
            return False
        faces = shape.faces[shape.faces >= 0]
        if not source.uv_same[faces].all() or source.renamed[faces].any():
            return False
        return not any(differs[faces].any() for differs in source.edited.values())

    def collect(self, shape: Shape, source: MeshFaces) -> SideRecords:
        """The records of a shape's sides.

        Raises SceneError, with the faces at fault, for UVs that no texture vectors can say, and for sides with several
        textures.
        """
        known = shape.records >= 0
        result = self._fields(shape, source)
        faces = result.faces
        for name, now in (("normal", shape.normals), ("dist", shape.dists)):
            single = now.astype(np.float32)
            kept = shape.kept.reshape(-1, *[1] * (single.ndim - 1)) | (single == faces[name])  # -0.0 stays
            faces[name] = np.where(kept, faces[name], single)
        edited = np.zeros(len(known), np.bool_)
        for name in self.placement_fields:
            edited |= result.edited[name]
        if self.kind == "map":
            _put_vectors(faces, result.fields)
        else:
            _lay(faces, result.fields)
            self._lay_locked(faces, shape.records, result.edited)
        blank = ~faces["u_vec"].any(axis=1) | ~faces["v_vec"].any(axis=1)
        by_axes = shape.inside.copy()
        if shape.brush < 0 and self.settings.new_textures == "axes":
            by_axes |= ~known & ~_of_levels(shape, source)
        self._lay_by_axes(faces, by_axes | (~known & blank))
        self._lay_by_uv(shape, source, result, edited, by_axes)
        self._one_texture_a_side(shape, source)
        if not all(result.names):
            bare = sum(not name for name, record in zip(result.names, shape.records, strict=True) if record < 0)
            if bare:
                self.report.left_out("textures of new faces, which have no material (the compiler takes any)", bare)
        return result

    def _lay_locked(self, faces: FaceArray, records: Ints, edited: dict[str, Bools]) -> None:
        """Texture-locked faces lie as their records say, unless another turn, shift or scale was typed in."""
        if self.geometry is None:
            return
        typed = np.logical_or.reduce([edited[name] for name in self.placement_fields])
        locked = np.flatnonzero((records >= 0) & ~typed)
        flags = self.geometry.fields["flags"][records[locked]].astype(np.int64)
        locked = locked[(flags & int(EditorFaceFlag.TEXTURELOCKED)) != 0]
        for name in _VECTORS:
            column = faces[name]
            column[locked] = self.geometry.faces[name][records[locked]]

    def _fields(self, shape: Shape, source: MeshFaces) -> SideRecords:
        """What records and attributes say; planes and texture vectors are still the records'."""
        count = len(shape.records)
        known = shape.records >= 0
        faces = new_faces(count)
        if self.geometry is not None and known.any():
            faces[known] = self.geometry.faces[shape.records[known]]
        shown = (shape.faces >= 0) & ~shape.inside
        fields, edited = {}, {}
        for name, kind in self.kinds.items():
            width = {"FLOAT2": (2,), "FLOAT_VECTOR": (3,), "INT32_2D": (2,)}.get(kind, ())
            column: Array = np.full(
                (count, *width), _DEFAULTS[name], np.int32 if kind.startswith("INT") else np.float32
            )
            if name == "flags" and self.kind == "3dt":
                column[:] = VISIBLE
            if self.geometry is not None and known.any():
                column[known] = self.geometry.fields[name][shape.records[known]]
            now = self._attribute(source.mesh, name)
            differs = np.zeros(count, np.bool_)
            if now is not None:
                differs[shown] = source.edited[name][shape.faces[shown]]
                taken = shown & (differs | ~known)
                column[taken] = now[shape.faces[taken]]
            fields[name], edited[name] = column, differs & known
        names, renamed = [], np.zeros(count, np.bool_)
        for side, (record, face) in enumerate(zip(shape.records.tolist(), shape.faces.tolist(), strict=True)):
            was = "" if record < 0 or self._was is None else str(self._was[record])
            now_name = source.names[face] if face >= 0 else None
            renamed[side] = record >= 0 and face >= 0 and bool(source.renamed[face])
            names.append(now_name if now_name is not None and (renamed[side] or record < 0) else was)
        return SideRecords(faces, names, renamed, np.zeros(count, np.bool_), fields, edited)

    def _lay_by_axes(self, faces: FaceArray, chosen: Bools) -> None:
        """Lay textures along the axes, as the editor does on new faces. chosen: [k]."""
        if chosen.any():
            fresh = faces[chosen]
            textures.lay(fresh)
            faces[chosen] = fresh

    def _lay_by_uv(self, shape: Shape, source: MeshFaces, result: SideRecords, edited: Bools, by_axes: Bools) -> None:
        """Let textures lie as the UVs say, where those were edited or the texture is to stay on what moved."""
        known = shape.records >= 0
        meshed = (shape.faces >= 0) & ~by_axes
        uv_edited = np.zeros(len(known), np.bool_)
        uv_edited[meshed] = source.uv_edited[shape.faces[meshed]] & known[meshed]
        uv_same = np.ones(len(known), np.bool_)
        uv_same[meshed] = source.uv_same[shape.faces[meshed]]
        lock = self.settings.texture_lock
        stays = known & ~uv_edited & (edited | (uv_same & (not lock)) | (shape.whole and shape.move is None))
        wanted = np.flatnonzero((meshed | (known & (shape.faces < 0))) & ~stays & ~by_axes)
        if not len(wanted):
            return
        old = result.faces[wanted]
        moved = self._moved(shape, wanted, old)
        has_uv = source.mesh.uv(layout.UV) is not None or source.mesh.uv() is not None
        faces = shape.faces[wanted]
        sized = has_uv & (faces >= 0)
        sized[sized] = np.isfinite(source.sizes[faces[sized]]).all(axis=1)
        unsure = uv_edited[wanted] & ~sized
        if unsure.any():
            name = source.names[int(faces[unsure][0])]
            raise SceneError(
                f"{source.object.name}: its UVs were edited, but nothing says how large texture {name!r} is: give its "
                f"material the property {layout.TEXTURE_SIZE} (width and height)",
                [source.object],
                {source.object: faces[unsure].astype(np.int32)},
            )
        self._set(result, wanted[~sized], moved[~sized])
        chosen = np.flatnonzero(sized)
        if len(chosen):
            self._fit(shape, source, result, wanted[chosen], moved[chosen], uv_edited, edited)

    def _moved(self, shape: Shape, sides: Ints, faces: FaceArray) -> FaceArray:
        """The vectors of sides after the transform of their brush."""
        if shape.move is None:
            return faces
        result = faces.copy()
        known = shape.records[sides] >= 0
        if self.geometry is not None and known.any() and self.kind == "3dt":
            # Laid on again for a turned face, they don't say how the texture lay before.
            was = self.geometry.faces[shape.records[sides[known]]]
            for name in _VECTORS:
                column = result[name]
                column[known] = was[name]
        return textures.moved(result, shape.move)

    def _fit(
        self,
        shape: Shape,
        source: MeshFaces,
        result: SideRecords,
        sides: Ints,
        moved: FaceArray,
        uv_edited: Bools,
        edited: Bools,
    ) -> None:
        """Give sides the vectors that put their texels where the UVs of their faces have them."""
        points, owners, uv = self._corners(shape, source, sides)
        texel = textures.from_uv(uv, source.sizes[shape.faces[sides]][owners])
        limit = SAME_TEXEL + ROUNDING * _largest(np.abs(texel).max(axis=1, initial=0.0), owners, len(sides))
        base = result.faces[sides]
        moved["normal"], moved["dist"] = base["normal"], base["dist"]
        fits_base = _off(base, points, owners, texel) <= limit
        fits_moved = _off(moved, points, owners, texel) <= limit
        fit = textures.fit(moved, points, owners, texel)
        bent = ~(fits_base | fits_moved) & (~fit.possible | ~(fit.residual <= BENT))
        asked = uv_edited[sides]
        if (bent & asked).any():
            at_fault = shape.faces[sides[bent & asked]].astype(np.int32)
            raise SceneError(
                f"{source.object.name}: the UVs of {number_of(len(at_fault), 'faces')} are bent or have no size: a "
                "brush's texture lies straight on its side, so all corners need UVs that one shift, scale, turn and "
                "skew can give",
                [source.object],
                {source.object: at_fault},
            )
        both = asked & edited[sides] & ~fits_base
        if both.any():
            raise SceneError(
                f"{source.object.name}: UVs and texture attributes ({', '.join(self.placement_fields)}) of "
                f"{number_of(int(both.sum()), 'faces')} were both edited, and say different things",
                [source.object],
                {source.object: shape.faces[sides[both]].astype(np.int32)},
            )
        if bent.any():
            known = shape.records[sides] >= 0
            self.report.warn(
                f"{source.object.name}: the textures of {number_of(int(bent.sum()), 'faces')} can't follow "
                "the new shape: they lie " + ("as they did" if known[bent].all() else "as on new faces")
            )
            fresh = base[bent & ~known]
            textures.lay(fresh)
            base[bent & ~known] = fresh
            result.faces[sides[bent & ~known]] = fresh
        take_moved = ~fits_base & fits_moved
        take_fit = ~fits_base & ~fits_moved & ~bent
        self._set(result, sides[take_moved], moved[take_moved])
        self._set(result, sides[take_fit], fit.faces[take_fit])

    @staticmethod
    def _corners(shape: Shape, source: MeshFaces, sides: Ints) -> tuple[Floats, Ints, Floats]:
        """Places in the level, sides (by their place in `sides`) and UVs of the corners of sides' faces."""
        mesh = source.mesh
        uv = next(one for one in (mesh.uv(layout.UV), mesh.uv()) if one is not None)
        faces = shape.faces[sides]
        sizes = mesh.face_sizes.astype(np.int64)[faces]
        owners = np.repeat(np.arange(len(sides)), sizes)
        steps = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        corners = mesh.face_starts[faces].astype(np.int64)[owners] + steps
        local = mesh.positions[mesh.corner_verts[corners]].astype(np.float64)
        matrix = shape.matrix
        return layout.from_blender(local @ matrix[:3, :3].T + matrix[:3, 3]), owners, uv[corners].astype(np.float64)

    @staticmethod
    def _set(result: SideRecords, sides: Ints, faces: FaceArray) -> None:
        """Give sides the texture vectors of `faces`."""
        for name in _VECTORS:
            before = result.faces[name][sides]
            now = faces[name]
            differs = before != now
            result.vectors[sides] |= differs.any(axis=1) if differs.ndim == 2 else differs
            column = result.faces[name]
            column[sides] = np.where(differs, now, before)  # -0.0 stays

    def _one_texture_a_side(self, shape: Shape, source: MeshFaces) -> None:
        """Refuse sides whose faces look different from one another: a brush has one texture a side."""
        for side, others in enumerate(shape.others):
            lead = int(shape.faces[side])
            for other in others:
                same = source.names[other] == source.names[lead] and all(
                    self._equal(source.mesh, name, lead, other) for name in layout.FACE_FIELDS
                )
                if not same:
                    raise SceneError(
                        f"{source.object.name}: faces in one plane have different textures or properties: a brush has "
                        "one of each a side. Separate it into several brushes",
                        [source.object],
                        {source.object: np.array([lead, *others], np.int32)},
                    )

    def _equal(self, mesh: MeshData, name: str, one: int, other: int) -> bool:
        values = self._attribute(mesh, name)
        return values is None or bool(values[one] == values[other])


def _put_vectors(faces: FaceArray, fields: dict[str, Array]) -> None:
    """Give faces the fields of a `.map`."""
    for name in (*layout.FACE_FIELDS, "u_vec", "v_vec"):
        faces[name] = fields[name]
    faces["draw_scale_x"], faces["draw_scale_y"] = fields["draw_scale"].T
    faces["offset_x"], faces["offset_y"] = fields["offset"].T


def _lay(faces: FaceArray, fields: dict[str, Array]) -> None:
    """Lay textures on by the parameters of a `.3dt`."""
    with np.errstate(all="ignore"):
        textures.lay(faces, fields["rotate"], fields["scale"], fields["shift"], fields["light_scale"])


def _off(faces: FaceArray, points: Floats, owners: Ints, texel: Floats) -> Floats:
    """Texels by which the furthest corner of each face is off."""
    errors = np.abs(textures.texels(faces, points, owners) - texel).max(axis=1, initial=0.0)
    return _largest(np.where(np.isfinite(errors), errors, np.inf), owners, len(faces))


def _largest(values: Floats, owners: Ints, count: int) -> Floats:
    result = np.zeros(count)
    np.maximum.at(result, owners, values)
    return result
