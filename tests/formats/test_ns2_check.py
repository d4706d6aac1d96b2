# SPDX-License-Identifier: GPL-3.0-or-later
"""What check finds in levels that can be read, and says where."""

from collections import Counter

import pytest

from formats import ns2
from tests.formats import ns2_bytes as build
from tests.formats import ns2_problems


def problems(level: ns2.Level) -> list[str]:
    return [str(problem) for problem in ns2.check(level)]


def shaped(**fields: object) -> ns2.Level:
    shape = build.Shape(**{**build.HOLED.__dict__, **fields})  # type: ignore[arg-type]
    return ns2.read(build.level(10, mesh=build.mesh(10, shape), layers=build.listed(10, [("a", 3), ("b", 200)]),
                                groups=build.listed(10, [("c", 1), ("d", 2)], groups=True)))  # fmt: skip


def test_a_whole_level_has_what_it_has():
    assert problems(ns2.read(build.whole(10))) == [
        "warning: face 1: its texture's mapping is NaN or infinite",
        "warning: object 1 (func_moveable): has 'direction' 2 times",
    ]


@pytest.mark.parametrize("version", [4, 5, 6, 8])
def test_levels_of_all_versions_can_be_checked(version):
    assert "its texture's mapping is NaN" in problems(ns2.read(build.whole(version)))[0]


FACE = build.HOLED.faces[0]
CASES = [
    ({"faces": (build.Face(FACE.loops, material=9), *build.HOLED.faces[2:])}, "face 0: names a material that is not"),
    ({"mapping": ()}, "face 0: names a mapping group that is not there"),
    ({"faces": (build.Face(FACE.loops, triangles=[(0, 1, 10), (0, 1, 11)]),), "groups": ((), (), ())},
     "triangle of face 0: 0 (and 1 more): names a vertex that is not there: there are 10"),
    ({"faces": (build.Face(FACE.loops, triangles=[(0, 1, 2, 0, 0, 4)]),), "groups": ((), (), ())},
     "triangle of face 0: 0: names a normal that is not there: there are 0"),
    ({"points": ((float("inf"), 0, 0), *build.HOLED.points[1:])}, "vertex 0: its position is NaN or infinite"),
    ({"edges": ((0, 70), *build.HOLED.edges[1:])}, "edge 0: names a vertex that is not there: there are 10"),
    ({"faces": (build.Face([[(0, 0), (0, 2), (0, 1), (0, 3)]]),), "groups": ((), (), ())}, "not one behind the other"),
    ({"faces": (build.Face([[(0, 0), (1, 0)]]),), "groups": ((), (), ())}, "fewer than three edges"),
    ({"faces": (build.Face(FACE.loops, layers=build.mask(4)),), "groups": [()] * 3}, "in a layer that is not there"),
    ({"groups": (((9, (0,)),), (), ())}, "vertices of group 9: there is no such group"),
    ({"groups": ((), ((1, (50,)),), ())}, "edges of groups: 50 is named, there are 11"),
    ({"materials": ("a.material", "b.png")}, "material 1: 'b.png' does not end with .material"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), CASES)
def test_geometry(fields, message):
    assert any(message in problem for problem in problems(shaped(**fields))), problems(shaped(**fields))


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (ns2.Entity("a"), "has no origin"),
        (ns2.Entity("a", [ns2.Property("origin", 9, 3, build.f32(0, float("nan"), 0))]), "origin is NaN or infinite"),
        (ns2.Entity("a", [ns2.Property("name", 0, 1, b"")]), "0 bytes are no value of type 0"),
        (ns2.Entity("a", group=77), "is in group 77, which is not there"),
        (ns2.Entity("a", layers=1 << 9), "is in layer 9, which is not there"),
    ],
)
def test_objects(entity, message):
    level = ns2.new_level()
    level.entities.append(entity)
    assert any(message in problem for problem in problems(level))


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("CollisionGeometry ", "group", "CollisionGeometry"),
        ("collision geometry", "group", "CollisionGeometry"),
        ("OclusionGeometry", "group", "OcclusionGeometry"),
        ("CommanderInvisable", "group", "CommanderInvisible"),
        ("low lights", "group", "Low Lights"),
        ("vents", "layer", "Vents"),
        ("CollisionGeometry", "group", None),
        ("Vents", "layer", None),
        ("Events", "layer", None),
        ("Group", "group", None),
        ("walls right floor", "group", None),
    ],
)
def test_names_that_look_as_if_they_meant_something(name, kind, wanted):
    assert ns2.names.meant(name, kind) == wanted
    level = ns2.new_level()
    level.groups = [ns2.Group(name, 1)] if kind == "group" else []
    level.layers = [ns2.Layer(name, 1)] if kind == "layer" else []
    assert problems(level) == (
        [f"warning: {kind} {name!r}: means nothing to the game; {wanted!r} would"] if wanted else []
    )


def test_ids_that_two_have():
    level = ns2.new_level()
    level.layers = [ns2.Layer("a", 5), ns2.Layer("b ", 5)]
    assert problems(level) == [
        "warning: layer 'b ': its name begins or ends with a blank",
        "error: layer id 5: 2 have it",
    ]


def test_what_cannot_be_decoded_is_a_problem():
    level = ns2.read(build.level(10, mesh=build.chunk(3, b"x"), objects=[b"y"]))
    found = problems(level)
    assert any("error: faces, byte 0x" in problem for problem in found)
    assert any("object 0" in problem for problem in found)
    assert len(found) == len(set(found))


def test_a_table_that_was_set_wrongly_is_a_problem():
    level = shaped()
    level.mesh.face_layers = ns2.FaceLayers.none(1)
    assert any("are of 1 face, there are 3" in problem for problem in problems(level))
    level.mesh.triangles = level.mesh.triangles.take([0])
    assert any("triangles: are of 1 face" in problem for problem in problems(level))


@pytest.mark.parametrize("name", ns2_problems.CASES)
def test_a_kind_of_problem_is_brought_in_alone_and_counted(name: str) -> None:
    def counts(*places: int) -> Counter[str]:
        level = ns2.read(ns2_problems.clean())
        for place in places:
            ns2_problems.CASES[name](level, place)
        found = Counter[str]()
        for problem in ns2.check(level):
            found[problem.kind] += problem.count
        return found

    one = counts(1)
    assert len(one) == 1
    if name not in ns2_problems.SINGLE:
        assert counts(0, 1, 2) == {kind: 3 * count for kind, count in one.items()}


def test_what_stands_before_a_chunk_is_no_other_problem() -> None:
    def kinds(*names: str) -> list[str]:
        mesh = build.chunk(4, build.u32(len(names)) + b"".join(map(build.str8, names))) + build.chunk(7, b"x")
        return [problem.kind for problem in ns2.check(ns2.read(build.level(10, mesh=mesh)))]

    assert kinds("a.material") == kinds("a.material", "materials/other/long.material") != []
