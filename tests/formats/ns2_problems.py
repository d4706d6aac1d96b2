# SPDX-License-Identifier: GPL-3.0-or-later
"""Each kind of problem that formats/ns2/check.py finds: what brings it into a level, at one of three places."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from formats import ns2
from formats.ns2.chunks import Chunk
from formats.ns2.records import MeshChunkId
from formats.ns2.triangles import GeometryGroups, GroupTable
from tests.formats import ns2_bytes as build

Bring = Callable[[ns2.Level, int], None]

COUNT = 4
"""Squares, layers, groups, entities and mapping groups of the clean level; place n is a thing of the n-th of each."""


def clean() -> bytes:
    """A level of four squares side by side, each with a material, mapping group, layer, group and entity."""
    corners = [
        (x, 0, z) for at in range(COUNT) for x, z in ((3 * at, 0), (3 * at, 2), (3 * at + 2, 2), (3 * at + 2, 0))
    ]
    sides = [(4 * at + a, 4 * at + b) for at in range(COUNT) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))]
    squares = [
        build.Face(
            [build.square(4 * at)],
            mapping_group=6 + at,
            material=at,
            layers=build.mask(at),
            triangles=[(4 * at, 4 * at + 1, 4 * at + 2, 0, 1, 1), (4 * at, 4 * at + 2, 4 * at + 3, 0, 1, 1)],
        )
        for at in range(COUNT)
    ]
    shape = build.Shape(
        points=corners,
        edges=sides,
        faces=squares,
        materials=[f"materials/dev/{at}.material" for at in range(COUNT)],
        mapping=[build.mapping_group(6 + at) for at in range(COUNT)],
        groups=tuple([(1 + at, (at,)) for at in range(COUNT)] for _ in range(3)),
        normals=((0, 1, 0),),
    )
    properties = [build.origin(0, 0, 0), build.floats("angles", 7, 0, 0, 0), build.floats("size", 9, 1, 2, 3)]
    return build.level(
        10,
        mesh=build.mesh(10, shape),
        objects=[build.entity(10, "marker", properties, layers=build.mask(at), group=1 + at) for at in range(COUNT)],
        layers=build.listed(10, [(f"layer {at}", at) for at in range(COUNT)]),
        groups=build.listed(10, [(f"group {at}", 1 + at) for at in range(COUNT)], groups=True),
    )


# ------------------------------------------------------------------------------------------------------ layers, groups


def named(kind: str, name: str) -> Bring:
    """Call a layer or group as that."""

    def bring(level: ns2.Level, place: int) -> None:
        getattr(level, kind)[place].name = name

    return bring


def same_id(kind: str) -> Bring:
    """Add a layer or group with an id that another one has."""

    def bring(level: ns2.Level, place: int) -> None:
        listed = getattr(level, kind)
        listed.append(replace(listed[place], name="another"))

    return bring


# ------------------------------------------------------------------------------------------------------------ geometry


def record(table: str, field: str, value: Any, row: int = 1) -> Bring:
    """Set a field of a vertex or edge; each square has four."""

    def bring(level: ns2.Level, place: int) -> None:
        records = getattr(level.mesh, table).copy()
        records[field][4 * place + row] = value
        setattr(level.mesh, table, records)

    return bring


def face(field: str, value: Any) -> Bring:
    """Set a field of a face."""

    def bring(level: ns2.Level, place: int) -> None:
        records = level.mesh.faces.records.copy()
        records[field][place] = value
        level.mesh.faces = replace(level.mesh.faces, records=records)

    return bring


def member(field: str, value: int, row: int = 1) -> Bring:
    """Set a field of one of the four members of a face's loop."""

    def bring(level: ns2.Level, place: int) -> None:
        members = level.mesh.faces.members.copy()
        members[field][4 * place + row] = value
        level.mesh.faces = replace(level.mesh.faces, members=members)

    return bring


def short_loop(level: ns2.Level, place: int) -> None:
    """Give a face a hole of two edges: there and back."""
    faces = level.mesh.faces
    border, hole = faces.take([place]), np.array([(0, 4 * place), (1, 4 * place)], faces.members.dtype)
    holed = replace(
        border,
        face_loops=np.array([0, 2]),
        loop_members=np.array([0, 4, 6]),
        members=np.concatenate([border.members, hole]),
    )
    parts = [faces.take(range(place)), holed, faces.take(range(place + 1, len(faces)))]
    level.mesh.faces = ns2.Faces.joined(parts)


def other_layer(level: ns2.Level, place: int) -> None:
    """Put a face into a layer that isn't listed."""
    masks = level.mesh.face_layers.masks.copy()
    masks[place, 3] = 1
    level.mesh.face_layers = ns2.FaceLayers.of(masks)


def fewer_layers(level: ns2.Level, _place: int) -> None:
    """Have layers of fewer faces than there are."""
    level.mesh.face_layers = ns2.FaceLayers.of(level.mesh.face_layers.masks[:-1])


def no_material(level: ns2.Level, place: int) -> None:
    """Name a material that isn't one."""
    level.mesh.materials[place] = "textures/stone.dds"


def triangle(field: str, value: int) -> Bring:
    """Let a corner of a face's first triangle be something else."""

    def bring(level: ns2.Level, place: int) -> None:
        found = level.mesh.triangles
        assert found is not None
        table = found.triangles.copy()
        table[field][found.face_triangles[place], 1] = value
        level.mesh.triangles = replace(found, triangles=table)

    return bring


def fewer_triangles(level: ns2.Level, _place: int) -> None:
    """Have triangles of fewer faces than there are."""
    found = level.mesh.triangles
    assert found is not None
    level.mesh.triangles = found.take(range(COUNT - 1))


def with_table(kind: str, change: Callable[[GroupTable, int], GroupTable]) -> Bring:
    """Change the groups of vertices, edges or faces."""

    def bring(level: ns2.Level, place: int) -> None:
        groups: GeometryGroups = level.mesh.geometry_groups
        level.mesh.geometry_groups = replace(groups, **{kind: change(getattr(groups, kind), place)})

    return bring


def no_such_group(table: GroupTable, place: int) -> GroupTable:
    """Rename a group to one that isn't listed."""
    ids = table.ids.copy()
    ids[place] += 100
    return replace(table, ids=ids)


def no_such_member(table: GroupTable, place: int) -> GroupTable:
    """Have something in a group that isn't there."""
    members = table.members.copy()
    members[place] = 1000 + place
    return replace(table, members=members)


def undecodable(level: ns2.Level, _place: int) -> None:
    """Cut a chunk of the mesh."""
    chunks = level.mesh.chunks
    at = next(at for at, chunk in enumerate(chunks) if chunk.id == MeshChunkId.MAPPING_GROUPS)
    chunks[at] = Chunk(chunks[at].id, bytes(chunks[at].data)[:-1], chunks[at].offset)


# ------------------------------------------------------------------------------------------------------------ entities


def entity(change: Callable[[ns2.Entity], object]) -> Bring:
    """Change an entity."""
    return lambda level, place: change(level.entities[place])


def replaced(name: str, **fields: Any) -> Bring:
    """Give an entity's property other fields."""

    def bring(level: ns2.Level, place: int) -> None:
        properties = level.entities[place].properties
        properties[:] = [one._replace(**fields) if one.name == name else one for one in properties]

    return bring


CASES: dict[str, Bring] = {
    "layer that means nothing": named("layers", "vents"),
    "group that means nothing": named("groups", "collision geometry"),
    "layer with a blank": named("layers", "walls "),
    "group with a blank": named("groups", " walls"),
    "layer id twice": same_id("layers"),
    "group id twice": same_id("groups"),
    "vertex is NaN": record("vertices", "position", (0, np.nan, 0)),
    "vertex is infinite": record("vertices", "position", (-np.inf, 0, 0)),
    "edge without vertex": record("edges", "vertices", (0, 999)),
    "loop without edge": member("edge", 999),
    "loop without direction": member("flipped", 2),
    "loop that isn't closed": member("flipped", 1),
    "loop of two edges": short_loop,
    "face without material": face("material", 99),
    "face without mapping group": face("mapping_group", 99),
    "mapping is NaN": face("angle", np.nan),
    "mapping is infinite": face("scale", (1, np.inf)),
    "layers of other faces": fewer_layers,
    "face in no such layer": other_layer,
    "material without ending": no_material,
    "triangles of other faces": fewer_triangles,
    "triangle without vertex": triangle("vertices", 999),
    "triangle without normal": triangle("normals", 999),
    **{f"no such group of {kind}": with_table(kind, no_such_group) for kind in ("vertices", "edges", "faces")},
    **{f"group of no such {kind}": with_table(kind, no_such_member) for kind in ("vertices", "edges", "faces")},
    "chunk that can't be read": undecodable,
    "entity without origin": entity(lambda one: one.remove("origin")),
    "entity without angles": entity(lambda one: one.remove("angles")),
    "property twice": entity(lambda one: one.properties.append(one.properties[-1])),
    "property is NaN": replaced("size", raw=build.f32(1, float("nan"), 3)),
    "property is infinite": replaced("origin", raw=build.f32(float("inf"), 0, float("-inf"))),
    "property of other bytes": replaced("size", raw=b"\0"),
    "entity in no such group": entity(lambda one: setattr(one, "group", 99)),
    "entity in no such layer": entity(lambda one: setattr(one, "layers", ns2.mask_of([40, 41]))),
}
"""By name, what brings one such problem into a level at place 0, 1 or 2."""

SINGLE = frozenset({"layers of other faces", "triangles of other faces", "chunk that can't be read"})
"""Those that a level can have only once."""
