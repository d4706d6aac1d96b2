# SPDX-License-Identifier: GPL-3.0-or-later
"""How textures lie on faces, from their UVs: angle, scale and offset of those that were edited or are new.

What is solved for is what was shown. A face keeps its parameters to the bit while they give its UVs, or while
nothing of it was edited. A face that was reshaped (moved, cut, merged, ...) so that no parameters give its UVs
any more keeps its parameters too, or those of the face that it came from: its texture stays where it is in the level.
A face that came from none (a cone that was added) has the parameters that come nearest. Edited UVs of other faces that
no parameters give are refused.

A mapping group whose faces agree moves with them. A face that no longer agrees with its group leaves it, with
parameters of its own or, where none give its UVs (it looks elsewhere than the group), for a new group like it. UVs of
faces that were put into a group are ignored, except that those of a group that isn't there yet make one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Indices, Reals, Records, Singles
from ...counting import number_of
from ..mesh import Mesh
from ..normals import face_normals
from ..records import MAPPING_GROUP, NO_MAPPING_GROUP
from ..texture_mapping import TOLERANCE, Mapping, axes, coordinates, solve
from .edited import EditedMesh, Finding, RefusedFacesError, TextureRules
from .matching import FaceTable
from .numbering import mixed
from .shown import ShownPolygons

USUAL_SCALE = 39.3700787 * 8 / 1024
"""Repeats a metre of a texture of 1,024 pixels as the editor lays it, 8 to the inch: of new faces without UVs."""
_KEPT = 2e-5
"""Repeats: UVs this near to what parameters give are what they gave."""
_FLAT = 1e-9
"""Of the extent squared: what is narrower covers no area."""
_THIN = 1e-5
"""Of a group's extent: what is thinner is flat, but for rounding."""
_ALIKE = 0.5
"""Cosine of the angle between the normals of faces on which one texture may lie."""
FIRST_ID = 6
"""The editor gives mapping groups ids from this on (ns2.md §3)."""
_STEP = 2.0**-22
"""Of coordinates as 32-bit floats."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceEdits:
    """What became of the f faces of a table."""

    reshaped: Bools
    """[f]: a vertex moved, or the loops are others."""
    regrouped: Bools
    """[f]: the polygons name another mapping group than the record."""
    positions: Singles
    """[m, 3]: of interim vertices."""
    numbers: Indices
    """[n]: the interim number of each vertex of the edited mesh."""
    corners: Indices
    """[members]: the interim vertex at which each member of the table's loops starts."""


class MappingOverlay:
    """Gives the faces of a table their parameters; `groups` are the mapping groups then, `findings` what it did."""

    def __init__(
        self,
        edited: EditedMesh,
        table: FaceTable,
        mesh: Mesh,
        shown: ShownPolygons,
        edits: FaceEdits,
        groups: Records,
        rules: TextureRules,
    ) -> None:
        self.edited, self.table, self.edits, self._mesh = edited, table, edits, mesh
        self.rules = rules
        self.findings: list[Finding] = []
        self.groups = groups
        self._corner_faces = table.polygons[edited.polygons]
        self._points = edits.positions[edits.numbers[edited.corners]]
        self._normals = face_normals(edits.positions, edits.corners, table.faces.face_loops, table.faces.loop_members)
        self._uv_edited = self._find_edited(mesh, shown)
        self._refused = np.zeros(len(table.records), np.bool_)

    def run(self) -> None:
        """Write the parameters into the table's faces, and the groups. Raises RefusedFacesError."""
        faces = self.table.faces.records
        shown = self.table.first >= 0
        new = self.table.records < 0
        touched = shown & (self._uv_edited | self.edits.reshaped | self.edits.regrouped | new)
        if not self.rules.lock:  # those that were only moved stay what they are in the level
            touched &= self._uv_edited | self.edits.regrouped | (self.table.parents < 0)
        grouped = faces["mapping_group"] != NO_MAPPING_GROUP
        for number in np.unique(faces["mapping_group"][touched & grouped]).tolist():
            self._group(number, np.flatnonzero(touched & (faces["mapping_group"] == number)))
        self._own(np.flatnonzero(touched & (faces["mapping_group"] == NO_MAPPING_GROUP)))
        if self._refused.any() and not self.rules.nearest:
            polygons = np.flatnonzero(self._refused[self.table.polygons])
            raise RefusedFacesError(
                "no angle, scale and offset give the UVs of {}: they are skewed, bent or torn. Choose Nearest for "
                "Skewed UVs, or map them anew",
                polygons,
            )
        if self._refused.any():
            skewed = np.flatnonzero(self._refused)
            self._warn(
                f"{number_of(len(skewed), 'faces have')} textures near their UVs: these are skewed or bent", skewed
            )

    def _warn(self, message: str, faces: Indices) -> None:
        """Warn of faces of the table."""
        polygons = np.flatnonzero(np.isin(self.table.polygons, faces))
        self.findings.append(Finding("warning", message, polygons))

    def _note(self, message: str) -> None:
        self.findings.append(Finding("note", message))

    # ------------------------------------------------------------------------------------------------------ own

    def _own(self, which: Indices) -> None:
        """Parameters of faces that are in no group."""
        if not len(which):
            return
        faces, parents = self.table.faces.records, self.table.parents[which]
        charts, corners = self._charts(which)
        before = _mapping(faces[which])
        mapping, residual, flat = self._solve(corners, charts, self._normals[which], before)
        plain = self._is_plain(which)
        found = ~flat & ~plain & (residual <= self._limit(corners, charts, len(which)))
        usable = ~flat & _is_finite(mapping)
        # Edits of UVs are ignored where these were never shown, and on faces on which no texture lies.
        blind = self._is_sliver(which, corners, charts) | (flat & ~_is_finite(before))
        edited = self._uv_edited[which] & ~self.edits.reshaped[which] & ~blind
        stays = ~found & (parents >= 0) & ~(edited | (self.rules.nearest & usable))
        blank, near = (~found & (parents < 0) & shaped for shaped in (~usable | plain, usable & ~plain))
        self._refused[which[~found & (parents >= 0) & ~stays]] = True
        written = found | (~stays & ~blank & usable)
        self._write(faces, which[written], Mapping(*(each[written] for each in _parts(mapping))))
        faces["angle"][which[blank]], faces["offset"][which[blank]] = 0, 0
        faces["scale"][which[blank]] = USUAL_SCALE
        if (plain & usable).any():
            self._note(
                f"{number_of((plain & usable).sum(), 'new faces lie')} as the editor lays new ones, not by their UVs "
                "(New faces)"
            )
        held = stays & ~flat & ~blind
        self._hold(which[held])
        if near.any():
            self._warn(f"{number_of(near.sum(), 'new faces have')} skewed UVs: textures lie near them", which[near])
        skewed = held & ((self.table.records[which] < 0) | self._uv_edited[which])
        if (held & ~skewed).any():
            count = int((held & ~skewed).sum())
            self._note(f"{number_of(count, 'faces were')} reshaped: textures stay where they are in the level")
        if skewed.any():
            count = int(skewed.sum())
            lie = "textures lie as on the faces that they came from"
            self._warn(f"{number_of(count, 'reshaped faces have')} skewed UVs: {lie}", which[skewed])

    def _hold(self, which: Indices) -> None:
        """Let textures stay where they are in the level, on faces that lie otherwise than those that they came from:
        what parameters mean depends on a face's normal. Where that is quite another, the parameters stay as they are.
        """
        if not len(which):
            return
        before, normals = _mapping(self.table.faces.records[which]), self._normals[which]
        old = self._file_normals()[self.table.parents[which]]
        charts, corners = self._charts(which)
        points = self._points[corners]
        with np.errstate(invalid="ignore", divide="ignore"):
            found = solve(points, normals, coordinates(points, old, before, charts), charts, before).mapping
            alike = (old * normals).sum(axis=1) > _ALIKE
        alike &= _is_finite(found)
        self._write(self.table.faces.records, which[alike], Mapping(*(each[alike] for each in _parts(found))))

    def _is_plain(self, which: Indices) -> Bools:
        """Which faces lie as the editor lays new ones, bool of `which`: those that were made by hand."""
        fresh = self.edited.fresh[self.table.first[which]] & (self.table.parents[which] < 0)
        return fresh if self.rules.world else np.zeros(len(which), np.bool_)

    def _is_sliver(self, which: Indices, corners: Indices, charts: Indices) -> Bools:
        """Which faces are lines, but for rounding, bool of `which`."""
        points = self._points[corners].astype(np.float64)
        flat = [(points * axis[charts]).sum(axis=1) for axis in axes(self._normals[which])]
        return _narrow(np.stack(flat, axis=1), charts, len(which))

    def _file_normals(self) -> Floats:
        """Of the faces of the file [n, 3]."""
        mesh = self._mesh
        return face_normals(mesh.positions, mesh.corners, mesh.faces.face_loops, mesh.faces.loop_members)

    def _group(self, number: int, which: Indices) -> None:
        """Faces of one group of which something was edited: they agree with it, or all move it, or they leave it."""
        faces = self.table.faces.records
        rows = np.flatnonzero(self.groups["id"] == number)
        if not len(rows):
            if (self.table.records[which] >= 0).all() and not self.edits.regrouped[which].any():
                return  # the file itself names a group that there isn't
            self._new_group(number, np.flatnonzero(faces["mapping_group"] == number))
            return
        row = rows[:1]
        charts, corners = self._charts(which)
        narrow = _narrow(self.edited.uvs[corners].astype(np.float64), charts, len(which))
        blank = which[narrow & (self.table.records[which] < 0)]  # sides of what was extruded: as their group, upright
        for name in ("angle", "scale", "offset"):
            faces[name][blank] = self.groups[name][row]
        faces["mapping_group"][blank] = NO_MAPPING_GROUP
        which = np.setdiff1d(which, blank)
        joins = self.edits.regrouped[which] & ~self._uv_edited[which]
        normal, before = self.groups["normal"][row], _mapping(self.groups[row])
        charts, corners = self._charts(which)
        misfit = ~self._fits(corners, charts, which, normal, before) & ~joins
        if not misfit.any():
            return
        everyone = np.flatnonzero((faces["mapping_group"] == number) & (self.table.first >= 0))
        everyone = np.setdiff1d(everyone, which[joins])
        _, all_corners = self._charts(everyone)
        together = np.zeros(len(all_corners), np.intp)
        for normal_now in (normal, *self._turned(all_corners, np.sign(np.asarray(before.scale)).prod())):
            mapping, residual, flat = self._solve(all_corners, together, normal_now, before)
            if not flat[0] and residual[0] <= self._limit(all_corners, together, 1)[0]:
                self._write(self.groups, row, mapping)
                self.groups["normal"][row] = normal_now
                return
        leaving = which[misfit]
        charts, corners = self._charts(leaving)
        _, residual, flat = self._solve(corners, charts, self._normals[leaving], _mapping(faces[leaving]))
        alone = ~flat & (residual <= self._limit(corners, charts, len(leaving)))
        faces["mapping_group"][leaving[alone]] = NO_MAPPING_GROUP
        if alone.any():
            self._note(f"{number_of(alone.sum(), 'faces')} left mapping group {number}: textures lie otherwise")
        own = (self._uv_edited[leaving] & ~self.edits.reshaped[leaving]) | (self.table.parents[leaving] < 0)
        self._divide(row, leaving[~alone & own])

    def _divide(self, row: Indices, which: Indices) -> None:
        """Take faces out of a group whose UVs neither it gives nor any parameters of their own: where those of a group
        like it do, they get one.
        """
        faces, normal, before = self.table.faces.records, self.groups["normal"][row], _mapping(self.groups[row])
        charts, corners = self._charts(which)
        spread = (np.repeat(each, len(which), axis=0) for each in _parts(before))
        _, residual, flat = self._solve(corners, charts, np.repeat(normal, len(which), axis=0), Mapping(*spread))
        fitting = ~flat & (residual <= self._limit(corners, charts, len(which)))
        faces["mapping_group"][which[~fitting]] = NO_MAPPING_GROUP
        rest = which[fitting]
        while len(rest):
            rest = rest[~self._branch(row, rest)]

    def _branch(self, row: Indices, which: Indices) -> Bools:
        """Put faces into a new group that is turned as another one: all of them, or else those that lie as the first.
        Says which.
        """
        faces, normal, before = self.table.faces.records, self.groups["normal"][row], _mapping(self.groups[row])
        charts, corners = self._charts(which)
        one = np.zeros(len(corners), np.intp)
        mapping, residual, flat = self._solve(corners, one, normal, before)
        members = np.ones(len(which), np.bool_)
        if flat[0] or residual[0] > self._limit(corners, one, 1)[0]:
            first = corners[charts == 0]
            mapping, _, _ = self._solve(first, one[: len(first)], normal, before)
            members = self._fits(corners, charts, which, normal, mapping)
            members[0] = True
        used = np.union1d(self.groups["id"], faces["mapping_group"])
        made = self.groups[row]
        made["id"] = np.setdiff1d(np.arange(FIRST_ID, FIRST_ID + len(used) + 1), used)[0]
        self._write(made, np.zeros(1, np.intp), mapping)
        self.groups = np.concatenate([self.groups, made])
        faces["mapping_group"][which[members]] = made["id"]
        self._note(f"{number_of(members.sum(), 'faces')} became mapping group {made['id'][0]}: textures lie otherwise")
        return members

    def _turned(self, corners: Indices, sign: float) -> Iterator[Floats]:
        """The normal [1, 3] of a group whose texture lies on these corners as one, if there is one. sign: that of the
        product of the group's scales; -1 is a mirrored texture.
        """
        points, uvs = self._points[corners].astype(np.float64), self.edited.uvs[corners].astype(np.float64)
        if not np.isfinite(uvs).all():
            return
        gradients = np.linalg.lstsq(points - points.mean(axis=0), uvs - uvs.mean(axis=0), rcond=_THIN)[0]
        normal = np.cross(gradients[:, 0], gradients[:, 1]) * sign
        length = np.sqrt((normal**2).sum())
        if length > 0:
            yield (normal / length)[None]

    def _new_group(self, number: int, which: Indices) -> None:
        """A group that there isn't yet, of all faces whose attribute names it: it looks as they do on the whole, or to
        where their texture comes from.
        """
        mean = np.nan_to_num(self._normals[which]).sum(axis=0, keepdims=True)
        length = np.sqrt((mean**2).sum())
        mean = mean / length if length > 0 else np.array([[0.0, 1.0, 0.0]])
        _, corners = self._charts(which)
        charts = np.zeros(len(corners), np.intp)
        for normal in (mean, *self._turned(corners, 1)):
            mapping, residual, flat = self._solve(corners, charts, normal, None)
            if not flat[0] and residual[0] <= self._limit(corners, charts, 1)[0]:
                made = np.zeros(1, MAPPING_GROUP)
                made["id"], made["normal"] = number, normal
                self._write(made, np.zeros(1, np.intp), mapping)
                self.groups = np.concatenate([self.groups, made])
                self._note(f"mapping group {number}: {number_of(len(which), 'faces')}")
                return
        self.table.faces.records["mapping_group"][which] = NO_MAPPING_GROUP
        self._warn(
            f"the textures of {number_of(len(which), 'faces')} don't lie as one: there is no mapping group {number}",
            which,
        )

    # ---------------------------------------------------------------------------------------------------- parts

    def _find_edited(self, mesh: Mesh, shown: ShownPolygons) -> Bools:
        """Faces of which a corner that the import made has other UVs now, bool[f]. Where there are none: not edited."""
        edited = np.zeros(len(self.table.records), np.bool_)
        if not len(shown.faces):
            return edited
        before = np.repeat(shown.faces, np.diff(shown.starts)), mesh.corners[shown.members]
        bits = np.ascontiguousarray(shown.uvs).view(np.uint32)
        now = self.table.parents[self._corner_faces], self.edits.numbers[self.edited.corners]
        own = np.ascontiguousarray(self.edited.uvs).view(np.uint32)
        known = np.isin(mixed(*now), mixed(*before)) & np.isfinite(self.edited.uvs).all(axis=1)
        same = np.isin(mixed(*now, own[:, 0], own[:, 1]), mixed(*before, bits[:, 0], bits[:, 1]))
        edited[self._corner_faces[known & ~same]] = True
        return edited

    def _charts(self, which: Indices) -> tuple[Indices, Indices]:
        """The corners of faces, and of each the place of its face in `which`."""
        places = np.full(len(self.table.records), -1, np.intp)
        places[which] = np.arange(len(which))
        charts = places[self._corner_faces]
        corners = np.flatnonzero(charts >= 0)
        return charts[corners], corners

    def _solve(
        self, corners: Indices, charts: Indices, normals: Floats, before: Mapping | None
    ) -> tuple[Mapping, Floats, Bools]:
        """Parameters that come nearest, how far they are off, and which charts' UVs cover no area."""
        points, uvs = self._points[corners], self.edited.uvs[corners].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            solution = solve(points, normals, uvs, charts, before, _KEPT)
        mapping, residual = solution.mapping, solution.residual.copy()
        with np.errstate(invalid="ignore"):
            flat = (
                ~(np.abs(mapping.scale) > 0).all(axis=1) | ~np.isfinite(residual) | _narrow(uvs, charts, len(normals))
            )
        if before is None:
            return mapping, residual, flat
        # Where the texture was only moved, angle and scale stay to the bit.
        offset = np.zeros_like(np.asarray(before.offset, np.float64))
        apart = uvs - coordinates(points, normals, Mapping(before.angle, before.scale, offset), charts)
        sizes = np.maximum(np.bincount(charts, minlength=len(normals)), 1)
        with np.errstate(invalid="ignore"):
            means = np.stack([np.bincount(charts, axis, len(normals)) / sizes for axis in apart.T], axis=1)
            worst = np.zeros(len(normals))
            np.maximum.at(worst, charts, np.abs(apart - means[charts]).max(axis=1))
            limit = _KEPT + _STEP * np.sqrt(np.bincount(charts, (uvs**2).sum(axis=1), len(normals)))
            moved = (worst <= limit) & np.isfinite(means).all(axis=1) & ~_equal(mapping, before)
            shift = means * (1, -1)
            shift = np.where(np.abs(shift - before.offset) <= limit[:, None], before.offset, shift)
        offset = np.where(moved[:, None], shift, mapping.offset)
        angle = np.where(moved, before.angle, mapping.angle)
        scale = np.where(moved[:, None], before.scale, mapping.scale)
        return Mapping(angle, scale, offset), np.where(moved, worst, residual), flat & ~moved

    def _fits(self, corners: Indices, charts: Indices, which: Indices, normal: Floats, mapping: Mapping) -> Bools:
        """Whether the UVs of faces are what the parameters of one chart give, bool of `which`."""
        points, uvs = self._points[corners], self.edited.uvs[corners]
        apart = np.abs(coordinates(points, normal, mapping, np.zeros(len(corners), np.intp)) - uvs).max(axis=1)
        worst = np.zeros(len(which))
        with np.errstate(invalid="ignore"):
            np.maximum.at(worst, charts, apart)
        size = np.sqrt(np.bincount(charts, (uvs.astype(np.float64) ** 2).sum(axis=1), len(which)))
        result: Bools = worst <= _KEPT + _STEP * size
        return result

    def _limit(self, corners: Indices, charts: Indices, count: int) -> Floats:
        """How far UVs may be off."""
        squares = (self.edited.uvs[corners].astype(np.float64) ** 2).sum(axis=1)
        return np.asarray(TOLERANCE + _STEP * np.sqrt(np.bincount(charts, squares, count)), np.float64)

    @staticmethod
    def _write(records: Records, rows: Indices, mapping: Mapping) -> None:
        with np.errstate(over="ignore"):
            records["angle"][rows] = mapping.angle
            records["scale"][rows] = mapping.scale
            records["offset"][rows] = mapping.offset


def _mapping(records: Records) -> Mapping:
    return Mapping(records["angle"], records["scale"], records["offset"])


def _parts(mapping: Mapping) -> tuple[Reals, ...]:
    return np.asarray(mapping.angle), np.asarray(mapping.scale), np.asarray(mapping.offset)


def _is_finite(mapping: Mapping) -> Bools:
    """Which charts have parameters that are numbers."""
    result: Bools = np.isfinite(np.column_stack(_parts(mapping))).all(axis=1)
    return result


def _narrow(uvs: Floats, charts: Indices, count: int) -> Bools:
    """Which charts' UVs, or places in their planes, lie on a line or in a point."""
    sizes = np.maximum(np.bincount(charts, minlength=count), 1)
    means = np.stack([np.bincount(charts, axis, count) / sizes for axis in uvs.T], axis=1)
    u, v = (uvs - means[charts]).T
    uu, uv, vv = (np.bincount(charts, product, count) for product in (u * u, u * v, v * v))
    result: Bools = ~(uu * vv - uv * uv > _FLAT * (uu + vv) ** 2)
    return result


def _equal(one: Mapping, two: Mapping) -> Bools:
    """Which charts have the very same parameters."""
    same = (np.asarray(one.angle) == two.angle) & (np.asarray(one.scale) == two.scale).all(axis=1)
    result: Bools = same & (np.asarray(one.offset) == two.offset).all(axis=1)
    return result
