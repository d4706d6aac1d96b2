# SPDX-License-Identifier: GPL-3.0-or-later
"""What the game or the editor would misread in a level, or an artist didn't mean (ns2.md §6, §10)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sized
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Indices
from ..binary import FormatError, Problem
from ..counting import number_of
from . import material
from .level import Group, Layer, Level
from .mesh import Mesh
from .names import meant
from .objects import Entity, no_group
from .records import FLOAT_TYPES, MASK_WORDS, NO_GROUP, NO_MAPPING_GROUP, layers_of

Severity = Literal["error", "warning"]

_FARTHEST = 1 << 17
"""Metres from the middle where the next number that 32-bit floats have is over a centimetre away."""


def check(level: Level) -> list[Problem]:
    """Problems, each with its place; many of one kind are one problem that names the first and counts all."""
    found: list[Problem] = []
    for part in (_listed, _vertices, _loops, _faces, _triangles, _groups, _entities):
        try:
            found += part(level)
        except FormatError as error:
            place = error.reading or "level"
            # Its byte is a place, too: what stands before may have grown.
            problem = Problem(place if error.offset is None else f"{place}, byte {error.offset:#x}", error.message)
            if problem not in found:
                found.append(problem)
    return found


def _some(wrong: Bools, place: str, message: str, severity: Severity = "error") -> Iterator[Problem]:
    """One problem for all elements where `wrong` is set."""
    numbers = np.flatnonzero(wrong)
    if len(numbers):
        more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
        yield Problem(f"{place} {numbers[0]}{more}", message, severity, len(numbers))


def _listed(level: Level) -> Iterator[Problem]:
    yield from _names(level.layers, "layer")
    yield from _names(level.groups, "group")


def _names(listed: list[Layer] | list[Group], kind: str) -> Iterator[Problem]:
    for each in listed:
        place = f"{kind} {each.name!r}"
        wanted = meant(each.name, kind)
        if wanted:
            yield Problem(place, f"means nothing to the game; {wanted!r} would", "warning")
        elif each.name != each.name.strip():
            yield Problem(place, "its name begins or ends with a blank", "warning")
    for number, count in Counter(each.id for each in listed).items():
        if count > 1:
            yield Problem(f"{kind} id {number}", f"{count} have it", count=count)


def _vertices(level: Level) -> Iterator[Problem]:
    mesh = level.mesh
    finite = np.isfinite(mesh.positions).all(axis=1)
    yield from _some(~finite, "vertex", "its position is NaN or infinite")
    far = finite & (np.abs(mesh.positions) > _FARTHEST).any(axis=1)
    yield from _some(
        far, "vertex", f"lies more than {_FARTHEST:,} m out, where places are centimetres apart", "warning"
    )
    beyond = (mesh.edges["vertices"] >= len(mesh.vertices)).any(axis=1)
    yield from _some(beyond, "edge", f"names a vertex that is not there: there are {len(mesh.vertices)}")


def _loops(level: Level) -> Iterator[Problem]:
    mesh = level.mesh
    faces = mesh.faces
    if not len(faces):
        return
    small = np.zeros(len(faces), np.bool_)
    small[faces.loop_faces[np.diff(faces.loop_members) < 3]] = True
    yield from _some(small, "face", "a loop has fewer than three edges", "warning")
    members = faces.members
    beyond, turned = members["edge"] >= len(mesh.edges), members["flipped"] > 1
    yield from _some(beyond, "loop member", f"names an edge that is not there: there are {len(mesh.edges)}")
    yield from _some(turned, "loop member", "its direction is neither 0 nor 1")
    if beyond.any() or turned.any() or (mesh.edges["vertices"] >= len(mesh.vertices)).any():
        return  # where the members lie can't be told
    starts, ends = mesh.member_vertices()
    following = np.arange(1, len(starts) + 1)
    filled = np.diff(faces.loop_members) > 0
    following[faces.loop_members[1:][filled] - 1] = faces.loop_members[:-1][filled]
    broken = np.zeros(len(faces), np.bool_)
    broken[faces.loop_faces[faces.member_loops[ends != starts[following]]]] = True
    yield from _some(broken, "face", "the edges of a loop are not one behind the other", "warning")


def _faces(level: Level) -> Iterator[Problem]:
    mesh = level.mesh
    records = mesh.faces.records
    beyond = records["material"] >= len(mesh.materials)
    yield from _some(beyond, "face", f"names a material that is not there: there are {len(mesh.materials)}")
    groups = records["mapping_group"]
    missing = (groups != NO_MAPPING_GROUP) & ~np.isin(groups, mesh.mapping_groups["id"])
    yield from _some(missing, "face", "names a mapping group that is not there")
    numbers = np.column_stack([records["angle"], records["offset"], records["scale"]])
    yield from _some(~np.isfinite(numbers).all(axis=1), "face", "its texture's mapping is NaN or infinite", "warning")
    layers = mesh.face_layers
    if len(layers.has) != len(records):
        yield _other_count("face layers", len(layers.has), len(records))
    elif layers.masks.shape[1] == MASK_WORDS:
        known = _mask_words(level.layers)
        yield from _some((layers.masks & ~known).any(axis=1), "face", "is in a layer that is not there", "warning")
    for number, path in enumerate(mesh.materials):
        if not path.endswith(material.ENDING):
            yield Problem(f"material {number}", f"{path!r} does not end with {material.ENDING}", "warning")


def _other_count(place: str, count: int, faces: int) -> Problem:
    """A table that has more or fewer rows than there are faces."""
    return Problem(place, f"are of {number_of(count, 'faces')}, there are {faces}", count=abs(count - faces))


def _mask_words(layers: list[Layer]) -> npt.NDArray[np.uint32]:
    mask = sum(1 << number for number in {layer.id for layer in layers} if number < 256)
    return np.frombuffer(mask.to_bytes(32, "little"), "<u4")


def _triangles(level: Level) -> Iterator[Problem]:
    mesh = level.mesh
    triangles = mesh.triangles
    if triangles is None:
        return
    faces = len(triangles.face_triangles) - 1
    if faces != len(mesh.faces):
        yield _other_count("triangles", faces, len(mesh.faces))
    table = triangles.triangles
    count = len(mesh.vertices) + len(triangles.ghosts)
    owners = np.repeat(np.arange(faces), np.diff(triangles.face_triangles))
    beyond = (table["vertices"] >= count).any(axis=1)
    yield from _by_face(beyond, owners, f"names a vertex that is not there: there are {count}")
    if "normals" in (table.dtype.names or ()):
        beyond = (table["normals"] > len(triangles.normals)).any(axis=1)
        yield from _by_face(beyond, owners, f"names a normal that is not there: there are {len(triangles.normals)}")


def _by_face(wrong: Bools, owners: Indices, message: str) -> Iterator[Problem]:
    yield from _some(wrong, f"triangle of face {owners[wrong.argmax()] if wrong.any() else 0}:", message)


def _groups(level: Level) -> Iterator[Problem]:
    mesh = level.mesh
    known = np.array([group.id for group in level.groups], np.uint32)
    counts: tuple[tuple[str, Callable[[Mesh], Sized]], ...] = (
        ("vertices", lambda mesh: mesh.vertices),
        ("edges", lambda mesh: mesh.edges),
        ("faces", lambda mesh: mesh.faces),
    )
    for kind, elements in counts:
        table = getattr(mesh.geometry_groups, kind)
        for number in table.ids[~np.isin(table.ids, known)].tolist():
            yield Problem(f"{kind} of group {number}", "there is no such group", "warning")
        beyond = table.members[table.members >= len(elements(mesh))]
        if len(beyond):
            message = f"{beyond.max()} is named, there are {len(elements(mesh))}"
            yield Problem(f"{kind} of groups", message, count=len(beyond))


def _entities(level: Level) -> Iterator[Problem]:
    groups = {group.id for group in level.groups} | {NO_GROUP, no_group(level.version)}
    layers = {layer.id for layer in level.layers}
    for number, entity in enumerate(level.entities):
        place = f"object {number} ({entity.class_name})"
        yield from _properties(entity, place)
        if entity.group not in groups:
            yield Problem(place, f"is in group {entity.group}, which is not there", "warning")
        missing = [layer for layer in layers_of(entity.layers) if layer not in layers]
        if missing:
            yield Problem(place, f"is in layer {missing[0]}, which is not there", "warning", len(missing))


def _properties(entity: Entity, place: str) -> Iterator[Problem]:
    names = {each.name for each in entity.properties}
    for name in ("origin", "angles"):
        if name not in names:
            yield Problem(place, f"has no {name}", "warning")
    if len(names) < len(entity.properties):
        for name, count in Counter(each.name for each in entity.properties).items():
            if count > 1:
                yield Problem(place, f"has {name!r} {count} times", "warning", count)
    for each in entity.properties:
        if each.type in FLOAT_TYPES and len(each.raw) == 4 * each.components:
            # Infinite or NaN: all bits of the exponent are set.
            raw = each.raw
            wrong = [at for at in range(0, len(raw), 4) if raw[at + 3] & 0x7F == 0x7F and raw[at + 2] & 0x80]
            if wrong:
                yield Problem(place, f"{each.name} is NaN or infinite: {each.value}", count=len(wrong))
        elif each.id == 2:
            try:
                _ = each.value
            except FormatError as error:
                yield Problem(place, f"{error.reading}: {error.message}")
