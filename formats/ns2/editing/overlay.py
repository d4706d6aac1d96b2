# SPDX-License-Identifier: GPL-3.0-or-later
"""A level's mesh with an edited one laid over it: what nobody touched stays as it is, bit for bit.

Everything that polygons can't show is taken from the file: faces that aren't shown, edges and vertices that no face
has, ghosts, flags. Elements that stay keep their order; those that are gone close up, new ones come last, and whatever
names them by number (loops, groups, triangles) follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Bools, Indices, Records, Singles
from ...binary import FormatError
from ...counting import number_of
from .. import material as material_file
from ..faces import FaceLayers, Faces
from ..mesh import Mesh
from ..normals import face_normals
from ..records import MASK_WORDS, NO_GROUP
from ..rings import MOST_CORNERS
from ..triangles import GeometryGroups, GroupTable
from .edited import EditedMesh, Finding, MaterialEdits, RefusedFacesError, TextureRules
from .mappings import FaceEdits, MappingOverlay
from .matching import FaceTable, match_faces
from .numbering import EdgeNumbers, Kept, number_vertices
from .shown import ShownPolygons, groups_shown
from .triangles import retriangulated

_VERSION_HINT = "save it as version 10"
_WELDED = (7, 8, 9)
"""Versions whose editors weld triangles to vertices of the same place, and to ghosts on borders (ns2.md §9);
before and after, triangles have the corners of their faces only."""
_MAPPING_SINCE = 9
"""The version that mapping groups came with (ns2.md §2)."""
DEFAULT_MATERIAL = "materials/dev/dev_floor_grid.material"
"""Of faces without a material in levels that have none."""
_FLAT = 0.0254
"""Metres (an inch, the editor's grid) that a corner may lie off its face's plane."""


@dataclass(frozen=True, slots=True, eq=False)
class OverlaidMesh:
    """What `overlay` makes."""

    mesh: Mesh
    table: FaceTable
    """Which faces the polygons of the edited mesh are."""
    findings: list[Finding]


def overlay(
    edited: EditedMesh,
    mesh: Mesh,
    shown: ShownPolygons,
    materials: MaterialEdits,
    *,
    loose_edges: bool = False,
    split: bool = False,
    groups: Records | None = None,
    textures: TextureRules = TextureRules(),  # noqa: B008 - it can't change
    rebuilt: bool = False,
) -> OverlaidMesh:
    """Lay an edited mesh over a level's, which stays as it is. `edited` may be changed: what is off by rounding.

    shown: what `show_mesh` made of the level's mesh. loose_edges: edges without polygons were shown, too. split: the
    polygons were shown in several meshes, none of which has loose edges. groups: MAPPING_GROUP [g], the mapping groups
    that there are now, without them those of the level; one that its last face left goes. textures: how those of edited
    and new faces lie. rebuilt: of the level only what faces need stays, and its materials only where `materials` says
    so; all triangles are made anew but those of faces that aren't shown.

    Raises RefusedFacesError, and FormatError for what the level's version can't hold.
    """
    now = mesh.mapping_groups if groups is None else groups
    return _MeshOverlay(edited, mesh, shown, loose_edges, split, now, textures, rebuilt).run(materials)


class _MeshOverlay:
    """One use of `overlay`."""

    def __init__(
        self,
        edited: EditedMesh,
        mesh: Mesh,
        shown: ShownPolygons,
        loose: bool,
        split: bool,
        groups: Records,
        textures: TextureRules,
        rebuilt: bool,
    ) -> None:
        self.edited, self.mesh, self.shown, self.groups = edited, mesh, shown, groups
        self.loose = loose and not split
        self.textures, self.rebuilt = textures, rebuilt
        self.findings: list[Finding] = []
        before = mesh.positions
        self._before = np.where(np.isfinite(before), before, np.float32(0))
        known = np.flatnonzero((edited.vertices >= 0) & (edited.vertices < len(before)))
        own = self._before[edited.vertices[known]]
        still = (np.abs(edited.positions[known] - own) <= edited.rounding[known, None]).all(axis=1)
        edited.positions[known[still]] = own[still]
        pairs = mesh.edge_vertices
        passed = np.zeros(len(pairs), np.bool_)
        passed[mesh.faces.members["edge"][shown.members[~shown.bridges]].astype(np.intp)] = True
        if loose:
            passed |= pairs[:, 0] != pairs[:, 1]
        self.vertices = number_vertices(edited, self._before)
        self.edges = EdgeNumbers(pairs, passed)
        self.table = match_faces(edited, mesh, shown, self.vertices, self.edges)

    def run(self, materials: MaterialEdits) -> OverlaidMesh:
        """Make the new mesh."""
        old, new = self.mesh, Mesh(self.mesh.version, self.mesh.written())
        positions, moved = self._positions()
        vertices, edges = self._kept()
        self._check_shapes(positions, moved)

        records = _grown(old.vertices, len(self.vertices.instances))
        if "flag" in (records.dtype.names or ()):
            records["flag"][len(old.vertices) :] = 1
        records["position"] = positions
        _set(new, "vertices", records[vertices.old])
        edge_records = _grown(old.edges, len(self.edges.pairs))
        edge_records["vertices"] = vertices.numbers[self.edges.pairs]
        smooth, resmoothed = self._smooth()
        if "smooth" in (edge_records.dtype.names or ()):
            turned = smooth != (edge_records["smooth"] != 0)
            edge_records["smooth"][turned] = smooth[turned]
        elif smooth.any():
            self._warn(f"version {old.version} has no smooth edges: {_VERSION_HINT}")
        _set(new, "edges", edge_records[edges.old])
        self._write_faces(new, positions, moved, edges)
        self._write_materials(new, materials)
        self._set_faces(new)
        self._write_layers(new)
        self._write_groups(new, vertices, edges)
        self._write_triangles(new, vertices, edges, moved, resmoothed)
        self._note_edits(moved)
        return OverlaidMesh(new, self.table, self.findings)

    # -------------------------------------------------------------------------------------------- vertices, edges

    def _positions(self) -> tuple[Singles, Bools]:
        """Of interim vertices, float32[m, 3]; and which of the file's moved, bool[v]."""
        before = self.mesh.positions
        positions = np.zeros((len(self.vertices.instances), 3), np.float32)
        positions[: len(before)] = before
        there = np.flatnonzero(self.vertices.instances >= 0)
        now = self.edited.positions[self.vertices.instances[there]]
        old = there < len(before)
        same = np.zeros(len(there), np.bool_)
        same[old] = (now[old] == self._before[there[old]]).all(axis=1)
        positions[there[~same]] = now[~same]
        moved = np.zeros(len(before), np.bool_)
        moved[there[old & ~same]] = True
        return positions, moved

    def _kept(self) -> tuple[Kept, Kept]:
        """Which vertices and edges stay: those of faces, loose ones of the edited mesh, and what wasn't shown."""
        old = self.mesh
        used = np.zeros(len(self.edges.pairs), np.bool_)
        used[self.table.faces.members["edge"].astype(np.intp)] = True
        edited_pairs = self.vertices.numbers[self.edited.edges]
        loose = np.ones(len(edited_pairs), np.bool_)
        loose[self.edited.sides] = False
        loose_numbers = self.edges.need(edited_pairs[loose & (edited_pairs[:, 0] != edited_pairs[:, 1])])
        present = np.zeros(len(self.edges.pairs), np.bool_)
        found = self.edges.find(edited_pairs)
        present[found[found >= 0]] = True
        used = np.concatenate([used, np.zeros(len(present) - len(used), np.bool_)])
        used[loose_numbers] = True
        faceless = np.ones(len(old.edges), np.bool_)
        faceless[old.faces.members["edge"].astype(np.intp)] = False
        if self.loose:
            pairs = self.edges.pairs[: len(old.edges)]
            faceless &= (pairs[:, 0] == pairs[:, 1]) | present[self.edges.representatives]
        if not self.rebuilt:
            used[: len(old.edges)] |= faceless
        points = np.zeros(len(self.vertices.instances), np.bool_)
        points[self.edges.pairs[used]] = True
        alone = np.ones(len(self.edited.positions), np.bool_)
        alone[self.edited.edges] = False
        points[self.vertices.numbers[alone]] = True
        unused = np.ones(len(old.vertices), np.bool_)
        unused[old.edge_vertices] = False
        if not self.rebuilt:
            points[: len(old.vertices)] |= unused
        return Kept.of(points), Kept.of(used)

    def _smooth(self) -> tuple[Bools, Bools]:
        """Of interim edges: which are smooth, and which are so, or aren't, as they weren't."""
        count, total = len(self.mesh.edges), len(self.edges.pairs)
        was = np.zeros(total, np.bool_)
        was[:count] = self.mesh.smooth
        numbers, real = self._edited_edges()
        now = np.ones(total, np.bool_)
        np.logical_and.at(now, numbers, self.edited.smooth[real])
        there = np.zeros(total, np.bool_)
        there[numbers] = True
        turned = there & (now != was)
        result = np.where(turned, now, was)
        stands = self.edges.representatives
        turned[:count] = turned[stands]
        result[:count] = np.where(turned[:count], result[stands], was[:count])
        return result, turned

    def _edited_edges(self) -> tuple[Indices, Indices]:
        """Edges of the edited mesh that faces of the level have: interim numbers int[k], and their own. Not bridges."""
        passed = np.zeros(len(self.edited.edges), np.bool_)
        passed[self.edited.sides] = True
        numbers = self.edges.find(self.vertices.numbers[self.edited.edges])
        own = np.flatnonzero(passed & (numbers >= 0) & ~self.edited.bridges)
        return numbers[own], own

    # ------------------------------------------------------------------------------------------------------ faces

    def _merged(self, now: Array, before: Array) -> Array:
        """A value of each face, [f]: of its polygons that disagree, one that was edited counts. now: of polygons [p];
        before: what the file's faces show, [n].
        """
        table = self.table
        result = np.zeros((len(table.records), *now.shape[1:]), now.dtype)
        known = table.records >= 0
        result[known] = before[table.records[known]]
        new = np.flatnonzero(~known)
        result[new] = now[table.first[new]]
        differs = now != result[table.polygons]
        edited = np.flatnonzero(differs.any(axis=tuple(range(1, differs.ndim))) & known[table.polygons])
        result[table.polygons[edited[::-1]]] = now[edited[::-1]]
        return result

    def _write_faces(self, new: Mesh, positions: Singles, moved: Bools, edges: Kept) -> None:
        """Loops, mapping groups and parameters of faces."""
        table, records = self.table, self.table.faces.records
        old = self.mesh.faces.records["mapping_group"]
        before = groups_shown(old)
        now = self._merged(self.edited.mapping_groups, before)
        known = np.flatnonzero(table.records >= 0)
        regrouped = np.zeros(len(records), np.bool_)
        known_groups = self.mesh.mapping_groups
        removed = np.setdiff1d(known_groups["id"], self.groups["id"])
        regrouped[known] = (now[known] != before[table.records[known]]) | np.isin(now[known], removed)
        records["mapping_group"] = now
        kept = known[~regrouped[known]]
        records["mapping_group"][kept] = old[table.records[kept]]

        members = table.faces.members
        corners = self.edges.pairs[members["edge"].astype(np.intp), members["flipped"].astype(np.intp)]
        owners = table.faces.loop_faces[table.faces.member_loops]
        touched = np.concatenate([moved, np.zeros(len(positions) - len(moved), np.bool_)])
        reshaped = ~table.same | (np.bincount(owners, touched[corners], len(records)) > 0)
        edits = FaceEdits(reshaped, regrouped, positions, self.vertices.numbers, corners)
        mappings = MappingOverlay(self.edited, table, self.mesh, self.shown, edits, self.groups, self.textures)
        mappings.run()
        self.findings += mappings.findings
        groups = mappings.groups
        lost = np.isin(groups["id"], np.setdiff1d(old, records["mapping_group"]))
        for number in groups["id"][lost].tolist():
            self._note(f"mapping group {number} goes with its last face")
        if len(groups) > len(known_groups) == 0 and self.mesh.version < _MAPPING_SINCE:
            raise FormatError(f"version {self.mesh.version} has no mapping groups: {_VERSION_HINT}")
        _set(new, "mapping_groups", groups[~lost])

        members = members.copy()
        members["edge"] = edges.numbers[members["edge"].astype(np.intp)]
        self._faces = Faces(records, table.faces.face_loops, table.faces.loop_members, members)

    def _set_faces(self, new: Mesh) -> None:
        """Set the faces if they aren't what the mesh has, bit for bit."""
        old, made = self.mesh.faces, self._faces
        parts = ("records", "face_loops", "loop_members", "members")
        if any(getattr(old, part).tobytes() != getattr(made, part).tobytes() for part in parts):
            new.faces = made

    def _write_materials(self, new: Mesh, edits: MaterialEdits) -> None:
        """The list of materials, and each face's number in it."""
        paths, listed = edits.paths, edits.listed
        records, known = self._faces.records, self.table.records >= 0
        every = list(dict.fromkeys([*listed, *paths, ""]))  # a face of the file may name one that isn't in the list
        places = {path: number for number, path in enumerate(every)}
        old = self.mesh.faces.records["material"].astype(np.intp)
        own = np.array([*(places[path] for path in listed), places[""]], np.intp)
        before = own[np.minimum(old, len(listed))]
        now = np.array([places[path] for path in paths], np.intp)[self.edited.materials]
        wanted = self._merged(now, before)
        same = known.copy()
        same[known] = wanted[known] == before[self.table.records[known]]
        result = np.full(len(records), len(listed), np.intp)
        result[same] = old[self.table.records[same]]

        bare = ~same & (wanted == places[""]) & ("" not in listed)
        if bare.any():
            fallback = listed[0] if listed else DEFAULT_MATERIAL
            every.append(fallback)
            wanted[bare] = len(every) - 1
            self._warn(f"{number_of(bare.sum(), 'faces have')} no material, so {fallback} is used", bare)
        materials = list(listed)
        numbers = {path: number for number, path in reversed(list(enumerate(listed)))}
        for place in np.unique(wanted[~same]).tolist():
            path = every[place]
            if path not in numbers:
                numbers[path] = len(materials)
                materials.append(path)
                if not path.endswith(material_file.ENDING):
                    about = ~same & (wanted == place)
                    self._warn(f"material {path!r} is no path of a {material_file.ENDING} file", about)
            result[~same & (wanted == place)] = numbers[path]
        stays = np.zeros(len(materials), np.bool_)
        stays[result[result < len(materials)]] = True
        stays[sorted(edits.kept)] = True
        kept = Kept.of(stays)
        inside = result < len(materials)
        result[inside] = kept.numbers[result[inside]]
        records["material"] = result
        materials = [materials[number] for number in kept.old.tolist()]
        if materials != self.mesh.materials:
            new.materials = materials

    def _write_layers(self, new: Mesh) -> None:
        """Masks of the faces' layers."""
        old, table = self.mesh.face_layers, self.table
        words = old.masks.shape[1]
        before = np.zeros((len(self.mesh.faces), MASK_WORDS), np.uint32)
        before[:, :words] = old.masks
        now = self._merged(self.edited.layers, before)
        known = np.flatnonzero(table.records >= 0)
        changed = np.ones(len(now), np.bool_)
        changed[known] = (now[known] != before[table.records[known]]).any(axis=1)
        if now[:, words:].any():
            raise FormatError(f"version {self.mesh.version} has layers of ids below {32 * words} only: {_VERSION_HINT}")
        has = now.any(axis=1) | (words < MASK_WORDS)
        unchanged = np.flatnonzero(~changed)
        has[unchanged] = old.has[table.records[unchanged]]
        if changed.any() or not np.array_equal(table.records, np.arange(len(self.mesh.faces))):
            new.face_layers = FaceLayers(has, now[:, :words])

    def _write_groups(self, new: Mesh, vertices: Kept, edges: Kept) -> None:
        """Which geometry groups vertices, edges and faces are in."""
        old = self.mesh.geometry_groups
        numbers, real = self._edited_edges()
        stands = self.edges.representatives
        made = []
        for table, count, kept, own, values in (
            (old.vertices, len(self.mesh.vertices), vertices, self.vertices.numbers, self.edited.vertex_groups),
            (old.edges, len(self.mesh.edges), edges, numbers, self.edited.edge_groups[real]),
        ):
            raw = table.assignment(count)
            before = np.full(len(kept.numbers), NO_GROUP, np.uint32)
            before[:count] = groups_shown(raw)
            now = before.copy()
            edited = np.flatnonzero(values != before[own])
            now[own[edited]] = values[edited]
            if table is old.edges:
                turned = (now != before)[stands]
                now[:count][turned] = now[stands[turned]]
            same = now[:count] == before[:count]
            now[:count][same] = raw[same]
            made.append((table, now[kept.old], raw))
        raw = old.faces.assignment(len(self.mesh.faces))
        shown = groups_shown(raw)
        now = self._merged(self.edited.face_groups, shown)
        known = np.flatnonzero(self.table.records >= 0)
        same = known[now[known] == shown[self.table.records[known]]]
        now[same] = raw[self.table.records[same]]
        made.append((old.faces, now, raw))
        none = [not len(table.members) and (groups == NO_GROUP).all() for table, groups, _ in made]
        tables = [
            table if bare or np.array_equal(groups, raw) else GroupTable.of(groups)
            for bare, (table, groups, raw) in zip(none, made, strict=True)
        ]
        if all(one is two for one, (two, _, _) in zip(tables, made, strict=True)):
            return
        if self.mesh.version <= 4:
            raise FormatError(f"version {self.mesh.version} has no groups of geometry: {_VERSION_HINT}")
        new.geometry_groups = GeometryGroups(*tables)

    # -------------------------------------------------------------------------------------------------- triangles

    def _write_triangles(self, new: Mesh, vertices: Kept, edges: Kept, moved: Bools, resmoothed: Bools) -> None:
        """What the game draws, where anything of the mesh's shape was edited."""
        table, count = self.table, len(self.mesh.vertices)
        changed = ~table.same | (self.rebuilt & (table.first >= 0))
        untouched = (
            not changed.any()
            and not moved.any()
            and not resmoothed.any()
            and np.array_equal(table.records, np.arange(len(self.mesh.faces)))
            and np.array_equal(vertices.numbers, np.arange(count))
        )
        if untouched:
            return
        turned = resmoothed.copy()
        old_members, members = self.mesh.faces.members["edge"].astype(np.intp), table.faces.members["edge"]
        passes = np.zeros((2, len(turned)), np.intp)
        np.add.at(passes[0], old_members, 1)
        np.add.at(passes[1], members.astype(np.intp), 1)
        turned |= passes[0] != passes[1]
        if self.mesh.version in _WELDED:
            self._note(
                f"editors of version {self.mesh.version} also put edited faces' triangles on corners of their "
                f"neighbours; these aren't: where that leaves cracks, {_VERSION_HINT}"
            )
        new.triangles = retriangulated(self.mesh, new, table.records, changed, vertices, moved, turned[edges.old])

    def _check_shapes(self, positions: Singles, moved: Bools) -> None:
        """Refuse edited faces that are too large to get triangles, and warn of those that are bent: the game draws
        their triangles, the editor has only flat ones.
        """
        table, faces = self.table, self.table.faces
        members = faces.members
        corners = self.edges.pairs[members["edge"].astype(np.intp), members["flipped"].astype(np.intp)]
        owners = faces.loop_faces[faces.member_loops]
        normals = face_normals(positions, corners, faces.face_loops, faces.loop_members)
        first = faces.loop_members[faces.face_loops[:-1]]
        origin = positions[corners[first.clip(max=max(len(corners) - 1, 0))]].astype(np.float64)
        touched = np.concatenate([moved, np.ones(len(positions) - len(moved), np.bool_)])
        edited = ~table.same | (np.bincount(owners, touched[corners], len(table.records)) > 0)
        large = edited & (np.bincount(owners, minlength=len(table.records)) > MOST_CORNERS)
        if large.any():
            raise RefusedFacesError(
                f"{{}} of more than {MOST_CORNERS:,} corners would get no triangles: cut them",
                np.flatnonzero(large[table.polygons]),
            )
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(((positions[corners] - origin[owners]) * normals[owners]).sum(axis=1)) > _FLAT
        bent = edited & (np.bincount(owners, off, len(table.records)) > 0)
        if bent.any():
            count = int(bent.sum())
            message = f"{number_of(count, 'edited faces are')} not flat: only how triangles are drawn is sure"
            self._warn(message, bent, are_bent=True)

    def _note_edits(self, moved: Bools) -> None:
        """Count what was edited."""
        table = self.table
        old = table.records >= 0
        for count, what in (
            (int((~old).sum()), "new faces"),
            (len(self.mesh.faces) - int(old.sum()), "faces deleted"),
            (int((old & ~table.same).sum()), "faces with another outline"),
            (int(moved.sum()), "vertices moved"),
        ):
            if count and len(self.mesh.faces):
                self._note(number_of(count, what))

    def _warn(self, message: str, faces: Bools | None = None, are_bent: bool = False) -> None:
        """Warn; faces: of the table, which it is about, bool[f]."""
        polygons = None if faces is None else np.flatnonzero(faces[self.table.polygons])
        self.findings.append(Finding("warning", message, polygons, are_bent))

    def _note(self, message: str) -> None:
        self.findings.append(Finding("note", message))


def _grown(records: Array, count: int) -> Array:
    """Records with empty ones behind them."""
    result = np.zeros(count, records.dtype)
    result[: len(records)] = records
    return result


def _set(mesh: Mesh, name: str, records: Array) -> None:
    """Set a table of a mesh if it isn't what the mesh has, bit for bit."""
    old = getattr(mesh, name)
    if len(old) != len(records) or old.tobytes() != records.tobytes():
        setattr(mesh, name, records)
